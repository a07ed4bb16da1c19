"""The calls: what they take, what they return, what they refuse."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import warpath as wp
from support.recipes import on_cpu
from warpath import Graph
from warpath.api import calls
from warpath.engines import cpu
from warpath.recipes import Task

INT_NEVER = np.iinfo(np.int64).max


def diamond(dtype=np.int64) -> Graph:
    """Two equal shortest paths 0 -> 3, a longer one, and vertex 4 out of reach."""
    return Graph.from_edges([0, 0, 1, 2, 0], [1, 2, 3, 3, 3], np.array([1, 1, 1, 1, 5], dtype), n=5)


def two_way_grid(side: int) -> Graph:
    rng = np.random.default_rng(1)
    at = np.arange(side * side).reshape(side, side)
    src = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    dst = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    return Graph.from_edges(src, dst, rng.integers(1, 100, len(src)), directed=False)


def test_sssp_gives_distances_tree_plan_and_counters():
    paths = wp.sssp(diamond(), 0)
    assert paths.dist.tolist() == [0, 1, 1, 2, INT_NEVER]
    assert paths.pred.tolist() == [-1, 0, 0, 1, -1]
    assert paths.reached.tolist() == [True, True, True, True, False]
    assert paths.stats["reached"] == 4
    assert paths.stats["settled"] >= 4
    assert paths.plan.algorithm in {recipe.name for recipe in wp.algorithms()}
    with pytest.raises(ValueError, match="read-only"):
        paths.dist[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        paths.pred[0] = 1


def test_float_weights_give_their_own_type():
    for dtype in (np.float32, np.float64):
        paths = wp.sssp(diamond(dtype), 0)
        assert paths.dist.dtype == dtype
        assert paths.dist.tolist() == [0, 1, 1, 2, math.inf]


def test_labels_name_the_source_and_the_results():
    graph = Graph.of([("a", "b", 2), ("b", "c", 5)])
    paths = wp.sssp(graph, "b")
    assert paths.source == "b"
    assert paths["c"] == 5
    assert list(paths.path_to("c")) == ["b", "c"]
    table = wp.distances(graph, ["a", "b"], ["c"])
    assert table.dist.tolist() == [[7], [5]]
    assert table.sources.tolist() == ["a", "b"]


@pytest.mark.parametrize("recipe", [r.name for r in on_cpu(Task.SSSP) if not r.equal_weights])
def test_every_algorithm_runs_under_its_name(recipe):
    paths = wp.sssp(diamond(), 0, algorithm=recipe)
    assert paths.dist.tolist() == [0, 1, 1, 2, INT_NEVER]
    assert paths.plan.algorithm == recipe
    assert paths.plan.reason == "it was requested"


def test_cutoff_leaves_what_is_farther_unreachable():
    graph = Graph.of([(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    for name in ("auto", "classic.dijkstra", "classic.delta_stepping", "classic.bellman_ford"):
        paths = wp.sssp(graph, 0, cutoff=5, algorithm=name)
        assert paths.dist.tolist() == [0, 2, 5, INT_NEVER]
        assert paths.pred.tolist() == [-1, 0, 1, -1]
        wp.verify(graph, paths)
    assert wp.sssp(graph, 0, cutoff=5.9).dist[2] == 5
    assert wp.sssp(graph, 0, cutoff=math.inf).dist[3] == 9
    assert wp.distances(graph, [0, 1], cutoff=4).dist.tolist() == [
        [0, 2, INT_NEVER, INT_NEVER],
        [INT_NEVER, 0, 3, INT_NEVER],
    ]
    with pytest.raises(wp.NoPathError, match="no path leads from 0 to 3 within 5"):
        wp.sssp(graph, 0, cutoff=5).path_to(3)


@pytest.mark.parametrize("cutoff", [-1, math.nan, "far"])
def test_a_cutoff_that_is_no_distance_is_refused(cutoff):
    with pytest.raises(wp.InputError, match="cutoff = "):
        wp.sssp(diamond(), 0, cutoff=cutoff)


def test_int32_distances_are_exact_or_refused():
    graph = Graph.of([(0, 1, 2**30), (1, 2, 2**30)], n=4)
    assert wp.sssp(graph, 1, dist_dtype="int32").dist.tolist()[1:3] == [0, 2**30]
    assert wp.distances(graph, [1], [0, 2], dist_dtype="int32").dist.tolist() == [
        [2**31 - 1, 2**30]
    ]
    with pytest.raises(wp.DistanceOverflowError, match="int32"):
        wp.sssp(graph, 0, dist_dtype="int32")
    for call in (wp.apsp, lambda g, **k: wp.distances(g, [0, 1], **k)):
        with pytest.raises(wp.DistanceOverflowError):
            call(graph, dist_dtype="int32")
    with pytest.raises(wp.DistanceOverflowError):
        wp.apsp(graph, dist_dtype="int32", algorithm="classic.floyd_warshall")
    with pytest.raises(wp.NotSupportedError, match="float64"):
        wp.sssp(graph, 0, dist_dtype="float64")


def test_a_sum_that_leaves_64_bits_is_an_error_and_not_a_number():
    graph = Graph.of([(0, 1, 2**62), (1, 2, 2**62)])
    for name in (
        "classic.dijkstra",
        "classic.dijkstra.radix_heap",
        "classic.delta_stepping",
        "classic.bellman_ford",
    ):
        with pytest.raises(wp.DistanceOverflowError, match="float64"):
            wp.sssp(graph, 0, algorithm=name)
    with pytest.raises(wp.NotSupportedError, match="could leave 64 bits"):
        wp.apsp(graph, algorithm="classic.floyd_warshall")


def test_negative_weights_go_to_bellman_ford_and_johnson():
    graph = Graph.of([(0, 1, 4), (0, 2, 2), (2, 1, -3), (1, 3, 1)])
    assert wp.sssp(graph, 0).dist.tolist() == [0, -1, 2, 0]
    assert wp.sssp(graph, 0).pred.tolist() == [-1, 2, 0, 1]
    full = wp.apsp(graph)
    for name in ("classic.johnson", "classic.floyd_warshall"):
        assert np.array_equal(full.dist, wp.apsp(graph, algorithm=name).dist)
    assert wp.distances(graph, [0, 2], [3]).dist.tolist() == [[0], [-2]]
    assert wp.distances(graph, [0, 2], [3], algorithm="classic.bellman_ford").dist.tolist() == [
        [0],
        [-2],
    ]
    assert list(wp.path(graph, 0, 3)) == [0, 2, 1, 3]
    with pytest.raises(wp.NegativeWeightError, match=r"classic\.dijkstra cannot do this"):
        wp.sssp(graph, 0, algorithm="classic.dijkstra")


def test_a_negative_cycle_comes_back_with_its_names_and_length():
    graph = Graph.of([("s", "a", 1), ("a", "b", 2), ("b", "a", -3), ("z", "y", -9), ("y", "z", 1)])
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.sssp(graph, "s")
    assert set(caught.value.cycle) == {"a", "b"}
    assert caught.value.length == -1
    for call in (
        lambda: wp.apsp(graph),
        lambda: wp.apsp(graph, algorithm="classic.floyd_warshall"),
    ):
        with pytest.raises(wp.NegativeCycleError):
            call()
    with pytest.raises(wp.NegativeCycleError):
        wp.distances(graph, ["s", "z"], ["a"])


def test_a_negative_cycle_that_no_source_reaches_does_not_matter():
    graph = Graph.of([(0, 1, 1), (2, 3, -2), (3, 2, 1)])
    assert wp.sssp(graph, 0).dist.tolist() == [0, 1, INT_NEVER, INT_NEVER]
    assert wp.distances(graph, [0, 1], [1]).dist.tolist() == [[1], [0]]


def test_what_no_source_reaches_does_not_cost_johnson_its_precision():
    graph = Graph.of([(0, 1, 0.1), (2, 1, -1e15), (1, 3, -0.05)])
    table = wp.distances(graph, [0, 0], algorithm="classic.johnson")
    assert table.dist[0].tolist() == [0, 0.1, math.inf, 0.05]
    wp.verify(graph, table)


def test_distances_of_all_sources_are_the_rows_of_apsp():
    graph = two_way_grid(9)
    full = wp.apsp(graph)
    assert full.shape == (81, 81)
    for name in (
        "classic.dijkstra",
        "classic.dijkstra.dial",
        "classic.johnson",
        "classic.floyd_warshall",
    ):
        assert np.array_equal(wp.apsp(graph, algorithm=name).dist, full.dist)
    for threads in (1, 2, 5):
        table = wp.distances(graph, [7, 7, 80], [0, 80, 3, 3], threads=threads)
        assert np.array_equal(table.dist, full.dist[[7, 7, 80]][:, [0, 80, 3, 3]])
    assert np.array_equal(wp.sssp(graph, 7).dist, full.dist[7])


def test_one_route_is_that_of_the_tree():
    graph = two_way_grid(12)
    for target in (1, 143, 77):
        tree = wp.sssp(graph, 0).path_to(target)
        for name in (
            "auto",
            "classic.dijkstra",
            "classic.dijkstra.bidirectional",
            "classic.bellman_ford",
        ):
            route = wp.path(graph, 0, target, algorithm=name)
            assert route.indices.tolist() == tree.indices.tolist()
            assert route.length == tree.length == int(route.weights.sum())


def test_a_route_to_itself_is_one_vertex_and_to_nowhere_an_error():
    graph = diamond()
    here = wp.path(graph, 3, 3)
    assert (len(here), here.length, here.weights.tolist()) == (1, 0, [])
    for name in ("classic.dijkstra", "classic.dijkstra.bidirectional", "classic.bellman_ford"):
        with pytest.raises(wp.NoPathError, match="no path leads from 0 to 4"):
            wp.path(graph, 0, 4, algorithm=name)
    with pytest.raises(wp.NoPathError):
        wp.sssp(graph, 0).path_to(4)


def test_a_graph_without_vertices_has_an_empty_table_and_no_source():
    empty = Graph.from_edges([], [], n=0)
    assert wp.apsp(empty).shape == (0, 0)
    with pytest.raises(wp.VertexError, match="has no vertices"):
        wp.sssp(empty, 0)
    one = Graph.from_edges([], [], n=1)
    assert wp.sssp(one, 0).dist.tolist() == [0]
    assert wp.apsp(one, algorithm="classic.floyd_warshall").dist.tolist() == [[0]]
    assert list(wp.path(one, 0, 0)) == [0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g: wp.sssp(g, 99), wp.VertexError, "vertex 99 does not exist"),
        (lambda g: wp.sssp(g, [0, 1]), wp.InputError, "source names 2 vertices"),
        (lambda g: wp.sssp(g, []), wp.InputError, "source is empty"),
        (lambda g: wp.nearest(g, []), wp.InputError, "facilities is empty"),
        (lambda g: wp.plan(g, origins=[0]), wp.InputError, "destinations is missing"),
        (
            lambda g: wp.sssp(g, 0, algorithm="dijkstra"),
            wp.NotSupportedError,
            r"there is no algorithm 'dijkstra'\. Did you mean 'classic\.dijkstra'",
        ),
        (
            lambda g: wp.apsp(g, algorithm="floyd"),
            wp.NotSupportedError,
            r"mean 'classic\.floyd_warshall' or 'warpath\.floyd_warshall'\? .* lists all \d+\.",
        ),
        (
            lambda g: wp.sssp(g, 0, algorithm="classic.floyd_warshall"),
            wp.NotSupportedError,
            "it does apsp, not sssp",
        ),
        (lambda g: wp.sssp(g, 0, device="cluster"), wp.NotSupportedError, "a Dask client, or"),
        (lambda g: wp.sssp(g, 0, device="tpu"), wp.InputError, "is not valid; use"),
        (lambda g: wp.sssp(g, 0, threads=0), wp.InputError, "threads = 0"),
        (lambda g: wp.sssp(g, 0, threads=1.5), wp.InputError, "threads = 1.5"),
        (lambda g: wp.sssp(g, 0, threads=True), wp.InputError, "threads = True"),
        (lambda g: wp.sssp(g, 0, dist_dtype="foo"), wp.InputError, "dist_dtype='foo'"),
        (lambda g: wp.sssp(g, 0, algorithm="djkstra"), wp.NotSupportedError, "no algorithm 'djk"),
        (lambda g: wp.sssp(g, 0, threads=10**6), wp.InputError, "1 to 1024"),
        (lambda g: wp.sssp(g, 0, params={"beta": 1}), wp.InputError, "params has 'beta'"),
        (
            lambda g: wp.sssp(g, 0, algorithm="classic.delta_stepping", params={"delta": -1}),
            wp.InputError,
            r"params\['delta'\] = -1 must be a number above 0",
        ),
        (lambda g: wp.apsp(g, out=np.empty((2, 2))), wp.InputError, r"out has shape \(2, 2\)"),
        (lambda g: wp.apsp(g, out="full.txt"), wp.InputError, r"end in \.npy or \.zarr"),
        (lambda g: wp.apsp(g, out=7), wp.InputError, "out is a int"),
        (
            lambda g: wp.sssp(g.astype("float64"), 0, algorithm="classic.dijkstra.dial"),
            wp.NotSupportedError,
            "needs integer weights",
        ),
        (
            lambda g: wp.sssp(g.with_weights([10**9] * 5), 0, algorithm="classic.dijkstra.dial"),
            wp.NotSupportedError,
            "it needs weights up to 65,536",
        ),
    ],
)
def test_bad_arguments_are_refused_with_value_and_rule(call, error, message):
    with pytest.raises(error, match=message):
        call(diamond())


def test_delta_may_be_anything_above_zero():
    graph = two_way_grid(8)
    expected = wp.sssp(graph, 0, algorithm="classic.dijkstra").dist
    for delta in (1, 7, 10**9):
        paths = wp.sssp(graph, 0, algorithm="classic.delta_stepping", params={"delta": delta})
        assert paths.plan.params == {"delta": delta}
        assert np.array_equal(paths.dist, expected)


def test_apsp_fills_what_the_caller_gave(tmp_path):
    graph = two_way_grid(6)
    expected = wp.apsp(graph).dist
    mine = np.empty((36, 36), np.int64)
    assert wp.apsp(graph, out=mine).dist is not None
    assert np.array_equal(mine, expected)
    file = tmp_path / "full.npy"
    table = wp.apsp(graph, out=file)
    assert np.array_equal(np.load(file), expected)
    assert np.array_equal(np.asarray(table), expected)
    wp.apsp(graph, out=str(file), algorithm="classic.floyd_warshall")
    assert np.array_equal(np.load(file), expected)
    assert [entry.name for entry in tmp_path.iterdir()] == ["full.npy"]


def test_apsp_writes_zarr_in_blocks(tmp_path, monkeypatch):
    pytest.importorskip("zarr")
    monkeypatch.setattr("warpath.io.streams.BLOCK_BYTES", 3000)
    graph = two_way_grid(6)
    for _ in range(2):  # the second replaces the first
        table = wp.apsp(graph, out=tmp_path / "full.zarr", algorithm="classic.dijkstra")
    assert np.array_equal(table.dist[:], wp.apsp(graph).dist)
    assert table.stats["settled"] == 36 * 36
    assert [entry.name for entry in tmp_path.iterdir()] == ["full.zarr"]


def test_a_read_only_out_is_refused():
    out = np.empty((5, 5), np.int64)
    out.flags.writeable = False
    with pytest.raises(wp.InputError, match="read-only"):
        wp.apsp(diamond(), out=out)


def test_a_table_that_does_not_fit_the_disk_is_refused_before_it_starts(tmp_path, monkeypatch):
    monkeypatch.setattr("warpath.io.streams.shutil.disk_usage", lambda _: os.statvfs_result)
    monkeypatch.setattr(os.statvfs_result, "free", 10, raising=False)
    for name in ("full.npy", "full.zarr"):
        with pytest.raises(wp.OutputError, match="200 bytes, but its disk has 10 free"):
            wp.apsp(diamond(), out=tmp_path / name)

    assert list(tmp_path.iterdir()) == []


def test_a_table_into_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(wp.OutputError, match="cannot be written: No such file"):
        wp.apsp(diamond(), out=tmp_path / "nowhere" / "full.npy")


def test_what_does_not_fit_into_memory_says_the_numbers_and_the_ways_out(monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "2K")
    graph = two_way_grid(30)
    with pytest.raises(
        wp.NotEnoughMemoryError, match=r"6\..* MiB .* 2\.0 KiB are free: write it out with out="
    ):
        wp.apsp(graph, threads=2)
    with pytest.raises(wp.NotEnoughMemoryError, match="fewer sources or targets"):
        wp.distances(graph, [0, 1])
    with pytest.raises(MemoryError, match="a machine with more memory"):
        wp.sssp(graph, 0)


def test_progress_is_told_to_a_function():
    told = []
    slow = two_way_grid(400)
    call = {"threads": 1, "progress": lambda done, total: told.append((done, total))}
    wp.distances(slow, np.arange(200), [slow.n - 1], **call)
    assert told
    assert all(0 <= done <= total == 200 for done, total in told)
    assert told == sorted(told)


def test_an_exception_in_progress_comes_through_and_leaves_the_library_usable():
    def burst(done: int, total: int) -> None:
        raise RuntimeError(f"{done} of {total}")

    slow = two_way_grid(400)
    with pytest.raises(RuntimeError, match="of 400"):
        wp.distances(slow, np.arange(400), [slow.n - 1], progress=burst)
    assert wp.sssp(diamond(), 0).dist[3] == 2


def test_the_environment_sets_device_and_threads(monkeypatch):
    monkeypatch.setenv("WARPATH_THREADS", "3")
    assert wp.plan(two_way_grid(300), sources=[0, 1, 2, 3]).threads == 3
    for name in ("tpu", "cuda:", "cuda:x", "cluster", "CPU", "cpu:1"):
        monkeypatch.setenv("WARPATH_DEVICE", name)
        with pytest.raises(wp.InputError, match=f"WARPATH_DEVICE='{name}' is not valid: use 'cpu'"):
            wp.sssp(diamond(), 0)
    monkeypatch.setitem(sys.modules, "cupy", None)
    for name, device in (("cuda", "cuda:0"), ("cuda:1", "cuda:1")):
        monkeypatch.setenv("WARPATH_DEVICE", name)
        assert wp.plan(diamond(), 0).device == device
        assert wp.plan(diamond(), 0, device="cpu").device == "cpu"


@pytest.mark.parametrize("words", [{"device": "cuda"}, {"algorithm": "martin2009.f_gpu"}])
def test_without_cupy_a_plan_says_so_in_a_note_and_a_run_in_an_error(monkeypatch, words):
    monkeypatch.setitem(sys.modules, "cupy", None)
    plan = wp.plan(diamond(), 0, **words)
    assert plan.device == "cuda:0"
    (note,) = plan.notes
    assert note.startswith("cuda:0 cannot be used here: device='cuda' needs cupy, which is not i")
    with pytest.raises(wp.MissingDependencyError, match="pip install cupy-cuda13x"):
        wp.sssp(diamond(), 0, **words)


def test_plan_asks_about_every_kind_of_call():
    graph = two_way_grid(160)
    tasks = [
        wp.plan(graph, 0),
        wp.plan(graph, 0, target=3),
        wp.plan(graph, sources=[0, 1], targets=[3]),
        wp.plan(graph, sources=[0]),
        wp.plan(graph),
    ]
    assert tasks[1].algorithm in {"classic.dijkstra", "classic.dijkstra.bidirectional"}
    assert tasks[4].bytes > tasks[2].bytes > tasks[3].bytes > 0
    with pytest.raises(wp.VertexError):
        wp.plan(graph, 99_999)
    with pytest.raises(wp.VertexError):
        wp.plan(graph, 0, target=99_999)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_long_solve_within_a_second_and_leaves_the_library_usable(
    threads, work_after_ctrl_c
):
    graph = two_way_grid(300)
    every, corners = np.arange(graph.n), [0, graph.n - 1]
    more = work_after_ctrl_c(lambda: wp.distances(graph, every, corners, threads=threads))
    assert more < threads
    assert wp.sssp(graph, 0).stats["reached"] == graph.n


def test_a_forked_child_solves_after_a_threaded_solve():
    program = """
import os, sys, numpy as np, warpath as wp
at = np.arange(40000).reshape(200, 200)
src = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
dst = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
graph = wp.Graph.from_edges(src, dst, directed=False)
def solve():
    wp.distances(graph, range(8), [5], threads=4)
    for _ in range(20):
        wp.sssp(graph, 0, params={"delta": 2.0}, algorithm="warpath.buckets", threads=2)
    return wp.sssp(graph, 0, algorithm="classic.delta_stepping", threads=4).dist.sum()
before = solve()
bad = 0
for _ in range(5):  # at once: a thread that helped the last solve is still there for the next one
    wp.sssp(graph, 0, params={"delta": 2.0}, algorithm="warpath.buckets", threads=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if solve() == before else 1)
    bad += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(bad)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=60, check=False)
    assert done.returncode == 0


def test_solves_in_several_python_threads_do_not_disturb_each_other():
    graph = two_way_grid(60)
    expected = wp.sssp(graph, 0).dist
    results = [None] * 6

    def solve(at: int) -> None:
        name = ("classic.dijkstra", "classic.delta_stepping")[at % 2]
        results[at] = wp.sssp(graph, 0, algorithm=name).dist

    workers = [threading.Thread(target=solve, args=(at,)) for at in range(len(results))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(found, expected) for found in results)


def test_johnson_of_a_graph_without_negative_weights_is_dijkstra_from_each_source():
    graph = two_way_grid(5).astype(np.float64)
    exact = wp.apsp(graph, algorithm="classic.dijkstra").dist
    assert wp.apsp(graph, algorithm="classic.johnson").dist.tobytes() == exact.tobytes()


def test_a_cutoff_in_johnsons_table_cuts_the_answer():
    graph = Graph.of([(0, 1, -1), (1, 2, 5), (2, 3, 5)])
    table = wp.distances(graph, [0, 1], cutoff=5, algorithm="classic.johnson")
    assert table.dist.tolist() == [[0, -1, 4, INT_NEVER], [INT_NEVER, 0, 5, INT_NEVER]]


def test_fitting_keeps_never_and_refuses_what_does_not_fit():
    wide = np.array([5, INT_NEVER, -7])
    assert cpu.fitting(wide, np.dtype(np.int32)).tolist() == [5, 2**31 - 1, -7]
    with pytest.raises(OverflowError, match="2147483647 does not fit int32"):
        cpu.fitting(np.array([2**31 - 1]), np.dtype(np.int32))
    with pytest.raises(OverflowError):
        cpu.fitting(np.array([-(2**31) - 1]), np.dtype(np.int32))


def test_the_api_holds_the_whole_catalogue():
    assert calls.algorithms()["classic.dijkstra"].queue is wp.recipes.Queue.HEAP
    assert "classic.johnson" in str(wp.algorithms())
    assert len(wp.algorithms()[:2]) == 2
    assert wp.algorithms()[0].name in repr(wp.algorithms())
    assert str(wp.algorithms()[0].source).startswith("Dijkstra: A note on two problems")


def test_a_table_written_in_blocks_tells_progress_once_over_all_rows(tmp_path, monkeypatch):
    graph, told = two_way_grid(20), []
    solve = cpu.run

    def slow(order, _):
        rows = len(order.problem.sources)
        order.progress(rows // 2, rows)
        return solve(order)

    monkeypatch.setattr(cpu, "run", slow)
    monkeypatch.setattr("warpath.io.streams.BLOCK_BYTES", 128 * graph.n * 8)
    wp.apsp(
        graph,
        out=tmp_path / "full.npy",
        algorithm="classic.dijkstra",
        threads=1,
        progress=lambda done, total: told.append((done, total)),
    )
    halves = [(done, total) for done, total in told if done % 128 == 64]
    assert halves == [(64, 400), (192, 400), (320, 400)]
    assert {total for _, total in told} == {400}


@pytest.mark.parametrize("name", ["full.npy", "full.zarr"])
def test_a_folder_of_somebody_else_is_not_replaced_by_a_table(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "letter.txt").write_text("dear")
    with pytest.raises(wp.OutputError, match=r"directory|is not a Zarr array"):
        wp.apsp(diamond(), out=tmp_path / name)
    assert (tmp_path / name / "letter.txt").read_text() == "dear"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_disk_that_fills_up_while_a_table_is_written_is_an_error_not_a_crash(
    tmp_path, monkeypatch
):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(wp.OutputError, match=r"full\.npy") as caught:
        wp.apsp(diamond(), out=tmp_path / "full.npy")
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []
