"""The certificate: whether labels are shortest-path distances, in O(n + m), without an oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.errors import InputError, VerificationError
from warpath.graph import Graph
from warpath.labels import one_label
from warpath.paths import Paths
from warpath.routes import as_labels, labels_from, tree
from warpath.rows import threads_for
from warpath.table import DistanceTable
from warpath.zones import folded, opened, unfolded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_RULES = {
    "source": "the source's own distance must be 0",
    "edge": "no edge may shorten a label",
    "reached": "a search over tight edges must reach every finite label",
    "unreached": "a vertex that the search reaches must have a finite label",
    "column": "a distance must be that of a certified search",
    "pred": "pred must be the smallest tight predecessor",
}


@dataclass(frozen=True)
class Certificate:
    """What was checked, and held.

    Attributes
    ----------
    sources : how many sources.
    labels : how many labels.
    edges : how many edges were looked at.
    tree : whether predecessors were checked too.
    slack : the tolerance; 0 means that equality was checked.
    """

    sources: int
    labels: int
    edges: int
    tree: bool
    slack: float

    def __str__(self) -> str:
        tree = " and the tree" if self.tree else ""
        how = "exactly" if self.slack == 0 else f"within {self.slack:.3g}"
        return f"verified {how}: {self.labels:,} labels{tree} against {self.edges:,} edges"


def verify(graph: Graph, result: Paths | DistanceTable) -> Certificate:
    """Check a result against its graph.

    The rules: the source is at 0; no edge u -> v has ``dist[u] + w < dist[v]``; a search from the
    source over tight edges (``dist[u] + w == dist[v]``) reaches exactly the finite labels;
    predecessors are those of the one canonical tree. They hold together only for shortest
    distances, also with zero-weight cycles and negative weights. O(n + m) for each source.

    Parameters
    ----------
    graph : the graph, or anything that `Graph.of` takes.
    result : Paths or a DistanceTable. A certificate needs a label for every vertex: each row of a
        table that has other columns is compared with one search more, which is certified.

    Raises
    ------
    VerificationError
        For the first rule that is broken, naming the edge or vertex and both labels.
    InputError
        If the result does not belong to the graph.
    """
    graph = Graph.of(graph)
    if isinstance(result, DistanceTable):
        result.require_distances("verify")
        return _verify_table(graph, result)
    given: object = result
    if not isinstance(given, Paths):
        msg = f"result is a {type(given).__name__}: give what sssp or distances returned."
        raise InputError(msg)
    if len(result.dist) != graph.n:
        msg = f"the result has {len(result.dist)} labels but the graph has n = {graph.n} vertices."
        raise InputError(msg)
    _verify_row(graph, result.source_index, result.dist, result.pred, cutoff=result.cutoff, slack=0)
    return Certificate(1, graph.n, graph.m, tree=True, slack=0)


def _verify_table(graph: Graph, table: DistanceTable) -> Certificate:
    if max(table.source_indices.max(initial=0), table.target_indices.max(initial=0)) >= graph.n:
        msg = f"the table has vertices that do not exist: this graph has n = {graph.n}."
        raise InputError(msg)
    whole = np.array_equal(table.target_indices, np.arange(graph.n))
    slack: float = 0
    if table.dist.dtype.kind == "f" and table.reassociated:
        finite = (np.abs(row[np.isfinite(row)]).max(initial=0) for row in table.rows())
        largest = float(max(finite, default=0))
        slack = graph.n * float(np.finfo(table.dist.dtype).eps) * largest
    for source, row in zip(table.source_indices.tolist(), table.rows(), strict=True):
        labels = as_labels(graph, row)
        if whole:
            _verify_row(graph, source, labels, None, cutoff=table.cutoff, slack=slack)
        else:
            _verify_columns(graph, source, table, labels, slack)
    k, t = table.shape
    return Certificate(k, k * t, k * graph.m, tree=False, slack=slack)


def _verify_columns(
    graph: Graph, source: int, table: DistanceTable, found: Array, slack: float
) -> None:
    """Compare a row that lacks columns with one that a search found and that is certified."""
    labels = folded(graph, labels_from(opened(graph), source, table.cutoff), source, 0)
    _verify_row(graph, source, labels, None, cutoff=table.cutoff, slack=0)
    expected = labels[table.target_indices]
    same = found == expected
    if slack:
        with np.errstate(invalid="ignore"):  # inf - inf
            same |= np.abs(found - expected) <= slack
    if not same.all():
        at = int(np.flatnonzero(~same)[0])
        vertex = int(table.target_indices[at])
        wrong, right = found[at].item(), expected[at].item()
        msg = (
            f"not verified: {_RULES['column']}; from {one_label(graph, source)!r} to "
            f"{one_label(graph, vertex)!r} it has {wrong}, but {right} is right."
        )
        what = {"vertex": vertex, "dist_v": wrong, "expected": right}
        raise VerificationError(msg, "column", what)


def _verify_row(
    graph: Graph,
    source: int,
    dist: Array,
    pred: Array | None,
    *,
    cutoff: float | None,
    slack: float,
) -> None:
    inner = opened(graph)
    labels = unfolded(graph, dist, source)
    none = np.empty(0, inner.indices.dtype)
    csr = (inner.indptr, inner.indices, inner.solver_weights)
    plain = inner is graph
    found = _core.verify(
        *csr, source, labels, none if pred is None or not plain else pred,
        cutoff=cutoff, slack=labels.dtype.type(slack).item(),
        threads=threads_for(inner.n + inner.m), progress=None,
    )  # fmt: skip
    if found:
        raise _broken(graph, found)
    if pred is not None and not plain:
        expected = folded(graph, tree(inner, source, labels), source, -1)
        wrong = np.flatnonzero(expected != pred)
        if len(wrong):
            raise _broken(graph, {"rule": "pred", "vertex": int(wrong[0])})


def _broken(graph: Graph, found: dict[str, Any]) -> VerificationError:
    rule = found["rule"]

    def shown(vertex: int) -> str:
        inside = vertex if vertex < graph.n else vertex - graph.n  # a closed vertex's double
        return repr(one_label(graph, inside))

    message = f"not verified: {_RULES.get(rule, rule)}"
    if "edge" in found:
        u, v, e = found["edge"]
        message += (
            f"; edge {e}, {shown(u)} -> {shown(v)} of weight {found['weight']}: "
            f"dist {found['dist_u']} -> {found['dist_v']}"
        )
    elif "vertex" in found:
        message += f"; vertex {shown(found['vertex'])}"
        message += f" has dist {found['dist_v']}" if "dist_v" in found else ""
    return VerificationError(f"{message}.", rule, found)
