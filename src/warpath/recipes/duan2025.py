"""Duan, Mao, Mao, Shu, Yin: one source without sorting the vertices."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Loop, Param, Recipe, Task

_PAPER = Citation(
    "Duan, Mao, Mao, Shu, Yin",
    "Breaking the sorting barrier for directed single-source shortest paths",
    "STOC",
    2025,
)

RECIPES = (
    Recipe(
        "duan2025.bmssp",
        "Bounded multi-source shortest paths by recursion: one source in O(m log^(2/3) n).",
        _PAPER,
        "section 3, algorithms 1 to 3, lemma 3.3",
        frozenset({Task.SSSP}),
        Loop.BMSSP,
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
