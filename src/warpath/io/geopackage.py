"""GeoPackage files of edges with geometry, through GeoPandas."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.io.geojson import edges_frame, read

if TYPE_CHECKING:
    from typing import BinaryIO

    from warpath.graph import Graph

__all__ = ["read", "sniff", "write"]


def sniff(head: bytes) -> bool:
    """Return whether a file is an SQLite database with the application's mark of GeoPackage."""
    return head.startswith(b"SQLite format 3") and head[68:72] == b"GPKG"


def write(graph: Graph, file: BinaryIO) -> None:
    """Write a layer ``edges`` with the columns of a GeoJSON file; see `warpath.io.geojson`."""
    with tempfile.TemporaryDirectory() as folder:  # SQLite writes to a path
        path = Path(folder) / "edges.gpkg"
        edges_frame(graph).to_file(path, layer="edges", driver="GPKG")
        file.write(path.read_bytes())
