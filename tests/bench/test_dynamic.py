"""`warpath bench dynamic`: every answer is compared, and the page has what was measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.base.errors import InputError
from warpath_bench import dynamic


@pytest.fixture(autouse=True)
def _few_cases(monkeypatch):
    cases = [
        ("grid 12", "weights", 3, 4),
        ("grid 12", "replay", 2, 5),
        ("rmat 6", "insertions", 2, 3),
    ]
    monkeypatch.setattr(dynamic, "CASES", cases)


def test_cases_are_measured_and_written(tmp_path, capsys):
    lines, output = tmp_path / "lines.jsonl", tmp_path / "page.md"
    options = ["--alone", "--threads", "1", "--lines", str(lines), "--output", str(output)]
    assert dynamic.main(options) == 0
    assert dynamic.main(["--page-only", *options]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    page = output.read_text(encoding="utf-8")
    assert "| grid 12 | new weights | 3 | 4 |" in page
    assert "| rmat 6 | new edges | 2 | 3 |" in page
    assert output.with_name("page-affected.png").stat().st_size > 1_000
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [len(line["times"]["repair"]) for line in found] == [4, 5, 3]
    assert set(found[0]["times"]) == {"repair", "solve", "anew"}


def test_a_wrong_answer_ends_the_measurement(monkeypatch):
    monkeypatch.setattr(dynamic.Anew, "dist", lambda self: self.paths.dist + 1)
    with pytest.raises(AssertionError, match=r"vertex 0: warpath has .*, anew has"):
        dynamic.main(["--alone", "--threads", "1"])


def test_networkit_follows_updates_and_insertions():
    pytest.importorskip("networkit")
    graph = generate.grid(5, 5, (1, 9), seed=1)
    peer = dynamic.NetworKit(graph, 0)
    for batch in dynamic.batches(graph, "weights", 3, 3, np.random.default_rng(1)):
        peer.change(batch)
        weights = graph._solver_weights.copy()
        weights[dynamic.numbers(graph, batch)] = batch.weights
        graph = graph.with_weights(weights)
        assert np.array_equal(peer.dist(), wp.sssp(graph, 0).dist)


def test_parallel_edges_and_loops_are_left_out():
    graph = wp.Graph.of([(0, 1, 5), (0, 1, 3), (1, 1, 1), (1, 0, 2)])
    assert [part.tolist() for part in dynamic.single_edges(graph).edges()] == [
        [0, 1],
        [1, 0],
        [3, 2],
    ]


def test_a_torn_line_is_named(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"graph": "NY"}\n')
    with pytest.raises(InputError, match=r"lines.jsonl:1: .* has no 'kind'"):
        dynamic.read(path)


def test_what_several_runs_find_wrong_is_written_once(tmp_path):
    lines = tmp_path / "lines.jsonl"
    assert dynamic.main(["--alone", "--threads", "1", "--lines", str(lines)]) == 0
    read = [
        json.loads(line) | {"wrong": {"peer": "batch 0"}} for line in lines.read_text().splitlines()
    ]
    text = dynamic.page(read + read, "plot.png")
    assert text.count("peer was wrong") == len(read)
