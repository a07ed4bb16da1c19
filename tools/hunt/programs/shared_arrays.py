"""Write to the arrays that a graph was made from: the graph must not change."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

import warpath as wp
from hunt.program import Finding, Program
from warpath import csgraph
from warpath.base.errors import DistanceOverflowError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hunt.program import Counts
    from warpath.base.dtypes import Array

_ALGORITHMS = "auto classic.dijkstra classic.bellman_ford classic.delta_stepping warpath.buckets"
_INTEGERS = (0, -1, 1, 2**31 - 1, -(2**31), 2**62, -(2**63))
_FLOATS = (0.0, -1.0, 1e300, np.inf, -np.inf, np.nan)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Solve, write to the graph's input arrays and solve again; or write while a graph is made."""
    n = int(rng.choice([3, 40, 700]))
    m = int(rng.integers(1, 6 * n))
    weight = rng.choice(["int32", "int64", "float32", "float64"])
    ends = rng.integers(0, n, (2, m)).astype(rng.choice(["int32", "int64"]))
    arrays = _arrays(rng, n, ends, rng.integers(0, 30, m).astype(weight))
    if rng.random() < 0.5:
        _written_afterwards(rng, counts, arrays)
    else:
        _written_meanwhile(rng, counts, arrays)


class _Given(NamedTuple):
    """Input arrays that the caller owns, and the way in which a graph is made from them."""

    way: str
    arrays: list[Array]
    n: int

    def graph(self) -> wp.Graph:
        ways: dict[str, Callable[[], wp.Graph]] = {
            "edges": lambda: wp.Graph.from_edges(*self.arrays, n=self.n),
            "tuple": lambda: wp.Graph.of(tuple(self.arrays), n=self.n),
            "csr": lambda: wp.Graph.from_csr(*self.arrays),
            "rows": lambda: wp.Graph(*self.arrays),
            "matrix": lambda: wp.Graph.of(self.matrix()),
        }
        return ways[self.way]()

    def matrix(self) -> Any:
        """Return a matrix that shares the arrays."""
        indptr, indices, data = self.arrays
        made = sparse.csr_array((self.n, self.n), dtype=data.dtype)
        made.indptr, made.indices, made.data = indptr, indices, data
        return made


def _arrays(rng: np.random.Generator, n: int, ends: Array, weights: Array) -> _Given:
    way = str(rng.choice(["edges", "tuple", "csr", "rows", "matrix"]))
    if way in {"edges", "tuple"}:
        return _Given(way, [*ends.copy(), weights], n)
    order = np.argsort(ends[0], kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(ends[0], minlength=n))))
    width = ends.dtype if way == "matrix" else np.int64
    return _Given(way, [indptr.astype(width), ends[1][order], weights[order]], n)


def _written_afterwards(rng: np.random.Generator, counts: Counts, given: _Given) -> None:
    graph = given.graph()
    algorithms = rng.choice(_ALGORITHMS.split(), 3, replace=False).tolist()
    source = int(rng.integers(given.n))
    before = [wp.sssp(graph, source, algorithm=name) for name in algorithms]
    late = wp.sssp(graph, source)  # its tree is computed after the arrays have changed
    for _ in range(3):
        _write(rng, given.arrays)
    for array in (graph.indptr, graph.indices, graph.weights):
        _refuses_writing(array)
    for name, paths in zip(algorithms, before, strict=True):
        again = wp.sssp(graph, source, algorithm=name)
        if not np.array_equal(again.dist, paths.dist) or not np.array_equal(again.pred, late.pred):
            raise Finding(f"{name} has another answer after arrays of {given.way!r} changed")
    wp.verify(graph, late)
    counts["solves"] += 7


def _written_meanwhile(rng: np.random.Generator, counts: Counts, given: _Given) -> None:
    """Make graphs while a thread writes: each is refused, or its answers are right."""
    kept = [array.copy() for array in given.arrays]
    with _writer(rng, given.arrays):
        for _ in range(20):
            for array, values in zip(given.arrays, kept, strict=True):
                array[:] = values
            try:
                graph = given.graph()
            except InputError:
                counts["refused"] += 1
                continue
            if graph.n and not graph.facts().negative:
                with suppress(DistanceOverflowError):
                    wp.verify(graph, wp.sssp(graph, int(rng.integers(graph.n))))
                counts["solves"] += 1
    for array, values in zip(given.arrays, kept, strict=True):
        array[:] = values
    if given.way == "matrix":
        # csgraph's calls read the matrix itself: it may change between calls, not during one.
        for _ in range(3):
            csgraph.dijkstra(given.matrix(), indices=int(rng.integers(given.n)))
            counts["solves"] += 1


@contextmanager
def _writer(rng: np.random.Generator, arrays: list[Array]) -> Iterator[None]:
    """Let a thread write to arrays until the block ends."""
    over = threading.Event()
    own = np.random.default_rng(int(rng.integers(2**63)))

    def work() -> None:
        while not over.wait(1e-5):
            _write(own, arrays)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _write(rng: np.random.Generator, arrays: list[Array]) -> None:
    array = arrays[rng.integers(len(arrays))]
    values = _FLOATS if array.dtype.kind == "f" else _INTEGERS
    with np.errstate(over="ignore"):
        number = np.asarray(values[rng.integers(len(values))]).astype(array.dtype)
    if rng.random() < 0.3:
        array[:] = number
    elif array.size:
        array[rng.integers(array.size)] = number


def _refuses_writing(array: Any) -> None:
    try:
        array.flags.writeable = True
    except ValueError:
        return
    raise Finding("an array of a graph became writable")


PROGRAM = Program(
    summary="Graphs of arrays that are written before, between and during calls: the same answers.",
    trial=trial,
    hang=120.0,
    packages=("scipy",),
)
