"""``warpath bench all-pairs``: measure every recipe for all pairs on the same graphs.

Each measurement appends a line to a file, as in ``catalogue``; measurements that are in the file
are not repeated. Times are the engine's: with the answer left on the GPU, copied to the host, and
with predecessors if the recipe computes them.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE, Task
from warpath_bench.catalogue import OPTIONS, measure
from warpath_bench.jobs import TYPES, Bench, Job
from warpath_bench.options import parsed
from warpath_bench.run import facts_of
from warpath_bench.tables import gpus_of, no_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.engines.base import Device

    Line = dict[str, Any]

STUDY = "all pairs"
#: The generated graphs of the table; those of files come before them.
GRAPHS = ("dense 512", "dense 1024", "dense 2048", "dense 4096")

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
    options = parsed(
        "all-pairs",
        __doc__,
        arguments,
        graphs=GRAPHS,
        types={"default": ["int32"], "choices": list(TYPES), "help": "types of the answers"},
        **OPTIONS,
    )
    facts = {} if device is not None else facts_of(options.devices, options.commit)
    if device is None and "cuda" in options.devices:
        from warpath.engines.cuda.device import open_device

        device = open_device("cuda")
    jobs = [
        Job(STUDY, name, recipe.name, task=Task.APSP, dtype=dtype)
        for dtype in options.types
        for name in [*options.files, *options.graphs]
        for recipe in CATALOGUE
        if Task.APSP in recipe.solves
        and set(options.devices) & set(recipe.devices)
        and any(fnmatch(recipe.name, one) for one in options.recipes or ["*"])
    ]
    return measure(jobs, Bench(0, device=device), options, facts, page)
