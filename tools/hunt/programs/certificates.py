"""Right answers and changed ones: `wp.verify` must accept the former and reject the latter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt import graphs
from hunt.oracle import Oracle
from hunt.program import Finding, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.graphs import Drawn
    from hunt.oracle import Labels
    from hunt.program import Counts
    from warpath.base.dtypes import Array

    #: Distances and predecessors.
    Answer = tuple[Array, Array]

_LARGEST = 300  # vertices
_MUTANTS = 40  # of each answer
_INT64 = np.iinfo(np.int64)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Draw a graph, and change its right answers in many ways."""
    drawn = graphs.draw(rng, largest=_LARGEST, negative=0.35)
    if drawn.graph.n == 0:
        return
    with np.errstate(all="ignore"):
        source = int(rng.integers(0, drawn.graph.n))
        _Paths(drawn, rng, counts, source).hunt()
        if drawn.graph.n <= 60 and rng.random() < 0.5:
            _hunt_tables(drawn, rng, counts)


def _array(labels: Labels, dtype: np.dtype[Any]) -> Array | None:
    """Return labels as an array; None if one does not fit."""
    if dtype.kind == "f":
        return np.array([math.inf if d is None else d for d in labels], dtype)
    if any(d is not None and not _INT64.min <= d < _INT64.max for d in labels):
        return None
    return np.array([_INT64.max if d is None else d for d in labels], dtype)


class _Paths:
    """Right and wrong answers from one source of a graph."""

    def __init__(self, drawn: Drawn, rng: np.random.Generator, counts: Counts, source: int) -> None:
        self.drawn, self.rng, self.counts, self.source = drawn, rng, counts, source
        self.graph = drawn.graph
        self.n, self.dtype = drawn.graph.n, drawn.graph.dist_dtype
        self.unreachable = math.inf if self.dtype.kind == "f" else int(_INT64.max)
        self.cutoff: Any = None

    def hunt(self) -> None:
        """Change the right answer in many ways, or invent one if there is none."""
        oracle = self.drawn.oracle()
        labels = oracle.distances(self.source)
        if labels is None:
            for _ in range(4):
                self._reject(self._made_up(), "a negative cycle is reached")
            return
        self.cutoff = self._cutoff(labels)
        kept = [None if d is None or self._beyond(d) else d for d in labels]
        right = _array(kept, self.dtype)
        if right is None:
            self._reject(self._clipped(kept), "what does not fit is called unreachable")
            return
        tree = oracle.predecessors(self.source)
        pred = np.array(
            [-1 if d is None else u for d, u in zip(kept, tree, strict=True)],
            self.graph.indices.dtype,
        )
        self._accept((right, pred))
        for _ in range(_MUTANTS):
            change = _CHANGES[self.rng.integers(0, len(_CHANGES))]
            changed = change(self, right.copy(), pred.copy())
            if changed is None:
                continue
            same = np.array_equal(changed[0], right) and np.array_equal(changed[1], pred)
            if not same or change is _type_changed:
                self._reject(changed, change.__name__.strip("_"))

    def _cutoff(self, labels: Labels) -> Any:
        if self.rng.random() < 0.7:
            return None
        known = [d for d in labels if d is not None and d >= 0]
        cutoff = known[self.rng.integers(0, len(known))]
        return min(int(cutoff), int(_INT64.max) - 1) if self.dtype.kind == "i" else float(cutoff)

    def _beyond(self, distance: Any) -> bool:
        return self.cutoff is not None and bool(distance > self.cutoff)

    def _paths(self, answer: Answer) -> wp.Paths:
        dist, pred = answer
        return wp.Paths(self.graph, self.source, dist, tree=lambda: pred, cutoff=self.cutoff)

    def _accept(self, answer: Answer) -> None:
        self.counts["certificates"] += 1
        try:
            wp.verify(self.graph, self._paths(answer))
        except wp.WarpathError as error:
            raise self._finding(f"verify refuses the right answer: {error}", answer) from error

    def _reject(self, answer: Answer, how: str) -> None:
        self.counts["mutants"] += 1
        try:
            wp.verify(self.graph, self._paths(answer))
        except (wp.VerificationError, wp.InputError):
            return
        raise self._finding(f"verify accepts a wrong answer ({how})", answer)

    def _finding(self, text: str, answer: Answer) -> Finding:
        dist, pred = answer
        return Finding(
            f"{text}\nsource {self.source}, cutoff {self.cutoff}, dist {dist.tolist()}, "
            f"pred {pred.tolist()}\n{self.drawn}"
        )

    def _made_up(self) -> Answer:
        dist = self.rng.integers(-9, 9, self.n).astype(self.dtype)
        dist[self.source] = 0
        return dist, self._any_tree()

    def _clipped(self, labels: Labels) -> Answer:
        fits = [d if d is None or _INT64.min <= d < _INT64.max else None for d in labels]
        dist = _array(fits, self.dtype)
        assert dist is not None
        return dist, self._any_tree()

    def _any_tree(self) -> Array:
        return np.full(self.n, -1, self.graph.indices.dtype)

    def vertex(self) -> int:
        """Return any vertex."""
        return int(self.rng.integers(0, self.n))

    def solved(self, oracle: Oracle, source: int) -> Answer | None:
        """Return the answer of another problem; None if it has none that fits."""
        labels = oracle.distances(source)
        if labels is None:
            return None
        kept = [None if d is None or self._beyond(d) else d for d in labels]
        dist = _array(kept, self.dtype)
        if dist is None:
            return None
        tree = oracle.predecessors(source)
        pred = [-1 if d is None else u for d, u in zip(kept, tree, strict=True)]
        return dist, np.array(pred, self.graph.indices.dtype)


#: Changes: each takes copies of the right dist and pred, and returns wrong ones, or None if it
#: does not apply.


def _a_step(paths: _Paths, dist: Array, pred: Array) -> Answer:
    v, up = paths.vertex(), paths.rng.random() < 0.5
    if paths.dtype.kind == "f":
        dist[v] = np.nextafter(dist[v], paths.dtype.type(np.inf if up else -np.inf))
    elif (up and dist[v] < _INT64.max) or (not up and dist[v] > _INT64.min):
        dist[v] += 1 if up else -1
    return dist, pred


def _by_much(paths: _Paths, dist: Array, pred: Array) -> Answer:
    v = paths.vertex()
    if paths.dtype.kind == "f":
        dist[v] = dist[v] * paths.dtype.type(paths.rng.choice([0, 0.5, 2, -1, 1e30]))
    else:
        old = int(dist[v])
        negated = min(-old, _INT64.max)  # the least integer has no opposite
        choice = [0, old // 2, negated, 2**62, _INT64.max - 1, _INT64.min, 2**31]
        dist[v] = choice[paths.rng.integers(0, len(choice))]
    return dist, pred


def _unreached(paths: _Paths, dist: Array, pred: Array) -> Answer:
    v = paths.vertex()
    dist[v] = paths.unreachable
    if paths.rng.random() < 0.7:
        pred[v] = -1
    return dist, pred


def _reached(paths: _Paths, dist: Array, pred: Array) -> Answer | None:
    """Give an unreached vertex the label of another vertex, or 0."""
    missing = np.flatnonzero(dist == paths.unreachable)
    if not len(missing):
        return None
    v = int(missing[paths.rng.integers(0, len(missing))])
    u = paths.vertex()
    dist[v] = 0 if dist[u] == paths.unreachable else dist[u]
    pred[v] = u if paths.rng.random() < 0.7 else -1
    return dist, pred


def _source_moved(paths: _Paths, dist: Array, pred: Array) -> Answer:
    known = dist != paths.unreachable
    step = paths.dtype.type(1)
    if paths.rng.random() < 0.5:
        dist[known] = dist[known] + step
    else:
        dist[paths.source] += step
    return dist, pred


def _swapped(paths: _Paths, dist: Array, pred: Array) -> Answer:
    u, v = paths.vertex(), paths.vertex()
    dist[[u, v]] = dist[[v, u]]
    if paths.rng.random() < 0.5:
        pred[[u, v]] = pred[[v, u]]
    return dist, pred


def _no_number(paths: _Paths, dist: Array, pred: Array) -> Answer | None:
    if paths.dtype.kind != "f":
        return None
    dist[paths.vertex()] = paths.rng.choice([np.nan, -np.inf])
    return dist, pred


def _other_source(paths: _Paths, _dist: Array, _pred: Array) -> Answer | None:
    return paths.solved(paths.drawn.oracle(), paths.vertex())


def _other_edges(paths: _Paths, _dist: Array, _pred: Array) -> Answer | None:
    """Return the answer of the graph without one edge, or with another weight of it."""
    edges = list(paths.drawn.edges)
    if not edges or paths.rng.random() < 0.5:  # the oracle is slow
        return None
    at = int(paths.rng.integers(0, len(edges)))
    u, v, weight = edges[at]
    if paths.rng.random() < 0.5:
        del edges[at]
    else:
        edges[at] = u, v, weight + (1 if paths.rng.random() < 0.5 or weight < 1 else -1)
    closed = paths.graph.first_through
    return paths.solved(Oracle(paths.n, edges, paths.drawn.zero, closed), paths.source)


def _an_island(paths: _Paths, dist: Array, pred: Array) -> Answer | None:
    """Give unreached vertices consistent labels, from a root among them."""
    missing = np.flatnonzero(dist == paths.unreachable)
    if not len(missing):
        return None
    root = int(missing[paths.rng.integers(0, len(missing))])
    found = paths.solved(paths.drawn.oracle(), root)
    if found is None:
        return None
    inside = (found[0] != paths.unreachable) & (dist == paths.unreachable)
    if paths.cutoff is not None:
        inside &= found[0] <= paths.cutoff
    dist[inside] = found[0][inside]
    pred[inside] = found[1][inside]
    return dist, pred


def _pred_changed(paths: _Paths, dist: Array, pred: Array) -> Answer:
    v, n = paths.vertex(), paths.n
    other = [-1, v, paths.source, paths.vertex(), n, -2, 2**31 - 1, -(2**31)]
    pred[v] = other[paths.rng.integers(0, len(other))]
    return dist, pred


def _pred_of_an_edge(paths: _Paths, dist: Array, pred: Array) -> Answer | None:
    """Replace a predecessor by the tail of another edge, tight or not."""
    if not paths.drawn.edges:
        return None
    u, v, _ = paths.drawn.edges[int(paths.rng.integers(0, len(paths.drawn.edges)))]
    pred[v] = u
    return dist, pred


def _pred_cycle(paths: _Paths, dist: Array, pred: Array) -> Answer:
    v = paths.vertex()
    if pred[v] >= 0:
        pred[pred[v]] = v
    return dist, pred


def _type_changed(paths: _Paths, dist: Array, pred: Array) -> Answer:
    """Return arrays of another type or length, which are wrong even if their values are right."""
    match int(paths.rng.integers(0, 5)):
        case 4:
            return dist, pred.astype("int64" if pred.dtype == np.int32 else "int32")
        case 0:
            return dist.astype("float64" if paths.dtype != np.float64 else "float32"), pred[:-1]
        case 1:
            return dist[:-1], pred
        case 2:
            return dist, pred[:-1]
        case _:
            return dist, np.append(pred, pred[:1])


_CHANGES: list[Callable[[_Paths, Array, Array], Answer | None]] = [
    _a_step,
    _a_step,
    _a_step,
    _by_much,
    _by_much,
    _unreached,
    _reached,
    _source_moved,
    _swapped,
    _no_number,
    _other_source,
    _other_edges,
    _an_island,
    _pred_changed,
    _pred_changed,
    _pred_of_an_edge,
    _pred_of_an_edge,
    _pred_cycle,
    _type_changed,
]


def _hunt_tables(drawn: Drawn, rng: np.random.Generator, counts: Counts) -> None:
    """Change entries and rows of the right table."""
    graph, oracle, n = drawn.graph, drawn.oracle(), drawn.graph.n
    sources = rng.integers(0, n, int(rng.integers(1, 4)))
    some = np.arange(n) if rng.random() < 0.5 else rng.integers(0, n, 3)
    found = [oracle.distances(source) for source in sources.tolist()]
    if any(labels is None for labels in found):
        return
    rows = [_array(labels or [], graph.dist_dtype) for labels in found]
    if any(row is None for row in rows):
        return
    right = np.array(rows, graph.dist_dtype)[:, some]
    if graph.dist_dtype.kind == "i" and rng.random() < 0.2:
        finite = right[right != _INT64.max]
        if np.abs(finite).max(initial=0) < 2**31 - 1:
            right = np.where(right == _INT64.max, 2**31 - 1, right).astype(np.int32)

    def verify(dist: Array) -> None:
        wp.verify(graph, wp.DistanceTable(graph, sources, some, dist))

    said = f"sources {sources.tolist()}, targets {some.tolist()}"
    counts["certificates"] += 1
    try:
        verify(right)
    except wp.WarpathError as error:
        text = f"verify refuses the right table: {error}\n{said}, {right.tolist()}\n{drawn}"
        raise Finding(text) from error
    for _ in range(8):
        dist = _changed_table(right.copy(), rng)
        if np.array_equal(dist, right):
            continue
        counts["mutants"] += 1
        try:
            verify(dist)
        except (wp.VerificationError, wp.InputError):
            continue
        raise Finding(f"verify accepts a wrong table\n{said}, {dist.tolist()}\n{drawn}")


def _changed_table(dist: Array, rng: np.random.Generator) -> Array:
    row, column = (int(rng.integers(0, size)) for size in dist.shape)
    match int(rng.integers(0, 4)):
        case 0 if dist.dtype.kind == "f":
            dist[row, column] = np.nextafter(dist[row, column], dist.dtype.type(-np.inf))
        case 0 | 1:
            dist[row, column] = rng.integers(0, 99)
        case 2:
            dist[[0, -1]] = dist[[-1, 0]]
        case _:
            dist[row, column] = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
    return dist


PROGRAM = Program(
    summary="Right answers, changed: verify must reject each that is not right by plain Python.",
    trial=trial,
)
