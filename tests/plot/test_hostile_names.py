"""Pages, pictures and tables show names with markup and control characters as they are."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import warpath as wp
from warpath.plot import plot_frontier, plot_trace

NAMES = [
    "<script>alert(1)</script>",
    "{{7*191}}{% raw %}",
    "</script><img src=x onerror=alert(1)>",
    "$x$",
    "_hidden",
    "\x1b[31m\x07\x9b\u202e",
    "\ud800half",
    "`${alert(1)}`",
    '" onload="alert(1)',
    "a\nb",
]
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")
_ELEMENT = re.compile(r"<script>alert|<img|\" onload=\"alert|1337|\$\{alert")

RESULTS = {
    "paths": lambda graph: wp.sssp(graph, NAMES[0]),
    "route": lambda graph: wp.path(graph, NAMES[0], NAMES[-1]),
    "within": lambda graph: wp.within(graph, NAMES[0], [9, 99]),
    "nearest": lambda graph: wp.nearest(graph, NAMES[::2]),
    "pairs": lambda graph: wp.pairs(graph, NAMES[:3], NAMES[3:6]),
    "loads": lambda graph: wp.loads(graph, NAMES[:3], NAMES[3:6]),
}


@pytest.fixture(scope="module")
def graph():
    n = len(NAMES)
    return wp.Graph.of(
        [(at, (at + 1) % n, at + 1) for at in range(n)],
        labels=NAMES,
        coordinates=[(at * 1e-3, at * at * 1e-4) for at in range(n)],
        name="<img src=x>$n$\x1b\ud801",
        attribution="<img src=y>$m$\x1b\ud801",
    )


@pytest.fixture(params=RESULTS)
def result(request, graph):
    return RESULTS[request.param](graph)


def test_pages_show_names_as_text(result, tmp_path):
    result.save_html(tmp_path / "map.html")
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert not _RAW.findall(text)
    assert "<img" not in text
    assert text.count("<script") == text.count("</script") == 2
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text)[0])
    shown = json.dumps(data["marks"]) + json.dumps(data["layers"])
    assert "<script>alert(1)</script>" in shown
    assert "&lt;" not in shown


def test_titles_of_callers_may_have_lines(result, tmp_path):
    result.save_html(tmp_path / "map.html", title="<b>\n\x1b", subtitle="{{7*191}}")
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "<h1>&lt;b&gt;\n\\x1b</h1><p>{{7*191}}</p>" in text


SHOWN = {
    wp.Graph: lambda graph: graph,
    wp.Paths: RESULTS["paths"],
    wp.Route: RESULTS["route"],
    wp.Pairs: RESULTS["pairs"],
    wp.ScenarioPairs: lambda graph: (
        wp.Solver(graph).scenarios({NAMES[0]: graph.weights}).pairs([NAMES[0]], [NAMES[1]])
    ),
    wp.Nearest: RESULTS["nearest"],
    wp.Within: RESULTS["within"],
    wp.Accessibility: lambda graph: wp.accessibility(graph, NAMES[:3], origins=NAMES),
    wp.Totals: lambda graph: wp.totals(graph, "sum"),
    wp.DistanceTable: wp.apsp,
    wp.Centrality: wp.centrality.closeness,
    wp.Plan: lambda graph: wp.plan(graph, NAMES[0]),
    wp.Legs: lambda graph: wp.path(_with_streets(graph), 0, 5).legs,
}


def test_every_page_of_a_notebook_is_tried():
    classes = [each for each in vars(wp).values() if hasattr(each, "_repr_html_")]
    assert set(classes) <= set(SHOWN)


@pytest.mark.parametrize("kind", SHOWN)
def test_notebooks_show_names_as_text(graph, kind):
    text = SHOWN[kind](graph)._repr_html_()
    assert not _RAW.findall(text)
    assert not re.findall(r"<script|<img", text)


@pytest.mark.parametrize("make", [*RESULTS.values(), *SHOWN.values()])
def test_texts_have_no_control_characters(graph, make):
    assert not _RAW.findall(repr(make(graph)))
    assert not _RAW.findall(str(make(graph)))


def _with_streets(graph):
    pandas = pytest.importorskip("pandas")
    src, dst, weights = graph.edges()
    names = [name for name in NAMES if "\ud800" not in name] + ["x"]
    frame = pandas.DataFrame({"u": src, "v": dst, "w": weights, "street": names})
    return wp.Graph.of(frame, attributes=["street"], weight="w", columns=("u", "v"))


@pytest.mark.parametrize("kind", ["paths", "route", "within", "nearest", "loads"])
@pytest.mark.filterwarnings("ignore")
def test_maps_of_folium_show_names_as_text(graph, kind):
    for package in ("folium", "geopandas", "mapclassify", "matplotlib"):
        pytest.importorskip(package)
    text = RESULTS[kind](graph).explore().get_root().render()
    assert not _RAW.findall(text)
    assert not _ELEMENT.findall(text)
    plain = html.unescape(text.encode().decode("unicode_escape"))
    assert "<script>alert(1)</script>" in plain


@pytest.mark.filterwarnings("ignore:Glyph")
def test_pictures_show_names_as_they_are(result, tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    figure = result.plot(tmp_path / "map.svg")
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    shown = "\n".join(text.get_text() for text in texts)
    assert not _RAW.findall(shown)
    assert "$m$\\x1b\\ud801" in shown
    names = [text for text in texts if "$" in text.get_text()]
    assert not any(text.get_parse_math() for text in names)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_pictures_of_searches_and_traces_show_names_as_they_are(graph, tmp_path):
    pytest.importorskip("matplotlib")
    paths = wp.sssp(graph, "$x$", trace=True)
    plot_frontier(paths, tmp_path / "a.png", frames=2)
    plot_trace([paths.trace, paths.trace], tmp_path / "b.png", names=["$x$", "_h\x1b\ud800"])


@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_very_long_name_is_cut_in_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    long = wp.Graph.of([("a" * 10**6, "b", 1)], coordinates=[(0, 0), (1, 1)])
    wp.sssp(long, "a" * 10**6).plot(tmp_path / "a.png")


def test_messages_have_no_control_characters(graph, tmp_path):
    for call in (
        lambda: wp.write(graph, tmp_path / "x\x1b[2J.doc"),
        lambda: wp.write(graph, tmp_path / "x.gr"),
        lambda: wp.write(graph, tmp_path / "no\x1bwhere" / "x.npz"),
        lambda: wp.read(tmp_path / "no\x1b[2J.gr"),
        lambda: wp.sssp(graph, NAMES[0]).save(tmp_path / "x\x1b[2J.doc"),
        lambda: wp.sssp(graph, NAMES[0]).plot(tmp_path / "x\x1b[2J.doc"),
        lambda: wp.sssp(graph, "\x1b[2J"),
    ):
        with pytest.raises(wp.WarpathError) as error:
            call()
        assert not _RAW.findall(str(error.value))


def test_a_very_long_name_is_cut_in_messages():
    long = wp.Graph.of([("a" * 10**6, "b", 1)])
    with pytest.raises(wp.NoPathError) as error:
        wp.path(long, "b", "a" * 10**6)
    made = [error.value, wp.sssp(long, "a" * 10**6), wp.path(long, "a" * 10**6, "b")]
    assert max(map(len, map(str, made))) < 1000


@pytest.mark.parametrize("unit", ["$x$ and $y$", "_hidden\x1b", "<b>"])
def test_units_are_shown_as_they_are(tmp_path, unit):
    pytest.importorskip("matplotlib")
    graph = wp.Graph.of([(0, 1, 1)], coordinates=[(0, 0), (1, 1)], unit=unit)
    figure = wp.within(graph, 0, [1, 2]).plot(tmp_path / "a.svg")
    (legend,) = figure.legends
    assert legend.get_texts()[0].get_text() == f"2 vertices within 1 {unit}".replace(
        "\x1b", "\\x1b"
    )


def test_tables_of_pandas_escape_halves_of_surrogate_pairs(graph):
    pytest.importorskip("pandas")
    made = [RESULTS[name](graph) for name in ("paths", "within", "nearest", "pairs")]
    made += [wp.apsp(graph), wp.distances(graph, NAMES[0], predecessors=True)]
    for result in made:
        assert "\\ud800half" in result.to_pandas().to_csv() or result is made[3]
    assert "\\ud800half" in wp.apsp(graph).to_pandas(long=False).to_csv()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_saved_rows_escape_halves_of_surrogate_pairs_and_are_read_back(graph, tmp_path, suffix):
    pytest.importorskip("pyarrow")
    paths, table = wp.sssp(graph, NAMES[6]), wp.apsp(graph)
    paths.save(tmp_path / f"a{suffix}")
    table.save(tmp_path / f"b{suffix}")
    read = wp.Paths.load(graph, tmp_path / f"a{suffix}")
    assert (read.dist == paths.dist).all()
    assert (read.pred == paths.pred).all()
    if suffix == ".csv":
        assert '"\\ud800half",0,' in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_a_wide_table_refuses_two_columns_of_one_name(tmp_path):
    table = wp.apsp([("source", "b", 1), ("b", "source", 2)])
    for suffix in (".csv", ".parquet"):
        with pytest.raises(wp.InputError, match=r"two columns 'source': use long=True"):
            table.save(tmp_path / f"a{suffix}", long=False)
    table.save(tmp_path / "a.csv", long=True)


def test_formulas_in_csv_are_escaped_on_request_only(tmp_path):
    names = ["=1+1", "+a", "-b", "@c", "\td", "plain", "-5", "+1.5e3"]  # the last two are numbers
    graph = wp.Graph.of([(at, (at + 1) % 8, -0.5 + at) for at in range(8)], labels=names)
    paths = wp.sssp(graph, "=1+1")
    paths.save(tmp_path / "a.csv")
    assert '\n"=1+1",0.0,\n"+a",-0.5,"=1+1"\n' in (tmp_path / "a.csv").read_text()
    paths.save(tmp_path / "a.csv", escape_formulas=True)
    rows = (tmp_path / "a.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == [
        '"\'=1+1"', '"\'+a"', '"\'-b"', '"\'@c"', '"\'\td"', '"plain"', '"-5"', '"+1.5e3"'
    ]  # fmt: skip
    assert rows[1].split(",")[1] == "-0.5"
    for name in ("a.npz", "a.parquet"):
        with pytest.raises(wp.InputError, match=r"escape_formulas=True is for \.csv"):
            paths.save(tmp_path / name, escape_formulas=True)


def test_names_that_end_with_nul_are_different_names(tmp_path):
    graph = wp.Graph.of([("a", "a\0", 1), ("a\0", "b", 2)])
    assert graph.labels.tolist() == ["a", "a\0", "b"]
    assert wp.Graph.of([(0, 1, 1)], labels=["a", "a\0"]).labels.tolist() == ["a", "a\0"]
    with pytest.raises(wp.InputError, match=r"the label 'a\\x00' cannot be stored"):
        wp.write(graph, tmp_path / "a.npz")


@pytest.mark.parametrize("far", [1.7e308, -1.7e308])
def test_coordinates_that_overflow_are_named(far, tmp_path):
    graph = wp.Graph.of([("a", "b", 1)], coordinates=[(0, 0), (far, far)])
    for draw in (wp.sssp(graph, "a").plot, wp.path(graph, "a", "b").save_html):
        with pytest.raises(wp.GraphError, match=r"vertex 'b' lies at .*1e\+300 cannot be drawn"):
            draw(tmp_path / ("a.png" if draw.__name__ == "plot" else "a.html"))
    scaled = graph.with_coordinates(np.asarray(graph.coordinates) / 1e300)
    wp.path(scaled, "a", "b").save_html(tmp_path / "a.html")


def test_a_graph_may_be_written_over_the_file_that_it_is_mapped_from(tmp_path):
    city = wp.prepare(wp.Graph.of([(0, 1, 2), (1, 2, 3), (2, 0, 4)]))
    city.save(tmp_path / "city.wph")
    read = wp.read(tmp_path / "city.wph")
    wp.prepare(read).save(tmp_path / "city.wph")
    assert wp.sssp(read, 0).dist.tolist() == [0, 2, 5]
    wp.write(read, tmp_path / "city.npz")
    again = wp.read(tmp_path / "city.npz")
    wp.write(again.reversed(), tmp_path / "city.npz")
    assert wp.sssp(again, 0).dist.tolist() == [0, 2, 5]
