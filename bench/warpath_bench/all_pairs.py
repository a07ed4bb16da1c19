"""``warpath bench all-pairs``: measure every recipe for all pairs on the same graphs.

Each measurement appends a line to a file, as in ``catalogue``; measurements that are in the file
are not repeated. Times are the engine's: with the answer left on the GPU, copied to the host, and
with predecessors if the recipe computes them.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from fnmatch import fnmatch
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.distances import apsp
from warpath.base import units
from warpath.base.dtypes import unreachable
from warpath.base.errors import WarpathError
from warpath.engines.base import Order, Problem
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath_bench.catalogue import key_of, parser_of, read_lines
from warpath_bench.lines import append
from warpath_bench.pair import TimeIsUpError, at_most
from warpath_bench.run import facts_of
from warpath_bench.tables import gpus_of, no_times
from warpath_bench.workloads import graph_of, tiny, title_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph
    from warpath.recipes import Recipe

    Line = dict[str, Any]

STUDY = "all pairs"
#: The generated graphs of the table; those of files come before them.
GRAPHS = ("dense 512", "dense 1024", "dense 2048", "dense 4096")
#: Types of weights and of answers by name; the papers' programs use 32 bits.
TYPES = {"int32": ("int32", "int32"), "int64": ("int32", "int64"), "float32": ("float32",) * 2}
_SHORT = 1.0  # seconds; a shorter run is timed three times
_SEED = 20261121

_HEAD = """\
# All pairs on {gpu}

<!-- Written by `python -m warpath_bench all-pairs --table`
from bench/warpath_bench/all_pairs.py: edit that file. -->

A cell has the time with the answer left on the GPU, then with the copy to the host, then, where
the recipe keeps predecessors, with these on the GPU too. On the CPU there is one time. Medians of
three, or one run where that takes over a second; compilation and copying the graph come before.
The CPU runs one thread, as the papers' serial programs do.
Integer answers have 32 bits, as the papers' programs do, where no other type is named; every one is
compared with Dijkstra's on the CPU, floats within n eps where sums are formed in another order.
"""


class Tables:
    """Measures recipes for all pairs; caches the last graph and its right answer.

    Parameters
    ----------
    limit : seconds for one run, which is stopped between two rounds.
    device : the GPU, or None to measure only on the CPU.
    graphs : makes the graph of a name; `graph_of` by default.
    """

    def __init__(
        self, limit: float, device: Device | None, graphs: Callable[[str], Graph] | None = None
    ) -> None:
        self.limit = limit
        self._device = device
        self._made = graphs or graph_of
        self._key: tuple[str, str] | None = None
        self._graph: Graph
        self._right: Array

    def measure(self, name: str, recipe: Recipe, kind: str) -> Line:
        """Return the line of a recipe on a graph, with times or the reason why there are none."""
        self._prepare(name, kind)
        graph, facts = self._graph, self._graph.facts(symmetry=False)
        on_cpu = "cpu" in recipe.devices
        line: Line = {
            "study": STUDY,
            "graph": title_of(name),
            "recipe": recipe.name,
            "factor": None if kind == "int32" else kind,
            "n": graph.n,
            "m": graph.m,
            "weights": facts.weight_dtype,
            "mean_degree": facts.mean_degree,
            "device": "cpu" if on_cpu or self._device is None else self._device.name,
        }
        refused = recipe.objection(Task.APSP, facts)
        if refused is not None:
            return line | {"refused": refused}
        try:
            return line | (self._on_cpu(recipe) if on_cpu else self._on_gpu(recipe))
        except TimeIsUpError as stopped:
            return line | {"limit": self.limit, "rounds_made": stopped.rounds}
        except (WarpathError, MemoryError) as error:
            return line | {"failed": f"{type(error).__name__}: {error}"}

    def _prepare(self, name: str, kind: str) -> None:
        if self._key == (name, kind):
            return
        graph = self._made(name)
        if graph.weights is None:
            drawn = np.random.default_rng(_SEED).integers(1, 256, graph.m, np.int32)
            graph = graph.with_weights(drawn)
        weight, answer = TYPES[kind]
        self._graph = graph.astype(weight)
        dtype = answer if self._graph.dist_dtype.kind == "i" else None
        right = apsp(self._graph, algorithm="classic.dijkstra", device="cpu", dist_dtype=dtype)
        self._right = right.dist
        self._key = name, kind

    def _on_cpu(self, recipe: Recipe) -> Line:
        def once() -> tuple[float, Array]:
            start = time.perf_counter()
            dtype = self._right.dtype.name if self._right.dtype.kind == "i" else None
            table = apsp(
                self._graph, algorithm=recipe.name, device="cpu", threads=1, dist_dtype=dtype
            )
            return time.perf_counter() - start, table.dist

        with at_most(self.limit):
            times, found = _several(once)
        return {**_timed("ms", times), "wrong": self._wrong(recipe, found)}

    def _on_gpu(self, recipe: Recipe) -> Line:
        assert self._device is not None  # noqa: S101 - these recipes are chosen only with a device
        with _active(self._device), at_most(self.limit):
            small = tiny(self._graph)
            for paths in {False, recipe.predecessors}:  # compiles the kernels of both
                self._run(recipe, small, paths=paths)
        found: Line = {}
        for key, where in (("ms", "device"), ("host_ms", "host"), ("pred_ms", "paths")):
            if where == "paths" and not recipe.predecessors:
                continue
            with _active(self._device), at_most(self.limit):
                times, out = _several(
                    lambda where=where: self._run(
                        recipe, self._graph, host=where == "host", paths=where == "paths"
                    )
                )
                if where != "host":
                    out = self._device.get(out)
            found |= _timed(key, times)
            found["wrong"] = found.get("wrong", 0) + self._wrong(recipe, out)
        return found

    def _run(
        self, recipe: Recipe, graph: Graph, *, host: bool = False, paths: bool = False
    ) -> tuple[float, Array]:
        """Return the seconds of one run, and its answer on the device or the host."""
        from warpath.engines.cuda import engine

        device = self._device
        assert device is not None  # noqa: S101 - see above
        shape = graph.n, graph.n
        xp = np if host else device.xp
        out = xp.empty(shape, self._right.dtype)
        pred = device.xp.empty(shape, graph.indices.dtype) if paths else None
        params = chosen_params(recipe, graph.facts(symmetry=False), {})
        problem = Problem(Task.APSP, np.arange(graph.n))
        device.synchronize()
        start = time.perf_counter()
        engine.run(Order(recipe, graph, problem, 1, params, out, pred=pred), device)
        device.synchronize()
        return time.perf_counter() - start, out

    def _wrong(self, recipe: Recipe, found: Array) -> int:
        """Count wrong distances; floats that were added in another order may differ by n eps."""
        right = self._right
        if not recipe.reassociates or right.dtype.kind != "f":
            return int(np.count_nonzero(found != right))
        reached = right != unreachable(right.dtype)
        slack = len(right) * np.finfo(right.dtype).eps * np.abs(right[reached]).max(initial=0)
        far = np.abs(found[reached] - right[reached]) > slack
        return int(np.count_nonzero(far) + np.count_nonzero(np.isfinite(found) != reached))


def _several(once: Any) -> tuple[list[float], Array]:
    """Run once to warm up and, if that was short, three times more; return times and answer."""
    seconds, found = once()
    if seconds >= _SHORT:
        return [seconds], found
    runs = [once() for _ in range(3)]
    return [each for each, _ in runs], runs[-1][1]


def _timed(key: str, times: list[float]) -> Line:
    return {key: 1e3 * median(times), f"runs_{key}": [1e3 * each for each in times]}


def _active(device: Device) -> Any:
    return device.active() if hasattr(device, "active") else nullcontext()


def page(lines: Sequence[Line]) -> str:
    """Return the page: the machine and the conditions, and a row for each recipe."""
    mine = [line for line in lines if line["study"] == STUDY]
    sizes = {(line["graph"], line["factor"]): (line["n"], line["m"]) for line in mine}
    columns = sorted(sizes, key=lambda key: (str(key[1]), sizes[key]))
    at = {(line["recipe"], line["graph"], line["factor"]): line for line in mine}
    heads = [
        f"{graph} ({n:,}; {m:,})" + (f", {kind}" if kind else "")
        for (graph, kind), (n, m) in ((key, sizes[key]) for key in columns)
    ]
    rows = ["| | on | " + " | ".join(heads) + " |", "|---" * (len(heads) + 2) + "|"]
    for recipe in CATALOGUE:
        found = [at.get((recipe.name, *key)) for key in columns]
        if any(found):
            on = "CPU" if "cpu" in recipe.devices else "GPU"
            rows.append(f"| {recipe.name} | {on} | " + " | ".join(map(_cell, found)) + " |")
    return "\n".join([_HEAD.format(gpu=gpus_of(mine)), *rows, ""])


def _cell(line: Line | None) -> str:
    if line is None:
        return ""
    if reason := no_times(line):
        return reason
    times = [units.seconds(line[key] / 1e3) for key in ("ms", "host_ms", "pred_ms") if key in line]
    return " · ".join(times) + (f", {line['wrong']:,} wrong" if line["wrong"] else "")


def main(arguments: Sequence[str], device: Device | None = None) -> int:
    """Measure, and write the table; return 1 if a distance was wrong, else 0."""
    options = _parser().parse_args(arguments)
    recipes = [
        recipe
        for recipe in CATALOGUE
        if Task.APSP in recipe.solves
        and set(options.devices) & set(recipe.devices)
        and any(fnmatch(recipe.name, one) for one in options.recipes or ["*"])
    ]
    facts = {} if device is not None else facts_of(options.devices, options.commit)
    if device is None and "cuda" in options.devices:
        from warpath.engines.cuda.device import open_device

        device = open_device("cuda")
    lines, tables, wrong = Path(options.lines), Tables(options.limit, device), 0
    done = {key_of(line) for line in read_lines([lines])}
    start = time.monotonic()
    for kind in options.types:
        for name in [*options.files, *options.graphs]:
            for recipe in recipes:
                key = STUDY, title_of(name), recipe.name, None if kind == "int32" else kind
                if key in done or time.monotonic() - start > options.budget:
                    continue
                line = tables.measure(name, recipe, kind) | facts
                append(lines, line)
                sys.stderr.write(f"{title_of(name)}, {kind}, {recipe.name}: {_cell(line)}\n")
                wrong += line.get("wrong", 0)
    if options.table:
        Path(options.table).write_text(page(read_lines([lines])), encoding="utf-8")
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("all-pairs", __doc__, GRAPHS)
    parser.add_argument("--types", nargs="+", default=["int32"], choices=TYPES, help="of answers")
    return parser
