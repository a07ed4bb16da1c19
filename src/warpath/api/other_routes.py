"""Several routes between two vertices: k shortest paths."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NegativeWeightError,
    NotSupportedError,
)
from warpath.graph.arguments import checked_cutoff
from warpath.graph.checks import is_integer, refuse_wide, shown
from warpath.graph.facts import negative_weights, rows_into
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
    if k is not None and not (is_integer(k) and k >= 1):
        raise InputError(f"k = {shown(k)} must be an integer, 1 or more; None means all routes.")
    longest = checked_cutoff(max_length, question.graph, "max_length")
    _refuse(options, question, "k_shortest_paths")
    return islice(_by_length(question, longest), None if k is None else min(int(k), sys.maxsize))


def simple_paths(
    graph: Graph, source: int, target: int, longest: float | None = None
) -> Iterator[tuple[Array, Any]]:
    """Yield the vertices and the length of each simple path, by length, then by vertices.

    Parameters
    ----------
    graph : a graph without turns, closed vertices and negative weights.
    """
    into = rows_into(graph, 1)[0] or graph.reversed()
    rows = graph.indptr, graph.indices, graph._solver_weights
    back = into.indptr, into.indices, into._solver_weights
    following: Any = _core.simple_paths(*rows, *back, source, target, longest)
    return iter(following, None)


def _by_length(question: Question, longest: float | None) -> Iterator[Route]:
    graph, inner = question.graph, question.view.inner
    s, t = int(question.sources[0]), int(question.all_targets[0])
    if s == t:
        yield Route(graph, question.sources, graph.dist_dtype.type(0).item())
        return
    end = int(question.view.ends(np.array([t]))[0])
    none = True
    for vertices, length in simple_paths(inner, s, end, longest):
        none = False
        yield route_of_path(graph, vertices, length, None)
    if none:
        raise no_path(graph, s, t, longest)


def _refuse(options: Options, question: Question, call: str) -> None:
    """Raise the error for a graph, ends or options that a call cannot take."""
    graph, request = question.graph, options.request
    for name, value, possible in (
        ("algorithm", request.algorithm, ("auto",)),
        ("device", request.device, ("auto", "cpu")),
    ):
        if value not in possible:
            raise NotSupportedError(
                f"{call} runs one algorithm of its own on the CPU, not with {name}={value!r}: use "
                f"a Solver with {' or '.join(f'{name}={other!r}' for other in possible)}."
            )
    if graph.turns is not None:
        raise NotSupportedError(
            f"{call} does not support turns: with turns a shortest route may pass a vertex twice. "
            "Use `warpath.path`, or read the graph without turns."
        )
    if graph.areas:
        raise NotSupportedError(
            f"{call} does not support areas, in which a route may begin and end: use "
            "`warpath.path`, or a graph with areas=False."
        )
    if question.ends is not None:
        raise NotSupportedError(
            f"{call} goes from vertex to vertex, and a place of this call is a point along an "
            "edge: use Place(lon, lat, snap='vertex')."
        )
    refuse_wide(graph.n, call)
    facts = graph.facts(symmetry=False)
    if facts.negative:
        raise NegativeWeightError(f"{call} needs weights of 0 or more: {negative_weights(graph)}.")
    if facts.longest >= _MOST:
        raise DistanceOverflowError(
            f"the largest weight, {facts.max_weight:,}, times the {graph.n:,} vertices is 2^61 or "
            f"more: bounds of {call} may not fit 64 bits. Use a larger unit, or float64 weights."
        )
