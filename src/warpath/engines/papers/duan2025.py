"""Duan, Mao, Mao, Shu, Yin: one source without sorting the vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from warpath import _core
from warpath.engines.base import Raw
from warpath.engines.cpu import run_search
from warpath.recipes.recipe import Citation, Loop, OwnLoop, Param, Recipe, Task

if TYPE_CHECKING:
    from warpath.engines.base import Order, Search
    from warpath.graph import Graph
    from warpath.graph.facts import Facts

_PAPER = Citation(
    "Duan, Mao, Mao, Shu, Yin",
    "Breaking the sorting barrier for directed single-source shortest paths",
    "STOC",
    2025,
)

# Bytes of a vertex's label, marks and entries in lists: 26 to 35 on roads and random graphs, 61 on
# R-MAT, where far more is reached than settled.
_A_VERTEX = 64


def _bytes(facts: Facts) -> int:
    return facts.n * _A_VERTEX


def _search(graph: Graph, params: dict[str, float], cutoff: float | None) -> Search:
    return cast("Search", _core.bmssp_search(*graph._solver_rows, *_sizes(params), cutoff))


def _run(order: Order) -> Raw:
    """Search from one source; for a trace, count comparisons and additions of labels too."""
    if order.trace is None:
        return run_search(order)
    graph, problem = order.graph, order.problem
    dist = np.empty(graph.n, graph.dist_dtype)
    stats = _core.bmssp(
        *graph._solver_rows, problem.source, dist, *_sizes(order.params), cutoff=problem.cutoff,
        progress=order.progress,
    )  # fmt: skip
    return Raw(dist, stats=stats)


def _sizes(params: dict[str, float]) -> tuple[int, int, bool]:
    """Return k, t and whether to search the graph of constant degree; 0 for those of the paper."""
    return int(params.get("k", 0)), int(params.get("t", 0)), "constant_degree" in params


RECIPES = (
    Recipe(
        "duan2025.bmssp",
        "Bounded multi-source shortest paths by recursion: one source in O(m log^(2/3) n).",
        _PAPER,
        "section 3, algorithms 1 to 3, lemma 3.3",
        frozenset({Task.SSSP}),
        Loop.OWN,
        own=OwnLoop(_bytes, cpu=_run, search=_search),
        params=(
            Param(
                "k",
                "the rounds of relaxation that find pivots, and the vertices of a base case; "
                "floor(log2(n)^(1/3)) by default",
                whole=True,
                most=4096,
                of_loop=True,
            ),
            Param(
                "t",
                "log2 of the number of batches of a level; floor(log2(n)^(2/3)) by default",
                whole=True,
                most=32,
                of_loop=True,
            ),
            Param(
                "constant_degree",
                "1 to search the graph of section 2, in which a cycle of vertices of in- and "
                "out-degree at most 2 replaces each vertex; by default the graph is not changed",
                whole=True,
                most=1,
                of_loop=True,
            ),
        ),
        planned=False,
        note="The bound of the paper holds for constant degrees: with constant_degree=1. Bounds of "
        "blocks are in a sorted array instead of a search tree: as many comparisons. Entries of "
        "labels that have fallen are skipped, not deleted. With float weights, hops are counted "
        "from the last edge that lengthened the path, because rounding breaks the order by all "
        "hops. An edge is not relaxed where its sum lies outside the bounds that matter. The base "
        "case ends one vertex earlier, with the same result.",
    ),
)
