"""The trace of a run: what each round did, and what the rounds come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from warpath.base import units
from warpath.base.errors import InputError
from warpath.graph.checks import as_float, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from warpath.graph import Graph


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did.

    Attributes
    ----------
    number : its place in the run, from 0 on.
    phase : what kind of round it was: "sweep", "near", "far", "bucket", "settle", ...
    selected : vertices whose edges were relaxed.
    relaxed : edges whose relaxation was tried. Rounds that settle vertices skip edges into settled
        ones and, when they pull, from outside the frontier, though they look at those.
    improved : relaxations that lowered a label.
    sizes : how many vertices wait after the round, by where: ``{"near": 12, "far": 340}``.
    seconds : how long each step took: ``{"relax": 1e-4, "compact": 2e-5}``.
    rounds : how many rounds this row stands for: 0 where vertices were only arranged (a far pile
        that is split), more than 1 where a loop knows no more than its totals.
    """

    number: int
    phase: str
    selected: int
    relaxed: int
    improved: int
    sizes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: int = 1


def _version() -> str:
    import warpath

    return warpath.__version__


@dataclass(frozen=True)
class Run:
    """What was traced.

    Attributes
    ----------
    algorithm, device : what ran, and where.
    graph : the graph's name, or None.
    n, m : its vertices and directed edges.
    source : the source, as the graph names it.
    params : the algorithm's own numbers.
    dijkstra_edges : the edges out of the vertices that were reached: what Dijkstra relaxes; 0 where
        that is not known, as of tables that lack columns.
    seconds : how long the traced solve took. It counts and takes times, so it is slower than one
        without a trace.
    warpath : the version that ran.
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

    @classmethod
    def of(cls, plan: Any, graph: Graph, source: Any, dijkstra_edges: int, seconds: float) -> Run:
        """Return what a plan ran on a graph."""
        name = source if isinstance(source, int | str) else str(source)
        return cls(
            plan.algorithm, plan.device, graph.name, graph.n, graph.m, name, dict(plan.params),
            dijkstra_edges, seconds,
        )  # fmt: skip


@dataclass(frozen=True)
class Totals:
    """What the rounds of a run come to.

    The measures are those of Davidson, Baxter, Garland and Owens (IPDPS 2014), sections V and VI.

    Attributes
    ----------
    rounds : iterations of the run.
    selected, relaxed, improved : sums over the rounds.
    work_ratio : edges relaxed over the edges that Dijkstra relaxes (figure 6a); None where those
        are not known or none. Below 1 where rounds settle vertices: see `Round.relaxed`.
    mean_parallelism : vertices selected, over rounds (table III, figure 6): 1 for Dijkstra. It is
        what the rounds offer, however many threads took it up.
    seconds : of the solve where known, else of all steps.
    mteps : millions of edges a second, counting those that Dijkstra relaxes and not those that were
        relaxed (figure 5), so that needless work does not look fast; None where not known.
    steps : seconds by step.
    """

    rounds: int
    selected: int
    relaxed: int
    improved: int
    work_ratio: float | None
    mean_parallelism: float
    seconds: float
    mteps: float | None
    steps: dict[str, float]


class Trace(Sequence[Round]):
    """The rounds of one run, in order.

    Attributes
    ----------
    run : what was traced; None until it is known.

    Examples
    --------
    >>> import warpath as wp
    >>> trace = wp.sssp([(0, 1, 2), (1, 2, 5)], 0, algorithm="classic.dijkstra", trace=True).trace
    >>> trace.totals().work_ratio
    1.0
    """

    def __init__(self, rounds: Iterable[Round] = (), run: Run | None = None) -> None:
        self._rounds = list(rounds)
        self.run = run

    def add(self, one: Round) -> None:
        """Append a round."""
        self._rounds.append(one)

    def totals(self, dijkstra_edges: int | None = None, seconds: float | None = None) -> Totals:
        """Return what the rounds come to.

        Parameters
        ----------
        dijkstra_edges : the edges that Dijkstra relaxes; those of `run` by default.
        seconds : how long the solve took; that of `run` by default, else the sum of all steps.
        """
        for name, value in (("dijkstra_edges", dijkstra_edges), ("seconds", seconds)):
            if value is not None and not 0 <= as_float(value) < math.inf:
                msg = f"{name} = {shown(value)} must be a number, 0 or more, or None."
                raise InputError(msg)
        dijkstra_edges = None if dijkstra_edges is None else int(dijkstra_edges)
        seconds = None if seconds is None else float(seconds)
        steps: dict[str, float] = {}
        for one in self._rounds:
            for step, spent in one.seconds.items():
                steps[step] = steps.get(step, 0.0) + spent
        if self.run is not None:
            dijkstra_edges = self.run.dijkstra_edges if dijkstra_edges is None else dijkstra_edges
            seconds = self.run.seconds if seconds is None else seconds
        if seconds is None:
            seconds = sum(steps.values())
        rounds = int(sum(one.rounds for one in self._rounds))
        selected = int(sum(one.selected for one in self._rounds))
        relaxed = int(sum(one.relaxed for one in self._rounds))
        if relaxed and not dijkstra_edges:
            dijkstra_edges = None
        return Totals(
            rounds=rounds,
            selected=selected,
            relaxed=relaxed,
            improved=int(sum(one.improved for one in self._rounds)),
            work_ratio=relaxed / dijkstra_edges if dijkstra_edges else None,
            mean_parallelism=selected / max(rounds, 1),
            seconds=seconds,
            mteps=None if dijkstra_edges is None or not seconds else dijkstra_edges / seconds / 1e6,
            steps=steps,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace as lines of JSON: what ran and its totals, then a line for each round.

        The file appears complete or not at all; a suffix .gz, .xz, .bz2 or .zst compresses it.
        """
        from warpath.results.trace_files import save_trace

        save_trace(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Read what `save` wrote.

        Raises
        ------
        GraphFormatError
            If the file is no trace or is damaged: with the line.
        """
        from warpath.results.trace_files import load_trace

        return load_trace(path)

    @overload
    def __getitem__(self, at: int) -> Round: ...
    @overload
    def __getitem__(self, at: slice) -> list[Round]: ...
    def __getitem__(self, at: int | slice) -> Round | list[Round]:
        return self._rounds[at]

    def __len__(self) -> int:
        return len(self._rounds)

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
        facts = {name: text for name, text in described(totals).items() if text}
        width = max(len(text.partition(", ")[0]) for text in facts.values())
        lines = [title]
        for name, text in facts.items():
            first, comma, rest = text.partition(", ")
            lines.append(f"  {name:<8}  {first:>{width}}{comma}{rest}")
        return "\n".join(lines) + ">"


def described(totals: Totals) -> dict[str, str]:
    """Return totals as people read them, line by line."""
    share = f", {totals.improved / totals.relaxed:.1%} of them" if totals.relaxed else ""
    work = (
        "" if totals.work_ratio is None else f", {units.digits(totals.work_ratio)} times Dijkstra's"
    )
    speed = "" if totals.mteps is None else f", {units.digits(totals.mteps)} MTEPS"
    return {
        "rounds": f"{totals.rounds:,}",
        "selected": f"{totals.selected:,}, {units.digits(totals.mean_parallelism)} a round",
        "relaxed": f"{totals.relaxed:,}{work}",
        "improved": f"{totals.improved:,}{share}",
        "time": f"{units.seconds(totals.seconds)}{speed}",
    }


def headline(totals: Totals) -> str:
    """Return the measures in one line."""
    rounds = "1 round" if totals.rounds == 1 else f"{totals.rounds:,} rounds"
    ratio = totals.work_ratio
    work = "" if ratio is None else f", {units.digits(ratio)} times Dijkstra's work"
    return f"{rounds}, parallelism {units.digits(totals.mean_parallelism)}{work}"
