"""Published variants that "auto" rarely takes: algorithms in rounds, and tables of papers.

Their loops are registered with the engines of devices, which know none of them.
"""

from __future__ import annotations

from warpath.engines import loops
from warpath.engines.papers import duan2025
from warpath.recipes import CATALOGUE, Loop
from warpath.recipes.recipe import IN_ROUNDS

loops.register(
    cpu={
        Loop.SETTLE: "warpath.engines.papers.settle:on_cpu",
        Loop.STEPPING: "warpath.engines.papers.rounds:stepping",
    },
    device={
        **dict.fromkeys(IN_ROUNDS, "warpath.engines.papers.rounds:rounds"),
        Loop.MATRIX_STEPS: "warpath.engines.papers.on_matrix:matrix_steps",
        Loop.ROUNDS_A_SOURCE: "warpath.engines.papers.johnson:rounds_a_source",
        Loop.THREAD_A_SOURCE: "warpath.engines.papers.on_matrix:thread_a_source",
    },
)
CATALOGUE.extend(duan2025.RECIPES)
