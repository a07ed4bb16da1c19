"""Running a paper's experiments: lines, limits, the report and its pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

import warpath as wp
from support.emulated_calls import sssp_on
from support.kernels import CACHE
from support.tiers import BENCH
from warpath.base.errors import NoDeviceError
from warpath.engines.emulator.device import EmulatedDevice
from warpath.recipes import Task
from warpath.results.paths import Paths
from warpath_bench import __main__ as command
from warpath_bench import experiments, jobs, paper, paper_page
from warpath_bench.jobs import Bench, Job, read_lines
from warpath_bench.limits import TimeIsUpError
from warpath_bench.paper_results import Results

pytestmark = pytest.mark.full("a paper's experiments", *BENCH)

TINY = """
title = "A tiny paper"
machine = "a slide rule"
differs = ["Everything."]

[[study]]
name = "lists"
task = "one source"
repeats = 2
counted = true
variants = ["martin2009.fh", "martin2009.f_cpu", "martin2009.f_gpu"]
beside = ["classic.delta_stepping"]

[[study.graphs]]
make = "martin {n}"
n = [64, 96, 128]
note = "Made, not found."

[[study]]
name = "all"
task = "all pairs"
variants = ["classic.dijkstra", "bodra2025.fw_tiled"]

[[study.graphs]]
make = "dense {n}"
power = 0.5
n = [16, 24]

[[study.graphs]]
title = "own"
file = "own.txt"
weights = [1, 9]

[[study.graphs]]
title = "lost"
file = "lost.txt"

[[study.graphs]]
title = "never"
skip = "nobody has it"

[[study]]
name = "some"
task = "many sources"
sources = 20
threads = 1
variants = ["classic.johnson"]
beside = ["classic.dijkstra"]

[[study.graphs]]
make = "uniform 64 4"

[[study]]
name = "delta"
task = "one source"
counted = true
factors = [0.5, 1, 2]
variants = ["davidson2014.near_far.merge_path"]
beside = ["classic.delta_stepping"]

[[study.graphs]]
make = "grid 8"

[[study]]
name = "rounds"
task = "one source"
counted = true
each_round = true
variants = ["davidson2014.near_far.merge_path"]

[[study.graphs]]
make = "cube 4"

[[figure]]
name = "figure 1"
study = "lists"
chart = "time"
baseline = "martin2009.fh"
title = "lists"

[[figure.published]]
what = "F over FH, the largest"
value = "2x"
per = "martin2009.fh"
of = "martin2009.f_cpu"
graph = "largest"

[[figure.published]]
what = "rounds"
value = "45"
key = "rounds"
of = "martin2009.f_cpu"
mean = true

[[figure.published]]
what = "F on the GPU"
value = "60x"
per = "martin2009.fh"
of = "martin2009.f_gpu"

[[figure]]
name = "figure 2"
study = "all"
chart = "time"
title = "all pairs"

[[figure.published]]
what = "own"
value = "3 ms"
number = 3
of = "classic.dijkstra"
graph = "own"

[[figure]]
name = "figure 3"
study = "some"
chart = "speedup"
baseline = "classic.johnson"
title = "some"

[[figure]]
name = "figure 4"
study = "delta"
chart = "delta"
title = "deltas"

[[figure]]
name = "figure 5"
study = "rounds"
chart = "rounds"
title = "rounds"

[[figure]]
name = "figure 6"
study = "lists"
chart = "work"
title = "work"

[[figure]]
name = "table I"
study = "all"
chart = "graphs"
title = "graphs"
"""


@pytest.fixture
def tiny(tmp_path):
    (tmp_path / "own.txt").write_text("0 1\n1 2\n2 0\n0 2\n")
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return [str(path), "--output", str(tmp_path / "out"), "--data", str(tmp_path)]


@pytest.fixture
def no_gpu(monkeypatch):
    """A machine without a GPU."""

    def none(_):
        raise NoDeviceError("no GPU here")

    monkeypatch.setattr("warpath.engines.cuda.device.open_device", none)


def report_of(tmp_path):
    (path,) = (tmp_path / "out").glob("*.md")
    return path.read_text()


def lines_of(tmp_path):
    (path,) = (tmp_path / "out").glob("*.jsonl")
    return read_lines([path])


@pytest.mark.usefixtures("no_gpu")
def test_a_report_has_each_figure_with_its_picture_and_the_papers_numbers(tiny, tmp_path):
    assert paper.main([*tiny, "--commit", "abc"]) == 0
    text = report_of(tmp_path)
    assert text.startswith("# A tiny paper\n")
    assert "The paper measured on a slide rule. Here: processor " in text
    assert "commit abc" in text
    assert "- Everything." in text
    assert text.count("- Made, not found.") == 1
    for picture in re.findall(r"\]\((.+?\.png)\)", text):
        assert (tmp_path / "out" / picture).read_bytes().startswith(b"\x89PNG")
    kind = next((tmp_path / "out").glob("*.md")).stem
    for name in ("figure-1", "figure-2", "figure-3", "figure-4-1", "figure-6"):
        assert f"]({kind}-{name}.png)" in text
    assert "Not run here, without a GPU: f_gpu." in text
    assert "Not run here, without a GPU: near_far.merge_path." in text
    assert "| F on the GPU | 60x | not measured here |" in text
    assert re.search(r"\| F over FH, the largest \| 2x \| [\d.,]+x \|", text)
    assert re.search(r"\| rounds \| 45 \| [\d.]+ \(mean\) \|", text)
    assert re.search(r"\| own \| 3 ms \| [\d.]+ [um]s \|", text)
    assert "| own | 3 | 4 | 1.33 |" in text
    assert "- lost: lost.txt is not in the folder of --data, or was not begun in time" in text
    assert "- never: nobody has it" in text
    assert "## Failures and wrong answers\n\n- none" in text


@pytest.mark.usefixtures("no_gpu")
def test_a_run_is_continued_where_it_ended_and_never_repeated(tiny, tmp_path, capsys):
    assert paper.main([*tiny, "--budget", "1e-9"]) == 0
    assert "not begun, for the time is over" in capsys.readouterr().err
    assert "measurements" in report_of(tmp_path)
    assert "were not begun within the budget" in report_of(tmp_path)
    assert paper.main(tiny) == 0
    first = lines_of(tmp_path)
    assert "not begun within" not in report_of(tmp_path)
    assert all(line["wrong"] == 0 for line in first)
    capsys.readouterr()
    assert paper.main(tiny) == 0
    assert lines_of(tmp_path) == first
    assert capsys.readouterr().err == ""
    assert {line["seed"] for line in first if "lists" in line["study"]} == {0, 1}
    assert {line["sources"] for line in first if "some" in line["study"]} == {20}
    assert all(line["processor"] and line["spent_s"] > 0 for line in first)


@pytest.mark.usefixtures("no_gpu")
def test_a_file_of_another_machine_is_refused(tiny, tmp_path, capsys):
    assert paper.main(tiny) == 0
    (path,) = (tmp_path / "out").glob("*.jsonl")
    path.write_text(path.read_text().replace('"cores": "', '"cores": "9'))
    assert command.main(["paper", *tiny]) == 3
    said = capsys.readouterr().err
    assert "has lines of another machine (cores 9" in said
    assert "--lines" in said


def test_gpu_recipes_run_and_are_drawn_where_there_is_one(tiny, tmp_path):
    device = EmulatedDevice(seed=3, cache=CACHE)
    assert paper.main([*tiny, "--repeats", "1"], sssp_on(device), device) == 0
    text = report_of(tmp_path)
    assert "Not run here" not in text
    assert re.search(r"\| F on the GPU \| 60x \| [\d.]+x to [\d.]+x \|", text)
    kind = next((tmp_path / "out").glob("*.md")).stem
    for name in ("figure-4-1", "figure-4-2", "figure-5-1"):
        assert (tmp_path / "out" / f"{kind}-{name}.png").exists()
    (line,) = [one for one in lines_of(tmp_path) if "rounds" in one["study"]]
    each = line["each_round"]
    assert sum(each["relaxed"]) == line["relaxed"]
    assert sum(each["selected"]) == line["selected"]
    assert len(each["selected"]) == line["rounds"]


def test_a_wrong_answer_of_an_exact_recipe_has_no_time_and_fails(tiny, tmp_path, capsys):
    def wrong(graph, source, **call):
        right = wp.sssp(graph, source, trace=call["trace"])
        dist = right.dist.copy()
        if call["algorithm"] == "martin2009.f_cpu" and graph.n == 96:
            dist[5] += 1
        return Paths(
            graph, source, dist, tree=lambda: right.pred, stats={"rounds": 3}, trace=right.trace
        )

    device = EmulatedDevice(cache=CACHE)
    assert paper.main([*tiny, "--repeats", "1", "--devices", "cpu"], wrong, device) == 1
    assert "WRONG: martin2009.f_cpu on martin 96: 1 labels" in capsys.readouterr().err
    text = report_of(tmp_path)
    row = next(row for row in text.splitlines() if row.startswith("| f_cpu |"))
    assert row.split(" | ")[2] == "**wrong**"
    assert "- martin2009.f_cpu on martin 96: 1 wrong labels" in text


@pytest.mark.usefixtures("no_gpu")
def test_what_is_over_its_limit_is_not_tried_on_larger_graphs(tiny, tmp_path, monkeypatch):
    def measure(_, job, limit):
        line = {"study": job.study, "graph": job.graph, "recipe": job.recipe, "factor": job.delta}
        if job.recipe == "martin2009.fh":
            return line | {"limit": limit, "rounds_made": None}
        return line | {"ms": 1.0, "wrong": 0, "n": 9, "m": 9}

    monkeypatch.setattr(Bench, "measure", measure)
    assert paper.main([*tiny, "--limit", "7"]) == 0
    heaps = [line for line in lines_of(tmp_path) if line["recipe"] == "martin2009.fh"]
    assert [("limit" in line, line.get("skipped")) for line in heaps] == [
        (True, None),
        *[(False, "over 7 s on martin 64 already")] * 5,
    ]
    row = next(row for row in report_of(tmp_path).splitlines() if row.startswith("| fh |"))
    assert row.startswith("| fh | > 7 s | no: over 7 s on martin 64 already |")


@pytest.mark.usefixtures("no_gpu")
def test_a_solve_that_the_budget_stops_is_left_for_the_next_run(tiny, tmp_path, monkeypatch):
    def measure(_, job, limit):
        return {
            "study": job.study,
            "graph": job.graph,
            "recipe": job.recipe,
            "factor": job.delta,
            "limit": limit,
            "rounds_made": 4,
        }

    monkeypatch.setattr(Bench, "measure", measure)
    assert paper.main([*tiny, "--limit", "60", "--budget", "50"]) == 0
    assert list((tmp_path / "out").glob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scale", "0"], "--scale 0 must be above 0"),
        (["--repeats", "0"], "--repeats 0 must be at least 1"),
        (["--data", "/nowhere/at/all"], "--data /nowhere/at/all is no folder"),
        (["--devices", "cuda"], "no GPU here"),
    ],
)
@pytest.mark.usefixtures("no_gpu")
def test_options_that_cannot_be_are_refused(tiny, options, message, capsys):
    assert command.main(["paper", *tiny, *options]) == 3
    assert message in capsys.readouterr().err


def many(recipe, **more):
    return Job("s", "uniform 40 3", recipe, task=Task.MANY, sources=8, **more)


def test_the_gpu_of_many_sources_is_asked_for_by_name(monkeypatch):
    seen = []
    real = wp.distances

    def distances(graph, sources, *, algorithm, device, **more):
        seen.append((algorithm, device, more.get("threads", "none")))
        return real(graph, sources, algorithm="classic.dijkstra", device="cpu")

    monkeypatch.setattr(jobs.calls, "distances", distances)
    bench = Bench(0, device=SimpleNamespace(name="cuda:1"))
    job = many("johnson_gpu.johnson_queue", threads=1)
    assert bench.measure(job, 30)["wrong"] == 0
    assert seen[0] == ("classic.dijkstra", "cpu", "none")
    assert set(seen[1:]) == {("johnson_gpu.johnson_queue", "cuda:1", None)}
    assert bench.measure(many("classic.johnson", threads=1), 30)["ms"] > 0
    assert seen[-1] == ("classic.johnson", "cpu", 1)


def test_many_sources_count_wrong_distances(monkeypatch):
    real = wp.distances

    def distances(graph, sources, *, algorithm, **_):
        table = real(graph, sources, algorithm="classic.dijkstra")
        if algorithm == "classic.johnson" and graph.n == 40:
            table.dist[2, 3:5] += 1
        return table

    monkeypatch.setattr(jobs.calls, "distances", distances)
    assert Bench(0).measure(many("classic.johnson"), 30)["wrong"] == 2


def test_all_pairs_get_the_weights_of_their_graph(tiny, tmp_path):
    own = experiments.load(tiny[0])
    cells = paper.planned(own, 1, None, tmp_path, ["cpu"])
    cell = next(one for one in cells if one.made.label == "own")
    make = paper.graphs_by_name(cells)
    graph = make(cell.made.name)
    assert graph.weights.min() >= 1
    assert graph.weights.max() <= 9
    line = Bench(0, graphs=make).measure(cell.job, 30)
    assert (line["study"], line["wrong"], line["n"]) == ("tiny: all", 0, 3)


def test_a_recipe_that_loses_minima_is_shown_with_its_wrong_labels(tiny):
    own = experiments.load(tiny[0])
    study = {"study": "tiny: lists", "label": "martin 64", "factor": None, "n": 64, "m": 448}
    lines = [
        study | {"recipe": "martin2009.fh", "ms": 8.0, "wrong": 0},
        study | {"recipe": "martin2009.f_cpu", "failed": "MemoryError: none", "seed": 0},
        study | {"recipe": "martin2009.f_gpu", "refused": "too wide"},
        study | {"recipe": "classic.delta_stepping", "ms": 2.0, "wrong": 0, "graph": "martin 64"},
    ]
    lines = [{"graph": "martin 64"} | line for line in lines]
    text = paper_page.page(Results(own, lines), {}, command="c", scale="s", absent=[])
    assert "| fh | 8 ms |" in text
    assert "| f_cpu | failed: MemoryError: none |" in text
    assert "| f_gpu | no: too wide |" in text
    assert "| classic.delta_stepping † | 2 ms (4x) |" in text
    assert "- martin2009.f_cpu on martin 64: MemoryError: none" in text
    assert "Not run here, not begun in time: dijkstra, fw_tiled." in text


def test_a_wrong_answer_has_no_time(tiny):
    own = experiments.load(tiny[0])
    base = {"study": "tiny: lists", "graph": "g", "label": "g", "factor": None, "ms": 5.0}
    lines = [
        base | {"recipe": "martin2009.fh", "wrong": 1, "rounds": 7},
        base | {"recipe": "martin2009.f_gpu_no_atomic", "wrong": 1},
    ]
    results, study = Results(own, lines), own.studies[0]
    assert results.mid(study, "g", "martin2009.fh") is None
    assert results.mid(study, "g", "martin2009.fh", "rounds") == 7
    assert results.mid(study, "g", "martin2009.f_gpu_no_atomic") == 5


def test_the_kind_of_a_machine_names_its_files():
    assert paper.kind_of({"gpu": "NVIDIA H200", "processor": "x", "cores": "16"}) == "nvidia-h200"
    assert paper.kind_of({"processor": "AMD EPYC 9R14", "cores": "2"}) == "amd-epyc-9r14-2-cores"
    assert paper.kind_of({"processor": "", "machine": "arm64", "cores": "8"}) == "arm64-8-cores"


@pytest.mark.usefixtures("no_gpu")
def test_several_papers_share_a_budget(tiny, tmp_path, monkeypatch, capsys):
    budgets = []
    real = paper.measured

    def run(cells, *more, budget, **options):
        budgets.append(budget)
        return real(cells, *more, budget=budget, **options)

    clock = iter([0, 0, 100])  # the start, then the beginning of each paper
    monkeypatch.setattr(paper, "measured", run)
    monkeypatch.setattr(paper, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    other = tmp_path / "other.toml"
    other.write_text(TINY)
    assert paper.main([str(other), *tiny, "--repeats", "1", "--budget", "1000"]) == 0
    assert budgets == [500, 900]
    assert len(capsys.readouterr().out.splitlines()) == 2
    lines = tmp_path / "one.jsonl"
    assert command.main(["paper", str(other), *tiny, "--lines", str(lines)]) == 3
    assert "--lines is the file of one paper" in capsys.readouterr().err


def test_numbers_beside_the_papers_are_formed_as_it_says(tiny):
    own = experiments.load(tiny[0])
    lines = [
        {
            "study": "tiny: lists",
            "graph": label,
            "label": label,
            "factor": None,
            "wrong": 0,
            "recipe": f"martin2009.{name}",
            "ms": ms,
            "rounds": rounds,
        }
        for label, heap, frontier, rounds in (("a", 8.0, 2.0, 30), ("b", 30.0, 3.0, 50))
        for name, ms in (("fh", heap), ("f_cpu", frontier))
    ]
    results, figure = Results(own, lines), own.figures[0]
    largest, rounds, absent = figure.published
    assert results.here(figure, largest) == "10x"
    assert results.here(figure, replace(largest, graph="")) == "4x to 10x"
    assert results.here(figure, replace(largest, graph="a")) == "4x"
    assert results.here(figure, replace(largest, graph="", mean=True)) == "7x (mean)"
    assert results.here(figure, rounds) == "40 (mean)"
    assert results.here(figure, replace(rounds, key="ms", mean=False)) == "2 ms to 3 ms"
    assert results.here(figure, absent) == "not measured here"


@pytest.mark.parametrize(
    ("error", "key", "said"),
    [
        (wp.DeviceError("it broke"), "failed", "DeviceError: it broke"),
        (TimeIsUpError(7), "rounds_made", 7),
        (MemoryError("none"), "failed", "MemoryError: none"),
    ],
)
def test_many_sources_that_end_early_are_lines_too(monkeypatch, error, key, said):
    real = wp.distances

    def distances(graph, sources, *, algorithm, **_):
        if algorithm == "classic.johnson":
            raise error
        return real(graph, sources, algorithm=algorithm)

    monkeypatch.setattr(jobs.calls, "distances", distances)
    bench = Bench(0, graphs=lambda _: wp.generate.uniform(40, 3, (1, 10**6)))
    line = bench.measure(many("classic.johnson"), 30)
    assert line[key] == said
    assert "ms" not in line
    refused = bench.measure(many("classic.dijkstra.dial"), 30)["refused"]
    assert "weight" in refused
