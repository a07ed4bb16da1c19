"""``python -m warpath.bench``: time the catalogue beside SciPy on the field's graphs.

``python -m warpath.bench many`` times tables of many sources and of all pairs beside the peers that
are installed; ``catalogue`` runs every recipe, those of GPUs too, and ``all-pairs`` those for all
pairs; ``findings`` compares what was measured with what the papers say; ``peak`` sets dense all
pairs beside what the cores can add and compare; ``anchors`` times tables on a GPU.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.api import algorithms
from warpath.bench import all_pairs, anchors, catalogue, findings, many, peak
from warpath.bench.run import machine, measure, table
from warpath.bench.suite import GRAPHS, Solver, graph_named, ours, scipy_dijkstra
from warpath.errors import WarpathError
from warpath.recipes import Loop, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.facts import Facts

_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "all-pairs": all_pairs.main,
    "anchors": anchors.main,
    "catalogue": catalogue.main,
    "findings": findings.main,
    "many": many.main,
    "peak": peak.main,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its table; 0, or 3 with a message when an input is bad."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if given[:1] and given[0] in _COMMANDS:
            return _COMMANDS[given[0]](given[1:])
        _run(_parser().parse_args(given))
    except WarpathError as error:
        sys.stderr.write(f"warpath.bench: {error}\n")
        return 3
    return 0


def _run(options: argparse.Namespace) -> None:
    solvers = [ours("auto", threads, tree=options.tree) for threads in options.threads]
    solvers += [scipy_dijkstra(tree=options.tree)]
    timings = []
    with ExitStack() as stack:
        lines = None
        if options.lines:
            lines = stack.enter_context(Path(options.lines).open("w", encoding="utf-8"))
        for name in options.graphs:
            graph = graph_named(name, options.scale, options.dtype)
            every = [] if not options.all else _catalogue(graph.facts(symmetry=False), options)
            title = Path(name).name.split(".")[0]
            timings += measure(title, graph, solvers + every, options.sources, lines)
            sys.stderr.write(f"{title}: {graph!r}\n")
    sys.stdout.write(table(timings, solvers[len(options.threads)].name) + "\n")
    facts = ", ".join(f"{key} {value}" for key, value in machine().items())
    sys.stdout.write(f"\nMedians of {options.sources} sources, all verified; {facts}.\n")


def _catalogue(facts: Facts, options: argparse.Namespace) -> list[Solver]:
    return [
        ours(recipe.name, threads, tree=options.tree)
        for recipe in algorithms()
        if recipe.planned and "cpu" in recipe.devices
        if recipe.objection(Task.SSSP, facts) is None
        for threads in (
            options.threads if recipe.loop in {Loop.BUCKET_TEAM, Loop.DELTA_STEPPING} else [1]
        )
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m warpath.bench", description=__doc__)
    parser.add_argument(
        "--graphs", nargs="+", default=list(GRAPHS), metavar="GRAPH",
        help=f"names ({', '.join(GRAPHS)}) or files",
    )  # fmt: skip
    parser.add_argument("--sources", type=int, default=16, help="seeded sources a graph")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="for our solvers")
    parser.add_argument(
        "--dtype", default="own", help="weights: own, int32, int64, float32, float64"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="size of the generated graphs")
    parser.add_argument("--tree", action="store_true", help="predecessors too")
    parser.add_argument("--all", action="store_true", help="every algorithm, not only the planned")
    parser.add_argument("--lines", metavar="FILE", help="write one JSON object a graph and solver")
    return parser


if __name__ == "__main__":
    sys.exit(main())
