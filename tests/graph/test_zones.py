"""Vertices that are never passed through, in every solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support.recipes import on_cpu
from warpath import Graph
from warpath.graph.zones import opened
from warpath.recipes import Task

NEVER = np.iinfo(np.int64).max


def brute_force(graph: Graph, source: int) -> list[int]:
    """Bellman-Ford that never leaves a closed vertex other than the source."""
    dist = [NEVER] * graph.n
    dist[source] = 0
    edges = list(zip(*(part.tolist() for part in graph.edges()), strict=True))
    for _ in range(graph.n):
        for u, v, w in edges:
            if dist[u] != NEVER and (u == source or u >= graph.first_through):
                dist[v] = min(dist[v], dist[u] + w)
    return dist


def through_a_zone() -> Graph:
    """0 and 1 are zones; the short way from 2 to 3 leads through zone 1."""
    return Graph.of(
        [(2, 1, 1), (1, 3, 1), (2, 4, 5), (4, 3, 5), (0, 2, 1), (3, 0, 1)], first_through=2
    )


zoned = st.builds(
    lambda edges, closed: Graph.of([tuple(e) for e in edges], n=7, first_through=closed),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4)), max_size=30),
    st.integers(0, 7),
)


@given(zoned, st.integers(0, 6))
def test_every_solver_honours_closed_vertices(graph, source):
    expected = brute_force(graph, source)
    for recipe in on_cpu():
        if recipe.equal_weights and recipe.objection(Task.SSSP, graph.facts()) is not None:
            continue
        if Task.SSSP in recipe.solves:
            paths = wp.sssp(graph, source, algorithm=recipe.name)
            assert paths.dist.tolist() == expected
            wp.verify(graph, paths)
        if Task.MANY in recipe.solves:
            row = wp.distances(graph, [source], algorithm=recipe.name).dist[0]
            assert row.tolist() == expected
        if Task.APSP in recipe.solves:
            table = wp.apsp(graph, algorithm=recipe.name)
            assert table.dist[source].tolist() == expected
            wp.verify(graph, table)
        if recipe.objection(Task.PATH, opened(graph).facts()) is None:
            for target in range(graph.n):
                if expected[target] == NEVER:
                    with pytest.raises(wp.NoPathError):
                        wp.path(graph, source, target, algorithm=recipe.name)
                else:
                    route = wp.path(graph, source, target, algorithm=recipe.name)
                    assert route.length == expected[target] == int(route.weights.sum())
                    assert route.indices.tolist() == paths.path_to(target).indices.tolist()
                    assert all(v >= graph.first_through for v in route.indices[1:-1])


def test_a_zone_is_start_and_end_but_never_between():
    graph = through_a_zone()
    assert wp.sssp(graph, 2).dist.tolist() == [11, 1, 0, 10, 5]
    assert list(wp.path(graph, 2, 3)) == [2, 4, 3]
    assert wp.sssp(graph, 1).dist.tolist() == [2, 0, NEVER, 1, NEVER]
    assert wp.distances(graph, [0, 1], [0, 1, 3]).dist.tolist() == [[0, 2, 11], [2, 0, 1]]


def test_a_wrong_label_of_a_zone_is_found():
    graph = through_a_zone()
    paths = wp.sssp(graph, 2)
    wrong = paths.dist.copy()
    wrong[1] = 2
    broken = wp.Paths(graph, 2, wrong, tree=lambda: paths.pred)
    with pytest.raises(wp.VerificationError, match="no edge may shorten a label"):
        wp.verify(graph, broken)
    tree = paths.pred.copy()
    tree[1] = 4
    with pytest.raises(wp.VerificationError, match=r"smallest tight predecessor .*; vertex 1\."):
        wp.verify(graph, wp.Paths(graph, 2, paths.dist, tree=lambda: tree))


def test_the_opened_graph_is_made_once_and_only_where_needed():
    graph = through_a_zone()
    assert opened(graph) is opened(graph)
    plain = Graph.of([(0, 1)])
    assert opened(plain) is plain


@pytest.mark.parametrize("weight", [2**40, 2**63 - 1])
def test_a_round_trip_to_a_closed_source_need_not_fit_the_distances(weight):
    graph = Graph.from_edges([0, 1], [1, 0], np.array([5, weight]), first_through=1)
    narrow = {"dist_dtype": "int32"}
    assert wp.sssp(graph, 0, **narrow).dist.tolist() == [0, 5]
    assert wp.sssp(graph, 0).pred.tolist() == [-1, 0]
    table = wp.distances(graph, [0], predecessors=True, **narrow)
    assert (table.dist.tolist(), table.pred.tolist()) == ([[0, 5]], [[-1, 0]])
    names = [name for name in SOLVERS if not (weight > 2**60 and name in CHECKED)]
    for name in names:
        one_way = wp.distances(graph, [0], [0, 1], algorithm=name, **narrow)
        assert one_way.dist.tolist() == [[0, 5]]
    with pytest.raises(wp.DistanceOverflowError):
        wp.distances(graph, [1], [0], **narrow)


SOLVERS = [recipe.name for recipe in on_cpu(Task.MANY) if recipe.max_weight is None]
CHECKED = {"classic.floyd_warshall"}  # refuses weights whose sums could leave 64 bits


def test_all_pairs_by_floyd_warshall_do_not_count_round_trips():
    graph = Graph.from_edges([0, 1, 1], [1, 0, 2], np.array([5, 2**31 - 3, 7]), first_through=1)
    table = wp.apsp(graph, algorithm="classic.floyd_warshall", dist_dtype="int32")
    unreachable = 2**31 - 1
    assert table.dist.tolist() == [[0, 5, 12], [2**31 - 3, 0, 7], [unreachable, unreachable, 0]]


@pytest.mark.usefixtures("wide_indices")
def test_predecessors_are_of_the_type_of_the_indices_where_vertices_are_closed():
    wide = Graph(np.array([0, 1, 1]), np.array([1], np.int64), first_through=1)
    paths = wp.sssp(wide, 0)
    assert paths.pred.dtype == np.int64
    assert wp.nearest(wide, [0]).facility_indices.dtype == np.int64
    assert wp.verify(wide, paths).tree


def test_a_float_round_trip_beyond_the_largest_does_not_warn():
    graph = Graph.from_edges([0, 1], [1, 0], np.array([1e308, 1e308]), first_through=1)
    assert wp.verify(graph, wp.sssp(graph, 0)).labels == 2


def test_a_round_trip_below_64_bits_does_not_spoil_the_certificate():
    low = -(2**63) + 2
    graph = Graph.from_edges([0, 1], [1, 0], np.array([low, low]), first_through=1)
    paths = wp.sssp(graph, 0)
    assert paths.dist.tolist() == [0, low]
    assert wp.verify(graph, paths).tree
    assert wp.verify(graph, wp.distances(graph, [0])).labels == 2
