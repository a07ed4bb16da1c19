"""The numbers that maps of centralities show: one for each pair of neighbours."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import warpath as wp


def expected_numbers(found, column):
    """The number of each pair of neighbours, edge by edge."""
    graph = found.graph
    src, dst, _ = (part.tolist() for part in graph.edges())
    sums = defaultdict(float)
    for edge, (u, v) in enumerate(zip(src, dst, strict=True)):
        if u == v:
            continue
        if found.edges is None:
            values = found.vertices if column is None else found.vertices[:, column]
            sums[min(u, v), max(u, v)] = (values[u] + values[v]) / 2
        elif graph.directed or u < v:
            values = found.edges if column is None else found.edges[:, column]
            sums[min(u, v), max(u, v)] += values[edge]
    return sums


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("measure", ["betweenness", "closeness"])
def test_a_map_shows_the_sum_of_the_edges_between_neighbours(directed, measure):
    rng = np.random.default_rng(3)
    for _ in range(20):
        src, dst = rng.integers(0, 9, (2, 25))
        graph = wp.Graph.from_edges(src, dst, rng.integers(1, 4, 25), n=9, directed=directed)
        for cutoff, at in ((None, None), ([1, 4], 0), ([1, 4], 1)):
            found = getattr(wp.centrality, measure)(graph, cutoff=cutoff)
            edges, numbers = found.map_numbers(None if at is None else cutoff[at])
            tails, heads = (ends[edges].tolist() for ends in graph.edges()[:2])
            shown = {
                (min(u, v), max(u, v)): number
                for u, v, number in zip(tails, heads, numbers.tolist(), strict=True)
            }
            assert shown == pytest.approx(expected_numbers(found, at))
            assert len(shown) == len(edges)
            assert (np.diff(numbers) >= 0).all()
            if at == 1:
                assert found.map_numbers()[1].tolist() == numbers.tolist()


def test_numbers_that_are_not_finite_are_not_shown():
    graph = wp.Graph.of([(0, 1, 5e-324), (1, 2, 1.0)], directed=False)
    found = wp.centrality.harmonic(graph)
    assert np.isinf(found.vertices[:2]).all()
    assert len(found.map_numbers()[0]) == 0


def test_frames_of_loads_leave_out_areas():
    pytest.importorskip("geopandas")
    places = [(0, 0), (1, 0), (2, 0)]
    graph = wp.Graph.from_edges([0, 1], [1, 2], [1, 1], coordinates=places, first_through=1)
    with pytest.raises(wp.NotSupportedError, match="to_geopandas cannot say"):
        graph.to_geopandas()
    edges, vertices = wp.loads(graph, [0], [1], 7).to_geopandas()
    assert edges["load"].tolist() == [7, 0]
    assert vertices["load"].tolist() == [7, 7, 0]
