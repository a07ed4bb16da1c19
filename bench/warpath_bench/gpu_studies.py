"""Published recipes beside ours on a GPU, and whether the planner chooses the fastest of ours.

The planner's costs were fitted to New York, `grid`, `mesh`, R-MAT of edge factor 16 and uniform
graphs; it is judged on other parameters, seeds and kinds, with weights of several types.
"""

from __future__ import annotations

import math
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.graph import generate
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.recipe import IN_ONE_LAUNCH
from warpath_bench.limits import TimeIsUpError, at_most, outcome
from warpath_bench.tables import no_times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import DTypeLike

    from warpath.graph import Graph
    from warpath_bench.right import Right

    Line = dict[str, Any]

_SHORT = 0.05  # seconds; a shorter solve is timed three times
_SMALL = 2**13  # vertices: enough for more than one bucket
#: Factors of the limit for a first solve on a GPU, which copies the graph and may transpose it.
_TRIES = (1, 3, 9)
_PREPARED = 3  # more rounds than these show that the graph has been prepared
_HOPELESS = 3.0  # multiple of the best candidate's time that another candidate may take
_LEAST = 0.3  # seconds that every candidate may take
_ALONE = 60.0  # seconds for a recipe in one launch, which cannot be stopped
#: Maximum ratio of a good choice's time to the best one's.
GOOD = 1.1


def warm_up(names: Iterable[str], dtype: DTypeLike, device: str) -> None:
    """Solve a small graph by each recipe, so that later solves need no compilation."""
    graph = generate.uniform(_SMALL, 8).astype(dtype)
    facts = graph.facts(symmetry=False)
    for name in names:
        if CATALOGUE[name].objection(Task.SSSP, facts) is None:
            calls.sssp(graph, 0, algorithm=name, device=device)


def beside(graph: Graph, name: str, source: int, right: Right, device: str, limit: float) -> Line:
    """Return the times of a recipe from a source, or the reason why there are none.

    Returns
    -------
    call_ms, rounds, wrong : the times of one or three solves after a first one, the rounds if
        reported, and the number of wrong distances.
    """

    def once(seconds: float) -> tuple[float, Any]:
        with at_most(seconds):
            start = time.perf_counter()
            paths = calls.sssp(graph, source, algorithm=name, device=device)
            return time.perf_counter() - start, paths

    def first() -> float:
        for longer in () if device == "cpu" else _TRIES[:-1]:
            try:
                return once(longer * limit)[0]
            except TimeIsUpError as stopped:
                if (stopped.rounds or 0) > _PREPARED:
                    raise
        return once(limit if device == "cpu" else _TRIES[-1] * limit)[0]

    def measure() -> Line:
        runs = [once(limit) for _ in range(3 if first() < _SHORT else 1)]
        return {
            "call_ms": [1e3 * seconds for seconds, _ in runs],
            "rounds": runs[-1][1].stats.get("rounds"),
            "wrong": right.wrong(runs[-1][1].dist)[0],
        }

    return outcome(CATALOGUE[name], Task.SSSP, graph, limit, measure)


def timed_candidates(graph: Graph, right: dict[int, Right], device: str) -> Line:
    """Return the choice of "auto", and the times of all its candidates.

    Parameters
    ----------
    right : the right answers by source.

    Returns
    -------
    chosen : the recipe that the planner chooses.
    ms : recipe -> milliseconds of a call, the median over the sources.
    predicted_ms : recipe -> milliseconds that the planner predicts.
    unmeasured : recipe -> why it has no time: an error, or the limit after which it was stopped.
    wrong : number of wrong distances of all recipes.
    """
    plan = calls.plan(graph, next(iter(right)), device=device)
    candidates: list[Any] = [plan, *plan.runners_up]
    line: Line = {
        "chosen": plan.algorithm,
        "ms": {},
        "unmeasured": {},
        "wrong": 0,
        "predicted_ms": {one.recipe.name: 1e3 * (one.seconds or 0) for one in candidates},
    }
    for recipe in sorted(
        (one.recipe for one in candidates), key=lambda one: one.loop not in IN_ONE_LAUNCH
    ):
        best = min(line["ms"].values(), default=math.inf) / 1e3
        limit = min(_ALONE, max(_HOPELESS * best, _LEAST))
        if recipe.loop in IN_ONE_LAUNCH:
            limit = _ALONE
        found = [beside(graph, recipe.name, s, one, device, limit) for s, one in right.items()]
        missing = [one for one in found if "call_ms" not in one]
        line["wrong"] += sum(one.get("wrong", 0) for one in found)
        if missing:
            line["unmeasured"][recipe.name] = no_times(missing[0])
        else:
            line["ms"][recipe.name] = median(median(one["call_ms"]) for one in found)
    return line


def over_best(line: Line) -> float | None:
    """Return the ratio of the choice's time to the best one's; None if the choice has no time."""
    times: dict[str, float] = line["ms"]
    chosen = times.get(line["chosen"])
    return None if chosen is None else chosen / min(times.values())
