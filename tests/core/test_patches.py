"""A graph cut into patches: what the layout says is the graph, renumbered."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath import _core, generate

CASES = [
    pytest.param(case.astype(dtype), capacity, id=f"{case}-{dtype}-{capacity}")
    for name in (
        "one_loop",
        "parallel_edges",
        "isolated_vertices",
        "hubs",
        "grid_of_ones",
        "power_law",
    )
    for case in [corpus.case(name)]
    for dtype in case.dtypes
    for capacity in (1, 4, 64, 65536)
]


def cut(graph, capacity, threads=1):
    csr = (graph.indptr, graph.indices, graph._solver_weights)
    return _core.cut_into_patches(*csr, capacity, threads=threads)


def edges_of(made):
    """Return the edges that a layout has, by places: sources, targets, weights."""
    n = len(made["places"])
    rows = made["table"].reshape(-1, 8).astype(np.int64)
    patch = np.repeat(np.arange(len(rows)), rows[:, 1])[
        np.argsort(np.argsort(np.repeat(rows[:, 0], rows[:, 1]), kind="stable"), kind="stable")
    ]
    begin, slots = made["begin"].astype(np.int64), made["slots"].astype(np.int64)
    stay = np.repeat(np.arange(n), np.diff(begin))
    leave = np.repeat(rows[:, 0], rows[:, 7]) + made["tails"]
    owners = made["owners"].astype(np.int64)
    inside = made["targets"] + rows[patch[stay], 0] if n else stay
    outside = slots - rows[owners, 2] + rows[owners, 0]
    assert (patch[outside] == owners).all()
    assert (owners != patch[leave]).all()
    return (
        np.r_[stay, leave],
        np.r_[inside, outside],
        np.r_[made["weights"], made["exit_weights"]],
    )


@pytest.mark.parametrize(("case", "capacity"), CASES)
def test_the_layout_has_the_edges_of_the_graph(case, capacity):
    graph = case.graph()
    made = cut(graph, capacity)
    places = made["places"].astype(np.int64)
    assert np.array_equal(np.sort(places), np.arange(graph.n))
    src, dst, weights = graph.edges()
    wanted = (places[src], places[dst], weights)
    found = edges_of(made)
    for one in (wanted, found):
        assert len(one[0]) == graph.m
    assert all(
        np.array_equal(a[np.lexsort(wanted[::-1])], b[np.lexsort(found[::-1])])
        for a, b in zip(wanted, found, strict=True)
    )


@pytest.mark.parametrize("capacity", [1, 7, 64, 400])
def test_patches_are_nearly_full_and_rows_say_where_they_lie(capacity):
    graph = generate.grid(60, 50)
    rows = cut(graph, capacity)["table"].reshape(-1, 8).astype(np.int64)
    assert 0 < rows[:, 1].min() <= rows[:, 1].max() <= capacity
    assert len(rows) <= 1.06 * graph.n / capacity + 1
    for first, size in ((0, 1), (2, 3), (4, 5), (6, 7)):
        assert np.array_equal(rows[:, first], np.cumsum(rows[:, size]) - rows[:, size])


def shuffled(graph):
    order = np.random.default_rng(4).permutation(graph.n)
    src, dst, weights = graph.edges()
    return wp.Graph.of((order[src], order[dst], weights), n=graph.n)


@pytest.mark.parametrize("numbered", [lambda graph: graph, shuffled], ids=["rows", "shuffled"])
def test_few_edges_of_a_grid_leave_their_patch(numbered):
    graph = numbered(generate.grid(100, 100))
    made = cut(graph, 256)
    # Squares of 16 x 16 would lose 4 * 16 of 4 * 256 edges: 6 %.
    assert len(made["slots"]) < 0.08 * graph.m


@pytest.mark.parametrize("numbered", [lambda graph: graph, shuffled], ids=["rows", "shuffled"])
def test_vertices_without_edges_do_not_spoil_the_cut(numbered):
    grid = generate.grid(100, 100)
    graph = numbered(wp.Graph.of(grid.edges(), n=14_000))
    alone, beside = cut(grid, 256), cut(graph, 256)
    assert len(beside["slots"]) < 1.1 * len(alone["slots"])


def test_edges_one_way_count_as_those_both_ways():
    src, dst, weights = generate.grid(100, 100).edges()
    there = src < dst
    graph = wp.Graph.of((src[there], dst[there], weights[there]), n=10_000)
    assert len(cut(graph, 256)["slots"]) < 0.08 * graph.m


def test_patches_that_touch_are_not_numbered_one_after_the_other():
    graph = generate.grid(64, 64)
    made = cut(graph, 64)
    rows = made["table"].reshape(-1, 8).astype(np.int64)
    tails = np.repeat(np.arange(len(rows)), rows[:, 7])
    beside = np.abs(tails - made["owners"].astype(np.int64)) == 1
    assert beside.mean() < 0.1


@pytest.mark.threads
@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize(
    ("graph", "capacity"),
    [
        (lambda: generate.grid(60, 50, weights=(1, 99), seed=1), 8),
        (lambda: generate.grid(300, 300, weights=(1, 99), drop=0.3, seed=1), 64),
        (lambda: generate.rmat(10, 8), 16),
    ],
)
def test_threads_change_nothing(graph, capacity, threads):
    one, several = cut(graph(), capacity), cut(graph(), capacity, threads)
    assert one.keys() == several.keys()
    assert all(np.array_equal(one[name], several[name]) for name in one)


def test_a_cut_tells_how_far_it_is_and_can_be_stopped():
    graph = generate.grid(700, 700)
    told = []

    def stop(done, total):
        told.append((done, total))
        raise KeyboardInterrupt

    csr = (graph.indptr, graph.indices, graph._solver_weights)
    with pytest.raises(KeyboardInterrupt):
        _core.cut_into_patches(*csr, 64, threads=2, progress=stop)
    assert told[0][1] == 2 * graph.n


def test_a_graph_in_pieces_is_cut_as_well():
    graph = wp.Graph.of([(0, 1, 1), (2, 3, 1), (3, 2, 1)], n=9)
    made = cut(graph, 2)
    assert np.array_equal(np.sort(made["places"]), np.arange(9))


@pytest.mark.parametrize("capacity", [0, 65537])
def test_a_patch_has_a_place_for_each_16_bit_number_at_most(capacity):
    with pytest.raises(ValueError, match="a patch has 1 to 65,536 vertices"):
        cut(generate.grid(3, 3), capacity)
