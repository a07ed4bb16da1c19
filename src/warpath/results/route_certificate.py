"""Certify several routes between two vertices: that they exist, and what a call claims of them."""

from __future__ import annotations

import math
from bisect import bisect_right
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    GraphError,
    InputError,
    NegativeCycleError,
    NotSupportedError,
    VerificationError,
)
from warpath.graph import Graph
from warpath.graph.checks import is_number, shown
from warpath.graph.edge_geometry import lightest
from warpath.graph.labels import one_label
from warpath.graph.solvable import SolvableGraph
from warpath.graph.turns import homes_of_turns
from warpath.results.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array

    #: Takes a graph, a source and a cutoff or None; returns certified distances.
    Certified = Callable[[Graph, int, Any], Array]

#: What is proved of routes, by the claim.
CLAIMS = {
    "k_shortest": "no other route that passes no vertex twice is shorter than the last",
    "alternatives": "their measures are right, and the first is a shortest path",
    "disjoint": "they share no edge, and no others have a smaller total",
    "vertex_disjoint": "they share no vertex or edge, and no others have a smaller total",
    "pareto": "no route beats one of them, and none is missing",
    "constrained": "no route within the limit is better",
}

#: Edges that a proof by enumeration follows at most.
_STEPS = 2_000_000


class RouteProof(NamedTuple):
    """The extent of a check of routes that succeeded: their edges, what is proved, the slack."""

    edges: int
    proved: str
    slack: float


def verify_routes(
    graph: Graph,
    routes: Sequence[Route],
    claim: Any,
    second: Any,
    limit: Any,
    certified: Certified,
) -> RouteProof:
    """Check routes; see `warpath.verify`."""
    _check_arguments(graph, routes, claim, second, limit)
    check = _Routes(graph, routes, claim, certified)
    if graph.turns is not None:
        check.exist_along_edges()
        check = _with_turns(graph, routes, claim, certified)
        graph = SolvableGraph(graph).inner
    if second is not None:
        return check.of_two_costs(second, limit)
    check.exist(graph._solver_weights, graph.dist_dtype)
    if claim is not None:
        getattr(check, claim.removeprefix("vertex_"))()
    return check.proof()


def _check_arguments(
    graph: Graph, routes: Sequence[Route], claim: Any, second: Any, limit: Any
) -> None:
    if claim is not None and (not isinstance(claim, str) or claim not in CLAIMS):
        raise InputError(f"claim={shown(claim)} is not valid: use {', '.join(map(repr, CLAIMS))}.")
    if (claim in ("pareto", "constrained")) != (second is not None):
        raise InputError(
            f"claim={claim!r} {'needs' if second is None else 'does not take'} second=, the second "
            "cost of the edges, which 'pareto' and 'constrained' take."
        )
    if claim == "constrained" and (limit is None or len(routes) != 1):
        raise InputError("claim='constrained' needs limit= and one route.")
    if limit is not None and (second is None or not is_number(limit) or math.isnan(limit)):
        raise InputError(
            f"limit={shown(limit)} must be a number, the largest second cost, with second=."
        )
    if graph.areas or any(route.places != (None, None) for route in routes):
        raise NotSupportedError(
            "verify checks routes from vertex to vertex, not of areas or points along edges."
        )
    if graph.facts(symmetry=False).negative:
        raise NotSupportedError("verify checks routes of graphs with weights of 0 or more.")
    if graph.turns is not None and claim == "vertex_disjoint":
        raise NotSupportedError(
            "verify does not support claim='vertex_disjoint' of a graph with turns: use 'disjoint'."
        )


def _with_turns(
    graph: Graph, routes: Sequence[Route], claim: str | None, certified: Certified
) -> _Routes:
    """Return the checks of routes as paths in the graph that is searched, where edges are vertices.

    Raises
    ------
    VerificationError
        If a route has a turn that is forbidden.
    """
    view = SolvableGraph(graph)
    inner, paths = view.inner, []
    heads = inner.indices
    last = view.last_edges()
    for at, route in enumerate(routes):
        end = int(view.arrivals(route.indices[-1:])[0])
        path = route.indices[:1].tolist()
        for edge in route.edges.tolist():
            row = np.arange(inner.indptr[path[-1]], inner.indptr[path[-1] + 1])
            onward = row[last[heads[row]] == edge]
            if not len(onward):
                turn = f"edge {last[path[-1]]} to edge {edge}"
                raise VerificationError(
                    f"not verified: route {at}: the turn from {turn} is forbidden, alone or after "
                    "the edges before it.",
                    "routes",
                    {"route": at},
                )
            path.append(int(heads[onward[0]]))
        if len(path) > 1:
            path.append(end)
        names = "sharing", "stretch", "local", "second"
        measures = {name: getattr(route, name) for name in names}
        paths.append(Route(inner, np.array(path), route.length, None, **measures))
    return _Routes(inner, paths, claim, certified, view)


class _Routes:
    """The checks of routes; each raises VerificationError, which names the route."""

    def __init__(
        self,
        graph: Graph,
        routes: Sequence[Route],
        claim: str | None,
        certified: Certified,
        turned: SolvableGraph | None = None,
    ) -> None:
        self._graph, self._routes, self._claim, self._certified = graph, routes, claim, certified
        self._turned = turned
        homes = np.arange(graph.n) if turned is None else homes_of_turns(turned.graph)
        self._homes: list[int] = homes.tolist()
        self._slack: float = 0
        self._tails, self._heads, _ = graph.edges()
        sizes = [len(route.indices) for route in routes]
        if not min(sizes, default=0):
            raise InputError("verify needs at least one route, and each with a vertex.")
        self._ends = int(routes[0].indices[0]), int(routes[0].indices[-1])

    def proof(self) -> RouteProof:
        last = self._turned is not None  # the step to the end of paths is no edge of the route
        edges = sum(max(len(route.edges) - last, 0) for route in self._routes)
        return RouteProof(edges, CLAIMS[self._claim] if self._claim else "", float(self._slack))

    def exist(self, weights: Array, dtype: Any) -> None:
        """Check that the routes lead from source to target along edges, and their lengths."""
        self.exist_along_edges()
        for at, route in enumerate(self._routes):
            self._sum(at, "length", route.length, weights[route.edges].astype(dtype))
        if self._claim not in ("alternatives", None):
            self._ascend()
        self._differ()

    def exist_along_edges(self) -> None:
        """Check that the routes lead from source to target along edges."""
        graph, n = self._graph, self._graph.n
        for at, route in enumerate(self._routes):
            path, edges = route.indices, route.edges
            inside = not len(edges) or (edges.min() >= 0 and edges.max() < graph.m)
            if len(edges) != len(path) - 1 or path.min() < 0 or path.max() >= n or not inside:
                raise InputError(f"route {at} does not belong to this graph.")
            leads = (self._tails[edges] == path[:-1]) & (self._heads[edges] == path[1:])
            if not leads.all():
                step = int(np.flatnonzero(~leads)[0])
                u, v = (self._name(int(vertex)) for vertex in path[step : step + 2])
                raise self._broken(at, f"edge {edges[step]} does not lead from {u} to {v}")
            if (int(path[0]), int(path[-1])) != self._ends:
                raise self._broken(at, "it has other ends than route 0")
            if (path[1:-1] < graph.first_through).any():
                raise self._broken(at, "it passes a closed vertex")

    def _sum(self, at: int, name: str, given: Any, weights: Array) -> None:
        total = weights.dtype.type(0) if not len(weights) else np.cumsum(weights)[-1]
        if given is None or total != weights.dtype.type(given):
            raise self._broken(at, f"its {name} is {given}, but its edges add up to {total}")

    def _ascend(self) -> None:
        lengths = [route.length for route in self._routes]
        rounding = self._rounding(max(lengths))
        for at, (before, after) in enumerate(pairwise(lengths)):
            if after < before - rounding:
                raise self._broken(at + 1, f"its length {after} is below that before, {before}")

    def _differ(self) -> None:
        met: dict[bytes, int] = {}
        for at, route in enumerate(self._routes):
            edges = np.asarray(route.edges, np.int64).tobytes()
            if edges in met:
                raise self._broken(at, f"it is route {met[edges]} again")
            met[edges] = at

    def _rounding(self, length: Any) -> float:
        """Return by how much two sums of a length may differ; 0 for integers."""
        dtype = self._graph.dist_dtype
        return 0 if dtype.kind == "i" else 2 * self._graph.n * float(np.finfo(dtype).eps) * length

    def _rest(self, weights: Array, most: Any) -> list[Any]:
        """Return the distance of each vertex to the target, inf beyond a length."""
        back = Graph.from_edges(self._heads, self._tails, weights, n=self._graph.n)
        dist = self._certified(back, self._ends[1], most)
        rest = dist.astype(object)
        rest[dist == unreachable(dist.dtype)] = math.inf
        found: list[Any] = rest.tolist()
        return found

    def _out(self, *weights: Array) -> list[list[tuple[Any, ...]]]:
        """Return (head, weight, ...) of the edges out of each vertex that paths may go on from."""
        graph, ends = self._graph, self._graph.indptr.tolist()
        rows = list(zip(self._heads.tolist(), *(part.tolist() for part in weights), strict=True))
        start = self._ends[0]
        return [
            rows[ends[v] : ends[v + 1]] if v >= graph.first_through or v == start else []
            for v in range(graph.n)
        ]

    def k_shortest(self) -> None:
        """Enumerate all routes that are shorter than the last one."""
        known, homes = set(), self._homes
        for at, route in enumerate(self._routes):
            vertices = tuple(route.indices.tolist())
            if len({homes[vertex] for vertex in vertices}) < len(vertices):
                raise self._broken(at, "it passes a vertex twice")
            if vertices in known:
                raise self._broken(at, "another route has the same vertices")
            if (route.edges != lightest(self._graph, route.indices[:-1], route.indices[1:])).any():
                raise self._broken(at, "it does not take the lightest of parallel edges")
            known.add(vertices)
        last = self._routes[-1].length
        self._slack = self._rounding(last)
        weights = self._graph._solver_weights
        rest, out = self._rest(weights, last), self._out(weights)
        start, end = self._ends
        path, inside, steps = [start], {homes[start]}, 0
        below = last - self._slack
        waiting = [(iter(out[start]), 0)] if start != end else []
        while waiting:
            edges, length = waiting[-1]
            step = next(edges, None)
            if step is None:
                waiting.pop()
                inside.discard(homes[path.pop()])
                continue
            v, weight = step
            steps = self._stepped(steps)
            longer = length + weight
            if homes[v] in inside or not longer + rest[v] < below:
                continue
            if v != end:
                path.append(v)
                inside.add(homes[v])
                waiting.append((iter(out[v]), longer))
            elif (*path, v) not in known:
                names = ", ".join(map(self._name, [*path, v][:20]))
                raise VerificationError(
                    f"not verified: the route {names}{', ...' * (len(path) > 19)} of length "
                    f"{longer} is missing, which is shorter than the last one, {last}.",
                    "routes",
                    {"missing": [*path, v]},
                )

    def alternatives(self) -> None:
        """Check the measures of alternatives."""
        shortest = self._certified(self._graph, self._ends[0], None)[self._ends[1]].item()
        first = self._routes[0]
        self._slack = self._rounding(max(route.length for route in self._routes))
        if self._ends[0] != self._ends[1] and first.length != shortest:
            raise self._broken(0, f"its length is {first.length}, but the shortest is {shortest}")
        taken = np.zeros(self._graph.m, np.bool_)
        for at, route in enumerate(self._routes):
            weights = self._graph._solver_weights[route.edges].astype(self._graph.dist_dtype)
            shared = weights[taken[route.edges]].sum().item()
            measures = {"sharing": shared, "stretch": route.length}
            for name, length in measures.items():
                share = length / shortest if shortest else float(name == "stretch")
                given = getattr(route, name)
                if given is None or abs(given - share) * shortest > self._slack:
                    raise self._broken(at, f"its {name} is {given}, but should be {share}")
            taken[route.edges] = True
            if route.local is None:
                raise self._broken(at, "it has no measure `local`")
            self._local(at, route, weights, route.local * shortest)

    def _local(self, at: int, route: Route, weights: Array, length: float) -> None:
        """Check that the parts of a route below a length are shortest paths."""
        sums = np.concatenate([np.zeros(1, weights.dtype), np.cumsum(weights)])
        ends = [int(np.searchsorted(sums - low, length)) - 1 for low in sums]  # the last below

        def check(low: int, high: int) -> None:
            begin, end = int(route.indices[low]), int(route.indices[ends[high]])
            part = (sums[ends[high]] - sums[low]).item()
            if begin == end or ends[high] <= low:
                return
            dist = self._certified(self._graph, begin, part)[end].item()
            if dist != unreachable(sums.dtype) and dist >= part - self._slack:
                return
            if low == high:
                u, v = self._name(begin), self._name(end)
                raise self._broken(
                    at, f"its part from {u} to {v} of length {part} is not a shortest path"
                )
            middle = (low + high) // 2
            check(low, middle)
            check(middle + 1, high)

        check(0, len(sums) - 1)

    def disjoint(self) -> None:
        """Check that no cycle of negative length leads over the edges that are left and back."""
        graph, n = self._graph, self._graph.n
        # With turns, an edge is a vertex of the graph that is searched.
        turned = self._turned is not None
        (start, end), apart = self._ends, turned or self._claim == "vertex_disjoint"
        if graph.first_through or start == end:
            raise NotSupportedError(
                "verify checks disjoint routes between two vertices of a graph without closed ones."
            )
        used = np.concatenate([route.edges for route in self._routes])
        tails, heads = self._tails.astype(np.int64), self._heads.astype(np.int64)
        kind = np.dtype(np.int64 if graph.dist_dtype.kind == "i" else np.float64)
        weights = graph._solver_weights.astype(kind)
        self._once("edge", self._numbers(used), self._numbers(np.arange(graph.m)))
        inner = np.concatenate([route.indices[1:-1] for route in self._routes])
        if apart:
            self._once("vertex", inner, np.arange(n))
        # With routes that share no vertex, a vertex v is entered at v and left at n + v.
        left = np.where((tails == start) | (tails == end) | (not apart), tails, tails + n)
        free = np.ones(graph.m, np.bool_)
        free[used] = False
        halves = np.arange(n * apart)
        halves = halves[(halves != start) & (halves != end)]
        passed = np.isin(halves, inner)
        src = [left[free], heads[used], np.where(passed, halves + n, halves)]
        dst = [heads[free], left[used], np.where(passed, halves, halves + n)]
        lengths = [weights[free], -weights[used], np.zeros(len(halves), kind)]
        everyone = np.arange(n * (1 + apart))  # also from one more vertex to all
        src.append(np.full(len(everyone), len(everyone)))
        dst.append(everyone)
        lengths.append(np.zeros(len(everyone), kind))
        steps = [np.concatenate(part) for part in (src, dst, lengths)]
        rounding = self._rounding(sum(route.length for route in self._routes))
        self._slack = rounding * (len(everyone) + 1)
        residual = Graph.from_edges(
            steps[0], steps[1], steps[2] + np.array(rounding, kind), n=len(everyone) + 1
        )
        try:
            self._certified(residual, len(everyone), None)
        except NegativeCycleError as error:
            total = sum(route.length for route in self._routes)
            raise VerificationError(
                f"not verified: the routes' total length is {total}, and others' is {total} "
                f"{error.length:+}.",
                "routes",
                {"cycle": error.cycle},
            ) from None

    def _numbers(self, edges: Array) -> Array:
        """Return a number for each edge, the same for both directions of an undirected one."""
        if self._graph.directed:
            return edges
        ends = np.sort(np.stack([self._tails[edges], self._heads[edges]], axis=1), axis=1)
        whole = np.sort(np.stack([self._tails, self._heads], axis=1), axis=1)
        weights = self._graph._solver_weights
        keys = np.column_stack([whole, np.unique(weights, return_inverse=True)[1]])
        own = np.column_stack([ends, keys[edges, 2]])
        _, inverse = np.unique(np.concatenate([keys, own]), axis=0, return_inverse=True)
        numbers: Array = inverse.ravel()[len(keys) :]
        return numbers

    def _once(self, what: str, used: Array, every: Array) -> None:
        """Check that nothing is used more often than it exists; undirected edges exist twice."""
        twice = what == "edge" and not self._graph.directed
        most = np.bincount(every)
        counts = np.bincount(used, minlength=len(most))
        over = np.flatnonzero(counts > (most // 2 if twice else most))
        if len(over):
            edges = what == "edge" or self._turned is not None
            name = "" if edges else self._name(int(over[0]))
            raise VerificationError(
                f"not verified: routes share {f'the vertex {name}' if name else 'an edge'}.",
                "routes",
                {},
            )

    def of_two_costs(self, second: Any, limit: Any) -> RouteProof:
        """Check routes of two costs by extending all paths that none of them bounds."""
        graph, routes, turned = self._graph, self._routes, self._turned
        given = graph if turned is None else turned.graph
        try:
            other = given.with_weights(second)
        except (GraphError, InputError) as error:
            message = f"second: {error}".replace("second: weights", "second", 1)
            raise type(error)(message) from None
        if other.m != given.m or other.facts(symmetry=False).negative:
            raise InputError("second must be (m,) finite costs of 0 or more, or a kept column.")
        integer = graph.dist_dtype.kind == other.dist_dtype.kind == "i"
        kind = np.dtype(np.int64 if integer else np.float64)
        costs = [part._solver_weights.astype(kind) for part in (graph, other)]
        if turned is not None:
            last = turned.last_edges()[graph.indices]
            costs[1] = np.where(last < 0, 0, costs[1][last])
        self.exist(costs[0], kind)
        pairs: list[tuple[Any, Any]] = [(route.length, route.second) for route in routes]
        for at, route in enumerate(routes):
            self._sum(at, "second cost", route.second, costs[1][route.edges])
            if limit is not None and pairs[at][1] > limit:
                raise self._broken(at, f"its second cost {route.second} is beyond {limit}")
        for at, (before, after) in enumerate(pairwise(pairs)):
            if not (after[0] > before[0] and after[1] < before[1]):
                raise self._broken(at + 1, f"its costs {after} do not follow {before}")
        rounding = 1 if integer else 1 + 2 * graph.n * float(np.finfo(np.float64).eps)
        self._slack = (rounding - 1) * max(pairs[-1][0], pairs[0][1])
        lengths = [length for length, _ in pairs]

        def beaten(length: Any, cost: Any) -> bool:
            length, cost = length * rounding, cost * rounding
            if limit is not None and cost > limit:
                return True
            at = bisect_right(lengths, length) - 1
            longer = self._claim == "constrained" and length > lengths[at]
            return at >= 0 and (longer or cost >= pairs[at][1])

        self._extend(costs, beaten)
        return self.proof()

    def _extend(self, costs: list[Array], beaten: Callable[[Any, Any], bool]) -> None:
        """Extend paths in lexicographic order of their costs; none may come to the target.

        Parameters
        ----------
        beaten : says whether a lower bound of the costs of a path is no better than a route.
        """
        (start, end), out, steps = self._ends, self._out(*costs), 0
        rests = list(zip(*(self._rest(part, None) for part in costs), strict=True))
        least = [math.inf] * self._graph.n
        waiting: list[tuple[Any, Any, int]] = [(0, 0, start)] if start != end else []
        while waiting:
            length, cost, u = heappop(waiting)
            if cost >= least[u]:
                continue
            least[u] = cost
            if u == end:
                raise VerificationError(
                    f"not verified: a route of the costs {length} and {cost} is missing.",
                    "routes",
                    {"costs": (length, cost)},
                )
            for v, more, more_cost in out[u]:
                steps = self._stepped(steps)
                one, two = length + more, cost + more_cost
                if two < least[v] and not beaten(one + rests[v][0], two + rests[v][1]):
                    heappush(waiting, (one, two, v))

    def _stepped(self, steps: int) -> int:
        if steps >= _STEPS:
            raise NotSupportedError(
                f"the proof of claim={self._claim!r} follows more than {_STEPS:,} edges: verify "
                "fewer or shorter routes, or leave claim= out to check the routes alone."
            )
        return steps + 1

    def _name(self, vertex: int) -> str:
        if self._turned is None:
            return repr(one_label(self._graph, vertex))
        home, own = self._homes[vertex], self._turned.graph
        return repr(one_label(own, home if home < own.n else home - own.n - own.m))

    def _broken(self, at: int, fault: str) -> VerificationError:
        return VerificationError(f"not verified: route {at}: {fault}.", "routes", {"route": at})
