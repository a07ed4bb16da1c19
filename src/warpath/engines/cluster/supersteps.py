"""One source on a graph in partitions: supersteps of pure tasks until no label falls.

In a superstep every partition takes in the labels that others sent, relaxes until no pending label
is at or below a threshold, and sends the labels that fell at its ghosts. The threshold then moves
up, as in delta-stepping. Labels are lengths of paths at any time, so the order does not change the
result (decision 0007).

The tasks are pure: when a worker dies, Dask computes what it held again from the inputs. A copy of
all states on a second worker, every few supersteps, ends this chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError
from warpath.engines.cluster import partition
from warpath.graph.checks import is_number, shown

if TYPE_CHECKING:
    from warpath.base.progress import Report
    from warpath.engines.cluster.load import Loaded
    from warpath.engines.cluster.partition import Summary

_DOING = "solving"
#: The first superstep after which a larger delta would pay has relaxed less than this part of m.
_SMALL_STEP = 1 / 32


@dataclass
class Counters:
    """The work of a solve.

    Attributes
    ----------
    supersteps : the number of supersteps.
    settled, relaxed : vertices whose edges were relaxed, and edges examined, with repetitions.
    sent : number of labels sent between partitions.
    copies : how often the states were copied to a second worker.
    """

    supersteps: int = 0
    settled: int = 0
    relaxed: int = 0
    sent: int = 0
    copies: int = 0


class SuperstepSearch:
    """The supersteps from one source.

    Attributes
    ----------
    steps : a future of each partition's `Step`.
    summaries : the summary of each.
    counters : the work done.
    """

    def __init__(self, graph: Loaded, hops: bool, checkpoint: int) -> None:
        self._graph = graph
        self._tasks = graph.tasks
        self._hops = hops
        self._checkpoint = checkpoint
        self._delta = 1.0
        self.steps: list[Any] = []
        self.summaries: list[Summary] = []
        self.counters = Counters()

    def run(self, part: int, source: int, delta: float | None, report: Report | None) -> None:
        """Search from an own vertex of a partition."""
        count = len(self._graph.parts)
        self.steps = [
            self._tasks.submit(
                partition.start,
                own,
                source if at == part else None,
                self._hops,
                worker=self._graph.sizes[at].worker,
            )
            for at, own in enumerate(self._graph.parts)
        ]
        self.summaries = self._collect(range(count))
        self._delta = self._first_delta() if delta is None else delta
        while (lowest := self._lowest()) is not None:
            relaxed = self._superstep(lowest)
            edges = sum(size.m for size in self._graph.sizes)
            if delta is None and relaxed < _SMALL_STEP * edges:
                self._delta *= 2
            if report is not None:
                reached = sum(summary.reached for summary in self.summaries)
                report(reached, sum(size.n for size in self._graph.sizes))

    def _first_delta(self) -> float:
        """Return half the mean weight over the mean degree.

        On R-MAT graphs a larger one relaxes more edges twice than its supersteps save: 0.5, 1 and 4
        times the mean weight over the mean degree relax 2.2, 2.5 and 3.4 m edges on scale 16.
        """
        sizes = self._graph.sizes
        edges = sum(size.m for size in sizes)
        if self._hops or not edges:
            return 1.0
        mean = sum(size.total_weight for size in sizes) / edges
        delta = mean / 2 * sum(size.n for size in sizes) / edges
        return delta if np.isfinite(delta) and delta > 0 else 1.0

    def _lowest(self) -> float | None:
        summaries = [
            label
            for summary in self.summaries
            for label in (summary.lowest, summary.lowest_sent)
            if label is not None
        ]
        return min(summaries, default=None)

    def _superstep(self, lowest: float) -> int:
        """Run the partitions that have messages or labels to relax; return the edges examined."""
        threshold = self._threshold(lowest)
        if self.counters.supersteps and self.counters.supersteps % self._checkpoint == 0:
            self._copy_states()
        running = {}
        for at, summary in enumerate(self.summaries):
            senders = [sender for sender, other in enumerate(self.summaries) if at in other.sent]
            if senders or (summary.lowest is not None and summary.lowest <= threshold):
                into = [
                    self._tasks.submit(partition.message_to, self.steps[s], at) for s in senders
                ]
                running[at] = self._tasks.submit(
                    partition.superstep,
                    self._graph.parts[at],
                    self.steps[at],
                    threshold,
                    self._hops,
                    *into,
                    worker=summary.worker,
                )
        for at in range(len(self.steps)):
            if at in running:
                self.steps[at] = running[at]
            else:
                self.summaries[at] = replace(self.summaries[at], sent={}, lowest_sent=None)
        for at, summary in zip(running, self._collect(running), strict=True):
            self.summaries[at] = summary
        self.counters.supersteps += 1
        relaxed = sum(self.summaries[at].relaxed for at in running)
        self.counters.relaxed += relaxed
        self.counters.settled += sum(self.summaries[at].settled for at in running)
        self.counters.sent += sum(sum(summary.sent.values()) for summary in self.summaries)
        return relaxed

    def _threshold(self, lowest: float) -> float:
        """Return a threshold that is at least `lowest` and that the type of the labels can hold."""
        dtype = self._graph.dtype
        if self._hops or dtype is None or dtype.kind == "i":
            # The sum is a float, which may round below a large integer.
            return max(int(min(lowest + self._delta, unreachable(np.dtype(np.int64)) - 1)), lowest)
        return lowest + self._delta

    def _copy_states(self) -> None:
        """Copy each state to another worker, which the next superstep then starts from."""
        workers = list(self._tasks.workers())
        for at, summary in enumerate(self.summaries):
            others = [worker for worker in workers if worker != summary.worker]
            if others:
                near = others[at % len(others)]
                self.steps[at] = self._tasks.submit(partition.kept, self.steps[at], worker=near)
        self.counters.copies += 1

    def _collect(self, parts: Any) -> list[Summary]:
        wanted = [self._tasks.submit(partition.summary_of, self.steps[at]) for at in parts]
        return self._tasks.gather(wanted, _DOING)


def checked_delta(delta: Any) -> float | None:
    """Return the width of thresholds, or raise InputError."""
    if delta is None:
        return None
    if is_number(delta) and 0 < delta < np.inf:
        return float(delta)
    msg = f"delta = {shown(delta)} must be a number > 0 in the unit of the weights, or None."
    raise InputError(msg)
