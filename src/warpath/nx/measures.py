"""NetworkX's centralities and distance measures: shares of paths, and sums of distances."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath.api.centrality import scale
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, LeftToNetworkXError, WeightError
from warpath.engines.betweenness import betweenness_sums
from warpath.nx.arguments import bunch_of, require, require_hashable
from warpath.nx.search import lengths_from, rows_of

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.betweenness import Sums
    from warpath.nx.graph import Converted, Weighted


def betweenness_centrality(
    G: Converted,
    k: Any = None,
    normalized: Any = True,
    weight: Any = None,
    endpoints: Any = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Return the betweenness of all nodes; see `networkx.betweenness_centrality`."""
    sampled = None if k is None or k == len(G) else _sample(G, k, seed)
    sums = _sums(G, sampled, weight=weight, endpoints=bool(endpoints))
    factor = scale(
        len(G),
        sampled,
        normalized=bool(normalized),
        directed=G.directed,
        endpoints=bool(endpoints),
    )
    return dict(zip(G.names, (sums.vertices[0] * factor).tolist(), strict=True))


def edge_betweenness_centrality(
    G: Converted, k: Any = None, normalized: Any = True, weight: Any = None, seed: Any = None
) -> dict[tuple[Any, Any], float]:
    """Return the betweenness of all edges; see `networkx.edge_betweenness_centrality`."""
    _refuse_keys(G)
    sampled = None if k is None else _sample(G, k, seed)
    sums = _sums(G, sampled, weight=weight, endpoints=False)
    count = None if sampled is None else len(sampled)
    return _by_edge(G, weight, sums, count, normalized=bool(normalized))


def betweenness_centrality_subset(
    G: Converted, sources: Any, targets: Any, normalized: Any = False, weight: Any = None
) -> dict[Any, float]:
    """Return the shares of some paths; see `networkx.betweenness_centrality_subset`."""
    sums = _sums(G, *_ends(G, sources, targets), weight=weight, endpoints=False)
    kind = {"normalized": bool(normalized), "directed": G.directed, "endpoints": False}
    shares = sums.vertices[0] * scale(len(G), None, **kind)
    return dict(zip(G.names, shares.tolist(), strict=True))


def edge_betweenness_centrality_subset(
    G: Converted, sources: Any, targets: Any, normalized: Any = False, weight: Any = None
) -> dict[tuple[Any, Any], float]:
    """Return the shares of paths from some nodes; see `edge_betweenness_centrality_subset`.

    NetworkX divides the share of a node that is no target equally among the edges into it, not by
    the numbers of paths over them: only calls whose targets are all nodes are answered.
    """
    _refuse_keys(G)
    starts, stops = _ends(G, sources, targets)
    if len(np.unique(stops)) < len(G):
        msg = "where a node is no target, NetworkX divides shares equally among the edges into it."
        raise LeftToNetworkXError(msg)
    sums = _sums(G, starts, stops, weight=weight, endpoints=False)
    return _by_edge(G, weight, sums, None, normalized=bool(normalized))


def _by_edge(
    G: Converted, weight: Any, sums: Sums, count: int | None, *, normalized: bool
) -> dict[tuple[Any, Any], float]:
    """Return the shares of edges in the order of NetworkX.

    Parameters
    ----------
    count : the number of sampled sources; None for others.
    """
    factor = scale(len(G), count, normalized=normalized, directed=G.directed, endpoints=True)
    shares = (sums.edges[0] * factor).tolist()
    weighted = G.weighted(weight)
    ends = zip(weighted.tails.tolist(), weighted.rows.indices.tolist(), strict=True)
    names, result = G.names, dict[tuple[Any, Any], float]()
    for (u, v), share in zip(ends, shares, strict=True):
        if not G.directed and (names[v], names[u]) in result and u != v:
            result[names[v], names[u]] += share
        else:
            result[names[u], names[v]] = share
    return result


def closeness_centrality(
    G: Converted, u: Any = None, distance: Any = None, wf_improved: Any = True
) -> Any:
    """Return the closeness of one or all nodes; see `networkx.closeness_centrality`."""
    turned = G.turned(distance) if G.directed else G
    if u is not None:
        require(G, u, "Source {} is not in G" if distance is None else "Node {} not found in graph")
    sources = range(len(G)) if u is None else [G.place[u]]
    closeness = {}
    for s, lengths in zip(sources, lengths_from(turned.weighted(distance), sources), strict=True):
        total = sum(lengths)
        value = 0.0
        if total > 0.0 and len(G) > 1:
            value = (len(lengths) - 1.0) / total
            if wf_improved:
                value *= (len(lengths) - 1.0) / (len(G) - 1)
        closeness[G.names[s]] = value
    return closeness if u is None else closeness[u]


def harmonic_centrality(
    G: Converted, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:
    """Return the sum of 1 / distance to each node; see `networkx.harmonic_centrality`."""
    nodes, starts = _some(G, nbunch), _some(G, sources)
    result: dict[Any, Any] = dict.fromkeys(nodes, 0)
    transposed = len(nodes) < len(starts)
    if transposed:
        nodes, starts = starts, nodes
    turned = G.turned(distance) if transposed and G.directed else G
    weighted = _unsigned(turned.weighted(distance))
    is_source = np.zeros(len(G), bool)
    is_source[[G.place[name] for name in nodes]] = True
    listed = list(starts)
    sums = np.zeros(len(G))
    with np.errstate(over="ignore"):  # Python's sums become inf without a warning
        for name, row in zip(listed, rows_of(weighted, [G.place[v] for v in listed]), strict=True):
            counted = is_source & (row != 0) & (row != unreachable(row.dtype))
            if transposed:  # NetworkX adds in the order of settling: the nearest first
                parts = _inverse(np.sort(row[counted]))
                if len(parts):
                    result[name] += np.cumsum(parts)[-1].item()
            else:
                sums[counted] += _inverse(row[counted])
    if not transposed:
        for name in result:
            value = sums[G.place[name]].item()
            result[name] = value or 0
    return result


def _inverse(lengths: Array) -> Array:
    """Return 1 / length with Python's rounding: once, and inf for the tiniest floats."""
    if lengths.dtype.kind == "i" and len(lengths) and lengths.max() > 2**53:
        return np.array([1 / length for length in lengths.tolist()])
    inverse: Array = 1 / lengths
    return inverse


def eccentricity(G: Converted, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Return the largest distance from one or each node; see `networkx.eccentricity`."""
    bunch = bunch_of(G, v)
    if sp is None:
        lengths = lengths_from(G.weighted(weight), [G.place[name] for name in bunch])
        farthest_vertices = ((len(length), _first_largest(length)) for length in lengths)
    else:
        farthest_vertices = (_given(sp, name) for name in bunch)
    result = {}
    for name, (count, farthest) in zip(bunch, farthest_vertices, strict=True):
        if count != len(G):
            why = "digraph is not strongly connected" if G.directed else "graph is not connected"
            msg = f"Found infinite path length because the {why}"
            raise nx.NetworkXError(msg)
        result[name] = farthest
    return result[v] if v in G else result


def diameter(G: Converted, e: Any = None, usebounds: Any = False, weight: Any = None) -> Any:
    """Return the largest eccentricity; see `networkx.diameter`."""
    return max(_all(G, e, usebounds, weight).values())


def radius(G: Converted, e: Any = None, usebounds: Any = False, weight: Any = None) -> Any:
    """Return the smallest eccentricity; see `networkx.radius`."""
    return min(_all(G, e, usebounds, weight).values())


def periphery(G: Converted, e: Any = None, usebounds: Any = False, weight: Any = None) -> list[Any]:
    """Return the nodes of the largest eccentricity; see `networkx.periphery`."""
    e = _all(G, e, usebounds, weight)
    most = max(e.values())
    return [name for name in e if e[name] == most]


def center(G: Converted, e: Any = None, usebounds: Any = False, weight: Any = None) -> list[Any]:
    """Return the nodes of the smallest eccentricity; see `networkx.center`."""
    if e is None and weight is None and usebounds is not True and not (G.directed or G.names):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    e = _all(G, e, usebounds, weight)
    least = min(e.values())
    return [name for name in e if e[name] == least]


def _all(G: Converted, e: Any, usebounds: Any, weight: Any) -> dict[Any, Any]:
    """Return all eccentricities; `usebounds` is ignored, it only saves searches in NetworkX."""
    if e is not None:
        given: dict[Any, Any] = e
        return given
    bounded = usebounds is True and not G.directed
    try:
        eccentricities: dict[Any, Any] = eccentricity(G, weight=weight)
    except nx.NetworkXError:
        if not bounded:
            raise
        msg = "Cannot compute metric because graph is not connected."
        raise nx.NetworkXError(msg) from None
    return eccentricities


def _first_largest(ascending: list[Any]) -> Any:
    """Return the number that `max` returns: of an equal integer and float, the first."""
    name = ascending[bisect_left(ascending, ascending[-1])]
    return name or 0  # the source's distance to itself is the integer 0


def _given(sp: Any, name: Any) -> tuple[int, Any]:
    try:
        lengths = sp[name]
        return len(lengths), max(lengths.values())
    except TypeError as error:
        msg = 'Format of "sp" is invalid.'
        raise nx.NetworkXError(msg) from error


def _unsigned(weighted: Weighted) -> Weighted:
    if weighted.negative:
        msg = "with negative weights the result depends on each step of Dijkstra's algorithm."
        raise LeftToNetworkXError(msg)
    return weighted


def _some(G: Converted, bunch: Any) -> set[Any]:
    return set(bunch_of(G, bunch))


def _sample(G: Converted, k: Any, seed: Any) -> Array:
    nodes = nx.utils.create_py_random_state(seed).sample(G.names, k)
    return np.array([G.place[name] for name in nodes], np.int64)


def _refuse_keys(G: Converted) -> None:
    if G.multigraph:
        msg = "parallel edges share their betweenness by keys, which the conversion does not keep."
        raise LeftToNetworkXError(msg)


def _ends(G: Converted, sources: Any, targets: Any) -> tuple[Array, Array]:
    """Return the indices of sources, each as often as it is given, and of the targets in G."""
    ends = sources, targets
    for given in ends:
        if not isinstance(given, Iterable) or isinstance(given, Iterator):
            msg = f"{given!r:.60} are not nodes that can be read for each source."
            raise LeftToNetworkXError(msg)
        for name in given:
            require_hashable(name)
    unknown = next((name for name in sources if name not in G), None)
    if unknown is not None:
        raise LeftToNetworkXError(f"the source {unknown!r} is not in the graph.")
    found = ([G.place[name] for name in given if name in G] for given in ends)
    starts, stops = (np.array(places, np.int64) for places in found)
    return starts, stops


def _sums(
    G: Converted,
    sources: Array | None,
    targets: Array | None = None,
    *,
    weight: Any,
    endpoints: bool,
) -> Sums:
    weighted = G.weighted(weight)
    if weighted.hides:
        msg = "NetworkX lists edges of weight None as well, which no path takes."
        raise LeftToNetworkXError(msg)
    every = np.arange(len(G))
    try:
        return betweenness_sums(
            weighted.rows,
            every if sources is None else sources,
            every if targets is None else targets,
            settings.threads(),
            endpoints=endpoints,
            prepared="auto",
        )
    except (WeightError, DistanceOverflowError) as error:
        raise LeftToNetworkXError(str(error)) from error
