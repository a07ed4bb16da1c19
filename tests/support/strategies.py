"""Hypothesis strategies for small graphs with many zeros, ties, loops and parallel edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from warpath.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


def weights(dtype: DTypeLike = np.int32, *, negative: bool = False) -> st.SearchStrategy[Any]:
    """Return a strategy for one weight: mostly 0, 1, 2, 3, so that ties are common.

    Parameters
    ----------
    dtype : weight type; floats add values of 16 decades and values that round, integers large ones.
    negative : whether to add -1, -2, -3.
    """
    chosen = np.dtype(dtype)
    few = [0, 0, 1, 1, 2, 3] + ([-1, -2, -3] if negative else [])
    if chosen.kind == "i":
        return st.one_of(st.sampled_from(few), st.sampled_from([7, 100, 2**31 - 1]))
    wide = st.sampled_from([0.1, 0.3, 0.7, 1e-8, 3e-8, 1e8, 1e-40])
    return st.one_of(st.sampled_from([float(w) for w in few]), wide)


@st.composite
def graphs(
    draw: st.DrawFn,
    dtype: DTypeLike = np.int32,
    max_vertices: int = 8,
    *,
    negative: bool = False,
    undirected: bool = False,
) -> Graph:
    """Draw a graph of 1 .. `max_vertices` vertices and at most 3 edges for each.

    Parameters
    ----------
    dtype : weight type.
    max_vertices : a failure shrinks to few vertices, few edges, small weights.
    negative : whether to allow negative weights (and so negative cycles).
    undirected : whether the graph is undirected.
    """
    n = draw(st.integers(1, max_vertices))
    vertex = st.integers(0, n - 1)
    edge = st.tuples(vertex, vertex, weights(dtype, negative=negative))
    edges = draw(st.lists(edge, max_size=3 * n))
    src = np.array([u for u, _, _ in edges], np.int32)
    dst = np.array([v for _, v, _ in edges], np.int32)
    drawn = np.array([w for _, _, w in edges], dtype)
    return Graph.from_edges(src, dst, drawn, n=n, directed=not undirected)
