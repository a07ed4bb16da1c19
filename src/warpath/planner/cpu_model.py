"""What an algorithm is predicted to cost on the CPU: seconds and bytes."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.graph.facts import WIDE_HOPS
from warpath.planner.constants import SECONDS
from warpath.recipes import Loop, Queue, Recipe, Task
from warpath.recipes.axes import Direction, Layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warpath.graph.facts import Facts
    from warpath.recipes.axes import Axes


class Destination(Enum):
    """Where a table goes."""

    NEW = "new"  #: into new memory
    GIVEN = "given"  #: into an array of the caller's, on the host
    GPU = "gpu"  #: into an array of a GPU
    MAPPED = "mapped"  #: to a file that can be the matrix of a dense solve itself
    BLOCKS = "blocks"  #: to another file or a function, through memory
    TOTALS = "totals"  #: nowhere: its rows are added up

    __hash__ = object.__hash__  # as in `Task`


class Size(NamedTuple):
    """The size of a question.

    Attributes
    ----------
    task : what kind of answer.
    sources, targets : its rows and columns.
    entry : bytes of one entry.
    place : where the answer goes.
    staged : bytes that the tiles of a dense solve may take of its device, where the matrix is
        elsewhere; None where it is there.
    reach : part of the vertices that are expected within a cutoff, as `reach` predicts it.
    """

    task: Task
    sources: int = 1
    targets: int = 0
    entry: int = 8
    place: Destination = Destination.NEW
    staged: int | None = None
    reach: float = 1.0

    @property
    def written_out(self) -> bool:
        """Whether the answer goes elsewhere than into new memory."""
        return self.place is not Destination.NEW


MESH_DEGREE = 4  # below it a graph is long: some sqrt(n) hops across; above it log n
_LONG_DEGREE = 16  # of meshes with diagonals, and more: no graph of few hops has so few far edges
_MORE_THAN_COUNTING = 2**20  # edges: some milliseconds
_IN_CACHE = 2**15  # vertices whose labels lie in the caches of a core
_NEIGHBOURS = 32
_BATCH = 32  # sources that one scan of an edge relaxes it for, at most
_SWEPT = 16  # sources of a sweep, at most
_WORTH_PREPARING = 10_000  # vertices
# Seconds of building a hierarchy with 20,000 vertices: for each vertex and edge, for each edge that
# closes a cycle, up to one for four vertices as roads have them, and for each further one. The last
# two grow with a power of the vertices. Measured and predicted seconds on one thread: a star of
# 80,000 0.04 and 0.05, a road of 20,000 0.08 and 0.09, with one vertex joined to all of it 0.18 and
# 0.21, with ten 2.5 and 1.3, a grid of 150 x 150 0.32 and 0.21, 200 cliques of 100 joined by roads
# 6.8 and 5.8, New York's roads 3.8 and 2.9, a road of 10,000,000 203 and 265.
_CONTRACT, _CONTRACT_CYCLE, _CONTRACT_FURTHER = 2e-7, 16e-6, 5.5e-6
_CONTRACT_CYCLES, _CONTRACT_VERTICES, _CONTRACT_GROWTH = 1 / 4, 20_000, 0.3
# Bytes for each vertex and edge, and for each byte of a weight, at the peak of building: 59 and 73
# with 32 and 64 bits on New York's roads, 39 and 57 on a generated road of 300,000.
_CONTRACT_BYTES, _CONTRACT_BYTES_OF_WEIGHTS = 48, 4
# Of the vertices and edges, sqrt(targets / n) times this part lies above targets: 0.038 for 64 and
# 0.12 for 1,000 of 264,346 vertices of New York.
_PART_ABOVE = 2.0
# The cutoff that reaches all vertices, in mean weights times sqrt(n), and the least part of them.
_ACROSS, _LEAST_REACH = 0.85, 2.0**-10
_SEARCHED_TOGETHER = 0.35  # of the time of pairs that are searched for one by one
_LISTED = 4096  # pairs whose targets' labels are kept at once
_LABELS_IN_CACHE = 0.4  # of the time of pairs between random vertices
_WALKED_BACK = 8.0  # times the search: a route, which needs distances of all its neighbours
_ROUTE_ENTRIES = 200  # of labels, whose time a route takes for each position above its ends
_MEETINGS = 60.0  # positions that searches upward from two vertices have in common
_LEAST_SETUP = 0.1  # part of the setup that vertices beyond a cutoff take as well
_TOO_FEW = 3  # sources of a thread that are searched one by one
_TRIED_TOGETHER = 4  # searches that it takes to see that sources have little in common
_STOP_AT_A_CUTOFF = {
    loop.value for loop in (Loop.BFS, Loop.BUCKET_TEAM, Loop.DIJKSTRA, Loop.OWN_BUCKETS)
}
_SWEEPS = {Loop.HIERARCHY_SWEEP, Loop.RESTRICTED_SWEEP}
_IN_A_HIERARCHY = {
    loop.value
    for loop in (
        Loop.HIERARCHY,
        Loop.HIERARCHY_BUCKETS,
        Loop.HIERARCHY_SWEEP,
        Loop.HUB_LABELS,
        Loop.RESTRICTED_SWEEP,
        Loop.TREE_LABELS,
    )
}
_WORST_CASE = 2.0  # of Bellman-Ford, which is O(n m)
_HELD_BACK = 1.2  # of own buckets for one source, which lose by more than they win (0010)


def cpu_seconds(
    recipe: Recipe,
    size: Size,
    facts: Facts,
    threads: int,
    constants: Mapping[str, Mapping[str, float]] = SECONDS,
) -> float:
    """Return the predicted time of a planned algorithm on so many threads.

    Amounts of work times the constants of its kind, less what further threads take over, and the
    start of those.

    Raises
    ------
    ValueError
        If there are no constants for the algorithm.
    """
    kind = kind_of(recipe, size, facts, threads)
    of_kind = constants.get(kind)
    if of_kind is None:
        raise unpredicted(recipe, f"SECONDS in planner/constants.py has no {kind!r}")
    amounts = work(kind, size, facts, threads)
    seconds = sum(of_kind.get(name, 0.0) * amount for name, amount in amounts.items())
    seconds /= 1 + (threads - 1) * of_kind.get("share", 0.0)
    seconds += (threads - 1) * of_kind.get("start", 0.0)
    match recipe.loop:
        case Loop.JOHNSON:
            one_source = size._replace(task=Task.SSSP, sources=1)
            return seconds + _WORST_CASE * sum(
                constants["bellman_ford"].get(name, 0.0) * amount
                for name, amount in work("bellman_ford", one_source, facts).items()
            )
        case Loop.BELLMAN_FORD:
            return _WORST_CASE * seconds
        case Loop.BIDIRECTIONAL:
            return 0.4 * seconds
        case Loop.OWN_BUCKETS if size.task is Task.SSSP:
            return _HELD_BACK * seconds
        case _:
            return (0.6 if size.task is Task.PATH else 1.0) * seconds


def unpredicted(recipe: Recipe, missing: str) -> ValueError:
    """Return the error for a planned recipe that no model predicts.

    Parameters
    ----------
    missing : the part of the model that is missing, as a clause.
    """
    return ValueError(
        f"the recipe {recipe.name} cannot be planned: {missing}. Say planned=False, or add it as "
        'described under "Fit the planner" in docs/benchmarks/planner.md.'
    )


def kind_of(recipe: Recipe, size: Size, facts: Facts, threads: int = 1) -> str:
    """Return the name of the constants that predict an algorithm: its loop's, with what matters.

    Sources side by side share what they relax where there are few hops, or where they are so many
    that those of a batch are neighbours; elsewhere each is searched alone. So is each where threads
    leave a batch too few. Breadth-first search from below passes over most edges of a graph of few
    hops.
    """
    match recipe.loop:
        case Loop.DIJKSTRA | Loop.BIDIRECTIONAL | Loop.JOHNSON:
            return f"dijkstra.{(recipe.queue or Queue.RADIX).value}"
        case Loop.FLOYD_WARSHALL:
            label = facts.weight_dtype
            if facts.integer:  # added and compared in 32 bits where their sums fit
                label = "int32" if facts.sums_fit_int32 else "int64"
            return f"floyd_warshall.{label}"
        case Loop.SIDE_BY_SIDE if threads > 1 and size.sources <= _TOO_FEW * threads:
            return Loop.OWN_BUCKETS.value
        case Loop.SIDE_BY_SIDE:
            kind = "side_by_side"
            if _long(facts):
                kind += ".near" if size.sources * _NEIGHBOURS >= facts.n else ".apart"
            return kind
        case Loop.BFS if _long(facts):
            return "bfs.long"
        case _:
            return str(recipe.loop.value)


def work(kind: str, size: Size, facts: Facts, threads: int = 1) -> dict[str, float]:
    """Return the amounts of work of all threads, by the names of the constants they go with.

    ``call`` and ``setup`` (a vertex) once a call; the others for every source: ``edge`` and
    ``vertex``, ``beyond`` for an edge where the labels outgrow the caches, ``far`` for one that
    leads far in them, ``compare`` for a heap's depth, ``bucket`` for the buckets that Dial's search
    passes over, ``tried`` for what shows that sources have little in common, ``scan`` for an edge
    that a batch of sources shares: threads divide it, and then each scans for its part; ``step``
    and ``entry`` of a matrix.
    """
    reached = size.reach if kind.split(".", maxsplit=1)[0] in _STOP_AT_A_CUTOFF else 1.0
    n, m, sources = float(facts.n), float(facts.m), size.sources * reached
    if kind.startswith("floyd_warshall"):
        return {"call": 1.0, "step": n**3, "entry": n * n}
    if kind in _IN_A_HIERARCHY:
        return _work_in_a_hierarchy(kind, size, facts, threads)
    beyond = math.log2(max(n / _IN_CACHE, 1))
    amounts = {
        "call": 1.0,
        "setup": n * max(reached, _LEAST_SETUP),
        "edge": sources * m,
        "vertex": sources * n,
        "beyond": sources * m * beyond,
        "far": sources * facts.far * beyond,
    }
    if kind == "dijkstra.heap":
        amounts["compare"] = sources * n * math.log2(n + 2)
    elif kind == "dijkstra.dial":
        amounts["bucket"] = sources * facts.mean_weight * math.sqrt(n)
    elif kind.startswith("side_by_side"):
        amounts["tried"] = _TRIED_TOGETHER * m
        batch = min(math.ceil(sources / threads), _BATCH)
        amounts["scan"] = math.ceil(sources / max(batch, 1)) * m
    return amounts


def _work_in_a_hierarchy(kind: str, size: Size, facts: Facts, threads: int) -> dict[str, float]:
    """Return the amounts of work of searches and sweeps, as `work` does.

    ``above`` counts the vertices that searches upward visit, about sqrt(n) for each; ``select`` the
    vertices and edges above targets, which are found once; ``meet`` the
    entries of buckets that searches scan, ``sweep`` the vertices and edges that a batch of sources
    passes, ``write`` the entries of the answer; ``pair`` the distances that labels give, and
    ``label`` the entries that they are found from.
    """
    above = math.sqrt(facts.n)
    amounts = {"call": 1.0, "above": size.sources * above}
    if kind == Loop.HIERARCHY.value:
        if size.task is Task.PATH:
            amounts["above"] *= _WALKED_BACK
        elif size.sources > 1:
            amounts["above"] *= _SEARCHED_TOGETHER
        return amounts
    if kind == Loop.TREE_LABELS.value and size.task is Task.PATH:
        return {"call": 1.0, "label": _ROUTE_ENTRIES * above}
    columns = size.targets or facts.n
    if kind in {Loop.TREE_LABELS.value, Loop.HUB_LABELS.value}:
        pairs = float(size.sources * columns)
        if size.task is Task.MANY:  # whose labels are read again and again
            pairs *= _LABELS_IN_CACHE
        return {"call": 1.0, "pair": pairs, "label": pairs * above}
    if kind == Loop.HIERARCHY_BUCKETS.value:
        amounts["above"] += columns * above
        amounts["meet"] = size.sources * columns * _MEETINGS
        amounts["write"] = size.sources * columns
        return amounts
    batch = max(1, min(math.ceil(size.sources / threads), _SWEPT))
    passed = float(facts.n + facts.m)
    if kind == Loop.RESTRICTED_SWEEP.value:
        passed *= min(1.0, _PART_ABOVE * math.sqrt((size.targets or facts.n) / max(facts.n, 1)))
        amounts["select"] = passed  # what is above the targets
    amounts["sweep"] = math.ceil(size.sources / batch) * passed
    amounts["write"] = size.sources * (facts.n if size.targets == 0 else size.targets)
    return amounts


def reach(cutoff: float, facts: Facts) -> float:
    """Return the part of a road network's vertices that are expected within a cutoff.

    It grows with the square of the cutoff. Rounded to a power of the root of 2, so that calls with
    similar cutoffs share a plan.
    """
    across = _ACROSS * facts.mean_weight * math.sqrt(facts.n)
    if across <= 0 or cutoff >= across:
        return 1.0
    share = max((cutoff / across) ** 2, _LEAST_REACH)
    return float(2.0 ** (round(2 * math.log2(share)) / 2))


def may_be_prepared(facts: Facts) -> bool:
    """Return whether a graph is worth a contraction hierarchy: many hops across, and not small."""
    return facts.n >= _WORTH_PREPARING and not facts.negative and _long(facts)


def prepare_seconds(facts: Facts, threads: int) -> float:
    """Return the predicted time of building a contraction hierarchy.

    Edges are taken to exist in both directions. The edges of a tree take little, those that close
    cycles most.
    """
    cycles = max(facts.m / 2 - facts.n, 0.0)
    first = min(cycles, _CONTRACT_CYCLES * facts.n)
    seconds = _CONTRACT_CYCLE * first + _CONTRACT_FURTHER * (cycles - first)
    seconds *= math.pow(facts.n / _CONTRACT_VERTICES, _CONTRACT_GROWTH)
    return (seconds + _CONTRACT * (facts.n + facts.m)) / (1 + (threads - 1) * 0.9)


def prepare_bytes(facts: Facts) -> int:
    """Return the predicted bytes, in addition to the graph, of building a road's hierarchy."""
    of_weight = _CONTRACT_BYTES_OF_WEIGHTS * np.dtype(facts.weight_dtype).itemsize
    return (facts.n + facts.m) * (_CONTRACT_BYTES + of_weight)


def _long(facts: Facts) -> bool:
    """Say whether paths take many hops: as counted, or else few edges a vertex, to near numbers."""
    if facts.hops:
        return facts.hops > WIDE_HOPS
    sparse = facts.mean_degree < MESH_DEGREE
    return sparse or (facts.mean_degree < _LONG_DEGREE and not facts.scattered)


def unsure(size: Size, facts: Facts) -> bool:
    """Say whether hops should be counted before a CPU is planned for.

    Roads whose vertices are numbered at random have as few edges a vertex as sparse graphs of few
    hops, and numbers as far. Counting is worth its time where the solve takes longer.
    """
    unlike = facts.mean_degree < MESH_DEGREE and facts.scattered
    return unlike and size.sources * facts.m >= _MORE_THAN_COUNTING


def cpu_bytes(recipe: Recipe, size: Size, facts: Facts, threads: int) -> int:
    """Return the bytes without the graph: answer, labels and queues of each thread, transposes."""
    n, m = facts.n, facts.m
    label = label_bytes(facts)
    table = 0 if size.written_out else size.sources * size.targets * size.entry
    if recipe.loop is Loop.FLOYD_WARSHALL:
        in_place = size.entry == label or facts.sums_fit_int32
        whole = n * n * (size.entry if in_place else label) + (0 if in_place else table)
        return whole if size.staged is None else size.staged
    if recipe.axes is not None:
        return n * label + _space_of_rounds(recipe, recipe.axes, facts, label)
    if recipe.loop in {Loop.OWN_BUCKETS, Loop.SIDE_BY_SIDE}:
        alone = label + 16  # what is taken again where a batch is abandoned
        together = _LINE + alone if recipe.loop is Loop.SIDE_BY_SIDE else 0
        packed = 12 * n + m * (16 if facts.weight_dtype == "float64" else 8)
        return max(table, n * label) + threads * n * (alone + together) + packed
    if recipe.prepared:
        return max(table, n * label) + _hierarchy_space(recipe, size, facts, threads)
    work = n * (label + 4) + min(m, 4 * n) * 16
    if recipe.queue in {Queue.FIBONACCI, Queue.RELAXED}:
        work = n * _HEAP_NODE
    if recipe.loop is Loop.BUCKET_TEAM:
        narrow = label // 2 if facts.integer else label  # spread out when the buckets are gone
        work = max(n * (narrow + _ENTRIES) - n * label, 0) + threads * _BINS
    elif recipe.own is not None:
        work = recipe.own.bytes(facts)
    elif recipe.loop is Loop.BFS:
        work = n * 4 + n * 3 // 8  # a queue, and bits
    if size.task is Task.SSSP:
        return n * label + work
    return 2 * work + m * 8 if recipe.loop is Loop.BIDIRECTIONAL else table + threads * work


def _hierarchy_space(recipe: Recipe, size: Size, facts: Facts, threads: int) -> int:
    """Bytes of the searches and sweeps of a prepared graph, without their answer."""
    if recipe.loop in {Loop.TREE_LABELS, Loop.HUB_LABELS}:
        return 0
    n, label = facts.n, label_bytes(facts)
    met = int(math.sqrt(n)) * (label + 8)  # what a search upward settles
    searches = 2 * n * label + n // 8
    if recipe.loop is Loop.HIERARCHY_BUCKETS:
        searches += size.targets * met
    if size.task is Task.PAIRS and size.sources > 1:
        searches += min(size.sources, _LISTED) * met
    line = min(_LINE, max(size.sources, 1) * label)
    sweeps = n * (line + 1) if recipe.loop in _SWEEPS else 0
    return threads * (searches + sweeps) + 4 * n


#: What one source may take on a CPU: for each vertex and thread, and whatever the graph.
_LEAN, _ANYHOW = 16, 64 << 20
_ENTRIES = 8  # bytes of a vertex's entries in buckets
_BINS = 2**22  # bytes of a thread's blocks that are hardly filled
_LINE = 64  # bytes of the labels of a vertex, side by side
_HEAP_NODE = 64  # bytes: label, vertex, rank and mark, and the pointers to its relatives


def lean_bytes(n: int, threads: int) -> int:
    """Return the bytes in addition to the graph that one source may take on a CPU."""
    return n * _LEAN * threads + _ANYHOW


def _space_of_rounds(recipe: Recipe, axes: Axes, facts: Facts, label: int) -> int:
    """Bytes of flags or lists, and of a matrix or of the rows of predecessors."""
    if recipe.loop is Loop.STEPPING:
        return facts.n * (1 + 2 * _ENTRIES)  # a flag, and entries of two lists
    work = facts.n * 2
    if axes.layout is Layout.DENSE:
        return work + facts.n * facts.n * label
    if axes.direction is Direction.PULL:
        work += facts.n * 8 + facts.m * (label + 4)
    return work


def label_bytes(facts: Facts) -> int:
    """Return the bytes of a distance between two vertices of a graph."""
    return 4 if facts.weight_dtype == "float32" else 8
