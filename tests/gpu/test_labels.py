"""Labels of prepared graphs on a GPU: the distances of the CPU's labels."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.engines.cuda.tables import tree_labels
from warpath.engines.labels import LABELS
from warpath.graph.solvable import search_graph
from warpath.recipes import CATALOGUE

H2H = "ouyang2018.h2h"
TYPES = ("int32", "int64", "float32", "float64")

per_type = pytest.mark.parametrize("dtype", TYPES)
per_direction = pytest.mark.parametrize("directed", [False, True], ids=["one label", "two labels"])


def road(dtype: str, *, directed: bool = False) -> wp.Graph:
    """Return roads, whose sums of floats are exact."""
    graph = wp.generate.road(20_000)
    if directed:
        graph = graph.with_weights(np.random.default_rng(2).integers(1, 999, graph.m))
    return graph.astype(dtype)


@per_direction
@per_type
def test_pairs_and_tables_are_those_of_the_cpu(dtype, directed, ran):
    ran(CATALOGUE[H2H])
    graph = road(dtype, directed=directed)
    there = wp.prepare(graph, labels=True, device="cuda")
    here = wp.prepare(graph, labels=True, device="cpu")
    trips = np.random.default_rng(1).integers(0, graph.n, (2, 100_000))
    trips[1, :99] = trips[0, :99]
    found, right = there.pairs(*trips), here.pairs(*trips)
    assert (found.plan.algorithm, found.plan.device) == (H2H, "cuda:0")
    assert (right.plan.algorithm, right.plan.device) == (H2H, "cpu")
    assert found.dist.dtype == right.dist.dtype
    assert np.array_equal(found.dist, right.dist)
    for sources, targets in ((trips[0, :40], None), (trips[0, :7], trips[1, :1000])):
        right = here.distances(sources, targets).dist
        solver = wp.Solver(graph, algorithm=H2H, device="cuda")
        found = solver.distances(sources, targets)
        assert (found.plan.algorithm, found.plan.device) == (H2H, "cuda:0")
        assert np.array_equal(found.dist, right)


def test_one_source_uses_labels_and_a_table_stays_there(gpu):
    graph = road("int32")
    there = wp.prepare(graph, labels=True, device="cuda")
    assert there.distances([5]).plan.algorithm == H2H
    right = wp.distances(graph, [5, 9], device="cpu").dist
    for dtype in ("int32", "int64"):
        with gpu.active():
            out = gpu.xp.empty((2, graph.n), dtype)
            found = wp.distances(
                graph, [5, 9], algorithm=H2H, device="cuda", dist_dtype=dtype, out=out
            )
            assert found.dist is out
            assert np.array_equal(gpu.get(out), right)


def test_unreachable_and_int32_distances():
    two = wp.Graph.of([(0, 1, 7), (2, 3, 2**40)])
    solver = wp.prepare(two, labels=True, device="cuda")
    found = solver.pairs([0, 0, 2, 1], [1, 2, 3, 1])
    assert found.plan.algorithm == H2H
    assert found.dist.tolist() == [7, np.iinfo(np.int64).max, 2**40, 0]
    with pytest.raises(wp.DistanceOverflowError, match="does not fit int32"):
        wp.distances(two, [2], algorithm=H2H, device="cuda", dist_dtype="int32")


def test_without_labels_pairs_take_tables():
    graph = wp.generate.road(3000, seed=5)
    solver = wp.prepare(graph, device="cuda")
    found = solver.pairs([1, 2], [3, 4])
    assert found.plan.device == "cuda:0"
    assert found.plan.algorithm != H2H


def test_labels_that_do_not_fit_are_refused_with_the_numbers(monkeypatch):
    graph = road("int64", directed=True)
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "1M")
    with pytest.raises(wp.NotEnoughMemoryError, match=r"labels would take .* on cuda"):
        wp.prepare(graph, labels=True, device="cuda")
    monkeypatch.delenv("WARPATH_GPU_MEMORY")
    wp.prepare(graph, labels=True, device="cuda")
    labels = LABELS.cached(search_graph(graph))
    kept = tree_labels._LABELS.cached(search_graph(graph), "cuda:0")
    assert kept.nbytes <= tree_labels.labels_bytes(labels) <= 1.1 * kept.nbytes


def test_new_weights_are_labelled_there():
    graph = road("int32")
    weights = np.random.default_rng(3).integers(1, 99, graph.m).astype(np.int32)
    there = wp.prepare(graph, labels=True, device="cuda").with_weights(weights)
    trips = np.random.default_rng(4).integers(0, graph.n, (2, 500))
    found = there.pairs(*trips)
    assert (found.plan.algorithm, found.plan.device) == (H2H, "cuda:0")
    right = wp.pairs(graph.with_weights(weights), *trips).dist
    assert np.array_equal(found.dist, right)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_pairs_are_read_and_left_on_the_gpu(gpu, dtype):
    graph = road("int32")
    there = wp.prepare(graph, labels=True, device="cuda")
    trips = np.random.default_rng(6).integers(0, graph.n, (2, 5000))
    right = wp.pairs(graph, *trips).dist
    with gpu.active():
        xp = gpu.xp
        ends = [xp.asarray(trips[0].astype(np.int32)), xp.asarray(trips[1][::-1])[::-1]]
        out = xp.empty(5000, dtype)
        found = there.pairs(*ends, out=out, dist_dtype=dtype)
        assert found.dist is out
        assert np.array_equal(gpu.get(out), right)
        assert found.plan.algorithm == H2H
        assert np.array_equal(found.origin_indices, trips[0])
        assert found.reached.all()
        assert np.array_equal(found.reached_dist, right)
        assert found.to_pandas()["distance"].tolist() == right.tolist()
        for position, wrong in ((7, graph.n), (9, -1)):
            bad = ends[1].copy()
            bad[position] = wrong
            message = rf"vertex {wrong} does not exist \(in destinations\[{position}\]\)"
            with pytest.raises(wp.VertexError, match=message):
                there.pairs(ends[0], bad, out=out, dist_dtype=dtype)
        with pytest.raises(wp.InputError, match="out has shape"):
            there.pairs(*ends, out=out[:9], dist_dtype=dtype)
        out.fill(0)  # from the host, and by tables
        assert there.pairs(*trips, out=out, dist_dtype=dtype).dist is out
        assert np.array_equal(gpu.get(out), right)
        other = wp.generate.road(20_000, seed=9)
        wp.pairs(other, *ends, out=out, dist_dtype=dtype, device="cuda")
        assert np.array_equal(gpu.get(out), wp.pairs(other, *trips).dist)
        with pytest.raises(wp.InputError, match="the call runs on the CPU"):
            wp.pairs(graph, [1], [2], out=out[:1], dist_dtype=dtype, device="cpu")
