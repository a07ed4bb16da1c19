"""What an algorithm is predicted to cost on a GPU: seconds, and bytes there and on the host."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.graph.facts import WIDE_HOPS
from warpath.planner.cpu_model import MESH_DEGREE, Destination, label_bytes, unpredicted
from warpath.recipes import Loop, Task
from warpath.recipes.axes import Direction, Edges, Emit, Labels, Layout, Select
from warpath.recipes.recipe import WHOLE_TABLES
from warpath.recipes.warpath import BLOCK_MEMORY, RECIPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.recipes import Recipe
    from warpath.recipes.axes import Axes

_START = 1.2  # seconds: CuPy, cuda.core and NVRTC imported, the context created
_KERNELS = 0.4  # seconds: the kernels of one recipe compiled, or the first ones of CuPy loaded
_PER_BYTE = 2.5e-10  # from pageable memory of the host
_INTO_EDGE = 4.7e-8  # an edge of the transpose, made on the host where vertex numbers are random
_SORTED_EDGE = 4e-9  # an edge copied, and sorted by weight on the GPU
_CUT_VERTEX, _CUT_EDGE = 4.7e-8, 3.2e-9  # while the host cuts a graph into patches


GPU_START = 100e-6  # arrays made, the answer copied


def gpu_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the predicted time of a planned algorithm on a GPU; it ranks, and promises no time.

    Raises
    ------
    ValueError
        If there is no model of the algorithm.
    """
    if recipe.loop in _SINGLE_LAUNCH:
        return _SINGLE_LAUNCH[recipe.loop].seconds(facts)
    if recipe.axes is None:
        return _table_seconds(recipe, size, facts)
    if recipe.axes.emit is not Emit.ATOMIC_QUEUE or recipe.loop is not Loop.FRONTIER:
        raise _unmeasured(recipe)
    return _queue_seconds(facts)


def _queue_seconds(facts: Facts) -> float:
    """Return the time of rounds over a queue of vertices on an H100 (decision 0026)."""
    n, degree = max(facts.n, 2), max(facts.mean_degree, 2.0)
    hops = math.sqrt(n) if _is_deep(facts) else math.log(n) / math.log(degree)
    return GPU_START + hops * 2.5 * 36e-6 + facts.m * 3 * 0.3e-9


def _is_deep(facts: Facts) -> bool:
    """Return whether a graph has many hops across: as counted, or else guessed from its degree."""
    return facts.hops > WIDE_HOPS if facts.hops else facts.mean_degree < MESH_DEGREE


def across(facts: Facts, wide: float) -> float:
    """Estimate the rounds of a search: `wide` per hop in wide graphs, several in deep ones."""
    hops = facts.hops
    if hops == 0:  # not counted
        hops = 32 if _is_deep(facts) else 4
    return wide * hops if hops <= WIDE_HOPS else 2 * hops * math.sqrt(max(facts.n, 2) / 2048)


def wide_seconds(facts: Facts) -> float:
    """See docs/benchmarks/kernels-h200.md.

    Where hubs are, few edges are inspected. A deep graph takes a round for each hop across it.
    """
    edge = 7e-12 if facts.max_degree > HUB else 3.4e-11
    wide = 1.0 if facts.weight_dtype == "float32" or facts.sums_fit_int32 else 1.3
    return GPU_START + max(across(facts, 3.0), 20) * 8e-6 + facts.m * edge * wide


def _breadth_first_seconds(facts: Facts) -> float:
    """See docs/benchmarks/kernels-h200.md: a level costs a barrier and dependent accesses."""
    edge = 2e-12 if facts.max_degree > HUB else 1.2e-11
    return GPU_START + across(facts, 2.0) * 6e-6 + facts.m * edge


def _breadth_first_bytes(facts: Facts) -> int:
    """Rows, those into each vertex without weights unless they are the same, and lists."""
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    rows = 8 * (facts.n + 1) + 4 * facts.m
    into = rows if facts.directed else 0
    return into + rows + facts.m * weight + facts.n * (label_bytes(facts) + 9) + facts.m // 32


def _wide_bytes(facts: Facts) -> int:
    """Rows by weight, those into each vertex as well unless they are the same, and lists."""
    narrow = facts.weight_dtype in {"int32", "float32"}
    edge, a_vertex = (8, 32) if narrow else (16, 56)
    sides = 2 if facts.directed else 1
    sorting = 60 * min(facts.m, 2**26)
    return sides * (8 * (facts.n + 1) + facts.m * edge) + facts.n * a_vertex + sorting


#: Rows with more edges than this belong to hubs: a wide search cuts them into runs, shared by the
#: whole grid.
HUB = 512


def gpu_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes on the device at most: the graph, the labels, and what the rounds keep.

    A round that relaxes few edges takes less.
    """
    if recipe.loop in _SINGLE_LAUNCH:
        return _SINGLE_LAUNCH[recipe.loop].bytes(facts)
    if recipe.axes is None:
        return _table_bytes(recipe, size, facts)
    n, m, axes = facts.n, facts.m, recipe.axes
    index = 4 if n < 2**31 else 8
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    label = label_bytes(facts)
    rows = 8 * (n + 1) + m * (index + weight)
    into = axes.direction is Direction.PULL or axes.edges is not Edges.ALL
    graph = rows * (2 if into else 1)
    if axes.layout is Layout.DENSE:
        graph = rows + n * n * label
    if axes.layout is Layout.ELL:  # with the places of edges while it is made
        graph = rows + n * facts.max_degree * (index + weight) + 24 * m
    arrays = 2 if axes.labels is Labels.TWO_ARRAYS else 1
    a_vertex, an_edge = _kept(recipe, axes, index, label)
    return graph + n * (arrays * label + a_vertex) + m * an_edge


def _patches_seconds(facts: Facts) -> float:
    """See docs/benchmarks/kernels-h200.md.

    A wave crosses a deep graph in some sqrt(n) hops, and few patches are at work at once. Where a
    few hops lead everywhere, every patch is next to every other one and hears from it again and
    again.
    """
    n, m = max(facts.n, 2), facts.m
    narrow = facts.max_weight < 2**31 if facts.integer else facts.weight_dtype == "float32"
    seconds = math.sqrt(n) * 1.75e-6 + m * (1e-10 if _is_deep(facts) else 2e-9)
    return GPU_START + seconds * (1.0 if narrow else 1.5)


def _patches_bytes(facts: Facts) -> int:
    """Bytes of the rows, of the same by patches, of the labels there, and of the answer.

    At most: each edge leads to another patch.
    """
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    label = label_bytes(facts)
    return facts.m * (weight + 10) + facts.n * (9 + 3 * label) + 2**20


def _repair_bytes(facts: Facts) -> int:
    """Bytes of the rows in both directions while they are made, two labels, and lists."""
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    return facts.m * (weight + 44) + facts.n * (48 + 2 * label_bytes(facts)) + 2**18


class _SingleLaunch(NamedTuple):
    """What a loop of one source that is one launch is predicted to take."""

    seconds: Callable[[Facts], float]
    bytes: Callable[[Facts], int]


_SINGLE_LAUNCH = {
    Loop.BFS: _SingleLaunch(_breadth_first_seconds, _breadth_first_bytes),
    Loop.DYNAMIC: _SingleLaunch(wide_seconds, _repair_bytes),  # never planned
    Loop.PATCHES: _SingleLaunch(_patches_seconds, _patches_bytes),
    Loop.WIDE: _SingleLaunch(wide_seconds, _wide_bytes),
}


class _Tiles(NamedTuple):
    """What Floyd-Warshall takes on an H200; see docs/benchmarks/tables-h200.md.

    Attributes
    ----------
    steps : min-plus a second.
    pivot : seconds of a pivot of 128 vertices where the matrix is too small to fill the GPU.
    """

    steps: float
    pivot: float


_TILES = {
    "int16": _Tiles(26e12, 60e-6),
    "int32": _Tiles(15e12, 85e-6),
    "int64": _Tiles(2.7e12, 330e-6),
    "float32": _Tiles(13.9e12, 90e-6),
    "float64": _Tiles(4.0e12, 230e-6),
}
_PIVOT = 128
_PER_BYTE_TO_HOST = 5e-11
_PER_STAGED_ENTRY = 2e-9  # of a tile: to the GPU, and back into the matrix
#: Bytes of each of the two buffers through which rows go to the host, there and here.
ROW_BUFFER = 2**28
#: Sources whose labels lie together, `kSide`.
SIDE_BY_SIDE = 64
#: Pairs of a batch whose frontiers are narrow: more of them hide latency of memory and barriers.
PAIRS_AT_ONCE = 10**8
_BLOCKS_AT_ONCE = 396  # each for a source, of which fewer leave multiprocessors idle
_LEAST_LINE, _SIDE_BY_SIDE_IN_A_SWEEP = 32, 256  # sources of a sweep down a hierarchy
_SWEEP_START = 5e-4  # of a sweep: its levels, one after another
_PER_SWEPT_LABEL = 4e-12
#: An entry of both labels of a pair; in tables those of a column are read from a cache.
_PER_LABEL_OF_PAIR, _PER_LABEL_OF_TABLE = 1e-12, 1.8e-13
_PER_PAIR_TO_GPU = 8e-9  # its ends, checked and copied from the host
_MOST_TILES = 2**33  # bytes: larger tiles take as long, for then the copies hide


def _table_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """See docs/performance for the measurements; the answer is copied to the host."""
    n, m, k = max(facts.n, 2), facts.m, size.sources
    copied = _PER_BYTE_TO_HOST * k * size.targets * size.entry
    narrow = facts.longest < 2**30 if facts.integer else facts.weight_dtype == "float32"
    wide = 1.0 if narrow else 1.6
    match recipe.loop:
        case Loop.FLOYD_WARSHALL:
            side = -(-n // _PIVOT) * _PIVOT
            tiles = [_TILES[label] for label in _labels_of_tiles(facts)]
            seconds = sum(max(side / _PIVOT * tile.pivot, side**3 / tile.steps) for tile in tiles)
            if size.staged is not None:  # each pivot reads and writes the whole matrix
                pivots = side / math.sqrt(size.staged / (4 * label_bytes(facts)))
                seconds += pivots * side**2 * _PER_STAGED_ENTRY
        case Loop.BLOCK_A_SOURCE:
            equal = facts.min_weight == facts.max_weight
            seconds = max(k, _BLOCKS_AT_ONCE) * m * (3.6e-12 if equal else 6e-12) * wide
        case Loop.JOHNSON:
            fits = n * (label_bytes(facts) + 3) < BLOCK_MEMORY
            searches = k * m * 6e-12 * wide if fits else _pairs_seconds(n, m, k)
            seconds = m * 21e-9 + n * 76e-9 + searches  # Bellman-Ford runs on the CPU
        case Loop.HIERARCHY_SWEEP:
            sweeps = -(-k // _SIDE_BY_SIDE_IN_A_SWEEP)
            seconds = sweeps * _SWEEP_START + k * n * _PER_SWEPT_LABEL * wide
            if size.place is Destination.TOTALS:  # added up on the GPU
                copied = 0.0
        case Loop.PAIRS:
            seconds = _pairs_seconds(n, m, k) * wide
        case Loop.TREE_LABELS:
            distances = k * (size.targets or n)
            alone = size.task is Task.PAIRS
            entry = _PER_LABEL_OF_PAIR if alone else _PER_LABEL_OF_TABLE
            seconds = distances * (_labels_of_vertex(n) * entry * wide + _PER_PAIR_TO_GPU * alone)
        case _:
            raise _unmeasured(recipe)
    return GPU_START + seconds + copied


def _labels_of_vertex(n: int) -> float:
    """Return the entries of a vertex's label in the mean: half of those that all could have."""
    return math.sqrt(n) / 2 + 16


def _unmeasured(recipe: Recipe) -> ValueError:
    return unpredicted(recipe, f"gpu_seconds in planner/gpu_model.py has no {recipe.loop}")


def _pairs_seconds(n: int, m: int, k: int) -> float:
    if m >= MESH_DEGREE * n:  # fronts that meet: 64 sources side by side
        batches, together = -(-k // SIDE_BY_SIDE), min(k, SIDE_BY_SIDE)
        return 3e-4 + batches * (1.5e-4 + m * (2.5e-10 + 4.3e-12 * together))
    batch = max(PAIRS_AT_ONCE // n, SIDE_BY_SIDE)
    return 3e-4 + -(-k // batch) * 3 * math.sqrt(n) * 6e-6 + k * m * 5e-11


def _labels_of_tiles(facts: Facts) -> list[str]:
    """Return the types that Floyd-Warshall computes in: two where the first may not suffice."""
    if not facts.integer:
        return [facts.weight_dtype]
    if facts.longest < 2**14 - 1:
        return ["int16"]
    return ["int32"] if facts.longest < 2**30 - 1 else ["int32", "int64"]


def _table_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Bytes of the graph, of what the loop keeps, and of rows on their way to the host."""
    label = label_bytes(facts)
    n, k = facts.n, size.sources
    rows = 8 * (n + 1) + facts.m * 12
    table = k * size.targets * size.entry
    on_the_way = min(_ON_THE_WAY, 4 * n * n * label)
    match recipe.loop:
        case Loop.MATRIX_STEPS:  # the matrix, and rows of it on their way
            return rows + n * n * label + on_the_way
        case Loop.THREAD_A_SOURCE:  # besides, a label and a flag for each source
            return rows + n * n * label + k * n * (label + 1) + on_the_way
        case Loop.ROUNDS_A_SOURCE:  # one source at a time, and weights under potentials
            largest = max(gpu_bytes(part, size, facts) for part in recipe.parts)
            return largest + (facts.m + 3 * n) * label
        case Loop.FLOYD_WARSHALL:
            side = -(-n // _PIVOT) * _PIVOT
            entry = max(np.dtype(tile).itemsize for tile in _labels_of_tiles(facts))
            whole = rows + side * side * entry + min(2 * ROW_BUFFER, table)
            # Four tiles, and a copy while a panel is lowered.
            return whole if size.staged is None else size.staged * 5 // 4
        case Loop.BLOCK_A_SOURCE:
            resident = rows
        case Loop.OWN if recipe.own is not None:
            resident = rows + n * label + recipe.own.bytes(facts)
        case Loop.HIERARCHY_SWEEP:  # the hierarchy's arcs, some more than the graph's, and lines
            side = min(_SIDE_BY_SIDE_IN_A_SWEEP, _LEAST_LINE * -(-k // _LEAST_LINE))
            resident = 3 * rows + n * side * 4
        case Loop.TREE_LABELS:  # one label a vertex, or two, and its place in the tree
            entries = n * _labels_of_vertex(n) * (2 if facts.directed else 1)
            entry = 4 if facts.weight_dtype in {"int32", "float32"} else 8
            resident = int(entries * entry) + 20 * n + 16 * k
        case _:  # labels of the sources of a batch, two bits and four places in lists
            together = n * (SIDE_BY_SIDE * label + 8) + 16 * (n + facts.m // 32)
            single = min(k, SIDE_BY_SIDE) * n * (label + 17)
            resident = rows * (1 + recipe.negative) + max(together, single)
    return resident + min(2 * ROW_BUFFER, table)


_ON_THE_WAY = 2**27  # bytes of a block of rows that is made ready for the answer


def host_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes that an algorithm on a GPU takes on the host in addition to the graph."""
    if recipe.loop is Loop.PATCHES:  # while the graph is cut
        # An edge between groups is 12 B as it is found and 16 B as links of both ends, at worst for
        # all of them; what is written by patches afterwards takes less.
        return facts.m * 28 + facts.n * (32 + label_bytes(facts))
    if recipe.loop in {Loop.BFS, Loop.WIDE}:  # the edges into each vertex are kept
        weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
        into = facts.m * (4 + weight) + 8 * facts.n if facts.directed else 0
        placed = recipe.loop is Loop.WIDE and facts.max_degree > HUB  # hubs are put in front
        return into + facts.n * (label_bytes(facts) + (20 if placed else 0))
    if recipe.axes is None:
        table = size.sources * size.targets * size.entry
        held = {Destination.NEW} | (
            {Destination.BLOCKS, Destination.MAPPED, Destination.TOTALS}
            if recipe.loop in WHOLE_TABLES
            else set()
        )
        if size.staged is not None:
            return _staged_on_host(size.staged, size, facts, table if size.place in held else 0)
        return min(2 * ROW_BUFFER, table) + (table if size.place in held else 0)
    dense = recipe.axes.layout is Layout.DENSE
    return facts.n * label_bytes(facts) * (facts.n + 1 if dense else 1)


def tiles_bytes(size: Size, facts: Facts, gpu: int, host: int) -> int | None:
    """Return what tiles of Floyd-Warshall may take of a GPU; None where the matrix fits there.

    None, too, where the answer lies on the GPU, which then must hold the matrix.

    Parameters
    ----------
    gpu, host : bytes that are free on either.
    """
    recipe = next(candidate for candidate in RECIPES if candidate.loop is Loop.FLOYD_WARSHALL)
    fits = gpu_bytes(recipe, size, facts) <= gpu
    if size.place is Destination.MAPPED:
        fits = fits and host_bytes(recipe, size, facts) <= host
    if fits or size.place is Destination.GPU:
        return None
    return min(gpu // 5 * 4, host // 4, _MOST_TILES)


def _staged_on_host(staged: int, size: Size, facts: Facts, table: int) -> int:
    """Bytes of the matrix, of its panels and of the memory that tiles are copied from and to."""
    label = label_bytes(facts)
    side = math.isqrt(staged // (4 * label))
    if size.place is Destination.MAPPED:
        return staged  # the panels are a file, too
    wide = size.entry != label and not (facts.sums_fit_int32 and not facts.negative)
    matrix = table + (facts.n**2 * label if wide else 0)
    return matrix + 2 * min(side, facts.n) * facts.n * max(size.entry, label) + staged


def _kept(recipe: Recipe, axes: Axes, index: int, label: int) -> tuple[int, int]:
    """Return the bytes that rounds on a GPU keep for each vertex and for each edge."""
    loop = recipe.loop
    if loop is Loop.SWEEPS:
        in_place = axes.select is Select.IMPROVED and axes.labels is Labels.IN_PLACE
        return 1 + in_place, 0  # flags, of this round and of the next
    if loop is Loop.NEAR_FAR_PULL:  # two flags
        return 2, 0
    if loop is Loop.SETTLE:  # two flags, the lightest edge, a list and the sums that place it
        return 2 + label * (axes.select is Select.OUT) + (index + 16) * axes.listed, 0
    if axes.emit is Emit.ATOMIC_QUEUE:  # two queues, a stamp, an owner and two marks; a class
        return 2 * index + 14 + (axes.edges is Edges.CLASSIFIED), 0
    if loop not in _LISTS:
        msg = f"the recipe {recipe.name} has no predicted memory: add {loop} to {__name__}._LISTS."
        raise ValueError(msg)
    a_vertex, entries, an_edge, items = _LISTS[loop]
    return a_vertex + entries * index, an_edge + items * index


#: Bytes for each vertex and entries in lists, then the same for each edge: offsets of a list's
#: edges, the table of owners, two marks; an item and a mark for each edge.
_LISTS = {
    Loop.FRONTIER: (18, 1, 1, 1),
    Loop.NEAR_FAR: (18, 5, 1, 1),  # two piles, which hold a vertex twice
    Loop.LIGHT_HEAVY: (26, 9, 1, 1),  # the same, what left the bucket, rows of light edges
    Loop.STEPPING: (18, 3, 1, 2),  # what waits and what a round gives, twice
    Loop.BUCKETS: (21, 7, 4, 3),  # the same, between, and two keys
}


def start_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the seconds that a call takes in addition if it is the first one on a GPU.

    They are those of a new process, an empty cache of kernels and a graph that is on the host, so
    that the same question always has the same plan.

    From the first calls of docs/benchmarks/gpu-h200.jsonl.
    """
    n, m = facts.n, facts.m
    match recipe.loop:
        case Loop.PATCHES | Loop.HIERARCHY_SWEEP:
            ready = n * _CUT_VERTEX + m * _CUT_EDGE
        case Loop.WIDE | Loop.BFS:
            ready = m * (_SORTED_EDGE + (_INTO_EDGE if facts.directed else 0.0))
        case _:
            alone = size._replace(sources=0, targets=0)  # what is there before the answer
            ready = _PER_BYTE * gpu_bytes(recipe, alone, facts)
    return _START + _KERNELS + ready
