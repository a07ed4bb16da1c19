"""Calls of warpath whose answers are compared with those of `hunt.oracle`."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hunt.oracle import Labels, Oracle
    from warpath.base.dtypes import Array
    from warpath.recipes import Recipe


class Solves(Comparison):
    """Solves one graph in many ways and compares each answer."""

    # Calls about one source

    def sssp(
        self, source: int, recipe: Recipe | None = None, *, odd: bool = True, **options: Any
    ) -> Any:
        """Solve from one source; with `odd` also with a cutoff, a type, parameters, a trace."""
        if odd:
            options = self._cut(source) | self._narrow() | options
        oracle = self.drawn.oracle()
        what = self._said("sssp", source, options)
        labels = oracle.labels(source)
        answer = self._answer(oracle.distances(source), options.get("cutoff"))
        error = self._error(labels, [answer], options)
        refused: tuple[type[Exception], ...] = ()
        if recipe is not None or (self._on_gpu() and oracle.negative):
            refused = self._may_refuse_sums(recipe)
        found = self._call(
            wp.sssp, what, error, (self._name(source),), options, [source], refused=refused
        )
        if found is None or answer is None:
            return None
        self._same(found.dist, answer, f"{what}: dist")
        self._same_tree(found.pred, self._tree(source, answer), f"{what}: pred")
        if found.plan.device != "cpu" and self.rng.random() < 0.2:
            self._same_there(found, what)
        if self.rng.random() < 0.2:
            self._use(found, source, int(self.rng.integers(0, self.graph.n)), what)
        return found

    def _same_there(self, found: Any, what: str) -> None:
        """Compare the arrays on the device with those on the host."""
        try:
            device = found.on_device
        except wp.NotSupportedError:  # solved with a trace, or once more on the CPU
            return
        for name in ("dist", "pred"):
            there = getattr(device, name)
            there = there.get() if hasattr(there, "get") else there  # the emulator has NumPy's
            if there.tobytes() != getattr(found, name).tobytes():
                raise self._finding(f"{what}: on_device.{name} is {there.tolist()}")

    def _use(self, found: Any, source: int, target: int, what: str) -> None:
        """Compare a route of a result, and verify the result."""
        if found.reached[target]:
            route = found.path_to(self._name(target)).indices.tolist()
            if route != self.route(source, target):
                right = self.route(source, target)
                raise self._finding(f"{what}: path_to({target}) {route}, not {right}")
        self._verify(found, what)

    def _verify(self, found: Any, what: str) -> None:
        self.counts["certificates"] += 1
        try:
            wp.verify(self.graph, found)
        except wp.WarpathError as error:
            raise self._finding(f"{what}: verify refuses what is right: {error}") from error

    def path(self, source: int, target: int, recipe: Recipe | None, **options: Any) -> None:
        """Solve for one route and compare it."""
        oracle = self.drawn.oracle()
        what = self._said("path", (source, target), options)
        labels = oracle.labels(source)
        answer = oracle.distances(source)
        length = None if answer is None else answer[target]
        error = self._error(labels, [[length]], options)
        if error is None and length is None:
            error = (wp.NoPathError,)
            if not self.drawn.integer and target in oracle.reaches([source]):
                error = (wp.NoPathError, wp.DistanceOverflowError)  # a sum beyond the largest float
        if source == target:
            error = None
        ends = self._name(source), self._name(target)
        refused = self._may_refuse_sums(recipe) if recipe and recipe.prepared else ()
        found = self._call(wp.path, what, error, ends, options, [source], refused=refused)
        if found is None:
            return
        if source == target:
            if found.indices.tolist() != [source] or found.length != 0:
                raise self._finding(f"{what}: {found.indices.tolist()} of {found.length}")
            return
        # A search from both ends adds floats in another order and may take another route.
        other = recipe is not None and recipe.reassociates and not self.drawn.integer
        if not (other and not self.drawn.exact) and found.length != length:
            raise self._finding(f"{what}: length {found.length!r}, not {length!r}")
        self._check_route(what, found, source, target, length, same=not other)

    def route(self, source: int, target: int) -> list[int]:
        """Return the route in the oracle's tree between two vertices, which must exist."""
        pred, route = self.drawn.oracle().predecessors(source), [target]
        while route[-1] != source:
            route.append(pred[route[-1]])
        return route[::-1]

    def _check_route(
        self, what: str, found: Any, source: int, target: int, length: Any, *, same: bool
    ) -> None:
        route = found.indices.tolist()
        if same:
            right = self.route(source, target)
            if route != right:
                raise self._finding(f"{what}: route {route}, not {right}")
            return
        lengths = self._lengths_along(route)
        if lengths is None or route[0] != source or route[-1] != target:
            raise self._finding(f"{what}: {route} is no route")
        slack = self._slack([length])
        if abs(lengths - length) > slack or abs(found.length - length) > slack:
            raise self._finding(f"{what}: {found.length!r} along {lengths!r}, not {length!r}")

    def _lengths_along(self, route: Sequence[int]) -> Any:
        """Return the length of a route over the lightest edges; None where an edge is missing."""
        total = self.drawn.zero
        for u, v in itertools.pairwise(route):
            weights = [w for a, b, w in self.drawn.edges if (a, b) == (u, v)]
            if not weights:
                return None
            total += min(weights)
        return total

    def nearest(
        self, facilities: Sequence[int], recipe: Recipe | None, *, reverse: bool, **options: Any
    ) -> None:
        """Solve for the nearest of several facilities and compare the answer."""
        options = self._cut(facilities[0]) | options
        oracle = self.drawn.oracle(reverse=reverse)
        starts = sorted(set(facilities))
        what = self._said("nearest", facilities, options | {"reverse": reverse})
        labels = oracle.labels(*starts)
        dist, owner = (None, []) if labels is None else self._nearest_of(oracle, starts, labels)
        answer = self._answer(dist, options.get("cutoff"))
        error = self._error(labels, [answer], options)
        names = [self._name(each) for each in facilities]
        found = self._call(
            wp.nearest,
            what,
            error,
            (names,),
            options | {"reverse": reverse},
            starts,
            turned=reverse,
            refused=self._may_refuse_sums(recipe) if recipe else (),
        )
        if found is None or answer is None:
            return
        self._same(found.dist, answer, f"{what}: dist")
        kept = [u if length is not None else -1 for u, length in zip(owner, answer, strict=True)]
        self._same_tree(found.facility_indices, kept, f"{what}: facility_indices")

    def _nearest_of(
        self, oracle: Oracle, starts: Sequence[int], labels: Labels
    ) -> tuple[Labels, list[int]]:
        """Return the distance and facility of each of the graph's own vertices."""
        owner = oracle.owners(starts, labels)
        n, closed = oracle.n, oracle.closed
        if not closed:
            return labels, owner
        dist = [*labels[n:], *labels[closed:n]]
        owner = [*owner[n:], *owner[closed:n]]
        for each in starts:  # a closed facility is at 0 from itself: a round trip does not count
            if each < closed:
                rows = [(oracle.distances(start) or [])[each] for start in starts]
                known = [(d, u) for d, u in zip(rows, starts, strict=True) if d is not None]
                dist[each], owner[each] = min(known)
        return dist, owner

    def within(self, source: int, *, reverse: bool, **options: Any) -> None:
        """Solve for the vertices within some cutoffs and compare the answer."""
        oracle = self.drawn.oracle(reverse=reverse)
        cutoffs = [self._cut(source, always=True)["cutoff"] for _ in range(self.rng.integers(1, 4))]
        if not all(0 <= each < math.inf for each in cutoffs) or max(cutoffs) >= 2**63:
            return
        cutoffs.sort()
        what = self._said("within", (source, cutoffs), options | {"reverse": reverse})
        labels = oracle.labels(source)
        answer = self._answer(oracle.distances(source), cutoffs[-1])
        error = self._error(labels, [answer], options)
        found = self._call(
            wp.within,
            what,
            error,
            (self._name(source), cutoffs),
            options | {"reverse": reverse},
            [source],
            turned=reverse,
        )
        if found is None or answer is None:
            return
        inside = sorted((length, v) for v, length in enumerate(answer) if length is not None)
        if found.indices.tolist() != [v for _, v in inside]:
            raise self._finding(f"{what}: vertices {found.indices.tolist()}, not {inside}")
        self._same(found.dist, [length for length, _ in inside], f"{what}: dist")
        unique = sorted(set(cutoffs))
        counts = [sum(length <= cutoff for length, _ in inside) for cutoff in unique]
        if found.counts.tolist() != counts:
            raise self._finding(f"{what}: counts {found.counts.tolist()}, not {counts}")

    # Calls about tables

    def distances(
        self,
        sources: Sequence[int],
        targets: Sequence[int] | None,
        recipe: Recipe | None,
        *,
        odd: bool = True,
        **options: Any,
    ) -> Any:
        """Solve from several sources to several targets, or to all vertices."""
        if odd:
            # A distance that rounds differently may be on the other side of a cutoff.
            rounds = recipe is not None and recipe.prepared and not self.drawn.exact
            options = ({} if rounds else self._cut(sources[0])) | self._narrow() | options
        what = self._said("distances", (sources, targets), options)
        names = [self._name(each) for each in sources]
        ends = None if targets is None else [self._name(each) for each in targets]
        return self._table(wp.distances, what, sources, targets, recipe, (names, ends), options)

    def apsp(self, recipe: Recipe | None, *, odd: bool = True, **options: Any) -> Any:
        """Solve between all pairs."""
        if odd:
            options = self._narrow() | options
        what = self._said("apsp", (), options)
        every = range(self.graph.n)
        parts: list[tuple[slice, Array]] = []
        if self.rng.random() < 0.1 and odd and not options.get("predecessors"):
            options["out"] = lambda rows, values: parts.append((rows, np.array(values)))
        found = self._table(wp.apsp, what, every, None, recipe, (), options, parts)
        return None if parts else found

    def _table(
        self,
        call: Callable[..., Any],
        what: str,
        sources: Sequence[int],
        targets: Sequence[int] | None,
        recipe: Recipe | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        parts: Sequence[tuple[slice, Array]] = (),
    ) -> Any:
        oracle, cutoff = self.drawn.oracle(), options.get("cutoff")
        rows = [self._answer(oracle.distances(source), cutoff) for source in sources]
        columns = range(self.graph.n) if targets is None else targets
        picked = [None if row is None else [row[v] for v in columns] for row in rows]
        cyclic = any(row is None for row in rows)
        error = self._error(None if cyclic else [], picked, options)
        found = self._call(
            call,
            what,
            error,
            arguments,
            options,
            list(sources),
            refused=self._may_refuse_sums(recipe),
        )
        if found is None or cyclic:
            return None
        recipe = found.plan.recipe
        assert recipe is not None
        loose = recipe.reassociates and not self.drawn.exact
        dist = np.concatenate([part for _, part in parts]) if parts else found.on_host()
        self._same_rows(dist, picked, what, loose=loose)
        if options.get("predecessors"):
            for row, source in enumerate(sources):
                self._same_table_tree(
                    found.pred[row], source, rows[row] or [], columns, recipe, what
                )
        if self.rng.random() < 0.1 and not parts:
            self._verify(found, what)
        if self.rng.random() < 0.2 and not parts and len(sources):
            self._use_table(found, sources, columns, recipe, what)
        return found

    def _same_table_tree(
        self,
        pred: Array,
        source: int,
        answer: Labels,
        columns: Sequence[int],
        recipe: Recipe,
        what: str,
    ) -> None:
        """Compare a row of predecessors; algorithms that compute them may choose any tree."""
        if not recipe.predecessors:
            tree = self._tree(source, answer)
            self._same_tree(pred, [tree[v] for v in columns], f"{what}: pred from {source}")
        elif self.drawn.exact and not self.graph.first_through and columns == range(self.graph.n):
            self._any_tree(pred.tolist(), source, answer, f"{what}: pred from {source}")

    def _any_tree(self, pred: Sequence[int], source: int, answer: Labels, what: str) -> None:
        """Check that predecessors are a tree of shortest paths, whichever of several."""
        edges = {(u, v): w for u, v, w in sorted(self.drawn.edges, key=lambda e: -e[2])}
        for v, d in enumerate(answer):
            u = pred[v]
            if d is None or v == source:
                if u != -1:
                    raise self._finding(f"{what}: vertex {v} has {u}, not -1")
                continue
            if u < 0 or (u, v) not in edges or answer[u] is None or answer[u] + edges[u, v] != d:
                raise self._finding(f"{what}: {u} -> {v} is not the last edge of a shortest path")
            steps = 0
            while u != source and steps <= self.graph.n:
                u, steps = pred[u], steps + 1
            if u != source:
                raise self._finding(f"{what}: the predecessors of {v} do not lead to {source}")

    def _use_table(
        self, found: Any, sources: Sequence[int], columns: Sequence[int], recipe: Recipe, what: str
    ) -> None:
        """Compare a route and a row's tree, as computed from a table."""
        source = sources[int(self.rng.integers(0, len(sources)))]
        target = columns[int(self.rng.integers(0, len(columns)))]
        dist = self.drawn.oracle().distances(source)
        assert dist is not None
        answer = self._answer(dist, found.cutoff)
        assert answer is not None
        exact = self.drawn.exact or not recipe.reassociates
        exact = exact and not (recipe.predecessors and found.pred is not None)
        try:
            route = found.path(self._name(source), self._name(target)).indices.tolist()
        except wp.NoPathError:
            route = None
        right = None if answer[target] is None else self.route(source, target)
        if route != right and (exact or route is None or right is None):
            raise self._finding(f"{what}: path({source}, {target}) {route}, not {right}")
        if self._fits(answer):
            row = found.paths_from(self._name(source))
            self._same(row.dist, answer, f"{what}: paths_from({source}).dist")
            tree = self._tree(source, answer)
            self._same_tree(row.pred, tree, f"{what}: paths_from({source}).pred")
