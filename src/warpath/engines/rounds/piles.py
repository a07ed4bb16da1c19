"""Near set and far pile, and buckets with a far pile: label-correcting in the order of labels.

Each round relaxes, among others, a vertex whose label is the least of all that wait. That label is
final, for a shorter way would pass a waiting vertex of a smaller one, so the vertex never comes
back: n rounds are enough for any graph, however delta is chosen. Rounding changes nothing in it,
since a rounded sum is not below its summands either.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.rounds.lists import Expansion, Splitter
from warpath.recipes.axes import Arrange

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.rounds.run import Run


def near_far(run: Run) -> bool:
    """Run `Loop.NEAR_FAR`; return True: it comes to rest.

    With the parameter `switch` the list is swept whole while fewer vertices than that wait, and
    split into near and far while there are more.
    """
    return _NearFar(run).solve()


class _NearFar:
    def __init__(self, run: Run) -> None:
        self.run = run
        self.expansion, self.splitter = Expansion(run), Splitter(run)
        self.delta = run.order.params["delta"]
        self.switch = self._switch()
        self.near, self.nears = run.list_of(run.order.problem.source), 1
        # A vertex may lie on the pile once for each time it was lowered. Twice n places: before a
        # round's vertices, n at most, would not fit, doubles are dropped and n at most stay.
        self.far, self.fars = self._pile(), 0
        self.spare = self._pile()
        self.low: Any = run.label(0)
        self.high: Any = run.label(run.unreachable)
        if self.switch is None:
            self.high = next_bound(run, self.delta, 0)

    def _switch(self) -> float | None:
        """Return the parameter of that name, by default the threads that run at once, or None."""
        run = self.run
        if all(param.name != "switch" for param in run.order.recipe.params):
            return None
        return run.order.params.get("switch", run.resident_blocks * run.device.block)

    def _pile(self) -> Array:
        pile: Array = self.run.xp.empty(max(2 * self.run.n, 1), self.run.rows.indices.dtype)
        return pile

    def solve(self) -> bool:
        run, turns = self.run, 0
        while self.nears or self.fars:
            turns += 1
            run.must_end_within(2 * run.n + 2, turns)  # a refill is followed by a round
            if self.switch is not None:
                self._change_mode(self.switch)
            if not self.nears:
                self._refill()
                continue
            selected = self.nears
            total = self.expansion.expand(self.near, self.nears)
            if self.fars + min(total, run.n) > len(self.far):
                self._drop_doubles()
            self.nears, more = self.splitter.split(
                self.expansion.items, total, self.low, self.high, self.near, self.far[self.fars :]
            )
            self.fars += more
            self._end("sweep" if self.high == run.unreachable else "near", selected)
        return self.expansion.finish()

    def _end(self, phase: str, selected: int) -> None:
        relaxed, improved, _ = self.run.counted() if self.run.traced else (0, 0, 0)
        self.run.round(phase, selected, relaxed, improved, near=self.nears, far=self.fars)

    def _refill(self) -> None:
        """Raise the threshold to where the pile has vertices again, and take them."""
        least = self.splitter.least(self.far, self.fars, self.high)
        self.low = self.high
        if least == self.run.unreachable:
            self.fars = 0
            return
        self.high = next_bound(self.run, self.delta, least)
        self._split_pile()

    def _split_pile(self) -> None:
        self.nears, self.fars = self.splitter.split(
            self.far, self.fars, self.low, self.high, self.near, self.spare
        )
        self.far, self.spare = self.spare, self.far

    def _drop_doubles(self) -> None:
        _, self.fars = self.splitter.split(
            self.far, self.fars, self.high, self.high, self.near, self.spare
        )
        self.far, self.spare = self.spare, self.far

    def _change_mode(self, switch: float) -> None:
        run, waiting = self.run, self.nears + self.fars
        sweeping = self.high == run.unreachable
        if not sweeping and waiting < switch:
            self.high = run.label(run.unreachable)
        elif sweeping and self.nears >= switch:
            least = self.splitter.least(self.near, self.nears, self.low)
            self.high = next_bound(run, self.delta, least)
        else:
            return
        self.far[self.fars : waiting] = self.near[: self.nears]
        self.fars = waiting
        self._split_pile()


def buckets(run: Run) -> bool:
    """Run `Loop.BUCKETS`; True."""
    return _Buckets(run).solve()


class _Buckets:
    """The lowest bucket is relaxed; what it lowers joins the others, or the far pile."""

    def __init__(self, run: Run) -> None:
        xp, kind = run.xp, run.rows.indices.dtype
        self.run = run
        self.expansion, self.splitter = Expansion(run), Splitter(run)
        self.delta = run.order.params["delta"]
        self.count = int(run.order.params["buckets"])
        self.order = self._sorted
        if run.axes.arrange is Arrange.MULTISPLIT:
            self.order = self._multisplit
            self.count_kernel, self.place_kernel = run.kernel("count"), run.kernel("place")
        self.keys_kernel = run.kernel("keys")
        # Beside the vertices of the buckets, each once, the m slots of a round must fit.
        self.active = xp.empty(run.n + max(run.order.graph.m, 1), kind)
        self.active[0], self.actives = run.order.problem.source, 1
        self.far, self.spare = (xp.empty(max(2 * run.n, 1), kind) for _ in range(2))
        self.fars = 0
        self.low: Any = run.label(0)
        self.bounds = self._window(0)

    def _window(self, least: Any) -> list[Any]:
        """Return the bounds of the buckets, the first at or below the least label."""
        run = self.run
        bounds = [run.label(grid_floor(run, self.delta, least))]
        for _ in range(self.count):
            bounds.append(next_bound(run, self.delta, bounds[-1].item()))
        return bounds

    def solve(self) -> bool:
        run, turns = self.run, 0
        while self.actives or self.fars:
            turns += 1
            run.must_end_within(3 * run.n + 3, turns)  # empty buckets, a refill, a round
            sizes = self._arrange() if self.actives else self._refill()
            lowest = next((b for b in range(self.count) if sizes[b]), None)
            if lowest is None:
                continue
            self.low = max(self.low, self.bounds[lowest])
            selected = sizes[lowest]
            total = self.expansion.expand(self.active, selected)
            rest = self.actives - selected
            kept = self.active[selected : self.actives].copy()
            self.active[:rest] = kept
            self.active[rest : rest + total] = self.expansion.items[:total]
            self.actives = rest + total
            relaxed, improved, _ = run.counted() if run.traced else (0, 0, 0)
            named = {f"bucket {b}": sizes[b] for b in range(lowest, self.count) if sizes[b]}
            run.round("bucket", selected, relaxed, improved, **named, far=self.fars)
        return self.expansion.finish()

    def _arrange(self) -> list[int]:
        """Order the active vertices by bucket; those beyond the last bucket join the pile."""
        ordered, sizes = self._keyed(self.active, self.actives)
        self.actives, far = sum(sizes[: self.count]), sizes[self.count]
        self.active[: self.actives] = ordered[: self.actives]
        if self.fars + far > len(self.far):
            _, self.fars = self.splitter.split(
                self.far, self.fars, self.low, self.low, self.spare, self.spare
            )
            self.far, self.spare = self.spare, self.far
        self.far[self.fars : self.fars + far] = ordered[self.actives : self.actives + far]
        self.fars += far
        return sizes

    def _refill(self) -> list[int]:
        """Move the buckets to the least label of the pile, and fill them."""
        least = self.splitter.least(self.far, self.fars, self.bounds[-1])
        self.low = self.bounds[-1]
        if least == self.run.unreachable:
            self.fars = 0
            return [0] * (self.count + 2)
        self.bounds = self._window(least)
        ordered, sizes = self._keyed(self.far, self.fars)
        self.actives, self.fars = sum(sizes[: self.count]), sizes[self.count]
        self.active[: self.actives] = ordered[: self.actives]
        self.far[: self.fars] = ordered[self.actives : self.actives + self.fars]
        return sizes

    def _keyed(self, items: Array, count: int) -> tuple[Array, list[int]]:
        """Return the items in the order of their buckets and how many each has."""
        run = self.run
        with run.step("arrange"):
            table = self.splitter.claim(items, count)
            keys = run.xp.empty(count, np.uint8)
            bounds = run.device.put(np.array(self.bounds))
            run.launch(
                self.keys_kernel,
                count,
                items=items,
                table=table,
                dist=run.dist,
                low=self.low,
                bounds=bounds,
                buckets=self.count,
                keys=keys,
            )
            return self.order(items[:count], keys)

    def _sorted(self, items: Array, keys: Array) -> tuple[Array, list[int]]:
        xp = self.run.xp
        order = xp.argsort(keys, kind="stable")
        sizes = xp.bincount(keys.astype(np.int32), minlength=self.count + 2)
        return items[order], self.run.read(sizes)

    def _multisplit(self, items: Array, keys: Array) -> tuple[Array, list[int]]:
        run, kinds = self.run, self.count + 2
        blocks = run.blocks(len(items))
        counts = run.xp.empty(kinds * blocks, np.int64)
        run.launch(self.count_kernel, len(items), keys=keys, kinds=kinds, counts=counts)
        sums = run.xp.cumsum(counts)
        ordered = run.xp.empty_like(items)
        run.launch(self.place_kernel, len(items), list=items, keys=keys, sums=sums, ordered=ordered)
        ends = run.read(sums[blocks - 1 :: blocks])
        return ordered, [b - a for a, b in pairwise([0, *ends])]


def grid_floor(run: Run, delta: float, label: Any) -> Any:
    """Return the greatest multiple of delta that is not above a label.

    For floats it is the label itself where rounding leaves it outside of the bucket that begins
    at the multiple: a single bucket would never get it.
    """
    if np.issubdtype(run.label, np.integer):
        return int(label) // int(delta) * int(delta)
    floor = run.label(_steps(label, delta) * delta)
    return floor if floor <= label < next_bound(run, delta, floor) else run.label(label)


def next_bound(run: Run, delta: float, label: Any) -> Any:
    """Return the least multiple of delta above a label; at least the next label that there is."""
    if np.issubdtype(run.label, np.integer):
        return run.label(min((int(label) // int(delta) + 1) * int(delta), run.unreachable))
    label = run.label(label)
    with np.errstate(over="ignore"):
        bound = run.label((_steps(label, delta) + 1) * delta)
    return bound if bound > label else np.nextafter(label, run.label(np.inf))


def _steps(label: Any, delta: float) -> Any:
    """Return how many deltas fit below a label, as a float: it may be infinite, or too many."""
    with np.errstate(over="ignore"):
        return np.floor(np.float64(label) / delta)
