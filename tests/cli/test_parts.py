"""The command's functions by themselves."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from warpath import Graph
from warpath.base import units
from warpath.base.errors import VertexError
from warpath.cli import output, reading, vertices
from warpath.cli.saving import counts_and_extremes, exact_sum, kept, suffix_of
from warpath.recipes import Task


def test_the_sum_of_integers_does_not_overflow():
    values = np.array([2**62, 2**62, 2**62, -5], np.int64)
    assert exact_sum(values) == 3 * 2**62 - 5
    assert exact_sum(np.array([], np.int64)) == 0
    assert exact_sum(np.array([[7, 8]], np.int32)) == 15


def test_the_sum_of_floats_is_rounded_once():
    values = np.array([1e16, 1.0, -1e16, 0.1] * 100)
    assert exact_sum(values) == float(sum(map(Fraction, values.tolist())))
    assert exact_sum(values) != values.sum()


def test_nothing_reached_has_no_mean():
    graph = Graph.from_edges([0], [1])
    found = counts_and_extremes(graph, np.array([9, 9]), np.array([False, False]))
    assert (found["mean"], found["farthest"], found["max"]) == (None, None, None)


def test_the_farthest_vertex_may_be_at_a_negative_distance():
    graph = Graph.from_edges([0], [1], [-4])
    unreachable = np.iinfo(np.int64).max
    found = counts_and_extremes(graph, np.array([unreachable, -4]), np.array([False, True]))
    assert (found["farthest"], found["max"]) == (1, -4)


def test_json_holds_no_infinity_and_no_numpy():
    held = output.plain(
        {
            1: np.float32(np.inf),
            "a": np.array([1.5, math.nan]),
            "b": (Task.SSSP, None, True),
            "c": np.int64(3),
            "d": {Task.MANY},
            "e": 1j,
            "f": output.NamedValues({"x": math.nan}),
        }
    )
    assert held == {
        "1": None,
        "a": [1.5, None],
        "b": ["sssp", None, True],
        "c": 3,
        "d": ["distances"],
        "e": "1j",
        "f": {"values": {"x": None}, "title": None},
    }


@pytest.mark.parametrize(
    ("value", "shown", "with_thousands"),
    [
        (None, "-", "-"),
        (True, "yes", "yes"),
        (False, "no", "no"),
        (1234567, "1234567", "1,234,567"),
        (np.int64(1234), "1234", "1,234"),
        (1234.5, "1234.5", "1,234.5"),
        (0.1 + 0.2, "0.30000000000000004", "0.3"),
        ("a\tb\x1b", "a\\tb\\x1b", "a\\tb\\x1b"),
    ],
)
def test_values_are_shown_without_surprises(value, shown, with_thousands):
    assert output.text_of(value) == shown
    assert output.text_of(value, thousands=True) == with_thousands


def test_durations_and_sizes_have_units():
    assert [units.seconds(s) for s in (4.2e-5, 0.0123, 0.9999, 83.2)] == [
        "42 us",
        "12.3 ms",
        "1 s",
        "83.2 s",
    ]
    assert [units.size(b) for b in (12, 2048, 3 * 2**40, 2**52)] == [
        "12 B",
        "2.0 KiB",
        "3.0 TiB",
        "4096.0 TiB",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2.5", -2.5),
        ("1e3", 1000.0),
        ("yes", True),
        ("False", False),
        ("km", "km"),
        ("1,2.5", (1, 2.5)),
        ("from,to", ("from", "to")),
    ],
)
def test_values_of_options_are_what_they_look_like(text, value):
    found = reading.number_or_text(text)
    assert found == value
    assert type(found) is type(value)


def test_columns_are_names_numbers_or_none():
    assert [reading.column(text) for text in ("none", "2", "km")] == [None, 2, "km"]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.npz", ".npz"), ("a.CSV", ".csv"), ("a.csv.gz", ".csv"), ("a.npz.gz", ".gz"), ("a", "")],
)
def test_suffixes_of_compressed_text_are_seen(tmp_path, name, suffix):
    assert suffix_of(tmp_path / name) == suffix


def test_typed_vertices_are_those_of_the_file():
    from_one = Graph.from_edges([0, 1], [1, 2], id_base=1)
    assert vertices.vertex(from_one, "3") == 2
    assert vertices.ids(from_one, np.array([0, 2])).tolist() == [1, 3]
    with pytest.raises(VertexError, match="numbered 1"):
        vertices.vertex(from_one, "0")
    gaps = Graph.from_labelled_edges([10, 20], [20, 40])
    assert vertices.vertex(gaps, "40") == 40
    assert vertices.one_id(gaps, 2) == 40
    mixed = Graph.from_labelled_edges(["a", "1"], ["1", "c"])
    assert vertices.vertex(mixed, "1") == "1"
    assert vertices.vertex(mixed, "1") == "1"


@pytest.mark.parametrize("text", ["", "1.0", "٣", "1_0", "0x1", " 1"])
def test_what_is_no_whole_number_is_no_vertex(text):
    with pytest.raises(VertexError, match="is not a vertex"):
        vertices.vertex(Graph.from_edges([0], [1]), text)


@pytest.mark.parametrize("linked", [False, True])
def test_a_stopped_command_names_the_rows_that_are_done_also_behind_a_link(tmp_path, capfd, linked):
    target = out = tmp_path / "full.npy"
    if linked:
        target = tmp_path / "elsewhere.npy"
        out.symlink_to(target)
    (tmp_path / f"{target.name}.part.json").touch()
    with pytest.raises(KeyboardInterrupt), kept(out):
        raise KeyboardInterrupt
    assert f"{target}.part keeps the finished rows" in capfd.readouterr().err
