"""``warpath bench suite``: time one source by our solvers and by peers, on graphs by name.

Measurements in the file --lines are not repeated: the same command continues a stopped run.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import BooleanOptionalAction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base import settings
from warpath.base.errors import InputError, WarpathError
from warpath_bench import external, peers, report
from warpath_bench.lines import OURS, latest, read_lines
from warpath_bench.options import parsed
from warpath_bench.run import facts_text
from warpath_bench.session import Session, tell
from warpath_bench.workloads import COLUMNS, FILES, files, workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    Line = dict[str, Any]

#: The columns of the suite "cpu".
CPU = ("road", "rmat", "martin", "delaunay", "NY", "cnr")
#: Further generated graphs of the suite "all", which also has all graphs of the data folder.
MORE = (
    "streets", "grid 1000", "mesh 700", "uniform 500000 8", "uniform 1000000 2", "hub 262144",
    "small_world 262144 10", "kronecker 16 16", "dense 3000", "complete 1000", "rmat 14 16",
    "road 100000", "road 1000", "grid 100", "delaunay 10000", "martin 65536", "uniform 100 4",
)  # fmt: skip
_KINDS = ("int", "float", "none", "int32", "int64", "float32", "float64")


def main(arguments: Sequence[str]) -> int:
    """Measure, append lines, print tables; return 1 if one of our answers was wrong, else 0."""
    options = _options(arguments)
    _complete(options)
    lines = read_lines(options.lines) if options.lines else []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="warpath-bench-") as folder:
        session = Session(options, lines, Path(folder))
        for name, optional in _graphs(options):
            try:
                session.measure(workload(name, options.scale, options.data))
            except WarpathError as error:
                if not optional:
                    raise
                tell(f"{name}: left out: {error}")
    _print([one for one in latest([*lines, *session.fresh]) if one["suite"] == options.suite])
    tell(f"measured in {time.monotonic() - start:.0f} s")
    bad = [one for one in session.fresh if "error" in one]
    for text in dict.fromkeys(f"{one['solver']} on {one['graph']}: {one['error']}" for one in bad):
        tell(text)
    return int(any(one["solver"].startswith(OURS) for one in bad))


def _graphs(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield the names of the graphs, and whether a missing one is only reported."""
    if options.graphs:
        yield from ((name, False) for name in options.graphs)
        return
    folder = options.data or settings.bench_data()
    found = list(files(folder))  # raises before the first measurement if the folder is missing
    if folder is None:
        here = [name for name in CPU if name in COLUMNS]
        tell("NY and cnr are left out: --data FOLDER or WARPATH_BENCH_DATA names where files are.")
    else:
        here = list(CPU)
    yield from ((name, name not in COLUMNS) for name in here)
    if options.suite == "all":
        yield from ((name, False) for name in MORE)
        known = {*CPU, *(FILES[name] for name in FILES)}
        yield from ((title, True) for title, _ in found if title not in known)


def _complete(options: argparse.Namespace) -> None:
    """Derive what a session needs from the options."""
    options.commands = dict(map(external.parsed, options.external))
    taken = set(options.commands) & {peer.name for peer in peers.PEERS}
    if taken or any(name.startswith(OURS) for name in options.commands):
        names = ", ".join(sorted(taken) or options.commands)
        raise InputError(f"--external {names}: the name is taken; use another.")
    options.trees = (False, True) if options.tree is None else (options.tree,)
    options.certified = options.traced = 1 if options.quick else None
    options.repeats = options.repeats or (1 if options.quick else 3)
    options.peers = peers.chosen(options.peers)
    if options.budget is None:
        options.budget = 1.0 if options.quick else 20.0
    options.budget = options.budget or None


def _print(lines: Sequence[Line]) -> None:
    sys.stdout.write(report.told(lines))
    facts = facts_text()
    sys.stdout.write(
        "\nMilliseconds from one source: medians (quartiles) over the sources, of which [k] were "
        f"within a budget. Ratios are over the same sources. All answers compared; {facts}.\n"
    )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    every = ", ".join(peer.name for peer in peers.PEERS)
    return parsed(
        "suite",
        __doc__,
        arguments,
        suite={
            "positional": True,
            "nargs": "?",
            "default": "cpu",
            "choices": ["cpu", "all"],
            "help": f"cpu: {', '.join(CPU)}; all: {len(MORE)} more, and the data folder",
        },
        quick={"default": False, "help": "one solve per source, 1 s per peer: about 5 minutes"},
        lines=None,
        graphs=[],
        data=None,
        scale=1.0,
        dtypes={
            "default": ["int", "float"],
            "choices": _KINDS,
            "help": "weights: as they are, their tenths in float64, 1 each (none), or a type",
        },
        tree={
            "action": BooleanOptionalAction,
            "help": "only with, or only without, predecessors; by default both",
        },
        threads=[1, 2],
        algorithms=["auto"],
        sources=16,
        repeats={"type": int, "help": "solves per source (3; 1 with --quick), more if close"},
        peers={"nargs": "*", "metavar": "PEER", "help": f"instead of the installed of {every}"},
        external=[],
        budget={"type": float, "help": "for a peer on a graph (20; 1 with --quick; 0: no limit)"},
        limit=60.0,
    )
