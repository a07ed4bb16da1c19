"""Runs recipes on a GPU: the host loops over one device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.errors import NotSupportedError

if TYPE_CHECKING:
    from warpath.engines.base import Order, Raw
    from warpath.engines.cuda.device import CudaDevice


def run(order: Order, device: CudaDevice) -> Raw:
    """Run one order on an open, active device."""
    msg = f"{order.recipe.name} has no loop that runs on {device.name}. Use device='cpu'."
    raise NotSupportedError(msg)
