"""Routes as tables of streets, and other quantities along them."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError
from warpath.graph.input_edges import Coded

STREETS = ["Rue A", "Rue A", "", "", "Rue B", "Rue A", "detour"]
SECONDS = [10, 20, 5, 5, 60, 1, 500]
METRES = [100.0, 200.0, 50.0, 50.0, 2000.0, 10.0, 1.0]


@pytest.fixture
def streets():
    """A line of six edges and a detour parallel to its first, whose rows are in reverse order."""
    edges = [(at, at + 1, seconds) for at, seconds in enumerate(SECONDS[:-1])] + [
        (0, 1, SECONDS[-1])
    ]
    edges.reverse()
    graph = wp.Graph.of(edges, keep_rows=True, unit="s")
    graph.given.columns["street"] = Coded.of(reversed(STREETS))
    graph.given.columns["length"] = np.array(METRES[::-1])
    graph.given.units["length"] = "m"
    return graph


def test_a_route_has_a_row_for_each_street_in_turn(streets):
    legs = wp.path(streets, 0, 6).legs
    assert list(legs) == [
        ("Rue A", 300.0, 30),
        ("", 100.0, 10),
        ("Rue B", 2000.0, 60),
        ("Rue A", 10.0, 1),
    ]
    assert list(legs.columns) == ["street", "metres", "seconds"]
    assert (len(legs), legs.street.tolist()) == (4, ["Rue A", "", "Rue B", "Rue A"])
    assert legs["metres"].sum() == 2410


def test_legs_show_themselves(streets):
    legs = wp.path(streets, 0, 6).legs
    assert repr(legs).splitlines() == [
        "<Legs: 4 streets",
        "  Rue A      300 m   30 s",
        "  (no name)  100 m   10 s",
        "  Rue B       2 km  1 min",
        "  Rue A       10 m    1 s>",
    ]
    page = legs._repr_html_()
    assert ">length</th>" in page
    assert ">300 m</td>" in page


def test_long_tables_are_shown_without_the_middle():
    edges = [(at, at + 1, 1) for at in range(20)]
    graph = wp.Graph.of(edges, keep_rows=True)
    graph.given.columns["name"] = np.array([f"street {at}" for at in range(20)])
    legs = wp.path(graph, 0, 20).legs
    assert len(legs) == 20
    lines = repr(legs).splitlines()
    assert len(lines) == 14
    assert lines[7].strip() == "... 8 more ..."
    assert list(legs)[3] == ("street 3", 1)


def test_legs_go_to_pandas(streets):
    pytest.importorskip("pandas")
    frame = wp.path(streets, 0, 6).legs.to_pandas()
    assert frame.columns.tolist() == ["street", "metres", "seconds"]
    assert frame["seconds"].sum() == 101


def test_a_route_of_one_vertex_has_no_legs(streets):
    route = wp.path(streets, 3, 3)
    assert list(route.legs) == []
    assert repr(route.legs) == "<Legs: 0 streets>"
    assert (route.along("length"), route.edges.tolist()) == (0, [])


def test_weights_of_a_known_unit_replace_a_column(streets):
    longer = streets.with_weights(np.full(7, 2.5), unit="m")
    assert list(wp.path(longer, 1, 2).legs) == [("Rue A", 2.5)]
    assert list(wp.path(longer.with_weights(np.full(7, 2)), 1, 2).legs) == [("Rue A", 2)]


def test_the_fastest_of_parallel_edges_gives_its_street(streets):
    slow = streets.with_weights(np.where(streets.weights == 500, 1, streets.weights), unit="s")
    assert list(wp.path(slow, 0, 2).legs) == [("detour", 1.0, 1), ("Rue A", 200.0, 20)]


def test_missing_names_of_a_table_are_empty(streets):
    streets.given.columns["street"] = np.array([None, *["x"] * 4, None, float("nan")], object)
    assert wp.path(streets, 0, 6).legs.street.tolist() == ["", "x"]


def test_a_column_of_streets_goes_before_one_of_names(streets):
    streets.given.columns["name"] = np.array(["bridge"] * 7)
    assert wp.path(streets, 0, 1).legs.street.tolist() == ["Rue A"]


def test_legs_need_street_names():
    with pytest.raises(GraphError, match=r"no street names: .*route\.weights"):
        _ = wp.path([(0, 1, 2)], 0, 1).legs


def test_quantities_are_summed_along_the_route(streets):
    route = wp.path(streets, 0, 6)
    assert route.along("length") == 2410.0
    assert route.along(streets.weights) == route.length == 101
    assert isinstance(route.along(streets.weights), int)
    assert wp.path(streets.with_weights("length"), 0, 6).along("length") == 2311.0


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ("street", r"along\('street'\): the values are <U\d+, and sums need numbers"),
        ("toll", r"along\('toll'\): the graph keeps no column .*there are 'street', 'length'"),
        ([1, 2], r"the shape \(2,\), but the graph has m = 7 edges"),
        ([[1], [2, 3]], "quantity"),
        (np.ma.masked_array([1] * 7, [1] * 7), "quantity"),
        (["x"] * 7, "the values are <U1, and sums need numbers"),
    ],
)
def test_what_cannot_be_summed_is_refused(streets, quantity, message):
    with pytest.raises(GraphError, match=message):
        wp.path(streets, 0, 6).along(quantity)


def test_a_graph_without_columns_says_so():
    with pytest.raises(GraphError, match=r"keeps no column of this name; there are none"):
        wp.path([(0, 1, 2)], 0, 1).along("length")
