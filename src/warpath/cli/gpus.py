"""The CUDA part of doctor: versions, GPUs, and the kernel cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import NotSupportedError, WarpathError
from warpath.recipes import CATALOGUE, Task

if TYPE_CHECKING:
    from collections.abc import Mapping


def found() -> dict[str, Any]:
    """Return versions, GPUs by name or the reason for none, and the state of the kernel cache."""
    from warpath.engines.cuda import cache, device, driver

    kept = cache.kept()
    document: dict[str, Any] = {
        "none": None,
        "versions": {},
        "gpus": {},
        "usable": [],
        "cache": {
            "folder": kept.folder,
            "kernels": kept.entries,
            "bytes": kept.bytes,
            "refused": cache.refused(),
        },
    }
    try:
        count = driver.device_count()
        document["versions"] = driver.versions()
    except NotSupportedError as error:
        document["none"] = str(error)
        return document
    for name in (f"cuda:{at}" for at in range(count)):
        try:
            gpu = device.open_device(name)
            with gpu.active():
                free = gpu.free_memory()
        except WarpathError as error:
            document["gpus"][name] = {"unusable": str(error)}
            continue
        document["gpus"][name] = {
            "model": gpu.model,
            "compute_capability": ".".join(map(str, gpu.capability)),
            "compiled_for": gpu.arch,
            "multiprocessors": gpu.processors,
            "memory": gpu.memory,
            "free": free,
        }
        document["usable"].append(name)
    return document


def shown(document: Mapping[str, Any]) -> dict[str, str]:
    """Return a document of `found` as readable lines by name."""
    lines = {"GPU": f"none: {document['none']}"} if document["none"] else {}
    lines |= document["versions"]
    for name, gpu in document["gpus"].items():
        lines[name] = gpu.get("unusable") or (
            f"{gpu['model']}, compute capability {gpu['compute_capability']}, "
            f"{units.size(gpu['memory'])}, {units.size(gpu['free'])} free"
        )
    lines["kernel cache"] = _cache_line(document["cache"])
    return lines


def _cache_line(kept: Mapping[str, Any]) -> str:
    if not kept["folder"]:
        return "off"
    if kept["refused"]:
        return f"not used: {kept['refused']}"
    return f"{kept['folder']}: {kept['kernels']} kernels, {units.size(kept['bytes'])}"


def recorded() -> dict[str, str]:
    """Return, for each GPU with a recorded test run, whether it is valid for these kernels."""
    from warpath.engines.cuda import sources

    runs = sources.since_recorded()
    return runs or {"none": f"no run is recorded in {sources.RUNS}"}


def planned() -> tuple[str, ...]:
    """Return the algorithms that auto may choose for one source on a GPU."""
    able = [each for each in CATALOGUE.planned if Task.SSSP in each.solves]
    return tuple(each.name for each in able if "cuda" in each.devices)
