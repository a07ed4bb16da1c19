"""Solvers that are commands: the protocol, its example, and every way to break it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from support.tiers import BENCH
from warpath_bench import __main__ as command
from warpath_bench import external

pytestmark = pytest.mark.full("solvers of others", *BENCH)

PROGRAM = Path(__file__).parents[2] / "bench" / "programs" / "dijkstra.py"
GIVEN = ["--graphs", "delaunay", "--peers", "--threads", "1", "--no-tree", "--dtypes", "int"]
HEAD = """\
import sys, time
import numpy as np
_, graph, sources, out, threads = sys.argv
file = open(graph, "rb")
n = int(file.readline().split()[3])
sources = [int(line) for line in open(sources)]
"""


def errors(lines):
    return [line["error"] for line in lines if line["solver"] == "mine"]


def test_the_example_of_the_page_is_a_right_solver(suite):
    example = shlex.join([sys.executable, str(PROGRAM)])
    kinds = ["--dtypes", "int", "float", "none", "int64", "float32"]
    given = [*GIVEN[:-2], *kinds, "--threads", "1", "2", "--external", f"mine={example}"]
    text, told, lines = suite(*given)
    mine = [line for line in lines if line["solver"] == "mine"]
    assert len(mine) == 5 * 2 * 3, told
    assert all(line["verified"] and line["ms"] > 0 for line in mine)
    assert {len(line["times"]) for line in mine} <= {2, *range(6, 15)}  # close races are run again
    assert {line["threads"] for line in mine} == {1, 2}
    assert all(line["build_s"] >= 0 and line["first_ms"] > 0 for line in mine)
    assert "| mine | 2 |" in text


def test_labels_of_another_type_and_mark_are_understood(suite, script):
    mine = script(
        "mine",
        HEAD
        + """
from pathlib import Path
import warpath as wp
ptr = np.fromfile(file, "<i8", n + 1)
idx = np.fromfile(file, "<i4", ptr[-1])
g = wp.Graph.from_csr(ptr, idx, np.fromfile(file, "<i4", ptr[-1]))
print("labels int32 -1\\nabout delta 7\\npeak 1.5")
with open(out, "wb") as to:
    for s in sources:
        p = wp.sssp(g, s)
        np.where(p.reached, p.dist, -1).astype("<i4").tofile(to)
        print("time 1.25")
""",
    )
    graph = ["--graphs", "uniform 30 1", "--scale", "1"]
    _, told, lines = suite(*GIVEN[2:], *graph, "--external", mine)
    found = [line for line in lines if line["solver"] == "mine"]
    assert [line["ms"] for line in found] == [1.25] * 3, told
    assert {(line["plan"], line["peak_mb"]) for line in found} == {("delta 7", 1.5)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("sys.exit('no licence')", "it failed with exit code 1: no licence"),
        ("print('hello')", "it printed 'hello'; lines are 'time MS'"),
        ("print('time fast')", "it printed 1 times for 4 sources"),
        ("print('time fast\\n' * 4)", "it printed ''; lines are"),
        ("[print('time fast') for _ in sources]", "it printed a value that is none"),
        ("[print('time 1') for _ in sources]", "it wrote 0 distances in place of"),
        (
            "[print('time 1') for _ in sources]; print('labels int8')",
            "it printed a value that is none",
        ),
        (
            "[print('time 1') for _ in sources]; np.zeros(len(sources) * n).tofile(out)",
            "130 distances are wrong",
        ),
        ("time.sleep(60)", "it was ended after 0.5 s; --limit gives it longer"),
    ],
)
def test_what_a_command_does_wrong_is_its_line(suite, script, body, expected):
    limit = "0.5" if "sleep" in body else "30"
    _, told, lines = suite(*GIVEN, "--external", script("mine", HEAD + body), "--limit", limit)
    assert errors(lines)
    assert expected in errors(lines)[0]
    assert expected in told
    assert all("ms" in line for line in lines if line["solver"] == "warpath auto")


def test_a_command_that_is_not_there_is_told(suite):
    *_, lines = suite(*GIVEN, "--external", "mine=/no/such/program --fast")
    assert errors(lines) == [
        "/no/such/program --fast: it cannot be started: No such file or directory."
    ]


def test_a_command_that_failed_is_tried_again(suite, script):
    suite(*GIVEN, "--external", script("mine", "import sys; sys.exit(3)"))
    text = PROGRAM.read_text(encoding="utf-8")
    _, _, lines = suite(*GIVEN, "--external", script("mine", text))
    assert [line["verified"] for line in lines if line["solver"] == "mine"] == [False, *[True] * 3]


@pytest.mark.parametrize("words", ["mine", "=./run", "mine=", "mine=  "])
def test_an_external_without_name_or_command_is_told(words, capsys):
    assert command.main(["suite", "--external", words]) == 3
    assert "write NAME=COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["SciPy", "warpath auto"])
def test_an_external_may_not_take_a_name(name, capsys):
    assert command.main(["suite", "--external", f"{name}=./run"]) == 3
    assert "the name is taken" in capsys.readouterr().err


def test_the_file_of_a_graph_is_what_the_page_says(tmp_path):
    graph = wp.Graph.from_edges([0, 2], [1, 0], np.array([1.5, 2.5], np.float32), n=3)
    external.write_graph(graph, tmp_path / "g")
    head, _, rest = (tmp_path / "g").read_bytes().partition(b"\n")
    assert head == b"warpath-graph 1 float32 3 2"
    assert np.frombuffer(rest[:32], "<i8").tolist() == [0, 1, 1, 2]
    assert np.frombuffer(rest[32:40], "<i4").tolist() == [1, 0]
    assert np.frombuffer(rest[40:], "<f4").tolist() == [1.5, 2.5]
