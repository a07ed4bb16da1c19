"""Tables of distances: predecessors, routes and traces, for every loop and every kind of graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import corpus, strategies
from support.recipes import on_cpu
from warpath import Graph
from warpath.engines import cpu
from warpath.io import streams
from warpath.planner.plan import CATALOGUE
from warpath.recipes import Task
from warpath.results import predecessors

CASES = [  # from every vertex of these the distances are defined, and fit
    case.astype(dtype)
    for case in corpus.all()
    for dtype in case.dtypes
    if not case.overflows
    and not case.has_cycle
    and case.name not in {"negative_cycle_elsewhere", "overflow_avoided"}
    and 0 < case.graph().n <= 600
]
NEVER = np.iinfo(np.int64).max


@pytest.fixture(params=CASES, ids=str)
def graph(request):
    return request.param.graph()


def some(graph: Graph) -> list[int]:
    """A few vertices, not in order, one of them twice."""
    return [graph.n - 1, 0, graph.n // 2, graph.n // 3, graph.n // 2]


def named(graph: Graph, indices) -> list:
    return graph.label_of(np.asarray(indices)).tolist()


def test_predecessors_are_those_of_the_tree(graph):
    sources = some(graph)
    trees = [wp.sssp(graph, named(graph, s)) for s in sources]
    whole = wp.distances(graph, named(graph, sources), predecessors=True)
    picked = wp.distances(graph, named(graph, sources), named(graph, sources), predecessors=True)
    assert whole.pred.dtype == graph.indices.dtype
    for row, paths in enumerate(trees):
        if whole._exact:
            assert np.array_equal(whole.dist[row], paths.dist)
        assert np.array_equal(whole.pred[row], paths.pred)
        assert np.array_equal(picked.pred[row], paths.pred[sources])
        assert np.array_equal(picked.dist[row], whole.dist[row][sources])


def test_routes_and_trees_come_back_from_distances_alone(graph):
    names = named(graph, range(graph.n))
    tables = [wp.apsp(graph), wp.distances(graph, names, names[:1] + names[-2:])]
    for s in {0, graph.n // 2, graph.n - 1}:
        paths = wp.sssp(graph, names[s])
        for table in tables:
            again = table.paths_from(names[s])
            assert np.array_equal(again.dist, paths.dist)
            assert np.array_equal(again.pred, paths.pred)
            for t in {*table.target_indices[:3].tolist(), *table.target_indices[-3:].tolist()}:
                if not paths.reached[t]:
                    with pytest.raises(wp.NoPathError):
                        table.path(names[s], names[t])
                    continue
                route = table.path(names[s], names[t])
                assert np.array_equal(route.indices, paths.path_to(names[t]).indices)
                if table._exact:
                    assert route.length == paths.dist[t]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (recipe.name, dtype)
        for recipe in on_cpu()
        for dtype in ("int32", "float32", "float64")
        if Task.APSP in recipe.solves and not (recipe.integer_only and dtype != "int32")
    ],
)
def test_every_algorithm_of_all_pairs_can_be_asked_for_predecessors(name, dtype):
    rng = np.random.default_rng(3)
    edges = (rng.integers(0, 30, 200), rng.integers(0, 30, 200))
    weights = rng.integers(0, 9, 200) if dtype == "int32" else rng.random(200)
    for closed in (0, 4):
        graph = Graph.of((*edges, weights.astype(dtype)), n=30, first_through=closed)
        table = wp.apsp(graph, algorithm=name, predecessors=True)
        narrow = wp.apsp(graph, algorithm=name, predecessors=True, dist_dtype=table.dist.dtype)
        for s in range(graph.n):
            paths = wp.sssp(graph, s)
            assert np.array_equal(table.pred[s], paths.pred)
            assert np.array_equal(narrow.pred[s], paths.pred)
        if dtype == "int32":
            small = wp.apsp(graph, algorithm=name, predecessors=True, dist_dtype="int32")
            assert np.array_equal(small.pred, table.pred)
            assert small.path(7, 9).indices.tolist() == table.path(7, 9).indices.tolist()


def test_a_cutoff_ends_the_rows_and_their_trees():
    graph = Graph.of([(0, 1, 3), (1, 2, 3), (2, 3, 3), (0, 3, 8)])
    for targets in (None, [1, 2, 3]):
        table = wp.distances(graph, [0, 1], targets, cutoff=6, predecessors=True)
        assert table.dist[0, -2:].tolist() == [6, NEVER]
        assert table.pred[0, -2:].tolist() == [1, -1]
        assert list(table.path(0, 2)) == [0, 1, 2]
        assert table.paths_from(0).dist.tolist() == [0, 3, 6, NEVER]
        with pytest.raises(wp.NoPathError, match="within 6"):
            table.path(0, 3)


def test_a_cutoff_holds_where_a_search_must_find_the_route():
    graph = Graph.of([(0, 1, -1), (1, 2, 3), (2, 3, 3)])
    table = wp.distances(graph, [0], [1, 2, 3], cutoff=2)
    assert table.paths_from(0).dist.tolist() == [0, -1, 2, NEVER]
    given = wp.distances(graph, [0], cutoff=2, out=lambda *_: None)
    assert list(given.path(0, 2)) == [0, 1, 2]
    with pytest.raises(wp.NoPathError, match="within 2"):
        given.path(0, 3)


@pytest.mark.parametrize("name", ["classic.floyd_warshall", "classic.johnson"])
def test_floats_added_in_another_order_are_asked_by_a_search(name):
    rng = np.random.default_rng(4)
    weights = rng.random(300).astype(np.float32) * 10.0 ** rng.integers(-6, 6, 300)
    graph = Graph.of((*rng.integers(0, 40, (2, 300)), weights.astype(np.float32)), n=40)
    table = wp.apsp(graph, algorithm=name)
    for s in range(40):
        paths = wp.sssp(graph, s)
        assert np.array_equal(table.paths_from(s).dist, paths.dist)
        for t in np.flatnonzero(paths.reached).tolist():
            assert list(table.path(s, t)) == list(paths.path_to(t))


def test_where_nothing_is_asked_no_predecessors_are_kept():
    assert wp.apsp([(0, 1, 2)]).pred is None
    assert wp.distances([(0, 1, 2)], [0]).trace is None


def test_a_row_or_column_that_was_not_asked_for_is_named():
    table = wp.distances([("a", "b", 2), ("b", "c", 5)], ["a"], ["c"])
    assert list(table.path("a", "c")) == ["a", "b", "c"]
    with pytest.raises(wp.VertexError, match="no row for 'b': it must be among the 1 sources"):
        table.path("b", "c")
    with pytest.raises(wp.VertexError, match="no column for 'b': it must be among the 1 targets"):
        table.path("a", "b")
    with pytest.raises(wp.VertexError, match="'z'"):
        table.paths_from("z")


def test_a_route_walks_only_where_the_row_is_whole_and_exact(monkeypatch):
    """The distances are enough: no search, no tree, where all columns are there."""
    graph = Graph.of([(0, 1, 3), (1, 2, 3), (2, 3, 3), (0, 3, 10)])
    full, part = wp.apsp(graph), wp.distances(graph, [0], [3])
    stored = wp.apsp(graph, predecessors=True)

    def refused(*_, **__):
        raise AssertionError

    monkeypatch.setattr(predecessors, "tree", refused)
    with monkeypatch.context() as inside:
        inside.setattr(predecessors._core, "path", refused)
        assert list(full.path(0, 3)) == [0, 1, 2, 3]
        stored.dist[0] = [0, 1, 1, 9]  # no edge is tight any more
        assert list(stored.path(0, 3)) == [0, 1, 2, 3]
        with pytest.raises(AssertionError):
            part.path(0, 3)
    assert list(part.path(0, 3)) == [0, 1, 2, 3]


def test_a_recipe_that_keeps_predecessors_fills_them_itself(monkeypatch):
    """Any predecessor on a shortest path may come from the loop; here the largest."""
    graph = Graph.of([(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1)], first_through=1)
    recipe = replace(CATALOGUE["classic.floyd_warshall"], predecessors=True)
    solve = cpu.run

    def filling(order, _):
        raw = solve(order)
        order.pred[:] = -1
        order.pred[0, 1:4] = [0, 0, 2]
        return raw

    monkeypatch.setattr(cpu, "run", filling)
    chosen = replace(wp.plan(graph, algorithm="classic.floyd_warshall"), recipe=recipe)
    monkeypatch.setattr("warpath.api.options.Options.plan", lambda *_, **__: chosen)
    table = wp.apsp(graph, predecessors=True)
    assert table.pred[0].tolist() == [-1, 0, 0, 2]
    assert list(table.path(0, 3)) == [0, 2, 3]

    def picking(order, _):
        raw = solve(order)
        order.pred[:] = 3  # of the round trip of 0, too
        return raw

    monkeypatch.setattr(cpu, "run", picking)
    recipe = replace(CATALOGUE["classic.dijkstra"], predecessors=True)
    chosen = replace(wp.plan(graph, sources=[0], algorithm="classic.dijkstra"), recipe=recipe)
    monkeypatch.setattr("warpath.api.options.Options.plan", lambda *_, **__: chosen)
    assert wp.distances(graph, [0], [0, 1], predecessors=True).pred.tolist() == [[-1, 3]]


def test_predecessors_that_do_not_fit_say_the_numbers(monkeypatch):
    graph = Graph.of([(0, 1, 1)], n=100)
    monkeypatch.setenv("WARPATH_MEMORY", "110K")
    wp.apsp(graph)
    with pytest.raises(wp.NotEnoughMemoryError, match=r"predecessors would take 39\.1 KiB next to"):
        wp.apsp(graph, predecessors=True)


def test_tables_are_traced_with_totals_over_all_rows(tmp_path, monkeypatch):
    graph = Graph.of([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    table = wp.apsp(graph, algorithm="classic.dijkstra", trace=True, threads=1)
    totals = table.trace.totals()
    assert (totals.selected, totals.relaxed, totals.work_ratio) == (9, 9, 1.0)
    assert table.stats["selected"] == 9
    assert table.trace.run.source == "all"
    table.trace.save(tmp_path / "run.jsonl")
    assert wp.Trace.load(tmp_path / "run.jsonl").run == table.trace.run
    monkeypatch.setattr(streams, "BLOCK_BYTES", 8)
    ring = Graph.of([(v, (v + 1) % 9, 1) for v in range(9)])
    options = {"algorithm": "classic.dijkstra", "threads": 1, "trace": True}
    by_rows = wp.apsp(ring, **options, out=tmp_path / "full.npy")
    assert [one.number for one in by_rows.trace] == [0, 1, 2]  # of four rows, four and one
    assert by_rows.trace.totals().work_ratio == 1.0
    some_columns = wp.distances(graph, [0, 1], [2], trace=True).trace
    assert some_columns.run.source == "2 sources"
    assert some_columns.totals().work_ratio is None  # how far Dijkstra goes is not known
    assert some_columns.totals().mteps is None


@given(strategies.graphs(np.int64, negative=True), st.data())
def test_tables_with_negative_weights_lead_back_too(graph, data):
    s, t = data.draw(st.integers(0, graph.n - 1)), data.draw(st.integers(0, graph.n - 1))
    try:
        table = wp.distances(graph, [s], predecessors=True)
    except wp.NegativeCycleError:
        return
    paths = wp.sssp(graph, s)
    assert np.array_equal(table.pred[0], paths.pred)
    if paths.reached[t]:
        assert list(table.path(s, t)) == list(paths.path_to(t))
        for bare in (wp.distances(graph, [s]), wp.distances(graph, [s], [t])):
            assert list(bare.path(s, t)) == list(paths.path_to(t))


def test_under_negative_weights_a_route_is_that_of_the_fewest_edges():
    graph = Graph.of([(0, 2, 1), (2, 4, 2), (0, 3, 1), (3, 1, 1), (1, 4, 1), (0, 5, -1)])
    assert list(wp.distances(graph, [0]).path(0, 4)) == [0, 2, 4]
    assert list(wp.sssp(graph, 0).path_to(4)) == [0, 2, 4]


def test_a_negative_cycle_comes_back_as_its_vertices():
    graph = Graph.of([("a", "b", 1), ("b", "c", -3), ("c", "a", 1), ("x", "a", 1)])
    for call in (
        lambda: wp.apsp(graph, predecessors=True),
        lambda: wp.distances(graph, ["x"], predecessors=True),
    ):
        with pytest.raises(wp.NegativeCycleError) as caught:
            call()
        assert sorted(caught.value.cycle) == ["a", "b", "c"]


def test_long_tables_of_pandas_have_predecessors():
    pytest.importorskip("pandas")
    table = wp.distances([("a", "b", 2), ("b", "c", 5)], ["a"], predecessors=True)
    frame = table.to_pandas(long=True)
    assert frame["pred"].isna().tolist() == [True, False, False]
    assert frame["pred"].tolist()[1:] == ["a", "b"]


def test_a_search_that_does_not_fit_is_not_told_to_write_what_it_writes_out(monkeypatch):
    graph = wp.generate.grid(30, 30)
    monkeypatch.setenv("WARPATH_MEMORY", "10K")
    with pytest.raises(wp.NotEnoughMemoryError, match=r"10\.0 KiB are free: .*threads=1") as caught:
        wp.apsp(graph, out=lambda *_: None, algorithm="warpath.side_by_side")
    assert "out=" not in str(caught.value)


@pytest.mark.parametrize("name", ["auto", "classic.floyd_warshall", "classic.dijkstra"])
def test_a_distance_beyond_32_bits_names_the_type_as_the_way_out(name):
    graph = Graph.of([(0, 1, 2**30), (1, 2, 2**30), (2, 3, 5)])
    for call in (
        lambda: wp.apsp(graph, dist_dtype="int32", algorithm=name),
        lambda: wp.distances(graph, [0], [3], dist_dtype="int32"),
    ):
        with pytest.raises(wp.DistanceOverflowError, match="leave dist_dtype out") as caught:
            call()
        assert "float64" not in str(caught.value)


def test_a_table_that_a_function_took_says_what_it_lacks_for_what():
    table = wp.apsp([(0, 1, 2)], out=lambda *_: None)
    for call, named in ((table.to_pandas, "to_pandas"), (lambda: table.save("x.npz"), "save")):
        with pytest.raises(wp.InputError, match=f"^{named} needs the distances"):
            call()


@pytest.mark.parametrize("pred", [[-1, 2, 1], [-1, -1, 1]])
def test_predecessors_that_lead_nowhere_are_an_error_not_an_endless_walk(pred):
    with pytest.raises(wp.InputError, match="no route leads from 0 to 2"):
        predecessors.followed(np.array(pred), 0, 2)


@pytest.mark.parametrize("predecessors", [False, True])
def test_a_path_within_the_cutoff_may_lead_through_vertices_beyond_it(predecessors):
    graph = Graph.of([(0, 1, 9), (1, 2, -8), (2, 3, 7)])
    table = wp.distances(graph, [0], cutoff=2, predecessors=predecessors)
    assert list(table.path(0, 2)) == [0, 1, 2]
    if predecessors:
        assert table.pred.tolist() == [[-1, -1, 1, -1]]


OVER = [(0, 1, 5), (1, 2, 2**40), (2, 3, 2**62), (3, 4, 2**62), (4, 5, 2**62)]
UNDER = [*OVER, (5, 6, -(2**62)), (6, 7, -(2**62))]
BELOW = [(0, 1, -5), *OVER[1:]]
ABLE = [recipe for recipe in on_cpu(Task.MANY) if recipe.max_weight is None]
per_solver = pytest.mark.parametrize(
    ("name", "edges"),
    [("auto", OVER), ("auto", BELOW)]
    + [(recipe.name, OVER) for recipe in ABLE]
    + [(recipe.name, BELOW) for recipe in ABLE if recipe.negative],
)


@per_solver
@pytest.mark.parametrize("predecessors", [False, True])
def test_distances_that_are_not_asked_for_need_not_fit_int32(name, edges, predecessors):
    graph = Graph.of(edges[:2])
    asked = {"algorithm": name, "dist_dtype": "int32", "predecessors": predecessors}
    expected = [[0, edges[0][2]]]
    picked = wp.distances(graph, sources=[0], targets=[0, 1], **asked)
    assert picked.dist.tolist() == expected
    cut = wp.distances(graph, sources=[0], cutoff=7, **asked)
    assert cut.dist.tolist() == [[*expected[0], 2**31 - 1]]
    if predecessors:
        assert picked.pred.tolist() == [[-1, 0]]
        assert cut.pred.tolist() == [[-1, 0, -1]]
    with pytest.raises(wp.DistanceOverflowError, match="does not fit int32: leave dist_dtype out"):
        wp.distances(graph, sources=[0], targets=[2], **asked)
    with pytest.raises(wp.DistanceOverflowError, match="int32"):
        wp.distances(graph, sources=[0], cutoff=2**41, **asked)


@per_solver
@pytest.mark.parametrize("predecessors", [False, True])
def test_distances_that_are_not_asked_for_need_not_fit_64_bits(name, edges, predecessors):
    graph = Graph.of(edges)
    far = edges[0][2] + 2**40 + 2**62
    asked = {"algorithm": name, "sources": [0], "predecessors": predecessors}
    picked = wp.distances(graph, targets=[3, 1], **asked)
    assert picked.dist.tolist() == [[far, edges[0][2]]]
    assert wp.distances(graph, cutoff=far, **asked).dist.tolist()[0][3:] == [far, *2 * [2**63 - 1]]
    if predecessors:
        assert picked.pred.tolist() == [[2, 0]]
    for columns in ([4], [5], None):
        with pytest.raises(wp.DistanceOverflowError, match="64 bits"):
            wp.distances(graph, targets=columns, **asked)


@pytest.mark.parametrize("name", ["classic.bellman_ford", "classic.johnson"])
def test_a_path_that_leaves_64_bits_and_comes_back_has_its_length_and_tree(name):
    graph = Graph.of(UNDER)
    length = 5 + 2**40 + 2**62
    table = wp.distances(graph, [0], [7, 1], algorithm=name, predecessors=True)
    assert table.dist.tolist() == [[length, 5]]
    assert table.pred.tolist() == [[6, 0]]
    assert table.path(0, 7).vertices.tolist() == list(range(8))
    cut = wp.distances(graph, [0], cutoff=length, algorithm=name, predecessors=True)
    unreachable = 2**63 - 1
    assert cut.dist.tolist() == [
        [0, 5, 5 + 2**40, length, unreachable, unreachable, unreachable, length]
    ]
    assert cut.pred.tolist() == [[-1, 0, 1, 2, -1, -1, -1, 6]]
    assert wp.verify(graph, table).labels == 2
    assert wp.verify(graph, cut).labels == 8
    assert cut.paths_from(0).path_to(7).vertices.tolist() == list(range(8))
    assert wp.path(graph, 0, 7).vertices.tolist() == list(range(8))
    assert wp.path(graph, 0, 7).length == length


def test_potentials_beyond_64_bits_do_not_refuse_distances_that_fit():
    graph = Graph.of([(0, 1, 2**62), (2, 1, -(2**62)), (1, 3, -(2**62)), (1, 4, 2**62 - 2)])
    right = wp.apsp(graph, algorithm="classic.johnson").dist
    assert right[0].tolist() == [0, 2**62, 2**63 - 1, 0, 2**63 - 2]
    assert right[2].tolist() == [2**63 - 1, -(2**62), 0, -(2**63), -2]
    with pytest.raises(wp.DistanceOverflowError):
        wp.apsp(Graph.of([(0, 1, -(2**63)), (1, 2, -1)]))


@pytest.mark.parametrize("name", ["classic.floyd_warshall", "classic.johnson"])
def test_float_lengths_beyond_the_largest_under_potentials_are_searched_without(name):
    graph = Graph.of([(0, 1, 1e308), (2, 1, -1e308), (1, 3, 5e307), (3, 0, 2e307)])
    table = wp.apsp(graph, algorithm=name)
    assert table.dist[0].tolist() == [0.0, 1e308, np.inf, 1e308 + 5e307]
    assert table.dist[2].tolist() == [-1e308 + 5e307 + 2e307, -1e308, 0.0, -1e308 + 5e307]


def test_paths_from_a_table_say_which_distance_does_not_fit():
    table = wp.distances(OVER, [0], [1])
    with pytest.raises(wp.DistanceOverflowError, match=r"64 bits\. Use float64"):
        table.paths_from(0)
    assert table.path(0, 1).length == 5


def test_routes_from_a_cut_table_lead_through_vertices_beyond_the_cutoff():
    table = wp.distances([(0, 1, 10), (1, 2, -8)], [0], cutoff=5)
    paths = table.paths_from(0)
    assert paths.pred.tolist() == [-1, -1, 1]
    assert paths.path_to(2).vertices.tolist() == [0, 1, 2]


def test_a_table_given_to_a_function_says_that_no_path_leads_under_negative_weights():
    table = wp.apsp([(0, 1, -1), (2, 1, 4)], out=lambda *_: None)
    with pytest.raises(wp.NoPathError):
        table.path(0, 2)


@pytest.mark.parametrize("sources", [[0, 3], [3, 0]])
def test_a_negative_cycle_is_raised_whatever_other_sources_have(sources):
    far = 2**62
    below = [(0, 1, -far), (1, 2, -far), (2, 5, -1)]
    graph = Graph.of([*below, (3, 4, -2), (4, 3, 1)])
    with pytest.raises(wp.DistanceOverflowError):
        wp.distances(graph, [0], cutoff=5)
    for options in ({"cutoff": 5}, {}, {"algorithm": "classic.bellman_ford"}):
        with pytest.raises(wp.NegativeCycleError):
            wp.distances(graph, sources, **options)


def test_a_table_of_all_columns_lists_them_when_they_are_read():
    graph = Graph.of([(0, 1, 2), (1, 2, 3)])
    table = wp.distances(graph, [1])
    assert "target_indices" not in vars(table)
    assert table.shape == (1, graph.n)
    assert np.array_equal(table.target_indices, np.arange(graph.n))
    assert table.target_indices is table.target_indices


@pytest.mark.parametrize("prepared", [False, True, "auto"])
def test_a_table_without_rows_or_columns_is_empty(prepared, tmp_path):
    solver = wp.Solver([(0, 1, 2), (1, 2, 5)], prepared=prepared)
    for sources, targets in (([], [1]), ([0, 1], []), ([], []), ([], None)):
        shape = len(sources), 3 if targets is None else len(targets)
        for kept in ({}, {"predecessors": True}, {"trace": True}, {"out": tmp_path / "x.npy"}):
            table = solver.distances(sources, targets, **kept)
            assert table.dist.shape == shape
            assert table.to_pandas().shape == shape
            (tmp_path / "x.npy").unlink(missing_ok=True)
        totals = solver.totals(("sum", "count"), sources=sources, targets=targets)
        assert totals["sum"].tolist() == totals["count"].tolist() == [0] * len(sources)
