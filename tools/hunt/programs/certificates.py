"""Right answers and changed ones: `wp.verify` must accept the former and reject the latter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt import graphs
from hunt.program import Finding, Program
from support.oracle import Oracle
from warpath.base.dtypes import unreachable

if TYPE_CHECKING:
    from hunt.graphs import Drawn
    from hunt.program import Counts
    from support.oracle import Labels
    from warpath.base.dtypes import Array

    #: Distances and predecessors.
    Answer = tuple[Array, Array]

_LARGEST = 300  # vertices
_MUTANTS = 40  # of each tree
_INT64 = np.iinfo(np.int64)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Draw a graph, and change its right answers in many ways."""
    drawn = graphs.draw(rng, largest=_LARGEST, negative=0.35)
    if drawn.graph.n == 0:
        return
    with np.errstate(all="ignore"):
        _Hunt(drawn, rng, counts, int(rng.integers(0, drawn.graph.n))).hunt()
        if drawn.graph.n <= 60 and rng.random() < 0.5:
            _hunt_tables(drawn, rng, counts)


def _array(labels: Labels, dtype: np.dtype[Any]) -> Array | None:
    """Return labels as an array; None if one does not fit."""
    if dtype.kind == "f":
        return np.array([math.inf if d is None else d for d in labels], dtype)
    if any(d is not None and not _INT64.min <= d < _INT64.max for d in labels):
        return None
    return np.array([_INT64.max if d is None else d for d in labels], dtype)


def _other_label(dist: Array, rng: np.random.Generator) -> Any:
    """Return a label to put in the place of a random one, and the place."""
    places = tuple(int(rng.integers(0, size)) for size in dist.shape)
    old, other = dist[places], dist.flat[rng.integers(dist.size)]
    labels = [unreachable(dist.dtype), other, 0]
    if dist.dtype.kind == "f":
        one = dist.dtype.type
        labels += [np.nextafter(old, one(side * np.inf)) for side in (1, -1) for _ in range(3)]
        labels += [old * one(factor) for factor in (0.5, 2, -1, 1e30)] + [np.nan, -np.inf]
    else:
        kind = np.iinfo(dist.dtype)
        labels += [min(int(old) + 1, kind.max), max(int(old) - 1, kind.min)] * 3
        labels += [int(old) // 2, min(-int(old), kind.max), kind.max - 1, kind.min, kind.max // 2]
    return places, labels[rng.integers(len(labels))]


class _Hunt:
    """Right and wrong answers from one source of a graph."""

    def __init__(self, drawn: Drawn, rng: np.random.Generator, counts: Counts, source: int) -> None:
        self.drawn, self.rng, self.counts, self.source = drawn, rng, counts, source
        self.graph, self.n = drawn.graph, drawn.graph.n
        self.cutoff: Any = None

    def hunt(self) -> None:
        """Change the right answer in many ways, or invent one if there is none."""
        labels = self.drawn.oracle().distances(self.source)
        no_tree = np.full(self.n, -1, self.graph.indices.dtype)
        if labels is None:
            for _ in range(4):
                dist = self.rng.integers(-9, 9, self.n).astype(self.graph.dist_dtype)
                dist[self.source] = 0
                self._check((dist, no_tree), "a negative cycle is reached")
            return
        known = [d for d in labels if d is not None and d >= 0]
        if self.rng.random() < 0.3:
            cutoff = known[self.rng.integers(0, len(known))]
            most = int(_INT64.max) - 1
            self.cutoff = min(int(cutoff), most) if self.drawn.integer else float(cutoff)
        right = self._solved(self.drawn.oracle(), self.source)
        if right is None:
            known = [d if d is None or _INT64.min <= d < _INT64.max else None for d in labels]
            clipped = _array(known, self.graph.dist_dtype)
            assert clipped is not None
            self._check((clipped, no_tree), "what does not fit is called unreachable")
            return
        self._check(right, "")
        for _ in range(_MUTANTS):
            dist, pred = right[0].copy(), right[1].copy()
            change = _CHANGES[self.rng.integers(0, len(_CHANGES))]
            changed = getattr(self, change)(dist, pred) or (dist, pred)
            pairs = zip(changed, right, strict=True)
            if any(a.dtype != b.dtype or not np.array_equal(a, b) for a, b in pairs):
                self._check(changed, change)

    def _solved(self, oracle: Oracle, source: int) -> Answer | None:
        """Return the answer of a problem; None if it has none that fits."""
        labels = oracle.distances(source)
        if labels is None:
            return None
        beyond = math.inf if self.cutoff is None else self.cutoff
        kept = [None if d is None or d > beyond else d for d in labels]
        dist = _array(kept, self.graph.dist_dtype)
        if dist is None:
            return None
        tree = oracle.predecessors(source)
        pred = [-1 if d is None else u for d, u in zip(kept, tree, strict=True)]
        return dist, np.array(pred, self.graph.indices.dtype)

    def _check(self, answer: Answer, wrong: str) -> None:
        """Raise `Finding` unless `verify` accepts the right answer, and rejects a wrong one."""
        self.counts["mutants" if wrong else "certificates"] += 1
        dist, pred = answer
        paths = wp.Paths(self.graph, self.source, dist, tree=lambda: pred, cutoff=self.cutoff)
        try:
            wp.verify(self.graph, paths)
        except (wp.VerificationError, wp.InputError) as error:
            if wrong:
                return
            text = f"verify refuses the right answer: {error}"
        else:
            if not wrong:
                return
            text = f"verify accepts a wrong answer ({wrong})"
        raise Finding(
            f"{text}\nsource {self.source}, cutoff {self.cutoff}, dist {dist.tolist()}, "
            f"pred {pred.tolist()}\n{self.drawn}"
        )

    def _vertex(self, among: Array | None = None) -> int:
        """Return a random vertex, or one of some."""
        chosen = np.arange(self.n) if among is None else among
        return int(chosen[self.rng.integers(0, len(chosen))])

    # Changes: each takes copies of the right dist and pred, and changes them or returns others.

    def label(self, dist: Array, pred: Array) -> None:
        (v,), dist_v = _other_label(dist, self.rng)
        dist[v] = dist_v
        if self.rng.random() < 0.5:
            pred[v] = -1 if dist_v == unreachable(dist.dtype) else self._vertex()

    def labels_moved(self, dist: Array, pred: Array) -> None:  # noqa: ARG002 - as its likes
        known = dist != unreachable(dist.dtype)
        dist[known] = dist[known] + dist.dtype.type(1)

    def swapped(self, dist: Array, pred: Array) -> None:
        u, v = self._vertex(), self._vertex()
        dist[[u, v]] = dist[[v, u]]
        if self.rng.random() < 0.5:
            pred[[u, v]] = pred[[v, u]]

    def predecessor(self, dist: Array, pred: Array) -> None:  # noqa: ARG002 - as its likes
        """Put another vertex, no vertex, or the tail of another edge in a predecessor's place."""
        v, edges = self._vertex(), self.drawn.edges
        others = [-1, v, self.source, self._vertex(), self.n, -2, 2**31 - 1, -(2**31)]
        pred[v] = others[self.rng.integers(0, len(others))]
        if edges and self.rng.random() < 0.5:
            u, v, _ = edges[int(self.rng.integers(0, len(edges)))]
            pred[v] = u

    def cycle(self, dist: Array, pred: Array) -> None:  # noqa: ARG002 - as its likes
        v = self._vertex()
        if pred[v] >= 0:
            pred[pred[v]] = v

    def other_source(self, *_: Array) -> Answer | None:
        return self._solved(self.drawn.oracle(), self._vertex())

    def other_edges(self, *_: Array) -> Answer | None:
        """Return the answer of the graph without one edge, or with another weight of it."""
        edges = list(self.drawn.edges)
        if not edges or self.rng.random() < 0.5:  # the oracle is slow
            return None
        at = int(self.rng.integers(0, len(edges)))
        u, v, weight = edges[at]
        edges[at] = u, v, weight + (1 if self.rng.random() < 0.5 or weight < 1 else -1)
        if self.rng.random() < 0.5:
            del edges[at]
        oracle = Oracle(self.n, edges, self.drawn.zero, self.graph.first_through)
        return self._solved(oracle, self.source)

    def island(self, dist: Array, pred: Array) -> None:
        """Give unreached vertices consistent labels, from a root among them."""
        missing = dist == unreachable(dist.dtype)
        root = self._vertex(np.flatnonzero(missing)) if missing.any() else self.source
        found = self._solved(self.drawn.oracle(), root)
        if found is not None:
            inside = (found[0] != unreachable(dist.dtype)) & missing
            dist[inside], pred[inside] = found[0][inside], found[1][inside]

    def kind(self, dist: Array, pred: Array) -> Answer:
        """Return arrays of another type or length, which are wrong whatever their values are."""
        other = "float32" if dist.dtype == np.float64 else "float64"
        wide = "int64" if pred.dtype == np.int32 else "int32"
        answers = [
            (dist.astype(other), pred[:-1]), (dist[:-1], pred), (dist, pred[:-1]),
            (dist, pred.astype(wide)), (dist, np.append(pred, pred[:1])),
        ]  # fmt: skip
        return answers[self.rng.integers(len(answers))]


_CHANGES = (
    *("label",) * 8, *("predecessor",) * 4, "labels_moved", "swapped", "other_source",
    "other_edges", "island", "cycle", "kind",
)  # fmt: skip


def _hunt_tables(drawn: Drawn, rng: np.random.Generator, counts: Counts) -> None:
    """Change entries and rows of the right table."""
    graph, oracle, n = drawn.graph, drawn.oracle(), drawn.graph.n
    sources = rng.integers(0, n, int(rng.integers(1, 4)))
    some = np.arange(n) if rng.random() < 0.5 else rng.integers(0, n, 3)
    found = [oracle.distances(source) for source in sources.tolist()]
    rows = [None if row is None else _array(row, graph.dist_dtype) for row in found]
    if any(row is None for row in rows):
        return
    right = np.array(rows, graph.dist_dtype)[:, some]
    fits = drawn.integer and np.abs(right[right != _INT64.max]).max(initial=0) < 2**31 - 1
    if fits and rng.random() < 0.2:
        right = np.where(right == _INT64.max, 2**31 - 1, right).astype(np.int32)
    for mutant in range(9):
        dist = right.copy()
        if mutant and rng.random() < 0.25:
            dist[[0, -1]] = dist[[-1, 0]]
        elif mutant:
            places, label = _other_label(dist, rng)
            dist[places] = label
        wrong = not np.array_equal(dist, right)
        counts["mutants" if wrong else "certificates"] += 1
        table = wp.DistanceTable(graph, sources, some, dist)
        said = f"sources {sources.tolist()}, targets {some.tolist()}, {dist.tolist()}\n{drawn}"
        try:
            wp.verify(graph, table)
        except (wp.VerificationError, wp.InputError) as error:
            if not wrong:
                raise Finding(f"verify refuses the right table: {error}\n{said}") from error
            continue
        if wrong:
            raise Finding(f"verify accepts a wrong table\n{said}")


PROGRAM = Program(
    summary="Right answers, changed: verify must reject each that is not right by plain Python.",
    trial=trial,
)
