"""Recipes of the CUDA engine on the emulator, and what they must give."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from support import reference
from support.compare import assert_same_bits
from support.emulated import EmulatedDevice
from warpath.base.errors import NegativeCycleError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.listing import kernels_of
from warpath.graph.zones import opened
from warpath.recipes import Recipe, Task
from warpath.recipes.params import chosen_params
from warpath.results.predecessors import as_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.trace import Trace

#: Where compiled kernels are kept from one run of the tests to the next.
CACHE = Path(__file__).parents[2] / "build" / "emulated"


class Unset:
    """NumPy, but what is empty holds -1 or NaN: what a kernel leaves unwritten shows."""

    def __getattr__(self, name: str) -> Any:
        """Return what NumPy has."""
        return getattr(np, name)

    def empty(self, shape: int, dtype: DTypeLike = float) -> Array:
        """Return an array that nobody has written to."""
        made = np.empty(shape, dtype)
        made.view(np.uint8).fill(255)
        return made

    def empty_like(self, array: Array) -> Array:
        """Return an array of the same shape and type that nobody has written to."""
        return self.empty(len(array), array.dtype)


@cache
def device_for(block: int = 64, processors: int = 1) -> EmulatedDevice:
    """Return this process's device with blocks of a size, under the sanitizer that it has."""
    device = EmulatedDevice(block=block, processors=processors, sanitize="loaded", cache=CACHE)
    device.xp = Unset()
    return device


def prepare(
    device: EmulatedDevice, recipes: Iterable[Recipe], weight: DTypeLike,
    *, index: DTypeLike = np.int32, traced: bool = True,
) -> None:  # fmt: skip
    """Compile the kernels of recipes for a weight type at once, plain and traced ones."""
    device.prepare(
        kernel
        for recipe in recipes
        for counting in ([False, True] if traced else [False])
        for kernel in kernels_of(recipe, weight, index=index, block=device.block, traced=counting)
    )


def solve(
    recipe: Recipe, graph: Graph, source: int, device: EmulatedDevice,
    params: dict[str, float] | None = None, trace: Trace | None = None,
) -> Array:  # fmt: skip
    """Return the labels of the opened graph from a vertex index."""
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
    recipe: Recipe, graph: Graph, source: int, device: EmulatedDevice,
    answer: Array | type[Exception], params: dict[str, float] | None = None,
    trace: Trace | None = None,
) -> None:  # fmt: skip
    """Solve and raise AssertionError unless the answer, or its error, comes out.

    Labels of a recipe that may be wrong must only be those of some walk: not below the answer's.
    """
    inner = opened(graph)
    found: Array | type[Exception]
    with told(f"{recipe.name}, {graph!r} from {source}, seed {device.seed}, params {params}"):
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
        total += min(graph.solver_weights[row][graph.indices[row] == v].tolist())
    if len(set(at)) != len(at) or total != error.length or total >= 0:
        raise AssertionError(f"{at} is no negative cycle: it has length {total}")


@contextmanager
def told(what: str) -> Iterator[None]:
    """Add to an error where it happened."""
    try:
        yield
    except Exception as error:
        error.add_note(what)
        raise
