"""What an algorithm is predicted to cost: seconds and bytes, on the CPU and on a GPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from warpath.recipes import Loop, Queue, Recipe, Task
from warpath.recipes.axes import Axes, Direction, Edges, Emit, Labels, Layout, Select

if TYPE_CHECKING:
    from warpath.facts import Facts


class Size(NamedTuple):
    """How much is asked for: the task, rows and columns of the answer, bytes of one entry."""

    task: Task
    sources: int = 1
    targets: int = 0
    entry: int = 8
    written_out: bool = False


# The model's constants: seconds of one core per unit of work, from the graphs of
# docs/decisions/0010-predicted-times.md. They rank the candidates; they do not promise a time.
_PER_EDGE = {Queue.HEAP: 3.2e-9, Queue.RADIX: 0.5e-9, Queue.DIAL: 3.4e-9}
_PER_VERTEX = {Queue.HEAP: 36e-9, Queue.RADIX: 92e-9, Queue.DIAL: 49e-9}
_PER_BUCKET = 0.5e-9
_DELTA_PER_EDGE = 4.0e-9
_DELTA_PER_VERTEX = 39e-9
_ALONE_PER_EDGE = 3e-9  # in buckets of a thread's own
_ALONE_PER_VERTEX = 22e-9
_BESIDE_PER_EDGE = 1.2e-9  # one source's share of a search for many
_BESIDE_PER_VERTEX = 4e-9
_TRIED_TOGETHER = 4  # searches that it takes to see that sources have little in common
_NEIGHBOURS = 32
_QUEUED_PER_EDGE = 21e-9  # twice the measured, for its worst case is O(n m)
_QUEUED_PER_VERTEX = 76e-9
_PER_MIN_PLUS = 2e-11
_TEAM_START = 100e-6  # threads made, and their first barriers
_PARALLEL_SHARE = 0.7  # of a core that each further thread adds


def cpu_seconds(recipe: Recipe, size: Size, facts: Facts, threads: int) -> float:
    """Return the predicted time of a planned algorithm on so many threads."""
    n, m = facts.n, facts.m
    speed_up = 1 + (threads - 1) * _PARALLEL_SHARE
    start = _TEAM_START * (threads - 1)
    queued = m * _QUEUED_PER_EDGE + n * _QUEUED_PER_VERTEX
    match recipe.loop:
        case Loop.FLOYD_WARSHALL:
            seconds = n**3 * _PER_MIN_PLUS / speed_up
        case Loop.DELTA_STEPPING:
            seconds = (m * _DELTA_PER_EDGE + n * _DELTA_PER_VERTEX) / speed_up
        case Loop.OWN_BUCKETS:
            alone = m * _ALONE_PER_EDGE + n * _ALONE_PER_VERTEX
            seconds = size.sources * alone / speed_up
        case Loop.SIDE_BY_SIDE:
            beside = _TRIED_TOGETHER * (m * _BESIDE_PER_EDGE + n * _BESIDE_PER_VERTEX)
            seconds = beside + size.sources * _side_by_side(size, facts) / speed_up
        case Loop.BELLMAN_FORD:
            seconds = size.sources * queued
        case Loop.JOHNSON:
            seconds = size.sources * _one_search(recipe, facts) / speed_up + queued
        case Loop.BIDIRECTIONAL:
            seconds = 0.4 * _one_search(recipe, facts)
        case Loop.DIJKSTRA:
            share = 0.6 if size.task is Task.PATH else 1.0
            seconds = share * size.sources * _one_search(recipe, facts) / speed_up
    return seconds + start


def _side_by_side(size: Size, facts: Facts) -> float:
    """Seconds of one source among many: what it shares with the others is relaxed once.

    Few hops, or sources so many that those of a batch are neighbours; else it is searched alone.
    """
    n, m = facts.n, facts.m
    if facts.mean_degree < _MESH_DEGREE and size.sources * _NEIGHBOURS < n:
        return m * _ALONE_PER_EDGE + n * _ALONE_PER_VERTEX
    return m * _BESIDE_PER_EDGE + n * _BESIDE_PER_VERTEX


def _one_search(recipe: Recipe, facts: Facts) -> float:
    queue = recipe.queue or Queue.RADIX
    depth = 1 + math.log2(facts.n + 2) / 20 if queue is Queue.HEAP else 1
    seconds = (facts.m * _PER_EDGE[queue] + facts.n * _PER_VERTEX[queue]) * depth
    if queue is Queue.DIAL:  # it walks over the buckets of all distances, used or not
        seconds += facts.mean_weight * _PER_BUCKET * math.sqrt(facts.n)
    return seconds


def cpu_bytes(recipe: Recipe, size: Size, facts: Facts, threads: int) -> int:
    """Return the bytes beside the graph: answer, labels and queues of every thread, transposes."""
    n, m = facts.n, facts.m
    label = _label_bytes(facts)
    table = 0 if size.written_out else size.sources * size.targets * size.entry
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return n * n * label + (0 if size.entry == label else table)
    if recipe.axes is not None:
        return n * label + _space_of_rounds(recipe, facts, label)
    if recipe.loop in {Loop.OWN_BUCKETS, Loop.SIDE_BY_SIDE}:
        lines = _LINE if recipe.loop is Loop.SIDE_BY_SIDE else 0
        return max(table, n * label) + threads * n * (lines + label + 16)
    work = n * (label + 4) + min(m, 4 * n) * 16
    if recipe.queue in {Queue.FIBONACCI, Queue.RELAXED}:
        work = n * _HEAP_NODE
    if size.task is Task.SSSP:
        return n * label + work
    if recipe.loop is Loop.BIDIRECTIONAL:
        return 2 * work + m * 8
    return table + threads * work


_LINE = 64  # bytes of the labels of a vertex, side by side
_HEAP_NODE = 64  # bytes: label, vertex, rank and mark, and the pointers to its relatives


def _space_of_rounds(recipe: Recipe, facts: Facts, label: int) -> int:
    """Bytes of flags or lists, and of a matrix or of the rows of predecessors."""
    assert recipe.axes is not None  # noqa: S101 - the caller's promise
    work = facts.n * 2
    if recipe.axes.layout is Layout.DENSE:
        return work + facts.n * facts.n * label
    if recipe.axes.direction is Direction.PULL:
        work += facts.n * 8 + facts.m * (label + 4)
    return work


class _Rounds(NamedTuple):
    """What the rounds of a planned recipe cost on an H200; see docs/benchmarks/catalogue-h200.md.

    Attributes
    ----------
    seconds : of a round, which waits for the host's look at a counter.
    a_hop : rounds for each hop across the graph.
    again : how often an edge is relaxed.
    edge : seconds of one relaxation.
    """

    seconds: float
    a_hop: float
    again: float
    edge: float


_BY_PREFIX_SUM = _Rounds(170e-6, 2.5, 3, 0.09e-9)
_BY_THRESHOLD = _Rounds(183e-6, 3.5, 2, 0.1e-9)
_BY_QUEUE = _Rounds(52e-6, 2.5, 3, 0.3e-9)
_GPU_START = 100e-6  # arrays made, the answer copied
_MESH_DEGREE = 4  # below it a graph is long: some sqrt(n) hops across; above it log n


def gpu_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the predicted time of a planned algorithm on a GPU; it ranks, and promises no time."""
    if recipe.axes is None:
        return _table_seconds(recipe, size, facts)
    n, degree = max(facts.n, 2), facts.mean_degree
    hops = math.sqrt(n) if degree < _MESH_DEGREE else math.log(n) / math.log(degree)
    rounds = _BY_THRESHOLD if recipe.loop is Loop.NEAR_FAR else _BY_PREFIX_SUM
    if recipe.axes.emit is Emit.ATOMIC_QUEUE:
        rounds = _BY_QUEUE
    work = facts.m * rounds.again * rounds.edge
    return _GPU_START + hops * rounds.a_hop * rounds.seconds + work


def gpu_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes on the device at most: the graph, the labels, and what the rounds keep.

    A round that relaxes few edges takes less.
    """
    if recipe.axes is None:
        return _table_bytes(size, facts)
    n, m, axes = facts.n, facts.m, recipe.axes
    index = 4 if n < 2**31 else 8
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    label = _label_bytes(facts)
    rows = 8 * (n + 1) + m * (index + weight)
    into = axes.direction is Direction.PULL or axes.edges is Edges.CLASSIFIED
    graph = rows * (2 if into else 1)
    if axes.layout is Layout.DENSE:
        graph = rows + n * n * label
    arrays = 2 if axes.labels is Labels.TWO_ARRAYS else 1
    a_vertex, an_edge = _kept(recipe.loop, axes, index, label)
    return graph + n * (arrays * label + a_vertex) + m * an_edge


def _table_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return facts.n**3 * 7e-14 + _GPU_START
    return size.sources * facts.m * 1e-11 + _GPU_START


def _table_bytes(size: Size, facts: Facts) -> int:
    label = _label_bytes(facts)
    rows = 8 * (facts.n + 1) + facts.m * 12
    return rows + size.sources * size.targets * label


def host_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes that an algorithm on a GPU takes on the host, beside the graph."""
    dense = recipe.axes is not None and recipe.axes.layout is Layout.DENSE
    return facts.n * _label_bytes(facts) * (facts.n + 1 if dense else 1)


def _kept(loop: Loop, axes: Axes, index: int, label: int) -> tuple[int, int]:
    """Return the bytes that rounds on a GPU keep for each vertex and for each edge."""
    if loop is Loop.SWEEPS:
        in_place = axes.select is Select.IMPROVED and axes.labels is Labels.IN_PLACE
        return 1 + in_place, 0  # flags, of this round and of the next
    if loop is Loop.SETTLE:  # two flags, the lightest edge, a list and the sums that place it
        return 2 + label * (axes.select is Select.OUT) + (index + 16) * axes.listed, 0
    if axes.emit is Emit.ATOMIC_QUEUE:  # two queues, a stamp; a class and two flags at the end
        return 2 * index + 4 + 3 * (axes.edges is Edges.CLASSIFIED), 0
    # Degrees, their sums and the table of owners; for each edge relaxed a slot, and two marks of 8
    # bytes with their sums. Piles hold a vertex twice.
    lists = {Loop.FRONTIER: 1, Loop.NEAR_FAR: 5, Loop.BUCKETS: 5}[loop]
    ordered = 2 * index + 17 if loop is Loop.BUCKETS else 0  # a key, its place, what is moved
    return 24 + lists * index, index + 32 + ordered


def _label_bytes(facts: Facts) -> int:
    return 4 if facts.weight_dtype == "float32" else 8
