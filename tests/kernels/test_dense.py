"""Floyd-Warshall over tiles on the emulator: several tiles, every type, windows, and its rules."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import warpath as wp
from support.kernels import device_for, prepare
from support.recipes import on_gpu
from warpath.engines.base import Problem, TableOrder
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.tables import floyd_warshall
from warpath.engines.cuda.tables.min_plus import FAR, MinPlus
from warpath.engines.staged.blocks import Window
from warpath.recipes import CATALOGUE, Task

RECIPE = CATALOGUE["warpath.floyd_warshall"]
LABELS = ["int16", "int32", "int64", "float32", "float64"]
SIDE = 64  # of a tile, with the emulator's blocks of 64


@cache
def device_of(dtype="int32"):
    device = device_for(64)
    prepare(device, on_gpu(Task.MANY, Task.APSP), dtype)  # as others do: built once
    return device


def drawn(tiles, dtype, seed=0):
    """Return a sparse matrix of labels and, by plain NumPy, its distances."""
    rng = np.random.default_rng(seed)
    n = tiles * SIDE
    wide = rng.integers(1, 300, (n, n))
    wide[rng.random((n, n)) < 0.97] = 2**40
    np.fill_diagonal(wide, 0)
    closed = wide.copy()
    for k in range(n):
        closed = np.minimum(closed, closed[:, k : k + 1] + closed[k])
    return tuple(np.where(one >= 2**40, FAR[dtype], one).astype(dtype) for one in (wide, closed))


@pytest.mark.parametrize(("tiles", "dtype"), [*itertools.product((1, 2, 3), LABELS), (5, "int32")])
def test_tiles_are_closed_together_whatever_the_order_of_threads(tiles, dtype):
    device = device_of("int64" if dtype.startswith("i") else dtype)
    labels, closed = drawn(tiles, dtype)
    for device.seed in range(3):
        found = labels.copy()
        MinPlus(device, dtype).close(Window.whole(found))
        assert np.array_equal(found, closed)


@pytest.mark.parametrize("step", [SIDE, 2 * SIDE])
def test_a_solve_in_several_launches_gives_the_same(step):
    device = device_of()
    labels, closed = drawn(5, "int32")
    seen = list(MinPlus(device, "int32").closing(Window.whole(labels), step))
    assert seen == [*range(step, 5 * SIDE, step), 5 * SIDE]
    assert np.array_equal(labels, closed)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_windows_of_a_matrix_close_it_part_by_part(dtype, monkeypatch):
    monkeypatch.setattr("warpath.engines.cuda.tables.min_plus._COPIED", 1)
    device = device_of(dtype)
    labels, closed = drawn(4, dtype)
    half = 2 * SIDE
    blocks = MinPlus(device, dtype)

    def window(i, j):
        return Window(labels, i * half, j * half, half, half)

    for k, other in ((0, 1), (1, 0)):
        blocks.close(window(k, k))
        blocks.panel_row(window(k, k), window(k, other))
        blocks.panel_column(window(k, k), window(other, k))
        blocks.update(window(other, other), window(other, k), window(k, other))
    assert np.array_equal(labels, closed)


def bits(graph, out=None):
    out = np.empty((graph.n, graph.n), np.int64) if out is None else out
    order = TableOrder(RECIPE, graph, Problem(Task.APSP, np.arange(graph.n)), 1, {}, out)
    return run(order, device_of(str(graph._solver_weights.dtype))).stats["bits"], out


@pytest.mark.parametrize(
    ("weight", "wanted"),
    [(8191, 16), (8192, 32), (2**29 - 1, 32), (2**29, 64), (2**40, 64)],
)
def test_labels_are_as_narrow_as_distances_allow(weight, wanted):
    graph = wp.Graph.of(([0, 1], [1, 2], np.array([weight] * 2)), n=3)
    found, out = bits(graph)
    assert (found, out[0, 2]) == (wanted, 2 * weight)


def test_labels_beyond_32_bits_are_narrow_where_nothing_is_far():
    heavy = np.array([2**29, 2**29, 2**29])
    assert bits(wp.Graph.of(([0, 1, 2], [1, 2, 0], heavy), n=3))[0] == 64
    near = np.array([2**29, 2**29, 2**29, 1, 1, 1])
    found, out = bits(wp.Graph.of(([0, 1, 2, 0, 1, 2], [1, 2, 0, 2, 0, 1], near), n=3))
    assert (found, out.max()) == (32, 2)


def test_a_path_takes_each_vertex_once_at_most():
    graph = wp.Graph.of(([0, 0, 1, 2], [1, 2, 2, 3], np.array([2**29, 1, 5, 7])), n=4)
    assert floyd_warshall._longest(graph) == 2**29 + 5 + 7
    assert bits(graph)[0] == 32


def test_a_distance_that_does_not_fit_the_answer_is_an_overflow():
    graph = wp.Graph.of(([0, 1], [1, 2], np.array([2**30, 2**30])), n=3)
    with pytest.raises(OverflowError, match="does not fit int32"):
        bits(graph, np.empty((3, 3), np.int32))


def test_progress_counts_vertices_as_pivots(monkeypatch):
    monkeypatch.setattr(floyd_warshall, "_IN_A_LAUNCH", dict.fromkeys((2, 4, 8), 1))
    graph = wp.Graph.of(([0], [149], np.array([1])), n=150)
    reports = []
    out = np.empty((150, 150), np.int64)
    order = TableOrder(
        RECIPE,
        graph,
        Problem(Task.APSP, np.arange(150)),
        1,
        {},
        out,
        progress=lambda *at: reports.append(at),
    )
    run(order, device_of())
    assert reports == [(64, 150), (128, 150), (150, 150)]
