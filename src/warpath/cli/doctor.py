"""doctor: installed packages, the machine, and a test solve on each device."""
# Annotations are read at run time: no postponed evaluation.

import importlib
import importlib.metadata
import os
import platform
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

import warpath
from warpath import _core
from warpath.api import calls
from warpath.api.options import preferred_device
from warpath.base import settings, system, units
from warpath.base.errors import NotSupportedError, WarpathError, install_line
from warpath.base.system import processor, processor_facts
from warpath.cli.options import Showing, flag
from warpath.cli.output import NamedValues, Report, TableRows
from warpath.engines.devices import members
from warpath.graph import Graph
from warpath.planner.kinds import kind_of
from warpath.recipes import CATALOGUE, Task
from warpath.results.certificate import verify

_OPTIONAL = (  # package, the extra that installs it, its purpose
    ("typer", "cli", "the command"),
    ("rich", "cli", "tables and bars"),
    ("pyarrow", "io", "CSV, Parquet and Arrow tables"),
    ("zstandard", "io", ".zst files before Python 3.14"),
    ("osmium", "osm", "OpenStreetMap extracts"),
    ("opening_hours", "osm", "restrictions by time, at="),
    ("geopandas", "geo", "edges with geometry, outlines"),
    ("folium", "explore", "interactive maps"),
    ("mapclassify", "explore", "their classes of colours"),
    ("matplotlib", "plot", "routes on a map, traces"),
    ("h5py", "omx", "matrices of transport models, .omx"),
    ("zarr", "zarr", "all pairs written block by block"),
    ("distributed", "dask", "tables on a Dask cluster"),
    ("cupy", "cuda13", "NVIDIA GPUs"),
    ("cuda.core", "cuda13", "kernels for them"),
    ("scipy", None, "graphs from and to SciPy"),
    ("networkx", None, "graphs from and to NetworkX"),
    ("igraph", None, "graphs from igraph"),
    ("rustworkx", None, "graphs from rustworkx"),
    ("pandas", None, "tables from and to pandas"),
    ("polars", None, "tables from and to polars"),
)
#: The names in the package index of packages that are imported by another name.
_PROJECTS = {"opening_hours": "opening-hours-py"}
_SIMD = ("avx512f", "avx2", "avx", "sse4_2", "asimd")  # the best comes first


def doctor(
    showing: Showing,
    verbose: bool = flag(
        "Also report whether the recorded GPU test runs are valid for these kernels.",
        "--verbose",
        "-v",
    ),
) -> None:
    """Report installed packages, the machine, and whether each device solves a small graph right.

    Start here when something does not work, and add the output to your bug report.

    Example: [cyan]warpath doctor --json[/]
    """
    versions = {
        "warpath": warpath.__version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "numpy": np.__version__,
        "core": f"built by {_core.compiler}",
        "system": platform.platform(),
    }
    machine = _machine()
    readers: dict[str, Any] = {
        "WARPATH_DEVICE": preferred_device,
        "WARPATH_THREADS": settings.threads,
        "WARPATH_MEMORY": settings.memory,
        "WARPATH_GPU_MEMORY": lambda: settings.gpu_memory() or "all that is free",
        "WARPATH_CACHE_DIR": lambda: settings.kernel_cache() or "off",
    }
    known = {name: _or_reason(read) for name, read in readers.items()}
    packages = [_package(*each) for each in _OPTIONAL]
    cuda = _cuda()
    usable_devices = (n for n in members("all") if "unusable" not in cuda["gpus"].get(n, {}))
    devices = {name: checked(name) for name in usable_devices}
    report = Report("doctor", showing, versions=versions, machine=machine, settings=known)
    report.document |= {"packages": packages, "cuda": cuda, "devices": devices}
    usable = machine["usable_memory"]
    usable = usable if isinstance(usable, str) else f"{units.size(usable)} may be used"
    shown_machine = {
        "processor": machine["processor"],
        "cores": f"{machine['cores']}, {machine['usable_cores']} for this process",
        "SIMD": machine["simd"],
        "memory": f"{units.size(machine['memory'])}, {usable}",
        "threads": machine["threads"],
    }
    purposes = (p["for"] + ("" if p["version"] else f": {p['install']}") for p in packages)
    rows = [(p["name"], p["version"], text) for p, text in zip(packages, purposes, strict=True)]
    report.parts = [
        NamedValues(versions, title="Versions"),
        NamedValues(shown_machine, title="Machine"),
        NamedValues(known, title="Settings"),
        TableRows(("package", "version", "for"), rows, title="Optional packages", data=False),
        NamedValues(_cuda_lines(cuda), title="CUDA"),
        NamedValues(devices, title="Devices"),
    ]
    if verbose:
        from warpath.engines.cuda import sources

        recorded = sources.since_recorded() or {"none": f"no run is recorded in {sources.RUNS}"}
        report.document["recorded_runs"] = recorded
        report.parts.append(NamedValues(recorded, title="Recorded GPU runs"))
    report.show()
    if any(not answer.startswith("ok") for answer in devices.values()):
        raise NotSupportedError("a device did not give the expected distances: see above.")


def _machine() -> dict[str, Any]:
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", processor_facts(), re.MULTILINE)
    have = set(flags[1].split()) if flags else set()
    usable = system.cores()
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "usable_cores": usable,
        "simd": next((level for level in _SIMD if level in have), None),
        "memory": _memory(),
        "usable_memory": _or_reason(settings.memory),
        "threads": _or_reason(settings.threads),
    }


def _memory() -> int:
    """Return the bytes of memory of the machine; 0 where the system does not say."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _or_reason(read: Any) -> Any:
    try:
        return read()
    except WarpathError as error:
        return str(error)


def _package(name: str, extra: str | None, purpose: str) -> dict[str, Any]:
    project = _PROJECTS.get(name, name)
    try:
        module = importlib.import_module(name)
        version = getattr(module, "__version__", None) or importlib.metadata.version(project)
    except ImportError:
        version = None
    line = install_line(project, extra)
    return {"name": name, "version": version, "for": purpose, "install": line}


def checked(device: str) -> str:
    """Solve small graphs of known distances by each planned recipe; return the outcome as text."""
    src, dst = [0, 0, 1, 2, 2, 3], [1, 2, 3, 1, 3, 4]
    any_weights, equal_weights = ([7, 2, 1, 3, 8, 1], [0, 5, 2, 6, 7]), ([4] * 6, [0, 4, 4, 8, 12])
    kind = kind_of(device)
    recipes = [r for r in CATALOGUE.planned if kind.runs in r.devices and not r.prepared]
    try:
        for dtype in (np.int32, np.int64, np.float32, np.float64):
            for weights, expected in (any_weights, equal_weights):
                graph = Graph.from_edges(src, dst, np.array(weights, dtype))
                facts = graph.facts(symmetry=False)
                for recipe in recipes:
                    if kind.objection(recipe, Task.SSSP, facts):
                        continue
                    paths = calls.sssp(graph, 0, algorithm=recipe.name, device=device)
                    verify(graph, paths)
                    if (dist := paths.dist.tolist()) != expected:
                        return f"wrong: {recipe.name} on {np.dtype(dtype)} gave {dist}"
    except WarpathError as error:
        return f"failed: {error}"
    return "ok, same bits as expected"


def _cuda() -> dict[str, Any]:
    """Return versions, GPUs by name or the reason for none, and the state of the kernel cache."""
    from warpath.engines.cuda import cache, device, driver

    kept = cache.kept()
    document: dict[str, Any] = {"none": None, "versions": {}, "gpus": {}}
    document["cache"] = {"folder": kept.folder, "kernels": kept.entries, "bytes": kept.bytes}
    document["cache"]["refused"] = cache.refused()
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
    return document


def _cuda_lines(document: Mapping[str, Any]) -> dict[str, str]:
    """Return a document of `_cuda` as readable lines by name."""
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
