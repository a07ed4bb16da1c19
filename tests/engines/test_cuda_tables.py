"""Tables by the public calls with device="cuda", on the emulated device in a GPU's place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from support.stand_in import DeviceArray, StandIn
from warpath import generate
from warpath.engines import planning
from warpath.engines.cuda import device as cuda_device
from warpath.engines.cuda.tables import deliver
from warpath.graph.derived import derived_bytes
from warpath.io import streams

FLOYD = "warpath.floyd_warshall"
ENGINES = ["warpath.block_per_source", "warpath.pairs", "warpath.johnson", FLOYD]
TYPES = ["int32", "int64", "float32", "float64"]

pytestmark = pytest.mark.usefixtures("gpu")
per_engine = pytest.mark.parametrize("name", ENGINES)


@pytest.fixture(scope="module")
def kernels():
    return StandIn(seed=3)


@pytest.fixture
def gpu(kernels, monkeypatch):
    monkeypatch.setattr(cuda_device, "open_device", kernels.opened)
    return kernels


def graph_of(n=200, dtype="int32"):
    """No edge meets the last vertex."""
    rng = np.random.default_rng(8)
    weights = rng.integers(1, 50, 12 * n)
    return wp.Graph.of((*rng.integers(0, n - 1, (2, 12 * n)), weights), n=n).astype(dtype)


def negative_of(n=200, dtype="int32"):
    """Weights under potentials: some are below 0, no cycle is."""
    graph = graph_of(n)
    src, dst, weights = graph.edges()
    height = np.random.default_rng(9).integers(0, 60, n)
    return wp.Graph.of((src, dst, weights + height[src] - height[dst]), n=n).astype(dtype)


def agree(graph, found, right):
    if graph.dist_dtype.kind == "f":
        return np.allclose(found, right, rtol=graph.n * np.finfo(graph.dist_dtype).eps)
    return np.array_equal(found, right)


def limit_of(graph, entry):
    """Two thirds of the matrix."""
    return str(graph.n**2 * entry * 2 // 3)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("made", [graph_of, negative_of])
def test_a_matrix_of_one_and_a_half_gpus_passes_through_in_tiles(gpu, made, dtype, monkeypatch):
    graph = made(dtype=dtype)
    right = wp.apsp(graph, device="cpu").dist
    monkeypatch.setenv("WARPATH_GPU_MEMORY", limit_of(graph, 4 if dtype != "float64" else 8))
    table = wp.apsp(graph, algorithm=FLOYD, device="cuda")
    note = table.plan.notes[0]
    assert note.startswith("staged: the matrix lies in memory of the host, and tiles of it pass")
    assert table.plan.bytes <= gpu.free_memory()
    assert agree(graph, table.dist, right)


@pytest.mark.parametrize("dist_dtype", [None, "int32"])
@pytest.mark.parametrize("made", [graph_of, negative_of])
def test_tiles_fill_what_the_caller_gives(made, dist_dtype, tmp_path, monkeypatch):
    graph = made(dtype="int64")
    right = wp.apsp(graph, device="cpu", dist_dtype=dist_dtype).dist
    monkeypatch.setenv("WARPATH_GPU_MEMORY", limit_of(graph, 4))
    options = {"algorithm": FLOYD, "device": "cuda", "dist_dtype": dist_dtype}
    given, taken = np.empty_like(right), np.empty_like(right)

    def take(rows, values):
        taken[rows] = values

    for out in (given, take, tmp_path / "full.npy"):
        table = wp.apsp(graph, out=out, **options)
        assert table.plan.staged
        found = taken if table.dist is None else table.dist
        assert np.array_equal(found, right)
    with pytest.raises(
        wp.NotEnoughMemoryError, match=r"104\.2 KiB are free: leave out= out, or give a N"
    ):
        wp.apsp(graph, out=right.view(DeviceArray), **options)


def test_a_distance_that_does_not_fit_is_an_overflow_after_tiles_too(monkeypatch):
    weights = np.array([2**30, 2**30])
    graph = wp.Graph.of(([0, 1], [1, 2], weights), n=200)
    monkeypatch.setenv("WARPATH_GPU_MEMORY", limit_of(graph, 8))
    options = {"algorithm": FLOYD, "device": "cuda"}
    table = wp.apsp(graph, **options)
    assert (table.plan.staged is not None, table.dist[0, 2]) == (True, 2**31)
    with pytest.raises(wp.DistanceOverflowError, match="does not fit int32"):
        wp.apsp(graph, dist_dtype="int32", **options)


def test_a_negative_cycle_is_found_before_a_tile_is_lowered(tmp_path, monkeypatch):
    src, dst, weights = graph_of().edges()
    graph = wp.Graph.of(([*src, 0, 1], [*dst, 1, 0], [*weights, 5, -6]), n=200)
    monkeypatch.setenv("WARPATH_GPU_MEMORY", limit_of(graph, 4))
    with pytest.raises(wp.NegativeCycleError) as caught:
        wp.apsp(graph, algorithm=FLOYD, device="cuda", out=tmp_path / "full.npy")
    assert set(caught.value.cycle) <= set(range(200))
    assert list(tmp_path.iterdir()) == []


def test_closed_vertices_and_predecessors_are_made_from_tiles(monkeypatch):
    rng = np.random.default_rng(8)
    edges = (*rng.integers(0, 150, (2, 1800)), rng.integers(1, 50, 1800))
    graph = wp.Graph.of(edges, n=150, first_through=20)
    right = wp.apsp(graph, device="cpu", predecessors=True)
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "90K")
    table = wp.apsp(graph, algorithm=FLOYD, device="cuda", predecessors=True)
    assert table.plan.staged
    assert np.array_equal(table.dist, right.dist)
    assert np.array_equal(table.pred, right.pred)


KILLED = """
import os, signal, sys
import warpath as wp
sys.path.insert(0, sys.argv[1])
from test_cuda_tables import FLOYD, StandIn, cuda_device, graph_of, negative_of
cuda_device.open_device = StandIn(seed=3).opened
last = int(sys.argv[4])
def tell(done, total):
    if done == last:
        os.kill(os.getpid(), signal.SIGKILL)
graph = {"plain": graph_of, "negative": negative_of}[sys.argv[3]]()
out = wp.apsp(graph, algorithm=FLOYD, device="cuda", out=sys.argv[2], progress=tell)
print(out.stats.get("resumed"), out.plan.notes[0])
"""


@pytest.mark.parametrize("kind", ["plain", "negative"])
def test_a_killed_solve_goes_on_to_the_same_file(tmp_path, kind):
    here = str(Path(__file__).parent)
    env = os.environ | {"WARPATH_GPU_MEMORY": limit_of(graph_of(), 4)}

    def run(name, last=-1):
        command = [sys.executable, "-c", KILLED, here, str(tmp_path / name), kind, str(last)]
        ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
        return ran.stdout

    assert run("whole.npy").startswith("None staged: the matrix lies in the file, and tiles of it")
    assert run("killed.npy", 30) == ""
    assert int(run("killed.npy").split()[0]) > 0
    assert (tmp_path / "whole.npy").read_bytes() == (tmp_path / "killed.npy").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.npy", "whole.npy"]


def test_what_the_cpu_began_in_smaller_tiles_a_wider_device_goes_on_with(tmp_path):
    from warpath.engines.staged import tiles
    from warpath.engines.staged.blocks import HostBlocks, HostMemory

    class Wide(HostBlocks):
        tile = 128

        def update(self, c, a, b):
            for one in (c, a, b):
                assert one.array.shape >= (one.rows, one.columns) >= (128, 128)
            super().update(c, a, b)

    class Note:
        state = None

        def done(self):
            return self.state

        def mark(self, state):
            self.state = state

    graph, note = graph_of(), Note()
    matrix = np.empty((200, 200), np.int32)
    right = wp.apsp(graph, device="cpu", dist_dtype="int32").dist

    def stop(done, _):
        if done == 40:
            raise KeyboardInterrupt

    def go(blocks, progress=None):
        tiles.all_pairs(
            graph, matrix, blocks, HostMemory(), 4 * 64**2 * 4, note, tmp_path / "panels", progress
        )

    with pytest.raises(KeyboardInterrupt):
        go(HostBlocks(np.int32, 1), stop)
    assert note.state["side"] == 64
    go(Wide(np.int32, 1))
    assert np.array_equal(matrix, right)


@per_engine
def test_every_place_takes_a_table_of_a_gpu(name, tmp_path, monkeypatch):
    graph = graph_of(150) if name != "warpath.johnson" else negative_of(150, "int64")
    right = wp.apsp(graph, device="cpu").dist
    monkeypatch.setattr(deliver, "ROW_BUFFER", 30 * 150 * 8)
    monkeypatch.setattr(streams, "BLOCK_BYTES", 40 * 150 * 8)
    monkeypatch.setattr("warpath.planner.kinds._FULL_BATCHES", 64)
    there, here, taken = right.view(DeviceArray) * 0, right * 0, right * 0
    blocks = []

    def take(rows, values):
        blocks.append(rows)
        taken[rows] = values

    options = {"algorithm": name, "device": "cuda"}
    assert wp.apsp(graph, out=there, **options).dist is there
    assert wp.apsp(graph, out=here, **options).dist is here
    table = wp.apsp(graph, out=take, **options)
    assert table.plan.device == "cuda:0"
    filed = wp.apsp(graph, out=tmp_path / "full.npy", **options).dist
    for found in (there, here, taken, filed, wp.apsp(graph, **options)):
        assert np.array_equal(np.asarray(found), right)
    sizes = [rows.stop - rows.start for rows in blocks]
    assert sizes == ([150] if name == FLOYD else [64, 64, 22])


@per_engine
def test_predecessors_are_made_from_the_distances_of_a_gpu(name):
    for graph in (generate.grid(9, 9, (1, 9), drop=0.2, seed=3), graph_of(90, "float32")):
        right = wp.apsp(graph, device="cpu", algorithm="classic.dijkstra", predecessors=True)
        found = wp.apsp(graph, algorithm=name, device="cuda", predecessors=True)
        assert np.array_equal(found.pred, right.pred)
        if name == FLOYD:
            continue
        few = wp.distances(
            graph, [5, 0], [7, 80], algorithm=name, device="cuda", predecessors=True, cutoff=30
        )
        wanted = wp.distances(graph, [5, 0], [7, 80], predecessors=True, cutoff=30, device="cpu")
        assert np.array_equal(few.pred, wanted.pred)
        assert np.array_equal(few.dist, wanted.dist)


@per_engine
def test_predecessors_beside_an_array_of_the_gpu_are_refused(name):
    out = np.empty((3, 3), np.int64).view(DeviceArray)
    with pytest.raises(wp.NotSupportedError, match="keeps no predecessors on the GPU, where out="):
        wp.apsp([(0, 1, 2), (1, 2, 5)], out=out, algorithm=name, device="cuda", predecessors=True)


@per_engine
def test_what_kernels_do_not_count_is_not_traced(name):
    with pytest.raises(wp.NotSupportedError, match=f"{name} counts no relaxations on a GPU"):
        wp.apsp([(0, 1, 2), (1, 2, 5)], algorithm=name, device="cuda", trace=True)


def test_pairs_say_how_many_rounds_and_batches_they_took():
    graph = generate.grid(8, 8, (1, 9), seed=3)
    table = wp.distances(
        graph,
        range(10),
        algorithm="warpath.pairs",
        device="cuda",
        params={"together": 1, "batch": 4},
    )
    assert table.stats["batches"] == 3
    assert table.stats["rounds"] >= 3 * 8
    assert "rounds" not in wp.apsp(graph, algorithm=ENGINES[0], device="cuda").stats


@per_engine
def test_memory_that_is_short_is_named_in_bytes_with_the_ways_out(name, monkeypatch):
    graph = graph_of(200)
    monkeypatch.setenv("WARPATH_MEMORY", "400K")
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "9M")
    with pytest.raises(wp.NotEnoughMemoryError, match=r"on the host, but 400\.0 KiB are fr") as no:
        wp.apsp(graph, algorithm=name, device="cuda")
    for way in ("out='full.npy'", "distances(targets=)", "dist_dtype='int32'"):
        assert way in str(no.value)
    monkeypatch.delenv("WARPATH_MEMORY")
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "30K")
    if name != FLOYD:
        with pytest.raises(
            wp.NotEnoughMemoryError, match=r"on cuda:0 with the graph, but 30\.0 KiB"
        ):
            wp.plan(graph, algorithm=name, device="cuda")


def test_a_table_of_a_gpu_is_planned_for_what_its_memory_holds(monkeypatch):
    graph = generate.dense(200, 0.9, (1, 1000), seed=1)
    assert wp.plan(graph, device="cuda").staged is None
    assert wp.plan(graph, algorithm=FLOYD, device="cuda").notes == ()
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "100K")
    plan = wp.plan(graph, algorithm=FLOYD, device="cuda")
    assert plan.staged == 100 * 1024 // 5 * 4
    assert "staged: the matrix lies in memory of the host, and tiles" in str(plan)


@per_engine
def test_weights_that_a_float_takes_for_equal_are_told_apart(name):
    rng = np.random.default_rng(4)
    src, dst = rng.integers(0, 30, (2, 400))
    graph = wp.Graph.of((src, dst, 2**53 + rng.integers(0, 2, 400)), n=30)
    table = wp.apsp(graph, algorithm=name, device="cuda")
    assert np.array_equal(table.dist, wp.apsp(graph, algorithm="classic.dijkstra").dist)


def test_one_source_among_weights_that_a_float_takes_for_equal_is_exact():
    rng = np.random.default_rng(4)
    src, dst = rng.integers(0, 30, (2, 400))
    graph = wp.Graph.of((src, dst, 2**53 + rng.integers(0, 2, 400)), n=30)
    paths = wp.sssp(graph, 0, device="cuda")
    assert "warpath.bfs" in dict(paths.plan.left_out)
    assert np.array_equal(paths.dist, wp.sssp(graph, 0, algorithm="classic.dijkstra").dist)


@pytest.mark.parametrize("name", [FLOYD, "bodra2025.fw_edge", "bodra2025.fw_tiled"])
@pytest.mark.parametrize("made", [graph_of, negative_of])
def test_all_pairs_of_a_graph_with_closed_vertices_are_those_of_the_cpu(made, name):
    inner = made(n=40)
    graph = wp.Graph(inner.indptr, inner.indices, inner.weights, first_through=7)
    right = wp.apsp(graph, device="cpu", algorithm="classic.johnson", predecessors=True)
    found = wp.apsp(graph, device="cuda", algorithm=name)
    assert np.array_equal(found.dist, right.dist)
    if name == FLOYD:
        kept = wp.apsp(graph, device="cuda", algorithm=name, predecessors=True)
        assert np.array_equal(kept.dist, right.dist)
        assert np.array_equal(kept.pred, right.pred)


def test_what_lies_beyond_the_cutoff_has_no_predecessor():
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 3), (2, 3, 1)])
    found = wp.distances(
        graph, [0], algorithm="bodra2025.apsp_dijkstra", device="cuda", cutoff=4, predecessors=True
    )
    assert found.reached.tolist() == [[True, True, False, False]]
    assert found.pred.tolist() == [[-1, 0, -1, -1]]
    given = np.empty((1, 4), np.int64).view(DeviceArray)
    there = wp.distances(
        graph,
        [0],
        algorithm="bodra2025.apsp_dijkstra",
        device="cuda",
        cutoff=4,
        predecessors=True,
        out=given,
    )
    assert there.dist is given
    assert there.pred.tolist() == found.pred.tolist()


def test_a_table_is_planned_again_only_if_less_memory_is_free_than_the_plans_need(gpu, monkeypatch):
    graph, planned = graph_of(), []
    real = planning.choose
    monkeypatch.setattr(planning, "choose", lambda *what: (planned.append(what), real(*what))[1])
    first = wp.distances(graph, [0, 1], device="cuda")
    for sources in ([2, 3], [4, 5]):
        assert wp.distances(graph, sources, device="cuda").plan == first.plan
    assert len(planned) == 1
    needed = max(each.bytes for each in (first.plan, *first.plan.runners_up))
    held = derived_bytes(graph, gpu.name)
    monkeypatch.setattr(gpu, "free_memory", lambda: needed - held)
    wp.distances(graph, [0, 1], device="cuda")
    assert len(planned) == 1
    monkeypatch.setattr(gpu, "free_memory", lambda: needed - held - 1)
    wp.distances(graph, [0, 1], device="cuda")
    assert len(planned) == 2
    monkeypatch.setenv("WARPATH_MEMORY", "20")
    with pytest.raises(wp.NotEnoughMemoryError):
        wp.distances(graph, [0, 1], device="cuda")
