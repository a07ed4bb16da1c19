"""Files of prepared graphs: what they hold, and that no damage passes."""

from __future__ import annotations

import contextlib
import gzip
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import (
    GraphError,
    GraphFormatError,
    InputError,
    NotEnoughMemoryError,
)
from warpath.engines import hierarchy
from warpath.engines.hierarchy import arrays_of
from warpath.graph.edge_geometry import Shapes
from warpath.graph.input_edges import Coded
from warpath.graph.zones import opened
from warpath.io import array_file, save, wph
from warpath.io.source import Source

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
HEAD = 20
GOLDEN = Path(__file__).parent / "golden"


def same(one, other):
    for name in ("indptr", "indices", "weights", "labels", "coordinates"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        assert a is None or (a.dtype == b.dtype and np.array_equal(a, b)), name
    for name in ("directed", "id_base", "first_through", "name", "unit", "attribution"):
        assert getattr(one, name) == getattr(other, name), name


def test_kept_columns_come_back(tmp_path):
    graph = wp.Graph.of([(1, 2, 2), (0, 1, 5), (2, 0, 1)], keep_rows=True)
    graph.given.columns["street"] = Coded.of(["Am Markt", "", "Am Markt"])
    graph.given.columns["metres"] = np.array([3, 4, 5])
    graph.given.units["metres"] = "m"
    wp.prepare(graph).save(tmp_path / "three.wph")
    back = wp.load(tmp_path / "three.wph").graph
    assert back.given.rows.tolist() == graph.given.rows.tolist()
    assert back.edge_table()["street"].tolist() == ["", "Am Markt", "Am Markt"]
    assert back.with_weights("metres").unit == "m"
    assert wp.path(back, 0, 2).legs.street.tolist() == ["", "Am Markt"]


@pytest.fixture
def saved(tmp_path):
    """A prepared graph in a file."""
    path = tmp_path / "three.wph"
    wp.prepare([(0, 1, 2), (1, 2, 5), (2, 0, 1), (0, 2, 9)]).save(path)
    return path


def table_of(path):
    content = path.read_bytes()
    length = struct.unpack("<I", content[12:16])[0]
    return json.loads(content[HEAD : HEAD + length])


def with_table(path, table):
    """Write the file anew with another table, whose checksum is right."""
    content = path.read_bytes()
    length = struct.unpack("<I", content[12:16])[0]
    text = json.dumps(table).encode()
    text += b" " * (-(HEAD + len(text)) % 64)
    head = content[:12] + struct.pack("<II", len(text), zlib.crc32(text))
    path.write_bytes(head + text + content[HEAD + length :])
    return path


def with_arrays(path, **changed):
    """Write the file anew with other arrays, with right checksums; None leaves one out."""
    source = array_file.ArrayFile(Source(path), wph.LAYOUT)
    arrays = {name: np.array(source[name]) for name in source.entries}
    arrays |= {name.replace("__", "."): array for name, array in changed.items()}
    with save.atomic(path) as file:
        kept = {name: array for name, array in arrays.items() if array is not None}
        array_file.write(file, wph.LAYOUT, kept)
    return path


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", None])
def test_a_whole_graph_comes_back(tmp_path, dtype):
    weights = None if dtype is None else np.array([1, 2, 0], dtype)
    graph = wp.Graph.from_edges([0, 1, 1], [1, 2, 1], weights, **FULL)
    wp.prepare(graph).save(tmp_path / "three.wph")
    same(wp.read(tmp_path / "three.wph"), graph)
    same(wp.load(tmp_path / "three.wph").graph, graph)


@pytest.mark.parametrize("n", [0, 1])
def test_a_graph_without_edges_comes_back(tmp_path, n):
    wp.prepare(wp.Graph.of([], n=n, name="")).save(tmp_path / "none.wph")
    found = wp.load(tmp_path / "none.wph")
    assert (found.graph.n, found.graph.m, found.graph.name) == (n, 0, "")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=20),
    st.sampled_from(["int32", "int64", "float32", "float64"]),
    st.booleans(),
    st.integers(0, 3),
)
def test_any_graph_comes_back_with_its_distances(tmp_path, edges, dtype, directed, closed):
    src, dst, weights = np.array(edges, int).reshape(-1, 3).T
    graph = wp.Graph.of(
        (src, dst, weights.astype(dtype)), n=6, directed=directed, first_through=closed
    )
    wp.prepare(graph).save(tmp_path / "any.wph")
    city = wp.load(tmp_path / "any.wph")
    same(city.graph, graph)
    ends = np.divmod(np.arange(36), 6)
    assert city.pairs(*ends).dist.tolist() == wp.apsp(graph).dist.ravel().tolist()


def test_the_points_of_edges_come_back(tmp_path):
    line = [(0, 0), (1, 5), (2, 0)]
    shapes = Shapes(np.array([0, 1]), np.array(line[1:2], float), "EPSG:4326")
    places = np.array([line[0], line[2]], float)
    graph = wp.Graph.from_csr([0, 1, 1], [1], [7], coordinates=places, shapes=shapes)
    wp.prepare(graph).save(tmp_path / "line.wph")
    found = wp.load(tmp_path / "line.wph")
    assert found.graph.shapes.crs == "EPSG:4326"
    assert np.array_equal(found.path(0, 1).line, line)


def test_a_file_of_version_1_is_read_by_every_release_that_reads_this_version():
    city = wp.load(GOLDEN / "tiny.wph")
    same(
        city.graph,
        wp.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 2], [2, 5, 1, 9], id_base=1, name="tiny"),
    )
    assert city.pairs([0, 1, 2], [2, 0, 1]).dist.tolist() == [7, 6, 3]
    assert wph.LAYOUT.version == 1, "write golden/tiny.wph anew, and say so in the changelog"


def test_the_same_graph_gives_the_same_bytes(saved, tmp_path):
    wp.load(saved).save(tmp_path / "again.wph")
    assert (tmp_path / "again.wph").read_bytes() == saved.read_bytes()


def test_the_vertex_order_is_an_array_apart_from_the_weights(saved):
    names = [entry["name"] for entry in table_of(saved)]
    assert "hierarchy.position" in names
    rows = ["first", "heads", "weights"]
    assert [name for name in names if name.startswith("hierarchy.up")] == [
        f"hierarchy.up.{name}" for name in rows
    ]
    assert all(entry["offset"] % 64 == 0 for entry in table_of(saved))


def test_a_symmetric_hierarchy_is_written_once(tmp_path):
    wp.prepare(wp.Graph.of([(0, 1, 2), (1, 2, 5)], directed=False)).save(tmp_path / "both.wph")
    assert not any(
        entry["name"].startswith("hierarchy.down") for entry in table_of(tmp_path / "both.wph")
    )
    assert wp.load(tmp_path / "both.wph").path(2, 0).length == 7


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists what is mapped")
def test_the_rows_of_the_graph_are_the_mapped_file(saved):
    def mapped():
        return str(saved) in Path("/proc/self/maps").read_text()

    city = wp.load(saved)
    assert mapped()
    assert not city.graph.indices.flags.writeable
    del city
    assert not mapped()


MAPPED = """
import sys
import warpath as wp
city = wp.load(sys.argv[1])
print("mapped", flush=True)
sys.stdin.readline()
print(city.pairs(range(50), range(100, 150)).dist.tolist())
print(city.path(3, 140).indices.tolist())
"""


def test_two_processes_map_one_file_at_once_and_it_may_be_replaced_meanwhile(tmp_path):
    road = wp.generate.road(200)
    file, city = tmp_path / "road.wph", wp.prepare(road)
    city.save(file)
    command = [sys.executable, "-c", MAPPED, str(file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as one, subprocess.Popen(command, **pipes) as other:
        for each in (one, other):
            assert each.stdout.readline() == "mapped\n"
        wp.prepare(wp.generate.road(300)).save(file)
        said = [each.communicate("\n", timeout=100)[0].splitlines() for each in (one, other)]
    trips = city.pairs(range(50), range(100, 150)).dist.tolist()
    assert said == [[str(trips), str(city.path(3, 140).indices.tolist())]] * 2
    assert wp.load(file).graph.n == 300


def test_a_file_that_ends_early_is_refused_at_any_byte(saved):
    whole = saved.read_bytes()
    for size in range(len(whole)):
        saved.write_bytes(whole[:size])
        with pytest.raises(GraphFormatError, match=r"three\.wph: "):
            wp.load(saved)
    saved.write_bytes(whole[:19])
    with pytest.raises(GraphFormatError, match="it ends after 19 bytes, within its header"):
        wp.load(saved)
    saved.write_bytes(whole + bytes(64))
    with pytest.raises(
        GraphFormatError, match="its arrays take 832 bytes, but 896 follow the table"
    ):
        wp.load(saved)


def test_a_flipped_bit_is_found_anywhere(saved):
    whole = saved.read_bytes()
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        saved.write_bytes(damaged)
        with pytest.raises(GraphFormatError, match=r"three\.wph: "):
            wp.load(saved)


def test_a_damaged_hierarchy_does_not_keep_the_graph_from_being_read(saved):
    damaged = bytearray(saved.read_bytes())
    damaged[-1] ^= 1
    saved.write_bytes(damaged)
    assert wp.read(saved).m == 4
    with pytest.raises(
        GraphFormatError, match=r"the array hierarchy\.down\.weights does not match"
    ):
        wp.load(saved)


@pytest.mark.parametrize(("version", "age"), [(0, "an older one than"), (7, "a newer one than")])
def test_another_version_is_refused_with_the_way_out(saved, version, age):
    content = bytearray(saved.read_bytes())
    content[8:12] = struct.pack("<I", version)
    saved.write_bytes(content)
    for call in (wp.load, wp.read):
        with pytest.raises(
            GraphFormatError, match=f"has version {version} .*, {age} version 1.*: p"
        ):
            call(saved)


def test_what_is_no_prepared_graph_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "a.wph").write_text("0 1 2\n")
    for call in (wp.load, wp.read):
        with pytest.raises(GraphFormatError, match=r"not a prepared graph \(\.wph\): prepare the"):
            call(tmp_path / "a.wph")


def test_a_compressed_file_is_refused_as_it_cannot_be_mapped(saved):
    packed = saved.with_name("three.wph.gz")
    packed.write_bytes(gzip.compress(saved.read_bytes()))
    for call in (wp.load, wp.read):
        with pytest.raises(GraphFormatError, match="mapped into memory, so unpack this file first"):
            call(packed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"dtype": "|O"}, "graph.indptr has a type or shape"),
        ({"dtype": "|V8"}, "graph.indptr has a type or shape"),
        ({"dtype": "<U0"}, "graph.indptr has a type or shape"),
        ({"dtype": "nonsense"}, "nonsense"),
        ({"shape": [-1]}, "graph.indptr has a type or shape"),
        ({"shape": [True]}, "graph.indptr has a type or shape"),
        ({"shape": [2**70]}, r"three\.wph: "),
        ({"shape": 5}, r"three\.wph: "),
        ({"offset": 64}, "graph.indptr is not where the one before it ends"),
        ({"checksum": -1}, "graph.indptr does not match its checksum"),
        ({"more": 1}, r"three\.wph: "),
    ],
)
def test_a_hostile_table_is_refused(saved, changed, message):
    table = table_of(saved)
    table[0] |= changed
    with pytest.raises(GraphFormatError, match=message):
        wp.load(with_table(saved, table))


@pytest.mark.parametrize("table", [7, None, {}, [], "x", [[]], [{}]])
def test_a_table_of_another_kind_is_refused(saved, table):
    with pytest.raises(GraphFormatError, match=r"three\.wph: "):
        wp.load(with_table(saved, table))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"graph__indices": np.array([7, 2, 2, 0], np.int32)}, r"three\.wph: indices\[0\] = 7"),
        ({"graph__indptr": None}, "expected the arrays indptr and indices of a graph"),
        ({"graph__id_base": np.int64(5)}, "id_base must be 0 or 1, found 5"),
        ({"hierarchy__position": np.zeros(3, np.int32)}, "each position must be that of one"),
        ({"hierarchy__position": np.zeros(3)}, r"three\.wph: "),
        ({"hierarchy__position": None}, r"the array hierarchy\.position, which is missing"),
        ({"hierarchy__up__heads": np.zeros(9, np.int32)}, r"three\.wph: .*arcs"),
        ({"hierarchy__up__weights": np.zeros(3)}, "has weights of type float64, the graph int64"),
        ({"hierarchy__down__heads": None}, r"hierarchy\.down\.heads, which is missing"),
    ],
)
def test_arrays_that_are_not_valid_are_refused_with_the_file(saved, changed, message):
    with pytest.raises(GraphFormatError, match=message):
        wp.load(with_arrays(saved, **changed))


def test_a_hierarchy_of_another_number_of_vertices_is_refused(saved):
    arrays = arrays_of(opened(wp.prepare([(0, 1, 5), (1, 0, 3)]).graph))
    with save.atomic(saved) as file:
        wph.write_prepared(wp.Graph.of([(0, 1, 5), (1, 2, 3)]), arrays, file)
    with pytest.raises(GraphFormatError, match="the hierarchy has 2 vertices, the graph 3"):
        wp.load(saved)


def test_a_hierarchy_that_does_not_fit_the_memory_is_refused_before_it_is_read(saved, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "64")
    with pytest.raises(
        NotEnoughMemoryError, match=r"three\.wph: reading it needs about \d+ B, but 64"
    ):
        wp.load(saved)


def test_a_direction_that_contradicts_the_file_is_refused(saved):
    assert wp.read(saved, directed=True).directed
    with pytest.raises(GraphFormatError, match="the file has directed = True: leave directed="):
        wp.read(saved, directed=False)


def test_labels_that_need_pickling_are_refused_with_the_way_out(tmp_path):
    city = wp.prepare(wp.Graph.of([((0, 0), "exit")]))
    with pytest.raises(InputError, match=r"the label \(0, 0\) cannot be stored.*pickle the Solver"):
        city.save(tmp_path / "g.wph")
    assert list(tmp_path.iterdir()) == []


def test_a_graph_alone_is_not_written_as_a_prepared_one(tmp_path):
    with pytest.raises(InputError, match=r"write it by warpath\.prepare\(graph\)\.save\(path\)"):
        wp.write(wp.Graph.of([(0, 1)]), tmp_path / "g.wph")
    assert list(tmp_path.iterdir()) == []


def test_a_hierarchy_that_belongs_to_other_weights_is_refused(tmp_path):
    """The checksums are right: another program wrote the file."""
    rng = np.random.default_rng(7)
    ends = rng.integers(0, 40, (2, 160))
    city = wp.prepare(wp.Graph.from_edges(*ends, rng.integers(1, 9, 160), n=40))
    arrays = list(hierarchy.arrays_of(city.graph))
    refused = 0
    for k in (3, 6):  # the weights of arcs up and down
        for at in range(len(arrays[k])):
            changed = [*arrays]
            changed[k] = arrays[k].copy()
            changed[k][at] += 3
            path = tmp_path / "a.wph"
            with path.open("wb") as file:
                wph.write_prepared(city.graph, tuple(changed), file)
            try:
                loaded = wp.load(path)
            except GraphFormatError as error:
                refused += "its hierarchy has the distance" in str(error)
                continue
            for target in range(40):
                with contextlib.suppress(wp.NoPathError, GraphError):
                    loaded.path(0, target)
    assert refused > 20


def test_a_path_that_the_edges_do_not_have_is_an_error():
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 3)])
    wp.prepare(graph)
    arrays = list(hierarchy.arrays_of(graph))
    for k in (3, 6):
        arrays[k] = arrays[k] + 1
    other = wp.Graph.of([(0, 1, 2), (1, 2, 3)])
    hierarchy.keep(other, tuple(arrays))
    with pytest.raises(GraphError, match="made for other weights: no path from 0 to 2"):
        wp.path(other, 0, 2, algorithm="geisberger2008.ch")
