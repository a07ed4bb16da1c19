from __future__ import annotations

from pathlib import Path

import pytest

from warpath.base.errors import GraphFormatError
from warpath.io.formats import read

GOLDEN = Path(__file__).parent / "golden"


def test_tiny_graph_reads_with_weights_and_comment():
    graph = read(GOLDEN / "tiny.graph")
    assert (graph.n, graph.m, graph.directed, graph.id_base) == (5, 10, False, 1)
    assert graph.indices[:2].tolist() == [1, 2]
    assert graph.weights[:2].tolist() == [7, 10]


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        ("2 1", "2\n1\n"),
        ("2 1 0", "2\n1\n"),
        ("2 1 1", "2 9\n1 9\n"),
        ("2 1 10", "5 2\n5 1\n"),
        ("2 1 11", "5 2 9\n5 1 9\n"),
        ("2 1 100", "5 2\n5 1\n"),
        ("2 1 111 2", "5 6 6 2 9\n5 6 6 1 9\n"),
        ("2 1 010 3", "5 5 5 2\n5 5 5 1\n"),
    ],
)
def test_every_format_code_skips_what_belongs_to_vertices(file, header, lines):
    graph = read(file("a.graph", f"{header}\n{lines}"))
    assert graph.indices.tolist() == [1, 0]
    assert graph.weights is None or graph.weights.tolist() == [9, 9]
    skipped = {"vertices whose weights or sizes were skipped": 2}
    assert graph.read_report == (skipped if lines[0] in "56" else {})


def test_blank_lines_are_vertices_without_edges(file):
    graph = read(file("a.graph", "4 1\n\n3\n%note\n2\n\n"))
    assert graph.indptr.tolist() == [0, 0, 1, 2, 2]


BAD = {
    "3 1\n2\n1\n": ": the header promises 3 vertices, the file has lines for 2: the file may be",
    "3 4\n2\n1 3\n2\n": ": the header promises 4 edges, but the file has 2, each in the lines of",
    "4 4 1\n2 5\n1 5\n\n\n": ": the header promises 4 edges (8 neighbours), the file has 2 neighbo",
    "2 1\n2\n2\n": ":3: a METIS file has no edges from a vertex to itself",
    "3 1\n2 3\n1\n\n": ":3: the header promises fewer edges than there are",
    "2 1\n2\n1\n2\n": ":4: the header promises fewer vertices than there are lines",
    "2 1\n3\n1\n": ':2: vertex 3 is out of range: the vertices are 1 to 2, found "3"',
    "2 1 1\n2\n1 1\n": ":2: the header's format code promises a weight after every neighbour",
    "2 1 10\n\n1 1 1 1 1\n": ":2: the header's format code promises numbers before",
    "2 1\n2.5\n1\n": ':2: expected integers, found "2.5"',
    "2 1 1\n2 99999999999999999999\n1 1\n": ":2: a number does not fit in 64 bits",
    "2 1 7\n2\n1\n": ":1: the format code has up to three digits",
    "2\n2\n1\n": ':1: expected "<vertices> <edges>',
    "-2 1\n2\n1\n": ":1: the number of vertices must be an integer",
    "% no\n": ': expected "<vertices> <edges> [<format> [<weights per vertex>]]", but the file',
    "2 2\n1 2\n1\n": ":2: a METIS file has no edges from a vertex to itself: leave them out, "
    "as no path needs them",
    "2 1000000000000000\n2\n1\n": ": the header promises 1000000000000000 edges (2000000",
    "1000 1\n2\n1\n": ": the header promises 1000 vertices, which the rest of the file is too sh",
    "3 2\n2 3\n1\n2\n": ": the line of vertex 1 lists 3, but that of 3 does not list 1 the same",
    "2 1 1\n2 5\n1 6\n": ": the line of vertex 1 lists 2 with weight 5, but that of 2 does not",
}


@pytest.mark.parametrize(("content", "message"), BAD.items())
def test_a_damaged_file_is_refused_with_the_reason(file, content, message):
    path = file("a.graph", content)
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_parallel_edges_are_kept(file):
    assert read(file("a.graph", "2 2\n2 2\n1 1\n")).m == 4


def test_the_arcs_can_be_taken_as_directed(file):
    assert read(file("a.graph", "2 1\n2\n1\n"), directed=True).directed
