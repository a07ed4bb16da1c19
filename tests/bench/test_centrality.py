"""`warpath bench centrality`: all solvers count the same paths, or get no time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from warpath.base.errors import VerificationError
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
    assert "15 lines are left" in capsys.readouterr().err
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
    with pytest.raises(VerificationError, match=r"igraph has other numbers than warpath\.count"):
        centrality.main(words)
    assert not lines.exists()
