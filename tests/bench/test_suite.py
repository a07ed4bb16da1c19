"""`warpath bench suite`: lines, tables, what is continued, and what is told of errors."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath_bench import __main__ as command
from warpath_bench import peers, run, session
from warpath_bench import suite as module
from warpath_bench.right import Right

CONTRACT = {
    "suite", "graph", "n", "m", "dtype", "solver", "threads", "tree", "source", "ms", "times",
    "verified", "load_s", "build_s", "plan", "totals", "machine", "commit",
}  # fmt: skip


def rows(text):
    """Return the cells of the first table, by solver and threads."""
    table = text.split("\n\n")[1].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    return {", ".join(row[:2]): row[2:] for row in cells}


def graphs(text):
    return [cell.partition(" (")[0] for cell in rows(text)["solver, threads"]]


def test_there_is_a_line_for_each_graph_solver_and_source(suite):
    given = ["--graphs", "rmat", "road", "--peers", "SciPy", "--threads", "1", "2"]
    text, _, lines = suite(*given, "--dtypes", "int", "--no-tree")
    assert len(lines) == 2 * 3 * 3
    assert all(set(line) >= CONTRACT for line in lines)
    assert all(line["verified"] for line in lines)
    assert min(len(line["times"]) for line in lines) >= 2  # close races are run again
    ours = [line for line in lines if line["solver"] == "warpath auto"]
    assert {line["threads"] for line in ours} == {1, 2}
    assert all(line["plan"] and line["totals"]["relaxed"] > 0 for line in ours)
    assert {line["plan"] for line in lines if line["solver"] == "SciPy"} == {None}
    found = rows(text)
    assert graphs(text) == ["rmat 7 16", "road 500"]
    assert set(found) >= {"warpath auto, 1", "warpath auto, 2", "SciPy, 1"}
    assert re.fullmatch(r"\d[\d.,]* \([\d.,]+ to [\d.,]+\)", found["SciPy, 1"][0])
    ratios = text.partition("### Ours against the best peer")[2].partition("###")[0]
    row = r"^\| (?:rmat 7 16|road 500) \| int32 \| no \| [12] \| warpath auto \| .* SciPy .*x \|$"
    assert len(re.findall(row, ratios, re.MULTILINE)) == 4


def test_every_kind_of_weights_is_measured_with_trees_and_without(suite):
    given = ["--graphs", "delaunay", "--peers", "SciPy", "NetworKit", "igraph", "--threads", "1"]
    pytest.importorskip("networkit")
    text, _, lines = suite(*given, "--dtypes", "int", "float", "none", "float32")
    assert {line["dtype"] for line in lines} == {"int32", "float64", "none", "float32"}
    assert all("ms" in line for line in lines)
    trees = {line["solver"] for line in lines if line["tree"]}
    assert trees == {"warpath auto", "SciPy", "NetworKit"}
    assert "**int32**\n" in text
    assert "**none, with the tree**\n" in text


def test_a_run_is_continued_and_takes_nothing_twice(suite):
    given = ["--graphs", "road", "--peers", "SciPy", "--threads", "1", "--no-tree"]
    _, _, first = suite(*given, "--dtypes", "int")
    text, told, second = suite(*given, "--dtypes", "int", "float")
    assert second[: len(first)] == first
    assert {line["dtype"] for line in second[len(first) :]} == {"float64"}
    assert "**int32**" in text
    again, told, third = suite(*given, "--dtypes", "int", "float")
    assert "nothing is missing" in told
    assert third == second
    assert again == text
    *_, more = suite(*given, "--dtypes", "int", "--sources", "5")
    assert len(more) == len(third) + 2 * 2


def test_what_a_budget_left_out_is_taken_by_a_larger_one_only(suite, monkeypatch):
    monkeypatch.setattr(session, "_BUILDS", 1e12)
    given = [
        "--graphs",
        "road",
        "--peers",
        "SciPy",
        "--threads",
        "1",
        "--no-tree",
        "--dtypes",
        "int",
    ]
    text, _, lines = suite(*given, "--budget", "1e-9")
    assert len([line for line in lines if line["solver"] == "SciPy"]) == 1
    assert re.search(r"\| SciPy \| 1 \| [\d.]+ \[1\] \|", text)
    *_, again = suite(*given, "--budget", "1e-9")
    assert len(again) == len(lines)
    *_, more = suite(*given, "--budget", "10")
    assert len(more) == len(lines) + 2


def test_a_peer_whose_graph_would_take_too_long_is_not_begun(suite, monkeypatch):
    monkeypatch.setattr(session, "_BUILDS", 0)
    text, told, lines = suite("--graphs", "road", "--peers", "SciPy", "--threads", "1", "--no-tree")
    assert "not begun: building its graph" in told
    assert "| SciPy | 1 | - |" in text
    assert [line["verified"] for line in lines if line["solver"] == "SciPy"] == [False, False]


def test_a_wrong_peer_is_shown_with_the_number_of_its_wrong_distances(suite, monkeypatch):
    scipy = peers.PEERS[0]

    def wrong(found, n):
        dist = scipy.answer(found, n).copy()
        dist[np.flatnonzero(np.isfinite(dist))[:7]] += 0.5
        return dist

    monkeypatch.setattr(
        peers,
        "PEERS",
        (peers.Peer("SciPy", "scipy", scipy.prepare, scipy.solve, wrong, scipy.build_us),),
    )
    text, told, lines = suite("--graphs", "road", "--threads", "1", "--no-tree", "--dtypes", "int")
    bad = [line for line in lines if line["solver"] == "SciPy"]
    assert all("ms" not in line and line["wrong"] == 7 and not line["verified"] for line in bad)
    assert "7 distances are wrong, by up to 0.5" in bad[0]["error"]
    assert "| SciPy | 1 | 7 wrong |" in text
    assert "best peer" not in text
    assert "SciPy on road 500: 7 distances" in told


def test_a_peer_that_raises_is_a_line_and_the_others_go_on(suite, monkeypatch):
    def broken(_made, _source):
        raise RuntimeError("out of luck")

    scipy = peers.PEERS[0]
    spoilt = peers.Peer("SciPy", "scipy", scipy.prepare, broken, scipy.answer, 0.0)
    monkeypatch.setattr(peers, "PEERS", (spoilt, peers.PEERS[4]))
    pytest.importorskip("networkx")
    text, _, lines = suite("--graphs", "road", "--threads", "1", "--no-tree", "--dtypes", "int")
    bad = [line for line in lines if line["solver"] == "SciPy"]
    assert [line["error"] for line in bad] == ["RuntimeError: out of luck"]
    assert "| SciPy | 1 | **failed** |" in text
    assert len([line for line in lines if line["solver"] == "NetworkX"]) == 3


def test_an_answer_that_cannot_be_read_is_no_measured_time(suite, monkeypatch):
    scipy, asked = peers.PEERS[0], []

    def torn(found, n):
        asked.append(n)
        if len(asked) == 3:  # the first one is that of the warm-up
            raise RuntimeError("torn")
        dist = scipy.answer(found, n).copy()
        dist[0] += 0.5
        return dist

    monkeypatch.setattr(
        peers, "PEERS", (peers.Peer("SciPy", "scipy", scipy.prepare, scipy.solve, torn, 0.0),)
    )
    _, _, lines = suite("--graphs", "road", "--threads", "1", "--no-tree", "--dtypes", "int")
    first, second = [line for line in lines if line["solver"] == "SciPy"]
    assert first["error"].startswith("1 distances are wrong")  # the one before it was compared
    assert second["error"] == "RuntimeError: torn"


@pytest.mark.parametrize(
    ("waiting", "room", "order"),
    [
        (0, 2**26, "s a s+ sasasaccc"),
        (0, 0, "s a s+ sacsacsac"),
        (2 * 72 - 1, 2**26, "s a s+ ssaasaccc"),
        (2**18, 2**26, "s a s+ sssaaaccc"),
    ],
)
def test_solves_follow_each_other_and_answers_come_after_them(monkeypatch, waiting, room, order):
    steps = []

    class Noted(Right):
        def wrong(self, found):
            steps.append("c")
            return super().wrong(found)

    def solve(source):
        steps.append("s")
        return known[source].dist

    def answer(dist):
        steps.append("a")
        return dist, None, None

    graph = generate.grid(3, 3, (1, 5), seed=1)
    known = {s: Noted(wp.sssp(graph, s), b"") for s in range(3)}
    monkeypatch.setattr(run, "_WAITING", waiting)  # an answer has 72 bytes
    monkeypatch.setattr(run, "_MOST_HELD", room)
    solver = run.Local("one", 1, tree=False, solve=solve, answer=answer, budget=None, about={})
    solver.turn(known)
    assert re.fullmatch(order.replace(" ", ""), "".join(steps))
    assert [found.line()["verified"] for found in solver.found.values()] == [True] * 3


@pytest.mark.parametrize(("two", "again"), [(4.0, [1, 0]), (60.0, [1, 1])])
def test_races_that_are_not_clearly_won_are_run_again(monkeypatch, two, again):
    monkeypatch.setattr(run, "_AGAIN", (2, 2))
    turns = []

    class Timed:
        tree, error = False, None

        def __init__(self, name, threads, ms):
            self.name, self.threads, self.ms = name, threads, ms
            self.found = {}

        def turn(self, right):
            turns.append((self.name, self.threads))
            for source in right:
                self.found.setdefault(source, run.Found()).times.append(self.ms)

    solvers = [
        Timed("warpath auto", 1, 10.0),
        Timed("warpath auto", 2, two),
        Timed("SciPy", 1, 14.9),
        Timed("GAP", 1, 11.0),
        Timed("GAP", 2, 6.1),
        Timed("igraph", 1, 90.0),
        Timed("wrong", 1, 9.0),
        Timed("failed", 1, 9.0),
        Timed("slow on 7", 1, 9.0),
    ]
    solvers[-3].found = {0: run.Found(wrong=1)}
    solvers[-2].error = "torn"
    solvers[-1].found = {7: run.Found([90.0])}
    sources = [{0, 7}] * 8 + [{7}]
    run.contest([(one, dict.fromkeys(of)) for one, of in zip(solvers, sources, strict=True)], 1)
    once = [(one.name, one.threads) for one in solvers]
    ones, twos = again
    more = [one for one in once if one[0] in {"warpath auto", "GAP"}]
    assert turns == once + 2 * [one for one in more if [ones, twos][one[1] - 1]]
    times = [len(one.found[7].times) for one in solvers]
    assert times == [3, 1 + 2 * twos, 1, 3, 1 + 2 * twos, 1, 1, 1, 2]


@pytest.mark.parametrize(("seconds", "turns"), [(0.0, 13), (0.25, 10), (3.0, 5)])
def test_close_races_of_short_turns_are_run_again_more_often(monkeypatch, seconds, turns):
    now = [0.0]

    class Timed:
        tree, error = False, None

        def __init__(self, name, threads):
            self.name, self.threads = name, threads
            self.found = {}

        def turn(self, right):
            now[0] += seconds / 2
            for source in right:
                self.found.setdefault(source, run.Found()).times.append(1.0)

    monkeypatch.setattr(run.time, "monotonic", lambda: now[0])
    solvers = [Timed("warpath auto", 1), Timed("GAP", 1)]
    run.contest([(one, {0: None}) for one in solvers], 1)
    assert [len(one.found[0].times) for one in solvers] == [turns, turns]


def test_ours_being_wrong_ends_with_code_1(suite, monkeypatch):
    right = session.sssp

    def wrong(graph, source, **named):
        paths = right(graph, source, **named)
        if named["threads"] == 2 and "trace" not in named:
            paths = wp.Paths(graph, source, paths.dist + 1, tree=lambda: paths.pred)
        return paths

    monkeypatch.setattr(session, "sssp", wrong)
    given = ["--graphs", "road", "--peers", "--threads", "1", "2", "--dtypes", "int", "--no-tree"]
    _, told, lines = suite(*given, code=1)
    assert "warpath auto on road 500: 500 distances are wrong, by up to 1" in told
    assert {line["threads"] for line in lines if "wrong" in line} == {2}


def test_another_tree_of_ours_is_no_right_answer(suite, monkeypatch):
    right = session.sssp

    def wrong(graph, source, **named):
        paths = right(graph, source, **named)
        other = paths.pred[::-1].copy()
        return wp.Paths(graph, source, paths.dist, tree=lambda: other)

    monkeypatch.setattr(session, "sssp", wrong)
    _, told, lines = suite("--graphs", "road", "--peers", "--threads", "1", "--tree", code=1)
    assert "not those of the certified tree" in told
    assert all("ms" not in line for line in lines)


def test_a_damaged_file_of_lines_is_told_with_its_line(suite, tmp_path, capsys):
    given = ["--graphs", "road", "--peers", "--threads", "1", "--no-tree", "--dtypes", "int"]
    suite(*given)
    file = tmp_path / "lines.jsonl"
    whole = file.read_text()
    file.write_text(whole + whole.splitlines()[0][:40])
    assert command.main(["suite", *given, "--lines", str(file)]) == 3
    assert f"{file}:4: this line of measurements is no JSON object" in capsys.readouterr().err
    file.write_text(whole + '{"suite": "cpu"}\n')
    assert command.main(["suite", *given, "--lines", str(file)]) == 3
    assert "has no 'graph'" in capsys.readouterr().err


def test_unknown_graphs_and_peers_are_told_with_what_there_is(capsys, tmp_path):
    assert command.main(["suite", "--graphs", "raod"]) == 3
    told = capsys.readouterr().err
    assert "no graph 'raod': did you mean road?" in told
    assert "--data FOLDER" in told
    assert command.main(["suite", "--peers", "Scipie"]) == 3
    assert "no peer 'Scipie': there are SciPy, igraph" in capsys.readouterr().err
    assert command.main(["suite", "--data", str(tmp_path / "none")]) == 3
    assert "there is no such folder" in capsys.readouterr().err
    empty = tmp_path / "empty.mtx"
    empty.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
    assert command.main(["suite", "--graphs", str(empty)]) == 3
    assert "without edges" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("peer", "line"), [("SciPy", "pip install scipy"), ("cuGraph", "pip install cugraph")]
)
def test_a_missing_peer_is_told_with_the_line_that_installs_it(monkeypatch, capsys, peer, line):
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    monkeypatch.setitem(__import__("sys").modules, peer.lower(), None)
    assert command.main(["suite", "--peers", peer]) == 3
    told = capsys.readouterr().err
    assert f"The peer {peer} needs {peer.lower()}, which is not installed" in told
    assert line in told


def test_without_a_data_folder_the_columns_of_files_are_left_out(suite, monkeypatch, tmp_path):
    monkeypatch.delenv("WARPATH_BENCH_DATA", raising=False)
    given = ["--peers", "--threads", "1", "--no-tree", "--dtypes", "int"]
    text, told, _ = suite(*given)
    assert "NY and cnr are left out: --data FOLDER" in told
    assert graphs(text) == ["road 500", "rmat 7 16", "martin 524", "delaunay 131"]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "USA-road-d.NY.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 7\n")
    monkeypatch.setenv("WARPATH_BENCH_DATA", str(tmp_path / "data"))
    text, told, _ = suite(*given, lines="other.jsonl")
    assert graphs(text)[-1] == "NY"
    assert "cnr: left out: there is no graph 'cnr'" in told


def test_the_suite_all_takes_everything_and_the_whole_folder(suite, monkeypatch, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "ring.el").write_text("0 1\n1 2\n2 0\n")
    (data / "zones.gr").write_text("c nothing\n")
    (data / "README.md").write_text("what is here\n")
    monkeypatch.setattr(module, "MORE", ("uniform 100 4",))
    given = ["all", "--data", data, "--peers", "--threads", "1", "--no-tree", "--dtypes", "int"]
    text, told, lines = suite(*given)
    assert {"road 500", "uniform 16 4", "ring"} <= {line["graph"] for line in lines}
    assert "zones: left out" in told
    assert "README" not in told
    assert {line["suite"] for line in lines} == {"all"}
    assert len([line for line in lines if line["graph"] == "ring"]) == 3
    assert "worst" not in text


def test_where_ours_stands_worst_comes_last_and_sorted(suite):
    given = ["--graphs", "road", "rmat", "--peers", "SciPy", "--threads", "1", "--no-tree"]
    text, *_ = suite(*given)
    worst = text.partition("### The worst 5")[2]
    found = [float(one) for one in re.findall(r" ([\d.]+)x \|$", worst, re.MULTILINE)]
    assert len(found) == 4
    assert found == sorted(found)


def test_quick_solves_once_and_traces_once(suite):
    given = ["--quick", "--graphs", "road", "--peers", "--threads", "1", "--no-tree"]
    *_, lines = suite(*given, "--repeats", "1")
    assert [line["totals"] is not None for line in lines] == [True, False, False] * 2


def test_interrupted_runs_keep_what_was_measured(suite, monkeypatch, tmp_path):
    measure = session.Session.measure

    def stopped(self, workload):
        if workload.title.startswith("rmat"):
            raise KeyboardInterrupt
        measure(self, workload)

    monkeypatch.setattr(session.Session, "measure", stopped)
    given = ["--graphs", "road", "rmat", "--peers", "--threads", "1", "--no-tree"]
    with pytest.raises(KeyboardInterrupt):
        suite(*given)
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert {line["graph"] for line in lines} == {"road 500"}


def test_what_runs_on_no_cpu_is_measured_on_a_gpu(monkeypatch, suite):
    asked = []

    def sssp(graph, source, **options):
        asked.append(options)
        return wp.sssp(graph, source, threads=1, trace=options.get("trace", False))

    monkeypatch.setattr(session, "sssp", sssp)
    names = ["auto", "davidson2014.near_far.merge_path"]
    given = ["--graphs", "road", "--peers", "--threads", "1", "--algorithms", *names]
    _, _, lines = suite(*given, "--dtypes", "int", "--no-tree")
    assert all(line["verified"] for line in lines)
    where = {one["algorithm"]: (one.get("device"), one.get("threads")) for one in asked}
    assert where == {names[0]: ("cpu", 1), names[1]: ("cuda", None)}
