"""Results on disk: what comes back, and what is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

import warpath as wp
from warpath.results.files import load_result

GRAPH = wp.Graph.of([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
ROUNDS = 400


@pytest.fixture(params=["tree.npz", "table.npz", "full.npy", "tree.csv", "tree.parquet"])
def saved(request, tmp_path):
    """Write a result of each kind that can be read back."""
    path = tmp_path / request.param
    if request.param == "tree.npz":
        wp.sssp(GRAPH, 0, cutoff=100).save(path)
    elif request.param.startswith("tree."):
        pytest.importorskip("pyarrow")
        wp.sssp(GRAPH, 0).save(path)
    elif request.param == "table.npz":
        wp.distances(GRAPH, [0, 1]).save(path)
    else:
        wp.apsp(GRAPH).save(path)
    return path


def test_a_saved_result_comes_back_and_verifies(saved):
    wp.verify(GRAPH, load_result(GRAPH, saved))


def test_a_damaged_result_is_read_or_refused_and_nothing_else(saved):
    chance = random.Random(saved.name)  # noqa: S311 - damage, not secrets
    whole = saved.read_bytes()
    refused = 0
    for _ in range(ROUNDS):
        damaged = bytearray(whole)
        if chance.random() < 0.3:
            del damaged[chance.randrange(len(damaged)) :]
        else:
            for _ in range(chance.randint(1, 4)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        saved.write_bytes(damaged)
        try:
            wp.verify(GRAPH, load_result(GRAPH, saved))
        except wp.WarpathError:
            refused += 1
    assert refused > ROUNDS / 4


def test_a_result_cut_short_says_that_it_is_damaged(saved):
    if saved.suffix in {".csv", ".parquet"}:
        pytest.skip("rows are read by pyarrow, which has its own words")
    saved.write_bytes(saved.read_bytes()[:-30])
    with pytest.raises(wp.GraphFormatError, match=r"is damaged .*: solve and save again"):
        load_result(GRAPH, saved)


WORDS = wp.Graph.of([("a", "b", 0), ("b", "c", 2), ("c", "b", 1), ("d", "a", 3)])
FLOATS = wp.Graph.of([(0, 1, 0.1), (1, 2, 3e-7), (0, 2, 5.0), (3, 0, 1.0)]).astype("float32")
COUNTED = wp.Graph.from_edges([0, 1, 3], [1, 2, 0], id_base=1)


@pytest.fixture(params=[".parquet", ".csv"])
def rows(request, tmp_path):
    pytest.importorskip("pyarrow")
    return (tmp_path / "rows").with_suffix(request.param)


@pytest.mark.parametrize("graph", [GRAPH, WORDS, FLOATS, COUNTED], ids=["ring", "a", "f", "from 1"])
def test_rows_come_back_as_the_results_that_they_were(graph, rows):
    first = graph.label_of(np.array([0]))[0]
    paths = wp.sssp(graph, first)
    paths.save(rows)
    back = wp.Paths.load(graph, rows)
    assert back.source == paths.source
    assert back.dist.dtype == paths.dist.dtype
    assert np.array_equal(back.dist, paths.dist)
    assert np.array_equal(back.pred, paths.pred)
    wp.verify(graph, load_result(graph, rows))
    everyone = graph.label_of(np.arange(graph.n)[::-1])
    table = wp.distances(graph, everyone, everyone[:2], predecessors=True)
    table.save(rows, long=False)
    wide = load_result(graph, rows)
    assert np.array_equal(wide.source_indices, table.source_indices)
    assert np.array_equal(wide.target_indices, table.target_indices)
    assert np.array_equal(wide.dist, table.dist)
    table.save(rows)
    long = load_result(graph, rows)
    for row, source in enumerate(long.source_indices):
        for column, target in enumerate(long.target_indices):
            place = np.flatnonzero(table.target_indices == target)[0]
            assert long.dist[row, column] == table.dist[graph.n - 1 - source, place]
    assert wp.verify(graph, long).slack == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("vertex,distance,pred\n0,0,\n1,2,0\n", "2 rows for the n = 3 vertices"),
        ("vertex,distance,pred\n0,0,\n1,2,0\n1,2,0\n", "3 rows for the n = 3 vertices"),
        ("vertex,distance,pred\n0,0,\n1,2,0\n7,2,0\n", "no vertex 7"),
        ("vertex,distance,pred\n0,0,\n1,2.5,0\n2,7,1\n", "distance is double"),
        ("vertex,distance,pred\n0,0,\n1,2,0\n2,7,\n", "2 vertices are reached without"),
        ("source,target,distance\n0,1,x\n", "distance is string"),
        ("source,0,9\n0,1,1\n", "no vertex 9"),
        ("source,0,0\n0,1,1\n", "the same name"),
        ("vertex,facility,distance\n0,1,1\n", "expected the columns"),
        ("source,target,distance\n0,1\n", "cannot be read"),
    ],
)
def test_rows_of_something_else_are_refused(tmp_path, content, said):
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    path.write_text(content)
    with pytest.raises(wp.GraphFormatError, match=said):
        load_result(GRAPH, path)


def test_a_table_is_no_result_of_one_source(rows):
    wp.distances(GRAPH, [0, 1], [2]).save(rows)
    with pytest.raises(wp.GraphFormatError, match="found a table of distances"):
        wp.Paths.load(GRAPH, rows)
    with pytest.raises(wp.GraphFormatError, match="there is no such file"):
        load_result(GRAPH, rows.with_name("none.csv"))


def test_a_table_with_predecessors_comes_back_whole(tmp_path):
    table = wp.distances(GRAPH, [2, 0], predecessors=True)
    table.save(tmp_path / "od.npz")
    back = load_result(GRAPH, tmp_path / "od.npz")
    assert np.array_equal(back.pred, table.pred)
    parts = {"dist": table.dist, "sources": np.array([2, 0]), "preds": table.pred[:1]}
    for wrong in (table.pred[:1], table.pred + 9):
        np.savez(tmp_path / "od.npz", **parts | {"preds": wrong})
        with pytest.raises(wp.GraphFormatError, match="preds has other vertices"):
            load_result(GRAPH, tmp_path / "od.npz")


def test_a_folder_and_a_missing_result_are_refused(tmp_path):
    with pytest.raises(wp.GraphFormatError, match="directory"):
        load_result(GRAPH, tmp_path)
    with pytest.raises(wp.GraphFormatError, match="there is no such file"):
        load_result(GRAPH, tmp_path / "nothing.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"dist": [0, 2, 7], "pred": [-1, 0, 1], "source": [0]}, r"source has shape \(1,\)"),
        ({"dist": [0, 2, 7], "pred": [-1.0, 0, 1], "source": 0}, "pred has .* type float64"),
        ({"dist": ["0", "2", "7"], "pred": [-1, 0, 1], "source": 0}, "dist has .* type <U1"),
        ({"dist": [0, 2, 7], "pred": [-1, 0, 1], "source": 0, "cutoff": "far"}, "cutoff has"),
        ({"dist": [[0]], "sources": [0.0], "targets": [0]}, "sources has .* type float64"),
        ({"dist": [[0]], "sources": [0], "targets": [3]}, "targets has vertices that do not exist"),
        ({"dist": [[0]], "sources": [-1], "targets": [0]}, "sources has vertices that do not"),
        (
            {"dist": [[0]], "sources": [0], "targets": [0, 1]},
            r"shape \(1, 1\), but 1 sources and 2",
        ),
        ({"dist": [[0.0]], "sources": [0], "targets": [0]}, "the table is float64"),
        ({"sources": [0], "targets": [0]}, "lacks dist"),
    ],
)
def test_arrays_that_are_no_result_are_refused_by_name(tmp_path, arrays, message):
    path = tmp_path / "result.npz"
    np.savez(path, **arrays)
    with pytest.raises(wp.GraphFormatError, match=message):
        load_result(GRAPH, path)


@pytest.mark.parametrize("pred", [[-1, 0, 3], [-1, 0, 2**40], [-1, -7, 1], [-(2**62), 0, 1]])
def test_a_tree_that_leaves_the_graph_is_refused(tmp_path, pred):
    path = tmp_path / "result.npz"
    np.savez(path, dist=[0, 2, 7], pred=pred, source=0)
    with pytest.raises(wp.GraphFormatError, match="pred has vertices that do not exist"):
        load_result(GRAPH, path)


def test_a_wide_tree_that_stays_inside_is_taken(tmp_path):
    path = tmp_path / "result.npz"
    np.savez(path, dist=[0, 2, 7], pred=np.array([-1, 0, 1]), source=0)
    wp.verify(GRAPH, load_result(GRAPH, path))


def test_a_table_within_a_cutoff_verifies_after_loading(tmp_path):
    path = tmp_path / "near.npz"
    wp.distances(GRAPH, [0, 1], cutoff=4).save(path)
    back = load_result(GRAPH, path)
    assert back.cutoff == 4
    wp.verify(GRAPH, back)


@pytest.mark.parametrize("algorithm", ["classic.johnson", "classic.floyd_warshall"])
def test_a_table_of_reassociated_floats_verifies_after_loading(tmp_path, algorithm):
    chance = np.random.default_rng(0)
    src, dst = chance.integers(0, 60, (2, 400))
    height = 5 * chance.random(60)
    weights = chance.random(400) + height[src] - height[dst]
    graph = wp.Graph.from_edges(src, dst, weights, n=60)
    path = tmp_path / "all.npz"
    wp.apsp(graph, algorithm=algorithm).save(path)
    assert wp.verify(graph, load_result(graph, path)).slack > 0


def test_distances_of_a_table_that_the_graph_cannot_have_are_refused(tmp_path):
    edges = [(0, 1, 1e308), (1, 2, 1.0)]
    wp.sssp(wp.Graph.of(edges), 0).save(tmp_path / "t.csv")
    narrow = wp.Graph.of([(0, 1, 1.0), (1, 2, 1.0)]).astype(np.float32)
    with pytest.raises(wp.GraphFormatError, match="distance has values that float32 does not hold"):
        wp.Paths.load(narrow, tmp_path / "t.csv")
