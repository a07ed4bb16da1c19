"""The peak memory of a call, measured in a separate process.

``python -m support.memory`` prints it for one source and every planned algorithm.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import warpath as wp
from warpath.planner.cpu_model import lean_bytes
from warpath.recipes import CATALOGUE, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.graph import Graph

_FORGET_PEAK = "5"  # written to clear_refs, resets the peak: see proc(5)


class Solve(NamedTuple):
    """One way to solve: an algorithm or "auto", its threads, and whether to compute the tree."""

    algorithm: str
    threads: int
    tree: bool

    def run(self, graph: Graph) -> None:
        """Solve from vertex 0 and keep the answer until it is complete."""
        paths = wp.sssp(graph, 0, algorithm=self.algorithm, threads=self.threads)
        if self.tree:
            _ = paths.pred


def solves(graph: Graph) -> list[Solve]:
    """Return "auto" and all ways to solve a graph on the CPU that it may choose."""
    facts = graph.facts(symmetry=False)
    able = [
        recipe.name
        for recipe in CATALOGUE
        if recipe.planned
        and not recipe.prepared
        and "cpu" in recipe.devices
        and not recipe.objection(Task.SSSP, facts)
    ]
    return [
        Solve(name, threads, tree)
        for name in ("auto", *able)
        for threads in (1, 2)
        for tree in (False, True)
    ]


def bound(graph: Graph, threads: int) -> int:
    """Return the bytes that solving from one source may use in addition to the graph."""
    return lean_bytes(graph.n, threads)


def give_back() -> None:
    """Give what this process has freed to the system, which not every C library can."""
    gc.collect()
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)


def peak_of(call: Callable[[], None]) -> int:
    """Return the bytes that a call adds to this process at its peak, measured in a fork.

    Pages of files that are mapped during the call, the code of libraries above all, do not count;
    a page that is mapped only after the peak is subtracted from it nevertheless.

    Raises
    ------
    OSError
        If the call fails, or the system does not report the peak: only Linux does.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(_peak_here(call)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        text = told.read()
    os.waitpid(child, 0)
    if not text:
        msg = "the call failed in its own process, or the system tells no peak of memory"
        raise OSError(msg)
    return int(text)


def _peak_here(call: Callable[[], None]) -> int:
    give_back()  # freed memory that the process still holds would be reused without being counted
    before, code = forget_peak(), status("RssFile")
    call()
    # A forked process maps the libraries' code anew as it runs it: 2 to 4 MiB in any call. A
    # machine short of memory takes such pages back, which is not the call's memory either.
    return status("VmHWM") - before - max(status("RssFile") - code, 0)


def forget_peak() -> int:
    """Reset the peak of this process's memory, and return the bytes that it holds now."""
    Path("/proc/self/clear_refs").write_text(_FORGET_PEAK, encoding="ascii")
    return status("VmRSS")


def status(name: str) -> int:
    """Return a size of this process in bytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    match = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    if match is None:
        msg = f"/proc/self/status has no {name}"
        raise OSError(msg)
    return int(match[1]) * 1024


def main(scale: int) -> None:
    """Print a table for graphs of 2^scale vertices of degree 3."""
    print("| graph | algorithm | threads | tree | bytes a vertex | MiB | allowed MiB |")  # noqa: T201
    print("|---" * 7 + "|")  # noqa: T201
    for title, graph in graphs(scale).items():
        for solve in solves(graph):
            peak = peak_of(partial(solve.run, graph))
            print(  # noqa: T201
                f"| {title} | {solve.algorithm} | {solve.threads} | {solve.tree} | "
                f"{peak / graph.n:.1f} | {peak >> 20} | {bound(graph, solve.threads) >> 20} |",
                flush=True,
            )


def graphs(scale: int) -> dict[str, Graph]:
    """Return graphs of 2^scale vertices, with the data that solvers cache in a graph."""
    n = 1 << scale
    side = 1 << scale // 2
    made = {
        "uniform": wp.generate.uniform(n, 3),
        "grid": wp.generate.grid(side, n // side, (100, 10_000), drop=0.25),
        "unweighted": wp.generate.uniform(n, 3).with_weights(None),
    }
    for graph in made.values():
        graph.facts(symmetry=False)
        _ = graph._solver_weights
    return made


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
