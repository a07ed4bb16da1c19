"""What an algorithm of the catalogue is: data that an engine can run and a person can look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, overload

from warpath.errors import NotSupportedError

if TYPE_CHECKING:
    from warpath.facts import Facts


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
    JOHNSON = "johnson"  #: Bellman-Ford's potentials, then Dijkstra from each source


class Queue(Enum):
    """How a Dijkstra loop keeps the labels that wait."""

    HEAP = "heap"  #: a 4-ary heap, stale entries skipped
    RADIX = "radix"  #: a radix heap: a pop costs amortised O(1) per bit of the key
    DIAL = "dial"  #: Dial's buckets: one for each integer distance up to the largest weight


@dataclass(frozen=True)
class Citation:
    """The publication that an algorithm comes from."""

    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"{self.authors}: {self.title}, {self.venue} {self.year}"


@dataclass(frozen=True)
class Param:
    """A number that a caller may set through ``params={name: value}``."""

    name: str
    meaning: str


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
    reassociates : True where float sums are formed in another order than from the source on, so
        that distances agree with the others' within n * eps instead of bit for bit.
    params : what a caller may set.
    devices : where it runs.
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
    reassociates: bool = False
    params: tuple[Param, ...] = ()
    devices: tuple[str, ...] = field(default=("cpu",))

    def objection(self, task: Task, facts: Facts) -> str | None:
        """Return the sentence why this algorithm cannot do a task on a graph, or None if it can."""
        if task not in self.solves:
            able = ", ".join(sorted(one.value for one in self.solves))
            return f"it does {able}, not {task.value}"
        if facts.negative and not self.negative:
            return f"it needs weights >= 0, the graph has {facts.negative:,} negative ones"
        if self.integer_only and not facts.integer:
            return f"it needs integer weights, the graph has {facts.weight_dtype}"
        if self.max_weight is not None and facts.max_weight > self.max_weight:
            return (
                f"its largest weight is {self.max_weight:,}, the graph has {facts.max_weight:,.0f}"
            )
        return None


class Catalogue(Sequence[Recipe]):
    """The algorithms, in order; prints itself as a table and finds one by its name."""

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._recipes = tuple(recipes)

    @overload
    def __getitem__(self, at: int | str) -> Recipe: ...
    @overload
    def __getitem__(self, at: slice) -> Catalogue: ...
    def __getitem__(self, at: int | str | slice) -> Recipe | Catalogue:
        if isinstance(at, slice):
            return Catalogue(self._recipes[at])
        if isinstance(at, int):
            return self._recipes[at]
        for recipe in self._recipes:
            if recipe.name == at:
                return recipe
        from difflib import get_close_matches  # here: only a mistyped name needs it

        names = ["auto", *(recipe.name for recipe in self._recipes)]
        close = [name for name in names if at in name.split(".")] or get_close_matches(at, names)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        msg = f"there is no algorithm {at!r}.{hint} Known are: {', '.join(names)}."
        raise NotSupportedError(msg)

    def __len__(self) -> int:
        return len(self._recipes)

    def __str__(self) -> str:
        width = max((len(recipe.name) for recipe in self._recipes), default=0)
        return "\n".join(f"{recipe.name:<{width}}  {recipe.summary}" for recipe in self._recipes)

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} algorithms>\n{self}"
