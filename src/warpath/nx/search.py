"""Searches that return NetworkX's paths, numbers, errors and, with one exception, order."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath import _core
from warpath.api.calls import distances, nearest, sssp
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    LeftToNetworkXError,
    NegativeCycleError,
    NotEnoughMemoryError,
)
from warpath.graph.arguments import checked_cutoff
from warpath.graph.csr import threads_for
from warpath.graph.derived import Derived
from warpath.graph.facts import rows_into
from warpath.nx.weights import FLOAT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.nx.graph import Converted, Weighted

_BLOCK = 2**22  # distances in memory at a time while rows are yielded one by one


class Found:
    """Distances from some sources, and the order in which NetworkX's search visits the vertices.

    Attributes
    ----------
    weighted : the graph that was searched.
    count : number of sources.
    dist : (n,) labels; never(dtype) where unreached.
    order : (r,) int64, the reached vertices, the sources first.
    above : (r,) int64, position in `order` of the vertex that first discovered each vertex; -1 at
        sources.
    via : (r,) int64, the edge by which each vertex was first discovered; -1 at sources. None after
        `by_levels`, where all edges weigh 1.
    """

    def __init__(
        self,
        weighted: Weighted,
        count: int,
        dist: Array,
        order: Array,
        above: Array,
        via: Array | None = None,
    ) -> None:
        self.weighted = weighted
        self.count = count
        self.dist = dist
        self.order, self.above, self.via = order, above, via

    @classmethod
    def of(cls, weighted: Weighted, sources: Sequence[int], dist: Array, *, queue: bool) -> Found:
        """Return the search that has the given distances."""
        rows = weighted.rows
        scan = _core.visit_order(
            rows.indptr,
            rows.indices,
            rows._solver_weights,
            dist,
            np.array(sources, np.int64),
            queue,
        )
        return cls(weighted, len(set(sources)), dist, *scan)

    @classmethod
    def by_levels(cls, weighted: Weighted, source: int, cutoff: float | None) -> Found:
        """Search breadth-first; every edge has the weight 1."""
        rows = weighted.rows
        dist = np.empty(rows.n, np.int64)
        limit = _level(cutoff)
        scan = _core.breadth_first_scan(rows.indptr, rows.indices, source, limit, dist)
        return cls(weighted, 1, dist, *scan)

    def reaches(self, vertex: int) -> bool:
        """Return whether a vertex was reached."""
        return bool(self.dist[vertex] != unreachable(self.dist.dtype))

    def names(self) -> list[Any]:
        """Return the reached node objects in order."""
        return self.weighted.named(self.order)

    def distances(self) -> dict[Any, Any]:
        """Return the distance of every reached node, an int if Python's sum would be one."""
        kinds = self.weighted.kinds
        whole = np.ones(self.count, bool)  # for the sources
        if not isinstance(kinds, int) and self.via is not None:
            whole = kinds[self.via] != FLOAT
            _core.along_paths(self.above, whole)
        lengths: dict[Any, Any] = _core.dict_of_distances(
            self.weighted.owner.name_array, self.order, self.dist, whole
        )
        return lengths

    def before(self) -> Array:
        """Return the vertex before each vertex of `order`: (r,); undefined at the sources."""
        return self.order[self.above]

    def paths(self) -> dict[Any, list[Any]]:
        """Return the path to every reached node."""
        routes: dict[Any, list[Any]] = _core.dict_of_paths(
            self.weighted.owner.name_array, self.order, self.above
        )
        return routes

    def path_to(self, target: int) -> list[Any]:
        """Return the path to one reached vertex."""
        return self.weighted.named(self.order[self._places_to(target)[::-1]])

    def length_to(self, target: int) -> Any:
        """Return the distance to one reached vertex, an int if Python's sum would be one."""
        value = self.dist[target].item()
        kinds, positions = self.weighted.kinds, self._places_to(target)[:-1]
        if isinstance(kinds, int) or self.via is None:
            return value if kinds == FLOAT and positions else int(value)
        return value if (kinds[self.via[positions]] == FLOAT).any() else int(value)

    def _places_to(self, target: int) -> list[int]:
        """Return the positions in `order` of the path to a vertex, from its end."""
        positions = [int(np.flatnonzero(self.order == target)[0])]
        while (at := int(self.above[positions[-1]])) >= 0:
            positions.append(at)
        return positions

    def predecessors(
        self, *, first_met: bool = False, cutoff: float | None = None
    ) -> dict[Any, list[Any]]:
        """Return, for every reached node, the nodes before it on all shortest paths.

        Parameters
        ----------
        first_met : whether keys are in the order of first discovery instead of `order`.
        cutoff : the largest distance; edges that lead farther discover no node.
        """
        rows = self.weighted.rows
        limit = checked_cutoff(cutoff, rows) if cutoff is None or cutoff >= 0 else -1
        keys, ends, listed = _core.tight_rows(
            rows.indptr,
            rows.indices,
            rows._solver_weights,
            self.dist,
            self.order,
            self.count,
            first_met,
            unreachable(self.dist.dtype) if limit is None else limit,
        )
        lists: dict[Any, list[Any]] = _core.dict_of_lists(
            self.weighted.owner.name_array, keys, ends, listed
        )
        return lists


def searched(
    weighted: Weighted,
    sources: Sequence[int],
    *,
    cutoff: float | None = None,
    target: int | None = None,
    queue: bool = False,
) -> Found:
    """Search from one or more sources.

    Parameters
    ----------
    cutoff : the largest distance, as `arguments.limit_of` returns it; farther nodes are left out.
    target : a vertex where the search may stop; needs weights >= 0, one source and no cutoff.
    queue : whether to visit vertices in the order of a queue instead of by distance; required for
        negative weights.
    """
    rows = weighted.rows
    if queue and rows.weights is None and len(sources) == 1 and target is None:
        return Found.by_levels(weighted, sources[0], cutoff)
    with networkx_errors():
        if cutoff is not None and cutoff < 0:
            dist = np.full(rows.n, unreachable(rows.dist_dtype), rows.dist_dtype)
            dist[sources] = 0
        elif len(set(sources)) > 1:
            dist = nearest(rows, sources, cutoff=cutoff).dist
        elif target is None:
            dist = sssp(rows, sources[0], cutoff=cutoff).dist
        else:
            dist = np.empty(rows.n, rows.dist_dtype)
            _core.dijkstra(
                rows.indptr,
                rows.indices,
                rows._solver_weights,
                sources[0],
                dist,
                queue="radix",
                targets=np.array([target]),
                cutoff=checked_cutoff(cutoff, rows),
            )
    return Found.of(weighted, sources, dist, queue=queue)


def lengths_by_levels(
    owner: Converted, source: int, cutoff: float | None, *, towards: bool = False
) -> dict[Any, int]:
    """Return the number of edges to every reached node, ascending; equal ones in the graph's order.

    NetworkX returns nodes of equal distance in the order of its search. Building the dictionary in
    the graph's order takes half the time.

    Parameters
    ----------
    towards : whether to count the edges from every node to this one instead.
    """
    rows = owner.weighted(None).rows
    into = _into(rows)
    if towards:
        rows, into = into, rows
    dist = np.empty(rows.n, np.int64)
    order = _core.breadth_first_levels(
        rows.indptr, rows.indices, into.indptr, into.indices, source, _level(cutoff), dist
    )
    lengths: dict[Any, int] = _core.dict_of_distances(
        owner.name_array, order, dist, np.empty(0, bool)
    )
    return lengths


def paths_by_levels(
    weighted: Weighted, source: int, cutoff: float | None, *, backwards: bool = False
) -> dict[Any, list[Any]]:
    """Return a path of fewest edges to every reached node, in the order of NetworkX's search.

    Parameters
    ----------
    backwards : whether each path starts with its end.
    """
    rows = weighted.rows
    routes: dict[Any, list[Any]] = _core.dict_of_paths_by_levels(
        weighted.owner.name_array,
        rows.indptr,
        rows.indices,
        source,
        _level(cutoff),
        backwards,
        threads_for(rows.n + rows.m),
    )
    return routes


def _into(rows: Graph) -> Graph:
    """Return the in-edges of each vertex: the rows themselves if symmetric, or the transpose."""
    return rows_into(rows, 1)[0] or rows.reversed()


def _level(cutoff: float | None) -> int:
    """Return the number of the last level of a search."""
    top = int(unreachable(np.dtype(np.int64)))
    return top if cutoff is None else min(int(cutoff), top)


def _search_from_both_ends(rows: Graph) -> Any:
    into = _into(rows)
    if rows.weights is None:
        return _core.bidirectional_breadth_first(
            rows.indptr, rows.indices, into.indptr, into.indices
        )
    weights = rows._solver_weights
    return _core.bidirectional(rows.indptr, rows.indices, weights, *into._solver_rows)


_BOTH_ENDS: Derived[Any] = Derived(__name__, "search from both ends")


def from_both_ends(rows: Graph, source: int, target: int) -> tuple[Array, int] | None:
    """Search from both ends; return the vertices, empty if there is no path, and the length.

    Weights must be >= 0. The time is proportional to the searched part of the graph. Returns None
    if only a search from one end gives the right length: for floats, whose sums depend on the
    order, if a length may not fit 64 bits, and if edge numbers do not fit 32 bits.
    """
    if rows.dist_dtype.kind != "i" or rows.m >= 2**32:
        return None
    search = _BOTH_ENDS.of(rows, lambda: _search_from_both_ends(rows))
    path: tuple[Array, int] | None = search(source, target)
    return path


def each(
    weighted: Weighted,
    sources: Sequence[int] | None = None,
    *,
    cutoff: float | None = None,
    queue: bool = False,
) -> Iterator[Found]:
    """Search from each of the sources, or from each vertex, separately."""
    sources = range(weighted.rows.n) if sources is None else sources
    if cutoff is not None and cutoff < 0:
        for s in sources:
            yield searched(weighted, [s], cutoff=cutoff)
        return
    for s, row in zip(sources, rows_of(weighted, sources, cutoff=cutoff), strict=True):
        yield Found.of(weighted, [s], row, queue=queue)


def by_node(
    weighted: Weighted,
    answer: Callable[[Found], Any],
    *,
    cutoff: float | None = None,
    queue: bool = False,
) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over every node and the value of `answer` for the search from it.

    Raises
    ------
    LeftToNetworkXError
        If a length may not fit 64 bits. Raised at once, as NetworkX's dispatcher does not see
        errors that are raised when the iterator is read.
    """
    weighted.require_room()
    searches = each(weighted, cutoff=cutoff, queue=queue)
    return ((name, answer(one)) for name, one in zip(weighted.names, searches, strict=True))


def rows_of(
    weighted: Weighted, sources: Sequence[int], *, cutoff: float | None = None
) -> Iterator[Array]:
    """Yield the distances from each of the sources, (n,) each; they are solved in blocks."""
    rows = weighted.rows
    step = max(1, _BLOCK // max(1, rows.n))
    exact = "classic.dijkstra.radix_heap"
    if weighted.negative:
        exact = "classic.bellman_ford"
    for start in range(0, len(sources), step):
        block = np.array(sources[start : start + step], np.int64)
        try:
            yield from _solved(rows, block, cutoff, exact)
        except nx.NetworkXUnbounded:  # some sources of the block may not reach the cycle
            for source in block:
                yield from _solved(rows, source[None], cutoff, exact)


def _solved(rows: Graph, block: Array, cutoff: float | None, exact: str) -> Array:
    """Return the distances from some sources, added along the paths: (len(block), n)."""
    with networkx_errors():
        table = distances(rows, block, cutoff=cutoff)
        if table.reassociated and rows.dist_dtype.kind == "f":
            # Floats were added in another order than along the paths, so edges are not tight.
            table = distances(rows, block, cutoff=cutoff, algorithm=exact)
    dist: Array = table.dist
    return dist


def lengths_from(
    weighted: Weighted, sources: Sequence[int], *, signed: bool = False
) -> Iterator[list[Any]]:
    """Yield for each source the distances of reached vertices, ascending, including its own 0.

    `sum` adds these floats in the same order as those of NetworkX's dictionaries, which are
    ascending too.

    Raises
    ------
    LeftToNetworkXError
        If weights are negative and not `signed`.
    """
    if weighted.negative and not signed:
        msg = "with negative weights the result depends on each step of Dijkstra's algorithm."
        raise LeftToNetworkXError(msg)
    if not isinstance(weighted.kinds, int):
        for result in each(weighted, sources, queue=signed):
            yield list(result.distances().values())
        return
    for row in rows_of(weighted, sources):
        labels = np.sort(row)
        reached: list[Any] = labels[: np.searchsorted(labels, unreachable(row.dtype))].tolist()
        yield reached


@contextmanager
def networkx_errors() -> Iterator[None]:
    """Convert warpath's errors to NetworkX's."""
    try:
        yield
    except NegativeCycleError as error:
        msg = "Negative cycle detected."
        raise nx.NetworkXUnbounded(msg) from error
    except (DistanceOverflowError, NotEnoughMemoryError, OverflowError) as error:
        raise LeftToNetworkXError(str(error)) from error
