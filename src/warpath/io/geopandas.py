"""Graphs from GeoPandas data frames, whose edges have geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, require
from warpath.graph import Graph
from warpath.graph.checks import numbered
from warpath.graph.coordinates import RULES, in_degrees
from warpath.graph.edge_geometry import Shapes, in_rows
from warpath.io.dataframes import ENDS, WEIGHTS, Table, chosen_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array


def from_geodataframe(
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    weight: str | int | None = "auto",
    directed: bool = True,
    digits: int | None = None,
    coordinates: Any = None,
    **attributes: Any,
) -> Graph:
    """Make a graph from a GeoDataFrame whose rows are edges with a LineString each.

    Parameters
    ----------
    data : a GeoDataFrame. The ends of edges come from columns or index levels (OSMnx: ``u`` and
        ``v``), found as in `warpath.io.dataframes.from_table`; without such columns, lines with a
        common end point share a vertex.
    columns : the columns of ends, or of ends and weight.
    weight : the weight's column; "geometry" for the lines' lengths, metres on a sphere for
        longitude and latitude, else in the unit of the coordinates; None: every weight is 1.
        "auto": the one column called weight, length, ..., else "geometry".
    directed : False makes every row an edge in both directions.
    digits : number of decimals to which end points are rounded before they are compared, if no
        columns name the ends; None: no rounding.
    coordinates : (n, 2), in the order of the vertices; by default the ends of the lines.
    **attributes : ``first_through``, ``name`` of `Graph`.

    Returns
    -------
    Graph
        A graph with coordinates and the shapes of the edges.

    Raises
    ------
    GraphError, WeightError
        A row's geometry is not a line, or for the reasons of `from_table`.
    """
    shapely = require("shapely", extra="geo", what="edges with geometry")
    lines = [_one_line(shapely, at, shape) for at, shape in enumerate(data.geometry)]
    table = data.drop(columns=data.geometry.name)
    names = [name for name in data.index.names if name is not None]
    if {"u", "v"} <= {*names} and not {"u", "v"} <= {*table.columns}:
        table = table.reset_index()
    table.columns = [str(name) for name in table.columns]
    corners, indptr = _corners(shapely, lines)
    first, last = corners[indptr[:-1]], corners[indptr[1:] - 1]
    lower = {str(name).strip().lower() for name in table.columns}
    named = columns is not None or any(u in lower and v in lower for u, v in ENDS)
    if named:
        source, target, column = _columns(table, columns, weight)
        labels, ends = numbered(*(Table(table, [*table]).ends(end) for end in (source, target)))
        src, dst = ends[: len(lines)], ends[len(lines) :]
        n = len(labels) if labels is not None else int(ends.max(initial=-1)) + 1
        points = _places(src, dst, first, last, n) if coordinates is None else coordinates
    else:
        labels, column = None, _weight_column(table, weight)
        both = np.concatenate([first, last])
        key = both if digits is None else np.round(both, digits)
        _, at, ends = np.unique(key, axis=0, return_index=True, return_inverse=True)
        src, dst, n = ends.ravel()[: len(lines)], ends.ravel()[len(lines) :], len(at)
        points = both[at] if coordinates is None else coordinates
    if column == "geometry" and column not in table.columns:
        weights: Array | None = _lengths(corners, indptr, data.crs)
    else:
        weights = None if column is None else Table(table, [*table]).weights(column)
    graph = Graph.from_edges(
        src, dst, weights, n=n, directed=directed, labels=labels, coordinates=points, **attributes
    )
    return with_shapes(graph, (src, dst), weights, lines, data.crs)


def with_shapes(
    graph: Graph,
    ends: tuple[Array, Array],
    weights: Array | None,
    lines: Sequence[Any],
    crs: Any,
) -> Graph:
    """Return a graph with the shapes of its edges.

    Parameters
    ----------
    graph : a graph with coordinates, made by `Graph.from_edges` from `ends` and `weights`.
    ends : src and dst of the edges, each (k,), indices.
    weights : (k,), or None.
    lines : a shapely LineString for each edge, or None for a straight edge.
    crs : coordinate reference system of the lines, or None.
    """
    shapely = require("shapely", extra="geo", what="edges with geometry")
    some = [None if line is None else _one_line(shapely, at, line) for at, line in enumerate(lines)]
    corners, indptr = _corners(shapely, some)
    points = graph.coordinates
    assert points is not None  # noqa: S101 - the caller's promise
    whole = Shapes(indptr, corners, None if crs is None else str(crs))
    shapes = in_rows(whole, ends, weights, points, directed=graph.directed)
    return Graph(
        graph.indptr,
        graph.indices,
        graph.weights,
        directed=graph.directed,
        labels=graph.labels,
        id_base=graph.id_base,
        coordinates=points,
        first_through=graph.first_through,
        name=graph.name,
        shapes=shapes,
        unit=graph.unit,
        attribution=graph.attribution,
        read_report=graph.read_report,
    )


def _one_line(shapely: Any, at: int, shape: Any) -> Any:
    """Return a row's geometry as one LineString, or raise GraphError."""
    kind = getattr(shape, "geom_type", type(shape).__name__)
    if kind == "MultiLineString":
        shape = shapely.line_merge(shape)
        kind = shape.geom_type if shape.geom_type == "LineString" else "MultiLineString in parts"
    if kind != "LineString" or shape.is_empty:
        what = "an empty line" if kind == "LineString" else f"a {kind}"
        raise GraphError(f"row {at} has {what} as its geometry: an edge is a LineString.")
    return shape


def _corners(shapely: Any, lines: Sequence[Any]) -> tuple[Array, Array]:
    """Return the points of all lines, (p, 2), and the first point of each line, (k + 1,)."""
    corners, which = shapely.get_coordinates(np.array(lines, object), return_index=True)
    counts = np.bincount(which, minlength=len(lines))
    return corners, np.concatenate(([0], np.cumsum(counts)))


def _columns(table: Any, columns: Any, weight: Any) -> tuple[str, str, str | None]:
    """Return the columns of source, target and weight, which may be "geometry"."""
    names = [*table.columns]
    if weight == "auto" and (columns is None or len(columns) == 2):
        source, target, _ = chosen_columns(names, columns, None)
        rest = table.drop(columns=[source, target])
        return source, target, _weight_column(rest, weight)
    if weight == "geometry" and "geometry" not in names:
        return *chosen_columns(names, columns, None)[:2], "geometry"
    return chosen_columns(names, columns, weight)


def _weight_column(table: Any, weight: Any) -> str | None:
    names = [*table.columns]
    if weight != "auto":
        if weight is None or weight in names or weight == "geometry":
            return None if weight is None else str(weight)
        raise GraphError(f"there is no column {weight!r}; there are {', '.join(names)}.")
    candidates = [name for name in names if name.strip().lower() in WEIGHTS]
    if len(candidates) > 1:
        known = " or ".join(map(repr, candidates))
        raise GraphError(f"the weight could be {known}: choose one with weight=.")
    return candidates[0] if candidates else "geometry"


def _lengths(corners: Array, indptr: Array, crs: Any) -> Array:
    """Return the lengths of lines: metres on a sphere if the coordinates are degrees."""
    geographic = in_degrees(corners) if crs is None else crs.is_geographic
    rule = RULES["great_circle" if geographic else "euclidean"]
    pieces = np.append(rule(corners[:-1], corners[1:]), 0.0)
    pieces[indptr[1:] - 1] = 0.0  # the gap between the end of a line and the next line
    return np.add.reduceat(pieces, indptr[:-1]) if len(indptr) > 1 else pieces[:0]


def _places(src: Array, dst: Array, first: Array, last: Array, n: int) -> Array:
    """Return the coordinates of each vertex, (n, 2): the point at which most of its lines end.

    A line may be drawn in either direction. So both its ends count for both vertices: 1 vote if the
    line has the edge's direction, else 0.6.
    """
    vertex = np.concatenate([src, dst, src, dst])
    point = np.concatenate([first, last, last, first])
    votes = np.repeat([1.0, 1.0, 0.6, 0.6], len(src))
    key = np.column_stack([vertex, point])
    _, at, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
    score = np.bincount(which.ravel(), votes)
    best = np.lexsort((-score, vertex[at]))
    mine = best[np.unique(vertex[at][best], return_index=True)[1]]
    places = np.full((n, 2), np.nan)
    places[vertex[at][mine]] = point[at][mine]
    return places
