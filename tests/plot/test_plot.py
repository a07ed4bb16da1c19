"""Routes drawn on their network."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")

import warpath as wp
from warpath import generate
from warpath.base.errors import GraphError, InputError
from warpath.graph.coordinates import in_degrees
from warpath.plot import (
    plot_centrality,
    plot_nearest,
    plot_pairs,
    plot_route,
    plot_tree,
    plot_within,
)
from warpath.plot.page import new_figure


@pytest.fixture
def town():
    return generate.grid(6, 6, weights=None)


def axes_of(figure):
    return figure.axes[0]


def test_the_route_and_its_ends_are_drawn_over_the_network(town):
    route = wp.path(town, 0, 35)
    axes = axes_of(plot_route(town, route, title="a", subtitle="b", ends=("home", "work")))
    casing, line, start, end = axes.lines
    assert np.array_equal(line.get_xydata(), route.coordinates)
    assert np.array_equal(casing.get_xydata(), route.coordinates)
    assert start.get_xydata().tolist() == [[0, 0]]
    assert end.get_xydata().tolist() == [[5, 5]]
    assert [text.get_text() for text in axes.texts] == ["home", "work"]
    assert [text.get_text() for text in axes.figure.texts] == ["a", "b"]
    assert len(axes.collections[0].get_segments()) == 60  # each link once


def test_other_routes_are_drawn_under_the_first_one_with_a_legend(town):
    routes = list(wp.k_shortest_paths(town, 0, 35, 30))
    figure = routes[0].plot(others=routes[1:])
    lines = axes_of(figure).lines
    assert np.array_equal(lines[1].get_xydata(), routes[-1].coordinates)
    assert np.array_equal(lines[59].get_xydata(), routes[0].coordinates)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [f"{number}: 10" for number in range(1, 25)]
    assert [text.get_text() for text in figure.texts] == [
        "30 routes from 0 to 35",
        "10 to 10, grid(6, 6)",
    ]
    colours = [handle.get_color() for handle in figure.legends[0].get_lines()]
    assert colours[:3] == [lines[at].get_color() for at in (59, 57, 55)]
    assert len(set(colours)) == 6
    second = next(wp.pareto_paths(town, 0, 35, np.ones(town.m)))
    legend = second.plot(others=routes[:1]).legends[0].get_texts()
    assert [text.get_text() for text in legend] == ["1: 10, second cost 10", "2: 10"]


def test_other_routes_that_do_not_belong_to_the_first_are_refused(town):
    route = wp.path(town, 0, 35)
    for others, message in (
        ("ab", "others = 'ab' must be a list of routes"),
        ([3], r"others\[0\] = 3 must be a Route, and so must the first one"),
        (
            [route, wp.path(town, 1, 35)],
            r"others\[1\] leads from 1 to 35, and the first route from",
        ),
    ):
        with pytest.raises(InputError, match=message):
            route.plot(others=others)
        with pytest.raises(InputError, match=message):
            route.save_html("a.html", others=others)
    with pytest.raises(InputError, match="and so must the first one"):
        plot_route(town, [0, 1], others=[route])


def test_only_the_network_around_the_route_is_drawn():
    town = generate.grid(50, 50, weights=None)
    axes = axes_of(plot_route(town, wp.path(town, 0, 2)))
    assert 5 < len(axes.collections[0].get_segments()) < 60


def test_an_undirected_link_and_its_parallels_are_drawn_once():
    coordinates = [(0, 0), (1, 2)]
    town = wp.Graph.from_edges([0, 1, 0, 1], [1, 0, 1, 1], coordinates=coordinates)
    assert len(axes_of(plot_route(town, [0, 1])).collections[0].get_segments()) == 1


def test_degrees_are_drawn_true_to_scale_at_their_latitude():
    coordinates = [(-73.9, 59.9), (-73.8, 60.1)]
    town = wp.Graph.from_edges([0], [1], coordinates=coordinates)
    axes = axes_of(plot_route(town, [0, 1]))
    assert axes.get_aspect() == pytest.approx(2, rel=1e-6)
    assert 0.2 < np.ptp(axes.get_ylim()) < 0.3  # the route and its margin, in degrees


def test_plane_coordinates_are_drawn_as_they_are(town):
    assert axes_of(plot_route(town, [0, 1])).get_aspect() == 1


def test_a_route_of_one_vertex_is_drawn(town):
    plot_route(town, [7])


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_picture_is_saved(town, tmp_path, suffix):
    out = tmp_path / f"route.{suffix}"
    plot_route(town, wp.path(town, 0, 35), out)
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert out.read_bytes().startswith(magic)


def test_names_with_dollars_are_no_formulas(town, tmp_path):
    plot_route(town, [0, 1], tmp_path / "a.png", title="$a", ends=("$x^", "$y"))


def test_a_graph_without_coordinates_is_refused_with_the_way_out():
    town = wp.Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match="with_coordinates"):
        plot_route(town, [0, 1])


def test_a_vertex_without_coordinates_is_named():
    town = wp.Graph.from_edges([0], [1], coordinates=[(0, 0), (np.nan, 1)])
    with pytest.raises(GraphError, match="vertex 1 of the route"):
        plot_route(town, [0, 1])


def test_an_empty_route_is_refused(town):
    with pytest.raises(GraphError, match="nothing to draw"):
        plot_route(town, [])


@pytest.mark.parametrize("route", [[0, 1], [1, 0]])
def test_long_names_at_the_border_are_not_cut_off(route):
    town = wp.Graph.from_edges([0, 1], [1, 0], coordinates=[(0, 0), (3, -1)])
    figure = plot_route(town, route, ends=("the old mill on the hill", "the new port"))
    renderer = figure.canvas.get_renderer()
    for label in figure.axes[0].texts:
        extent = label.get_window_extent(renderer)
        assert extent.x0 >= 0
        assert extent.x1 <= figure.bbox.x1


@pytest.mark.parametrize("name", ["route.doc", "route"])
def test_what_is_no_picture_is_refused_before_drawing(town, tmp_path, name):
    with pytest.raises(InputError, match="the suffix must be one of"):
        plot_route(town, [0, 1], tmp_path / name)


def test_the_command_finds_coordinates_beside_the_graph(tmp_path):
    from warpath.cli.options import Reading
    from warpath.cli.reading import Loaded

    graph = tmp_path / "a.gr"
    graph.write_text("p sp 2 1\na 1 2 5\n")
    (tmp_path / "a.co").write_text("p aux sp co 2\nv 1 0 0\nv 2 3 4\n")
    loaded = Loaded(Reading(graph=graph), wp.read(graph), {}, prepared=False)
    loaded.require_coordinates("it")
    assert loaded.graph.coordinates.tolist() == [[0, 0], [3, 4]]


def test_degrees_are_told_from_plane_coordinates():
    assert in_degrees(np.array([[0.5, 0.5]]))
    assert not in_degrees(np.array([[0.5, 100.5]]))
    assert not in_degrees(np.array([[1.0, 2.0]]))


def test_a_dark_picture_has_dark_paper_in_its_file(town, tmp_path):
    image = pytest.importorskip("PIL.Image")
    for theme, bright in (("light", 255), ("dark", 20)):
        out = tmp_path / f"{theme}.png"
        plot_route(town, [0, 1], out, theme=theme)
        with image.open(out) as picture:
            assert picture.convert("RGB").getpixel((1, 1))[0] == bright


def test_an_unknown_theme_is_refused(town):
    with pytest.raises(InputError, match="'light' or 'dark'"):
        plot_route(town, [0, 1], theme="blue")


def test_the_tree_has_a_line_for_each_vertex_but_the_source(town):
    tree = wp.sssp(town, 0)
    axes = axes_of(tree.plot(route=35, title="a", subtitle="b"))
    lines = axes.collections[0]
    assert len(lines.get_segments()) == 35
    assert lines.get_array().tolist() == sorted(tree.dist[1:].tolist(), reverse=True)
    first = lines.get_segments()[0].tolist()
    assert first == [town.coordinates[tree.pred[35]].tolist(), [5, 5]]
    assert [text.get_text() for text in axes.texts] == ["0", "35"]
    assert np.array_equal(axes.lines[1].get_xydata(), tree.path_to(35).coordinates)
    assert axes.figure.axes[1].get_xlim() == (0, 10)


def test_what_is_not_reached_is_not_in_the_tree(town):
    axes = axes_of(plot_tree(wp.sssp(town, 0, cutoff=1)))
    assert len(axes.collections[0].get_segments()) == 2
    assert "3 of 36 vertices reached" in axes.figure.texts[-1].get_text()


def test_the_ends_of_a_route_over_a_tree_can_be_called_otherwise(town):
    axes = axes_of(plot_tree(wp.sssp(town, 0), route=1, source="here", target="there"))
    assert {"here", "there"} <= {text.get_text() for text in axes.texts}
    assert "the route to there is" in " ".join(text.get_text() for text in axes.figure.texts)


def test_a_tree_of_the_source_alone_is_drawn(town, tmp_path):
    plot_tree(wp.sssp(town, 7, cutoff=0), tmp_path / "a.png")


def test_a_tree_skips_vertices_without_coordinates_but_needs_the_source():
    town = wp.Graph.from_edges([0, 1], [1, 2], coordinates=[(0, 0), (1, 0), (np.nan, 0)])
    axes = axes_of(plot_tree(wp.sssp(town, 0)))
    assert len(axes.collections[0].get_segments()) == 1
    with pytest.raises(GraphError, match="source 2 has no coordinates"):
        plot_tree(wp.sssp(town, 2))
    with pytest.raises(GraphError, match="with_coordinates"):
        plot_tree(wp.sssp(town.with_coordinates(None), 0))


def test_a_route_draws_itself(town):
    figure = wp.path(town, 0, 35).plot()
    title, subtitle = (text.get_text() for text in figure.texts)
    assert title == "Shortest path from 0 to 35"
    assert subtitle.startswith("length 10, 10 edges, grid")


def test_isochrones_are_drawn_band_by_band_the_nearest_on_top(town):
    found = wp.within(town, 0, [1.5, 3])
    axes = axes_of(found.plot())
    _, rim, far, near = axes.collections
    assert len(rim.get_segments()) == len(far.get_segments()) + len(near.get_segments())
    assert len(near.get_segments()) == 2 + 6  # whole ones, and halves of those out of the next
    assert near.get_colors()[0].tolist() != far.get_colors()[0].tolist()
    legend = axes.figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [
        "3 vertices within 1.5",
        "10 vertices within 3",
    ]
    assert "Within 3 of 0" in axes.figure.texts[0].get_text()
    assert "on the way to" in wp.within(town, 0, 1, reverse=True).plot().texts[0].get_text()


def test_many_lines_of_one_colour_are_drawn_as_lines_with_gaps():
    town = generate.grid(110, 110)
    drawn = axes_of(wp.nearest(town, [0]).plot()).collections[1].get_segments()
    assert len(drawn) < 400
    assert sum(map(len, drawn)) == 2 * (2 * 110 * 109)  # ends, where gaps are left out
    tree = axes_of(wp.sssp(generate.grid(150, 150), 0).plot()).collections[0]
    assert len(tree.get_array()) == len(tree.get_segments()) < 22_499


def test_a_vertex_with_a_long_number_is_called_by_its_streets(tmp_path):
    rows = "41000001,41000002,1,High Street\n41000002,41000001,1,High Street\n"
    rows += "41000002,41000003,2,Mill Lane\n7,41000001,1,\n"
    (tmp_path / "town.csv").write_text(f"u,v,w,street\n{rows}")
    town = wp.read(tmp_path / "town.csv", weight="w", attributes=["street"])
    town = town.with_coordinates([(at, at % 2) for at in range(town.n)])
    near = wp.within(town, 41000002, 9)
    assert near.plot().texts[0].get_text() == "Within 9 of High Street and Mill Lane"
    assert near.plot(source="Mill").texts[0].get_text() == "Within 9 of Mill"
    route = wp.path(town, 41000001, 41000003).plot()
    assert route.texts[0].get_text() == "Shortest path from High Street to 41000003"
    assert wp.sssp(town, 7).plot().texts[-2].get_text() == "Shortest paths from 7"


def test_legends_and_colour_bars_fit_tall_maps():
    tall = generate.grid(120, 20, weights=(1, 1000), seed=0)
    tree = wp.sssp(tall, 0).plot()
    near = wp.within(tall, 0, [100_000, 200_000, 300_000, 400_000, 500_000]).plot()
    for figure in (tree, near):
        renderer = figure.canvas.get_renderer()
        figure.draw(renderer)
        drawn = [*figure.texts, *(text for each in figure.legends for text in each.get_texts())]
        top = figure.axes[0].get_window_extent(renderer).y0
        for text in drawn:
            extent = text.get_window_extent(renderer)
            assert extent.x0 >= 0
            assert extent.x1 <= figure.bbox.x1
            assert extent.y1 <= top or extent.y0 > top  # above the map or below it
    assert len(near.legends[0].get_texts()) == 5


def monaco():
    """Four junctions of streets, 10 minutes apart, with degrees and a source to be named."""
    places = [(7.41, 43.73), (7.42, 43.73), (7.42, 43.74), (7.43, 43.74)]
    edges = [(0, 1, 600), (1, 2, 600), (2, 3, 600)]
    return wp.Graph.of(edges, coordinates=places, unit="s", attribution="by neighbours")


def test_pictures_have_units_a_scale_bar_and_the_source_of_the_data():
    tree = wp.sssp(monaco(), 0)
    assert [text.get_text() for text in tree.path_to(3).plot().texts] == [
        "Shortest path from 0 to 3",
        "30 min, 3 edges",
    ]
    drawn = tree.plot(route=3)
    written = {text.get_text() for text in drawn.texts}
    assert {"minutes from 0", "4 of 4 vertices reached, the route to 3 is 30 min long"} <= written
    near = wp.within(monaco(), 0, [600, 4000]).plot()
    assert near.texts[0].get_text() == "Within 1:07 h of 0"
    assert [text.get_text() for text in near.legends[0].get_texts()] == [
        "2 junctions within 10 min",
        "4 junctions within 1:07 h",
    ]
    for figure in (tree.path_to(3).plot(), drawn, near):
        on_map = {text.get_text() for text in figure.axes[0].texts}
        assert {"by neighbours", "200 m"} <= on_map


def areas(figure):
    """The lines of each colour that has some, as sets of their ends."""
    from matplotlib.colors import to_hex

    return {
        to_hex(drawn.get_colors()[0]): {tuple(map(tuple, line.tolist())) for line in segments}
        for drawn in axes_of(figure).collections
        if len(segments := drawn.get_segments())
    }


def test_each_area_has_the_colour_of_its_facility_and_its_neighbours_have_others():
    street = wp.Graph.of([(at, at + 1, 1) for at in range(8)], directed=False)
    street = street.with_coordinates([(at, at % 2) for at in range(9)])
    figure = wp.nearest(street, [0, 4, 8]).plot()
    pieces = sorted(sorted(lines) for lines in areas(figure).values())
    starts = [[int(line[0][0]) for line in lines] for lines in pieces]
    # 0 1 2 | 3 4 5 6 | 7 8 with faint edges between: the first and the last area share a colour.
    assert starts == [[0, 1, 7], [2, 6], [3, 4, 5]]
    assert [text.get_text() for text in axes_of(figure).texts] == ["0", "4", "8"]
    assert figure.texts[1].get_text() == "9 of 9 vertices, the farthest 2 away"


def test_facilities_can_be_called_otherwise_and_many_have_no_names(town):
    named = wp.nearest(town, [0, 5]).plot(names=["here", "there"])
    assert [text.get_text() for text in axes_of(named).texts] == ["here", "there"]
    many = wp.nearest(town, range(25)).plot()
    assert {text.get_text() for text in axes_of(many).texts} == {""}
    for wrong in (["one"], "ab"):
        with pytest.raises(InputError, match="must be 2 labels"):
            wp.nearest(town, [0, 5]).plot(names=wrong)


def test_areas_need_a_facility_with_coordinates():
    graph = wp.Graph.of([(0, 1, 1)], coordinates=[(np.nan, np.nan), (1, 1)])
    with pytest.raises(GraphError, match="no facility has coordinates"):
        wp.nearest(graph, [0]).plot()


def test_each_trip_has_a_line_and_a_colour_next_to_others(tmp_path):
    street = wp.Graph.of([(at, at + 1, 2) for at in range(8)], directed=False)
    street = street.with_coordinates([(at, at % 2) for at in range(9)])
    found = wp.pairs(street, [0, 5], [3, 8])
    figure = found.plot(tmp_path / "trips.png")
    lines = [one for one in axes_of(figure).lines if len(one.get_xdata()) == 4]
    assert [one.get_xdata().tolist() for one in lines] == [[0, 1, 2, 3], [5, 6, 7, 8]]
    assert lines[0].get_color() != lines[1].get_color()
    assert [text.get_text() for text in axes_of(figure).texts] == ["0", "3", "5", "8"]
    assert [text.get_text() for text in figure.texts[:2]] == [
        "2 trips",
        "2 have a path, the longest of 6",
    ]
    assert (tmp_path / "trips.png").stat().st_size > 1000
    many = wp.pairs(street, np.zeros(25, int), np.full(25, 8)).plot(title="A bus", subtitle="")
    assert [text.get_text() for text in axes_of(many).texts] == []
    assert many.texts[0].get_text() == "A bus"


def test_trips_without_a_path_or_coordinates_are_not_drawn(tmp_path):
    apart = wp.Graph.of([(0, 1, 1), (2, 3, 1)], coordinates=[(0, 0), (1, 1), (2, 2), (3, 3)])
    drawn = wp.pairs(apart, [0, 0], [1, 3]).plot()
    assert drawn.texts[1].get_text() == "1 have a path, the longest of 1"
    with pytest.raises(GraphError, match="no trip has a path"):
        wp.pairs(apart, [0], [3]).plot()
    with pytest.raises(GraphError, match="coordinates"):
        wp.pairs([(0, 1, 1)], [0], [1]).plot(tmp_path / "trips.png")
    with pytest.raises(InputError, match="not a Pairs"):
        plot_pairs(7)


def test_a_scale_bar_is_as_long_as_it_says():
    axes = axes_of(wp.sssp(monaco(), 0).plot())
    bar = axes.lines[-1].get_xdata()
    west, east = axes.get_xlim()
    metres = (
        np.radians((east - west) * (bar[1] - bar[0])) * 6_371_008.8 * np.cos(np.radians(43.735))
    )
    assert metres == pytest.approx(200, rel=1e-3)


def test_a_map_in_a_plane_has_no_scale_bar(town):
    assert "m" not in {text.get_text()[-1:] for text in axes_of(wp.sssp(town, 0).plot()).texts}


@pytest.mark.parametrize("subtitle", ["a long one, in two parts" * 4, "n" * 120])
def test_a_subtitle_that_is_too_wide_is_broken_or_smaller(town, subtitle):
    figure = wp.sssp(town, 0).path_to(1).plot(subtitle=subtitle)
    written = figure.texts[1]
    assert written.get_text().replace("\n", " ") == subtitle
    assert written.get_window_extent(figure.canvas.get_renderer()).x1 <= figure.bbox.x1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_bands_stand_out_from_the_paper(theme):
    from matplotlib.colors import to_rgb

    from warpath.plot.map import colours_between
    from warpath.plot.page import theme_of

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return np.dot(linear, (0.2126, 0.7152, 0.0722))

    paper = luminance(to_rgb(theme_of(theme).paper))
    for colour in colours_between(theme_of(theme), 5):
        bright, dim = sorted((paper, luminance(colour)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) > 1.25


@pytest.mark.parametrize(
    "dpi", [0, -3, 0.01, 1, 8.9, "a", True, float("nan"), float("inf"), (1, 2)]
)
def test_dots_per_inch_are_a_number_of_at_least_9(town, dpi):
    with pytest.raises(InputError, match=r"dpi = .* must be a number of at least 9, "):
        plot_route(town, [0, 1], dpi=dpi)


def test_the_smallest_picture_has_its_letters(town, tmp_path):
    plot_tree(wp.sssp(town, 0), tmp_path / "tree.png", dpi=9)
    assert (tmp_path / "tree.png").stat().st_size > 0


def test_a_picture_that_is_too_large_names_the_most_that_fits(town):
    with pytest.raises(InputError, match=r"dpi = 100000 makes a picture of .* dots, over 1 GiB"):
        plot_route(town, [0, 1], dpi=100_000)
    with pytest.raises(InputError, match="use at most 2,896"):
        new_figure((8.0, 4.0), 2897, "drawing")
    assert new_figure((8.0, 4.0), 2896, "drawing").dpi == 2896


def test_what_cannot_be_drawn_is_named(town):
    tree = wp.sssp(town, 0)
    with pytest.raises(InputError, match=r"paths = <Graph.* is a Graph, not a Paths: sssp"):
        plot_tree(town)
    with pytest.raises(InputError, match=r"found = <Paths.* is a Paths, not a Within: within"):
        plot_within(tree)
    with pytest.raises(InputError, match=r"found = <Paths.* is a Paths, not a Nearest: nearest"):
        plot_nearest(tree)
    with pytest.raises(InputError, match=r"graph = <Paths.* is a Paths, not a Graph: Graph.of"):
        plot_route(tree, [0, 1])
    with pytest.raises(InputError, match=r"vertices = 3 must be a Route"):
        plot_route(town, 3)


@pytest.fixture
def streets():
    """A street of two directions, one of one, and a third one that no trip takes."""
    edges = [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 3, 5)]
    return wp.Graph.of(edges, coordinates=[(0, 0), (1, 0), (2, 0), (2, 1)], directed=True)


def test_loads_are_line_widths_and_both_directions_of_a_street_are_one_line(streets):
    figure = wp.loads(streets, [0, 1, 0], [1, 0, 2], [300, 100, 800]).plot()
    lines = {
        tuple(map(tuple, segment)): (drawn.get_linewidths()[0], tuple(drawn.get_colors()[0]))
        for drawn in axes_of(figure).collections[1:]
        for segment in drawn.get_segments()
    }
    assert set(lines) == {((0, 0), (1, 0)), ((1, 0), (2, 0))}  # nobody goes to 3
    wide, narrow = lines[(0, 0), (1, 0)], lines[(1, 0), (2, 0)]
    assert wide[0] > narrow[0] > 0
    assert wide[1] != narrow[1]
    legend = figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [
        "1,000 trips",  # the loads are 1,200 and 800
    ]
    assert wide[0] > legend.get_lines()[0].get_linewidth() > narrow[0]
    assert [text.get_text() for text in figure.texts] == [
        "Trips over each edge",
        "3 pairs, at most 1,200 trips",
    ]


def test_centralities_of_vertices_are_colours_of_the_edges_between_them(streets):
    closeness = wp.centrality.closeness(streets)
    figure = closeness.plot(theme="dark")
    (drawn,) = axes_of(figure).collections[1:]
    expected = sorted(
        (closeness.vertices[u] + closeness.vertices[v]) / 2 for u, v in [(0, 1), (1, 2), (2, 3)]
    )
    assert drawn.get_array().tolist() == pytest.approx(expected)
    assert figure.texts[0].get_text() == "closeness"
    assert figure.texts[1].get_text() == "Closeness of vertices"


def test_a_centrality_is_drawn_for_one_of_its_cutoffs(streets):
    near = wp.centrality.betweenness(streets, cutoff=[1, 2], normalized=False)
    assert plot_centrality(near).texts[0].get_text() == "Shortest paths over each edge within 2"
    figure = near.plot(cutoff=1)
    assert figure.texts[0].get_text() == "Shortest paths over each edge within 1"
    assert figure.texts[1].get_text() == "4 vertices, at most 2"
    with pytest.raises(InputError, match=r"cutoff = 3 is not among .*: use 1, 2\."):
        near.plot(cutoff=3)
    with pytest.raises(InputError, match=r"cutoff = 3 .* the result has none"):
        wp.centrality.closeness(streets).plot(cutoff=3)


def test_a_legend_has_numbers_between_the_smallest_and_the_largest(streets):
    figure = wp.loads(streets, [0, 1, 2], [1, 2, 3], [7_000, 90, 300]).plot()
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["5,000 trips", "2,000 trips", "1,000 trips", "500 trips"]
    widths = [line.get_linewidth() for line in figure.legends[0].get_lines()]
    assert widths == sorted(widths, reverse=True)
    figure = wp.loads(streets, [0, 1], [1, 2], [70, 90]).plot()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["50 trips"]


def test_a_network_without_trips_is_drawn_without_a_legend(streets):
    figure = wp.loads(streets, [3], [0], 7).plot()
    assert not figure.legends
    assert not any(len(drawn.get_segments()) for drawn in axes_of(figure).collections[1:])


def test_centralities_without_lines_are_refused():
    bare = wp.Graph.of([(0, 1, 1)])
    with pytest.raises(GraphError, match="no coordinates, so a centrality cannot be drawn"):
        wp.centrality.harmonic(bare).plot()
    for nowhere in (
        bare.with_coordinates([(np.nan, 0), (1, 1)]),
        wp.Graph.of([(0, 0, 1)], coordinates=[(0, 0)]),
    ):
        with pytest.raises(GraphError, match="no edge with a finite number has coordinates"):
            wp.centrality.harmonic(nowhere).plot()
    with pytest.raises(InputError, match=r"not a Centrality: centrality\.betweenness"):
        plot_centrality(7)
