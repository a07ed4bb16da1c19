"""Times of published recipes on a GPU, to compare with ours."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.graph import generate
from warpath.recipes import CATALOGUE, Task
from warpath_bench.limits import TimeIsUpError, at_most, outcome

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
