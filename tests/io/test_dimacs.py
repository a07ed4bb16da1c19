from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpath.base.errors import GraphError, GraphFormatError, InputError, NotEnoughMemoryError
from warpath.graph import Graph
from warpath.io.coordinate_files import read_coordinates
from warpath.io.formats import read, write

GOLDEN = Path(__file__).parent / "golden"


def refusal(path, **options):
    with pytest.raises(GraphFormatError) as caught:
        read(path, **options)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(str(path))


def test_tiny_graph_reads_with_its_zero_and_parallel_arcs():
    graph = read(GOLDEN / "tiny.gr")
    assert graph.indptr.tolist() == [0, 2, 4, 6, 6, 6]
    assert graph.indices.tolist() == [1, 2, 0, 2, 3, 3]
    assert graph.weights.tolist() == [7, 10, 7, 0, 2147483648, 1]
    assert (graph.id_base, graph.name, graph.weights.dtype) == (1, "tiny", np.int64)


def test_weights_that_fit_32_bits_are_narrow(file):
    graph = read(file("a.gr", "p sp 2 2\na 1 2 2147483647\na 2 1 -2147483648\n"))
    assert graph.weights.dtype == np.int32


def test_a_fraction_makes_all_weights_floats(file):
    graph = read(file("a.gr", "p sp 2 2\na 1 2 3\na 2 1 0.5\n"))
    assert graph.weights.dtype == np.float64
    assert graph.weights.tolist() == [3.0, 0.5]


def test_the_last_line_needs_no_end_and_lines_may_end_with_cr(file):
    assert read(file("a.gr", "p sp 2 1\r\na 1 2 3\r\n\r\n")).m == 1
    assert read(file("b.gr", "c x\np  sp\t2 1\n\n  a 1 2 3")).m == 1


def test_no_vertices_and_one_vertex_are_graphs(file):
    assert read(file("a.gr", "p sp 0 0\n")).n == 0
    assert read(file("a.gr", "p sp 1 0\n")).n == 1


BAD = {
    "p sp 20 2\na 1 2 3\na 17 x 4\n": ':3: expected "a <from> <to> <weight>", found "a 17 x 4"',
    "p sp 2 1\na 1 2\n": ':2: expected "a <from> <to> <weight>", found "a 1 2"',
    "p sp 2 1\na 1 2 3 4\n": ':2: expected "a <from> <to> <weight>", found "a 1 2 3 4"',
    "p sp 2 1\nb 1 2 3\n": ':2: expected "a <from> <to> <weight>", found "b 1 2 3"',
    "p sp 2 1\nab 1 2 3\n": ':2: expected "a <from> <to> <weight>", found "ab 1 2 3"',
    "p sp 2 1\na1 2 3\n": ':2: expected "a <from> <to> <weight>", found "a1 2 3"',
    "p sp 2 2\na 1 2 3\n": (
        ": the header promises 2 arcs, the file has 1: the file may be truncated"
    ),
    "p sp 2 1\na 1 2 3\na 1 2 3\n": (
        ':3: the header promises 1 arcs, but there are more, found "a 1 2 3"'
    ),
    "p sp 2 1\na 1 3 3\n": (
        ':2: vertex 3 is out of range: the vertices are 1 to 2, found "a 1 3 3"'
    ),
    "p sp 2 1\na 0 1 3\n": (
        ':2: vertex 0 is out of range: the vertices are 1 to 2, found "a 0 1 3"'
    ),
    "p sp 0 1\na 1 1 3\n": (
        ':2: vertex 1 is out of range: the file says that it has no vertices, found "a 1 1 3"'
    ),
    "p sp 2 1\na 1 2 nan\n": ':2: NaN is not a number to compute with, found "a 1 2 nan"',
    "p sp 2 1\na 1 2 -inf\n": (':2: a weight of -inf leaves no shortest path, found "a 1 2 -inf"'),
    "p sp 2 1\na 1 2 1e999\n": ':2: a number is larger than any double, found "a 1 2 1e999"',
    "p sp 2 1\na 1 2 9223372036854775808\n": (
        ":2: a number does not fit in 64 bits; write it with a decimal point to have it "
        'rounded, found "a 1 2 9223372036854775808"'
    ),
    "p sp 2 1\na 1 99999999999999999999 1\n": (
        ':2: a vertex number does not fit in 64 bits, found "a 1 99999999999999999999 1"'
    ),
    "p sp -2 1\n": ':1: the number of vertices must be an integer, 0 or more, found "-2"',
    "p sp 2 x\n": ':1: the number of arcs must be an integer, 0 or more, found "x"',
    "p sp 2 99999999999999999999\n": (
        ':1: the number of arcs is larger than any file can hold, found "99999999999999999999"'
    ),
    "p sp 2\na 1 2 3\n": ':1: expected "p sp <vertices> <arcs>", found "p sp 2"',
    "c only\nc comments\n": ': expected "p sp <vertices> <arcs>", but the file has only comments',
    "a 1 2 3\n": ':1: expected "p sp <vertices> <arcs>", found "a 1 2 3"',
    "p cnf 2 1\n1 2 0\n": (
        ':1: expected "p sp", but this file is of another DIMACS problem: "p cnf" is '
        "satisfiability, which has no graph"
    ),
    "p sp 2 1\na 1 2 \x07\xff\n": (
        ':2: expected "a <from> <to> <weight>", found "a 1 2 \\x07\xff"'
    ),
    "p sp 2 1\na 1 2 " + 80 * "x": (
        ':2: expected "a <from> <to> <weight>", found "a 1 2 ' + 54 * "x" + '..."'
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD.items())
def test_a_damaged_file_is_refused_with_line_and_reason(file, content, message):
    assert refusal(file("roads.gr", content)) == message


def test_the_smallest_and_largest_integers_are_exact(file):
    path = file("a.gr", "p sp 2 2\na 1 2 9223372036854775807\na 1 2 -9223372036854775808\n")
    assert read(path).weights.tolist() == [2**63 - 1, -(2**63)]


def test_an_infinite_weight_is_no_edge(file):
    assert read(file("a.gr", "p sp 2 2\na 1 2 inf\na 1 2 4\n")).m == 1


def test_a_number_too_small_for_a_double_becomes_the_nearest_one(file):
    assert read(file("a.gr", "p sp 2 1\na 1 2 1e-999\n")).weights.tolist() == [0.0]


def test_a_promise_of_a_million_billion_arcs_takes_no_memory(file):
    assert "truncated" in refusal(file("a.gr", "p sp 2 1000000000000000\na 1 2 3\n"))


def test_more_vertices_than_memory_are_refused_before_any_is_made(file):
    with pytest.raises(NotEnoughMemoryError, match="1,000,000,000,000,000 vertices"):
        read(file("a.gr", "p sp 1000000000000000 1\na 1 2 3\n"))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x7fELF\x02\x01", "a program (ELF)"),
        (b"\x00\x01\x02\x03", "binary data"),
        (b"<!DOCTYPE html><html>", "a web page: was the download link a page?"),
    ],
)
def test_a_file_that_is_no_text_is_named_for_what_it_is(file, content, what):
    assert refusal(file("a.gr", content)) == f": expected text, but this looks like {what}"


def test_coordinates_of_the_challenge_become_degrees():
    points = read_coordinates(GOLDEN / "tiny.co")
    assert points.shape == (5, 2)
    assert points[0].tolist() == [-73.530767, 41.085396]
    assert points[4].tolist() == [-73.524567, 41.093796]


def test_other_coordinates_stay_as_they_are(file):
    plain = read_coordinates(file("a.co", "p aux sp co 2\nv 1 300 400\nv 2 0 0\n"))
    assert plain.tolist() == [[300, 400], [0, 0]]
    beyond = [2_000_000, 90_000_001], [180_000_001, 2_000_000]  # the largest latitude and longitude
    for flat in ([300, 2_000_000], [2_000_000, 300], *beyond):
        kept = read_coordinates(file("a.co", f"p aux sp co 1\nv 1 {flat[0]} {flat[1]}\n"))
        assert kept.tolist() == [flat]
    metres = read_coordinates(file("a.co", "p aux sp co 1\nv 1 3500000.5 5800000.5\n"))
    assert metres.tolist() == [[3500000.5, 5800000.5]]


def test_damaged_coordinates_are_refused(file):
    for content, reason in {
        "p aux sp co 2\nv 1 3 4\n": "promises 2 vertices, the file has 1",
        "p aux sp co 1\nv 1 inf 4\n": "a coordinate must be finite",
        "p aux sp co 1\nv 2 3 4\n": "out of range",
        "p aux sp co\nv 2 3 4\n": "expected",
    }.items():
        with pytest.raises(GraphFormatError, match=reason):
            read_coordinates(file("a.co", content))


def test_coordinates_must_be_of_the_same_graph(file):
    other = file("b.co", "p aux sp co 1\nv 1 3 4\n")
    with pytest.raises(GraphError, match="has 1 vertex, but the graph has 5"):
        read(GOLDEN / "tiny.gr", coordinates=other)
    graph = read(GOLDEN / "tiny.gr", coordinates=GOLDEN / "tiny.co")
    assert graph.coordinates[2, 0] == -73.519366


def test_a_coordinates_file_is_not_taken_for_a_graph():
    assert refusal(GOLDEN / "tiny.co").startswith(": this file has coordinates, no edges")


def test_what_is_written_reads_back(tmp_path):
    graph = read(GOLDEN / "tiny.gr")
    write(graph, tmp_path / "copy.gr.gz")
    copy = read(tmp_path / "copy.gr.gz")
    for name in ("indptr", "indices", "weights"):
        assert getattr(copy, name).tolist() == getattr(graph, name).tolist()


def test_an_unweighted_graph_is_written_with_ones(tmp_path):
    write(Graph.from_edges([0], [1]), tmp_path / "a.gr")
    assert (tmp_path / "a.gr").read_text().endswith("p sp 2 1\na 1 2 1\n")


def test_float_weights_are_refused_with_formats_that_hold_them(tmp_path):
    with pytest.raises(InputError, match=r"write \.mtx or \.wel"):
        write(Graph.from_edges([0], [1], [0.5]), tmp_path / "a.gr")
    assert not list(tmp_path.iterdir())


def test_names_are_refused_or_dropped(tmp_path):
    graph = Graph.from_labelled_edges(np.array(["a"]), np.array(["b"]))
    with pytest.raises(InputError, match='labels="drop"'):
        write(graph, tmp_path / "a.gr")
    write(graph, tmp_path / "a.gr", labels="drop")
    assert read(tmp_path / "a.gr").n == 2
    with pytest.raises(InputError, match='must be "refuse" or "drop"'):
        write(graph, tmp_path / "a.gr", labels="keep")


def test_zones_cannot_be_written(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2], n=3, first_through=1)
    with pytest.raises(InputError, match="paths end at the first vertex"):
        write(graph, tmp_path / "a.gr")
