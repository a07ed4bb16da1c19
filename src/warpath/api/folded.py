"""Distances between points along edges, from those between vertices.

Each vertex that a link of `warpath.graph.links` leads to is searched from once, by the plan that
the call would have for these vertices; then the least sums of links and distances are taken. Sums
of floats are formed as (link + distance) + link. Entries that are missing have no links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.prepared import decided
from warpath.api.run import narrowed, run_plan, with_own_names
from warpath.api.table import TableRequest, question, rows_at_once, solved_table
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, NotSupportedError
from warpath.base.progress import share, watch
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.graph.arguments import as_indices
from warpath.graph.checks import checked_bool
from warpath.graph.fingerprint import digest_of
from warpath.graph.links import Links, arriving, between, leaving, searched
from warpath.graph.places import Snapped
from warpath.graph.turns import refuse_turns
from warpath.graph.zones import refuse_areas
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.distance_table import DistanceTable
from warpath.results.predecessors import no_path
from warpath.results.route_between import route_between

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.pairs import Solve
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.route import Route


_ANY = np.iinfo(np.int64).max  # above every vertex


def needs_links(*given: Any) -> bool:
    """Return whether arguments, as `snapped_together` returns them, are not all vertices."""
    return any(type(each) is Snapped and not each.only_vertices for each in given)


def as_ends(graph: Graph, given: Any, what: str) -> Snapped:
    """Return an argument, as `snapped_together` returns it, with all its vertices; None for all."""
    if type(given) is Snapped:
        return given
    indices = np.arange(graph.n) if given is None else as_indices(graph, given, what)
    return Snapped.of(indices, graph.label_of(indices).tolist())


def options_for(options: Options, graph: Graph, inner: Graph) -> Options:
    """Return options for the graph that is searched in place of another."""
    if inner is graph:
        return options
    prepared = bool(options.wish.prepared) and graph.turns is None
    return options.prepared(inner, prepared=prepared)


def folded_table(
    graph: Graph,
    options: Options,
    ends: tuple[Snapped, Snapped],
    cutoff: float | None,
    request: TableRequest,
    progress: Progress,
    find_route: Callable[[Any, Any], Route] | None = None,
) -> DistanceTable:
    """Return the table of distances from some entries to others.

    Parameters
    ----------
    ends : the entries of the rows and of the columns.
    find_route : returns a route from an entry to another.

    Raises
    ------
    NotSupportedError
        If `request.out` is an array on a GPU, or predecessors of a graph with turns are requested.
    """
    from warpath.io.outputs import output_of  # here, as in `table.py`

    if hasattr(request.out, "__cuda_array_interface__"):
        msg = (
            "out= is an array on a GPU, but distances of points along edges are formed on the "
            'host: leave it out, or use Place(..., snap="vertex").'
        )
        raise NotSupportedError(msg)
    if checked_bool(request.predecessors, "predecessors"):
        refuse_turns(graph, "predecessors=True")
        refuse_areas(graph, "predecessors=True")
    inner, (start, end) = searched(graph), ends
    rows, columns = leaving(graph, start), arriving(graph, end)
    heads, column = np.unique(columns.vertices, return_inverse=True)
    tails, columns = columns.vertices, columns._replace(vertices=column)
    shape = (len(start.indices), len(end.indices))
    size = Size(Task.MANY, max(1, len(np.unique(rows.vertices))), max(1, len(heads)))
    options = decided(inner, options_for(options, graph, inner), size)
    chosen = options.plan(size, inner)
    options = options.settled(inner, chosen.device)  # for each block of rows, however small
    whole = Problem(Task.MANY, start.indices, end.indices, cutoff)
    # With negative weights a path within the cutoff may begin with a longer one.
    limit = None if inner.facts(symmetry=False).negative else cutoff
    pred = np.empty(shape, graph.indices.dtype) if request.predecessors else None
    stats: dict[str, Any] = {}
    trace = None
    with (
        output_of(
            request.out,
            shape,
            request.dtype,
            question=lambda: (
                question(graph, chosen, whole, request) | {"links": digest_of([*rows, *columns])}
            ),
        ) as result,
        watch(progress, chosen.recipe.name, "sources") as report,
    ):
        for block in result.blocks(several=rows_at_once(chosen)):
            links = rows.of(block)
            starts, row = np.unique(links.vertices, return_inverse=True)
            links = links._replace(vertices=row)
            dist, before = np.empty((0, 0), graph.dist_dtype), None
            if len(starts) and len(heads):
                table = solved_table(
                    inner,
                    Problem(Task.MANY, starts, heads, limit),
                    size._replace(sources=len(starts)),
                    options,
                    TableRequest(graph.dist_dtype, None, request.predecessors, request.trace),
                    share(report, block, shape[0]),
                )
                dist, before, trace, chosen = table.dist, table.pred, table.trace, table.plan
                stats = _added(stats, table.stats)
            values = _least(dist, links, columns, (block.stop - block.start, shape[1]))
            i, j = _alike(start, end, block)
            direct = between(graph, start, end, i, j)
            directly = direct <= values[i - block.start, j]
            i, j = i[directly] - block.start, j[directly]
            if pred is not None:
                pred[block] = _before((dist, before), links, columns, tails, values)
                pred[block][i, j] = -1
            values[i, j] = direct[directly]
            values = cpu.cut(values, cutoff)
            if pred is not None:
                pred[block][values == unreachable(values.dtype)] = -1
            into = result.block(block)
            into[...] = narrowed(values, request.dtype)
            result.put(block, into)
    if result.resumed:
        stats["resumed"] = result.resumed
    stats.setdefault("seconds", 0.0)
    chosen = with_own_names(chosen, inner, graph)
    return DistanceTable(
        graph,
        start.indices,
        end.indices,
        result.array,
        pred=pred,
        cutoff=cutoff,
        plan=chosen,
        stats=stats,
        reassociated=True,
        trace=trace,
        find_route=find_route,
        ends=ends,
    )


def folded_pairs(
    graph: Graph,
    options: Options,
    ends: tuple[Snapped, Snapped],
    dtype: np.dtype[Any],
    progress: Progress,
    solve: Solve,
) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distance of each trip, the plan and counters of the run.

    Parameters
    ----------
    ends : the origins and the destinations, k each.
    solve : computes the distances of trips between vertices.
    """
    inner, (start, end) = searched(graph), ends
    options = options_for(options, graph, inner)
    trip, first, last = _products(leaving(graph, start), arriving(graph, end), len(start.indices))
    dist = np.full(len(start.indices), unreachable(graph.dist_dtype), graph.dist_dtype)
    if len(trip):
        found, chosen, stats = solve(
            inner, options, first.vertices, last.vertices, graph.dist_dtype, progress
        )
        np.minimum.at(dist, trip, _sum(_sum(found, first.offsets), last.offsets))
    else:
        chosen, stats = options.plan(Size(Task.MANY), inner), {"seconds": 0.0}
    both = np.arange(len(dist))
    dist = np.minimum(dist, between(graph, start, end, both, both))
    return narrowed(dist, dtype), with_own_names(chosen, inner, graph), stats


def folded_route(
    graph: Graph, options: Options, ends: tuple[Snapped, Snapped], progress: Progress
) -> Route:
    """Return a shortest path from one entry to another."""
    inner, (start, end) = searched(graph), ends
    options = decided(inner, options_for(options, graph, inner))
    chosen = with_own_names(options.plan(Size(Task.PATH), inner), inner, graph)
    one = np.zeros(1, np.int64)
    never = unreachable(graph.dist_dtype)
    length = between(graph, start, end, one, one)[0]
    best: tuple[NDArray[np.int64], Links, Links] | None = None
    _, firsts, lasts = _products(leaving(graph, start), arriving(graph, end), 1)
    for at in np.argsort(firsts.offsets + lasts.offsets, kind="stable").tolist():
        first, last = (each.taken(slice(at, at + 1)) for each in (firsts, lasts))
        if first.vertices == last.vertices:
            vertices, dist = first.vertices, np.zeros(1, graph.dist_dtype)
        else:
            problem = Problem(Task.PATH, first.vertices, last.vertices)
            raw, _ = run_plan(inner, chosen, problem, progress=progress)
            if not len(raw.vertices):
                continue
            vertices, dist = raw.vertices, np.array([raw.dist.item()], graph.dist_dtype)
        total = _sum(_sum(dist, first.offsets), last.offsets)[0]
        if total < length:
            length, best = total, (vertices, first, last)
    if length == never:
        raise no_path(graph, int(start.indices[0]), int(end.indices[0]))
    return route_between(graph, ends, best, length.item(), chosen)


def _products(first: Links, last: Links, k: int) -> tuple[Array, Links, Links]:
    """Return each link of an entry with each link of the other entry of the same number."""
    counts = np.bincount(first.rows, minlength=k), np.bincount(last.rows, minlength=k)
    begins = np.cumsum(counts[1]) - counts[1]
    repeats = counts[1][first.rows]
    at = np.repeat(np.arange(len(first.rows)), repeats)
    within = np.arange(len(at)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    trip = first.rows[at]
    return trip, first.taken(at), last.taken(begins[trip] + within)


def _sum(dist: Array, offsets: Array) -> Array:
    """Return distances plus lengths of links; what is unreachable stays so."""
    if dist.dtype.kind == "f":
        return dist + offsets
    never = unreachable(dist.dtype)
    reached = dist != never
    if (reached & (dist >= never - np.maximum(offsets, 0))).any():
        msg = "the distance of a point along an edge does not fit 64 bits"
        raise DistanceOverflowError.of(OverflowError(msg))
    return np.where(reached, dist + np.where(reached, offsets, 0), never)


def _added(stats: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the sums of two blocks' counts and seconds, and the later block's ratios."""
    return {
        key: stats.get(key, 0) + value if isinstance(value, int) or key == "seconds" else value
        for key, value in more.items()
    }


def _least(dist: Array, rows: Links, columns: Links, shape: tuple[int, int]) -> Array:
    """Return the least sums of a link, a distance and a link, of the given shape.

    Parameters
    ----------
    dist : distances between vertices.
    rows, columns : links, whose vertices are rows and columns of `dist`.
    """
    least = np.full(shape, unreachable(dist.dtype), dist.dtype)
    if not len(rows.rows) or not len(columns.rows):
        return least
    into, first = np.unique(rows.rows, return_index=True)
    across, begin = np.unique(columns.rows, return_index=True)
    sums = _sum(dist[rows.vertices], rows.offsets[:, None])
    by_row = np.minimum.reduceat(sums, first, axis=0)
    sums = _sum(by_row[:, columns.vertices], columns.offsets[None, :])
    least[np.ix_(into, across)] = np.minimum.reduceat(sums, begin, axis=1)
    return least


def _before(
    table: tuple[Array, Array | None], rows: Links, columns: Links, tails: Array, least: Array
) -> NDArray[np.int64]:
    """Return the first vertex before each target on a path of the least sum, -1 for none.

    Parameters
    ----------
    table : distances between vertices, and the vertices before the targets.
    tails : the vertices that the links of columns lead from.
    """
    dist, pred = table
    before = np.full(least.shape, -1 if pred is None else _ANY, np.int64)
    if pred is None:
        return before
    for row, vertex, offset in zip(rows.rows, rows.vertices, rows.offsets, strict=True):
        sums = _sum(_sum(dist[vertex], offset)[columns.vertices], columns.offsets)
        equal = np.flatnonzero(sums == least[row, columns.rows])
        last = np.where(columns.edges < 0, pred[vertex][columns.vertices], tails)
        np.minimum.at(before[row], columns.rows[equal], last[equal])
    before[before == _ANY] = -1
    return before


def _alike(start: Snapped, end: Snapped, block: slice) -> tuple[Array, Array]:
    """Return the pairs of rows of a block and columns at the same vertex or along the same line."""
    keys = [np.where(each.along >= 0, each.along, -2 - each.indices) for each in (start, end)]
    rows = np.flatnonzero(~start.missing[block]) + block.start
    order = np.flatnonzero(~end.missing)
    order = order[np.argsort(keys[1][order], kind="stable")]
    low, high = (
        np.searchsorted(keys[1][order], keys[0][rows], side=side) for side in ("left", "right")
    )
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(rows, counts), order[np.repeat(low, counts) + within]
