"""The command as a process: terminals, pipes, signals, missing packages."""

from __future__ import annotations

import filecmp
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warpath import generate
from warpath.io.formats import write

COMMAND = [sys.executable, "-m", "warpath.cli"]


def on_terminal(*arguments, columns="100"):
    """Run the command with stdout and stderr on a terminal; return its code and what it showed."""
    ours, theirs = pty.openpty()
    env = os.environ | {"COLUMNS": columns, "TERM": "xterm"}
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=theirs, stderr=theirs, stdin=theirs, env=env
    ) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side was closed
                break
            if not piece:
                break
            seen += piece
    os.close(ours)
    return process.returncode, seen.decode()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a road network that takes seconds to solve from a thousand vertices."""
    folder = tmp_path_factory.mktemp("large")
    write(generate.road(100_000, seed=1), folder / "large.gr")
    (folder / "all.csv").write_text("\n".join(map(str, range(1, 3001))))
    return folder


SCRIPT = Path(sys.executable).with_name("warpath")


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed with its script")
def test_the_console_script_is_the_command():
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == "warpath 0.1.0\n"


def test_the_version_does_not_wait_for_the_commands():
    code = (
        "import sys; sys.argv = ['warpath', '--version']\n"
        "from warpath.cli.main import main\n"
        "try:\n    main()\n"
        "finally:\n    assert not {'typer', 'rich', 'warpath.cli.app'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "warpath 0.1.0\n", "")


def test_results_go_to_stdout_and_nothing_to_stderr(process, roads):
    run = process("sssp", roads, "-s", 1)
    assert run.code == 0
    assert run.err == ""
    assert "\x1b" not in run.out


def test_a_terminal_gets_tables_with_separators_of_thousands(tmp_path):
    graph = tmp_path / "a.gr"
    graph.write_text("p sp 3 2\na 1 2 7000000\na 2 3 1\n")
    code, seen = on_terminal("sssp", graph, "-s", 1)
    assert code == 0
    assert "14,000,001" in seen
    assert "\x1b[1m" in seen
    assert "─" in seen


def test_a_terminal_sees_no_trace_of_bars_of_short_work(roads):
    assert "\x1b[?25l" not in on_terminal("sssp", roads, "-s", 1)[1]


def test_ids_have_no_separators_of_thousands(tmp_path):
    graph = tmp_path / "a.txt"
    graph.write_text("1000000 2000000\n2000000 3000000\n")
    seen = on_terminal("sssp", graph, "-s", 1000000)[1]
    assert "3000000" in seen
    assert "3,000,000" not in seen


def test_a_terminal_sees_the_ends_of_a_long_route(tmp_path):
    graph = tmp_path / "line.gr"
    arcs = "".join(f"a {v} {v + 1} 1\n" for v in range(1, 60))
    graph.write_text(f"p sp 60 59\n{arcs}")
    code, seen = on_terminal("path", graph, 1, 60)
    assert code == 0
    assert "... 36 more (--all shows them) ..." in seen
    assert "more" not in on_terminal("path", graph, 1, 60, "--all")[1]


def test_a_terminal_gets_wide_tables_as_rows_and_refuses_large_ones(tmp_path):
    graph = tmp_path / "a.gr"
    graph.write_text("p sp 15 1\na 1 2 5\n")
    assert "target" in on_terminal("apsp", graph)[1]
    graph.write_text("p sp 21 1\na 1 2 5\n")
    code, seen = on_terminal("apsp", graph)
    assert code == 2
    assert "too many to print" in seen


@pytest.mark.parametrize("command", [["doctor"], ["algorithms"], ["plan", "ROADS"]])
def test_lists_are_shown_on_a_terminal(roads, command):
    code, seen = on_terminal(*(roads if word == "ROADS" else word for word in command))
    assert code == 0
    assert "classic" in seen or "Optional packages" in seen


def test_json_on_a_terminal_is_json(roads):
    import json

    code, seen = on_terminal("info", roads, "--json")
    assert code == 0
    assert json.loads(seen)["n"] == 6


def test_a_reader_that_leaves_is_no_error(tmp_path):
    graph = tmp_path / "long.gr"
    graph.write_text("p sp 200000 1\na 1 2 5\n")
    with subprocess.Popen(
        [*COMMAND, "sssp", str(graph), "-s", "1", "--all"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
    ) as process:
        assert process.stdout.readline() == b"vertex\tdistance\tpred\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(60)
    assert process.returncode == 141


@pytest.mark.usefixtures("unmeasured")
def test_a_terminated_command_leaves_nothing_half_written(tmp_path):
    write(generate.road(12_000, seed=1), tmp_path / "roads.gr")
    with subprocess.Popen(
        [*COMMAND, "apsp", tmp_path / "roads.gr", "-t", "1", "-o", tmp_path / "od.npz"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert "%" in process.stderr.readline()  # the work has begun
        process.terminate()
        process.wait(60)
    assert process.returncode == 143
    assert [entry.name for entry in tmp_path.iterdir()] == ["roads.gr"]


@pytest.mark.usefixtures("unmeasured")
def test_ctrl_c_ends_with_one_line(large):
    with subprocess.Popen(
        [
            *COMMAND,
            "distances",
            large / "large.gr",
            "-t",
            "1",
            "--sources",
            large / "all.csv",
            "-o",
            large / "od.npz",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        first = process.stderr.readline()
        assert "%" in first  # the work has begun
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.stdout.read() == ""
        process.wait(60)
    assert process.returncode == 130
    assert rest.splitlines()[-1] == "warpath: interrupted"
    assert "Traceback" not in rest
    assert not list(large.glob("*od.npz*"))


@pytest.mark.parametrize(
    "ending",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.full("ended tables", "src/warpath/**/*.py")),
    ],
)
@pytest.mark.usefixtures("unmeasured")
def test_a_stopped_table_is_continued_by_the_same_command(tmp_path, ending):
    write(generate.road(5_000, seed=1), tmp_path / "roads.gr")
    out, env = tmp_path / "od.npy", os.environ | {"WARPATH_MEMORY": "64M"}
    command = [*COMMAND, "apsp", tmp_path / "roads.gr", "--dist-dtype", "int32", "-t", "1", "-o"]
    with subprocess.Popen(
        [*command, out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        note = tmp_path / "od.npy.part.json"
        while process.poll() is None and not (
            note.exists() and '"rows": 0' not in note.read_text()
        ):
            time.sleep(0.005)
        process.send_signal(ending)
        said = process.stderr.read()
    assert process.returncode == 128 + ending
    assert f"warpath: {out}.part keeps the finished rows: run the same command" in said
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "od.npy.part",
        "od.npy.part.json",
        "roads.gr",
    ]
    for target in (out, tmp_path / "whole.npy"):
        done = subprocess.run(
            [*command, target], capture_output=True, text=True, env=env, check=True
        )
        resumed = re.search(r"resumed +(\d+) of \d+ were done before", done.stdout)
        assert (resumed is not None) == (target is out)
    assert filecmp.cmp(out, tmp_path / "whole.npy", shallow=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["info", "ROADS"], ["--version"], []])
def test_a_full_disk_behind_stdout_is_told(roads, words):
    words = [roads if word == "ROADS" else word for word in words]
    env = os.environ | {"PYTHONUNBUFFERED": ""}  # or the failure does not wait for the end
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=env, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "warpath: no space left on device\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_its_packages_the_command_says_how_to_get_them(without, roads, package):
    run = without(package, "info", roads)
    assert run.code == 4
    assert run.err == (
        f"warpath: the command needs {package}, which is not installed: pip install typer rich\n"
    )


def test_the_version_needs_no_package(without):
    assert without("typer,rich", "--version").out == "warpath 0.1.0\n"


def test_without_matplotlib_a_plot_is_refused_with_the_way_out(without, roads, places, tmp_path):
    run = without(
        "matplotlib", "path", roads, 1, 5, "--coordinates", places, "--plot", tmp_path / "a.png"
    )
    assert run.code == 4
    assert run.err.endswith("which is not installed: pip install matplotlib\n")


def test_without_pyarrow_parquet_is_refused_with_the_way_out(without, roads, tmp_path):
    run = without("pyarrow", "sssp", roads, "-s", 1, "-o", tmp_path / "a.parquet")
    assert run.code == 4
    assert "pip install pyarrow" in run.err


def test_without_zarr_a_zarr_table_is_refused_with_the_way_out(without, roads, tmp_path):
    run = without("zarr", "apsp", roads, "-o", tmp_path / "a.zarr")
    assert run.code == 4
    assert "pip install zarr" in run.err


def test_work_that_takes_long_gives_a_sign_of_life(roads):
    code = (
        "import sys, time; sys.argv = ['warpath', 'info', sys.argv[1]]\n"
        "from warpath import Graph\n"
        "from warpath.cli import main, reporting\n"
        "reporting.SILENT_SECONDS = 0.01\n"
        "facts = Graph.facts\n"
        "Graph.facts = lambda graph: time.sleep(0.5) or facts(graph)\n"
        "main.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, roads], capture_output=True, text=True, check=True
    )
    assert done.stderr == "inspecting the edges ...\n"


def test_doctor_says_what_is_missing_and_how_to_get_it_and_is_content_without_a_gpu(without):
    run = without("matplotlib,pandas,cupy", "doctor")
    assert run.code == 0
    assert "pip install matplotlib" in run.out
    assert "pip install pandas" in run.out
    (line,) = [line for line in run.out.splitlines() if line.startswith("GPU ")]
    assert "none: device='cuda' needs cupy, which is not installed: pip install" in line
    assert "cuda:0" not in run.out


def test_the_shell_gets_completions(process):
    env = {"_WARPATH_COMPLETE": "complete_bash", "COMP_WORDS": "warpath ss", "COMP_CWORD": "1"}
    run = process(env=env)
    assert "sssp" in run.out
