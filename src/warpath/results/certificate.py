"""Certify shortest-path distances in O(n + m), without a reference solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NegativeCycleError, VerificationError
from warpath.graph import Graph
from warpath.graph.arguments import one_index
from warpath.graph.checks import shown
from warpath.graph.csr import threads_for
from warpath.graph.labels import one_label
from warpath.graph.solvable import search_graph
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import folded_tree, unfolded
from warpath.results.distance_table import DistanceTable
from warpath.results.foreign import Labels, labels_of, predecessors_of, tree_fault
from warpath.results.paths import Paths
from warpath.results.point_paths import paths_from
from warpath.results.predecessors import as_labels, searched, tree, without_unreached
from warpath.results.route import Route
from warpath.results.route_certificate import verify_routes

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph.point_sources import PointSources

_RULES = {
    "source": "the source's own distance must be 0",
    "label": "no distance may be NaN, -inf or beyond the cutoff",
    "edge": "no edge may shorten a label",
    "reached": "a search over tight edges must reach every finite label",
    "unreached": "a vertex that the search reaches must have a finite label",
    "column": "a distance must be that of a certified search",
    "pred": "pred must be the smallest tight predecessor (another one passes with tree='any')",
    "tight": "pred must be a vertex whose distance and edge sum up to the distance, -1 for none",
    "cycle": "predecessors must lead back to the source",
}


@dataclass(frozen=True)
class Certificate:
    """The extent of a check that succeeded.

    Attributes
    ----------
    sources : number of sources.
    labels : number of checked distances.
    edges : number of checked edges, counted once per source.
    tree : whether predecessors were checked too.
    slack : absolute tolerance of distances; 0 for exact equality.
    canonical : False if the predecessors are another tree of shortest paths than the canonical one,
        or the distances are too rounded to say.
    routes : number of routes, each of which exists and has the length that it says.
    proved : what else is proved of them.
    """

    sources: int
    labels: int
    edges: int
    tree: bool
    slack: float
    canonical: bool = True
    routes: int = 0
    proved: str = ""

    def __str__(self) -> str:
        other = " and a tree" if self.slack else " and a tree with other ties"
        tree = (" and the tree" if self.canonical else other) if self.tree else ""
        how = "exactly" if self.slack == 0 else f"within {self.slack:.3g}"
        if self.routes:
            edges = f"{self.edges:,} edge{'s' * (self.edges != 1)}"
            routes = f"{self.routes:,} route{'s' * (self.routes > 1)} of {edges}"
            return f"verified {how}: {routes}{self.proved and f'; {self.proved}'}"
        return f"verified {how}: {self.labels:,} labels{tree} against {self.edges:,} edges"


def verify(
    graph: Any,
    result: Any,
    source: Any = None,
    pred: Any = None,
    *,
    tree: str = "canonical",
    unreachable: float | None = None,
    claim: str | None = None,
    second: Any = None,
    limit: float | None = None,
) -> Certificate:
    """Check a result against its graph, also one that another program computed.

    The rules: the source is at 0; no edge u -> v has ``dist[u] + w < dist[v]``; a search from the
    source over tight edges (``dist[u] + w == dist[v]``) reaches exactly the finite labels;
    predecessors are those of the canonical tree. Only shortest distances satisfy all rules, also
    with zero-weight cycles and negative weights. O(n + m) for each source. With a cutoff and
    negative weights, a path may lead through vertices beyond the cutoff, which have no distance
    here. The distances are then compared with those of a new search that satisfies the rules.

    Parameters
    ----------
    graph : the graph, or anything that `Graph.of` takes.
    result : Paths or a DistanceTable. The rules need the distance of every vertex: if a table lacks
        columns, each row is compared with those of a new, certified search.
        Or (n,) distances from `source` of any integer or float type: a list, or an array of NumPy
        or of a library that exports DLPack, as CuPy. Vertices that were not reached have inf or the
        largest value of the type. Types of fewer digits than the graph's distances are compared
        within n * eps times the largest distance, all others exactly: float64 sums of float32
        weights as such.
        Or a route, or a list of routes with the same ends: each must lead along edges, and have
        the sum of their weights, bit for bit.
    source : the source of (n,) distances.
    pred : (n,) predecessors to check with them: integers from 0 to n - 1, negative for none.
    tree : "canonical" for the tree that warpath returns, in which the smallest of several possible
        predecessors counts; "any" for every tree of shortest paths.
    unreachable : the value of vertices that were not reached, if it is another one.
    claim : what else is proved of routes. "k_shortest": no other route that passes no vertex twice
        is shorter than the last one, by enumeration. "alternatives": their measures, and that the
        first is a shortest path; not that they are the best ones. "disjoint" and
        "vertex_disjoint": they share none, and the total is the least, by potentials. "pareto":
        none beats another, and none is missing, by extending all paths that none of them bounds;
        "constrained": the same of one route within a limit. Enumerations follow at most 2,000,000
        edges. Sums of floats are compared within the certificate's slack.
    second, limit : the second cost and the limit on it that were passed to `pareto_paths` or
        `constrained_path`.

    Raises
    ------
    VerificationError
        If a rule is broken: names the first, with the edge or vertex and both distances.
    InputError
        If the result does not belong to the graph, or an argument is not valid.
    NotSupportedError
        If distances are of a graph with turns, or a proof takes too long.

    Examples
    --------
    >>> import warpath as wp
    >>> roads = wp.Graph.of([(0, 1, 2), (1, 2, 5), (0, 3, 7), (3, 2, 0)])
    >>> print(wp.verify(roads, [0, 2, 7, 7], source=0, pred=[-1, 0, 3, 0], tree="any"))
    verified exactly: 4 labels and a tree with other ties against 4 edges
    """
    graph = Graph.of(graph)
    if not isinstance(tree, str) or tree not in {"canonical", "any"}:
        msg = f"tree={shown(tree)} is not valid: use 'canonical' or 'any'."
        raise InputError(msg)
    about = {"claim": claim, "second": second, "limit": limit}
    if isinstance(result, Route) or _has_routes(result):
        if tree != "canonical":
            raise InputError("tree='any' has no effect on routes: leave it out.")
        others = {"source": source, "pred": pred, "unreachable": unreachable}
        _refuse_given(others, "has no effect on routes: leave it out.")
        return _verify_routes(graph, result, about)
    refuse_turns(graph, "verify of distances")
    _refuse_given(
        about,
        f"is about a list of routes, and the result is a {type(result).__name__}: leave it out, or "
        "make a list of an iterator, list(routes).",
    )
    if not isinstance(result, Paths | DistanceTable):
        return _verify_foreign(graph, result, source, pred, tree, unreachable)
    if source is not None or pred is not None or unreachable is not None:
        msg = (
            f"a {type(result).__name__} has its own source, predecessors and unreachable vertices: "
            "leave source=, pred= and unreachable= out, or give its distances, result.dist."
        )
        raise InputError(msg)
    if isinstance(result, DistanceTable):
        return _verify_table(graph, result, tree)
    if len(result.dist) != graph.n:
        msg = f"the result has {len(result.dist)} labels but the graph has n = {graph.n} vertices."
        raise InputError(msg)
    labels = Labels(graph, _labels_of(graph, result.dist), 0)
    before = _checked_pred(graph, search_graph(graph), result.pred)
    if result._point is not None:  # noqa: SLF001 - a part of the result
        points, there = result._point  # noqa: SLF001
        _verify_from_point(points.on(graph), there, labels.dist, before)
        return Certificate(1, graph.n, graph.m, tree=True, slack=0)
    return _verify_tree(labels, result.source_index, before, tree, cutoff=result.cutoff)


def _has_routes(result: Any) -> bool:
    return isinstance(result, list | tuple) and any(isinstance(one, Route) for one in result)


def _refuse_given(options: dict[str, Any], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}= {why}")


def _verify_routes(graph: Graph, result: Any, about: dict[str, Any]) -> Certificate:
    """Check a route or a list of routes."""
    routes = [result] if isinstance(result, Route) else list(result)
    if not all(isinstance(route, Route) for route in routes):
        raise InputError("a list of routes must not contain anything else.")
    proof = verify_routes(graph, routes, **about, certified=_certified)
    found: dict[str, Any] = {"routes": len(routes), "proved": proof.proved}
    return Certificate(1, 0, proof.edges, tree=False, slack=proof.slack, **found)


def _verify_foreign(
    graph: Graph, dist: Any, source: Any, pred: Any, tree: str, unreachable: float | None
) -> Certificate:
    """Check distances that another program computed, and predecessors if given."""
    if type(dist).__module__.partition(".")[0] == "warpath":
        msg = (
            f"result is a {type(dist).__name__}: give the result of sssp or distances, or an array "
            "of distances with source=."
        )
        raise InputError(msg)
    if source is None:
        msg = "an array of distances needs their source: give source=, a vertex of the graph."
        raise InputError(msg)
    start = one_index(graph, source, "source")
    labels = labels_of(graph, dist, unreachable)
    if pred is None:
        if tree != "canonical":
            raise InputError("tree='any' needs predecessors: give pred=, or leave it out.")
        inner = search_graph(labels.graph)
        _verify_row(labels.graph, inner, start, labels.dist, None, cutoff=None, slack=labels.slack)
        return Certificate(1, graph.n, graph.m, tree=False, slack=labels.slack)
    before = predecessors_of(graph, pred, start)
    if labels.slack and tree == "canonical":
        msg = (
            "these distances are rounded, which leaves open which predecessors are tight: give "
            "tree='any'."
        )
        raise InputError(msg)
    return _verify_tree(labels, start, before, tree, cutoff=None)


def _verify_tree(
    own_labels: Labels, source: int, pred: Array, tree: str, *, cutoff: float | None
) -> Certificate:
    """Check the distances of all vertices, and that the predecessors are the tree that is meant."""
    graph, labels, slack = own_labels
    inner = search_graph(graph)
    row = graph, inner, source, labels
    if tree == "canonical":
        _verify_row(*row, pred, cutoff=cutoff, slack=slack)
        return Certificate(1, graph.n, graph.m, tree=True, slack=slack)
    _verify_row(*row, None, cutoff=cutoff, slack=slack)
    fault = tree_fault(graph, source, labels, pred, slack)
    if fault is not None:
        raise _broken(graph, fault)
    canonical = slack == 0
    if canonical:
        try:
            _verify_row(*row, pred, cutoff=cutoff, slack=0)
        except VerificationError:
            canonical = False
    return Certificate(1, graph.n, graph.m, tree=True, slack=slack, canonical=canonical)


def _verify_from_point(points: PointSources, paths: Paths, dist: Array, pred: Array) -> None:
    """Check paths from a point along an edge, and those of the graph in which it is a vertex."""
    verify(points.searched, paths)
    expected, graph = paths_from(points, paths), points.graph
    rows = {"label": (dist, _labels_of(graph, expected.dist)), "pred": (pred, expected.pred)}
    for rule, (given, right) in rows.items():
        if not np.array_equal(given, right):
            wrong = int(np.flatnonzero(given != right)[0])
            raise _broken(graph, {"rule": rule, "vertex": wrong, "dist_v": dist[wrong]})


def _labels_of(graph: Graph, dist: Array) -> Array:
    """Return distances in the graph's distance type; raise InputError if they have another."""
    own = graph.dist_dtype
    if dist.dtype != own and not (own.kind == "i" and dist.dtype == np.int32):
        msg = f"the result has {dist.dtype} distances, but those of this graph are {own}."
        raise InputError(msg)
    return as_labels(graph, dist)


def _checked_pred(graph: Graph, inner: Graph, pred: Array) -> Array:
    """Return the predecessors; raise InputError if their shape or type does not fit the graph."""
    types = {graph.indices.dtype, inner.indices.dtype}
    if pred.shape != (graph.n,) or pred.dtype not in types:
        msg = (
            f"the result has predecessors of shape {pred.shape} and type {pred.dtype}, but this "
            f"graph needs shape ({graph.n},) and type {graph.indices.dtype}."
        )
        raise InputError(msg)
    return pred


def _verify_table(graph: Graph, table: DistanceTable, tree: str) -> Certificate:
    if tree != "canonical":
        raise InputError("tree='any' has no effect on a table: leave it out.")
    table._require_distances("verify")
    if table._ends is not None:  # noqa: SLF001 - a part of the result
        msg = (
            "verify checks tables between vertices, and this one has points along edges or "
            "missing entries: verify the paths from each place, sssp(graph, place)."
        )
        raise InputError(msg)
    inner = search_graph(graph)
    if max(table.source_indices.max(initial=-1), table.target_indices.max(initial=-1)) >= graph.n:
        msg = f"the table has vertices that do not exist: this graph has n = {graph.n}."
        raise InputError(msg)
    whole = np.array_equal(table.target_indices, np.arange(graph.n))
    slack: float = 0
    if table.dist.dtype.kind == "f" and table.reassociated:
        finite = (np.abs(row[np.isfinite(row)]).max(initial=0) for row in table.rows())
        largest = float(max(finite, default=0))
        slack = graph.n * float(np.finfo(table.dist.dtype).eps) * largest
    for source, row in zip(table.source_indices.tolist(), table.rows(), strict=True):
        labels = _labels_of(graph, row)
        if whole:
            _verify_row(graph, inner, source, labels, None, cutoff=table.cutoff, slack=slack)
        else:
            _compare(graph, inner, source, table.target_indices, table.cutoff, labels, slack)
    k, t = table.shape
    return Certificate(k, k * t, k * graph.m, tree=False, slack=slack)


def _certified(graph: Graph, source: int, cutoff: float | None) -> Array:
    """Return certified distances from a source."""
    inner = search_graph(graph)

    def check(labels: Array, limit: float | None) -> None:
        _certify(graph, inner, source, labels, None, cutoff=limit, slack=0)

    return searched(graph, source, cutoff, None, check)[0]


def _compare(
    graph: Graph,
    inner: Graph,
    source: int,
    targets: Array,
    cutoff: float | None,
    own: Array,
    slack: float,
) -> Array:
    """Compare distances with those of a certified search, and return its predecessors: (n,).

    Parameters
    ----------
    inner : the opened graph.
    targets : (t,) the vertices of the distances.
    own : (t,) the distances to check, in the graph's distance type.
    """

    def check(labels: Array, limit: float | None) -> None:
        _certify(graph, inner, source, labels, None, cutoff=limit, slack=0)

    try:
        labels, through = searched(graph, source, cutoff, targets, check)
    except OverflowError as error:
        msg = f"not verified: {_RULES['column']}; from {one_label(graph, source)!r}: {error}."
        raise VerificationError(msg, "column", {}) from None
    except NegativeCycleError as error:
        cycle = graph.label_of(np.array(error.cycle)).tolist()
        msg = (
            f"not verified: {_RULES['column']}; {one_label(graph, source)!r} leads to the negative "
            f"cycle {cycle} of length {error.length}, so that there are no shortest distances."
        )
        raise VerificationError(msg, "column", {"cycle": cycle}) from None
    expected = labels[targets]
    same = own == expected
    if slack:
        with np.errstate(invalid="ignore", over="ignore"):  # inf - inf
            same |= np.abs(own - expected) <= slack
            if cutoff is not None:  # rounding may put only one of the two beyond the cutoff
                same |= np.abs(np.minimum(own, expected) - cutoff) <= slack
    if not same.all():
        at = int(np.flatnonzero(~same)[0])
        vertex = int(targets[at])
        wrong, right = own[at].item(), expected[at].item()
        msg = (
            f"not verified: {_RULES['column']}; from {one_label(graph, source)!r} to "
            f"{one_label(graph, vertex)!r} it has {wrong}, expected {right}."
        )
        what = {"vertex": vertex, "dist_v": wrong, "expected": right}
        raise VerificationError(msg, "column", what)
    return without_unreached(through, labels)


def _verify_row(
    graph: Graph,
    inner: Graph,
    source: int,
    dist: Array,
    pred: Array | None,
    *,
    cutoff: float | None,
    slack: float,
) -> None:
    """Check the distances of all vertices, and the predecessors if given."""
    closed = source < graph.first_through
    if (cutoff is not None or closed) and inner.facts(symmetry=False).negative:
        # A path within the cutoff may lead through vertices beyond it, which have no label here.
        # Neither has the round trip to a closed source, whose length may exceed 64 bits.
        expected = _compare(graph, inner, source, np.arange(graph.n), cutoff, dist, slack)
    else:
        labels = unfolded(graph, dist, source, cutoff)
        plain = inner is graph
        limit = cutoff
        if limit is None and closed and labels.dtype.kind == "i":
            limit = unreachable(labels.dtype) - 1  # a round trip to the source need not fit
        checked = pred if plain else None
        _certify(graph, inner, source, labels, checked, cutoff=limit, slack=slack)
        if limit != cutoff:
            _refuse_unreached(graph, inner, source, labels)
        if pred is None or plain:
            return
        expected = folded_tree(graph, tree(inner, source, labels), source)
    if pred is not None and not np.array_equal(expected, pred):
        wrong = int(np.flatnonzero(expected != pred)[0])
        raise _broken(graph, {"rule": "pred", "vertex": wrong})


def _refuse_unreached(graph: Graph, inner: Graph, source: int, labels: Array) -> None:
    """Raise VerificationError if the distance of an unreached vertex exceeds 64 bits.

    The copy of the closed source is exempt.

    Parameters
    ----------
    labels : labels of the opened graph, certified up to the largest distance.
    """
    ends = np.delete(np.arange(inner.n), graph.n + source)
    try:
        _core.refuse_overflow(*inner._solver_rows, labels, ends)
    except OverflowError:
        raise _broken(graph, {"rule": "unreached"}) from None


def _certify(
    graph: Graph,
    inner: Graph,
    source: int,
    labels: Array,
    pred: Array | None,
    *,
    cutoff: float | None,
    slack: float,
) -> None:
    """Check the labels of the opened graph, and the predecessors if given."""
    none = np.empty(0, inner.indices.dtype)
    report = _core.verify(
        inner.indptr,
        inner.indices,
        inner._solver_weights,
        source,
        labels,
        none if pred is None else pred,
        cutoff=cutoff,
        slack=labels.dtype.type(slack).item(),
        threads=threads_for(inner.n + inner.m),
        progress=None,
    )
    if report:
        raise _broken(graph, report)


def _broken(graph: Graph, report: dict[str, Any]) -> VerificationError:
    rule = report["rule"]

    def name(vertex: int) -> str:
        inside = vertex if vertex < graph.n else vertex - graph.n  # the copy of a closed vertex
        return repr(one_label(graph, inside))

    message = f"not verified: {_RULES.get(rule, rule)}"
    if "edge" in report:
        u, v, e = report["edge"]
        message += (
            f"; edge {e}, {name(u)} -> {name(v)} of weight {report['weight']}: "
            f"dist {report['dist_u']} -> {report['dist_v']}"
        )
    elif "vertex" in report:
        message += f"; vertex {name(report['vertex'])}"
        message += f" has dist {report['dist_v']}" if "dist_v" in report else ""
        message += f" has pred {name(report['pred'])}" if report.get("pred", -1) >= 0 else ""
    return VerificationError(f"{message}.", rule, report)
