"""Flights: the buffers, halt word and status words of one solve by a single kernel launch.

An engine with a persistent kernel launches it once per solve and reads how it ended::

    with flight(graph, "labels of 32 bits of NAME", device, make) as own:
        dist = device.xp.empty(graph.n, np.int32)
        words = own.run(kernel, blocks, dist, *arrays_of(own.buffers), own.halt, own.status)

The kernel takes ``int* halt`` and ``i64* status``; its last block to end writes the status words
(kernels/halt.cuh). Several threads may solve on one graph: each solve has a flight of its own, and
idle flights are kept for later solves. `Search` (engines/cuda/repeated_search.py), which launches a
kernel repeatedly with nearly the same arguments, takes flights as well.
"""

from __future__ import annotations

import weakref
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from warpath import _core
from warpath.base.errors import DeviceError
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, PreparedLaunch
    from warpath.engines.cuda.entry import Kernel
    from warpath.graph import Graph

WORDS = 8
#: Upper bound of the seconds of a solve: a constant, and a part per vertex and edge. A chain takes
#: one round per vertex, and a round takes some microseconds.
_LONGEST, _LONGEST_EACH = 60.0, 20e-6


class Ended(IntEnum):
    """How a kernel ended: its first status word, as in kernels/halt.cuh."""

    SILENT = -1  #: no status word yet
    DONE = 0
    HALTED = 1  #: stopped by the host, or it detected that it cannot progress
    LOST = 2  #: a sum did not fit the labels: solve again with wider labels
    PAUSED = 3  #: the next launch continues the solve


class Flight:
    """The resources of one solve; a context manager that returns them to the pool after success.

    Attributes
    ----------
    buffers : the kernel's working space, made by `Flights.make`, as the last solve left it.
    halt : (2,) int32 on the device: 0 until the kernel must end; how many blocks have ended.
    words : (8,) int64 on the host, the status words: an `Ended`, then numbers of the kernel's own.
    status : `words` as an argument of the kernel.
    prepared, ready_for : the last launch that a search prepared here, and the mark of that search.
    """

    prepared: PreparedLaunch
    ready_for: object = None

    def __init__(self, pool: Flights) -> None:
        device = pool.device
        # Weak, to avoid a reference cycle: device memory is freed together with the graph.
        self._pool = weakref.ref(pool)
        self._device, self._longest, self._size = device, pool.longest, pool.size
        self.buffers = pool.make()
        self.halt: Array = device.put(np.zeros(2, np.int32))
        self.words: NDArray[np.int64] = device.host_array(np.zeros(WORDS, np.int64))
        self.status: Array = device.mapped(self.words)
        self._word = _core.CompletionFlag(self.words, Ended.SILENT)

    def run(self, kernel: Kernel, blocks: int, *args: Any) -> NDArray[np.int64]:
        """Launch a kernel, wait for it and return its status words; Ctrl-C ends it.

        Parameters
        ----------
        kernel, blocks, args : as in `Device.launch`; `halt` and `status` are among the arguments.

        Raises
        ------
        DeviceError
            If the kernel ends without a status word, gives up, or exceeds the time limit.
        """
        self._word.reset()
        self._device.launch(kernel, blocks, *args)
        self.wait(kernel.name)
        return self.words

    def launch_and_wait(self, launch: PreparedLaunch) -> list[int]:
        """Launch a prepared launch, wait and return its status words, like `run`."""
        self._word.reset()
        self._device.fire(launch)
        return self.wait(launch.name)

    def launch(self, launch: PreparedLaunch) -> None:
        """Launch a prepared launch; `wait` waits for it."""
        self._word.reset()
        self._device.fire(launch)

    def wait(self, name: str) -> list[int]:
        """Wait for what was launched and return its status words, like `run`.

        Parameters
        ----------
        name : of the kernel, for the error message.
        """
        self._device.finish(self.halt, self._word, self._longest)
        words: list[int] = self.words.tolist()
        if words[0] in _FAULTS:
            msg = (
                f"the kernel {name} {_FAULTS[words[0]]} on a graph of {self._size}. "
                "That is a fault of warpath: please report it; another algorithm, or "
                "device='cpu', may do."
            )
            raise DeviceError(msg)
        return words

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        # After an error the kernel may still run, or its buffers may be in an inconsistent state.
        pool = self._pool()
        if pool is None:
            return
        if kind is None:
            pool.idle.append(self)
        else:
            pool.made -= 1


_FAULTS = {int(Ended.SILENT): "ended without a word", int(Ended.HALTED): "gave up"}


class Flights:
    """A pool of flights of a graph on a device, whose buffers `make` creates."""

    def __init__(self, graph: Graph, device: Device, make: Callable[[], Any]) -> None:
        self.device = device
        self.make = make
        self.longest = _LONGEST + _LONGEST_EACH * (graph.n + graph.m)
        self.size = f"n = {graph.n:,}, m = {graph.m:,}"
        self.idle: list[Flight] = []  # append and pop need no lock
        self.made = 0

    def take(self) -> Flight:
        """Return an idle flight, or a new one."""
        try:
            return self.idle.pop()
        except IndexError:
            self.made += 1
            return Flight(self)

    @property
    def nbytes(self) -> int:
        """The bytes of the idle flights' buffers on the device."""
        return sum(_bytes(flight.buffers) for flight in list(self.idle))


#: The flights of a graph on a device, by the kind of their buffers.
FLIGHTS: Derived[Flights] = Derived(__name__, "buffers of solves on a device")


def flights(graph: Graph, what: str, device: Device, make: Callable[[], Any]) -> Flights:
    """Return the flights of a graph, kept with it.

    Parameters
    ----------
    what : name of the kind of buffers; the same name must always come with the same kind.
    make : creates the buffers: an array of the device, or a tuple, list or dict of arrays, with the
        contents that the kernel expects. The kernel must leave these contents for the next solve,
        or initialize the buffers when it begins.
    """
    return FLIGHTS.of(graph, lambda: Flights(graph, device, make), device.name, what)


def flight(graph: Graph, what: str, device: Device, make: Callable[[], Any]) -> Flight:
    """Return a flight for one solve, to be entered by ``with``. Parameters as in `flights`."""
    return flights(graph, what, device, make).take()


def _bytes(buffers: Any) -> int:
    if isinstance(buffers, dict):
        return _bytes(list(buffers.values()))
    if isinstance(buffers, list | tuple):
        return sum(map(_bytes, buffers))
    return int(getattr(buffers, "nbytes", 0))
