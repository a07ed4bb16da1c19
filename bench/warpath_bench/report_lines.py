"""Read and check the lines of a report, and aggregate them for each machine."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import InputError
from warpath_bench import lines as files
from warpath_bench.lines import is_ours
from warpath_bench.measured import spread

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from warpath_bench.measured import Spread

Line = dict[str, Any]
_NEEDED = ("graph", "n", "m", "dtype", "solver", "threads", "tree", "source", "machine")
_COUNTED = ("study", "graph", "recipe")
_FACTS = ("gpu", "processor", "machine", "cores", "python", "numpy", "driver")


class Case(NamedTuple):
    """A problem on which solvers are compared."""

    graph: str
    dtype: str
    tree: bool

    def __str__(self) -> str:
        return f"{self.graph}, {self.dtype}" + ", tree" * self.tree


class Ratio(NamedTuple):
    """Our solver compared with the best peer on the sources that both solved."""

    case: Case
    threads: int
    ours: str
    ours_ms: float
    peer: str
    peer_ms: float

    @property
    def times(self) -> float:
        """The peer's time divided by ours: above 1, ours is faster."""
        return self.peer_ms / self.ours_ms

    @property
    def kind(self) -> str:
        """The type of weights, whether there is a tree, and the threads, as text."""
        tree = ", tree" * self.case.tree
        return f"{self.case.dtype}{tree}, {self.threads} thread{'s' * (self.threads > 1)}"


class Failure(NamedTuple):
    """A solver that failed, or gave a wrong answer."""

    case: Case
    solver: str
    threads: int
    source: Any
    what: str
    ours: bool
    wrong: int


def read(path: Path) -> list[Line]:
    """Return the lines of a file.

    Raises
    ------
    InputError
        If there are no lines, or a line is damaged or lacks a key; with its number.
    """
    found = files.read(path, _key)
    if not found:
        raise InputError(f"{path} has no lines: give a file that `warpath bench suite` wrote.")
    return found


def _key(line: Line) -> object:
    """Return a key of its own, because a report has every line; raise if a line lacks a key."""
    for name in _COUNTED if "recipe" in line else _NEEDED:
        _ = line[name]
    return "recipe" in line or "error" in line or line["ms"], object()


@dataclass
class Machine:
    """The measurements on one machine with one set of versions.

    If lines of one graph have several sizes, the number of vertices is added to its name.
    """

    facts: dict[str, str]
    lines: list[Line]

    def __post_init__(self) -> None:
        self._times: dict[tuple[Case, str, int], dict[Any, float]] = defaultdict(dict)
        self._failures: dict[tuple[Case, str, int], dict[str, Failure]] = defaultdict(dict)
        self._sizes: dict[str, tuple[int, int]] = {}
        sizes = defaultdict(set)
        timed = [line for line in self.lines if "recipe" not in line]
        for line in timed:
            sizes[line["graph"]].add(line["n"])
        for line in timed:
            graph = line["graph"]
            name = graph if len(sizes[graph]) == 1 else f"{graph} {line['n']}"
            self._sizes[name] = line["n"], line["m"]
            case = Case(name, line["dtype"], bool(line["tree"]))
            key = case, line["solver"], int(line["threads"])
            error = line.get("error")
            if error is None and line.get("verified") is False:
                error = "wrong answer"
            if error is None:
                self._times[key][line["source"]] = float(line["ms"])
            else:
                ours, wrong = is_ours(line["solver"]), int(line.get("wrong", 0))
                failure = Failure(*key, line["source"], str(error), ours, wrong)
                self._failures[key][failure.what] = failure

    def cases(self) -> list[Case]:
        """Return the cases, in the order of the lines."""
        return list(dict.fromkeys(case for case, *_ in [*self._times, *self._failures]))

    def solvers(self) -> list[tuple[str, int]]:
        """Return solvers and their numbers of threads, ours first."""
        keys = [*self._times, *self._failures]
        found = dict.fromkeys((solver, threads) for _, solver, threads in keys)
        return sorted(found, key=lambda one: (not is_ours(one[0]), one))

    def size(self, graph: str) -> tuple[int, int]:
        """Return n and m of a graph."""
        return self._sizes[graph]

    def spread(self, case: Case, solver: str, threads: int) -> Spread | None:
        """Return the times of a solver over the sources of a case."""
        return spread(list(self._times.get((case, solver, threads), {}).values()))

    def ratios(self) -> list[Ratio]:
        """Return our ratio to the best peer for each case and number of threads.

        A peer may use as many threads as ours or fewer. Ours is the planner's choice ("auto") if it
        was measured, else the fastest. Solvers that failed or were wrong once are not compared.
        """
        found = []
        for case in self.cases():
            here = [key[1:] for key in self._times if key[0] == case and key not in self._failures]
            for threads in sorted({t for solver, t in here if is_ours(solver)}):
                mine = [one for one in here if is_ours(one[0]) and one[1] == threads]
                mine = [one for one in mine if "auto" in one[0]] or mine
                peers = [one for one in here if not is_ours(one[0]) and one[1] <= threads]
                pairs = [self._pair(case, threads, ours, peer) for ours in mine for peer in peers]
                known = [pair for pair in pairs if pair is not None]
                if known:
                    fastest = min(known, key=lambda pair: pair.ours_ms).ours
                    found.append(
                        min(
                            (pair for pair in known if pair.ours == fastest),
                            key=lambda pair: pair.times,
                        )
                    )
        return found

    def _pair(
        self, case: Case, threads: int, ours: tuple[str, int], peer: tuple[str, int]
    ) -> Ratio | None:
        mine, theirs = self._times[(case, *ours)], self._times[(case, *peer)]
        both = mine.keys() & theirs.keys()
        if not both:
            return None
        ms, other = (median(times[source] for source in both) for times in (mine, theirs))
        return Ratio(case, threads, ours[0], ms, peer[0], other)

    def works(self) -> dict[str, list[tuple[float, float, float | None]]]:
        """Return solver or recipe -> (parallelism, work, rounds), a triple for each trace."""
        found: dict[str, dict[Any, tuple[float, float, float | None]]] = defaultdict(dict)
        for line in self.lines:
            totals = line.get("totals") or {}
            work = line.get("work", totals.get("work_ratio"))
            many = line.get("parallelism", totals.get("mean_parallelism"))
            if work and many and line.get("factor") is None:
                name = line.get("recipe") or line["solver"]
                rounds = line.get("rounds", totals.get("rounds"))
                found[name][line["graph"], line.get("source")] = (many, work, rounds)
        return {name: list(points.values()) for name, points in found.items()}

    def failures(self) -> list[Failure]:
        """Return failures and wrong answers, one for each solver, case and kind of failure."""
        return [one for found in self._failures.values() for one in found.values()]

    def failure(self, case: Case, solver: str, threads: int) -> Failure | None:
        """Return the failure of a solver with the most wrong distances; None if it never failed."""
        found = self._failures.get((case, solver, threads), {})
        return max(found.values(), key=lambda one: one.wrong, default=None)

    def sources(self, case: Case) -> int:
        """Return the largest number of sources from which a solver solved a case."""
        return max((len(times) for key, times in self._times.items() if key[0] == case), default=0)


def machines(lines: Iterable[Line]) -> list[Machine]:
    """Return the lines grouped by machine and versions."""
    found: dict[tuple[tuple[str, str], ...], list[Line]] = {}
    for line in lines:
        stated = line["machine"] if isinstance(line.get("machine"), dict) else line
        facts = ((key, str(stated[key])) for key in _FACTS if stated.get(key))
        found.setdefault(tuple(facts), []).append(line)
    return [Machine(dict(facts), mine) for facts, mine in found.items()]
