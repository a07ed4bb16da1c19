"""Paths that a device repairs after changes, beside those of the core: the same bits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from support import reference
from support.compare import assert_same_bits, noting
from warpath.base.dtypes import unreachable
from warpath.engines import dynamic
from warpath.engines.cuda import repair
from warpath.engines.cuda.device_paths import DevicePaths
from warpath.graph import Graph, generate
from warpath.graph.edge_changes import DELETE, INSERT, UPDATE, Batch
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import DTypeLike

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device

_NO_LIMITS: dict[str, Any] = {
    "exact": False,
    "most_affected": -1,
    "most_relaxed": -1,
    "threads": 1,
}


def graphs(dtype: DTypeLike) -> Iterator[Graph]:
    """Yield graphs with ties, edges of no length, long rows, and a path across all blocks."""
    kind = np.dtype(dtype)
    yield generate.uniform(50, 3, (0, 4), seed=1, dtype=kind)
    yield generate.uniform(40, 3, (0, 1), seed=2, dtype=kind)
    yield generate.rmat(7, 8, (1, 50), seed=3, dtype=kind)
    yield generate.grid(9, 9, (1, 9), seed=4, dtype=kind)
    steps = np.arange(299)
    yield Graph.from_edges(steps, steps + 1, np.full(299, 2, kind), directed=False)
    flat = np.arange(40)
    ends = np.concatenate([flat, flat + 1]), np.concatenate([flat + 1, np.roll(flat, 7)])
    yield Graph.from_edges(*ends, np.zeros(80, kind), first_through=3)
    # A vertex with 700 neighbours, each with one of its own, and an edge back from all of these.
    near, far = np.arange(2, 702), np.arange(702, 1402)
    tails = np.concatenate([[0], np.ones_like(near), near, far])
    heads = np.concatenate([[1], near, far, np.zeros_like(far)])
    yield Graph.from_edges(tails, heads, np.append(3, 1 + np.arange(2100) % 97).astype(kind))


def drawn(rows: tuple[Array, Array, Array], random: np.random.Generator, directed: bool) -> Batch:
    """Return a batch; every second one gives new weights only, which leaves the rows in place."""
    indptr, heads, lengths = rows
    tails = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    # Of parallel edges and of the two directions of an undirected one the first is changed.
    _, first = np.unique(tails * len(indptr) + heads, return_index=True)
    named = first if directed else first[tails[first] <= heads[first]]
    chosen = random.permutation(named)[: random.integers(0, 9)]
    # An edge into the vertex of the most edges changes all labels behind it at once.
    onto = named[heads[named] == np.argmax(np.diff(indptr))][:1]
    chosen = np.union1d(chosen, onto)
    kinds = np.full(len(chosen), UPDATE, np.int8)
    new = lengths[chosen] * random.choice([0, 1, 2, 3], len(chosen)).astype(lengths.dtype)
    ends = tails[chosen].astype(np.int64), heads[chosen].astype(np.int64)
    if random.integers(2):
        kinds[random.random(len(chosen)) < 0.4] = DELETE
        more = random.integers(0, len(indptr) - 1, (2, 3))
        kinds = np.append(kinds, np.full(3, INSERT, np.int8))
        ends = np.append(ends[0], more[0]), np.append(ends[1], more[1])
        new = np.append(new, random.integers(0, 9, 3)).astype(lengths.dtype)
    return Batch(kinds, *ends, np.zeros(len(kinds), np.int64), new)


def labelled(graph: Graph, sources: Array, device: Device | None) -> Any:
    """Return paths of the core, or of a device, with the right labels of a graph."""
    made: Any = dynamic.paths_of(graph, sources)
    made.solve()
    if device is None:
        return made
    there = DevicePaths(graph, sources, device)
    for row in range(len(sources)):
        there.replace(row, made.dist(row), made.pred(row))
    return there


def check_repairs(device: Device, dtype: DTypeLike, seeds: Iterable[int], batches: int = 6) -> None:
    """Raise AssertionError unless a device's repairs have the labels and changes of the core's."""
    for number, graph in enumerate(graphs(dtype)):
        for seed in seeds:
            with noting(f"graph {number}, {graph!r}, seed {seed}"):
                _check(graph, device, np.random.default_rng(seed), batches)


def _three(n: int) -> int:
    del n
    return 3


@contextmanager
def small_lists() -> Iterator[None]:
    """Let lists of lowered vertices hold three, so that they are soon full."""
    before, repair.room_of = repair.room_of, _three
    try:
        yield
    finally:
        repair.room_of = before


def _check(graph: Graph, device: Device, random: np.random.Generator, batches: int) -> None:
    sources = random.integers(0, graph.n, 2)
    here, there = labelled(graph, sources, None), labelled(graph, sources, device)
    for _ in range(batches):
        batch = drawn(here.graph(), random, graph.directed)
        for paths in (here, there):
            assert paths.apply(*batch, **_NO_LIMITS) is None
            assert paths.stale() == []
            paths.accept()
        _compare(here, there)
        if random.integers(3) == 0:
            assert here.undo()
            assert there.undo()
            _compare(here, there)
    _compare_with_a_new_solve(graph, here, there, sources)


def _compare(here: Any, there: Any) -> None:
    for row in range(2):
        assert_same_bits(there.dist(row), here.dist(row))
        assert_same_bits(there.pred(row), here.pred(row))
    assert there.changes()[0] == list(here.changes()[0])
    at, ours, theirs = 0, there.changes()[1:], here.changes()[1:]
    for count in there.changes()[0]:
        part = slice(at, at + count)
        at += count
        order = np.argsort(theirs[0][part])
        for one, other in zip(ours, theirs, strict=True):
            assert_same_bits(one[part], other[part][order])


def _compare_with_a_new_solve(graph: Graph, here: Any, there: Any, sources: Array) -> None:
    """Compare with plain Python, which knows no closed vertices."""
    if graph.first_through:
        return
    now = Graph(*here.graph(), directed=graph.directed)
    for row, source in enumerate(sources.tolist()):
        assert_same_bits(there.dist(row), reference.dijkstra(now, source))
        assert_same_bits(there.pred(row), tree(now, source, there.dist(row)))
        reached = there.dist(row) < unreachable(there.dist(row).dtype)
        for target in np.flatnonzero(reached)[:3].tolist():
            assert there.route(row, target).tolist() == here.route(row, target).tolist()
