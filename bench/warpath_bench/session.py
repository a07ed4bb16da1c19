"""One run of a suite: measure what is missing on each graph, and write the lines."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpath_bench.bout import Bout
from warpath_bench.lines import OURS, measured, write_lines
from warpath_bench.right import answers, answers_of
from warpath_bench.run import commit, machine
from warpath_bench.workloads import typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warpath_bench.bout import Terms
    from warpath_bench.peers import Peer
    from warpath_bench.right import Right
    from warpath_bench.workloads import Workload

    Line = dict[str, Any]


@dataclass(frozen=True)
class Wish:
    """The measurements requested for each graph.

    Attributes
    ----------
    suite : name of the suite in the lines.
    kinds : kinds of weights; see `workloads.typed`.
    trees : False for distances, True for distances and predecessors.
    sources : number of sources.
    certified : number of sources whose answers are certified in any case; None: all.
    algorithms, threads : our algorithms, each of which runs on each number of threads.
    peers, commands : peers in this process, and words of commands by name.
    terms : how the solvers are measured.
    """

    suite: str
    kinds: tuple[str, ...]
    trees: tuple[bool, ...]
    sources: int
    certified: int | None
    algorithms: tuple[str, ...]
    threads: tuple[int, ...]
    peers: tuple[Peer, ...]
    commands: dict[str, list[str]]
    terms: Terms

    def names(self) -> Iterator[tuple[str, int, bool]]:
        """Yield (solver, threads, tree) of all requested measurements."""
        for tree in self.trees:
            for threads in self.threads:
                yield from ((f"{OURS} {name}", threads, tree) for name in self.algorithms)
                yield from ((name, threads, tree) for name in self.commands if not tree)
            yield from ((one.name, 1, tree) for one in self.peers if one.tree or not tree)


class Session:
    """Measures one graph after another.

    Parameters
    ----------
    wish : the requested measurements.
    lines : lines of earlier runs.
    kept : the file to which new lines are appended, or None.
    folder : the folder for files of commands.

    Attributes
    ----------
    fresh : the lines of this run.
    """

    def __init__(self, wish: Wish, lines: list[Line], kept: Path | None, folder: Path) -> None:
        self.fresh: list[Line] = []
        self._wish, self._kept, self._folder = wish, kept, folder
        self._facts = {"machine": machine(), "commit": commit()}
        self._there: dict[tuple[Any, ...], dict[int, Line]] = {}
        for line in lines:
            if line["suite"] == wish.suite and measured(line):
                key = line["graph"], line["kind"], line["solver"], line["threads"], line["tree"]
                self._there.setdefault(key, {})[line["source"]] = line

    def measure(self, workload: Workload) -> None:
        """Measure what is missing on a graph, and write its lines as they come."""
        title = workload.title
        wanted = [kind for kind in self._wish.kinds if any(self._missing(title, kind))]
        if not wanted:
            tell(f"{title}: nothing is missing")
            return
        start = time.perf_counter()
        graph = workload.make()
        facts = {
            "suite": self._wish.suite,
            "graph": title,
            "n": graph.n,
            "m": graph.m,
            "load_s": time.perf_counter() - start,
            **self._facts,
        }
        right: dict[int, Right] = {}
        for kind in wanted:
            weighted = typed(graph, kind)
            if weighted is None:
                tell(f"{title}: left out with {kind} weights, for its own are fractions")
                continue
            start = time.perf_counter()
            right = (  # the same sources for all weights, which do not affect their reach
                answers_of(weighted, list(right), self._wish.certified)
                if right
                else answers(weighted, self._wish.sources, self._wish.certified)
            )
            dtype = "none" if weighted.weights is None else str(weighted.weight_dtype)
            about = facts | {"dtype": dtype, "kind": kind, "asked": self._wish.sources}
            bout = Bout(weighted, right, self._wish.terms, about, self._folder)
            for name, threads, tree in self._missing(title, kind):
                there = self._there.get((title, kind, name, threads, tree), {})
                words = self._wish.commands.get(name)
                peer = next((one for one in self._wish.peers if one.name == name), None)
                bout.enter(name, threads, set(right) - set(there), words or peer, tree=tree)
            for lines in bout.results(self._wish.trees):
                self._write(lines)
            tell(f"{title}, {kind}: {time.perf_counter() - start:.0f} s")

    def _missing(self, title: str, kind: str) -> Iterator[tuple[str, int, bool]]:
        """Yield solvers whose lines lack sources, unless an earlier run had as large a budget."""
        for name, threads, tree in self._wish.names():
            there = self._there.get((title, kind, name, threads, tree), {})
            if len(there) < self._wish.sources and not any(map(self._suffices, there.values())):
                yield name, threads, tree

    def _suffices(self, line: Line) -> bool:
        """Return whether the run of a line had at least this run's sources and budget."""
        budget, mine = line["budget_s"], self._wish.terms.budget
        return line["asked"] >= self._wish.sources and (
            budget is None or (mine is not None and mine <= budget)
        )

    def _write(self, lines: list[Line]) -> None:
        self.fresh += lines
        if self._kept is not None:
            write_lines(self._kept, lines)


def tell(text: str) -> None:
    """Write a line about the progress to stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
