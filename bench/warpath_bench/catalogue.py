"""``warpath bench catalogue`` and ``all-pairs``: measure every recipe on the same graphs.

Each measurement appends a line to a file. Measurements that are in the file are not repeated, so
that a run can be continued. ``--share 2/8`` takes every eighth job, so that several processes can
share the work, each on its own GPU or core.
"""

from __future__ import annotations

import argparse
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.axes import Layout, Select
from warpath_bench.jobs import TYPES, Bench, Job, code_of, read_lines, run
from warpath_bench.measured import rows
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.run import facts_of, gpu
from warpath_bench.tables import gpus_of, no_times, page

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from warpath.engines.base import Device
    from warpath.recipes import Recipe
    from warpath.results.paths import Paths

    Line = dict[str, Any]

NEAR_FAR = "davidson2014.near_far.merge_path"
MAPS = ("cooperative_blocks", "cta_warp_scan", "merge_path")
#: The baselines that are measured in addition to the papers' recipes.
BASELINES = ("classic.dijkstra", "classic.delta_stepping")

#: The generated graphs of the table; those of files come before them.
GRAPHS = ("rmat 18 16", "grid 1000", "martin 1048576", "dense 8192")

_MARTIN = [recipe.name for recipe in CATALOGUE if recipe.name.startswith("martin2009.")]
_MATRICES = [name for name in _MARTIN if name.endswith(".dense")]
_LISTS = [name for name in _MARTIN if name not in _MATRICES]
_QUEUES = tuple(f"johnson_gpu.dijkstra_{kind}" for kind in ("flags", "queue", "prefix"))
_BODRA = ("bodra2025.bf_vertex", "bodra2025.bf_strided", "bodra2025.bf_strided_flag")


def published(*kinds: str) -> list[str]:
    """Return the names of our and of published recipes for one source on kinds of devices."""
    return [
        recipe.name
        for recipe in CATALOGUE
        if Task.SSSP in recipe.solves
        and set(kinds) & set(recipe.devices)
        and (not recipe.name.startswith("classic.") or recipe.name in BASELINES)
    ]


def _of(study: str, names: Sequence[str], graphs: Iterable[str]) -> list[Job]:
    return [Job(study, graph, name) for graph in graphs for name in names]


#: Study -> its jobs, given the graphs of the table.
STUDIES: dict[str, Callable[[Sequence[str]], list[Job]]] = {
    "catalogue": lambda graphs: _of("catalogue", published("cpu", "cuda"), graphs),
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
        "matrices",
        [*_MATRICES, "martin2009.fh"],
        ("dense 1024", "dense 2048", "dense 4096", "dense 8192"),
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


#: The options that ``catalogue`` and ``all-pairs`` share.
OPTIONS: dict[str, Any] = {
    "lines": REQUIRED,
    "table": None,
    "files": {"default": [], "metavar": "FILE", "help": "graphs from files"},
    "recipes": {"default": [], "metavar": "PATTERN", "help": "patterns of names, instead of all"},
    "devices": {"default": ["cpu", "cuda"], "choices": ["cpu", "cuda"], "help": "kinds of devices"},
    "limit": 60.0,
    "budget": 3600.0,
    "commit": "",
}


def main(arguments: Sequence[str], solve: Callable[..., Paths] | None = None) -> int:
    """Measure, and write the table; return 1 if an exact recipe gave a wrong label, else 0."""
    options = parsed(
        "catalogue",
        __doc__,
        arguments,
        graphs=GRAPHS,
        study={"default": ["catalogue"], "choices": list(STUDIES), "help": "sets of jobs"},
        traced={"default": 15.0, "metavar": "SECONDS", "help": "maximum time of a traced solve"},
        share={"default": "1/1", "help": "k/N: every N-th job, from the k-th on"},
        **OPTIONS,
    )
    graphs = [*options.files, *options.graphs]
    jobs = jobs_of(options.study, graphs, options.recipes, options.devices)
    part, parts = map(int, options.share.split("/"))
    facts = facts_of(options.devices, options.commit) if jobs and solve is None else {}
    return measure(jobs[part - 1 :: parts], Bench(options.traced, solve), options, facts, page)


def measure(
    jobs: Sequence[Job],
    bench: Bench,
    options: argparse.Namespace,
    facts: Line,
    page: Callable[[list[Line]], str],
) -> int:
    """Measure jobs and write the page of all lines; return 1 for wrong labels, else 0."""
    limits = {"limit": options.limit, "budget": options.budget}
    lines = [line for _, line in run(jobs, bench.measure, options.lines, facts=facts, **limits)]
    if options.table:
        options.table.write_text(page(read_lines([options.lines])), encoding="utf-8")
    return code_of(lines)


STUDY = "all pairs"
#: The generated graphs of all pairs.
ALL_PAIRS = ("dense 512", "dense 1024", "dense 2048", "dense 4096")

_HEAD = """\
# All pairs on {gpu}

<!-- Written by `python -m warpath_bench all-pairs --table`
from bench/warpath_bench/catalogue.py: edit that file. -->

A cell has the time with the answer left on the GPU, then with the copy to the host, then, where
the recipe keeps predecessors, with these on the GPU too. On the CPU there is one time. Medians of
three, or one run where that takes over a second; compilation and copying the graph come before.
The CPU runs one thread, as the papers' serial programs do.
Integer answers have 32 bits, as the papers' programs do, where no other type is named; every one is
compared with Dijkstra's on the CPU, floats within n eps where sums are formed in another order.
"""


def page_of_all_pairs(lines: Sequence[Line]) -> str:
    """Return the page: the machine and the conditions, and a row for each recipe."""
    mine = [line for line in lines if line["study"] == STUDY]
    sizes = {(line["graph"], line["factor"]): (line["n"], line["m"]) for line in mine}
    columns = sorted(sizes, key=lambda key: (str(key[1]), sizes[key]))
    at = {(line["recipe"], line["graph"], line["factor"]): line for line in mine}
    heads = [
        f"{graph} ({n:,}; {m:,})" + (f", {kind}" if kind else "")
        for (graph, kind), (n, m) in ((key, sizes[key]) for key in columns)
    ]
    body = [
        [recipe.name, "CPU" if "cpu" in recipe.devices else "GPU", *map(_all_pairs_cell, found)]
        for recipe in CATALOGUE
        if any(found := [at.get((recipe.name, *key)) for key in columns])
    ]
    return "\n".join([_HEAD.format(gpu=gpus_of(mine)), *rows(["", "on", *heads], body), ""])


def _all_pairs_cell(line: Line | None) -> str:
    if line is None:
        return ""
    if reason := no_times(line):
        return reason
    times = [units.seconds(line[key] / 1e3) for key in ("ms", "host_ms", "pred_ms") if key in line]
    return " · ".join(times) + (f", {line['wrong']:,} wrong" if line["wrong"] else "")


def all_pairs(arguments: Sequence[str], device: Device | None = None) -> int:
    """Measure, and write the table; return 1 if a distance was wrong, else 0."""
    options = parsed(
        "all-pairs",
        "Measure every recipe for all pairs on the same graphs.",
        arguments,
        graphs=ALL_PAIRS,
        types={"default": ["int32"], "choices": list(TYPES), "help": "types of the answers"},
        **OPTIONS,
    )
    facts = {} if device is not None else facts_of(options.devices, options.commit)
    if device is None and "cuda" in options.devices:
        device = gpu()
    jobs = [
        Job(STUDY, name, recipe.name, task=Task.APSP, dtype=dtype)
        for dtype in options.types
        for name in [*options.files, *options.graphs]
        for recipe in CATALOGUE
        if Task.APSP in recipe.solves
        and set(options.devices) & set(recipe.devices)
        and any(fnmatch(recipe.name, one) for one in options.recipes or ["*"])
    ]
    return measure(jobs, Bench(0, device=device), options, facts, page_of_all_pairs)
