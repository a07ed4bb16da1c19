"""The engines by the kinds of their devices; each is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.checks import checked_kind
from warpath.planner.kinds import KINDS, device_names, kind_of

if TYPE_CHECKING:
    from warpath.engines.base import Engine
    from warpath.graph import Graph
    from warpath.planner.device_kind import DeviceKind

#: The module of the engine for each kind of device in `warpath.planner.kinds.KINDS`. A new kind of
#: this package is a line here and a class there; `register` adds the kind of another package.
_MODULES = {
    "cpu": "warpath.engines.cpu",
    "cuda": "warpath.engines.cuda",
    "emulated": "warpath.engines.emulator",
    "dask": "warpath.engines.cluster",
}
_ENGINES: dict[str, Engine] = {}
#: Whether an engine has all functions of a protocol; to look takes 30 us.
_ABLE: dict[tuple[Engine, type], bool] = {}

Capable = TypeVar("Capable")


def register(kind: DeviceKind, engine: Engine) -> None:
    """Add an engine and the kind of its devices, or replace the one of that name.

    Recipes run there if their `devices` name it.
    """
    KINDS[kind.name] = kind
    _ENGINES[kind.name] = engine


def engine_of(device: str) -> Engine:
    """Return the engine that runs on a device."""
    name = device.partition(":")[0]
    engine = _ENGINES.get(name)
    if engine is None:
        kind_of(device)  # refuses what is not a device
        if name not in _MODULES:
            msg = (
                f"device={device!r} has no engine: add its module to _MODULES in {__name__}, "
                f"or register the engine with the kind."
            )
            raise NotSupportedError(msg)
        engine = _ENGINES.setdefault(name, cast("Engine", import_module(_MODULES[name])))
    return engine


def capability(device: str, protocol: type[Capable]) -> Capable | None:
    """Return the engine of a device if it has an optional protocol of `engines.base`, or None."""
    engine: Any = engine_of(device)
    able = _ABLE.get((engine, protocol))
    if able is None:
        able = _ABLE.setdefault((engine, protocol), isinstance(engine, protocol))
    return engine if able else None


def required(device: str, protocol: type[Capable]) -> Capable:
    """Return the engine of a device, which must have an optional protocol of `engines.base`."""
    engine = capability(device, protocol)
    if engine is None:
        missing = protocol.__name__.removeprefix("With")
        msg = f"device={device!r} has no {missing}: use another device, such as 'cpu' or 'cuda'."
        raise NotSupportedError(msg)
    return engine


def place(graph: Graph, device: str) -> str:
    """Copy a graph's rows to a device, where they stay; return the device's whole name."""
    if checked_kind(device, str, "device") is None:
        msg = f"device = None is not valid; use {device_names()}."
        raise InputError(msg)
    kind_of(device, auto=False)  # a loaded engine does not check the number
    return engine_of(device).place(graph, device)
