"""The solvers of ``warpath bench prepared`` in this process: ours, and packages if installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.calls import prepare
from warpath.api.solver import Solver
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NoPathError
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph import Graph
from warpath_bench.peers import PEERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warpath.base.dtypes import Array
    from warpath_bench.prepared_questions import Question

    #: (what `build` returned, question) -> the package's answer; this is timed.
    Call = Callable[[Any, Question], Any]


@dataclass(frozen=True)
class Local:
    """A solver in this process.

    Attributes
    ----------
    name, threads : its name and its number of threads, 0 where the package decides.
    build : converts and prepares a graph; its time is reported apart.
    calls : the call of each form of question that it answers.
    values : (answer, question) -> distances in any shape, or the vertices of a route.
    package : the module that must be installed; None for ours.
    arcs : (what `build` returned) -> number of arcs upward, if known.
    """

    name: str
    threads: int
    build: Callable[[Graph], Any]
    calls: Mapping[str, Call]
    values: Callable[[Any, Question], Array]
    package: str | None = None
    arcs: Callable[[Any], int | None] = lambda _: None

    @property
    def installed(self) -> bool:
        """Whether its package is installed."""
        return self.package is None or find_spec(self.package) is not None


class _Ours:
    """A Solver, and the memory of tables of all vertices, which later questions reuse."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._out = np.empty((0, 0), solver.graph.dist_dtype)

    def rows(self, count: int) -> Array:
        if len(self._out) != count:
            self._out = np.empty((count, self.solver.graph.n), self._out.dtype)
        return self._out


def _pairs(made: _Ours, question: Question) -> Array:
    if len(question.sources) == 1:
        ends = int(question.sources[0]), int(question.targets[0])
        return np.array([made.solver.distance(*ends)], made.solver.graph.dist_dtype)
    return made.solver.pairs(question.sources, question.targets).dist


def _route(made: _Ours, question: Question) -> Array:
    try:
        return made.solver.path(question.sources[0], question.targets[0]).vertices
    except NoPathError:
        return question.sources[:0]


def ours(threads: int, prepared: str) -> Local:
    """Return our solver on some threads: "prepared", "with labels" or "not prepared"."""

    def build(graph: Graph) -> _Ours:
        # A hierarchy is kept with its graph: a new graph has none yet.
        fresh = Graph(graph.indptr, graph.indices, graph.weights, directed=graph.directed)
        if prepared == "not prepared":
            return _Ours(Solver(fresh, threads=threads))
        return _Ours(prepare(fresh, labels=prepared == "with labels", threads=threads))

    def arcs(made: _Ours) -> int | None:
        hierarchy = HIERARCHY.cached(made.solver.graph)
        return None if hierarchy is None else int(hierarchy.arcs[0])

    title = "warpath" if prepared == "prepared" else f"warpath, {prepared}"
    calls = {
        "pairs": _pairs,
        "route": _route,
        "table": lambda made, q: made.solver.distances(q.sources, q.targets).dist,
        "all": lambda made, q: made.solver.distances(q.sources, out=made.rows(len(q.sources))).dist,
    }
    return Local(title, threads, build, calls, lambda found, _: found, arcs=arcs)


_PEERS = {peer.name: peer for peer in PEERS}


def _scipy_table(made: Any, question: Question) -> Any:
    dijkstra, matrix = made
    rows = dijkstra(matrix, indices=question.sources)
    return rows[:, question.targets] if len(question.targets) else rows


def _igraph_table(made: Any, question: Question) -> Any:
    graph, weights = made
    return graph.distances(question.sources.tolist(), weights=weights)


def _networkit_table(made: Any, question: Question) -> Any:
    import networkit

    ends = [question.sources.tolist()] + [question.targets.tolist()] * bool(len(question.targets))
    return networkit.distance.SPSP(made[1], *ends).run().getDistances()


def _tables_of(name: str, call: Call, *forms: str) -> Local:
    """Return a peer of one source that also fills tables."""
    peer, calls = _PEERS[name], dict.fromkeys(forms, call)
    return Local(name, 0, peer.prepare, calls, lambda found, _: peer.answer(found, 0), peer.package)


def _pandana_lists(question: Question) -> tuple[list[int], list[int]]:
    """Return origins and destinations one by one, which is how pandana is asked for tables."""
    if question.form == "pairs":
        return question.sources.tolist(), question.targets.tolist()
    origins = np.repeat(question.sources, len(question.targets))
    return origins.tolist(), np.tile(question.targets, len(question.sources)).tolist()


def _pandana_lengths(prepared: Any, question: Question) -> Any:
    made, _ = prepared
    return made.shortest_path_lengths(*_pandana_lists(question))


def _pandana_route(prepared: Any, question: Question) -> Any:
    made, _ = prepared
    return made.shortest_path(question.sources[0], question.targets[0])


def _pandana_values(found: Any, question: Question) -> Array:
    return np.asarray(found) if question.form == "route" else _PEERS["pandana"].answer(found, 0)


def _cch_of(graph: Graph) -> Any:
    if graph.coordinates is None:
        msg = "pyroutingkit orders vertices by their coordinates, and this graph has none."
        raise InputError(msg)
    import pyroutingkit

    src, dst, weights = graph.edges()
    if int(weights.max(initial=0)) >= pyroutingkit.INF_WEIGHT:
        raise InputError(f"pyroutingkit's weights end at {pyroutingkit.INF_WEIGHT:,}.")
    x, y = (np.ascontiguousarray(axis, np.float32) for axis in np.asarray(graph.coordinates).T)
    topology = pyroutingkit.CCHTopology()
    topology.build(src.astype(np.uint32), dst.astype(np.uint32), y, x, graph.n)
    metric = pyroutingkit.CCHMetric(topology)
    metric.customize(weights.astype(np.uint32))
    return topology, metric, np.arange(graph.n, dtype=np.uint32)


def _cch_pairs(made: Any, question: Question) -> Any:
    query = made[1].query
    ends = zip(question.sources.tolist(), question.targets.tolist(), strict=True)
    return [query(s, t)[0] for s, t in ends]


def _cch_route(made: Any, question: Question) -> Any:
    return made[1].query(int(question.sources[0]), int(question.targets[0]))[1]


def _cch_table(made: Any, question: Question) -> Any:
    targets = question.targets.astype(np.uint32) if len(question.targets) else made[2]
    return made[1].distances_many_to_many(question.sources.astype(np.uint32), targets)


def _cch_values(found: Any, question: Question) -> Array:
    values = np.array(found, np.int64)
    if question.form != "route":
        import pyroutingkit

        values[values == pyroutingkit.INF_WEIGHT] = unreachable(values.dtype)
    return values


#: Packages beside ours. RoutingKit's own hierarchies are measured by a command.
PACKAGES: tuple[Local, ...] = (
    _tables_of("SciPy", _scipy_table, "table", "all"),
    _tables_of("igraph", _igraph_table, "all"),  # it refuses a target that is named twice
    _tables_of("NetworKit", _networkit_table, "table", "all"),
    Local(
        "pandana",
        0,
        _PEERS["pandana"].prepare,
        {"pairs": _pandana_lengths, "route": _pandana_route, "table": _pandana_lengths},
        _pandana_values,
        "pandana",
    ),
    Local(
        "pyroutingkit",
        0,
        _cch_of,
        {"pairs": _cch_pairs, "route": _cch_route, "table": _cch_table, "all": _cch_table},
        _cch_values,
        "pyroutingkit",
    ),
)
