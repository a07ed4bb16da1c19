"""Matrix Market: sparse matrices as graphs, and (n, 2) arrays as coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from warpath import _core
from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.graph.checks import checked_kind
from warpath.io.save import edge_blocks, refuse_what_text_cannot_hold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.io.source import Line, Source

_BANNER = b"%%MatrixMarket"

#: The letter of `RowLayout` (read_rows.hpp) for the values of each field.
_ROLE = {"real": "r", "double": "r", "integer": "i", "unsigned-integer": "i", "pattern": ""}

_COMPLEX = (
    "complex numbers cannot be weights. For their absolute values: wp.Graph.of(abs({matrix}))"
)

#: Why matrices are refused; {matrix} is a call of SciPy that reads the file, {path} its path.
_REFUSED = {
    "complex": _COMPLEX,
    "hermitian": _COMPLEX,
    "skew-symmetric": "the weights of one direction are the negated weights of the other. If they "
    "are lengths all the same: wp.Graph.of({matrix})",
    "array": "an array stores no edges. A dense square matrix: wp.Graph.of({matrix}). Coordinates, "
    "n x 2: read the graph, with coordinates={path}",
}


def sniff(head: bytes) -> bool:
    """Return whether a file starts with the banner."""
    return head[: len(_BANNER)].lower() == _BANNER.lower()


def sniff_coordinates(head: bytes) -> bool:
    """Return whether a file is a Matrix Market array."""
    return sniff(head) and head.splitlines()[0].lower().split()[2:3] == [b"array"]


def read(
    source: Source,
    *,
    directed: bool | None = None,
    header: str | None = None,
    n: int | None = None,
) -> Graph:
    """Read a coordinate matrix: entry (i, j) is the edge i -> j, even if its value is 0.

    A symmetric matrix is an undirected graph; each entry is stored once, in either triangle.

    Parameters
    ----------
    directed : False makes the edges of a general matrix undirected; True reads a symmetric matrix
        as a directed graph with both arcs.
    header : replacement for a missing first line, such as "coordinate pattern symmetric".
    n : number of vertices, for a file without the line of sizes; requires `header`.
    """
    words, line = _banner(source, checked_kind(header, str, "header"))
    for word in words:
        if word in _REFUSED:
            path = repr(str(source.path))
            why = _REFUSED[word].format(matrix=f"scipy.io.mmread({path})", path=path)
            raise source.error(1, f'"{word}" matrices are not read as graphs: {why}')
    layout, field, symmetry = words
    if layout != "coordinate" or field not in _ROLE or symmetry not in {"general", "symmetric"}:
        headers = f"coordinate ({' | '.join(_ROLE)}) (general | symmetric)"
        raise source.error(1, f'expected "{headers}"', " ".join(words).encode())
    at, number, m = (line.next, line.number + 1, -1) if line is not None else (0, 1, -1)
    if n is None:
        lost = "" if header is None else "; if that line is missing too, give n="
        sizes = _sizes(source, at, number, "<rows> <columns> <entries>", lost)
        (rows, columns, m), (at, number) = sizes[0], sizes[1:]
        if rows != columns:
            shape = f"{rows} x {columns}"
            raise source.error(number - 1, f"a graph's matrix is square, but this one is {shape}")
        n = rows
    source.room_for(n)
    role = _ROLE[field]
    expected = "<row> <column> <value>" if role else "<row> <column>"
    src, dst, *weights = source.rows(
        at,
        number,
        f"vv{role}",
        comments="%",
        low=1,
        high=n,
        rows=m,
        expected=expected,
        noun="entries",
    )
    both = directed is False if symmetry == "general" else directed is not True
    values = weights[0] if weights else None
    if symmetry == "symmetric" and directed is True:
        off = src != dst
        src, dst = np.concatenate([src, dst[off]]), np.concatenate([dst, src[off]])
        values = None if values is None else np.concatenate([values, values[off]])
    return Graph.from_edges(src, dst, values, n=n, directed=not both, id_base=1, name=source.title)


def read_coordinates(source: Source) -> NDArray[np.float64]:
    """Read an array of n rows and 2 columns, stored column by column: (n, 2), unscaled."""
    words, line = _banner(source, None)
    if words[:1] != ["array"] or words[1] not in _ROLE or words[2] != "general":
        raise source.error(1, 'expected "array real general" coordinates', " ".join(words).encode())
    assert line is not None  # noqa: S101 - without `header`, _banner returns a line
    (rows, columns), at, number = _sizes(source, line.next, line.number + 1, "<rows> <columns>")
    if columns != 2:
        raise source.error(number - 1, f"coordinates have 2 columns, but this array has {columns}")
    source.room_for(rows)
    (values,) = source.rows(
        at, number, "c", comments="%", rows=2 * rows, expected="<number>", noun="numbers"
    )
    return np.ascontiguousarray(values.reshape(2, rows).T)


def _banner(source: Source, header: str | None) -> tuple[list[str], Line | None]:
    """Return the three words that describe the matrix, and their line (None for `header`)."""
    if sniff(source.head):
        line = source.line(0, 1)
        tokens = [] if line is None else line.text.decode("ascii", "replace").lower().split()
        if len(tokens) != 5 or tokens[1] != "matrix":
            expected = "%%MatrixMarket matrix <format> <field> <symmetry>"
            raise source.error(1, f'expected "{expected}"', line.text if line else b"")
        return tokens[2:], line
    first = source.text[:200].splitlines()[0]
    if header is None:
        how = 'header="coordinate pattern symmetric" (and n=, if the line of sizes is missing too)'
        reason = f'the header "%%MatrixMarket ..." is missing; if you know it, give {how}'
        raise source.error(1, reason, first)
    words = header.lower().removeprefix("%%matrixmarket").split()
    words = words[1:] if words[:1] == ["matrix"] else words
    if len(words) != 3:
        msg = (
            f'header={header!r} must have three words, for example "coordinate pattern symmetric".'
        )
        raise InputError(msg)
    return words, None


def _sizes(
    source: Source, at: int, number: int, expected: str, hint: str = ""
) -> tuple[list[int], int, int]:
    line = source.line(at, number, b"%")
    if line is None:
        raise source.error(None, f'expected "{expected}", but the file ends: it may be truncated')
    tokens = line.text.split()
    if len(tokens) != len(expected.split()):
        raise source.error(line.number, f'expected "{expected}"{hint}', line.text)
    sizes = [source.size(token, line.number, "a size") for token in tokens]
    return sizes, line.next, line.number + 1


def write(graph: Graph, file: BinaryIO, *, labels: str = "refuse") -> None:
    """Write a coordinate matrix: for an undirected graph, the lower triangle of a symmetric one.

    Parameters
    ----------
    labels : "refuse" raises for a graph with labels; "drop" writes the numbers 1 .. n instead.
    """
    refuse_what_text_cannot_hold(graph, ".mtx", labels)
    kind = "pattern" if graph.weights is None else _field(graph)
    symmetry = "general" if graph.directed else "symmetric"
    weighted = graph.weights is not None
    m = graph.m
    if not graph.directed:
        m = sum(int((src >= dst).sum()) for src, dst, _ in edge_blocks(graph, weighted=False))
    banner = f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n{graph.n} {graph.n} {m}\n"
    file.write(banner.encode())
    for block in edge_blocks(graph, weighted=weighted):
        part = block if graph.directed else _lower_triangle(*block)
        file.write(_core.format_edges(*part, base=1))


def _lower_triangle(src: Array, dst: Array, weights: Array) -> tuple[Array, Array, Array]:
    lower = src >= dst
    return src[lower], dst[lower], weights[lower] if len(weights) else weights


def _field(graph: Graph) -> str:
    return "real" if graph.weight_dtype.kind == "f" else "integer"
