"""Areas, in which paths begin or end but which they never pass through, in every solver."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warpath as wp
from support.recipes import on_cpu
from warpath import Graph
from warpath.base.errors import NotSupportedError
from warpath.graph.turns import Turns
from warpath.graph.zones import opened
from warpath.io import formats
from warpath.recipes import Task

FAR = np.iinfo(np.int64).max
N = 7


def brute_force(graph):
    """Return the distances between all vertices, from those inside areas and those outside."""
    n, closed = graph.n, graph.first_through
    edges = list(zip(*(part.tolist() for part in graph.edges()), strict=True))
    inside = closure(n, [(u, v, w) for u, v, w in edges if max(u, v) < closed])
    outside = closure(n, [(u, v, w) for u, v, w in edges if min(u, v) >= closed])
    leaving = [(u, v, w) for u, v, w in edges if u < closed <= v]
    entering = [(u, v, w) for u, v, w in edges if v < closed <= u]
    table = np.full((n, n), np.inf)
    for s, t in itertools.product(range(n), repeat=2):
        begins = [(s, 0)]
        if s < closed:
            begins = [(v, inside[s, u] + w) for u, v, w in leaving]
        ends = [(t, 0)]
        if t < closed:
            ends = [(u, w + inside[v, t]) for u, v, w in entering]
        around = [a + outside[u, v] + b for u, a in begins for v, b in ends]
        table[s, t] = min([inside[s, t], *around])
    return [[FAR if d == np.inf else int(d) for d in row] for row in table]


def closure(n, edges):
    """Return the distances between all vertices over some edges."""
    dist = np.where(np.eye(n, dtype=bool), 0.0, np.inf)
    for u, v, w in edges:
        dist[u, v] = min(dist[u, v], w)
    for k in range(n):
        dist = np.minimum(dist, dist[:, k : k + 1] + dist[k])
    return dist


def of(edges, closed, **options):
    return Graph.of(
        [tuple(edge) for edge in edges], n=N, first_through=closed, areas=True, **options
    )


EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 9)), max_size=30)
graphs = st.builds(of, EDGES, st.integers(1, 6), directed=st.booleans())


def private_street():
    """0 and 1 lie in a private street between the gates 2 and 3; the public way is longer."""
    return Graph.of(
        [(2, 0, 1), (0, 1, 1), (1, 3, 1), (2, 4, 5), (4, 3, 5)],
        first_through=2,
        areas=True,
        directed=False,
    )


def test_an_area_is_start_and_end_but_never_between():
    graph = private_street()
    assert list(wp.path(graph, 2, 3)) == [2, 4, 3]
    assert list(wp.path(graph, 2, 1)) == [2, 0, 1]
    assert list(wp.path(graph, 0, 4)) == [0, 2, 4]
    assert list(wp.path(graph, 0, 1)) == [0, 1]
    assert wp.sssp(graph, 2).dist.tolist() == [1, 2, 0, 10, 5]


def test_a_way_out_of_an_area_and_back_may_be_shorter():
    graph = Graph.of([(0, 1, 9), (0, 2, 1), (2, 1, 1), (1, 3, 1)], first_through=2, areas=True)
    paths = wp.sssp(graph, 0)
    assert paths.dist.tolist() == [0, 2, 1, 10]
    assert [list(paths.path_to(t)) for t in (1, 3)] == [[0, 2, 1], [0, 1, 3]]
    assert paths.pred.tolist() == [-1, 2, 0, 1]


def check_route(graph, route, length):
    """Check that a route exists, has its length and passes no area."""
    assert route.length == length == int(route.weights.sum())
    tails, heads, _ = graph.edges()
    assert (tails[route.edges], heads[route.edges]) == (
        pytest.approx(route.indices[:-1]),
        pytest.approx(route.indices[1:]),
    )
    inside = (route.indices < graph.first_through).tolist()
    public = [at for at, closed in enumerate(inside) if not closed]
    assert not public or not any(inside[public[0] : public[-1]])


@settings(max_examples=15)
@given(graphs, st.integers(0, 6))
def test_every_solver_honours_areas(graph, source):
    expected = brute_force(graph)
    row = expected[source]
    for recipe in on_cpu():
        if recipe.equal_weights and recipe.objection(Task.SSSP, opened(graph).facts()) is not None:
            continue
        if Task.SSSP in recipe.solves:
            paths = wp.sssp(graph, source, algorithm=recipe.name)
            assert paths.dist.tolist() == row
            assert wp.verify(graph, paths).tree
        if Task.MANY in recipe.solves:
            table = wp.distances(graph, [source], algorithm=recipe.name)
            assert table.dist[0].tolist() == row
            wp.verify(graph, table)
        if Task.APSP in recipe.solves:
            assert wp.apsp(graph, algorithm=recipe.name).dist.tolist() == expected
        if recipe.objection(Task.PATH, opened(graph).facts()) is None:
            for target, length in enumerate(row):
                if length == FAR:
                    with pytest.raises(wp.NoPathError):
                        wp.path(graph, source, target, algorithm=recipe.name)
                else:
                    route = wp.path(graph, source, target, algorithm=recipe.name)
                    check_route(graph, route, length)


@given(graphs, st.integers(0, 6))
def test_paths_lead_to_every_vertex(graph, source):
    row = brute_force(graph)[source]
    table, paths = wp.apsp(graph), wp.sssp(graph, source)
    assert table.paths_from(source).pred.tolist() == paths.pred.tolist()
    for target in range(N):
        if row[target] == FAR:
            assert paths.pred[target] == -1
            continue
        for route in (paths.path_to(target), table.path(source, target)):
            check_route(graph, route, row[target])
        part = wp.distances(graph, [source], [target])
        check_route(graph, part.path(source, target), row[target])
        if target != source:
            assert paths.path_to(target).indices[-2] == paths.pred[target]


@given(graphs, st.integers(0, 6), st.integers(0, 12))
def test_cutoffs_keep_what_is_near(graph, source, cutoff):
    row = [d if d <= cutoff else FAR for d in brute_force(graph)[source]]
    paths = wp.sssp(graph, source, cutoff=cutoff)
    assert paths.dist.tolist() == row
    assert wp.verify(graph, paths).tree
    assert wp.distances(graph, [source], cutoff=cutoff).dist[0].tolist() == row
    near = wp.within(graph, source, cutoff)
    assert sorted(near.indices.tolist()) == [v for v, d in enumerate(row) if d != FAR]
    for reverse in (False, True):
        near = wp.within(graph, source, cutoff, reverse=reverse)
        assert parts_of(near) == reached_parts(near.searched, source, cutoff)


def parts_of(near):
    """Return how far the parts of each edge reach."""
    edge, _, start, end = near.parts()
    assert (start == 0).all()
    return dict(zip(edge.tolist(), end.tolist(), strict=True))


def reached_parts(graph, source, cutoff):
    """Return how far each edge is reached, from the distances at which it may be begun."""
    closed, dist = graph.first_through, brute_force(graph)[source]
    edges = list(zip(*(part.tolist() for part in graph.edges()), strict=True))
    inside = closure(graph.n, [(u, v, w) for u, v, w in edges if max(u, v) < closed])[source]
    reached = {}
    for edge, (u, v, w) in enumerate(edges):
        begin = inside[u] if u < closed <= v else dist[u]
        if (w == 0 and begin <= cutoff) or begin < cutoff:
            reached[edge] = 1.0 if w == 0 else min(1.0, (cutoff - begin) / w)
    return reached


@given(graphs, st.sets(st.integers(0, 6), min_size=1, max_size=3))
def test_tables_trips_and_facilities_agree(graph, chosen):
    expected, chosen = np.array(brute_force(graph)), sorted(chosen)
    everyone = np.arange(N)
    assert wp.apsp(graph.reversed()).dist.tolist() == expected.T.tolist()
    trips = wp.pairs(graph, np.repeat(everyone, N), np.tile(everyone, N))
    assert trips.dist.tolist() == expected.ravel().tolist()
    sums = wp.totals(graph, "sum", sources=chosen)["sum"]
    known = np.where(expected == FAR, 0, expected)
    assert sums.tolist() == known[chosen].sum(axis=1).tolist()
    for reverse, rows in ((False, expected[chosen]), (True, expected.T[chosen])):
        near = wp.nearest(graph, chosen, reverse=reverse)
        assert near.dist.tolist() == rows.min(axis=0).tolist()
        for v, owner in enumerate(near.facility_indices.tolist()):
            if owner >= 0:
                assert rows[chosen.index(owner), v] == near.dist[v]
            else:
                assert near.dist[v] == FAR


@settings(max_examples=5)
@given(graphs)
def test_the_emulator_honours_areas(graph):
    expected = brute_force(graph)
    assert wp.apsp(graph, device="emulated").dist.tolist() == expected
    for source in range(N):
        paths = wp.sssp(graph, source, device="emulated")
        assert paths.dist.tolist() == expected[source]
        assert wp.verify(graph, paths).tree
    near = wp.nearest(graph, [0, 6], device="emulated")
    assert near.dist.tolist() == list(map(min, expected[0], expected[6]))


@settings(max_examples=25)
@given(graphs, st.data())
def test_prepared_graphs_agree(graph, data):
    solver = wp.prepare(graph)
    everyone = np.arange(N)
    changed = graph._solver_weights.copy()
    edges = data.draw(st.sets(st.integers(0, graph.m - 1), max_size=2)) if graph.m else ()
    changed[list(edges)] = 3
    city = solver.with_changes(list(edges), [3] * len(edges))
    other = solver.with_weights(changed)
    plain = graph._like(graph.indptr, graph.indices, changed)
    for one, same in ((solver, graph), (city, plain), (other, plain)):
        expected = brute_force(same)
        assert one.apsp().dist.tolist() == expected
        trips = one.pairs(np.repeat(everyone, N), np.tile(everyone, N))
        assert trips.dist.tolist() == np.ravel(expected).tolist()
        for source in range(N):
            assert one.sssp(source).dist.tolist() == expected[source]
            for target, length in enumerate(expected[source]):
                if length != FAR:
                    check_route(same, one.path(source, target), length)
        assert (
            one.nearest([0, 6]).dist.tolist() == np.min([expected[0], expected[6]], axis=0).tolist()
        )


def turned_labels(graph, forbidden, source):
    """Return the distance of each vertex, by relaxing the last two edges of paths."""
    tails, heads, weights = (part.tolist() for part in graph.edges())
    closed = graph.first_through
    label = {((e,), tails[e] < closed): weights[e] for e in range(graph.m) if tails[e] == source}
    waiting = list(label)
    while waiting:
        path, begun = state = waiting.pop()
        e = path[-1]
        begins = begun and heads[e] < closed  # the path has not left its area
        for f, cost in following(graph, forbidden, path):
            if begins or heads[e] >= closed or heads[f] < closed:
                length = label[state] + cost + weights[f]
                if length < label.get(((e, f), begins), FAR):
                    label[(e, f), begins] = length
                    waiting.append(((e, f), begins))
    row = [FAR] * graph.n
    for (path, _), length in label.items():
        row[heads[path[-1]]] = min(row[heads[path[-1]]], length)
    row[source] = 0
    return row


def following(graph, forbidden, path):
    """Yield the edges that may follow the last edges of a path, with what the turn adds."""
    turns, e = graph.turns, path[-1]
    head = graph.indices[e]
    row = range(graph.indptr[head], graph.indptr[head + 1])
    for f in row:
        turned = turns.back[e] == f
        possible = turns.u_turn is not None or len(row) == 1 or not turned
        if possible and not {(e, f), (*path, f)} & forbidden:
            yield f, (turns.u_turn or 0) * turned


@settings(max_examples=40)
@given(EDGES, st.integers(1, 6), st.sampled_from([None, 0, 2]), st.data())
def test_turns_and_areas_hold_together(edges, closed, u_turn, data):
    graph = of(edges, closed)
    back = np.full(graph.m, -1)
    tails, heads = (part.tolist() for part in graph.edges()[:2])
    for e, f in itertools.combinations(range(graph.m), 2):
        if (tails[e], heads[e]) == (heads[f], tails[f]) and max(back[e], back[f]) < 0:
            back[[e, f]] = f, e
    pairs = [(e, f) for e in range(graph.m) for f in range(graph.m) if heads[e] == tails[f]]
    banned = data.draw(st.lists(st.sampled_from(pairs), max_size=6)) if pairs else []
    rows = [(e, f, -1) for e, f in banned]
    if banned:
        longer = [(e, f, h) for e, f in pairs for g, h in pairs if g == f]
        rows += data.draw(st.lists(st.sampled_from(longer), max_size=3)) if longer else []
    turns = Turns(np.array(rows), back, u_turn=u_turn)
    graph = Graph(
        graph.indptr, graph.indices, graph.weights, first_through=closed, areas=True, turns=turns
    )
    forbidden = {tuple(e for e in row if e >= 0) for row in rows}
    expected = [turned_labels(graph, forbidden, s) for s in range(N)]
    assert wp.apsp(graph).dist.tolist() == expected
    assert wp.apsp(graph.reversed()).dist.T.tolist() == expected
    for s, t in itertools.product(range(N), repeat=2):
        if expected[s][t] != FAR:
            route = wp.path(graph, s, t)
            assert route.length == expected[s][t]
            assert [tails[e] for e in route.edges] == route.indices[:-1].tolist()
            assert [heads[e] for e in route.edges] == route.indices[1:].tolist()


def test_turns_do_not_pass_closed_vertices_either():
    rows = Graph.of([(1, 0, 1), (0, 2, 1), (1, 2, 9)])
    turns = Turns([], [-1, -1, -1])
    graph = Graph(rows.indptr, rows.indices, rows.weights, first_through=1, turns=turns)
    assert wp.apsp(graph).dist.tolist() == [[0, FAR, 1], [1, 0, 9], [FAR, FAR, 0]]


def test_areas_stay_with_the_graph(tmp_path):
    graph = private_street()
    formats.write(graph, tmp_path / "a.npz")
    wp.prepare(graph).save(tmp_path / "a.wph")
    same = [
        formats.read(tmp_path / "a.npz"),
        wp.read(tmp_path / "a.wph"),
        pickle.loads(pickle.dumps(graph)),  # noqa: S301 - our own
        graph.reversed(),
        graph.with_weights(graph.weights),
        graph.subgraph([0, 1, 2, 3, 4]),
    ]
    for copy in same:
        assert copy.areas
        assert list(wp.path(copy, 2, 3)) == [2, 4, 3]
        assert repr(copy).endswith("2 vertices never passed through, in areas>")
    assert not graph.subgraph([2, 3, 4]).areas
    closed = Graph(graph.indptr, graph.indices, graph.weights, first_through=graph.first_through)
    with pytest.raises(wp.InputError, match="only one of the two has areas"):
        wp.load(tmp_path / "a.wph", graph=closed)


def test_calls_that_do_not_honour_areas_are_refused_by_name():
    graph = private_street()
    for name, call in {
        "DynamicPaths": lambda: wp.DynamicPaths(graph, 0),
        "predecessors=True": lambda: wp.distances(graph, [0], predecessors=True),
    }.items():
        with pytest.raises(NotSupportedError, match=f"^{name} does not honour areas"):
            call()
    with pytest.raises(NotSupportedError, match="cannot have negative weights"):
        wp.sssp(graph.with_weights(-graph.weights), 0)
