"""The benchmarks by name, as `warpath bench` and as a module."""

from __future__ import annotations

import subprocess
import sys

import pytest

from warpath.cli.app import run
from warpath_bench import __main__ as module
from warpath_bench.commands import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_benchmark_explains_its_options_under_both_names(name, capsys):
    for call in (lambda: module.main([name, "--help"]), lambda: run(["bench", name, "--help"])):
        with pytest.raises(SystemExit) as done:
            call()
        assert done.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: warpath bench {name} ")


def test_the_command_lists_what_the_module_lists(capsys):
    assert module.main([]) == 0
    listed = capsys.readouterr().out
    assert run(["bench", "--help"]) == 0
    shown = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert f"  {name}" in listed
        assert command.summary in listed
        assert f" {name} " in shown
        assert command.summary in shown


def test_an_unknown_benchmark_is_told_with_the_names(capsys):
    assert module.main(["speed"]) == 2
    told = capsys.readouterr().err
    assert "no benchmark 'speed'" in told
    assert "  suite" in told


def test_the_command_passes_options_on_and_the_code_back(monkeypatch):
    seen = []
    monkeypatch.setattr("warpath_bench.faces.main", lambda words: seen.append(words) or 1)
    assert run(["--debug", "bench", "faces", "--budget", "40"]) == 1
    assert seen == [["--budget", "40"]]


def test_the_module_runs_without_the_packages_of_the_command():
    code = (
        "import sys; sys.modules['typer'] = sys.modules['rich'] = None\n"
        "from warpath_bench.__main__ import main; main([])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "catalogue" in ran.stdout
