"""Random graphs with turns, beside a search over the last edges of paths in plain Python."""

from __future__ import annotations

import io
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpath as wp
from support.turned import FAR, check_route, following, labels_from, turned
from warpath.base.errors import GraphError, NoPathError, NotEnoughMemoryError
from warpath.graph.search_vertices import Expanded, arrivals, originals
from warpath.graph.turns import Turns, edges_of_states, expanded, last_edges
from warpath.io import npz


@given(turned())
def test_tables_pairs_and_routes_are_those_of_plain_python(graph):
    expected = [labels_from(graph, s) for s in range(graph.n)]
    assert wp.apsp(graph).dist.tolist() == expected
    everyone = np.arange(graph.n)
    trips = wp.pairs(graph, np.repeat(everyone, graph.n), np.tile(everyone, graph.n))
    assert trips.dist.tolist() == np.ravel(expected).tolist()
    for s, t in zip(trips.origins.tolist(), trips.destinations.tolist(), strict=True):
        if expected[s][t] == FAR:
            with pytest.raises(NoPathError):
                wp.path(graph, s, t)
            continue
        route = wp.path(graph, s, t)
        check_route(graph, route, s, t)
        assert route.length == expected[s][t]


@given(turned())
def test_the_reverse_has_the_same_distances_the_other_way(graph):
    dist, back = wp.apsp(graph).dist, graph.reversed()
    assert wp.apsp(back).dist.tolist() == dist.T.tolist()
    assert wp.apsp(back.reversed()).dist.tolist() == dist.tolist()
    file = io.BytesIO()
    npz.write(back, file)
    assert wp.apsp(graph_in(file)).dist.tolist() == dist.T.tolist()


def graph_in(file):
    """Return the graph of an .npz file in memory."""
    with np.load(io.BytesIO(file.getvalue())) as parts:
        return npz.graph_of(None, dict(parts), None)


@given(turned(), st.sets(st.integers(0, 4), min_size=1), st.data())
def test_a_part_of_the_reverse_is_the_reverse_of_the_part(graph, vertices, data):
    """Dead ends and choices of ways are those of the part."""
    back, vertices = graph.reversed(), sorted(vertices)
    part = graph.subgraph(vertices)
    expected = [labels_from(part, s) for s in range(part.n)]
    assert wp.apsp(part).dist.tolist() == expected
    assert wp.apsp(back.subgraph(vertices)).dist.T.tolist() == expected
    gone = data.draw(st.integers(0, graph.m - 1))
    closed = np.arange(graph.m) == gone
    fewer = graph.with_weights(np.where(closed, np.inf, graph.weights))
    order = wp.Graph(graph.indptr, graph.indices, np.arange(graph.m)).reversed().weights
    other_way = back.with_weights(np.where(order == gone, np.inf, back.weights))
    assert wp.apsp(other_way).dist.T.tolist() == wp.apsp(fewer).dist.tolist()


def test_dead_ends_are_those_of_travellers():
    # From 0 to 3 one turns back at 2, which only a one-way street from 4 leads to as well.
    back = [-1, 3, -1, 1, -1]
    rows = wp.Graph.from_edges([0, 1, 1, 2, 4], [1, 2, 3, 1, 2], [1, 1, 1, 1, 1])
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=Turns([[0, 2]], back))
    assert wp.distances(graph, [0], [3]).dist == wp.distances(graph.reversed(), [3], [0]).dist == 4


@given(turned(), st.sets(st.integers(0, 4), min_size=1))
def test_a_subgraph_keeps_its_turns(graph, vertices):
    part = graph.subgraph(sorted(vertices))
    tails, heads, _ = part.edges()
    kept = 0
    for row in graph.turns.banned.tolist():
        edges = [e for e in row if e >= 0]
        kept += {graph.edges()[0][edges[0]], *(heads_of(graph)[e] for e in edges)} <= vertices
    assert len(part.turns.banned) == kept
    for row in part.turns.banned.tolist():
        for e, f in itertools.pairwise(e for e in row if e >= 0):
            assert heads[e] == tails[f]


def heads_of(graph):
    return graph.indices.tolist()


def test_a_graph_without_turns_is_its_own_expanded_graph():
    graph = wp.Graph.of([(0, 1, 2)])
    assert expanded(graph) is graph


def test_turns_belong_to_the_edges():
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 2)])
    for banned, back in (([[0, 2]], [-1, -1]), ([], [-1]), ([[0, -2]], [-1, -1])):
        with pytest.raises(GraphError, match="turns do not belong to the m = 2 edges"):
            wp.Graph(graph.indptr, graph.indices, turns=Turns(banned, back))


def test_turns_at_a_hub_are_refused_before_they_fill_the_memory(monkeypatch):
    spokes = np.arange(1, 301)
    hub = np.zeros_like(spokes)
    ends = np.concatenate([hub, spokes]), np.concatenate([spokes, hub])
    graph = wp.Graph.of((*ends, np.ones(600, int)))
    graph.turns = Turns(np.empty((0, 2), int), np.full(600, -1))
    monkeypatch.setenv("WARPATH_MEMORY", "1000000")
    with pytest.raises(NotEnoughMemoryError, match="read the graph without turns"):
        wp.distances(graph, [1], [2])


def expected_nearest(rows, facilities, cutoff):
    """Return the least distance to each vertex, and the smallest facility at this distance."""
    dist = np.min([rows[f] for f in facilities], axis=0)
    dist[dist > cutoff] = FAR
    owner = [
        min((f for f in facilities if rows[f][v] == d), default=-1) if d < FAR else -1
        for v, d in enumerate(dist.tolist())
    ]
    return dist.tolist(), owner


@settings(max_examples=40)
@given(turned(), st.integers(0, 4), st.sampled_from([3, 12, 99]), st.booleans())
def test_one_source_is_that_of_plain_python(graph, source, cutoff, prepared):
    expected = np.array(labels_from(graph, source))
    solver = wp.Solver(graph, prepared=prepared)
    paths = solver.sssp(source)
    assert paths.dist.tolist() == expected.tolist()
    assert paths.stats["reached"] == np.count_nonzero(expected != FAR)
    for t in np.flatnonzero(paths.reached).tolist():
        route = paths.path_to(t)
        check_route(graph, route, source, t)
        assert route.length == expected[t]
        before = route.indices[-2] if len(route.edges) else -1
        assert (paths.pred[t] >= 0) == (before >= 0)
    within = np.where(expected > cutoff, FAR, expected)
    assert solver.sssp(source, cutoff=cutoff).dist.tolist() == within.tolist()
    near = solver.within(source, cutoff)
    assert sorted(near.indices.tolist()) == np.flatnonzero(within != FAR).tolist()
    assert near.dist.tolist() == sorted(within[within != FAR].tolist())
    back = [labels_from(graph, s)[source] for s in range(graph.n)]
    to = solver.within(source, cutoff, reverse=True)
    assert to.dist.tolist() == sorted(d for d in back if d <= cutoff)


@settings(max_examples=40)
@given(turned(), st.lists(st.integers(0, 4), min_size=1, max_size=3), st.sampled_from([4, 99]))
def test_nearest_facilities_are_those_of_plain_python(graph, facilities, cutoff):
    rows = [labels_from(graph, s) for s in range(graph.n)]
    columns = np.transpose(rows).tolist()
    for solver in (wp.Solver(graph), wp.prepare(graph)):
        for reverse, table in ((False, rows), (True, columns)):
            near = solver.nearest(facilities, cutoff=cutoff, reverse=reverse)
            dist, owner = expected_nearest(table, facilities, cutoff)
            assert near.dist.tolist() == dist
            assert near.facility_indices.tolist() == owner
        around = solver.within(facilities, cutoff)
        for v, d in zip(around.indices.tolist(), around.dist.tolist(), strict=True):
            assert around.path_to(v).length == d == expected_nearest(rows, facilities, cutoff)[0][v]


@settings(max_examples=40)
@given(turned(), st.lists(st.integers(0, 4), min_size=1, max_size=3))
def test_totals_and_prepared_answers_are_those_of_plain_python(graph, targets):
    rows = np.array([labels_from(graph, s) for s in range(graph.n)])
    picked = np.where(rows == FAR, 0, rows)[:, targets]
    city = wp.prepare(graph)
    for solver in (wp.Solver(graph), city):
        sums = solver.totals(["sum", "max", "count"], targets=targets)
        assert sums["sum"].tolist() == picked.sum(axis=1).tolist()
        assert sums["max"].tolist() == picked.max(axis=1).tolist()
        assert sums["count"].tolist() == (rows[:, targets] != FAR).sum(axis=1).tolist()
        assert solver.eccentricity().tolist() == rows.max(axis=1).tolist()
    heavier = graph.weights * 2 + 1
    for other, again in (
        (city.with_weights(heavier), graph.with_weights(heavier)),
        (city.with_changes([0], [7]), graph.with_weights([7, *graph.weights[1:].tolist()])),
    ):
        expected = [labels_from(again, s) for s in range(graph.n)]
        assert other.apsp().dist.tolist() == expected
        everyone = np.arange(graph.n)
        trips = other.pairs(everyone, everyone[::-1])
        assert trips.dist.tolist() == np.diag(np.fliplr(expected)).tolist()


@given(turned(), st.integers(0, 4), st.integers(0, 20))
def test_parts_of_edges_within_a_cutoff_begin_after_the_turns(graph, source, cutoff):
    tails, _, weights = graph.edges()
    last = graph.turns.banned.shape[1] - 1
    begins = {e: 0 for e in range(graph.m) if tails[e] == source}
    label = {(e,): int(weights[e]) for e in begins}
    waiting = list(label)
    while waiting:
        path = waiting.pop()
        for f, cost in following(graph, path):
            begins[f] = min(begins.get(f, FAR), label[path] + cost)
            after, dist = (*path, f)[-last:], int(label[path] + cost + weights[f])
            if dist < label.get(after, FAR):
                label[after] = dist
                waiting.append(after)
    edges, _, start, end = wp.within(graph, source, cutoff).parts()
    found = dict(zip(edges.tolist(), zip(start.tolist(), end.tolist(), strict=True), strict=True))
    for e in range(graph.m):
        w, begin = int(weights[e]), begins.get(e, FAR)
        if begin < cutoff or (w == 0 and begin <= cutoff):
            assert found.pop(e) == (0.0, 1.0 if w == 0 else min(1.0, (cutoff - begin) / w))
    assert not found


def test_a_prepared_graph_with_turns_is_saved_and_pickled(tmp_path):
    rows = wp.Graph.from_edges([0, 1, 1, 2], [1, 2, 3, 1], [1, 1, 1, 1])
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=Turns([[0, 2]], [-1, 3, -1, 1]))
    city = wp.prepare(graph)
    city.save(tmp_path / "city.wph")
    for again in (wp.load(tmp_path / "city.wph"), pickle.loads(pickle.dumps(city))):  # noqa: S301
        assert again.graph.turns is not None
        assert again.sssp(0).dist.tolist() == city.sssp(0).dist.tolist() == [0, 1, 2, 4]
        assert again.pairs([0], [3]).dist.tolist() == [4]


@given(turned())
def test_the_parts_of_an_expanded_graph_have_all_of_its_vertices(graph):
    parts, states = Expanded.of(graph), np.arange(len(edges_of_states(graph)))
    own = parts.vertices(states)
    everyone = np.arange(graph.n)
    ends = arrivals(graph, everyone)
    whole = np.sort(np.concatenate([everyone, own, ends]))
    assert whole.tolist() == list(range(expanded(graph).n))
    assert np.flatnonzero(parts.have_state(whole)).tolist() == sorted(own.tolist())
    assert parts.states(own).tolist() == states.tolist()
    assert last_edges(graph, own).tolist() == edges_of_states(graph).tolist()
    assert originals(graph, ends).tolist() == everyone.tolist()
