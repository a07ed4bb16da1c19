"""GeoJSON files of edges with geometry, through GeoPandas."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, require
from warpath.graph.checks import label_array
from warpath.graph.coordinates import in_degrees
from warpath.graph.edge_geometry import lines_of
from warpath.io.geopandas import NODE_IDS, from_geodataframe, names_ends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from warpath.graph import Graph
    from warpath.io.source import Source


def sniff(head: bytes) -> bool:
    """Return whether a file starts as GeoJSON: a collection of features, or a feature per line."""
    start = rb'\s*\{(\s*"type"\s*:\s*"Feature"|.*"FeatureCollection")'
    return re.match(start, head, re.DOTALL) is not None


def read(
    source: Source,
    *,
    weight: str | int | None = "auto",
    directed: bool | None = None,
    columns: Sequence[str | int] | None = None,
    oneway: str | int | bool | None = "auto",
    reverse_weight: str | int | None = "auto",
    noded: bool = False,
    tolerance: float | None = None,
) -> Graph:
    """Read a file of lines, one for each edge; see `warpath.io.geopandas.from_geodataframe`.

    If the lines name their ends, points in the file are the vertices; otherwise they are left out
    and counted.
    """
    geopandas = require("geopandas", extra="geo", what="reading edges with geometry")
    packed = source.compression not in {None, "zip"}  # GDAL unpacks zip archives only
    frame = geopandas.read_file(io.BytesIO(source.data) if packed else source.path)
    options = {
        "weight": weight,
        "directed": directed,
        "columns": columns,
        "oneway": oneway,
        "reverse_weight": reverse_weight,
    }
    return graph_of(source, frame, None, noded=noded, tolerance=tolerance, **options)


def graph_of(source: Source, frame: Any, nodes: Any, **options: Any) -> Graph:
    """Return the graph of a GeoDataFrame of lines, perhaps with points.

    Parameters
    ----------
    nodes : a GeoDataFrame of points with the labels of vertices, or None: points in `frame`.
    """
    if not len(frame) or not hasattr(frame, "geom_type"):  # a table without geometry
        raise source.error(None, "the file has no lines")
    points = frame.geom_type == "Point"
    if nodes is None and points.any() and not points.all():
        nodes, frame = _without_missing(frame[points]), _without_missing(frame[~points])
    report, coordinates = {}, None
    if nodes is not None:
        labels = next((name for name in NODE_IDS if name in nodes.columns), None)
        if labels is not None and names_ends([*map(str, frame.columns)]):
            coordinates = nodes
        else:
            report["points that are not ends of lines, left out"] = len(nodes)
    try:
        return from_geodataframe(
            frame, coordinates=coordinates, name=source.title, read_report=report, **options
        )
    except InputError as error:
        raise source.error(None, str(error)) from error


def _without_missing(rows: Any) -> Any:
    """Return rows of a frame without the columns in which they have no values.

    Integers are floats in a frame where other rows lack a value; they become integers again.
    """
    rows = rows.dropna(axis="columns", how="all").reset_index(drop=True)
    whole = [name for name in rows if rows[name].dtype == "f8" and (rows[name] % 1 == 0).all()]
    return rows.astype(dict.fromkeys(whole, "int64"))


def write(graph: Graph, file: BinaryIO) -> None:
    """Write source, target, weight, kept columns and the line of each stored edge.

    Raises
    ------
    GraphError
        The graph has no coordinates, or a vertex of an edge has none.
    """
    file.write(edges_frame(graph).to_json().encode())


def edges_frame(graph: Graph) -> Any:
    """Return a GeoDataFrame with a row for each stored edge. O(m) objects."""
    geopandas = require("geopandas", extra="geo", what="writing edges with geometry")
    shapely = require("shapely", extra="geo", what="writing edges with geometry")
    points = graph.coordinates
    if points is None or not np.isfinite(points).all():
        msg = "edges with geometry need the coordinates of all vertices: graph.with_coordinates."
        raise GraphError(msg)
    pieces, which, _, _ = lines_of(graph, np.arange(graph.m))
    last = np.append(which[1:] != which[:-1], True)[: len(which)]
    corners = np.concatenate([pieces[:, 0], pieces[last, 1]])
    edges = np.concatenate([which, which[last]])
    order = np.argsort(edges, kind="stable")
    lines = shapely.linestrings(corners[order], indices=edges[order])
    table = graph.edge_table()
    for end in ("source", "target"):
        names = table[end]
        table[end] = names if names.dtype.kind in "iU" else label_array(map(str, names))
    own = None if graph.shapes is None else graph.shapes.crs
    crs = own or ("EPSG:4326" if in_degrees(points) else None)
    return geopandas.GeoDataFrame(table, geometry=lines, crs=crs)
