"""``warpath bench partitions``: one source on a graph divided among worker processes.

The graph is generated, written to Parquet, and solved twice: in partitions on a Dask cluster of
this machine whose workers have a memory limit each, and by one process with all memory. Every
result is certified on the workers, and its distances and predecessors are compared bit for bit.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import cluster
from warpath.api.calls import sssp
from warpath.base.errors import VerificationError, require
from warpath.graph import generate
from warpath.io.formats import read, write
from warpath_bench.run import facts_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_SEED = 20261126


def main(arguments: Sequence[str]) -> int:
    """Measure, print a table of the two ways and return 0."""
    options = _parser().parse_args(arguments)
    if options.alone:
        sys.stdout.write(json.dumps(_one_process(options.alone, options.sources, options.out)))
        return 0
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        _python(["--make", str(folder / "edges.parquet"), *_graph_arguments(options)])
        found = _in_partitions(options, folder)
        sys.stdout.write(_table(options, found) + "\n")
        sys.stdout.write(f"\nMedians of {options.sources} sources, certified; {facts_text()}.\n")
    return 0


def _in_partitions(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Read and solve on a cluster and in one process; return seconds, bytes and counters."""
    distributed = require("distributed", extra="dask", what="the benchmark of partitions")
    edges = folder / "edges.parquet"
    rows = json.loads((folder / "edges.parquet.json").read_text())
    with (
        distributed.LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit=options.memory,
            local_directory=str(folder),
        ) as local,
        local.get_client() as client,
    ):
        start = time.perf_counter()
        graph = cluster.read(edges, client, n=rows["n"], partitions=options.partitions)
        found: dict[str, Any] = {"read": time.perf_counter() - start, "m": graph.m, "n": graph.n}
        found["nbytes"] = graph.nbytes
        found["ghosts"] = sum(size.ghosts for size in graph.sizes)
        runs: list[tuple[float, float, dict[str, int]]] = []
        for source in rows["sources"][: options.sources]:
            start = time.perf_counter()
            paths = graph.sssp(source, delta=options.delta)
            solved = time.perf_counter()
            graph.verify(paths)
            runs.append((solved - start, time.perf_counter() - solved, paths.stats))
        paths.save(folder / "paths")
        found["peak"] = max(client.run(_peak).values())
    found["solve"] = median(run[0] for run in runs)
    found["verify"] = median(run[1] for run in runs)
    found |= {key: median(run[2][key] for run in runs) for key in runs[0][2]}
    alone = _python(
        [
            "--alone",
            str(edges),
            "--sources",
            str(options.sources),
            "--out",
            str(folder / "alone.npz"),
        ]
    )
    found["alone"] = json.loads(alone)
    _compare(folder)
    return found


def _make(options: argparse.Namespace) -> None:
    """Generate the graph and write its edges, and sources with edges."""
    if options.kind == "rmat":
        graph = generate.rmat(options.size, 16, permute=options.permute, seed=_SEED)
    else:
        graph = generate.road(options.size, seed=_SEED)
    write(graph, options.make, labels="drop")
    drawn = np.random.default_rng(_SEED).permutation(graph.n)[:1000]
    sources = drawn[np.diff(graph.indptr)[drawn] > 0][:16].tolist()
    facts = {"n": graph.n, "m": graph.m, "sources": sources}
    Path(f"{options.make}.json").write_text(json.dumps(facts))


def _one_process(edges: str, count: int, out: str) -> dict[str, float]:
    """Read and solve with all memory; write the last result."""
    rows = json.loads(Path(f"{edges}.json").read_text())
    start = time.perf_counter()
    graph = read(edges)
    names = np.arange(graph.n) if graph.labels is None else np.asarray(graph.labels)
    took = time.perf_counter() - start
    sources = rows["sources"][:count]
    sssp(graph, sources[0])  # once to warm up: the plan and the memory
    times = []
    for source in sources:
        start = time.perf_counter()
        paths = sssp(graph, source)
        pred = paths.pred
        times.append(time.perf_counter() - start)
    named = np.where(pred < 0, -1, names[pred])
    np.savez(out, names=names, dist=paths.dist, pred=named)
    return {"read": took, "solve": median(times), "peak": _peak()}


def _compare(folder: Path) -> None:
    """Compare the saved results of the last source bit for bit."""
    parquet = require("pyarrow.parquet", extra="io", what="reading Parquet")
    alone = np.load(folder / "alone.npz")
    names = alone["names"]
    far = np.iinfo(np.int64).max
    for file in sorted((folder / "paths").iterdir()):
        table = parquet.read_table(file)
        vertex = table["vertex"].to_numpy()
        at = np.minimum(np.searchsorted(names, vertex), len(names) - 1)
        known = names[at] == vertex  # a vertex without edges is not in the table
        for column, key, none in (("distance", "dist", far), ("pred", "pred", -1)):
            values = table[column].fill_null(none).to_numpy()
            expected = np.where(known, alone[key][at], none)
            if not np.array_equal(values, expected):
                msg = f"{file.name}: {column} differs from that of one process."
                raise VerificationError(msg, "peer", {"file": str(file)})


def _peak() -> int:
    """Return the largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _python(arguments: list[str]) -> str:
    command = [sys.executable, "-m", "warpath_bench.partitions", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return done.stdout


def _table(options: argparse.Namespace, found: dict[str, Any]) -> str:
    alone, mebi = found["alone"], 2**20
    name = f"{options.kind} {options.size}"
    relaxed = found["relaxed"] / found["m"]
    head = f"{name}: n = {found['n']:,}, m = {found['m']:,}"
    return "\n".join(
        [
            f"| {head} | {options.workers} workers of {options.memory} | one process |",
            "|---" * 3 + "|",
            f"| read, s | {found['read']:.1f} | {alone['read']:.1f} |",
            f"| solve with the tree, s | {found['solve']:.2f} | {alone['solve']:.2f} |",
            f"| verify, s | {found['verify']:.2f} | |",
            f"| largest process, MiB | {found['peak'] // mebi:,} | {alone['peak'] // mebi:,} |",
            f"| all partitions, MiB | {found['nbytes'] // mebi:,} | |",
            f"| supersteps | {found['supersteps']:.0f} | |",
            f"| edges relaxed, times m | {relaxed:.2f} | |",
            f"| labels sent | {found['sent']:,.0f} | |",
            f"| ghosts | {found['ghosts']:,} | |",
        ]
    )


def _graph_arguments(options: argparse.Namespace) -> list[str]:
    more = ["--permute"] if options.permute else []
    return ["--kind", options.kind, "--size", str(options.size), *more]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench partitions", description=__doc__)
    parser.add_argument("--kind", choices=["rmat", "road"], default="rmat")
    parser.add_argument("--size", type=int, default=18, help="scale of R-MAT, vertices of roads")
    parser.add_argument("--permute", action="store_true", help="R-MAT vertices in random order")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--partitions", type=int, help="(default: the number of workers)")
    parser.add_argument("--memory", default="1GB", help="limit of each worker")
    parser.add_argument("--delta", type=float, help="(default: it grows from the mean weight)")
    parser.add_argument("--sources", type=int, default=3, help="at most 16")
    parser.add_argument("--folder", help="for the files (default: the system's for these)")
    for name in ("--alone", "--out", "--make"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    given = _parser().parse_args()
    if given.make:
        _make(given)
    else:
        sys.exit(main(sys.argv[1:]))
