"""The benchmarks by name; ``warpath bench`` offers every entry of `COMMANDS`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(NamedTuple):
    """A function of a module of this package; ``function(arguments)`` returns the exit code."""

    module: str
    summary: str
    function: str = "main"

    def run(self, arguments: Sequence[str]) -> int:
        """Import the module and run it with the arguments that follow the benchmark's name."""
        module = import_module(f"warpath_bench.{self.module}")
        code: int = getattr(module, self.function)(arguments)
        return code


COMMANDS: dict[str, Command] = {
    "suite": Command("suite", "One source, compared with every installed peer."),
    "prepared": Command("prepared", "Pairs, routes and tables, compared with peers."),
    "dynamic": Command("dynamic", "Graphs that change, compared with solving anew and NetworKit."),
    "faces": Command("faces", "The same calls of SciPy, of NetworkX and of ours."),
    "centrality": Command("centrality", "Betweenness, compared with four libraries."),
    "comparisons": Command("comparisons", "Comparisons of duan2025.bmssp and of Dijkstra over n."),
    "paper": Command("paper", "A paper's experiments, compared with its published numbers."),
    "report": Command("report", "Tables and plots of the lines that `suite` wrote."),
    "catalogue": Command("catalogue", "Every recipe on the same graphs, also on a GPU."),
    "all-pairs": Command(
        "catalogue", "Every recipe for all pairs on the same graphs.", "all_pairs"
    ),
    "gpu": Command("gpu", "One source on a GPU, compared with goals, peers and a bound."),
    "several-gpus": Command("several_gpus", "Tables and sources on one and on several GPUs."),
    "fit": Command("fit", "Fit the planner's constants, and judge its choices."),
    "findings": Command("findings", "The papers' claims that hold in our measurements."),
}


def listing() -> str:
    """Return a line for each benchmark."""
    width = max(map(len, COMMANDS))
    return "".join(f"  {name:<{width}}  {one.summary}\n" for name, one in COMMANDS.items())
