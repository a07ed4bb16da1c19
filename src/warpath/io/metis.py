"""METIS .graph files (also DIMACS10): line v lists the neighbours of vertex v, counted from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath import _core
from warpath.graph import Graph
from warpath.graph.csr import kept_rows

if TYPE_CHECKING:
    from warpath.io.source import Source


def sniff(head: bytes) -> bool:  # noqa: ARG001 - the interface of a format
    """Return False: the content looks like any edge list; only the suffix shows the format."""
    return False


def read(source: Source, *, directed: bool | None = None) -> Graph:
    """Read a METIS file with its edge weights; vertex sizes and weights are skipped.

    Raises GraphFormatError unless every edge is listed in the lines of both its ends.

    Parameters
    ----------
    directed : True makes a directed graph of the same arcs.
    """
    source.text  # noqa: B018 - refuse a binary file before an error quotes its first line
    line = source.line(0, 1, b"%")
    expected = "<vertices> <edges> [<format> [<weights per vertex>]]"
    if line is None:
        raise source.error(None, f'expected "{expected}", but the file has only comments')
    tokens = line.text.split()
    if not 2 <= len(tokens) <= 4:
        raise source.error(line.number, f'expected "{expected}"', line.text)
    n = source.size(tokens[0], line.number, "the number of vertices")
    edges = source.size(tokens[1], line.number, "the number of edges")
    code = (tokens[2] if len(tokens) > 2 else b"0").rjust(3, b"0")
    if len(code) != 3 or not set(code) <= set(b"01"):
        raise source.error(line.number, "the format code has up to three digits, each 0 or 1", code)
    has_size, has_weights, weighted = (digit == ord("1") for digit in code)
    per_vertex = source.size(tokens[3], line.number, "weights per vertex") if len(tokens) > 3 else 1
    source.room_for(n)
    most = min(2 * edges, len(source.text) // 2)
    source.need(len(source.text) + 8 * n + (8 if weighted else 4) * most)
    indptr, indices, weights, symmetric = source.parsed(
        _core.read_metis,
        line.next,
        line.number + 1,
        n=n,
        entries=2 * edges,
        skipped=has_size + (per_vertex if has_weights else 0),
        weighted=weighted,
    )
    rows = kept_rows(indptr, indices, weights if weighted else None, copied=False)
    report = {"vertices whose weights or sizes were skipped": n} if has_size or has_weights else {}
    graph = Graph(
        *rows, directed=directed is True, id_base=1, name=source.title, read_report=report
    )
    if not symmetric:
        raise source.error(None, _first_one_sided(graph))
    return graph


def _first_one_sided(graph: Graph) -> str:
    """Return a message about an edge that only one end lists. O(m log m)."""
    src, dst, weights = graph.edges()
    there = np.lexsort((weights, dst, src))
    back = np.lexsort((weights, src, dst))
    wrong = (src[there] != dst[back]) | (dst[there] != src[back])
    wrong |= weights[there] != weights[back]
    at = int(np.argmax(wrong))
    here = (int(src[there][at]), int(dst[there][at]), weights[there][at])
    other = (int(dst[back][at]), int(src[back][at]), weights[back][at])
    first, swapped = (here, False) if here < other else (other, True)
    u, v = (first[1], first[0]) if swapped else first[:2]
    weight = "" if graph.weights is None else f" with weight {first[2]}"
    return (
        f"the line of vertex {u + 1} lists {v + 1}{weight}, but that of {v + 1} does not list "
        f"{u + 1} the same way: a METIS file has every edge in both lines"
    )
