"""GAP Benchmark Suite: .el and .wel text, .sg and .wsg serialized CSR. Vertices start at 0."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from warpath import _core
from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.io.save import edge_blocks, refuse_what_text_cannot_hold

if TYPE_CHECKING:
    from warpath.io.source import Source

#: Bytes of: bool directed, int64 stored edges, int64 vertices; no padding, little-endian.
_HEADER = 17


def sniff(head: bytes) -> bool:  # noqa: ARG001 - the interface of a format
    """Return False: the text looks like any edge list, and the binary has no magic number."""
    return False


def read(source: Source, *, directed: bool | None = None, n: int | None = None) -> Graph:
    """Read a file of the suite, in the format of its suffix.

    Parameters
    ----------
    directed : False also stores the reverse of every edge of a text file, like the suite's ``-s``.
    n : number of vertices of a text file; by default the largest vertex in it plus 1.
    """
    if source.suffix in {".sg", ".wsg"}:
        if directed is not None or n is not None:
            msg = f"{source.path}: a {source.suffix} file contains directed= and n=: omit them."
            raise InputError(msg)
        return _read_serialized(source, weighted=source.suffix == ".wsg")
    weighted = source.suffix == ".wel" or (source.suffix != ".el" and _columns(source) == 3)
    expected = "<from> <to> <weight>" if weighted else "<from> <to>"
    roles = "vvn" if weighted else "vv"
    high = -1 if n is None else n - 1
    src, dst, *weights = source.rows(0, 1, roles, high=high, expected=expected)
    if n is None:
        n = 1 + max(int(src.max(initial=-1)), int(dst.max(initial=-1)))
    source.room_for(n)
    return Graph.from_edges(
        src,
        dst,
        weights[0] if weights else None,
        n=n,
        directed=directed is not False,
        name=source.title,
    )


def _columns(source: Source) -> int:
    line = source.line(0, 1)
    return 0 if line is None else len(line.text.split())


def _read_serialized(source: Source, *, weighted: bool) -> Graph:
    """Read CSR arrays written by the suite's converter, after a check of the file's size."""
    data = source.data
    if len(data) < _HEADER:
        raise source.error(None, f"expected a header of {_HEADER} bytes, the file has {len(data)}")
    if data[0] > 1:
        reason = (
            f"expected a first byte of 0 or 1 (directed), found {data[0]}: not a serialized graph"
        )
        raise source.error(None, reason)
    directed = data[0] == 1
    m, n = (int(size) for size in np.frombuffer(data, "<i8", 2, 1))
    if m < 0 or n < 0:
        raise source.error(None, f"negative sizes: {n} vertices, {m} edges")
    width = 8 if weighted else 4
    half = 8 * (n + 1) + width * m
    need = _HEADER + (2 if directed else 1) * half
    if len(data) != need:
        cut = "the file may be truncated" if len(data) < need else "other bytes follow"
        reason = (
            f"{n} vertices and {m} stored edges take {need} bytes, the file has {len(data)}: {cut}"
        )
        raise source.error(None, reason)
    source.need(2 * len(data))  # plus aligned copies, which the core requires
    indptr = np.frombuffer(data, "<i8", n + 1, _HEADER)
    neighbours = np.frombuffer(data, "<i4", m * (width // 4), _HEADER + 8 * (n + 1))
    indices = neighbours[::2] if weighted else neighbours
    weights = neighbours[1::2] if weighted else None
    try:
        rows = kept_rows(indptr, indices, weights, copied=False)
        return Graph(*rows, directed=directed, name=source.title)
    except InputError as error:
        raise source.error(None, f"the rows are damaged: {error}") from error


def write(graph: Graph, file: BinaryIO, *, labels: str = "refuse") -> None:
    """Write .el (every weight 1) or .wel text, with both arcs of undirected edges.

    Parameters
    ----------
    labels : "refuse" raises for a graph with labels; "drop" writes the numbers 0 .. n - 1 instead.
    """
    suffix = Path(file.name).suffix.lower()
    if suffix in {".sg", ".wsg"}:
        msg = f"{suffix} files are read but not written: write .wel and use the suite's converter."
        raise InputError(msg)
    if suffix == ".el" and graph.weights is not None:
        msg = "an .el file holds no weights: write .wel, or graph.with_weights(None)."
        raise InputError(msg)
    refuse_what_text_cannot_hold(graph, suffix or ".wel", labels)
    if graph.n and not (len(graph.indices) and graph.indices.max() == graph.n - 1):
        last_row_empty = graph.indptr[-1] == graph.indptr[-2]
        if last_row_empty:
            msg = (
                f"the last vertex, {graph.n - 1}, has no edge: a {suffix} file would lose it; "
                "write .mtx or .npz."
            )
            raise InputError(msg)
    blocks = edge_blocks(graph, weighted=suffix != ".el")
    file.writelines(_core.format_edges(*block, base=0) for block in blocks)
