from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import warpath as wp
from warpath.base import settings as environment
from warpath.base.errors import GraphFormatError, InputError
from warpath.graph.input_edges import Coded
from warpath.graph.turns import Turns
from warpath.io import formats

FULL = {
    "labels": ["a", "b", "ü"],
    "coordinates": [[0, 1], [2, 3], [4, 5]],
    "id_base": 1,
    "first_through": 2,
    "name": "three",
    "directed": False,
    "unit": "s",
    "attribution": "by neighbours",
}


def same(one, other):
    for name in ("indptr", "indices", "weights", "labels", "coordinates"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        assert a is None or (a.dtype == b.dtype and np.array_equal(a, b)), name
    for name in ("directed", "id_base", "first_through", "name", "unit", "attribution"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.given is None) == (other.given is None)
    if one.given is not None:
        assert one.given.rows.tolist() == other.given.rows.tolist()
        assert (one.given.count, one.given.units) == (other.given.count, other.given.units)
        assert list(one.given.columns) == list(other.given.columns)
        for name, column in one.given.columns.items():
            assert type(column) is type(other.given.columns[name])
            assert column[:].tolist() == other.given.columns[name][:].tolist(), name


@pytest.fixture
def saved(tmp_path):
    """A whole graph in a file."""
    path = tmp_path / "three.npz"
    formats.write(wp.Graph.of([(0, 1, 2.5), (1, 2, 0.5)]), path)
    return path


def repacked(path, **changed):
    """Write the archive anew with other arrays; None leaves one out."""
    with np.load(path) as archive:
        parts = dict(archive) | changed
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})
    return path


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", None])
def test_a_whole_graph_comes_back(tmp_path, dtype):
    weights = None if dtype is None else np.array([1, 2, 0], dtype)
    graph = wp.Graph.from_edges([0, 1, 1], [1, 2, 1], weights, **FULL)
    formats.write(graph, tmp_path / "three.npz")
    same(formats.read(tmp_path / "three.npz"), graph)


def with_columns():
    """A graph with kept columns of each kind, whose edges are in another order than its rows."""
    graph = wp.Graph.of([(1, 2, 2.5), (0, 1, 0.5), (0, 2, 9.0)], keep_rows=True)
    graph.given.columns["street"] = Coded.of(["Am Markt", "", "Am Markt"])
    graph.given.columns["metres"] = np.array([3, 4, 5])
    graph.given.columns["name"] = np.array(["x", "y", "zz"])
    graph.given.units["metres"] = "m"
    return graph


def test_kept_columns_come_back(tmp_path):
    graph = with_columns()
    formats.write(graph, tmp_path / "three.npz")
    back = formats.read(tmp_path / "three.npz")
    same(back, graph)
    assert back.edge_table()["street"].tolist() == ["", "Am Markt", "Am Markt"]
    assert back.with_weights("metres").unit == "m"


def test_texts_among_objects_are_kept_without_missing_ones(tmp_path):
    graph = with_columns()
    graph.given.columns["name"] = np.array(["x", None, float("nan")], object)
    formats.write(graph, tmp_path / "three.npz")
    assert formats.read(tmp_path / "three.npz").given.columns["name"].tolist() == ["x", "", ""]
    graph.given.columns["name"] = np.array([(1, 2), None, "x"], object)
    with pytest.raises(InputError, match=r"kept column 'name' holds object.*del graph\.given"):
        formats.write(graph, tmp_path / "three.npz")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"given_rows": None}, "the array given_rows, which is missing"),
        ({"given_rows": np.array([0, 1, 3])}, r"given_rows must be integers in 0 \.\. 2"),
        ({"given_rows": np.array([0, 1])}, "given has 2 edges, but the graph has m = 3"),
        ({"given_rows": np.array([0.0, 1, 2])}, "given_rows has the shape"),
        ({"given_count": np.array([3])}, "given_count has the shape"),
        ({"given_count": np.int64(4)}, "given_column_0 has 3 rows, but given_count is 4"),
        ({"given_names": np.array(["a", "a", "b"])}, "given_names must be different"),
        ({"given_units": np.array(["m"])}, "with a unit for each"),
        ({"given_column_1": None}, "the array given_column_1, which is missing"),
        ({"given_column_0": np.array([0, 1, 2])}, r"given_column_0 must be integers in 0 \.\. 1"),
        ({"given_values_0": np.array([0, 1])}, "given_values_0 has the shape"),
    ],
)
def test_damaged_columns_are_refused(tmp_path, changed, message):
    formats.write(with_columns(), tmp_path / "three.npz")
    with pytest.raises(GraphFormatError, match=message):
        formats.read(repacked(tmp_path / "three.npz", **changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"turns_back": None}, "the array turns_back, which is missing"),
        ({"turns_back": np.array([-1, 7])}, "turns do not belong to the m = 2 edges"),
        ({"turns_banned": np.array([[0, 2]])}, "turns do not belong to the m = 2 edges"),
        ({"turns_banned": np.array([[0]])}, "turns_banned has two columns or more"),
        ({"turns_banned": np.array([[0, -1, 1]])}, "two or more edges, then only -1"),
        ({"turns_costs": np.array([1.0, 2.0])}, "turns_costs three numbers"),
        ({"turns_costs": np.array([np.nan, 0, 0])}, "turns_costs must be numbers >= 0"),
        ({"turns_costs": np.array([0.0, 0, -1])}, "turns_costs must be numbers >= 0"),
        ({"turns_reasons": np.array(["x"])}, "other found"),
    ],
)
def test_damaged_turns_are_refused(tmp_path, changed, message):
    rows = wp.Graph.of([(0, 1, 2.5), (1, 0, 2.5)])
    turns = Turns([[0, 1]], [1, 0], left=2)
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
    formats.write(graph, tmp_path / "two.npz")
    assert formats.read(tmp_path / "two.npz").turns.left == 2
    earlier = formats.read(repacked(tmp_path / "two.npz", turns_against_travel=None))
    assert earlier.turns.banned.tolist() == [[0, 1]]
    with pytest.raises(GraphFormatError, match=message):
        formats.read(repacked(tmp_path / "two.npz", **changed))


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_a_compressed_archive_comes_back(tmp_path, suffix):
    graph = wp.Graph.from_edges([0, 1], [1, 2], **FULL)
    formats.write(graph, tmp_path / f"three.npz{suffix}")
    same(formats.read(tmp_path / f"three.npz{suffix}"), graph)


def test_numpy_reads_what_is_written(saved):
    with np.load(saved, allow_pickle=False) as archive:
        assert archive["weights"].tolist() == [2.5, 0.5]


def test_the_same_graph_gives_the_same_bytes(saved, tmp_path):
    formats.write(formats.read(saved), tmp_path / "again.npz")
    repeated = tmp_path / "repeated.npz"
    formats.write(formats.read(saved), repeated)
    assert repeated.read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_objects_that_are_all_strings_or_numbers_are_kept(tmp_path):
    for labels in (["x", "y"], [7, 9], [0.5, 1.5]):
        names = np.array(labels, object)
        formats.write(wp.Graph.from_edges([0], [1], labels=names), tmp_path / "g.npz")
        assert formats.read(tmp_path / "g.npz").labels.tolist() == labels


def test_labels_that_need_pickling_are_refused_or_dropped(tmp_path):
    graph = wp.Graph.of([((0, 0), "exit")])
    with pytest.raises(InputError, match=r'label \(0, 0\) cannot be stored.*labels="drop"'):
        formats.write(graph, tmp_path / "g.npz")
    assert not (tmp_path / "g.npz").exists()
    formats.write(graph, tmp_path / "g.npz", labels="drop")
    assert formats.read(tmp_path / "g.npz").labels is None
    with pytest.raises(InputError, match='"keep" or "drop"'):
        formats.write(graph, tmp_path / "g.npz", labels="maybe")


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("compressed", [True, False])
def test_scipys_files_are_read(tmp_path, form, compressed):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]])).asformat(form)
    sparse.save_npz(tmp_path / "m.npz", matrix, compressed=compressed)
    graph = formats.read(tmp_path / "m.npz")
    assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
    assert graph.directed
    assert formats.read(tmp_path / "m.npz", directed=False).m == 4


def test_other_matrices_of_scipy_are_refused(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    sparse.save_npz(tmp_path / "d.npz", sparse.dia_array(np.eye(3)))
    with pytest.raises(GraphFormatError, match="format 'dia': save it as csr, csc or coo"):
        formats.read(tmp_path / "d.npz")
    sparse.save_npz(tmp_path / "d.npz", sparse.csr_array((2, 3)))
    with pytest.raises(GraphFormatError, match=r"shape \(2, 3\): a graph's is square"):
        formats.read(tmp_path / "d.npz")
    with pytest.raises(GraphFormatError, match="needs the array data, which is missing"):
        formats.read(repacked(tmp_path / "d.npz", data=None))


def test_a_shape_that_contradicts_the_rows_is_refused(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    sparse.save_npz(tmp_path / "d.npz", sparse.csr_array((2, 2)))
    with pytest.raises(GraphFormatError, match="shape has n = 9, but indptr has n = 2"):
        formats.read(repacked(tmp_path / "d.npz", shape=np.array([9, 9])))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indptr": None}, "expected the arrays indptr and indices of a graph, found"),
        ({"indptr": np.array([0, 9, 9, 9])}, "indptr must ascend from 0 to m = 2"),
        ({"indptr": np.array([0.0])}, "indptr.*float64"),
        ({"indices": np.array([1, 77])}, r"indices\[1\] = 77"),
        ({"weights": np.array([1.0])}, "indices has 2 entries but weights has 1"),
        ({"weights": np.array([1.0, np.nan])}, r"weights\[1\] = nan"),
        ({"labels": np.array(["a"])}, r"labels has shape \(1,\)"),
        ({"coordinates": np.zeros((3, 3))}, r"coordinates has shape \(3, 3\)"),
        ({"coordinates": np.array(["x"] * 3)}, "three.npz: "),
        ({"first_through": np.int64(99)}, "first_through = 99"),
        ({"first_through": np.float64(1)}, "first_through must be one value"),
        ({"name": np.array(["a", "b"])}, "name must be one value"),
        ({"id_base": np.int64(5)}, "id_base must be 0 or 1, found 5"),
        ({"shape_indptr": np.array([0, 1, 1]), "shape_points": np.zeros((2, 2))}, "points, 2"),
        ({"shape_indptr": np.array([0, 2]), "shape_points": np.zeros((2, 2))}, "1 edges, but"),
        ({"shape_indptr": np.array([0]), "shape_points": np.zeros(3)}, "three.npz: "),
        ({"shape_indptr": np.array([0, 1, 2])}, "belong together, found only shape_indptr"),
        ({"shape_points": np.zeros((2, 2))}, "belong together, found only shape_points"),
        ({"format": np.bytes_(b"\xff?")}, "SciPy's format"),
        ({"format": np.array([1, 2])}, "three.npz: "),
    ],
)
def test_hostile_arrays_are_refused_with_the_file(saved, changed, message):
    with pytest.raises(GraphFormatError, match=message):
        formats.read(repacked(saved, **changed))


def test_pickled_objects_are_not_read(saved):
    with np.load(saved) as archive:
        parts = dict(archive)
    np.savez(saved, **parts, labels=np.array([1, "a", None], object))
    with pytest.raises(GraphFormatError, match="labels holds pickled objects, which are not read"):
        formats.read(saved)


def test_a_header_that_promises_more_than_follows_is_refused_before_memory_is_taken(saved):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**50,)}
    )
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("indptr.npy", header.getvalue())
    with pytest.raises(
        GraphFormatError, match=r"indptr has the shape .* but only 128 bytes follow"
    ):
        formats.read(saved)


def test_an_archive_of_arrays_that_are_no_graph_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.arange(3))
    with pytest.raises(GraphFormatError, match="found none that a graph has"):
        formats.read(tmp_path / "x.npz")


def test_a_direction_that_contradicts_the_file_is_refused(saved):
    assert formats.read(saved, directed=True).directed
    with pytest.raises(GraphFormatError, match="the file has directed = True: leave directed="):
        formats.read(saved, directed=False)


def test_no_cut_of_an_archive_is_read_as_a_graph(saved):
    whole = saved.read_bytes()
    for size in range(4, len(whole), 37):
        saved.write_bytes(whole[:size])
        with pytest.raises(GraphFormatError, match=r"three\.npz"):
            formats.read(saved, format="npz")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_changed_byte_crashes_the_reader(saved, data):
    whole = saved.with_suffix(".whole")
    if not whole.exists():
        whole.write_bytes(saved.read_bytes())
    content = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    saved.write_bytes(content)
    try:
        formats.read(saved, format="npz")
    except GraphFormatError as error:
        assert "three.npz" in str(error)  # noqa: PT017 - a graph or this error, nothing else


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0, 9)), max_size=20),
    st.booleans(),
)
def test_any_graph_comes_back(tmp_path, edges, directed):
    graph = wp.Graph.of(edges, n=6, directed=directed, name="any")
    formats.write(graph, tmp_path / "any.npz")
    same(formats.read(tmp_path / "any.npz"), graph)


def test_an_archive_with_a_password_is_refused_with_the_path(tmp_path):
    path = tmp_path / "locked.npz"
    wp.write(wp.Graph.of([(0, 1, 2)]), path)
    data = bytearray(path.read_bytes())
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(magic)
        while at >= 0:
            data[at + flags] |= 1  # "encrypted"
            at = data.find(magic, at + 4)
    path.write_bytes(data)
    with pytest.raises(GraphFormatError, match=r"locked\.npz: .*password"):
        wp.read(path)


def test_a_wrong_setting_is_not_a_damaged_file(tmp_path, monkeypatch):
    wp.write(wp.generate.road(300), tmp_path / "road.npz")
    monkeypatch.setattr("warpath.graph.csr.threads_for", lambda _: environment.threads())
    monkeypatch.setenv("WARPATH_THREADS", "abc")
    with pytest.raises(wp.InputError, match=r"^WARPATH_THREADS='abc' must be") as caught:
        wp.read(tmp_path / "road.npz")
    assert not isinstance(caught.value, wp.GraphFormatError)
