"""Readers of results that were written as rows: Parquet and text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphFormatError, require
from warpath.base.escaping import utf8
from warpath.graph.derived import Derived
from warpath.io.compression import without_suffix
from warpath.results.distance_table import DistanceTable
from warpath.results.paths import Paths

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
SUFFIXES = {".parquet", *_SEPARATORS}


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the suffix before that of a compression: ``.csv`` for ``od.csv.gz``."""
    return Path(without_suffix(Path(path).name)).suffix.lower()


def for_sheets(path: Path) -> str:
    """Return a sentence about spreadsheets where a suffix is one of theirs, else nothing."""
    if path.suffix.lower() not in {".xlsx", ".xls", ".xlsm", ".ods"}:
        return ""
    return (
        " Spreadsheets open .csv; in Python with openpyxl, result.to_pandas().to_excel"
        f"({path.name!r}) writes the workbook."
    )


def load_rows(graph: Graph, path: str | os.PathLike[str]) -> Paths | DistanceTable:
    """Read a ``.parquet``, ``.csv``, ``.tsv`` or ``.txt`` file of `save` or the command line.

    Such files do not store the cutoff, and long tables do not store unreachable vertices.

    Raises
    ------
    GraphFormatError
        If the file is not such a table, or belongs to another graph.
    """
    try:
        return _loaded(graph, path, _read(path))
    except UnicodeDecodeError as error:
        msg = f"this result is damaged, solve and save again ({error})"
        raise GraphFormatError(path, None, msg) from None


def _loaded(graph: Graph, path: str | os.PathLike[str], table: Any) -> Paths | DistanceTable:
    names = list(table.column_names)
    if len(set(names)) != len(names):
        raise GraphFormatError(path, 1, "two columns have the same name")
    rows = _FileRows(graph, path, table)
    if names == _OF_PATHS:
        return rows.paths()
    if names[:3] == ["source", "target", "distance"]:  # then pred, and sums along the routes
        return rows.long()
    if names[:1] == ["source"]:
        return rows.wide()
    msg = (
        "expected the columns vertex, distance, pred, or source, target, distance, or source and a "
        f"column for each target; found {', '.join(names[:5])}"
    )
    raise GraphFormatError(path, 1, msg)


def load_vectors(graph: Graph, path: str | os.PathLike[str]) -> tuple[Array, Array | None] | None:
    """Read distances from one source, and predecessors if there are any, of another program.

    A text file or Parquet has a column of distances, and may have columns of vertices and of
    predecessors, by their ids in the graph's file: with a header in any order, or without one as
    distance, or vertex, distance, or vertex, distance, pred. An empty cell is no value.

    Returns
    -------
    tuple[Array, Array | None] | None
        (n,) distances and indices of predecessors; None for a result that warpath saved.
    """
    table = _read(path)
    names = list(table.column_names)
    if names == _OF_PATHS or names[:1] == ["source"]:
        return None
    if all(map(_is_number, names)):
        table = _read(path, header=False)
        names = {1: ["distance"], 2: ["vertex", "distance"], 3: _OF_PATHS}.get(len(names), names)
    else:
        meanings = {name: mean for mean, some in _NAMES.items() for name in some}
        names = [meanings.get(name.strip().lower(), name) for name in names]
    if "distance" not in names or len({*names, *_OF_PATHS}) > 3 or len(set(names)) < len(names):
        msg = (
            "expected a column of distances, and at most one of vertices and one of predecessors: "
            f"vertex, distance, pred; found {', '.join(names[:5])}"
        )
        raise GraphFormatError(path, 1, msg)
    return _FileRows(graph, path, table.rename_columns(names)).vectors()


_OF_PATHS = ["vertex", "distance", "pred"]
#: What other programs call these columns.
_NAMES = {
    "vertex": ("vertex", "node", "id", "v"),
    "distance": ("distance", "dist", "d", "length", "cost"),
    "pred": ("pred", "predecessor", "parent", "previous", "prev"),
}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read(path: str | os.PathLike[str], *, header: bool = True) -> Any:
    arrow = require("pyarrow", extra="io", what=f"Reading {Path(path).name}")
    if not Path(path).is_file():
        raise GraphFormatError(path, None, "there is no such file")
    try:
        if suffix_of(path) == ".parquet":
            return require("pyarrow.parquet", what="Reading .parquet").read_table(path)
        csv = require("pyarrow.csv", what="Reading text")
        options = csv.ParseOptions(delimiter=_SEPARATORS[suffix_of(path)])
        named = dict.fromkeys(("vertex", "pred", "source", "target"), arrow.string())
        missing = csv.ConvertOptions(
            column_types=named,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        columns = csv.ReadOptions(autogenerate_column_names=not header)
        return csv.read_csv(
            path, read_options=columns, parse_options=options, convert_options=missing
        )
    except (arrow.ArrowException, OSError) as error:
        said = str(error).partition("\n")[0]
        raise GraphFormatError(path, None, f"this result cannot be read: {said}") from None


_PLACES: Derived[dict[str, int]] = Derived(__name__, "indices by the vertices' names as text")


class _FileRows:
    """A table as read from a file; methods raise GraphFormatError if it does not fit the graph."""

    def __init__(self, graph: Graph, path: str | os.PathLike[str], table: Any) -> None:
        self.graph = graph
        self.path = path
        self.table = table

    def paths(self) -> Paths:
        graph = self.graph
        vertices = self._vertices(self.table["vertex"].to_pylist())
        if len(vertices) != graph.n or len(np.unique(vertices)) != graph.n:
            raise self._other(f"{len(vertices)} rows for the n = {graph.n} vertices of the graph")
        dist, pred = np.empty(graph.n, graph.dist_dtype), np.full(graph.n, -1, graph.indices.dtype)
        dist[vertices] = self._distances("distance")
        before = self.table["pred"].to_pylist()
        has = np.array([vertex is not None for vertex in before])
        pred[vertices[has]] = self._vertices([vertex for vertex in before if vertex is not None])
        starts = np.flatnonzero((dist != unreachable(dist.dtype)) & (pred < 0))
        if len(starts) != 1:
            msg = (
                f"{len(starts)} vertices are reached without a predecessor, not 1; results from "
                "points along edges are read from .npz only"
            )
            raise self._other(msg)
        start = int(starts[0])
        if dist[start] != 0:
            msg = (
                f"the first vertex of the paths is at the distance {dist[start]}, not 0: results "
                "from points along edges are read from .npz only"
            )
            raise GraphFormatError(self.path, None, msg)
        return Paths(graph, start, dist, tree=lambda: pred)

    def vectors(self) -> tuple[Array, Array | None]:
        graph, names = self.graph, self.table.column_names
        vertices = np.arange(self.table.num_rows)
        if "vertex" in names:
            vertices = self._vertices(self.table["vertex"].to_pylist())
        if len(vertices) != graph.n or len(np.unique(vertices)) != graph.n:
            raise self._other(f"{len(vertices)} rows for the n = {graph.n} vertices of the graph")
        values = self.table["distance"].to_pylist()
        whole = all(isinstance(value, int | None) for value in values)
        never = np.iinfo(np.int64).max if whole else np.inf
        dist = np.array([never if value is None else value for value in values])
        dist[vertices] = dist.copy()
        if "pred" not in names:
            return dist, None
        index_of, before = self._places(), np.full(graph.n, -1, np.int64)
        listed = [None if name is None else utf8(name) for name in self.table["pred"].to_pylist()]
        has = [name is not None and (name in index_of or name[:1] != "-") for name in listed]
        before[vertices[has]] = self._vertices(
            [name for name, is_vertex in zip(listed, has, strict=True) if is_vertex]
        )
        return dist, before

    def long(self) -> DistanceTable:
        sources = self._vertices(self.table["source"].to_pylist())
        targets = self._vertices(self.table["target"].to_pylist())
        rows, row = _in_order(sources)
        columns, column = np.unique(targets, return_inverse=True)
        dist = np.full(
            (len(rows), len(columns)), unreachable(self.graph.dist_dtype), self.graph.dist_dtype
        )
        dist[row, column] = self._distances("distance")
        return DistanceTable(self.graph, rows, columns, dist)

    def wide(self) -> DistanceTable:
        sources = self._vertices(self.table["source"].to_pylist())
        names = self.table.column_names[1:]
        targets = self._vertices(names)
        dist = np.empty((len(sources), len(targets)), self.graph.dist_dtype)
        for at, name in enumerate(names):
            dist[:, at] = self._distances(name)
        return DistanceTable(self.graph, sources, targets, dist)

    def _distances(self, name: str) -> Array:
        column, dtype = self.table[name], self.graph.dist_dtype
        kind = str(column.type)
        integer = kind == "null" or kind.startswith("int")
        if not integer and (dtype.kind == "i" or kind not in {"float", "double"}):
            raise self._other(f"{name} is {kind}, but this graph's distances are {dtype}")
        values = [unreachable(dtype) if value is None else value for value in column.to_pylist()]
        with np.errstate(over="ignore"):
            distances = np.array(values, dtype)
        if dtype.kind == "f" and np.count_nonzero(np.isinf(distances)) > np.isinf(values).sum():
            raise self._other(f"{name} has values that {dtype} does not hold")
        return distances

    def _vertices(self, names: list[Any]) -> NDArray[np.int64]:
        """Return the indices of vertices from their names in the graph's file."""
        index_of = self._places()
        try:
            indices = [index_of[name] for name in map(utf8, names)]
        except KeyError as error:
            raise self._other(f"it has no vertex {error.args[0]}") from None
        return np.array(indices, np.int64)

    def _places(self) -> dict[str, int]:
        """Return the index of every vertex by its name as text; cached on the graph."""
        graph = self.graph

        def make() -> dict[str, int]:
            first = graph.id_base
            names = range(first, first + graph.n) if graph.labels is None else graph.labels.tolist()
            return {utf8(name): at for at, name in enumerate(names)}

        return _PLACES.of(graph, make)

    def _other(self, said: str) -> GraphFormatError:
        return GraphFormatError(self.path, None, f"the result is not of this graph: {said}")


def _in_order(vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct vertices in order of appearance, and the position of each among them."""
    ordered, first, inverse = np.unique(vertices, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return ordered[order], rank[inverse]
