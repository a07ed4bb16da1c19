"""Results on disk: whole ones as ``.npz``, tables as Parquet or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from warpath.errors import GraphFormatError, InputError, require
from warpath.io.save import atomic
from warpath.paths import DistanceTable, Paths, never

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.graph import Graph

    Array = NDArray[Any]
    Columns = dict[str, tuple[Array, Array | None]]


def save_paths(paths: Paths, path: str | os.PathLike[str]) -> None:
    """Write Paths as ``.npz`` (whole), or as Parquet or CSV (a row for each vertex)."""
    target = Path(path)
    if target.suffix == ".npz":
        parts = {"dist": paths.dist, "pred": paths.pred, "source": np.array(paths.source_index)}
        if paths.cutoff is not None:
            parts["cutoff"] = np.array(paths.cutoff)
        _save_npz(target, parts, paths.graph)
        return
    graph = paths.graph
    has_pred = paths.pred >= 0
    _save_columns(
        target,
        {
            "vertex": (_names(graph, np.arange(graph.n)), None),
            "distance": (paths.dist, paths.reached),
            "pred": (_names(graph, np.where(has_pred, paths.pred, 0)), has_pred),
        },
    )


def save_table(table: DistanceTable, path: str | os.PathLike[str], *, long: bool) -> None:
    """Write a DistanceTable as ``.npz``, ``.npy`` (the bare matrix), Parquet or CSV."""
    target = Path(path)
    dist = np.asarray(table.dist)
    if target.suffix == ".npz":
        parts = {
            "dist": dist,
            "sources": table.source_indices,
            "targets": table.target_indices,
        }
        _save_npz(target, parts, table.graph)
    elif target.suffix == ".npy":
        with atomic(target) as file:
            np.save(file, dist, allow_pickle=False)
    elif long:
        reached = dist != never(dist.dtype)
        rows, columns = np.nonzero(reached)
        _save_columns(
            target,
            {
                "source": (_names(table.graph, table.source_indices)[rows], None),
                "target": (_names(table.graph, table.target_indices)[columns], None),
                "distance": (dist[reached], None),
            },
        )
    else:
        named: Columns = {"source": (_names(table.graph, table.source_indices), None)}
        for at, name in enumerate(_names(table.graph, table.target_indices).tolist()):
            named[str(name)] = (dist[:, at], dist[:, at] != never(dist.dtype))
        _save_columns(target, named)


def load_paths(graph: Graph, path: str | os.PathLike[str]) -> Paths:
    """Read what `save_paths` wrote as ``.npz``, as a result of `graph`.

    Raises
    ------
    GraphFormatError
        If the file is no saved result, or one of another graph.
    """
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            parts = {key: stored[key] for key in stored.files}
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        TypeError,
        AttributeError,
        BadZipFile,
    ) as error:
        msg = f"expected a result that warpath saved, found something else ({error})"
        raise GraphFormatError(path, None, msg) from None
    missing = {"dist", "pred", "source"} - set(parts)
    if missing:
        msg = f"expected a result that warpath saved, but it lacks {', '.join(sorted(missing))}"
        raise GraphFormatError(path, None, msg)
    dist, pred, source = parts["dist"], parts["pred"], int(parts["source"])
    if dist.shape != (graph.n,) or pred.shape != (graph.n,) or not 0 <= source < graph.n:
        msg = f"the result has {dist.shape} labels, but the graph has n = {graph.n} vertices"
        raise GraphFormatError(path, None, msg)
    if dist.dtype != graph.dist_dtype:
        msg = f"the result's labels are {dist.dtype}, this graph's distances {graph.dist_dtype}"
        raise GraphFormatError(path, None, msg)
    cutoff = parts["cutoff"].item() if "cutoff" in parts else None
    return Paths(graph, source, dist, tree=lambda: pred, cutoff=cutoff)


def _save_npz(path: Path, parts: dict[str, Array], graph: Graph) -> None:
    if graph.labels is not None:
        labels = graph.labels
        parts["labels"] = labels.astype(str) if labels.dtype.kind == "O" else labels
    parts["id_base"] = np.array(graph.id_base)
    with atomic(path) as file:
        np.savez_compressed(file, **parts)  # type: ignore[arg-type]  # the stub takes bools only


def _save_columns(path: Path, columns: Columns) -> None:
    """Write columns, each with a mask of the rows that have a value."""
    writers: dict[str, Callable[[Any, Any], None]] = {
        ".parquet": _write_parquet,
        ".csv": _write_csv,
    }
    if path.suffix not in writers:
        msg = f"{path}: results are written as .npz, .parquet or .csv."
        raise InputError(msg)
    arrow = require("pyarrow", extra="io", what=f"Writing {path.suffix}")
    data = {
        name: arrow.array(values, mask=None if present is None else ~present)
        for name, (values, present) in columns.items()
    }
    with atomic(path) as file:
        writers[path.suffix](arrow.table(data), file)


def _write_parquet(table: Any, file: Any) -> None:
    require("pyarrow.parquet", extra="io", what="Writing .parquet").write_table(table, file)


def _write_csv(table: Any, file: Any) -> None:
    require("pyarrow.csv", extra="io", what="Writing .csv").write_csv(table, file)


def _names(graph: Graph, indices: Array) -> Array:
    """Return vertices as the file named them: labels, or numbers from id_base on."""
    if graph.labels is None:
        return indices + graph.id_base
    return graph.label_of(indices)
