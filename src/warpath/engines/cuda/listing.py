"""Which kernels a recipe takes, found without running one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.base import Order, Problem
from warpath.engines.cuda.engine import LOOPS, TABLES
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.rounds import Run
from warpath.engines.tables.min_plus import kernel_of
from warpath.graph import Graph
from warpath.recipes import Loop, Task
from warpath.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from warpath.engines.base import Array
    from warpath.engines.cuda.entry import Kernel
    from warpath.recipes import Recipe


_OF_TABLES = {
    Loop.BLOCK_A_SOURCE: ("block_a_source",),
    Loop.PAIRS: ("pairs", "pair_rows"),
    Loop.JOHNSON: ("block_a_source", "pairs", "pair_rows"),
}


def _widths(weight: np.dtype[Any]) -> list[tuple[DTypeLike, DTypeLike]]:
    """Return the types of weights and labels that `tables.widths` may choose."""
    return [(weight, weight)] if weight.kind == "f" else [("int32", "int32"), (weight, "int64")]


class _FirstLaunchError(Exception):
    """Ends the dry run: by its first launch a loop has asked for all its kernels."""


class _DryDevice:
    """A device that runs nothing."""

    name = "dry"
    xp: Any = np
    processors = 1
    shared_memory = 48 * 1024
    packed = True

    def __init__(self, block: int) -> None:
        self.block = block

    def free_memory(self) -> int:
        return 0

    def put(self, array: Array, out: Array | None = None) -> Array:
        return array if out is None else out

    def get(self, array: Array, out: Array | None = None) -> Array:
        return array if out is None else out

    def fetch(self, _array: Array, _out: Array) -> Callable[[], None]:
        raise _FirstLaunchError

    def host_array(self, like: Array) -> Array:
        return like

    def resident_blocks(self, _kernel: Kernel) -> int:
        return 1

    def launch(self, _kernel: Kernel, _blocks: int, *_args: Any) -> None:
        raise _FirstLaunchError

    def synchronize(self) -> None:
        pass


class _ListingDevice(_DryDevice):
    """A device that notes what it would run."""

    def __init__(self, block: int) -> None:
        super().__init__(block)
        self.launched: dict[Kernel, None] = {}

    def launch(self, kernel: Kernel, _blocks: int, *_args: Any) -> None:
        self.launched[kernel] = None


def _of_matrices(
    recipe: Recipe, weight: DTypeLike, index: DTypeLike, block: int
) -> tuple[Kernel, ...]:
    """Return the kernels for all types of labels, and for windows of matrices beyond the memory."""
    device = _ListingDevice(block)
    largest = np.iinfo(weight).max if np.dtype(weight).kind == "i" else 1
    for one in {1, min(2**20, largest), min(2**40, largest)}:
        graph = Graph(np.array([0, 1, 2]), np.array([1, 0], index), np.array([1, one], weight))
        for dtype in {graph.dist_dtype, np.dtype("int32")} if largest > 1 else {graph.dist_dtype}:
            order = Order(recipe, graph, Problem(Task.APSP, np.arange(2)), 1, {},
                          out=np.empty((2, 2), dtype))  # fmt: skip
            TABLES[recipe.loop](order, device)
    for one_launched in list(device.launched):
        if one_launched.name.startswith("floyd_warshall"):
            label = one_launched.name.split("_")[-2]
            device.launched[kernel_of("product", label[0] + str(int(label[1:]) // 8), block)] = None
    return tuple(device.launched)


def kernels_of(
    recipe: Recipe, weight: DTypeLike, *, index: DTypeLike = np.int32, block: int = 256,
    traced: bool = False,
) -> tuple[Kernel, ...]:  # fmt: skip
    """Return the kernels that a recipe runs on graphs of a type, tables in all their widths.

    Parameters
    ----------
    recipe : one whose devices have "cuda".
    weight, index : types of the graph's weights and vertices.
    block : threads a block.
    traced : whether they count what they do.
    """
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return _of_matrices(recipe, weight, index, block)
    if recipe.loop in TABLES:
        return tuple(
            kernel(kind, Types.of(index, *types), block)
            for kind in _OF_TABLES[recipe.loop]
            for types in _widths(np.dtype(weight))
        )
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0], index), np.array([1, 1], weight))
    params = {param.name: param.default or 1.0 for param in recipe.params}
    trace = Trace() if traced else None
    problem = Problem(Task.SSSP, np.array([0]))
    run = Run(Order(recipe, graph, problem, 1, params, trace=trace), _DryDevice(block))
    try:
        LOOPS[recipe.loop](run)
    except _FirstLaunchError:
        return run.kernels
    msg = f"{recipe.name} launched nothing."
    raise RuntimeError(msg)
