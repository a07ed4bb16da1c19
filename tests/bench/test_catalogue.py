"""The study of the whole catalogue and its findings, on tiny graphs and the emulator."""

from __future__ import annotations

import json
import re
import signal
import time

import numpy as np
import pytest

import warpath as wp
from support.kernels import CACHE
from support.recipes import on_gpu
from support.tiers import SOLVES
from warpath.base.dtypes import unreachable
from warpath.engines.emulator.device import EmulatedDevice
from warpath.engines.papers.clock import Clock
from warpath.recipes import CATALOGUE, Task
from warpath.results.paths import Paths
from warpath_bench import __main__ as command
from warpath_bench import (
    catalogue,
    jobs,
    limits,
    measured,
    tables,
    workloads,
)
from warpath_bench.claims import statements
from warpath_bench.jobs import Bench, Job, read_lines
from warpath_bench.measured import Measured

ROAD = "p sp 4 6\na 1 2 3\na 2 1 3\na 2 3 4\na 3 2 4\na 3 4 5\na 4 3 5\n"
MAIN = ["rmat 6 4", "grid 8", "martin 64", "dense 24"]
TINY = {
    "degree": ("davidson2014.*", ("uniform 64 2", "uniform 32 16", "uniform 96 64", "hub 64")),
    "lists": ("martin2009.*", ("martin 96",)),
    "matrices": ("martin2009.*", ("dense 16", "dense 32")),
    "queues": ("johnson_gpu.dijkstra_*", ("uniform 32 8", "uniform 64 8")),
    "strided": ("bodra2025.*", ("grid 4", "grid 9")),
}

in_full = pytest.mark.full("studies of the catalogue", "bench/warpath_bench/*.py", *SOLVES)


#: A sweep of all rows, one by buckets, and one launch without rounds of the host.
IN_ANY_RUN = {
    "martin2009.f_gpu",
    "davidson2014.bucketing_multisplit.cta_warp_scan",
    "warpath.patches",
}


def exact_names() -> list[str]:
    return [r.name for r in on_gpu(Task.SSSP) if r.exact and not r.equal_weights]


@pytest.fixture
def measure(emulated_sssp):
    bench = Bench(60, emulated_sssp)
    return lambda job: bench.measure(job, 60)


@pytest.mark.parametrize(
    "name",
    [name if name in IN_ANY_RUN else pytest.param(name, marks=in_full) for name in exact_names()],
)
def test_a_recipe_is_timed_certified_and_counted(measure, name):
    line = measure(Job("catalogue", "martin 64", name))
    assert line["wrong"] == 0
    assert line["ms"] > 0
    assert len(line["runs_ms"]) in {1, 3}
    assert line["dijkstra_edges"] <= line["m"] == 448
    json.dumps(line)
    if CATALOGUE[name].axes is None:  # one launch, which keeps no trace
        assert "counted" not in line
        return
    assert line["counted"] == "traced"
    assert line["rounds"] >= 2
    assert line["work"] > 0
    assert line["parallelism"] >= 1


def test_a_wrong_label_is_counted_and_makes_the_command_fail(tmp_path, capsys):
    def wrong(graph, source, **call):
        right = wp.sssp(graph, source)
        dist = right.dist.copy()
        if graph.n == 49 and call["algorithm"].endswith("merge_path"):
            dist[3] += 1
        return Paths(
            graph,
            source,
            dist,
            tree=lambda: right.pred,
            stats={"rounds": 1},
            trace=wp.sssp(graph, source, trace=True).trace,
        )

    options = ["--lines", str(tmp_path / "l.jsonl"), "--graphs", "grid 7", "--devices", "cuda"]
    assert catalogue.main([*options, "--recipes", "davidson2014.near_far.*"], wrong) == 1
    assert "WRONG: davidson2014.near_far.merge_path on grid 7: 1 labels" in capsys.readouterr().err
    assert [line["wrong"] for line in read_lines([tmp_path / "l.jsonl"])] == [0, 0, 1]


@pytest.mark.parametrize("call", [1, 2], ids=["as it begins", "as the body ends"])
def test_a_time_that_is_over_at_the_edge_of_the_body_leaves_no_alarm(monkeypatch, call):
    real, before, calls = signal.setitimer, signal.getsignal(signal.SIGALRM), []

    def interrupted(*timer):
        calls.append(timer)
        if call == 1:
            real(*timer)
        if len(calls) == call:
            signal.raise_signal(signal.SIGALRM)
        real(*timer)

    monkeypatch.setattr(signal, "setitimer", interrupted)
    with pytest.raises(limits.TimeIsUpError), limits.at_most(60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_an_alarm_of_a_body_that_nobody_is_in_any_more_is_ended_not_raised():
    before, limit = signal.getsignal(signal.SIGALRM), limits.at_most(0.01)

    def left():
        limit.__enter__()  # its end is missed, as when an alarm is raised there

    left()
    time.sleep(0.1)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before
    limit.__exit__(None, None, None)


def test_a_solve_over_its_limit_says_how_many_rounds_it_made(emulated_sssp, monkeypatch):
    def slow(graph, source, **call):
        if graph.n == 64 and graph.m != 81:
            clock = Clock(None)  # what a loop has in its frames
            clock.rounds = 17
            forever()
        return emulated_sssp(graph, source, **call)

    def forever():
        while True:
            time.sleep(0.01)

    job = Job("catalogue", "grid 8", "davidson2014.near_far.merge_path")
    monkeypatch.setattr(jobs, "_WARM_UP", 0.1)
    line = Bench(60, slow).measure(job, 0.3)
    assert (line["limit"], line["rounds_made"]) == (0.3, 17)
    assert "ms" not in line
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert tables.compact(line) == "> 300 ms; 17 rounds"


def test_what_a_recipe_refuses_is_a_line_too(measure, monkeypatch):
    job = Job("catalogue", "martin 64", "martin2009.u_gpu.dense")
    monkeypatch.setattr(limits, "_WIDEST_MATRIX", 50)
    assert measure(job)["refused"] == "its matrix would take 32.0 KiB"
    assert tables.compact(measure(job)) == "no: its matrix would take 32.0 KiB"


def test_an_error_of_the_device_is_a_line_too():
    def failing(*_, **__):
        raise wp.NotSupportedError("no such GPU")

    line = Bench(5, failing).measure(Job("catalogue", "grid 5", "martin2009.f_gpu"), 5)
    assert line["failed"] == "NotSupportedError: no such GPU"


def test_a_run_is_continued_where_it_ended(emulated_sssp, tmp_path, capsys):
    lines = tmp_path / "sub" / "lines.jsonl"
    base = ["--lines", str(lines), "--graphs", "martin 64", "--devices", "cuda"]
    few = [*base, "--recipes", "bodra2025.*"]
    assert catalogue.main([*few, "--share", "1/5"], emulated_sssp) == 0
    assert len(read_lines([lines])) == 1
    assert catalogue.main([*few, "--budget", "0"], emulated_sssp) == 0
    assert "not begun, for the time is over" in capsys.readouterr().err
    assert len(read_lines([lines])) == 1
    first = lines.read_text()
    assert catalogue.main(few, emulated_sssp) == 0
    assert lines.read_text().startswith(first)
    assert len(lines.read_text().splitlines()) == 5
    assert catalogue.main(few, emulated_sssp) == 0
    assert len(lines.read_text().splitlines()) == 5


def test_shares_are_all_jobs_and_none_twice():
    made = catalogue.jobs_of(["catalogue", "delta"], MAIN, [], ["cuda", "cpu"])
    keys = [job.key for job in made]
    assert len(set(keys)) == len(keys)
    parts = [made[k::5] for k in range(5)]
    assert sorted(map(repr, made)) == sorted(repr(job) for part in parts for job in part)
    slow = [catalogue._slowness(CATALOGUE[job.recipe]) for job in made]
    assert slow == sorted(slow)


def test_the_table_asks_for_every_single_source_name_of_the_papers():
    names = {job.recipe for job in catalogue.STUDIES["catalogue"](["grid 5"])}
    papers = {r.name for r in CATALOGUE if not r.name.startswith("classic.")}
    single = {r.name for r in CATALOGUE if "sssp" in {task.value for task in r.solves}}
    assert names == (papers & single) | set(catalogue.BASELINES)


@pytest.mark.parametrize(("name", "m"), [("rmat 5 2", 92), ("martin 32", 224), ("hub 32", 159)])
def test_a_graph_is_made_by_its_name(name, m):
    graph = workloads.graph_of(name)
    assert (graph.n, graph.m) == (32, m)
    assert graph.weights.dtype == np.int32
    assert workloads.title_of(name) == name
    assert np.diff(graph.indptr)[workloads.source_of(graph)] > 0


def test_a_name_that_is_no_graph_is_told(tmp_path):
    with pytest.raises(wp.InputError, match="'grid x' is no graph"):
        workloads.graph_of("grid x")
    assert command.main(["catalogue", "--lines", str(tmp_path / "l"), "--devices", "cpu",
                         "--graphs", "nothing", "--recipes", "classic.dijkstra"]) == 3  # fmt: skip


@in_full
def test_the_whole_study_its_table_and_the_findings(emulated_sssp, tmp_path, monkeypatch):
    road = tmp_path / "USA.NY.gr"
    road.write_text(ROAD)
    studies = dict(catalogue.STUDIES)
    for name, (pattern, graphs) in TINY.items():
        kept = {j.recipe for j in studies[name](MAIN)}
        assert all(pattern.split(".")[0] in recipe for recipe in kept)
        some = catalogue._of(name, sorted(kept), graphs)
        studies[name] = lambda _, some=some: some
    monkeypatch.setattr(catalogue, "STUDIES", studies)
    lines, page = tmp_path / "lines.jsonl", tmp_path / "page.md"
    options = ["--lines", str(lines), "--files", str(road), "--graphs", *MAIN]
    options += ["--study", *studies, "--devices", "cuda", "--table", str(page)]
    assert catalogue.main(options, emulated_sssp) == 0
    device = EmulatedDevice(cache=CACHE)
    more = ["--lines", str(lines), "--graphs", "dense 40", "uniform 40 2", "--devices", "cuda"]
    assert catalogue.all_pairs(more, device) == 0
    found = read_lines([lines])
    exact = [line for line in found if CATALOGUE[line["recipe"]].exact]
    assert all(line.get("wrong") == 0 for line in exact if line["recipe"] != "warpath.bfs")
    assert all("needs equal weights" in one["refused"] for one in exact if one.get("wrong") != 0)
    text = page.read_text()
    assert "| paper | variants | NY | grid 8 | rmat 6 4 | martin 64 | dense 24 |" in text
    assert re.search(r"^\| davidson2014 \| 1\d \| [\d.]+ \w+: [\w.]+ \|", text, re.MULTILINE)
    times = tables.table([line for line in found if line["study"] == "catalogue"])
    for name in exact_names():
        (row,) = [row for row in times if row.startswith(f"| {name} |")]
        assert row.count("<br>") >= (5 if CATALOGUE[name].axes else 0)
    labels = {"broken.harish_narayanan2007": {"2": 3, "900": 1}, "martin2009.f_gpu": {"2": 4}}
    record = {"gpu": "none", "labels_of_the_counterexample": labels}
    (tmp_path / "none.json").write_text(json.dumps(record))
    given = ["findings", "--lines", str(lines), "--output", str(tmp_path), "--records"]
    assert command.main([*given, str(tmp_path / "none.json")]) == 0
    of_steps_and_cpus = {"arranging_dominates", "traversals", "beats_the_heap", "on_roads", "shown",
                         "largest_beats_smallest", "pays_from"}  # fmt: skip
    for one in statements():
        unknown = one.judge(Measured(found, [record])).holds == measured.UNKNOWN
        cpu = {name for name in one.than if "cpu" in CATALOGUE[name].devices}
        assert unknown == bool(cpu or one.rule in of_steps_and_cpus), one.says
        assert one.says in (tmp_path / f"{one.paper}.md").read_text()


def line(graph, recipe, *, study="catalogue", factor=None, **values):
    base = {"study": study, "graph": graph, "recipe": recipe, "factor": factor, "n": 9, "m": 9}
    return base | values


def test_a_stopped_solve_shows_its_limit_and_the_rounds_made():
    one = line("NY", "martin2009.u_h1", limit=60, rounds_made=1500, weights="int32")
    assert tables.table([one])[2:] == ["| martin2009.u_h1 | GPU | > 60 s<br>1,500 rounds |"]


def test_the_page_names_the_fastest_variant_of_each_paper_that_is_right():
    lines = [
        line("NY", "martin2009.f_gpu", ms=20.0, wrong=0),
        line("NY", "martin2009.fh", ms=5.0, wrong=0),
        line("NY", "martin2009.f_gpu_no_atomic", ms=1.0, wrong=3),
        line("NY", "martin2009.u_gpu", ms=1.0, wrong=3),
        line("NY", "johnson_gpu.dijkstra_flags", limit=60, rounds_made=5),
    ]
    assert tables.fastest(lines)[2:] == ["| martin2009 | 3 | 5 ms: fh |",
                                         "| johnson_gpu | 1 | > 60 s |"]  # fmt: skip


def test_a_plain_minimum_shows_its_wrong_labels():
    one = line("martin 9", "martin2009.f_gpu_no_atomic", ms=5.0, wrong=1200, rounds=9)
    assert tables.compact(one) == "5 ms, 1,200 wrong; 9"
    assert unreachable(np.dtype(np.int32)) == np.iinfo(np.int32).max


@in_full
def test_all_pairs_are_timed_compared_and_shown(tmp_path):
    lines, page = tmp_path / "lines.jsonl", tmp_path / "page.md"
    path = tmp_path / "own.gr"
    path.write_text(ROAD)
    options = ["--lines", str(lines), "--table", str(page), "--files", str(path),
               "--graphs", "dense 20", "--types", "int32", "float32"]  # fmt: skip
    device = EmulatedDevice(cache=CACHE)
    assert catalogue.all_pairs(options, device) == 0
    found = read_lines([lines])
    names = [recipe.name for recipe in CATALOGUE if Task.APSP in recipe.solves]
    assert len(found) == 4 * len(names)
    for one in found:
        recipe = CATALOGUE[one["recipe"]]
        if "refused" not in one:
            assert one["wrong"] == 0
            assert one["ms"] > 0
            assert ("host_ms" in one) == ("cuda" in recipe.devices)
            assert ("pred_ms" in one) == (recipe.predecessors and "cuda" in recipe.devices)
    assert {one["recipe"] for one in found if "refused" in one} == {"classic.dijkstra.dial"}
    rows = page.read_text().splitlines()
    assert "on | own (4; 6) | dense 20 (20; 74) | own (4; 6), float32 |" in "\n".join(rows)
    (row,) = [row for row in rows if row.startswith("| bodra2025.fw_tiled |")]
    assert row.count(" · ") == 8
    assert catalogue.all_pairs(options, device) == 0
    assert read_lines([lines]) == found


def test_a_wrong_distance_between_all_pairs_makes_the_command_fail(tmp_path, monkeypatch, capsys):
    right = Bench._on_gpu

    def wrong(self, recipe, graph, device, **how):
        seconds, out = right(self, recipe, graph, device, **how)
        out[-1, 0] += 1
        return seconds, out

    monkeypatch.setattr(Bench, "_on_gpu", wrong)
    options = ["--lines", str(tmp_path / "l"), "--graphs", "dense 20", "--types", "float32"]
    options += ["--recipes", "bodra2025.fw_edge", "johnson_gpu.johnson_flags"]
    assert catalogue.all_pairs(options, EmulatedDevice(cache=CACHE)) == 1
    assert capsys.readouterr().err.count(", 3 wrong") == 1
