"""The vertices that relax in each round of a recipe, computed in NumPy for pictures.

A round reads the labels of the round before it, as the recipes with two arrays do, so it does not
depend on the order of threads. ``tests/test_docs.py`` compares these rounds with the traces of
recipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from warpath.graph import Graph
    from warpath.recipes import Recipe

    Mask = NDArray[np.bool_]
    Array = NDArray[Any]


@dataclass(frozen=True)
class Round:
    """One round: masks of vertices, (n,) each.

    Attributes
    ----------
    selected : those whose edges were relaxed.
    waiting : those that wait for a later round.
    settled : those whose labels no later round lowers.
    """

    selected: Mask
    waiting: Mask
    settled: Mask


class _Search:
    """Labels over the edges of a graph, in float64 so that inf means unreached."""

    def __init__(self, graph: Graph, source: int) -> None:
        self.src, self.dst, weights = graph.edges()
        self.weights = np.ones(len(self.src)) if weights is None else weights.astype(np.float64)
        self.n = graph.n
        self.labels = np.full(graph.n, np.inf)
        self.labels[source] = 0
        self.lightest = np.full(graph.n, np.inf)
        np.minimum.at(self.lightest, self.src, self.weights)

    def relax(self, selected: Mask) -> Mask:
        """Lower the labels behind the selected vertices; return which fell."""
        edges = selected[self.src]
        after = self.labels.copy()
        np.minimum.at(after, self.dst[edges], self.labels[self.src[edges]] + self.weights[edges])
        fell = after < self.labels
        self.labels = after
        return fell

    @property
    def reached(self) -> Mask:
        reached: Mask = np.isfinite(self.labels)
        return reached


_Step = tuple["Mask", "Mask"]  # selected, waiting after the round


def _all(search: _Search, _: float) -> Iterator[_Step]:
    every = np.ones(search.n, bool)
    while True:
        fell = search.relax(every)
        yield every, np.zeros(search.n, bool)
        if not fell.any():
            return


def _improved(search: _Search, _: float) -> Iterator[_Step]:
    frontier = search.reached
    while frontier.any():
        selected, frontier = frontier, search.relax(frontier)
        yield selected, frontier


def _below(search: _Search, delta: float) -> Iterator[_Step]:
    near, far, threshold = search.reached, np.zeros(search.n, bool), delta
    while near.any() or far.any():
        while not near.any():
            threshold += delta
            near = far & (search.labels < threshold)
            far &= ~near
        selected, fell = near, search.relax(near)
        near = fell & (search.labels < threshold)
        far = (far & ~near) | (fell & ~near)
        yield selected, near | far


def _delta_star(search: _Search, delta: float) -> Iterator[_Step]:
    waiting, threshold = search.reached, delta
    while waiting.any():
        least = search.labels[waiting].min()
        threshold = max(threshold, np.ceil(least / delta) * delta)
        selected = waiting & (search.labels <= threshold)
        threshold += delta
        waiting = (waiting & ~selected) | search.relax(selected)
        yield selected, waiting


def _rho(search: _Search, rho: float) -> Iterator[_Step]:
    waiting = search.reached
    while waiting.any():
        labels = np.sort(search.labels[waiting])
        selected = waiting & (search.labels <= labels[min(int(rho), len(labels)) - 1])
        waiting = (waiting & ~selected) | search.relax(selected)
        yield selected, waiting


def _bucket(search: _Search, delta: float) -> Iterator[_Step]:
    waiting = search.reached
    while waiting.any():
        lowest = np.floor(search.labels[waiting].min() / delta)
        selected = waiting & (np.floor(search.labels / delta) == lowest)
        waiting = (waiting & ~selected) | search.relax(selected)
        yield selected, waiting


def _up_to(search: _Search, *, crauser: bool) -> Iterator[_Step]:
    settled = np.zeros(search.n, bool)
    while (open_ := search.reached & ~settled).any():
        slack = search.lightest if crauser else 0.0
        bound = (search.labels + slack)[open_].min()
        selected = open_ & (search.labels <= bound)
        search.relax(selected)
        settled |= selected
        yield selected, search.reached & ~settled


def _min(search: _Search, _: float) -> Iterator[_Step]:
    yield from _up_to(search, crauser=False)


def _out(search: _Search, _: float) -> Iterator[_Step]:
    yield from _up_to(search, crauser=True)


def _one(search: _Search, _: float) -> Iterator[_Step]:
    settled = np.zeros(search.n, bool)
    while (open_ := search.reached & ~settled).any():
        selected = np.zeros(search.n, bool)
        selected[np.argmin(np.where(open_, search.labels, np.inf))] = True
        search.relax(selected)
        settled |= selected
        yield selected, search.reached & ~settled


def _level(search: _Search, _: float) -> Iterator[_Step]:
    search.weights = np.ones(len(search.weights))
    yield from _improved(search, 0)


_SEARCHES = {
    "dijkstra": "one",
    "thread_a_source": "one",
    "bellman_ford": "improved",
    "bfs": "level",
    "delta_stepping": "bucket",
    "bucket_team": "bucket",
    "own_buckets": "bucket",
    "side_by_side": "bucket",
    "wide": "below",
    "pairs": "below",
    "block_a_source": "below",
}


def selection_of_rounds(recipe: Recipe) -> str | None:
    """Return what the rounds of a recipe select: a key of `SELECTIONS`, or None for nothing."""
    if recipe.axes is not None:
        return str(recipe.axes.select.value)
    return _SEARCHES.get(recipe.loop.value)


SELECTIONS = {
    "all": _all,
    "improved": _improved,
    "below": _below,
    "delta star": _delta_star,
    "rho": _rho,
    "bucket": _bucket,
    "min": _min,
    "out": _out,
    "one": _one,
    "level": _level,
}


def rounds(
    graph: Graph, source: int, selection: str, delta: float, most: int | None = None
) -> list[Round]:
    """Return the rounds of a search. O(m) each.

    Parameters
    ----------
    graph : with weights >= 0, or any for "all" and "improved"; without closed vertices.
    source : where the search begins, as an index.
    selection : a value of the axis ``select``, or "one" vertex after another, or a "level" of
        breadth-first search.
    delta : the width of an interval, for "below", "delta star" and "bucket"; for "rho" the number
        of vertices.
    most : largest number of rounds; None for no limit.

    Raises
    ------
    InputError
        If there are more rounds.
    """
    search = _Search(graph, source)
    kept: list[_Step] = []
    labels: list[Array] = []
    for selected, waiting in SELECTIONS[selection](search, delta):
        if most is not None and len(kept) == most:
            raise InputError(f"there are more than {most:,} rounds: draw by 'distance' or 'hops'.")
        kept.append((selected, waiting))
        labels.append(search.labels)
    final = labels[-1]
    return [
        Round(selected, waiting, (now == final) & np.isfinite(now))
        for (selected, waiting), now in zip(kept, labels, strict=True)
    ]
