"""How results look in a notebook."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath.base import notebook, progress
from warpath.base.progress import watch

ODD = "<script>alert('&')</script>"


class Page(HTMLParser):
    """Its texts, and every tag closed in order."""

    def __init__(self, html):
        super().__init__()
        self.texts, self.tags, self._open = [], set(), []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def shown(thing):
    page = Page(thing._repr_html_())
    assert page.tags <= {
        "div",
        "b",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
    }
    return page.texts


@pytest.fixture
def trips():
    edges = [("home", ODD, 4), (ODD, "work", 21), ("home", "work", 70)]
    return wp.Graph.of(edges, name=ODD, coordinates=np.zeros((3, 2)))


def test_a_graph_shows_what_it_is(trips):
    texts = shown(trips)
    assert texts[0] == f"Graph {ODD}"
    assert dict(zip(texts[1::2], texts[2::2], strict=True)) == {
        "vertices": "3",
        "edges": "3, directed",
        "weights": "int64",
        "named by": "labels (strings)",
        "coordinates": "x and y of each vertex",
        "memory": "68 B",
    }


def test_a_graph_tells_what_is_left_out():
    graph = wp.Graph.from_edges([0, 1], [1, 2], directed=False, first_through=1)
    texts = shown(graph)
    assert texts[0] == "Graph"
    assert {
        "4, undirected, stored both ways",
        "every weight 1",
        "0 .. 2",
        "the first vertex",
    } < {*texts}
    assert shown(wp.Graph.from_edges([], []))[1:3] == ["vertices", "0"]


def test_paths_show_the_farthest_and_the_plan(trips):
    texts = shown(wp.sssp(trips, "home", cutoff=9))
    found = dict(zip(texts[1::2], texts[2::2], strict=True))
    assert texts[0] == "Paths from home"
    assert found["reached"] == "2 of 3 vertices"
    assert found["farthest"] == f"{ODD}, at 4"
    assert (found["mean distance"], found["cutoff"]) == ("2", "9")
    assert "cpu" in found["plan"]
    assert "solved in" in found


def test_the_farthest_may_be_at_a_negative_distance():
    texts = shown(wp.sssp([(0, 1, -4), (1, 2, -1)], 1))
    assert "1, at 0" in texts


def test_a_plan_shows_the_runners_up_and_folds_what_was_left_out():
    plan = wp.plan([(0, 1, -2), (1, 2, 5)], 0)
    texts = shown(plan)
    assert texts[0] == f"Plan: {plan.headline()}"
    assert texts[1] == f"because {plan.reason}"
    assert texts[2:5] == ["algorithm", "predicted", "memory in addition to the graph"]
    assert f"{len(plan.left_out)} left out" in texts
    assert f"{plan.left_out[0][0]}: {plan.left_out[0][1]}" in texts


def test_a_table_shows_its_corner(trips):
    texts = shown(wp.apsp(trips))
    assert texts[0] == "DistanceTable 3 x 3, int64"
    assert texts[1:5] == ["source \\ target", "home", ODD, "work"]
    assert texts[5:9] == ["home", "0", "4", "25"]
    assert texts[9:13] == [ODD, "-", "0", "21"]
    large = wp.apsp(wp.generate.grid(3, 4, weights=None))
    texts = shown(large)
    assert texts.count("...") == 2
    assert "11" not in texts[:11]
    assert "..." not in shown(wp.apsp(wp.generate.grid(2, 4, weights=None)))


def test_a_table_without_distances_shows_none(trips):
    table = wp.distances(trips, ["home"], out=lambda *_: None)
    assert shown(table)[0] == "DistanceTable 1 x 3, given to a function"


def test_a_bar_knows_no_total():
    assert 'value="3" max="12"' in notebook.progress("a", 3, 12, "")
    assert Page(notebook.progress(ODD, 0, 0, ODD)).texts[0].startswith(ODD)


@pytest.fixture
def kernel(monkeypatch):
    """A notebook's kernel: the list of what is displayed, and of what it becomes."""
    pages = []

    class Handle:
        def update(self, page):
            pages.append(page)

    def display(page, *, display_id):
        assert display_id is True
        pages.append(page)
        return Handle()

    shell = SimpleNamespace(kernel=object())
    package, module = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: shell
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(progress, "_SILENT_SECONDS", -1.0)
    monkeypatch.setattr(progress, "_REDRAWN", 0.0)
    return SimpleNamespace(pages=pages, shell=shell)


def test_in_a_notebook_a_bar_stands_below_the_cell_while_work_lasts(kernel, capsys):
    with watch(progress=True, what="solving", unit="rows") as report:
        report(1, 4)
        report(2, 4)
    first, second, last = kernel.pages
    assert 'value="1" max="4"' in first
    assert "50 %" in second
    assert "rows/s" in second
    assert last == ""
    assert capsys.readouterr() == ("", "")


def test_short_work_in_a_notebook_shows_nothing(kernel, monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 60.0)
    with watch(progress=True, what="solving") as report:
        report(1, 4)
    assert kernel.pages == []


def test_a_bar_in_a_notebook_is_redrawn_seldom(kernel, monkeypatch):
    monkeypatch.setattr(progress, "_REDRAWN", 60.0)
    with watch(progress=True, what="solving") as report:
        for done in range(100):
            report(done, 100)
    assert len(kernel.pages) == 2


def test_ipython_in_a_terminal_has_no_bar_of_a_notebook(kernel, capsys):
    kernel.shell.kernel = None
    with watch(progress=True, what="solving") as report:
        report(0, 100)
        report(50, 100)
    assert kernel.pages == []
    assert "solving: 50 %" in capsys.readouterr().err


def test_a_cutoff_of_many_digits_is_shown_with_all_of_them():
    texts = shown(wp.sssp([(0, 1, 2**53)], 0, cutoff=2**53 + 1))
    assert dict(zip(texts[1::2], texts[2::2], strict=True))["cutoff"] == "9,007,199,254,740,993"
