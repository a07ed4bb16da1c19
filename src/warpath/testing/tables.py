"""Tables of the CUDA engine on the emulator, and what they must give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines import cpu
from warpath.engines.base import Order, Problem
from warpath.engines.cuda.engine import run
from warpath.errors import NegativeCycleError
from warpath.paths import never
from warpath.recipes import Recipe, Task
from warpath.recipes.params import chosen_params
from warpath.testing import reference

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.engines.base import Device
    from warpath.graph import Graph

    Array = NDArray[Any]


def problem_of(
    graph: Graph, sources: Array, targets: Array | None = None, cutoff: float | None = None
) -> Problem:
    """Return the problem of some sources; of all vertices and all targets it is APSP."""
    whole = targets is None and np.array_equal(sources, np.arange(graph.n))
    return Problem(Task.APSP if whole else Task.MANY, sources, targets, cutoff)


def expected_table(graph: Graph, problem: Problem) -> Array | type[Exception]:
    """Return the table by plain Python, a search for each source."""
    columns = slice(None) if problem.targets is None else problem.targets
    negative = bool(graph.facts(symmetry=False).negative)
    if negative and problem.task is Task.APSP and _has_negative_cycle(graph):
        return NegativeCycleError
    search = reference.bellman_ford if negative else reference.dijkstra
    rows = []
    for source in problem.sources.tolist():
        try:
            labels = search(graph, source)
        except OverflowError:
            return OverflowError
        if labels is None:
            return NegativeCycleError
        rows.append(cpu.cut(labels, problem.cutoff)[columns])
    return np.array(rows, graph.dist_dtype).reshape(len(problem.sources), -1)


def table(
    recipe: Recipe, graph: Graph, problem: Problem, device: Device,
    params: dict[str, float] | None = None, dtype: DTypeLike | None = None,
) -> Array | type[Exception]:  # fmt: skip
    """Return the table of a recipe, or the error that it raised. A caller cuts reduced labels."""
    columns = graph.n if problem.targets is None else len(problem.targets)
    out = np.full((len(problem.sources), columns), -7, dtype or graph.dist_dtype)
    numbers = chosen_params(recipe, graph.facts(symmetry=False), params or {})
    try:
        run(Order(recipe, graph, problem, 1, numbers, out), device)
    except (NegativeCycleError, OverflowError) as error:
        return NegativeCycleError if isinstance(error, NegativeCycleError) else OverflowError
    return cpu.cut(out, problem.cutoff) if recipe.negative else out


def check_table(
    recipe: Recipe, graph: Graph, problem: Problem, device: Device,
    answer: Array | type[Exception], params: dict[str, float] | None = None,
) -> None:  # fmt: skip
    """Fill a table and raise AssertionError unless the answer, or its error, comes out."""
    found = table(recipe, graph, problem, device, params)
    what = f"{recipe.name} {params} on {graph!r}, {problem}"
    if isinstance(found, type) or isinstance(answer, type):
        if found is not answer:
            raise AssertionError(f"{what}: found {found}, expected {answer}")
        return
    negative = bool(graph.facts(symmetry=False).negative)
    close = graph.dist_dtype.kind == "f" and (negative or recipe.reassociates)
    if close:
        same = np.array_equal(found == np.inf, answer == np.inf) and np.allclose(found, answer)
    else:
        same = found.tobytes() == answer.tobytes()
    if not same:
        at = tuple(np.argwhere(found != answer)[0])
        raise AssertionError(f"{what}: {found[at]} at {at}, expected {answer[at]}")


def narrowed(answer: Array, dtype: DTypeLike) -> Array:
    """Return integer distances that fit in another type, with its own word for unreachable."""
    kind = np.dtype(dtype)
    return np.where(answer == never(answer.dtype), never(kind), answer).astype(kind)


def _has_negative_cycle(graph: Graph) -> bool:
    try:
        cpu.labels_or_cycle(graph, np.empty(0, np.int64), None)
    except NegativeCycleError:
        return True
    return False
