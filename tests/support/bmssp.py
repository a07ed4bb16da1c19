"""The algorithm of Duan et al. (STOC 2025) in plain Python, which counts what it does.

It follows the paper's algorithms 1 to 3 and lemma 3.3, with lists and dictionaries where the core
has marks and slots. A selection, a heap and a search among bounds compare as the core's do, because
their numbers of comparisons depend on the order of the keys.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import total_ordering
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

COUNTS: Counter[str] = Counter()


@total_ordering
class Key:
    """A vertex with what it is ordered by; every comparison of two keys is counted."""

    def __init__(self, vertex: int, *order: Any) -> None:
        self.vertex = vertex
        self.order = order

    def __lt__(self, other: Key) -> bool:
        COUNTS["comparisons"] += 1
        return self.order < other.order

    def __le__(self, other: Key) -> bool:
        return not other < self


class Label(NamedTuple):
    """The label of a vertex: the order of paths to it."""

    length: Any
    hops: int
    pred: int


class Heap:
    """A heap with four children a node."""

    def __init__(self) -> None:
        self.keys: list[Any] = []

    def push(self, key: Any) -> None:
        self.keys.append(key)
        self._rise(len(self.keys) - 1, key)

    def pop(self) -> Any:
        top, last = self.keys[0], self.keys.pop()
        if not self.keys:
            return top
        at, child = 0, 1
        keys = self.keys
        while child + 3 < len(keys):
            left = child + (keys[child + 1] < keys[child])
            right = child + 2 + (keys[child + 3] < keys[child + 2])
            least = right if keys[right] < keys[left] else left
            keys[at], at, child = keys[least], least, 4 * least + 1
        if child < len(keys):
            least = child
            for other in range(child + 1, len(keys)):
                least = other if keys[other] < keys[least] else least
            keys[at], at = keys[least], least
        self._rise(at, last)
        return top

    def _rise(self, at: int, key: Any) -> None:
        while at > 0 and not self.keys[(at - 1) // 4] <= key:
            self.keys[at], at = self.keys[(at - 1) // 4], (at - 1) // 4
        self.keys[at] = key


def sort_few(keys: list[Key], first: int, last: int) -> None:
    """Sort by insertion."""
    for i in range(first + 1, last):
        moved, at = keys[i], i
        while at > first and moved < keys[at - 1]:
            keys[at], at = keys[at - 1], at - 1
        keys[at] = moved


def select_rank(keys: list[Key], first: int, last: int, rank: int) -> None:
    """Partition around the key of a rank: by the median of three, or of medians of five."""
    guaranteed = False
    while last - first > 8:
        size = last - first
        pivot = first + size // 2
        if guaranteed:
            medians = first
            for group in range(first, last - 4, 5):
                sort_few(keys, group, group + 5)
                keys[medians], keys[group + 2] = keys[group + 2], keys[medians]
                medians += 1
            half = (medians - first) // 2
            select_rank(keys, first, medians, half)
            pivot = first + half
        else:
            low, high = first, last - 1
            if keys[high] < keys[low]:
                low, high = high, low
            if keys[pivot] < keys[low]:
                pivot = low
            elif keys[high] < keys[pivot]:
                pivot = high
        keys[pivot], keys[last - 1] = keys[last - 1], keys[pivot]
        boundary = first
        for i in range(first, last - 1):
            keys[i], keys[boundary] = keys[boundary], keys[i]
            boundary += keys[boundary] < keys[last - 1]
        keys[boundary], keys[last - 1] = keys[last - 1], keys[boundary]
        below = boundary - first
        if rank == below:
            return
        if rank < below:
            last = boundary
        else:
            first, rank = boundary + 1, rank - below - 1
        guaranteed = not guaranteed and last - first > size - size // 4
    sort_few(keys, first, last)


def dijkstra(rows: Rows, source: int) -> None:
    """Count what Dijkstra's algorithm does, with a heap from which no entry is deleted."""
    indptr, indices, weights = (array.tolist() for array in rows)
    COUNTS.clear()
    heap, best = Heap(), {source: 0}
    heap.push(Key(source, 0))
    while heap.keys:
        key = heap.pop()
        if key.order[0] != best[key.vertex]:
            continue
        for e in range(indptr[key.vertex], indptr[key.vertex + 1]):
            COUNTS.update(comparisons=1, additions=1)
            length = best[key.vertex] + weights[e]
            if length < best.get(indices[e], math.inf):
                best[indices[e]] = length
                heap.push(Key(indices[e], length))


class PartiallySorted:
    """Lemma 3.3: insert, batch prepend, pull."""

    def __init__(self, most: int, bound: Key) -> None:
        self.most = most
        self.prepended: list[list[Key]] = []  # the first block last
        self.inserted: list[tuple[Key, list[Key]]] = [(bound, [])]

    def insert(self, key: Key) -> None:
        low, size = 0, len(self.inserted) - 1
        while size > 0:
            half = size // 2
            if self.inserted[low + half][0] < key:
                low, size = low + half + 1, size - half - 1
            else:
                size = half
        bound, block = self.inserted[low]
        block.append(key)
        if len(block) > self.most:
            median = (len(block) - 1) // 2
            select_rank(block, 0, len(block), median)
            halves = block[: median + 1], block[median + 1 :]
            self.inserted[low : low + 1] = [(block[median], halves[0]), (bound, halves[1])]

    def prepend(self, keys: list[Key], most: int = 0) -> None:
        if not keys:
            return
        if len(keys) <= (most or self.most):
            self.prepended.append(keys)
            return
        half = len(keys) // 2
        select_rank(keys, 0, len(keys), half)
        self.prepend(keys[half:], (self.most + 1) // 2)
        self.prepend(keys[:half], (self.most + 1) // 2)

    def pull(self, is_current: Callable[[Key], bool]) -> tuple[list[Key], Key]:
        first: list[list[Key]] = []
        while self.prepended and sum(map(len, first)) <= self.most:
            first.append([key for key in self.prepended.pop() if is_current(key)])
        second: list[tuple[Key, list[Key]]] = []
        while self.inserted and sum(len(block) for _, block in second) <= self.most:
            bound, block = self.inserted.pop(0)
            second.append((bound, [key for key in block if is_current(key)]))
        keys = [key for block in first for key in block]
        keys += [key for _, block in second for key in block]
        if len(keys) <= self.most:
            self.inserted = [(second[-1][0], [])]
            return keys, second[-1][0]
        select_rank(keys, 0, len(keys), self.most)
        least = keys[self.most]
        for block in reversed(first):
            if left := [key for key in block if not key < least]:
                self.prepended.append(left)
        while second and second[0][0] < least:
            second.pop(0)
        if second:
            second[0] = (second[0][0], [key for key in second[0][1] if not key < least])
        self.inserted = second + self.inserted
        return keys[: self.most], least


class Search:
    """One search; `rows` are indptr, indices and weights."""

    def __init__(self, rows: Rows, source: int, k: int = 0, t: int = 0) -> None:
        COUNTS.clear()
        self.indptr, self.indices, self.weights = (array.tolist() for array in rows)
        self.floats = rows[2].dtype.kind == "f"
        if self.floats:
            self.weights = list(rows[2])  # sums are rounded to the weights' type
        n = len(self.indptr) - 1
        log = math.log2(n)
        self.k = k or max(k for k in range(1, 9) if k == 1 or k**3 <= log)
        self.t = t or max(t for t in range(1, 65) if t == 1 or t**3 <= log**2)
        zero = rows[2].dtype.type(0) if self.floats else 0
        self.labels = {source: Label(zero, 0, source)}
        self.queued: dict[int, int] = {}
        self.waiting: Counter[int] = Counter()
        level = math.ceil(log / self.t)
        infinite = Key(0, math.inf, 0, 0)
        self.settled = self.solve(level, infinite, [source])[1]

    def key(self, v: int) -> Key:
        label = self.labels[v]
        return Key(v, label.length, label.hops, v)

    def is_current(self, key: Key) -> bool:
        return key.order == self.key(key.vertex).order

    def edges(self, u: int) -> list[Key]:
        """Return the keys of paths over the edges out of u, as its label is now."""
        label = self.labels[u]
        paths = []
        for e in range(self.indptr[u], self.indptr[u + 1]):
            COUNTS["additions"] += 1
            length = label.length + self.weights[e]
            lengthened = self.floats and length > label.length
            v = self.indices[e]
            paths.append(Key(v, length, 0 if lengthened else label.hops + 1, v))
        return paths

    def relax(self, u: int, path: Key) -> str:
        """Return whether the path is no better than the label, "equal" to it, or "lower"."""
        COUNTS["comparisons"] += 1
        length, hops, v = path.order
        new, old = Label(length, hops, u), self.labels.get(v, Label(math.inf, 0, 0))
        if old < new:
            return ""
        self.labels[v] = new
        if old[:2] == new[:2]:
            return "equal"
        COUNTS["improved"] += 1
        self.leave(v)
        return "lower"

    def enter(self, v: int, level: int) -> None:
        self.queued[v] = level
        self.waiting[level] += 1

    def leave(self, v: int) -> None:
        if v in self.queued:
            self.waiting[self.queued.pop(v)] -= 1

    def base_case(self, bound: Key, source: int) -> tuple[Key, list[int]]:
        """Algorithm 2."""
        settled: list[int] = []
        heap, u = Heap(), source
        while len(settled) < self.k:
            settled.append(u)
            for path in self.edges(u):
                if path < bound and self.relax(u, path) and path.vertex not in self.queued:
                    self.enter(path.vertex, 0)
                    heap.push(path)
            while heap.keys:
                key = heap.pop()
                if self.is_current(key):
                    break
            else:
                return bound, settled
            u = key.vertex
            self.leave(u)
        for key in heap.keys:
            if self.is_current(key):
                self.leave(key.vertex)
        return self.key(u), settled

    def pivots(self, bound: Key, sources: list[int]) -> tuple[list[int], list[int]]:
        """Algorithm 1."""
        reached, active = list(sources), list(sources)
        lowered: dict[int, int] = {}
        for number in range(1, self.k + 1):
            following: list[int] = []
            for u in active:
                for path in self.edges(u):
                    if not path < bound:
                        continue
                    relaxed = self.relax(u, path)
                    if relaxed == "lower":
                        lowered[path.vertex] = number
                    if relaxed:
                        following.append(path.vertex)
            active = list(dict.fromkeys(following))
            reached = list(dict.fromkeys(reached + active))
            if len(reached) > self.k * len(sources):
                return list(sources), reached
        stale = {v for v, number in lowered.items() if number == self.k}
        parents = set(reached) - stale
        sizes = Counter(self.root(v, parents) for v in reached)
        return [v for v in sources if sizes[v] >= self.k], reached

    def root(self, v: int, parents: set[int]) -> int:
        """Follow edges to the predecessors backwards as far as they are tight."""
        while (pred := self.labels[v].pred) != v and pred in parents:
            v = pred
        return v

    def solve(self, level: int, bound: Key, sources: list[int]) -> tuple[Key, list[int]]:
        """Algorithm 3."""
        if level == 0:
            return self.base_case(bound, sources[0])
        pivots, reached = self.pivots(bound, sources)
        queue = PartiallySorted(2 ** ((level - 1) * self.t), bound)
        for v in pivots:
            COUNTS["pivots"] += 1
            self.enter(v, level)
            queue.insert(self.key(v))
        end = bound
        settled: list[int] = []
        while self.waiting[level] and len(settled) < self.k * 2 ** (level * self.t):
            COUNTS["pulls"] += 1
            batch, following = queue.pull(self.is_current)
            for key in batch:
                self.leave(key.vertex)
            end, new = self.solve(level - 1, following, [key.vertex for key in batch])
            settled += new
            if end < bound:
                self.relax_settled(level, queue, new, batch, (end, following, bound))
        if not self.waiting[level]:
            end = bound
        for v in [v for v, one in self.queued.items() if one == level]:
            self.leave(v)
        settled += [v for v in reached if v not in set(settled) and self.key(v) < end]
        return end, settled

    def relax_settled(
        self,
        level: int,
        queue: PartiallySorted,
        settled: list[int],
        batch: list[Key],
        bounds: tuple[Key, Key, Key],
    ) -> None:
        """Lines 11 to 20 of algorithm 3."""
        end, following, bound = bounds
        returned = []

        def wait(path: Key) -> None:
            if path.vertex not in self.queued:
                self.enter(path.vertex, level)
                if path < following:
                    returned.append(path)
                else:
                    queue.insert(path)

        for u in settled:
            for path in self.edges(u):
                if not path < end and path < bound and self.relax(u, path):
                    wait(path)
        for old in batch:
            path = self.key(old.vertex)
            if not path < end:
                wait(path)
        queue.prepend([key for key in returned if self.is_current(key)])
