"""GeoJSON files of edges with geometry, through GeoPandas."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, require
from warpath.graph.checks import label_array, numbered
from warpath.graph.coordinates import in_degrees
from warpath.graph.edge_geometry import linestrings
from warpath.graph.export import refuse_closed
from warpath.graph.labels import file_ids
from warpath.graph.turns import refuse_turns
from warpath.io.geopandas import NODE_IDS, from_geodataframe, names_ends
from warpath.io.metadata import KEY, kept_columns_of, metadata_of

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
    attributes: str | Sequence[str | int] | None = None,
    noded: bool = False,
    tolerance: float | None = None,
) -> Graph:
    """Read a file of lines, one for each edge; see `warpath.io.geopandas.from_geodataframe`.

    If the lines name their ends, points in the file are the vertices; otherwise they are left out
    and counted.
    """
    geopandas = require("geopandas", extra="geo", what="reading edges with geometry")
    packed = source.compression not in {None, "zip"}  # GDAL unpacks zip archives only
    metadata = _metadata(source.head)
    as_text = {} if metadata is None else {"DATE_AS_STRING": "YES"}
    frame = geopandas.read_file(io.BytesIO(source.data) if packed else source.path, **as_text)
    if metadata is not None:
        frame.attrs[KEY] = metadata
    options = {
        "weight": weight,
        "directed": directed,
        "columns": columns,
        "oneway": oneway,
        "reverse_weight": reverse_weight,
        "attributes": attributes,
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
    written = KEY in frame.attrs
    if nodes is None and points.any() and not points.all():
        nodes, frame = _without_missing(frame[points]), _without_missing(frame[~points])
    report = {}
    if nodes is not None:
        labels = next((name for name in NODE_IDS if name in nodes.columns), None)
        if labels is not None and names_ends([*map(str, frame.columns)]):
            options["nodes" if written else "coordinates"] = nodes
        else:
            report["points that are not ends of lines, left out"] = len(nodes)
    try:
        return from_geodataframe(frame, name=source.title, read_report=report, **options)
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

    Points are the vertices where the edges alone do not give all of them in their order. The member
    ``warpath`` of the file has what else `read` restores, see `warpath.io.metadata`.

    Raises
    ------
    GraphError
        The graph has no coordinates, or a vertex of an edge has none.
    """
    edges, nodes = frames(graph)
    labels, ends = numbered(edges["source"].to_numpy(), edges["target"].to_numpy())
    labels = np.arange(ends.max(initial=-1) + 1) if labels is None else labels
    start, mark, features = edges.to_json(drop_id=True).partition(_FEATURES)
    if not np.array_equal(labels, nodes["id"].to_numpy()):
        points = nodes.to_json(drop_id=True).partition(_FEATURES)[2].rpartition("]")[0]
        mark += points + ", " * (points != "" and len(edges) > 0)
    member = json.dumps({KEY: edges.attrs[KEY]})[1:-1]
    file.write(f"{start}{member}, {mark}{features}".encode())


def _metadata(head: bytes) -> str | None:
    """Return the text of the member that `write` adds to a file that starts with `head`."""
    match = _MEMBER.match(head)
    return None if match is None else json.loads(match[1])


_FEATURES = '"features": ['
_MEMBER = re.compile(rb'\{"type": "FeatureCollection", "warpath": ("(?:[^"\\]|\\.)*")')


def frames(graph: Graph) -> tuple[Any, Any]:
    """Return GeoDataFrames of the stored edges and the vertices; see `Graph.to_geopandas`."""
    refuse_turns(graph, "to_geopandas")
    refuse_closed(graph, "to_geopandas")
    return network_frames(graph)


def network_frames(graph: Graph) -> tuple[Any, Any]:
    """Return the frames of `frames`, also of a graph whose turns and areas they cannot say."""
    geopandas = require("geopandas", extra="geo", what="writing edges with geometry")
    shapely = require("shapely", extra="geo", what="writing edges with geometry")
    points = graph.coordinates
    if points is None or not np.isfinite(points).all():
        msg = "edges with geometry need the coordinates of all vertices: graph.with_coordinates."
        raise GraphError(msg)
    lines = linestrings(shapely, graph, np.arange(graph.m))
    src, dst, weights = graph.edges()
    names = file_ids(graph, np.arange(graph.n))
    names = names if names.dtype.kind in "iU" else label_array(map(str, names))
    metadata = metadata_of(graph)
    table = {"source": names[src], "target": names[dst], "weight": weights}
    table |= kept_columns_of(graph, metadata)
    own = None if graph.shapes is None else graph.shapes.crs
    crs = own or ("EPSG:4326" if in_degrees(points) else None)
    edges = geopandas.GeoDataFrame(table, geometry=lines, crs=crs)
    edges.attrs[KEY] = metadata.to_json()
    nodes = geopandas.GeoDataFrame({"id": names}, geometry=shapely.points(points), crs=crs)
    return edges, nodes
