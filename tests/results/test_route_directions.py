"""Routes in plain sentences."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError
from warpath.graph.input_edges import Coded

#: A walk over points in metres: east, north (left), east (right), slightly left, back, unnamed.
POINTS = [(0, 0), (430, 0), (430, 94), (1930, 94), (1980, 119), (1970, 94), (1970, 0)]
STREETS = ["A Street", "B Street", "B Street", "C Street", "D Street", ""]


def walk(points, streets, *, unit="m", extra=()):
    """Return a graph of one walk, with the extra edges, and its column of streets."""
    points = np.array(points, float)
    lengths = np.hypot(*np.diff(points, axis=0).T)
    edges = [(at, at + 1, length) for at, length in enumerate(lengths)] + list(extra)
    src, dst, weights = (np.array(column) for column in zip(*edges, strict=True))
    graph = wp.Graph.from_edges(
        src, dst, weights, n=len(points), coordinates=points, keep_rows=True, unit=unit
    )
    graph.given.columns["street"] = Coded.of([*streets, *[""] * len(extra)])
    return graph


def test_each_street_is_a_sentence_with_its_turn_and_length():
    route = wp.path(walk(POINTS, STREETS), 0, 6)
    assert route.directions() == [
        "Head east on A Street for 430 m.",
        "Turn left onto B Street for 1.6 km.",
        "Bear left onto C Street for 56 m.",
        "Turn sharp right onto D Street for 27 m.",
        "Bear left for 94 m.",
        "Arrive at the destination.",
    ]


def test_a_turn_on_the_same_street_is_a_sentence_where_there_is_a_choice():
    crossing = [(2, 0, 9e9), (2, 6, 9e9)]
    graph = walk(POINTS, STREETS, extra=crossing)
    for source in (0, wp.Place(100, 0)):
        assert wp.path(graph, source, 6).directions()[1:3] == [
            "Turn left onto B Street for 94 m.",
            "Turn right to stay on B Street for 1.5 km.",
        ]


@pytest.mark.parametrize(
    ("degrees", "words"),
    [(0, "Continue"), (19, "Continue"), (-19, "Continue"), (21, "Bear left"), (-44, "Bear right"),
     (46, "Turn left"), (-119, "Turn right"), (121, "Turn sharp left"), (-164, "Turn sharp right"),
     (166, "Make a U-turn"), (180, "Make a U-turn")],
)  # fmt: skip
@pytest.mark.parametrize("first", [0, 90, 215])
def test_the_angle_gives_the_turn(first, degrees, words):
    before, after = np.radians(first), np.radians(first + degrees)
    middle = 500 * np.array([np.cos(before), np.sin(before)])
    points = [(0, 0), middle, middle + 400 * np.array([np.cos(after), np.sin(after)])]
    sentences = wp.path(walk(points, "AB"), 0, 2).directions()
    assert sentences[1] == f"{words} onto B for 400 m."


@pytest.mark.parametrize(
    ("at", "name"), [(0, "east"), (1, "north-east"), (3, "north-west"), (6, "south")]
)
def test_the_first_sentence_has_the_direction(at, name):
    angle = np.radians(45 * at)
    graph = walk([(0, 0), (300 * np.cos(angle), 300 * np.sin(angle))], [""])
    assert wp.path(graph, 0, 1).directions()[0] == f"Head {name} for 300 m."


def test_degrees_are_narrower_eastwards():
    # At 60 degrees north, (0.02, 0.008) leads to the north-east.
    graph = walk([(10, 60), (10.02, 60.008)], [""], unit=None)
    assert wp.path(graph, 0, 1).directions()[0].startswith("Head north-east for 0.02154")


def test_names_and_other_units():
    graph = walk([(0, 0), (90, 0)], ["A\nStreet"], unit="s")
    route = wp.path(graph, 0, wp.Place(90, 0, name="School"))
    assert route.directions() == [r"Head east on A\nStreet for 1.5 min.", "Arrive at School."]
    assert wp.path(graph, 1, 1).directions() == ["Arrive at the destination."]


def test_a_route_between_points_along_edges_turns_too():
    graph = walk([(0, 0), (400, 0), (400, 400)], "AB")
    route = wp.path(graph, wp.Place(100, 0), wp.Place(400, 200))
    assert route.directions() == [
        "Head east on A for 300 m.", "Turn left onto B for 200 m.", "Arrive at the destination.",
    ]  # fmt: skip


def test_what_is_missing_is_named():
    with pytest.raises(GraphError, match=r"directions need coordinates.*give the graph"):
        wp.path(wp.Graph.of([(0, 1, 1)]), 0, 1).directions()
    points = np.zeros((2, 2))
    graph = wp.Graph.from_edges([0], [1], [1], coordinates=points)
    with pytest.raises(GraphError, match="no street names"):
        wp.path(graph, 0, 1).directions()
