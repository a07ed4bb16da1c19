"""Which algorithm should run: a pure choice from the facts, with the reasons to print."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from warpath.base import notebook, units
from warpath.base.errors import (
    NegativeWeightError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.planner.cpu_model import Place, Size, cpu_bytes, cpu_seconds, label_bytes, lean_bytes
from warpath.planner.gpu_model import gpu_bytes, gpu_seconds, host_bytes, tiles_bytes
from warpath.planner.wish import Wish, device_of
from warpath.recipes import CATALOGUE, Loop, Recipe, Task
from warpath.recipes.params import chosen_params
from warpath.recipes.recipe import IN_ONE_LAUNCH, WHOLE_TABLES

if TYPE_CHECKING:
    from warpath.graph.facts import Facts


class Hardware(NamedTuple):
    """What there is to run on: threads, and bytes of memory that may be used.

    Of the GPU, if the wish needs one: its free bytes, or the sentence why it cannot be used.
    """

    threads: int
    memory: int
    gpu_memory: int | None = None
    no_gpu: str = ""


@dataclass(frozen=True)
class Candidate:
    """An algorithm that could run: predicted seconds, bytes as in `Plan`, and its threads.

    Only what "auto" may take has a predicted time; for the others it is None. `staged` is as in
    `Plan`.
    """

    recipe: Recipe
    seconds: float | None
    bytes: int
    threads: int
    staged: int | None = None


@dataclass(frozen=True)
class Plan:
    """What runs, and why. Prints itself with the runners-up and what was left out.

    Attributes
    ----------
    recipe : the algorithm.
    device : where it runs: "cpu", "cuda:0".
    threads : how many threads it uses.
    params : its parameters.
    seconds : the predicted time on the machine that the model was measured on, or None for an
        algorithm that "auto" never takes: no model of it was measured.
    bytes : the memory it takes, the answer included; with the graph on a GPU, without on the CPU.
    reason : why it was taken.
    runners_up : the other candidates, fastest first.
    left_out : (name, sentence) of the algorithms that cannot do this.
    notes : what else there is to know.
    staged : bytes of the device that tiles of a matrix pass through, which is on the host or in a
        file; None where it is on the device.
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
    staged: int | None = None

    def again(self) -> Plan:
        """Return an equal plan with `params` of its own, ten times as fast as `replace`."""
        plan = object.__new__(Plan)
        vars(plan).update(vars(self), params=dict(self.params))
        return plan

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self.recipe.name

    def headline(self) -> str:
        """Return what runs, in one line."""
        parts = [f"{self.recipe.name} on {self.device}"]
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        parts += [f"{name} = {units.number(value)}" for name, value in self.params.items()]
        return ", ".join(parts)

    def __str__(self) -> str:
        lines = [
            self.headline(),
            f"  because {self.reason}",
            f"  {_predicted(self.seconds)}, {units.size(self.bytes)} {_place(self.device)}",
        ]
        for place, other in enumerate(self.runners_up[:3], start=2):
            lines.append(
                f"  {units.ordinal(place)} {other.recipe.name}: {units.seconds(_time(other))}, "
                f"{units.size(other.bytes)}"
            )
        lines += [f"  left out {name}: {sentence}" for name, sentence in self.left_out]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        ranked: list[Plan | Candidate] = [self, *self.runners_up[:3]]
        rows = [
            (
                each.recipe.name,
                _predicted(each.seconds).removeprefix("predicted "),
                units.size(each.bytes),
            )
            for each in ranked
        ]
        parts = [notebook.line(f"because {self.reason}")]
        head = ("algorithm", "predicted", f"memory {_place(self.device)}")
        parts.append(notebook.table(head, rows))
        parts += [notebook.line(note) for note in self.notes]
        if self.left_out:
            lines = [f"{name}: {sentence}" for name, sentence in self.left_out]
            parts.append(notebook.folded(f"{len(lines)} left out", lines))
        return notebook.box(f"Plan: {self.headline()}", *parts)

    def __repr__(self) -> str:
        return f"<Plan {self}>"


def choose(size: Size, facts: Facts, hardware: Hardware, wish: Wish) -> Plan:
    """Choose an algorithm.

    Parameters
    ----------
    size : the question.
    facts : of the graph, `Graph.facts(symmetry=False)` is enough.
    hardware, wish : what there is, and what the caller fixed.

    Raises
    ------
    NotSupportedError
        If the requested device or algorithm cannot do it; the message says why.
    NegativeWeightError
        If the requested algorithm needs weights >= 0 and the graph has others.
    NotEnoughMemoryError
        If the answer or the working space would not fit; the message has the numbers.
    """
    device = device_of(size, wish)
    kind, _, _ = device.partition(":")
    left_out: list[tuple[str, str]] = []
    able: list[Candidate] = []
    for recipe in _considered(wish, kind):
        objection = recipe.objection(size.task, facts, kind)
        objection = objection or _sums_that_do_not_fit(recipe, facts, kind)
        untraced = kind != "cpu" and recipe.loop in IN_ONE_LAUNCH
        if wish.traced and untraced and recipe.name != wish.algorithm:
            objection = objection or "it keeps no trace"
        if objection is None:
            able.append(_candidate(recipe, size, facts, hardware, wish, kind))
        elif size.task in recipe.solves:
            left_out.append((recipe.name, objection))
    if wish.algorithm == "auto":
        free = hardware.memory if kind == "cpu" else hardware.gpu_memory
        fitting = [c for c in able if free is None or c.bytes <= free]
        lean = [c for c in fitting if kind != "cpu" or _lean(c, size, facts)]
        chosen, reason = _best(lean or fitting or able, size, facts, device)
    else:
        chosen = _named(wish.algorithm, able, size, facts, device)
        reason = "it was requested"
    params = chosen_params(chosen.recipe, facts, wish.params or {}, chosen.threads)
    plan = Plan(
        chosen.recipe, device, chosen.threads, params, chosen.seconds, chosen.bytes, reason,
        tuple(sorted((c for c in able if c is not chosen), key=_time)),
        tuple(left_out), _notes(chosen, size, device, hardware), chosen.staged,
    )  # fmt: skip
    _check_memory(plan, size._replace(staged=chosen.staged), facts, hardware)
    return plan


def _considered(wish: Wish, kind: str) -> list[Recipe]:
    """Return what runs on a kind of device and is planned, or was requested by its name."""
    return [r for r in CATALOGUE if kind in r.devices and (r.planned or r.name == wish.algorithm)]


def _named(name: str, able: list[Candidate], size: Size, facts: Facts, device: str) -> Candidate:
    for candidate in able:
        if candidate.recipe.name == name:
            return candidate
    recipe = CATALOGUE[name]
    kind = device.partition(":")[0]
    objection = recipe.objection(size.task, facts, kind)
    objection = objection or _sums_that_do_not_fit(recipe, facts, kind)
    objection = objection or (
        f"it runs on {', '.join(recipe.devices)}, not on {device}: "
        f"leave device= out, or say device={recipe.devices[0]!r}"
    )
    others = ", ".join(c.recipe.name for c in able) or "none"
    msg = f"{name} cannot do this: {objection}. These can: {others}."
    if facts.negative and not recipe.negative and size.task in recipe.solves:
        raise NegativeWeightError(msg)
    raise NotSupportedError(msg)


def _best(able: list[Candidate], size: Size, facts: Facts, device: str) -> tuple[Candidate, str]:
    if not able:
        msg = f"no algorithm here does {size.task.value} on this graph with device={device!r}."
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


def _sums_that_do_not_fit(recipe: Recipe, facts: Facts, kind: str) -> str | None:
    unchecked = recipe.loop in WHOLE_TABLES or recipe.loop is Loop.BFS
    # A GPU passes over sums beyond 64 bits, which is right for weights >= 0 only.
    signed = kind != "cpu" and facts.negative
    if not facts.integer or not (unchecked or signed):
        return None
    largest = max(abs(facts.min_weight), abs(facts.max_weight))
    if largest * max(facts.n, 1) < 2**61:
        return None
    return f"{facts.n:,} weights of up to {largest:,} could leave 64 bits"


def _candidate(
    recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, wish: Wish, kind: str
) -> Candidate:
    size = size._replace(staged=_tiles(recipe, size, facts, hardware, kind))
    if kind != "cpu":
        seconds = gpu_seconds(recipe, size, facts) if recipe.planned else None
        return Candidate(recipe, seconds, gpu_bytes(recipe, size, facts), 1, size.staged)
    if not recipe.planned:
        return Candidate(recipe, None, cpu_bytes(recipe, size, facts, 1), 1)
    threads = hardware.threads if wish.threads is None else wish.threads
    used = usable_threads(recipe, size, threads)
    # A team's start and its barriers cost more than a small graph gives back.
    used = min({1, used}, key=lambda count: cpu_seconds(recipe, size, facts, count))
    seconds, space = cpu_seconds(recipe, size, facts, used), cpu_bytes(recipe, size, facts, used)
    return Candidate(recipe, seconds, space, used, size.staged)


def _lean(candidate: Candidate, size: Size, facts: Facts) -> bool:
    """Say whether one source takes no more memory on a CPU than it should."""
    bound = lean_bytes(facts.n, candidate.threads)
    return size.task is not Task.SSSP or candidate.bytes <= bound


def _tiles(recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, kind: str) -> int | None:
    """Return the bytes that tiles of a matrix may take, where it does not fit the device."""
    if recipe.loop is not Loop.FLOYD_WARSHALL:
        return None
    if kind != "cpu":
        gpu = hardware.gpu_memory
        return None if gpu is None else tiles_bytes(size, facts, gpu, hardware.memory)
    in_file = size.place is Place.MAPPED and not facts.negative
    fits = facts.n**2 * label_bytes(facts) <= hardware.memory
    return None if fits or not in_file else hardware.memory // 2


_ONE_SOURCE_ON_A_TEAM = {Loop.BFS, Loop.BUCKET_TEAM, Loop.DELTA_STEPPING, Loop.FLOYD_WARSHALL}
_ONE_SOURCE_A_THREAD = {Loop.DIJKSTRA, Loop.JOHNSON, Loop.OWN_BUCKETS, Loop.SIDE_BY_SIDE}


def usable_threads(recipe: Recipe, size: Size, threads: int) -> int:
    """Return how many of so many threads an algorithm can use."""
    used = threads if _uses_threads(recipe, size) else 1
    return max(1, min(used, size.sources)) if recipe.loop in _ONE_SOURCE_A_THREAD else used


def _uses_threads(recipe: Recipe, size: Size) -> bool:
    if recipe.loop in _ONE_SOURCE_ON_A_TEAM:
        return True
    return recipe.loop in _ONE_SOURCE_A_THREAD and size.task in {Task.MANY, Task.APSP}


def _check_memory(plan: Plan, size: Size, facts: Facts, hardware: Hardware) -> None:
    needs: list[tuple[int, int | None, str, str]]
    needs = [(plan.bytes, hardware.memory, "beside the graph", _ways(size, plan.recipe))]
    if plan.device != "cpu":
        ways = "end what else uses this GPU, take a larger one, or use device='cpu'"
        if size.place is Place.GPU and plan.recipe.loop is Loop.FLOYD_WARSHALL:
            ways = "leave out= out, or give a NumPy array or a .npy file: then tiles pass through"
        needs = [
            (plan.bytes, hardware.gpu_memory, _place(plan.device), ways),
            (
                host_bytes(plan.recipe, size, facts),
                hardware.memory,
                "on the host",
                _ways(size, plan.recipe),
            ),
        ]
    for needed, free, where, ways in needs:
        if free is not None and needed > free:
            msg = (
                f"{plan.recipe.name} would take {units.size(needed)} {where}, "
                f"but {units.size(free)} are free: {ways}."
            )
            raise NotEnoughMemoryError(msg)


def _ways(size: Size, recipe: Recipe) -> str:
    if size.place in {Place.BLOCKS, Place.MAPPED} and recipe.loop is Loop.FLOYD_WARSHALL:
        rows = "take an algorithm that goes row by row (algorithm='auto')"
        if size.place is Place.MAPPED:
            return f"the file cannot be its matrix here, which is held whole; {rows}"
        return f"write it out with out='full.npy', which may be its matrix, or {rows}"
    if size.written_out and recipe.loop not in WHOLE_TABLES:
        return "the answer is not counted; try threads=1, another algorithm, or free some memory"
    return {
        Task.APSP: "write it out with out='full.npy', ask for fewer vertices with "
        "distances(targets=), or halve it with dist_dtype='int32' or float32 weights",
        Task.MANY: "write it out with out='table.npy', or ask for fewer sources or targets",
    }.get(size.task, "use a machine with more memory")


def _place(device: str) -> str:
    return "beside the graph" if device == "cpu" else f"on {device} with the graph"


def _notes(chosen: Candidate, size: Size, device: str, hardware: Hardware) -> tuple[str, ...]:
    notes = [] if chosen.recipe.exact else ["measured only: its labels may be wrong"]
    if chosen.recipe.loop is Loop.SETTLE and device == "cpu":
        notes.append("each distinct distance takes a round over all vertices: O(n^2) at worst")
    if chosen.staged is not None:
        where = "in the file" if size.place is Place.MAPPED else "in memory of the host"
        notes.append(
            f"staged: the matrix lies {where}, and tiles of it pass through "
            f"{units.size(chosen.staged)} of {device}"
        )
    if hardware.no_gpu:
        notes.append(f"{device} cannot be used here: {hardware.no_gpu}")
    return tuple(notes)


def _time(candidate: Candidate) -> float:
    """Return the predicted time; without one it comes last."""
    return math.inf if candidate.seconds is None else candidate.seconds


def _predicted(seconds: float | None) -> str:
    return "no prediction" if seconds is None else f"predicted {units.seconds(seconds)}"
