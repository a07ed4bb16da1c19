"""Published algorithms that return wrong distances, for demonstration."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Labels, Lower, Select
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Recipe, Task

_HARISH = Citation(
    "Harish, Narayanan",
    "Accelerating large graph algorithms on the GPU using CUDA",
    "HiPC (LNCS 4873)",
    2007,
)

RECIPES = (
    Recipe(
        "broken.harish_narayanan2007",
        "A sweep that lowers labels by read, compare and write: concurrent minima get lost.",
        _HARISH,
        "as Martín, Torres, Gavilanes 2009 describe and refute it: section 4.3, figure 5, right",
        frozenset({Task.SSSP}),
        Loop.SWEEPS,
        devices=GPU_ONLY,
        axes=Axes(Select.IMPROVED, lower=Lower.PLAIN_MIN, labels=Labels.TWO_ARRAYS),
        exact=False,
        planned=False,
        note="With its second array a round does not read labels that it writes. But if two "
        "threads lower a label concurrently, the larger value may remain, and no later round "
        "corrects it. martin2009.f_gpu is the corrected form.",
    ),
)
