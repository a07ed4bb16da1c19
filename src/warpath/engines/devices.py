"""The devices that a name means: one or several of this machine, or a Dask cluster."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from warpath.base.errors import NotEnoughMemoryError, NotSupportedError
from warpath.engines.registry import engine_of, place
from warpath.planner import kinds
from warpath.planner.kinds import kind_of
from warpath.planner.several import LISTED, is_several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.graph import Graph


def members(device: str) -> tuple[str, ...]:
    """Return the devices that a name means: several, one, or none for "auto".

    Raises
    ------
    NoDeviceError, MissingDependencyError
        If "cuda:*" finds no GPU that can be used.
    """
    if not is_several(device):
        return () if device == "auto" else (device,)
    listed = LISTED.fullmatch(device)
    if listed is not None:
        names = [f"{listed['kind']}:{int(number)}" for number in listed["numbers"].split(",")]
        for name in names:
            kind_of(name)  # refuses what is not a device
        return tuple(dict.fromkeys(names))
    if device == "cuda:*":
        return tuple(engine_of("cuda").devices())
    usable: list[str] = []
    for kind in kinds.KINDS:
        try:
            usable += engine_of(kind).devices()
        except NotSupportedError:  # "all" is every device that there is
            continue
    return tuple(usable)


def place_on(graph: Graph, names: Sequence[str]) -> None:
    """Copy a graph to each device, where it stays.

    Where there are several devices, a graph that does not fit one is divided when it is solved.
    """
    for name in names:
        try:
            place(graph, name)
        except NotEnoughMemoryError:
            if len(names) == 1:
                raise


def device_name(device: Any) -> Any:
    """Return the name of a Dask client or of a scheduler's address; other devices as they are.

    Dask is imported only where one of these is meant.
    """
    if isinstance(device, str):
        if device != "dask" and "://" not in device:
            return device
    elif "distributed" not in sys.modules:
        return device
    from warpath.engines.cluster.clients import device_name

    return device_name(device)
