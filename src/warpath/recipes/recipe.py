"""What an algorithm of the catalogue is: data that an engine can run and a person can look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from warpath.base.errors import NotSupportedError
from warpath.graph.checks import shown
from warpath.recipes.axes import Axes, Direction, Layout, Lower, Select

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.graph.facts import Facts
    from warpath.recipes.matrix import MatrixSteps


class Task(Enum):
    """What is asked of an algorithm."""

    SSSP = "sssp"  #: one source, every vertex
    MANY = "distances"  #: several sources, some or all targets
    APSP = "apsp"  #: all pairs
    PATH = "path"  #: one source, one target


class Loop(Enum):
    """The loop that runs: one implementation each, in the engine that has it."""

    DIJKSTRA = "dijkstra"  #: settles the vertex of the smallest label, one after another
    BIDIRECTIONAL = "bidirectional"  #: two such searches that meet
    BELLMAN_FORD = (
        "bellman_ford"  #: relaxes from a queue of improved vertices; finds negative cycles
    )
    DELTA_STEPPING = "delta_stepping"  #: relaxes a bucket of labels at a time, on threads
    FLOYD_WARSHALL = "floyd_warshall"  #: min-plus over a dense matrix, block by block
    BFS = "bfs"  #: breadth-first from one source, over edges out or in; all edges equally long
    JOHNSON = "johnson"  #: Bellman-Ford's potentials, then Dijkstra from each source
    BUCKET_TEAM = "bucket_team"  #: delta-stepping by threads that share each bucket, one source
    OWN_BUCKETS = "own_buckets"  #: delta-stepping by each thread for itself, a source at a time
    SIDE_BY_SIDE = "side_by_side"  #: relaxes an edge for several sources at once
    PAIRS = "pairs"  #: advances (source, vertex) pairs of all sources of a batch together
    BLOCK_A_SOURCE = "block_a_source"  #: a block of threads for each source, labels in its memory
    THREAD_A_SOURCE = "thread_a_source"  #: a thread for each source
    WIDE = "wide"  #: one launch for one source: rows by weight up to a bound, the rest pulled
    PATCHES = "patches"  #: blocks of threads relax patches of neighbouring vertices, one source
    MATRIX_STEPS = "matrix_steps"  #: Floyd-Warshall, its steps said by axes of their own
    ROUNDS_A_SOURCE = "rounds_a_source"  #: Johnson of two recipes in rounds, a source after another
    # In rounds; what a round does is said by the axes.
    SWEEPS = "sweeps"  #: looks at every vertex in every round
    FRONTIER = "frontier"  #: keeps a list of the improved vertices
    NEAR_FAR = "near_far"  #: keeps two lists, one on each side of a rising threshold
    BUCKETS = "buckets"  #: keeps several lists of rising intervals, and a far one
    SETTLE = "settle"  #: settles all vertices up to a threshold found in each round


class Queue(Enum):
    """How a Dijkstra loop keeps the labels that wait."""

    HEAP = "heap"  #: a 4-ary heap, stale entries skipped
    RADIX = "radix"  #: a radix heap: a pop costs amortised O(1) per bit of the key
    DIAL = "dial"  #: Dial's buckets: one for each integer distance up to the largest weight
    BINARY = "binary"  #: a binary heap, stale entries skipped
    FIBONACCI = "fibonacci"  #: a Fibonacci heap: lowers a key in amortised O(1)
    RELAXED = "relaxed"  #: a relaxed heap: lowers a key in O(1), worst case


@dataclass(frozen=True)
class Citation:
    """The publication that an algorithm comes from."""

    authors: str
    title: str
    venue: str
    year: int | None = None

    def __str__(self) -> str:
        when = "" if self.year is None else f" {self.year}"
        return f"{self.authors}: {self.title}, {self.venue}{when}"


@dataclass(frozen=True)
class Param:
    """A number above 0 that a caller may set through ``params={name: value}``.

    Attributes
    ----------
    name, meaning : what it is called and what it does.
    default : its value where the caller gives none; None leaves it to the planner or the loop.
    of_loop : whether only the loop knows its default.
    relative : whether the default counts in mean weight / mean degree of the graph.
    whole : whether it must be a whole number.
    most : its largest value; None for any.
    """

    name: str
    meaning: str
    default: float | None = None
    relative: bool = False
    whole: bool = False
    most: float | None = None
    of_loop: bool = False


class Limits(NamedTuple):
    """The largest graph that a loop can number; None for any.

    Attributes
    ----------
    vertices, edges : of the graph.
    degree : edges of one vertex.
    """

    vertices: int | None = None
    edges: int | None = None
    degree: int | None = None

    def objection(self, facts: Facts) -> str | None:
        """Return the sentence why a graph is too large, or None if it is not."""
        counted = (
            (self.vertices, facts.n, "vertices"),
            (self.edges, facts.m, "edges"),
            (self.degree, facts.max_degree, "edges of one vertex"),
        )
        for most, count, what in counted:
            if most is not None and count > most:
                return f"it numbers up to {most:,} {what}, the graph has {count:,}"
        return None


@dataclass(frozen=True)
class Recipe:
    """One algorithm of the catalogue.

    Attributes
    ----------
    name : its full name, ``paper.variant``.
    summary : what it is for, in one sentence.
    source, where : the publication, and the place in it.
    solves : the tasks it can do.
    loop, queue : what runs.
    negative : whether negative weights are allowed.
    integer_only : whether weights must be integers.
    max_weight : the largest weight it takes, or None.
    equal_weights : whether all weights must be the same.
    block_memory : bytes of a block's shared memory in which it keeps a label, a place on a list and
        a bit for every vertex; None where it keeps nothing there.
    limits : the largest graph that it can number on a GPU.
    reassociates : True where float sums are formed in another order than from the source on, so
        that distances agree with the others' within n * eps instead of bit for bit.
    params : what a caller may set.
    devices : where it runs.
    axes : what its rounds do, for the loops that run in rounds; None for the others.
    steps : what the steps of `Loop.MATRIX_STEPS` do; None for the others.
    parts : the recipes that `Loop.ROUNDS_A_SOURCE` runs: one for the potentials, one from each
        source; none for the others.
    predecessors : whether the loop itself can keep the predecessors of a table.
    exact : False where labels may be wrong: to be measured, not used.
    planned : False where "auto" never takes it.
    note : what stands in for a device of the paper that no longer exists, and why it stays fair.
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
    predecessors: bool = False
    exact: bool = True
    planned: bool = True
    note: str = ""

    def __post_init__(self) -> None:
        objection = next(self._contradictions(), None)
        if objection is not None:
            raise ValueError(f"the recipe {self.name} cannot be: {objection}.")

    def _contradictions(self) -> Iterator[str]:
        """Yield a sentence for each rule that the fields break between them."""
        axes, loop = self.axes, self.loop.name
        if (axes is None) == (self.loop in IN_ROUNDS):
            yield f"{loop} " + ("needs axes" if axes is None else "has no rounds to give axes to")
        if (self.queue is None) == (self.loop is Loop.DIJKSTRA):
            yield f"{loop} " + ("needs a queue" if self.queue is None else "keeps no queue")
        if (self.steps is None) == (self.loop is Loop.MATRIX_STEPS):
            yield f"{loop} " + (
                "needs steps" if self.steps is None else "has no matrix to step over"
            )
        yield from self._against_the_parts()
        if self.planned and not self.exact:
            yield "labels that may be wrong are never planned: say planned=False"
        if axes is None:
            return
        if self.loop is not loop_of(axes):
            yield f"({axes.words()}) is what {loop_of(axes).name} runs, not {loop}"
        if self.exact and axes.lower is Lower.PLAIN_MIN:
            yield "PLAIN_MIN loses concurrent minima: say exact=False"
        if self.negative and axes.select not in {Select.ALL, Select.IMPROVED}:
            yield (
                f"{axes.select.name} takes vertices in the order of their labels, which holds for "
                "weights >= 0 only: say negative=False"
            )
        if ("cpu" in self.devices) != axes.place.whole_cpu:
            yield "devices name the CPU exactly if all steps are placed there"

    def _against_the_parts(self) -> Iterator[str]:
        """Yield what is wrong with the recipes that this one runs."""
        if self.loop is not Loop.ROUNDS_A_SOURCE:
            if self.parts:
                yield f"{self.loop.name} runs no other recipes: leave parts out"
            return
        if len(self.parts) != 2 or any(part.loop not in IN_ROUNDS for part in self.parts):
            yield "ROUNDS_A_SOURCE needs two parts in rounds: for potentials, and from a source"
        elif not self.parts[0].negative:
            yield f"{self.parts[0].name} finds no potentials, it takes weights >= 0 only"
        elif any(part.devices != self.devices for part in self.parts):
            yield "its parts run on other devices than it says"

    def but(self, name: str, summary: str, where: str = "", **changes: Any) -> Recipe:
        """Return a variant: another name, summary and place, and changes of fields or axes.

        Parameters
        ----------
        name, summary : the variant's own.
        where : the place in the publication; empty for the same.
        changes : fields of `Recipe` or of its `Axes` by name; the loop follows from the axes.
        """
        own = {one.name for one in fields(self)}
        mixed = {key: changes.pop(key) for key in list(changes) if key not in own}
        if mixed:
            if self.axes is None:
                msg = f"{self.name} has no axes that {', '.join(mixed)} could change."
                raise ValueError(msg)
            changes["axes"] = replace(self.axes, **mixed)
            changes.setdefault("loop", loop_of(changes["axes"]))
        return replace(self, name=name, summary=summary, where=where or self.where, **changes)

    @property
    def paper(self) -> str:
        """The first part of the name."""
        return self.name.partition(".")[0]

    def needs(self) -> list[str]:
        """Return what a graph must be or is turned into, in words."""
        needs = [] if self.negative else ["weights >= 0"]
        if self.integer_only:
            needs.append("integer weights")
        if self.max_weight is not None:
            needs.append(f"weights up to {self.max_weight:,}")
        if self.equal_weights:
            needs.append("weights all equal")
        if self.axes is not None and self.axes.layout is Layout.DENSE:
            needs.append("memory for n x n weights")
        elif self.axes is not None and self.axes.direction is Direction.PULL:
            needs.append("the edges into each vertex")
        if self.loop in ON_A_MATRIX:
            needs.append("memory for n x n weights")
        return needs

    def _against_weights(self, facts: Facts) -> str | None:
        if facts.negative and not self.negative:
            return f"it needs weights >= 0, the graph has {facts.negative:,} negative ones"
        if self.integer_only and not facts.integer:
            return f"it needs integer weights, the graph has {facts.weight_dtype}"
        if self.max_weight is not None and facts.max_weight > self.max_weight:
            return f"its largest weight is {self.max_weight:,}, the graph has {facts.max_weight:,}"
        if self.equal_weights and facts.min_weight != facts.max_weight:
            return (
                "its weights are all equal, the graph has "
                f"{facts.min_weight:,} to {facts.max_weight:,}"
            )
        return None

    def objection(self, task: Task, facts: Facts, device: str = "cuda") -> str | None:
        """Return the sentence why this algorithm cannot do a task on a graph, or None if it can.

        On the CPU, which numbers everything, its limits do not count.
        """
        if task not in self.solves:
            able = ", ".join(sorted(one.value for one in self.solves))
            return f"it does {able}, not {task.value}"
        weights = self._against_weights(facts)
        if weights is not None:
            return weights
        if self.block_memory is not None:
            wide = facts.weight_dtype == "float64" or (facts.integer and facts.max_weight >= 2**31)
            most = int(self.block_memory / ((8 if wide else 4) + 2 + 1 / 8))
            if facts.n > most:
                return f"its block holds labels of {most:,} vertices, the graph has {facts.n:,}"
        return None if device == "cpu" else self.limits.objection(facts)


IN_ROUNDS = {Loop.SWEEPS, Loop.FRONTIER, Loop.NEAR_FAR, Loop.BUCKETS, Loop.SETTLE}
"""The loops whose rounds are said by axes."""

ON_A_MATRIX = {Loop.MATRIX_STEPS, Loop.THREAD_A_SOURCE}
"""The loops that lay the graph out as a matrix on a GPU."""

IN_ONE_LAUNCH = {Loop.BFS, Loop.PATCHES, Loop.WIDE}
"""The loops of one source that are one launch on a GPU, and keep no trace there."""

WHOLE_TABLES = {Loop.FLOYD_WARSHALL, Loop.MATRIX_STEPS}
"""The loops that find all pairs at once, whatever sources are asked for."""


def loop_of(axes: Axes) -> Loop:
    """Return the loop that runs rounds of this kind."""
    if axes.settles:
        return Loop.SETTLE
    if axes.select is Select.BELOW:
        return Loop.NEAR_FAR
    if axes.select is Select.BUCKET:
        return Loop.BUCKETS
    return Loop.FRONTIER if axes.listed else Loop.SWEEPS


class Catalogue(Sequence[Recipe]):
    """The algorithms, in order; prints itself as a table and finds one by its name."""

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._recipes = tuple(recipes)

    @overload
    def __getitem__(self, at: int | str) -> Recipe: ...
    @overload
    def __getitem__(self, at: slice) -> Catalogue: ...
    def __getitem__(self, at: Any) -> Recipe | Catalogue:
        if isinstance(at, slice):
            return Catalogue(self._recipes[at])
        if isinstance(at, int):
            return self._recipes[at]
        if not isinstance(at, str):
            msg = f"there is no algorithm {shown(at)}: warpath.algorithms() has {len(self)}."
            raise NotSupportedError(msg)
        for recipe in self._recipes:
            if recipe.name == at:
                return recipe
        from difflib import get_close_matches  # here: only a mistyped name needs it

        names = ["auto", *(recipe.name for recipe in self._recipes)]
        close = (
            [name for name in names if at in name.split(".")]
            or [name for name in names if at and at.lower() in name]
            or get_close_matches(at, names)
        )
        hint = f" Did you mean {' or '.join(map(repr, close[:2]))}?" if close else ""
        msg = (
            f"there is no algorithm {at!r}.{hint} warpath.algorithms() lists all {len(names) - 1}."
        )
        raise NotSupportedError(msg)

    def __len__(self) -> int:
        return len(self._recipes)

    def papers(self) -> list[tuple[str, str, Catalogue]]:
        """Return what belongs together: the first part of the names, a title, the recipes."""
        grouped: dict[str, list[Recipe]] = {}
        for recipe in self._recipes:
            grouped.setdefault(recipe.paper, []).append(recipe)
        return [(paper, _title(recipes), Catalogue(recipes)) for paper, recipes in grouped.items()]

    def __str__(self) -> str:
        blocks = []
        for paper, title, recipes in self.papers():
            name = max(len(recipe.name) for recipe in recipes)
            lines = (f"{r.name:<{name}}  {'/'.join(r.devices):<4}  {r.summary}" for r in recipes)
            blocks.append("\n".join([f"{paper}: {title}", *lines]))
        return "\n\n".join(blocks)

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} algorithms>\n{self}"


def _title(recipes: Sequence[Recipe]) -> str:
    sources = {recipe.source for recipe in recipes}
    return str(sources.pop()) if len(sources) == 1 else "each from a publication of its own"
