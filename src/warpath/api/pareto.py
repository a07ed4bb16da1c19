"""Routes of two costs: those that no other route beats, and the shortest within a limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core
from warpath.api.along import threads_of
from warpath.api.other_routes import refuse, refuse_weights, rows_both_ways, simple_paths
from warpath.base import settings, units
from warpath.base.errors import InputError, NoPathError, NotEnoughMemoryError
from warpath.graph.arguments import checked_cutoff, in_place_of_weights
from warpath.graph.checks import as_float, shown
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.labels import one_label
from warpath.graph.solvable import search_graph
from warpath.graph.turns import Turns
from warpath.results.predecessors import no_path
from warpath.results.route import Route
from warpath.results.route_between import route_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.graph import Graph

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
