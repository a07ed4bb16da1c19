"""Valid arguments for the core's graphs whose edges change, and for the methods of their paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.programs._core_arguments import impatient
from warpath import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.programs._core_arguments import Arguments, Draw
    from warpath.base.dtypes import Array

_NOTHING = np.empty(0, np.int64)


def functions(d: Draw) -> dict[str, Callable[[], Arguments]]:
    """Return calls that edit edges, and calls that make paths of a graph whose edges change."""

    def edited() -> Arguments:
        removed = np.flatnonzero(d.rng.integers(0, 2, d.m))
        sources, targets = _ends(d)
        rows, lengths = d.rows(), _lengths(d, len(sources))
        if d.rng.random() < 0.2:
            rows[2], lengths = rows[2][:0], lengths[:0]
        return [*rows, removed, sources, targets, lengths], {}

    def paths() -> Arguments:
        directed = bool(d.rng.integers(2))
        rows = d.rows() if directed else _both_ways(d)
        closed = int(d.rng.choice([0, d.n // 2]))
        return [*rows, d.vertices(), directed, closed], {}

    return {"edited_rows": edited, "dynamic_paths": paths}


def methods(d: Draw) -> dict[str, Callable[[], Arguments]]:
    """Return, for each method of paths that `dynamic_paths` makes, a maker of its arguments."""

    def row() -> int:
        return int(d.rng.integers(2))

    def limit() -> int:
        return int(d.rng.choice([-1, 0, 5]))

    def batch() -> Arguments:
        sources, targets = _ends(d)
        count = len(sources)
        kinds = d.rng.integers(0, 3, count).astype(np.int8)
        positions = d.rng.integers(-1, 2, count)
        given = [kinds, sources, targets, positions, _lengths(d, count)]
        return [*given, bool(d.rng.integers(2)), limit(), limit(), d.threads()], {}

    def forest() -> Array:
        return d.rng.integers(-1, np.arange(d.n)).astype(d.index)

    nothing: dict[str, Callable[[], Arguments]] = {
        name: lambda: ([], {})
        for name in (
            *("stale", "accept", "abandon", "undo", "changes", "changed_edges", "counters"),
            "graph",
        )
    }
    return nothing | {
        "apply": batch,
        "replace": lambda: ([row(), d.labels(), forest()], {}),
        "replace_distances": lambda: ([row(), d.labels(), d.threads()], {}),
        "solve": lambda: ([d.threads()], {"progress": impatient()}),
        "dist": lambda: ([row()], {}),
        "pred": lambda: ([row()], {}),
        "distances": lambda: ([row(), d.vertices()], {}),
        "route": lambda: ([row(), d.vertex()], {}),
    }


def _sources(d: Draw) -> Array:
    """Return the source of each edge."""
    return np.repeat(np.arange(d.n), np.diff(d.indptr))


def _ends(d: Draw) -> tuple[Array, Array]:
    """Return sources and targets of up to five edges, most of which exist."""
    count = int(d.rng.integers(6))
    if d.m == 0 or d.rng.random() < 0.3:
        return d.rng.integers(0, d.n, count), d.rng.integers(0, d.n, count)
    edges = d.rng.integers(0, d.m, count)
    return _sources(d)[edges], d.indices[edges].astype(np.int64)


def _lengths(d: Draw, count: int) -> Array:
    """Return weights of edges; few are negative."""
    return d.rng.integers(-1 if d.rng.random() < 0.1 else 0, 9, count).astype(d.weight)


def _both_ways(d: Draw) -> list[Any]:
    """Return the rows with the reverse of each edge."""
    edit: Any = _core.edited_rows
    reverses = d.indices.astype(np.int64), _sources(d), d.lengths
    return list(edit(d.indptr, d.indices, d.lengths, _NOTHING, *reverses))
