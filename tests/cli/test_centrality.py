"""The command `centrality`: the numbers of `warpath.centrality`, their files and maps."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import warpath as wp
from warpath.cli.many import MEASURES
from warpath.engines import betweenness as engine
from warpath.io.journal import KeptSums


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


def test_vertices_weigh_what_a_file_says(warpath, roads, tmp_path):
    nodes, array = tmp_path / "nodes.csv", tmp_path / "area.npy"
    nodes.write_text("id,area,floors\n1,5,1\n3,2.5,1\n1,1,1\n")
    np.save(array, [6, 0, 2.5, 0, 0, 0])
    found = wp.centrality.reach(wp.read(roads), weights=np.load(array), cutoff=9)
    for file in (f"{nodes}:Area", array):
        words = ("--measure", "reach", "--radius", 9, "--vertex-weights", file, "--all")
        run = warpath("centrality", roads, *words)
        assert [row.split("\t") for row in run.out.splitlines()[1:]] == printed(found)
    for text, message in (
        ("id,m\n1,5\n", "nodes.csv:1: expected the columns vertex and area in the first row"),
        ("id,area\n1,x\n", "nodes.csv:2: expected a number in the column area, found 'x'"),
        ("id,area\n9,1\n", "nodes.csv:2: vertex 9 does not exist"),
        ("id,area\n,1\n", "nodes.csv:2: the row has no vertex"),
        ("id,area\n1,-4\n", "weights[0] = -4.0 must be a finite number >= 0"),
        ("", "expected the columns vertex and area"),
    ):
        nodes.write_text(text)
        run = warpath(
            "centrality", roads, "--measure", "reach", "--vertex-weights", f"{nodes}:area"
        )
        assert message in run.err
    np.save(array, [1, 2])
    run = warpath("centrality", roads, "--measure", "reach", "--vertex-weights", array)
    assert "weights has the shape (2,)" in run.err


def test_radii_are_measured_in_another_column(warpath, tmp_path):
    file = tmp_path / "streets.csv"
    file.write_text("source,target,weight,m\na,b,1,50\nb,c,1,50\nc,d,1,200\n")
    words = ("--option", "attributes=m", "--radius", 100, "--radius", 300, "--by", "m", "--all")
    run = warpath("centrality", file, *words)
    rows = [line.split("\t") for line in run.out.splitlines()]
    assert rows[0] == ["vertex", "betweenness_100", "betweenness_300"]
    found = wp.centrality.betweenness(
        wp.read(file, attributes="m"), cutoff=[100, 300], by=[50, 50, 200]
    )
    assert [row[1:] for row in rows[1:]] == [list(map(str, row)) for row in found.vertices.tolist()]


def test_a_stopped_command_goes_on(warpath, roads, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "BLOCK", 2)
    out, keep = tmp_path / "b.csv", KeptSums.keep

    def stop(self, done, *parts):
        keep(self, done, *parts)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(KeptSums, "keep", stop)
        run = warpath("centrality", roads, "-o", out)
    assert "b.csv.part keeps the finished rows: run the same command to resume" in run.err
    assert warpath("centrality", roads, "-o", out).code == 0
    _, *rows = csv.reader(out.read_text().splitlines())
    assert rows == printed(wp.centrality.betweenness(wp.read(roads)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.csv", "roads.gr"]


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
        (["--by", "m", "--measure", "eccentricity"], "--by has no effect on eccentricity"),
        (["--by", "toll", "--radius", 3], "--by toll is not a rule, a kept column"),
        (["--vertex-weights", "a.npy"], "--vertex-weights has no effect on betweenness"),
        (["--measure", "reach", "--vertex-weights", "a.csv"], "a column of a table, as nodes.csv:"),
        (["--measure", "reach", "--vertex-weights", "no.csv:a"], "no such file"),
        (["--seed", 3], "--seed is for the random vertices of --k"),
        (["--by", "euclidean"], "--by is what --radius is measured in: give --radius"),
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
