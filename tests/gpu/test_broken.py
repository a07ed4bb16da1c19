"""The recipes that lose concurrent minima, on the graph that shows it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.compare import assert_same_bits
from warpath.base.dtypes import unreachable

RUNS = 200
PLAIN_MINIMA = {
    "martin2009.f_gpu_no_atomic",
    "martin2009.f_gpu_no_atomic_1min",
    "martin2009.f_gpu_no_atomic_1min.dense",
}
LOSING = {"broken.harish_narayanan2007", *PLAIN_MINIMA}


def last_labels(algorithm: str, runs: int = RUNS) -> list[int]:
    """The label of n - 1, which is 2, run after run."""
    graph = corpus.lost_minima(1024)
    found = []
    for _ in range(runs):
        dist = wp.sssp(graph, 0, algorithm=algorithm, device="cuda").dist
        assert dist[0] == 0
        assert (dist[1:-1] == 1).all()
        found.append(int(dist[-1]))
    return found


def note(record_property, algorithm: str, labels: list[int]) -> None:
    values, counts = np.unique(labels, return_counts=True)
    seen = dict(zip(values.tolist(), counts.tolist(), strict=True))
    record_property("recipe", algorithm)
    record_property("labels", json.dumps({"recipe": algorithm, "labels": seen}))


def test_the_corrected_form_always_finds_two(record_property):
    labels = last_labels("martin2009.f_gpu")
    note(record_property, "martin2009.f_gpu", labels)
    assert set(labels) == {2}


def test_the_uncorrected_sweep_gives_wrong_labels(record_property):
    labels = last_labels("broken.harish_narayanan2007")
    note(record_property, "broken.harish_narayanan2007", labels)
    assert max(labels) > 2


@pytest.mark.parametrize("algorithm", sorted(PLAIN_MINIMA))
def test_a_plain_minimum_never_gives_a_label_that_is_too_small(algorithm, record_property):
    labels = last_labels(algorithm)
    note(record_property, algorithm, labels)
    assert min(labels) >= 2


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("algorithm", sorted(LOSING))
def test_a_lost_minimum_is_the_length_of_some_path(algorithm, dtype, record_property):
    record_property("recipe", algorithm)
    graph = wp.generate.rmat(12, 8, (1, 255), seed=3).astype(dtype)
    right = wp.sssp(graph, 0, device="cpu").dist
    found = wp.sssp(graph, 0, algorithm=algorithm, device="cuda").dist
    assert (found >= right).all()
    assert np.array_equal(found == unreachable(found.dtype), right == unreachable(right.dtype))


def test_without_concurrent_minima_they_are_right(record_property):
    path = wp.Graph.from_edges(np.arange(500), np.arange(1, 501), np.full(500, 3, np.int32))
    for algorithm in sorted(LOSING):
        record_property("recipe", algorithm)
        found = wp.sssp(path, 0, algorithm=algorithm, device="cuda").dist
        assert_same_bits(found, np.arange(501) * 3, path)
