"""What the tests of the benchmarks share."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from warpath.api import calls
from warpath_bench import __main__ as command


@pytest.fixture
def suite(tmp_path, capsys):
    """Run the suite on tiny graphs and return its code, tables, messages and lines."""

    def run(*words, code=0, lines="lines.jsonl"):
        kept = tmp_path / lines
        given = ["suite", "--sources", "3", "--repeats", "2", "--scale", "0.0005", *map(str, words)]
        assert command.main([*given, "--lines", str(kept)]) == code
        told = capsys.readouterr()
        written = kept.read_text().splitlines() if kept.exists() else []
        return told.out, told.err, [json.loads(line) for line in written]

    return run


@pytest.fixture
def script(tmp_path):
    """Write a command in Python; returns what --external takes."""

    def write(name, text):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        return f"{name}={shlex.quote(sys.executable)} {file}"

    return write


@pytest.fixture
def wrong_sssp():
    """`sssp` that answers 7 for every vertex."""
    right = calls.sssp

    def wrong(*given, **named):
        paths = right(*given, **named)
        paths.dist.flags.writeable = True
        paths.dist[:] = 7
        return paths

    return wrong
