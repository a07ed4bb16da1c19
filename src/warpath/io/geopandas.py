"""Graphs from GeoPandas data frames, whose edges have geometry."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, require
from warpath.graph import Graph
from warpath.graph.checks import checked_bool, is_number, numbered, shown
from warpath.graph.coordinate_tables import numbered_by
from warpath.graph.coordinates import RULES, coordinates_of, in_degrees
from warpath.graph.edge_geometry import Shapes, in_rows
from warpath.io import noding
from warpath.io.columns import (
    chosen_columns,
    ends_as_columns,
    is_weight,
    known_ends,
    named,
    plain,
)
from warpath.io.dataframes import Table, kept_columns, with_named_index
from warpath.io.directions import arcs_of
from warpath.io.metadata import metadata_in, restored, without_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array

#: Names of the column of labels in a GeoDataFrame of points, as OSMnx and momepy write them.
NODE_IDS = ("osmid", "nodeID", "node_id", "id")


def from_geodataframe(
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | None = "auto",
    directed: bool | None = None,
    oneway: str | int | bool | None = "auto",
    reverse_weight: str | int | None = "auto",
    attributes: str | Sequence[str | int] | None = None,
    nodes: Any = None,
    digits: int | None = None,
    noded: bool = False,
    tolerance: float | None = None,
    coordinates: Any = None,
    **more: Any,
) -> Graph:
    """Make a graph from a GeoDataFrame whose rows are edges with a LineString each.

    Parameters
    ----------
    data : a GeoDataFrame. The ends of edges come from columns or index levels (OSMnx: ``u`` and
        ``v``), known as in `warpath.io.dataframes.from_table`; without such columns, lines with a
        common end point share a vertex.
    columns : the columns of ends, or of ends and weight.
    source, target : the columns of the ends; the same as ``columns=(source, target, "auto")``.
    weight : the weight's column; "geometry" for the lines' lengths, metres on a sphere for
        longitude and latitude, else in the unit of the coordinates; None: every weight is 1.
        "auto": the one column called weight, length, ..., else "geometry".
    directed : False makes every row an edge in both directions.
    oneway, reverse_weight : the columns of directions and of weights against the line, as in
        `from_table`.
    attributes : names or positions of further columns that the graph keeps, "all" for every other
        column; None: those that the frame of `Graph.to_geopandas` names, else none.
    nodes : the vertices in their order, as in `from_table`; the columns of `data` name the ends.
    digits : number of decimals to which end points are rounded before they are compared, if no
        columns name the ends; None: no rounding.
    noded : True splits lines where they meet others between their ends, if no columns name the
        ends: where one ends on another, where they cross and where they share a corner. A weight
        from a column is divided by length. False: ``Graph.read_report`` counts such lines.
    tolerance : with `noded`, the distance up to which ends of lines are joined with other ends and
        other lines, in the unit of the coordinates; None: some millimetres, for rounding.
    coordinates : (n, 2), in the order of the vertices, or a GeoDataFrame of points by their
        labels, which are its index or a column ``osmid``, ``nodeID``, ``node_id`` or ``id``; by
        default the ends of the lines.
    **more : ``first_through``, ``name`` of `Graph`.

    Returns
    -------
    Graph
        A graph with coordinates and the shapes of the edges.

    Raises
    ------
    GraphError, WeightError
        A row's geometry is not a line, or for the reasons of `from_table`.
    """
    options = {
        "columns": columns,
        "source": source,
        "target": target,
        "weight": weight,
        "directed": directed,
        "oneway": oneway,
        "reverse_weight": reverse_weight,
        "attributes": attributes,
    }
    if (metadata := metadata_in(data, [*map(str, data.columns)], options)) is not None:
        rest = {"nodes": nodes, "noded": noded, "coordinates": coordinates, **more}
        graph = from_geodataframe(without_metadata(data), **metadata[1], **rest)
        return restored(graph, metadata[0], options)
    shapely = require("shapely", extra="geo", what="edges with geometry")
    checked_bool(noded, "noded")
    lines = [_one_line(shapely, at, shape) for at, shape in enumerate(data.geometry)]
    table = with_named_index(data.drop(columns=data.geometry.name))
    table.columns = [str(name) for name in table.columns]
    columns = ends_as_columns(source, target, columns)
    if columns is not None or names_ends(table.columns):
        if noded:
            msg = (
                "noded=True splits lines that are joined by their ends, but columns name the ends "
                "of these: drop the columns, or leave noded= out."
            )
            raise GraphError(msg)
        edges = _joined_by_names(
            shapely, table, lines, data.crs, columns, weight, coordinates, nodes
        )
    elif nodes is not None:
        raise GraphError("nodes= needs columns of the ends of edges: name them by source=, target=")
    else:
        edges = _joined_by_ends(
            shapely, table, lines, data.crs, weight, digits, noded=noded, tolerance=tolerance
        )
    count = len(edges.lines)
    edges, both = _with_directions(shapely, edges, oneway, reverse_weight, directed)
    report = {**(more.pop("read_report", None) or {}), **edges.report}
    further = kept_columns(edges.table.names, {*edges.chosen}, attributes)
    more["keep_rows"] = bool(further) or more.get("keep_rows", False)
    graph = Graph.from_edges(
        edges.src,
        edges.dst,
        edges.weights,
        n=len(edges.points),
        directed=both,
        labels=edges.labels,
        coordinates=edges.points if coordinates is None or edges.placed else coordinates,
        read_report=report,
        **more,
    )
    if graph.given is not None:
        graph.given = edges.table.input_edges(graph.given.rows, edges.rows, count, further)
    return with_shapes(graph, (edges.src, edges.dst), edges.weights, edges.lines, data.crs)


def names_ends(columns: Sequence[str]) -> bool:
    """Return whether columns of lines name their ends; begin, start and end are often times."""
    return bool(known_ends(name for name in columns if plain(name) not in {"begin", "start"}))


class _Edges(NamedTuple):
    """The edges of lines: k ends, lines and weights, and the coordinates of n vertices.

    `table` has the further columns of the k lines, and `chosen` their columns of source, target and
    weight; `share` is the part of the row's weight that each line has, or None; `rows` are the rows
    of the table that the edges have, None for one edge a row.
    """

    table: Table
    chosen: tuple[str, str, str | None]
    src: Array
    dst: Array
    lines: Sequence[Any]
    weights: Array | None
    points: Array
    placed: bool = False  # the points are the given coordinates
    labels: Array | None = None
    report: dict[str, Any] = {}  # noqa: RUF012 - never changed
    share: Array | None = None
    rows: Array | None = None


def _with_directions(
    shapely: Any,
    edges: _Edges,
    oneway: str | int | bool | None,
    reverse_weight: str | int | None,
    directed: bool | None,
) -> tuple[_Edges, bool]:
    """Return the edges in the directions of their rows, and whether they are directed."""
    chosen = edges.chosen
    by_geometry = chosen[2] == "geometry" and "geometry" not in edges.table.names
    if by_geometry:
        chosen = (*chosen[:2], None)
    arcs, both, report = arcs_of(
        edges.table, chosen, oneway=oneway, reverse_weight=reverse_weight, directed=directed
    )
    report = {**edges.report, **report}
    if arcs is None:
        return edges._replace(report=report), both
    weights = arcs.weights
    if by_geometry and edges.weights is not None:
        weights = edges.weights[arcs.rows]
    elif weights is not None and edges.share is not None:
        weights = weights * edges.share[arcs.rows]
    lines = [edges.lines[row] for row in arcs.rows.tolist()]
    for at in np.flatnonzero(arcs.against).tolist():
        lines[at] = shapely.reverse(lines[at])
    src, dst = arcs.directed(edges.src, edges.dst)
    edges = edges._replace(src=src, dst=dst, lines=lines, weights=weights, rows=arcs.rows)
    return edges._replace(report=report), both


def _joined_by_names(
    shapely: Any,
    table: Any,
    lines: Sequence[Any],
    crs: Any,
    columns: Sequence[str | int] | None,
    weight: str | int | None,
    coordinates: Any,
    nodes: Any,
) -> _Edges:
    """Return the edges of lines whose ends are named in columns."""
    corners, indptr = _corners(shapely, lines)
    rows = Table(table, [*table])
    chosen = _columns(rows, columns, weight)
    if nodes is None:
        labels, ends = numbered(*rows.both_ends(*chosen[:2]))
    else:
        labels, ends, coordinates = numbered_by(nodes, *rows.both_ends(*chosen[:2]))
    src, dst = ends[: len(lines)], ends[len(lines) :]
    n = len(labels) if labels is not None else int(ends.max(initial=-1)) + 1
    n = n if nodes is None else len(coordinates)
    points = (
        coordinates
        if nodes is not None
        else _places(src, dst, corners[indptr[:-1]], corners[indptr[1:] - 1], n)
    )
    placed, report = hasattr(coordinates, "geometry"), {}
    if placed and nodes is None:
        if len(coordinates) > n:
            report["points without an edge, left out"] = len(coordinates) - n
        points = _of_points(shapely, coordinates, np.arange(n) if labels is None else labels)
    weights = _weights(rows, chosen[2], corners, indptr, crs)
    return _Edges(rows, chosen, src, dst, lines, weights, points, placed, labels, report)


def _joined_by_ends(
    shapely: Any,
    table: Any,
    lines: Sequence[Any],
    crs: Any,
    weight: str | int | None,
    digits: int | None,
    *,
    noded: bool,
    tolerance: float | None,
) -> _Edges:
    """Return the edges of lines that share a vertex where their ends meet."""
    corners, indptr = _corners(shapely, lines)
    column = _weight_column([*table], weight)
    tolerance = _checked_tolerance(tolerance, corners, noded=noded)
    jumps = noding.crosses_antimeridian(corners, indptr, geographic=_geographic(corners, crs))
    flat = [None if jump else line for line, jump in zip(lines, jumps, strict=True)]
    cuts = noding.meetings(shapely, flat, tolerance)
    report = {}
    if meeting := len(np.unique(cuts[0])):
        what = "split" if noded else "not joined there (noded=True splits them)"
        report[f"lines that meet others between their ends, {what}"] = meeting
    share = None
    if noded:
        lines, row, share = noding.split(shapely, lines, *cuts)
        table = table.iloc[row]
        corners, indptr = _corners(shapely, lines)
    both = np.concatenate([corners[indptr[:-1]], corners[indptr[1:] - 1]])
    key = both if digits is None else np.round(both, digits)
    if _geographic(corners, crs):  # longitudes -180 and 180 are the same
        key = np.column_stack([np.where(key[:, 0] == -180.0, 180.0, key[:, 0]), key[:, 1]])
    unique, at, vertex = np.unique(key, axis=0, return_index=True, return_inverse=True)
    vertex = vertex.ravel()
    if noded:
        groups, group = np.unique(noding.joined(shapely, unique, tolerance), return_inverse=True)
        at, vertex = at[groups], group[vertex]
    rows = Table(table, [*table])
    weights = _weights(rows, column, corners, indptr, crs)
    share = share if share is not None and (share != 1.0).any() else None
    if weights is not None and column != "geometry" and share is not None:
        weights = weights * share
    src, dst = vertex[: len(lines)], vertex[len(lines) :]
    chosen = ("", "", column)
    return _Edges(rows, chosen, src, dst, lines, weights, both[at], report=report, share=share)


def _weights(rows: Table, column: str | None, corners: Array, indptr: Array, crs: Any) -> Any:
    """Return the weights from a column, or the lengths of the lines."""
    if column == "geometry" and column not in rows.names:
        return _lengths(corners, indptr, geographic=_geographic(corners, crs))
    return None if column is None else rows.weights(column)


def _geographic(corners: Array, crs: Any) -> bool:
    """Return whether coordinates are degrees."""
    return in_degrees(corners) if crs is None else bool(crs.is_geographic)


def _checked_tolerance(tolerance: float | None, corners: Array, *, noded: bool) -> float:
    if tolerance is None:
        return noding.tolerance_of(corners)
    if not noded:
        raise GraphError(f"tolerance={shown(tolerance)} has no effect without noded=True.")
    if not is_number(tolerance) or not 0.0 <= tolerance < np.inf:
        raise GraphError(f"tolerance={shown(tolerance)} must be a number, 0 or more.")
    return float(tolerance)


def _of_points(shapely: Any, nodes: Any, labels: Array) -> Array:
    """Return the coordinates of vertices, (n, 2), from a GeoDataFrame of points."""
    name = next((name for name in NODE_IDS if name in nodes.columns), None)
    ids = nodes.index if name is None else nodes[name]
    row = {label: at for at, label in enumerate(ids)}
    missing = [label for label in labels.tolist() if label not in row]
    if missing:
        where = "index" if name is None else f"column {name!r}"
        msg = (
            f"the vertex {missing[0]!r} is not in the {where} of the points: {len(missing):,} miss."
        )
        raise GraphError(msg)
    points = np.column_stack([shapely.get_x(nodes.geometry), shapely.get_y(nodes.geometry)])
    return points[[row[label] for label in labels.tolist()]]


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
    points = coordinates_of(graph, ", so its edges have no lines")
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
        areas=graph.areas,
        name=graph.name,
        shapes=shapes,
        given=graph.given,
        unit=graph.unit,
        attribution=graph.attribution,
        read_report=graph.read_report,
    )


def _one_line(shapely: Any, at: int, shape: Any) -> Any:
    """Return a row's geometry as one LineString, or raise GraphError."""
    kind = getattr(shape, "geom_type", type(shape).__name__)
    if kind == "MultiLineString":
        shape = shapely.line_merge(_across_antimeridian(shapely, shape))
        kind = shape.geom_type if shape.geom_type == "LineString" else "MultiLineString in parts"
    if kind != "LineString" or shape.is_empty:
        what = "an empty line" if kind == "LineString" else f"a {kind}"
        raise GraphError(f"row {at} has {what} as its geometry: an edge is a LineString.")
    return shape


def _across_antimeridian(shapely: Any, shape: Any) -> Any:
    """Return a line in parts whose parts end at longitude 180 and start at -180 as one part."""
    parts = [shapely.get_coordinates(part) for part in shape.geoms]
    for before, after in pairwise(parts):
        end, start = before[-1], after[0]
        if not (abs(end[0]) == 180.0 and start[0] == -end[0] and start[1] == end[1]):
            return shape
    return shapely.linestrings(np.concatenate(parts)) if parts else shape


def _corners(shapely: Any, lines: Sequence[Any]) -> tuple[Array, Array]:
    """Return the points of all lines, (p, 2), and the first point of each line, (k + 1,)."""
    corners, which = shapely.get_coordinates(np.array(lines, object), return_index=True)
    if (bad := ~np.isfinite(corners).all(axis=1)).any():
        at = int(which[np.argmax(bad)])
        msg = f"row {at} has a point in its geometry that is not finite: {lines[at]}."
        raise GraphError(msg)
    counts = np.bincount(which, minlength=len(lines))
    return corners, np.concatenate(([0], np.cumsum(counts)))


def _columns(rows: Table, columns: Any, weight: Any) -> tuple[str, str, str | None]:
    """Return the columns of source, target and weight, which may be "geometry"."""
    names = rows.names
    if weight == "auto" and (columns is None or tuple(columns[2:]) in {(), ("auto",)}):
        source, target, _ = chosen_columns(names, columns and columns[:2], None)
        rest = [name for name in names if name not in {source, target}]
        return source, target, _weight_column(rest, weight)
    if weight == "geometry" and "geometry" not in names:
        return *chosen_columns(names, columns and columns[:2], None)[:2], "geometry"
    return chosen_columns(names, columns, weight, rows.is_numeric)


def _weight_column(names: list[str], weight: Any) -> str | None:
    if weight != "auto":
        return weight if weight in {None, "geometry"} else named(names, weight)
    candidates = [name for name in names if is_weight(name)]
    candidates = [name for name in candidates if plain(name) == "weight"] or candidates
    if len(candidates) > 1:
        several = " or ".join(map(repr, candidates))
        msg = f"the weight could be {several}: choose one, as with weight={candidates[0]!r}."
        raise GraphError(msg)
    return candidates[0] if candidates else "geometry"


def _lengths(corners: Array, indptr: Array, *, geographic: bool) -> Array:
    """Return the lengths of lines: metres on a sphere if the coordinates are degrees."""
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
