"""All solvers on one graph with one type of weights, built once and measured in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpath.api.calls import sssp
from warpath.base.errors import NotSupportedError
from warpath.graph import Graph
from warpath.recipes import CATALOGUE
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

NOT_BEGUN = "not begun"  # beginning of the error of a peer that would take too long
_BUILDS = 7  # multiple of the budget that a peer may take to build its graph
_TOTALS = ("rounds", "selected", "relaxed", "improved", "read", "work_ratio", "mean_parallelism")


@dataclass(frozen=True)
class Terms:
    """How solvers are measured.

    Attributes
    ----------
    repeats : solves from each source; close comparisons get 4 to 12 more.
    budget : seconds for the solves of a peer without trees, and again with them; None: no limit.
    limit : seconds for one run of a command.
    traced : number of sources from which our solvers are also traced, untimed; None: all.
    """

    repeats: int = 3
    budget: float | None = None
    limit: float = 60.0
    traced: int | None = None


class Bout:
    """A timing session of several solvers on one graph.

    Parameters
    ----------
    graph, right : the graph, and the right answer of each source.
    terms : how the solvers are measured.
    facts : entries of every line.
    folder : the folder for files of commands.
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
        """Add a solver.

        Parameters
        ----------
        name, threads, tree : its name, its number of threads, whether it returns predecessors.
        sources : the sources from which it is measured.
        what : the peer, or the command's words; None for one of our solvers.
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
        """Measure solvers without trees, then those with trees; yield the lines of each group."""
        for tree in trees:
            some = [one for one in self._entered if one[0].tree == tree]
            contest(some, self._terms.repeats)
            yield [line for one, mine in some for line in self._lines(one, next(iter(mine), None))]

    def _lines(self, entrant: Entrant, first: int | None) -> list[Line]:
        about = {
            "solver": entrant.name,
            "threads": entrant.threads,
            "tree": entrant.tree,
            **entrant.about,
        }
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
        where = _where(algorithm, threads)

        def solve(source: int) -> Paths:
            paths = sssp(graph, source, algorithm=algorithm, **where)
            _ = paths.pred if tree else paths.dist  # the first read copies them from a GPU
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
            peer.name,
            1,
            tree=tree,
            solve=solve,
            answer=answer,
            budget=self._terms.budget,
            about={"build_s": None} | about,
        )
        local.error = error
        return local

    def _too_long(self, peer: Peer) -> str | None:
        """Return why a peer's graph would take too long to build; None if it does not."""
        if self._terms.budget is None:
            return None
        seconds = peer.build_us * self._graph.m / 1e6
        if seconds <= _BUILDS * self._terms.budget:
            return None
        what = f"building its graph would take about {seconds:.0f} s"
        return f"{NOT_BEGUN}: {what}; --budget gives longer"

    def _totals(self, entrant: Entrant, source: int) -> dict[str, Any] | None:
        """Return the totals of a traced solve; None if the algorithm cannot be traced."""
        algorithm = entrant.name.split()[1]
        try:
            traced = sssp(
                self._graph,
                source,
                algorithm=algorithm,
                trace=True,
                **_where(algorithm, entrant.threads),
            )
        except NotSupportedError:
            return None
        return {name: traced.stats[name] for name in _TOTALS}

    def _graph_file(self) -> Path:
        if self._file is None:
            self._file = self._folder / "graph.bin"
            write_graph(self._graph, self._file)
        return self._file


def _where(algorithm: str, threads: int) -> dict[str, Any]:
    """Return the device and the threads of a call: a GPU for recipes that run on no CPU."""
    if algorithm == "auto" or "cpu" in CATALOGUE[algorithm].devices:
        return {"device": "cpu", "threads": threads}
    return {"device": "cuda"}
