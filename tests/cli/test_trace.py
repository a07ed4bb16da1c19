"""`warpath sssp --trace` and `warpath plot trace`."""

from __future__ import annotations

import pytest

from warpath.results.trace import Trace


def traced(warpath, roads, out, *options):
    run = warpath("sssp", roads, "-s", 1, "--trace", out, *options)
    assert run.code == 0, run.err
    return run


def test_sssp_saves_its_trace_and_says_where(warpath, roads, tmp_path):
    out = tmp_path / "a.jsonl"
    plain = warpath("sssp", roads, "-s", 1, "-a", "classic.dijkstra")
    run = traced(warpath, roads, out, "-a", "classic.dijkstra")
    told = [line for line in run.out.splitlines() if line.startswith("traced to")]
    assert told == [f"traced to         {out}: 5 rounds, parallelism 1, 1 times Dijkstra's work"]
    rest = [line for line in run.out.splitlines() if line not in told]
    kept = [line for line in plain.out.splitlines() if not line.startswith("time")]
    assert [line for line in rest if not line.startswith("time")] == kept
    trace = Trace.load(out)
    assert trace.run.source == 1  # as in the file
    assert trace.run.graph == "roads"


def test_sssp_tells_programs_where_the_trace_is(warpath, roads, tmp_path):
    run = traced(warpath, roads, tmp_path / "a.jsonl.gz", "--json")
    assert run.json["trace"] == str(tmp_path / "a.jsonl.gz")
    assert (
        run.json["stats"]["work_ratio"] == Trace.load(tmp_path / "a.jsonl.gz").totals().work_ratio
    )
    assert warpath("sssp", roads, "-s", 1, "--json").json["trace"] is None


def test_names_of_vertices_stay_names_in_a_trace(warpath, names, tmp_path):
    run = warpath("sssp", names, "-s", "Home", "--trace", tmp_path / "a.jsonl")
    assert run.code == 0
    assert Trace.load(tmp_path / "a.jsonl").run.source == "Home"


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [("a.txt", 2, "--trace .*'.txt' is not known"), ("no/a.jsonl", 3, "no such folder")],
)
def test_a_trace_that_could_not_be_written_is_refused_first(warpath, tmp_path, name, code, message):
    import re

    run = warpath("sssp", tmp_path / "absent.gr", "-s", 1, "--trace", tmp_path / name)
    assert run.code == code
    assert re.search(message, run.err)


def test_plot_trace_draws_one_trace_and_several(warpath, roads, tmp_path):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    traced(warpath, roads, files[0], "-a", "classic.dijkstra")
    traced(warpath, roads, files[1], "-a", "classic.bellman_ford")
    out = tmp_path / "trace.png"
    for given in (files[:1], files):
        run = warpath("plot", "trace", *given, "-o", out)
        assert run.code == 0, run.err
        assert out.read_bytes().startswith(b"\x89PNG")
        out.unlink()
    lines = run.out.splitlines()
    assert lines[0].split() == [
        "trace",
        "algorithm",
        "device",
        "rounds",
        "parallelism",
        "work",
        "MTEPS",
        "time",
    ]
    assert lines[1].split()[:6] == ["a.jsonl", "classic.dijkstra", "cpu", "5", "1", "1"]
    assert lines[2].split()[:3] == ["b.jsonl", "classic.bellman_ford", "cpu"]
    assert lines[-1] == f"drawn to  {out}"


@pytest.mark.parametrize("words", [("plot", "trace", "--json"), ("--json", "plot", "trace")])
def test_plot_trace_tells_programs_the_totals(warpath, roads, tmp_path, words):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    traced(warpath, roads, tmp_path / "a.jsonl", "-a", "classic.dijkstra")
    document = warpath(*words, tmp_path / "a.jsonl", "-o", tmp_path / "a.svg").json
    assert document["plot"] == str(tmp_path / "a.svg")
    (one,) = document["traces"]
    assert one["run"]["algorithm"] == "classic.dijkstra"
    assert (one["rounds"], one["work_ratio"], one["mean_parallelism"]) == (5, 1, 1)


def test_plot_trace_refuses_what_is_no_trace_with_its_line(warpath, roads, tmp_path):
    run = warpath("plot", "trace", roads, "-o", tmp_path / "a.png")
    assert run.code == 3
    assert f"{roads}:1: expected a trace that warpath saved" in run.err
    assert not (tmp_path / "a.png").exists()


def test_plot_trace_refuses_what_is_no_picture_before_reading(warpath, tmp_path):
    run = warpath("plot", "trace", tmp_path / "absent.jsonl", "-o", tmp_path / "a.doc")
    assert run.code == 2
    assert "'.doc' is not known" in run.err


@pytest.mark.parametrize(
    ("words", "message"), [((), "missing command"), (("trace",), "missing argument 'TRACE")]
)
def test_plot_without_something_to_draw_is_a_wrong_command_line(warpath, words, message):
    run = warpath("plot", *words)
    assert run.code == 2
    assert message in run.err
    assert run.out == ""
