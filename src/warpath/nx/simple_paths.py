"""NetworkX's shortest simple paths, one after another by length: Yen's algorithm."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath import _core
from warpath.base.errors import LeftToNetworkXError
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.graph.derived import Derived
from warpath.graph.edge_geometry import lightest
from warpath.graph.facts import rows_into
from warpath.nx.arguments import lazily, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.base.dtypes import Array
    from warpath.nx.graph import Converted, Weighted


def shortest_simple_paths(
    G: Converted, source: Any, target: Any, weight: Any = None
) -> Iterator[list[Any]]:
    """Yield the paths without a repeated node by length; see `networkx.shortest_simple_paths`."""

    def paths() -> Iterator[list[Any]]:
        require(G, source, "source node {} not in graph")
        require(G, target, "target node {} not in graph")
        weighted = G.weighted(weight)
        if weighted.negative:
            msg = "with negative weights the result depends on each step of Dijkstra's algorithm."
            raise LeftToNetworkXError(msg)
        weighted.require_room()
        search = _search_of(weighted, by_levels=weight is None)
        along = None if weight is None else weighted
        routes = _by_length(search, along, G.place[source], G.place[target])
        none = f"No path between {source} and {target}."
        return _named(weighted, routes, none)

    return lazily(paths)


def _named(weighted: Weighted, paths: Iterator[list[int]], none: str) -> Iterator[list[Any]]:
    """Yield paths as nodes; raise NetworkXNoPath if there is none."""
    first = next(paths, None)
    if first is None:
        raise nx.NetworkXNoPath(none)
    yield weighted.named(np.array(first))
    for path in paths:
        yield weighted.named(np.array(path))


def _by_length(
    search: Callable[..., tuple[Array, Any]], along: Weighted | None, source: int, target: int
) -> Iterator[list[int]]:
    """Yield the paths in NetworkX's order.

    Parameters
    ----------
    search : finds the shortest path between two vertices that avoids some vertices and edges.
    along : the weights that lengths are added up from, in Python as NetworkX does; None counts
        edges.

    Notes
    -----
    For each vertex of the last path the shortest path that leaves it there, by an edge that no
    earlier path with the same beginning takes. Of equally long ones the first that was found.
    """
    none = np.empty(0, np.int64)
    vertices, length = search(source, target, none, none)
    waiting = _Waiting()
    if len(vertices):
        waiting.push(length, tuple(vertices.tolist()))
    paths: list[tuple[int, ...]] = []
    while waiting.paths:
        path = waiting.pop()
        yield list(path)
        paths.append(path)
        weights = [] if along is None else _weights(along, path)
        for at, spur in enumerate(path[:-1]):
            root = path[: at + 1]
            heads = {other[at + 1] for other in paths if other[: at + 1] == root}
            vertices, length = search(
                spur, target, np.array(root[:-1], np.int64), np.array(list(heads), np.int64)
            )
            if len(vertices):
                before = at if along is None else sum(weights[:at])
                waiting.push(before + length, (*root[:-1], *vertices.tolist()))


def _weights(weighted: Weighted, path: tuple[int, ...]) -> list[Any]:
    ends = np.array(path, np.int64)
    return weighted.numbers(lightest(weighted.rows, ends[:-1], ends[1:]))


class _Waiting:
    """Paths by length, equal ones as they came, each at most once at a time."""

    def __init__(self) -> None:
        self.paths: set[tuple[int, ...]] = set()
        self._queue: list[tuple[Any, int, tuple[int, ...]]] = []
        self._counter = count()

    def push(self, length: Any, path: tuple[int, ...]) -> None:
        if path not in self.paths:
            self.paths.add(path)
            heappush(self._queue, (length, next(self._counter), path))

    def pop(self) -> tuple[int, ...]:
        path = heappop(self._queue)[2]
        self.paths.remove(path)
        return path


_SEARCH: Derived[Any] = Derived(__name__, "search for spurs")


def _search_of(weighted: Weighted, *, by_levels: bool) -> Callable[..., tuple[Array, Any]]:
    rows = weighted.rows

    def made() -> Any:
        into = _into(weighted)
        if by_levels:
            return _core.spur_search_by_levels(rows.indptr, rows.indices, into.indptr, into.indices)
        return _core.spur_search(
            rows.indptr,
            rows.indices,
            rows._solver_weights,
            into.indptr,
            into.indices,
            into._solver_weights,
        )

    search: Callable[..., tuple[Array, Any]] = _SEARCH.of(rows, made, by_levels)
    return search


def _into(weighted: Weighted) -> Graph:
    """Return the edges into each vertex, of undirected graphs in the order of its neighbours.

    Raises
    ------
    LeftToNetworkXError
        If an undirected edge weighs None in one direction only.
    """
    rows = weighted.rows
    into = rows_into(rows, 1)[0]
    if into is rows or weighted.owner.directed or rows.weights is None:
        return into or rows.reversed()
    tails, heads = weighted.tails, rows.indices
    forth, back = np.lexsort((heads, tails)), np.lexsort((tails, heads))
    if (tails[forth] != heads[back]).any() or (heads[forth] != tails[back]).any():
        msg = "an undirected edge is hidden in one of its directions."
        raise LeftToNetworkXError(msg)
    weights = np.empty_like(rows.weights)
    weights[forth] = rows.weights[back]
    return Graph(*kept_rows(rows.indptr, rows.indices, weights, copied=False))
