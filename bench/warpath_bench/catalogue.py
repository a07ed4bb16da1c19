"""``warpath bench catalogue``: measure every recipe on the same graphs.

Each measurement appends a line to a file. Measurements that are in the file are not repeated, so
that a run can be continued. ``--share 2/8`` takes every eighth job, so that several processes can
share the work, each on its own GPU or core.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.recipes import CATALOGUE, Task
from warpath.recipes.axes import Layout, Select
from warpath_bench.lines import append
from warpath_bench.pair import Job, Pairs, as_text
from warpath_bench.run import facts_of
from warpath_bench.tables import compact, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warpath.recipes import Recipe
    from warpath_bench.pair import Solve

NEAR_FAR = "davidson2014.near_far.merge_path"
MAPS = ("cooperative_blocks", "cta_warp_scan", "merge_path")
#: The baselines that are measured in addition to the papers' recipes.
BASELINES = ("classic.dijkstra", "classic.delta_stepping")

#: The generated graphs of the table; those of files come before them.
GRAPHS = ("rmat 18 16", "grid 1000", "martin 1048576", "dense 8192")

_LISTS = (
    "martin2009.f_gpu",
    "martin2009.f_gpu_no_atomic",
    "martin2009.u_gpu",
    "martin2009.u_gpu_1min",
    "martin2009.u_gpu_2min",
    "martin2009.u_gpu_plus_1min",
    "martin2009.f_gpu_1min",
    "martin2009.f_gpu_no_atomic_1min",
    "martin2009.u_gpu_2min_on_gpu",
    "martin2009.u_gpu_plus",
    "martin2009.u_h1",
    "martin2009.u_h2",
    "martin2009.u_h3",
    "martin2009.f_cpu",
    "martin2009.u_cpu",
    "martin2009.fh",
)
_MATRICES = (
    "martin2009.f_gpu_1min.dense",
    "martin2009.f_gpu_no_atomic_1min.dense",
    "martin2009.u_gpu_1min.dense",
    "martin2009.f_gpu.dense",
    "martin2009.u_gpu.dense",
    "martin2009.f_cpu.dense",
    "martin2009.u_cpu.dense",
    "martin2009.fh",
)
_QUEUES = tuple(f"johnson_gpu.dijkstra_{kind}" for kind in ("flags", "queue", "prefix"))
_BODRA = ("bodra2025.bf_vertex", "bodra2025.bf_strided", "bodra2025.bf_strided_flag")


def whole_catalogue(graphs: Sequence[str]) -> list[Job]:
    """Return a job for each recipe of one source, baselines included, on each graph."""
    names = [
        recipe.name
        for recipe in CATALOGUE
        if Task.SSSP in recipe.solves
        and (not recipe.name.startswith("classic.") or recipe.name in BASELINES)
    ]
    return [Job("catalogue", graph, name) for graph in graphs for name in names]


def _of(study: str, names: Sequence[str], graphs: Iterable[str]) -> list[Job]:
    return [Job(study, graph, name) for graph in graphs for name in names]


#: Study -> its jobs, given the graphs of the table.
STUDIES: dict[str, Callable[[Sequence[str]], list[Job]]] = {
    "catalogue": whole_catalogue,
    "delta": lambda graphs: [
        Job("delta", graph, NEAR_FAR, 2.0**power)
        for graph in graphs
        if not graph.startswith("dense")
        for power in range(-6, 7)
    ],
    "degree": lambda _: _of(
        "degree",
        [f"davidson2014.near_far.{one}" for one in MAPS],
        [*(f"uniform {2**24 // d} {d}" for d in (2, 4, 8, 16, 32, 64, 128, 256)), "hub 1048576"],
    ),
    "lists": lambda _: _of("lists", _LISTS, ("martin 262144", "martin 4194304")),
    "matrices": lambda _: _of(
        "matrices", _MATRICES, ("dense 1024", "dense 2048", "dense 4096", "dense 8192")
    ),
    "queues": lambda _: _of("queues", _QUEUES, [f"uniform {4**k} 8" for k in range(6, 12)]),
    "strided": lambda _: _of("strided", _BODRA, [f"grid {k}" for k in (30, 100, 300, 1000, 2000)]),
}


def jobs_of(
    studies: Sequence[str], graphs: Sequence[str], recipes: Sequence[str], devices: Sequence[str]
) -> list[Job]:
    """Return the jobs of studies, in ascending order of the expected time.

    Parameters
    ----------
    studies : keys of `STUDIES`.
    graphs : the graphs of the table.
    recipes : patterns of names, such as ``martin2009.*``; empty for all.
    devices : "cpu" or "cuda", or both.
    """
    chosen = [job for study in studies for job in STUDIES[study](graphs)]
    chosen = [
        job
        for job in chosen
        if any(fnmatch(job.recipe, one) for one in recipes or ["*"])
        and set(devices) & set(CATALOGUE[job.recipe].devices)
    ]
    return sorted(chosen, key=lambda job: _slowness(CATALOGUE[job.recipe]))


def _slowness(recipe: Recipe) -> int:
    """Return 0 for few rounds, 1 for a round per distance, 2 if the CPU also works in each."""
    if recipe.axes is None or recipe.axes.select is not Select.MIN:
        return 0
    if recipe.axes.layout is Layout.DENSE:
        return 0
    return 2 if recipe.axes.host_driven else 1


def read_lines(paths: Iterable[str | Path]) -> list[dict[str, Any]]:
    """Return the lines of files, the last one of each key; missing files are skipped."""
    found = {}
    for path in map(Path, paths):
        for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            line = json.loads(text)
            found[key_of(line)] = line
    return list(found.values())


def key_of(line: dict[str, Any]) -> tuple[Any, ...]:
    """Return the key of a line's job; see `Job.key`."""
    return line["study"], line["graph"], line["recipe"], line["factor"]


def run(
    jobs: Sequence[Job], pairs: Pairs, lines: Path, *, budget: float, facts: dict[str, str]
) -> list[dict[str, Any]]:
    """Measure the jobs that `lines` does not have, append their lines and return them.

    Parameters
    ----------
    budget : seconds after which no job begins; also limits the time of the last ones.
    facts : the machine and the versions; added to each line.
    """
    start = time.monotonic()
    done = {key_of(line) for line in read_lines([lines])}
    whole = pairs.limit
    measured = []
    for job in jobs:
        left = budget - (time.monotonic() - start)
        if job.key in done:
            continue
        if left <= 0:
            sys.stderr.write(f"not begun, for the time is over: {as_text(job)}\n")
            continue
        pairs.limit = min(whole, left)
        line = pairs.measure(job) | facts
        if "limit" in line and pairs.limit < whole:
            sys.stderr.write(f"stopped, for the time is over: {as_text(job)}\n")
            continue
        measured.append(line)
        append(lines, line)
        sys.stderr.write(f"{as_text(job)}: {compact(line)}\n")
    return measured


def main(arguments: Sequence[str], solve: Solve | None = None) -> int:
    """Measure, and write the table; return 1 if an exact recipe gave a wrong label, else 0."""
    options = _parser().parse_args(arguments)
    graphs = [*options.files, *options.graphs]
    jobs = jobs_of(options.study, graphs, options.recipes, options.devices)
    part, parts = map(int, options.share.split("/"))
    pairs = Pairs(options.limit, options.traced, solve)
    facts = facts_of(options.devices, options.commit) if jobs and solve is None else {}
    lines = Path(options.lines)
    measured = run(jobs[part - 1 :: parts], pairs, lines, budget=options.budget, facts=facts)
    if options.table:
        Path(options.table).write_text(page(read_lines([lines])), encoding="utf-8")
    wrong = [line for line in measured if line.get("wrong") and CATALOGUE[line["recipe"]].exact]
    for line in wrong:
        sys.stderr.write(f"WRONG: {line['recipe']} on {line['graph']}: {line['wrong']} labels\n")
    return 1 if wrong else 0


def parser_of(name: str, description: str | None, graphs: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser with the options that ``catalogue`` and ``all-pairs`` share."""
    parser = argparse.ArgumentParser(prog=f"warpath bench {name}", description=description)
    parser.add_argument("--lines", required=True, help="the file of JSON lines to continue")
    parser.add_argument("--table", help="write the table of all lines to this Markdown file")
    parser.add_argument("--files", nargs="*", default=[], help="graphs from files")
    parser.add_argument("--graphs", nargs="*", default=list(graphs), help="generated graphs")
    parser.add_argument(
        "--recipes", nargs="*", default=[], help="patterns of names; by default all"
    )
    parser.add_argument("--devices", nargs="+", default=["cpu", "cuda"], choices=["cpu", "cuda"])
    parser.add_argument("--limit", type=float, default=60, help="seconds for one solve")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for everything")
    parser.add_argument("--commit", default="", help="written into each line")
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("catalogue", __doc__, GRAPHS)
    parser.add_argument("--study", nargs="+", default=["catalogue"], choices=STUDIES)
    parser.add_argument("--traced", type=float, default=15, help="seconds for a traced solve")
    parser.add_argument("--share", default="1/1", help="k/N: every N-th job, from the k-th on")
    return parser
