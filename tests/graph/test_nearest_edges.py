"""Nearest points of edges, against all lines of the graph."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.graph.coordinates import EARTH_RADIUS
from warpath.graph.edge_geometry import Shapes
from warpath.graph.nearest_edges import NearestEdges, Twins

_SAMPLES = np.linspace(0, 1, 1001)


def _network(scale, *, whole=False):
    rng = np.random.default_rng(3)
    points = rng.uniform(-scale, scale, (40, 2)) * (1, 0.4) + (0 if whole else (9.5, 47.1))
    ends = rng.integers(0, 40, (40, 2))
    points = np.round(points) if whole else points
    graph = wp.Graph.from_edges(*ends.T, rng.integers(1, 99, 40), n=40, coordinates=points)
    return graph, rng.uniform(
        points.min(axis=0) - scale / 9, points.max(axis=0) + scale / 9, (80, 2)
    )


@pytest.mark.parametrize(("scale", "whole"), [(0.01, False), (50.0, False), (900.0, True)])
def test_the_nearest_point_is_the_nearest_of_all_lines(scale, whole):
    graph, asked = _network(scale, whole=whole)
    search = NearestEdges(graph)
    found = search.nearest(asked)
    measure = search._vertices.measure
    away = measure(asked, found.points)
    src, dst, _ = graph.edges()
    least = np.full(len(asked), np.inf)
    for u, v in zip(src, dst, strict=True):
        start, end = search._vertices.embedded(graph.coordinates[[u, v]])
        line = start + _SAMPLES[:, None] * (end - start)
        if not whole:
            line /= np.linalg.norm(line, axis=1)[:, None]
            lam, phi = np.arctan2(line[:, 1], line[:, 0]), np.arcsin(np.clip(line[:, 2], -1, 1))
            line = np.degrees(np.column_stack([lam, phi]))
        for at, one in enumerate(asked):
            least[at] = min(least[at], measure(np.tile(one, (len(line), 1)), line).min())
    assert (away <= least * (1 + 1e-9) + 1e-8).all()
    step = scale * (1 if whole else np.radians(1) * EARTH_RADIUS) / len(_SAMPLES) * 3
    assert (least - away < step).all()
    tails, heads = src[found.edges], dst[found.edges]
    upto = measure(graph.coordinates[tails], found.points)
    total = measure(graph.coordinates[tails], graph.coordinates[heads])
    assert found.fractions * total == pytest.approx(upto, rel=1e-7, abs=1e-6)
    search._search._tree = None  # as without SciPy
    assert all(map(np.array_equal, search.nearest(asked), found))


def test_a_line_across_the_date_line_or_the_pole_is_short():
    around = wp.Graph.of(
        [(0, 1), (2, 3)],
        coordinates=[(179.99, 10.5), (-179.99, 10.5), (0.5, 89.99), (180.0, 89.99)],
    )
    found = NearestEdges(around).nearest(np.array([(180.0, 10.51), (90.0, 89.999)]))
    assert found.edges.tolist() == [0, 1]
    assert found.fractions == pytest.approx([0.5, 0.5], abs=0.01)
    assert abs(found.points[0, 0]) == pytest.approx(180)


def test_a_bent_edge_is_measured_along_its_shape():
    bent = wp.Graph.of([(0, 1, 100)], coordinates=[(0, 0), (30, 0)])
    lines = Shapes([0, 2], [(0, 10), (30, 10)])
    bent = wp.Graph(bent.indptr, bent.indices, coordinates=bent.coordinates, shapes=lines)
    found = NearestEdges(bent).nearest(np.array([(15, 12), (-1, 5), (31, -3)]))
    assert found.fractions.tolist() == [0.5, 0.1, 1.0]
    assert found.points.tolist() == [[15, 10], [0, 5], [30, 0]]


def test_edges_along_one_line_are_found_in_both_directions():
    src, dst = np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0])
    weights = np.array([5, 3, 9, 4, 2])
    lines = Shapes([0, 1, 2, 3, 4, 5], [(1, 1), (1, 1), (1, 2), (1, 1), (1, 2)])
    graph = wp.Graph(
        np.array([0, 3, 5]), dst, weights, coordinates=[(0.0, 0.0), (2.0, 0.0)], shapes=lines
    )
    assert graph.edges()[0].tolist() == src.tolist()
    twins = Twins(graph)
    assert twins.firsts.tolist() == [0, 2]
    along, back = twins.ways(np.array([0, 2, 3]))
    assert along.tolist() == [1, 2, 3]
    assert back.tolist() == [3, 4, 1]


def test_a_loop_is_known_in_both_directions_by_its_shape():
    lines = Shapes([0, 2, 4, 6], [(1, 1), (2, 0), (2, 0), (1, 1), (1, 1), (3, 0)])
    graph = wp.Graph(
        np.array([0, 3]), np.zeros(3, np.int64), coordinates=[(0.0, 0.0)], shapes=lines
    )
    along, back = Twins(graph).ways(np.arange(3))
    assert (along.tolist(), back.tolist()) == ([0, 1, 2], [1, 0, -1])


def test_edges_with_an_end_without_coordinates_are_never_the_nearest():
    graph = wp.Graph.of(
        [(0, 1), (1, 2), (2, 3)],
        coordinates=[(7.5, 43.5), (np.nan, 43.5), (7.6, 43.5), (7.7, 43.6)],
    )
    assert NearestEdges(graph).nearest(np.array([(7.5, 43.5)])).edges.tolist() == [2]
