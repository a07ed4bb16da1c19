"""Files of coordinates that belong to a graph in another file."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import GraphError, require
from warpath.graph.coordinate_tables import IDS, aligned
from warpath.io import csv, dimacs, matrix_market, tntp
from warpath.io.compression import SUFFIXES, without_suffix
from warpath.io.source import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_READERS: tuple[Any, ...] = (dimacs, matrix_market, tntp)

#: Endings of the names of a graph's file and of its coordinates file.
_SIBLINGS = (
    (".gr", ".co"),
    (".mtx", "_coord.mtx"),
    ("_net.tntp", "_node.tntp"),
    (".wph", ".co"),
    (".wph", "_coord.mtx"),
    ("_net.wph", "_node.tntp"),
)


def sniff(head: bytes) -> bool:
    """Return whether a file that starts with `head` certainly holds coordinates."""
    return any(module.sniff_coordinates(head) for module in _READERS)


def read_coordinates(path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Read a DIMACS .co, Matrix Market n x 2 array or TNTP node file: (n, 2) float64, x and y.

    Raises
    ------
    GraphFormatError
        The file has none of the three formats, or is damaged.
    """
    source = Source(path)
    for module in _READERS:
        if module.sniff_coordinates(source.head):
            points: NDArray[np.float64] = module.read_coordinates(source)
            return points
    reason = (
        "no coordinates: expected DIMACS .co, a Matrix Market n x 2 array, a TNTP node file, or a "
        "table (.csv, .tsv, .parquet, .geojson, .gpkg)"
    )
    raise source.error(None, reason)


def coordinates_of(given: Any, graph: Graph) -> Array:
    """Return the coordinates of a graph's vertices, (n, 2), from a file or as `aligned` does."""
    if not isinstance(given, str | os.PathLike):
        return aligned(graph, given)
    suffix = Path(without_suffix(os.fspath(given))).suffix.lower()
    if suffix in _TABLES:
        source = Source(given)
        try:
            return aligned(graph, _TABLES[suffix](source, graph), first_id=graph.id_base)
        except GraphError as error:
            raise source.error(None, str(error)) from error
    points = read_coordinates(given)
    if len(points) != graph.n:
        what = "1 vertex" if len(points) == 1 else f"{len(points)} vertices"
        msg = f"{os.fspath(given)} has {what}, but the graph has {graph.n}."
        raise GraphError(msg)
    return points


class _TextColumns:
    """The columns of a text file with a header, as lists."""

    def __init__(self, table: Any, *, named: bool) -> None:
        self.columns = table.names
        self._table = table
        self._named = named

    def __getitem__(self, name: str) -> list[Any]:
        ids = self._named and name.strip().lower() in IDS
        values: list[Any] = self._table.fields(name) if ids else self._table.kept(name).tolist()
        return [None if value == "" else value for value in values]


def _text_table(source: Source, graph: Graph) -> _TextColumns:
    """Read a text file with a header; ids stay texts where the graph's labels are texts."""
    named = graph.labels is not None and graph.labels.dtype.kind not in "iu"
    return _TextColumns(csv.table_with_header(source), named=named)


def _parquet(source: Source, _graph: Graph) -> Any:
    parquet = require("pyarrow.parquet", extra="io", what="reading .parquet")
    return parquet.read_table(io.BytesIO(source.data))


def _geo(source: Source, _graph: Graph) -> Any:
    return require("geopandas", extra="geo", what="reading points").read_file(source.path)


#: Readers of tables by the suffix of the file.
_TABLES: dict[str, Any] = {
    ".csv": _text_table,
    ".tsv": _text_table,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".geojson": _geo,
    ".gpkg": _geo,
}


def find_coordinates(path: str | os.PathLike[str]) -> Path | None:
    """Return the coordinates file next to a graph's file, in any compression, or None."""
    graph = Path(path)
    name = without_suffix(graph.name)
    own = graph.name[len(name) :]
    for end, other in _SIBLINGS:
        if name.endswith(end):
            sibling = name.removesuffix(end) + other
            for suffix in dict.fromkeys((own, "", *SUFFIXES)):
                if (candidate := graph.with_name(sibling + suffix)).is_file():
                    return candidate
    return None
