"""Labels over the elimination tree: the distances between vertices and their ancestors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from core.test_customizable import CASES, eliminated, flat
from core.test_customizable import assert_distances as assert_pairs
from support import strategies
from warpath import _core

TYPES = ["int32", "int64", "float32", "float64"]


def labelled(graph, **options):
    arcs = eliminated(graph)
    hierarchy = arcs.customize(graph._solver_weights)
    return _core.tree_labels(_core.ancestor_tree(arcs), arcs, hierarchy, **options)


def entries(labels) -> list[np.ndarray]:
    up, down = labels.arrays()
    return [*labels.tree.arrays(), up, up if down is None else down]


def assert_distances(labels, graph, sources, threads=1) -> None:
    """Compare pairs with plain Python's distances, and a table with pairs."""
    assert_pairs(labels, graph, sources, threads=threads)
    ends = np.arange(graph.n)
    table = np.empty((len(sources), graph.n), graph.dist_dtype)
    labels.table(np.array(sources, np.int64), ends, table, threads=threads)
    for source, row in zip(sources, table, strict=True):
        out = np.empty(graph.n, graph.dist_dtype)
        labels.pairs(np.full(graph.n, source), ends, out, threads=threads)
        assert out.tolist() == [labels.pair(source, end) for end in ends.tolist()]
        assert out.tobytes() == row.tobytes()


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
            assert_distances(labelled(graph, threads=threads), graph, case.sources, threads)


@pytest.mark.threads
@pytest.mark.parametrize("dtype", TYPES)
@given(data=st.data())
def test_random_graphs_have_the_distances_of_dijkstra(dtype, data):
    graph = data.draw(strategies.graphs(dtype, max_vertices=12))
    threads = data.draw(st.integers(1, 3))
    assert_distances(labelled(graph, threads=threads), graph, range(graph.n))


@pytest.mark.threads
@pytest.mark.parametrize("dtype", TYPES)
def test_any_number_of_threads_gives_the_same_labels(road, one_way, dtype):
    factor = np.dtype(dtype).type(0.7 if "f" in dtype else 1)
    for streets in (road, one_way, wp.generate.rmat(8)):
        graph = streets.with_weights(streets._solver_weights.astype(dtype) * factor)
        one = entries(labelled(graph, threads=1))
        for threads in (2, 3):
            for array, expected in zip(entries(labelled(graph, threads=threads)), one, strict=True):
                assert array.tobytes() == expected.tobytes()


def test_a_label_has_the_distances_to_and_from_its_ancestors(one_way):
    labels = labelled(one_way)
    position, parent, up, down = entries(labels)
    vertex, distances = np.argsort(position), wp.apsp(one_way).dist
    depth, begin = np.zeros(one_way.n, int), np.zeros(one_way.n, int)
    for x in range(1, one_way.n):
        depth[x] = 0 if parent[x] < 0 else depth[parent[x]] + 1
        begin[x] = begin[x - 1] + (depth[x - 1] // 16 + 1) * 16
    for x in range(0, one_way.n, 37):
        path = [x]
        while parent[path[-1]] >= 0:
            path.append(parent[path[-1]])
        own, ancestors = vertex[x], vertex[path[::-1]]
        row = slice(begin[x], begin[x] + depth[x] + 1)
        assert up[row].tolist() == distances[own, ancestors].tolist()
        assert down[row].tolist() == distances[ancestors, own].tolist()


def test_undirected_graphs_have_one_label_a_vertex(road, one_way):
    assert labelled(road).symmetric
    assert labelled(road).arrays()[1] is None
    assert not labelled(one_way).symmetric
    assert labelled(one_way).nbytes > 1.9 * labelled(road).nbytes


def test_reversed_labels_have_the_distances_of_the_reversed_graph(one_way):
    assert_distances(labelled(one_way).reversed(), one_way.reversed(), [0, 17])


def test_stored_labels_answer_as_those_that_were_computed(one_way):
    labels = labelled(one_way)
    position, parent, up, down = entries(labels)
    stored = _core.stored_tree_labels(_core.stored_ancestor_tree(position, parent), up, down)
    ends = np.random.default_rng(5).integers(0, one_way.n, (2, 999))
    out = np.empty((2, 999), one_way.dist_dtype)
    for row, of in zip(out, (labels, stored), strict=True):
        of.pairs(*ends, row)
    assert out[0].tobytes() == out[1].tobytes()


def test_sums_beyond_32_bits_are_labelled_in_64(road):
    graph = road.with_weights(np.full(road.m, 2**30, np.int32))
    labels = labelled(graph)
    assert labels.arrays()[0].dtype == np.int64
    assert_distances(labels, graph, [5])
    narrow = np.empty((1, graph.n), np.int32)
    with pytest.raises(OverflowError, match="does not fit int32"):
        labels.table(np.array([5]), np.arange(graph.n), narrow)


def test_what_is_no_tree_is_refused(road):
    labels = labelled(road)
    position, parent, up, _ = entries(labels)
    with pytest.raises(ValueError, match="that of one vertex"):
        _core.stored_ancestor_tree(np.zeros_like(position), parent)
    with pytest.raises(ValueError, match="parent"):
        _core.stored_ancestor_tree(position, parent[1:].copy())
    for wrong in (0, 2, -2, 2**31 - 1):
        other = parent.copy()
        other[1] = wrong
        if wrong != parent[1]:
            with pytest.raises(ValueError, match="each parent must be an ancestor"):
                _core.stored_ancestor_tree(position, other)
    tree = _core.stored_ancestor_tree(position, parent)
    with pytest.raises(ValueError, match="the entries of labels"):
        _core.stored_tree_labels(tree, up[16:])
    shifted = np.empty(len(up) + 1, up.dtype)[1:]
    with pytest.raises(ValueError, match="cache line"):
        _core.stored_tree_labels(tree, shifted)
    with pytest.raises(ValueError, match="those of the elimination"):
        _core.tree_labels(tree, eliminated(wp.generate.grid(4, 4)), wp_hierarchy(road))
    with pytest.raises(TypeError):
        _core.stored_tree_labels(tree, up.astype(np.int16))


def wp_hierarchy(graph):
    return eliminated(graph).customize(graph._solver_weights)


def test_a_tree_that_is_too_deep_is_refused():
    n = 65_537
    position = np.arange(n, dtype=np.int32)
    with pytest.raises(ValueError, match="more than 65,535 ancestors"):
        _core.stored_ancestor_tree(position, position - 1)
    assert _core.stored_ancestor_tree(position[:-1].copy(), position[:-1] - 1).height == n - 1


def test_wrong_vertices_and_shapes_are_refused(road):
    labels = labelled(road)
    out = np.empty(1, road.dist_dtype)
    for vertex in (-1, road.n):
        with pytest.raises((ValueError, IndexError)):
            labels.pairs(np.array([vertex]), np.array([0]), out)
        for ends in ((vertex, 0), (0, vertex)):
            with pytest.raises(ValueError, match="source and target must be vertices"):
                labels.pair(*ends)
    with pytest.raises(ValueError, match="targets"):
        labels.pairs(np.array([0]), np.array([0, 1]), out)
    with pytest.raises(ValueError, match="a row per source"):
        labels.table(np.array([0]), np.array([0, 1]), np.empty((1, 3), np.int64))
    with pytest.raises(ValueError, match="threads"):
        labels.pairs(np.array([0]), np.array([1]), out, threads=0)


def test_counts_are_the_entries_that_were_read(road):
    labels = labelled(road)
    out = np.empty(2, road.dist_dtype)
    ends = np.array([7, 7])
    position, parent, *_ = entries(labels)
    above, x = 1, position[7]
    while parent[x] >= 0:
        above, x = above + 1, parent[x]
    assert labels.pairs(ends, ends, out) == {"entries": 2 * 2 * above}
    assert out.tolist() == [0, 0]
    assert flat(wp_hierarchy(road))[0].tolist() == position.tolist()
