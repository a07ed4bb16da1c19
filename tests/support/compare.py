"""Assertions of exact equality, with messages that show the first difference."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.errors import NegativeCycleError
    from warpath.graph import Graph


def assert_same_bits(found: ArrayLike, expected: ArrayLike, graph: Graph | None = None) -> None:
    """Raise AssertionError unless two label arrays have the same type, shape and bits.

    Parameters
    ----------
    found, expected : (n,) or (k, n) labels; -0.0 and 0.0 are different.
    graph : adds the tight in-edges of the first vertex that differs, for both labellings.
    """
    ours, theirs = np.ascontiguousarray(found), np.ascontiguousarray(expected)
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        msg = f"found {ours.dtype} {ours.shape}, expected {theirs.dtype} {theirs.shape}"
        raise AssertionError(msg)
    if not ours.size:
        return
    differs = (_bytes(ours) != _bytes(theirs)).any(axis=-1)
    count = int(differs.sum())
    if not count:
        return
    place = tuple(int(i) for i in np.unravel_index(int(differs.argmax()), ours.shape))
    shown = place[0] if len(place) == 1 else place
    summary = f"{count} of {ours.size} labels differ, first at {shown}"
    lines = [f"{summary}: found {ours[place]!r}, expected {theirs[place]!r}"]
    if graph is not None:
        v = place[-1]
        lines += [f"found:    {_tight_in_edges(graph, ours[place[:-1]], v)}"]
        lines += [f"expected: {_tight_in_edges(graph, theirs[place[:-1]], v)}"]
    raise AssertionError("\n".join(lines))


def assert_is_a_negative_cycle(graph: Graph, error: NegativeCycleError) -> None:
    """Raise AssertionError unless an error's cycle is in the graph and has its negative length."""
    at = graph.index_of(error.cycle).tolist()
    total = 0
    for u, v in zip(at, at[1:] + at[:1], strict=True):
        row = slice(graph.indptr[u], graph.indptr[u + 1])
        total += min(graph._solver_weights[row][graph.indices[row] == v].tolist())
    if len(set(at)) != len(at) or not total == error.length < 0:
        msg = f"{error.cycle} is no negative cycle of length {error.length}: its length is {total}"
        raise AssertionError(msg)


@contextmanager
def noting(what: object) -> Iterator[None]:
    """Add a note with the circumstances, such as the case of a loop, to an exception."""
    try:
        yield
    except Exception as error:
        error.add_note(str(what))
        raise


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.view(np.uint8).reshape(*array.shape, array.itemsize)


def _tight_in_edges(graph: Graph, dist: NDArray[Any], v: int) -> str:
    back = graph.reversed()
    row = slice(int(back.indptr[v]), int(back.indptr[v + 1]))
    edges = zip(back.indices[row].tolist(), back._solver_weights[row], strict=True)
    with np.errstate(over="ignore", under="ignore"):
        tight = [
            f"{u} -> {v} ({dist[u]} + {weight})"
            for u, weight in edges
            if dist[u] + weight == dist[v]
        ]
    return f"tight in-edges of {v}: {', '.join(tight) or 'none'}"
