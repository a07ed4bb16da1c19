"""One run of a suite: measure what is missing on each graph, and write the lines.

All solvers of a graph with one type of weights are built once and measured in turns.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from warpath.api.calls import sssp
from warpath.base.errors import NotSupportedError
from warpath.graph import Graph
from warpath.recipes import CATALOGUE
from warpath_bench.external import External, write_graph
from warpath_bench.limits import clocked
from warpath_bench.lines import OURS, append, is_ours, measured
from warpath_bench.right import answers, answers_of
from warpath_bench.run import Local, commit, contest, machine
from warpath_bench.workloads import typed

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from warpath.results.paths import Paths
    from warpath_bench.peers import Peer
    from warpath_bench.right import Right
    from warpath_bench.run import Answer, Entrant
    from warpath_bench.workloads import Workload

    Line = dict[str, Any]

NOT_BEGUN = "not begun"  # beginning of the error of a peer that would take too long
_BUILDS = 7  # multiple of the budget that a peer may take to build its graph
_TOTALS = ("rounds", "selected", "relaxed", "improved", "read", "work_ratio", "mean_parallelism")


class Session:
    """Measures one graph after another.

    Parameters
    ----------
    request : the options of the suite, with ``trees``, which are False for distances and True for
        distances and predecessors; ``certified``, the number of sources whose answers are certified
        in any case; ``traced``, the number of those from which our solvers are also traced; the
        chosen ``peers``; and ``commands``, words by name. None stands for all or no limit.
    lines : lines of earlier runs.
    folder : the folder for files of commands.

    Attributes
    ----------
    fresh : the lines of this run.
    """

    def __init__(self, request: Namespace, lines: list[Line], folder: Path) -> None:
        self.fresh: list[Line] = []
        self._request, self._folder = request, folder
        self._facts = {"machine": machine(), "commit": commit()}
        self._there: dict[tuple[Any, ...], dict[int, Line]] = {}
        for line in lines:
            if line["suite"] == request.suite and measured(line):
                key = line["graph"], line["kind"], line["solver"], line["threads"], line["tree"]
                self._there.setdefault(key, {})[line["source"]] = line

    def measure(self, workload: Workload) -> None:
        """Measure what is missing on a graph, and write its lines as they come."""
        title = workload.title
        missing = {kind: list(self._missing(title, kind)) for kind in self._request.dtypes}
        if not any(missing.values()):
            tell(f"{title}: nothing is missing")
            return
        load_s, graph = clocked(workload.make)
        facts: Line = {"suite": self._request.suite, "graph": title}
        facts |= {"n": graph.n, "m": graph.m, "load_s": load_s} | self._facts
        right: dict[int, Right] = {}
        for kind in (kind for kind, names in missing.items() if names):
            weighted = typed(graph, kind)
            if weighted is None:
                tell(f"{title}: left out with {kind} weights, for its own are fractions")
                continue
            start = time.perf_counter()
            right = (  # the same sources for all weights, which do not affect their reach
                answers_of(weighted, list(right), self._request.certified)
                if right
                else answers(weighted, self._request.sources, self._request.certified)
            )
            dtype = "none" if weighted.weights is None else str(weighted.weight_dtype)
            about = facts | {"dtype": dtype, "kind": kind, "asked": self._request.sources}
            solvers = _Solvers(weighted, self._request, self._folder)
            entered = [
                (solvers.enter(*name), {s: one for s, one in right.items() if s not in there})
                for name in missing[kind]
                for there in [self._there.get((title, kind, *name), {})]
            ]
            for tree in self._request.trees:
                some = [one for one in entered if one[0].tree == tree]
                contest(some, self._request.repeats)
                lines = [about | line for one in some for line in solvers.lines(*one)]
                self.fresh += lines
                append(self._request.lines, *lines)
            tell(f"{title}, {kind}: {time.perf_counter() - start:.0f} s")

    def _names(self) -> Iterator[tuple[str, int, bool]]:
        """Yield (solver, threads, tree) of all requested measurements."""
        request = self._request
        for tree in request.trees:
            for threads in request.threads:
                yield from ((f"{OURS} {name}", threads, tree) for name in request.algorithms)
                yield from ((name, threads, tree) for name in request.commands if not tree)
            yield from ((one.name, 1, tree) for one in request.peers if one.tree or not tree)

    def _missing(self, title: str, kind: str) -> Iterator[tuple[str, int, bool]]:
        """Yield solvers whose lines lack sources, unless an earlier run had as large a budget."""
        for name in self._names():
            there = self._there.get((title, kind, *name), {})
            if len(there) < self._request.sources and not any(map(self._suffices, there.values())):
                yield name

    def _suffices(self, line: Line) -> bool:
        """Return whether the run of a line had at least this run's sources and budget."""
        budget, mine = line["budget_s"], self._request.budget
        return line["asked"] >= self._request.sources and (
            budget is None or (mine is not None and mine <= budget)
        )


class _Solvers:
    """The solvers of one graph, each of which is built once."""

    def __init__(self, graph: Graph, request: Namespace, folder: Path) -> None:
        self._graph, self._request = graph, request
        self._built: dict[str, tuple[Any, float]] = {}
        self._file = folder / "graph.bin"
        if request.commands:
            write_graph(graph, self._file)

    def enter(self, name: str, threads: int, tree: bool) -> Entrant:
        """Return a solver by its name: a command, one of ours, or a peer."""
        if name in self._request.commands:
            words = self._request.commands[name]
            limit = self._request.limit
            return External(name, words, threads, self._file, self._graph.n, limit)
        if is_ours(name):
            return self._ours(name, threads, tree=tree)
        return self._peer(next(one for one in self._request.peers if one.name == name), tree=tree)

    def lines(self, entrant: Entrant, sources: dict[int, Right]) -> list[Line]:
        """Return the lines of a solver that was measured."""
        about = {
            "solver": entrant.name,
            "threads": entrant.threads,
            "tree": entrant.tree,
            **entrant.about,
        }
        traced = self._request.traced if is_ours(entrant.name) and not entrant.tree else 0
        lines = []
        for place, (source, found) in enumerate(entrant.found.items()):
            if traced is None or place < traced:
                found.totals = self._totals(entrant, source)
            lines.append(about | {"source": source} | found.line())
        if entrant.error is not None:
            failed = {"verified": False, "error": entrant.error}
            lines.append(about | {"source": next(iter(sources), None)} | failed)
        return lines

    def _ours(self, name: str, threads: int, *, tree: bool) -> Local:
        graph, algorithm = self._graph, name.split()[1]
        where = _where(algorithm, threads)

        def solve(source: int) -> Paths:
            paths = sssp(graph, source, algorithm=algorithm, **where)
            _ = paths.pred if tree else paths.dist  # the first read copies them from a GPU
            return paths

        def answer(paths: Any) -> Answer:
            pred = paths.pred if tree else None
            return paths.dist, pred, None if paths.plan is None else paths.plan.headline()

        if OURS not in self._built:
            src, dst, _ = graph.edges()
            seconds, made = clocked(Graph.from_edges, src, dst, graph.weights, n=graph.n)
            self._built[OURS] = made.n, seconds
        about = {"build_s": self._built[OURS][1]}
        return Local(name, threads, tree=tree, solve=solve, answer=answer, budget=None, about=about)

    def _peer(self, peer: Peer, *, tree: bool) -> Local:
        def answer(found: Any) -> Answer:
            return peer.answer(found, self._graph.n), None, None

        def solve(source: int) -> Any:
            return search(made, source)

        search = peer.tree if tree and peer.tree is not None else peer.solve
        about: dict[str, Any] = {"build_s": None, "version": None}
        with suppress(PackageNotFoundError):
            about["version"] = version(peer.package)
        made, error = None, self._too_long(peer)
        if error is None:
            try:
                if peer.name not in self._built:
                    seconds, prepared = clocked(peer.prepare, self._graph)
                    self._built[peer.name] = prepared, seconds
                made, about["build_s"] = self._built[peer.name]
            except Exception as failed:  # noqa: BLE001 - a peer may raise anything
                error = f"{type(failed).__name__}: {failed}"
        budget = self._request.budget
        local = Local(
            peer.name, 1, tree=tree, solve=solve, answer=answer, budget=budget, about=about
        )
        local.error = error
        return local

    def _too_long(self, peer: Peer) -> str | None:
        """Return why a peer's graph would take too long to build; None if it does not."""
        budget, seconds = self._request.budget, peer.build_us * self._graph.m / 1e6
        if budget is None or seconds <= _BUILDS * budget:
            return None
        what = f"building its graph would take about {seconds:.0f} s"
        return f"{NOT_BEGUN}: {what}; --budget gives longer"

    def _totals(self, entrant: Entrant, source: int) -> dict[str, Any] | None:
        """Return the totals of a traced solve; None if the algorithm cannot be traced."""
        name = entrant.name.split()[1]
        where = _where(name, entrant.threads)
        try:
            traced = sssp(self._graph, source, algorithm=name, trace=True, **where)
        except NotSupportedError:
            return None
        return {name: traced.stats[name] for name in _TOTALS}


def _where(algorithm: str, threads: int) -> dict[str, Any]:
    """Return the device and the threads of a call: a GPU for recipes that run on no CPU."""
    if algorithm == "auto" or "cpu" in CATALOGUE[algorithm].devices:
        return {"device": "cpu", "threads": threads}
    return {"device": "cuda"}


def tell(text: str) -> None:
    """Write a line about the progress to stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
