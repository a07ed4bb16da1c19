"""``warpath bench faces``: time calls of SciPy and of NetworkX and our replacements, in one table.

A time covers a whole call, including the conversion of its answer; all answers are compared,
untimed. `warpath bench csgraph` and `networkx` measure one of the two with more options.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base import units
from warpath.base.errors import InputError, require
from warpath_bench import csgraph, networkx_calls
from warpath_bench.run import commit, facts_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Line = dict[str, Any]
    Key = tuple[str, str, str, str]

_KEY = ("face", "graph", "weights", "call")
_SIZES = [1024, 2048]
#: Required minimum speedups: by library and first word of a call's title, for NetworkX by graph.
#: Other calls are measured without a goal.
GOALS = {
    ("csgraph", "dijkstra"): 2.0,
    ("csgraph", "floyd_warshall"): 20.0,
    ("networkx", "uniform"): 30.0,
}


class Job(NamedTuple):
    """A line of the table; `run` returns milliseconds of theirs and of ours, and their ratio."""

    key: Key
    run: Callable[[], tuple[float, float, float] | None]


def main(arguments: Sequence[str]) -> int:
    """Measure jobs without a line until the time is over; print the table of all lines."""
    options = _parser().parse_args(arguments)
    start = time.monotonic()
    found = read_lines(options.lines)
    left = 0
    for job in jobs(options):
        if job.key in found:
            continue
        if time.monotonic() - start > options.budget:
            left += 1
            continue
        times = job.run()
        if times is None:
            continue
        values = dict(zip(("theirs_ms", "ours_ms", "times"), times, strict=True))
        line = dict(zip(_KEY, job.key, strict=True)) | values | {"facts": _facts()}
        found[job.key] = line
        with options.lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    sys.stdout.write(table(list(found.values())))
    if left:
        sys.stderr.write(f"{left} lines are left: the same command continues.\n")
    return 0


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """Yield all jobs, those of SciPy's calls first."""
    theirs = require("scipy.sparse.csgraph", what="warpath bench faces")
    sizes = [str(n) for n in options.pairs]
    given = [
        "--pairs",
        *sizes,
        "--predecessors",
        "--sources",
        str(options.sources),
        "--repeats",
        str(options.repeats),
        "--scale",
        str(options.scale),
    ]
    if options.data is not None:
        given += ["--data", str(options.data)]
    for row in csgraph.jobs(csgraph.parser().parse_args(given), theirs):
        yield Job(("csgraph", row.graph, row.weights, row.call), partial(_of_scipy, row))
    networkx = networkx_calls.with_backend()
    for name, workload in networkx_calls.WORKLOADS.items():
        make = cache(partial(_converted, workload))
        for call in workload.calls:
            run = partial(_of_networkx, networkx, make, call, options.repeats)
            yield Job(("networkx", name, "whole", call.name), run)


def read_lines(path: Path) -> dict[Key, Line]:
    """Return the lines of a file by their keys; none if the file does not exist.

    Raises
    ------
    InputError
        If a line is not of this table; with its number.
    """
    found: dict[Key, Line] = {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, one in enumerate(text.splitlines(), start=1):
        try:
            line = json.loads(one)
            face, graph, weights, call = (line[name] for name in _KEY)
            float(line["times"])
        except (ValueError, KeyError, TypeError) as error:
            msg = (
                f"{path}:{number}: {one[:60]!r} is no line of this table. A run that was killed "
                "may have torn the last one; remove it to continue."
            )
            raise InputError(msg) from error
        found[face, graph, weights, call] = line
    return found


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table of all lines, and the number of goals that they reach."""
    head = ("library", "graph", "weights", "call", "theirs, ms", "ours, ms", "times", "goal")
    made = [f"| {' | '.join(head)} |\n|---|---|---|---|---:|---:|---:|---:|\n"]
    missed = []
    goals = 0
    for line in lines:
        goal = _goal(line)
        cells = [
            line["face"],
            line["graph"],
            line["weights"],
            f"`{line['call']}`",
            units.digits(line["theirs_ms"]),
            units.digits(line["ours_ms"]),
            f"{units.digits(line['times'])}x",
            f"{goal:g}x" if goal else "",
        ]
        made.append(f"| {' | '.join(cells)} |\n")
        goals += goal is not None
        if goal is not None and line["times"] < goal:
            missed.append(f"`{line['call']}` on {line['graph']}, {line['weights']}")
    which = f"; not {'; '.join(missed)}" if missed else ""
    told = f"\nGoals reached: {goals - len(missed)} of {goals}{which}.\n"
    facts = sorted({line["facts"] for line in lines})
    return "".join(made) + told + "".join(f"\n{fact}.\n" for fact in facts)


def _goal(line: Line) -> float | None:
    """Return the required speedup of a line, or None if it has no goal."""
    if line["face"] == "networkx":
        return GOALS.get(("networkx", line["graph"]))
    if "predecessors" in line["call"] and "floyd_warshall" in line["call"]:
        return None  # the goal is one of distances
    return GOALS.get(("csgraph", line["call"].partition(",")[0]))


def _of_scipy(job: csgraph.Job) -> tuple[float, float, float] | None:
    row = job.run()
    return None if row is None else (row.scipy, row.ours, row.times)


def _converted(workload: networkx_calls.Workload) -> tuple[Any, int]:
    graph = workload.make()
    return networkx_calls.as_networkx(graph), graph.n


def _of_networkx(
    networkx: Any, make: Callable[[], tuple[Any, int]], call: networkx_calls.Call, repeats: int
) -> tuple[float, float, float]:
    graph, n = make()
    starts = networkx_calls.starts_of(call, n, seed=1)
    theirs, ours = networkx_calls.measure(networkx, graph, call, starts, repeats)
    return theirs, ours, theirs / ours


@cache
def _facts() -> str:
    names = ("scipy", "networkx")
    versions = {name: require(name, what="the version").__version__ for name in names}
    return facts_text(**versions, commit=commit())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench faces", description=__doc__)
    add = parser.add_argument
    add("--lines", type=Path, required=True, metavar="FILE", help="the JSON lines to continue")
    add("--budget", type=float, default=3600, help="seconds after which no measurement begins")
    add("--data", type=Path, metavar="FOLDER", help="folder of NY and cnr (WARPATH_BENCH_DATA)")
    add("--scale", type=float, default=1.0, help="size of the generated graphs of csgraph")
    add("--pairs", type=int, nargs="*", default=_SIZES, metavar="N", help="sizes of all pairs")
    add("--sources", type=int, default=5, help="seeded sources per graph")
    add("--repeats", type=int, default=3, help="calls with the same sources")
    return parser
