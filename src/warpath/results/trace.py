"""The trace of a run: the work of each round, and their totals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from warpath.base import units
from warpath.base.errors import InputError
from warpath.base.provenance import commit, machine
from warpath.base.upward import upward
from warpath.graph.checks import as_float, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

FAR = "far"  #: the phase of a row that is no round: vertices of the far pile were taken or put off


@dataclass(frozen=True, slots=True)
class Round:
    """The work of one round.

    Attributes
    ----------
    number : position in the run, from 0 on.
    phase : kind of the round: "sweep", "near", "far", "bucket", "settle", "up", "down", ...
    selected : number of vertices whose edges were relaxed.
    relaxed : number of edges whose relaxation was tried. Rounds that settle vertices do not count
        edges into settled vertices, nor, when they pull, edges from outside the frontier.
    improved : number of relaxations that lowered a label.
    sizes : number of waiting vertices after the round, by worklist: ``{"near": 12, "far": 340}``.
    seconds : time of each step: ``{"relax": 1e-4, "compact": 2e-5}``.
    rounds : number of rounds in this row: 0 if vertices were only rearranged (the far pile was
        split), more than 1 if a loop reports only its totals.
    counts : what else a loop counts, by name: ``{"comparisons": 31, "additions": 12}``. Comparisons
        and additions are those of labels, in relaxations and in queues.
    read : number of edges that were touched, relaxed or not; in an adjacency matrix, of entries. By
        default `relaxed`.
    """

    number: int
    phase: str
    selected: int
    relaxed: int
    improved: int
    sizes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: int = 1
    counts: dict[str, int] = field(default_factory=dict)
    read: int = -1

    def __post_init__(self) -> None:
        if self.read < 0:
            object.__setattr__(self, "read", self.relaxed)


@dataclass(frozen=True, eq=False)
class RoundRows:
    """Rounds as rows of numbers, of which a trace makes `Round` objects when they are read.

    Attributes
    ----------
    first : number of the first round.
    phases, steps, worklists : names that rounds may have.
    counts : (r, 5) integers: the place of the phase, `selected`, `relaxed`, `improved`, `read`.
    seconds : (r, steps) floats.
    sizes : (r, worklists) integers.
    emptied : worklists that are left out of `Round.sizes` if they are empty.
    """

    first: int
    phases: tuple[str, ...]
    steps: tuple[str, ...]
    worklists: tuple[str, ...]
    counts: Array
    seconds: Array
    sizes: Array
    emptied: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.counts)

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds."""
        rows = zip(self.counts.tolist(), self.seconds.tolist(), self.sizes.tolist(), strict=True)
        for number, (counts, spent, waiting) in enumerate(rows, self.first):
            phase, selected, relaxed, improved, read = counts
            seconds = {name: time for name, time in zip(self.steps, spent, strict=True) if time}
            sizes = {
                name: size
                for name, size in zip(self.worklists, waiting, strict=True)
                if size or name not in self.emptied
            }
            name = self.phases[phase]
            rounds = int(name != FAR)
            yield Round(
                number, name, selected, relaxed, improved, sizes, seconds, rounds, read=read
            )

    def whole(self) -> Round:
        """Return one row with the sums of all rounds."""
        _, selected, relaxed, improved, read = self.counts.sum(axis=0).tolist()
        spent = zip(self.steps, self.seconds.sum(axis=0).tolist(), strict=True)
        seconds = {name: time for name, time in spent if time}
        splits = self.counts[:, 0] == self.phases.index(FAR) if FAR in self.phases else 0
        rounds = len(self) - int(np.sum(splits))
        return Round(self.first, "", selected, relaxed, improved, {}, seconds, rounds, read=read)


def seed_of(device: str) -> int | None:
    """Return the seed in the name of an emulated device, 7 for "emulated:7"; None of others."""
    kind, _, number = device.partition(":")
    return int(number or 0) if kind == "emulated" else None


def _version() -> str:
    import warpath

    return warpath.__version__


@dataclass(frozen=True)
class TracedRun:
    """The run that was traced.

    Attributes
    ----------
    algorithm, device : names of the algorithm and of the device.
    graph : name of the graph, or None.
    n, m : numbers of its vertices and of its directed edges.
    source : the source, as the graph names it.
    params : parameters of the algorithm.
    dijkstra_edges : number of edges out of reached vertices, which Dijkstra's algorithm relaxes; 0
        if unknown, as for tables that lack columns.
    seconds : time of the traced solve, which is slower than without counters and clocks; 0 if the
        device has no times, as the emulator.
    warpath : version of warpath.
    commit : that of the checkout; None of an installed wheel.
    machine : the processor and its threads.
    seed : seed of the order of threads on the emulator; None elsewhere.
    """

    algorithm: str
    device: str
    graph: str | None
    n: int
    m: int
    source: int | str
    params: dict[str, float]
    dijkstra_edges: int
    seconds: float
    warpath: str = field(default_factory=_version)
    commit: str | None = field(default_factory=commit)
    machine: str = field(default_factory=machine)
    seed: int | None = None

    @classmethod
    def of(
        cls, plan: Any, graph: Graph, source: Any, dijkstra_edges: int, seconds: float
    ) -> TracedRun:
        """Return the description of a plan's run on a graph."""
        name = source if isinstance(source, int | str) else str(source)
        return cls(
            plan.algorithm,
            plan.device,
            graph.name,
            graph.n,
            graph.m,
            name,
            dict(plan.params),
            dijkstra_edges,
            seconds,
            seed=seed_of(plan.device),
        )


@dataclass(frozen=True)
class TraceTotals:
    """Totals of the rounds of a run.

    The measures are those of Davidson, Baxter, Garland and Owens (IPDPS 2014), sections V and VI.

    Attributes
    ----------
    rounds : number of rounds.
    selected, relaxed, improved, read : sums over the rounds.
    work_ratio : edges read ("touched") divided by the edges that Dijkstra's algorithm relaxes
        (figure 6a); None if the latter are unknown or 0.
    mean_parallelism : selected vertices per round (table III, figure 6): 1 for Dijkstra's
        algorithm. It does not depend on the number of threads.
    seconds : time of the solve if known, else of all steps.
    mteps : millions of edges per second (figure 5), counting the edges that Dijkstra's algorithm
        relaxes, so that superfluous work does not raise the rate; None if unknown.
    steps : seconds by step.
    counts : sums of `Round.counts`.
    """

    rounds: int
    selected: int
    relaxed: int
    improved: int
    read: int
    work_ratio: float | None
    mean_parallelism: float
    seconds: float
    mteps: float | None
    steps: dict[str, float]
    counts: dict[str, int]


class Trace(Sequence[Round]):
    """The rounds of one run, in order.

    Attributes
    ----------
    run : the run that was traced; None until it has ended.

    Examples
    --------
    >>> import warpath as wp
    >>> trace = wp.sssp([(0, 1, 2), (1, 2, 5)], 0, algorithm="classic.dijkstra", trace=True).trace
    >>> trace.totals().work_ratio
    1.0
    """

    def __init__(self, rounds: Iterable[Round] = (), run: TracedRun | None = None) -> None:
        self._read = list(rounds)
        self._rows: list[RoundRows] = []  # after those
        self.run = run

    def add(self, one: Round) -> None:
        """Append a round."""
        self._rounds.append(one)

    def add_rows(self, rows: RoundRows) -> None:
        """Append rounds of which `Round` objects are made only when they are read."""
        self._rows.append(rows)

    @property
    def _rounds(self) -> list[Round]:
        while self._rows:
            self._read.extend(self._rows.pop(0).rounds())
        return self._read

    def totals(
        self, dijkstra_edges: int | None = None, seconds: float | None = None
    ) -> TraceTotals:
        """Return the totals of the rounds.

        Parameters
        ----------
        dijkstra_edges : number of edges that Dijkstra's algorithm relaxes; by default that of
            `run`.
        seconds : time of the solve; by default that of `run`, else the sum of all steps.
        """
        for name, value in (("dijkstra_edges", dijkstra_edges), ("seconds", seconds)):
            if value is not None and not 0 <= as_float(value) < math.inf:
                msg = f"{name} = {shown(value)} must be a number, 0 or more, or None."
                raise InputError(msg)
        dijkstra_edges = None if dijkstra_edges is None else int(dijkstra_edges)
        seconds = None if seconds is None else float(seconds)
        parts = [*self._read, *(rows.whole() for rows in self._rows)]
        steps: dict[str, float] = {}
        counts: dict[str, int] = {}
        for part in parts:
            for step, spent in part.seconds.items():
                steps[step] = steps.get(step, 0.0) + spent
            for name, count in part.counts.items():
                counts[name] = counts.get(name, 0) + count
        if self.run is not None:
            dijkstra_edges = self.run.dijkstra_edges if dijkstra_edges is None else dijkstra_edges
            seconds = self.run.seconds if seconds is None else seconds
        if seconds is None:
            seconds = sum(steps.values())
        rounds = int(sum(part.rounds for part in parts))
        selected = int(sum(part.selected for part in parts))
        read = int(sum(part.read for part in parts))
        if read and not dijkstra_edges:
            dijkstra_edges = None
        return TraceTotals(
            rounds=rounds,
            selected=selected,
            relaxed=int(sum(part.relaxed for part in parts)),
            improved=int(sum(part.improved for part in parts)),
            read=read,
            work_ratio=read / dijkstra_edges if dijkstra_edges else None,
            mean_parallelism=selected / max(rounds, 1),
            seconds=seconds,
            mteps=None if dijkstra_edges is None or not seconds else dijkstra_edges / seconds / 1e6,
            steps=steps,
            counts=counts,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace, in the format of the suffix.

        .jsonl has the run and its totals, then one line per round, and can be loaded again. .csv
        and .parquet have a row per round and repeat in each the algorithm, device, graph,
        parameters, versions, machine and seed, so that rows of several runs can be put together.
        .tex has the rounds as a table for LaTeX, and the run in comments. The write is atomic. A
        suffix .gz, .xz, .bz2 or .zst after .jsonl, .csv or .tex compresses the file.

        Raises
        ------
        InputError
            If the suffix is another one.
        """
        upward("Trace.save")(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Read a trace that `save` wrote.

        Raises
        ------
        GraphFormatError
            If the file is not a trace or is damaged; names the line.
        """
        trace: Trace = upward("Trace.load")(path)
        return trace

    @overload
    def __getitem__(self, at: int) -> Round: ...
    @overload
    def __getitem__(self, at: slice) -> list[Round]: ...
    def __getitem__(self, at: int | slice) -> Round | list[Round]:
        return self._rounds[at]

    def __len__(self) -> int:
        return len(self._read) + sum(map(len, self._rows))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return self.run == other.run and self._rounds == other._rounds

    __hash__ = None  # type: ignore[assignment]  # rounds are added to it

    def __repr__(self) -> str:
        totals = self.totals()
        title = "<Trace"
        if self.run is not None:
            title += f" of {self.run.algorithm} on {self.run.device}"
        facts = {name: text for name, text in totals_as_text(totals).items() if text}
        width = max(len(text.partition(", ")[0]) for text in facts.values())
        lines = [title]
        for name, text in facts.items():
            first, comma, rest = text.partition(", ")
            lines.append(f"  {name:<8}  {first:>{width}}{comma}{rest}")
        return "\n".join(lines) + ">"


def totals_as_text(totals: TraceTotals) -> dict[str, str]:
    """Return totals as readable text, line by line."""
    more = totals.read != totals.relaxed
    share = f", {totals.improved / totals.relaxed:.1%} of them" if totals.relaxed else ""
    work = (
        "" if totals.work_ratio is None else f", {units.digits(totals.work_ratio)} times Dijkstra's"
    )
    speed = "" if totals.mteps is None else f", {units.digits(totals.mteps)} MTEPS"
    return {
        "rounds": f"{totals.rounds:,}",
        "selected": f"{totals.selected:,}, {units.digits(totals.mean_parallelism)} a round",
        "relaxed": f"{totals.relaxed:,}{'' if more else work}",
        "read": f"{totals.read:,}{work}" if more else "",
        "improved": f"{totals.improved:,}{share}",
        "counted": ", ".join(f"{count:,} {name}" for name, count in totals.counts.items()),
        "time": f"{units.seconds(totals.seconds)}{speed}" if totals.seconds else "",
    }


def headline(totals: TraceTotals) -> str:
    """Return the measures in one line."""
    rounds = "1 round" if totals.rounds == 1 else f"{totals.rounds:,} rounds"
    ratio = totals.work_ratio
    work = "" if ratio is None else f", {units.digits(ratio)} times Dijkstra's work"
    return f"{rounds}, parallelism {units.digits(totals.mean_parallelism)}{work}"


def whole_search(stats: dict[str, int], seconds: float) -> Round:
    """Return the one row of a loop that counts no rounds apart.

    Where it has no rounds at all it takes one vertex at a time: as many rounds as vertices.
    """
    scanned = stats.get("settled", 0)
    return Round(
        0,
        "search",
        scanned,
        stats.get("relaxed", 0),
        stats.get("improved", 0),
        {},
        {"search": seconds},
        stats.get("rounds", scanned),
        {name: stats[name] for name in _COUNTS if name in stats},
        stats.get("read", -1),
    )


_COUNTS = ("comparisons", "additions", "pulls", "pivots")


def up_and_down(stats: dict[str, int], seconds: float) -> list[Round]:
    """Return the rows of a search in a hierarchy: upward, and down by a sweep or through buckets.

    Positions are taken one at a time. As each takes the minimum over its arcs, an improvement is a
    position that gets a label; all positions of a sweep count as reached.
    """
    settled, labelled = stats["settled"], stats["labelled"]
    up, down = stats["relaxed_up"], stats["relaxed_down"]
    first = Round(
        0,
        "up",
        settled,
        up,
        min(settled, up),
        {"stalled": stats["stalled"]},
        {"search": seconds},
        settled,
    )
    if not down:
        return [first]
    return [
        first,
        Round(1, "down", labelled, down, min(max(labelled - settled, 0), down), {}, {}, labelled),
    ]
