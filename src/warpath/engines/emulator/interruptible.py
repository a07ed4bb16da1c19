"""The emulator of ``device="emulated"``, whose launches Ctrl-C ends."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from warpath.engines.emulator.device import EmulatedDevice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.engines.emulator.device import Kernel


class InterruptibleDevice(EmulatedDevice):
    """Runs each kernel in a thread, so that signals are handled while it runs.

    An interrupted kernel cannot be stopped: it runs on to its end, and no other begins before.
    """

    _ended: Event | None = None  # of the last launch; a thread interrupted in `join` seems to end

    def wait(self) -> None:
        """Wait for the kernel of an interrupted call, which still writes to its buffers."""
        while self._ended is not None and not self._ended.wait(_MOMENT):
            pass

    def _run(self, kernel: Kernel, blocks: int, args: Sequence[Any]) -> None:
        failed: list[BaseException] = []
        self._ended = ended = Event()

        def launch() -> None:
            try:
                EmulatedDevice._run(self, kernel, blocks, args)  # noqa: SLF001 - the base class's
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)
            finally:
                ended.set()

        Thread(target=launch, daemon=True).start()
        self.wait()
        if failed:
            raise failed[0]


_MOMENT = 0.1  # seconds between two looks at signals
