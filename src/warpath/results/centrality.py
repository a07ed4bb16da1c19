"""The result of the functions of `warpath.centrality`, and of `loads`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.base.progress import watch
from warpath.graph.checks import plain_array, shown
from warpath.graph.labels import file_ids, labels_or_none, one_label
from warpath.results.result import Result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.pairs import Pairs
    from warpath.results.rows import Columns

#: Trips whose routes are in memory at a time.
_TRIPS_AT_ONCE = 4096

_TOO_MANY = f"add up to more than {np.finfo(np.float64).max:.2g}: give smaller numbers."


class Centrality(Result):
    """Numbers of all vertices or edges of a graph.

    Tables of the result have a row for each vertex, or for each stored edge (source, target), and
    its number.

    Attributes
    ----------
    graph : the graph that was solved.
    measure : "betweenness", "edge_betweenness", "closeness", "harmonic" or "load": the name of the
        column in tables and files.
    vertices : (n,) float64 by the index of the vertex; (n, c) for a list of cutoffs; None of
        "load".
    edges : (m,) or (m, c) float64 in the order of ``graph.edges()``; None of "closeness" and
        "harmonic". Both stored edges of an undirected edge have its number.
    cutoffs : (c,) in ascending order, in the weights' unit; None without cutoffs.
    source_indices : (k,) int64, the sources of the paths that were counted, the vertices of sums of
        distances, or the origins of trips.
    method : the algorithm that ran: "counting sweeps", "dijkstra", "breadth-first", or the name of
        that of a plan.
    stats : ``seconds``; of "load" also ``trips_without_path``.
    """

    def __init__(
        self,
        graph: Graph,
        measure: str,
        vertices: Array | None,
        edges: Array | None,
        sources: NDArray[np.int64],
        *,
        method: str,
        stats: dict[str, Any],
        cutoffs: Array | None = None,
    ) -> None:
        self.graph = graph
        self.measure = measure
        self.cutoffs = cutoffs
        self.vertices = vertices
        self.edges = edges
        self.source_indices = sources
        self.method = method
        self.stats = stats

    @property
    def sources(self) -> Array:
        """The sources as the graph names them: (k,)."""
        return labels_or_none(self.graph, self.source_indices)

    @property
    def _is_of_edges(self) -> bool:
        return self.measure in {"edge_betweenness", "load"}

    @property
    def _values(self) -> Array:
        values: Any = self.edges if self._is_of_edges else self.vertices
        return values  # type: ignore[no-any-return]

    def _numbers(self, values: Array, name: str) -> dict[str, Array]:
        """Return columns of numbers by their names, of which one cutoff is no part."""
        if values.ndim == 1 or self.cutoffs is None:
            return {name: values}
        names = (f"{name}_{cutoff}" for cutoff in self.cutoffs.tolist())
        return dict(zip(names, values.T, strict=True))

    def to_geopandas(self) -> tuple[Any, Any]:
        """Return GeoDataFrames of edges and vertices, as `Graph.to_geopandas`, with the numbers.

        A column has the name of the measure; of betweenness both frames have it.
        """
        edges, vertices = self.graph.to_geopandas()
        name = self.measure.removeprefix("edge_")
        for frame, values in ((edges, self.edges), (vertices, self.vertices)):
            if values is not None:
                for column, numbers in self._numbers(values, name).items():
                    frame[column] = numbers
        return edges, vertices

    def _columns(self) -> Columns:
        graph = self.graph
        numbers = self._numbers(self._values, self.measure)
        columns: Columns = {name: (values, None) for name, values in numbers.items()}
        if not self._is_of_edges:
            return {"vertex": (file_ids(graph, np.arange(graph.n)), None)} | columns
        src, dst, _ = graph.edges()
        ends: Columns = {"source": (file_ids(graph, src), None)}
        return ends | {"target": (file_ids(graph, dst), None)} | columns

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        rows = f"{len(self):,} {'edges' if self._is_of_edges else 'vertices'}"
        count = len(self.source_indices)
        sources = f"{count:,} source{'' if count == 1 else 's'}"
        return f"<Centrality: {self.measure} of {rows}\n  {sources}, by {self.method}>"


def loads_of(
    pairs: Pairs, trips: ArrayLike | None, ties: str, progress: Any, name: str = "trips"
) -> Centrality:
    """Return the trips over each edge; see `warpath.loads`.

    Parameters
    ----------
    pairs : the distances of the trips.
    name : of the numbers of trips, for messages.
    """
    if ties != "canonical":
        msg = (
            f"ties = {shown(ties)} is not valid: use 'canonical'. For trips that equally short "
            "paths share, use centrality.edge_betweenness(graph, sources=..., targets=...)."
        )
        raise InputError(msg)
    start, graph, count = time.perf_counter(), pairs.graph, len(pairs)
    numbers = np.ones(count) if trips is None else _checked_trips(trips, count, name)
    reached = np.flatnonzero(pairs.reached & (numbers > 0))
    order = reached[np.argsort(pairs.origin_indices[reached], kind="stable")]  # trees are shared
    loads = np.zeros(graph.m)
    with watch(progress, "loads", "trips") as report:
        for at in range(0, len(order), _TRIPS_AT_ONCE):
            some = order[at : at + _TRIPS_AT_ONCE]
            edges, _, counts = pairs._find_edges(some)  # noqa: SLF001 - results are one package
            with np.errstate(over="ignore"):
                loads += np.bincount(edges, np.repeat(numbers[some], counts), graph.m)
            if report is not None:
                report(at + len(some), len(order))
    _refuse_infinite(graph, loads, name)
    with np.errstate(over="ignore"):
        without_path = float(numbers[~pairs.reached].sum())
    if without_path == np.inf:
        raise InputError(f"{name}: the trips without a path {_TOO_MANY}")
    return Centrality(
        graph,
        "load",
        None,
        loads,
        pairs.origin_indices,
        method=pairs.plan.recipe.name,
        stats={
            "seconds": pairs.stats["seconds"] + time.perf_counter() - start,
            "trips_without_path": without_path,
        },
    )


def _refuse_infinite(graph: Graph, loads: Array, name: str) -> None:
    """Raise InputError for the first edge whose trips add up to infinity."""
    infinite = np.flatnonzero(loads == np.inf)
    if len(infinite):
        src, dst, _ = graph.edges()
        ends = (one_label(graph, int(end[infinite[0]])) for end in (src, dst))
        edge = " -> ".join(map(repr, ends))
        raise InputError(f"{name}: the trips over the edge {edge} {_TOO_MANY}")


def _checked_trips(trips: ArrayLike, count: int, name: str) -> NDArray[np.float64]:
    array = plain_array(trips, name, InputError)
    if array.dtype.kind not in "biuf" or array.shape not in {(), (count,)}:
        msg = (
            f"{name} has the shape {array.shape} and the type {array.dtype}: give {count:,} "
            "numbers, one for each origin, or one for all."
        )
        raise InputError(msg)
    numbers = array.astype(np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < np.inf)))
    if len(wrong):
        at = int(wrong[0])
        entry = f"{name}[{at}]" if array.shape else name
        msg = f"{entry} = {array.flat[at]} must be a finite number >= 0."
        raise InputError(msg)
    return np.broadcast_to(numbers, count)
