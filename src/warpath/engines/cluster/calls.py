"""Calls on a Dask cluster: blocks whose sizes follow the measured rates, and what workers ran."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import NegativeCycleError
from warpath.engines.cluster.blocks import Blocks
from warpath.engines.cluster.clients import check_versions, client_of, workers_of
from warpath.graph.solvable import SolvableGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.engines.cluster.blocks import Answer
    from warpath.engines.cluster.graphs import SentGraph
    from warpath.graph import Graph
    from warpath.planner.plan import Plan

_SECONDS = 0.5  # of a block: what is lost with a worker, and what Ctrl-C waits for there
_FIRST = 0.25  # part of it for blocks before a rate is known
_SMALL = 0.05  # seconds of a block that is not worth cutting
_NAMED = 5  # sources in a message


class Pace:
    """The number of rows in the next block, from the rates of the blocks before.

    Parameters
    ----------
    rate : predicted rows a second of a thread.
    most : the most rows of a block.
    whole : divisor of the number of rows.
    threads : of all workers, which share the rows that are left.
    """

    def __init__(self, rate: float, most: int, whole: int, threads: int) -> None:
        self._rate, self._most, self._whole, self._threads = rate, most, whole, threads
        self._part = _FIRST

    def rows(self, left: int) -> int:
        """Return the number of rows of the next block."""
        fair = max(-(-left // self._threads), int(self._rate * _SMALL))
        count = min(int(self._rate * _SECONDS * self._part), self._most, fair)
        return min(left, max(count // self._whole, 1) * self._whole)

    def learn(self, rows: int, seconds: float) -> None:
        """Take the rate of a block into account."""
        rate = rows / max(seconds, 1e-6)
        self._rate = rate if self._part < 1 else (self._rate + rate) / 2
        self._part = 1.0


class Call:
    """A call on a cluster, which is cut into blocks.

    Parameters
    ----------
    graph : the graph of the call.
    chosen : the plan.
    job : what all blocks share.
    send : takes a client, and returns the graph that workers search and how they get it.
    """

    def __init__(
        self, graph: Graph, chosen: Plan, job: Any, send: Callable[[Any], tuple[Graph, SentGraph]]
    ) -> None:
        self.graph, self.chosen, self.job = graph, chosen, job
        self._client = client_of(chosen.device)
        check_versions(self._client)
        self._searched, self._sent = send(self._client)
        self._rows: Counter[str] = Counter()
        self._ran: set[str] = set()
        self._start = time.perf_counter()

    def pace(self, count: int, row_bytes: int, most_bytes: int, whole: int = 1) -> Pace:
        """Return the pace of `count` rows of so many bytes."""
        workers = workers_of(self._client)
        threads = sum(worker.threads for worker in workers)
        rate = count * 1.0 if not self.chosen.seconds else count / self.chosen.seconds / threads
        limits = [worker.memory // worker.threads for worker in workers if worker.memory]
        most_bytes = min([most_bytes, *(limit // 8 for limit in limits)])
        return Pace(rate, max(1, most_bytes // max(1, row_bytes)), whole, threads)

    def answers(
        self,
        function: Callable[[Graph, Any, Any], Any],
        blocks: Iterator[Any],
        row_bytes: int,
        pace: Pace | None = None,
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the blocks and what workers return for them, in order."""
        device = self.chosen.device
        blocks_of = self._searched, self._sent, function, self.job, self._described
        run = Blocks(device, *blocks_of)
        answered: Any = run.answers(blocks, lambda block: len(block.sources) * row_bytes)
        try:
            for block, answer in answered:
                self._count(block, answer)
                if pace is not None:
                    pace.learn(len(block.sources), answer.seconds)
                yield block, answer.value
        except NegativeCycleError as error:
            own = SolvableGraph(self.graph).cycle(np.array(error.cycle))
            raise NegativeCycleError(self.graph.label_of(own).tolist(), error.length) from None
        finally:
            answered.close()

    def stats(self) -> dict[str, Any]:
        """Return the seconds of the call, and the rows of each worker."""
        by_worker = {f"rows on {worker}": rows for worker, rows in self._rows.items()}
        return by_worker | {"seconds": time.perf_counter() - self._start}

    def plan(self) -> Plan:
        """Return the plan with what workers ran."""
        notes = tuple(f"workers ran {line}" for line in sorted(self._ran))
        return replace(self.chosen, notes=(*self.chosen.notes, *notes))

    def _count(self, block: Any, answer: Answer) -> None:
        self._rows[answer.worker] += len(block.sources)
        if hasattr(answer.value, "plan"):
            self._ran.add(answer.value.plan)

    def _described(self, block: Any) -> str:
        names = self.graph.label_of(block.sources[:_NAMED]).tolist()
        more = ", ..." if len(block.sources) > _NAMED else ""
        listed = ", ".join(map(str, names))
        return f"rows {block.start:,} to {block.stop - 1:,} (sources {listed}{more})"
