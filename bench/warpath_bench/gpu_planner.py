"""Check whether the planner chooses the fastest of our recipes for a GPU, on held-out graphs.

The planner's costs were fitted to New York, `grid`, `mesh`, R-MAT of edge factor 16 and uniform
graphs; it is judged on other parameters, seeds and kinds, with weights of several types.
"""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.base import units
from warpath.base.errors import WarpathError
from warpath.recipes.recipe import IN_ONE_LAUNCH
from warpath_bench.pair import TimeIsUpError, at_most

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from warpath.graph import Graph
    from warpath.planner.device_kind import Candidate
    from warpath.planner.plan import Plan
    from warpath.results.paths import Paths
    from warpath_bench.right import Right

    Line = dict[str, Any]

_REPEATS = 3
_HOPELESS = 3.0  # multiple of the fastest time beyond which one solve is enough
_LEAST = 0.02  # seconds that every solve may take, however fast another one is
_PREPARING = 0.25  # seconds to bring the graph into a recipe's form
#: Maximum ratio of a good choice's time to the best one's.
GOOD = 1.1


def timed_candidates(graph: Graph, right: dict[int, Right], device: str) -> Line:
    """Return the choice of "auto", and the times of all its candidates.

    Parameters
    ----------
    right : the right answers by source.

    Returns
    -------
    chosen : the recipe that the planner chooses.
    ms : recipe -> milliseconds of a call, the median over the sources of medians of three; a
        single solve if it takes more than three times the best time.
    predicted_ms : recipe -> milliseconds that the planner predicts.
    unmeasured : recipe -> why it has no time: an error, or the limit after which it was stopped.
    wrong : number of wrong distances of all recipes.
    """
    sources = list(right)
    plan = calls.plan(graph, sources[0], device=device)
    candidates: list[Plan | Candidate] = [plan, *plan.runners_up]
    line: Line = {
        "chosen": plan.algorithm,
        "ms": {},
        "unmeasured": {},
        "wrong": 0,
        "predicted_ms": {one.recipe.name: 1e3 * (one.seconds or 0) for one in candidates},
    }
    for one in sorted(candidates, key=lambda one: one.recipe.loop not in IN_ONE_LAUNCH):
        name, alone = one.recipe.name, one.recipe.loop in IN_ONE_LAUNCH

        def solve(source: int, name: str = name) -> Paths:
            return calls.sssp(graph, source, algorithm=name, device=device)

        hopeless = _HOPELESS * min(line["ms"].values(), default=math.inf)
        seconds = math.inf if alone else max(hopeless / 1e3, _LEAST)
        try:
            with _at_most(seconds + _PREPARING):
                line["wrong"] += right[sources[0]].wrong(solve(sources[0]).dist)[0]
            with _at_most(seconds):
                once = _ms(solve, sources[0])
            if once <= hopeless:
                once = median(median(_ms(solve, at) for _ in range(_REPEATS)) for at in sources)
            line["ms"][name] = once
        except TimeIsUpError:
            line["unmeasured"][name] = f"over {units.seconds(seconds)}"
        except (WarpathError, MemoryError) as error:
            line["unmeasured"][name] = f"{type(error).__name__}: {error}"
    return line


def _at_most(seconds: float) -> AbstractContextManager[None]:
    """Stop a solve in rounds after some seconds; inf sets no limit."""
    return at_most(seconds) if math.isfinite(seconds) else nullcontext()


def _ms(solve: Callable[[int], Paths], source: int) -> float:
    start = time.perf_counter()
    solve(source)
    return 1e3 * (time.perf_counter() - start)


def over_best(line: Line, *, ours: bool) -> float | None:
    """Return the ratio of the choice's time to the best one's; None if the choice has no time.

    Parameters
    ----------
    ours : whether the best is chosen from our own recipes, not from all.
    """
    times: dict[str, float] = line["ms"]
    chosen = times.get(line["chosen"])
    rivals = [ms for name, ms in times.items() if not ours or name.startswith("warpath.")]
    return None if chosen is None or not rivals else chosen / min(rivals)
