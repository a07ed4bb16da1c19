"""Dong, Gu, Sun, Zhang 2021: stepping algorithms, which differ in the threshold of a step."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Emit, Map, Select
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Param, Recipe, Task

_PAPER = Citation(
    "Dong, Gu, Sun, Zhang",
    "Efficient stepping algorithms and implementations for parallel shortest paths",
    "SPAA",
    2021,
)
_DELTA = Param(
    "delta",
    "the increment of the threshold in each step, in the unit of the weights, a whole number for "
    "integers; 32 x mean weight / mean degree by default, with a degree of at least 1",
    default=32,
    relative=True,
)
_RHO = Param(
    "rho",
    "the number of waiting vertices, the nearest ones, that a step takes; about as many where "
    "more wait; 2^20 by default",
    2**20,
    whole=True,
    most=2**31 - 1,
)
_QUEUE = (
    "On a GPU one kernel makes all steps. The queue is a list, where the paper chooses between a "
    "list and flags by its size; each step reads all of it and drops doubles. Edges are pushed "
    "only, where the paper pulls to a large frontier of an undirected graph."
)

_DELTA_STAR = Recipe(
    "dong2021.delta_star",
    "Delta*-stepping: every step raises the threshold by delta, without finishing a bucket.",
    _PAPER,
    "algorithm 1, the framework of stepping algorithms",
    frozenset({Task.SSSP}),
    Loop.STEPPING,
    params=(_DELTA,),
    devices=GPU_ONLY,
    axes=Axes(Select.DELTA_STAR, map=Map.MERGE_PATH, emit=Emit.PREFIX_SUM),
    planned=False,
    note=f"A step takes the labels below its threshold, not those equal to it. A step "
    f"without any is passed over. {_QUEUE}",
)

RECIPES = (
    _DELTA_STAR.but(
        "dong2021.rho_stepping",
        "Rho-stepping: every step takes the rho nearest of the waiting vertices.",
        params=(_RHO,),
        select=Select.RHO,
        note="The threshold is the label of its rank in a sample of the queue at equal distances, "
        f"one for each thread of a block, where the paper draws the sample at random. {_QUEUE}",
    ),
    _DELTA_STAR,
)
