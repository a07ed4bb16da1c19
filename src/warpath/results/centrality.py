"""The result of the functions of `warpath.centrality`, and of `loads`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.base.upward import upward
from warpath.graph.checks import shown
from warpath.graph.labels import file_ids, labels_or_none
from warpath.graph.places import NO_NAMES
from warpath.results.result import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

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
    measure : "betweenness", "edge_betweenness", "closeness", "harmonic", "eccentricity", "reach",
        "gravity", "straightness" or "load": the name of the column in tables and files.
    vertices : (n,) float64 by the index of the vertex; (n, c) for a list of cutoffs. Of "load", the
        trips that pass it, begin or end there; None for trips from or to points along edges.
    edges : (m,) or (m, c) float64 in the order of ``graph.edges()``; None of measures of vertices
        alone, such as "closeness". Both stored edges of an undirected edge have its number.
    cutoffs : (c,) in ascending order, in the weights' unit; None without cutoffs.
    source_indices : (k,) int64, the sources of the paths that were counted, the vertices of sums of
        distances, or the origins of trips.
    through : (k,) bool, the trips that use the edges which the call selected; None of other calls.
    method : the algorithm that ran: "counting sweeps", "dijkstra", "breadth-first", or the name of
        that of a plan.
    stats : ``seconds``; of "load" also ``trips_without_path``.
    """

    names: Mapping[int, str] = NO_NAMES

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

    def largest(self) -> dict[str, tuple[tuple[Any, ...], float]]:
        """Return the largest number of each column, with its vertex or the ends of its edge.

        A dictionary by the names of columns: ids of the graph's file as in tables, and the number.
        It is empty for a graph without vertices or edges. The first of equal numbers is taken.
        """
        columns = {name: values for name, (values, _) in self._columns().items()}
        ends = [columns.pop(name) for name in ("vertex", "source", "target") if name in columns]
        found = {}
        for name, values in columns.items() if len(self) else ():
            at = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
            found[name] = (
                tuple(end[at].item() if hasattr(end[at], "item") else end[at] for end in ends),
                values[at].item(),
            )
        return found

    def to_geopandas(self) -> tuple[Any, Any]:
        """Return GeoDataFrames of edges and vertices, as `Graph.to_geopandas`, with the numbers.

        A column has the name of the measure; of betweenness both frames have it. Turns and areas of
        the graph are left out.
        """
        edges, vertices = upward("Centrality.to_geopandas")(self.graph)
        name = self.measure.removeprefix("edge_")
        for frame, values in ((edges, self.edges), (vertices, self.vertices)):
            if values is not None:
                for column, numbers in self._numbers(values, name).items():
                    frame[column] = numbers
        return edges, vertices

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the numbers on the network; see `warpath.plot.plot_centrality`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        **options : ``cutoff`` (one of `cutoffs`), ``title``, ``subtitle``, ``theme`` ("light",
            "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Centrality.plot")(self, path, **options)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the numbers on an interactive map; see `html_centrality`.

        The page needs neither a server nor the network, and no package to be written.

        Parameters
        ----------
        path : file to write, .html.
        **options : ``cutoff``, ``title``, ``subtitle``, ``theme`` as in `plot`, ``tiles``,
            ``file_ids``.
        """
        upward("Centrality.save_html")(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the edges, as wide as their numbers are large.

        Its script, style and background are fetched when it is shown, and GeoPandas and folium are
        needed; `save_html` writes a map that works without the network.

        Parameters
        ----------
        **options : ``cutoff`` as in `plot`, and those of `geopandas.GeoDataFrame.explore`, such as
            ``tiles`` and ``cmap``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        return upward("Centrality.explore")(self, options)

    def map_numbers(self, cutoff: float | None = None) -> tuple[Array, Array]:
        """Return what maps show: one edge for each pair of neighbours, and its number.

        The number is the sum over all edges between the two vertices, in both directions; an
        undirected edge counts once. A measure without numbers of edges has the mean of those of the
        two ends. Of several edges, the map shows the one with the largest number.

        Parameters
        ----------
        cutoff : one of `cutoffs`; None for the largest.

        Returns
        -------
        edges : (k,) int64, positions in ``graph.edges()``, in ascending order of their numbers.
        numbers : (k,) float64, finite.

        Raises
        ------
        InputError
            If `cutoff` is not among `cutoffs`.
        """
        src, dst, _ = self.graph.edges()
        numbers = self._of_cutoff(cutoff)
        if self.edges is None:
            numbers = counted = numbers[src] / 2 + numbers[dst] / 2
        else:
            counted = numbers if self.graph.directed else np.where(src < dst, numbers, 0.0)
        low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
        order = np.lexsort((-numbers, high, low))
        order = order[(low != high)[order]]
        first = np.ones(len(order), np.bool_)
        first[1:] = np.diff(low[order] * self.graph.n + high[order]) != 0
        edges = order[first]
        sums = numbers[edges]
        if self.edges is not None and len(edges):
            sums = np.add.reduceat(counted[order], np.flatnonzero(first))
        is_finite = np.isfinite(sums)
        edges, sums = edges[is_finite], sums[is_finite]
        ascending = np.argsort(sums, kind="stable")
        return edges[ascending], sums[ascending]

    def _of_cutoff(self, cutoff: float | None) -> Array:
        """Return the numbers of one cutoff, of edges if there are some: (m,) or (n,)."""
        known = [] if self.cutoffs is None else self.cutoffs.tolist()
        if cutoff is not None and cutoff not in known:
            rule = f"use {', '.join(map(str, known))}" if known else "the result has none"
            msg = f"cutoff = {shown(cutoff)} is not among the cutoffs of the result: {rule}."
            raise InputError(msg)
        values: Any = self.vertices if self.edges is None else self.edges
        at = -1 if cutoff is None else known.index(cutoff)
        return values if values.ndim == 1 else values[:, at]  # type: ignore[no-any-return]

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
