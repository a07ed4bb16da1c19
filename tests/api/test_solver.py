"""What is kept of a call with a graph, for the next one with the same options."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import warpath as wp
from support.recipes import on_cpu
from support.toy import registered
from warpath.api import run
from warpath.base.dtypes import unreachable
from warpath.engines import cpu, planning
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.results import predecessors

GRAPHS = {"buckets": [(0, 1, 2), (1, 2, 5), (0, 2, 9)], "bfs": [(0, 1, 3), (1, 2, 3)]}


BOUND = [
    recipe.name
    for recipe in CATALOGUE
    if recipe.loop in {Loop.BUCKET_TEAM, Loop.DIJKSTRA, Loop.OWN_BUCKETS}
]


@pytest.fixture(params=GRAPHS)
def graph(request):
    return wp.Graph.of(GRAPHS[request.param])


@pytest.fixture
def plans(monkeypatch):
    """The requests that were planned."""
    found = []
    real = planning.choose
    monkeypatch.setattr(planning, "choose", lambda *what: (found.append(what[3]), real(*what))[1])
    return found


def test_a_plan_is_made_once_for_all_sources(graph, plans):
    assert [wp.sssp(graph, s)[2] for s in range(3)] == [wp.sssp(graph, s)[2] for s in range(3)]
    assert len(plans) == 1
    wp.sssp(graph, 0, threads=2)
    wp.sssp(graph, 0, algorithm="classic.dijkstra")
    assert len(plans) == 3


@pytest.mark.parametrize("bad", [{"threads": True}, {"threads": 1.0}, {"threads": [1]}])
def test_option_that_equals_a_kept_one_is_refused_all_the_same(graph, bad):
    wp.sssp(graph, 0, threads=1)
    with pytest.raises(wp.InputError, match="threads"):
        wp.sssp(graph, 0, **bad)


@pytest.mark.parametrize("bad", [{"algorithm": ["auto"]}, {"device": {}}])
def test_option_that_cannot_be_looked_up_is_refused(graph, bad):
    with pytest.raises(wp.InputError, match="must be a name"):
        wp.sssp(graph, 0, **bad)


def test_variables_count_at_the_next_call(graph, monkeypatch):
    wp.sssp(graph, 0, algorithm="warpath.buckets")
    monkeypatch.setenv("WARPATH_THREADS", "none")
    with pytest.raises(wp.InputError, match="WARPATH_THREADS"):
        wp.sssp(graph, 0, algorithm="warpath.buckets")


@pytest.mark.parametrize("algorithm", ["auto", *BOUND])
def test_kept_call_answers_as_one_in_steps(graph, algorithm):
    quick = wp.sssp(graph, 0, algorithm=algorithm)
    slow = wp.sssp(graph, 0, algorithm=algorithm, progress=lambda _done, _total: None)
    assert quick.dist.tobytes() == slow.dist.tobytes()
    assert quick.pred.tobytes() == slow.pred.tobytes()
    assert quick.stats.keys() == slow.stats.keys()
    same = quick.stats.keys() - {"seconds"}
    assert {key: quick.stats[key] for key in same} == {key: slow.stats[key] for key in same}
    assert quick.stats["reached"] == 3
    assert quick.plan == slow.plan
    assert not quick.dist.flags.writeable


@pytest.mark.parametrize("name", BOUND)
def test_no_step_but_the_search_is_taken_where_it_is_bound(graph, name, monkeypatch):
    monkeypatch.setattr(run, "_solved_in_steps", None)
    assert wp.sssp(graph, 0, algorithm=name)[2] in {6, 7}


# Dial's buckets need small weights, which no sum of a few takes beyond 64 bits.
@pytest.mark.parametrize("name", [name for name in BOUND if not name.endswith("dial")])
def test_distance_beyond_64_bits_is_refused_by_the_second_call_too(name):
    graph = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)])
    for _ in range(2):
        with pytest.raises(wp.DistanceOverflowError, match="64 bits"):
            wp.sssp(graph, 0, algorithm=name)
        assert wp.sssp(graph, 1, algorithm=name)[2] == 2**62


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in BOUND
        for dtype in (np.int32, np.int64, np.float32, np.float64)
        if np.dtype(dtype).kind == "i" or not CATALOGUE[name].integer_only
    ],
)
def test_bound_search_keeps_to_its_cutoff(name, dtype):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9)]).astype(dtype)
    recipe = CATALOGUE[name]
    search = cpu.bound_search(graph, recipe, {"delta": 3.0}, 1, 6)
    dist, _ = search(0)
    assert dist.tolist()[:2] == [0, 2]
    assert dist[2] == unreachable(dist.dtype)


def test_plan_of_a_result_is_its_own(graph):
    wp.sssp(graph, 0).plan.params["delta"] = 99
    assert wp.sssp(graph, 0).plan.params.get("delta") != 99


def test_graph_goes_when_nobody_has_it(graph):
    wp.sssp(graph, 0)
    gone = weakref.ref(wp.Graph.of(GRAPHS["buckets"]))
    assert gone() is None
    other = wp.Graph.of(GRAPHS["buckets"])
    _ = wp.sssp(other, 0).pred
    other.reversed()
    _ = wp.sssp(other, 0).pred
    gone = weakref.ref(other)
    gc.disable()
    try:
        del other
        assert gone() is None
    finally:
        gc.enable()


def test_trees_take_the_edges_in_where_they_are_at_hand(monkeypatch):
    bound = []
    real = predecessors._core.trees
    monkeypatch.setattr(
        predecessors._core, "trees", lambda *what: (bound.append(what), real(*what))[1]
    )
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 2, 9), (2, 3, 1)])
    found = [wp.sssp(graph, s).pred.tolist() for s in (0, 1)]
    assert [len(what[3]) for what in bound] == [0, 0]  # without the edges in
    graph.reversed()
    assert [wp.sssp(graph, s).pred.tolist() for s in (0, 1)] == found
    assert [len(what[3]) for what in bound] == [0, 0, 5, 5]


FAR = [(0, 1, 5), (1, 2, 2**62), (2, 3, 2**62), (3, 4, 2**62)]
BELOW = [(0, 1, -5), *FAR[1:]]
ABLE = [
    recipe for recipe in on_cpu(Task.SSSP) if recipe.max_weight is None and not recipe.equal_weights
]


@pytest.mark.parametrize(
    ("name", "edges"),
    [("auto", FAR), ("auto", BELOW), ("classic.bellman_ford", BELOW)]
    + [(recipe.name, FAR) for recipe in ABLE],
)
def test_distances_beyond_a_cutoff_need_not_fit_64_bits(name, edges):
    graph = wp.Graph.of(edges)
    near = edges[0][2]
    paths = wp.sssp(graph, 0, cutoff=2**62 + near, algorithm=name)
    assert paths.dist.tolist() == [0, near, near + 2**62, 2**63 - 1, 2**63 - 1]
    assert paths.pred.tolist() == [-1, 0, 1, -1, -1]
    wp.verify(graph, paths)
    with pytest.raises(wp.DistanceOverflowError):
        wp.sssp(graph, 0, algorithm=name)


def test_a_route_within_the_cutoff_may_leave_64_bits_on_its_way():
    graph = wp.Graph.of([*FAR, (4, 5, -(2**62)), (5, 6, -(2**62))])
    paths = wp.sssp(graph, 0, cutoff=2**62 + 5)
    assert paths.dist.tolist() == [0, 5, 2**62 + 5, *3 * [2**63 - 1], 2**62 + 5]
    assert paths.pred.tolist() == [-1, 0, 1, -1, -1, -1, 5]
    assert paths.path_to(6).vertices.tolist() == list(range(7))
    assert wp.verify(graph, paths).tree
    low = wp.Graph.of([(0, 1, -(2**62)), (1, 2, -(2**62)), (2, 3, -1)])
    with pytest.raises(wp.DistanceOverflowError, match="64 bits"):
        wp.sssp(low, 0, cutoff=0)


def test_a_solver_answers_as_the_calls_of_the_module():
    edges = [(0, 1, 2), (1, 2, 5), (0, 2, 9), (2, 0, 1)]
    graph, options = wp.Graph.of(edges), {"algorithm": "classic.dijkstra", "threads": 2}
    solver = wp.Solver(edges, **options)
    assert solver.graph.m == 4
    assert solver.sssp(0, cutoff=2).dist.tolist() == wp.sssp(graph, 0, cutoff=2).dist.tolist()
    assert solver.path(0, 2).vertices.tolist() == [0, 1, 2]
    table = solver.distances([0, 2], [1], predecessors=True)
    assert (table.dist.tolist(), table.pred.tolist()) == ([[2], [3]], [[0], [0]])
    trips = solver.pairs([0, 2], [1, 0])
    assert (trips.dist.tolist(), trips.plan.algorithm) == ([2, 1], "classic.dijkstra")
    assert solver.apsp().dist.tolist() == wp.apsp(graph).dist.tolist()
    assert solver.totals("sum")["sum"].tolist() == wp.totals(graph, "sum")["sum"].tolist()
    assert solver.eccentricity([1]).tolist() == wp.eccentricity(graph, [1]).tolist() == [6]
    assert (solver.diameter(), solver.radius()) == (wp.diameter(graph), wp.radius(graph)) == (7, 3)
    assert solver.center().tolist() == wp.center(graph).tolist() == [2]
    assert solver.nearest([1], reverse=True).dist.tolist() == [2, 0, 3]
    assert solver.within(0, [2, 7], reverse=True).counts.tolist() == [2, 3]
    assert solver.plan(0) == wp.plan(graph, 0, **options)
    for plan in (solver.plan(0), solver.plan(sources=[0]), solver.sssp(1).plan, table.plan):
        assert plan.algorithm == "classic.dijkstra"
    assert repr(solver).endswith("device='auto', algorithm='classic.dijkstra', threads=2>")


@pytest.mark.parametrize("prepared", [False, True])
def test_a_plan_is_that_of_the_call_that_its_arguments_describe(prepared):
    solver = wp.Solver(wp.generate.road(300), prepared=prepared)
    assert solver.plan(0, 9) == solver.plan(0, target=9) == solver.path(0, 9).plan
    for k in (1, 3, 40):
        trips = range(k), range(100, 100 + k)
        assert solver.plan(origins=trips[0], destinations=trips[1]) == solver.pairs(*trips).plan
    for cutoff in (1, 10**9):
        assert solver.plan(0, cutoff=cutoff) == solver.sssp(0, cutoff=cutoff).plan


def test_a_solver_has_the_same_options_for_each_graph_that_it_searches(monkeypatch, plans):
    registered(monkeypatch)
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    monkeypatch.setenv("WARPATH_DEVICE", "toy")
    solver = wp.Solver(graph, threads=1)
    monkeypatch.delenv("WARPATH_DEVICE")
    for _ in range(2):
        found = [solver.within(0, 9, reverse=True).paths, solver.nearest([0])]
        found += [solver.within(0, 9).paths, solver.sssp(0)]
        assert [each.plan.device for each in found] == 4 * ["toy:0"]
    assert {request.threads for request in plans} == {1}
    assert len(plans) == 3  # one each for the graph, the reversed one and `nearest`


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 0},
        {"device": "tpu"},
        {"device": "cluster"},
        {"algorithm": "dijkstra"},
        {"params": 7},
    ],
)
def test_a_solver_refuses_options_that_are_not_valid(options):
    with pytest.raises((wp.InputError, wp.NotSupportedError)):
        wp.Solver([(0, 1, 2)], **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda solver: wp.k_shortest_paths(solver, 0, 1),
        lambda solver: wp.pairs(solver, [0], [1]),
        lambda solver: wp.totals(solver, ["sum"]),
        wp.prepare,
        lambda solver: wp.Graph.of(solver, directed=False),
    ],
)
def test_a_solver_in_place_of_a_graph_is_refused_with_its_method(call):
    expected = r"a Solver is not a supported graph: call its method .* solver\.pairs\(\.\.\.\), or"
    with pytest.raises(wp.GraphError, match=expected):
        call(wp.Solver([(0, 1, 2)]))
