"""Dense all pairs in 32 bits where every sum fits, in the memory of the answer."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.engines.dense import narrow_part

LIMIT = np.iinfo(np.int32).max // 4


def chain(n, weight):
    """Return n vertices in a row, the last one not connected."""
    steps = np.arange(n - 2)
    return wp.Graph.of((steps, steps + 1, np.full(n - 2, weight)), n=n)


@pytest.mark.parametrize("sign", [1, -1])
def test_32_bits_hold_sums_up_to_a_quarter_of_their_range(sign):
    n = 200
    most = (LIMIT - 1) // n
    assert chain(n, sign * most).facts().sums_fit_int32
    assert not chain(n, sign * (most + 1)).facts().sums_fit_int32
    assert not chain(n, 1).astype("float64").facts().sums_fit_int32


@pytest.mark.parametrize("weight", [1, -7, LIMIT // 200, -(LIMIT // 200), LIMIT, 2**40])
@pytest.mark.parametrize("threads", [1, 2])
def test_distances_of_a_chain_are_exact_whatever_they_are_computed_in(weight, threads):
    n = 200
    dist = wp.apsp(chain(n, weight), algorithm="classic.floyd_warshall", threads=threads).dist
    place = np.arange(n)
    ahead = (place >= place[:, None]) & (place < n - 1) & (place[:, None] < n - 1)
    ahead[-1, -1] = True
    expected = np.where(ahead, (place - place[:, None]) * weight, np.iinfo(np.int64).max)
    assert dist.dtype == np.int64
    assert (dist == expected).all()


@pytest.mark.parametrize("weight", [3, LIMIT])
def test_narrow_answer_is_exact_or_refused(weight):
    graph = chain(200, weight)
    if weight == LIMIT:
        with pytest.raises(wp.DistanceOverflowError):
            wp.apsp(graph, algorithm="classic.floyd_warshall", dist_dtype="int32")
        return
    dist = wp.apsp(graph, algorithm="classic.floyd_warshall", dist_dtype="int32").dist
    assert dist.dtype == np.int32
    assert (dist[0, :-1] == 3 * np.arange(199)).all()
    assert (dist[:-1, -1] == np.iinfo(np.int32).max).all()


def test_narrow_part_is_the_first_half_of_the_memory():
    wide = np.zeros((3, 3), np.int64)
    narrow_part(wide)[:] = -1
    assert wide.reshape(-1).tolist() == [-1] * 4 + [2**32 - 1] + [0] * 4
