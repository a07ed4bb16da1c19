"""Graphs that change: batches of changes by `DynamicPaths`, by solving anew, and by NetworKit.

Every batch is passed to all of them, and their distances are compared outside the clock.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

import warpath as wp
from warpath.base.dtypes import unreachable
from warpath_bench import dynamic_page
from warpath_bench.run import commit, facts_of
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warpath.base.dtypes import Array

    Line = dict[str, Any]

#: What is measured unless it is asked for otherwise: graph, kind of changes, edges, batches.
CASES = (
    ("NY", "weights", 1, 200),
    ("NY", "weights", 10, 100),
    ("NY", "weights", 1000, 20),
    ("NY", "replay", 10, 10_000),
    ("grid 1000", "weights", 100, 20),
    ("rmat 18 16", "insertions", 1000, 20),
)

_EVERY = 500  # batches of a replay between two comparisons


class Batch(NamedTuple):
    """Changes of one kind: the ends of k edges, and their new weights."""

    sources: Array
    targets: Array
    weights: Array
    insert: bool


class Solver(Protocol):
    """Something whose distances follow the changes."""

    def change(self, batch: Batch) -> None:
        """Apply a batch; this is what the clock measures."""

    def dist(self) -> Array:
        """Return the distances, (n,)."""


class Ours:
    """`warpath.DynamicPaths`."""

    def __init__(self, graph: wp.Graph, source: int, wish: argparse.Namespace) -> None:
        self.live = wp.DynamicPaths(graph, source, algorithm=wish.algorithm, **where(wish))
        self.changed: Any = None

    def change(self, batch: Batch) -> None:
        """Repair."""
        make = self.live.insert if batch.insert else self.live.update
        self.changed = make((batch.sources, batch.targets), batch.weights)

    def dist(self) -> Array:
        """Return the distances."""
        return self.live.dist


class Anew:
    """`warpath.sssp` with its tree on a changed copy of the graph."""

    def __init__(self, graph: wp.Graph, source: int, wish: argparse.Namespace) -> None:
        self._graph, self._source, self._where = graph, source, where(wish)
        self._weights = graph.solver_weights.copy()
        self.paths: Any = None
        self.solve_s = 0.0

    def change(self, batch: Batch) -> None:
        """Make the changed graph, and solve it."""
        if batch.insert:
            ends = batch.sources, batch.targets
            self._graph = self._graph.with_edges(ends, batch.weights)
        else:
            self._weights[numbers(self._graph, batch)] = batch.weights
            self._graph = self._graph.with_weights(self._weights)
        start = time.perf_counter()
        self.paths = wp.sssp(self._graph, self._source, **self._where)
        stays = self._where["device"] != "cpu"
        _ = self.paths.on_device.pred if stays else self.paths.pred
        self.solve_s = time.perf_counter() - start

    def dist(self) -> Array:
        """Return the distances."""
        found: Array = self.paths.dist
        return found


class NetworKit:
    """NetworKit's dynamic Dijkstra."""

    def __init__(self, graph: wp.Graph, source: int) -> None:
        import networkit as nk

        self._events, self._kinds = nk.dynamics.GraphEvent, nk.dynamics.GraphEventType
        src, dst, weights = graph.edges()
        self._graph = nk.GraphFromCoo(
            (weights.astype(np.float64), (src, dst)), n=graph.n, weighted=True, directed=True
        )
        self._search = nk.distance.DynDijkstra(self._graph, source)
        self._search.run()
        self._like = graph.dist_dtype

    def change(self, batch: Batch) -> None:
        """Change its graph, and update, one edge after the other.

        Its `updateBatch` gave wrong distances for batches of ten new weights.
        """
        kind = self._kinds.EDGE_ADDITION if batch.insert else self._kinds.EDGE_WEIGHT_UPDATE
        put = self._graph.addEdge if batch.insert else self._graph.setWeight
        columns = (batch.sources.tolist(), batch.targets.tolist(), batch.weights.tolist())
        for u, v, weight in zip(*columns, strict=True):
            put(u, v, weight)
            self._search.update(self._events(kind, u, v, weight))

    def dist(self) -> Array:
        """Return the distances; its largest number stands for no path."""
        found = np.asarray(self._search.getDistances())
        far = found > 1e300  # the largest double, or inf
        found[far] = 0
        exact = found.astype(self._like)
        exact[far] = unreachable(np.dtype(self._like))
        return exact


_DYNG_FAR = 2**61 - 1  # dynG's distance of a vertex that has no path, in 64 bits


class DynG:
    """dynG's update of one source, in a process of another Python.

    Its own clock measures the update alone.
    """

    def __init__(self, graph: wp.Graph, source: int, python: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "graph.npz"
        src, dst, weights = graph.edges()
        np.savez(path, n=graph.n, src=src, dst=dst, weights=weights)
        program = Path(__file__).with_name("dyng_program.py")
        self._child = subprocess.Popen(  # noqa: S603 - the user names the program
            [python, str(program), str(path), str(source)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._path, self._like = path, graph.dist_dtype
        self._answer()
        self.seconds = 0.0

    def _answer(self) -> str:
        assert self._child.stdout is not None  # noqa: S101 - a pipe
        line = self._child.stdout.readline()
        if not line:
            msg = f"dynG's process ended with status {self._child.wait()}."
            raise RuntimeError(msg)
        return line

    def change(self, batch: Batch) -> None:
        """Pass the batch on; `seconds` is what the update took there."""
        assert self._child.stdin is not None  # noqa: S101 - a pipe
        path = self._path.with_name("batch.npz")
        np.savez(path, sources=batch.sources, targets=batch.targets, weights=batch.weights)
        self._child.stdin.write(f"{path}\n")
        self._child.stdin.flush()
        self.seconds = float(self._answer())

    def dist(self) -> Array:
        """Return the distances; a negative number or a very large one stands for no path."""
        found = np.load(f"{self._path}.npy")
        far = (found < 0) | (found >= min(_DYNG_FAR, np.iinfo(found.dtype).max))
        exact: Array = found.astype(self._like)
        exact[far] = unreachable(np.dtype(self._like))
        return exact

    def close(self) -> None:
        """End the process."""
        self._child.communicate()
        self._folder.cleanup()


def numbers(graph: wp.Graph, batch: Batch) -> Array:
    """Return the numbers of a batch's edges, none of which has a parallel one."""
    found = []
    for u, v in zip(batch.sources.tolist(), batch.targets.tolist(), strict=True):
        begin, end = graph.indptr[u], graph.indptr[u + 1]
        found.append(begin + int(np.flatnonzero(graph.indices[begin:end] == v)[0]))
    return np.array(found)


def single_edges(graph: wp.Graph) -> wp.Graph:
    """Return a graph without loops, with the lightest of parallel edges alone."""
    src, dst, weights = graph.edges()
    order = np.lexsort((weights, dst, src))
    src, dst, weights = src[order], dst[order], weights[order]
    kept = src != dst
    kept[1:] &= (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
    return wp.Graph.from_edges(src[kept], dst[kept], weights[kept], n=graph.n)


def batches(
    graph: wp.Graph, kind: str, size: int, count: int, random: np.random.Generator
) -> Iterator[Batch]:
    """Draw batches: new weights, half to twice the old ones of the graph; or new edges."""
    src, dst, weights = graph.edges()
    there = set() if kind != "insertions" else set(zip(src.tolist(), dst.tolist(), strict=True))
    for _ in range(count):
        if kind == "insertions":
            ends: list[tuple[int, int]] = []
            while len(ends) < size:
                u, v = random.integers(0, graph.n, 2).tolist()
                edge = (u, v)
                if u != v and edge not in there:
                    there.add(edge)
                    ends.append(edge)
            pairs = np.array(ends)
            drawn = random.choice(weights, size)
            yield Batch(pairs[:, 0], pairs[:, 1], drawn, insert=True)
        else:
            at = random.choice(graph.m, size, replace=False)
            factors = random.uniform(0.5, 2, size)
            drawn = np.maximum(weights[at] * factors, 1).astype(weights.dtype)
            yield Batch(src[at].astype(np.int64), dst[at].astype(np.int64), drawn, insert=False)


class Others:
    """A new solve, and the peers that take part: their times, and what was wrong.

    A peer takes no further part after its first wrong answer.
    """

    def __init__(self, graph: wp.Graph, source: int, wish: argparse.Namespace) -> None:
        self._anew = Anew(graph, source, wish)
        self._solvers: dict[str, Solver] = {"anew": self._anew}
        if not wish.alone:
            self._solvers["NetworKit"] = NetworKit(graph, source)
        if wish.dyng:
            self._solvers["dynG"] = DynG(graph, source, wish.dyng)
        self.times: dict[str, list[float]] = {"solve": []}
        self.wrong: dict[str, str] = {}

    def change(self, batch: Batch, expected: Array) -> None:
        """Pass a batch to all, and compare their distances."""
        for name, solver in self._solvers.items():
            if name in self.wrong:
                continue
            seconds = clocked(solver, batch)
            seconds = solver.seconds if isinstance(solver, DynG) else seconds
            self.times.setdefault(name, []).append(seconds)
            try:
                assert_same(expected, solver.dist(), name)
            except AssertionError as error:
                if solver is self._anew:
                    raise
                self.wrong[name] = f"batch {len(self.times[name])}: {error}"
        self.times["solve"].append(self._anew.solve_s)

    def close(self) -> None:
        """End the processes of peers."""
        for solver in self._solvers.values():
            if isinstance(solver, DynG):
                solver.close()


def measure(case: tuple[str, str, int, int], wish: argparse.Namespace) -> Line:
    """Measure one case; raise AssertionError if our answers differ."""
    name, kind, size, count = case
    graph = single_edges(workload(name, 1.0, wish.data).make())
    random = np.random.default_rng(wish.seed)
    source = int(random.integers(graph.n))
    ours = Ours(graph, source, wish)
    others = None if kind == "replay" else Others(graph, source, wish)
    times: list[float] = []
    affected, changed, solved, sizes = [], [], 0, []
    for at, batch in enumerate(batches(graph, kind, size, count, random)):
        times.append(clocked(ours, batch))
        affected.append(ours.changed.stats["affected"])
        changed.append(len(ours.changed))
        solved += ours.changed.stats["solved_anew"]
        if others is not None:
            others.change(batch, ours.dist())
            continue
        if at % 100 == 0:
            sizes.append(ours.live.nbytes)
        if at % _EVERY == _EVERY - 1 or at == count - 1:
            check(ours.live, source, wish)
    more, wrong = ({}, {}) if others is None else (others.times, others.wrong)
    if others is not None:
        others.close()
    return {
        "graph": name,
        "n": graph.n,
        "m": graph.m,
        "kind": kind,
        "size": size,
        "batches": count,
        "seed": wish.seed,
        "threads": wish.threads,
        "device": wish.device,
        "source": source,
        "algorithm": wish.algorithm,
        "times": {each: np.round(t, 9).tolist() for each, t in {"repair": times, **more}.items()},
        "affected": affected,
        "changed": changed,
        "solved_anew": solved,
        "bytes": sizes,
        "wrong": wrong,
        "machine": facts_of([wish.device.partition(":")[0]], commit()),
    }


def where(wish: argparse.Namespace) -> dict[str, Any]:
    """Return the options of our calls; threads are of the CPU."""
    return {"device": wish.device, "threads": wish.threads if wish.device == "cpu" else None}


def clocked(solver: Solver, batch: Batch) -> float:
    """Return the seconds that a change takes."""
    start = time.perf_counter()
    solver.change(batch)
    return time.perf_counter() - start


def assert_same(found: Array, expected: Array, name: str) -> None:
    """Raise AssertionError unless two solvers have the same distances."""
    if not np.array_equal(found, expected):
        at = int(np.argmax(found != expected))
        msg = f"vertex {at}: warpath has {found[at]}, {name} has {expected[at]}"
        raise AssertionError(msg)


def check(live: wp.DynamicPaths, source: int, wish: argparse.Namespace) -> None:
    """Compare distances and tree of a replay with a new solve."""
    paths = wp.sssp(live.graph, source, **where(wish))
    assert_same(live.dist, paths.dist, "a new solve")
    assert_same(live.pred, paths.pred, "the tree of a new solve")


def main(arguments: Sequence[str]) -> int:
    """Measure what is wished, append lines to a file, and write the page."""
    wish = _parser().parse_args(arguments)
    lines = dynamic_page.read(wish.lines) if wish.lines else []
    cases = [case for case in CASES if not wish.graphs or case[0] in wish.graphs]
    if wish.batches is not None:
        cases = [(*case[:3], wish.batches) for case in cases]
    for case in [] if wish.page_only else cases:
        line = measure(case, wish)
        lines.append(line)
        sys.stdout.write(f"{dynamic_page.compact(line)}\n")
        sys.stdout.flush()
        if wish.lines:
            with wish.lines.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    if wish.output:
        dynamic_page.write(lines, wish.output)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("warpath bench dynamic", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the real graphs")
    parser.add_argument("--graphs", nargs="*", help="graphs to measure; default: all")
    parser.add_argument("--batches", type=int, help="batches of each case; default: as in CASES")
    parser.add_argument("--threads", type=int, default=2, help="threads of warpath; default 2")
    parser.add_argument("--device", default="cpu", help="where we repair and solve; default cpu")
    parser.add_argument("--algorithm", default="auto", help="how batches are repaired")
    parser.add_argument("--seed", type=int, default=1, help="of sources and batches")
    parser.add_argument("--alone", action="store_true", help="leave NetworKit out")
    parser.add_argument("--dyng", help="a Python that has dynG, to compare with it")
    parser.add_argument("--lines", type=Path, help="file to append measurements to, .jsonl")
    parser.add_argument("--output", type=Path, help="page to write, .md, with a plot beside it")
    parser.add_argument("--page-only", action="store_true", help="write the page from --lines")
    return parser
