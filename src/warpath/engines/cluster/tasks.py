"""Tasks on a Dask cluster: submitted near their data, and collected with clear errors."""

from __future__ import annotations

import itertools
import time
import uuid
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from warpath.base.errors import (
    DeviceError,
    InputError,
    NoDeviceError,
    NotEnoughMemoryError,
    WarpathError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WAIT = 0.5  # seconds between two looks at the scheduler while tasks run
_RECONNECT = 5  # seconds that a client may take to connect to its scheduler again
_ERROR_WAIT = 10  # seconds until the error of a task that failed must have arrived
_MORE_MEMORY = "use more partitions, or workers with more memory"


class Tasks:
    """Submits pure tasks to a cluster under names of their own.

    Attributes
    ----------
    client : a `distributed.Client`.
    run : part of the names of all tasks.

    Parameters
    ----------
    more_memory : the advice in errors of workers whose memory is full.
    """

    def __init__(self, client: Any, more_memory: str = _MORE_MEMORY) -> None:
        from distributed import Client

        if not isinstance(client, Client):
            msg = (
                f"client is a {type(client).__name__}: a distributed.Client is needed, such as "
                "distributed.LocalCluster(n_workers=4).get_client()."
            )
            raise InputError(msg)
        self.client = client
        self.run = uuid.uuid4().hex[:12]
        self._more_memory = more_memory
        self._count = itertools.count()

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker, by address; raise NoDeviceError for none."""
        self.require_running("listing the workers")
        threads: dict[str, int] = self.client.nthreads()
        if not threads:
            msg = (
                "the cluster has no workers: start some, or wait for them with "
                "client.wait_for_workers(1)."
            )
            raise NoDeviceError(msg)
        return threads

    def submit(self, function: Callable[..., Any], *args: Any, worker: str | None = None) -> Any:
        """Submit a task, near `worker` if that is given and lives; return its future."""
        name = f"warpath-{function.__name__.strip('_')}-{self.run}-{next(self._count)}"
        options: dict[str, Any] = {}
        if worker is not None:
            options = {"workers": [worker], "allow_other_workers": True}
        try:
            return self.client.submit(function, *args, key=name, **options)
        except CancelledError as error:  # of an argument
            raise self._cancelled(function.__name__, name, error) from error
        except Exception:
            self.require_running(function.__name__)  # a closed client, in clear words
            raise

    def gather(self, futures: Iterable[Any], doing: str) -> list[Any]:
        """Wait for tasks and return their results; raises as `wait` does."""
        listed = list(futures)
        self.wait(listed, doing)
        return list(self.client.gather(listed))

    def wait(self, futures: Iterable[Any], doing: str) -> None:
        """Wait for tasks, whose results stay on the workers.

        Raises
        ------
        DeviceError
            A task was cancelled, its workers died, or the scheduler is gone.
        """
        listed = list(futures)
        while any(not future.done() for future in listed):
            self.wait_a_moment(listed, doing, "ALL_COMPLETED")
        for future in listed:
            if future.status != "finished":
                raise self.failure(future, doing) or future.exception()

    def wait_a_moment(self, futures: list[Any], doing: str, until: str) -> None:
        """Wait for tasks, but not longer than until it is time to look at the scheduler.

        Parameters
        ----------
        until : "FIRST_COMPLETED" or "ALL_COMPLETED".
        """
        from distributed import wait

        self.require_running(doing)
        with suppress(TimeoutError, CancelledError), self.client.as_current():
            wait(futures, timeout=_WAIT, return_when=until)

    def require_running(self, doing: str) -> None:
        """Raise DeviceError unless the client is connected to a scheduler."""
        end = time.monotonic() + _RECONNECT
        while self.client.status == "connecting" and time.monotonic() < end:
            time.sleep(_RECONNECT / 50)
        if self.client.status != "running":
            raise self.no_scheduler(doing)

    def no_scheduler(self, doing: str) -> DeviceError:
        """Return the error of a client without a scheduler."""
        return DeviceError(
            f"{doing}: the scheduler went away, or the client was closed: the client is "
            f"{self.client.status} and has no scheduler. Connect a new client and repeat the call; "
            "everything that the workers held is lost."
        )

    def failure(self, future: Any, doing: str, submissions: int = 1) -> WarpathError | None:
        """Return the error of a task that the cluster did not finish.

        Return None if the cluster ran the task, and its function raised an error.

        Parameters
        ----------
        submissions : how often the task was submitted.
        """
        try:
            error = future.exception(timeout=_ERROR_WAIT)
        except (CancelledError, TimeoutError) as reason:
            error = reason
        if killed_workers(error):
            dead, worker = error.allowed_failures + 1, error.last_worker
            return DeviceError(
                f"{doing} ended {dead * submissions} workers, the last of them "
                f"{getattr(worker, 'address', worker)}: its log says why. Workers that exceed "
                f"their memory limit are ended by their nannies: {self._more_memory}."
            )
        if future.status != "error" or isinstance(error, CancelledError | TimeoutError):
            self.require_running(doing)
            return self._cancelled(doing, future.key, error)
        if isinstance(error, MemoryError) and not isinstance(error, WarpathError):
            return NotEnoughMemoryError(
                f"{doing}: a worker ran out of memory in the task {future.key!r} ({error}): "
                f"{self._more_memory}."
            )
        return None

    @staticmethod
    def _cancelled(doing: str, key: str, error: BaseException) -> DeviceError:
        reason = " ".join(str(error).split())
        return DeviceError(
            f"{doing}: the task {key!r} was cancelled by another client or lost with the scheduler "
            f"({reason}). Repeat the call; if the graph was cancelled, read it again."
        )


def killed_workers(error: BaseException | None) -> bool:
    """Return whether an error is that of a task whose workers died."""
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)
