"""Bodra, Khairnar 2025: Bellman-Ford on a GPU in three steps of refinement."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Emit, Labels, Map, Select
from warpath.recipes.recipe import Citation, Loop, Param, Recipe, Task

PAPER = Citation(
    "Bodra, Khairnar",
    "Accelerating and analyzing performance of shortest path algorithms on GPU using CUDA "
    "platform: Bellman-Ford, Dijkstra, and Floyd-Warshall algorithms",
    "Sci. Tech. J. Inf. Technol. Mech. Opt. 25(5)",
    2025,
)

_ROUNDS = Param(
    "rounds",
    "how many rounds to run, changes or not; without it the first round without a change ends it",
    whole=True,
)

_VERTEX = Recipe(
    "bodra2025.bf_vertex",
    "A thread for each vertex relaxes all its edges in every round, from a copy of the labels.",
    PAPER,
    "section Experimental Setup: Bellman-Ford algorithm, One thread per vertex; figure 1",
    frozenset({Task.SSSP}),
    Loop.SWEEPS,
    negative=True,
    params=(_ROUNDS,),
    devices=("cuda",),
    axes=Axes(Select.ALL, emit=Emit.FLAG, labels=Labels.TWO_ARRAYS),
    planned=False,
    note="The paper makes n - 1 launches whatever happens; params={'rounds': n - 1} does so too. "
    "Without it all three variants stop after the first round that changes nothing, so they are "
    "compared over the same number of rounds. Its two arrays and the copy after each round are "
    "kept.",
)

_STRIDED = _VERTEX.but(
    "bodra2025.bf_strided",
    "As bf_vertex, with a fixed grid whose threads stride over the vertices.",
    "section Experimental Setup: Bellman-Ford algorithm, Strided; figure 1",
    map=Map.GRID_STRIDE,
)

RECIPES = (
    _VERTEX,
    _STRIDED,
    _STRIDED.but(
        "bodra2025.bf_strided_flag",
        "As bf_strided, with a flag for each vertex: only those whose label fell relax.",
        "section Experimental Setup: Bellman-Ford algorithm, Strided with flag; figure 1",
        select=Select.IMPROVED,
        emit=Emit.FLAGS,
    ),
)
