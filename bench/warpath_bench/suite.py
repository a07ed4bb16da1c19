"""``warpath bench suite``: time one source by our solvers and by peers, on graphs by name.

Measurements in the file --lines are not repeated: the same command continues a stopped run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base import settings
from warpath.base.errors import InputError, WarpathError
from warpath_bench import external, peers, standing
from warpath_bench.bout import Terms
from warpath_bench.lines import OURS, latest, read_lines
from warpath_bench.run import facts_text
from warpath_bench.session import Session, Wish, tell
from warpath_bench.workloads import COLUMNS, FILES, MAKERS, files, workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Line = dict[str, Any]

#: The columns of the suite "cpu".
CPU = ("road", "rmat", "martin", "delaunay", "NY", "cnr")
#: Further generated graphs of the suite "all", which also has all graphs of the data folder.
MORE = (
    "streets",
    "grid 1000",
    "mesh 700",
    "uniform 500000 8",
    "uniform 1000000 2",
    "hub 262144",
    "small_world 262144 10",
    "kronecker 16 16",
    "dense 3000",
    "complete 1000",
    "rmat 14 16",
    "road 100000",
    "road 1000",
    "grid 100",
    "delaunay 10000",
    "martin 65536",
    "uniform 100 4",
)
_KINDS = ("int", "float", "none", "int32", "int64", "float32", "float64")
_QUICK = {"repeats": 1, "budget": 1.0}
_THOROUGH = {"repeats": 3, "budget": 20.0}
_SHOWN = 5  # number of lowest ratios that are printed


def main(arguments: Sequence[str]) -> int:
    """Measure, append lines, print tables; return 1 if one of our answers was wrong, else 0."""
    options = _parser().parse_args(arguments)
    wish = _wish(options)
    kept = Path(options.lines) if options.lines else None
    lines = [] if kept is None else read_lines(kept)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="warpath-bench-") as folder:
        session = Session(wish, lines, kept, Path(folder))
        for name, optional in _graphs(options):
            try:
                session.measure(workload(name, options.scale, options.data))
            except WarpathError as error:
                if not optional:
                    raise
                tell(f"{name}: left out: {error}")
    _print([one for one in latest([*lines, *session.fresh]) if one["suite"] == wish.suite])
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


def _wish(options: argparse.Namespace) -> Wish:
    chosen = _QUICK if options.quick else _THOROUGH
    trees = (False, True) if options.tree is None else (options.tree,)
    commands = dict(map(external.parsed, options.external))
    taken = set(commands) & {peer.name for peer in peers.PEERS}
    if taken or any(name.startswith(OURS) for name in commands):
        msg = f"--external {', '.join(sorted(taken) or commands)}: the name is taken; use another."
        raise InputError(msg)
    budget = chosen["budget"] if options.budget is None else options.budget
    return Wish(
        suite=options.suite,
        kinds=tuple(options.dtypes),
        trees=trees,
        sources=options.sources,
        certified=1 if options.quick else None,
        algorithms=tuple(options.algorithms),
        threads=tuple(options.threads),
        peers=tuple(peers.chosen(options.peers)),
        commands=commands,
        terms=Terms(
            repeats=int(options.repeats or chosen["repeats"]),
            budget=budget or None,
            limit=options.limit,
            traced=1 if options.quick else None,
        ),
    )


def _print(lines: Sequence[Line]) -> None:
    sys.stdout.write(standing.tables(lines) + "\n")
    places = standing.worst(lines, _SHOWN)
    if places:
        shown = "\n".join(f"{at}. {place}" for at, place in enumerate(places, start=1))
        sys.stdout.write(
            f"\nWhere ours stands worst, as the best peer's time over ours:\n\n{shown}\n"
        )
    facts = facts_text()
    sys.stdout.write(
        "\nMilliseconds from one source: medians (quartiles) over the sources, of which [k] were "
        f"within a budget. Ratios are over the same sources. All answers compared; {facts}.\n"
    )


def _parser() -> argparse.ArgumentParser:
    every = ", ".join(peer.name for peer in peers.PEERS)
    parser = argparse.ArgumentParser(prog="warpath bench suite", description=__doc__)

    def add(*names: str, about: str, **options: Any) -> None:
        parser.add_argument(*names, help=about, **options)

    add(
        "suite",
        nargs="?",
        default="cpu",
        choices=["cpu", "all"],
        about=f"cpu: {', '.join(CPU)}; all: {len(MORE)} more, and the data folder",
    )
    add("--quick", action="store_true", about="one solve per source, 1 s per peer: about 5 minutes")
    add("--lines", metavar="FILE", about="the file of JSON lines to continue")
    add(
        "--graphs",
        nargs="+",
        metavar="GRAPH",
        about=f"instead of the suite's: {', '.join([*COLUMNS, *FILES])}; a generator with its "
        f"numbers ({', '.join(MAKERS)}); the title of a file in the data folder; a file",
    )
    add("--data", type=Path, metavar="FOLDER", about="with graph files (WARPATH_BENCH_DATA)")
    add("--scale", type=float, default=1.0, about="size of the generated graphs")
    add(
        "--dtypes",
        nargs="+",
        default=["int", "float"],
        choices=_KINDS,
        about="weights: int: as they are, float: their tenths in float64, none: 1 each; or a type",
    )
    add(
        "--tree",
        action=argparse.BooleanOptionalAction,
        about="only with, or only without, predecessors; by default both",
    )
    add("--threads", type=int, nargs="+", default=[1, 2], about="of our solvers and of commands")
    add("--algorithms", nargs="+", default=["auto"], metavar="NAME", about="our algorithms")
    add("--sources", type=int, default=16, about="seeded sources per graph")
    add(
        "--repeats",
        type=int,
        about="solves per source (3; 1 with --quick); 4 to 12 more in close comparisons",
    )
    add("--peers", nargs="*", metavar="PEER", about=f"instead of all installed ones of {every}")
    add(
        "--external",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        about="a peer that is a command: docs/benchmarks/external-solvers.md",
    )
    add(
        "--budget",
        type=float,
        metavar="SECONDS",
        about="time for the solves of a peer on a graph (20; 1 with --quick; 0: no limit)",
    )
    add("--limit", type=float, default=60.0, metavar="SECONDS", about="time for a command's run")
    return parser
