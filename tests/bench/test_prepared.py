"""`warpath bench prepared`: figures of all solvers, and what is told of wrong and missing ones."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import warpath as wp
from support.tiers import BENCH
from warpath import generate
from warpath.base.errors import InputError, VerificationError
from warpath_bench import prepared, prepared_peers
from warpath_bench.prepared_peers import Local
from warpath_bench.prepared_questions import Question, line_of, route_length

pytestmark = pytest.mark.full("benchmarks of prepared graphs", *BENCH)

OURS = ["warpath, 1 thread", "warpath, 2 threads"]
COMMAND = """\
import sys, time
import numpy as np
import warpath as wp
_, graph, questions, out, threads = sys.argv
file = open(graph, "rb")
n, m = map(int, file.readline().split()[3:])
ptr, idx = np.fromfile(file, "<i8", n + 1), np.fromfile(file, "<i4", m)
g = wp.Graph.from_csr(ptr, idx, np.fromfile(file, "<i4", m))
print("labels int64 -1\\nabout arcs 7\\nbuild 0.5")
with open(out, "wb") as to:
    for line in open(questions):
        form, *words = line.split()
        numbers = [int(word) for word in words]
        if form == "route":
            vertices = wp.path(g, *numbers).vertices
            found = np.concatenate(([len(vertices)], vertices))
        elif form == "pairs":
            found = wp.pairs(g, numbers[1::2], numbers[2::2]).dist
        elif form == "table":
            k = numbers[0]
            found = wp.distances(g, numbers[2 : 2 + k], numbers[2 + k :]).dist
        else:
            found = wp.distances(g, numbers[1:]).dist
        print("time 2")
        found.astype("<i8").tofile(to)
"""


@pytest.fixture
def quick(tmp_path, monkeypatch, capsys):
    """Run the quick benchmark on a small graph; returns its text and its lines."""

    def run(*words, packages=(), code=0, graph="road 300"):
        monkeypatch.setattr(prepared, "PACKAGES", tuple(packages))
        kept = tmp_path / "lines.jsonl"
        given = ["--quick", "--graphs", graph, "--lines", str(kept), *map(str, words)]
        assert prepared.main(given) == code
        lines = [json.loads(line) for line in kept.read_text().splitlines()]
        return capsys.readouterr().out, lines

    return run


def peer(name="peer", package=None, **changed):
    """A package that answers as ours does, but for some calls."""
    mine = prepared_peers.ours(1, prepared=False)
    calls = dict(mine.calls) | changed
    return Local(name, 0, mine.build, calls, mine.values, package or "numpy")


def one(lines, solver):
    return next(line for line in lines if line["solver"] == solver)


def test_each_solver_has_a_line_with_all_figures_and_a_row(quick, tmp_path, script):
    page = tmp_path / "page.md"
    text, lines = quick("--external", script("mine", COMMAND), "--output", page, packages=[peer()])
    assert page.read_text() == text
    rows = re.findall(r"^\| (.+?) \|", text, re.MULTILINE)
    labelled = [f"warpath, with labels, {threads}" for threads in ("1 thread", "2 threads")]
    others = ["warpath, not prepared, 1 thread", "peer", "mine, 1 thread"]
    assert rows == ["solver", *OURS, *labelled, *others]
    kinds = ["pair", "route", "pairs", "small", "large", "all"]
    assert all(list(line["figures"]) == kinds and "error" not in line for line in lines)
    graph = generate.road(300, seed=1)
    ours = lines[:2]
    assert all(line["build_s"] > 0 and line["arcs"] > graph.n // 2 for line in ours)
    command = one(lines, "mine")
    assert (command["build_s"], command["arcs"]) == (0.5, 7)
    figures = {name: found["value"] for name, found in command["figures"].items()}
    assert figures == {
        "pair": 2000,
        "route": 2000,
        "pairs": 20,
        "small": 2,
        "large": 2,
        "all": 0.5,
    }
    assert "## road 300: 300 vertices" in text
    assert "--external 'RoutingKit=./routingkit'" in text
    assert "A cell is the best of one run" in text


def test_peers_of_one_source_fill_tables(quick):
    packages = [one for one in prepared.PACKAGES[:3] if one.installed]
    assert packages
    _, lines = quick(packages=packages)
    for package in packages:
        line = one(lines, package.name)
        assert "error" not in line
        tables = [] if package.name == "igraph" else ["small", "large"]
        assert list(line["figures"]) == [*tables, "all"]


def test_the_clock_of_the_processor_measures_one_thread(quick):
    text, lines = quick("--clock", "processor", packages=[peer()])
    ours = ["warpath", "warpath, with labels", "warpath, not prepared"]
    assert [line["solver"] for line in lines] == [*ours, "peer"]
    assert {line["threads"] for line in lines} == {0, 1}
    assert "Times are processor time of one thread" in text
    assert "--external 'RoutingKit=./routingkit processor'" in text


@pytest.mark.parametrize("form", ["pairs", "table", "all"])
def test_wrong_distances_of_a_peer_have_no_times(quick, form):
    right = prepared_peers.ours(1, prepared=False).calls[form]
    text, lines = quick(packages=[peer(**{form: lambda made, q: right(made, q) + 1})], code=1)
    line = one(lines, "peer")
    missing = {"pairs": {"pair", "pairs"}, "table": {"small", "large"}, "all": {"all"}}[form]
    assert set(line["wrong"]) == missing
    assert not missing & set(line["figures"])
    assert re.search(r"- peer, where it has no figures: \w+: [\d,]+ wrong", text)


@pytest.mark.parametrize("vertices", [[], [0], [5, 5, 5]])
def test_a_route_that_is_none_has_no_times(quick, vertices):
    wrong = peer(route=lambda *_: np.array(vertices, np.int64))
    _, lines = quick(packages=[wrong], code=1)
    assert set(one(lines, "peer")["wrong"]) == {"route"}


def test_a_package_that_is_not_there_or_fails_is_a_line(quick):
    def fails(*_):
        message = "no licence"
        raise RuntimeError(message)

    absent = peer("absent", package="no_such_package")
    text, lines = quick(packages=[absent, peer("failing", table=fails)])
    assert one(lines, "absent")["error"] == "not installed: pip install no_such_package"
    assert one(lines, "failing")["error"] == "RuntimeError: no licence"
    assert "- absent, where it has no figures: not installed" in text
    assert "| absent |" not in text
    assert "| failing |" in text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "numbers[1:]).dist",
            "numbers[1:]).dist[:1]",
            r"it wrote [\d,]+ numbers of answers in place of",
        ),
        ("numbers[2::2]).dist", "numbers[2::2]).dist + 1", r"pair: \d+ wrong; pairs: \d+ wrong"),
        ("([len(vertices)], ", "([-1], ", "it wrote a route of -1 vertices, in a graph of 300"),
        ("import sys, time", "import sys; sys.exit('no licence')", "exit code 1: no licence"),
        ('open(out, "wb")', 'open(out + "x", "wb")', r"it wrote 0 numbers of answers in place of"),
        ('print("time 2")', "pass", "it printed 0 times for"),
    ],
)
def test_what_a_command_does_wrong_is_its_line(quick, script, old, new, expected):
    assert old in COMMAND
    wrong = "+ 1" in new
    given = script("mine", COMMAND.replace(old, new))
    _, lines = quick("--external", given, code=int(wrong))
    line = one(lines, "mine")
    assert re.search(expected, line["error"])
    assert not {"pair", "pairs"} & set(line["figures"])


def test_our_own_wrong_answer_ends_the_benchmark(quick, monkeypatch):
    right = prepared_peers.ours

    def wrong(threads, prepared):
        made = right(threads, prepared)
        calls = dict(made.calls) | {"table": lambda m, q: made.calls["table"](m, q) + 1}
        return Local(made.name, threads, made.build, calls, made.values)

    monkeypatch.setattr(prepared, "ours", wrong)
    with pytest.raises(VerificationError, match="differs from Dijkstra's"):
        quick()


def test_a_slow_solver_gets_a_part_of_a_question(quick):
    text, lines = quick("--budget", "1e-9", packages=[peer()])
    assert one(lines, "peer")["figures"]["pairs"]["sources"] == 1
    assert one(lines, "warpath")["figures"]["pairs"]["sources"] == 0
    assert re.search(r"\| peer \|.*~[\d,.]+ \|", text)


def test_the_page_has_the_best_of_several_runs(quick):
    _, lines = quick()
    again = [json.loads(json.dumps(line)) for line in lines]
    for line in again:
        line["run"] += 1
        for figure in line["figures"].values():
            figure["value"] /= 4
    text = prepared.page([*lines, *again])
    assert "the best of up to 2 runs" in text
    assert text.split("## ", 1)[1] != prepared.page(lines).split("## ", 1)[1]
    best = again[0]["figures"]["pair"]["value"]
    row = next(row for row in text.splitlines() if row.startswith("| warpath, 1 thread"))
    assert f"| {best:.3g} |" in row


@pytest.mark.parametrize("torn", ["{", "[]", '{"graph": "a"}', '{"figures": 1}'])
def test_a_line_that_is_none_is_told_with_its_number(quick, tmp_path, torn):
    (tmp_path / "lines.jsonl").write_text(torn + "\n")
    with pytest.raises(InputError, match=r"lines.jsonl:1: this line of measurements "):
        quick()


def test_fractions_are_refused(quick, tmp_path):
    file = tmp_path / "fractions.csv"
    file.write_text("source,target,weight\n0,1,0.5\n1,0,0.25\n")
    with pytest.raises(InputError, match="the weights are fractions"):
        quick(graph=str(file))


def test_coordinates_come_from_another_file(quick, tmp_path):
    graph, places = tmp_path / "g.gr", tmp_path / "g.co"
    graph.write_text("p sp 3 6\n" + "".join(f"a {u} {u % 3 + 1} 5\n" for u in (1, 2, 3) * 2))
    places.write_text("p aux sp co 3\nv 1 10 20\nv 2 30 40\nv 3 50 60\n")
    seen = []
    mine = peer()
    package = Local("peer", 0, lambda g: seen.append(g) or mine.build(g), mine.calls, mine.values)
    quick("--coordinates", places, packages=[package], graph=str(graph))
    assert seen[0].coordinates is not None
    assert seen[0].coordinates.shape == (3, 2)


def test_questions_are_written_as_the_page_of_the_protocol_says():
    s, t = np.array([3, 4]), np.array([5, 6])
    forms = {
        "pairs": "pairs 2 3 5 4 6\n",
        "table": "table 2 2 3 4 5 6\n",
    }
    assert {form: line_of(Question(form, s, t)) for form in forms} == forms
    assert line_of(Question("route", s[:1], t[:1])) == "route 3 5\n"
    assert line_of(Question("all", s, t[:0])) == "all 2 3 4\n"


def test_a_route_is_measured_by_its_lightest_edges():
    graph = wp.Graph.from_edges([0, 0, 1], [1, 1, 2], [7, 4, 1], n=4)
    question = Question("route", np.array([0]), np.array([2]))
    assert route_length(graph, question, np.array([0, 1, 2])) == 5
    assert route_length(graph, question, np.array([0, 2])) == -1
    assert route_length(graph, question, np.array([0, 1])) == -1
    assert route_length(graph, question, np.array([], np.int64)) == np.iinfo(np.int64).max
