"""The questions of ``warpath bench auto``: graphs that no constant of the planner was fitted to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.graph import generate
from warpath.planner.cpu_model import Destination, Size
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.api.solver import Solver
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_SEED = 20261126


class Question(NamedTuple):
    """A question of a graph.

    Attributes
    ----------
    name : of the graph, and what is asked.
    graph : makes the graph; the same object for all of its questions, which follow each other.
    ask : returns the answer of a solver.
    size : its size, as the planner sees it.
    prepared : whether the graph has a hierarchy.
    """

    name: str
    graph: Callable[[], Graph]
    ask: Callable[[Solver], Array]
    size: Callable[[Graph], Size]
    prepared: bool = False


def _one() -> tuple[str, Any, Any]:
    def ask(solver: Solver) -> Array:
        return solver.sssp(_spread(solver.graph, 3)[1]).dist

    return "one source", ask, lambda _: Size(Task.SSSP)


def _table(sources: int, targets: int) -> tuple[str, Any, Any]:
    def ask(solver: Solver) -> Array:
        graph = solver.graph
        found: Array = solver.distances(_spread(graph, sources), _spread(graph, targets)).dist
        return found

    def size(graph: Graph) -> Size:
        return Size(Task.MANY, sources, targets, graph.dist_dtype.itemsize)

    return f"{sources:,} x {targets:,}", ask, size


def _totals(sources: int) -> tuple[str, Any, Any]:
    def ask(solver: Solver) -> Array:
        found: Array = solver.totals("max", sources=_spread(solver.graph, sources))["max"]
        return found

    def size(graph: Graph) -> Size:
        entry = graph.dist_dtype.itemsize
        return Size(Task.MANY, sources, graph.n, entry, Destination.TOTALS)

    return f"totals of {sources:,}", ask, size


def _all() -> tuple[str, Any, Any]:
    def size(graph: Graph) -> Size:
        return Size(Task.APSP, graph.n, graph.n, graph.dist_dtype.itemsize)

    return "all pairs", lambda solver: solver.apsp().dist, size


def _near(facilities: int) -> tuple[str, Any, Any]:
    def ask(solver: Solver) -> Array:
        return solver.nearest(_spread(solver.graph, facilities)).dist

    return f"nearest of {facilities:,}", ask, lambda _: Size(Task.SSSP)


def _spread(graph: Graph, count: int) -> Any:
    """Return vertices that are spread over a graph's numbers."""
    return np.linspace(0, graph.n - 1, count).astype(np.int64)


def _questions(
    title: str, make: Callable[..., Graph], *asked: tuple[str, Any, Any], prepared: bool = False
) -> list[Question]:
    graph = partial(make, seed=_SEED)
    title += ", prepared" if prepared else ""
    return [Question(f"{title}: {what}", graph, ask, size, prepared) for what, ask, size in asked]


def _made(function: Callable[..., Graph], *given: Any, **named: Any) -> Callable[..., Graph]:
    return partial(function, *given, **named)


_ROAD = _made(generate.road, 400_000)
QUESTIONS: tuple[Question, ...] = (
    *_questions("road 400,000", _ROAD, _one(), _table(64, 64), _table(1000, 200)),
    *_questions("road 400,000", _ROAD, _table(1000, 1000), _totals(2000), _totals(300_000),
                prepared=True),
    *_questions("road 1,500,000 float32",
                _made(generate.road, 1_500_000, dtype="float32"),
                _one(), _table(64, 1000), _near(100)),
    *_questions("grid 1700", _made(generate.grid, 1700, 1700), _one(), _table(32, 32)),
    *_questions("delaunay 500,000", _made(generate.delaunay, 500_000), _one()),
    *_questions("uniform 300,000 8", _made(generate.uniform, 300_000, 8),
                _one(), _table(64, 1000), _table(12_000, 1000), _totals(20_000)),
    *_questions("uniform 3,000,000 6", _made(generate.uniform, 3_000_000, 6), _one()),
    *_questions("uniform 2,000,000 8, no weights",
                _made(generate.uniform, 2_000_000, 8, weights=None), _one()),
    *_questions("R-MAT 17 12", _made(generate.rmat, 17, 12),
                _one(), _table(256, 1000), _table(20_000, 100), _totals(20_000)),
    *_questions("R-MAT 19 10 float32", _made(generate.rmat, 19, 10, dtype="float32"),
                _one(), _table(4000, 50)),
    *_questions("small world 700,000", _made(generate.small_world, 700_000),
                _one(), _table(64, 100), _table(3000, 100)),
    *_questions("in-degree 7, 700,000", _made(generate.random_in_degree, 700_000),
                _one(), _near(50), _table(6000, 10)),
    *_questions("dense 1,500", _made(generate.dense, 1500), _all()),
    *_questions("dense 20,000, 2 %", _made(generate.dense, 20_000, density=0.02), _all()),
    *_questions("dense 9,000, 20 %, float32",
                _made(generate.dense, 9000, density=0.2, dtype="float32"), _all()),
    *_questions("road 14,000", _made(generate.road, 14_000), _all()),
    *_questions("uniform 14,000 5", _made(generate.uniform, 14_000, 5), _all()),
    *_questions("uniform 36,000 100", _made(generate.uniform, 36_000, 100), _totals(36_000)),
    *_questions("small world 30,000 200", _made(generate.small_world, 30_000, degree=200),
                _totals(30_000)),
    *_questions("R-MAT 13 8", _made(generate.rmat, 13, 8), _all()),
    *_questions("delaunay 12,000", _made(generate.delaunay, 12_000), _all()),
    *_questions("grid 120", _made(generate.grid, 120, 120), _all()),
)  # fmt: skip
