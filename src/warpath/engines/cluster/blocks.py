"""Calls on a Dask cluster, cut into blocks: tasks whose results come back in order."""

from __future__ import annotations

import pickle
import threading
import time
from collections import Counter, deque
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import (
    DeviceError,
    DistanceOverflowError,
    NegativeCycleError,
    NoDeviceError,
    NotEnoughMemoryError,
    NotSupportedError,
    OutputError,
)
from warpath.engines.cluster.clients import (
    Worker,
    check_versions,
    client_of,
    other_versions,
    versions,
    workers_of,
)
from warpath.engines.cluster.sent_graph import CACHE, SentGraph, future_of_graph, submitted
from warpath.engines.cluster.tasks import Tasks, killed_workers
from warpath.engines.shared_rows import BlockSizes
from warpath.graph.solvable import SolvableGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Future

    from warpath.graph import Graph
    from warpath.planner.plan import Plan

_AT_A_TIME = 2  # blocks of a worker's thread: one that runs and one that waits
_PATIENCE = 120.0  # seconds without any worker
_LARGE_JOB = 2**15  # bytes that each task may repeat
_AHEAD_BYTES = 512 * 2**20  # of replies that wait here for an earlier one
_TRANSFER = 30.0  # seconds that fetching a reply may take before it is tried again
_ENDING = 30.0  # seconds that a call waits at its end for blocks that still run
_ENDED = 0.02  # seconds between two checks whether they have ended
_LOST = 30.0  # seconds in which no block ends until workers are asked whether they run one
_SUBMISSIONS = 2  # of a block whose workers died
_SMALL = 0.05  # seconds of a block that is not worth cutting
_NAMED = 5  # sources in a message

#: Errors of the question, the same on every worker.
_OF_THE_QUESTION = (NegativeCycleError, DistanceOverflowError)


class Reply(NamedTuple):
    """What a worker returns for a block.

    Attributes
    ----------
    value : of the function.
    worker : its address.
    seconds : that the function took.
    """

    value: Any
    worker: str
    seconds: float


class _Submission(NamedTuple):
    """A block that was submitted; `times` counts its submissions."""

    block: Any
    future: Future
    times: int
    reply: Reply | None = None


class Blocks:
    """The blocks of one call on a cluster.

    Parameters
    ----------
    device : the name of the cluster.
    graph, sent : the graph here, and what is sent of it.
    function : called on a worker with what `sent` makes, the job and a block. It must return the
        same value however often it is called for a block.
    job : what all blocks share.
    described : returns the words for a block in messages: "rows 0 to 64 (sources 5, 9, ...)".
    """

    def __init__(
        self,
        device: str,
        graph: Graph,
        sent: SentGraph,
        function: Callable[[Any, Any, Any], Any],
        job: Any,
        described: Callable[[Any], str],
    ) -> None:
        self._device, self._client = device, client_of(device)
        self._tasks = Tasks(self._client, "use fewer threads or more memory for each")
        self._graph, self._sent = graph, sent
        self._function, self._job, self._described = function, job, described
        self._large_job: Future | None = None
        self._submitted_any = False
        self._seen = self._moved = time.monotonic()

    def replies(
        self, blocks: Iterator[Any], bytes_of: Callable[[Any], int]
    ) -> Iterator[tuple[Any, Reply]]:
        """Yield (block, reply) in the order of the blocks.

        When the iterator is closed, or an error is raised, the tasks that are left are cancelled.

        Parameters
        ----------
        blocks : the next one is taken when a worker may soon have nothing to do.
        bytes_of : returns the size of a block's reply.
        """
        waiting: deque[_Submission] = deque()
        try:
            while True:
                self._submit_more(waiting, blocks, bytes_of)
                if not waiting:
                    return
                for at, submission in enumerate(waiting):
                    waiting[at] = self._taken(submission, first=at == 0)
                first = waiting[0]
                if first.reply is not None:
                    yield first.block, first.reply
                    waiting.popleft()
                elif not first.future.done():
                    unfinished = [other.future for other in waiting if not other.future.done()]
                    doing = self._described(first.block)
                    self._tasks.wait_a_moment(unfinished, doing, "FIRST_COMPLETED")
                    self._submit_lost(waiting)
        finally:
            self._cancel([submission.future for submission in waiting])

    def _submit_more(
        self, waiting: deque[_Submission], blocks: Iterator[Any], bytes_of: Callable[[Any], int]
    ) -> None:
        most = _AT_A_TIME * sum(worker.threads for worker in self._workers())
        running = sum(not submission.future.done() for submission in waiting)
        size = sum(bytes_of(submission.block) for submission in waiting)
        while running < most and (len(waiting) < most or size < _AHEAD_BYTES):
            block = next(blocks, None)
            if block is None:
                return
            waiting.append(self._submitted(block, 1))
            running += 1
            size += bytes_of(block)

    def _submit_lost(self, waiting: deque[_Submission]) -> None:
        """Submit the blocks again if none ended for a while and no worker runs one.

        After the death of a worker, Dask's scheduler was seen to wait for tasks that no other
        worker knew.
        """
        if time.monotonic() - self._moved < _LOST or not self._workers() or self._any_runs():
            return
        lost = [submission.future for submission in waiting if not submission.future.done()]
        for at, (block, future, times, _) in enumerate(waiting):
            if future in lost:
                waiting[at] = self._submitted(block, times)
        self._client.cancel(lost, force=True)

    def _submitted(self, block: Any, times: int) -> _Submission:
        graph = future_of_graph(self._client, self._graph, self._sent)
        job = self._job_of_tasks()
        self._submitted_any = True
        self._moved = time.monotonic()
        future = self._tasks.submit(
            run_block, self._tasks.run, graph, self._function, job, block, versions()
        )
        return _Submission(block, future, times)

    def _job_of_tasks(self) -> Any:
        """Return the job, or the future of a task with it if it is too large for every task."""
        if self._large_job is None and len(pickle.dumps(self._job)) < _LARGE_JOB:
            return self._job
        if self._large_job is None or self._large_job.status in ("cancelled", "error"):
            self._large_job = submitted(self._client, _Held, (self._job,), "warpath-job")
        return self._large_job

    def _workers(self) -> list[Worker]:
        """Return the workers; none for a while if all were lost and may come back."""
        try:
            workers = workers_of(self._client)
        except NoDeviceError:
            if time.monotonic() - self._seen > _PATIENCE or not self._submitted_any:
                raise
            return []
        self._seen = time.monotonic()
        return workers

    def _taken(self, submission: _Submission, *, first: bool) -> _Submission:
        """Return a block with its reply if that is there; submit it again if its workers died.

        Replies are taken at once, because a worker that dies loses those that it still has. An
        error is raised when the block is the first one, so that it does not depend on the order
        in which tasks end.
        """
        block, future, times, reply = submission
        if reply is not None or not future.done():
            return submission
        self._moved = time.monotonic()
        if future.status == "finished":
            return submission._replace(reply=self._reply(future))
        error = future.exception() if future.status == "error" else None
        if killed_workers(error) and times < _SUBMISSIONS:
            return self._submitted(block, times + 1)
        if first:
            rows = self._described(block)
            raise self._tasks.failure(future, rows, times) or self._explained(error, rows)
        return submission

    def _reply(self, future: Future) -> Reply | None:
        """Return the reply of a task; None if its worker died with it, so that it runs again."""
        try:
            reply: Reply = future.result(timeout=_TRANSFER)
        except TimeoutError:
            return None
        except (OSError, CancelledError) as error:  # the scheduler went away with the reply
            raise self._tasks.no_scheduler(f"the call on {self._device}") from error
        future.release()  # or the scheduler would compute it again when its worker dies
        return reply

    def _explained(self, error: BaseException | None, rows: str) -> BaseException:
        """Return the error of a block's function with the rows."""
        if isinstance(error, _OF_THE_QUESTION):
            return error
        if isinstance(error, OutputError):
            return OutputError(error.errno, f"{error.strerror} ({rows})", error.filename)
        if isinstance(error, NotSupportedError):
            return type(error)(f"{error} ({rows})")
        msg = f"{rows} failed on {self._device}: {type(error).__name__}: {error}"
        return DeviceError(msg)

    def _cancel(self, futures: list[Future]) -> None:
        left = [future for future in futures if not future.done()]
        if left and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(left, force=True)
                self._await_end()

    def _await_end(self) -> None:
        """Wait until no worker runs a block of this call, since a thread cannot be stopped.

        A block that writes a file could write into that of the next call, or make the folder of a
        file anew that was removed.
        """
        end = time.monotonic() + _ENDING
        while time.monotonic() < end:
            time.sleep(_ENDED)  # in which workers hear of the cancelled tasks that wait there
            if not self._any_runs():
                return

    def _any_runs(self) -> bool:
        """Return whether a worker runs a block of this call."""
        return any(self._client.run(runs_block, self._tasks.run, on_error="ignore").values())


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

    def results(
        self,
        function: Callable[[Graph, Any, Any], Any],
        blocks: Iterator[Any],
        row_bytes: int,
        sizes: BlockSizes | None = None,
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the blocks and what workers return for them, in order."""
        run = Blocks(
            self.chosen.device,
            self._searched,
            self._sent,
            function,
            self.job,
            self._rows_in_words,
        )
        replies: Any = run.replies(blocks, lambda block: len(block.sources) * row_bytes)
        try:
            for block, reply in replies:
                self._count(block, reply)
                if sizes is not None:
                    sizes.learn(len(block.sources), reply.seconds)
                yield block, reply.value
        except NegativeCycleError as error:
            own = SolvableGraph(self.graph).cycle(np.array(error.cycle))
            raise NegativeCycleError(self.graph.label_of(own).tolist(), error.length) from None
        finally:
            replies.close()

    def stats(self) -> dict[str, Any]:
        """Return the seconds of the call, and the rows of each worker."""
        by_worker = {f"rows on {worker}": rows for worker, rows in self._rows.items()}
        return by_worker | {"seconds": time.perf_counter() - self._start}

    def plan(self) -> Plan:
        """Return the plan with what workers ran."""
        notes = tuple(f"workers ran {line}" for line in sorted(self._ran))
        return replace(self.chosen, notes=(*self.chosen.notes, *notes))

    def _count(self, block: Any, reply: Reply) -> None:
        self._rows[reply.worker] += len(block.sources)
        if hasattr(reply.value, "plan"):
            self._ran.add(reply.value.plan)

    def _rows_in_words(self, block: Any) -> str:
        names = self.graph.label_of(block.sources[:_NAMED]).tolist()
        more = ", ..." if len(block.sources) > _NAMED else ""
        listed = ", ".join(map(str, names))
        return f"rows {block.start:,} to {block.stop - 1:,} (sources {listed}{more})"


class _Held(NamedTuple):
    """A job that many tasks refer to."""

    job: Any


#: The calls whose blocks run in this process, a worker; once for each block.
_RUNNING: Counter[str] = Counter()
_RUNNING_LOCK = threading.Lock()


def runs_block(run: str) -> bool:
    """Return whether this process, a worker, runs a block of a call."""
    with _RUNNING_LOCK:
        return _RUNNING[run] > 0


@contextmanager
def _running(run: str) -> Iterator[None]:
    with _RUNNING_LOCK:
        _RUNNING[run] += 1
    try:
        yield
    finally:
        with _RUNNING_LOCK:
            _RUNNING[run] -= 1
            if not _RUNNING[run]:
                del _RUNNING[run]


def run_block(
    run: str,
    sent: SentGraph,
    function: Callable[[Any, Any, Any], Any],
    job: Any,
    block: Any,
    client_versions: tuple[str, str],
) -> Reply:
    """Run a block of a call, `run`, on a worker; the worker's own errors have its address."""
    from distributed import get_worker

    worker = get_worker().address
    objection = other_versions(*client_versions)
    if objection:
        msg = f"the client of worker {worker} {objection}"
        raise NoDeviceError(msg)
    start = time.perf_counter()
    try:
        with _running(run):
            value = function(CACHE.of(sent), job.job if isinstance(job, _Held) else job, block)
    except _OF_THE_QUESTION:
        raise
    except NotSupportedError as error:
        raise type(error)(f"worker {worker}: {error}") from None
    except MemoryError as error:
        msg = (
            f"worker {worker} has too little memory ({error}): give its threads more memory each, "
            "or select fewer targets."
        )
        raise NotEnoughMemoryError(msg) from None
    except OSError as error:
        text = f"worker {worker}: {error.strerror or error}"
        raise OutputError(error.errno or 0, text, error.filename) from None
    return Reply(value, worker, time.perf_counter() - start)
