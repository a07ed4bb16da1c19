"""NetworkX's generic functions, whose arguments choose the method."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx

from warpath.base.errors import LeftToNetworkXError
from warpath.nx import bellman_ford, dense, dijkstra, unweighted
from warpath.nx.arguments import lazily
from warpath.nx.search import lengths_from, searched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.nx.graph import Converted, Weighted

_METHODS = ("dijkstra", "bellman-ford")


class _Answers(NamedTuple):
    """The functions of one method: for all pairs, from one node, and between two."""

    all_paths: Callable[..., Any]
    all_lengths: Callable[..., Any]
    paths: Callable[..., Any]
    lengths: Callable[..., Any]
    path: Callable[..., Any]
    length: Callable[..., Any]


def _edges_between(G: Converted, source: Any, target: Any) -> int:
    return len(unweighted.bidirectional_shortest_path(G, source, target)) - 1


def _path_between(G: Converted, source: Any, target: Any, weight: Any) -> list[Any]:
    nodes: list[Any] = dijkstra.bidirectional_dijkstra(G, source, target, weight)[1]
    return nodes


_ANSWERS = {
    "unweighted": _Answers(
        unweighted.all_pairs_shortest_path,
        unweighted.all_pairs_shortest_path_length,
        unweighted.single_source_shortest_path,
        unweighted.single_source_shortest_path_length,
        unweighted.bidirectional_shortest_path,
        _edges_between,
    ),
    "dijkstra": _Answers(
        dijkstra.all_pairs_dijkstra_path,
        dijkstra.all_pairs_dijkstra_path_length,
        dijkstra.single_source_dijkstra_path,
        dijkstra.single_source_dijkstra_path_length,
        _path_between,
        dijkstra.dijkstra_path_length,
    ),
    "bellman-ford": _Answers(
        bellman_ford.all_pairs_bellman_ford_path,
        bellman_ford.all_pairs_bellman_ford_path_length,
        bellman_ford.single_source_bellman_ford_path,
        bellman_ford.single_source_bellman_ford_path_length,
        bellman_ford.bellman_ford_path,
        bellman_ford.bellman_ford_path_length,
    ),
}


def has_path(G: Converted, source: Any, target: Any) -> bool:
    """Return whether a path leads from one node to another; see `networkx.has_path`."""
    if source is None or target is None:
        msg = "without both nodes NetworkX computes paths from or to all, and returns True."
        raise LeftToNetworkXError(msg)
    try:
        unweighted.bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def shortest_path(
    G: Converted,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    """Return shortest paths between all, some or two nodes; see `networkx.shortest_path`."""
    answers, how = _answers(method, weight)
    if source is None and target is None:
        return answers.all_paths(G, **how)
    if source is None:
        paths = answers.paths(_turned(G, weight, method), target, **how)
        return {name: path[::-1] for name, path in paths.items()}
    if target is None:
        return answers.paths(G, source, **how)
    return answers.path(G, source, target, **how)


def shortest_path_length(
    G: Converted,
    source: Any = None,
    target: Any = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    """Return lengths between all, some or two nodes; see `networkx.shortest_path_length`."""
    answers, how = _answers(method, weight)
    if source is None and target is None:
        return answers.all_lengths(G, **how)
    if source is None:
        return answers.lengths(_turned(G, weight, method), target, **how)
    if target is None:
        return answers.lengths(G, source, **how)
    return answers.length(G, source, target, **how)


def all_shortest_paths(
    G: Converted, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Any]]:
    """Return all shortest paths between two nodes; see `networkx.all_shortest_paths`."""
    return _paths_over(_predecessors(G, source, weight, method), source, target)


def single_source_all_shortest_paths(
    G: Converted, source: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, list[list[Any]]]]:
    """Yield all shortest paths to every node; see NetworkX's function of this name."""

    def paths() -> Iterator[tuple[Any, list[list[Any]]]]:
        before = _predecessors(G, source, weight, method)
        return ((name, list(_paths_over(before, source, name))) for name in before)

    return lazily(paths)


def all_pairs_all_shortest_paths(
    G: Converted, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, dict[Any, list[list[Any]]]]]:
    """Yield all shortest paths between all pairs; see NetworkX's function of this name."""
    if weight is not None and method != "unweighted":
        weighted = (
            bellman_ford.signed(G, weight) if method == "bellman-ford" else G.weighted(weight)
        )
        weighted.require_room()
    return ((name, dict(single_source_all_shortest_paths(G, name, weight, method))) for name in G)


def average_shortest_path_length(
    G: Converted, weight: Any = None, method: str | None = None
) -> float:
    """Return the mean distance; see `networkx.average_shortest_path_length`."""
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    methods = ("unweighted", *_METHODS, "floyd-warshall", "floyd-warshall-numpy")
    if method not in methods:
        msg = f"method not supported: {method}"
        raise ValueError(msg)
    n = len(G)
    if n == 0:
        msg = "the null graph has no paths, thus there is no average shortest path length"
        raise nx.NetworkXPointlessConcept(msg)
    if n == 1:
        return 0
    _require_connected(G)
    total: Any
    if method == "floyd-warshall-numpy":
        total = float(dense.floyd_warshall_numpy(G, weight=weight).sum())
    elif method == "floyd-warshall":
        total = sum(sum(row.values()) for row in dense.floyd_warshall(G, weight).values())
    else:
        weighted = G.weighted(None if method == "unweighted" else weight)
        if method == "bellman-ford":
            _require_sums(weighted)
        rows = lengths_from(weighted, range(n), signed=method == "bellman-ford")
        total = sum(chain.from_iterable(rows))
    mean: float = total / (n * (n - 1))
    return mean


def _require_sums(weighted: Weighted) -> None:
    if weighted.hides or weighted.rows.dist_dtype.kind == "f":
        msg = "NetworkX adds the distances in the order of its Bellman-Ford search."
        raise LeftToNetworkXError(msg)


def _require_connected(G: Converted) -> None:
    plain = G.weighted(None)
    ways = (plain, plain.backwards) if G.directed else (plain,)
    if any(len(searched(way, [0], queue=True).order) < len(G) for way in ways):
        kind = "strongly connected" if G.directed else "connected"
        msg = f"Graph is not {kind}."
        raise nx.NetworkXError(msg)


def _answers(method: str, weight: Any) -> tuple[_Answers, dict[str, Any]]:
    """Return the functions of a method, and the keyword argument `weight` if they take one."""
    if method not in _METHODS:
        msg = f"method not supported: {method}"
        raise ValueError(msg)
    if weight is None:
        return _ANSWERS["unweighted"], {}
    return _ANSWERS[method], {"weight": weight}


def _turned(G: Converted, weight: Any, method: str) -> Converted:
    """Return a directed graph with reversed edges and the given weights."""
    if not G.directed:
        return G
    turned = G.turned(weight)
    if method == "dijkstra" and turned.weighted(weight).negative:
        msg = "with negative weights the result depends on the order of the edges into a node."
        raise LeftToNetworkXError(msg)
    return turned


def _predecessors(G: Converted, source: Any, weight: Any, method: str) -> dict[Any, list[Any]]:
    before: dict[Any, list[Any]]
    if weight is None or method == "unweighted":
        before = unweighted.predecessor(G, source)
    elif method == "dijkstra":
        before = dijkstra.dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    elif method == "bellman-ford":
        before = bellman_ford.bellman_ford_predecessor_and_distance(G, source, weight=weight)[0]
    else:
        msg = f"method not supported: {method}"
        raise ValueError(msg)
    return before


def _paths_over(before: dict[Any, list[Any]], source: Any, target: Any) -> Iterator[list[Any]]:
    """Yield the simple paths along predecessors, in NetworkX's order: depth first from the end."""
    if target not in before:
        msg = f"Target {target} cannot be reached from given sources"
        raise nx.NetworkXNoPath(msg)
    ends = {source}
    path, on_path, choices = [target], {target}, [iter(before[target])]
    while choices:
        if path[-1] in ends:  # repeated for each edge of length 0 into the source, as in NetworkX
            yield path[::-1]
        name = next(choices[-1], _NONE)
        if name is _NONE:
            choices.pop()
            on_path.discard(path.pop())
        elif name not in on_path:
            path.append(name)
            on_path.add(name)
            choices.append(iter(before[name]))


_NONE = object()
