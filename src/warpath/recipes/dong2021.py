"""Dong, Gu, Sun, Zhang 2021: stepping algorithms, which differ in the threshold of a step."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Emit, Map, Select
from warpath.recipes.recipe import Citation, Loop, Param, Recipe, Task

_PAPER = Citation(
    "Dong, Gu, Sun, Zhang",
    "Efficient stepping algorithms and implementations for parallel shortest paths",
    "SPAA",
    2021,
)
_DELTA = Param(
    "delta",
    "the increment of the threshold in each step, in the unit of the weights, a whole number for "
    "integers; mean weight / mean degree by default, with a degree of at least 1",
    default=1,
    relative=True,
)
_RHO = Param(
    "rho",
    "the number of vertices that a step takes, the nearest ones, or about as many; 256 for each "
    "thread of a CPU by default, 16,384 on a GPU",
    whole=True,
    most=2**31 - 1,
    of_loop=True,
)
_QUEUE = (
    "The queue is a list, on a CPU one for each thread, where the paper chooses between a list and "
    "flags by its size; every step reads all of it. Steps of few vertices are not joined. Edges "
    "are only pushed, where the paper pulls to a large frontier of an undirected graph."
)

_DELTA_STAR = Recipe(
    "dong2021.delta_star",
    "Delta*-stepping: every step raises the threshold by delta, without finishing a bucket.",
    _PAPER,
    "algorithm 1, the framework of stepping algorithms",
    frozenset({Task.SSSP}),
    Loop.STEPPING,
    params=(_DELTA,),
    devices=("cpu", "cuda"),
    axes=Axes(Select.DELTA_STAR, map=Map.MERGE_PATH, emit=Emit.PREFIX_SUM),
    planned=False,
    note=f"A step that would take nothing is passed over. {_QUEUE}",
)

RECIPES = (
    _DELTA_STAR.but(
        "dong2021.rho_stepping",
        "Rho-stepping: every step takes the rho nearest of the waiting vertices.",
        params=(_RHO,),
        select=Select.RHO,
        note="The threshold is the label of its rank in a sample of the queue at equal distances, "
        "of 1,024 labels on a CPU and one for each thread of a block on a GPU. The paper draws it "
        f"at random. {_QUEUE}",
    ),
    _DELTA_STAR,
)
