"""Per-thread state of work on a GPU, and waits for it that Ctrl-C can interrupt."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from warpath._core import CompletionFlag
    from warpath.engines.cuda.device import CudaDevice

_SPIN, _NAP = 0.02, 1e-4  # seconds of busy waiting; then seconds of each sleep
_TURN = 1e-3  # seconds between two checks for signals
_NAMED_KERNELS = 3  # named in the message about a failure that is detected while waiting


class OfThread(threading.local):
    """A thread's work on a GPU since it last waited for it.

    Attributes
    ----------
    launched : names of the last kernels launched since then.
    lasting : whether one of them may take long.
    events : CUDA events that the thread records, by their use.
    """

    def __init__(self) -> None:
        self.launched: deque[str] = deque(maxlen=_NAMED_KERNELS)
        self.lasting = False
        self.events: dict[str, Any] = {}

    def rested(self) -> None:
        """Record that all work of the thread is complete."""
        self.launched.clear()
        self.lasting = False


class Active:
    """The context manager of `CudaDevice.active`; a generator would cost 2 us more per solve."""

    __slots__ = ("_current", "_device")

    def __init__(self, device: CudaDevice) -> None:
        self._device = device

    def __enter__(self) -> None:
        try:
            self._current = self._device.entered()
        except Exception as error:
            self._explain(error)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._current is not None:
            self._current.__exit__(kind, error, trace)
        if isinstance(error, Exception):
            self._explain(error)

    def _explain(self, error: Exception) -> None:
        explained = self._device.explained(error)
        if explained is not None:
            raise explained from error


def wait_for_word(word: CompletionFlag, stream: Callable[[], Any], seconds: float) -> bool:
    """Wait for a kernel's status word, but check for signals; return False after `seconds`.

    Also returns True if the kernel's stream has finished without a status word.
    """
    begin = time.perf_counter()
    turn = _TURN
    while not word.wait(turn):
        if stream().done:
            return True
        waited = time.perf_counter() - begin
        if waited > seconds:
            return False
        if waited > _SPIN:
            turn = 0.0
            time.sleep(_NAP)
    return True


def wait_for(event: Any, seconds: float = math.inf) -> bool:
    """Wait for an event, but check for signals; return whether it came within `seconds`."""
    begin = time.perf_counter()
    while not event.done:
        waited = time.perf_counter() - begin
        if waited > seconds:
            return False
        if waited > _SPIN:
            time.sleep(_NAP)
    return True
