"""Whether the planner takes the fastest of our recipes for a GPU, on graphs that it was not set by.

The planner's costs were set by New York, `grid`, `mesh`, R-MAT of edge factor 16 and uniform
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
    from warpath.planner.plan import Candidate, Plan
    from warpath.results.paths import Paths
    from warpath_bench.right import Right

    Line = dict[str, Any]

_REPEATS = 3
_HOPELESS = 3.0  # times the fastest: then one solve is enough
_LEAST = 0.02  # seconds that a solve may take however fast another one is
_PREPARING = 0.25  # seconds to bring the graph to where a recipe wants it
#: A choice is good that takes at most so many times the best one's time.
GOOD = 1.1


def timed_candidates(graph: Graph, right: dict[int, Right], device: str) -> Line:
    """Return what "auto" takes, and the time of all that it could have taken.

    Parameters
    ----------
    right : the answers of the sources.

    Returns
    -------
    chosen : the recipe that the planner takes.
    ms : recipe -> milliseconds of a call, the median over the sources of the medians of three; of
        one that takes several times the best one's time, a single solve.
    predicted_ms : recipe -> what the planner thinks.
    unmeasured : recipe -> why it has no time: in rounds, it was stopped after as long.
    wrong : distances that are not the right ones, of all recipes.
    """
    sources = list(right)
    plan = calls.plan(graph, sources[0], device=device)
    candidates: list[Plan | Candidate] = [plan, *plan.runners_up]
    line: Line = {
        "chosen": plan.algorithm, "ms": {}, "unmeasured": {}, "wrong": 0,
        "predicted_ms": {one.recipe.name: 1e3 * (one.seconds or 0) for one in candidates},
    }  # fmt: skip
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
    """Stop what works in rounds after so many seconds; one launch is not stopped."""
    return at_most(seconds) if math.isfinite(seconds) else nullcontext()


def _ms(solve: Callable[[int], Paths], source: int) -> float:
    start = time.perf_counter()
    solve(source)
    return 1e3 * (time.perf_counter() - start)


def over_best(line: Line, *, ours: bool) -> float | None:
    """Return the time of the choice over the best one's; None where the choice has none.

    Parameters
    ----------
    ours : whether the best is that of our own recipes, or of all.
    """
    times: dict[str, float] = line["ms"]
    chosen = times.get(line["chosen"])
    rivals = [ms for name, ms in times.items() if not ours or name.startswith("warpath.")]
    return None if chosen is None or not rivals else chosen / min(rivals)
