"""Recipes of the CUDA engine on the emulator, and their expected answers."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernel_list import kernels_of
from support import reference
from support.compare import assert_same_bits, noting
from warpath.base.errors import NegativeCycleError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda.engine import run
from warpath.engines.emulator.device import EmulatedDevice
from warpath.graph.zones import opened
from warpath.recipes import Recipe, Task
from warpath.recipes.axes import Layout
from warpath.recipes.params import chosen_params
from warpath.results.predecessors import as_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.trace import Trace

#: The folder in which compiled kernels are cached between runs of the tests.
CACHE = Path(__file__).parents[2] / "build" / "emulated"


class Unset:
    """NumPy whose empty arrays hold -1 or NaN, to reveal elements that a kernel does not write."""

    def __getattr__(self, name: str) -> Any:
        """Return NumPy's attribute."""
        return getattr(np, name)

    def empty(self, shape: int, dtype: DTypeLike = float) -> Array:
        """Return an array whose bytes are all 255."""
        made = np.empty(shape, dtype)
        made.view(np.uint8).fill(255)
        return made

    def empty_like(self, array: Array) -> Array:
        """Return an array of the same shape and type whose bytes are all 255."""
        return self.empty(len(array), array.dtype)


@cache
def device_for(block: int = 64, processors: int = 1) -> EmulatedDevice:
    """Return this process's device with blocks of a size, for the loaded sanitizer if any."""
    device = EmulatedDevice(block=block, processors=processors, sanitize="loaded", cache=CACHE)
    device.xp = Unset()
    return device


def takes_wide_indices(recipe: Recipe) -> bool:
    """Return whether a recipe solves 2^31 vertices: no hierarchy, no matrix, no step on the CPU."""
    axes = recipe.axes
    held = axes is not None and (axes.place.on_cpu or axes.layout is Layout.DENSE)
    return recipe.limits.vertices is None and not (held or recipe.prepared)


def prepare(
    device: EmulatedDevice,
    recipes: Iterable[Recipe],
    weight: DTypeLike,
    *,
    index: DTypeLike = np.int32,
    traced: bool = True,
) -> None:
    """Compile the kernels of recipes for a weight type together, without and with a trace."""
    device.prepare(
        kernel
        for recipe in recipes
        if np.dtype(index) == np.int32 or takes_wide_indices(recipe)
        for counting in ([False, True] if traced else [False])
        for kernel in kernels_of(recipe, weight, index=index, block=device.block, traced=counting)
    )


def solve(
    recipe: Recipe,
    graph: Graph,
    source: int,
    device: EmulatedDevice,
    params: dict[str, float] | None = None,
    trace: Trace | None = None,
) -> Array:
    """Return the distances in the opened graph from a vertex index."""
    inner = opened(graph)
    numbers = chosen_params(recipe, inner.facts(symmetry=False), params or {})
    problem = Problem(Task.SSSP, np.array([source]))
    raw = run(Order(recipe, inner, problem, 1, numbers, trace=trace), device)
    return as_labels(inner, device.get(raw.dist))


def expected(graph: Graph, source: int) -> Array | type[Exception]:
    """Return the labels that every exact recipe must give, or the error that it must raise."""
    inner = opened(graph)
    try:
        if not inner.facts(symmetry=False).negative:
            return reference.dijkstra(inner, source)
        labels = reference.bellman_ford(inner, source)
    except OverflowError:
        return OverflowError
    return NegativeCycleError if labels is None else labels


def check(
    recipe: Recipe,
    graph: Graph,
    source: int,
    device: EmulatedDevice,
    answer: Array | type[Exception],
    params: dict[str, float] | None = None,
    trace: Trace | None = None,
) -> None:
    """Solve and raise AssertionError unless the result is the answer, or its error.

    Labels of an inexact recipe must only be lengths of walks, hence not below the answer's.
    """
    inner = opened(graph)
    found: Array | type[Exception]
    with noting(f"{recipe.name}, {graph!r} from {source}, seed {device.seed}, params {params}"):
        try:
            found = solve(recipe, graph, source, device, params, trace)
        except NegativeCycleError as error:
            assert_is_a_negative_cycle(inner, error)
            found = NegativeCycleError
        except OverflowError:
            found = OverflowError
        if isinstance(answer, type) or isinstance(found, type):
            if recipe.exact and found is not answer:
                raise AssertionError(f"found {found}, expected {answer}")
        elif recipe.exact:
            assert_same_bits(found, answer, inner)
        elif (found < answer).any():
            raise AssertionError(f"labels below the distances: {found}, {answer}")


def assert_is_a_negative_cycle(graph: Graph, error: NegativeCycleError) -> None:
    """Raise AssertionError unless the vertices of the error close a cycle of its length."""
    at = [int(v) for v in error.cycle]
    total = 0
    for u, v in pairwise([*at, at[0]]):
        row = slice(graph.indptr[u], graph.indptr[u + 1])
        total += min(graph._solver_weights[row][graph.indices[row] == v].tolist())
    if len(set(at)) != len(at) or total != error.length or total >= 0:
        raise AssertionError(f"{at} is no negative cycle: it has length {total}")
