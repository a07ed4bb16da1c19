"""``warpath bench paper NAME...``: repeat a paper's experiments and compare the numbers.

Measurements that are in the file of lines are not repeated, so that a run can be stopped and
continued. The report is a Markdown file with pictures next to it. ``--scale`` makes graphs smaller
and fewer for small machines.
"""

from __future__ import annotations

import math
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.errors import InputError, WarpathError, require
from warpath.recipes import CATALOGUE
from warpath_bench import experiments
from warpath_bench.experiments import graphs_of, job_of, made_or_read
from warpath_bench.jobs import Bench, code_of, read_lines
from warpath_bench.jobs import run as run_jobs
from warpath_bench.options import parsed
from warpath_bench.paper_charts import draw
from warpath_bench.paper_page import page, tables_for_latex
from warpath_bench.paper_results import Results
from warpath_bench.run import commit, facts_of, gpu
from warpath_bench.workloads import title_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from warpath.engines.base import Device
    from warpath.graph import Graph
    from warpath.results.paths import Paths
    from warpath_bench.experiments import Made, Paper, Study
    from warpath_bench.jobs import Job

    Line = dict[str, Any]

_DEVICES = {"cpu": "the CPU", "cuda": "a GPU"}
_SEED = 20261121


def main(
    arguments: Sequence[str],
    solve: Callable[..., Paths] | None = None,
    device: Device | None = None,
) -> int:
    """Measure, and write the reports; return 1 if an exact recipe gave a wrong answer, else 0.

    Parameters
    ----------
    solve, device : replacements for `sssp` and the GPU, in tests.
    """
    options = parsed(
        "paper",
        __doc__,
        arguments,
        papers={
            "positional": True,
            "nargs": "+",
            "metavar": "PAPER",
            "help": f"{', '.join(experiments.names())}, or a TOML file of the same format",
        },
        scale=1.0,
        repeats={"type": int, "help": "maximum number of graphs of each size"},
        data=None,
        output={"default": Path(), "metavar": "FOLDER", "help": "folder of the report"},
        lines=None,
        devices={
            "nargs": "+",
            "choices": list(_DEVICES),
            "help": "by default the CPU, and a GPU if present",
        },
        limit=60.0,
        budget={"default": 3600.0, "help": "seconds for everything, shared by papers"},
        commit=commit(),
    )
    options.data = options.data or settings.bench_data()
    _check(options)
    papers = [experiments.load(name) for name in options.papers]
    require("matplotlib", what="A report's pictures", extra="plot")
    devices = list(options.devices or ["cpu"])
    if device is None and (not options.devices or "cuda" in devices):
        device = _opened(gpu)
    if device is not None and "cuda" not in devices:
        devices.append("cuda")
    facts = facts_of(devices if solve is None else ["cpu"], options.commit)
    start, every_line = time.monotonic(), []
    for at, paper in enumerate(papers):
        left = options.budget - (time.monotonic() - start)
        cells = planned(paper, options.scale, options.repeats, options.data, devices)
        stem = options.output / f"{paper.name}-{kind_of(facts)}"
        bench = Bench(options.limit, solve, device, graphs_by_name(cells))
        lines = options.lines or stem.with_name(f"{stem.name}.jsonl")
        limits = {"limit": options.limit, "budget": left / (len(papers) - at)}
        found = list(measured(cells, bench, lines, facts=facts, **limits))
        absent = [name for device, name in _DEVICES.items() if device not in devices]
        scale = _scale(options, len(cells), len(found))
        command = f"warpath bench paper {options.papers[at]} --scale {options.scale:g}"
        sys.stdout.write(f"{_write(Results(paper, found), stem, command, scale, absent)}\n")
        every_line += found
    return code_of(every_line)


def _write(results: Results, stem: Path, command: str, scale: str, absent: Sequence[str]) -> Path:
    """Write the report, its tables for LaTeX, and its pictures; return the report's path."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    pictures = {
        figure.name: draw(
            results, figure, stem.with_name(f"{stem.name}-{figure.name.replace(' ', '-')}")
        )
        for figure in results.paper.figures
    }
    report = stem.with_name(f"{stem.name}.md")
    text = page(results, pictures, command=command, scale=scale, absent=absent)
    report.write_text(text, encoding="utf-8")
    report.with_suffix(".tex").write_text(tables_for_latex(text), encoding="utf-8")
    return report


def _opened(open_device: Callable[[], Device]) -> Device | None:
    """Open a device if there is one; `facts_of` raises if one was requested but is missing."""
    try:
        return open_device()
    except WarpathError:
        return None


def _check(options: argparse.Namespace) -> None:
    for name in ("scale", "limit", "budget"):
        if not getattr(options, name) > 0:
            raise InputError(f"--{name} {getattr(options, name):g} must be above 0.")
    if options.repeats is not None and options.repeats < 1:
        raise InputError(f"--repeats {options.repeats} must be at least 1.")
    if options.lines is not None and len(options.papers) > 1:
        msg = "--lines is the file of one paper: leave it out, each has its own in --output."
        raise InputError(msg)
    if options.data is not None and not options.data.is_dir():
        msg = f"--data {options.data} is no folder: give the one that has the papers' graphs."
        raise InputError(msg)


def _scale(options: argparse.Namespace, wanted: int, found: int) -> str:
    said = (
        "Generated graphs have the paper's sizes."
        if options.scale == 1
        else f"Scale {options.scale:g}: generated graphs have that share of the paper's vertices, "
        "matrices of its entries, and so have the numbers of graphs of a size and of sources; "
        "files are whole."
    )
    if options.repeats is not None:
        said += f" Of each size there are {options.repeats} graphs at most."
    if found < wanted:
        said += f" Of {wanted:,} measurements {wanted - found:,} were not begun within the budget."
    return said


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
        if set(devices) & set(CATALOGUE[recipe].devices)
        for factor in study.factors
    ]


def measured(
    cells: Sequence[Cell], bench: Bench, lines: Path, *, limit: float, budget: float, facts: Line
) -> Iterator[Line]:
    """Measure the cells that a file does not have, append their lines, and yield each one's line.

    Parameters
    ----------
    limit : seconds for one solve. A recipe that needs more is skipped on larger graphs of its kind.
    budget : seconds after which no measurement begins; also limits the time of the last ones.
    facts : the machine and the versions; a file with lines of another machine is refused.
    """
    refuse_others(read_lines([lines]), facts, lines)
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
    for job, line in run_jobs(asked, measure, lines, facts=facts, **limits):
        cell = by_key[job.key]
        if "limit" in line and len(cell.study.factors) == 1:
            over[kind(job)] = f"over {limit:g} s on {cell.made.label} already"
        yield line


def refuse_others(lines: Sequence[Line], facts: Line, path: Path) -> None:
    """Raise InputError if a file has lines of another machine."""
    for line in lines:
        for key in ("processor", "cores", "gpu"):
            if facts and line.get(key, facts.get(key)) != facts.get(key):
                raise InputError(
                    f"{path} has lines of another machine ({key} {line[key]}, here "
                    f"{facts.get(key)}): give this one a file of its own by --lines."
                )


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
