"""Measure a paper's experiments: plan them, order them, and run them within a time limit."""

from __future__ import annotations

import math
import re
import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import distances
from warpath.base.errors import InputError, WarpathError
from warpath.recipes import CATALOGUE, Task
from warpath.results.certificate import verify
from warpath.results.paths import Paths
from warpath.results.predecessors import tree
from warpath_bench.all_pairs import Tables
from warpath_bench.catalogue import key_of, read_lines
from warpath_bench.experiments import TASKS, graphs_of, job_of
from warpath_bench.lines import append
from warpath_bench.pair import Pairs, TimeIsUpError, as_text, at_most
from warpath_bench.paper_graphs import made_or_read
from warpath_bench.tables import compact
from warpath_bench.workloads import tiny, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph
    from warpath.recipes import Recipe
    from warpath_bench.experiments import Made, Paper, Study
    from warpath_bench.pair import Job, Solve

    Line = dict[str, Any]

_SEED = 20261121
_SHORT = 1.0  # seconds; a shorter run is timed three times


@dataclass(frozen=True)
class Cell:
    """A recipe on a graph of a study.

    Attributes
    ----------
    row : place of its graph's specification, whose sizes are measured in ascending order.
    sources : number of sources, if the study has many.
    """

    study: Study
    made: Made
    row: int
    sources: int
    job: Job


def planned(
    paper: Paper, scale: float, repeats: int | None, data: Path | None, devices: Sequence[str]
) -> list[Cell]:
    """Return the planned cells, interleaved so that a run that is stopped has some of each study.

    The first graphs of all sizes come before the second ones; in each study, files and small graphs
    come first.

    Parameters
    ----------
    scale : factor of sizes, of the number of graphs of each size and of the number of sources.
    repeats : maximum number of graphs of each size.
    data : the folder of files.
    devices : recipes that run on none of these are left out.
    """
    found: list[tuple[int, float, list[Cell]]] = []
    for study in paper.studies:
        seeds = max(1, math.ceil(study.repeats * min(scale, 1)))
        for seed in range(min(seeds, repeats or seeds)):
            graphs = [
                (made, row)
                for row, spec in enumerate(study.graphs)
                for made in graphs_of(spec, scale, seed, data)
            ]
            graphs.sort(key=lambda graph: graph[0].entries)
            found += [
                (seed, (at + 0.5) / len(graphs), _cells(paper, study, made, row, scale, devices))
                for at, (made, row) in enumerate(graphs)
            ]
    found.sort(key=lambda graph: graph[:2])
    return [cell for _, _, cells in found for cell in cells]


def _cells(
    paper: Paper, study: Study, made: Made, row: int, scale: float, devices: Sequence[str]
) -> list[Cell]:
    sources = max(16, round(study.sources * min(scale, 1)))
    return [
        Cell(study, made, row, sources, job_of(paper, study, made, recipe, factor))
        for recipe in (*study.variants, *study.beside)
        if set(devices) & set(CATALOGUE[recipe].devices) or _counts(study, recipe, devices)
        for factor in study.factors
    ]


def _counts(study: Study, recipe: str, devices: Sequence[str]) -> bool:
    """Return whether the emulator counts the work of a recipe for GPUs in a study."""
    one_source = TASKS[study.task] is Task.SSSP
    on_gpu = "cuda" in CATALOGUE[recipe].devices
    return "emulated" in devices and on_gpu and one_source


class Sources:
    """Measures recipes from several sources by the public call; caches the last right answer."""

    def __init__(self, limit: float, device: str, graphs: Callable[[str], Graph]) -> None:
        self.limit = limit
        self.threads: int | None = None
        self._device = device
        self._made = graphs
        self._key: tuple[str, int] | None = None
        self._graph: Graph
        self._sources: Array
        self._right: Array

    def measure(self, job: Job, count: int) -> Line:
        """Return the line of a recipe from `count` sources, with times or the reason for none."""
        recipe = CATALOGUE[job.recipe]
        self._prepare(job.graph, count)
        graph, facts = self._graph, self._graph.facts(symmetry=False)
        device = "cpu" if "cpu" in recipe.devices else self._device
        line: Line = {
            "study": job.study,
            "graph": title_of(job.graph),
            "recipe": job.recipe,
            "factor": None,
            "n": graph.n,
            "m": graph.m,
            "weights": facts.weight_dtype,
            "mean_degree": facts.mean_degree,
            "device": device,
            "sources": len(self._sources),
        }
        refused = recipe.objection(Task.MANY, facts)
        if refused is not None:
            return line | {"refused": refused}
        try:
            with at_most(self.limit):
                self._once(recipe, device, tiny(graph), np.arange(4))
                first, found = self._once(recipe, device, graph, self._sources)
                again = [
                    self._once(recipe, device, graph, self._sources)[0]
                    for _ in range(3 if first < _SHORT else 0)
                ]
        except TimeIsUpError as stopped:
            return line | {"limit": self.limit, "rounds_made": stopped.rounds}
        except (WarpathError, MemoryError) as error:
            return line | {"failed": f"{type(error).__name__}: {error}"}
        times = [1e3 * each for each in again or [first]]
        wrong = int(np.count_nonzero(found != self._right))
        return line | {"ms": median(times), "runs_ms": times, "wrong": wrong}

    def _prepare(self, name: str, count: int) -> None:
        if self._key == (name, count):
            return
        graph = self._made(name)
        usable = np.flatnonzero(np.diff(graph.indptr))
        chosen = np.random.default_rng(_SEED).permutation(usable)[:count]
        right = distances.distances(
            graph, graph.label_of(chosen), algorithm="classic.dijkstra", device="cpu"
        )
        first, dist = int(chosen[0]), right.dist[0]
        verify(graph, Paths(graph, first, dist, tree=lambda: tree(graph, first, dist)))
        self._graph, self._sources, self._right = graph, chosen, right.dist
        self._key = name, count

    def _once(
        self, recipe: Recipe, device: str, graph: Graph, sources: Array
    ) -> tuple[float, Array]:
        dtype = self._right.dtype.name if self._right.dtype.kind == "i" else None
        start = time.perf_counter()
        table = distances.distances(
            graph,
            graph.label_of(sources),
            algorithm=recipe.name,
            device=device,
            dist_dtype=dtype,
            threads=self.threads if device == "cpu" else None,
        )
        return time.perf_counter() - start, table.dist


class Bench:
    """Measures cells, each in the way that its study's task requires."""

    def __init__(
        self,
        cells: Sequence[Cell],
        limit: float,
        solve: Solve | None,
        device: Device | None,
        devices: Sequence[str] = (),
    ) -> None:
        self._weights = {cell.made.name: cell.made.weights for cell in cells}
        name = "cuda" if device is None else device.name
        counting = "cuda" if device is not None or "emulated" not in devices else "emulated"
        self._pairs = Pairs(limit, limit, solve, counting, self._graph)
        self._sources = Sources(limit, name, self._graph)
        self._tables = Tables(limit, device, self._graph)

    def measure(self, cell: Cell, limit: float) -> Line:
        """Return the line of a cell; `limit` is the seconds for each solve."""
        for one in (self._pairs, self._sources, self._tables):
            one.limit = limit
        job, task = cell.job, TASKS[cell.study.task]
        if task is Task.SSSP:
            return self._pairs.measure(job)
        if task is Task.MANY:
            self._sources.threads = cell.study.threads
            return self._sources.measure(job, cell.sources)
        return self._tables.measure(job.graph, CATALOGUE[job.recipe], "int32") | {
            "study": job.study
        }

    def _graph(self, name: str) -> Graph:
        graph, weights = made_or_read(name), self._weights[name]
        if weights is None:
            return graph
        low, high = weights
        drawn = np.random.default_rng(_SEED).integers(low, high + 1, graph.m, np.int32)
        return graph.with_weights(drawn)


def run(
    cells: Sequence[Cell], bench: Bench, lines: Path, *, limit: float, budget: float, facts: Line
) -> list[Line]:
    """Measure the cells that `lines` does not have and append them; return the lines of all cells.

    Parameters
    ----------
    limit : seconds for one solve. A recipe that needs more is skipped on larger graphs of its kind.
    budget : seconds after which no measurement begins; also limits the time of the last ones.
    facts : the machine and the versions; a file with lines of another machine is refused.
    """
    start = time.monotonic()
    found = {key_of(line): line for line in read_lines([lines])}
    refuse_others(found.values(), facts, lines)
    over: dict[tuple[str, int, str], str] = {}
    for cell in cells:
        job, kind = cell.job, (cell.study.name, cell.row, cell.job.recipe)
        left = budget - (time.monotonic() - start)
        if job.key not in found:
            if left <= 0:
                sys.stderr.write(f"not begun, for the time is over: {as_text(job)}\n")
                continue
            began = time.monotonic()
            if kind in over:
                base = {"study": job.study, "graph": title_of(job.graph), "recipe": job.recipe}
                line = base | {"factor": job.delta, "skipped": over[kind]}
            else:
                line = bench.measure(cell, min(limit, left))
            if "limit" in line and left < limit:
                sys.stderr.write(f"stopped, for the time is over: {as_text(job)}\n")
                continue
            line |= {"label": cell.made.label, "seed": cell.made.seed}
            line |= {"spent_s": time.monotonic() - began} | facts
            append(lines, line)
            sys.stderr.write(f"{as_text(job)}: {said(line)}\n")
            found[job.key] = line
        if "limit" in found[job.key] and len(cell.study.factors) == 1:
            over[kind] = f"over {limit:g} s on {cell.made.label} already"
    return [found[cell.job.key] for cell in cells if cell.job.key in found]


def said(line: Line) -> str:
    """Return a short text of a line."""
    return line["skipped"] if "skipped" in line else compact(line)


def refuse_others(lines: Any, facts: Line, path: Path) -> None:
    """Raise InputError if a file has lines of another machine."""
    for line in lines:
        for key in ("processor", "cores", "gpu"):
            if facts and line.get(key, facts.get(key)) != facts.get(key):
                msg = (
                    f"{path} has lines of another machine ({key} {line[key]}, here "
                    f"{facts.get(key)}): give this one a file of its own by --lines."
                )
                raise InputError(msg)


def kind_of(facts: Line) -> str:
    """Return a name of the machine for file names: the GPU, or the CPU and its cores.

    >>> kind_of({"processor": "AMD EPYC", "cores": "2"})
    'amd-epyc-2-cores'
    """
    named = facts.get("gpu") or f"{facts['processor'] or facts['machine']} {facts['cores']} cores"
    return re.sub(r"[^a-z0-9]+", "-", named.lower()).strip("-")
