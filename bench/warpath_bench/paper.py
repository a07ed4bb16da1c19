"""``warpath bench paper NAME...``: repeat a paper's experiments and compare the numbers.

Measurements that are in the file of lines are not repeated, so that a run can be stopped and
continued. The report is a Markdown file with pictures next to it. ``--scale`` makes graphs smaller
and fewer for small machines.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.base import settings
from warpath.base.errors import InputError, WarpathError, require
from warpath_bench import experiments
from warpath_bench.jobs import Bench
from warpath_bench.options import parsed
from warpath_bench.paper_charts import draw
from warpath_bench.paper_page import page, tables_for_latex
from warpath_bench.paper_results import Results, is_wrong
from warpath_bench.paper_run import graphs_by_name, kind_of, planned, run
from warpath_bench.run import commit, facts_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from warpath.engines.base import Device
    from warpath_bench.jobs import Solve

_DEVICES = {"cpu": "the CPU", "cuda": "a GPU"}
_EMULATED = "The counts of recipes for GPUs are of the emulator, on graphs of up to 100,000 edges."


def main(arguments: Sequence[str], solve: Solve | None = None, device: Device | None = None) -> int:
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
            "choices": [*_DEVICES, "emulated"],
            "help": "by default the CPU, and a GPU if present, else the emulator's counts",
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
        device = _gpu()
    if device is not None and "cuda" not in devices:
        devices.append("cuda")
    if device is None and not options.devices and _emulator():
        devices.append("emulated")
    facts = facts_of(devices if solve is None else ["cpu"], options.commit)
    start, wrong = time.monotonic(), []
    for at, paper in enumerate(papers):
        left = options.budget - (time.monotonic() - start)
        cells = planned(paper, options.scale, options.repeats, options.data, devices)
        stem = options.output / f"{paper.name}-{kind_of(facts)}"
        counting = "emulated" if device is None and "emulated" in devices else "cuda"
        bench = Bench(options.limit, solve, device, counting, graphs_by_name(cells))
        lines = options.lines or stem.with_name(f"{stem.name}.jsonl")
        limits = {"limit": options.limit, "budget": left / (len(papers) - at)}
        found = list(run(cells, bench, lines, facts=facts, **limits))
        absent = [name for device, name in _DEVICES.items() if device not in devices]
        scale = _scale(options, len(cells), len(found))
        scale += f" {_EMULATED}" if "emulated" in devices else ""
        command = f"warpath bench paper {options.papers[at]} --scale {options.scale:g}"
        sys.stdout.write(f"{_write(Results(paper, found), stem, command, scale, absent)}\n")
        wrong += [line for line in found if is_wrong(line)]
    for line in wrong:
        sys.stderr.write(f"WRONG: {line['recipe']} on {line['graph']}: {line['wrong']} labels\n")
    return 1 if wrong else 0


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


def _gpu() -> Device | None:
    """Open the GPU if there is one; `facts_of` raises if one was requested but is missing."""
    from warpath.engines.cuda.device import open_device

    try:
        return open_device("cuda")
    except WarpathError:
        return None


def _emulator() -> bool:
    """Return whether kernels can be emulated here: in a checkout with g++."""
    from warpath.engines.emulator import emulated

    try:
        emulated()
    except WarpathError:
        return False
    return True


def _check(options: argparse.Namespace) -> None:
    for name in ("scale", "limit", "budget"):
        if not getattr(options, name) > 0:
            msg = f"--{name} {getattr(options, name):g} must be above 0."
            raise InputError(msg)
    if options.repeats is not None and options.repeats < 1:
        msg = f"--repeats {options.repeats} must be at least 1."
        raise InputError(msg)
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
