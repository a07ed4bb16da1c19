from __future__ import annotations

import struct
from pathlib import Path

import pytest

from warpath.base.errors import GraphFormatError, InputError, NotEnoughMemoryError
from warpath.graph import Graph
from warpath.io.formats import read, write

GOLDEN = Path(__file__).parent / "golden"
INDICES = [1, 2, 0, 2, 3, 3]


@pytest.mark.parametrize("name", ["tiny.el", "tiny.wel", "tiny.sg", "tiny.wsg"])
def test_tiny_graph_reads_from_all_four(name):
    graph = read(GOLDEN / name)
    assert (graph.n, graph.indices.tolist(), graph.directed) == (4, INDICES, True)
    assert (graph.weights is not None) == ("w" in name)
    assert (graph.id_base, graph.labels) == (0, None)


def test_serialized_weights_are_those_of_the_edges():
    assert read(GOLDEN / "tiny.wsg").weights.tolist() == [7, 10, 7, 0, 5, 1]


def test_vertices_without_edges_below_the_largest_stay(file):
    assert read(file("a.el", "0 5\n")).n == 6
    assert read(file("a.el", "0 5\n"), n=9).n == 9
    assert read(file("a.el", "0 5\n"), directed=False).m == 2


def test_a_text_file_of_another_name_counts_its_columns(file):
    assert read(file("a.dat", "0 1 5\n"), format="gap").weights.tolist() == [5]


def serialized(directed, m, n, *parts):
    return struct.pack("<Bqq", directed, m, n) + b"".join(parts)


def test_an_undirected_graph_has_no_inverse(file):
    rows = struct.pack("<3q", 0, 1, 2) + struct.pack("<2i", 1, 0)
    graph = read(file("a.sg", serialized(0, 2, 2, rows)))
    assert (graph.m, graph.directed) == (2, False)


BAD = {
    b"\x00\x01": "expected a header of 17 bytes, the file has 2",
    serialized(7, 0, 0, bytes(8)): "first byte of 0 or 1",
    serialized(0, -1, 2): "negative sizes: 2 vertices, -1 edges",
    serialized(0, 10**15, 10**15): "stored edges take .* bytes, the file has 17: .* truncated",
    serialized(0, 0, 0, bytes(9)): "other bytes follow",
    serialized(0, 1, 1, struct.pack("<2q", 0, 1), struct.pack("<i", 5)): "the rows are damaged",
    serialized(0, 1, 1, struct.pack("<2q", 1, 0), struct.pack("<i", 0)): "the rows are damaged",
}


@pytest.mark.parametrize(("content", "message"), BAD.items(), ids=range(len(BAD)))
def test_a_damaged_serialized_file_is_refused(file, content, message):
    with pytest.raises(GraphFormatError, match=message):
        read(file("a.sg", content))


def test_options_of_text_are_refused_for_serialized_files():
    with pytest.raises(InputError, match="contains directed= and n="):
        read(GOLDEN / "tiny.sg", n=4)


def test_a_vertex_number_beyond_memory_is_refused(file):
    with pytest.raises(NotEnoughMemoryError, match="Is the largest vertex number right"):
        read(file("a.el", "0 1000000000000000\n"))


def test_a_line_of_too_many_columns_is_refused(file):
    with pytest.raises(GraphFormatError, match=r':2: expected "<from> <to>", found "0 1 2"'):
        read(file("a.el", "0 1\n0 1 2\n"))


def test_what_is_written_reads_back(tmp_path):
    graph = Graph.from_edges([0, 1, 1], [1, 0, 2], [0.5, 2.0, 1e-300])
    write(graph, tmp_path / "a.wel.bz2")
    copy = read(tmp_path / "a.wel.bz2")
    assert copy.indices.tolist() == graph.indices.tolist()
    assert copy.weights.tolist() == graph.weights.tolist()
    write(graph.with_weights(None), tmp_path / "a.el")
    assert (tmp_path / "a.el").read_text() == "0 1\n1 0\n1 2\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.el", "holds no weights"), ("a.wsg", "converter"), ("a.sg", "converter")],
)
def test_what_a_file_cannot_hold_is_refused(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        write(Graph.from_edges([0], [1], [2]), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_last_vertex_without_edges_is_not_lost_silently(tmp_path):
    with pytest.raises(InputError, match="the last vertex, 2, has no edge"):
        write(Graph.from_edges([0], [1], n=3), tmp_path / "a.wel")


def test_whole_floats_are_read_back_as_floats(tmp_path):
    path = tmp_path / "a.wel"
    write(Graph.of([(0, 1, 2.0), (1, 0, 1e20)]), path)
    assert path.read_text() == "0 1 2.0\n1 0 1e+20\n"
    assert (read(path).weights.tolist(), str(read(path).weight_dtype)) == ([2.0, 1e20], "float64")
