"""The benchmark: verified, side by side, reproducible choices."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath.bench import __main__ as command
from warpath.bench import anchors, many, peak, run, suite
from warpath.bench.suite import Solver

TINY = ["suite", "--scale", "0.0005", "--sources", "3", "--threads", "1"]


def test_the_table_has_a_row_a_solver_and_a_column_a_graph(capsys, tmp_path):
    lines = tmp_path / "lines.jsonl"
    assert command.main([*TINY, "--graphs", "rmat", "grid", "--lines", str(lines)]) == 0
    table, note = capsys.readouterr().out.strip().split("\n\n")
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    assert rows[0] == ["ms", "rmat", "grid"]
    assert [row[0] for row in rows[2:]] == ["warpath auto, 1 thread", "SciPy dijkstra"]
    assert re.fullmatch(r"\d+\.\d( \(\d+\.\dx\))?", rows[2][1])
    assert "Medians of 3 sources, all verified" in note
    stored = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(stored) == 4
    assert {"graph", "n", "m", "solver", "median_ms", "verified", "numpy"} <= set(stored[0])


def test_the_whole_catalogue_runs_with_trees_and_floats(capsys):
    arguments = [*TINY, "--graphs", "delaunay", "--all", "--tree", "--dtype", "float32"]
    assert command.main(arguments) == 0
    text = capsys.readouterr().out
    for name in ("classic.dijkstra", "classic.delta_stepping", "classic.bellman_ford"):
        assert f"warpath {name}, 1 thread, tree" in text
    assert "dial" not in text


def test_a_file_without_weights_gets_seeded_ones(capsys, tmp_path):
    file = tmp_path / "ring.el"
    file.write_text("0 1\n1 2\n2 0\n")
    assert command.main([*TINY, "--graphs", str(file)]) == 0
    assert "| ms | ring |" in capsys.readouterr().out
    first, again = (suite.graph_named(str(file), 1, "own").weights for _ in range(2))
    assert np.array_equal(first, again)
    assert suite.graph_named(str(file), 1, "float64").weights.dtype == np.float64


def test_bad_input_is_a_message_and_exit_code_3(capsys, tmp_path):
    assert command.main(["suite", "--graphs", str(tmp_path / "nothing.gr")]) == 3
    assert "nothing.gr" in capsys.readouterr().err
    empty = tmp_path / "empty.mtx"
    empty.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
    assert command.main(["suite", "--graphs", str(empty)]) == 3
    assert "without edges" in capsys.readouterr().err


def test_a_wrong_answer_gives_no_number():
    graph = wp.generate.grid(5, 5)
    right = suite.ours("classic.dijkstra", 1, tree=False)
    wrong = Solver("wrong", lambda g: g, lambda g, s: right.solve(g, s) + 1)
    with pytest.raises(wp.VerificationError, match="wrong on grid: distances from"):
        run.measure("grid", graph, [right, wrong], 2)
    with pytest.raises(wp.VerificationError):
        run.measure("grid", graph, [wrong], 1)
    unreached = Solver("holes", lambda g: g, lambda g, _: np.full(g.n, np.inf))
    with pytest.raises(wp.VerificationError, match="holes"):
        run.measure("grid", graph, [right, unreached], 1)


def test_sources_are_seeded_and_have_edges():
    graph = wp.Graph.from_edges([3, 5], [1, 1], n=50)
    assert suite.sources_of(graph, 20) == suite.sources_of(graph, 20)
    assert set(suite.sources_of(graph, 20)) == {3, 5}


def test_scipys_peer_takes_the_lightest_of_parallel_edges():
    graph = wp.Graph.from_edges([0, 0, 0], [1, 1, 2], [5, 3, 1])
    peer = suite.scipy_dijkstra(tree=True)
    assert peer.solve(peer.prepare(graph), 0).tolist() == [0, 3, 1]


def test_labelled_graphs_are_measured_too(capsys, tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("10 20\n20 30\n30 10\n")
    assert command.main([*TINY, "--graphs", str(file)]) == 0
    assert "names" in capsys.readouterr().out


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
    for line in ("warpath auto, 1 thread", "warpath warpath.side_by_side, 2 threads",
                 "SciPy dijkstra", "warpath apsp, 2 threads", "n = 40"):  # fmt: skip
        assert line in out


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
