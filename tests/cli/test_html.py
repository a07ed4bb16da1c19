"""`--html` of the commands: a map in one file, with the ids of the graph's file."""

from __future__ import annotations

import json
import re

import pytest


def data_of(path):
    (data,) = re.findall(r'id="data">(.*?)</script>', path.read_text())
    return json.loads(data)


COMMANDS = {
    "path": ["1", "5"],
    "sssp": ["--source", "1"],
    "within": ["--source", "1", "--cutoff", "5"],
    "nearest": ["--facilities", "1,5"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_writes_its_map(warpath, roads, places, tmp_path, command):
    out = tmp_path / "map.html"
    arguments = [roads, *COMMANDS[command], "--coordinates", places, "--html", out]
    assert warpath(command, *arguments).code == 0
    assert data_of(out)["marks"][0]["name"] == "1"  # the file counts from 1
    done = warpath(command, *arguments, "--json")
    assert done.json["html"] == str(out)


@pytest.mark.usefixtures("terminal")
def test_a_route_on_a_terminal_says_where_its_map_is(warpath, roads, places, tmp_path):
    out = tmp_path / "map.html"
    done = warpath("path", roads, 1, 5, "--coordinates", places, "--html", out)
    assert re.search(r"map in +\S*map\.html", done.out)


def test_what_cannot_be_written_is_refused_before_the_graph_is_read(warpath, tmp_path):
    none = tmp_path / "none.gr"
    done = warpath("path", none, 1, 5, "--html", tmp_path / "map.png")
    assert (done.code, "--html" in done.err, ".html, .htm" in done.err) == (2, True, True)
    done = warpath("path", none, 1, 5, "--html", tmp_path / "no" / "map.html")
    assert (done.code, "no such folder" in done.err) == (3, True)
    done = warpath("path", none, 1, 5, "--tiles", "https://tile.example.org/{z}/{x}/{y}.png")
    assert (done.code, "--tiles is the background of --html FILE" in done.err) == (2, True)


def test_a_graph_without_coordinates_is_refused_with_the_way_out(warpath, roads, tmp_path):
    for command, arguments in COMMANDS.items():
        done = warpath(command, roads, *arguments, "--html", tmp_path / "map.html")
        assert done.code == 3
        assert "has no coordinates" in done.err
        assert "or leave --html out" in done.err
    assert not (tmp_path / "map.html").exists()


def test_trips_are_written_with_the_ids_of_the_file(warpath, roads, places, tmp_path):
    trips, out = tmp_path / "trips.csv", tmp_path / "map.html"
    trips.write_text("origin,destination\n1,5\n3,4\n")
    done = warpath("pairs", roads, trips, "--coordinates", places, "--html", out, "--json")
    assert done.json["html"] == str(out)
    assert [mark["name"] for mark in data_of(out)["marks"]] == ["1", "5", "3", "4"]


def test_a_wrong_address_of_tiles_is_named_as_the_option(warpath, roads, places, tmp_path):
    done = warpath(
        "path", roads, 1, 5, "--coordinates", places, "--html", tmp_path / "m.html", "--tiles", "x"
    )
    assert done.code == 3
    assert "must be the address of tiles with {z}, {x} and {y}" in done.err
