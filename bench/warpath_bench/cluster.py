"""``warpath bench cluster``: tables on a Dask cluster of this machine, compared with one process.

Each round fills the same Zarr file by threads of this process, by workers of one thread each, and,
with ``--kill``, by workers of which a random one is killed every few seconds. The files are
compared, untimed. The last lines time small calls of a Solver.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from warpath.base.errors import VerificationError, require

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SMALL_CALLS = 200
_COMPARED = 64  # rows at a time


def main(arguments: Sequence[str]) -> int:
    """Measure, verify and print a JSON line for each number of workers."""
    options = _parser().parse_args(arguments)
    require("distributed", extra="dask", what="warpath bench cluster")
    graph = wp.Graph.of(options.graph)
    rng = np.random.default_rng(options.seed)
    sources = rng.choice(graph.n, min(options.sources, graph.n), replace=False)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for workers in options.workers:
            line = measured(graph, sources, workers, options, Path(folder))
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
    return 0


def measured(
    graph: wp.Graph, sources: Any, workers: int, options: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    """Return the seconds of each way, their ratios, and small calls a second."""
    here, there, killed = folder / "here.zarr", folder / "there.zarr", folder / "killed.zarr"
    times: dict[str, list[float]] = {"process": [], "cluster": [], "killed": []}
    kills: list[int] = []
    with started(workers) as client:
        solver = wp.Solver(graph, device=client)
        solver.distances(sources[: 4 * workers])  # every worker has the graph
        for _ in range(options.rounds):
            times["process"].append(_seconds(wp.Solver(graph, threads=workers), sources, here))
            times["cluster"].append(_seconds(solver, sources, there))
            compare(here, there)
            if options.kill:
                with killing(client, options.kill, kills):
                    times["killed"].append(_seconds(solver, sources, killed))
                compare(here, killed)
        small = small_calls(solver, sources)
    seconds = {name: median(found) for name, found in times.items() if found}
    line = {"graph": options.graph, "sources": len(sources), "workers": workers}
    line |= {f"{name}_s": [round(each, 2) for each in found] for name, found in times.items()}
    line |= {"of_the_process_rate": round(seconds["process"] / seconds["cluster"], 3)}
    if options.kill:
        line |= {
            "kills": len(kills),
            "times_with_kills": round(seconds["killed"] / seconds["cluster"], 3),
        }
    load = [round(each, 1) for each in os.getloadavg()]
    return line | {"small_calls_per_s": round(small, 1), "load": load, "cores": os.cpu_count()}


def small_calls(solver: wp.Solver, sources: Any) -> float:
    """Return how many calls with one source and two targets are answered a second."""
    solver.distances(sources[:1], sources[1:3])
    start = time.perf_counter()
    for at in range(_SMALL_CALLS):
        one = at % len(sources)
        solver.distances(sources[one : one + 1], sources[1:3])
    return _SMALL_CALLS / (time.perf_counter() - start)


def compare(expected: Path, found: Path) -> None:
    """Raise VerificationError unless two arrays have the same bits."""
    zarr = require("zarr", extra="zarr", what="warpath bench cluster")
    ours, theirs = zarr.open_array(expected, mode="r"), zarr.open_array(found, mode="r")
    for start in range(0, ours.shape[0], _COMPARED):
        rows = slice(start, start + _COMPARED)
        if (ours[rows] != theirs[rows]).any():
            msg = f"{found.name}: rows {start} to {start + _COMPARED - 1} differ"
            raise VerificationError(msg, "same bits", {"row": start})


@contextmanager
def started(workers: int) -> Iterator[Any]:
    """Yield a client of a cluster of worker processes with one thread each."""
    dask = require("dask", extra="dask", what="warpath bench cluster")
    distributed = require("distributed", extra="dask", what="warpath bench cluster")
    with (
        # LocalCluster looks for a worker some time after each of its deaths, and closes its nanny
        # for good if the next one has died as well by then.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def killing(client: Any, every: float, killed: list[int]) -> Iterator[None]:
    """Kill a random worker every few seconds; their nannies start others."""
    ended, rng = threading.Event(), np.random.default_rng(1)

    def kill() -> None:
        while not ended.wait(every):
            with suppress(OSError):  # a worker that just ended
                found = sorted(client.run(os.getpid, on_error="ignore").values())
                if found:
                    killed.append(int(rng.choice(found)))
                    os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        ended.set()
        killer.join()


def _seconds(solver: wp.Solver, sources: Any, out: Path) -> float:
    shutil.rmtree(out, ignore_errors=True)
    start = time.perf_counter()
    solver.distances(sources, out=out)
    return time.perf_counter() - start


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("warpath bench cluster", description=__doc__)
    parser.add_argument("graph", help="a graph file")
    parser.add_argument("--sources", type=int, default=4096, help="rows of the table")
    parser.add_argument(
        "--workers", type=_numbers, default=[2], help="numbers of workers, such as 1,2,4,8,16"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is timed")
    parser.add_argument(
        "--kill", type=float, default=0.0, metavar="SECONDS", help="kill a random worker so often"
    )
    parser.add_argument("--folder", help="where the files are written; default: TMPDIR")
    parser.add_argument("--seed", type=int, default=1, help="of the sources")
    return parser


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]
