"""The type `Recipe`, which describes an algorithm of the catalogue."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from warpath.base.latex import escaped
from warpath.recipes.axes import Axes, Direction, Edges, Layout, Lower, Select

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.graph.facts import Facts
    from warpath.recipes.matrix import MatrixSteps


class Task(Enum):
    """The problem that an algorithm solves."""

    SSSP = "sssp"  #: one source, every vertex
    MANY = "distances"  #: several sources, some or all targets
    APSP = "apsp"  #: all pairs
    PATH = "path"  #: one source, one target
    PAIRS = "pairs"  #: several sources, each with a target of its own
    BETWEENNESS = "betweenness"  #: the shares of shortest paths, from several sources

    __hash__ = object.__hash__  # Enum's takes 0.3 us, several times in a call


class Loop(Enum):
    """The main loop of an algorithm; an engine has one implementation of each that it supports."""

    DIJKSTRA = "dijkstra"  #: settles vertices one by one, the smallest label first
    BIDIRECTIONAL = "bidirectional"  #: Dijkstra searches from both ends that meet
    BELLMAN_FORD = "bellman_ford"  #: relaxes improved vertices from a queue; finds negative cycles
    DELTA_STEPPING = "delta_stepping"  #: relaxes a bucket of labels at a time, on threads
    FLOYD_WARSHALL = "floyd_warshall"  #: min-plus over a dense matrix, block by block
    BFS = "bfs"  #: breadth-first from one source, over out-edges or in-edges; equal weights
    JOHNSON = "johnson"  #: Bellman-Ford's potentials, then Dijkstra from each source
    BUCKET_TEAM = "bucket_team"  #: delta-stepping by threads that share each bucket, one source
    OWN_BUCKETS = "own_buckets"  #: delta-stepping on each thread separately, a source at a time
    SIDE_BY_SIDE = "side_by_side"  #: relaxes an edge for several sources at once
    PAIRS = "pairs"  #: advances (source, vertex) pairs of all sources of a batch together
    BLOCK_A_SOURCE = "block_a_source"  #: a block for each source, with labels in shared memory
    THREAD_A_SOURCE = "thread_a_source"  #: a thread for each source
    WIDE = "wide"  #: one launch, one source: pushes edges up to a rising bound, pulls the rest
    PATCHES = "patches"  #: blocks of threads relax patches of neighbouring vertices, one source
    MATRIX_STEPS = "matrix_steps"  #: Floyd-Warshall, with the steps of `Recipe.steps`
    ROUNDS_A_SOURCE = "rounds_a_source"  #: Johnson of two recipes in rounds, source by source
    HIERARCHY = "hierarchy"  #: searches upward in a contraction hierarchy that meet
    HIERARCHY_BUCKETS = "hierarchy_buckets"  #: searches upward that meet in buckets: tables
    HIERARCHY_SWEEP = "hierarchy_sweep"  #: sweeps down a hierarchy, over all vertices
    RESTRICTED_SWEEP = "restricted_sweep"  #: sweeps down a hierarchy, over vertices above targets
    CUSTOMIZED = "customized"  #: searches upward, in arcs that were found without the weights
    TREE_LABELS = "tree_labels"  #: least sums of labels, with the distances to ancestors
    HUB_LABELS = "hub_labels"  #: least sums of labels, with the distances to hubs
    BRANDES = "brandes"  #: a search from a source that counts paths, and a pass back
    COUNTING_SWEEPS = "counting_sweeps"  #: sweeps over a hierarchy that count paths
    DYNAMIC = "dynamic"  #: settles from the changed vertices alone after edges have changed
    OWN = "own"  #: the functions of `Recipe.own`
    # Loops in rounds, which `Recipe.axes` describes.
    SWEEPS = "sweeps"  #: visits every vertex in every round
    FRONTIER = "frontier"  #: keeps a list of the improved vertices
    NEAR_FAR = "near_far"  #: keeps two lists, below and above a rising threshold
    NEAR_FAR_PULL = "near_far_pull"  #: the same by flags, and pulls to many vertices
    LIGHT_HEAVY = "light_heavy"  #: the same, and relaxes heavy edges once for each threshold
    STEPPING = "stepping"  #: keeps a queue, and extracts what lies below a threshold in each round
    BUCKETS = "buckets"  #: keeps a list for each of several rising intervals, and a far list
    SETTLE = "settle"  #: settles all vertices up to a threshold computed in each round

    __hash__ = object.__hash__  # as in `Task`


class Queue(Enum):
    """The priority queue of a Dijkstra loop."""

    HEAP = "heap"  #: a 4-ary heap, stale entries skipped
    RADIX = "radix"  #: a radix heap: a pop costs amortised O(1) per bit of the key
    DIAL = "dial"  #: Dial's buckets: one for each integer distance up to the largest weight
    BINARY = "binary"  #: a binary heap, stale entries skipped
    FIBONACCI = "fibonacci"  #: a Fibonacci heap: lowers a key in amortised O(1)
    RELAXED = "relaxed"  #: a relaxed heap: lowers a key in amortised O(1)


@dataclass(frozen=True)
class OwnLoop:
    """The loop of one algorithm: functions that the engines of devices call.

    The types that they take and return are those of `warpath.engines.base`.

    Attributes
    ----------
    bytes : (facts of a graph) -> the bytes that the loop takes besides the graph and the labels.
    cpu : (order) -> raw, on the CPU; None if the loop does not run there.
    device : (order, device) -> raw, on a GPU or the emulator; None if it does not run there.
    search : (graph, params, cutoff) -> a search of one source on the CPU that is called again and
        again, or None if there is no such search.
    threads : whether `cpu` uses the threads of the order for one source; otherwise it gets one.
    """

    bytes: Callable[[Facts], int]
    cpu: Callable[..., Any] | None = None
    device: Callable[..., Any] | None = None
    search: Callable[..., Any] | None = None
    threads: bool = False


_VOLUME = re.compile(r"(.+) (\d+)(?:\((\d+)\))?")


@dataclass(frozen=True)
class Citation:
    """The publication of an algorithm."""

    authors: str
    title: str
    venue: str
    year: int | None = None

    def __str__(self) -> str:
        when = "" if self.year is None else f" {self.year}"
        return f"{self.authors}: {self.title}, {self.venue}{when}"

    @property
    def key(self) -> str:
        """The first author and the year, as in "martin2009"."""
        first = normalize("NFKD", self.authors.partition(",")[0].split()[-1].lower())
        return "".join(one for one in first if one.isascii()) + str(self.year or "")

    @property
    def bibtex(self) -> str:
        """An entry for BibTeX: an article if the venue ends with a volume."""
        volume = _VOLUME.fullmatch(self.venue)
        fields = {
            "author": " and ".join(map(escaped, self.authors.split(", "))),
            "title": f"{{{escaped(self.title)}}}",
            "year": self.year,
        }
        if volume is not None:
            kind = "article"
            fields |= {"journal": escaped(volume[1]), "volume": volume[2], "number": volume[3]}
        else:
            kind = "inproceedings" if self.year else "misc"
            fields["booktitle" if self.year else "howpublished"] = escaped(self.venue)
        lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
        return f"@{kind}{{{self.key},\n{''.join(lines)}}}\n"


@dataclass(frozen=True)
class Param:
    """A number above 0 that a caller may set through ``params={name: value}``.

    Attributes
    ----------
    name, meaning : the name and a description.
    default : the default value; None if the planner or the loop chooses it.
    of_loop : whether the loop chooses the default.
    relative : whether the default is in units of mean weight / mean degree of the graph.
    whole : whether the value must be an integer.
    most : the largest value; None for no limit.
    """

    name: str
    meaning: str
    default: float | None = None
    relative: bool = False
    whole: bool = False
    most: float | None = None
    of_loop: bool = False


class Limits(NamedTuple):
    """The largest graph that a loop supports, by the width of its indices; None for no limit.

    Attributes
    ----------
    vertices, edges : largest numbers of vertices and edges.
    degree : largest number of edges of one vertex.
    """

    vertices: int | None = None
    edges: int | None = None
    degree: int | None = None

    def objection(self, facts: Facts) -> str | None:
        """Return a sentence why a graph is too large, or None if it is not."""
        counted = (
            (self.vertices, facts.n, "vertices"),
            (self.edges, facts.m, "edges"),
            (self.degree, facts.max_degree, "edges of one vertex"),
        )
        for most, count, what in counted:
            if most is not None and count > most:
                return f"it supports up to {most:,} {what}, the graph has {count:,}"
        return None


GPU_ONLY = ("cuda",)
"""`Recipe.devices` of an algorithm without an implementation for the CPU."""


@dataclass(frozen=True)
class Recipe:
    """One algorithm of the catalogue.

    Attributes
    ----------
    name : full name, ``paper.variant``.
    summary : purpose, in one sentence.
    source, where : the publication, and the section in it.
    solves : the tasks that it supports.
    loop, queue : the main loop, and its priority queue if any.
    negative : whether negative weights are allowed.
    integer_only : whether weights must be integers.
    max_weight : the largest weight allowed; None for no limit.
    equal_weights : whether all weights must be equal.
    block_memory : shared memory of a block in bytes, for a label, a list entry and a bit of every
        vertex; None if labels are not in shared memory.
    limits : the largest graph that it supports on a GPU.
    reassociates : whether float sums are formed in another order than from the source on, so that
        distances agree with those of other algorithms within n * eps instead of bit for bit.
    params : the parameters that a caller may set.
    devices : names of the supported devices.
    axes : design of the rounds, for loops in rounds; None for others.
    steps : design of the steps of `Loop.MATRIX_STEPS`; None for others.
    parts : the two recipes of `Loop.ROUNDS_A_SOURCE`, for the potentials and for the search from
        each source; empty for others.
    own : the functions of `Loop.OWN`; None for others.
    predecessors : whether the loop itself can compute the predecessors of a table.
    exact : False if labels may be wrong: for measurements only.
    planned : False if "auto" never chooses it.
    prepared : whether it searches in a contraction hierarchy. "auto" chooses it for a Solver that
        `warpath.prepare` has returned; by its name it builds the hierarchy at its first call.
    note : replacements for features of the paper's hardware that no longer exist, and why the
        comparison remains fair.
    """

    name: str
    summary: str
    source: Citation
    where: str
    solves: frozenset[Task]
    loop: Loop
    queue: Queue | None = None
    negative: bool = False
    integer_only: bool = False
    max_weight: int | None = None
    equal_weights: bool = False
    block_memory: int | None = None
    limits: Limits = field(default=Limits())
    reassociates: bool = False
    params: tuple[Param, ...] = ()
    devices: tuple[str, ...] = field(default=("cpu",))
    axes: Axes | None = None
    steps: MatrixSteps | None = None
    parts: tuple[Recipe, ...] = ()
    own: OwnLoop | None = None
    predecessors: bool = False
    exact: bool = True
    planned: bool = True
    prepared: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        objection = next(self._contradictions(), None)
        if objection is not None:
            raise ValueError(f"the recipe {self.name} cannot be: {objection}.")

    def _contradictions(self) -> Iterator[str]:
        """Yield a sentence for each pair of fields that contradict each other."""
        axes, loop = self.axes, self.loop.name
        if (axes is None) == (self.loop in IN_ROUNDS):
            yield f"{loop} " + ("needs axes" if axes is None else "has no rounds to give axes to")
        if (self.queue is None) == (self.loop is Loop.DIJKSTRA):
            yield f"{loop} " + ("needs a queue" if self.queue is None else "keeps no queue")
        if (self.steps is None) == (self.loop is Loop.MATRIX_STEPS):
            missing = self.steps is None
            yield f"{loop} " + ("needs steps" if missing else "has no matrix to step over")
        yield from self._against_the_parts()
        yield from self._against_its_own_loop()
        if self.planned and not self.exact:
            yield "labels that may be wrong are never planned: say planned=False"
        if axes is None:
            return
        if self.loop is not loop_of(axes):
            yield f"({axes.words()}) is what {loop_of(axes).name} runs, not {loop}"
        if self.exact and axes.lower is not Lower.ATOMIC_MIN:
            yield f"{axes.lower.name} loses concurrent minima: say exact=False"
        if self.negative and axes.select not in {Select.ALL, Select.IMPROVED}:
            yield (
                f"{axes.select.name} takes vertices in the order of their labels, which holds for "
                "weights >= 0 only: say negative=False"
            )
        if self.loop is not Loop.STEPPING and ("cpu" in self.devices) != axes.place.whole_cpu:
            way = "GPU_ONLY, or place=Place(Side.CPU, Side.CPU, Side.CPU)"
            way = '("cpu",)' if axes.place.whole_cpu else way
            yield f"devices name the CPU exactly if all steps are placed there: say devices={way}"

    def _against_its_own_loop(self) -> Iterator[str]:
        """Yield the errors in the functions of its own loop."""
        if (self.own is None) == (self.loop is Loop.OWN):
            yield f"{self.loop.name} " + ("has no" if self.own else "needs") + " functions in own"
        if self.own is not None:
            runs = {"cpu": self.own.cpu, "cuda": self.own.device}
            there = tuple(name for name, run in runs.items() if run is not None)
            if set(self.devices) != set(there):
                yield f"own has functions for other devices: say devices={there}"

    def _against_the_parts(self) -> Iterator[str]:
        """Yield the errors in the recipes that this one runs."""
        if self.loop is not Loop.ROUNDS_A_SOURCE:
            if self.parts:
                yield f"{self.loop.name} runs no other recipes: leave parts out"
            return
        if len(self.parts) != 2 or any(part.loop not in IN_ROUNDS for part in self.parts):
            yield "ROUNDS_A_SOURCE needs two parts in rounds: for potentials, and from a source"
        elif not self.parts[0].negative:
            yield f"{self.parts[0].name} finds no potentials, it needs weights >= 0"
        elif any(part.devices != self.devices for part in self.parts):
            yield "its parts run on other devices than it says"

    def but(self, name: str, summary: str, where: str = "", **changes: Any) -> Recipe:
        """Return a variant of the recipe with some fields or axes changed.

        Parameters
        ----------
        name, summary : of the variant. A variant of the same paper, the first part of the name,
            keeps all other fields. A variant of another paper needs `where` and `source`; unless
            given, its `note` is empty and `planned` is False.
        where : section of the publication; empty for that of this recipe.
        changes : fields of `Recipe` or of its `Axes` by name; the axes determine the loop.
        """
        mixed = {key: changes.pop(key) for key in list(changes) if key not in vars(self)}
        axes = [each.name for each in fields(Axes)]
        for key in mixed:
            if key not in axes:
                names = ", ".join([*axes, *vars(self)])
                raise ValueError(f"{key} is neither an axis nor a field of a recipe: use {names}.")
        if mixed:
            if self.axes is None:
                raise ValueError(
                    f"{self.name} has no axes that {', '.join(mixed)} could change: start from a "
                    "recipe in rounds, whose axes are not None."
                )
            changes["axes"] = replace(self.axes, **mixed)
            changes.setdefault("loop", loop_of(changes["axes"]))
        if name.partition(".")[0] != self.paper:
            if not where or "source" not in changes:
                raise ValueError(
                    f"{name} is of another paper than {self.name}: give where=, its section there, "
                    "and source=Citation(authors, title, venue, year)."
                )
            changes = {"note": "", "planned": False, **changes}
        return replace(self, name=name, summary=summary, where=where or self.where, **changes)

    def __repr__(self) -> str:
        return f"<Recipe {self.name}: {self.summary}>"

    @property
    def bibtex(self) -> str:
        """The publication as an entry for BibTeX."""
        return self.source.bibtex

    @property
    def paper(self) -> str:
        """The first part of the name."""
        return self.name.partition(".")[0]

    def needs(self) -> list[str]:
        """Return the requirements on a graph and on memory, in words."""
        needs = [] if self.negative else ["weights >= 0"]
        if Task.BETWEENNESS in self.solves:
            needs = ["weights > 0"]
        if self.integer_only:
            needs.append("integer weights")
        if self.max_weight is not None:
            needs.append(f"weights up to {self.max_weight:,}")
        if self.equal_weights:
            needs.append("weights all equal")
        if self.axes is not None and self.axes.layout is Layout.DENSE:
            needs.append("memory for n x n weights")
        elif self.axes is not None and self.axes.layout is Layout.ELL:
            needs.append("memory for n x (largest out-degree) weights")
        elif self.axes is not None and self.axes.direction is Direction.PULL:
            needs.append("the edges into each vertex")
        if self.loop in ON_A_MATRIX:
            needs.append("memory for n x n weights")
        if self.prepared:
            needs.append("a contraction hierarchy")
        return needs

    def _against_weights(self, facts: Facts) -> str | None:
        if facts.negative and not self.negative:
            one = facts.negative == 1
            count = f"{facts.negative:,} negative weight{'' if one else 's'}"
            return f"it needs weights >= 0, the graph has {count}"
        if self.integer_only and not facts.integer:
            return f"it needs integer weights, the graph has {facts.weight_dtype}"
        if self.max_weight is not None and facts.max_weight > self.max_weight:
            return f"it needs weights up to {self.max_weight:,}, the graph has {facts.max_weight:,}"
        if self.equal_weights and facts.min_weight != facts.max_weight:
            return (
                "it needs equal weights, the graph has "
                f"{facts.min_weight:,} to {facts.max_weight:,}"
            )
        return None

    def objection(self, task: Task, facts: Facts) -> str | None:
        """Return a sentence why the algorithm cannot solve a task on a graph, or None if it can.

        What holds on one kind of device only, such as `limits`, is checked by
        `planner.device_kind.DeviceKind.objection`.
        """
        if task not in self.solves:
            able = ", ".join(sorted(solve.value for solve in self.solves))
            return f"it does {able}, not {task.value}"
        weights = self._against_weights(facts)
        if weights is not None:
            return weights
        rounded = not (facts.integer or facts.exact_sums)
        if self.prepared and rounded and task in {Task.SSSP, Task.PATH}:
            return "a tree or a route needs sums from the source on, and floats round differently"
        if self.loop is Loop.TREE_LABELS and task is Task.PATH and facts.zero:
            return "routes by labels need weights above 0, as arcs of length 0 lead around cycles"
        if self.block_memory is not None:
            wide = facts.weight_dtype == "float64" or (facts.integer and facts.max_weight >= 2**31)
            most = int(self.block_memory / ((8 if wide else 4) + 2 + 1 / 8))
            if facts.n > most:
                return f"its block holds labels of {most:,} vertices, the graph has {facts.n:,}"
        return None


IN_ROUNDS = {
    Loop.SWEEPS,
    Loop.FRONTIER,
    Loop.NEAR_FAR,
    Loop.NEAR_FAR_PULL,
    Loop.LIGHT_HEAVY,
    Loop.STEPPING,
    Loop.BUCKETS,
    Loop.SETTLE,
}
"""The loops in rounds, which axes describe."""

ON_A_MATRIX = {Loop.MATRIX_STEPS, Loop.THREAD_A_SOURCE}
"""The loops that store the graph as a matrix on a GPU."""

IN_ONE_LAUNCH = {Loop.BFS, Loop.DYNAMIC, Loop.PATCHES, Loop.WIDE}
"""The loops of one source that run in one launch on a GPU, and record no trace there."""

WHOLE_TABLES = {Loop.FLOYD_WARSHALL, Loop.MATRIX_STEPS}
"""The loops that compute all pairs, regardless of the requested sources."""


def loop_of(axes: Axes) -> Loop:
    """Return the loop that runs rounds with these axes."""
    if axes.settles:
        return Loop.SETTLE
    if axes.select is Select.BELOW and axes.direction is Direction.PULL:
        return Loop.NEAR_FAR_PULL
    if axes.select is Select.BELOW:
        return Loop.LIGHT_HEAVY if axes.edges is Edges.LIGHT_FIRST else Loop.NEAR_FAR
    if axes.select in {Select.DELTA_STAR, Select.RHO}:
        return Loop.STEPPING
    if axes.select is Select.BUCKET:
        return Loop.BUCKETS
    return Loop.FRONTIER if axes.listed else Loop.SWEEPS
