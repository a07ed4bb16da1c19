"""Which algorithm should run: a pure choice from the facts, with the reasons to print."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from warpath import units
from warpath.errors import InputError, NegativeWeightError, NotEnoughMemoryError, NotSupportedError
from warpath.recipes import CATALOGUE, Loop, Queue, Recipe, Task
from warpath.recipes.axes import Direction, Layout
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    from warpath.facts import Facts


class Hardware(NamedTuple):
    """What there is to run on: threads, and bytes of memory that may be used."""

    threads: int
    memory: int


class Wish(NamedTuple):
    """What the caller fixed; "auto" leaves it open."""

    algorithm: str = "auto"
    device: str = "auto"
    threads: int | None = None
    params: dict[str, float] | None = None


class Size(NamedTuple):
    """How much is asked for: the task, rows and columns of the answer, bytes of one entry."""

    task: Task
    sources: int = 1
    targets: int = 0
    entry: int = 8
    written_out: bool = False


@dataclass(frozen=True)
class Candidate:
    """An algorithm that could run: predicted seconds, bytes beside the graph, and its threads.

    Only what "auto" may take has a predicted time; for the others it is None.
    """

    recipe: Recipe
    seconds: float | None
    bytes: int
    threads: int


@dataclass(frozen=True)
class Plan:
    """What runs, and why. Prints itself with the runners-up and what was left out.

    Attributes
    ----------
    recipe : the algorithm.
    device : where it runs.
    threads : how many threads it uses.
    params : its parameters.
    seconds : the predicted time on the machine that the model was measured on, or None for an
        algorithm that "auto" never takes: no model of it was measured.
    bytes : the memory it takes beside the graph, the answer included.
    reason : why it was taken.
    runners_up : the other candidates, fastest first.
    left_out : (name, sentence) of the algorithms that cannot do this.
    notes : what else there is to know.
    """

    recipe: Recipe
    device: str
    threads: int
    params: dict[str, float]
    seconds: float | None
    bytes: int
    reason: str
    runners_up: tuple[Candidate, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self.recipe.name

    def headline(self) -> str:
        """Return what runs, in one line."""
        parts = [f"{self.recipe.name} on {self.device}"]
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        parts += [f"{name} = {value:,g}" for name, value in self.params.items()]
        return ", ".join(parts)

    def __str__(self) -> str:
        lines = [
            self.headline(),
            f"  because {self.reason}",
            f"  {_predicted(self.seconds)}, {units.size(self.bytes)} beside the graph",
        ]
        for place, other in enumerate(self.runners_up[:3], start=2):
            lines.append(
                f"  {_ordinal(place)} {other.recipe.name}: {units.seconds(_time(other))}, "
                f"{units.size(other.bytes)}"
            )
        lines += [f"  left out {name}: {sentence}" for name, sentence in self.left_out]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Plan {self}>"


def choose(size: Size, facts: Facts, hardware: Hardware, wish: Wish) -> Plan:
    """Choose an algorithm.

    Parameters
    ----------
    size : what is asked for.
    facts : of the graph, `Graph.facts(symmetry=False)` is enough.
    hardware, wish : what there is, and what the caller fixed.

    Raises
    ------
    NotSupportedError
        If the device or the algorithm that was asked for cannot do it; the message says why.
    NegativeWeightError
        If the algorithm that was asked for needs weights >= 0 and the graph has others.
    NotEnoughMemoryError
        If the answer or the working space would not fit; the message has the numbers.
    """
    _check_device(wish.device)
    threads = hardware.threads if wish.threads is None else wish.threads
    left_out: list[tuple[str, str]] = []
    able: list[Candidate] = []
    for recipe in _considered(wish):
        objection = recipe.objection(size.task, facts) or _sums_that_do_not_fit(recipe, facts)
        if objection is None:
            able.append(_candidate(recipe, size, facts, threads))
        elif size.task in recipe.solves:
            left_out.append((recipe.name, objection))
    if wish.algorithm == "auto":
        fitting = [c for c in able if c.bytes <= hardware.memory]
        chosen, reason = _best(fitting or able, size, facts)
    else:
        chosen = _named(wish.algorithm, able, size, facts)
        reason = "it was asked for"
    params = chosen_params(chosen.recipe, facts, wish.params or {})
    plan = Plan(
        chosen.recipe, "cpu", chosen.threads, params, chosen.seconds, chosen.bytes, reason,
        tuple(sorted((c for c in able if c is not chosen), key=_time)),
        tuple(left_out), _notes(chosen.recipe),
    )  # fmt: skip
    _check_memory(plan, size, hardware)
    return plan


def _considered(wish: Wish) -> list[Recipe]:
    """Return what runs on the CPU and is planned, or was asked for by its name."""
    return [r for r in CATALOGUE if "cpu" in r.devices and (r.planned or r.name == wish.algorithm)]


def _check_device(device: str) -> None:
    if device in {"auto", "cpu"}:
        return
    if device == "cluster" or device.partition(":")[0] == "cuda":
        msg = f"device={device!r}: this version of warpath runs on the CPU only. Use device='cpu'."
        raise NotSupportedError(msg)
    msg = f"device={device!r} is no device: 'auto' and 'cpu' are."
    raise InputError(msg)


def _named(name: str, able: list[Candidate], size: Size, facts: Facts) -> Candidate:
    for candidate in able:
        if candidate.recipe.name == name:
            return candidate
    recipe = CATALOGUE[name]
    objection = recipe.objection(size.task, facts) or _sums_that_do_not_fit(recipe, facts)
    objection = objection or f"it runs on {', '.join(recipe.devices)}, not on cpu"
    others = ", ".join(c.recipe.name for c in able) or "none"
    msg = f"{name} cannot do this: {objection}. These can: {others}."
    if facts.negative and not recipe.negative and size.task in recipe.solves:
        raise NegativeWeightError(msg)
    raise NotSupportedError(msg)


def _best(able: list[Candidate], size: Size, facts: Facts) -> tuple[Candidate, str]:
    if not able:
        msg = f"no algorithm here does {size.task.value} on this graph."
        raise NotSupportedError(msg)
    # Rule 1 (same bits) holds for every planned algorithm on floats, so those that associate sums
    # differently are taken only where the others cannot do it or are far slower.
    exact = [c for c in able if facts.integer or not c.recipe.reassociates]
    fastest = min(able, key=_time)
    if not exact:
        return fastest, "nothing else takes negative weights here"
    best = min(exact, key=_time)
    if len(able) == 1:
        return best, "it is the only one that can do this"
    if best is fastest:
        return best, "it is predicted to be the fastest"
    return best, "it is predicted to be the fastest of those that add floats in the same order"


def _sums_that_do_not_fit(recipe: Recipe, facts: Facts) -> str | None:
    if recipe.loop is not Loop.FLOYD_WARSHALL or not facts.integer:
        return None
    largest = max(abs(facts.min_weight), abs(facts.max_weight))
    if largest * max(facts.n, 1) < 2**61:
        return None
    return f"{facts.n:,} weights of up to {largest:,.0f} could leave 64 bits"


def _candidate(recipe: Recipe, size: Size, facts: Facts, threads: int) -> Candidate:
    if not recipe.planned:
        return Candidate(recipe, None, _space(recipe, size, facts, 1), 1)
    used = threads if _uses_threads(recipe, size) else 1
    used = max(1, min(used, size.sources)) if recipe.loop in _ONE_SOURCE_A_THREAD else used
    # A team's start and its barriers cost more than a small graph gives back.
    used = min({1, used}, key=lambda count: _predict(recipe, size, facts, count))
    seconds, space = _predict(recipe, size, facts, used), _space(recipe, size, facts, used)
    return Candidate(recipe, seconds, space, used)


_ONE_SOURCE_A_THREAD = {Loop.DIJKSTRA, Loop.JOHNSON}


def _uses_threads(recipe: Recipe, size: Size) -> bool:
    if recipe.loop in {Loop.DELTA_STEPPING, Loop.FLOYD_WARSHALL}:
        return True
    return recipe.loop in _ONE_SOURCE_A_THREAD and size.task in {Task.MANY, Task.APSP}


# The model's constants: seconds of one core per unit of work, from the graphs of
# docs/decisions/0010-predicted-times.md. They rank the candidates; they do not promise a time.
_PER_EDGE = {Queue.HEAP: 3.2e-9, Queue.RADIX: 0.5e-9, Queue.DIAL: 3.4e-9}
_PER_VERTEX = {Queue.HEAP: 36e-9, Queue.RADIX: 92e-9, Queue.DIAL: 49e-9}
_PER_BUCKET = 0.5e-9
_DELTA_PER_EDGE = 4.0e-9
_DELTA_PER_VERTEX = 39e-9
_QUEUED_PER_EDGE = 21e-9  # twice the measured, for its worst case is O(n m)
_QUEUED_PER_VERTEX = 76e-9
_PER_MIN_PLUS = 2e-11
_TEAM_START = 100e-6  # threads made, and their first barriers
_PARALLEL_SHARE = 0.7  # of a core that each further thread adds


def _predict(recipe: Recipe, size: Size, facts: Facts, threads: int) -> float:
    n, m = facts.n, facts.m
    speed_up = 1 + (threads - 1) * _PARALLEL_SHARE
    start = _TEAM_START * (threads - 1)
    queued = m * _QUEUED_PER_EDGE + n * _QUEUED_PER_VERTEX
    match recipe.loop:
        case Loop.FLOYD_WARSHALL:
            seconds = n**3 * _PER_MIN_PLUS / speed_up
        case Loop.DELTA_STEPPING:
            seconds = (m * _DELTA_PER_EDGE + n * _DELTA_PER_VERTEX) / speed_up
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


def _one_search(recipe: Recipe, facts: Facts) -> float:
    queue = recipe.queue or Queue.RADIX
    depth = 1 + math.log2(facts.n + 2) / 20 if queue is Queue.HEAP else 1
    seconds = (facts.m * _PER_EDGE[queue] + facts.n * _PER_VERTEX[queue]) * depth
    if queue is Queue.DIAL:  # it walks over the buckets of all distances, used or not
        seconds += facts.mean_weight * _PER_BUCKET * math.sqrt(facts.n)
    return seconds


def _space(recipe: Recipe, size: Size, facts: Facts, threads: int) -> int:
    """Bytes beside the graph: the answer, the labels and queues of every thread, transposes."""
    n, m = facts.n, facts.m
    label = 4 if facts.weight_dtype == "float32" else 8
    table = 0 if size.written_out else size.sources * size.targets * size.entry
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return n * n * label + (0 if size.entry == label else table)
    if recipe.axes is not None:
        return n * label + _space_of_rounds(recipe, facts, label)
    work = n * (label + 4) + min(m, 4 * n) * 16
    if recipe.queue in {Queue.FIBONACCI, Queue.RELAXED}:
        work = n * _HEAP_NODE
    if size.task is Task.SSSP:
        return n * label + work
    if recipe.loop is Loop.BIDIRECTIONAL:
        return 2 * work + m * 8
    return table + threads * work


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


def _check_memory(plan: Plan, size: Size, hardware: Hardware) -> None:
    if plan.bytes <= hardware.memory:
        return
    ways = {
        Task.APSP: "write it out with out=, ask for fewer vertices with distances(targets=), "
        "or halve it with dist_dtype='int32' or float32 weights",
        Task.MANY: "ask for fewer sources or targets at a time",
    }.get(size.task, "use a machine with more memory")
    msg = (
        f"{plan.recipe.name} would take {units.size(plan.bytes)} beside the graph, "
        f"but {units.size(hardware.memory)} are free: {ways}."
    )
    raise NotEnoughMemoryError(msg)


def _notes(recipe: Recipe) -> tuple[str, ...]:
    return () if recipe.exact else ("measured only: its labels may be wrong",)


def _time(candidate: Candidate) -> float:
    """Return the predicted time; without one it comes last."""
    return math.inf if candidate.seconds is None else candidate.seconds


def _predicted(seconds: float | None) -> str:
    return "no prediction" if seconds is None else f"predicted {units.seconds(seconds)}"


def _ordinal(place: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(place, f"{place}th")
