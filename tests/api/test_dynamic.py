"""`DynamicPaths`: after every batch the distances and the tree are those of a new solve."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import warpath as wp
from support import corpus, strategies
from support.compare import assert_same_bits
from warpath import Graph, generate
from warpath.api import dynamic as api
from warpath.engines import dynamic as engine

TYPES = [np.int32, np.int64, np.float32, np.float64]
ALGORITHMS = ["ramalingam1996.dynamic", "chan2009.dyndij"]
CASES = [
    case.astype(dtype)
    for case in corpus.all()
    if case.graph().n <= 300 and not case.overflows and not case.has_cycle
    for dtype in case.dtypes
]


@pytest.fixture
def square():
    """Two ways from 0 to 3: over 1, 3 long, and over 2, 4 long."""
    return Graph.of([(0, 1, 1), (1, 3, 2), (0, 2, 2), (2, 3, 2)])


def assert_right(live, graph=None):
    """Compare everything with a new solve of the graph; None for ``live.graph``."""
    graph = live.graph if graph is None else graph
    names = graph.label_of(np.arange(graph.n)).tolist()
    for row, source in enumerate(live.sources.tolist()):
        paths = wp.sssp(graph, source, threads=1)
        dist, pred = (array if array.ndim == 1 else array[row] for array in (live.dist, live.pred))
        assert_same_bits(dist, paths.dist, graph)
        assert_same_bits(pred, paths.pred, graph)
        wp.verify(graph, paths)
        targets = names[:3]
        found = np.atleast_2d(live.distances_to(targets))[row]
        assert_same_bits(found, paths.dist[:3])
    assert live.m == graph.m


def drawn(graph, random, weights=5, most=4):
    """Return a batch of random changes in the form of `apply`."""
    names = graph.label_of(np.arange(graph.n)).tolist()
    src, dst, lengths = (array.tolist() for array in graph.edges())
    batch = []
    # Of the two directions of an undirected edge only one is named.
    named = [e for e in range(len(src)) if graph.directed or src[e] <= dst[e]]
    for edge in random.permutation(named)[: random.integers(0, most)].tolist():
        row = [at for at in range(len(src)) if (src[at], dst[at]) == (src[edge], dst[edge])]
        ends = names[src[edge]], names[dst[edge]]
        place = row.index(edge)
        if random.integers(3):
            kept = lengths[edge] * random.choice([0, 1, 2]) if random.integers(2) else None
            weight = int(random.integers(0, weights)) if kept is None else kept
            batch.append(("update", *ends, weight, place))
        else:
            batch.append(("delete", *ends, place))
    for _ in range(random.integers(0, 2) if graph.n else 0):
        u, v = (names[at] for at in random.integers(0, graph.n, 2))
        batch.append(("insert", u, v, int(random.integers(0, weights))))
    return batch


@pytest.mark.parametrize("case", [case for case in CASES if case.sources], ids=str)
def test_batches_on_the_corpus_give_what_a_new_solve_gives(case):
    graph = case.graph()
    random = np.random.default_rng(1)
    names = graph.label_of(np.array(case.sources[:2])).tolist()
    live = wp.DynamicPaths(graph, sources=names, threads=1)
    for _ in range(3):
        before = live.graph
        try:
            live.apply(drawn(before, random))
        except (wp.NegativeCycleError, wp.DistanceOverflowError, wp.WeightError):
            assert_right(live, before)
        assert_right(live)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_on_random_graphs_give_what_a_new_solve_gives(dtype, algorithm, threads):
    random = np.random.default_rng(2)
    graph = generate.uniform(60, 3, (0, 4), seed=3, dtype=dtype)
    live = wp.DynamicPaths(graph, sources=[0, 7, 7], algorithm=algorithm, threads=threads)
    for _ in range(8):
        changed = live.apply(drawn(live.graph, random, most=6))
        assert (changed.old != changed.new).all()
        assert changed.stats["solved_anew"] == 0
        assert_right(live)


class Batches(RuleBasedStateMachine):
    """Changes in any order, on a model that is an ordinary graph."""

    @initialize(data=st.data(), dtype=st.sampled_from(TYPES), undirected=st.booleans())
    def begin(self, data, dtype, undirected):
        self.graph = data.draw(strategies.graphs(dtype, max_vertices=6, undirected=undirected))
        self.dtype = np.dtype(dtype)
        sources = data.draw(st.lists(st.integers(0, self.graph.n - 1), min_size=1, max_size=2))
        self.live = wp.DynamicPaths(self.graph, sources=sources, threads=1)
        self.before = None

    def change(self, graph, call):
        self.before, self.graph = self.graph, graph
        old = self.live.dist
        changed = call()
        new = self.live.dist
        rows, columns = np.nonzero(old != new)
        assert changed.rows.tolist() == rows.tolist()
        assert sorted(zip(changed.rows, changed.indices, strict=True)) == sorted(
            zip(rows, columns, strict=True)
        )
        assert_same_bits(new[changed.rows, changed.indices], changed.new)
        assert_same_bits(old[changed.rows, changed.indices], changed.old)

    @rule(data=st.data())
    def insert(self, data):
        vertices = st.lists(st.integers(0, self.graph.n - 1), min_size=2, max_size=2)
        u, v = data.draw(vertices)
        weight = [data.draw(strategies.weights(self.dtype))]
        self.change(
            self.graph.with_edges([(u, v)], weight), lambda: self.live.insert([(u, v)], weight)
        )

    def edge(self, data):
        src, dst, _ = self.graph.edges()
        at = data.draw(st.integers(0, self.graph.m - 1))
        same = np.flatnonzero((src == src[at]) & (dst == dst[at]))
        return at, (int(src[at]), int(dst[at])), [int(np.searchsorted(same, at))]

    @precondition(lambda self: self.graph.m)
    @rule(data=st.data())
    def delete(self, data):
        _, ends, position = self.edge(data)
        smaller = self.graph.without_edges([ends], position)
        self.change(smaller, lambda: self.live.delete([ends], position=position))

    @precondition(lambda self: self.graph.m and self.graph.directed)
    @rule(data=st.data())
    def update(self, data):
        at, ends, position = self.edge(data)
        weights = self.graph._solver_weights.copy()
        weights[at] = data.draw(strategies.weights(self.dtype))
        self.change(
            self.graph.with_weights(weights),
            lambda: self.live.update([ends], weights[at : at + 1], position=position),
        )

    @precondition(lambda self: self.before is not None)
    @rule()
    def undo(self):
        self.graph, self.before = self.before, None
        self.live.undo()

    @invariant()
    def as_a_new_solve(self):
        if hasattr(self, "live"):
            ours, theirs = self.live.graph, self.graph
            for name in ("indptr", "indices", "_solver_weights"):
                assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
            assert_right(self.live, self.graph)


TestBatches = Batches.TestCase
TestBatches.settings = settings(max_examples=25, stateful_step_count=7, deadline=None)


@pytest.mark.full(
    "random batches in Python", "src/warpath/api/dynamic.py", "cpp/include/warpath/dynamic/*.hpp"
)
def test_two_thousand_batches_on_random_graphs():
    for seed in range(80):
        random = np.random.default_rng(seed)
        dtype = TYPES[seed % 4]
        low = -1 if seed % 5 == 0 and seed % 4 < 2 else 0
        graph = generate.uniform(int(random.integers(2, 30)), 3, (0, 4), seed=seed, dtype=dtype)
        live = wp.DynamicPaths(graph, sources=[0, 1], threads=1 + seed % 2)
        for _ in range(25):
            batch = drawn(live.graph, random)
            if low and batch and batch[0][0] == "update":
                batch[0] = (*batch[0][:3], -1, batch[0][4])
            before = live.graph
            try:
                live.apply(batch)
            except wp.NegativeCycleError:
                assert_right(live, before)
            assert_right(live)


def test_the_changed_distances_are_returned_with_the_names_of_the_vertices():
    live = wp.DynamicPaths([("a", "b", 1), ("b", "c", 2), ("a", "c", 9)], source="a")
    changed = live.update([("b", "c")], [20])
    assert (changed.vertices.tolist(), changed.old.tolist(), changed.new.tolist()) == (
        ["c"],
        [3],
        [9],
    )
    assert changed.rows.tolist() == [0]
    assert repr(changed) == "<Changed: 1 distance; 1 vertex affected>"
    assert changed.to_pandas().columns.tolist() == ["row", "vertex", "old", "new"]
    assert live.path_to("c").vertices.tolist() == ["a", "c"]
    assert repr(live) == "<DynamicPaths from 'a': 3 vertices, 3 edges>"


def test_one_edge_may_be_named_by_two_numbers(square):
    live = wp.DynamicPaths(square, source=0)
    assert live.update((0, 1), 5).new.tolist() == [5, 4]


def test_undo_takes_back_the_last_batch_once(square):
    live = wp.DynamicPaths(square, source=0)
    with pytest.raises(wp.InputError, match="there is no batch to take back"):
        live.undo()
    dist, pred = live.dist, live.pred
    live.apply([("delete", 0, 1), ("insert", 0, 3, 1), ("update", 2, 3, 7)])
    back = live.undo()
    assert_same_bits(live.dist, dist)
    assert_same_bits(live.pred, pred)
    assert (back.old.tolist(), back.new.tolist()) == ([np.iinfo(np.int64).max, 1], [1, 3])
    for name in ("indptr", "indices", "weights"):
        assert np.array_equal(getattr(live.graph, name), getattr(square, name))
    with pytest.raises(wp.InputError, match="and once"):
        live.undo()


def test_undo_takes_back_what_was_solved_anew(square, monkeypatch):
    monkeypatch.setattr(engine, "_FEW", 0)
    live = wp.DynamicPaths(square, source=0)
    assert live.delete([(0, 1)]).stats["solved_anew"] == 1
    assert_right(live)
    live.undo()
    assert live.dist.tolist() == [0, 1, 2, 3]
    assert_right(live)


FAILURES = [
    (lambda live: live.insert([(3, 0)], [-9]), wp.NegativeCycleError),
    (lambda live: live.update([(1, 3)], [2**63 - 1]), wp.DistanceOverflowError),
    (lambda live: live.apply([("delete", 0, 1), ("insert", 2, 0, -9)]), wp.NegativeCycleError),
]


@pytest.mark.parametrize(("fail", "error"), FAILURES)
@pytest.mark.parametrize("few", [0, 2000], ids=["solved anew", "repaired"])
def test_a_batch_that_fails_leaves_the_batch_before_it_to_undo(
    square, monkeypatch, fail, error, few
):
    monkeypatch.setattr(engine, "_FEW", few)
    square = square if error is wp.NegativeCycleError else Graph.of([(0, 1, 1), (1, 3, 2)])
    live = wp.DynamicPaths(square, sources=[0, 1])
    live.apply([("delete", 0, 1), ("insert", 0, 1, 2), ("update", 1, 3, 8)])
    changed, edges = live.dist, live.m
    for _ in range(2):
        with pytest.raises(error):
            fail(live)
        assert (live.dist == changed).all()
        assert live.m == edges
    assert_right(live)
    live.undo()
    assert_right(live, square)
    with pytest.raises(wp.InputError, match="and once"):
        live.undo()


@pytest.mark.parametrize("directed", [True, False])
def test_parallel_edges_are_changed_and_put_back_in_their_order(directed):
    weights = np.random.default_rng(4).integers(1, 9, 60)
    ends = np.zeros(60, int), np.repeat([1, 2], 30)
    graph = Graph.from_edges(*ends, weights, directed=directed)
    live = wp.DynamicPaths(graph, source=0)
    edges, position = ([0] * 20, [1] * 20), np.random.default_rng(5).permutation(30)[:20]
    live.delete(edges, position=position)
    left = np.delete(weights[:30], position)
    assert live.graph.weights[: len(left)].tolist() == left.tolist()
    assert live.dist[1] == left.min()
    assert_right(live)
    live.undo()
    for name in ("indptr", "indices", "weights"):
        assert np.array_equal(getattr(live.graph, name), getattr(graph, name))
    live.update(edges, np.arange(20) + 5, position=position)
    assert live.dist[1] == min(5, left.min())
    assert_right(live)


def test_an_undirected_graph_changes_both_ways():
    live = wp.DynamicPaths(Graph.from_edges([0, 1, 1], [1, 2, 2], [1, 2, 2], directed=False), 2)
    live.update([(0, 1)], [5])
    assert live.dist.tolist() == [7, 2, 0]
    live.delete([(1, 2)], position=[0])
    live.update([(1, 2)], [4])
    assert live.dist.tolist() == [9, 4, 0]
    live.insert([(2, 0)], [1])
    assert not live.graph.directed
    assert live.graph.m == 6
    assert_right(live)


def test_a_graph_without_weights_gets_some():
    live = wp.DynamicPaths(Graph.from_edges([0, 1], [1, 2]), source=0)
    live.update([(0, 1)], [4])
    assert live.dist.tolist() == [0, 4, 5]
    assert live.graph.weights.tolist() == [4, 1]


def test_shapes_and_kept_columns_stay_while_the_edges_stay():
    roads = Graph.from_edges([0, 1], [1, 2], [3, 4], keep_rows=True)
    live = wp.DynamicPaths(roads, source=0)
    live.update([(0, 1)], [7])
    assert live.graph.given is not None
    live.insert([(0, 2)], [7])
    assert live.graph.given is None
    live.undo()
    assert live.graph.given is not None


def test_closed_vertices_are_not_passed_through():
    graph = Graph.from_edges([1, 0, 1], [0, 2, 2], [1, 1, 9], first_through=1)
    live = wp.DynamicPaths(graph, source=1)
    live.update([(1, 0)], [2])
    assert live.dist.tolist() == [2, 0, 9]
    assert_right(live)
    live.update([(1, 2)], [10])
    assert live.dist.tolist() == [2, 0, 10]
    assert_right(live)


def test_negative_weights_are_solved_and_a_cycle_keeps_the_state(square):
    live = wp.DynamicPaths(square, source=0)
    assert live.update([(1, 3)], [-1]).new.tolist() == [0]
    assert_right(live)
    with pytest.raises(wp.NegativeCycleError) as caught:
        live.insert([(3, 0)], [-1])
    assert sorted(caught.value.cycle) == [0, 1, 3]
    assert live.m == 4
    assert live.dist.tolist() == [0, 1, 2, 0]
    assert_right(live)
    live.update([(1, 3)], [1])  # and back to weights >= 0, which are repaired
    assert_right(live)
    assert live.update([(0, 1)], [2]).stats["solved_anew"] == 0
    assert_right(live)


def test_a_distance_that_does_not_fit_keeps_the_state():
    big = 2**62
    live = wp.DynamicPaths(Graph.of([(0, 1, big), (1, 2, 1)]), source=0)
    with pytest.raises(wp.DistanceOverflowError, match="does not fit 64 bits"):
        live.update([(1, 2)], [big])
    assert live.dist.tolist() == [0, big, big + 1]
    assert_right(live)


WRONG = [
    (lambda live: live.update([(3, 0)], [1]), wp.InputError, "there is no edge 3 -> 0"),
    (lambda live: live.delete([(3, 0)]), wp.InputError, "there is no edge 3 -> 0"),
    (lambda live: live.update([(0, 9)], [1]), wp.VertexError, "vertex 9 does not exist"),
    (lambda live: live.insert([(0, 9)], [1]), wp.VertexError, "vertex 9 does not exist"),
    (lambda live: live.update([(0, 1)], [np.nan]), wp.WeightError, r"weights\[0\]"),
    (lambda live: live.update([(0, 1)], [np.inf]), wp.WeightError, "delete the edge"),
    (lambda live: live.update([(0, 1)], [1.5]), wp.WeightError, "1.5 does not fit int64"),
    (lambda live: live.insert([(0, 1)], [1e300]), wp.WeightError, "1e\\+300 does not fit int64"),
    (lambda live: live.update([(0, 1)], [1, 2]), wp.GraphError, "weights has 2 entries"),
    (lambda live: live.update(([0], [1, 3]), [1]), wp.GraphError, "1 sources but 2 targets"),
    (lambda live: live.update([(0, 1, 2)], [1]), wp.InputError, "a tuple of two lists"),
    (lambda live: live.update(7, [1]), wp.InputError, "a tuple of two lists"),
    (
        lambda live: live.update([(0, 1), (0, 1)], [1, 2]),
        wp.InputError,
        "changes 0 and 1 of the batch are both about the edge 0 -> 1",
    ),
    (
        lambda live: live.apply([("delete", 0, 1), ("update", 0, 1, 4)]),
        wp.InputError,
        "changes 0 and 1 of the batch",
    ),
    (lambda live: live.apply([("insert", 0, 1)]), wp.InputError, r"batch\[0\] = \('insert', 0, 1"),
    (lambda live: live.apply([("move", 0, 1)]), wp.InputError, r"batch\[0\] = \('move', 0, 1"),
    (lambda live: live.apply([5]), wp.InputError, r"batch\[0\] = 5"),
    (lambda live: live.delete([(0, 1)], position=[1]), wp.InputError, "the last position is 0"),
    (lambda live: live.delete([(0, 1)], position=[-1]), wp.InputError, "must be 0 or more"),
    (lambda live: live.delete([(0, 1)], position=[0.5]), wp.InputError, "must be an integer"),
    (lambda live: live.path_to(1, source=3), wp.InputError, "not one of the sources"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG, ids=[text for *_, text in WRONG])
def test_bad_input_is_refused_and_changes_nothing(square, call, error, message):
    live = wp.DynamicPaths(square, source=0)
    live.update([(0, 1)], [2])
    with pytest.raises(error, match=message):
        call(live)
    assert_right(live)
    assert live.undo().new.tolist() == [1, 3]  # the batch before the error
    assert_right(live, square)


def test_parallel_edges_need_a_position():
    live = wp.DynamicPaths(Graph.of([(0, 1, 5), (0, 1, 3)]), source=0)
    with pytest.raises(wp.InputError, match=r"there are 2 parallel edges 0 -> 1: give the pos"):
        live.delete([(0, 1)])
    live.update([(0, 1)], [1], position=[0])
    assert live.graph.weights.tolist() == [1, 3]
    live.delete([(0, 1)], position=[0])
    assert live.dist.tolist() == [0, 3]


def test_options_are_checked(square):
    with pytest.raises(wp.InputError, match="give either source"):
        wp.DynamicPaths(square)
    with pytest.raises(wp.InputError, match="give either source"):
        wp.DynamicPaths(square, 0, sources=[1])
    with pytest.raises(wp.InputError, match="does not repair shortest paths"):
        wp.DynamicPaths(square, 0, algorithm="classic.dijkstra")
    with pytest.raises(wp.VertexError, match="vertex 4 does not exist"):
        wp.DynamicPaths(square, 4)


def test_a_vertex_that_became_unreachable_has_no_path(square):
    live = wp.DynamicPaths(square, source=0)
    live.delete([(0, 1), (0, 2)])
    with pytest.raises(wp.NoPathError, match="no path from 0 to 3"):
        live.path_to(3)
    assert live.path_to(0).length == 0


def test_arrays_that_were_read_do_not_change(square):
    live = wp.DynamicPaths(square, source=0)
    dist, pred, graph = live.dist, live.pred, live.graph
    assert live.dist is dist
    live.update([(0, 1)], [9])
    assert dist.tolist() == [0, 1, 2, 3]
    assert pred.tolist() == [-1, 0, 0, 1]
    assert graph.weights.tolist() == square.weights.tolist()
    assert not live.dist.flags.writeable


def test_an_interrupt_while_a_source_is_solved_anew_keeps_the_state(square, monkeypatch):
    monkeypatch.setattr(engine, "_FEW", 0)
    live = wp.DynamicPaths(square, sources=[0, 1])

    def interrupted(self, graph, row):
        if row == 1:
            raise KeyboardInterrupt
        solve(self, graph, row)

    solve = api.DynamicPaths._solve
    monkeypatch.setattr(api.DynamicPaths, "_solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        live.update([(0, 1), (1, 3)], [9, 9])
    monkeypatch.undo()
    assert_right(live, square)
    live.update([(0, 1)], [9])
    assert_right(live)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_reader_in_another_thread_sees_the_state_before_or_after_a_batch(threads):
    side = 40
    graph = generate.grid(side, side, (5, 5), seed=1)
    live = wp.DynamicPaths(graph, sources=[0, 1], threads=threads)
    states = {live.dist.tobytes()}
    live.update([(0, 1)], [500])
    states.add(live.dist.tobytes())
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(live.dist.tobytes())

    reader = threading.Thread(target=read)
    reader.start()
    for weight in [5, 500] * 20:
        live.update([(0, 1)], [weight])
    done.set()
    reader.join()
    assert seen <= states
    assert seen


def test_a_solver_solves_anew_with_its_own_options(square, monkeypatch):
    monkeypatch.setattr(engine, "_FEW", 0)
    used = []
    solve = api.paths_of
    monkeypatch.setattr(
        api, "paths_of", lambda *given: used.append(given[0].request.algorithm) or solve(*given)
    )
    live = wp.Solver(square, algorithm="classic.dijkstra", threads=1).dynamic(0)
    live.update([(0, 1)], [9])
    assert used == ["classic.dijkstra"] * 2
    monkeypatch.undo()
    assert_right(live)


def test_a_replay_does_not_grow_the_memory():
    random = np.random.default_rng(5)
    graph = generate.grid(30, 30, (1, 9), seed=2)
    live = wp.DynamicPaths(graph, source=0)
    src, dst, _ = graph.edges()
    forward = np.flatnonzero(src < dst)
    sizes = []
    for step in range(300):
        at = random.choice(forward, 10, replace=False)
        live.delete((src[at], dst[at]))
        live.insert((src[at], dst[at]), random.integers(1, 9, 10))
        if step % 100 == 99:
            sizes.append(live.nbytes)
    assert max(sizes) <= 1.1 * min(sizes)
    assert_right(live)
