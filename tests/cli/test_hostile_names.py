"""Every command shows names with control characters, markup and formulas as they are."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys

import pytest

import warpath as wp
from warpath.cli.app import parser

NAMES = [
    "[/b]",
    "[link=https://example.org]a[/link]",
    "a\tb\nc\rd",
    "\x1b[31mred\x07\x9b1m",
    "<script>alert(1)</script>{{7*7}}",
    "=cmd|' /C calc'!A1",
    "\ud800half",
    "$x$",
    "_hidden",
    "",
    " blank ",
    "\u202eright to left",
    'quo"te,comma',
    "Mühlstraße 橋😀",
]
FIRST, SECOND = NAMES[0], NAMES[1]
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")

COMMANDS = {
    "info": ["GRAPH"],
    "sssp": ["GRAPH", "-s", FIRST, "--all"],
    "sssp saved": ["GRAPH", "-s", FIRST, "-o", "OUT.csv", "--html", "OUT.html"],
    "distances": ["GRAPH", "-s", FIRST],
    "apsp": ["GRAPH"],
    "apsp long": ["GRAPH", "--long"],
    "pairs": ["GRAPH", "TRIPS", "--html", "OUT.html"],
    "nearest": ["GRAPH", "-f", f"{FIRST},$x$", "--html", "OUT.html"],
    "within": ["GRAPH", "-s", FIRST, "-c", "30", "--html", "OUT.html", "--outlines", "OUT.geojson"],
    "centrality": ["GRAPH", "--all", "--html", "OUT.html"],
    "path": ["GRAPH", FIRST, " blank ", "--html", "OUT.html"],
    "path drawn": ["GRAPH", FIRST, " blank ", "--plot", "OUT.svg"],
    "update": ["GRAPH", "-s", FIRST, "--changes", "CHANGES", "--watch", "_hidden"],
    "plan": ["GRAPH"],
    "verify": ["GRAPH", "RESULT"],
    "convert": ["GRAPH", "OUT.npz"],
    "prepare": ["GRAPH", "-o", "OUT.wph"],
    "generate": ["grid", "--rows", "2", "--columns", "2", "-o", "OUT.npz"],
    "algorithms": [],
    "formats": [],
    "doctor": [],
    "plot tree": ["GRAPH", "-s", FIRST, "-o", "OUT.png"],
    "plot route": ["GRAPH", FIRST, "$x$", "-o", "OUT.png"],
    "plot within": ["GRAPH", "-s", FIRST, "-c", "9", "-o", "OUT.png"],
    "plot nearest": ["GRAPH", "-f", f"{FIRST},$x$", "-o", "OUT.png"],
    "plot frontier": ["GRAPH", "-s", FIRST, "-o", "OUT.png", "--frames", "2"],
    "plot delta": ["GRAPH", "-s", FIRST, "-o", "OUT.png", "--repeats", "1"],
    "plot trace": ["TRACE", "-o", "OUT.png"],
}
pytestmark = pytest.mark.filterwarnings("ignore:Glyph")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A graph with hostile names in a file with a hostile name, and files that belong to it."""
    folder = tmp_path_factory.mktemp("hostile")
    n = len(NAMES)
    graph = wp.Graph.of(
        [(at, (at + 1) % n, at + 1) for at in range(n)],
        labels=NAMES,
        coordinates=[(at * 1e-3, at * at * 1e-4) for at in range(n)],
        name="\x1b]0;<b>$n$\ud801",
    )
    wp.write(graph, folder / "gr\x1b[2J\naph.npz")
    paths = wp.sssp(graph, FIRST, trace=True)
    paths.save(folder / "result.csv")
    paths.trace.save(folder / "trace.jsonl")
    (folder / "trips.csv").write_text(f"origin,destination\n{FIRST},$x$\n_hidden,{NAMES[5]}\n")
    (folder / "changes.csv").write_text(
        f"time,change,source,target,weight\n1,update,{FIRST},{SECOND},9\n"
    )
    return folder


@pytest.fixture
def hostile(warpath, folder, tmp_path):
    files = {
        "GRAPH": folder / "gr\x1b[2J\naph.npz",
        "TRIPS": folder / "trips.csv",
        "CHANGES": folder / "changes.csv",
        "RESULT": folder / "result.csv",
        "TRACE": folder / "trace.jsonl",
    }

    def run(*words):
        return warpath(
            *(
                tmp_path / word if str(word).startswith("OUT") else files.get(word, word)
                for word in words
            )
        )

    return run


def commands():
    """All commands and their parameters, as typer knows them."""
    for name, command in parser().commands.items():
        inner = getattr(command, "commands", {})
        if name != "bench":
            yield from ((f"{name} {each}", inner[each]) for each in inner)
            yield from [] if inner else [(name, command)]


def test_every_command_is_tried():
    tried = {words if words.startswith("plot") else words.split()[0] for words in COMMANDS}
    assert tried == {name for name, _ in commands()}


# What a picture shows does not depend on who reads the text beside it.
@pytest.mark.parametrize(
    ("name", "to"),
    [
        *((name, "pipe") for name in COMMANDS),
        *((name, to) for name in COMMANDS if "plot" not in name for to in ("terminal", "json")),
    ],
)
def test_names_reach_neither_a_terminal_nor_a_pipe_as_they_are(hostile, monkeypatch, name, to):
    as_json = to == "json"
    if to == "terminal":
        monkeypatch.setenv("COLUMNS", "300")
        monkeypatch.setattr("warpath.cli.output.on_terminal", lambda: True)
    command = name.split() if name.startswith("plot") else name.split()[:1]
    run = hostile(*command, *COMMANDS[name], *(["--json"] if as_json else []))
    assert run.code == 0, run.err
    assert not _RAW.findall(run.out + run.err)
    if as_json:
        assert run.json["command"] == " ".join(command)


@pytest.mark.usefixtures("terminal")
def test_a_table_on_a_terminal_shows_names_and_not_markup(hostile):
    run = hostile("distances", "GRAPH", "-s", FIRST, "--targets", f"{FIRST},{SECOND},$x$,_hidden")
    assert run.out.splitlines()[1].split()[1:] == [FIRST, SECOND, "$x$", "_hidden"]


def test_a_table_in_a_pipe_has_as_many_cells_in_each_line(hostile):
    lines = hostile("apsp", "GRAPH").out.splitlines()
    assert {line.count("\t") for line in lines} == {len(NAMES)}
    assert len(lines) == 1 + len(NAMES)


def test_json_has_the_names_as_they_are(hostile):
    run = hostile("sssp", "GRAPH", "-s", FIRST, "--all", "--json")
    assert [row["vertex"] for row in run.json["distances"]] == NAMES


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t"), (".txt", "\t")])
def test_text_files_have_the_names_as_they_are(hostile, tmp_path, suffix, delimiter):
    out = f"OUT{suffix}"
    assert hostile("sssp", "GRAPH", "-s", FIRST, "-o", out).code == 0
    text = (tmp_path / out).read_bytes().decode()
    names = [row[0] for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)][1:]
    assert names == ["\\ud800half" if name == "\ud800half" else name for name in NAMES]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".parquet", ".npz"])
def test_saved_results_of_such_names_are_verified(hostile, suffix):
    assert hostile("sssp", "GRAPH", "-s", FIRST, "-o", f"OUT{suffix}").code == 0
    assert hostile("verify", "GRAPH", f"OUT{suffix}").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["sssp", "GRAPH", "-s", FIRST],
        ["distances", "GRAPH", "-s", FIRST, "--long"],
        ["apsp", "GRAPH"],
        ["pairs", "GRAPH", "TRIPS"],
        ["nearest", "GRAPH", "-f", FIRST],
        ["within", "GRAPH", "-s", FIRST, "-c", "99"],
        ["update", "GRAPH", "-s", FIRST, "--changes", "CHANGES", "--watch", NAMES[5]],
    ],
)
def test_formulas_get_an_apostrophe_on_request(hostile, tmp_path, words):
    assert hostile(*words, "-o", "OUT.csv").code == 0
    plain = (tmp_path / "OUT.csv").read_text()
    assert hostile(*words, "-o", "OUT.csv", "--escape-formulas").code == 0
    assert (tmp_path / "OUT.csv").read_text() == plain.replace("=cmd", "'=cmd")
    assert "=cmd" in plain
    assert hostile(*words, "--escape-formulas").code == 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".geojson"])
def test_graph_files_that_cannot_hold_a_name_refuse_it(hostile, suffix):
    pytest.importorskip("geopandas")
    run = hostile("convert", "GRAPH", f"OUT{suffix}")
    assert run.code == 3
    assert "half of a surrogate pair" in run.err
    assert "\\ud800half" in run.err
    assert "write .npz" in run.err
    assert hostile("convert", "GRAPH", "OUT.npz").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["info", "OUT\x1b[2J\x9b\nwarpath: all is well.gr"],
        ["sssp", "GRAPH", "-s", "\x1b[2J\u202e[/b]\nwarpath: all is well"],
        ["sssp", "GRAPH", "-s", FIRST, "-o", "OUT\x1b.d\noc"],
        ["sssp", "GRAPH", "-s", FIRST, "-o", "OUT\x1b\n/x.csv"],
        ["sssp", "GRAPH", "--\x1b[2J"],
        ["\x1b[2J[/b]\n"],
        ["info", "GRAPH", "--format", "\x1b[2J\n"],
        ["path", "GRAPH", FIRST, "\x07" * 10_000],
    ],
)
def test_messages_are_one_line_without_control_characters(hostile, words):
    run = hostile(*words)
    assert run.code in {2, 3}
    assert not _RAW.findall(run.err)
    first, *hints = run.err.splitlines()
    assert first.startswith("warpath: ")
    assert all(hint.startswith("  Try ") for hint in hints)
    assert len(run.err) < 5_000
    assert "internal error" not in run.err


class _Console(io.TextIOWrapper):
    """A terminal, or a pipe, whose encoding is ASCII."""

    def __init__(self, *, terminal):
        super().__init__(io.BytesIO(), "ascii")
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.mark.parametrize(
    ("name", "on_terminal"),
    [
        *((name, True) for name in COMMANDS),
        *((name, False) for name in COMMANDS if "plot" not in name),
    ],
)
def test_no_command_fails_on_a_console_of_ascii(hostile, monkeypatch, name, on_terminal):
    monkeypatch.setattr("warpath.cli.reporting.SILENT_SECONDS", 0.0)
    monkeypatch.setattr("warpath.base.progress._SILENT_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    command = name.split() if name.startswith("plot") else name.split()[:1]
    streams = {name: _Console(terminal=on_terminal) for name in ("stdout", "stderr")}
    with monkeypatch.context() as patched:
        for stream, console in streams.items():
            patched.setattr(sys, stream, console)
        run = hostile(*command, *COMMANDS[name])
    out, err = (console.buffer.getvalue().decode("ascii") for console in streams.values())
    assert run.code == 0, err
    assert out


@pytest.mark.parametrize(("encoding", "as_json"), [("ascii", False), ("latin-1", True)])
def test_consoles_without_some_characters_show_escapes(process, tmp_path, encoding, as_json):
    (tmp_path / "straßen.csv").write_text("from,to,km\nMühle,橋,1\n橋,😀,2\n", encoding="utf-8")
    env = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0", "FORCE_COLOR": "1"}
    words = ["sssp", tmp_path / "straßen.csv", "-s", "Mühle", *(["--json"] if as_json else [])]
    run = process(*words, env=env, encoding=encoding)
    assert run.code == 0, run.err
    if as_json:
        assert [row["vertex"] for row in run.json["distances"]] == ["Mühle", "橋", "😀"]
    else:
        assert "\\U0001f600" in run.out
    run = process("info", tmp_path / "Zürich 橋.gr", env=env, encoding=encoding)
    assert run.code == 3
    assert ".gr: there is no such file" in run.err


def test_a_table_on_a_terminal_without_box_characters(tmp_path):
    (tmp_path / "roads.csv").write_text("from,to,km\nMühle,橋,1\n", encoding="utf-8")
    code = (
        "import sys; from warpath.cli import main, output; output.on_terminal = lambda: True;"
        f"sys.argv = ['warpath', 'apsp', {str(tmp_path / 'roads.csv')!r}]; main.main()"
    )
    env = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    assert b"M\\xfchle" in run.stdout
