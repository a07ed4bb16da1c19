"""Commands do not write over the files that they read."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpath.cli import app, saving

INPUTS = {
    "graph",
    "trips",
    "changes",
    "result",
    "files",
    "weights",
    "coordinates",
    "pred",
    "pairs",
}


@pytest.fixture
def files(tmp_path):
    """A folder with a graph as CSV, its coordinates, trips, weights and changes."""
    (tmp_path / "g.csv").write_text("source,target,weight\na,b,1\nb,c,2\n")
    (tmp_path / "t.csv").write_text("origin,destination\na,c\n")
    (tmp_path / "w.csv").write_text("source,target,weight\na,b,5\n")
    (tmp_path / "v.csv").write_text("vertex\na\n")
    (tmp_path / "c.csv").write_text("time,change,source,target,weight\n1,update,a,b,9\n")
    return tmp_path


@pytest.mark.parametrize("name", ["g.csv", "./g.csv", "sub/../g.csv", "link.csv", "hard.csv"])
def test_the_graph_is_not_replaced_under_any_of_its_names(warpath, files, monkeypatch, name):
    monkeypatch.chdir(files)
    Path("sub").mkdir()
    Path("link.csv").symlink_to("g.csv")
    Path("hard.csv").hardlink_to("g.csv")
    before = Path("g.csv").read_bytes()
    run = warpath("pairs", "g.csv", "t.csv", "-o", name)
    assert run.code == 2
    assert "would replace the input g.csv: name another file." in run.err
    assert Path("g.csv").read_bytes() == before
    assert warpath("pairs", "link.csv", "t.csv", "-o", "g.csv").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ["pairs", "g.csv", "t.csv", "-o", "t.csv"],
        ["pairs", "g.csv", "t.csv", "--weights", "w.csv", "-o", "w.csv"],
        ["sssp", "g.csv", "-s", "a", "-o", "g.csv"],
        ["sssp", "g.csv", "-s", "a", "--weights", "w.csv", "-o", "w.csv"],
        ["distances", "g.csv", "-s", "v.csv", "-o", "v.csv"],
        ["distances", "g.csv", "-s", "a", "--targets", "v.csv", "-o", "v.csv"],
        ["apsp", "g.csv", "-o", "g.csv"],
        ["nearest", "g.csv", "-f", "v.csv", "-o", "v.csv"],
        ["within", "g.csv", "-s", "v.csv", "-c", "5", "-o", "v.csv"],
        ["within", "g.csv", "-s", "a", "-c", "5", "--coordinates", "w.csv", "-o", "w.csv"],
        ["update", "g.csv", "-s", "a", "--changes", "c.csv", "--watch", "v.csv", "-o", "c.csv"],
        ["update", "g.csv", "-s", "a", "--changes", "c.csv", "--watch", "v.csv", "-o", "v.csv"],
        ["convert", "g.csv", "g.csv"],
    ],
)
def test_no_input_is_replaced(warpath, files, monkeypatch, words):
    monkeypatch.chdir(files)
    before = {file: file.read_bytes() for file in files.iterdir()}
    run = warpath(*words)
    assert run.code == 2
    assert "would replace the input" in run.err
    assert {file: file.read_bytes() for file in files.iterdir()} == before


def test_other_outputs_are_compared_too(warpath, places, roads):
    page = roads.with_name("roads.html")
    roads.rename(page)
    for option in ("--html", "--plot", "--trace", "--outlines"):
        command = ["path", page, 1, 5] if option in {"--html", "--plot"} else ["within", page]
        command = ["sssp", page, "-s", 1] if option == "--trace" else command
        command += ["-s", 1, "-c", 9] if option == "--outlines" else []
        run = warpath(*command, "--format", "dimacs", option, page)
        assert run.code == 2
        assert f"{option} {page} would replace the input" in run.err
    trace = roads.with_name("t.png")
    trace.write_text("{}")
    assert "would replace" in warpath("plot", "trace", trace, "-o", trace).err
    near = places.rename(roads.with_name("near.co"))
    page.rename(roads.with_name("near.gr"))
    run = warpath("sssp", roads.with_name("near.gr"), "-s", 1, "-o", near)
    assert "would replace the input" in run.err


def test_an_input_inside_a_folder_that_is_replaced(warpath, files):
    (files / "full.zarr").mkdir()
    inside = (files / "g.csv").rename(files / "full.zarr" / "g.csv")
    assert "would replace the input" in warpath("apsp", inside, "-o", files / "full.zarr").err


def test_two_outputs_are_two_files(warpath, roads, places):
    out = roads.with_name("near.html")
    words = ["within", roads, "-s", 1, "-c", 9, "--coordinates", places]
    run = warpath(*words, "--html", out, "--outlines", out.with_name("x") / ".." / "near.html")
    assert run.code == 2
    assert "--html and --outlines name the same file" in run.err


def test_every_file_of_a_command_is_an_input_or_an_output():
    panels = [*app._PANELS.values()]
    commands = [command for panel in panels for command in panel]
    commands += [each.callback for each in app._plot.registered_commands]
    for command in commands:
        for name, kind in app.grouped(command).__annotations__.items():
            if "Path" in repr(kind):
                assert (name in saving.WRITTEN) != (name in INPUTS), (command.__name__, name)
