"""``python -m small_corpus``: run every CUDA recipe on small graphs, for sanitizers.

The argument ``2/5`` runs the second fifth of the recipes, so that several processes can share them.
Each array is allocated separately, not from CuPy's pool, so that memcheck detects accesses beyond
its end.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from support import corpus, tables
from support.recipes import on_gpu
from warpath.api import calls
from warpath.recipes import Task
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.engines.base import Device
    from warpath.results.paths import Paths

#: Cases that are difficult in different ways and need few rounds.
NAMES = (
    "one_vertex", "self_loops", "parallel_edges", "zero_cycle", "isolated_vertices", "star_out",
    "star_in", "complete", "power_law", "two_equal_paths", "unsorted_rows",
    "negative_without_cycle",
)  # fmt: skip
TYPES = ("int32", "float32")
_WIDEST = 100  # vertices: all pairs are solved on graphs up to this size


_ALL = slice(None)


def solve_all(solve: Callable[..., Paths], share: slice = _ALL) -> int:
    """Solve with a share of the recipes, with and without a trace; return the number of solves.

    Raises
    ------
    AssertionError
        If labels of an exact recipe differ from the CPU's.
    """
    solves = 0
    for name in NAMES:
        for dtype in TYPES:
            graph = corpus.case(name).astype(dtype).graph()
            alike = graph.with_weights(np.full(graph.m, 3, dtype))
            expected = {each: calls.sssp(each, 0, device="cpu").dist for each in (graph, alike)}
            for recipe in on_gpu(Task.SSSP)[share]:
                given = alike if recipe.equal_weights else graph
                if recipe.objection(Task.SSSP, given.facts(symmetry=False)) is not None:
                    continue
                for trace in (False, True) if recipe.axes else (False,):  # others refuse a trace
                    found = solve(given, 0, algorithm=recipe.name, device="cuda", trace=trace)
                    solves += 1
                    if recipe.exact and not np.array_equal(found.dist, expected[given]):
                        raise AssertionError(f"{recipe.name} is wrong on {name}, {dtype}")
    return solves


def tables_of_all(device: Device, share: slice = _ALL) -> int:
    """Solve all pairs with a share of the recipes, with and without trees, a trace; count solves.

    Raises
    ------
    AssertionError
        If an answer differs from that of plain Python.
    """
    solves = 0
    for case in (corpus.case(name).astype(dtype) for name in NAMES for dtype in TYPES):
        graph = case.graph()
        if graph.n > _WIDEST:
            continue
        problem = tables.all_pairs(graph)
        answer = tables.expected(graph, problem)
        for recipe in on_gpu(Task.APSP, Task.MANY)[share]:
            if not tables.able(recipe, graph, problem.task):
                continue
            for trace in (None, Trace()):
                paths = recipe.predecessors and trace is not None
                tables.check(recipe, graph, problem, device, answer, paths=paths, trace=trace)
                solves += 1
    return solves


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve on the first GPU, and print the number of solves."""
    from warpath.engines.cuda.device import open_device

    given = sys.argv[1:] if arguments is None else arguments
    part, parts = map(int, (given[0] if given else "1/1").split("/"))
    share = slice(part - 1, None, parts)
    gpu = open_device("cuda")
    gpu.xp.cuda.set_allocator(None)
    solves = solve_all(calls.sssp, share)
    with gpu.active():
        solves += tables_of_all(gpu, share)
    sys.stdout.write(f"{solves} solves\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
