"""Each hunting program finds a fault that is planted in what it tests."""

from __future__ import annotations

import importlib
from collections import Counter

import numpy as np
import pytest

import warpath as wp
from hunt.program import NAMES, Finding
from support.tiers import SOLVES
from warpath import _core


def without(call, *names):
    """Return a call that ignores some options."""

    def faulty(*args, **options):
        return call(*args, **{k: v for k, v in options.items() if k not in names})

    return faulty


def raising(*_, **__):
    raise KeyError("planted")


def plant_arguments(_, patch):
    patch(importlib.import_module("warpath.results.reached"), "filled", raising)


def plant_bindings(_, patch):
    def along_paths(above, flags):
        del above
        whole = flags
        while whole.base is not None:
            whole = whole.base
        whole[0] = 0  # before the array's first entry

    along_paths.__nb_signature__ = _core.along_paths.__nb_signature__
    patch(_core, "along_paths", along_paths)
    patch(importlib.import_module("hunt.programs.bindings"), "NAMES", ["along_paths"])


def plant_certificates(_, patch):
    patch(wp, "verify", lambda *_, **__: None)


def plant_command_line(_, patch):
    patch(importlib.import_module("warpath.cli.app"), "run", raising)


def plant_files(_, patch):
    patch(wp, "read", raising)


def plant_leaks(program, patch):
    kept = []
    for kind in (
        "public",
        "new_options",
        "stopped",
        "damaged_files",
        "scipy_face",
        "networkx_face",
    ):
        patch(program, f"_{kind}", lambda _: lambda: kept.append(np.zeros(500)))
    patch(program, "_SECONDS", 0.01)


def plant_processes(_, patch):
    solve = wp.sssp
    patch(wp, "sssp", lambda graph, source, **options: solve(
        graph, source if options.get("algorithm") == "classic.dijkstra" else 0, **options
    ))  # fmt: skip


def plant_properties(program, patch, tmp_path):
    file = tmp_path / "test_false.py"
    file.write_text(
        "from hypothesis import given, strategies\n"
        "@given(strategies.integers())\n"
        "def test_numbers_are_small(number):\n"
        "    assert number < 1000\n"
    )
    patch(program, "_FILES", [file])


def plant_shared_arrays(_, patch):
    solve, calls = wp.sssp, []

    def changing(graph, source, **options):
        calls.append(source)
        return solve(graph, len(calls) % graph.n, **options)

    patch(wp, "sssp", changing)


def plant_solves(_, patch):
    patch(wp, "sssp", without(wp.sssp, "cutoff"))


def plant_street_maps(_, patch):
    patch(wp, "read", without(wp.read, "restricted"))


def plant_text_tables(_, patch):
    patch(wp, "read", lambda path, read=wp.read, **options: read(path, directed=False, **options))


def plant_writers(program, patch):
    def write(path):
        path.write_bytes(b"whole")
        path.with_name("stray").touch()

    patch(program, "_drawn_writer", lambda _: program.Writer(".gr", write))


PLANTED = {name: globals().get(f"plant_{name}") for name in NAMES if name != "gpu"}


@pytest.mark.full("planted faults", *SOLVES, "src/warpath/**/*.py", "tools/hunt/**/*.py")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name, monkeypatch, tmp_path):
    program = importlib.import_module(f"hunt.programs.{name}")
    for package in program.PROGRAM.packages:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARPATH_MEMORY", "64M")  # so that the limit of a program ends with the test
    more = (tmp_path,) if name == "properties" else ()
    PLANTED[name](program, monkeypatch.setattr, *more)
    assert any(_trial(program, seed) for seed in range(60))


def _trial(program, seed):
    """Return what a trial finds, or None."""
    try:
        program.PROGRAM.trial(np.random.default_rng(seed), Counter())
    except (Finding, KeyError, AssertionError, wp.WarpathError) as found:
        return str(found)
    return None
