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


class Tasks:
    """Submits pure tasks to a cluster under names of their own.

    Attributes
    ----------
    client : a `distributed.Client`.
    """

    def __init__(self, client: Any) -> None:
        from distributed import Client

        if not isinstance(client, Client):
            msg = (
                f"client is a {type(client).__name__}: a distributed.Client is needed, such as "
                "distributed.LocalCluster(n_workers=4).get_client()."
            )
            raise InputError(msg)
        self.client = client
        self._run = uuid.uuid4().hex[:12]
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
        name = f"warpath-{function.__name__.strip('_')}-{self._run}-{next(self._count)}"
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
        from distributed import wait

        listed = list(futures)
        while any(not future.done() for future in listed):
            self.require_running(doing)
            with suppress(TimeoutError, CancelledError):
                wait(listed, timeout=_WAIT, return_when="ALL_COMPLETED")
        for future in listed:
            if future.status != "finished":
                self._raise(future, doing)

    def require_running(self, doing: str) -> None:
        """Raise DeviceError unless the client is connected to a scheduler."""
        end = time.monotonic() + _RECONNECT
        while self.client.status == "connecting" and time.monotonic() < end:
            time.sleep(_RECONNECT / 50)
        if self.client.status == "running":
            return
        msg = (
            f"{doing}: the client is {self.client.status} and has no scheduler. Connect a new "
            "client and repeat the call; everything that the workers held is lost."
        )
        raise DeviceError(msg)

    def _raise(self, future: Any, doing: str) -> None:
        """Raise the error of a task that did not finish."""
        from distributed import KilledWorker

        try:
            future.result(timeout=_ERROR_WAIT)
        except WarpathError:
            raise
        except KilledWorker as error:
            worker = getattr(error.last_worker, "address", error.last_worker)
            msg = (
                f"{doing}: the task {error.task!r} ran on several workers that died, the last was "
                f"{worker}. Workers mostly die because their memory is full: use more partitions, "
                "or workers with a larger memory_limit."
            )
            raise DeviceError(msg) from error
        except (CancelledError, TimeoutError) as error:
            self.require_running(doing)
            raise self._cancelled(doing, future.key, error) from error
        except MemoryError as error:
            msg = (
                f"{doing}: a worker ran out of memory in the task {future.key!r} ({error}). Use "
                "more partitions, or workers with more memory."
            )
            raise NotEnoughMemoryError(msg) from error

    @staticmethod
    def _cancelled(doing: str, key: str, error: BaseException) -> DeviceError:
        reason = " ".join(str(error).split())
        return DeviceError(
            f"{doing}: the task {key!r} was cancelled by another client or lost with the scheduler "
            f"({reason}). Repeat the call; if the graph was cancelled, read it again."
        )
