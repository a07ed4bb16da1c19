"""Reports of the suite's lines: ratios on common sources, what failed, machines kept apart."""

from __future__ import annotations

import json
import lzma
import re

import pytest

from warpath_bench import __main__ as command
from warpath_bench.lines import is_ours
from warpath_bench.report_lines import Case, machines, read

HERE = {"processor": "AMD EPYC", "cores": "2", "python": "3.11.7"}
ROAD = Case("road", "int32", tree=False)


def line(solver, ms, *, threads=1, source=0, graph="road", **values):
    base = {
        "suite": "cpu",
        "graph": graph,
        "n": 1000,
        "m": 3000,
        "dtype": "int32",
        "solver": solver,
        "threads": threads,
        "tree": False,
        "source": source,
        "machine": HERE,
        "commit": "abc",
    }
    return base | ({} if ms is None else {"ms": ms, "verified": True}) | values


def lines_of(solver, times, **values):
    return [line(solver, ms, source=at, **values) for at, ms in enumerate(times)]


@pytest.fixture
def written(tmp_path):
    def make(lines, name="lines.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return path

    return make


@pytest.fixture
def told(written, tmp_path, capsys):
    """Run the command over lines; its code, its page, and what it said."""

    def run(lines):
        code = command.main(["report", str(written(lines)), "--output", str(tmp_path / "out")])
        return code, (tmp_path / "out" / "report.md").read_text(), capsys.readouterr()

    return run


def test_ours_is_compared_with_the_best_peer_of_as_many_threads_or_fewer():
    lines = [
        *lines_of("warpath auto", [10, 12, 14]),
        *lines_of("warpath auto", [6, 6, 6], threads=2),
        *lines_of("warpath classic.dijkstra", [1, 1, 1]),
        *lines_of("SciPy dijkstra", [30, 18, 30]),
        *lines_of("GAP", [24, 24, 24]),
        *lines_of("GAP", [9, 3, 3], threads=2),
        *lines_of("warpath auto", [6, 6], threads=2, graph="town"),
        *lines_of("GAP", [9, 9], threads=2, graph="town"),
        *lines_of("SciPy dijkstra", [3, 3], graph="town"),
    ]
    (machine,) = machines(lines)
    one, two, town = machine.ratios()
    assert (one.threads, one.ours, one.peer, one.times) == (1, "warpath auto", "GAP", 2.0)
    assert (two.threads, two.peer, two.times) == (2, "GAP", 0.5)
    assert (town.threads, town.peer, town.times) == (2, "SciPy dijkstra", 0.5)


def test_medians_are_over_the_sources_that_both_solved():
    lines = [*lines_of("warpath auto", [10, 20, 400]), *lines_of("SciPy", [30, 40])]
    (machine,) = machines(lines)
    (ratio,) = machine.ratios()
    assert (ratio.ours_ms, ratio.peer_ms) == (15.0, 35.0)
    spread = machine.spread(ROAD, "warpath auto", 1)
    assert (spread.low, spread.mid, spread.high, spread.sources) == (15, 20, 210, 3)


def test_a_peer_that_was_wrong_once_is_not_the_best():
    lines = [*lines_of("warpath auto", [10, 10]), *lines_of("SciPy", [30, 30])]
    lines += [line("GAP", 2), line("GAP", None, source=1, error="18 wrong distances")]
    (ratio,) = machines(lines)[0].ratios()
    assert (ratio.peer, ratio.times) == ("SciPy", 3.0)


def test_without_a_planned_choice_our_fastest_is_compared():
    lines = [line("warpath classic.dijkstra", 20), line("warpath.buckets", 5), line("igraph", 30)]
    (ratio,) = machines(lines)[0].ratios()
    assert (ratio.ours, ratio.times) == ("warpath.buckets", 6.0)


def test_a_wrong_answer_counts_as_no_time_and_is_listed(told):
    lines = [
        line("warpath auto", 10),
        line("SciPy", 30),
        line("GAP", 1, verified=False),
        line("igraph", None, error="out of memory"),
    ]
    code, text, _ = told(lines)
    assert code == 0
    assert "- GAP, 1 threads, road, int32, source 0: wrong answer" in text
    assert "- igraph, 1 threads, road, int32, source 0: out of memory" in text
    assert "| road | int32 | no | 1 | warpath auto | 10 | SciPy | 30 | 3x |" in text


def test_a_failure_of_ours_fails_the_command(told):
    assert told([line("warpath auto", None, error="wrong"), line("SciPy", 30)])[0] == 1


def test_the_worst_five_ratios_are_listed_from_the_worst(told):
    lines = []
    for at, graph in enumerate("abcdefg"):
        lines += [line("warpath auto", 10, graph=graph), line("SciPy", 8 + at, graph=graph)]
    _, text, _ = told(lines)
    worst = text.partition("### The worst 5")[2].partition("![")[0]
    assert [row.split(" | ")[0][2:] for row in worst.splitlines()[4:] if row] == list("abcde")
    assert "here in 5 of 7" in text


def test_a_report_names_the_machine_and_has_its_pictures(told, tmp_path):
    lines = [
        *lines_of(
            "warpath auto",
            [10, 12],
            totals={"work_ratio": 1.2, "mean_parallelism": 40.0, "rounds": 9},
        ),
        *lines_of("warpath auto", [5, 6], threads=2),
        *lines_of("SciPy", [30, 31]),
        *lines_of("warpath auto", [100, 120], graph="road 10", n=10_000, m=30_000),
        *lines_of("SciPy", [100, 120], graph="road 10", n=10_000, m=30_000),
        line("warpath auto", 3, graph="empty", n=5, m=0),
    ]
    code, text, _ = told(lines)
    assert code == 0
    assert "## AMD EPYC" in text
    assert "cores 2, python 3.11.7, commit abc; 11 lines" in text
    assert "| warpath auto | 1 | 11 (10.5 to 11.5) | 110 (105 to 115) | 3 |" in text
    assert "road (1,000; 3,000)" in text
    for name in ("ratios", "work"):
        assert f"(report-{name}.png)" in text
        assert (tmp_path / "out" / f"report-{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_summary_has_ratios_by_graph_or_by_size_and_no_times(written, tmp_path):
    def summary(count):
        lines = []
        for at in range(count):
            n = 10 ** (3 + at % 3)
            totals = {"work_ratio": 1.2, "mean_parallelism": 40.0, "rounds": 9}
            lines += [line("warpath auto", 10, graph=f"g{at}", n=n, totals=totals)]
            lines += [
                line("SciPy", 20 + at, graph=f"g{at}", n=n),
                line("GAP", None, graph=f"g{at}", n=n, error="not begun: 8 s"),
            ]
        given = ["report", str(written(lines)), "--output", str(tmp_path), "--summary"]
        assert command.main([*given, "--title", "On two cores"]) == 0
        return (tmp_path / "report.md").read_text()

    text = summary(2)
    assert text.startswith("# On two cores\n")
    assert "| g1 | 10, 2.1x |" in text
    assert "The closest peer is SciPy, on g0 with 1 thread." in text
    assert "All solvers" not in text
    assert "- GAP, 1 threads, g0, int32, source 0 and 1 more: not begun: 8 s\n" in text
    assert re.findall(r"\((report-.*)\)", text) == ["report-ratios.png"]
    assert "| below 10,000 | 2 to 3.2 |" in summary(13)
    assert "| from 100,000 on | 2.2 to 3.1 |" in summary(13)


def test_one_name_with_two_sizes_is_two_graphs():
    lines = [line("warpath auto", 1), line("warpath auto", 9, n=5000, m=9000)]
    (machine,) = machines(lines)
    assert [case.graph for case in machine.cases()] == ["road 1000", "road 5000"]
    assert machine.size("road 5000") == (5000, 9000)


def test_lines_of_different_machines_are_kept_apart_and_it_is_said(told):
    other = HERE | {"processor": "another"}
    lines = [
        line("warpath auto", 10),
        line("SciPy", 1, machine=other),
        line("warpath auto", 2, machine=other),
    ]
    code, text, said = told(lines)
    assert code == 0
    assert "The lines are of 2 machines or sets of versions, kept apart." in text
    assert "2 machines or sets of versions, kept apart" in said.err
    assert "(report-2-ratios.png)" in text
    assert "| warpath auto | 2 | SciPy | 1 | 0.5x |" in text
    assert text.count("### Ours against the best peer") == 1


def test_work_and_parallelism_come_from_the_catalogues_lines_too(told):
    lines = [
        {"study": "catalogue", "graph": "NY", "recipe": "davidson2014.hybrid", "factor": None,
         "work": 1.5, "parallelism": 300.0, "rounds": 20, "machine": "x86_64", "cores": "2",
         "m": 9, "ms": 7.0, "wrong": 0, "counted": "traced"},
        {"study": "delta", "graph": "NY", "recipe": "davidson2014.hybrid", "factor": 2.0,
         "work": 9.5, "parallelism": 300.0, "rounds": 20, "machine": "x86_64", "cores": "2"},
    ]  # fmt: skip
    (machine,) = machines(lines)
    assert machine.works() == {"davidson2014.hybrid": [(300.0, 1.5, 20)]}
    code, text, _ = told(lines)
    assert code == 0
    assert "(report-work.png)" in text
    assert "| davidson2014.hybrid | GPU | 7 ms<br>20 · 1.5 · 300 |" in text
    assert "## x86_64\n\ncores 2; 2 lines." in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "lines.jsonl has no lines"),
        ('{"a": 1}\n', "lines.jsonl:1: this line of measurements has no 'graph'"),
        (
            json.dumps(line("SciPy", 1)) + '\n{"graph": "ro',
            "jsonl:2: this line of measurements is no",
        ),
        (json.dumps(line("SciPy", None)), "lines.jsonl:1: this line of measurements has no 'ms'"),
        ("[1]\n", "lines.jsonl:1: this line of measurements is no JSON object"),
        ('{"recipe": "x"}\n', "lines.jsonl:1: this line of measurements has no 'study'"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(tmp_path, capsys, content, message):
    path = tmp_path / "lines.jsonl"
    path.write_text(content)
    assert command.main(["report", str(path), "--output", str(tmp_path)]) == 3
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_is_told(tmp_path, capsys):
    assert command.main(["report", str(tmp_path / "none.jsonl")]) == 3
    assert "none.jsonl has no lines" in capsys.readouterr().err


def test_a_name_of_ours_is_told_from_a_peers():
    assert is_ours("warpath auto")
    assert is_ours("warpath.buckets")
    assert not is_ours("warpaths")
    assert not is_ours("GAP warpath")
    assert not is_ours("...")


def test_lines_are_read_in_order(written):
    path = written([line("b", 1), line("a", 2)])
    packed = path.with_suffix(".jsonl.xz")
    packed.write_bytes(lzma.compress(path.read_bytes()))
    assert [one["solver"] for one in read(path)] == ["b", "a"]
    assert read(packed) == read(path)
