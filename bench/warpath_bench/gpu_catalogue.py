"""Time every published recipe of the catalogue from one source, within a time limit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.base.errors import WarpathError
from warpath.graph import generate
from warpath.recipes import CATALOGUE, Task
from warpath_bench.catalogue import BASELINES
from warpath_bench.pair import TimeIsUpError, at_most, too_wide

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import DTypeLike

    from warpath.graph import Graph
    from warpath_bench.right import Right

    Line = dict[str, Any]

_SHORT = 0.05  # seconds; a shorter solve is timed three times
_TRIES = 3  # of a first solve on a GPU, which copies the graph there and may transpose it
_SMALL = 2**13  # vertices: enough for more than one bucket
_LONGER = 3  # factor of the limit from one try to the next
_PREPARED = 3  # more rounds than these show that the graph has been prepared


def published(kind: str) -> tuple[str, ...]:
    """Return the names of published recipes for one source on a kind of device.

    Those that need a prepared graph are left out: some of the graphs have no hierarchy.
    """
    return tuple(
        recipe.name
        for recipe in CATALOGUE
        if Task.SSSP in recipe.solves
        and kind in recipe.devices
        and not recipe.prepared
        and not recipe.name.startswith("warpath.")
        and (not recipe.name.startswith("classic.") or recipe.name in BASELINES)
    )


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
    refused : in their place, why the recipe cannot solve this.
    limit, rounds_made : in their place, the time limit in seconds, and the rounds until then.
    failed : in their place, the error.
    """
    recipe = CATALOGUE[name]
    refused = recipe.objection(Task.SSSP, graph.facts(symmetry=False)) or too_wide(recipe, graph)
    if refused is not None:
        return {"refused": refused}
    times: list[float] = []
    wanted, tries, seconds = 4, 1 if device == "cpu" else _TRIES, limit
    while len(times) < wanted:
        try:
            with at_most(limit if times else seconds):
                start = time.perf_counter()
                paths = calls.sssp(graph, source, algorithm=name, device=device)
                times.append(time.perf_counter() - start)
        except TimeIsUpError as stopped:
            tries -= 1
            if times or not tries or (stopped.rounds or 0) > _PREPARED:
                return {"limit": limit, "rounds_made": stopped.rounds}
            seconds *= _LONGER
        except (WarpathError, MemoryError) as error:
            return {"failed": f"{type(error).__name__}: {error}"}
        else:
            wanted = 4 if times[-1] < _SHORT else 2
    return {
        "call_ms": [1e3 * each for each in times[1:]],
        "rounds": paths.stats.get("rounds"),
        "wrong": right.wrong(paths.dist)[0],
    }
