"""Repeat calls, and check that memory, open files, threads and files in a folder do not grow."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import itertools
import os
import pickle
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import warpath as wp
from hunt.program import Finding, Program
from hunt.programs._odd_values import odd_value
from hunt.programs._public_calls import Call, Subject, calls, empty_folder, subjects
from warpath import csgraph

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from hunt.program import Counts

    Repeated = Callable[[], object]

#: Seconds of each of a trial's three parts; caches fill during the first one.
_SECONDS = 0.4
_FEWEST, _MOST = 40, 2000
#: Bytes that one part may add in all: allocators take memory in steps of up to 1 MiB.
_STEP = 2**20
#: Growth per call above which a part is suspicious: bytes, and objects.
_BYTES_A_CALL = 48
_OBJECTS_A_CALL = 0.5
#: Objects of the measurements themselves and of the interpreter's free lists.
_OWN_OBJECTS = 100
#: Further parts that check a suspicion, each of as many calls as the first part.
_LOOKS = 10


class Usage(NamedTuple):
    """Resources of the process: bytes of memory, and numbers of the others."""

    memory: int
    objects: int
    descriptors: int
    threads: int
    files: int


#: Growth in the second half of the further parts, relative to the first half, of a leak.
_CONSTANT = 0.8


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Repeat one call; repeat it more often if a resource grew."""
    kinds = [_public, _public, _public, _new_options, _stopped, _damaged_files]
    kinds += [_scipy_face] if importlib.util.find_spec("scipy") else []
    kinds += [_networkx_face] if importlib.util.find_spec("networkx") else []
    empty_folder()
    kind = kinds[rng.integers(len(kinds))]
    call = kind(rng)
    begin = time.perf_counter()
    _repeat(call, 10, counts)
    each = (time.perf_counter() - begin) / 10
    times = int(min(_MOST, max(_FEWEST, _SECONDS / each)))
    _repeat(call, times, counts)
    before = _usage()
    _repeat(call, times, counts)
    after = _usage()
    if _grew(before, after, times):
        _look_longer(call, times, counts, getattr(call, "__doc__", None) or kind.__name__)


class _Stop(BaseException):
    """The exception that a callback raises to end a call."""


def _stop(*_: object) -> None:
    raise _Stop


def _graph(rng: np.random.Generator, largest: int = 300) -> wp.Graph:
    n = int(rng.integers(2, largest))
    src, dst = rng.integers(0, n, (2, int(rng.integers(1, 5 * n))))
    kind = str(rng.choice(["int32", "int64", "float32", "float64"]))
    return wp.Graph.of((src, dst, rng.integers(1, 1000, len(src)).astype(kind)), n=n)


def _public(rng: np.random.Generator) -> Repeated:
    """Return a call that repeats some public calls, half of them with an odd value."""
    made: list[tuple[Call, Subject, dict[str, Any]]] = []
    while len(made) < 4:
        call = calls()[rng.integers(len(calls()))]
        subject = subjects()[rng.integers(len(subjects()))]
        names = [name for name in call.makers if name not in {"path", "out", "reduce", "progress"}]
        if call.suits(subject) and call.weight > 0.1 and call.name != "register":
            odd = {str(rng.choice(names)): odd_value(rng)} if names and rng.integers(2) else {}
            made.append((call, subject, call.arguments(subject, rng, odd)))

    def repeated() -> None:
        for call, subject, given in made:
            with contextlib.suppress(Exception):
                call.on(subject, given)

    repeated.__doc__ = "; ".join(f"{call.name} on {on.name}" for call, on, _ in made)
    return repeated


def _new_options(rng: np.random.Generator) -> Repeated:
    """Return a call that makes graphs, and solves them with options that are new each time."""
    graph = _graph(rng)

    def repeated() -> None:
        params = {"delta": float(rng.integers(1, 10**6))}
        source, targets = int(rng.integers(graph.n)), rng.integers(0, graph.n, 2)
        wp.sssp(graph, source, algorithm="classic.delta_stepping", params=params, threads=1)
        wp.distances(graph, [0], targets, cutoff=int(rng.integers(5000)))
        new = pickle.loads(pickle.dumps(graph))  # noqa: S301 - its own
        new.reversed()
        wp.verify(new, wp.sssp(new, 0, cutoff=float(rng.uniform(0, 5000))))
        next(iter(wp.apsp(new).rows()))  # a generator that is abandoned

    return repeated


def _stopped(rng: np.random.Generator) -> Repeated:
    """Return a call that is stopped by an exception of its callback."""
    graph, target = _graph(rng, 60), Path("stopped.npy")
    call: Repeated = [
        lambda: wp.apsp(graph, out=target, progress=_stop),
        lambda: wp.apsp(graph, out=_stop),
        lambda: wp.sssp(graph, 0, progress=_stop),
    ][rng.integers(3)]

    def repeated() -> None:
        with contextlib.suppress(_Stop):
            call()
        empty_folder()

    return repeated


def _damaged_files(rng: np.random.Generator) -> Repeated:
    """Return a call that writes a file and reads it, whole and cut off."""
    suffixes = ".gr", ".mtx", ".npz", ".gr.gz", ".gr.bz2", ".gr.xz", ".gr.zst", ".wph"
    suffix = str(rng.choice(suffixes))
    graph, path = _graph(rng).astype("int64"), Path(f"a{suffix}")
    write = wp.prepare(graph).save if suffix == ".wph" else lambda path: wp.write(graph, path)

    def repeated() -> None:
        write(path)
        wp.read(path)
        path.write_bytes(path.read_bytes()[:-1])
        with contextlib.suppress(wp.WarpathError):
            wp.read(path)

    return repeated


def _scipy_face(rng: np.random.Generator) -> Repeated:
    """Return a call of some functions of `warpath.csgraph`."""
    rows = _graph(rng, 100).astype("float64").to_scipy()
    negative = [[0, -2.0, 0], [0, 0, 1], [0.5, 0, 0]]
    directed = bool(rng.integers(2))

    def repeated() -> None:
        csgraph.shortest_path(rows, directed=directed, return_predecessors=True)
        csgraph.dijkstra(rows, indices=[0, 1], min_only=True, return_predecessors=True)
        csgraph.floyd_warshall(rows.toarray())
        csgraph.yen(rows, 0, rows.shape[0] - 1, 3)
        with contextlib.suppress(csgraph.NegativeCycleError):
            csgraph.bellman_ford(negative)

    return repeated


def _networkx_face(rng: np.random.Generator) -> Repeated:
    """Return a call of some functions of the NetworkX backend on a graph that is new each time."""
    nx: Any = importlib.import_module("networkx")
    ends = rng.integers(0, 40, (int(rng.integers(1, 200)), 3)).tolist()
    kind = [nx.Graph, nx.DiGraph][rng.integers(2)]
    nx.config.warnings_to_ignore.add("cache")

    def repeated() -> None:
        graph = kind()
        graph.add_weighted_edges_from(ends)
        source = ends[0][0]
        nx.single_source_dijkstra(graph, source, backend="warpath")
        nx.shortest_path_length(graph, source, backend="warpath")
        next(iter(nx.all_pairs_dijkstra_path_length(graph, backend="warpath")))
        with contextlib.suppress(nx.NetworkXNoPath, nx.NodeNotFound):
            nx.dijkstra_path(graph, source, 41, backend="warpath")

    return repeated


def _grew(before: Usage, after: Usage, times: int) -> bool:
    return (
        after.memory - before.memory > max(_STEP, _BYTES_A_CALL * times)
        or after.objects - before.objects > _OBJECTS_A_CALL * times
        or any(now > then for now, then in zip(after[2:], before[2:], strict=True))
    )


def _look_longer(call: Repeated, times: int, counts: Counts, name: str) -> None:
    """Report resources that grow in nine of ten further parts, and in all as much as a leak."""
    seen = [_usage()]
    for _ in range(_LOOKS):
        _repeat(call, times, counts)
        seen.append(_usage())
    calls = times * _LOOKS
    least = (max(2 * _STEP, _BYTES_A_CALL * calls), _OBJECTS_A_CALL * calls + _OWN_OBJECTS, 2, 2, 2)
    for at, field in enumerate(Usage._fields):
        values = [usage[at] for usage in seen]
        rises = sum(b > a for a, b in itertools.pairwise(values))
        steady = rises >= (_LOOKS - 1 if at < 2 else 2)
        halves = values[_LOOKS // 2] - values[0], values[-1] - values[_LOOKS // 2]
        constant = halves[1] > _CONSTANT * halves[0]  # the growth of caches slows down
        if steady and constant and min(halves) > least[at] / 4 and sum(halves) > least[at]:
            raise Finding(f"{name}: {field} grew over {calls} calls: {values}")


def _repeat(call: Repeated, times: int, counts: Counts) -> None:
    for _ in range(times):
        call()
    counts["calls"] += times


def _usage() -> Usage:
    """Return the usage after freeing unreachable objects and releasing free memory."""
    for _ in range(2):
        gc.collect()
    _LIBC.malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Usage(
        pages * os.sysconf("SC_PAGE_SIZE"),
        sys.getallocatedblocks(),
        *(len(list(Path(each).iterdir())) for each in ("/proc/self/fd", "/proc/self/task", ".")),
    )


def _obstacle() -> str:
    return "" if Path("/proc/self/statm").exists() else "this system has no /proc/self/statm"


_LIBC = ctypes.CDLL(None)

PROGRAM = Program(
    summary="Repeated calls do not grow in memory, open files, threads or temporary files.",
    trial=trial,
    obstacle=_obstacle,
)
