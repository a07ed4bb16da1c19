"""Interactive maps in HTML pages: what the page draws, and that nothing outside is needed."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphError, InputError
from warpath.plot import (
    html_centrality,
    html_nearest,
    html_pairs,
    html_route,
    html_tree,
    html_within,
)

PLACES = [(7.41, 43.73), (7.42, 43.73), (7.42, 43.74), (float("nan"), float("nan"))]


@pytest.fixture
def streets():
    edges = [(0, 1, 600), (1, 2, 300), (2, 3, 60)]
    return wp.Graph.of(edges, labels=["a", "b", "c", "d"], coordinates=PLACES, unit="m")


@pytest.fixture
def page(tmp_path):
    """Write the page of a result; return its data and its text."""

    def written(found, **options):
        found.save_html(tmp_path / "map.html", **options)
        text = (tmp_path / "map.html").read_text()
        (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
        return json.loads(data), text

    return written


def lines_of(layer):
    """The lines of a layer, as the script reads them: lists of points."""
    lines, at = [], 0
    xy = np.array(layer["xy"]).reshape(-1, 2)
    counts = layer["points"] or [2] * (len(xy) // 2)
    for count in counts:
        lines.append(np.cumsum(xy[at : at + count], axis=0).tolist())
        at += count
    assert at == len(xy)
    return lines


def test_a_route_has_its_legs_and_its_ends_over_the_network(streets, page):
    data, text = page(wp.path(streets, "a", "c"))
    network, rim, route = data["layers"]
    assert len(lines_of(network)) == 2  # the edge to d has no place
    assert lines_of(rim) == lines_of(route)
    first, second = lines_of(route)
    assert first[0] == [0, first[0][1]]
    assert first[1] == second[0]
    assert second[1][1] == 0  # north is above
    assert route["text"] == ["a to b: 600 m\n600 m from a", "b to c: 300 m\n900 m from a"]
    assert [(mark["name"], mark["start"]) for mark in data["marks"]] == [("a", True), ("c", False)]
    assert "<h1>Shortest path from a to c</h1><p>900 m, 2 edges</p>" in text


def test_other_routes_are_layers_under_the_first_one_with_a_legend(page):
    town = wp.generate.grid(6, 6, weights=None)
    routes = list(wp.k_shortest_paths(town, 0, 35, 3))
    data, text = page(routes[0], others=routes[1:])
    _, third, second, rim, first = data["layers"]
    assert lines_of(rim) == lines_of(first) != lines_of(second) != lines_of(third)
    assert second["text"] == ["10 in all"] * 10
    assert [label for _, label in data["legend"]] == ["1: 10", "2: 10", "3: 10"]
    colours = [layer["colour"] for layer in (first, second, third)]
    assert [colour for colour, _ in data["legend"]] == colours
    assert "<h1>3 routes from 0 to 35</h1>" in text


def test_a_route_names_its_streets(tmp_path, page):
    (tmp_path / "streets.csv").write_text("u,v,w,street\n0,1,5,Main Street\n1,2,3,\n")
    town = wp.read(tmp_path / "streets.csv", weight="w", attributes=["street"])
    route = wp.path(town.with_coordinates([(0, 0), (1, 0), (1, 1)]), 0, 2)
    assert page(route)[0]["layers"][2]["text"] == [
        "Main Street\n0 to 1: 5\n5 from 0",
        "1 to 2: 3\n8 from 0",
    ]


def test_places_are_as_mercator_has_them(streets, page):
    data, _ = page(wp.path(streets, "a", "c"))
    left, top, step = (data["world"][name] for name in ("left", "top", "step"))
    (x, y), _ = lines_of(data["layers"][2])[0]
    assert (left + x * step) * 360 - 180 == pytest.approx(7.41, abs=1e-7)
    latitude = np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * (top + y * step)))))
    assert latitude == pytest.approx(43.73, abs=1e-7)


def test_places_in_a_plane_stay_and_have_no_scale(page):
    town = wp.generate.grid(3, 3, weights=None)
    data, _ = page(wp.path(town, 0, 8))
    assert data["world"] is None
    corners = {tuple(point) for line in lines_of(data["layers"][2]) for point in line}
    assert {(0, 1_000_000), (1_000_000, 0)} < corners  # y grows downward


def test_the_bends_of_edges_are_drawn(page):
    shapes = ([0, 1], [(1.0, 5.0)])
    from warpath.graph.edge_geometry import Shapes

    bent = wp.Graph.from_edges([0], [1], [4], coordinates=[(0, 0), (2, 0)], shapes=Shapes(*shapes))
    route = page(wp.path(bent, 0, 1))[0]["layers"][2]
    assert route["points"] == [3]
    assert lines_of(route) == [[[0, 1_000_000], [200_000, 0], [400_000, 1_000_000]]]


def test_a_tree_says_the_distance_of_each_vertex(streets, page):
    data, text = page(wp.sssp(streets, "a"))
    said = {one for layer in data["layers"] for one in layer["text"]}
    assert said == {"b: 600 m", "c: 900 m"}
    assert sum(len(lines_of(layer)) for layer in data["layers"]) == 2
    assert len({layer["colour"] for layer in data["layers"] if layer["xy"]}) == 2
    labels = [label for _, label in data["legend"]]
    assert (labels[0], labels[-1]) == ("0 m", "900 m")
    assert "<h1>Shortest paths from a</h1>" in text


def test_isochrones_have_a_colour_for_each_cutoff(streets, page):
    data, text = page(wp.within(streets, "a", [600, 800]))
    _, rim, outer, inner = data["layers"]
    assert len(lines_of(rim)) == len(lines_of(outer)) + len(lines_of(inner))
    assert (outer["text"], inner["text"]) == ("within 800 m", "within 600 m")
    assert outer["colour"] != inner["colour"]
    assert [label for _, label in data["legend"]] == [
        "2 junctions within 600 m",
        "2 junctions within 800 m",
    ]
    assert [shade for shade, _ in data["legend"]] == [inner["colour"], outer["colour"]]
    assert "<h1>Within 800 m of a</h1>" in text
    assert "<h1>Within 800 m of Home</h1>" in page(wp.within(streets, "a", 800), source="Home")[1]


def test_areas_are_in_the_colours_of_their_facilities(page):
    line = wp.Graph.from_edges(
        range(5),
        range(1, 6),
        np.ones(5),
        n=6,
        directed=False,
        coordinates=[(x, 0.5) for x in range(6)],
    )
    data, text = page(wp.nearest(line, [0, 5]))
    between, left, right = data["layers"]
    assert [len(lines_of(layer)) for layer in data["layers"]] == [1, 2, 2]
    assert left["colour"] != right["colour"]
    assert "text" in between
    assert between["text"] is None
    assert (left["text"], right["text"]) == ("nearest facility: 0", "nearest facility: 5")
    assert [mark["name"] for mark in data["marks"]] == ["0", "5"]
    assert "<h1>Shortest paths from the nearest of 2 facilities</h1>" in text


def test_trips_have_their_routes_in_alternating_colours(streets, page):
    trips = wp.pairs(streets, ["a", "b", "c", "b"], ["c", "c", "a", "b"])
    data, text = page(trips)
    _, first, second, third = data["layers"]
    assert first["text"][0] == "trip 0: a to c, 900 m"
    assert [len(lines_of(layer)) for layer in (first, second)] == [1, 1]
    assert lines_of(second)[0] == lines_of(first)[0][1:]
    assert third["xy"] == []  # from b to b
    assert len({layer["colour"] for layer in data["layers"]}) == 4
    assert third["text"] == []
    assert [mark["name"] for mark in data["marks"]] == ["a", "c", "b", "c", "b", "b"]
    assert "<h1>4 trips</h1><p>3 have a path, the longest of 900 m</p>" in text


def test_many_trips_are_not_marked(page):
    town = wp.generate.grid(6, 6, weights=None)
    data, _ = page(wp.pairs(town, [0] * 25, range(1, 26)))
    assert data["marks"] == []
    assert sum(len(lines_of(layer)) for layer in data["layers"][1:]) == 25


@pytest.mark.parametrize("call", ["path", "sssp", "within", "nearest"])
def test_nothing_is_fetched_from_elsewhere(streets, page, call):
    arguments = {"path": ("a", "c"), "sssp": ("a",), "within": ("a", 800), "nearest": (["a"],)}
    text = page(getattr(wp, call)(streets, *arguments[call]))[1]
    assert not re.search(r"https?:|<link|<script[^>]* src=|@import|url\(|fetch\(", text)


def test_tiles_are_an_address_and_openstreetmap_is_named(streets, page):
    route = wp.path(streets, "a", "c")
    address = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
    data, text = page(route, tiles=address)
    assert data["tiles"] == address
    assert "© OpenStreetMap contributors" in text
    for bad in ("https://tile.example.org", 7, "{z}/{x}"):
        with pytest.raises(InputError, match=r"tiles = .* \{z\}, \{x\} and \{y\}"):
            page(route, tiles=bad)
    with pytest.raises(GraphError, match="tiles need longitudes"):
        page(wp.path(wp.generate.grid(2, 2), 0, 3), tiles=address)


def test_whom_the_map_must_name_is_named(page):
    named = wp.Graph.of([(0, 1, 2)], coordinates=[(0.5, 0), (1, 0)], attribution="© Somebody & Co")
    text = page(wp.path(named, 0, 1))[1]
    assert '<div id="credit">© Somebody &amp; Co</div>' in text


def test_names_cannot_end_the_page_or_its_script(page):
    evil = "</script><script>alert(1)</script>"
    graph = wp.Graph.of([(evil, "b", 2)]).with_coordinates([(0, 0), (1, 1)])
    data, text = page(wp.path(graph, evil, "b"))
    assert data["marks"][0]["name"] == evil
    assert text.count("<script") == 2
    assert "alert(1)</script>" not in text


def test_titles_themes_and_ids_of_the_file(page, tmp_path):
    graph = tmp_path / "a.gr"
    graph.write_text("p sp 2 1\na 1 2 5\n")
    (tmp_path / "a.co").write_text("p aux sp co 2\nv 1 0 0\nv 2 3 4\n")
    route = wp.path(wp.read(graph, coordinates=tmp_path / "a.co"), 0, 1)
    dark = page(route, title="to <work>", subtitle="", theme="dark")
    assert [mark["name"] for mark in dark[0]["marks"]] == ["1", "2"]
    assert "<title>to &lt;work&gt;</title>" in dark[1]
    assert "<p></p>" in dark[1]
    light = page(route, file_ids=False)
    assert [mark["name"] for mark in light[0]["marks"]] == ["0", "1"]
    papers = [re.search("--paper: ([^;]+)", text)[1] for _, text in (dark, light)]
    assert papers == ["#14171C", "white"]


def test_a_route_of_one_vertex_and_a_tree_of_one_are_pages(streets, page):
    assert page(wp.path(streets, "a", "a"))[0]["layers"][2]["xy"] == []
    assert page(wp.sssp(streets, "c"))[0]["box"]


def test_what_cannot_be_drawn_is_refused_with_the_way_out(streets, tmp_path):
    bare = wp.Graph.from_edges([0], [1])
    for found in (wp.path(bare, 0, 1), wp.sssp(bare, 0), wp.nearest(bare, [0])):
        with pytest.raises(GraphError, match="with_coordinates"):
            found.save_html(tmp_path / "map.html")
    with pytest.raises(GraphError, match="vertex 'd' of the route"):
        wp.path(streets, "a", "d").save_html(tmp_path / "map.html")
    with pytest.raises(GraphError, match="the source 'd' has no coordinates"):
        wp.sssp(streets, "d").save_html(tmp_path / "map.html")
    with pytest.raises(GraphError, match="no vertex has coordinates"):
        wp.nearest(streets, ["d"]).save_html(tmp_path / "map.html")
    for name in ("map.png", "map"):
        with pytest.raises(InputError, match=r"the suffix must be \.html"):
            wp.path(streets, "a", "c").save_html(tmp_path / name)
    with pytest.raises(GraphError, match="no trip has a path"):
        wp.pairs(streets, ["c"], ["a"]).save_html(tmp_path / "map.html")
    for write in (html_route, html_tree, html_within, html_nearest, html_pairs, html_centrality):
        with pytest.raises(InputError, match="returns one"):
            write(7, tmp_path / "map.html")
    assert list(tmp_path.iterdir()) == []


def test_the_ends_of_a_route_have_the_names_that_are_given(streets, tmp_path):
    route = wp.path(streets, "a", "c")
    route.save_html(tmp_path / "map.html", ends=("home", "work"))
    text = (tmp_path / "map.html").read_text()
    assert "Shortest path from home to work" in text
    assert '"home"' in text
    with pytest.raises(wp.InputError, match="must be two strings"):
        route.save_html(tmp_path / "map.html", ends="home")


def test_pages_need_no_package(streets, tmp_path, monkeypatch):
    for name in ("matplotlib", "folium", "geopandas"):
        monkeypatch.setitem(sys.modules, name, None)
    wp.path(streets, "a", "c").save_html(tmp_path / "map.html")
    wp.sssp(streets, "a").save_html(tmp_path / "map.html")


def test_the_colours_are_those_of_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    from warpath.plot.html_page import colours
    from warpath.plot.page import theme_of

    theme = theme_of("light")
    shades = matplotlib.colormaps["viridis"](np.linspace(*theme.scale, 24))
    ours = np.array(
        [[int(shade[at : at + 2], 16) for at in (1, 3, 5)] for shade in colours(theme, 24)]
    )
    assert np.abs(ours - 255 * shades[:, :3]).max() < 16


def test_loads_are_as_wide_as_the_trips_are_many(streets, page):
    data, text = page(wp.loads(streets, ["a", "a"], ["b", "c"], [10, 20]))
    drawn = [layer for layer in data["layers"][1:] if layer["xy"]]
    assert [layer["text"] for layer in drawn] == [["b to c: 20 trips"], ["a to b: 30 trips"]]
    assert drawn[1]["width"] > drawn[0]["width"]
    assert data["legend"][0][1] == "20 trips"
    assert data["legend"][0][0] == drawn[0]["colour"]
    assert "<h1>Trips over each edge</h1>" in text


def test_measures_of_vertices_have_one_width_and_a_legend(streets, page):
    near = wp.centrality.harmonic(streets)
    data, text = page(near)
    drawn = [layer for layer in data["layers"][1:] if layer["xy"]]
    assert {layer["width"] for layer in drawn} == {2.5}
    assert "<h1>Harmonic centrality of vertices</h1>" in text
    assert len(data["legend"]) == 5
