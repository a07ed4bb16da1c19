"""`warpath bench centrality`: all solvers count the same paths, or get no time."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import warpath
from warpath.base.errors import MissingDependencyError, VerificationError
from warpath_bench import centrality

for package in ("igraph", "networkit", "networkx"):
    pytest.importorskip(package)

GRAPHS = ["delaunay 4096", "rmat 16 16"]


@pytest.fixture
def given(tmp_path):
    """Options of a run on tiny graphs, and the file of its lines."""
    lines = tmp_path / "lines.jsonl"
    words = ["--lines", str(lines), "--scale", "0.02", "--sources", "4", "--graphs", *GRAPHS]
    return words, lines


def test_every_solver_has_a_line_and_is_not_measured_again(given, capsys, monkeypatch):
    words, lines = given
    assert centrality.main([*words, "--budget", "-1"]) == 0
    assert "18 lines are left" in capsys.readouterr().err
    assert centrality.main(words) == 0
    told = capsys.readouterr().out
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(found) == 3 * len(centrality.SOLVERS)
    timed = {(line["question"], line["solver"]) for line in found if line["seconds"] is not None}
    assert ("all vertices", "networkx") in timed
    assert ("4 sources", "igraph") in timed
    assert ("4 sources, unweighted", "brandes2001.betweenness") in timed
    assert ("4 sources", "networkit") not in timed
    assert told.count("| 4 sources") == 2
    monkeypatch.setattr(centrality, "measured", None)
    assert centrality.main(words) == 0
    assert capsys.readouterr().out == told


def test_other_numbers_are_refused(given, monkeypatch):
    words, lines = given

    def wrong(graph, *_):
        return lambda: np.ones(graph.n)

    monkeypatch.setitem(centrality.SOLVERS, "igraph", wrong)
    with pytest.raises(VerificationError, match=r"igraph has other numbers than brandes2001"):
        centrality.main(words)
    assert not lines.exists()


@pytest.fixture
def streets():
    """A grid with many ties, in which about a quarter of the edges run one way."""
    src, dst, _ = warpath.generate.grid(9, 9, (1, 1)).edges()
    drawn = np.random.default_rng(0)
    kept = drawn.random(src.size) < 0.85
    lengths = drawn.integers(1, 4, kept.sum())
    return warpath.Graph.from_edges(src[kept], dst[kept], lengths, n=81)


def _times(graph, radius):
    lines = centrality.measured("streets", graph, centrality.Question("streets", 0, radius))
    return {line["solver"]: line["seconds"] for line in lines}


def test_cityseer_counts_the_same_paths_within_a_radius(streets, monkeypatch):
    pytest.importorskip("cityseer")
    assert _times(streets, 6)["cityseer"] is not None
    found = centrality.SOLVERS["cityseer"](streets, None, None, 12)()
    solver = warpath.Solver(streets, algorithm="brandes2001.betweenness")
    expected = warpath.centrality.betweenness(solver, normalized=False, cutoff=12).vertices
    assert np.any(expected % 1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    monkeypatch.setitem(centrality.SOLVERS, "cityseer", lambda *_: lambda: found * (1 + 1e-8))
    with pytest.raises(VerificationError, match="cityseer has other numbers"):
        _times(streets, 6)


def test_cityseer_is_left_out_where_its_ties_are_others(streets):
    cityseer = centrality.SOLVERS["cityseer"]
    assert cityseer(streets, None, None, None) is None
    assert cityseer(streets, None, [3], 12) is None
    assert cityseer(streets, None, None, 9_981) is None
    floats = streets.with_weights(streets.edges()[2] / 3)
    assert cityseer(floats, None, None, 12) is None
    longer = streets.with_weights(streets.edges()[2] * 1_000)
    assert _times(longer, 6)["cityseer"] is None


def test_a_missing_cityseer_is_named_where_it_is_needed(streets, monkeypatch):
    monkeypatch.setitem(sys.modules, "cityseer", None)
    with pytest.raises(MissingDependencyError, match="pip install cityseer"):
        centrality.SOLVERS["cityseer"](streets, None, None, 12)
