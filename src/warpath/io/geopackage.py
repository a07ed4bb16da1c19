"""GeoPackage files of edges with geometry, through GeoPandas."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.base.errors import InputError, require
from warpath.io.geojson import frames, graph_of
from warpath.io.metadata import KEY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from warpath.graph import Graph
    from warpath.io.source import Source


def sniff(head: bytes) -> bool:
    """Return whether a file is an SQLite database with the application's mark of GeoPackage."""
    return head.startswith(b"SQLite format 3") and head[68:72] == b"GPKG"


def read(
    source: Source,
    *,
    layer: str | None = None,
    weight: str | int | None = "auto",
    directed: bool | None = None,
    columns: Sequence[str | int] | None = None,
    oneway: str | int | bool | None = "auto",
    reverse_weight: str | int | None = "auto",
    attributes: str | Sequence[str | int] | None = None,
    noded: bool = False,
    tolerance: float | None = None,
) -> Graph:
    """Read a layer of lines, one for each edge; see `warpath.io.geopandas.from_geodataframe`.

    Parameters
    ----------
    layer : the layer of edges; None: the only layer of lines, or ``edges``. The coordinates of the
        vertices come from a layer ``nodes`` of points if there is one, as in files of OSMnx.
    """
    geopandas = require("geopandas", extra="geo", what="reading edges with geometry")
    with tempfile.TemporaryDirectory() as folder:  # GDAL reads an unpacked file by its path
        path = source.path
        if source.compression is not None:
            path = Path(folder) / "edges.gpkg"
            path.write_bytes(source.data)
        layers = geopandas.list_layers(path)
        kinds = dict(zip(layers["name"], layers["geometry_type"].fillna(""), strict=True))
        chosen = _edges(source, kinds, layer)
        frame = geopandas.read_file(path, layer=chosen)
        pyogrio = require("pyogrio", extra="geo", what="reading GeoPackage files")
        metadata = pyogrio.read_info(path, layer=chosen).get("layer_metadata") or {}
        if KEY in metadata:
            frame.attrs[KEY] = metadata[KEY]
        points = chosen != "nodes" and "Point" in kinds.get("nodes", "")
        nodes = geopandas.read_file(path, layer="nodes") if points else None
    options = {
        "weight": weight,
        "directed": directed,
        "columns": columns,
        "oneway": oneway,
        "reverse_weight": reverse_weight,
        "attributes": attributes,
    }
    return graph_of(source, frame, nodes, noded=noded, tolerance=tolerance, **options)


def _edges(source: Source, kinds: dict[str, str], layer: str | None) -> str:
    """Return the name of the layer of edges."""
    listed = ", ".join(f"{name} ({kind or 'no geometry'})" for name, kind in kinds.items())
    if layer is not None:
        if layer not in kinds:
            msg = f"{source.path} has no layer {layer!r}. The layers are {listed}."
            raise InputError(msg)
        return layer
    lines = [name for name, kind in kinds.items() if "Line" in kind]
    lines = lines or [name for name, kind in kinds.items() if kind == "Unknown"]
    if len(lines) != 1 and "edges" not in lines:
        reason = "no layer has lines"
        if lines:
            reason = f"{len(lines)} layers have lines: choose one, as with layer={lines[0]!r}"
        raise source.error(None, f"{reason}. The layers are {listed}")
    return lines[0] if len(lines) == 1 else "edges"


def write(graph: Graph, file: BinaryIO) -> None:
    """Write layers ``edges`` and ``nodes`` with the columns of `Graph.to_geopandas`."""
    edges, nodes = frames(graph)
    with tempfile.TemporaryDirectory() as folder:  # SQLite writes to a path
        path = Path(folder) / "edges.gpkg"
        metadata = {KEY: edges.attrs[KEY]}
        with warnings.catch_warnings():  # coordinates in the plane may belong to no known system
            warnings.filterwarnings("ignore", "'crs' was not provided")
            edges.to_file(path, layer="edges", driver="GPKG", layer_metadata=metadata)
            nodes.to_file(path, layer="nodes", driver="GPKG")
        file.write(path.read_bytes())
