"""Tables that are written while they are computed: stopped, continued, refused."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath import Graph
from warpath.engines import cpu
from warpath.io import streams
from warpath.io.journal import Journal
from warpath.io.outputs import output_of
from warpath.results.files import load_result

KINDS = ["full.npy", "full.zarr"]
INT64 = np.dtype(np.int64)


@pytest.fixture(params=KINDS)
def target(request, tmp_path):
    if request.param.endswith(".zarr"):
        pytest.importorskip("zarr")
    return tmp_path / request.param


@pytest.fixture
def roads():
    rng = np.random.default_rng(8)
    src, dst = rng.integers(0, 60, (2, 240))
    return Graph.of((src, dst, rng.integers(1, 50, 240)), n=60)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of ten of the 60 rows."""
    monkeypatch.setattr(streams, "BLOCK_BYTES", 10 * 60 * 8)
    monkeypatch.setattr(streams, "CHUNK_BYTES", 5 * 60 * 8)


def solve(graph, out, **options):
    return wp.apsp(graph, out=out, algorithm="classic.dijkstra", threads=1, **options)


def stopped(graph, out, monkeypatch, *, blocks=3, error=KeyboardInterrupt):
    """Run until some blocks are written, and stop."""
    real = streams._StreamedFile.put
    calls = []

    def put(self, rows, values):
        if len(calls) == blocks:
            raise error
        calls.append(rows)
        real(self, rows, values)

    with monkeypatch.context() as inside:
        inside.setattr(streams._StreamedFile, "put", put)
        with pytest.raises(error):
            solve(graph, out)


def content(path):
    """The bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.read_bytes()
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}


def beside(path):
    return sorted(each.name for each in path.parent.iterdir())


@pytest.mark.usefixtures("small_blocks")
def test_an_interrupted_run_leaves_valid_rows_and_the_same_call_goes_on(
    roads, target, tmp_path, monkeypatch
):
    stopped(roads, target, monkeypatch)
    assert beside(target) == [f"{target.name}.part", f"{target.name}.part.json"]
    note = json.loads((tmp_path / f"{target.name}.part.json").read_text())
    assert note["rows"] == 30
    solved = []
    table = solve(roads, target, progress=lambda done, total: solved.append((done, total)))
    assert table.stats["resumed"] == 30
    assert table.stats["settled"] < 31 * 60
    whole = target.with_name(f"whole{target.suffix}")
    assert "resumed" not in solve(roads, whole).stats
    assert content(target) == content(whole)
    assert np.array_equal(np.asarray(table), wp.apsp(roads).dist)
    assert beside(target) == sorted([target.name, whole.name])


KILLED = """
import os, signal, sys
import numpy as np
import warpath as wp
from warpath.engines import cpu
from warpath.io import streams
streams.BLOCK_BYTES, streams.CHUNK_BYTES = 10 * 60 * 8, 5 * 60 * 8
real = streams._StreamedFile._write
def write(self, rows, values):
    real(self, rows, values)
    if rows.stop == 40:
        os.kill(os.getpid(), signal.SIGKILL)
streams._StreamedFile._write = write
rng = np.random.default_rng(8)
src, dst = rng.integers(0, 60, (2, 240))
roads = wp.Graph.of((src, dst, rng.integers(1, 50, 240)), n=60)
wp.apsp(roads, out=sys.argv[1], algorithm="classic.dijkstra")
"""


@pytest.mark.usefixtures("small_blocks")
def test_a_killed_run_is_continued_to_the_same_bytes(roads, target):
    ran = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    assert not target.exists()
    # Another algorithm of the same answers may continue it.
    table = wp.apsp(roads, out=target, algorithm="classic.dijkstra.radix_heap")
    assert table.stats["resumed"] == 40
    whole = target.with_name(f"whole{target.suffix}")
    solve(roads, whole)
    assert content(target) == content(whole)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda g, out: wp.apsp(g.astype("int64").with_weights(None), out=out), "another graph"),
        (lambda g, out: wp.apsp(g, out=out, dist_dtype="int32"), "another type"),
        (lambda g, out: wp.distances(g, range(60), out=out, cutoff=9), "another cutoff"),
        (lambda g, out: wp.distances(g, [3, 1], out=out), "another sources"),
        (lambda g, out: wp.distances(g, range(60), [3], out=out), "another targets"),
    ],
)
def test_another_question_does_not_touch_what_is_there(roads, target, monkeypatch, ask, said):
    stopped(roads, target, monkeypatch)
    before = content(target.with_name(f"{target.name}.part"))
    ways = rf"{target.name}\.part holds 30 rows of another query \({said}\): .* delete"
    with pytest.raises(wp.OutputError, match=ways) as caught:
        ask(roads, target)
    assert caught.value.errno == errno.EEXIST
    assert content(target.with_name(f"{target.name}.part")) == before
    assert solve(roads, target).stats["resumed"] == 30


@pytest.mark.usefixtures("small_blocks")
def test_float_sums_in_another_order_do_not_continue_each_other(roads, target, monkeypatch):
    floats = roads.astype("float64")
    stopped(floats, target, monkeypatch)
    with pytest.raises(wp.OutputError, match="another order of sums"):
        wp.apsp(floats, out=target, algorithm="classic.johnson")
    assert solve(floats, target).stats["resumed"] == 30


@pytest.mark.usefixtures("small_blocks")
def test_all_pairs_at_once_replace_what_a_run_by_rows_left(roads, target, monkeypatch):
    stopped(roads, target, monkeypatch)
    table = wp.apsp(roads, out=target, algorithm="classic.floyd_warshall")
    assert "resumed" not in table.stats
    assert np.array_equal(np.asarray(table), wp.apsp(roads).dist)


def test_a_run_that_had_written_nothing_leaves_nothing(roads, target, monkeypatch):
    stopped(roads, target, monkeypatch, blocks=0)
    assert beside(target) == []


@pytest.mark.usefixtures("small_blocks")
def test_what_can_lead_nowhere_leaves_nothing(roads, target, monkeypatch):
    stopped(roads, target, monkeypatch, error=wp.DistanceOverflowError)
    assert beside(target) == []
    bad = Graph.of([(0, 1, -3), (1, 0, 1)])
    with pytest.raises(wp.NegativeCycleError):
        wp.apsp(bad, out=target)
    assert beside(target) == []


@pytest.mark.usefixtures("small_blocks")
def test_a_part_that_was_removed_alone_begins_anew(roads, tmp_path, monkeypatch):
    target = tmp_path / "full.npy"
    stopped(roads, target, monkeypatch)
    (tmp_path / "full.npy.part").unlink()
    assert "resumed" not in solve(roads, target).stats


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("note", [None, "{", "{}", '{"rows": 3, "asked": 5}'])
def test_a_part_that_nothing_explains_is_not_touched(roads, target, monkeypatch, note):
    stopped(roads, target, monkeypatch)
    json_file = target.with_name(f"{target.name}.part.json")
    json_file.unlink() if note is None else json_file.write_text(note)
    before = content(target.with_name(f"{target.name}.part"))
    with pytest.raises(wp.OutputError, match="does not describe it: delete"):
        solve(roads, target)
    assert content(target.with_name(f"{target.name}.part")) == before


def test_two_at_a_time_do_not_write_one_file(roads, target):
    journal = Journal(target, {}, folder=target.suffix == ".zarr")
    journal.open()
    with pytest.raises(wp.OutputError, match="another process or thread is writing it") as caught:
        solve(roads, target)
    assert caught.value.errno == errno.EBUSY
    journal.close()
    assert solve(roads, target).dist is not None


@pytest.mark.usefixtures("small_blocks")
def test_a_disk_that_fills_up_keeps_what_is_there(roads, target, monkeypatch):
    kind = streams.NpyFile if target.suffix == ".npy" else streams._Zarr
    real = kind.store

    def full(self, rows, values):
        if rows.start == 30:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, rows, values)

    with monkeypatch.context() as inside:
        inside.setattr(kind, "store", full)
        with pytest.raises(wp.OutputError) as caught:
            solve(roads, target)
    assert caught.value.errno == errno.ENOSPC
    said = str(caught.value)
    assert "the disk is full" in said
    assert f"30 of 60 rows are stored in {target.name}.part: repeat the call" in said
    assert solve(roads, target).stats["resumed"] == 30


@pytest.mark.usefixtures("small_blocks")
def test_a_block_is_written_while_the_next_is_computed(roads, tmp_path, monkeypatch):
    """The writer waits until the second block is asked for: one thread would wait for ever."""
    asked, real = threading.Event(), streams.NpyFile.store
    blocks = []

    def store(self, rows, values):
        if rows.start == 0:
            assert asked.wait(20)
        blocks.append(rows.start)
        real(self, rows, values)

    class Told(streams.NpyFile):
        def block(self, rows):
            if rows.start == 10:
                asked.set()
            return super().block(rows)

    monkeypatch.setattr(streams.NpyFile, "store", store)
    monkeypatch.setattr(streams, "NpyFile", Told)
    table = solve(roads, tmp_path / "full.npy")
    assert blocks == [0, 10, 20, 30, 40, 50]
    assert np.array_equal(table.dist, wp.apsp(roads).dist)


@pytest.mark.usefixtures("small_blocks")
def test_a_function_takes_the_blocks_in_order_and_in_its_own_thread(roads):
    taken, rows = np.zeros((60, 60), np.int64), []

    def take(block, values):
        assert threading.current_thread() is threading.main_thread()
        rows.append(block)
        taken[block] = values

    table = solve(roads, take)
    assert rows == [slice(at, at + 10) for at in range(0, 60, 10)]
    assert np.array_equal(taken, wp.apsp(roads).dist)
    assert table.dist is None
    assert "given to a function" in repr(table)
    far = int(np.flatnonzero(wp.sssp(roads, 0).reached)[-1])
    assert list(table.path(0, far)) == list(wp.path(roads, 0, far))
    assert np.array_equal(table.paths_from(3).dist, taken[3])
    for use in (lambda: table.reached, lambda: np.asarray(table), lambda: wp.verify(roads, table)):
        with pytest.raises(wp.InputError, match="function out= took them"):
            use()


def test_an_error_of_the_function_ends_the_call(roads):
    def full(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wp.apsp(roads, out=full)


def test_distances_go_to_files_and_arrays_too(roads, target):
    expected = wp.distances(roads, [5, 2], [7, 1, 7])
    mine = np.empty((2, 3), np.int64)
    assert wp.distances(roads, [5, 2], [7, 1, 7], out=mine).dist is mine
    assert np.array_equal(mine, expected.dist)
    table = wp.distances(roads, [5, 2], [7, 1, 7], out=target)
    assert np.array_equal(np.asarray(table), expected.dist)
    assert list(table.path(5, 1)) == list(expected.path(5, 1))


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (np.empty((60, 60), np.int64, order="F"), "not C-ordered"),
        (np.empty((60, 60), np.int32), "type int32"),
        (np.empty((60, 59), np.int64), r"shape \(60, 59\)"),
        ("full.csv", r"end in \.npy or \.zarr"),
        (b"full.npy", "is a bytes"),
    ],
)
def test_an_out_that_cannot_be_filled_is_refused(roads, out, said):
    with pytest.raises(wp.InputError, match=said):
        wp.distances(roads, range(60), out=out)


@pytest.mark.parametrize("out", ["full.npy", print])
def test_predecessors_go_to_memory_only(roads, tmp_path, out):
    out = tmp_path / out if isinstance(out, str) else out
    with pytest.raises(wp.InputError, match="finds routes from the distances alone"):
        wp.apsp(roads, out=out, predecessors=True)
    assert list(tmp_path.iterdir()) == []


class OnGpu:
    """What an array of CuPy shows."""

    def __init__(self, shape=(2, 3), typestr="<i8", strides=None, *, readonly=False):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "strides": strides,
            "data": (0, readonly),
        }

    def __len__(self):
        return 2

    def __getitem__(self, rows):
        return self, rows


def test_an_array_of_a_gpu_is_passed_on_without_a_copy():
    given = OnGpu(strides=(24, 8))
    with output_of(given, (2, 3), INT64, on_gpu=True) as output:
        assert output.array is given
        assert output.blocks() == [slice(0, 2)]
        assert output.block(slice(0, 2)) == (given, slice(0, 2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (OnGpu(shape=(3, 2)), r"shape \(3, 2\)"),
        (OnGpu(typestr="<i4"), "type int32"),
        (OnGpu(strides=(8, 16)), "not C-ordered"),
        (OnGpu(readonly=True), "read-only"),
    ],
)
def test_an_array_of_a_gpu_must_fit(given, said):
    with (
        pytest.raises(wp.InputError, match=said),
        output_of(given, (2, 3), INT64, on_gpu=True),
    ):
        pass


class Zoned(OnGpu):
    """An array that, as CuPy's, takes arrays of the host by `set` and numbers by index."""

    def __init__(self, n):
        super().__init__((n, n))
        self.held = None
        self.dtype = INT64

    def set(self, values):
        self.held = values

    def get(self):
        return self.held

    def __getitem__(self, rows):
        return self

    def __setitem__(self, place, value):
        assert all(type(at) is int for at in place)
        self.held[place] = value


def test_a_gpus_array_holds_closed_vertices_too(monkeypatch):
    """The square of the opened graph is folded on the host."""
    graph = Graph.of([(2, 1, 1), (1, 3, 1), (2, 4, 5), (4, 3, 5), (3, 0, 1)], first_through=2)
    plan = replace(wp.plan(graph, algorithm="classic.floyd_warshall"), device="cuda:0")
    monkeypatch.setattr("warpath.api.options.Options.plan", lambda *_, **__: plan)
    monkeypatch.setattr("warpath.api.run.engine_of", lambda _: cpu)
    given = Zoned(graph.n)
    table = wp.apsp(graph, out=given)
    assert table.dist is given
    expected = wp.apsp(graph, algorithm="classic.dijkstra", device="cpu", out=np.empty((5, 5), int))
    assert np.array_equal(np.asarray(table), expected.dist)


def test_the_cpu_fills_no_array_of_a_gpu(roads):
    with pytest.raises(
        wp.InputError, match="on a GPU, but the call runs on the CPU: use device='cuda'"
    ):
        wp.apsp(roads, out=OnGpu())


def test_blocks_follow_memory_threads_and_chunks(monkeypatch):
    def rows(**options):
        return [b.stop - b.start for b in streams.row_blocks((100, 1000), INT64, **options)]

    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    assert rows() == [100]
    assert rows(at_once=True, start=50) == [100]
    monkeypatch.setenv("WARPATH_MEMORY", "5M")  # a 32nd of it: 20 rows
    assert rows() == [20] * 5
    assert rows(start=70) == [20, 10]
    assert rows(whole=8) == [16] * 6 + [4]
    assert rows(several=40) == [40, 40, 20]
    assert rows(several=90) == [64, 36]  # an eighth of memory, and whole batches of 64
    monkeypatch.setenv("WARPATH_MEMORY", "1K")
    assert rows() == [1] * 100


def test_a_journal_keeps_the_state_of_work_that_returns_to_its_rows(tmp_path):
    """What all pairs beyond memory need: a state, and a map of the part."""
    target, shape = tmp_path / "full.npy", (4, 4)

    def interrupted():
        with output_of(target, shape, INT64, question=dict) as output:
            assert output.journal.done() is None
            matrix = output.mapped()
            matrix[2] = 7
            matrix.flush()
            output.journal.mark({"panel": 3})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with output_of(target, shape, INT64, question=dict) as output:
        assert output.journal.done() == {"panel": 3}
        assert output.mapped()[2].tolist() == [7] * 4
    assert np.load(target)[2].tolist() == [7] * 4
    assert beside(target) == ["full.npy"]


def test_a_full_disk_names_the_ways_out(roads, target, monkeypatch):
    monkeypatch.setattr(streams.shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(
        wp.OutputError, match=r"28,800 bytes, but its disk has 10 free: use another disk"
    ):
        wp.apsp(roads, out=target)
    assert beside(target) == []


def test_graphs_without_pairs_make_files_too(target):
    table = wp.apsp(Graph.of([], n=0), out=target)
    assert table.dist.shape == (0, 0)


DENSE = """
import os, signal, sys
import numpy as np
import warpath as wp
rng = np.random.default_rng(8)
graph = wp.Graph.of((*rng.integers(0, 400, (2, 4000)), rng.integers(1, 50, 4000)), n=400)
if sys.argv[2] == "float32":
    graph = graph.astype("float32")
last = int(sys.argv[3])
def tell(done, total):
    if done == last:
        os.kill(os.getpid(), signal.SIGKILL)
table = wp.apsp(graph, out=sys.argv[1], algorithm="classic.floyd_warshall", progress=tell)
print(table.stats.get("resumed"), table.plan.bytes)
"""


def dense(out, kind, last=-1):
    memory = 400 * 400 * (4 if kind == "float32" else 8) * 2 // 3
    command = [sys.executable, "-c", DENSE, str(out), kind, str(last)]
    env = os.environ | {"WARPATH_MEMORY": str(memory)}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
    if ran.returncode:
        return None
    resumed, planned = ran.stdout.split()
    assert int(planned) == memory // 2
    return resumed


@pytest.mark.parametrize("kind", ["int64", "float32"])
def test_all_pairs_larger_than_memory_are_solved_in_the_file_and_continued(tmp_path, kind):
    whole, killed = tmp_path / "whole.npy", tmp_path / "killed.npy"
    assert dense(whole, kind) == "None"
    assert dense(killed, kind, 60) is None
    assert beside(killed) == [
        f"killed.npy.part{end}" for end in ("", ".json", ".lock", ".panels")
    ] + ["whole.npy"]
    assert int(dense(killed, kind)) > 0
    assert killed.read_bytes() == whole.read_bytes()
    assert beside(killed) == ["killed.npy", "whole.npy"]
    rng = np.random.default_rng(8)
    graph = Graph.of((*rng.integers(0, 400, (2, 4000)), rng.integers(1, 50, 4000)), n=400)
    graph = graph.astype("float32") if kind == "float32" else graph
    assert np.array_equal(np.load(whole), wp.apsp(graph, algorithm="classic.dijkstra").dist)


def test_rows_and_tiles_do_not_take_each_others_notes(tmp_path):
    """Tiles lower all rows, so what rows were done is void; and the other way round."""
    journal = Journal(tmp_path / "full.npy", {}, folder=False)
    journal.open()
    journal.advance(7, 77)
    journal.mark({"pivot": 1})
    assert (journal.rows, journal.crc, journal.done()) == (0, 0, {"pivot": 1})
    journal.advance(3, 33)
    assert (journal.rows, journal.crc, journal.done()) == (3, 33, None)
    journal.close()


def test_all_pairs_that_no_file_can_stage_say_the_ways_out(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "100K")
    negative = Graph.of([(0, 1, -1)], n=300)
    for out, way in (("full.zarr", r"with out='full\.npy'"), ("full.npy", "goes row by row")):
        with pytest.raises(wp.NotEnoughMemoryError, match=way):
            wp.apsp(negative, out=tmp_path / out, algorithm="classic.floyd_warshall")
    assert list(tmp_path.iterdir()) == []


GROWTH = """
import resource, sys
import warpath as wp
graph = wp.generate.road(6_000, seed=1)
wp.apsp(graph.subgraph(range(60)), out=sys.argv[1] + ".first.npy", dist_dtype="int32")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
wp.apsp(graph, out=sys.argv[1], dist_dtype="int32")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_file(tmp_path):
    command = [sys.executable, "-c", GROWTH, str(tmp_path / "full.npy")]
    env = os.environ | {"WARPATH_MEMORY": "256M"}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=120)
    assert (tmp_path / "full.npy").stat().st_size > 140e6
    assert int(ran.stdout) < 40_000  # KiB: two blocks of 8 MiB, and what a search takes


@pytest.mark.usefixtures("small_blocks")
def test_progress_hears_of_every_block_though_each_is_too_short_to_tell(roads, target):
    told = []
    solve(roads, target, progress=lambda done, total: told.append((done, total)))
    assert [(done, 60) for done in range(10, 61, 10)] == sorted(set(told))


@pytest.mark.usefixtures("small_blocks")
def test_a_file_says_what_it_has_and_is_verified_like_an_array(roads, target):
    table, held = solve(roads, target), wp.apsp(roads)
    assert isinstance(table.reached, np.ndarray)
    assert np.array_equal(table.reached, held.reached)
    assert np.array_equal(list(table.rows()), held.dist)
    assert wp.verify(roads, table) == wp.verify(roads, held)


@pytest.mark.usefixtures("small_blocks")
def test_verify_reads_each_chunk_of_a_file_once(roads, tmp_path):
    zarr = pytest.importorskip("zarr")
    table, reads = solve(roads, tmp_path / "full.zarr"), []
    stored = table.dist

    class Counted:
        dtype, chunks, shape = stored.dtype, stored.chunks, stored.shape

        def __getitem__(self, key):
            reads.append(key)
            return stored[key]

    assert isinstance(stored, zarr.Array)
    table.dist = Counted()
    wp.verify(roads, table)
    assert len(reads) == 60 // stored.chunks[0]


def test_a_file_of_all_pairs_is_read_back_without_being_held(roads, target):
    solve(roads, target)
    loaded = load_result(roads, target)
    assert type(loaded.dist) is not np.ndarray
    assert wp.verify(roads, loaded).sources == 60


def test_a_folder_that_is_no_array_is_no_result(roads, tmp_path):
    pytest.importorskip("zarr")
    (tmp_path / "full.zarr").mkdir()
    with pytest.raises(wp.GraphFormatError, match="expected a Zarr array"):
        load_result(roads, tmp_path / "full.zarr")


def test_a_finished_file_leaves_nothing_of_tiles_that_another_algorithm_took_over(roads, tmp_path):
    (tmp_path / "full.npy.part.panels").write_bytes(b"tiles")
    solve(roads, tmp_path / "full.npy")
    assert [file.name for file in tmp_path.iterdir()] == ["full.npy"]


def test_a_part_of_zarr_goes_though_chunks_are_written_while_it_is_removed(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "full.zarr", {}, folder=True)
    journal.open()
    real, tries = shutil.rmtree, []

    def late(path, **options):
        tries.append(path)
        if len(tries) == 1:
            (path / "c").mkdir()
            return
        real(path, **options)

    monkeypatch.setattr(shutil, "rmtree", late)
    journal.discard()
    journal.close()
    assert not list(tmp_path.iterdir())
