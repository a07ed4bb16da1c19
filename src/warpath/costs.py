"""What an algorithm is predicted to cost on the CPU: seconds and bytes."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from warpath.recipes import Loop, Queue, Recipe, Task
from warpath.recipes.axes import Direction, Layout

if TYPE_CHECKING:
    from warpath.facts import Facts


class Place(Enum):
    """Where a table goes."""

    NEW = "new"  #: into new memory
    GIVEN = "given"  #: into an array of the caller's, on the host
    GPU = "gpu"  #: into an array of a GPU
    MAPPED = "mapped"  #: to a file that can be the matrix of a dense solve itself
    BLOCKS = "blocks"  #: to another file or a function, through memory


class Size(NamedTuple):
    """How much is asked for.

    Attributes
    ----------
    task : what kind of answer.
    sources, targets : its rows and columns.
    entry : bytes of one entry.
    place : where the answer goes.
    staged : bytes that the tiles of a dense solve may take of its device, where the matrix is
        elsewhere; None where it is there.
    """

    task: Task
    sources: int = 1
    targets: int = 0
    entry: int = 8
    place: Place = Place.NEW
    staged: int | None = None

    @property
    def written_out(self) -> bool:
        """Whether the answer goes elsewhere than into new memory."""
        return self.place is not Place.NEW


# The model's constants: seconds of one core per unit of work, from the graphs of
# docs/decisions/0010-predicted-times.md. They rank the candidates; they do not promise a time.
_PER_EDGE = {Queue.HEAP: 3.2e-9, Queue.RADIX: 0.5e-9, Queue.DIAL: 3.4e-9}
_PER_VERTEX = {Queue.HEAP: 36e-9, Queue.RADIX: 92e-9, Queue.DIAL: 49e-9}
_PER_BUCKET = 0.5e-9
_DELTA_PER_EDGE = 4.0e-9
_DELTA_PER_VERTEX = 39e-9
_TEAM_PER_VERTEX = 18e-9  # in buckets that a team shares
_TEAM_PER_EDGE = 0.3e-9  # times log2(n) - 8, for labels of more vertices lie in slower caches
_TEAM_LEAST_PER_EDGE = 0.7e-9
_ALONE_OVER_TEAM = 1.3  # what one source takes in buckets of a thread's own, over a team of one
_ALONE_PER_EDGE = 3e-9  # in buckets of a thread's own
_ALONE_PER_VERTEX = 22e-9
_BESIDE_PER_EDGE = 1.2e-9  # one source's share of a search for many
_BESIDE_PER_VERTEX = 4e-9
_TRIED_TOGETHER = 4  # searches that it takes to see that sources have little in common
_NEIGHBOURS = 32
_QUEUED_PER_EDGE = 21e-9  # twice the measured, for its worst case is O(n m)
_QUEUED_PER_VERTEX = 76e-9
# One of n^3 steps of Floyd-Warshall; integers whose sums fit are added and compared in 32 bits.
_PER_MIN_PLUS = {"int32": 8.5e-12, "int64": 1.9e-11, "float32": 1.54e-11, "float64": 3.3e-11}
_PER_ENTRY = 1.5e-9  # of a matrix: made, and turned into the answer
MESH_DEGREE = 4  # below it a graph is long: some sqrt(n) hops across; above it log n
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
            seconds = _floyd_warshall(facts, threads)
        case Loop.DELTA_STEPPING:
            seconds = (m * _DELTA_PER_EDGE + n * _DELTA_PER_VERTEX) / speed_up
        case Loop.BUCKET_TEAM:
            seconds = _shared_buckets(facts) / speed_up
        case Loop.OWN_BUCKETS:
            seconds = size.sources * _own_buckets(size, facts) / speed_up
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


def _shared_buckets(facts: Facts) -> float:
    """Seconds of one source on one thread."""
    per_edge = max(_TEAM_LEAST_PER_EDGE, _TEAM_PER_EDGE * (math.log2(facts.n + 2) - 8))
    return facts.m * per_edge + facts.n * _TEAM_PER_VERTEX


def _own_buckets(size: Size, facts: Facts) -> float:
    alone = facts.m * _ALONE_PER_EDGE + facts.n * _ALONE_PER_VERTEX
    if size.task is Task.SSSP:
        return max(alone, _ALONE_OVER_TEAM * _shared_buckets(facts))
    return alone


def _floyd_warshall(facts: Facts, threads: int) -> float:
    n = facts.n
    label = facts.weight_dtype
    if facts.integer:
        label = "int32" if facts.sums_fit_int32 else "int64"
    share = 0.0 if n <= 128 else 0.4 if n < 1024 else 0.95  # of a core that a further one adds
    return n**3 * _PER_MIN_PLUS[label] / (1 + share * (threads - 1)) + n * n * _PER_ENTRY


def _side_by_side(size: Size, facts: Facts) -> float:
    """Seconds of one source among many: what it shares with the others is relaxed once.

    Few hops, or sources so many that those of a batch are neighbours; else it is searched alone.
    """
    n, m = facts.n, facts.m
    if facts.mean_degree < MESH_DEGREE and size.sources * _NEIGHBOURS < n:
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
    label = label_bytes(facts)
    table = 0 if size.written_out else size.sources * size.targets * size.entry
    if recipe.loop is Loop.FLOYD_WARSHALL:
        in_place = size.entry == label or facts.sums_fit_int32
        whole = n * n * (size.entry if in_place else label) + (0 if in_place else table)
        return whole if size.staged is None else size.staged
    if recipe.axes is not None:
        return n * label + _space_of_rounds(recipe, facts, label)
    if recipe.loop in {Loop.OWN_BUCKETS, Loop.SIDE_BY_SIDE}:
        alone = label + 16  # what is taken again where a batch is abandoned
        beside = _LINE + alone if recipe.loop is Loop.SIDE_BY_SIDE else 0
        return max(table, n * label) + threads * n * (alone + beside)
    work = n * (label + 4) + min(m, 4 * n) * 16
    if recipe.queue in {Queue.FIBONACCI, Queue.RELAXED}:
        work = n * _HEAP_NODE
    if recipe.loop is Loop.BUCKET_TEAM:
        work = n * (8 + _ENTRIES) + threads * _BINS
    if size.task is Task.SSSP:
        return n * label + work
    if recipe.loop is Loop.BIDIRECTIONAL:
        return 2 * work + m * 8
    return table + threads * work


_ENTRIES = 12  # bytes of a vertex's entries in buckets
_BINS = 2**16  # bytes of a thread's empty ones
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


def label_bytes(facts: Facts) -> int:
    """Return the bytes of a distance between two vertices of a graph."""
    return 4 if facts.weight_dtype == "float32" else 8
