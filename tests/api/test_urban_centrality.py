"""`reach`, `gravity` and `straightness`, against sums over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import warpath as wp
from support.turned import turned
from warpath.api.centrality import gravity, reach, straightness
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, GraphError, InputError
from warpath.graph.coordinates import great_circle, in_degrees

TYPES = ("int32", "int64", "float32", "float64")
BETA = 0.25


def expected(graph, weights, cutoff):
    """The three measures of each vertex, pair by pair: reach, gravity, straightness."""
    dist = wp.apsp(graph).dist
    weights, points = np.broadcast_to(weights, graph.n).tolist(), graph.coordinates
    sums = np.zeros((3, graph.n))
    for i in range(graph.n):
        for j in range(graph.n):
            far = dist[i, j].item()
            if i == j or far == unreachable(dist.dtype) or (cutoff is not None and far > cutoff):
                continue
            sums[0, i] += weights[j]
            sums[1, i] += weights[j] / math.exp(BETA * far)
            if far > 0:
                sums[2, i] += weights[j] * math.dist(points[i], points[j]) / far
    return sums


def random_graph(rng, dtype):
    """A graph in a plane, with edges of length 0 and vertices at one point."""
    n = int(rng.integers(1, 14))
    m = int(rng.integers(0, 3 * n))
    src, dst = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 6, m).astype(dtype)
    directed = bool(rng.integers(2))
    graph = wp.Graph.from_edges(src, dst, weights, n=n, directed=directed)
    return graph.with_coordinates(rng.integers(0, 5, (n, 2)))


def three(graph, **how):
    return (
        reach(graph, **how).vertices,
        gravity(graph, beta=BETA, **how).vertices,
        straightness(graph, **how).vertices,
    )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("prepared", [False, True])
def test_sums_are_those_over_all_pairs(dtype, prepared):
    rng = np.random.default_rng(5)
    for _ in range(30):
        graph = random_graph(rng, dtype)
        solver = wp.Solver(graph, prepared=prepared)
        for weights in (None, 2.5, rng.integers(0, 9, graph.n), rng.random(graph.n)):
            for cutoff in (None, 0, 4, 1000):
                found = three(solver, weights=weights, cutoff=cutoff)
                right = expected(graph, 1 if weights is None else weights, cutoff)
                assert np.allclose(found, right, rtol=1e-12, atol=1e-12)
                if weights is None:
                    assert found[0].tolist() == right[0].tolist()


def test_radii_take_one_pass_and_come_in_ascending_order():
    rng = np.random.default_rng(6)
    for _ in range(10):
        graph = random_graph(rng, "int64")
        weights = rng.random(graph.n)
        found = reach(graph, weights=weights, cutoff=[7, 2, 7])
        assert found.cutoffs.tolist() == [2, 7]
        for at, cutoff in enumerate((2, 7)):
            many = three(graph, weights=weights, cutoff=[7, 2])
            right = expected(graph, weights, cutoff)
            assert np.allclose([one[:, at] for one in many], right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("unit", [None, "m", "km"])
def test_straight_distances_of_longitudes_and_latitudes_are_great_circles(unit):
    rng = np.random.default_rng(7)
    places = np.column_stack([rng.uniform(7, 7.1, 9), rng.uniform(43, 43.1, 9)])
    src, dst = np.triu_indices(9, 1)
    metres = great_circle(places[src], places[dst])
    lengths = metres / 1000 if unit == "km" else metres
    graph = wp.Graph.from_edges(src, dst, lengths, directed=False, coordinates=places, unit=unit)
    assert np.allclose(straightness(graph).vertices, 8, rtol=1e-9)  # each pair has a straight edge
    far = wp.Graph.from_edges([0], [1], [1.0], coordinates=[(0.5, 0), (-179.5, 0)], directed=False)
    half = straightness(far).vertices
    assert np.allclose(half, great_circle(far.coordinates[:1], far.coordinates[1:]), rtol=1e-12)


@pytest.mark.parametrize(("n", "cutoff"), [(30_000, 3_000), (3_000, 10**9)])
def test_sums_of_large_graphs_by_local_searches_and_by_blocks_of_rows(n, cutoff):
    town = wp.generate.road(n)
    weights = np.arange(town.n) % 7
    near = three(town, weights=weights, cutoff=cutoff)
    sample = np.random.default_rng(8).integers(0, town.n, 20)
    dist = wp.distances(town, sample).dist
    for row, i in zip(dist, sample.tolist(), strict=True):
        others = np.flatnonzero((row <= cutoff) & (np.arange(town.n) != i))
        assert len(others)
        far = row[others].astype(float)
        straight = np.hypot(*(town.coordinates[others] - town.coordinates[i]).T)
        if in_degrees(town.coordinates):
            straight = great_circle(
                np.tile(town.coordinates[i], (len(others), 1)), town.coordinates[others]
            )
        right = [1, np.exp(-BETA * far), straight / far]
        for found, factor in zip(near, right, strict=True):
            assert found[i] == pytest.approx((weights[others] * factor).sum(), rel=1e-9)


def test_any_number_of_threads_returns_the_same_bits():
    town = wp.generate.road(2_000)
    weights = np.random.default_rng(9).random(town.n)
    for cutoff in (None, 5_000):
        one, other = (three(town, weights=weights, cutoff=cutoff, threads=t) for t in (1, 3))
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


@given(turned())
def test_turns_are_kept_to(graph):
    for cutoff in (None, 4):
        found = three(graph, weights=[1, 2, 3, 4, 5], cutoff=cutoff)
        assert np.allclose(found, expected(graph, [1, 2, 3, 4, 5], cutoff), rtol=1e-12, atol=1e-12)


def test_closed_vertices_are_kept_to():
    rng = np.random.default_rng(10)
    for _ in range(10):
        plain = random_graph(rng, "int64")
        first = int(rng.integers(0, plain.n + 1))
        places = plain.coordinates
        closed = wp.Graph.from_edges(
            *plain.edges(), n=plain.n, first_through=first, coordinates=places
        )
        found = three(closed, cutoff=6)
        assert np.allclose(found, expected(closed, 1, 6), rtol=1e-12, atol=1e-12)


def test_arguments_that_are_not_valid_are_refused():
    graph = wp.Graph.of([("a", "b", 1)], coordinates=[(0, 0), (1, 0)])
    for weights, message in (
        ([1, np.nan], r"weights\[1\] = nan must be a finite number >= 0"),
        ([1, -2], r"weights\[1\] = -2 must be a finite number >= 0"),
        ([1, 2, 3], r"give 2 numbers, one for each vertex"),
        (["x", "y"], r"give 2 numbers"),
    ):
        for measure in (reach, straightness):
            with pytest.raises(InputError, match=message):
                measure(graph, weights=weights)
    for cutoff in (np.nan, -1, [], [1, np.nan]):
        with pytest.raises(InputError, match="cutoff"):
            reach(graph, cutoff=cutoff)
    with pytest.raises(InputError, match="gravity needs beta, a number > 0"):
        gravity(graph)
    for beta in (0, -1, np.nan, np.inf):
        with pytest.raises(InputError, match=r"beta = .* must be a finite number > 0"):
            gravity(graph, beta=beta)
    with pytest.raises(InputError, match="the sum of vertex 'a' is not finite: give smaller"):
        reach(wp.Graph.of([("a", "b", 1), ("a", "c", 1)]), weights=1.2e308)
    with pytest.raises(DistanceOverflowError):
        reach(wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)]))


def test_factors_that_overflow_are_refused_or_infinite_without_a_warning():
    negative = wp.Graph.of([("a", "b", -1)])
    assert gravity(negative, beta=1).vertices[0] == pytest.approx(math.e)
    with pytest.raises(InputError, match="the sum of vertex 'a' is not finite"):
        gravity(negative, beta=1e300)
    tiny = wp.Graph.of([("a", "b", 5e-324)], coordinates=[(0, 0), (1, 0)])
    assert wp.centrality.harmonic(tiny, cutoff=1).vertices.tolist() == [0, math.inf]
    with pytest.raises(InputError, match="the sum of vertex 'a' is not finite"):
        straightness(tiny)


def test_graphs_without_places_for_straight_lines_are_refused():
    with pytest.raises(GraphError, match="straightness needs coordinates, but the graph has none"):
        straightness([(0, 1, 1)])
    holes = wp.Graph.of([("a", "b", 1)], coordinates=[(0, 0), (np.nan, 0)])
    with pytest.raises(GraphError, match=r"and vertex 'b' has \(nan, 0.0\)"):
        straightness(holes)
    timed = wp.Graph.of([(0, 1, 1)], coordinates=[(0, 0), (1, 0)], unit="min")
    with pytest.raises(GraphError, match="but weights are in min: use lengths as weights"):
        straightness(timed)
    assert len(reach([]).vertices) == 0
    assert reach(wp.Graph.of([], n=2)).vertices.tolist() == [0, 0]
