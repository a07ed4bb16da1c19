"""Vertices that are never passed through, in every solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath import Graph
from warpath.recipes import Task
from warpath.testing.recipes import on_cpu
from warpath.zones import opened

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
        if Task.PATH in recipe.solves:
            for target in range(graph.n):
                if expected[target] == NEVER:
                    with pytest.raises(wp.NoPathError):
                        wp.path(graph, source, target, algorithm=recipe.name)
                else:
                    route = wp.path(graph, source, target, algorithm=recipe.name)
                    assert route.length == expected[target] == int(route.legs.sum())
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
    with pytest.raises(wp.VerificationError, match="smallest tight predecessor; vertex 1"):
        wp.verify(graph, wp.Paths(graph, 2, paths.dist, tree=lambda: tree))


def test_the_opened_graph_is_made_once_and_only_where_needed():
    graph = through_a_zone()
    assert opened(graph) is opened(graph)
    plain = Graph.of([(0, 1)])
    assert opened(plain) is plain
