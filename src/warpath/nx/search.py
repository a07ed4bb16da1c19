"""Searches whose answers have NetworkX's order, choice of paths, numbers and errors."""

from __future__ import annotations

import gc
import math
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath import _core
from warpath.api import sssp
from warpath.arguments import checked_cutoff
from warpath.errors import (
    DistanceOverflowError,
    LeftToNetworkXError,
    NegativeCycleError,
    NotEnoughMemoryError,
)
from warpath.facilities import nearest
from warpath.nx.weights import FLOAT
from warpath.paths import never
from warpath.tables import distances

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from warpath.nx.graph import Weighted

    Array = NDArray[Any]

_BLOCK = 2**22  # distances that are held at once while rows are handed out one by one


class Found:
    """Distances from some sources, and the order in which NetworkX's search takes the vertices.

    Attributes
    ----------
    weighted : the graph that was searched.
    count : number of sources.
    dist : (n,) labels; never(dtype) where unreached.
    order : (r,) int64, the reached vertices, the sources first.
    via : (n,) int64, the edge by which each was met first; -1 at sources and where unreached.
    """

    def __init__(
        self, weighted: Weighted, sources: Sequence[int], dist: Array, *, queue: bool
    ) -> None:
        rows = weighted.rows
        self.weighted = weighted
        self.dist = dist
        self.count = len(set(sources))
        reached = dist != never(dist.dtype)
        if queue:
            self.order = np.empty(np.count_nonzero(reached), np.int64)
        else:
            self.order = np.flatnonzero(reached)
            self.order = self.order[np.argsort(dist[self.order])]
        self.via = np.empty(rows.n, np.int64)
        _core.scan_order(
            rows.indptr, rows.indices, rows.solver_weights, dist, np.array(sources, np.int64),
            queue, self.order, self.via,
        )  # fmt: skip

    def reaches(self, vertex: int) -> bool:
        """Return whether a vertex was reached."""
        return bool(self.dist[vertex] != never(self.dist.dtype))

    def names(self) -> list[Any]:
        """Return the reached node objects in order."""
        return self.weighted.named(self.order)

    def lengths(self) -> list[Any]:
        """Return their distances, integers where Python's sums are integers."""
        values: list[Any] = self.dist[self.order].tolist()
        kinds = self.weighted.kinds
        if isinstance(kinds, int):
            if kinds == FLOAT:
                values[: self.count] = [0] * self.count
            return values
        whole = [True] * len(self.dist)
        edges = (kinds[self.via] != FLOAT).tolist()
        tails = self.before().tolist()
        for at, v in enumerate(self.order.tolist()):
            if at >= self.count:
                whole[v] = edges[v] and whole[tails[at]]
            if whole[v]:
                values[at] = int(values[at])
        return values

    def distances(self) -> dict[Any, Any]:
        """Return the distance of every reached node."""
        return dict(zip(self.names(), self.lengths(), strict=True))

    def before(self) -> Array:
        """Return the vertex before each one of `order`: (r,); meaningless at the sources."""
        edges = self.via[self.order]
        edges[: self.count] = 0
        if self.weighted.rows.m == 0:
            return np.zeros(len(edges), self.weighted.rows.indices.dtype)
        return self.weighted.tails[edges]

    def paths(self, *, backwards: bool = False) -> dict[Any, list[Any]]:
        """Return the path to every reached node; `backwards` writes each from its end on."""
        paths: list[list[Any]] = [[]] * len(self.dist)
        made = []
        order, names = self.order.tolist(), self.names()
        with collector_paused():
            for v, name in zip(order[: self.count], names, strict=False):
                paths[v] = [name]
                made.append(paths[v])
            steps = zip(order, names, self.before().tolist(), strict=True)
            for v, name, u in islice(steps, self.count, None):
                path = [name, *paths[u]] if backwards else [*paths[u], name]
                paths[v] = path
                made.append(path)
        return dict(zip(names, made, strict=True))

    def path_to(self, target: int) -> list[Any]:
        """Return the path to one reached vertex."""
        edges = self._edges_to(target)
        route = [*self.weighted.tails[edges[::-1]].tolist(), target]
        return self.weighted.named(np.array(route))

    def length_to(self, target: int) -> Any:
        """Return the distance to one reached vertex, an integer where Python's sum is one."""
        value = self.dist[target].item()
        kinds, edges = self.weighted.kinds, self._edges_to(target)
        if isinstance(kinds, int):
            return value if kinds == FLOAT and edges else int(value)
        return value if (kinds[edges] == FLOAT).any() else int(value)

    def _edges_to(self, target: int) -> list[int]:
        """Return the edges of the path to a vertex, the last one first."""
        edges = []
        while (edge := int(self.via[target])) >= 0:
            edges.append(edge)
            target = int(self.weighted.tails[edge])
        return edges

    def predecessors(
        self, *, first_met: bool = False, cutoff: float | None = None
    ) -> dict[Any, list[Any]]:
        """Return for every reached node the nodes before it on all shortest paths.

        Parameters
        ----------
        first_met : keys in the order in which the search sees the nodes first, not in `order`.
        cutoff : edges that lead farther show no node.
        """
        rows, dist, tails = self.weighted.rows, self.dist, self.weighted.tails
        heads, far = rows.indices, never(dist.dtype)
        sums = dist[tails] + rows.solver_weights.astype(dist.dtype)
        shown = (dist != far)[tails]
        if cutoff is not None:
            shown &= sums <= cutoff
        rank = np.zeros(rows.n, np.int64)
        rank[self.order] = np.arange(len(self.order))
        keys = self.order
        if first_met:
            degrees = np.diff(rows.indptr)
            behind = np.zeros(rows.n, np.int64)  # edges of the rows before, as they are scanned
            behind[self.order] = np.cumsum(degrees[self.order]) - degrees[self.order]
            scanned = (behind - rows.indptr[:-1])[tails] + np.arange(rows.m)
            met = np.full(rows.n, rows.m)
            np.minimum.at(met, heads[shown], scanned[shown])
            met[self.order[: self.count]] = -1
            keys = self.order[np.argsort(met[self.order], kind="stable")]
        tight = np.flatnonzero(shown & (sums == dist[heads]))
        into, out_of = heads[tight].astype(np.int64), tails[tight]
        listed = self.weighted.named(out_of[np.argsort(into * rows.n + rank[out_of])])
        ends = np.cumsum(np.bincount(into, minlength=rows.n))
        starts = np.concatenate(([0], ends[:-1]))
        parts = zip(starts[keys].tolist(), ends[keys].tolist(), strict=True)
        with collector_paused():
            lists = [listed[start:end] for start, end in parts]
        return dict(zip(self.weighted.named(keys), lists, strict=True))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make many lists at once, between which Python would look through all objects many times."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
    cutoff : nodes farther than this are left out; as `limit_of` returns it.
    target : a vertex that the search may stop at; for weights >= 0, one source and no cutoff.
    queue : take the vertices as a queue does, not by distance; must be so for negative weights.
    """
    rows = weighted.rows
    with networkx_errors():
        if cutoff is not None and cutoff < 0:
            dist = np.full(rows.n, never(rows.dist_dtype), rows.dist_dtype)
            dist[sources] = 0
        elif len(set(sources)) > 1:
            dist = nearest(rows, sources, cutoff=cutoff).dist
        elif target is None:
            dist = sssp(rows, sources[0], cutoff=cutoff).dist
        else:
            dist = np.empty(rows.n, rows.dist_dtype)
            _core.dijkstra(
                rows.indptr, rows.indices, rows.solver_weights, sources[0], dist, queue="radix",
                targets=np.array([target]), cutoff=checked_cutoff(cutoff, rows),
            )  # fmt: skip
    return Found(weighted, sources, dist, queue=queue)


def each(
    weighted: Weighted,
    sources: Sequence[int] | None = None,
    *,
    cutoff: float | None = None,
    queue: bool = False,
) -> Iterator[Found]:
    """Search from each of the sources, or each vertex, by itself."""
    sources = range(weighted.rows.n) if sources is None else sources
    if cutoff is not None and cutoff < 0:
        for s in sources:
            yield searched(weighted, [s], cutoff=cutoff)
        return
    for s, row in zip(sources, rows_of(weighted, sources, cutoff=cutoff), strict=True):
        yield Found(weighted, [s], row, queue=queue)


def rows_of(
    weighted: Weighted, sources: Sequence[int], *, cutoff: float | None = None
) -> Iterator[Array]:
    """Yield the distances from each of the sources: (n,) each, a block of them solved at once."""
    rows = weighted.rows
    step = max(1, _BLOCK // max(1, rows.n))
    exact = "classic.dijkstra.radix_heap"
    if weighted.negative:
        exact = "classic.bellman_ford"
    for start in range(0, len(sources), step):
        block = np.array(sources[start : start + step], np.int64)
        with networkx_errors():
            table = distances(rows, block, cutoff=cutoff)
            if table.reassociated and rows.dist_dtype.kind == "f":
                # Floats were added in another order than along the paths: no edge would be tight.
                table = distances(rows, block, cutoff=cutoff, algorithm=exact)
        yield from table.dist


def lengths_from(
    weighted: Weighted, sources: Sequence[int], *, signed: bool = False
) -> Iterator[list[Any]]:
    """Yield for each source the distances of what it reaches, ascending, its own 0 among them.

    `sum` over them adds floats in the order in which it would over NetworkX's dictionaries, which
    ascend too.

    Raises
    ------
    LeftToNetworkXError
        Negative weights, unless they are `signed`.
    """
    if weighted.negative and not signed:
        msg = "under negative weights what Dijkstra's search answers depends on each of its steps."
        raise LeftToNetworkXError(msg)
    if not isinstance(weighted.kinds, int):
        for found in each(weighted, sources, queue=signed):
            yield found.lengths()
        return
    for row in rows_of(weighted, sources):
        labels = np.sort(row)
        reached: list[Any] = labels[: np.searchsorted(labels, never(row.dtype))].tolist()
        yield reached


@contextmanager
def networkx_errors() -> Iterator[None]:
    """Raise NetworkX's errors in place of ours."""
    try:
        yield
    except NegativeCycleError as error:
        msg = "Negative cycle detected."
        raise nx.NetworkXUnbounded(msg) from error
    except (DistanceOverflowError, NotEnoughMemoryError, OverflowError) as error:
        raise LeftToNetworkXError(str(error)) from error


def limit_of(cutoff: Any) -> float | None:
    """Return a cutoff of weighted distances as `searched` takes it.

    Raises
    ------
    LeftToNetworkXError
        For numbers that are neither integers nor floats.
    """
    if cutoff is None:
        return None
    if not isinstance(cutoff, int | float | np.integer | np.floating):
        msg = f"cutoff = {cutoff!r}: warpath compares distances with integers and floats."
        raise LeftToNetworkXError(msg)
    if math.isnan(cutoff) or cutoff == math.inf:
        return None
    return cutoff.item() if isinstance(cutoff, np.generic) else cutoff


def levels_of(cutoff: Any) -> int | None:
    """Return a cutoff of distances in edges: NetworkX goes on to the first level beyond it."""
    if cutoff is None or cutoff == math.inf:
        return None
    if math.isnan(cutoff):
        return 0
    return -1 if cutoff < 0 else math.ceil(cutoff)
