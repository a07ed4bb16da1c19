"""Which source each vertex is nearest to, over tight edges."""

from __future__ import annotations

import numpy as np
import pytest

from support import corpus
from warpath import _core

NONE = np.empty(0, np.int64)


def owners(graph, sources, dist):
    owner = np.full(graph.n, 7, graph.indices.dtype)
    csr = (graph.indptr, graph.indices, graph._solver_weights)
    _core.nearest_sources(*csr, np.array(sources, np.int64), dist, owner)
    return owner


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_the_first_source_that_reaches_a_vertex_owns_it(dtype):
    graph = corpus.case("grid_of_ones").astype(dtype).graph()
    sources = [0, graph.n // 2, graph.n - 1]
    rows = []
    for s in sources:
        dist = np.empty(graph.n, graph.dist_dtype)
        csr = (graph.indptr, graph.indices, graph._solver_weights)
        _core.dijkstra(*csr, s, dist, queue="radix", targets=NONE, cutoff=None, progress=None)
        rows.append(dist)
    table = np.array(rows)
    first = np.array(sources)[table.argmin(axis=0)]
    assert np.array_equal(owners(graph, sources, table.min(axis=0)), first)


def test_a_source_that_is_nearer_to_another_owns_nothing():
    graph = corpus.case("negative_without_cycle").graph()
    src, dst, weights = graph.edges()
    at = int(np.argmin(weights))
    u, v = int(src[at]), int(dst[at])
    dist = np.full(graph.n, np.iinfo(np.int64).max)
    dist[u], dist[v] = 0, weights[at]
    assert owners(graph, [v, u], dist)[v] == u


def test_where_nothing_is_reached_nobody_owns():
    graph = corpus.case("road").astype("int64").graph()
    dist = np.full(graph.n, np.iinfo(np.int64).max)
    assert (owners(graph, [0], dist) == -1).all()
    with pytest.raises(ValueError, match="entries, but"):
        owners(graph, [0], dist[1:])
