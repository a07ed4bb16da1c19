"""The nearest of several facilities, for every vertex."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.api.run import choose_for, narrowed, run_plan
from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NegativeCycleError, require
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.graph import Graph
from warpath.graph.arguments import as_indices, checked_cutoff, checked_dist_dtype
from warpath.graph.checks import checked_bool
from warpath.graph.csr import kept_rows
from warpath.graph.zones import opened
from warpath.planner.cpu_model import Size
from warpath.planner.plan import Wish
from warpath.recipes import Task
from warpath.results.predecessors import search, searched

if TYPE_CHECKING:
    import os

    from numpy.typing import DTypeLike, NDArray

    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.planner.plan import Plan


class Nearest:
    """For every vertex the nearest facility and how far it is.

    Attributes
    ----------
    graph : the graph that was solved.
    facilities : (k,) the facilities, as the graph names them, in ascending order of their indices.
    dist : (n,) in the weights' unit; inf (floats) or the largest integer where there is none.
    facility_indices : (n,) of the indices' type, the nearest facility as an index; -1 where there
        is none. Of several equally near ones it is that of the smallest index.
    reverse : False for distances from the facilities, True for distances to them.
    cutoff : vertices farther than this were left out; None for no limit.
    plan : what ran and why.
    stats : counters of the run, and ``seconds``.
    """

    def __init__(
        self,
        graph: Graph,
        facilities: NDArray[np.int64],
        dist: Array,
        nearest: Array,
        *,
        reverse: bool,
        cutoff: float | None,
        plan: Plan,
        stats: dict[str, Any],
    ) -> None:
        self.graph = graph
        self.facilities = graph.label_of(facilities)
        self.dist = dist
        self.facility_indices = nearest
        self.reverse = reverse
        self.cutoff = cutoff
        self.plan = plan
        self.stats = stats

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Which vertices have a facility: (n,) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    @cached_property
    def facility(self) -> Array:
        """The nearest facility of every vertex, as the graph names it: (n,).

        Where there is none it is None in a graph with labels, else -1.
        """
        if self.graph.labels is None:
            return self.facility_indices
        names = self.graph.labels[np.maximum(self.facility_indices, 0)]
        if self.reached.all():
            return names
        names = names.astype(object)
        names[~self.reached] = None
        return names

    def to_pandas(self) -> Any:
        """Return a pandas data frame: vertex, facility and distance, NA where there is none."""
        pandas = require("pandas", what="Nearest.to_pandas")
        facility = pandas.Series(self.facility).convert_dtypes().mask(~self.reached, pandas.NA)
        distance = pandas.Series(self.dist).convert_dtypes().mask(~self.reached, pandas.NA)
        vertices = self.graph.label_of(np.arange(self.graph.n))
        return pandas.DataFrame({"vertex": vertices, "facility": facility, "distance": distance})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a row for each vertex, (vertex, facility, distance), as ``.parquet`` or ``.csv``.

        The file appears complete or not at all; vertices are named as in the graph's file.
        """
        from warpath.io.places import to_write
        from warpath.results.files import file_names, save_columns

        graph, reached = self.graph, self.reached
        facilities = file_names(graph, np.where(reached, self.facility_indices, 0))
        columns: dict[str, tuple[Array, Array | None]] = {
            "vertex": (file_names(graph, np.arange(graph.n)), None),
            "facility": (facilities, reached),
            "distance": (self.dist, reached),
        }
        save_columns(to_write(path), columns)

    def __len__(self) -> int:
        return len(self.dist)

    def __repr__(self) -> str:
        count, way = int(self.reached.sum()), "to" if self.reverse else "from"
        return (
            f"<Nearest of {len(self.facilities):,} facilities: {count:,} of {len(self):,} vertices "
            f"have one, distances {way} it\n  {self.plan.headline()}>"
        )


def nearest(
    graph: Any,
    facilities: Any,
    *,
    reverse: bool = False,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
) -> Nearest:
    """Find for every vertex the nearest of several facilities, in one search.

    Parameters
    ----------
    facilities : vertices, as the sources of `distances`; one named twice counts once.
    reverse : False measures from a facility to the vertex, as an ambulance drives; True from the
        vertex to the facility, as its customers do.
    graph, algorithm, device, threads, params, cutoff, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    Nearest
        ``dist`` (n,) and ``facility`` (n,). Of equally near facilities it is the one of the
        smallest index.

    Raises
    ------
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    The search starts from a vertex more, with an edge of length 0 to each facility, so any
    algorithm of `sssp` can do it: O(m + n log n) or better, however many facilities there are.
    ``dist`` has the bits of the least entry of each column of ``distances(graph, facilities)``.
    With ``reverse`` floats are added from the facility on; they agree within n * eps. A vertex
    belongs to the facilities from which edges lead to it that fit ``dist`` to the last bit.

    Examples
    --------
    >>> import warpath as wp
    >>> found = wp.nearest([(0, 1, 2), (1, 2, 2), (3, 2, 1)], [0, 3])
    >>> found.dist, found.facility
    (array([0, 2, 1, 0]), array([0, 0, 3, 3], dtype=int32))
    """
    graph = Graph.of(graph)
    reverse = checked_bool(reverse, "reverse")
    starts = np.unique(as_indices(graph, facilities, "facilities"))
    limit, dtype = checked_cutoff(cutoff, graph), checked_dist_dtype(dist_dtype, graph)
    way = graph.reversed() if reverse else graph
    inner = opened(way)
    started = with_a_start(inner, starts)
    wish = Wish(algorithm, device, threads, params)
    chosen = choose_for(Size(Task.SSSP), started, wish, graph.device)
    problem = Problem(Task.SSSP, np.array([inner.n]), cutoff=limit)
    start = time.perf_counter()
    try:
        raw, stats = run_plan(started, chosen, problem, progress=progress)
        labels, owner = _with_owners(inner, starts, raw.dist)
    except DistanceOverflowError:
        if limit is None and starts[0] >= graph.first_through:
            raise
        labels, owner = _found_again(way, started, starts, limit)
        stats = {"seconds": time.perf_counter() - start}
    except NegativeCycleError as error:  # nothing leads to the start: all are the graph's own
        cycle = error.cycle[::-1] if reverse else error.cycle
        raise NegativeCycleError(graph.label_of(cycle).tolist(), error.length) from None
    # Only now, as under negative weights a path may lead through vertices beyond the cutoff.
    labels = cpu.cut(labels, limit)
    owner[labels == unreachable(labels.dtype)] = -1
    labels, owner = _at_facilities(way, starts, labels, owner)
    dist = narrowed(labels, dtype)
    dist.flags.writeable = owner.flags.writeable = False
    stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return Nearest(
        graph, starts, dist, owner, reverse=reverse, cutoff=limit, plan=chosen, stats=stats
    )


def with_a_start(graph: Graph, facilities: NDArray[np.int64]) -> Graph:
    """Return a graph with one vertex more, from which edges of length 0 lead to some vertices."""
    weights = graph.solver_weights
    rows = kept_rows(
        np.append(graph.indptr, graph.m + len(facilities)),
        np.append(graph.indices, facilities.astype(graph.indices.dtype)),
        np.append(weights, np.zeros(len(facilities), weights.dtype)),
        copied=False,
    )
    return Graph(*rows)


def _with_owners(graph: Graph, facilities: NDArray[np.int64], labels: Array) -> tuple[Array, Array]:
    """Return the labels of a graph's own vertices, and the facility that each belongs to.

    Parameters
    ----------
    graph : without closed vertices, as `opened` makes it.
    labels : of the graph that `with_a_start` makes of it, not cut.
    """
    labels = np.ascontiguousarray(labels[: graph.n])
    owner = np.empty(graph.n, graph.indices.dtype)
    _core.owners(
        graph.indptr, graph.indices, graph.solver_weights, facilities, labels, owner, progress=None
    )
    return labels, owner


def _found_again(
    graph: Graph, started: Graph, facilities: NDArray[np.int64], limit: float | None
) -> tuple[Array, Array]:
    """Return labels and owners where a sum that is no part of the answer may not fit 64 bits.

    Such sums lie beyond the cutoff, or lead back to a closed facility.
    """
    inner = opened(graph)
    closed = facilities[facilities < graph.first_through]
    ends = np.delete(np.arange(inner.n), graph.n + closed)
    try:
        labels, _ = search(started, inner.n, limit, ends)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    if not inner.facts(symmetry=False).negative:
        return _with_owners(inner, facilities, labels)
    labels = labels[: inner.n]
    owner = np.full(inner.n, -1, inner.indices.dtype)
    for one in facilities[::-1].tolist():
        row, _ = search(inner, one, limit, ends[:0])
        owner[row == labels] = one
    return labels, owner


def _at_facilities(
    graph: Graph, facilities: NDArray[np.int64], labels: Array, owner: Array
) -> tuple[Array, Array]:
    """Return what belongs to the graph's own vertices, (n,) each, from the opened graph's.

    Where a path may not pass through, what arrives there is a label of its own; but a facility is
    at 0 from itself.
    """
    closed, n = graph.first_through, graph.n
    if not closed:
        return labels, owner
    dist, nearest = labels[:n].copy(), owner[:n].copy()
    dist[:closed], nearest[:closed] = labels[n:], owner[n:]
    own = facilities[facilities < closed]
    first = np.minimum(own, np.where((dist[own] == 0) & (nearest[own] >= 0), nearest[own], own))
    own_is_nearest = dist[own] >= 0
    nearest[own] = np.where(own_is_nearest, first, nearest[own])
    dist[own] = np.minimum(dist[own], 0)
    for one in own[(dist[own] < 0) & (nearest[own] == own)]:  # a round trip, which does not count
        dist[one], nearest[one] = _nearest_of(graph, facilities, int(one))
    return dist, nearest


def _nearest_of(graph: Graph, facilities: NDArray[np.int64], target: int) -> tuple[Any, int]:
    """Return how far a facility is from the nearest one, itself included, and which that is."""
    wanted = np.array([target])
    found = [(searched(graph, int(one), None, wanted)[0][target], int(one)) for one in facilities]
    return min(found)
