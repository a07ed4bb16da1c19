"""The result of the functions of `warpath.centrality`, and of `loads`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph.labels import file_ids, labels_or_none
from warpath.results.result import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.rows import Columns


class Centrality(Result):
    """Numbers of all vertices or edges of a graph.

    Tables of the result have a row for each vertex, or for each stored edge (source, target), and
    its number.

    Attributes
    ----------
    graph : the graph that was solved.
    measure : "betweenness", "edge_betweenness", "closeness", "harmonic" or "load": the name of the
        column in tables and files.
    vertices : (n,) float64 by the index of the vertex; (n, c) for a list of cutoffs. Of "load", the
        trips that pass it, begin or end there; None for trips from or to points along edges.
    edges : (m,) or (m, c) float64 in the order of ``graph.edges()``; None of "closeness" and
        "harmonic". Both stored edges of an undirected edge have its number.
    cutoffs : (c,) in ascending order, in the weights' unit; None without cutoffs.
    source_indices : (k,) int64, the sources of the paths that were counted, the vertices of sums of
        distances, or the origins of trips.
    through : (k,) bool, the trips that use the edges which the call selected; None of other calls.
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
        through: NDArray[np.bool_] | None = None,
    ) -> None:
        self.graph = graph
        self.measure = measure
        self.cutoffs = cutoffs
        self.through = through
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
