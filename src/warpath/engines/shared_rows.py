"""Rows that several devices or workers fill at the same time, in blocks that suit their rates."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpath.planner.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from warpath.base.progress import Report
    from warpath.planner.plan import Plan

    #: Fills rows of a table: their numbers, and the array of these rows.
    Fill = Callable[[slice, Any], dict[str, Any]]

_LONGEST = 0.5  # seconds of a block: what is lost with a worker, and what Ctrl-C waits for
_FIRST = 0.25  # part of it for the blocks before a rate is measured
_PART = 0.7  # of what is left and would be a device's share; the rest evens out the ends
_TURNS = 4  # least parts of the batch that suits a device; equal shares of the rows are enough
_REPORTED = 0.1  # seconds


class BlockSizes:
    """The numbers of rows of the blocks that a device or a thread fills, from its rate.

    Parameters
    ----------
    rate : predicted rows a second.
    least, most : the fewest and the most rows of a block.
    multiple : divisor of the number of rows, but for the last ones.
    shortest : seconds of a block that is not worth cutting.
    """

    def __init__(
        self,
        rate: float,
        *,
        least: int = 1,
        most: int = sys.maxsize,
        multiple: int = 1,
        shortest: float = 0.0,
    ) -> None:
        self.rate, self.least = rate, least
        self._most, self._multiple, self._shortest = most, multiple, shortest
        self._measured = False

    def rows(self, left: int, share: float) -> int:
        """Return the number of rows of the next block.

        Parameters
        ----------
        left : number of rows that are in no block yet.
        share : the part of them that a block may have.
        """
        longest = self.rate * _LONGEST * (1.0 if self._measured else _FIRST)
        count = min(max(left * share, self.rate * self._shortest), longest, self._most)
        count = max(int(count), self.least) // self._multiple * self._multiple
        return min(left, max(count, self._multiple))

    def learn(self, rows: int, seconds: float) -> None:
        """Take the rate of a block into account."""
        rate = rows / max(seconds, 1e-6)
        self.rate = (self.rate + rate) / 2 if self._measured else rate
        self._measured = True


@dataclass
class _Member:
    """A device, the sizes of its blocks, how many rows it has filled and whether it takes more."""

    device: str
    fill: Fill
    sizes: BlockSizes
    rows: int = 0
    active: bool = True


class SharedRows:
    """Shares rows between devices by their measured rates.

    Each time, a device takes most of its share of the remaining rows, in proportion to the rates.
    A slow device stops early if another one could compute all remaining rows sooner than it could
    compute the minimum number of rows that it takes at a time.

    Parameters
    ----------
    plans, fills : the plan of each device, and the function that fills rows by it.
    count : number of rows for which the plans predict their seconds.
    """

    def __init__(self, plans: Sequence[Plan], fills: Sequence[Fill], count: int) -> None:
        self._members = [
            _Member(
                plan.device,
                fill,
                BlockSizes(
                    max(count, 1) / plan.seconds if plan.seconds else 1.0,
                    least=max(
                        min(
                            kind_of(plan.device).rows_at_once(plan.threads) // _TURNS,
                            -(-count // len(plans)),
                        ),
                        1,
                    ),
                ),
            )
            for plan, fill in zip(plans, fills, strict=True)
        ]
        self._lock = threading.Lock()
        self._next = self._stop = self._done = 0

    def fill(self, block: slice, into: Any, report: Report | None) -> dict[str, Any]:
        """Fill rows of a table; return the sums of what the devices report, and their rows.

        The first error of a device ends the others after the rows that they are at.

        Parameters
        ----------
        block : the numbers of the rows.
        into : an array of these rows.
        """
        start = time.perf_counter()
        self._next, self._stop, self._done = block.start, block.stop, 0
        total = block.stop - block.start
        before = {member.device: member.rows for member in self._members}
        for member in self._members:
            member.active = True
        with ThreadPoolExecutor(len(self._members)) as pool:
            running = [
                pool.submit(self._work, member, block.start, into) for member in self._members
            ]
            try:
                self._watch(running, report, total)
            finally:
                self._stop = self._next  # after an error no device takes further rows
        stats: dict[str, Any] = {}
        for future in running:
            for name, value in future.result().items():
                stats[name] = stats.get(name, 0) + value
        for member in self._members:
            stats[f"rows on {member.device}"] = member.rows - before[member.device]
        return stats | {"seconds": time.perf_counter() - start}

    def _watch(self, running: list[Future[Any]], report: Report | None, total: int) -> None:
        waiting = set(running)
        while waiting:
            ended, waiting = wait(waiting, timeout=_REPORTED, return_when=FIRST_COMPLETED)
            if report is not None:
                report(self._done, total)
            for future in ended:
                future.result()

    def _work(self, member: _Member, first: int, into: Any) -> dict[str, Any]:
        stats: dict[str, Any] = {}
        while (rows := self._taken(member)) is not None:
            start = time.perf_counter()
            answer = member.fill(rows, into[rows.start - first : rows.stop - first])
            for name, value in answer.items():
                stats[name] = stats.get(name, 0) + value
            with self._lock:
                member.sizes.learn(rows.stop - rows.start, time.perf_counter() - start)
                member.rows += rows.stop - rows.start
                self._done += rows.stop - rows.start
        return stats

    def _taken(self, member: _Member) -> slice | None:
        """Take the next rows for a device; None if there are none for it."""
        with self._lock:
            left, sizes = self._stop - self._next, member.sizes
            others = [
                other.sizes.rate for other in self._members if other.active and other is not member
            ]
            longest = left / max(others) if others else float("inf")
            if left <= 0 or min(sizes.least, left) / sizes.rate > longest:
                member.active = False
                return None
            count = sizes.rows(left, _PART * sizes.rate / (sizes.rate + sum(others)))
            self._next += count
            return slice(self._next - count, self._next)
