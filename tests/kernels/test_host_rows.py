"""Graphs whose edges stay in memory of the host, on the emulator: the same bits as elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from support import corpus
from support.compare import assert_same_bits
from support.kernels import device_for, expected, prepare
from warpath import Graph, generate
from warpath.engines.base import Order, Problem, TableOrder
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.wide import rows as wide_rows
from warpath.planner.host_rows import HOST_HUB
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath.results.predecessors import as_labels

ROOM = 4096  # bytes: rows are sorted in many chunks


@pytest.fixture
def device(monkeypatch):
    """The emulated device, which lists the arrays that kernels read on the host."""
    made = device_for(64)
    held = []
    monkeypatch.setattr(made, "mapped", lambda array: (held.append(array), array)[1])
    monkeypatch.setattr(made, "free_memory", lambda: ROOM)
    monkeypatch.setattr(wide_rows, "LEAST_SORTED", 100)
    made.held = held
    return made


def solved(recipe, graph, device, problem, *, out=None):
    prepare(device, [recipe], graph._solver_weights.dtype, traced=False)
    params = chosen_params(recipe, graph.facts(symmetry=False), {})
    about = recipe, graph, problem, 1, params
    table = out is not None
    order = (
        TableOrder(*about, out, rows_on_host=True) if table else Order(*about, rows_on_host=True)
    )
    return run(order, device)


def check_one(name, graph, device, cutoff=None):
    recipe = CATALOGUE[name]
    for source in (3, graph.n - 1):
        raw = solved(recipe, graph, device, Problem(Task.SSSP, np.array([source]), cutoff=cutoff))
        found = as_labels(graph, device.get(raw.dist))
        right = expected(graph, source)
        if cutoff is not None:
            found, right = found[right <= cutoff], right[right <= cutoff]
        assert_same_bits(found, right, graph)


def in_type(graph, dtype):
    weights = graph._solver_weights
    if np.dtype(dtype).kind == "f":
        weights = weights / 7
    return graph.with_weights(weights.astype(dtype))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_a_wide_search_reads_sorted_rows_on_the_host(device, dtype, directed):
    graph = in_type(generate.rmat(8, 24, (0, 90), directed=directed, seed=2), dtype)
    degrees = np.diff(graph.indptr)
    assert np.count_nonzero(degrees > HOST_HUB) > 3
    check_one("warpath.wide", graph, device)
    edges = max(device.held, key=lambda array: array.nbytes)
    assert edges.shape == (graph.m, 2)
    (rows,) = (kept for (entry, _), kept in graph.derived.items() if entry is wide_rows.HOST_ROWS)
    assert rows.edges is edges
    assert (rows.sources is edges) is not directed
    assert rows.nbytes < edges.nbytes  # what is on the host is not counted
    places = device.get(rows.ranks)
    sums = np.zeros(graph.n)
    np.add.at(sums, places, degrees)
    assert (np.diff(rows.indptr) == sums).all()
    for row in range(graph.n):
        weights = edges[rows.indptr[row] : rows.indptr[row + 1], 0]
        assert (np.diff(weights) >= 0).all()


def test_a_graph_without_long_rows_keeps_its_order(device):
    graph = generate.uniform(200, 6, seed=4)
    check_one("warpath.wide", graph, device)
    check_one("warpath.wide", graph, device, cutoff=700)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_patches_read_their_edges_on_the_host(device, dtype):
    graph = in_type(generate.road(700, seed=2), dtype)
    check_one("warpath.patches", graph, device)
    assert sum(array.nbytes for array in device.held) >= graph.m * 6


@pytest.mark.parametrize("make", [generate.road, generate.uniform])
def test_tables_read_edges_on_the_host(device, make, monkeypatch):
    monkeypatch.setattr(device, "free_memory", lambda: 2**20)
    graph = make(150, seed=3)
    sources = np.arange(0, 150, 2)
    out = np.empty((len(sources), graph.n), np.int64)
    solved(CATALOGUE["warpath.pairs"], graph, device, Problem(Task.MANY, sources), out=out)
    for row, source in zip(out, sources.tolist(), strict=True):
        assert (row == expected(graph, source)).all()
    read = {array.dtype.name: array.size for array in device.held if array.size == graph.m}
    assert read == {"int32": graph.m}
    assert len(device.held) >= 2


def test_all_equal_weights_are_not_read(device):
    graph = Graph.of(([0, 1, 2], [1, 2, 3], [5, 5, 5]))
    out = np.empty((1, 4), np.int64)
    device.free_memory = lambda: 2**20
    solved(CATALOGUE["warpath.pairs"], graph, device, Problem(Task.MANY, np.array([0])), out=out)
    assert out.tolist() == [[0, 5, 10, 15]]
