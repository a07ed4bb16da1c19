"""The papers' statements: how each rule judges measurements, and the pages of the papers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from warpath_bench import __main__ as command
from warpath_bench import findings
from warpath_bench.claims import statements
from warpath_bench.jobs import read_lines
from warpath_bench.measured import Measured

DOCS = Path(__file__).parents[2] / "docs"


def line(graph, recipe, *, study="catalogue", factor=None, **values):
    base = {"study": study, "graph": graph, "recipe": recipe, "factor": factor, "n": 9, "m": 9}
    return base | values


def said(start):
    (one,) = [one for one in statements() if one.says.startswith(start)]
    return one


def judged(start, lines, records=()):
    return said(start).judge(Measured(lines, records))


def test_a_statement_holds_in_part_where_one_of_two_graphs_agrees():
    def verdict(*pairs):
        lines = [
            line(f"martin {at}", f"martin2009.{name}", ms=ms)
            for at, values in enumerate(pairs)
            for name, ms in zip(("f_gpu_1min", "u_gpu_1min"), values, strict=True)
        ]
        return judged("On lists, F is quite faster", lines)

    text = "0.75x to 2x; on 1 of 2"
    assert verdict((1, 2), (1, 3)).holds == "holds"
    assert verdict((1, 2), (4, 3)) == ("holds in part", text)
    assert verdict((5, 2), (4, 3)).holds == "does not hold"
    assert judged("On lists, F is", [line("martin 1", "martin2009.f_gpu_1min", ms=1)]) == (
        "not measured",
        "",
    )


def test_two_times_are_alike_within_a_tenth():
    def verdict(two):
        lines = [line("martin 1", f"martin2009.u_gpu_{n}", ms=ms) for n, ms in two.items()]
        return judged("A second minimum pass", lines).holds

    assert verdict({"1min": 10.0, "2min": 10.9}) == "holds"
    assert verdict({"1min": 10.0, "2min": 11.1}) == "does not hold"
    assert verdict({"1min": 10.0, "2min": 8.9}) == "does not hold"


@pytest.mark.parametrize(
    ("work", "holds"), [((9, 5, 2, 1), "holds"), ((9, 5, 1, 1), "does not hold")]
)
def test_each_method_is_compared_with_the_one_before(work, holds):
    methods = ("bellman_ford", "workfront_sweep.merge_path", "near_far.merge_path",
               "bucketing.merge_path")  # fmt: skip
    lines = [
        line("NY", f"davidson2014.{name}", work=one, rounds=10 - one)
        for name, one in zip(methods, work, strict=True)
    ]
    assert judged("Each method does less work", lines).holds == holds
    assert judged("In the same order the methods need more rounds", lines).holds == "holds"


def test_the_gpu_is_compared_with_the_cpu_by_graphs_and_by_sizes():
    def verdict(start, gpu, cpu, small, large):
        """Judge the milliseconds of the GPU and of the CPU on a small graph and a large one."""
        sizes = (("small", 10, 100), ("large", 100, 200_000))
        lines = [
            line(graph, recipe, study="all pairs", ms=ms) | {"n": n, "m": m}
            for (graph, n, m), times in zip(sizes, (small, large), strict=True)
            for recipe, ms in zip((gpu, cpu), times, strict=True)
        ]
        return judged(start, lines).holds

    pays = "The GPU pays from", "johnson_gpu.johnson_queue", "classic.johnson"
    assert verdict(*pays, (3, 2), (4, 9)) == "holds"
    assert verdict(*pays, (1, 2), (4, 9)) == "holds in part"
    beats = "Every GPU version", "bodra2025.apsp_dijkstra", "classic.dijkstra"
    assert verdict(*beats, (3, 5), (4, 9)) == "holds"
    assert verdict(*beats, (3, 3), (4, 9)) == "does not hold"


def test_a_serial_heap_is_to_win_on_roads_alone():
    def verdict(**times):
        lines = [
            line(graph.replace("_", " "), f"davidson2014.{recipe}", ms=ms)
            for graph, values in times.items()
            for recipe, ms in zip(
                ("near_far.merge_path", "dijkstra_binary_heap"), values, strict=True
            )
        ]
        return judged("On roads a serial Dijkstra", lines)

    assert verdict(NY=(3, 2), rmat_5_4=(2, 3)).holds == "holds"
    assert verdict(NY=(2, 3), rmat_5_4=(2, 3)).holds == "holds in part"


def test_labels_without_an_atomic_minimum_are_judged_for_each_gpu_by_itself():
    def verdict(**labels):
        recipes = {"martin2009.f_gpu": {"2": 200}}
        records = [
            {"gpu": gpu, "labels_of_the_counterexample": recipes | {name: counts}}
            for gpu, (name, counts) in labels.items()
        ]
        return judged("Without an atomic minimum", [], records)

    sweep, plain = "broken.harish_narayanan2007", "martin2009.f_gpu_no_atomic"
    varying, constant = {"17": 197, "49": 3}, {"17": 200}
    assert verdict(a=(sweep, varying), b=(plain, varying)).holds == "holds"
    assert verdict(a=(sweep, constant), b=(sweep, {"49": 200})).holds == "does not hold"
    both = verdict(a=(sweep, varying), b=(plain, constant))
    assert both.holds == "holds in part"
    assert both.numbers.startswith("1 to 2 different labels")
    assert verdict().holds == "not measured"


def test_striding_is_not_decidable_as_both_variants_stride():
    lines = [line("grid 9", f"bodra2025.{name}", ms=1.0) for name in ("bf_vertex", "bf_strided")]
    assert judged("Striding is slower", lines).holds == "not decidable"
    assert judged("Striding is slower", []).holds == "not measured"


def test_a_recipe_that_was_stopped_is_compared_only_if_it_is_the_slowest():
    rows, entries = "bodra2025.fw_vertex", "bodra2025.fw_edge"

    def verdict(seconds):
        stopped = line("g", rows, study="all pairs", limit=seconds, rounds_made=3)
        done = line("g", entries, study="all pairs", ms=4000.0)
        return judged("A thread for each entry", [stopped, done])

    assert verdict(8) == ("holds", "2x")
    assert verdict(2).holds == "not measured"
    both = [line("g", name, study="all pairs", limit=8, rounds_made=3) for name in (rows, entries)]
    assert judged("A thread for each entry", both).holds == "not measured"


def test_the_valley_needs_its_least_time_inside_and_the_default_near_it():
    def verdict(*times):
        recipe = "davidson2014.near_far.merge_path"
        lines = [
            line("NY", recipe, study="delta", factor=at, ms=ms, work=at, parallelism=1.0)
            for at, ms in zip((0.5, 1.0, 2.0), times, strict=True)
        ]
        return judged("Time over delta has a valley", lines).holds

    assert verdict(3, 2, 3) == "holds"
    assert verdict(1, 2, 3) == "does not hold"
    assert verdict(3, 2, 1) == "does not hold"


def test_the_page_has_the_reason_of_a_statement_that_does_not_hold():
    one = said("With a flag for each vertex")
    lines = [
        line("grid 9", f"bodra2025.{name}", ms=ms, weights="int32")
        for name, ms in (("bf_vertex", 1.0), ("bf_strided_flag", 2.0))
    ]
    assert one.why in findings.page("bodra2025", [one], Measured(lines, []))
    lines[1]["ms"] = 0.5
    assert one.why not in findings.page("bodra2025", [one], Measured(lines, []))


def test_what_holds_in_part_or_not_at_all_has_a_reason_with_a_number():
    records = findings.read_records([str(DOCS / "gpu-runs")])
    found = Measured(read_lines([str(DOCS / "benchmarks" / "h100.jsonl")]), records)
    for one in statements():
        verdict = one.judge(found)
        written = (DOCS / "benchmarks" / "papers" / f"{one.paper}.md").read_text(encoding="utf-8")
        assert f"| {verdict.holds} | {verdict.numbers}" in written, one.says
        if verdict.holds in {"holds in part", "does not hold"}:
            assert len(re.findall(r"\.(?: |$)", one.why)) == 1, one.says
            assert re.search(r"\d", one.why), one.says
            assert one.why in written


def test_a_page_has_one_picture_and_the_papers_numbers_stand_beside_ours(tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(line("grid 9", "bodra2025.bf_vertex", ms=1.0)) + "\n")
    papers = DOCS / "benchmarks" / "papers"
    assert command.main(["findings", "--lines", str(lines), "--papers", str(papers),
                         "--output", str(tmp_path)]) == 0  # fmt: skip
    text = (tmp_path / "johnson_gpu.md").read_text(encoding="utf-8")
    assert re.findall(r"!\[.*\]\((.*)\)", text) == ["johnson_gpu.png"]
    assert (tmp_path / "johnson_gpu.png").read_bytes().startswith(b"\x89PNG")
    numbers = (tmp_path / "numbers.md").read_text(encoding="utf-8")
    assert numbers == (papers / "numbers.md").read_text(encoding="utf-8")
    rows = [row for row in numbers.splitlines() if row.startswith("| Q-based over sequential")]
    assert re.fullmatch(r".* \| more than 4.5x \| 0\.\d+x to 1\.\d+x \|", *rows)
    assert "Q-based over flag-based" not in numbers  # the paper says "above 1x": a statement
