"""All solvers on one graph with one type of weights: built once, then measured in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpath.api.calls import sssp
from warpath.base.errors import NotSupportedError
from warpath.graph import Graph
from warpath_bench.external import External, write_graph
from warpath_bench.lines import OURS, is_ours
from warpath_bench.run import Local, contest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from warpath.results.paths import Paths
    from warpath_bench.peers import Peer
    from warpath_bench.right import Right
    from warpath_bench.run import Answer, Entrant

    Line = dict[str, Any]

NOT_BEGUN = "not begun"  # how the error of a peer begins that would take too long
_BUILDS = 7  # budgets that a peer may take to build its graph
_TOTALS = ("rounds", "selected", "relaxed", "improved", "work_ratio", "mean_parallelism")


@dataclass(frozen=True)
class Terms:
    """How solvers are measured.

    Attributes
    ----------
    repeats : solves from each source; there are 4 to 12 more where it is close.
    budget : seconds for the solves of a peer, with and without trees each; None: no limit.
    limit : seconds for one run of a command.
    traced : sources that ours are traced from, off the clock; None: all.
    """

    repeats: int = 3
    budget: float | None = None
    limit: float = 60.0
    traced: int | None = None


class Bout:
    """A graph's solvers.

    Parameters
    ----------
    graph, right : the graph, and the right answer of each source.
    terms : how they are measured.
    facts : what each line says.
    folder : for the files of commands.
    """

    def __init__(
        self, graph: Graph, right: dict[int, Right], terms: Terms, facts: Line, folder: Path
    ) -> None:
        self._graph, self._right, self._terms = graph, right, terms
        self._facts, self._folder = facts, folder
        self._built: dict[str, tuple[Any, float]] = {}
        self._file: Path | None = None
        self._entered: list[tuple[Entrant, dict[int, Right]]] = []

    def enter(
        self,
        name: str,
        threads: int,
        sources: set[int],
        what: Peer | list[str] | None,
        *,
        tree: bool,
    ) -> None:
        """Take a solver in.

        Parameters
        ----------
        name, threads, tree : what it is called, and has to do.
        sources : those that it lacks.
        what : a peer, or a command's words; None for one of ours.
        """
        if isinstance(what, list):
            entrant: Entrant = External(
                name, what, threads, self._graph_file(), self._graph.n, self._terms.limit
            )
        elif what is None:
            entrant = self._ours(name, threads, tree=tree)
        else:
            entrant = self._peer(what, tree=tree)
        mine = {s: one for s, one in self._right.items() if s in sources}
        self._entered.append((entrant, mine))

    def results(self, trees: Sequence[bool]) -> Iterator[list[Line]]:
        """Measure those without trees and those with them; yield the lines of each contest."""
        for tree in trees:
            some = [one for one in self._entered if one[0].tree == tree]
            contest(some, self._terms.repeats)
            yield [line for one, mine in some for line in self._lines(one, next(iter(mine), None))]

    def _lines(self, entrant: Entrant, first: int | None) -> list[Line]:
        about = {
            "solver": entrant.name, "threads": entrant.threads, "tree": entrant.tree,
            **entrant.about,
        }  # fmt: skip
        ours = is_ours(entrant.name) and not entrant.tree
        lines = []
        for place, (source, found) in enumerate(entrant.found.items()):
            if ours and (self._terms.traced is None or place < self._terms.traced):
                found.totals = self._totals(entrant, source)
            lines.append(self._facts | about | {"source": source} | found.line())
        if entrant.error is not None:
            failed = {"source": first, "verified": False, "error": entrant.error}
            lines.append(self._facts | about | failed)
        return lines

    def _ours(self, name: str, threads: int, *, tree: bool) -> Local:
        graph, algorithm = self._graph, name.split()[1]

        def solve(source: int) -> Paths:
            paths = sssp(graph, source, algorithm=algorithm, threads=threads, device="cpu")
            if tree:
                _ = paths.pred
            return paths

        def answer(paths: Any) -> Answer:
            pred = paths.pred if tree else None
            return paths.dist, pred, None if paths.plan is None else paths.plan.headline()

        if OURS not in self._built:
            src, dst, _ = self._graph.edges()
            start = time.perf_counter()
            made = Graph.from_edges(src, dst, self._graph.weights, n=self._graph.n)
            self._built[OURS] = made.n, time.perf_counter() - start
        about = {"build_s": self._built[OURS][1]}
        return Local(name, threads, tree=tree, solve=solve, answer=answer, budget=None, about=about)

    def _peer(self, peer: Peer, *, tree: bool) -> Local:
        from importlib.metadata import PackageNotFoundError, version

        def answer(found: Any) -> Answer:
            return peer.answer(found, self._graph.n), None, None

        def solve(source: int) -> Any:
            return search(made, source)

        search = peer.tree if tree and peer.tree is not None else peer.solve
        about: dict[str, Any] = {}
        try:
            about["version"] = version(peer.package)
        except PackageNotFoundError:
            about["version"] = None
        made, error = None, self._too_long(peer)
        if error is None:
            try:
                if peer.name not in self._built:
                    start = time.perf_counter()
                    prepared = peer.prepare(self._graph)
                    self._built[peer.name] = prepared, time.perf_counter() - start
                made, about["build_s"] = self._built[peer.name]
            except Exception as failed:  # noqa: BLE001 - a peer may raise anything
                error = f"{type(failed).__name__}: {failed}"
        local = Local(
            peer.name, 1, tree=tree, solve=solve, answer=answer, budget=self._terms.budget,
            about={"build_s": None} | about,
        )  # fmt: skip
        local.error = error
        return local

    def _too_long(self, peer: Peer) -> str | None:
        """Return why a peer's graph is not built: it would take too many budgets."""
        if self._terms.budget is None:
            return None
        seconds = peer.build_us * self._graph.m / 1e6
        if seconds <= _BUILDS * self._terms.budget:
            return None
        what = f"building its graph would take about {seconds:.0f} s"
        return f"{NOT_BEGUN}: {what}; --budget gives longer"

    def _totals(self, entrant: Entrant, source: int) -> dict[str, Any] | None:
        """Return what a traced solve counts; None where it cannot be traced."""
        try:
            traced = sssp(
                self._graph, source, algorithm=entrant.name.split()[1], threads=entrant.threads,
                device="cpu", trace=True,
            )  # fmt: skip
        except NotSupportedError:
            return None
        return {name: traced.stats[name] for name in _TOTALS}

    def _graph_file(self) -> Path:
        if self._file is None:
            self._file = self._folder / "graph.bin"
            write_graph(self._graph, self._file)
        return self._file
