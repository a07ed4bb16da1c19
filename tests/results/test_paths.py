"""Results: what they print, save and translate."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow.csv
import pyarrow.parquet
import pytest

import warpath as wp
from warpath import Graph

NAMED = Graph.of([("a", "b", 2.0), ("b", "c", 0.5), ("d", "a", 1.0)])
COUNTED = Graph.from_edges([0, 1], [1, 2], [2, 5], n=4, id_base=1)


def test_paths_print_what_was_reached_and_what_ran():
    text = repr(wp.sssp(NAMED, "a", algorithm="classic.dijkstra"))
    assert (
        text.splitlines()[0]
        == "<Paths from 'a': 3 of 4 vertices reached, the farthest is 'c' at 2.5"
    )
    assert text.splitlines()[1] == "  classic.dijkstra on cpu>"
    assert len(wp.sssp(NAMED, "a")) == 4


def test_a_negative_farthest_distance_is_no_unreachable_one():
    graph = Graph.of([(0, 1, -3)], n=3)
    assert "the farthest is 0 at 0" in repr(wp.sssp(graph, 0))


def test_a_route_prints_its_ends_and_length():
    route = wp.path(NAMED, "d", "c")
    assert repr(route) == "<Route of length 3.5 over 3 edges: 'd' -> 'a' -> 'b' -> 'c'>"
    assert (route.source, route.target, len(route)) == ("d", "c", 4)
    assert route.weights.tolist() == [1.0, 2.0, 0.5]
    assert route.coordinates is None
    long = Graph.of([(at, at + 1) for at in range(20)])
    assert repr(wp.path(long, 0, 20)).endswith("0 -> 1 -> 2 -> 3 -> ... -> 18 -> 19 -> 20>")


def test_a_route_takes_the_lightest_of_parallel_edges_and_knows_where_it_passes():
    graph = Graph.of([(0, 1, 7), (0, 1, 3)], coordinates=[[0, 0], [1, 2]])
    route = wp.sssp(graph, 0).path_to(1)
    assert route.weights.tolist() == [3]
    assert route.coordinates.tolist() == [[0, 0], [1, 2]]


def test_a_table_prints_a_corner_with_names():
    text = repr(wp.distances(NAMED, ["a", "d"], ["b", "d"]))
    assert text.splitlines()[0] == "<DistanceTable 2 x 2 of float64"
    assert [line.split() for line in text.rstrip(">").splitlines()[2:]] == [
        ["b", "d"],
        ["a", "2.0", "-"],
        ["d", "3.0", "0.0"],
    ]
    large = repr(wp.apsp(Graph.of([(at, at + 1) for at in range(20)])))
    assert large.splitlines()[2].endswith("...")
    assert large.splitlines()[-1].strip() == "...>"
    assert "0 x 0" in repr(wp.apsp(Graph.from_edges([], [], n=0)))


def test_to_pandas_marks_what_is_unreachable():
    frame = wp.sssp(NAMED, "a").to_pandas()
    assert frame["vertex"].tolist() == ["a", "b", "c", "d"]
    assert frame["distance"].tolist()[:3] == [0, 2, 2.5]
    assert frame["distance"].isna().tolist() == [False, False, False, True]
    assert frame["pred"].isna().tolist() == [True, False, False, True]
    assert frame["pred"].tolist()[1:3] == ["a", "b"]


def test_a_table_becomes_a_wide_or_a_long_frame():
    table = wp.distances(COUNTED, [0, 1], [0, 2])
    wide = table.to_pandas()
    assert wide.index.tolist() == [1, 2]  # the ids of the file
    assert wide.columns.tolist() == [1, 3]
    assert wide.isna().to_numpy().tolist() == [[False, False], [True, False]]
    long = table.to_pandas(long=True)
    assert long["source"].tolist() == [1, 1, 2, 2]
    assert long["target"].tolist() == [1, 3, 1, 3]
    assert long["distance"].tolist()[:2] == [0, 7]
    assert pd.isna(long["distance"][2])


def test_a_table_is_an_array_where_one_is_needed():
    table = wp.distances(COUNTED, [0], [2])
    assert np.asarray(table).tolist() == [[7]]
    assert np.asarray(table, np.float64).dtype == np.float64
    assert table.reached.tolist() == [[True]]


def test_paths_come_back_from_a_file_and_still_verify(tmp_path):
    for graph, source, cutoff in ((NAMED, "a", None), (COUNTED, 0, 3)):
        file = tmp_path / "result.npz"
        paths = wp.sssp(graph, source, cutoff=cutoff)
        paths.save(file)
        back = wp.Paths.load(graph, file)
        assert back.source == source
        assert back.cutoff == paths.cutoff
        assert back.dist.tobytes() == paths.dist.tobytes()
        assert np.array_equal(back.pred, paths.pred)
        wp.verify(graph, back)
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.npz"]


def test_saved_tables_name_vertices_as_their_file_does(tmp_path):
    paths = wp.sssp(COUNTED, 0)
    paths.save(tmp_path / "p.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "p.parquet").to_pydict()
    assert rows == {"vertex": [1, 2, 3, 4], "distance": [0, 2, 7, None], "pred": [None, 1, 2, None]}
    paths.save(tmp_path / "p.csv")
    assert pyarrow.csv.read_csv(tmp_path / "p.csv")["vertex"].to_pylist() == [1, 2, 3, 4]
    table = wp.distances(COUNTED, [0, 1], [0, 2])
    table.save(tmp_path / "t.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pydict() == {
        "source": [1, 1, 2],
        "target": [1, 3, 3],
        "distance": [0, 7, 5],
    }
    table.save(tmp_path / "t.csv", long=False)
    assert pyarrow.csv.read_csv(tmp_path / "t.csv").to_pydict() == {
        "source": [1, 2],
        "1": [0, None],
        "3": [7, 5],
    }
    table.save(tmp_path / "t.npy")
    assert np.load(tmp_path / "t.npy").tolist() == table.dist.tolist()
    wp.distances(NAMED, ["a"]).save(tmp_path / "t.npz")
    with np.load(tmp_path / "t.npz") as stored:
        assert stored["labels"].tolist() == ["a", "b", "c", "d"]
        assert stored["sources"].tolist() == [0]


def test_a_result_is_not_written_as_what_nobody_reads(tmp_path):
    with pytest.raises(wp.InputError, match=r"results are written as \.parquet, \.csv or"):
        wp.sssp(COUNTED, 0).save(tmp_path / "result.doc")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"dist": [1]}, "lacks pred, source"),
        ({"dist": [1], "pred": [1], "source": 0}, "but the graph has n = 4"),
        ({"dist": [0, 1, 2, 3], "pred": [0] * 4, "source": 9}, "but the graph has n = 4"),
        ({"dist": [0.0] * 4, "pred": [0] * 4, "source": 0}, "labels are float64"),
    ],
)
def test_a_file_that_is_no_result_of_this_graph_is_refused(tmp_path, arrays, message):
    file = tmp_path / "result.npz"
    np.savez(file, **arrays)
    with pytest.raises(wp.GraphFormatError, match=message):
        wp.Paths.load(COUNTED, file)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken"])
def test_a_damaged_result_is_refused(tmp_path, content):
    file = tmp_path / "result.npz"
    file.write_bytes(content)
    with pytest.raises(
        wp.GraphFormatError,
        match=r"expected a result that warpath saved|this saved result is damaged",
    ):
        wp.Paths.load(COUNTED, file)


def test_a_result_that_is_missing_is_refused(tmp_path):
    with pytest.raises(wp.GraphFormatError, match="there is no such file"):
        wp.Paths.load(COUNTED, tmp_path / "nothing.npz")


def test_results_come_back_from_a_pickle_without_their_graph():
    for graph, source in ((NAMED, "a"), (COUNTED, 0)):
        paths = wp.sssp(graph, source)
        back = pickle.loads(pickle.dumps(paths))  # noqa: S301 - our own bytes
        assert back.source == source
        assert back.dist.tobytes() == paths.dist.tobytes()
        assert np.array_equal(back.pred, paths.pred)
        assert back.plan == paths.plan
        assert list(back.path_to(graph.label_of(2))) == list(paths.path_to(graph.label_of(2)))
        wp.verify(graph, back)
        table = pickle.loads(pickle.dumps(wp.apsp(graph)))  # noqa: S301 - our own bytes
        assert np.array_equal(table.dist, wp.apsp(graph).dist)
        assert table.to_pandas().equals(wp.apsp(graph).to_pandas())
        again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own bytes
        assert not again.indptr.flags.writeable


def test_a_route_within_a_cutoff_may_pass_a_vertex_beyond_it():
    graph = wp.Graph.of([(0, 1, 9), (1, 2, -8), (2, 3, 7)])
    paths = wp.sssp(graph, 0, cutoff=2)
    unreachable = np.iinfo(np.int64).max
    assert paths.dist.tolist() == [0, unreachable, 1, unreachable]
    assert paths.pred.tolist() == [-1, -1, 1, -1]
    assert list(paths.path_to(2)) == [0, 1, 2]
    again = pickle.loads(pickle.dumps(paths))  # noqa: S301 - our own bytes
    assert list(again.path_to(2)) == [0, 1, 2]


def test_paths_are_walked_through_as_distances():
    assert list(wp.sssp([(0, 1, 7), (1, 2, 1)], 0)) == [0, 7, 8]


def test_legs_are_the_lightest_of_parallel_edges_whatever_their_number():
    rng = np.random.default_rng(3)
    n = 200_000  # more legs than are looked at together
    src = np.concatenate([np.arange(n - 1), np.arange(n - 1), rng.integers(n, size=n)])
    dst = np.concatenate([np.arange(1, n), np.arange(1, n), np.zeros(n, int)])
    for dtype in (np.int32, np.float64):
        weights = rng.integers(1, 100, len(src)).astype(dtype)
        route = wp.sssp(wp.Graph.of((src, dst, weights)), 0).path_to(n - 1)
        assert len(route) == n
        assert route.weights.dtype == dtype
        expected = np.minimum(weights[: n - 1], weights[n - 1 : 2 * n - 2])
        assert route.weights.tolist() == expected.tolist()
        assert route.weights.sum() == route.length


def test_a_route_of_one_vertex_has_no_legs():
    assert wp.path([(0, 1, 2)], 0, 0).weights.tolist() == []


def _calls(work):
    """Return how many functions of Python and of C a call makes."""
    made = 0

    def count(_frame, event, _argument):
        nonlocal made
        made += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


def test_a_long_negative_cycle_is_reported_without_a_call_for_each_vertex():
    n = 100_000
    weights = np.ones(n, np.int64)
    weights[-1] = -n
    graph = wp.Graph.of((np.arange(n), (np.arange(n) + 1) % n, weights))

    def solve():
        with pytest.raises(wp.NegativeCycleError) as raised:
            wp.sssp(graph, 0)
        assert raised.value.length == -1
        assert sorted(raised.value.cycle) == list(range(n))

    assert _calls(solve) < n


def test_the_length_of_a_negative_cycle_may_lie_beyond_64_bits():
    graph = wp.Graph.of([(0, 1, -(2**62)), (1, 2, -(2**62)), (2, 0, -(2**62))])
    with pytest.raises(wp.NegativeCycleError) as raised:
        wp.apsp(graph, algorithm="classic.johnson")
    assert raised.value.length == -3 * 2**62


def test_a_long_route_of_a_table_is_that_of_the_tree_without_a_call_for_each_vertex():
    n = 20_000
    rng = np.random.default_rng(5)
    src = np.concatenate([np.arange(n - 1), rng.integers(n, size=n)])
    dst = np.concatenate([np.arange(1, n), rng.integers(n, size=n)])
    weights = np.concatenate([np.ones(n - 1, np.int32), np.full(n, n, np.int32)])
    graph = wp.Graph.of((src, dst, weights))
    table = wp.distances(graph, [0, n // 2])
    for source in (0, n // 2):
        expected = wp.sssp(graph, source).path_to(n - 1).indices.tolist()
        assert table.path(source, n - 1).indices.tolist() == expected
    calls = _calls(lambda: table.path(0, n - 1))  # 7 a vertex without the tree
    assert calls < 5 * n, calls
