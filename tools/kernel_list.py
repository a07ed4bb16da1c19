"""The kernels of recipes, listed without running one, and compiled by several processes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.base import Order, Problem, TableOrder
from warpath.engines.cuda.breadth_first import breadth_first_kernel
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.patches import kind_of
from warpath.engines.cuda.repair import repair_kernel
from warpath.engines.cuda.tables.min_plus import min_plus_kernel
from warpath.engines.cuda.tables.widths import Width
from warpath.engines.cuda.wide.part import wide_part_kernel
from warpath.engines.cuda.wide.search import wide_kernel
from warpath.engines.emulator.device import EmulatedDevice
from warpath.engines.papers.johnson import reweighting
from warpath.engines.papers.on_device import leaves_kernel
from warpath.engines.papers.policies import axes_of, rounds_kernel
from warpath.engines.papers.run import Run
from warpath.engines.papers.settle import settle
from warpath.graph import Graph
from warpath.recipes import CATALOGUE, Loop, Task
from warpath.recipes.axes import Edges
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import DTypeLike

    from warpath.engines.cuda.entry import Kernel
    from warpath.recipes import Recipe


# That of the checkout, as an installed wheel has none.
_EMULATOR = Path(__file__).parents[1] / "cpp" / "emulator"
_WEIGHTS = ("int32", "int64", "float32", "float64")
_OF_TABLES = {
    Loop.BLOCK_A_SOURCE: ("block_a_source",),
    Loop.PAIRS: ("pairs", "pair_rows"),
    Loop.JOHNSON: ("block_a_source", "pairs", "pair_rows"),
}
#: The kinds of kernels whose weights have the type of their labels.
_BY_LABEL = {
    Loop.COUNTING_SWEEPS: ("counting_sweep", "counting_sums"),
    Loop.TREE_LABELS: ("tree_label_pairs", "tree_label_table"),
}
_BY_WIDTH = {Loop.BFS: (breadth_first_kernel,), Loop.WIDE: (wide_kernel, wide_part_kernel)}


def _widths(weight: np.dtype[Any]) -> list[tuple[DTypeLike, DTypeLike]]:
    """Return the types of weights and labels that `tables.widths` may choose for a type."""
    return [(weight, weight)] if weight.kind == "f" else [("int32", "int32"), (weight, "int64")]


class _FirstLaunchError(Exception):
    """Ends the dry run at the first launch, before which a loop has requested all its kernels."""


class _DryDevice(EmulatedDevice):
    """A device that runs no kernel and raises at the first launch."""

    def __init__(self, block: int) -> None:
        super().__init__(block=block, processors=1, emulator=_EMULATOR)

    def _run(self, _kernel: Any, _blocks: int, _args: Sequence[Any]) -> None:
        raise _FirstLaunchError


class _ListingDevice(_DryDevice):
    """A device that records launches and runs none."""

    def __init__(self, block: int) -> None:
        super().__init__(block)
        self.launched: dict[Kernel, None] = {}

    def _run(self, kernel: Any, _blocks: int, _args: Sequence[Any]) -> None:
        self.launched[kernel] = None


def kernels_of(
    recipe: Recipe,
    weight: DTypeLike,
    *,
    index: DTypeLike = np.int32,
    block: int = 256,
    traced: bool = False,
) -> tuple[Kernel, ...]:
    """Return the kernels that a recipe runs on graphs of a type; for tables, those of all widths.

    Parameters
    ----------
    recipe : a recipe that runs on "cuda".
    weight, index : types of the graph's weights and vertices.
    block : threads of a block.
    traced : whether the kernels count relaxations.
    """
    alone = _of_own_kinds(recipe.loop, np.dtype(weight), index, block)
    if alone:
        return tuple(alone)
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0], index), np.array([1, 1], weight))
    if recipe.parts:
        return _of_parts(recipe, graph, block, traced=traced)
    if recipe.axes is None:
        return _of_tables(recipe, np.dtype(weight), np.dtype(index), block, traced=traced)
    return _of_rounds(recipe, graph, block, traced=traced)


def _of_rounds(recipe: Recipe, graph: Graph, block: int, *, traced: bool) -> tuple[Kernel, ...]:
    """Return what makes the rounds of a recipe, or, where the CPU has steps, the other steps."""
    trace = Trace() if traced else None
    problem = Problem(Task.SSSP, np.array([0]))
    run = Run(Order(recipe, graph, problem, 1, {}, trace=trace), _DryDevice(block))
    axes = axes_of(recipe)
    if not axes.host_driven:
        whole = rounds_kernel(recipe, run.types, block, traced=traced)
        return (whole, leaves_kernel(run)) if axes.edges is Edges.CLASSIFIED else (whole,)
    try:
        settle(run)
    except _FirstLaunchError:
        return run.kernels
    raise RuntimeError(f"{recipe.name} launched nothing.")


def kernels_of_results(
    weight: DTypeLike, *, index: DTypeLike = np.int32, block: int = 256
) -> tuple[Kernel, ...]:
    """Return the kernels that convert labels of one source into distances and predecessors."""
    return tuple(
        kernel(kind, Types.of(index, weight, label), block)
        for _, label in _widths(np.dtype(weight))
        for kind in ("distances", "tree", "rooted")
    )


def _of_own_kinds(loop: Loop, weight: np.dtype[Any], index: DTypeLike, block: int) -> list[Kernel]:
    """Return the kernels of a loop with its own kinds of kernels; none for other loops."""
    all_types = [Types.of(index, *types) for types in _widths(weight)]
    if loop is Loop.PATCHES:
        return [kernel(kind_of(types), types, block) for types in all_types]
    if loop is Loop.DYNAMIC:
        return [repair_kernel(weight, np.int64 if weight.kind == "i" else weight, block)]
    if loop is Loop.HIERARCHY_SWEEP:
        return list(_of_sweeps(weight, block))
    if loop in _BY_LABEL:
        whole = loop is Loop.COUNTING_SWEEPS  # the lengths of floats are integers there
        return [
            kernel(kind, Types.of(np.int32, label, label), block)
            for label in (("int32", "int64") if whole else _labels_in_hierarchies(weight))
            for kind in _BY_LABEL[loop]
        ]
    if loop in _BY_WIDTH:
        names = [(np.dtype(label).name, np.dtype(one).name) for one, label in _widths(weight)]
        widths = [Width(*each, proven=True) for each in names]
        return [kernel_of(width, block) for width in widths for kernel_of in _BY_WIDTH[loop]]
    return [kernel(kind, types, block) for kind in _OF_TABLES.get(loop, ()) for types in all_types]


def _labels_in_hierarchies(weight: np.dtype[Any]) -> list[Any]:
    """Return the types that labels in a hierarchy of a type of weights may have."""
    return [weight] if weight.kind == "f" else sorted({weight.name, "int64"})


def _of_sweeps(weight: np.dtype[Any], block: int) -> Iterator[Kernel]:
    """Yield the kernels of sweeps, and those that make rows or totals from their labels."""
    for label in _labels_in_hierarchies(weight):
        types = Types.of(np.int32, label, label)
        yield kernel("hierarchy_upward", types, block)
        yield kernel("hierarchy_sweep", types, block)
        yield kernel("hierarchy_rows", types, block)
        for inverses in (False, True):
            yield kernel("hierarchy_totals", types, block, ("inverses", inverses))
        yield kernel("hierarchy_totals_join", types, block)


def _of_parts(recipe: Recipe, graph: Graph, block: int, *, traced: bool) -> tuple[Kernel, ...]:
    """Return the kernels of both parts, for the graph's weights and for reduced weights."""
    weight, index, label = graph._solver_weights.dtype, graph.indices.dtype, graph.dist_dtype
    potentials, searches = recipe.parts
    kernels = [reweighting(Types.of(index, weight, label), block)]
    for part, of in ((potentials, weight), (searches, weight), (searches, label)):
        kernels += kernels_of(part, of, index=index, block=block, traced=traced)
    return tuple(dict.fromkeys(kernels))


def _of_tables(
    recipe: Recipe, weight: np.dtype[Any], index: np.dtype[Any], block: int, *, traced: bool
) -> tuple[Kernel, ...]:
    """Return the kernels of a loop for every type of labels, with predecessors and without.

    The graph is a path of several tiles, so that every phase launches its kernel.
    """
    task = Task.APSP if Task.APSP in recipe.solves else Task.MANY
    device, n = _ListingDevice(block), 65
    rows = np.append(np.arange(n), n - 1), np.arange(1, n, dtype=index)
    integer = weight.kind == "i"
    largest = np.iinfo(weight).max if integer else 1
    for length in sorted({1, min(2**20, largest), min(2**40, largest)}):
        graph = Graph(*rows, np.full(n - 1, length, weight))
        for label in (graph.dist_dtype, np.dtype(np.int32)) if integer else (graph.dist_dtype,):
            for paths in (False, True) if recipe.predecessors else (False,):
                table, pred = (np.empty((n, n), dtype) for dtype in (label, index))
                more: Any = {"pred": pred if paths else None, "trace": Trace() if traced else None}
                problem = Problem(task, np.arange(n))
                run(TableOrder(recipe, graph, problem, 1, {}, table, **more), device)
    return tuple(dict.fromkeys((*device.launched, *_of_windows(device.launched, block))))


def _of_windows(launched: Iterable[Kernel], block: int) -> list[Kernel]:
    """Return the kernels for matrices larger than the memory, for the same types of labels."""
    solves = [each for each in launched if each.name.startswith("floyd_warshall")]
    labels = (each.name.split("_")[-2] for each in solves)
    types = [label[0] + str(int(label[1:]) // 8) for label in labels]
    return [min_plus_kernel("product", each, block) for each in types]


def all_kernels(block: int = 256) -> list[Kernel]:
    """Return the kernels that recipes and results use with 32-bit indices, without duplicates."""
    kernels = {
        kernel: None
        for recipe in CATALOGUE
        if "cuda" in recipe.devices
        for weight in _WEIGHTS
        for traced in (False, True)
        for kernel in kernels_of(recipe, weight, block=block, traced=traced)
    }
    for weight in _WEIGHTS:
        kernels |= dict.fromkeys(kernels_of_results(weight, block=block))
    return list(kernels)


def compile_all(arch: str, processes: int) -> int:
    """Compile all kernels for an architecture, and return their number."""
    kernels = all_kernels()
    context = multiprocessing.get_context("spawn")  # CUDA cannot be used in a forked process
    with ProcessPoolExecutor(processes, context) as pool:
        return sum(pool.map(partial(_compiled, arch), kernels, chunksize=4))


def _compiled(arch: str, kernel: Kernel) -> bool:
    from warpath.engines.cuda.compile import cubin

    return bool(cubin(kernel, arch))
