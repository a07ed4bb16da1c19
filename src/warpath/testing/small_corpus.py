"""``python -m warpath.testing.small_corpus``: every CUDA recipe on small graphs, for sanitizers.

Arrays are allocated one by one, not from CuPy's pool, so that memcheck sees where each one ends.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from warpath import api
from warpath.recipes import CATALOGUE, Task
from warpath.testing import corpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.paths import Paths

#: Nasty in different ways, and few rounds each.
NAMES = (
    "one_vertex", "self_loops", "parallel_edges", "zero_cycle", "isolated_vertices", "star_out",
    "star_in", "complete", "power_law", "two_equal_paths", "unsorted_rows",
    "negative_without_cycle",
)  # fmt: skip
TYPES = ("int32", "float32")


def solve_all(solve: Callable[..., Paths]) -> int:
    """Solve with every recipe, traced and not; return how many solves that were.

    Raises
    ------
    AssertionError
        If labels of an exact recipe differ from the CPU's.
    """
    solves = 0
    for name in NAMES:
        for dtype in TYPES:
            graph = corpus.case(name).astype(dtype).graph()
            facts = graph.facts(symmetry=False)
            expected = api.sssp(graph, 0, device="cpu").dist
            for recipe in CATALOGUE:
                if "cuda" not in recipe.devices or recipe.objection(Task.SSSP, facts) is not None:
                    continue
                for trace in (False, True):
                    found = solve(graph, 0, algorithm=recipe.name, device="cuda", trace=trace)
                    solves += 1
                    if recipe.exact and not np.array_equal(found.dist, expected):
                        raise AssertionError(f"{recipe.name} is wrong on {name}, {dtype}")
    return solves


def main() -> int:
    """Solve on the first GPU."""
    from warpath.engines.cuda.device import open_device

    open_device("cuda").xp.cuda.set_allocator(None)
    sys.stdout.write(f"{solve_all(api.sssp)} solves\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
