"""SciPy's own tests of its shortest paths, with our functions in place of SciPy's."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from warpath import csgraph

pytest.importorskip("scipy.sparse.csgraph")

TESTS = "scipy.sparse.csgraph.tests.test_shortest_path"

#: A plugin of pytest: what SciPy's tests import is ours, and what they imported was.
PLUGIN = """
import sys

import scipy.sparse.csgraph as theirs

from warpath import csgraph as ours

for name in ours.__all__:
    setattr(theirs, name, getattr(ours, name))


def pytest_sessionfinish(session):
    tests = sys.modules.get("TESTS") or next(iter(session.items)).module
    used = [name for name in ours.__all__ if hasattr(tests, name)]
    print()
    print("ours:", *(name for name in used if getattr(tests, name) is getattr(ours, name)))
    print("theirs:", *(name for name in used if getattr(tests, name) is not getattr(ours, name)))
"""


def test_scipys_tests_pass_with_our_functions_and_none_is_left_out(tmp_path):
    if find_spec(TESTS) is None:
        pytest.skip(f"this SciPy came without its tests: there is no {TESTS}")
    (tmp_path / "in_place_of_scipy.py").write_text(PLUGIN.replace("TESTS", TESTS))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [
        sys.executable, "-m", "pytest", "-p", "in_place_of_scipy", "-p", "no:cacheprovider", "-q",
        "-s", "-c", str(tmp_path / "pytest.ini"), "--rootdir", str(tmp_path), "--pyargs", TESTS,
    ]  # fmt: skip
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    last = ran.stdout.strip().splitlines()[-1]
    assert "passed" in last
    assert not any(word in last for word in ("failed", "skipped", "deselected", "xfailed", "error"))
    ours = {
        "NegativeCycleError",
        "bellman_ford",
        "construct_dist_matrix",
        "dijkstra",
        "johnson",
        "shortest_path",
    }
    lines = ran.stdout.splitlines()
    assert "theirs:" in lines
    used = next(line for line in lines if line.startswith("ours:")).split()[1:]
    assert ours <= set(used) <= set(csgraph.__all__)
