"""Results on disk: complete as ``.npz``, or as rows of Parquet, CSV or LaTeX."""

from __future__ import annotations

import json
import struct
import tokenize
import warnings
import zipfile
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import latex
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphFormatError, InputError, require
from warpath.base.escaping import csv_cell, utf8
from warpath.base.provenance import commit, machine
from warpath.graph.arguments import a_graph
from warpath.graph.checks import checked_bool
from warpath.graph.labels import file_ids, with_mask
from warpath.graph.links import Links
from warpath.graph.places import Place, Snapped
from warpath.graph.point_sources import PointSources
from warpath.graph.solvable import search_graph
from warpath.io.places import to_read, to_write
from warpath.io.save import atomic
from warpath.results import geodata, row_files
from warpath.results.distance_table import DistanceTable
from warpath.results.omx import save_omx
from warpath.results.paths import Paths
from warpath.results.point_paths import paths_from
from warpath.results.row_files import SUFFIXES, for_sheets, load_rows, suffix_of
from warpath.results.rows import arrow_table, different_types
from warpath.results.trace import seed_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import BinaryIO

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.result import Result
    from warpath.results.rows import Columns

#: Rows of a CSV file that are written at a time.
_ROWS = 2**16

#: The arrays of a saved result that are read back.
_PARTS = {
    "dist", "pred", "preds", "source", "point", "links", "offsets", "cutoff", "sources", "targets",
    "reassociated", "also",
}  # fmt: skip

#: The exceptions of NumPy and zipfile for a truncated file or one with changed bytes.
_DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    SyntaxError,
    RuntimeError,
    MemoryError,
    OverflowError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    tokenize.TokenError,
)


def save_paths(
    paths: Paths, path: str | os.PathLike[str], *, escape_formulas: bool = False
) -> None:
    """Write Paths as ``.npz`` (complete), or as Parquet or CSV (one row per vertex)."""
    target = to_write(path)
    if suffix_of(target) in geodata.SUFFIXES:
        geodata.save_shapes(paths, target)
    if target.suffix == ".npz":
        parts = {"dist": paths.dist, "pred": paths.pred, "source": np.array(paths.source_index)}
        if paths._point is not None:  # noqa: SLF001 - a part of the result
            points, own = paths._point  # noqa: SLF001
            parts |= {"dist": own.dist, "pred": own.pred} | _point_parts(points)
        if paths.cutoff is not None:
            parts["cutoff"] = np.array(paths.cutoff)
        refuse_formulas(target, escape_formulas=escape_formulas)
        _save_npz(target, parts, paths)
        return
    save_columns(target, columns_of(paths), about(paths), escape_formulas=escape_formulas)


def save_rows(
    result: Result, path: str | os.PathLike[str], *, escape_formulas: bool = False
) -> None:
    """Implement `Result.save`."""
    target = to_write(path)
    if suffix_of(target) in geodata.SUFFIXES:
        refuse_formulas(target, escape_formulas=escape_formulas)
        geodata.save_shapes(result, target)
        return
    save_columns(target, columns_of(result), escape_formulas=escape_formulas)


def columns_of(result: Result) -> Columns:
    """Return the columns of a result with a row per vertex or trip, with the ids of the file."""
    return result._columns()  # noqa: SLF001 - results describe themselves to this module


def save_table(
    table: DistanceTable,
    path: str | os.PathLike[str],
    *,
    long: bool,
    escape_formulas: bool = False,
) -> None:
    """Write a DistanceTable as ``.npz``, ``.npy`` (the bare matrix), OMX, Parquet or CSV."""
    target = to_write(path)
    if suffix_of(target) in geodata.SUFFIXES:
        geodata.save_shapes(table, target)
    long = checked_bool(long, "long")
    if target.suffix in {".npz", ".npy", ".omx"}:
        refuse_formulas(target, escape_formulas=escape_formulas)
    dist = table.on_host("save")
    if target.suffix == ".npz":
        parts = {
            "dist": dist,
            "sources": table.source_indices,
            "targets": table.target_indices,
            "reassociated": np.array(table.reassociated),
        }
        if table.cutoff is not None:
            parts["cutoff"] = np.array(table.cutoff)
        if table.pred is not None:
            parts["preds"] = np.asarray(table.pred)
        if table.also:
            parts["also"] = np.array(list(table.also))
            parts |= {f"also_{at}": sums for at, sums in enumerate(table.also.values())}
        _save_npz(target, parts, table)
    elif target.suffix == ".npy":
        with atomic(target) as file:
            np.save(file, dist, allow_pickle=False)
    elif target.suffix == ".omx":
        save_omx(table, target)
    else:
        columns = columns_of_table(table, target, long=long)
        save_columns(target, columns, about(table), escape_formulas=escape_formulas)


def columns_of_table(table: DistanceTable, path: Path, *, long: bool) -> Columns:
    """Return the columns of a table for a file, of which an error speaks."""
    dist = table.on_host("save")
    return _long(table, dist) if long else _wide(table, dist, path)


def _long(table: DistanceTable, dist: Array) -> Columns:
    """Return the columns of a table with a row for each pair that has a path."""
    reached = dist != unreachable(dist.dtype)
    rows, at = np.nonzero(reached)
    columns: Columns = {
        "source": (table.row_ids[rows], None),
        "target": (table.column_ids[at], None),
        "distance": (dist[reached], None),
    }
    if table.pred is not None:
        pred = np.asarray(table.pred)[reached]
        columns["pred"] = (file_ids(table.graph, np.maximum(pred, 0)), pred >= 0)
    return columns | {name: (sums[reached], None) for name, sums in table.also.items()}


def _wide(table: DistanceTable, dist: Array, path: Path) -> Columns:
    """Return the columns of a table with a row for each source."""
    columns: Columns = {
        "source": with_mask(table.graph, table.source_indices, table.given_names[0])
    }
    for at, name in enumerate(table.column_ids.tolist()):
        if str(name) in columns:
            msg = (
                f"{path}: a table with a column for each target would have two columns "
                f"{str(name)!r}: use long=True."
            )
            raise InputError(msg)
        columns[str(name)] = (dist[:, at], dist[:, at] != unreachable(dist.dtype))
    return columns


def load_paths(graph: Graph, path: str | os.PathLike[str]) -> Paths:
    """Read a file that `save_paths` wrote, as a result of `graph`.

    Raises
    ------
    GraphFormatError
        If the file is not a saved result, or belongs to another graph.
    """
    graph, path = a_graph(graph), to_read(path)
    if suffix_of(path) not in SUFFIXES:
        return _paths_of(graph, path, _stored_arrays(path))
    result = load_rows(graph, path)
    if isinstance(result, Paths):
        return result
    msg = "expected a result that warpath saved for one source, found a table of distances"
    raise GraphFormatError(path, None, msg)


def load_result(graph: Graph, path: str | os.PathLike[str]) -> Paths | DistanceTable:
    """Read a file that `save_paths` or `save_table` wrote, or a bare ``.npy`` matrix of all pairs.

    Raises
    ------
    GraphFormatError
        If the file is not such a file, is damaged, or belongs to another graph.
    """
    if suffix_of(path) in SUFFIXES:
        return load_rows(graph, path)
    parts = _stored_arrays(path)
    if "source" in parts or "pred" in parts:
        return _paths_of(graph, path, parts)
    return _table_of(graph, path, parts)


def load_vectors(graph: Graph, path: str | os.PathLike[str]) -> tuple[Array, Array | None] | None:
    """Read distances from one source, and predecessors if there are any, of another program.

    They are a text file or Parquet, see `row_files.load_vectors`, a ``.npy`` file of distances, or
    a ``.npz`` file with ``dist`` and perhaps ``pred``, indices from 0, without ``source``.

    Returns
    -------
    tuple[Array, Array | None] | None
        (n,) distances and indices of predecessors; None for a result that warpath saved.
    """
    if suffix_of(path) in SUFFIXES:
        return row_files.load_vectors(graph, path)
    parts = _stored_arrays(path)
    if "source" in parts or "dist" not in parts or parts["dist"].ndim != 1:
        return None
    return parts["dist"], parts.get("pred")


def _paths_of(graph: Graph, path: str | os.PathLike[str], parts: dict[str, Array]) -> Paths:
    missing = {"dist", "pred", "source"} - set(parts)
    if missing:
        msg = f"expected a result that warpath saved, but it lacks {', '.join(sorted(missing))}"
        raise GraphFormatError(path, None, msg)
    for name, kinds, dimensions in (("dist", "if", 1), ("pred", "i", 1), ("source", "i", 0)):
        _check_kind(path, name, parts[name], kinds, dimensions)
    dist, pred, source = parts["dist"], parts["pred"], int(parts["source"])
    points = None
    if "point" in parts and 0 <= source < graph.n:
        points = _point_of(graph, path, parts, source)
        graph, source = points.searched, points.searched.n - 1
    if len(dist) != graph.n or len(pred) != graph.n or not 0 <= source < graph.n:
        msg = f"the result has {len(dist)} labels, but the graph has n = {graph.n} vertices"
        raise GraphFormatError(path, None, msg)
    if dist.dtype != graph.dist_dtype:
        msg = f"the result's labels are {dist.dtype}, this graph's distances {graph.dist_dtype}"
        raise GraphFormatError(path, None, msg)
    if pred.min(initial=-1) < -1 or pred.max(initial=-1) >= graph.n:
        msg = f"pred has vertices that do not exist: this graph has n = {graph.n}"
        raise GraphFormatError(path, None, msg)
    tree = pred.astype(graph.indices.dtype, copy=False)
    paths = Paths(graph, source, dist, tree=lambda: tree, cutoff=_cutoff_of(path, parts))
    return paths if points is None else paths_from(points, paths)


def _point_parts(points: PointSources) -> dict[str, Array]:
    """Return the arrays of a point along an edge that paths start from."""
    ends, links = points.ends, points.links
    place = ends.given[0]
    at = (place.lon, place.lat, ends.fractions[0], *ends.points[0])
    return {
        "point": np.array(at),
        "links": np.stack([links.vertices, links.edges]),
        "offsets": links.offsets,
    }


def _point_of(
    graph: Graph, path: str | os.PathLike[str], parts: dict[str, Array], source: int
) -> PointSources:
    """Return the point along an edge that saved paths start from.

    Parameters
    ----------
    source : the nearer end of the edge.
    """
    point, links, offsets = (parts.get(name, np.empty(0)) for name in ("point", "links", "offsets"))
    kinds = (("point", point, "f", 1), ("links", links, "i", 2), ("offsets", offsets, "if", 1))
    for kind in kinds:
        _check_kind(path, *kind)
    if (
        point.shape != (5,)
        or not np.isfinite(point).all()
        or links.shape not in {(2, 1), (2, 2)}
        or len(offsets) != links.shape[1]
        or links.min() < 0
        or (links.max(axis=1) >= (search_graph(graph).n, graph.m)).any()
    ):
        msg = "it starts along an edge that this graph does not have"
        raise GraphFormatError(path, None, msg)
    lon, lat, fraction, *corner = point.tolist()
    vertices, edges = links.astype(np.int64)
    along, back = edges[:1], edges[1:] if len(edges) > 1 else np.array([-1])
    ends = Snapped.of(np.array([source]), (Place(lon, lat),))._replace(
        along=along, back=back, fractions=np.array([fraction]), points=np.array([corner])
    )
    rows = np.zeros(len(edges), np.int64)
    return PointSources.joined(graph, ends, Links(rows, vertices, offsets, edges))


def _table_of(graph: Graph, path: str | os.PathLike[str], parts: dict[str, Array]) -> DistanceTable:
    everyone = np.arange(graph.n)
    sources, targets = parts.get("sources", everyone), parts.get("targets", everyone)
    if "dist" not in parts:
        raise GraphFormatError(path, None, "expected a table that warpath saved, but it lacks dist")
    dist = parts["dist"]
    for name, array in (("sources", sources), ("targets", targets)):
        _check_kind(path, name, array, "i", 1)
        if array.min(initial=0) < 0 or array.max(initial=-1) >= graph.n:
            msg = f"{name} has vertices that do not exist: this graph has n = {graph.n}"
            raise GraphFormatError(path, None, msg)
    _check_kind(path, "dist", dist, "if", 2)
    if dist.shape != (len(sources), len(targets)):
        msg = (
            f"the table has shape {dist.shape}, but {len(sources)} sources and {len(targets)} "
            f"targets; the graph has n = {graph.n}"
        )
        raise GraphFormatError(path, None, msg)
    narrow = graph.dist_dtype.kind == "i" and dist.dtype == np.int32
    if dist.dtype != graph.dist_dtype and not narrow:
        msg = f"the table is {dist.dtype}, but this graph's distances are {graph.dist_dtype}"
        raise GraphFormatError(path, None, msg)
    pred = parts.get("preds")
    if pred is not None:
        _check_kind(path, "preds", pred, "i", 2)
        if pred.shape != dist.shape or pred.min(initial=-1) < -1 or pred.max(initial=-1) >= graph.n:
            msg = f"preds has other vertices than the table: this graph has n = {graph.n}"
            raise GraphFormatError(path, None, msg)
        pred = pred.astype(graph.indices.dtype, copy=False)
    reassociated = parts.get("reassociated", np.zeros((), np.bool_))
    _check_kind(path, "reassociated", reassociated, "b", 0)
    table = DistanceTable(
        graph,
        sources,
        targets,
        dist,
        pred=pred,
        cutoff=_cutoff_of(path, parts),
        reassociated=bool(reassociated),
    )
    table.also = _sums_of(path, parts, dist.shape)
    return table


def _sums_of(
    path: str | os.PathLike[str], parts: dict[str, Array], shape: tuple[int, ...]
) -> dict[str, Array]:
    """Return the sums along the routes of a table, (k, t) by name."""
    names = parts.get("also", np.empty(0, np.str_))
    _check_kind(path, "also", names, "U", 1)
    sums = {}
    for at, name in enumerate(names.tolist()):
        values = parts.get(f"also_{at}", np.empty(0))
        _check_kind(path, f"also_{at}", values, "iuf", 2)
        if values.shape != shape:
            msg = f"the sums of {name!r} have the shape {values.shape}, the distances {shape}"
            raise GraphFormatError(path, None, msg)
        sums[name] = values
    return sums


def _cutoff_of(path: str | os.PathLike[str], parts: dict[str, Array]) -> float | None:
    if "cutoff" not in parts:
        return None
    _check_kind(path, "cutoff", parts["cutoff"], "if", 0)
    cutoff: float = parts["cutoff"].item()
    return cutoff


def _stored_arrays(path: str | os.PathLike[str]) -> dict[str, Array]:
    """Read the arrays of an ``.npz`` file by name, or the one array of another file as ``dist``.

    Nothing is unpickled. Zarr and ``.npy`` arrays are opened without reading them, as they may be
    larger than memory.
    """
    if Path(path).is_dir() and suffix_of(path) == ".zarr":
        zarr = require("zarr", extra="zarr", what=f"Reading {Path(path).name}")
        try:
            return {"dist": zarr.open_array(path, mode="r")}
        except (OSError, ValueError) as error:
            msg = "expected a Zarr array that warpath wrote, found another folder"
            raise GraphFormatError(path, None, msg) from error
    try:
        with Path(path).open("rb") as file:
            head = file.read(6)
            _check_head(path, head)
            file.seek(0)
            with warnings.catch_warnings(action="ignore"):
                if head == b"\x93NUMPY":
                    return {"dist": _mapped(path)}
                stored = np.load(file, allow_pickle=False)
            names = {*_PARTS, *(name for name in stored.files if name.startswith("also_"))}
            return {name: np.asarray(stored[name]) for name in names & set(stored.files)}
    except GraphFormatError:
        raise
    except FileNotFoundError:
        raise GraphFormatError(path, None, "there is no such file") from None
    except (IsADirectoryError, PermissionError) as error:
        raise GraphFormatError(path, None, f"{error.strerror}") from None
    except _DAMAGED as error:
        msg = f"this saved result is damaged ({error or 'it ends too early'}): solve and save again"
        raise GraphFormatError(path, None, msg) from None


def _mapped(path: str | os.PathLike[str]) -> Array:
    """Map an array into memory, as it may be larger than RAM; read one without entries."""
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        array = np.load(path, allow_pickle=False)
    return array


def _check_head(path: str | os.PathLike[str], head: bytes) -> None:
    if not head.startswith((b"PK\x03\x04", b"\x93NUMPY")):
        msg = (
            "expected a result that warpath saved as .npz (or a table as .npy), found something "
            "else; those, .parquet, .csv, .tsv and .txt can be read back"
        )
        raise GraphFormatError(path, None, msg)


def _check_kind(
    path: str | os.PathLike[str], name: str, array: Array, kinds: str, dimensions: int
) -> None:
    """Raise GraphFormatError if an array has another type or dimension than warpath saves."""
    if array.dtype.kind not in kinds or array.ndim != dimensions or not array.dtype.isnative:
        msg = (
            f"{name} has shape {array.shape} and type {array.dtype}, "
            "which is not what warpath saves"
        )
        raise GraphFormatError(path, None, msg)


def _save_npz(path: Path, parts: dict[str, Array], result: Paths | DistanceTable) -> None:
    graph = result.graph
    parts["run"] = np.array(json.dumps(about(result), default=str))
    if graph.labels is not None:
        labels = graph.labels
        texts = labels.dtype.kind == "O"
        parts["labels"] = np.array([str(label) for label in labels.tolist()]) if texts else labels
    parts["id_base"] = np.array(graph.id_base)
    with atomic(path) as file:
        np.savez_compressed(file, **parts)  # type: ignore[arg-type]  # the stub takes bools only


def refuse_formulas(path: Path, *, escape_formulas: bool) -> None:
    """Raise InputError for `escape_formulas` and a file that is not a text table."""
    if checked_bool(escape_formulas, "escape_formulas"):
        msg = f"{path}: escape_formulas=True is for .csv; spreadsheets take no text here for one."
        raise InputError(msg)


def about(result: Paths | DistanceTable) -> dict[str, Any]:
    """Return how a result was computed: algorithm, parameters, version, commit, machine, seed."""
    plan, graph = result.plan, result.graph
    how: dict[str, Any] = {"graph": graph.name, "n": graph.n, "m": graph.m}
    if plan is not None:
        how |= {"algorithm": plan.algorithm, "device": plan.device, "threads": plan.threads}
        how |= {"params": dict(plan.params), "seed": seed_of(plan.device)}
    import warpath

    return how | {"warpath": warpath.__version__, "commit": commit(), "machine": machine()}


def save_columns(
    path: Path,
    columns: Columns,
    how: dict[str, Any] | None = None,
    *,
    escape_formulas: bool = False,
) -> None:
    """Write columns to Parquet, CSV or LaTeX.

    Parameters
    ----------
    path : file to write, its format by suffix: .parquet, .csv, .tex.
    how : how they were computed, for the metadata of Parquet and the comments of LaTeX.
    columns : name -> values and the mask of the rows that have a value, None for all.
    escape_formulas : for CSV: as in `csv_cell`.
    """
    if suffix_of(path) == ".csv":
        for name, (values, _) in columns.items():
            _check_one_type(path, name, values)
        with atomic(path) as file:
            write_csv(columns, file, escape_formulas=escape_formulas)
        return
    refuse_formulas(path, escape_formulas=escape_formulas)
    if suffix_of(path) == ".tex":
        listed = [cells(values, present) for values, present in columns.values()]
        text = latex.table(list(columns), zip(*listed, strict=True), how or {})
        with atomic(path) as file:
            file.write(text.encode())
        return
    if path.suffix != ".parquet":
        msg = (
            f"{path}: results are written as .parquet, .csv or .tex, tables and paths from one "
            "source as .npz too, tables as .omx, and results with shapes as .gpkg, .geojson "
            "or .geoparquet."
            f"{for_sheets(path)}"
        )
        raise InputError(msg)
    parquet = require("pyarrow.parquet", extra="io", what="Writing .parquet")
    table = arrow_table(columns, path)
    if how:
        metadata = {"warpath": json.dumps(how, default=str)} | (table.schema.metadata or {})
        table = table.replace_schema_metadata(metadata)
    with atomic(path) as file:
        parquet.write_table(table, file)


def cells(values: Array, present: Array | None) -> list[Any]:
    """Return values as Python objects, None where there is none."""
    cells: list[Any] = values.tolist()
    if present is None:
        return cells
    return [cell if has else None for cell, has in zip(cells, present.tolist(), strict=True)]


def _check_one_type(path: Path, name: str, values: Array) -> None:
    """Raise InputError for labels of several types: the number 3 and the text "3" look alike."""
    if values.dtype.kind == "O":
        types = sorted({type(value).__name__ for value in values.tolist() if value is not None})
        if len(types) > 1:
            raise different_types(path, name, " and ".join(types))


def write_csv(
    columns: Columns,
    file: BinaryIO,
    delimiter: str = ",",
    *,
    quoted: bool = True,
    escape_formulas: bool = False,
) -> None:
    """Write columns with their names in front.

    Parameters
    ----------
    quoted : whether all texts have quotes, so that an empty one is not a missing value, or only
        those that need them.
    escape_formulas : as in `csv_cell`.
    """
    escape_formulas = checked_bool(escape_formulas, "escape_formulas")
    cell = partial(csv_cell, delimiter=delimiter, quoted=quoted, escape_formulas=escape_formulas)
    file.write(delimiter.join(cell(utf8(name)) for name in columns).encode() + b"\n")
    length = len(next(iter(columns.values()))[0])
    for low in range(0, length, _ROWS):
        rows = slice(low, low + _ROWS)
        values = [_cells_of(values[rows], cell) for values, _ in columns.values()]
        masks = [
            None if present is None else np.ascontiguousarray(present[rows]).view(np.uint8)
            for _, present in columns.values()
        ]
        file.write(_core.format_table(values, masks, delimiter))


def _cells_of(values: Array, cell: Callable[[str], str]) -> Any:
    """Return the cells of a column: an array of int64 or float64, or a list of quoted texts."""
    for kinds, dtype in (("iu", np.int64), ("f", np.float64)):
        if values.dtype.kind in kinds and np.can_cast(values.dtype, dtype):
            return np.ascontiguousarray(values, dtype)
    quoted: dict[Any, str] = {}
    texts = []
    for value in values.tolist():
        if value not in quoted:
            quoted[value] = cell(utf8(value))
        texts.append(quoted[value])
    return texts
