"""The benchmark: verified, side by side, reproducible choices."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath_bench import __main__ as command
from warpath_bench import anchors, many, peak


def test_dense_all_pairs_stand_beside_the_peak(capsys):
    arguments = ["peak", "--n", "40", "--repeats", "1", "--dtypes", "int32", "float32"]
    assert command.main([*arguments, "--threads", "1", "2"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert "all pairs of 40" in rows[0]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]
    assert [row[:2] for row in cells] == [[d, t] for d in ("int32", "float32") for t in "12"]
    assert all(float(row[2]) > 0 and re.fullmatch(r"\d+%", row[4]) for row in cells)


def test_a_wrong_matrix_has_no_rate():
    def wrong(dist, threads):
        _core.floyd_warshall(dist, threads=threads)
        dist += 1

    with pytest.raises(wp.VerificationError, match="not Dijkstra's"):
        peak.measure(np.ones((9, 9), np.float32), 1, 1, wrong)


def test_tables_of_many_sources_and_all_pairs_are_compared_and_printed(capsys):
    pytest.importorskip("scipy")
    given = ["many", "--graphs", "road", "--scale", "0.0005", "--sources", "5", "--pairs", "40"]
    assert (
        command.main([*given, "--repeats", "2", "--algorithms", "auto", "warpath.side_by_side"])
        == 0
    )
    out = capsys.readouterr().out
    for line in (
        "warpath auto, 1 thread",
        "warpath warpath.side_by_side, 2 threads",
        "SciPy dijkstra",
        "warpath apsp, 2 threads",
        "n = 40",
    ):
        assert line in out


def test_peers_of_many_sources_are_those_that_were_named():
    assert many.peers(2, []) == []
    assert [each.name for each in many.peers(2, ["scipy"])] == ["SciPy dijkstra"]
    with pytest.raises(wp.InputError, match="rustworkx is not measured with many sources"):
        many.peers(2, ["scipy", "rustworkx"])


def test_a_peer_with_another_answer_gives_no_numbers():
    graph = wp.generate.uniform(30, 4)
    wrong = many.Rows("wrong", lambda graph: graph, lambda _, sources: np.zeros((len(sources), 30)))
    with pytest.raises(wp.VerificationError, match="wrong and warpath auto"):
        many.measure(graph, [0, 1], [many.own("auto", 1), wrong], 1)


NUMPY_AS_CUPY = SimpleNamespace(
    empty=np.empty,
    asnumpy=np.asarray,
    cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None)),
)


@pytest.mark.parametrize(
    "case",
    [
        anchors.Case("dense 40", "classic.floyd_warshall", "int32"),
        anchors.Case("dense 40", "classic.floyd_warshall", "float32"),
        anchors.Case("uniform 50 3", "auto", "int32", (5, 7)),
    ],
    ids=lambda case: case.title,
)
def test_tables_of_the_anchors_are_timed_and_compared(case):
    graph = anchors.graph_for(case)
    line = anchors.measured(case, graph, NUMPY_AS_CUPY, "cpu")
    assert line["pairs"] == (35 if case.shape else 1600)
    assert line["ms"] > 0
    assert ("share_of_issue_limit" in line) == (case.shape is None)


def test_a_table_that_differs_from_dijkstras_has_no_time(monkeypatch):
    case = anchors.Case("dense 40", "classic.floyd_warshall", "int32")
    right = wp.apsp

    def wrong(*given, **named):
        table = right(*given, **named)
        table.dist[3:] += 1
        return table

    monkeypatch.setattr(wp, "apsp", wrong)
    with pytest.raises(wp.VerificationError, match="a sampled row differs"):
        anchors.measured(case, anchors.graph_for(case), NUMPY_AS_CUPY, "cpu")
