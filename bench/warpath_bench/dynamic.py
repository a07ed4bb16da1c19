"""Graphs that change: batches of changes by `DynamicPaths`, by solving anew, and by NetworKit.

Every batch is passed to all of them, and their distances are compared outside the clock.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath as wp
from warpath.base import units
from warpath.base.dtypes import unreachable
from warpath_bench import lines as files
from warpath_bench.charts import plane
from warpath_bench.limits import clocked
from warpath_bench.measured import about, rows
from warpath_bench.options import parsed
from warpath_bench.run import commit, facts_of
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path

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
_HEAD = """\
# Graphs that change{where}

<!-- Written by `warpath bench dynamic --output`: edit bench/warpath_bench/dynamic.py. -->

Each batch of changes is passed to `warpath.DynamicPaths`{others}:

```console
$ warpath bench dynamic --data FOLDER {options} --lines dynamic.jsonl \\
      --output {page}
```

*Repair* is one call of `update` or `insert`; *anew* makes the changed graph and solves it with its
tree, *solve* only solves it. Times are medians. New weights are half to twice the old ones. All
distances were compared after every batch, of a replay, which runs alone, after every 500th.
*Affected* vertices had a distance that could grow; *gave up* counts batches that affected too many
and were solved anew.
"""

_PEERS = ", to a new solve, and to NetworKit's\ndynamic Dijkstra, one edge after the other"
_COLUMNS = ("repair", "anew", "solve", "NetworKit")
_TITLES = {"weights": "new weights", "insertions": "new edges", "replay": "replay: new weights"}


class Batch(NamedTuple):
    """Changes of one kind: the ends of k edges, and their new weights."""

    sources: Array
    targets: Array
    weights: Array
    insert: bool


class Ours:
    """`warpath.DynamicPaths`."""

    def __init__(self, graph: wp.Graph, source: int, options: argparse.Namespace) -> None:
        algorithm = options.algorithm
        self.live = wp.DynamicPaths(graph, source, algorithm=algorithm, **where(options))
        self.changed: Any = None

    def change(self, batch: Batch) -> None:
        """Repair."""
        make = self.live.insert if batch.insert else self.live.update
        self.changed = make((batch.sources, batch.targets), batch.weights)

    def dist(self) -> Array:
        """Return the distances."""
        return self.live.dist


class Anew:
    """`warpath.sssp` with its tree on a changed copy of the graph; `solve_s` is that call alone."""

    def __init__(self, graph: wp.Graph, source: int, options: argparse.Namespace) -> None:
        self._graph, self._source, self._where = graph, source, where(options)
        self._weights = graph._solver_weights.copy()
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
    """NetworKit's dynamic Dijkstra, one edge after the other.

    Its `updateBatch` gave wrong distances for batches of ten new weights.
    """

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
        """Change its graph, and update."""
        kind = self._kinds.EDGE_ADDITION if batch.insert else self._kinds.EDGE_WEIGHT_UPDATE
        put = self._graph.addEdge if batch.insert else self._graph.setWeight
        columns = (batch.sources.tolist(), batch.targets.tolist(), batch.weights.tolist())
        for u, v, weight in zip(*columns, strict=True):
            put(u, v, weight)
            self._search.update(self._events(kind, u, v, weight))

    def dist(self) -> Array:
        """Return the distances; its largest number stands for no path."""
        found = np.asarray(self._search.getDistances())
        return like(self._like, found, found > 1e300)  # the largest double, or inf


def like(dtype: Any, found: Array, far: Array) -> Array:
    """Return distances in our type, with our number for vertices that are not reached."""
    exact: Array = np.where(far, 0, found).astype(dtype)
    exact[far] = unreachable(np.dtype(dtype))
    return exact


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


def measure(case: tuple[str, str, int, int], options: argparse.Namespace) -> Line:
    """Measure one case; raise AssertionError if our answers differ.

    A peer takes no further part after its first wrong answer.
    """
    name, kind, size, count = case
    graph = single_edges(workload(name, 1.0, options.data).make())
    random = np.random.default_rng(options.seed)
    source = int(random.integers(graph.n))
    ours = Ours(graph, source, options)
    others = {} if kind == "replay" else _others(graph, source, options)
    times: dict[str, list[float]] = {"repair": []}
    wrong: dict[str, str] = {}
    affected, changed, solved, sizes = [], [], 0, []
    for at, batch in enumerate(batches(graph, kind, size, count, random)):
        times["repair"].append(clocked(ours.change, batch)[0])
        affected.append(ours.changed.stats["affected"])
        changed.append(len(ours.changed))
        solved += ours.changed.stats["solved_anew"]
        for peer, solver in others.items():
            if peer not in wrong:
                times.setdefault(peer, []).append(clocked(solver.change, batch)[0])
                _compare(ours, solver, peer, wrong, at)
        if others:
            times.setdefault("solve", []).append(others["anew"].solve_s)
            continue
        if at % 100 == 0:
            sizes.append(ours.live.nbytes)
        if at % _EVERY == _EVERY - 1 or at == count - 1:
            paths = wp.sssp(ours.live.graph, source, **where(options))
            assert_same(ours.live.dist, paths.dist, "a new solve")
            assert_same(ours.live.pred, paths.pred, "the tree of a new solve")
    return {
        "graph": name,
        "n": graph.n,
        "m": graph.m,
        "kind": kind,
        "size": size,
        "batches": count,
        "seed": options.seed,
        "threads": options.threads,
        "device": options.device,
        "source": source,
        "algorithm": options.algorithm,
        "times": {each: np.round(seconds, 9).tolist() for each, seconds in times.items()},
        "affected": affected,
        "changed": changed,
        "solved_anew": solved,
        "bytes": sizes,
        "wrong": wrong,
        "machine": facts_of([options.device.partition(":")[0]], commit()),
    }


def _others(graph: wp.Graph, source: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return a new solve, and the peers that take part."""
    others: dict[str, Any] = {"anew": Anew(graph, source, options)}
    if not options.alone:
        others["NetworKit"] = NetworKit(graph, source)
    return others


def _compare(ours: Ours, solver: Any, name: str, wrong: dict[str, str], batch: int) -> None:
    """Compare distances; record a peer's first wrong answer, and raise if a new solve differs."""
    try:
        assert_same(ours.dist(), solver.dist(), name)
    except AssertionError as error:
        if isinstance(solver, Anew):
            raise
        wrong[name] = f"batch {batch + 1}: {error}"


def where(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of our calls; threads are of the CPU."""
    threads = options.threads if options.device == "cpu" else None
    return {"device": options.device, "threads": threads}


def assert_same(found: Array, expected: Array, name: str) -> None:
    """Raise AssertionError unless two solvers have the same distances."""
    if not np.array_equal(found, expected):
        at = int(np.argmax(found != expected))
        raise AssertionError(f"vertex {at}: warpath has {found[at]}, {name} has {expected[at]}")


def read(path: Path | None) -> list[Line]:
    """Return the lines of a file; none if the file does not exist."""
    keys = ("graph", "kind", "size", "threads")
    return files.read(path, lambda line: (*(line[k] for k in keys), *line["times"]["repair"]))


def compact(line: Line) -> str:
    """Return a line as a short text."""
    times = {name: median(values) for name, values in line["times"].items()}
    told = [f"{name} {units.digits(1e3 * value)} ms" for name, value in times.items()]
    head = f"{line['graph']}, {line['batches']:,} batches of {line['size']:,} {line['kind']}"
    affected = f"{median(line['affected']):,.0f} affected, {line['solved_anew']:,} solved anew"
    return f"{head}: {', '.join(told)}; {affected}"


def write(lines: Sequence[Line], path: Path) -> None:
    """Write the page, and a plot of the time of a batch over its affected vertices beside it."""
    plot = path.with_name(f"{path.stem}-affected.png")
    _plot(lines, plot)
    path.write_text(page(lines, plot.name), encoding="utf-8")


def page(lines: Sequence[Line], plot: str) -> str:
    """Return the page as Markdown."""
    head = ["graph", "change", "edges", "batches", "affected", "gave up"]
    head += [f"{name}, ms" for name in _COLUMNS] + ["anew / repair"]
    keys = dict.fromkeys((line["graph"], line["kind"], line["size"]) for line in lines)
    body = [
        _row([line for line in lines if (line["graph"], line["kind"], line["size"]) == key])
        for key in keys
    ]
    wrong = (
        f"{line['graph']}, {line['size']:,} edges: {name} was wrong and left out from there, {why}."
        for line in lines
        for name, why in line["wrong"].items()
    )
    here = {line.get("device", "cpu") for line in lines} == {"cpu"}
    parts = [
        _HEAD.format(
            where="" if here else ", on a GPU",
            others=_PEERS if here else " and to a new solve",
            options="--threads 2" if here else "--device cuda --alone",
            page="dynamic-cpu.md" if here else "dynamic-gpu.md",
        ),
        *rows(head, body),
        "",
        _growth(lines),
        "",
        f"![Time of a batch over its affected vertices]({plot})",
        "",
        "Each point is a batch: repair over affected or changed vertices, whichever are more.",
        *(text for one in dict.fromkeys(wrong) for text in ("", one)),
        "",
        f"Measured with {about(lines)}.",
        "",
    ]
    return "\n".join(parts)


def _growth(lines: Sequence[Line]) -> str:
    """Return a sentence about the memory of replays."""
    told = dict.fromkeys(
        f"{line['graph']}: {line['bytes'][0]:,} bytes after the first batch and "
        f"{line['bytes'][-1]:,} near the end"
        for line in lines
        if line["bytes"]
    )
    return f"Memory of a replay, {'; '.join(told)}." if told else ""


def _row(lines: Sequence[Line]) -> list[Any]:
    first = lines[0]
    times: dict[str, float] = {}
    for name in _COLUMNS:
        found = [median(line["times"][name]) for line in lines if line["times"].get(name)]
        if found:
            times[name] = 1e3 * median(found)
    ratio = times["anew"] / times["repair"] if "anew" in times else None
    return [
        first["graph"],
        _TITLES[first["kind"]],
        first["size"],
        sum(line["batches"] for line in lines),
        round(median(value for line in lines for value in line["affected"])),
        sum(line["solved_anew"] for line in lines),
        *(times.get(name) for name in _COLUMNS),
        ratio,
    ]


def _plot(lines: Sequence[Line], path: Path) -> None:
    series: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        if line["kind"] == "replay":
            continue
        name = f"{line['graph']}, {line['size']:,} {_TITLES[line['kind']]}"
        each = zip(line["affected"], line["changed"], line["times"]["repair"], strict=True)
        points = [(max(affected, changed, 1), 1e3 * time) for affected, changed, time in each]
        series.setdefault(name, []).extend(points)
    if series:
        plane(path, series, "affected or changed vertices", ["ms"])


def main(arguments: Sequence[str]) -> int:
    """Measure the cases, append lines to a file, and write the page."""
    options = parsed(
        "dynamic",
        __doc__,
        arguments,
        data=None,
        graphs=[],
        batches={"type": int, "help": "batches of each case, instead of those of `CASES`"},
        threads=2,
        device={"default": "cpu", "help": "where we repair and solve"},
        algorithm="auto",
        seed={"default": 1, "help": "of sources and batches"},
        alone={"default": False, "help": "leave NetworKit out"},
        lines=None,
        output=None,
        page_only={"default": False, "help": "write the page from --lines"},
    )
    lines = read(options.lines)
    for case in CASES:
        if options.page_only or (options.graphs and case[0] not in options.graphs):
            continue
        line = measure((*case[:3], options.batches or case[3]), options)
        lines.append(line)
        sys.stdout.write(f"{compact(line)}\n")
        sys.stdout.flush()
        files.append(options.lines, line)
    if options.output:
        write(lines, options.output)
    return 0
