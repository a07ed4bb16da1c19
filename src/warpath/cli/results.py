"""Saved results, read back to be verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.errors import GraphFormatError
from warpath.io.results import load_paths
from warpath.paths import DistanceTable, Paths

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from warpath.graph import Graph


def load_result(graph: Graph, path: Path) -> Paths | DistanceTable:
    """Read what `Paths.save` or `DistanceTable.save` wrote as .npz, or a full matrix .npy.

    Raises
    ------
    GraphFormatError
        The file is neither, or belongs to another graph.
    """
    try:
        stored = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        msg = "expected a result saved as .npz or .npy, found something else"
        raise GraphFormatError(path, None, msg) from error
    if isinstance(stored, np.ndarray):
        everyone = np.arange(graph.n)
        return _table(graph, path, everyone, everyone, stored)
    with stored:
        if {"sources", "targets", "dist"} <= set(stored.files):
            parts = (stored[name] for name in ("sources", "targets", "dist"))
            return _table(graph, path, *parts)
    return load_paths(graph, path)


def _table(
    graph: Graph,
    path: Path,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    dist: NDArray[np.generic],
) -> DistanceTable:
    inside = all(len(v) == 0 or (v.min() >= 0 and v.max() < graph.n) for v in (sources, targets))
    if not inside or dist.shape != (len(sources), len(targets)):
        msg = f"the table has shape {dist.shape}, which does not fit this graph with n = {graph.n}"
        raise GraphFormatError(path, None, msg)
    if dist.dtype != graph.dist_dtype and dist.dtype.kind != graph.dist_dtype.kind:
        msg = f"the table is {dist.dtype}, but this graph's distances are {graph.dist_dtype}"
        raise GraphFormatError(path, None, msg)
    return DistanceTable(graph, sources, targets, dist)
