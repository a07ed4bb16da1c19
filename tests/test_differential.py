"""The public calls against SciPy and NetworkX on random graphs.

Weights are small integers, also as floats: their sums are exact, so that equal means equal.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

import warpath as wp

SETTINGS = settings(max_examples=80, deadline=None)
DTYPES = (np.int32, np.int64, np.float32, np.float64)


@st.composite
def edges(draw, least, *, most=12, repeated=True):
    """Draw (n, src, dst, weights) with loops, zero weights and, when asked, parallel edges."""
    n = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = draw(st.lists(ends, max_size=3 * n, unique=not repeated))
    weights = draw(st.lists(st.integers(least, 9), min_size=len(pairs), max_size=len(pairs)))
    src, dst = np.array(pairs, np.int64).reshape(-1, 2).T
    return n, src, dst, np.array(weights, draw(st.sampled_from(DTYPES)))


def as_floats(dist):
    """Return distances as SciPy gives them: float64, inf where unreachable."""
    dist = np.asarray(dist)
    if dist.dtype.kind == "f":
        return dist.astype(np.float64)
    return np.where(dist == np.iinfo(dist.dtype).max, np.inf, dist.astype(np.float64))


def lightest(n, src, dst, weights):
    """Return SciPy's matrix of the edges; of parallel ones it can hold the lightest only."""
    order = np.lexsort((weights, dst, src))
    src, dst, weights = src[order], dst[order], weights[order]
    first = np.r_[True, (np.diff(src) != 0) | (np.diff(dst) != 0)][: len(src)]
    src, dst, weights = src[first], dst[first], weights[first]
    indptr = np.searchsorted(src, np.arange(n + 1))
    return sp.csr_array((weights.astype(np.float64), dst, indptr), shape=(n, n))


def networkx_of(n, src, dst, weights, *, directed=True):
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(
        zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True), weight="weight"
    )
    return graph


@pytest.mark.parametrize("directed", [True, False])
@SETTINGS
@given(edges(0))
def test_one_source_agrees_with_scipy_and_networkx(directed, drawn):
    n, src, dst, weights = drawn
    graph = wp.Graph.from_edges(src, dst, weights, n=n, directed=directed)
    tree = wp.sssp(graph, 0)
    theirs = csgraph.dijkstra(lightest(*drawn), directed=directed, indices=0)
    assert np.array_equal(as_floats(tree.dist), theirs)
    nodes = networkx_of(*drawn, directed=directed)
    lengths = nx.single_source_dijkstra_path_length(nodes, 0)
    assert {v: tree[v] for v in np.flatnonzero(tree.reached).tolist()} == lengths
    for v in lengths:
        assert nx.path_weight(nodes, list(map(int, tree.path_to(v))), "weight") == lengths[v]
        assert wp.path(graph, 0, v).length == lengths[v]
    wp.verify(graph, tree)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("algorithm", ["auto", "classic.floyd_warshall", "classic.johnson"])
@SETTINGS
@given(edges(0))
def test_all_pairs_agree_with_scipy(directed, algorithm, drawn):
    n, src, dst, weights = drawn
    graph = wp.Graph.from_edges(src, dst, weights, n=n, directed=directed)
    theirs = csgraph.johnson(lightest(*drawn), directed=directed)
    assert np.array_equal(as_floats(wp.apsp(graph, algorithm=algorithm).dist), theirs)


@SETTINGS
@given(edges(-4))
def test_negative_weights_agree_with_networkx_and_so_do_negative_cycles(drawn):
    n, src, dst, weights = drawn
    graph = wp.Graph.from_edges(src, dst, weights, n=n)
    try:
        lengths = nx.single_source_bellman_ford_path_length(networkx_of(*drawn), 0)
    except nx.NetworkXUnbounded:
        with pytest.raises(wp.NegativeCycleError) as caught:
            wp.sssp(graph, 0)
        cycle = caught.value.cycle
        least = lightest(*drawn)
        around = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        assert sum(least[u, v] for u, v in around) == caught.value.length < 0
        return
    for algorithm in ("auto", "classic.bellman_ford"):
        tree = wp.sssp(graph, 0, algorithm=algorithm)
        assert {v: tree[v] for v in np.flatnonzero(tree.reached).tolist()} == lengths
        wp.verify(graph, tree)


@pytest.mark.parametrize("algorithm", ["auto", "classic.floyd_warshall", "classic.johnson"])
@SETTINGS
@given(edges(-2))
def test_all_pairs_with_negative_weights_agree_with_scipy(algorithm, drawn):
    n, src, dst, weights = drawn
    graph = wp.Graph.from_edges(src, dst, weights, n=n)
    try:
        theirs = csgraph.bellman_ford(lightest(*drawn))
    except csgraph.NegativeCycleError:
        with pytest.raises(wp.NegativeCycleError):
            wp.apsp(graph, algorithm=algorithm)
        return
    assert np.array_equal(as_floats(wp.apsp(graph, algorithm=algorithm).dist), theirs)


@SETTINGS
@given(edges(0, repeated=False))
def test_graphs_of_scipy_and_networkx_give_what_they_give_themselves(drawn):
    n, src, dst, weights = drawn
    matrix = lightest(*drawn)
    theirs = csgraph.dijkstra(matrix)
    assert np.array_equal(as_floats(wp.apsp(matrix).dist), theirs)
    nodes = nx.DiGraph()
    nodes.add_nodes_from(range(n))
    nodes.add_weighted_edges_from(
        zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True), weight="weight"
    )
    assert np.array_equal(as_floats(wp.apsp(nodes).dist), theirs)


@SETTINGS
@given(edges(0), st.data())
def test_a_cutoff_and_many_to_many_agree_with_scipy(drawn, data):
    n, src, dst, weights = drawn
    graph = wp.Graph.from_edges(src, dst, weights, n=n)
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=4)
    sources, targets, limit = data.draw(some), data.draw(some), data.draw(st.integers(0, 20))
    theirs = csgraph.dijkstra(lightest(*drawn), indices=sources, limit=limit)
    ours = wp.distances(graph, sources, targets, cutoff=limit)
    assert np.array_equal(as_floats(ours.dist), theirs[:, targets])
    assert np.array_equal(as_floats(wp.sssp(graph, sources[0], cutoff=limit).dist), theirs[0])
