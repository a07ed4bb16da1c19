from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpath.base.errors import GraphFormatError, InputError
from warpath.graph import Graph
from warpath.io.coordinate_files import read_coordinates
from warpath.io.formats import read, write

GOLDEN = Path(__file__).parent / "golden"


def banner(text):
    return f"%%MatrixMarket matrix {text}\n"


def test_tiny_graph_reads_with_explicit_zero_and_parallel_entries():
    graph = read(GOLDEN / "tiny.mtx")
    assert graph.indices.tolist() == [1, 2, 0, 2, 3, 3]
    assert graph.weights.tolist() == [7, 10, 7, 0, 2147483648, 1]
    assert (graph.n, graph.id_base, graph.weights.dtype) == (5, 1, np.float64)


def test_integers_stay_integers_and_patterns_have_no_weights(file):
    whole = read(file("a.mtx", banner("coordinate integer general") + "2 2 1\n1 2 5\n"))
    assert whole.weights.dtype == np.int32
    pattern = read(file("b.mtx", banner("coordinate pattern general") + "2 2 1\n1 2\n"))
    assert pattern.weights is None


def test_a_symmetric_matrix_is_undirected_and_its_diagonal_counts_once(file):
    path = file("a.mtx", banner("coordinate integer symmetric") + "3 3 3\n2 1 4\n3 3 1\n1 3 5\n")
    graph = read(path)
    assert (graph.m, graph.directed) == (5, False)
    arcs = read(path, directed=True)
    assert (arcs.m, arcs.directed) == (5, True)
    assert np.array_equal(arcs.to_scipy().toarray(), graph.to_scipy().toarray())


def test_a_general_matrix_can_be_taken_as_undirected(file):
    path = file("a.mtx", banner("coordinate integer general") + "2 2 1\n1 2 5\n")
    assert read(path, directed=False).m == 2


def test_the_banner_may_be_in_any_case(file):
    assert read(file("a.txt", "%%matrixmarket MATRIX Coordinate Pattern General\n1 1 0\n")).n == 1


BAD = {
    banner("coordinate complex general") + "1 1 0\n": "complex numbers cannot be weights",
    banner("coordinate real skew-symmetric") + "1 1 0\n": "are the negated weights of the other",
    banner("coordinate complex hermitian") + "1 1 0\n": "complex numbers",
    banner("coordinate real strange") + "1 1 0\n": r'found "coordinate real strange"',
    banner("coordinate real") + "1 1 0\n": "expected .%%MatrixMarket matrix <format>",
    banner("coordinate real general") + "2 3 0\n": ":2: a graph's matrix is square, .* 2 x 3",
    banner("coordinate real general") + "2 2\n": ':2: expected "<rows> <columns> <entries>"',
    banner("coordinate real general") + "2 -2 0\n": "must be an integer",
    banner("coordinate real general") + "% x\n": "it may be truncated",
    banner("coordinate real general") + "2 2 2\n1 2 3\n": "promises 2 entries, the file has 1",
    banner("coordinate real general") + "2 2 1\n1 3 3\n": ":3: vertex 3 is out of range",
    banner("coordinate real general") + "2 2 1\n1 2\n": ':3: expected "<row> <column> <value>"',
    banner("coordinate pattern general") + "2 2 1\n1 2 3\n": 'expected "<row> <column>"',
    banner("coordinate integer general") + "2 2 1\n1 2 3.5\n": "says that its numbers are integers",
    "2 2 1\n1 2 3\n": r':1: the header "%%MatrixMarket ..." is missing.*header="coordinate',
}


@pytest.mark.parametrize(("content", "message"), BAD.items())
def test_a_damaged_file_is_refused_with_the_reason(file, content, message):
    with pytest.raises(GraphFormatError, match=message):
        read(file("a.mtx", content), format="matrix_market")


def test_an_array_is_refused_as_a_graph_with_the_way_out(file):
    path = file("a.mtx", banner("array real general") + "1 2\n1\n2\n")
    with pytest.raises(GraphFormatError, match="Coordinates, n x 2: read the graph"):
        read(path)


def test_a_lost_header_can_be_given(file):
    whole = file("a.mtx", "3 3 1\n2 1\n")
    assert read(whole, header="coordinate pattern symmetric").m == 2
    rows = file("b.mtx", "2 1\n3 1\n")
    graph = read(rows, header="%%MatrixMarket matrix coordinate pattern symmetric", n=4)
    assert (graph.n, graph.m) == (4, 4)
    with pytest.raises(InputError, match="three words"):
        read(rows, header="pattern", n=4)


def test_an_array_of_two_columns_is_coordinates(file):
    path = file("a_coord.mtx", banner("array real general") + "2 2\n1\n2\n-3.5\n4e1\n")
    assert read_coordinates(path).tolist() == [[1, -3.5], [2, 40]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("array real symmetric\n1 2\n1\n2\n", "expected .array real general"),
        ("array real general\n1 3\n1\n2\n3\n", ":2: coordinates have 2 columns, .* 3"),
        ("array real general\n2 2\n1\n2\n3\n", "promises 4 numbers, the file has 3"),
    ],
)
def test_damaged_coordinates_are_refused(file, content, message):
    with pytest.raises(GraphFormatError, match=message):
        read_coordinates(file("a.mtx", "%%MatrixMarket matrix " + content))


@pytest.mark.parametrize("weights", [None, [3, 0, 2**40], [0.1, 1.0, 1e300]])
@pytest.mark.parametrize("directed", [True, False])
def test_what_is_written_reads_back(tmp_path, weights, directed):
    graph = Graph.from_edges([0, 2, 2], [1, 2, 0], weights, n=4, directed=directed)
    write(graph, tmp_path / "copy.mtx.xz")
    copy = read(tmp_path / "copy.mtx.xz")
    assert (copy.n, copy.m, copy.directed) == (graph.n, graph.m, directed)
    assert np.array_equal(copy.to_scipy().toarray(), graph.to_scipy().toarray())
    assert copy.weight_dtype == graph.weight_dtype


def test_float32_weights_come_back_with_the_same_bits(tmp_path):
    weights = np.array([0.1, 1 / 3, 16777216.0], np.float32)
    write(Graph.from_edges([0, 1, 2], [1, 2, 0], weights), tmp_path / "a.mtx")
    copy = read(tmp_path / "a.mtx").astype("float32")
    assert copy.weights.tolist() == weights.tolist()


def test_a_header_without_sizes_asks_for_n(file):
    with pytest.raises(
        GraphFormatError, match=r"<entries>\"; if that line is missing too, give n="
    ):
        read(file("a.mtx", "2 1\n"), header="coordinate pattern symmetric")
