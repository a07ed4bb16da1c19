"""Which algorithm should run: a pure choice from the facts, with the reasons to print."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warpath.base import notebook, units
from warpath.base.errors import NegativeWeightError, NotEnoughMemoryError, NotSupportedError
from warpath.planner.cpu_model import Destination, Size, may_be_prepared, prepare_seconds
from warpath.planner.host_rows import BUS, edge_bytes, read_bytes
from warpath.planner.kinds import KINDS, kind_of
from warpath.planner.request import DEFAULT, Request, device_of
from warpath.recipes import CATALOGUE, Loop, Recipe, Task
from warpath.recipes.params import chosen_params

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.device_kind import Candidate, DeviceKind, Hardware


_MANY_CALLS = 10_000  # preparing that pays only after more of them is not mentioned


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
    rows_on_host : whether the graph's rows stay in memory of the host, where the device reads them,
        because they do not fit its own.
    shares : for a table that several devices compute, each some of its rows: the plan of each
        device. This plan names the fastest. Empty for one device.
    among : for one source on several devices, each of which holds a part of the graph: their names,
        `device` first. `bytes` are those on each. Empty for one device.
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
    rows_on_host: bool = False
    shares: tuple[Plan, ...] = ()
    among: tuple[str, ...] = ()

    def _copied(self) -> Plan:
        """Return an equal plan with `params` of its own, ten times as fast as `replace`."""
        plan = object.__new__(Plan)
        vars(plan).update(vars(self), params=dict(self.params))
        return plan

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary for `json.dumps`.

        Returns
        -------
        dict
            "algorithm", "device", "threads", "params", "seconds", "bytes", "reason" and "notes" as
            the attributes; "runners_up", a list of dictionaries with algorithm, seconds, bytes and
            threads; "left_out", a list of dictionaries with algorithm and reason.
        """
        names = ("algorithm", "device", "threads", "params", "seconds", "bytes", "reason", "notes")
        of_each = ("seconds", "bytes", "threads")
        runners_up = [
            {"algorithm": other.recipe.name} | {name: getattr(other, name) for name in of_each}
            for other in self.runners_up
        ]
        left_out = [{"algorithm": name, "reason": reason} for name, reason in self.left_out]
        plan = {name: getattr(self, name) for name in names}
        plan |= {"params": dict(self.params), "notes": list(self.notes)}
        return plan | {"runners_up": runners_up, "left_out": left_out}

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self.recipe.name

    def _where(self) -> str:
        return kind_of(self.device).where(self.device)

    def headline(self) -> str:
        """Return what runs, in one line."""
        parts = [f"{self.recipe.name} on {' and '.join(self.among) or self.device}"]
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        parts += [f"{name} = {units.number(value)}" for name, value in self.params.items()]
        return ", ".join(parts)

    def __str__(self) -> str:
        lines = [
            self.headline(),
            f"  because {self.reason}",
            f"  {_predicted(self.seconds)}, {units.size(self.bytes)} {self._where()}",
        ]
        for rank, other in enumerate(self.runners_up[:3], start=2):
            lines.append(
                f"  {units.ordinal(rank)} {other.recipe.name}: {_predicted(other.seconds)}, "
                f"{units.size(other.bytes)}"
            )
        lines += [f"  left out {name}: {sentence}" for name, sentence in self.left_out]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        ranked: list[Plan | Candidate] = [self, *self.runners_up[:3]]
        rows = [
            (
                candidate.recipe.name,
                _predicted(candidate.seconds).removeprefix("predicted "),
                units.size(candidate.bytes),
            )
            for candidate in ranked
        ]
        parts = [notebook.line(f"because {self.reason}")]
        head = ("algorithm", "predicted", f"memory {self._where()}")
        parts.append(notebook.table(head, rows))
        parts += [notebook.line(note) for note in self.notes]
        if self.left_out:
            lines = [f"{name}: {sentence}" for name, sentence in self.left_out]
            parts.append(notebook.folded(f"{len(lines)} left out", lines))
        return notebook.box(f"Plan: {self.headline()}", *parts)

    def __repr__(self) -> str:
        return f"<Plan {self}>"


def choose(size: Size, facts: Facts, hardware: Hardware, request: Request) -> Plan:
    """Choose an algorithm.

    Parameters
    ----------
    size : the question.
    facts : of the graph, `Graph.facts(symmetry=False)` is enough.
    hardware, request : what there is, and what the caller fixed.

    Raises
    ------
    NotSupportedError
        If the requested device or algorithm cannot do it; the message says why.
    NegativeWeightError
        If the requested algorithm needs weights >= 0 and the graph has others.
    NotEnoughMemoryError
        If the answer or the working space would not fit; the message has the numbers.
    """
    device = device_of(size, request)
    kind = kind_of(device)
    # A prepared graph was contracted by these threads before it was copied to a GPU.
    if request.threads is not None and not kind.takes_threads and not request.prepared:
        msg = (
            f"threads={request.threads} has no effect on {device}: leave threads= out, or use "
            "device='cpu'."
        )
        raise NotSupportedError(msg)
    left_out: list[tuple[str, str]] = []
    able: list[Candidate] = []
    for recipe in _considered(request, kind, size.task):
        objection = kind.objection(recipe, size.task, facts)
        if request.traced and kind.trace_objection(recipe) and recipe != request.recipe:
            objection = objection or "it keeps no trace"
        if objection is None:
            able.append(kind.candidate(recipe, size, facts, hardware, request.threads))
        elif size.task in recipe.solves:
            left_out.append((recipe.name, objection))
    if request.recipe is None:
        free = kind.free(hardware)
        fitting = [c for c in able if free is None or c.bytes <= free]
        lean = [c for c in fitting if kind.is_lean(c, size, facts)]
        chosen, reason = _best(lean or fitting or able, size, facts, device)
    else:
        chosen = _named(request.recipe, able, size, facts, device)
        reason = "it was requested"
    params = chosen_params(chosen.recipe, facts, request.params or {}, chosen.threads)
    plan = Plan(
        chosen.recipe,
        device,
        chosen.threads,
        params,
        chosen.seconds,
        chosen.bytes,
        reason,
        tuple(sorted((c for c in able if c is not chosen), key=_time)),
        tuple(left_out),
        (
            *_notes(chosen, size, facts, device, hardware),
            *_preparing(chosen, size, facts, hardware, request),
        ),
        chosen.staged,
        chosen.rows_on_host,
    )
    size = size._replace(staged=chosen.staged)
    for need in kind.needs(chosen, size, facts, hardware, device):
        if need.free is not None and need.bytes > need.free:
            msg = (
                f"{plan.algorithm} would take {units.size(need.bytes)} {need.where}, "
                f"but {units.size(need.free)} are free: {need.ways}."
            )
            raise NotEnoughMemoryError(msg)
    return plan


def _considered(request: Request, kind: DeviceKind, task: Task) -> list[Recipe]:
    """Return what may solve a task on a kind of device and is planned, or was requested."""
    able = [each for each in CATALOGUE.planned if request.admits(each, task)]
    if request.recipe is not None and request.recipe not in able:
        able.append(request.recipe)
    return [recipe for recipe in able if kind.runs in recipe.devices]


def _named(
    recipe: Recipe, able: list[Candidate], size: Size, facts: Facts, device: str
) -> Candidate:
    for candidate in able:
        if candidate.recipe == recipe:
            return candidate
    objection = kind_of(device).objection(recipe, size.task, facts) or (
        f"it runs on {', '.join(recipe.devices)}, not on {device}: "
        f"leave device= out, or say device={recipe.devices[0]!r}"
    )
    others = ", ".join(c.recipe.name for c in able) or "none"
    msg = f"{recipe.name} cannot do this: {objection}. These can: {others}."
    if facts.negative and not recipe.negative and size.task in recipe.solves:
        raise NegativeWeightError(msg)
    raise NotSupportedError(msg)


def _best(able: list[Candidate], size: Size, facts: Facts, device: str) -> tuple[Candidate, str]:
    if not able:
        msg = f"no algorithm here does {size.task.value} on this graph with device={device!r}."
        raise NotSupportedError(msg)
    # Rule 1 (same bits) holds for every planned algorithm on floats, so those that associate sums
    # differently are taken only where the others cannot do it or are far slower.
    # A prepared float graph accepts rounded sums in tables.
    exact = [c for c in able if facts.integer or not c.recipe.reassociates or c.recipe.prepared]
    fastest = min(able, key=_time)
    if fastest.seconds is None:
        return exact[
            0
        ] if exact else fastest, "it is the first that can, and no times are predicted"
    if not exact:
        return fastest, "nothing else takes negative weights here"
    best = min(exact, key=_time)
    if len(able) == 1:
        return best, "it is the only one that can do this"
    if best is fastest:
        return best, "it is predicted to be the fastest"
    return best, "it is predicted to be the fastest of those that add floats in the same order"


def _notes(
    chosen: Candidate, size: Size, facts: Facts, device: str, hardware: Hardware
) -> tuple[str, ...]:
    notes = [] if chosen.recipe.exact else ["measured only: its labels may be wrong"]
    if chosen.recipe.prepared and not facts.integer:
        notes.append(
            "all sums of these floats are exact: distances have the bits of an unprepared graph"
            if facts.exact_sums
            else "sums of these floats are rounded: distances agree within n * eps"
        )
    notes += kind_of(device).notes(chosen.recipe)
    if chosen.staged is not None:
        where = "in the file" if size.place is Destination.MAPPED else "in memory of the host"
        notes.append(
            f"staged: the matrix lies {where}, and tiles of it pass through "
            f"{units.size(chosen.staged)} of {device}"
        )
    if chosen.rows_on_host:
        read = read_bytes(chosen.recipe, size, facts)
        notes.append(
            f"the edges, {units.size(edge_bytes(chosen.recipe, facts))}, stay in memory of the "
            f"host, where {device} reads them: {units.size(read)} at {BUS / 1e9:.0f} GB/s take "
            f"{units.seconds(read / BUS)}"
        )
    if size.reach < 1:
        notes.append(f"about {size.reach:.2g} of the vertices are expected within the cutoff")
    if hardware.no_gpu:
        notes.append(f"{device} cannot be used here: {hardware.no_gpu}")
    return tuple(notes)


def _preparing(
    chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, request: Request
) -> tuple[str, ...]:
    """Say after how many such calls it would pay to prepare the graph, if it would after a few."""
    is_open = request.algorithm == "auto" and not request.prepared and size.task is not Task.SSSP
    if not is_open or chosen.seconds is None or not may_be_prepared(facts):
        return ()
    kind = KINDS[DEFAULT]
    then = [
        kind.candidate(recipe, size, facts, hardware, request.threads).seconds or math.inf
        for recipe in CATALOGUE.planned
        if recipe.prepared
        and recipe.loop not in {Loop.TREE_LABELS, Loop.HUB_LABELS}
        and recipe.objection(size.task, facts) is None
    ]
    gain = chosen.seconds - min(then, default=math.inf)
    first = prepare_seconds(facts, request.threads or hardware.threads)
    if gain <= 0 or first > _MANY_CALLS * gain:
        return ()
    note = (
        f"warpath.prepare would take about {units.seconds(first)}, and then this call "
        f"{units.seconds(chosen.seconds - gain)}: it pays from {math.ceil(first / gain):,} such "
        "calls on"
    )
    return (note,)


def _time(candidate: Candidate) -> float:
    """Return the predicted time; without one it comes last."""
    return math.inf if candidate.seconds is None else candidate.seconds


def _predicted(seconds: float | None) -> str:
    return "no prediction" if seconds is None else f"predicted {units.seconds(seconds)}"
