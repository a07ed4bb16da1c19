"""The benchmarks by name: one line of `COMMANDS` adds one, here and to ``warpath bench``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(NamedTuple):
    """A module of this package whose ``main(arguments)`` returns the exit code."""

    module: str
    summary: str

    def run(self, arguments: Sequence[str]) -> int:
        """Run it with what follows its name; modules are loaded when they are asked for."""
        code: int = import_module(f"warpath_bench.{self.module}").main(arguments)
        return code


COMMANDS: dict[str, Command] = {
    "suite": Command("suite", "One source, beside every peer that is installed."),
    "many": Command("many", "Tables of many sources and of all pairs, beside their peers."),
    "csgraph": Command("csgraph", "warpath.csgraph beside SciPy's: the same calls and matrices."),
    "networkx": Command("networkx_calls", "NetworkX's calls by itself and by our backend."),
    "faces": Command("faces", "SciPy's and NetworkX's calls beside ours."),
    "peak": Command("peak", "Dense all pairs beside what the cores can add and compare."),
    "paper": Command("paper", "A paper's experiments again, beside the numbers that it prints."),
    "report": Command("report", "Tables and plots of the lines that `suite` wrote."),
    "catalogue": Command("catalogue", "Every recipe on the same graphs, those of GPUs too."),
    "all-pairs": Command("all_pairs", "Every recipe for all pairs on the same graphs."),
    "gpu": Command("gpu", "One source on a GPU, beside goals, recorded peers and the floor."),
    "anchors": Command("anchors", "All pairs and many-to-many on a GPU, against set goals."),
    "fit": Command("fit", "The planner's constants, and how good its choice is with them."),
    "findings": Command("findings", "Which statements of the papers hold in what was measured."),
}


def listing() -> str:
    """Return a line for each benchmark."""
    width = max(map(len, COMMANDS))
    return "".join(f"  {name:<{width}}  {one.summary}\n" for name, one in COMMANDS.items())
