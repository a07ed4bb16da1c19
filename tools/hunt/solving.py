"""Calls of warpath whose answers are compared with those of `support.oracle`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.program import Finding
from support.compare import noting
from support.tables import assert_paths
from warpath.base.dtypes import unreachable
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hunt.graphs import Drawn
    from hunt.program import Counts
    from support.oracle import Labels, Oracle
    from warpath.base.dtypes import Array
    from warpath.recipes import Recipe

    Errors = tuple[type[Exception], ...]

#: Ranges of distances; the largest integer is excluded, as it marks unreachable vertices.
_RANGES = {"int64": (-(2**63), 2**63 - 1), "int32": (-(2**31), 2**31 - 1)}
_CORE = 1000  # vertices of a graph that is never refused a hierarchy
_SUMS = 2**61  # limit of n times the largest weight for algorithms that do not check sums
_PARAMS = (0.001, 0.3, 1, 2, 3, 7.5, 64, 1000, 2.0**31, 2.0**53 + 1, 1e18, 1e-300, 1e300)


@dataclass
class Solves:
    """Solves one graph in many ways and compares each answer.

    Attributes
    ----------
    drawn : the graph.
    rng : draws the options of calls.
    counts : counters of the trial; each call adds one to "solves".
    options : options of every call, such as ``{"device": "cuda"}``.
    """

    drawn: Drawn
    rng: np.random.Generator
    counts: Counts
    options: dict[str, Any]

    def __post_init__(self) -> None:
        self.graph = self.drawn.graph
        weights = [weight for _, _, weight in self.drawn.edges]
        self.lightest = min(weights, default=None)
        self.heaviest = max(weights, default=None)

    def takes(self, recipe: Recipe, *more: Any) -> bool:
        """Return whether an algorithm supports the graph's weights and the weights in `more`."""
        ends = [w for w in (self.lightest, self.heaviest, *more) if w is not None]
        return (not recipe.integer_only or self.drawn.integer) and (
            not ends
            or (
                (recipe.negative or min(ends) >= 0)
                and (recipe.max_weight is None or max(ends) <= recipe.max_weight)
                and (not recipe.equal_weights or min(ends) == max(ends))
            )
        )

    def _may_refuse_sums(self, recipe: Recipe | None) -> Errors:
        """Return exceptions that algorithms without checks of sums may raise for large weights.

        And that of graphs of more than a thousand vertices, which may have no hierarchy.
        """
        if recipe is not None and recipe.prepared:
            return (wp.NotSupportedError,) if self.graph.n >= _CORE else ()
        checked = recipe is not None and not (recipe.reassociates or recipe.loop is Loop.BFS)
        # On a GPU, no algorithm for negative weights checks sums.
        if checked and not (self._on_gpu() and (self.lightest or 0) < 0):
            return ()
        largest = max(abs(self.lightest or 0), abs(self.heaviest or 0))
        # Closed vertices count twice, and `nearest` searches from one more.
        vertices = self.graph.n + self.graph.first_through + 1
        if self.drawn.integer:
            return (wp.NotSupportedError,) if largest * vertices >= _SUMS else ()
        most = float(np.finfo(self.graph.dist_dtype).max) / (4 * vertices)
        # Under potentials lengths grow up to the sum of all weights.
        return (wp.DistanceOverflowError,) if float(largest) >= most else ()

    def _on_gpu(self) -> bool:
        return "cuda" in (*self.options.values(), self.graph.device.partition(":")[0])

    def _fits(self, answer: Labels) -> bool:
        low, high = _RANGES["int64"]
        return not self.drawn.integer or all(d is None or low <= d < high for d in answer)

    def _same_rows(
        self, dist: Array, rows: Sequence[Labels | None], what: str, *, loose: bool
    ) -> None:
        if len(dist) != len(rows):
            raise self._finding(f"{what}: {dist.shape} for {len(rows)} sources")
        for place, row in enumerate(rows):
            assert row is not None
            if not loose:
                self._same(dist[place], row, f"{what}: row {place}", zero_signs=False)
                continue
            right = self._array(row, dist.dtype)
            finite = np.isfinite(right)
            close = np.abs(dist[place][finite] - right[finite]) <= self._slack(row)
            if not (np.array_equal(np.isfinite(dist[place]), finite) and close.all()):
                raise self._finding(f"{what}: row {place} is {_shown(dist[place], right)}")

    # Expected outcomes

    def _answer(self, dist: Labels | None, cutoff: Any) -> Labels | None:
        if dist is None or cutoff is None:
            return dist
        return [None if d is None or d > cutoff else d for d in dist]

    def _tree(self, source: int, answer: Labels) -> list[int]:
        pred = self.drawn.oracle().predecessors(source)
        return [-1 if d is None else u for u, d in zip(pred, answer, strict=True)]

    def _error(
        self, labels: Labels | None, rows: Sequence[Labels | None], options: dict[str, Any]
    ) -> Errors | None:
        """Return the exceptions of which the call must raise one; None if it must answer."""
        if labels is None:
            return (wp.NegativeCycleError,)
        if not self.drawn.integer:
            return None
        low, high = _RANGES[np.dtype(options.get("dist_dtype") or "int64").name]
        fits = all(d is None or low <= d < high for row in rows if row is not None for d in row)
        return None if fits else (wp.DistanceOverflowError,)

    def _call(
        self,
        call: Callable[..., Any],
        said: Any,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        expected: tuple[Labels | None, Sequence[Labels | None]],
        starts: Sequence[int],
        *,
        refused: Errors = (),
        error: Errors | None = None,
    ) -> tuple[Any, str]:
        """Return the answer and a text of the call; None if it raised an expected exception.

        Parameters
        ----------
        said : the arguments as vertex numbers.
        expected : the labels from `starts`, None for a negative cycle, and the rows of the answer.
        refused : exceptions that the call may raise.
        error : exceptions of which it must raise one, if not those of `_error`.
        """
        given = ", ".join(f"{key}={value!r}" for key, value in (self.options | options).items())
        what = f"{call.__name__}({said}, {given})"
        error = error or self._error(*expected, options)
        wanted = " or ".join(each.__name__ for each in error or ())
        self.counts["solves"] += 1
        try:
            found = call(self.graph, *arguments, **self.options, **options)
        except wp.WarpathError as raised:
            if isinstance(raised, error or ()):
                if isinstance(raised, wp.NegativeCycleError):
                    self._check_cycle(raised, what, starts, turned=bool(options.get("reverse")))
                return None, what
            if isinstance(raised, refused):
                return None, what
            seen = f"{type(raised).__name__}: {raised}"
            raise self._finding(f"{what}: {seen}; not {wanted or 'an answer'}") from raised
        if error is not None:
            raise self._finding(f"{what}: an answer, not {wanted}")
        return found, what

    def _check_cycle(
        self, raised: wp.NegativeCycleError, what: str, starts: Sequence[int], *, turned: bool
    ) -> None:
        names = {self._name(v): v for v in range(self.graph.n)}
        cycle = [names.get(name, -1) for name in raised.cycle]
        length = None if -1 in cycle else self.drawn.oracle().around(cycle)
        if length is None or not length < 0 or length != raised.length:
            said = f"cycle {raised.cycle} of {raised.length!r}"
            raise self._finding(f"{what}: {said}, but it has {length!r}")
        if not self.drawn.oracle(reverse=turned).reaches(starts) & set(cycle):
            raise self._finding(f"{what}: no path leads to the cycle {raised.cycle}")

    def _same(self, found: Array, right: Labels, what: str, *, zero_signs: bool = True) -> None:
        wanted = self._array(right, found.dtype)
        allowed = {self.graph.dist_dtype, np.dtype(np.int32)}
        if found.dtype not in allowed or found.shape != wanted.shape:
            raise self._finding(f"{what} of {found.dtype} {found.shape}, not {wanted.dtype}")
        same_bits = found.tobytes() == wanted.tobytes()
        if not (same_bits if zero_signs else np.array_equal(found, wanted)):
            raise self._finding(f"{what} is {_shown(found, wanted)}")

    def _array(self, right: Labels, dtype: np.dtype[Any]) -> Array:
        return np.array([unreachable(dtype) if d is None else d for d in right], dtype)

    def _same_tree(self, found: Array, right: Sequence[int], what: str) -> None:
        if found.dtype != self.graph.indices.dtype or found.tolist() != list(right):
            raise self._finding(f"{what} is {_shown(found, np.array(right))}")

    def _slack(self, lengths: Labels) -> float:
        """Return the allowed rounding error: n * eps of the longest length or potential."""
        total = max((abs(float(d)) for d in lengths if d is not None), default=0.0)
        if self.drawn.oracle().negative:
            total = max(total, sum(abs(float(w)) for _, _, w in self.drawn.edges))
        type_ = np.finfo(self.graph.dist_dtype)
        return self.graph.n * (float(type_.eps) * total + float(type_.smallest_subnormal))

    # Options

    def _cut(self, source: int, *, always: bool = False) -> dict[str, Any]:
        """Return the option of a cutoff near a distance, or no option."""
        if not always and self.rng.random() < 0.6:
            return {}
        oracle = self.drawn.oracle()
        labels = oracle.labels(source)
        known = [d for d in labels or [] if d is not None and d >= 0]
        near = known[self.rng.integers(0, len(known))] if known else self.drawn.zero
        if not self.drawn.integer:
            step = np.nextafter(near, type(near)(-1))
            return {"cutoff": max(float(near if self.rng.random() < 0.6 else step), 0.0)}
        kind = self.rng.integers(0, 7)
        cutoff = [near, near - 1, near + 1, near / 2, near // 2, 2**53 + 1, 2**70][kind]
        # Larger cutoffs become 2^90: between 2^63 and 2^70 a distance may be within the cutoff
        # and not fit into int64.
        return {"cutoff": max(cutoff, 0) if cutoff < _RANGES["int64"][1] else 2**90}

    def _narrow(self) -> dict[str, Any]:
        if not self.drawn.integer or self.rng.random() < 0.85:
            return {}
        return {"dist_dtype": "int32" if self.rng.random() < 0.8 else "int64"}

    def params(self, recipe: Recipe) -> dict[str, Any]:
        """Return unusual parameters of an algorithm as options, or no options."""
        if not recipe.params or self.rng.random() < 0.6:
            return {}
        chosen: dict[str, float] = {}
        for param in recipe.params:
            if self.rng.random() < 0.7:
                value = _PARAMS[self.rng.integers(0, len(_PARAMS))]
                most = param.most or 1024
                chosen[param.name] = max(1, round(min(value, most))) if param.whole else value
        if "width" in chosen:  # a width replaces delta, and both are refused
            chosen.pop("delta", None)
        return {"params": chosen} if chosen else {}

    def _name(self, vertex: int) -> Any:
        return self.drawn.name(vertex)

    def _finding(self, text: str) -> Finding:
        return Finding(f"{text}\n{self.drawn}")

    # Calls about one source

    def sssp(
        self, source: int, recipe: Recipe | None = None, *, odd: bool = True, **options: Any
    ) -> Any:
        """Solve from one source; with `odd` also with a cutoff, a type, parameters, a trace."""
        if odd:
            options = self._cut(source) | self._narrow() | options
        oracle = self.drawn.oracle()
        answer = self._answer(oracle.distances(source), options.get("cutoff"))
        expected = oracle.labels(source), [answer]
        refused: Errors = ()
        if recipe is not None or (self._on_gpu() and oracle.negative):
            refused = self._may_refuse_sums(recipe)
        names = (self._name(source),)
        given = (source, names, options, expected, [source])
        found, what = self._call(wp.sssp, *given, refused=refused)
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
            if route != (right := self.route(source, target)):
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
        answer = oracle.distances(source)
        length = None if answer is None else answer[target]
        expected = oracle.labels(source), [[length]]
        error: Errors | None = None
        if source == target:
            expected = [], [[]]
        elif self._error(*expected, options) is None and length is None:
            error = (wp.NoPathError,)
            if not self.drawn.integer and target in oracle.reaches([source]):
                error = (wp.NoPathError, wp.DistanceOverflowError)  # a sum beyond the largest float
        ends = self._name(source), self._name(target)
        refused = self._may_refuse_sums(recipe) if recipe and recipe.prepared else ()
        found, what = self._call(
            wp.path, (source, target), ends, options, expected, [source],
            refused=refused, error=error,
        )  # fmt: skip
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
            if route != (right := self.route(source, target)):
                raise self._finding(f"{what}: route {route}, not {right}")
            return
        lengths = self.drawn.oracle().along(route)
        if lengths is None or route[0] != source or route[-1] != target:
            raise self._finding(f"{what}: {route} is no route")
        slack = self._slack([length])
        if abs(lengths - length) > slack or abs(found.length - length) > slack:
            raise self._finding(f"{what}: {found.length!r} along {lengths!r}, not {length!r}")

    def nearest(
        self, facilities: Sequence[int], recipe: Recipe | None, *, reverse: bool, **options: Any
    ) -> None:
        """Solve for the nearest of several facilities and compare the answer."""
        options = self._cut(facilities[0]) | options
        oracle = self.drawn.oracle(reverse=reverse)
        starts = sorted(set(facilities))
        labels = oracle.labels(*starts)
        dist, owner = (None, []) if labels is None else self._nearest_of(oracle, starts, labels)
        answer = self._answer(dist, options.get("cutoff"))
        names = [self._name(each) for each in facilities]
        refused = self._may_refuse_sums(recipe) if recipe else ()
        found, what = self._call(
            wp.nearest, facilities, (names,), options | {"reverse": reverse}, (labels, [answer]),
            starts, refused=refused,
        )  # fmt: skip
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
        answer = self._answer(oracle.distances(source), cutoffs[-1])
        found, what = self._call(
            wp.within, (source, cutoffs), (self._name(source), cutoffs),
            options | {"reverse": reverse}, (oracle.labels(source), [answer]), [source],
        )  # fmt: skip
        if found is None or answer is None:
            return
        inside = sorted((length, v) for v, length in enumerate(answer) if length is not None)
        if found.indices.tolist() != [v for _, v in inside]:
            raise self._finding(f"{what}: vertices {found.indices.tolist()}, not {inside}")
        self._same(found.dist, [length for length, _ in inside], f"{what}: dist")
        counts = [sum(length <= cut for length, _ in inside) for cut in sorted(set(cutoffs))]
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
        names = [self._name(each) for each in sources]
        ends = None if targets is None else [self._name(each) for each in targets]
        return self._table(wp.distances, sources, targets, recipe, (names, ends), options)

    def apsp(self, recipe: Recipe | None, *, odd: bool = True, **options: Any) -> Any:
        """Solve between all pairs."""
        if odd:
            options = self._narrow() | options
        every = range(self.graph.n)
        parts: list[tuple[slice, Array]] = []
        if self.rng.random() < 0.1 and odd and not options.get("predecessors"):
            options["out"] = lambda rows, values: parts.append((rows, np.array(values)))
        found = self._table(wp.apsp, every, None, recipe, (), options, parts)
        return None if parts else found

    def _table(
        self,
        call: Callable[..., Any],
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
        said = (sources, targets) if arguments else ()
        refused = self._may_refuse_sums(recipe)
        expected: tuple[Labels | None, list[Labels | None]] = None if cyclic else [], picked
        found, what = self._call(call, said, arguments, options, expected, sources, refused=refused)
        if found is None or cyclic:
            return None
        recipe = found.plan.recipe
        assert recipe is not None
        loose = recipe.reassociates and not self.drawn.exact
        dist = np.concatenate([part for _, part in parts]) if parts else found.on_host()
        self._same_rows(dist, picked, what, loose=loose)
        if options.get("predecessors"):
            for row, source in enumerate(sources):
                pred, answer = found.pred[row], rows[row] or []
                self._same_table_tree(pred, source, answer, columns, recipe, what)
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
            dist = self._array(answer, self.graph.dist_dtype)
            with noting(f"{what}\n{self.drawn}"):
                assert_paths(recipe, self.graph, np.array([source]), dist[None], pred[None])

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


def _shown(found: Array, right: Array) -> str:
    """Return both arrays, or the first places where long ones differ."""
    if len(found) != len(right):
        return f"{found.tolist()}, not {right.tolist()}"
    if len(right) <= 40:
        return f"{found.tolist()}\nnot {right.tolist()}"
    at = np.flatnonzero(found != right)
    first = ", ".join(f"[{i}] {found[i]!r} for {right[i]!r}" for i in at[:5].tolist())
    return f"wrong in {len(at)} places: {first}"
