"""The documentation: every example runs, its pictures show what the recipes do."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from support.memory import give_back
from warpath.cli import main as entry
from warpath.plot import selections
from warpath.recipes import Task

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    DOCS / "index.md",
    DOCS / "quickstart.md",
    DOCS / "tutorial.md",
    DOCS / "guarantees.md",
    *sorted((DOCS / "how-to").glob("*.md")),
    *sorted((DOCS / "reference").glob("*.md")),
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^>]+) -->\n)?```(?P<kind>python|console)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder to work in, with the repository's examples and the command in reach."""
    (tmp_path / "bin").mkdir()
    for name, call in (("warpath", "-m warpath.cli"), ("python", "")):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
        script.chmod(0o755)
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("COLUMNS", "100")
    yield tmp_path / "desk"
    give_back()  # the pages together, with libraries that draw, would hold 200 MB


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_examples_of_a_page_are_true(page, desk, request, called):
    text = page.read_text(encoding="utf-8")
    for package in re.findall(r"<!-- needs the package (\S+) -->", text):
        pytest.importorskip(package)
    for name, own in re.findall(r"<!-- needs the file (\S+)(?: as (\S+))? -->", text):
        (desk / (own or name)).symlink_to(request.getfixturevalue("data_folder") / name)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        if block["reason"]:
            continue
        line = text[: block.start()].count("\n") + 1
        if block["kind"] == "console":
            _run_console(block["text"], f"{page.name}:{line}", called)
        elif ">>>" in block["text"]:
            _run_doctest(block["text"], names, page, line)
        else:
            exec(compile("\n" * line + block["text"], str(page), "exec"), names)  # noqa: S102


def _run_doctest(text, names, page, line):
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), line)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed = runner.run(test, out=said.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(said)


@pytest.fixture
def called(monkeypatch, capfd):
    """Run a line of the shell; `warpath` alone runs in this process, which has imported it."""

    def run(command):
        arguments = shlex.split(command)
        if arguments[0] != "warpath" or set(command) & set("|<>&;*$`"):
            return subprocess.run(
                ["bash", "-c", command],  # noqa: S607
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
        monkeypatch.setattr(sys, "argv", arguments)
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            entry.main()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the command handles it
        return subprocess.CompletedProcess(command, end.value.code, *capfd.readouterr())

    return run


def _run_console(text, where, called):
    for call in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = call.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command}\n{more}"
        ran = called(command)
        assert ran.returncode == 0, f"{where}: {command}\n{ran.stderr}"
        if expected.strip():
            example = doctest.Example(command, expected)
            checker = doctest.OutputChecker()
            assert checker.check_output(expected, ran.stdout, FLAGS), (
                f"{where}: {command}\n" + checker.output_difference(example, ran.stdout, FLAGS)
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_block_that_is_not_run_says_why(page):
    text = page.read_text(encoding="utf-8")
    kinds = re.findall(r"^```(\S*)\n.*?^```$", text, re.MULTILINE | re.DOTALL)
    assert set(kinds) <= {"python", "console", "text", "{toctree}", "{eval-rst}", "{include}"}


@pytest.fixture(scope="module")
def script():
    """Import a module of the docs folder, which is no package."""
    sys.path.insert(0, str(DOCS))
    yield importlib.import_module
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def gallery(script):
    pytest.importorskip("matplotlib")
    return script("gallery")


@pytest.mark.parametrize(
    ("selection", "name"),
    [
        ("all", "bodra2025.bf_vertex"),
        ("improved", "bodra2025.bf_strided_flag"),
        ("improved", "davidson2014.workfront_sweep.merge_path"),
        ("below", "davidson2014.near_far.merge_path"),
        ("delta star", "dong2021.delta_star"),
        ("bucket", "davidson2014.bucketing.merge_path"),
        ("min", "martin2009.f_cpu"),
        ("min", "martin2009.u_gpu"),
        ("out", "johnson_gpu.dijkstra_flags"),
    ],
)
def test_the_pictures_show_as_many_vertices_as_the_recipe_selected(
    gallery, emulated_sssp, selection, name
):
    graph, source = gallery.town()
    recipe = wp.algorithms()[name]
    assert recipe.axes.select.value == selection
    width = {"below": "delta", "delta star": "delta", "bucket": "width"}.get(selection)
    params = None if width is None else {width: gallery.DELTA}
    run = emulated_sssp(
        graph, source, algorithm=name, device=recipe.devices[-1], params=params, trace=True
    )
    drawn = selections.rounds(graph, source, selection, gallery.DELTA)
    traced = [one.selected for one in run.trace if one.rounds]
    assert [int(one.selected.sum()) for one in drawn] == traced


@pytest.mark.parametrize(
    "selection",
    ["all", "improved", "below", "delta star", "rho", "bucket", "min", "out", "one"],
)
def test_the_rounds_of_the_pictures_end_at_the_distances(gallery, selection):
    graph, source = gallery.town()
    last = selections.rounds(graph, source, selection, gallery.DELTA)[-1]
    assert last.settled.all()
    assert not last.waiting.any()
    search = selections._Search(graph, source)
    for _ in selections.SELECTIONS[selection](search, gallery.DELTA):
        pass
    assert np.array_equal(search.labels, wp.sssp(graph, source).dist)


def test_a_round_of_rho_stepping_takes_rho_vertices():
    star = wp.Graph.of([(0, leaf, leaf) for leaf in range(1, 6)])
    taken = [int(one.selected.sum()) for one in selections.rounds(star, 0, "rho", 2)]
    assert taken == [1, 2, 2, 1]


def test_every_recipe_has_an_idea(script):
    generate = script("generate")
    for recipe in wp.algorithms():
        assert generate.idea(recipe.name).endswith(".")


def test_footnotes_stand_for_what_several_notes_say(script):
    generate = script("generate")
    for _, _, recipes in wp.algorithms().papers():
        notes, footnotes = generate._notes(recipes)
        for footnote in footnotes:
            mark, _, text = footnote.partition(": ")
            assert sum(mark in note for note in notes.values()) > 1
            notes = {name: note.replace(mark, text) for name, note in notes.items()}
        assert notes == {recipe.name: recipe.note for recipe in recipes if recipe.note}


def test_every_recipe_for_one_source_has_a_picture(gallery):
    # Patches, repairs, recursions and prepared graphs have no rounds of the whole graph to draw.
    without = {"patches", "dynamic", "own"}
    for recipe in wp.algorithms():
        if recipe.loop.value not in without and Task.SSSP in recipe.solves and not recipe.prepared:
            assert gallery.selection_of(recipe) is not None
