"""Graphs in partitions on a cluster of worker processes: the bits and the tree of one process."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath.engines.cluster.supersteps import SuperstepSearch
from warpath.graph import generate

pa = pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed")
parquet = pytest.importorskip("pyarrow.parquet")

SOURCES = (
    "src/warpath/engines/cluster/*.py",
    "src/warpath/api/cluster.py",
    "cpp/include/warpath/sssp/partition.hpp",
    "cpp/bindings/partition.cpp",
)


@pytest.fixture(scope="module")
def client():
    with cluster() as made, made.get_client() as one:
        yield one


def cluster(workers=2):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )


def table_of(graph, names=None):
    src, dst, weights = graph.edges()
    names = np.arange(graph.n) if names is None else np.asarray(names, object)
    columns = {"source": pa.array(names[src]), "target": pa.array(names[dst])}
    if graph.weights is not None:
        columns["weight"] = pa.array(weights)
    return pa.table(columns)


def files_of(folder, table, count=3, rows=400):
    """Write a table as several files of several row groups, and return their pattern."""
    for at in range(count):
        first, end = (len(table) * k // count for k in (at, at + 1))
        part = table.slice(first, end - first)
        parquet.write_table(part, folder / f"{at}.parquet", row_group_size=rows)
    return folder / "*.parquet"


def same(paths, expected):
    """Compare with `warpath.sssp` where vertices are numbers."""
    assert np.array_equal(paths.dist, expected.dist)
    assert np.array_equal(paths.pred, expected.pred)
    return True


def tied(dtype, n=300, m=1500, seed=1):
    """Make a graph with many equal paths and many edges of length 0."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, m).astype(dtype)
    return wp.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), weights, n=n)


@pytest.mark.parametrize(
    "dtype",
    [
        "int32",
        *(
            pytest.param(name, marks=pytest.mark.full("partitions on a cluster", *SOURCES))
            for name in corpus.ALL_TYPES[1:]
        ),
    ],
)
def test_partitions_give_the_bits_and_the_tree_of_one_process(client, tmp_path, dtype):
    graph = tied(dtype)
    held = wp.cluster.read(files_of(tmp_path, table_of(graph)), client, n=graph.n, partitions=3)
    paths = held.sssp(7, delta=1)
    assert same(paths, wp.sssp(graph, 7))
    expected = wp.sssp(graph, 7)
    assert paths.reached_dist.tolist() == expected.reached_dist.tolist()
    assert paths.to_numpy(-1).tolist() == expected.to_numpy(-1).tolist()
    assert str(held.verify(paths)) == (
        f"verified exactly: {graph.n} labels and the tree against {graph.m:,} edges"
    )
    assert paths.stats["supersteps"] > 2


def test_string_labels_are_kept(client, tmp_path):
    graph = generate.road(300, seed=4)
    names = [f"straße {v:04}" for v in np.random.default_rng(0).permutation(graph.n)]
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(table_of(graph, names).to_pandas(), npartitions=3)
    held = wp.cluster.from_edges(frame, client, partitions=3)
    paths = held.sssp(names[5])
    order = np.argsort(names)
    ranked = wp.Graph.from_edges(
        *(np.argsort(order)[ends] for ends in graph.edges()[:2]), graph.edges()[2]
    )
    assert paths.vertices.tolist() == sorted(names)
    assert same(paths, wp.sssp(ranked, int(np.argsort(order)[5])))
    paths.save(tmp_path / "saved")
    saved = parquet.read_table(tmp_path / "saved").to_pydict()
    assert saved["vertex"] == sorted(names)
    assert saved["distance"] == paths.dist.tolist()
    pred = [None if at < 0 else sorted(names)[at] for at in paths.pred]
    assert saved["pred"] == pred
    with pytest.raises(wp.VertexError, match="there is no vertex 'x': the vertices are the str"):
        held.sssp("x")


def test_the_first_delta_is_half_the_mean_weight_over_the_mean_degree():
    sizes = [SimpleNamespace(n=10, m=m, total_weight=10 * m) for m in (30, 50)]
    graph = SimpleNamespace(sizes=sizes, tasks=None)
    deltas = [SuperstepSearch(graph, hops, checkpoint=8)._first_delta() for hops in (False, True)]
    assert deltas == [1.25, 1.0]


@pytest.mark.full("partitions on a cluster", *SOURCES)
def test_a_function_assigns_vertices_to_partitions(client, tmp_path):
    graph = tied("float64")
    files = files_of(tmp_path, table_of(graph))
    held = wp.cluster.read(files, client, partitions=3, assign=lambda labels: labels % 3)
    assert [size.n for size in held.sizes] == [
        len(np.unique([v for v in range(part, 300, 3) if v in connected(graph)]))
        for part in range(3)
    ]
    paths = held.sssp(7)
    expected = wp.sssp(graph, 7)
    found = paths.vertices
    assert np.array_equal(found, sorted(connected(graph)))
    assert np.array_equal(paths.dist, expected.dist[found])
    pred = np.where(paths.pred < 0, -1, found[paths.pred])
    assert np.array_equal(pred, expected.pred[found])
    with pytest.raises(wp.InputError, match=r"assign returned 9 for the label .* 0 \.\. 2"):
        wp.cluster.read(files, client, partitions=3, assign=lambda labels: labels * 0 + 9)


def connected(graph):
    src, dst, _ = graph.edges()
    return set(src.tolist()) | set(dst.tolist())


def test_partitions_without_edges_and_vertices_that_only_occur_as_targets(client, tmp_path):
    table = pa.table({"source": [5, 5, 9], "target": [7, 900, 5], "weight": [1.5, 2.0, 0.0]})
    parquet.write_table(table, tmp_path / "e.parquet")
    held = wp.cluster.read(tmp_path / "e.parquet", client, partitions=[6, 6, 8, 1000])
    assert [(size.n, size.m) for size in held.sizes] == [(1, 2), (0, 0), (1, 0), (2, 1), (0, 0)]
    paths = held.sssp(9)
    assert paths.vertices.tolist() == [5, 7, 9, 900]
    assert paths.dist.tolist() == [0, 1.5, 0, 2]
    assert paths.pred.tolist() == [2, 0, -1, 0]
    assert held.bfs(9).dist.tolist() == [1, 2, 0, 2]
    lonely = held.sssp(900)
    assert lonely.dist.tolist() == [np.inf, np.inf, np.inf, 0]
    assert held.verify(lonely).labels == 4
    lonely.save(tmp_path / "out")
    saved = parquet.read_table(tmp_path / "out").to_pydict()
    assert saved == {
        "vertex": [5, 7, 9, 900], "distance": [None, None, None, 0.0], "pred": [None] * 4,
    }  # fmt: skip
    with pytest.raises(wp.OutputError, match="this folder exists"):
        lonely.save(tmp_path / "out")


@pytest.mark.full("partitions on a cluster", *SOURCES)
def test_hops_ignore_weights_and_rows_may_count_both_ways(client, tmp_path):
    graph = generate.rmat(8, 4, seed=2)
    files = files_of(tmp_path, table_of(graph))
    held = wp.cluster.read(files, client, n=graph.n, directed=False, partitions=2)
    src, dst, weights = graph.edges()
    both = wp.Graph.from_edges(src, dst, weights, n=graph.n, directed=False)
    assert held.m == both.m
    hops = held.bfs(3)
    assert same(hops, wp.sssp(wp.Graph.from_edges(src, dst, n=graph.n, directed=False), 3))
    assert held.verify(hops).edges == both.m


@pytest.mark.full("partitions on a cluster", *SOURCES)
@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        ("weight", -2.0, wp.NegativeWeightError, r"row 450 of column 'weight' is -2\.0.*>= 0"),
        ("weight", np.nan, wp.WeightError, r"row 450 of column 'weight' is nan"),
        ("weight", -np.inf, wp.WeightError, r"row 450 of column 'weight' is -inf"),
        ("source", -1, wp.GraphError, r"row 450 of column 'source' is -1: vertices lie in 0"),
        ("target", 300, wp.GraphError, r"row 450 of column 'target' is 300.* Give a larger n"),
    ],
)
def test_a_bad_row_is_named_with_its_file_and_worker(
    client, tmp_path, column, value, error, message
):
    graph = tied("float64")
    table = table_of(graph).to_pydict()
    table[column][950] = value  # the second of three files begins with row 500
    files = files_of(tmp_path, pa.table(table))
    with pytest.raises(error, match=rf"1\.parquet, rows 0 to 499 .*worker tcp:.*{message}"):
        wp.cluster.read(files, client, n=300)


def test_a_damaged_file_is_named_with_the_worker(client, tmp_path):
    graph = tied("int32")
    files = files_of(tmp_path, table_of(graph))
    path = tmp_path / "1.parquet"
    content = bytearray(path.read_bytes())
    path.write_bytes(content[:-30])
    with pytest.raises(wp.GraphFormatError, match=r"1\.parquet: .*not a valid Parquet.*worker tcp"):
        wp.cluster.read(files, client)
    content[4:400] = b"\xff" * 396  # the pages of the first column
    path.write_bytes(content)
    with pytest.raises(wp.GraphFormatError, match=r"1\.parquet: .*not a valid Parquet.*worker tcp"):
        wp.cluster.read(files, client)
    with pytest.raises(wp.InputError, match=r"matches no Parquet file"):
        wp.cluster.read(tmp_path / "none*.parquet", client)


@pytest.mark.full("partitions on a cluster", *SOURCES)
def test_a_distance_that_does_not_fit_is_refused(client, tmp_path):
    table = pa.table({"u": [0, 1, 2], "v": [1, 2, 3], "w": [2**62, 2**62, 2**62]})
    parquet.write_table(table, tmp_path / "e.parquet")
    held = wp.cluster.read(tmp_path, client, partitions=2)
    with pytest.raises(wp.DistanceOverflowError, match="a distance does not fit 64 bits"):
        held.sssp(0)
    assert held.sssp(2).dist.tolist() == [2**63 - 1, 2**63 - 1, 0, 2**62]


def test_verification_finds_a_changed_distance_and_a_changed_predecessor(client, tmp_path):
    graph = generate.road(300, seed=4)
    held = wp.cluster.read(files_of(tmp_path, table_of(graph)), client, n=graph.n, partitions=2)
    paths = held.sssp(0)
    steps, trees = paths.parts

    def moved(by):  # a closure, which workers need not import
        def change(one):
            name = "dist" if hasattr(one, "dist") else "pred"
            values = getattr(one, name).copy()
            values[20] += by
            return replace(one, **{name: values})

        return change

    for changed, broken, rule in [
        (steps, moved(1), "edge"),
        (steps, moved(-1), "edge|reached"),
        (trees, moved(1), "pred"),
    ]:
        kept = changed[1]
        changed[1] = client.submit(broken, kept, pure=False)
        with pytest.raises(wp.VerificationError, match="not verified") as caught:
            held.verify(paths)
        assert caught.value.rule in rule.split("|")
        changed[1] = kept
    assert held.verify(paths).labels == graph.n


def test_bad_arguments_are_refused(client, tmp_path):
    parquet.write_table(pa.table({"u": [0], "v": [1]}), tmp_path / "e.parquet")
    held = wp.cluster.read(tmp_path, client)
    for call, message in [
        (lambda: wp.cluster.read(tmp_path, "x"), "client is a str: a distributed.Client is"),
        (lambda: wp.cluster.read(tmp_path, client, n=0), "n = 0 must be an integer, 1 or more"),
        (lambda: wp.cluster.read(tmp_path, client, partitions=0), "partitions = 0 must be"),
        (lambda: wp.cluster.read(tmp_path, client, partitions=[3, 1]), "must ascend"),
        (lambda: wp.cluster.read(tmp_path, client, source="u"), "give both columns, or none"),
        (lambda: wp.cluster.read(tmp_path, client, assign=lambda x: x), "assign must be a func"),
        (lambda: wp.cluster.from_edges([(0, 1)], client), "is not a Dask data frame"),
        (lambda: held.sssp(0, delta=0), "delta = 0 must be a number > 0"),
        (lambda: held.sssp(0, checkpoint=0), "checkpoint = 0 must be an integer"),
        (lambda: held.sssp("0"), "there is no vertex '0'"),
        (lambda: held.sssp(2), "there is no vertex 2"),
        (lambda: held.verify(held), "give the result of sssp or bfs"),
    ]:
        with pytest.raises(wp.InputError, match=message):
            call()


@pytest.mark.full("corpus in partitions", *SOURCES)
@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_the_corpus_in_partitions(client, tmp_path, dtype):
    for case in corpus.all(negative=False, dtype=dtype):
        graph = case.graph()
        if graph.n == 0 or graph.m == 0 or graph.first_through:
            continue
        folder = tmp_path / case.name
        folder.mkdir()
        files = files_of(folder, table_of(graph), 2, max(1, graph.m // 5))
        held = wp.cluster.read(files, client, n=graph.n, partitions=3)
        for source in case.sources:
            if case.overflows and graph.dist_dtype.kind == "i":
                with pytest.raises(wp.DistanceOverflowError):
                    held.sssp(source)
                continue
            paths = held.sssp(source)
            assert same(paths, wp.sssp(graph, source)), case.name
            held.verify(paths)


@pytest.mark.full("faults of clusters in partitions", *SOURCES)
@pytest.mark.parametrize("round_", [0, 7])
def test_a_worker_killed_in_the_middle_changes_no_bit(tmp_path, round_):
    graph = generate.road(3000, seed=round_)
    files = files_of(tmp_path, table_of(graph), 4, 2000)
    with cluster(3) as made, made.get_client() as client:
        held = wp.cluster.read(files, client, n=graph.n, partitions=3)
        pids = list(client.run(os.getpid).values())
        calls = []

        def kill(done, _):
            calls.append(done)
            if len(calls) == 4 + round_ % 5:
                os.kill(pids[round_ % 3], signal.SIGKILL)

        paths = held.sssp(1, delta=2000, checkpoint=3, progress=kill)
        assert len(calls) > 9
        assert same(paths, wp.sssp(graph, 1))
        held.verify(paths)


@pytest.mark.full("faults of clusters in partitions", *SOURCES)
def test_cancelled_tasks_and_a_lost_scheduler_are_errors(tmp_path):
    graph = generate.road(3000, seed=0)
    files = files_of(tmp_path, table_of(graph), 2, 2000)
    with cluster(2) as made, made.get_client() as client:
        held = wp.cluster.read(files, client, n=graph.n)

        def cancel(*_):
            if not held._loaded.parts[0].cancelled():
                client.cancel(held._loaded.parts)

        with pytest.raises(wp.DeviceError, match=r"cancelled by another client.* read it again"):
            held.sssp(0, delta=2000, progress=cancel)
        held = wp.cluster.read(files, client, n=graph.n)
        with pytest.raises(wp.DeviceError, match=r"has no scheduler\. Connect a new client"):
            held.sssp(0, delta=2000, progress=lambda *_: made.close())
        with pytest.raises(wp.DeviceError, match="has no scheduler"):
            wp.cluster.read(files, client)


@pytest.mark.full("faults of clusters in partitions", *SOURCES)
def test_a_cluster_without_workers_is_refused(tmp_path):
    parquet.write_table(pa.table({"u": [0], "v": [1]}), tmp_path / "e.parquet")
    with (
        cluster(0) as made,
        made.get_client() as client,
        pytest.raises(wp.NoDeviceError, match="the cluster has no workers: start some"),
    ):
        wp.cluster.read(tmp_path, client)


@pytest.mark.full("labels of clusters in partitions", *SOURCES)
def test_a_million_string_labels(client, tmp_path):
    n = 1_000_000
    names = np.array([f"{v * 7919 % n:07}-{v % 89}" for v in range(n)], object)
    table = pa.table({"u": names[np.zeros(n - 1, int)], "v": names[1:], "w": np.arange(n - 1) % 5})
    files = files_of(tmp_path, table, 4, 100_000)
    held = wp.cluster.read(files, client, partitions=2)
    paths = held.bfs(names[0])
    order = np.argsort(names.astype(str))
    assert paths.vertices[0] == min(names)
    assert np.array_equal(paths.dist, order != 0)
