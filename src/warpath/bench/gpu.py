"""``warpath bench gpu``: one source on a GPU, beside goals, recorded peers and the chip's floor.

Every graph is solved from its largest hub, from a vertex in the middle and from seeded ones. A
line has three times a source: of the kernels, by events, of the call that leaves its answer on the
device, and of the call with the copy to the host; the graph is on the device before. Every
distance is compared, off the clock, with the CPU's, of which the first is certified. What a file
of lines has is not measured again.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import api
from warpath.bench import gpu_page
from warpath.bench.catalogue import append, facts_of
from warpath.bench.right import answers_of, sources_of
from warpath.bench.workloads import typed, workload
from warpath.errors import InputError, WarpathError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.bench.right import Right
    from warpath.graph import Graph
    from warpath.paths import Paths

    Line = dict[str, Any]

_REPEATS = 3


def measured(
    graph: Graph, algorithm: str, sources: Sequence[int], right: dict[int, Right], device: Any
) -> Line:
    """Return the times of an algorithm from each source, in milliseconds.

    Parameters
    ----------
    device : the engine's device, which launches the kernels.

    Returns
    -------
    kernel_ms, call_ms, copied_ms : a number for each source, the medians of three solves.
    first_s : seconds of the first call, which copies the graph and compiles.
    plan, rounds : what ran, and how many rounds it told of; None where it tells none.
    wrong : distances that are not the CPU's, of all sources.
    """

    def solve(source: int) -> Paths:
        return api.sssp(graph, source, algorithm=algorithm, device=device.name)

    line: Line = {"kernel_ms": [], "call_ms": [], "copied_ms": [], "rounds": [], "wrong": 0}
    start = time.perf_counter()
    paths = solve(sources[0])
    line |= {"first_s": time.perf_counter() - start, "plan": paths.plan.algorithm}
    solve(sources[-1])
    for source in sources:
        paths = solve(source)
        line["wrong"] += right[source].wrong(paths.dist)[0]
        line["rounds"].append(paths.stats.get("rounds"))
        call, copied = partial(solve, source), partial(_dist, solve, source)
        line["call_ms"].append(_ms(call))
        line["copied_ms"].append(_ms(copied))
        line["kernel_ms"].append(median(kernel_ms(device, call) for _ in range(_REPEATS)))
    return line


def _dist(solve: Callable[[int], Paths], source: int) -> object:
    return solve(source).dist


def kernel_ms(device: Any, solve: Callable[[], object]) -> float:
    """Return the milliseconds of the kernels that a solve launches, by events around each.

    An event is recorded some microseconds before its kernel begins, which count.
    """
    launch, events = device.launch, device.xp.cuda
    spans = []

    def timed(kernel: Any, blocks: int, *args: Any) -> None:
        start, end = events.Event(), events.Event()
        start.record()
        launch(kernel, blocks, *args)
        end.record()
        spans.append((start, end))

    device.launch = timed
    try:
        solve()
    finally:
        del device.launch
    if spans:
        spans[-1][1].synchronize()
    return float(sum(events.get_elapsed_time(start, end) for start, end in spans))


def _ms(solve: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        solve()
        times.append(1e3 * (time.perf_counter() - start))
    return median(times)


def chosen(graph: Graph, count: int) -> list[int]:
    """Return the vertex with most edges, one in the middle that has some, and seeded ones."""
    degree = np.diff(graph.indptr)
    usable = np.flatnonzero(degree)
    hub = int(np.argmax(degree))
    middle = int(
        usable[np.searchsorted(usable, graph.n // 2, side="left").clip(0, len(usable) - 1)]
    )
    return list(dict.fromkeys([hub, middle, *sources_of(graph, count)]))[:count]


def main(arguments: Sequence[str], opened: Any = None) -> int:
    """Measure, print the table and write it; 0, or 1 if a distance was wrong."""
    options = _parser().parse_args(arguments)
    lines = Path(options.lines)
    facts = facts_of(["cuda"], options.commit) if opened is None else {"gpu": opened.name}
    if opened is None:
        from warpath.engines.cuda.device import open_device

        opened = open_device("cuda")
    begin = time.monotonic()
    for name in options.graphs:
        if time.monotonic() - begin > options.budget:
            sys.stderr.write(f"not begun, for the time is over: {name}\n")
            continue
        _graph(name, options, lines, opened, facts)
    found = gpu_page.read(lines)
    text = gpu_page.page(found)
    sys.stdout.write(text)
    if options.output:
        gpu_page.write(found, text, Path(options.output))
    return 1 if any(line.get("wrong") for line in found) else 0


def _graph(name: str, options: Any, lines: Path, device: Any, facts: dict[str, str]) -> None:
    """Append the lines of a graph that the file does not have."""
    done = {gpu_page.key_of(line) for line in gpu_page.read(lines)}
    work = workload(name, options.scale)
    todo = [
        (dtype, algorithm)
        for dtype in options.dtypes
        for algorithm in options.algorithms
        if (work.title, dtype, algorithm) not in done
    ]
    if not todo:
        return
    made = work.make()
    graph: Graph | None = None
    for dtype, algorithm in todo:
        if graph is None or graph.weight_dtype != dtype:
            graph = typed(made, dtype)
            if graph is None:
                msg = f"{name}: its weights are fractions, which {dtype} does not hold."
                raise InputError(msg)
            sources = chosen(graph, options.sources)
            right = answers_of(graph, sources, certified=1, threads=None)
        line: Line = {"graph": work.title, "dtype": dtype, "algorithm": algorithm}
        line |= {"n": graph.n, "m": graph.m, "sources": sources}
        try:
            line |= measured(graph, algorithm, sources, right, device)
        except WarpathError as error:
            line["error"] = f"{type(error).__name__}: {error}"
        append(lines, json.dumps(line | facts) + "\n")
        sys.stderr.write(f"{gpu_page.compact(line)}\n")
    del graph, made
    gc.collect()  # what was kept on the device goes with the graph


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench gpu", description=__doc__)
    add = parser.add_argument
    add("--graphs", nargs="+", default=list(gpu_page.RECORDED), help="names, or files")
    add("--dtypes", nargs="+", default=["int32", "float32"], help="types of the weights")
    add("--algorithms", nargs="+", default=["auto"], help="of the catalogue")
    add("--sources", type=int, default=8, help="of each graph")
    add("--scale", type=float, default=1.0, help="size of the generated graphs")
    add("--lines", required=True, help="the file of JSON lines to continue")
    add("--output", metavar="FILE", help="write the page to this .md file, its picture beside it")
    add("--budget", type=float, default=3600, help="seconds after which no graph is begun")
    add("--commit", default="", help="written into each line")
    return parser
