"""A small road map in several files, and ways to run the command on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

pytest.importorskip("typer", reason="the command needs warpath[cli]")

from warpath.cli import main as entry

#: 1 -> 2 (7), 1 -> 3 (2), 3 -> 2 (3), 2 -> 4 (1), 4 -> 5 (1); 6 cannot be reached.
ROADS = """c a small map
p sp 6 5
a 1 2 7
a 1 3 2
a 3 2 3
a 2 4 1
a 4 5 1
"""
NAMES = "from,to,km\nHome,Mill,7\nHome,Bridge,2\nBridge,Mill,3\nMill,Farm,1\nFarm,Port,1\n"
_XY = ((0, 0), (4, 3), (1, 5), (6, 4), (9, 1), (3, 8))
PLACES = "p aux sp co 6\n" + "".join(f"v {v} {x} {y}\n" for v, (x, y) in enumerate(_XY, 1))


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.gr"
    path.write_text(ROADS)
    return path


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(NAMES)
    return path


@pytest.fixture
def places(roads):
    path = roads.with_name("places.co")
    path.write_text(PLACES)
    return path


@pytest.fixture
def warpath(monkeypatch, capfd):
    """Run the command in this process."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["warpath", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            entry.main()
        return Run(end.value.code, *capfd.readouterr())

    return run


@pytest.fixture
def terminal(monkeypatch):
    """Let the command in this process believe that a person looks at stdout."""
    from warpath.cli import output

    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(output, "on_terminal", lambda: True)


@pytest.fixture
def process():
    """Run the command in a process of its own."""

    def run(*arguments, env=None, **options):
        done = subprocess.run(
            [sys.executable, "-m", "warpath.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | (env or {}),
            **options,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def without(tmp_path, process):
    """Run the command in a process that lacks some packages."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import os, sys\n"
        "for name in os.environ['LACKING'].split(','):\n"
        "    sys.modules[name] = None\n"
    )

    def run(packages, *arguments):
        env = {"PYTHONPATH": str(tmp_path / "site"), "LACKING": packages}
        return process(*arguments, env=env)

    return run


@pytest.fixture
def unmeasured(monkeypatch):
    """Start processes without coverage: an interrupt inside its tracer leaves its lock held."""
    for name in list(os.environ):
        if name.startswith("COVERAGE_"):
            monkeypatch.delenv(name)
