"""Several routes between two vertices, by length or by two costs."""

from __future__ import annotations

import math
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.api.along import threads_of
from warpath.api.pairs import route_of
from warpath.base import settings, units
from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    GraphError,
    InputError,
    NegativeWeightError,
    NoPathError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.engines.alternatives import Bounds
from warpath.engines.alternatives import alternatives as labelled_alternatives
from warpath.engines.hierarchy import sums_are_exact
from warpath.graph.arguments import checked_cutoff, in_place_of_weights
from warpath.graph.checks import as_float, is_integer, refuse_wide, shown
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.facts import negative_weights, rows_into
from warpath.graph.labels import one_label
from warpath.graph.solvable import search_graph
from warpath.graph.turns import Turns, homes_of_turns
from warpath.results.predecessors import no_path
from warpath.results.route import Route
from warpath.results.route_between import route_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_MOST = 2**61  # lengths of simple paths: a bound adds two of them


def k_shortest_of(
    options: Options, question: Question, k: int | None, max_length: float | str | None
) -> Iterator[Route]:
    """Return an iterator over routes by length; see `warpath.k_shortest_paths`."""
    if k is not None:
        _check_count(k, "; None means all routes")
    longest = checked_cutoff(max_length, question.graph, "max_length")
    _refuse(options, question, "k_shortest_paths")
    graph = question.graph
    homes = None if graph.turns is None else homes_of_turns(graph)
    return islice(
        _by_length(question, longest, homes), None if k is None else min(int(k), sys.maxsize)
    )


def alternatives_of(
    options: Options,
    question: Question,
    k: int,
    sharing: float,
    stretch: float,
    local: float | None,
    method: str,
) -> list[Route]:
    """Return routes that differ from the shortest one; see `warpath.alternatives`."""
    _check_count(k, "")
    if not isinstance(method, str) or method not in ("via", "penalty"):
        raise InputError(f"method = {shown(method)} must be 'via' or 'penalty'.")
    local = (0.25 if method == "via" else 0.0) if local is None else local
    for name, share, least, most in (
        ("sharing", sharing, 0, 1),
        ("stretch", stretch, 1, float(np.finfo(np.float32).max)),
        ("local", local, 0, 1),
    ):
        if not least <= as_float(share) <= most:
            limits = f"from {least} to {most}" if most == 1 else f"of {least} or more, finite"
            raise InputError(
                f"{name} = {shown(share)} must be a number {limits}: a share of the length of the "
                "shortest route."
            )
    _refuse(options, question, "alternatives")
    graph, (s,), (t,) = question.graph, question.sources.tolist(), question.all_targets.tolist()
    if s == t:
        routes = [Route(graph, question.sources, graph.dist_dtype.type(0).item())]
        sums: list[tuple[float, float]] = [(0, 0)]
    else:
        end = int(question.view.arrivals(question.all_targets)[0])
        most, bounds = min(int(k), sys.maxsize), (float(sharing), float(stretch), float(local))
        inner = question.view.inner
        alternatives: Any
        if method == "via" and options.request.routed and sums_are_exact(inner):
            alternatives = labelled_alternatives(inner, s, end, most, Bounds(*bounds))
        else:
            given: Any = (*rows_both_ways(inner), s, end, most, *bounds, method == "penalty")
            alternatives = _core.alternative_routes(*given)
        if not alternatives:
            raise no_path(graph, s, t)
        routes = [route_of_path(graph, path, length, None) for path, length, *_ in alternatives]
        sums = [(shared, part) for *_, shared, part in alternatives]
    shortest = routes[0].length
    for route, (shared, part) in zip(routes, sums, strict=True):
        route.sharing = shared / shortest if shortest else 0.0
        route.stretch = route.length / shortest if shortest else 1.0
        route.local = max(local, part / shortest) if shortest else 1.0
    return routes


def disjoint_of(options: Options, question: Question, k: int, by: str) -> list[Route]:
    """Return k routes that share nothing; see `warpath.disjoint_paths`."""
    _check_count(k, "")
    if not isinstance(by, str) or by not in ("edges", "vertices"):
        raise InputError(f"by = {shown(by)} must be 'edges' or 'vertices'.")
    _refuse(options, question, "disjoint_paths")
    graph, (s,), (t,) = question.graph, question.sources.tolist(), question.all_targets.tolist()
    if graph.first_through:
        raise NotSupportedError(
            "disjoint_paths does not support closed vertices (first_through): use "
            "`warpath.k_shortest_paths`, or a graph without them."
        )
    if s == t:
        raise InputError(
            f"source and target are the same vertex, {shown(one_label(graph, s))}: disjoint_paths "
            "needs two."
        )
    if graph.turns is not None:
        _refuse_hard_turns(graph.turns, by, directed=graph.directed)
    end = int(question.view.arrivals(question.all_targets)[0])
    # With turns, an edge is a vertex of the graph that is searched.
    by_vertices = by == "vertices" or graph.turns is not None
    most, rows = min(int(k), graph.m + 1), rows_both_ways(question.view.inner)
    search: Any = _core.disjoint_paths
    paths = search(*rows, s, end, most, by_vertices, not graph.directed)
    if not paths:
        raise no_path(graph, s, t)
    if len(paths) < k:
        ends = f"from {shown(one_label(graph, s))} to {shown(one_label(graph, t))}"
        possible = f"{len(paths)} route{'s' * (len(paths) > 1)}"
        raise NoPathError(
            f"no {k:,} routes {ends} share no {'vertex between them' if by != 'edges' else 'edge'}"
            f", only {possible}: use k={len(paths)}"
            f"{'' if by == 'edges' else ', or by=' + repr('edges')}."
        )
    if graph.turns is not None:
        return [route_of_path(graph, path, length, None) for path, _, length in paths]
    weights = graph._solver_weights
    return [
        Route(graph, vertices, length, edges=edges, weights=weights[edges])
        for vertices, edges, length in paths
    ]


def all_shortest_of(options: Options, question: Question) -> Iterator[Route]:
    """Return an iterator over the routes of the least length; see `warpath.all_shortest_paths`."""
    _refuse(options, question, "all_shortest_paths")
    return _all_shortest(options, question)


def _all_shortest(options: Options, question: Question) -> Iterator[Route]:
    least = route_of(options, question).length
    longest = least
    if question.graph.dist_dtype.kind == "f":  # bounds are sums in another order
        longest *= 1 + question.graph.n * float(np.finfo(question.graph.dist_dtype).eps)
    for route in _by_length(question, longest):
        if route.length <= least:
            yield route


def counts_of(graph: Graph, source: int, dist: Array) -> list[int]:
    """Return the number of shortest paths from a source to each vertex.

    Parameters
    ----------
    graph : a graph without turns and closed vertices.
    dist : the distances from the source.

    Raises
    ------
    GraphError
        If shortest paths lead around a cycle of length 0.
    """
    src, dst, weights = graph.edges()
    reached = np.flatnonzero(
        (dist[src] != unreachable(dist.dtype)) & (dst != source) & (src != dst)
    )
    with np.errstate(over="ignore"):  # a sum beyond the largest float is no distance
        tight = reached[dist[src[reached]] + weights[reached] == dist[dst[reached]]]
    # Of parallel edges one counts.
    edges = np.unique(src[tight].astype(np.int64) * graph.n + dst[tight])
    tails, heads = edges // max(graph.n, 1), edges % max(graph.n, 1)
    ends = np.searchsorted(tails, np.arange(graph.n + 1)).tolist()
    missing, following = np.bincount(heads, minlength=graph.n).tolist(), heads.tolist()
    counts = [0] * graph.n
    counts[source], ready = 1, [source]
    while ready:
        u = ready.pop()
        for v in following[ends[u] : ends[u + 1]]:
            counts[v] += counts[u]
            missing[v] -= 1
            if not missing[v]:
                ready.append(v)
    if any(missing):
        at = next(v for v, count in enumerate(missing) if count)
        raise GraphError(
            f"shortest paths from {shown(one_label(graph, source))} to "
            f"{shown(one_label(graph, at))} may lead around a cycle of length 0, so that they "
            "cannot be counted: give its edges weights above 0, or join its vertices."
        )
    return counts


def refuse_counting(graph: Graph) -> None:
    """Raise NotSupportedError for a graph whose paths pass vertices twice or begin in areas."""
    if graph.turns is not None:
        raise NotSupportedError(
            "count_shortest_paths does not support turns, with which a route may pass a vertex "
            "twice: count those of `warpath.all_shortest_paths`, or read the graph without turns."
        )
    _refuse_areas(graph, "count_shortest_paths")


def simple_paths(
    graph: Graph, source: int, target: int, longest: float | None = None, homes: Array | None = None
) -> Iterator[tuple[Array, Any]]:
    """Yield the vertices and the length of each simple path, by length, then by vertices.

    Parameters
    ----------
    graph : a graph without turns, closed vertices and negative weights.
    homes : (n,) numbers from 0 to n - 1, of which a path passes none twice; those of the vertices
        when not given.
    """
    kind = graph.indices.dtype
    numbers = np.empty(0, kind) if homes is None else homes.astype(kind)
    given: Any = (*rows_both_ways(graph), source, target, longest, numbers)
    following: Any = _core.simple_paths(*given)
    return iter(following, None)


def rows_both_ways(graph: Graph) -> tuple[Any, ...]:
    """Return the rows of the edges out of each vertex, and of those into each vertex."""
    into = rows_into(graph, 1)[0] or graph.reversed()
    return *graph._solver_rows, *into._solver_rows


def _check_count(k: Any, way_out: str) -> None:
    if not is_integer(k) or k < 1:
        raise InputError(f"k = {shown(k)} must be an integer, 1 or more{way_out}.")


def _by_length(
    question: Question, longest: float | None, homes: Array | None = None
) -> Iterator[Route]:
    graph, inner = question.graph, question.view.inner
    s, t = int(question.sources[0]), int(question.all_targets[0])
    if s == t:
        yield Route(graph, question.sources, graph.dist_dtype.type(0).item())
        return
    end = int(question.view.arrivals(np.array([t]))[0])
    none = True
    for vertices, length in simple_paths(inner, s, end, longest, homes):
        none = False
        yield route_of_path(graph, vertices, length, None)
    if none:
        if homes is not None and next(simple_paths(inner, s, end, longest), None):
            raise NoPathError(
                f"no route leads from {shown(one_label(graph, s))} to {shown(one_label(graph, t))}"
                f"{'' if longest is None else f' within {longest}'} without passing a vertex "
                "twice: turns forbid it. Use `warpath.path` or `warpath.all_shortest_paths`, whose "
                "routes may pass vertices twice."
            )
        raise no_path(graph, s, t, longest)


def _refuse(options: Options, question: Question, call: str) -> None:
    """Raise the error for a graph, ends or options that a call on simple paths cannot take."""
    refuse(options, question, call)
    refuse_weights(question.graph, call)
    if question.graph.turns is not None:
        refuse_weights(question.view.inner, call, "weights with costs of turns")


def refuse(options: Options, question: Question, call: str) -> None:
    """Raise the error for areas, ends or options that calls for several routes cannot take."""
    graph, request = question.graph, options.request
    for name, value, possible in (
        ("algorithm", request.algorithm, ("auto",)),
        ("device", request.device, ("auto", "cpu")),
    ):
        if value not in possible:
            raise NotSupportedError(
                f"{call} runs one algorithm of its own on the CPU, not with {name}={value!r}: use "
                f"{' or '.join(f'{name}={other!r}' for other in possible)}."
            )
    _refuse_areas(graph, call)
    if question.entries is not None:
        raise NotSupportedError(
            f"{call} goes from vertex to vertex, and a place of this call is a point along an "
            "edge: use Place(lon, lat, snap='vertex')."
        )
    refuse_wide(question.view.inner.n, call)


def refuse_weights(graph: Graph, call: str, weights: str = "weights", most: int = _MOST) -> None:
    """Raise the error for negative weights, or integers whose sums along paths may not fit.

    Parameters
    ----------
    weights : the words for the weights.
    most : a power of 2, which sums must stay below.
    """
    facts = graph.facts(symmetry=False)
    if facts.negative:
        raise NegativeWeightError(
            f"{call} needs {weights} of 0 or more: {negative_weights(graph)}."
        )
    if facts.longest >= most:
        raise DistanceOverflowError(
            f"the largest of the {weights}, {facts.max_weight:,}, times the {graph.n:,} vertices "
            f"is 2^{most.bit_length() - 1} or more: bounds of {call} may not fit "
            f"{'64 bits' if most == _MOST else 'float64, the type of both costs'}. Use a larger "
            f"unit, or {weights} of float64."
        )


def _refuse_hard_turns(turns: Turns, by: str, *, directed: bool) -> None:
    """Raise NotSupportedError for turns with which disjoint routes are NP-hard to find."""
    if by == "vertices":
        why, way_out = "by='vertices' of a graph with turns", "use by='edges'"
    elif (turns.banned[:, 2:] >= 0).any():
        why, way_out = "forbidden sequences of three or more edges", "use `warpath.alternatives`"
    elif not directed:
        why, way_out = "turns of an undirected graph", "use `warpath.alternatives`"
    else:
        return
    raise NotSupportedError(
        f"disjoint_paths does not support {why}: {way_out}, or read the graph without turns."
    )


def _refuse_areas(graph: Graph, call: str) -> None:
    if graph.areas:
        raise NotSupportedError(
            f"{call} does not support areas, in which a route may begin and end: use "
            "`warpath.path`, or a graph with areas=False."
        )


_RELAX_AFTER = 2**16  # labels, whose search takes about as long as the relaxation
_MOST_MIXED = 2**53  # sums of integers next to floats: float64 holds those below


class _TwoCosts(NamedTuple):
    """The graphs that are searched, with the weights and with the second cost.

    Attributes
    ----------
    given : the name of the second cost, None for an array.
    second : the graph of the call with the second cost as weights, without costs of turns.
    searched : the graph that is searched with either cost, both int64 or both float64.
    """

    given: str | None
    second: Graph
    searched: tuple[Graph, Graph]


def _bytes_of(kept: list[_TwoCosts]) -> int:
    return sum(bytes_of_graph(graph) for two in kept for graph in (two.second, *two.searched))


#: The second cost of the last call.
_LAST: Derived[list[_TwoCosts]] = Derived(__name__, "second cost", _bytes_of)


def pareto_of(
    options: Options,
    question: Question,
    second: Any,
    limit: float | str | None,
    epsilon: float | None,
    memory: int | str | None,
) -> Iterator[Route]:
    """Return an iterator over the routes; see `warpath.pareto_paths`."""
    if epsilon is not None and not 0 <= as_float(epsilon) < math.inf:
        raise InputError(
            f"epsilon = {shown(epsilon)} must be a number, 0 or more; None means all routes."
        )
    two = _two_costs(options, question, second, "pareto_paths")
    most = checked_cutoff(limit, two.second, "limit")
    bytes_ = settings.memory() if memory is None else settings.bytes_of(memory, "memory")
    return _routes(question, two, most, float(epsilon or 0), bytes_, threads_of(options))


def constrained_of(options: Options, question: Question, second: Any, limit: float | str) -> Route:
    """Return the shortest route within a limit; see `warpath.constrained_path`."""
    if limit is None:
        raise InputError(
            "limit = None must be a number, 0 or more, the largest second cost: without a limit "
            "use `warpath.path`."
        )
    two = _two_costs(options, question, second, "constrained_path")
    most = checked_cutoff(limit, two.second, "limit")
    bytes_, threads = settings.memory(), threads_of(options)
    return next(_routes(question, two, most, 0.0, bytes_, threads, _RELAX_AFTER))


def _two_costs(options: Options, question: Question, second: Any, call: str) -> _TwoCosts:
    graph = question.graph
    refuse(options, question, call)
    name = second if isinstance(second, str) else None
    kept = _LAST.of(graph, list)
    for two in kept:
        if name is not None and name == two.given:
            return two
        costs = two.second._solver_weights
        if type(second) is np.ndarray and np.array_equal(second, costs):
            return two
    other = _with_second(graph, second)
    first, last = question.view.inner, search_graph(other)
    integer = first.dist_dtype.kind == last.dist_dtype.kind == "i"
    most = () if integer or first.dist_dtype.kind == last.dist_dtype.kind else (_MOST_MIXED,)
    refuse_weights(graph, call)
    refuse_weights(first, call, "weights", *most)
    refuse_weights(other, call, "second costs")
    refuse_weights(last, call, "second costs", *most)
    kind = np.dtype(np.int64 if integer else np.float64)
    searched = _typed(first, kind), _typed(last, kind)
    two = _TwoCosts(name, other, searched)
    kept[:] = [two]
    return two


def _typed(graph: Graph, kind: np.dtype[Any]) -> Graph:
    kept = graph.weights is not None and graph.weight_dtype == kind
    return graph if kept else graph.astype(kind)


def _with_second(graph: Graph, second: Any) -> Graph:
    """Return the graph with the second cost as weights."""
    if second is None:
        raise InputError(
            "second = None must be a kept column, a unit or (m,) numbers in the order of "
            "Graph.edges; for the number of edges give numpy.ones(graph.m, int)."
        )
    other = in_place_of_weights(graph, second, "second", "cost")
    if other.turns is None:
        return other
    old = other.turns
    back = None if old.u_turn is None else 0.0
    turns = Turns(old.banned, old.back, u_turn=back, against_travel=old.against_travel)
    return other._like(other.indptr, other.indices, other.weights, turns=turns)  # noqa: SLF001 - turns that cost nothing


def _routes(
    question: Question,
    two: _TwoCosts,
    limit: float | None,
    epsilon: float,
    bytes_: int,
    threads: int,
    relax_after: int | None = None,
) -> Iterator[Route]:
    graph, (first, last) = question.graph, two.searched
    s, t = int(question.sources[0]), int(question.all_targets[0])
    length_of, second_of = (
        (int if part.dist_dtype.kind == "i" else float) for part in (graph, two.second)
    )
    if s == t:
        yield Route(graph, question.sources, length_of(0), second=second_of(0))
        return
    end = int(question.view.arrivals(np.array([t]))[0])
    *rows, into_indptr, into_indices, into_weights = rows_both_ways(first)
    *_, second_indptr, second_indices, into_second = rows_both_ways(last)
    into = into_indptr, into_indices, into_weights, second_indptr, second_indices, into_second
    most = None if limit is None else last.dist_dtype.type(limit).item()
    search: Any = _core.pareto_paths
    step = search(
        *rows,
        last.weights,
        *into,
        s,
        end,
        most,
        epsilon,
        bytes_,
        threads=threads,
        relax_after=relax_after,
    )
    count, length = 0, 0
    while isinstance(result := step(), tuple):
        edges, length, second = result
        yield _route(question, first, edges, length_of(length), second_of(second))
        count += 1
    if result is not None:
        upto = f", up to the length {length_of(length):,}" if count else ""
        raise NotEnoughMemoryError(
            f"the {result:,} labels of the search fill {units.size(bytes_)} after {count:,} "
            f"route{'' if count == 1 else 's'}{upto}: give a limit, an epsilon or more memory."
        )
    if not count:
        raise _none(graph, two, s, t, end, limit)


def _route(question: Question, inner: Graph, edges: Any, length: float, second: float) -> Route:
    """Return the route over edges of the graph that is searched."""
    graph = question.graph
    path = np.concatenate([question.sources, inner.indices[edges]])
    route = route_of_path(graph, path, length, None)
    if graph.turns is None:
        vars(route).update(edges=edges, weights=graph._solver_weights[edges])
    route.second = second
    return route


def _none(
    graph: Graph, two: _TwoCosts, s: int, t: int, end: int, limit: float | None
) -> NoPathError:
    least = next(simple_paths(two.searched[1], s, end), None)
    if least is None:
        return no_path(graph, s, t)
    ends = f"from {shown(one_label(graph, s))} to {shown(one_label(graph, t))}"
    whole = two.second.dist_dtype.kind == "i"
    return NoPathError(
        f"no path leads {ends} with a second cost within {limit}: the least possible is "
        f"{int(least[1]) if whole else least[1]}."
    )
