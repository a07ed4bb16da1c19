"""Calls that avoid edges, or keep to some, against graphs without these edges."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support.simple_paths import random_graphs
from warpath.base.errors import (
    GraphError,
    InputError,
    NoPathError,
    NotSupportedError,
    VertexError,
)

SQUARE = [(2.5, -1), (4.5, -1), (4.5, 3.5), (2.5, 3.5)]


@pytest.fixture(scope="module")
def town():
    """A grid of 6 x 6 crossings at (column, row), with streets, tolls and speeds."""
    edges = wp.generate.grid(6, 6).edge_table()
    src, dst = np.array(edges["source"]), np.array(edges["target"])
    level = src // 6 == dst // 6
    table = {
        "source": src,
        "target": dst,
        "weight": 1 + (3 * src + 5 * dst) % 7,
        "street": [
            f"row {u // 6}" if flat else f"column {u % 6}"
            for u, flat in zip(src, level, strict=True)
        ],
        "toll": (src * dst) % 7 == 2,
        "speed": np.where(level, 30, 50),
    }
    graph = wp.Graph.of(table, attributes="all")
    return graph.with_coordinates([(v % 6, v // 6) for v in range(36)])


def ways(graph):
    """Return (mask, value) of each way to name edges."""
    src, dst, _ = graph.edges()
    table = graph.edge_table()
    street, toll, speed = (np.array(table[name]) for name in ("street", "toll", "speed"))
    x, y = graph.coordinates.T
    inside = (x > 2.5) & (x < 4.5) & (y < 3.5)
    first = np.zeros(graph.m, bool)
    first[[3, 8]] = True
    return [
        (first, [3, 8]),
        (first, first),
        (first, {"edges": [(src[3], dst[3]), (src[8], dst[8])]}),
        (np.isin(street, ["row 2", "column 1"]), ["row 2", "column 1"]),
        (np.isin(street, ["row 2", "column 1"]), {"street": ("row 2", "column 1")}),
        (toll, {"toll": True}),
        (~toll, {"toll": [False]}),
        (speed == 50, {"speed": 50}),
        (np.isin(src, [7, 9]) | np.isin(dst, [7, 9]), {"vertices": [7, 9]}),
        (toll | (speed == 30), {"toll": True, "speed": 30}),
        (inside[src] | inside[dst], {"polygon": SQUARE}),
        (inside[src] | inside[dst], {"type": "Polygon", "coordinates": [SQUARE]}),
    ]


def test_every_way_to_name_edges_is_the_graph_without_them(town):
    for mask, value in ways(town):
        left = town.without_edges(np.flatnonzero(mask))
        assert left.m < town.m
        trips = np.arange(36), (7 * np.arange(36) + 3) % 36
        expected = wp.pairs(left, *trips)
        found = wp.pairs(town, *trips, avoid=value)
        assert found.dist.tolist() == expected.dist.tolist()
        assert found.graph.m == left.m
        table = wp.distances(town, [0, 20], [35, 3, 9], avoid=value)
        assert table.dist.tolist() == wp.distances(left, [0, 20], [35, 3, 9]).dist.tolist()
        near = wp.within(town, 1, 12, avoid=value)
        assert near.vertices.tolist() == wp.within(left, 1, 12).vertices.tolist()


def test_only_is_the_rest_of_the_edges(town):
    src, dst, _ = town.edges()
    table = town.edge_table()
    toll, speed = np.array(table["toll"]), np.array(table["speed"])
    x, y = town.coordinates.T
    inside = (x > 2.5) & (x < 4.5) & (y < 3.5)
    both = np.isin(src, range(20)) & np.isin(dst, range(20))
    for mask, value in (
        (~toll, {"toll": False}),
        (~toll & (speed == 30), {"toll": False, "speed": 30}),
        (both, {"vertices": range(20)}),
        (inside[src] & inside[dst], {"polygon": SQUARE}),
        (np.arange(town.m) % 3 > 0, np.arange(town.m) % 3 > 0),
    ):
        left = town.without_edges(np.flatnonzero(~mask))
        dist = wp.distances(town, [0, 3, 9], only=value).dist
        assert dist.tolist() == wp.distances(left, [0, 3, 9]).dist.tolist()
    together = wp.distances(town, 0, only={"toll": False}, avoid={"vertices": [7]}).dist
    left = town.without_edges(toll | (src == 7) | (dst == 7))
    assert together.tolist() == wp.distances(left, 0).dist.tolist()


def test_a_polygon_that_an_edge_crosses_is_touched():
    graph = wp.Graph.of([(0, 1, 9), (0, 2, 9), (2, 1, 9)])
    graph = graph.with_coordinates([(0, 0), (10, 0), (5, 5)])
    middle = [(4, -1), (6, -1), (6, 1), (4, 1)]
    assert list(wp.path(graph, 0, 1, avoid={"polygon": middle})) == [0, 2, 1]
    hole = {"type": "Polygon", "coordinates": [[(-1, -1), (11, -1), (11, 9), (-1, 9)], middle]}
    assert wp.path(graph, 0, 1, only=hole).length == 18
    geometries = pytest.importorskip("shapely.geometry")
    assert wp.path(graph, 0, 1, avoid=geometries.Polygon(middle)).length == 18
    several = geometries.MultiPolygon([geometries.Polygon(middle), geometries.box(1, 3, 2, 4)])
    assert wp.path(graph, 0, 1, avoid=several).length == 18
    pandas = pytest.importorskip("geopandas")
    frame = pandas.GeoSeries([geometries.Polygon(middle)])
    assert wp.path(graph, 0, 1, avoid=frame).length == 18


def test_random_graphs_and_both_directions_of_an_edge():
    rng = np.random.default_rng(3)
    for graph, source, _ in random_graphs(12, 300):
        if not graph.m:
            continue
        numbers = rng.permutation(graph.m)[: rng.integers(1, graph.m + 1)]
        left = graph.without_edges(numbers)
        dist = wp.distances(graph, [source], avoid=numbers).dist
        assert dist.tolist() == wp.distances(left, [source]).dist.tolist()
        chosen = rng.integers(0, graph.n, 2)
        src, dst, _ = graph.edges()
        mask = np.isin(src, chosen) | np.isin(dst, chosen)
        dist = wp.distances(graph, [source], avoid={"vertices": chosen}).dist
        left = graph.without_edges(np.flatnonzero(mask)) if mask.any() else graph
        assert dist.tolist() == wp.distances(left, [source]).dist.tolist()


def test_no_path_says_that_edges_are_closed():
    streets = [("a", "b", 1), ("b", "c", 1)]
    message = (
        "no path leads from 'a' to 'c'. In this graph one edge is closed, 'b' -> 'c': by avoid"
    )
    with pytest.raises(NoPathError, match=message):
        wp.path(streets, "a", "c", avoid=[("b", "c")])


def test_edges_that_are_named_wrongly(town):
    for avoid, error, message in (
        ([10**6], InputError, r"avoid: edges\[0\] = 1000000 is not an edge"),
        ("High Street", InputError, "avoid: no edge has 'High Street' in its column 'street'"),
        ({"street": "row 9"}, InputError, r"avoid\['street'\]: no edge has 'row 9'; similar: 'row"),
        (
            {"street": 3},
            InputError,
            r"avoid\['street'\] = 3 must be a value of that column, or a l",
        ),
        ({"toll": "yes"}, InputError, r"avoid\['toll'\] = 'yes' must be a value .* has numbers"),
        (
            {"tolls": True},
            GraphError,
            "keeps no such column; it keeps 'street', 'toll', 'speed'. O",
        ),
        ({}, InputError, "avoid = {} is empty: leave it out"),
        ({"vertices": [99]}, VertexError, r"avoid\['vertices'\]: .*99"),
        (
            {"polygon": [(0, 0), (1, 1)]},
            InputError,
            "must be a ring of three or more finite points",
        ),
        ({"polygon": [(0, 0), (1, np.nan), (2, 2)]}, InputError, "must be a ring of three or more"),
        ({"polygon": "north"}, InputError, "must be a ring of three or more finite points"),
        (
            {"type": "Feature", "geometry": {"type": "Point"}},
            InputError,
            "'Point' is not a polygon",
        ),
        (3.5, InputError, "avoid: edges = 3.5 must be"),
        (np.full(town.m, np.nan), InputError, "avoid: edges"),
    ):
        with pytest.raises(error, match=message):
            wp.path(town, 0, 35, avoid=avoid)
    with pytest.raises(InputError, match="only: edges is a mask of 1 entries"):
        wp.path(town, 0, 35, only=[True])
    with pytest.raises(GraphError, match=r"avoid\['polygon'\]: the graph has no coordinates"):
        wp.path([(0, 1, 2)], 0, 1, avoid={"polygon": SQUARE})
    with pytest.raises(GraphError, match="keeps no such column: read it with attributes="):
        wp.path([(0, 1, 2)], 0, 1, avoid={"toll": True})
    berne = wp.Graph.of([(0, 1, 2)]).with_coordinates([(7.4, 46.9), (7.5, 47.0)])
    with pytest.raises(InputError, match="would not with x and y exchanged: give its points as"):
        wp.path(berne, 0, 1, avoid={"polygon": [(46.9, 7.4), (46.9, 7.5), (47.0, 7.5)]})


def test_a_prepared_graph_names_the_way_out(town):
    city = wp.prepare(town)
    with pytest.raises(NotSupportedError, match=r"use warpath.pairs\(solver.graph, ...\)"):
        city.pairs([0], [5], avoid={"toll": True})
    closed = city.with_changes(np.array(town.edge_table()["toll"]), np.inf)
    assert closed.path(0, 35).length == wp.path(town, 0, 35, avoid={"toll": True}).length


def test_routes_of_trips_and_tables_avoid_them_too(town):
    route = wp.path(town, 0, 35, avoid={"toll": True})
    assert not route.attribute("toll").any()
    assert wp.path(town, 0, 35).attribute("toll").any()
    trips = wp.pairs(town, [0, 1], [35, 30], avoid={"toll": True})
    assert trips.route(0).indices.tolist() == route.indices.tolist()
    assert trips.along("speed")[0] == route.along("speed")
    table = wp.distances(town, [0], [35], avoid={"toll": True}, also=["speed"])
    assert table.also["speed"].tolist() == [[route.along("speed")]]
    assert table.path(0, 35).length == route.length


def test_a_place_is_taken_on_an_edge_that_is_left():
    graph = wp.Graph.of([(0, 1, 9), (1, 2, 9)], directed=False)
    graph = graph.with_coordinates([(0, 0), (0.001, 0), (0.002, 0)])
    start = wp.Place(0.0014, 0)
    assert wp.path(graph, start, 0, avoid=[(1, 2)]).length == 9
    assert wp.path(graph, start, 0).length > 9
