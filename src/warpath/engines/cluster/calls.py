"""Calls on a Dask cluster: their blocks, and what workers ran."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import NegativeCycleError
from warpath.engines.cluster.blocks import Blocks
from warpath.engines.cluster.clients import check_versions, client_of, workers_of
from warpath.engines.shared_rows import BlockSizes
from warpath.graph.solvable import SolvableGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warpath.engines.cluster.blocks import Answer
    from warpath.engines.cluster.graphs import SentGraph
    from warpath.graph import Graph
    from warpath.planner.plan import Plan

_SMALL = 0.05  # seconds of a block that is not worth cutting
_NAMED = 5  # sources in a message


class Call:
    """A call on a cluster, which is cut into blocks.

    Parameters
    ----------
    graph : the graph of the call.
    chosen : the plan.
    job : what all blocks share.
    send : takes a client, and returns the graph that workers search and how they get it.

    Attributes
    ----------
    threads : number of threads of all workers when the call began.
    """

    def __init__(
        self, graph: Graph, chosen: Plan, job: Any, send: Callable[[Any], tuple[Graph, SentGraph]]
    ) -> None:
        self.graph, self.chosen, self.job = graph, chosen, job
        self._client = client_of(chosen.device)
        check_versions(self._client)
        self._workers = workers_of(self._client)
        self.threads = sum(worker.threads for worker in self._workers)
        self._searched, self._sent = send(self._client)
        self._rows: Counter[str] = Counter()
        self._ran: set[str] = set()
        self._start = time.perf_counter()

    def sizes(self, count: int, row_bytes: int, most_bytes: int, multiple: int = 1) -> BlockSizes:
        """Return the sizes of the blocks of `count` rows of so many bytes."""
        seconds = self.chosen.seconds
        rate = count / seconds / self.threads if seconds else count * 1.0
        limits = [worker.memory // worker.threads for worker in self._workers if worker.memory]
        most_bytes = min([most_bytes, *(limit // 8 for limit in limits)])
        most = max(1, most_bytes // max(1, row_bytes))
        return BlockSizes(rate, most=most, multiple=multiple, shortest=_SMALL)

    def answers(
        self,
        function: Callable[[Graph, Any, Any], Any],
        blocks: Iterator[Any],
        row_bytes: int,
        sizes: BlockSizes | None = None,
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the blocks and what workers return for them, in order."""
        device = self.chosen.device
        blocks_of = self._searched, self._sent, function, self.job, self._described
        run = Blocks(device, *blocks_of)
        answered: Any = run.answers(blocks, lambda block: len(block.sources) * row_bytes)
        try:
            for block, answer in answered:
                self._count(block, answer)
                if sizes is not None:
                    sizes.learn(len(block.sources), answer.seconds)
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
