"""Conversion of a graph to objects of other libraries, to text and to HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import notebook, units
from warpath.base.errors import InputError, NotSupportedError, require
from warpath.base.escaping import visible
from warpath.graph.checks import shown
from warpath.graph.derived import bytes_of_graph, derived_bytes
from warpath.graph.turns import refuse_turns

if TYPE_CHECKING:
    from warpath.graph.csr_graph import CsrGraph


def first_vertices(count: int) -> str:
    """Return how a message names the first vertices of a graph."""
    return "the first vertex" if count == 1 else f"the first {count:,} vertices"


def refuse_closed(graph: CsrGraph, call: str) -> None:
    """Raise NotSupportedError if paths may not pass all vertices, which other libraries ignore."""
    if graph.areas:
        msg = (
            f"{call} cannot say that trips end in areas and do not pass them. Read the file with "
            'restricted="open" or restricted="closed" for a graph without areas.'
        )
        raise NotSupportedError(msg)
    if graph.first_through:
        msg = (
            f"{call} cannot say that paths end at {first_vertices(graph.first_through)} and do not "
            "pass. To let all paths pass: wp.Graph(graph.indptr, graph.indices, graph.weights, "
            "labels=graph.labels, coordinates=graph.coordinates)."
        )
        raise NotSupportedError(msg)


def to_scipy(graph: CsrGraph, parallel: str) -> Any:
    """Return a `scipy.sparse.csr_array`, (n, n); see `Graph.to_scipy`."""
    if not isinstance(parallel, str) or parallel not in {"least", "keep"}:
        msg = f"parallel = {shown(parallel)} must be 'least' or 'keep'."
        raise InputError(msg)
    refuse_turns(graph, "to_scipy")
    refuse_closed(graph, "to_scipy")
    sparse = require("scipy.sparse", what="Graph.to_scipy")
    src, dst, weights = graph.edges()
    indptr: Any = graph.indptr
    chosen: Any = slice(None)
    pairs = src.astype(np.int64) * max(graph.n, 1) + dst
    if parallel == "least" and not (pairs[1:] > pairs[:-1]).all():
        order = np.lexsort((weights, pairs))
        chosen = order[np.diff(pairs[order], prepend=-1) > 0]
        degrees = np.bincount(src[chosen], minlength=graph.n)
        indptr = np.concatenate([[0], np.cumsum(degrees)])
    # Copies, as functions of SciPy write into the arrays of a matrix.
    parts = (np.array(weights[chosen]), np.array(dst[chosen]), np.array(indptr))
    return sparse.csr_array(parts, shape=(graph.n, graph.n))


def summary(graph: CsrGraph) -> str:
    """Return one line of text: name, sizes, direction, weights and attributes."""
    kind = "directed" if graph.directed else "undirected"
    weights = "every weight 1" if graph.weights is None else f"{graph.weights.dtype} weights"
    parts = [f"n = {graph.n:,}", f"m = {graph.m:,}", kind, weights]
    closed = "1 vertex" if graph.first_through == 1 else f"{graph.first_through:,} vertices"
    notes = {
        "labelled": graph.labels is not None,
        "with coordinates": graph.coordinates is not None,
        "with turns": graph.turns is not None,
        f"{closed} never passed through": graph.first_through > 0,
        "in areas": graph.areas,
        f"on {graph.device}": graph.device != "auto",
    }
    parts += [note for note, holds in notes.items() if holds]
    return f"{f'{visible(graph.name)}: ' if graph.name else ''}{', '.join(parts)}"


def to_html(graph: CsrGraph) -> str:
    """Return the HTML that a notebook displays for a graph."""
    way = "directed" if graph.directed else "undirected, stored both ways"
    values: dict[str, str] = {"vertices": f"{graph.n:,}", "edges": f"{graph.m:,}, {way}"}
    weights = "every weight 1" if graph.weights is None else str(graph.weights.dtype)
    values["weights"] = weights
    if graph.n:
        kinds = {"i": "integers", "u": "integers", "U": "strings"}
        values["named by"] = (
            f"0 .. {graph.n - 1:,}"
            if graph.labels is None
            else f"labels ({kinds.get(graph.labels.dtype.kind, 'objects')})"
        )
    if graph.coordinates is not None:
        values["coordinates"] = "x and y of each vertex"
    if graph.first_through:
        where = ", in areas" if graph.areas else ""
        values["never passed through"] = first_vertices(graph.first_through) + where
    values["memory"] = units.size(bytes_of_graph(graph))
    if graph.derived:
        values["kept for later calls"] = units.size(derived_bytes(graph))
    return notebook.box(f"Graph {graph.name or ''}".strip(), notebook.facts(values))
