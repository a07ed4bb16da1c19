"""Hub labels: the distances between vertices and the most important ones on their way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from core.test_customizable import CASES, assert_distances
from support import reference, strategies
from warpath import _core
from warpath.base.dtypes import unreachable

TYPES = ["int32", "int64", "float32", "float64"]
MOST = 2**40


def hierarchy(graph):
    return _core.contract(graph.indptr, graph.indices, graph._solver_weights)


def labelled(graph, most=MOST, **options):
    return _core.hub_labels(hierarchy(graph), most, **options)


def canonical(graph, position) -> list[list[tuple[int, float]]]:
    """Return the label of each vertex towards its hubs, from the distances of plain Python."""
    rows = [reference.dijkstra(graph, source) for source in range(graph.n)]
    far = unreachable(graph.dist_dtype)
    labels = []
    for v in range(graph.n):
        label = []
        for h in range(graph.n):
            above = [u for u in range(graph.n) if position[u] < position[h]]
            passed = any(
                rows[v][u] != far != rows[u][h] and rows[v][u] + rows[u][h] <= rows[v][h]
                for u in above
            )
            more_important = position[h] <= position[v]
            if rows[v][h] != far and more_important and not passed:
                label.append((int(position[h]), rows[v][h].item()))
        labels.append(sorted(label))
    return labels


def rows_of(arrays) -> list[list[tuple[int, float]]]:
    first, hubs, distances = (array.tolist() for array in arrays)
    pairs = list(zip(hubs, distances, strict=True))
    return [pairs[begin:end] for begin, end in itertools.pairwise(first)]


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(3000)


@pytest.fixture(scope="module")
def one_way(road):
    """The same streets, each direction with a weight of its own."""
    return road.with_weights(np.random.default_rng(3).integers(0, 900, road.m).astype(np.int32))


def test_difficult_graphs_have_the_distances_of_dijkstra():
    for case in CASES:
        graph = case.graph()
        for threads in (1, 2, 3):
            assert_distances(labelled(graph, threads=threads), graph, case.sources, threads=threads)


@pytest.mark.parametrize("dtype", TYPES)
@given(data=st.data())
def test_random_graphs_have_the_distances_of_dijkstra(dtype, data):
    graph = data.draw(strategies.graphs(dtype=dtype))
    labels = labelled(graph, threads=data.draw(st.integers(1, 3)))
    assert_distances(labels, graph, range(min(graph.n, 4)))
    assert_distances(labels.reversed(), graph.reversed(), range(min(graph.n, 2)))
    again = _core.stored_hub_labels(*labels.arrays())
    assert_distances(again, graph, range(min(graph.n, 2)))


@given(data=st.data())
def test_hubs_are_those_that_no_more_important_vertex_makes_superfluous(data):
    graph = data.draw(strategies.graphs(dtype="int32"))
    contracted = hierarchy(graph)
    labels = _core.hub_labels(contracted, MOST)
    position = contracted.arrays()[0]
    arrays = labels.arrays()
    assert rows_of(arrays[:3]) == canonical(graph, position)
    assert rows_of(arrays[-3:]) == canonical(graph.reversed(), position)


def test_any_number_of_threads_computes_the_same_labels(road, one_way):
    for graph in (road, one_way):
        one, *others = (labelled(graph, threads=threads).arrays() for threads in (1, 2, 3))
        for other in others:
            assert [array.tobytes() for array in other] == [array.tobytes() for array in one]


def test_a_symmetric_graph_has_one_label_for_each_vertex(road, one_way):
    assert labelled(road).symmetric
    assert not labelled(one_way).symmetric
    assert len(labelled(road).arrays()) == 3
    both = labelled(one_way)
    assert both.nbytes == sum(array.nbytes for array in both.arrays())


def test_labels_stop_at_the_memory_that_they_may_take(road):
    need = labelled(road).nbytes
    assert labelled(road, need).nbytes == need
    for threads in (1, 2):
        with pytest.raises(ValueError, match="more memory than they may"):
            labelled(road, need // 2, threads=threads)


def test_wrong_vertices_and_arrays_are_refused(road):
    labels = labelled(road)
    out = np.empty(1, road.dist_dtype)
    for vertex in (-1, road.n):
        with pytest.raises((ValueError, IndexError)):
            labels.pairs(np.array([vertex]), np.array([0]), out)
        with pytest.raises(ValueError, match="source and target must be vertices"):
            labels.pair(0, vertex)
    first, hubs, distances = (array.copy() for array in labels.arrays())
    for wrong in (first[1:], first[:0], first[::-1].copy(), first + 1, np.append(first, -1)):
        with pytest.raises(ValueError, match="do not begin one after another"):
            _core.stored_hub_labels(wrong, hubs, distances)
    with pytest.raises(ValueError, match="do not begin one after another"):
        _core.stored_hub_labels(first, hubs, distances[1:])
    with pytest.raises(ValueError, match="do not begin one after another"):
        _core.stored_hub_labels(first, hubs, distances, first[:1], hubs[:0], distances[:0])
    with pytest.raises(ValueError, match="all three arrays"):
        _core.stored_hub_labels(first, hubs, distances, first)


def test_progress_is_reported_and_an_exception_stops():
    road, calls = wp.generate.road(40_000), []
    contracted = hierarchy(road)
    _core.hub_labels(contracted, MOST, progress=lambda *done: calls.append(done))
    assert calls == sorted(calls)
    assert {total for _, total in calls} == {road.n}

    def stop(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _core.hub_labels(contracted, MOST, progress=stop)
