"""The command `centrality`: the numbers of `warpath.centrality`, their files and maps."""

from __future__ import annotations

import csv

import pytest

import warpath as wp

MEASURES = wp.centrality.__all__


def printed(found):
    """The rows that the command prints: cells as texts."""
    edges = found.measure == "edge_betweenness"
    src, dst, _ = found.graph.edges()
    ends = [src + 1, dst + 1] if edges else [range(1, found.graph.n + 1)]
    values = found.edges if edges else found.vertices
    columns = [values] if values.ndim == 1 else values.T
    rows = zip(*ends, *(column.tolist() for column in columns), strict=True)
    return [[str(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("measure", MEASURES)
def test_each_measure_prints_the_numbers_of_the_library(warpath, roads, places, measure):
    more = {"beta": 0.5} if measure == "gravity" else {}
    found = getattr(wp.centrality, measure)(wp.read(roads, coordinates=places), **more)
    words = ("--measure", measure, "--coordinates", places, "--all")
    run = warpath("centrality", roads, *words, *(["--beta", 0.5] if more else []))
    header, *rows = [line.split("\t") for line in run.out.splitlines()]
    assert header[-1] == measure
    assert rows == printed(found)


def test_radii_are_columns_of_one_file(warpath, roads, tmp_path):
    out = tmp_path / "b.csv"
    words = ("centrality", roads, "--radius", 3, "--radius", 9, "-o", out)
    run = warpath(*words)
    found = wp.centrality.betweenness(wp.read(roads), cutoff=[3, 9])
    header, *rows = csv.reader(out.read_text().splitlines())
    assert header == ["vertex", "betweenness_3", "betweenness_9"]
    assert rows == printed(found)
    assert "sources                6 vertices" in run.out
    assert "largest betweenness_9  0.2, of 2" in run.out
    document = warpath(*words, "--json").json
    assert document["largest"]["betweenness_9"] == [[2], 0.2]
    assert document["values"][1] == {"vertex": 2, "betweenness_3": 0.0, "betweenness_9": 0.2}
    assert (document["measure"], document["sources"]) == ("betweenness", 6)
    assert set(document["seconds"]) == {"read", "solve", "write"}


def test_sources_are_named_as_in_the_file(warpath, roads, places):
    run = warpath("centrality", roads, "--sources", "1,3", "--measure", "edge_betweenness", "--all")
    found = wp.centrality.edge_betweenness(wp.read(roads), sources=[0, 2])
    assert [line.split("\t") for line in run.out.splitlines()[1:]] == printed(found)
    words = ("centrality", roads, "--coordinates", places, "--sources", "0,0;1,5", "--within", 1)
    assert "sources              2 vertices" in warpath(*words).out


def test_random_sources_are_those_of_a_seed(warpath, roads):
    words = ("centrality", roads, "--k", 2, "--seed", 7, "--all")
    found = wp.centrality.betweenness(wp.read(roads), k=2, seed=7)
    assert [line.split("\t") for line in warpath(*words).out.splitlines()[1:]] == printed(found)


def test_numbers_are_drawn(warpath, roads, places, tmp_path):
    pytest.importorskip("matplotlib")
    words = ("centrality", roads, "--plot", tmp_path / "b.svg", "--html", tmp_path / "b.html")
    refused = warpath(*words)
    assert "no coordinates, so the numbers cannot be drawn" in refused.err
    assert warpath(*words, "--coordinates", places, "--theme", "dark", "--radius", 9).code == 0
    for name in ("b.svg", "b.html"):
        assert "Shortest paths over each edge within 9" in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--measure", "closenes"], "no measure 'closenes'. Did you mean closeness?"),
        (["--measure", "x1"], "no measure 'x1'. There are betweenness, closeness, ecc"),
        (["--measure", "eccentricity", "--radius", 3], "--radius has no effect on eccentricity"),
        (["--measure", "closeness", "--k", 3], "--k has no effect on closeness"),
        (["--measure", "harmonic", "--sources", 3], "--sources has no effect on harmonic"),
        (["--measure", "reach", "--beta", 1], "--beta has no effect on reach"),
        (["--measure", "gravity"], "gravity needs beta"),
        (["--measure", "straightness"], "straightness needs coordinates"),
        (["--seed", 3], "--seed is for the random vertices of --k"),
        (["--k", 7], "k = 7 must be a number of vertices to draw: 1 to 6"),
        (["--k", 2, "--sources", 1], "both choose the sources"),
        (["--radius", "far"], "'far' must be"),
        (["--sources", 9], "vertex 9 does not exist"),
    ],
)
def test_what_has_no_effect_or_no_meaning_is_refused(warpath, roads, words, message):
    run = warpath("centrality", roads, *words)
    assert run.code in {2, 3}
    assert message in run.err
