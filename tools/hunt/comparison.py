"""Checks of warpath's answers on one graph against those of `hunt.oracle`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.program import Finding
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hunt.graphs import Drawn
    from hunt.oracle import Labels
    from hunt.program import Counts
    from warpath.base.dtypes import Array
    from warpath.recipes import Recipe

#: Ranges of distances; the largest integer is excluded, as it marks unreachable vertices.
_RANGES = {"int64": (-(2**63), 2**63 - 1), "int32": (-(2**31), 2**31 - 1)}
_CORE = 1000  # vertices of a graph that is never refused a hierarchy
_SUMS = 2**61  # limit of n times the largest weight for algorithms that do not check sums
_PARAMS = (0.001, 0.3, 1, 2, 3, 7.5, 64, 1000, 2.0**31, 2.0**53 + 1, 1e18, 1e-300, 1e300)


@dataclass
class Comparison:
    """One graph and the checks of answers about it.

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

    def _may_refuse_sums(self, recipe: Recipe | None) -> tuple[type[Exception], ...]:
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
                raise self._finding(
                    f"{what}: row {place} {dist[place].tolist()}, not {right.tolist()}"
                )

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
    ) -> tuple[type[Exception], ...] | None:
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
        what: str,
        error: tuple[type[Exception], ...] | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        starts: list[int],
        *,
        turned: bool = False,
        refused: tuple[type[Exception], ...] = (),
    ) -> Any:
        """Call and return the answer; None if the call raised an expected exception."""
        self.counts["solves"] += 1
        try:
            found = call(self.graph, *arguments, **self.options, **options)
        except wp.WarpathError as raised:
            if error is not None and isinstance(raised, error):
                if isinstance(raised, wp.NegativeCycleError):
                    self._check_cycle(raised, what, starts, turned=turned)
                return None
            if refused and isinstance(raised, refused):
                return None
            wanted = " or ".join(e.__name__ for e in error) if error else "an answer"
            raise self._finding(
                f"{what}: {type(raised).__name__}: {raised}; not {wanted}"
            ) from raised
        if error is not None:
            raise self._finding(f"{what}: an answer, not {' or '.join(e.__name__ for e in error)}")
        return found

    def _check_cycle(
        self, raised: wp.NegativeCycleError, what: str, starts: list[int], *, turned: bool
    ) -> None:
        names = {self._name(v): v for v in range(self.graph.n)}
        cycle = [names.get(name, -1) for name in raised.cycle]
        length = None if -1 in cycle else self.drawn.oracle().around(cycle)
        if length is None or not length < 0 or length != raised.length:
            raise self._finding(
                f"{what}: cycle {raised.cycle} of {raised.length!r}, but it has {length!r}"
            )
        if not self.drawn.oracle(reverse=turned).reaches(starts) & set(cycle):
            raise self._finding(f"{what}: no path leads to the cycle {raised.cycle}")

    def _same(self, found: Array, right: Labels, what: str, *, zero_signs: bool = True) -> None:
        wanted = self._array(right, found.dtype)
        allowed = {self.graph.dist_dtype, np.dtype(np.int32)}
        if found.dtype not in allowed or found.shape != wanted.shape:
            raise self._finding(f"{what} of {found.dtype} {found.shape}, not {wanted.dtype}")
        if not (
            found.tobytes() == wanted.tobytes() if zero_signs else np.array_equal(found, wanted)
        ):
            raise self._finding(f"{what} is {_shown(found, wanted)}")

    def _array(self, right: Labels, dtype: np.dtype[Any]) -> Array:
        unreachable = math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)
        return np.array([unreachable if d is None else d for d in right], dtype)

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
            step = (
                np.nextafter(near, near.dtype.type(-1))
                if isinstance(near, np.float32)
                else math.nextafter(near, -1)
            )
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
        return {"params": chosen} if chosen else {}

    def _name(self, vertex: int) -> Any:
        return self.drawn.name(vertex)

    def _said(self, call: str, what: Any, options: dict[str, Any]) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in (self.options | options).items())
        return f"{call}({what}, {given})"

    def _finding(self, text: str) -> Finding:
        return Finding(f"{text}\n{self.drawn}")


def _shown(found: Array, right: Array) -> str:
    """Return both arrays, or the first places where long ones differ."""
    if len(found) != len(right):
        return f"{found.tolist()}, not {right.tolist()}"
    if len(right) <= 40:
        return f"{found.tolist()}\nnot {right.tolist()}"
    at = np.flatnonzero(found != right)
    first = ", ".join(f"[{i}] {found[i]!r} for {right[i]!r}" for i in at[:5].tolist())
    return f"wrong in {len(at)} places: {first}"
