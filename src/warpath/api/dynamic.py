"""Shortest paths that stay right while edges of the graph change."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.options import options_of
from warpath.api.question import of_source
from warpath.api.run import paths_of
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NoPathError, NotSupportedError
from warpath.engines import dynamic
from warpath.engines.base import WithRepairs
from warpath.engines.devices import members, place_on
from warpath.engines.registry import required
from warpath.graph import Graph
from warpath.graph.arguments import as_indices, one_index
from warpath.graph.checks import shown
from warpath.graph.edge_changes import Batch, deletions, insertions, mixed, updates
from warpath.graph.labels import one_label
from warpath.graph.places import Snapped, places_to_vertices
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import refuse_areas
from warpath.results.changed import Changed
from warpath.results.predecessors import team_of
from warpath.results.reached import ReachedDistances
from warpath.results.route import Route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from warpath.api.options import Options
    from warpath.base.dtypes import Array


class DynamicPaths(ReachedDistances):
    """Shortest paths from one or several sources that stay right while edges change.

    After every batch of changes the distances and the tree are those of `warpath.sssp` on the
    changed graph, bit for bit. They are repaired where the changes affect them, or solved anew
    where that is predicted to be faster. With ``device="cuda"`` a GPU keeps and repairs them.

    Calls of several threads wait for one another: a reader gets the state before a batch or after
    it. A batch that fails, or is stopped by Ctrl-C, leaves the state before it, and `undo` then
    takes back the batch before that.

    Parameters
    ----------
    graph : n vertices, m edges; anything that `Graph.of` takes. Its rows are copied once.
    source : a vertex, as in `warpath.sssp`.
    sources : k vertices, in place of `source`: ``dist`` and ``pred`` then have a row for each.
    algorithm : how batches are repaired: "ramalingam1996.dynamic" or "chan2009.dyndij" on the CPU,
        "khanda2022.batch" on a GPU, or "auto": the last with a GPU, else the first for single
        changes and the second for others.
    device : as in `warpath.sssp`, for repairs and for solving anew; "auto" repairs on the CPU,
        unless `Graph.to` has put the graph on a GPU.
    threads : threads on the CPU; a repair takes one for each source.

    Raises
    ------
    InputError
        If both or none of `source` and `sources` are given, or an option is not valid.
    NegativeCycleError, VertexError, NotSupportedError, and others as `warpath.sssp`.

    Notes
    -----
    Work of a batch: that of the edges of the affected vertices, in both directions, times a
    logarithm; see ``Changed.stats``. A graph with negative weights is solved anew by each batch.
    Memory: at most 1.5 times the rows of the graph and its transpose, a distance and a predecessor
    for each vertex and source, and the last batch's changes for `undo`. On a GPU: the rows in both
    directions and three states of each source; a batch that inserts or deletes copies the rows
    anew.

    Sources: Ramalingam, Reps, On the computational complexity of dynamic graph problems, 1996;
    Chan, Yang, Shortest path tree computation in dynamic graphs, 2009; Khanda et al., A parallel
    algorithm template for updating single-source shortest paths in dynamic networks, 2022.

    Examples
    --------
    >>> import warpath as wp
    >>> live = wp.DynamicPaths([(0, 1, 2), (1, 2, 5), (0, 2, 9)], source=0)
    >>> live.dist
    array([0, 2, 7])
    >>> changed = live.update(([1], [2]), [8])
    >>> changed.vertices, changed.old, changed.new
    (array([2]), array([7]), array([9]))
    >>> live.path_to(2).vertices
    array([0, 2])
    """

    _graph: Graph | None
    _arrays: dict[str, Array]

    def __init__(
        self,
        graph: Any,
        source: Any = None,
        *,
        sources: Any = None,
        algorithm: str = "auto",
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        given_graph = Graph.of(graph)
        options = options_of(given_graph, device=device, threads=threads)
        place_on(given_graph, members(options.device()))
        self._start(given_graph, options, source, sources, algorithm)

    @classmethod
    def _of(
        cls, graph: Graph, options: Options, source: Any, sources: Any, algorithm: str
    ) -> DynamicPaths:
        """Return the paths of a solver, whose options are used where they are solved anew."""
        paths = object.__new__(cls)
        paths._start(graph, options, source, sources, algorithm)
        return paths

    def _start(
        self, graph: Graph, options: Options, source: Any, sources: Any, algorithm: str
    ) -> None:
        refuse_turns(graph, "DynamicPaths")
        refuse_areas(graph, "DynamicPaths")
        if (source is None) == (sources is None):
            msg = "give either source=..., one vertex, or sources=[...], several of them."
            raise InputError(msg)
        if not isinstance(algorithm, str) or algorithm not in ["auto", *dynamic.names()]:
            names = ", ".join(map(repr, ["auto", *dynamic.names()]))
            msg = f"algorithm = {shown(algorithm)} does not repair shortest paths; use {names}."
            raise InputError(msg)
        self._one = sources is None
        given = (
            places_to_vertices(graph, source, "source")
            if self._one
            else places_to_vertices(graph, sources, "sources")
        )
        if type(given) is Snapped and not given.only_vertices:
            place = given.given[int(np.argmax(given.along >= 0))]
            raise NotSupportedError(
                f"{place} is a point along an edge, and DynamicPaths starts at vertices, as edges "
                f"may change: give wp.{replace(place, snap='vertex')!r} for the nearest vertex."
            )
        self._indices = (
            np.array([one_index(graph, given, "source")], np.int64)
            if self._one
            else as_indices(graph, given, "sources")
        )
        request = options.request
        self._algorithm, self._threads = algorithm, request.threads or settings.threads()
        self._options = request.algorithm, request.device, request.threads, request.params
        self._lock = threading.RLock()
        device = dynamic.device_of(graph, algorithm, options.one_device())
        self._paths = required(device, WithRepairs).dynamic_paths(graph, self._indices, device)
        self._here = device == "cpu"  # whether the CPU repairs
        self._names, self._dtype = _without_edges(graph), graph.weight_dtype
        self._parts = {"shapes": graph.shapes, "given": graph.given}
        self._parts_before = self._parts
        self._forget_arrays()
        for row in range(len(self._indices)):
            self._solve(graph, row)

    @property
    def source(self) -> Any:
        """The source, as the graph names it; of several the first."""
        return one_label(self._names, int(self._indices[0]))

    @property
    def sources(self) -> Array:
        """The sources as the graph names them: (k,)."""
        return self._names.label_of(self._indices)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self._names.n

    @property
    def m(self) -> int:
        """Number of stored edges, as in `Graph`."""
        with self._lock:
            return int(self._paths.edges)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows in both directions, the labels, and the log of the last batch."""
        with self._lock:
            return int(self._paths.nbytes)

    @property
    def dist(self) -> Array:
        """The distances: (n,), or (k, n) for several sources; as in `Paths`, also `to_numpy`.

        The array never changes: after a batch this is another one, copied in O(n).
        """
        return self._table("dist")

    @property
    def reached(self) -> Array:
        """Mask of the vertices that are reachable: (n,) or (k, n) bool."""
        dist = self.dist
        reached: Array = dist != unreachable(dist.dtype)
        return reached

    @property
    def pred(self) -> Array:
        """The predecessors: (n,), or (k, n) for several sources; as in `Paths`."""
        return self._table("pred")

    def _table(self, name: str) -> Array:
        with self._lock:
            if name not in self._arrays:
                rows = [getattr(self._paths, name)(row) for row in range(len(self._indices))]
                array = rows[0] if self._one else np.stack(rows)
                array.flags.writeable = False
                self._arrays[name] = array
            return self._arrays[name]

    def distances_to(self, targets: Any) -> Array:
        """Return the distances of some vertices without copying the others.

        Parameters
        ----------
        targets : t vertices.

        Returns
        -------
        (t,) distances, or (k, t) for several sources.
        """
        chosen = as_indices(
            self._names,
            places_to_vertices(self._names, targets, "targets", at_vertices=True),
            "targets",
        )
        with self._lock:
            rows = [self._paths.distances(row, chosen) for row in range(len(self._indices))]
        rows = [row.view(row.dtype.name) for row in rows]  # the int64 that NumPy prints
        return rows[0] if self._one else np.stack(rows)

    def path_to(self, target: Any, source: Any = None) -> Route:
        """Return the shortest path to a vertex.

        Parameters
        ----------
        target : a vertex.
        source : one of the sources, where there are several; by default the first.

        Raises
        ------
        NoPathError
            If the vertex is unreachable.
        InputError
            If `source` is not one of the sources.
        """
        t = self._index(target, "target")
        row = 0 if source is None else self._row(source)
        with self._lock:
            length = self._paths.distances(row, np.array([t]))[0]
            if length == unreachable(length.dtype):
                start = one_label(self._names, int(self._indices[row]))
                msg = f"there is no path from {start!r} to {one_label(self._names, t)!r}."
                raise NoPathError(msg)
            return Route(self.graph, self._paths.route(row, t).view("int64"), length.item())

    def _index(self, vertex: Any, what: str) -> int:
        named = places_to_vertices(self._names, vertex, what, at_vertices=True)
        return one_index(self._names, named, what)

    def _row(self, source: Any) -> int:
        s = self._index(source, "source")
        rows = np.flatnonzero(self._indices == s)
        if not rows.size:
            msg = f"source = {shown(source)} is not one of the sources; `.sources` has them."
            raise InputError(msg)
        return int(rows[0])

    @property
    def graph(self) -> Graph:
        """The graph as it is now, an ordinary Graph; made at the first access, in O(n + m).

        An edge that was inserted comes after the other edges of its source. Shapes of edges and
        kept columns are left out once edges were inserted or deleted.
        """
        with self._lock:
            if self._graph is None:
                self._graph = self._names._like(*self._paths.graph(), **self._parts)  # noqa: SLF001
            return self._graph

    def update(
        self, edges: Any, weights: ArrayLike, *, position: ArrayLike | None = None
    ) -> Changed:
        """Give edges new weights. In an undirected graph their reverses change as well.

        Parameters
        ----------
        edges : (sources, targets), two lists of k vertices; or k rows (source, target).
        weights : (k,) finite numbers that fit the type of the graph's weights.
        position : (k,) integers from 0, which of several parallel edges is meant, in their order in
            ``graph.edges()``. Without it each edge must be the only one between its ends.

        Returns
        -------
        Changed
            The vertices whose distances changed, with the old and the new ones.

        Raises
        ------
        InputError
            For an edge that does not exist, has parallel edges and no position, or is named twice.
        VertexError, WeightError, GraphError
            For vertices that do not exist, weights that are not finite or do not fit, or another
            number of weights than of edges.
        NegativeCycleError, DistanceOverflowError
            If the changed graph has a negative cycle that a source reaches, or a distance does not
            fit. After any error the state is the one before the call.
        """
        return self._change(
            updates(self._names, edges, weights, position, self._dtype), self._parts
        )

    def insert(self, edges: Any, weights: ArrayLike) -> Changed:
        """Insert edges, each after the other edges of its source.

        An edge between the same vertices as another one becomes parallel to it.

        Parameters
        ----------
        edges, weights : as in `update`, whose result and errors it has.
        """
        return self._change(insertions(self._names, edges, weights, self._dtype), {})

    def delete(self, edges: Any, *, position: ArrayLike | None = None) -> Changed:
        """Delete edges.

        Parameters
        ----------
        edges, position : as in `update`, whose result and errors it has.
        """
        return self._change(deletions(self._names, edges, position, self._dtype), {})

    def apply(self, batch: Iterable[Any]) -> Changed:
        """Make changes of several kinds at once.

        Edges and positions of updates and deletions are those before the batch.

        Parameters
        ----------
        batch : ``("update", source, target, weight)``, ``("insert", source, target, weight)`` and
            ``("delete", source, target)``, in any order; updates and deletions may end with a
            position among parallel edges. Results and errors are those of `update`.

        Examples
        --------
        >>> import warpath as wp
        >>> live = wp.DynamicPaths([(0, 1, 2), (1, 2, 5)], source=0)
        >>> live.apply([("update", 0, 1, 3), ("insert", 0, 2, 4)]).new
        array([3, 4])
        """
        changes = mixed(self._names, batch, self._dtype)
        same = not (changes.kinds != 0).any()
        return self._change(changes, self._parts if same else {})

    def undo(self) -> Changed:
        """Take the last batch back, with the distances and the tree before it. O(its changes).

        Batches that failed do not count.

        Raises
        ------
        InputError
            If there is no batch, or the last one was taken back already.
        """
        with self._lock:
            start = time.perf_counter()
            counts, indices, old, new = self._paths.changes()
            self._forget_arrays()
            parts, self._parts = self._parts, {}  # none, in case undo is stopped
            if not self._paths.undo():
                self._parts = parts
                msg = "there is no batch to take back: undo takes back the last one, and once."
                raise InputError(msg)
            self._parts = self._parts_before
            stats = dict.fromkeys(("affected", "settled", "relaxed", "improved", "solved_anew"), 0)
            seconds = {"seconds": time.perf_counter() - start}
            return Changed(self._names, counts, (indices, new, old), stats | seconds)

    def _change(self, batch: Batch, parts: dict[str, Any]) -> Changed:
        """Carry out a batch; `parts` are what the graph has for each edge afterwards."""
        with self._lock:
            start = time.perf_counter()
            try:
                dynamic.apply(self._paths, self._names, batch, self._algorithm, self._threads)
                stale = self._paths.stale()
                if stale:
                    graph = self._names._like(*self._paths.graph())  # noqa: SLF001
                    for row in stale:
                        self._solve(graph, row)
                self._paths.accept()
            except BaseException:
                self._paths.abandon()
                raise
            self._parts_before, self._parts = self._parts, parts
            self._forget_arrays()
            stats = self._paths.counters()
            stats |= {"solved_anew": len(stale), "seconds": time.perf_counter() - start}
            counts, *changes = self._paths.changes()
            return Changed(self._names, counts, changes, stats)

    def _solve(self, graph: Graph, row: int) -> None:
        """Solve one source anew, on the graph as it is now."""
        source = one_label(graph, int(self._indices[row]))
        question = of_source(graph, source, None, None, None, trace=False)
        paths = paths_of(options_of(graph, *self._options), question)
        if not self._here or graph.facts(symmetry=False).negative:
            pred = paths.pred.astype(graph.indices.dtype, copy=False)
            self._paths.replace(row, paths.dist, pred)
        else:
            self._paths.replace_distances(row, paths.dist, team_of(graph, self._threads))

    def _forget_arrays(self) -> None:
        self._graph = None
        self._arrays = {}

    def __repr__(self) -> str:
        count = len(self._indices)
        of = f"{self.source!r}" if self._one else f"{count:,} sources"
        return f"<DynamicPaths from {of}: {self.n:,} vertices, {self.m:,} edges>"


def _without_edges(graph: Graph) -> Graph:
    """Return a graph of the same vertices without edges, which names them."""
    indptr, indices = np.zeros(graph.n + 1, np.int64), graph.indices[:0].copy()
    weights = graph._solver_weights[:0].copy()
    return graph._like(indptr, indices, weights, shapes=None, given=None, turns=None)  # noqa: SLF001
