"""`warpath bench faces`: lines that are measured once, and the table of all of them with goals."""

from __future__ import annotations

import json

import pytest

from warpath import generate
from warpath.base.errors import InputError
from warpath_bench import csgraph, faces, networkx_calls
from warpath_bench.networkx_calls import WORKLOADS, Workload

pytest.importorskip("scipy.sparse.csgraph")
pytest.importorskip("networkx")

GIVEN = ["--scale", "0.0005", "--pairs", "20", "--sources", "1", "--repeats", "1"]


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A command of few lines, without the backend, and the file of its lines."""
    call = networkx_calls.Call("single_source_dijkstra_path_length", 1)
    made = {"uniform": Workload(lambda: generate.uniform(20, 4), (call,))}
    monkeypatch.setattr(networkx_calls, "WORKLOADS", made)
    monkeypatch.setattr(networkx_calls, "with_backend", lambda: None)
    monkeypatch.setattr(networkx_calls, "measure", lambda *_: (90.0, 2.0))
    monkeypatch.setattr(csgraph, "CPU", ("road",))
    monkeypatch.setattr(csgraph, "_LEAST_MS", 0.0)
    return [*GIVEN, "--lines", str(tmp_path / "lines.jsonl")], tmp_path / "lines.jsonl"


def test_every_call_of_both_is_a_line_with_its_goal(small, capsys):
    given, lines = small
    assert faces.main(given) == 0
    told = capsys.readouterr().out
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(found) == 2 * 3 + 2 * 2 + 1
    assert told.count("\n| ") == len(found)
    goals = [
        line.split("|")[-2].strip() for line in told.splitlines() if "`" in line and "|" in line
    ]
    assert goals == ["2x"] * 6 + ["20x", ""] * 2 + ["30x"]
    assert "| 90 | 2 | 45x | 30x |" in told
    assert "Goals reached: " in told
    assert " of 9" in told


def test_lines_that_are_there_are_not_measured_again(small, monkeypatch, capsys):
    given, lines = small
    assert faces.main([*given, "--budget", "-1"]) == 0
    assert "11 lines are left" in capsys.readouterr().err
    assert not lines.exists()
    assert faces.main(given) == 0
    before = lines.read_text()
    monkeypatch.setattr(csgraph, "measure", None)
    monkeypatch.setattr(networkx_calls, "measure", None)
    first = capsys.readouterr().out
    assert faces.main(given) == 0
    assert lines.read_text() == before
    assert capsys.readouterr().out == first


def test_a_goal_that_is_missed_is_named(small, monkeypatch, capsys):
    monkeypatch.setattr(networkx_calls, "measure", lambda *_: (50.0, 2.0))
    faces.main(small[0])
    assert "`single_source_dijkstra_path_length` on uniform, whole" in capsys.readouterr().out


@pytest.mark.parametrize("torn", ["{", "[]", '{"face": "csgraph"}', '{"times": "a"}'])
def test_a_line_that_is_none_is_told_with_its_number(small, torn):
    given, lines = small
    lines.write_text(torn + "\n")
    with pytest.raises(InputError, match=r"lines.jsonl:1: .* no line of this table"):
        faces.main(given)


def test_goals_are_those_of_graphs_and_calls_that_are_measured():
    assert {graph for face, graph in faces.GOALS if face == "networkx"} <= WORKLOADS.keys()
    calls = {call.title.partition(",")[0] for call in (*csgraph.CALLS, *csgraph.ALL_PAIRS)}
    assert {call for face, call in faces.GOALS if face == "csgraph"} == calls
