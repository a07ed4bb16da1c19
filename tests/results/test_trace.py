"""The trace of a run: its totals, its file, and what it costs when nobody asks for it."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.base.errors import GraphFormatError
from warpath.engines import cpu, potentials
from warpath.engines.hierarchy import HIERARCHY
from warpath.engines.papers import duan2025
from warpath.recipes import CATALOGUE, Task
from warpath.results.trace import Round, Trace, TracedRun, headline, totals_as_text

CPU = [
    one.name
    for one in CATALOGUE
    if one.paper in {"classic", "duan2025"} and Task.SSSP in one.solves
]


def near_far(**run):
    """Three rounds and a split of the far pile, small enough to add up by hand."""
    rounds = [
        Round(0, "near", 1, 4, 3, {"near": 1, "far": 2}, {"relax": 0.25, "compact": 0.125}),
        Round(1, "near", 1, 8, 2, {"near": 0, "far": 4}, {"relax": 0.5, "compact": 0.125}),
        Round(2, "far", 0, 0, 0, {"near": 4, "far": 0}, {"split": 0.25}, rounds=0),
        Round(3, "near", 4, 6, 1, {"near": 0, "far": 0}, {"relax": 0.25, "compact": 0.125}),
    ]
    known = {
        "algorithm": "davidson2014.near_far",
        "device": "cuda:0",
        "graph": "toy",
        "n": 6,
        "m": 14,
        "source": 0,
        "params": {"delta": 2.5},
        "dijkstra_edges": 12,
        "seconds": 2.0,
    }
    return Trace(rounds, TracedRun(**(known | run)))


def test_the_totals_of_a_trace_by_hand():
    totals = near_far().totals()
    assert (totals.rounds, totals.selected, totals.relaxed, totals.improved) == (3, 6, 18, 6)
    assert totals.work_ratio == 18 / 12
    assert totals.mean_parallelism == 6 / 3  # the split is no round
    assert totals.seconds == 2.0
    assert totals.mteps == 6e-6  # Dijkstra's 12 edges in 2 s, not the 18 relaxed
    assert totals.steps == {"relax": 1.0, "compact": 0.375, "split": 0.25}


def test_totals_of_rounds_alone_know_no_dijkstra_and_add_up_the_steps():
    totals = Trace(near_far()).totals()
    assert totals.work_ratio is None
    assert totals.mteps is None
    assert totals.seconds == 1.625
    told = Trace(near_far()).totals(dijkstra_edges=9, seconds=0.5)
    assert (told.work_ratio, told.mteps) == (2.0, 18e-6)


def test_the_totals_of_no_rounds_are_zero():
    totals = Trace().totals()
    assert (totals.rounds, totals.mean_parallelism, totals.seconds) == (0, 0.0, 0)
    assert repr(Trace()).startswith("<Trace\n  rounds")


def test_a_trace_prints_its_totals():
    assert repr(near_far()) == (
        "<Trace of davidson2014.near_far on cuda:0\n"
        "  rounds      3\n"
        "  selected    6, 2 a round\n"
        "  relaxed    18, 1.5 times Dijkstra's\n"
        "  improved    6, 33.3% of them\n"
        "  time      2 s, 6e-06 MTEPS>"
    )
    assert headline(near_far().totals()) == "3 rounds, parallelism 2, 1.5 times Dijkstra's work"
    assert totals_as_text(Trace().totals())["relaxed"] == "0"


def test_edges_that_were_read_and_not_relaxed_count_as_work():
    trace = Trace([*near_far(), Round(4, "near", 1, 2, 1, read=8)], near_far().run)
    totals = trace.totals()
    assert (totals.relaxed, totals.read, totals.work_ratio) == (20, 26, 26 / 12)
    assert "  relaxed    20\n  read       26, 2.17 times Dijkstra's\n" in repr(trace)


def test_a_trace_is_a_sequence_of_its_rounds():
    trace = near_far()
    assert len(trace) == 4
    assert trace[2].phase == "far"
    assert [one.number for one in trace[1:3]] == [1, 2]
    trace.add(Round(4, "near", 1, 1, 0))
    assert trace[-1] == Round(4, "near", 1, 1, 0, {}, {}, 1)
    assert trace != near_far()
    assert near_far() != list(near_far())


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_saved_trace_comes_back(tmp_path, name):
    trace = near_far()
    trace.save(tmp_path / name)
    back = Trace.load(tmp_path / name)
    assert back == trace
    assert back.totals() == trace.totals()


def test_rounds_without_a_run_and_numbers_of_numpy_are_saved_as_numbers(tmp_path):
    one = Round(
        0,
        "near",
        np.int64(3),
        np.int32(4),
        np.int64(1),
        {"far": np.int64(2)},
        {"relax": np.float32(0.5)},
    )
    Trace([one]).save(tmp_path / "a.jsonl")
    back = Trace.load(tmp_path / "a.jsonl")
    assert back == Trace([Round(0, "near", 3, 4, 1, {"far": 2}, {"relax": 0.5})])
    assert back.run is None


def test_the_first_line_of_a_file_says_what_ran_and_the_totals(tmp_path):
    near_far().save(tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(lines) == 5
    assert lines[0]["run"]["params"] == {"delta": 2.5}
    assert lines[0]["run"]["warpath"] == wp.__version__
    assert lines[0]["totals"]["work_ratio"] == 1.5
    assert lines[1]["sizes"] == {"near": 1, "far": 2}


def changed(**values):
    return lambda line: json.dumps(json.loads(line) | values)


def without(name):
    return lambda line: json.dumps({k: v for k, v in json.loads(line).items() if k != name})


DAMAGE = {
    "cut in a line": (4, lambda line: line[:30], "4: expected an object of JSON"),
    "no object": (2, lambda _: "[1]", "2: expected an object of JSON"),
    "an infinite time": (3, lambda line: line.replace("0.5", "Infinity"), "is not a JSON number"),
    "a huge time": (3, lambda line: line.replace("0.5", "1e999"), "3: 'seconds' must be"),
    "a missing count": (3, without("relaxed"), "3: 'relaxed' is missing"),
    "a key too many": (3, changed(colour=1), "3: 'colour' is not known here"),
    "a negative count": (5, changed(selected=-1), "5: 'selected' must be a whole number >= 0"),
    "a truth as count": (5, changed(rounds=True), "5: 'rounds' must be a whole number >= 0"),
    "a size in words": (2, changed(sizes={"far": "2"}), "2: 'sizes' must be an object of whole"),
    "sizes in a list": (2, changed(sizes=[1]), "2: 'sizes' must be an object of whole"),
    "a phase in numbers": (2, changed(phase=7), "2: 'phase' must be text"),
    "another format": (1, changed(format="gpx"), "1: expected a trace that warpath saved"),
    "another version": (1, changed(version=2), "1: this trace is of version 2, this warpath"),
    "a run of another kind": (1, changed(run=3), "1: 'run' must be an object or null"),
    "a run without a name": (1, changed(run={"n": 1}), "1: '[a-z_]+' is missing"),
}


@pytest.mark.parametrize(("line", "damage", "message"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_trace_is_refused_with_its_line(tmp_path, line, damage, message):
    path = tmp_path / "a.jsonl"
    near_far().save(path)
    lines = path.read_text().splitlines()
    lines[line - 1] = damage(lines[line - 1])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(GraphFormatError, match=message) as caught:
        Trace.load(path)
    assert caught.value.line == line


def test_a_trace_cut_between_lines_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    near_far().save(path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(GraphFormatError, match="promises 4 rounds, but 3 follow"):
        Trace.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"1 2 3\n", 'expected a trace .*found "1 2 3"'),
        (b"[1]\n", "expected a trace"),
        (b"\xff{}\n", "expected a trace"),
        (b"\x89PNG\r\n", "a PNG picture"),
        (b"[" * 100_000, "expected a trace"),
    ],
    ids=["empty", "numbers", "list", "no utf-8", "picture", "nested"],
)
def test_what_is_no_trace_is_refused(tmp_path, content, message):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(GraphFormatError, match=message):
        Trace.load(path)


def test_a_trace_that_is_not_there_is_named(tmp_path):
    with pytest.raises(GraphFormatError, match=r"none\.jsonl"):
        Trace.load(tmp_path / "none.jsonl")


@pytest.mark.parametrize("algorithm", CPU)
def test_a_traced_search_is_one_row_and_changes_no_distance(algorithm):
    graph = generate.grid(12, 12, seed=3)
    plain = wp.sssp(graph, 5, algorithm=algorithm, threads=1)
    paths = wp.sssp(graph, 5, algorithm=algorithm, threads=1, trace=True)
    assert plain.trace is None
    assert np.array_equal(plain.dist, paths.dist)
    (row,) = paths.trace
    assert row.phase == "search"
    for counter in ("relaxed", "improved"):
        assert getattr(row, counter) == plain.stats[counter] == paths.stats[counter]
    assert row.selected == plain.stats["settled"] == paths.stats["selected"]
    assert 0 < row.seconds["search"] <= paths.stats["seconds"]


def test_dijkstra_takes_one_vertex_a_round_and_does_dijkstras_work():
    graph = generate.grid(12, 12, seed=3)
    stats = wp.sssp(graph, 5, algorithm="classic.dijkstra", trace=True).stats
    assert stats["rounds"] == stats["selected"] == graph.n
    assert stats["mean_parallelism"] == 1
    assert stats["work_ratio"] == 1
    assert stats["mteps"] == graph.m / stats["seconds"] / 1e6


def test_bellman_ford_has_its_passes_as_rounds():
    graph = wp.Graph.of([(0, 1, 5), (0, 2, 1), (2, 1, 1), (1, 3, 1)])
    plain = wp.sssp(graph, 0, algorithm="classic.bellman_ford")
    paths = wp.sssp(graph, 0, algorithm="classic.bellman_ford", trace=True)
    assert paths.trace[0].rounds == plain.stats["rounds"] == paths.stats["rounds"]
    assert paths.stats["mean_parallelism"] == plain.stats["settled"] / plain.stats["rounds"]


def test_the_edges_of_dijkstra_are_those_out_of_reached_vertices():
    rows = [(0, 1, 2), (1, 2, 2), (2, 3, 2), (4, 0, 1), (4, 1, 1)]
    graph = wp.Graph.of(rows)
    whole = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True)
    assert whole.trace.run.dijkstra_edges == 3
    near = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True, cutoff=3)
    assert near.trace.run.dijkstra_edges == 2
    assert near.stats["work_ratio"] == 1
    end = wp.sssp(graph, 3, trace=True)
    assert end.stats["work_ratio"] is None
    assert end.stats["mteps"] == 0


def test_vertices_that_are_not_passed_through_count_as_the_solver_sees_them():
    rows = ([0, 2, 1, 3], [2, 1, 3, 0], [1, 1, 1, 1])
    graph = wp.Graph.from_edges(*rows, first_through=2)
    paths = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True)
    assert paths.stats["work_ratio"] == 1
    assert paths.trace.run.n == graph.n


def test_the_run_of_a_trace_says_what_ran():
    graph = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    paths = wp.sssp(graph, "a", algorithm="classic.delta_stepping", params={"delta": 3}, trace=True)
    run = paths.trace.run
    assert (run.algorithm, run.device, run.source) == ("classic.delta_stepping", "cpu", "a")
    assert (run.n, run.m, run.params) == (3, 2, {"delta": 3})
    assert run.seconds == paths.stats["seconds"]
    assert run.warpath == wp.__version__


def test_a_source_of_another_kind_is_kept_as_text(tmp_path):
    pytest.importorskip("networkx")
    import networkx as nx

    city = nx.DiGraph()
    city.add_edge((0, 1), (0, 2), weight=3)
    trace = wp.sssp(city, (0, 1), trace=True).trace
    assert trace.run.source == "(0, 1)"
    trace.save(tmp_path / "a.jsonl")
    assert Trace.load(tmp_path / "a.jsonl") == trace


def test_a_traced_result_survives_pickling():
    paths = wp.sssp([(0, 1, 2), (1, 2, 5)], 0, trace=True)
    back = pickle.loads(pickle.dumps(paths))  # noqa: S301 - our own bytes
    assert back.trace == paths.trace
    assert back.stats == paths.stats


class Recorder:
    """The core, with the names and plain arguments of the calls that it gets."""

    def __init__(self, core):
        self.core = core
        self.calls = []

    def __getattr__(self, name):
        def call(*args, **options):
            plain = [value for value in args if not isinstance(value, np.ndarray)]
            shown = {key: v for key, v in options.items() if not isinstance(v, np.ndarray)}
            self.calls.append((name, plain, shown))
            return getattr(self.core, name)(*args, **options)

        return call


COUNTED = {"classic.dijkstra": "dijkstra", "duan2025.bmssp": "bmssp"}
"""Algorithms whose comparisons are counted in traced solves, with the core's function for those."""


@pytest.mark.parametrize("algorithm", CPU)
def test_without_a_trace_nothing_is_made_and_the_core_gets_the_same_calls(monkeypatch, algorithm):
    graph = generate.grid(5, 5, seed=3)
    core, calls = cpu._core, []
    for asked in (True, False):
        recorder = Recorder(core)
        for module in (cpu, duan2025, potentials):
            monkeypatch.setattr(module, "_core", recorder)
        if not asked:
            monkeypatch.setattr(Trace, "__init__", None)
            monkeypatch.setattr(Round, "__init__", None)
        paths = wp.sssp(graph, 0, algorithm=algorithm, threads=1, trace=asked)
        calls.append(recorder.calls)
    if algorithm in COUNTED:
        assert [name for name, *_ in calls[0]] == [COUNTED[algorithm]]
        assert [name for name, *_ in calls[1]] == [f"{COUNTED[algorithm]}_search"]
    else:
        assert calls[0] == calls[1] != []
    counters = {"settled", "relaxed", "improved", "seconds", "reached"}
    assert paths.stats.keys() - {"rounds", "read"} == counters


def test_a_cutoff_does_not_change_what_the_work_is_compared_with():
    graph = wp.generate.grid(12, 12)
    for name in ("martin2009.f_cpu", "classic.dijkstra"):
        whole = wp.sssp(graph, 0, algorithm=name, trace=True)
        cut = wp.sssp(graph, 0, algorithm=name, trace=True, cutoff=whole.dist.max() // 3)
        assert cut.stats["work_ratio"] <= 1.5, name
        assert np.count_nonzero(cut.reached) < np.count_nonzero(whole.reached)


def test_a_search_in_a_hierarchy_counts_its_way_up_and_down(tmp_path):
    graph = wp.generate.road(3000)
    city = wp.prepare(graph)
    paths = city.sssp(5, trace=True)
    up, down = paths.trace
    assert (up.phase, down.phase) == ("up", "down")
    assert up.selected == up.rounds == paths.stats["settled"] > 1
    assert up.relaxed == paths.stats["relaxed_up"] > up.improved > 0
    assert up.sizes == {"stalled": paths.stats["stalled"]}
    assert (down.selected, down.relaxed) == (graph.n, HIERARCHY.cached(graph).arcs[1])
    assert paths.stats["work_ratio"] == pytest.approx((up.relaxed + down.relaxed) / graph.m)
    paths.trace.save(tmp_path / "a.jsonl")
    assert Trace.load(tmp_path / "a.jsonl") == paths.trace


@pytest.mark.parametrize("algorithm", ["delling2011.rphast", "knopp2007.buckets"])
def test_tables_by_a_hierarchy_count_their_way_up_and_down(algorithm):
    graph = wp.generate.road(3000)
    table = wp.distances(graph, [5, 9], range(0, 3000, 500), algorithm=algorithm, trace=True)
    up, down = table.trace
    assert (up.phase, down.phase) == ("up", "down")
    assert up.selected >= up.sizes["stalled"] > 0
    assert up.relaxed > 0 < down.relaxed
