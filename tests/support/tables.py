"""Distance tables of the CUDA engine on a device, and their expected answers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from support import reference
from support.compare import assert_same_bits, noting
from support.kernels import assert_is_a_negative_cycle
from warpath.base.dtypes import unreachable
from warpath.base.errors import NegativeCycleError
from warpath.engines import cpu
from warpath.engines.base import Order, Problem, TableOrder, Trips, TripsOrder
from warpath.engines.cuda.engine import run, totals
from warpath.engines.cuda.rows import longest
from warpath.engines.emulator.build import loaded_sanitizer
from warpath.graph.zones import opened
from warpath.recipes import Task
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph
    from warpath.recipes import Recipe
    from warpath.results.trace import Trace

    #: A table, or the type of the error in its place.
    Answer = Array | type[Exception]

# The core is not compiled for the sanitizer, which cannot see that its threads wait for each other.
if loaded_sanitizer():
    os.environ["WARPATH_THREADS"] = "1"


def problem_of(
    graph: Graph, sources: Array, targets: Array | None = None, cutoff: float | None = None
) -> Problem:
    """Return the problem of some sources: all pairs if these are all vertices, without targets."""
    whole = targets is None and np.array_equal(sources, np.arange(opened(graph).n))
    return Problem(Task.APSP if whole else Task.MANY, sources, targets, cutoff)


def all_pairs(graph: Graph) -> Problem:
    """Return the problem of all pairs of the opened graph."""
    return Problem(Task.APSP, np.arange(opened(graph).n))


def able(recipe: Recipe, graph: Graph, task: Task) -> bool:
    """Return whether a recipe solves a task on a graph, which it must not refuse."""
    inner = opened(graph)
    if task not in recipe.solves or recipe.objection(task, inner.facts(symmetry=False)) is not None:
        return False
    return not recipe.reassociates or longest(inner) < 2**61


def expected(graph: Graph, problem: Problem) -> Answer:
    """Return the table of the opened graph by plain Python, or the expected type of error.

    All pairs fail for a negative cycle anywhere, several sources only for one that they reach.
    """
    inner = opened(graph)
    negative = inner.facts(symmetry=False).negative > 0
    search = reference.bellman_ford if negative else reference.dijkstra
    every = negative and problem.task is Task.APSP
    try:
        starts = range(inner.n) if every else problem.sources.tolist()
        rows = {source: search(inner, source) for source in starts}
    except OverflowError:
        return OverflowError
    columns = slice(None) if problem.targets is None else problem.targets
    found = []
    for source in problem.sources.tolist():
        labels = rows[source]
        if labels is None:
            return NegativeCycleError
        found.append(cpu.cut(labels, problem.cutoff)[columns])
    if any(labels is None for labels in rows.values()):
        return NegativeCycleError
    return np.array(found, inner.dist_dtype).reshape(len(problem.sources), -1)


def solve(
    recipe: Recipe,
    graph: Graph,
    problem: Problem,
    device: Device,
    *,
    params: dict[str, float] | None = None,
    paths: bool = False,
    dtype: DTypeLike | None = None,
    trace: Trace | None = None,
) -> tuple[Array, Array | None]:
    """Return the distances in the opened graph, and the predecessors if requested."""
    inner = opened(graph)
    columns = inner.n if problem.targets is None else len(problem.targets)
    shape = len(problem.sources), columns
    out = np.empty(shape, inner.dist_dtype if dtype is None else dtype)
    out.view(np.uint8).fill(0xA5)
    pred = np.full(shape, -9, inner.indices.dtype) if paths else None
    numbers = chosen_params(recipe, inner.facts(symmetry=False), params or {})
    raw = run(TableOrder(recipe, inner, problem, 1, numbers, out, trace=trace, pred=pred), device)
    assert raw.dist is out
    # Reduced lengths cannot be compared with a cutoff: the caller applies it to the answer.
    return (cpu.cut(out, problem.cutoff) if recipe.negative else out), pred


def check(
    recipe: Recipe,
    graph: Graph,
    problem: Problem,
    device: Device,
    answer: Answer,
    *,
    params: dict[str, float] | None = None,
    paths: bool = False,
    dtype: DTypeLike | None = None,
    trace: Trace | None = None,
) -> None:
    """Solve and raise AssertionError unless the result is the answer, or its error.

    Integers and floats must equal plain Python's to the bit; if a recipe adds in another order,
    floats must be within n eps of the longest length. Predecessors must give such paths.
    """
    inner = opened(graph)
    found: tuple[Array, Array | None] | type[Exception]
    with noting(f"{recipe.name} {params}, {problem} on {graph!r}, paths {paths}, {dtype}"):
        try:
            found = solve(
                recipe, graph, problem, device, params=params, paths=paths, dtype=dtype, trace=trace
            )
        except NegativeCycleError as cycle:
            assert_is_a_negative_cycle(inner, cycle)
            found = NegativeCycleError
        except OverflowError:
            found = OverflowError
        if isinstance(found, type) or isinstance(answer, type):
            if found is not answer:
                raise AssertionError(f"found {found}, expected {answer}")
            return
        dist, pred = found
        wanted = narrowed(answer, dist.dtype)
        assert_lengths(recipe, inner, dist, wanted)
        if pred is not None and problem.targets is None:
            assert_paths(recipe, inner, problem.sources, wanted, pred)


def narrowed(dist: Array, dtype: DTypeLike) -> Array:
    """Return distances in another type that holds them, with its label for unreachable."""
    kind = np.dtype(dtype)
    if dist.dtype == kind:
        return dist
    return np.where(dist == unreachable(dist.dtype), unreachable(kind), dist).astype(kind)


def assert_lengths(recipe: Recipe, graph: Graph, found: Array, wanted: Array) -> None:
    """Raise AssertionError unless a table has the expected lengths, as exact as the recipe is."""
    if wanted.dtype.kind != "f" or not recipe.reassociates:
        assert_same_bits(found, wanted, graph)
        return
    if found.dtype != wanted.dtype or not np.array_equal(np.isinf(found), np.isinf(wanted)):
        raise AssertionError(f"other vertices are reached: {found}, {wanted}")
    reached = np.isfinite(wanted)
    off = np.abs(found[reached] - wanted[reached])
    if (off > _slack(graph, wanted)).any():
        raise AssertionError(f"{off.max()} off, {_slack(graph, wanted)} is allowed")


def _slack(graph: Graph, dist: Array) -> float:
    """Return the allowed rounding error: n eps of the longest length or potential."""
    weights = graph._solver_weights
    longest = np.abs(dist[np.isfinite(dist)], dtype=np.float64).max(initial=0)
    if graph.facts(symmetry=False).negative:
        longest = max(longest, float(np.abs(weights[np.isfinite(weights)]).sum()))
    return float(graph.n * np.finfo(dist.dtype).eps * longest)


def check_pairs(
    recipe: Recipe, graph: Graph, problem: Problem, device: Device, answer: Array
) -> None:
    """Solve the entries of a table as pairs, without the last one.

    Raises AssertionError unless they are the answer's.
    """
    inner = opened(graph)
    columns = np.arange(inner.n) if problem.targets is None else problem.targets
    sources, targets = np.repeat(problem.sources, len(columns)), np.tile(columns, len(answer))
    trips = Trips(Task.PAIRS, sources[:-1], targets[:-1])
    with noting(f"{recipe.name}, {trips} on {graph!r}"):
        raw = run(TripsOrder(recipe, inner, trips, 1, {}), device)
        assert_lengths(recipe, inner, raw.dist, answer.reshape(-1)[:-1])


def check_totals(
    recipe: Recipe, graph: Graph, problem: Problem, device: Device, answer: Array
) -> None:
    """Add up the rows of a table on a device; raise AssertionError unless they are the answer's."""
    inner, names = opened(graph), ("sum", "max", "count", "harmonic")
    found = totals(Order(recipe, inner, problem, 1, {}), device, names)
    assert found is not None
    reached = answer != unreachable(answer.dtype)
    known = np.where(reached, answer, 0)
    wide = known.astype(np.int64 if known.dtype.kind == "i" else np.float64)
    assert_same_bits(found["count"], reached.sum(axis=1))
    # Floats are sums in another order, and so are sums of inverses.
    slack = inner.n * np.finfo(answer.dtype if answer.dtype.kind == "f" else np.float64).eps
    with np.errstate(divide="ignore", over="ignore"):
        inverses = np.where(known > 0, 1 / np.maximum(wide, 1e-300), 0).sum(axis=1)
    expected = {"sum": wide.sum(axis=1), "max": known.max(axis=1, initial=0), "harmonic": inverses}
    for name, right in expected.items():
        if answer.dtype.kind == "i" and name != "harmonic":
            assert_same_bits(found[name], right.astype(found[name].dtype))
        else:
            assert np.allclose(found[name], right, rtol=slack), (name, found[name], right)


def assert_paths(recipe: Recipe, graph: Graph, sources: Array, dist: Array, pred: Array) -> None:
    """Raise AssertionError unless the path that predecessors give has the distance's length."""
    exact = dist.dtype.kind != "f" or not recipe.reassociates
    edges: dict[tuple[int, int], Any] = {}
    for u, v, weight in zip(*(part.tolist() for part in graph.edges()), strict=True):
        edges[u, v] = min(weight, edges.get((u, v), weight))
    for row, source in enumerate(sources.tolist()):
        for v in range(graph.n):
            if dist[row, v] == unreachable(dist.dtype) or v == source:
                if pred[row, v] != -1:
                    raise AssertionError(
                        f"{v} from {source} has predecessor {pred[row, v]}, not -1"
                    )
                continue
            length = _walked(edges, pred[row].tolist(), source, v, dist.dtype)
            off = abs(float(length) - float(dist[row, v]))
            if length != dist[row, v] if exact else off > _slack(graph, dist):
                raise AssertionError(f"the path {source} to {v} has {length}, not {dist[row, v]}")


def _walked(
    edges: dict[tuple[int, int], Any], pred: list[int], source: int, v: int, dtype: np.dtype[Any]
) -> Any:
    """Return the length of the path that predecessors give, added from the source on."""
    route = [v]
    while route[-1] != source:
        if len(route) > len(pred) or route[-1] < 0:
            raise AssertionError(f"the predecessors of {v} do not lead to {source}: {route[:9]}")
        route.append(pred[route[-1]])
    length = dtype.type(0) if dtype.kind == "f" else 0
    with np.errstate(all="ignore"):
        for a, b in zip(route[:0:-1], route[-2::-1], strict=True):
            length += edges[a, b] if dtype.kind != "f" else dtype.type(edges[a, b])
    return length
