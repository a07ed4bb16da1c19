"""Graphs that change on a GPU: repairs have the bits of a new solve on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.compare import assert_same_bits
from support.emulated_repairs import check_repairs, small_lists
from warpath import generate


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_repairs_have_the_bits_of_the_cores(dtype, gpu):
    check_repairs(gpu, dtype, range(6))


def test_a_full_list_of_lowered_vertices_is_no_error(gpu):
    with small_lists():
        check_repairs(gpu, "int32", range(3))


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("size", [1, 100, 5000])
def test_batches_of_a_large_grid_give_what_a_new_solve_gives(size):
    graph = generate.grid(500, 500, (100, 10_000), seed=1)
    src, dst, weights = graph.edges()
    one, random = np.flatnonzero(src < dst), np.random.default_rng(size)
    live = wp.DynamicPaths(graph, sources=[0, 125_250], device="cuda")
    for turn in range(6):
        at = random.choice(one, size, replace=False)
        new = np.maximum(weights[at] * random.uniform(0.5, 2, size), 1).astype(weights.dtype)
        live.update((src[at], dst[at]), new)
        if turn == 3:
            live.undo()
        now = live.graph
        for row, source in enumerate(live.sources.tolist()):
            paths = wp.sssp(now, source, device="cpu")
            assert_same_bits(live.dist[row], paths.dist, now)
            assert_same_bits(live.pred[row], paths.pred, now)
