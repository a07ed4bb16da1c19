"""Measure a paper's experiments: plan them, order them, and run them within a time limit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.recipes import CATALOGUE, Task
from warpath_bench import jobs
from warpath_bench.experiments import TASKS, graphs_of, job_of
from warpath_bench.paper_graphs import made_or_read
from warpath_bench.workloads import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from warpath.graph import Graph
    from warpath_bench.experiments import Made, Paper, Study
    from warpath_bench.jobs import Bench, Job

    Line = dict[str, Any]

_SEED = 20261121


@dataclass(frozen=True)
class Cell:
    """A recipe on a graph of a study.

    Attributes
    ----------
    row : place of its graph's specification, whose sizes are measured in ascending order.
    """

    study: Study
    made: Made
    row: int
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
    return [
        Cell(study, made, row, job_of(paper, study, made, recipe, factor, scale))
        for recipe in (*study.variants, *study.beside)
        if set(devices) & set(CATALOGUE[recipe].devices) or _counts(study, recipe, devices)
        for factor in study.factors
    ]


def _counts(study: Study, recipe: str, devices: Sequence[str]) -> bool:
    """Return whether the emulator counts the work of a recipe for GPUs in a study."""
    one_source = TASKS[study.task] is Task.SSSP
    on_gpu = "cuda" in CATALOGUE[recipe].devices
    return "emulated" in devices and on_gpu and one_source


def run(
    cells: Sequence[Cell], bench: Bench, lines: Path, *, limit: float, budget: float, facts: Line
) -> Iterator[Line]:
    """Measure the cells that a file does not have, append their lines, and yield each one's line.

    Parameters
    ----------
    limit : seconds for one solve. A recipe that needs more is skipped on larger graphs of its kind.
    budget : seconds after which no measurement begins; also limits the time of the last ones.
    facts : the machine and the versions; a file with lines of another machine is refused.
    """
    refuse_others(jobs.read_lines([lines]), facts, lines)
    by_key = {cell.job.key: cell for cell in cells}
    over: dict[tuple[str, int, str], str] = {}

    def kind(job: Job) -> tuple[str, int, str]:
        return job.study, by_key[job.key].row, job.recipe

    def measure(job: Job, seconds: float) -> Line:
        made = by_key[job.key].made
        about = {"label": made.label, "seed": made.seed}
        if kind(job) in over:
            base = {"study": job.study, "graph": title_of(job.graph), "recipe": job.recipe}
            return base | {"factor": job.factor, "skipped": over[kind(job)]} | about
        return bench.measure(job, seconds) | about

    asked = (cell.job for cell in cells)
    limits = {"limit": limit, "budget": budget}
    for job, line in jobs.run(asked, measure, lines, facts=facts, **limits):
        cell = by_key[job.key]
        if "limit" in line and len(cell.study.factors) == 1:
            over[kind(job)] = f"over {limit:g} s on {cell.made.label} already"
        yield line


def refuse_others(lines: Sequence[Line], facts: Line, path: Path) -> None:
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


def graphs_by_name(cells: Sequence[Cell]) -> Callable[[str], Graph]:
    """Return a function that makes or reads a cell's graph, with the weights of its study."""
    weights = {cell.made.name: cell.made.weights for cell in cells}

    def make(name: str) -> Graph:
        graph, bounds = made_or_read(name), weights[name]
        if not bounds:
            return graph
        drawn = np.random.default_rng(_SEED).integers(bounds[0], bounds[1] + 1, graph.m, np.int32)
        return graph.with_weights(drawn)

    return make
