"""All sources of a batch advance together: pairs one by one, or 32 sources of a vertex at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.tables.fill import Common, fill
from warpath.engines.tables.widths import bucket
from warpath.errors import NotEnoughMemoryError

if TYPE_CHECKING:
    from warpath.engines.base import Array, Device, Order, Raw
    from warpath.engines.tables.fill import Solver
    from warpath.engines.tables.widths import Width

_LANES = 32
_RUN = 32  # edges of an item, `kRowEdges`
_MOST_PAIRS = 2**32 - 1  # pairs and entries are numbered in 32 bits
_MOST_SOURCES = 64  # of a batch: more fill no GPU better, and take memory
_KEPT_FREE = 0.9  # of the free memory may be taken
#: Mean weights that a bucket is wide: of pairs, and of rows.
_PAIRS_BUCKET, _ROWS_BUCKET = 10.0, 1.0
_DENSE = 6  # edges a vertex from which fronts of all sources meet at the same vertices


def pairs(order: Order, device: Device) -> Raw:
    """Run `Loop.PAIRS`."""
    return fill(order, device, solver_of)


def solver_of(order: Order, device: Device, width: Width) -> Solver:
    """Return what advances single pairs, or those of 32 sources that lie side by side."""
    wanted = order.params.get("together")
    if wanted is None:
        facts = order.graph.facts(symmetry=False)
        crowd = facts.mean_degree >= _DENSE and len(order.problem.sources) >= _LANES // 2
        wanted = _LANES if crowd else 1
    return Rows(order, device, width) if wanted > 1 else Pairs(order, device, width)


class Pairs:
    """Labels source by source; lists of pairs."""

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "pairs")
        n, xp = max(common.n, 1), device.xp
        a_source = n * (common.label.itemsize + 4 * 4) + 3 * ((n + 31) // 32) * 4
        self.batch = _batch(order, device, a_source, _MOST_PAIRS // n)
        size = self.batch * n
        self._dist = xp.empty(size, common.label)
        self._near, self._far = xp.empty(2 * size, np.uint32), xp.empty(2 * size, np.uint32)
        self._bits = xp.empty(3 * ((size + 31) // 32), np.uint32)
        self._control = xp.empty(11, np.uint32)
        self._least = xp.empty(3, common.label)
        self._delta = bucket(order.graph, width, order.params.get("delta"), _PAIRS_BUCKET)
        self.stats = common.stats

    def run(self, sources: Array, into: Array) -> None:
        """Begin to fill the rows of these sources."""
        common, device = self._common, self._common.device
        own = device.put(np.arange(len(sources)) * common.n + sources)
        self._dist[: len(sources) * common.n].fill(common.width.never)
        self._dist[own] = 0
        self._near[: len(sources)] = own
        self._bits.fill(0)
        self._least.fill(common.width.never)
        self._control.fill(0)
        self._control[:1] = len(sources)
        common.launch(
            device.resident_blocks(common.kernel), into, delta=self._delta, dist=self._dist,
            near=self._near, far=self._far, bits=self._bits, control=self._control,
            least=self._least,
        )  # fmt: skip

    def lost(self) -> bool:
        """Say whether a sum did not fit the labels."""
        return self._common.lost()


class Rows:
    """Labels of 32 sources side by side; a word of waiting sources for each vertex."""

    def __init__(self, order: Order, device: Device, width: Width) -> None:
        self._common = common = Common(order, device, width, "pair_rows")
        n, xp = max(common.n, 1), device.xp
        runs = n + order.graph.m // _RUN  # items of a group, at most
        a_group = n * (_LANES * common.label.itemsize + 4) + 12 * runs
        groups = _batch(order, device, a_group, _MOST_PAIRS // n, _LANES)
        self.batch = groups * _LANES
        self._dist = xp.empty(groups * n * _LANES, common.label)
        self._waiting = xp.empty(groups * n, np.uint32)
        self._items = xp.empty(3 * groups * runs, np.uint32)
        self._control = xp.empty(8, np.uint32)
        self._least = xp.empty(3, common.label)
        self._delta = bucket(order.graph, width, order.params.get("delta"), _ROWS_BUCKET)
        self.stats = common.stats

    def run(self, sources: Array, into: Array) -> None:
        """Begin to fill the rows of these sources."""
        common, device = self._common, self._common.device
        self._dist.fill(common.width.never)
        self._waiting.fill(0)
        lanes = np.arange(len(sources))
        entries = lanes // _LANES * common.n + sources
        self._dist[device.put(entries * _LANES + lanes % _LANES)] = 0
        bits = np.zeros(len(sources), np.uint32)
        at, owner = np.unique(entries, return_inverse=True)
        np.bitwise_or.at(bits, owner, np.uint32(1) << (lanes % _LANES).astype(np.uint32))
        self._waiting[device.put(at)] = device.put(bits[: len(at)])
        self._least.fill(common.width.never)
        self._control.fill(0)
        common.launch(
            device.resident_blocks(common.kernel), into, delta=self._delta, dist=self._dist,
            waiting=self._waiting, items=self._items, control=self._control, least=self._least,
        )  # fmt: skip

    def lost(self) -> bool:
        """Say whether a sum did not fit the labels."""
        return self._common.lost()


def _batch(order: Order, device: Device, size: int, most: int, each: int = 1) -> int:
    """Return how many pieces of `each` sources to take at once, by what a piece takes."""
    wanted = -(-len(order.problem.sources) // each)
    asked: Any = order.params.get("batch", _MOST_SOURCES)
    fitting = int(device.free_memory() * _KEPT_FREE) // size
    if fitting < 1:
        msg = (
            f"{order.recipe.name} takes {size:,} bytes for {each} sources, and {device.name} has "
            f"{device.free_memory():,} free. Use device='cpu'."
        )
        raise NotEnoughMemoryError(msg)
    return max(min(wanted, fitting, most, max(int(asked) // each, 1)), 1)
