"""The loops that the engines of devices do not have themselves, registered by other rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.base.upward import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warpath.engines.base import Device, Order, Raw
    from warpath.recipes import Loop, Recipe

_ON_CPU: dict[Loop, str] = {}
_ON_DEVICE: dict[Loop, str] = {}


def register(*, cpu: Mapping[Loop, str], device: Mapping[Loop, str]) -> None:
    """Register the functions that run loops, as "module:function": imported when first called.

    Parameters
    ----------
    cpu : functions (order) -> raw.
    device : functions (order, device) -> raw, for a `Device` where kernels run.
    """
    _ON_CPU.update(cpu)
    _ON_DEVICE.update(device)


def on_cpu(recipe: Recipe) -> Callable[[Order], Raw]:
    """Return the function that runs a recipe's registered loop, or its own, on the CPU."""
    own = recipe.own
    return imported(_ON_CPU[recipe.loop]) if own is None or own.cpu is None else own.cpu


def on_device(recipe: Recipe) -> Callable[[Order, Device], Raw]:
    """Return the function that runs a recipe's registered loop, or its own, on a device."""
    own = recipe.own
    return imported(_ON_DEVICE[recipe.loop]) if own is None or own.device is None else own.device
