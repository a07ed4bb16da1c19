"""From a device's name to its engine; what a GPU needs is imported only when one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines import cpu
from warpath.errors import NotSupportedError

if TYPE_CHECKING:
    from warpath.engines.base import Order, Raw


def run(order: Order, device: str) -> Raw:
    """Run one order on "cpu", "cuda:0", ...; see `warpath.engines.base.Engine`."""
    if device == "cpu":
        return cpu.run(order)
    from warpath.engines import cuda

    return cuda.run(order, device)


def gpu_memory(device: str) -> tuple[int | None, str]:
    """Return the free bytes of a GPU and "", or None and the sentence why it cannot be used.

    Of the CPU it returns None and "".
    """
    if device == "cpu":
        return None, ""
    from warpath.engines import cuda

    try:
        return cuda.free_memory(device), ""
    except NotSupportedError as error:
        return None, str(error)
