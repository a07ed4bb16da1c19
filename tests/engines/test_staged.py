"""Floyd-Warshall on matrices larger than the memory it may take: whole, killed and continued."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from support.kernels import CACHE
from warpath.engines.cuda.tables.min_plus import MinPlus
from warpath.engines.emulator.device import EmulatedDevice
from warpath.engines.staged import tiles, unfinished
from warpath.engines.staged.blocks import HostBlocks, HostMemory, Window

TYPES = [np.int32, np.int64, np.float32, np.float64]


class FileJournal:
    """A note that is replaced in one step."""

    def __init__(self, path):
        self.path = Path(path)

    def done(self):
        return json.loads(self.path.read_text()) if self.path.exists() else None

    def mark(self, state):
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(state))
        fresh.replace(self.path)


class FarMemory:
    """A device whose arrays are not the host's; work is done when somebody waits for it."""

    xp = np

    def __init__(self):
        self.pending = []

    def put(self, array, out=None):
        self.finish()
        there = np.empty_like(array) if out is None else out
        there[:] = array
        return there

    def get(self, array, out=None):
        self.finish()
        here = np.empty_like(array) if out is None else out
        here[:] = array
        return here

    def host_array(self, like):
        return np.full_like(like, 1)

    def finish(self):
        for work in self.pending:
            work()
        self.pending.clear()


class LateBlocks(HostBlocks):
    """Block operations that begin when the device is waited for, on windows of whole tiles."""

    tile = 16

    def __init__(self, dtype, device):
        super().__init__(dtype, 1)
        self.device = device

    def _later(self, work, *windows):
        for window in windows:
            assert all(number % self.tile == 0 for number in window[1:])
            assert window.array.flags.c_contiguous
            assert window.array.dtype == self.dtype
        self.device.pending.append(lambda: work(*windows))

    def close(self, diagonal):
        self._later(super().close, diagonal)

    def panel_row(self, diagonal, panel):
        self._later(super().panel_row, diagonal, panel)

    def panel_column(self, diagonal, panel):
        self._later(super().panel_column, diagonal, panel)

    def update(self, c, a, b):
        self._later(super().update, c, a, b)


def graph_of(n, kind, degree=6):
    rng = np.random.default_rng(n)
    src, dst = rng.integers(0, n, (2, degree * n))
    keep = (src != 5) & (dst != 9)  # a vertex that nothing leaves, and one that nothing enters
    lengths = rng.integers(1, 1000, degree * n)
    weights = lengths.astype(kind) if np.dtype(kind).kind == "i" else (lengths / 7).astype(kind)
    return wp.Graph.of((src[keep], dst[keep], weights[keep]), n=n)


def mapped(path, n, kind):
    mode = "r+" if Path(path).exists() else "w+"
    return np.lib.format.open_memmap(path, mode=mode, dtype=kind, shape=(n, n))


def agree(found, graph):
    expected = wp.apsp(graph, algorithm="classic.dijkstra").dist
    if found.dtype.kind == "i":
        missing = expected == np.iinfo(np.int64).max
        return bool((found == np.where(missing, np.iinfo(found.dtype).max, expected)).all())
    slack = graph.n * np.finfo(found.dtype).eps
    reached = np.isfinite(expected)
    gap = np.abs(found[reached] - expected[reached])
    return bool((reached == np.isfinite(found)).all() and (gap <= slack * expected[reached]).all())


@pytest.mark.parametrize("kind", TYPES)
def test_matrix_half_as_large_again_as_the_memory_is_right(tmp_path, kind):
    n = 500
    graph = graph_of(n, kind)
    matrix = mapped(tmp_path / "d.npy", n, graph.dist_dtype)
    memory = matrix.nbytes * 2 // 3
    tracemalloc.start()
    tiles.all_pairs(
        graph, matrix, HostBlocks(matrix.dtype, 2), HostMemory(), memory, panels=tmp_path / "p"
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert agree(matrix, graph)
    assert peak < memory + 2**20
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("n", [0, 1, 63, 130])
def test_many_small_pivots_are_as_right_as_one(kind, n):
    graph = graph_of(n, kind, 3) if n > 1 else wp.Graph.of(([], [], np.zeros(0, kind)), n=n)
    blocks = HostBlocks(graph.dist_dtype, 1)
    for memory in (4 * 64**2 * blocks.dtype.itemsize, 10**8):
        matrix = np.empty((n, n), graph.dist_dtype)
        tiles.all_pairs(graph, matrix, blocks, HostMemory(), memory)
        assert agree(matrix, graph)


def test_narrow_tiles_fill_a_wide_matrix():
    graph = graph_of(150, np.int64)
    matrix = np.empty((150, 150), np.int64)
    tiles.all_pairs(graph, matrix, HostBlocks(np.int32, 1), HostMemory(), 4 * 64**2 * 4)
    assert agree(matrix, graph)


@pytest.mark.parametrize("kind", [np.int32, np.float32])
def test_device_that_works_later_gets_tiles_that_wait_for_it(kind):
    n = 150
    graph = graph_of(n, kind)
    device = FarMemory()
    far = np.empty((n, n), kind)
    memory = 4 * 48**2 * 4
    tiles.all_pairs(graph, far, LateBlocks(kind, device), device, memory)
    assert agree(far, graph)
    near = np.empty((n, n), kind)
    blocks = HostBlocks(kind, 1)
    blocks.tile = 16
    tiles.all_pairs(graph, near, blocks, HostMemory(), memory)
    assert near.tobytes() == far.tobytes()


_SCRIPT = """
import os, signal, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_staged import FileJournal, HostBlocks, HostMemory, Path, graph_of, mapped, tiles

folder, kind, last = Path(sys.argv[2]), np.dtype(sys.argv[3]), int(sys.argv[4])
graph = graph_of(300, kind)

def progress(done, total):
    if done == last:
        os.kill(os.getpid(), signal.SIGKILL)

tiles.all_pairs(
    graph, mapped(folder / "d.npy", 300, kind), HostBlocks(kind, 2), HostMemory(), 4 * 128**2 * 4,
    FileJournal(folder / "note"), folder / "panels", progress,
)
"""


def run_in_a_process(folder, kind, last):
    arguments = [str(Path(__file__).parent), str(folder), np.dtype(kind).name, str(last)]
    return subprocess.run([sys.executable, "-c", _SCRIPT, *arguments], check=False).returncode


# Three pivots of nine tiles: the first's tiles, the next one's panels, the last tile of all.
@pytest.mark.parametrize(("kind", "lasts"), [(np.int32, (7, 27)), (np.float32, (12,))])
def test_killed_solve_goes_on_to_the_same_file(tmp_path, kind, lasts):
    whole = tmp_path / "whole"
    whole.mkdir()
    assert run_in_a_process(whole, kind, -1) == 0
    assert agree(mapped(whole / "d.npy", 300, kind), graph_of(300, kind))
    for last in lasts:
        folder = tmp_path / str(last)
        folder.mkdir()
        assert run_in_a_process(folder, kind, last) == -signal.SIGKILL
        assert FileJournal(folder / "note").done()["pivot"] == (last - 1) // 9
        assert FileJournal(folder / "note").done()["panels"] == ((last - 1) % 9 >= 5)
        assert run_in_a_process(folder, kind, last) in {0, -signal.SIGKILL}
        assert run_in_a_process(folder, kind, -1) == 0
        assert (folder / "d.npy").read_bytes() == (whole / "d.npy").read_bytes()


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_rows_are_finished_once_whenever_a_solve_was_stopped(tmp_path, kind):
    n = 130
    graph = graph_of(n, kind)
    blocks = HostBlocks(kind, 1)
    memory = 4 * 64**2 * blocks.dtype.itemsize
    place = np.arange(n, dtype=kind)
    total = 27 + 3

    def finish(rows, these):
        rows += np.where(rows == tiles.unreachable(rows.dtype), 0, place - place[these, None])

    expected = np.empty((n, n), kind)
    tiles.all_pairs(graph, expected, blocks, HostMemory(), memory)
    finish(expected, slice(0, n))
    for last in range(25, total + 1):
        matrix = np.empty((n, n), kind)
        journal = FileJournal(tmp_path / str(last))
        seen = []

        def stop(done, of, seen=seen, last=last):
            seen.append((done, of))
            if done == last and seen.count((done, of)) == 1:
                raise KeyboardInterrupt

        def go(matrix=matrix, journal=journal, stop=stop):
            tiles.all_pairs(
                graph, matrix, blocks, HostMemory(), memory, journal, tmp_path / "p", stop, finish
            )

        with pytest.raises(KeyboardInterrupt):
            go()
        go()
        assert (seen[-1], matrix.tobytes()) == ((total, total), expected.tobytes())


@pytest.mark.parametrize("kind", TYPES)
def test_tiles_pass_through_a_gpu(kind):
    device = EmulatedDevice(seed=1, block=64, cache=CACHE)
    graph = graph_of(200, kind)
    matrix = np.empty((200, 200), kind)
    blocks = MinPlus(device, kind)
    memory = matrix.nbytes * 2 // 3
    assert tiles.side_of(200, blocks, memory) == 64
    tiles.all_pairs(graph, matrix, blocks, device, memory)
    assert agree(matrix, graph)


def test_threads_copy_every_part_of_a_tile(monkeypatch):
    monkeypatch.setattr(unfinished, "_CHUNK", 1000)
    for kind in (np.int64, np.float32):
        graph = graph_of(300, kind)
        matrix = np.empty((300, 300), kind)
        memory = 4 * 192**2 * matrix.itemsize
        tiles.all_pairs(graph, matrix, HostBlocks(kind, 1), HostMemory(), memory, threads=3)
        assert agree(matrix, graph)


def test_stopped_solve_says_how_far_it_got(tmp_path):
    graph = graph_of(200, np.int32)
    matrix = np.empty((200, 200), np.int32)
    journal = FileJournal(tmp_path / "note")
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if done == 60:
            raise KeyboardInterrupt

    def go(progress):
        tiles.all_pairs(
            graph,
            matrix,
            HostBlocks(np.int32, 1),
            HostMemory(),
            4 * 64**2 * 4,
            journal,
            tmp_path / "panels",
            progress,
        )

    with pytest.raises(KeyboardInterrupt):
        go(stop)
    assert seen == [(done, 64) for done in range(1, 61)]
    known = {"side": 64, "pivot": 3, "panels": True, "strips": 1}
    assert journal.done().items() >= known.items()
    seen.clear()
    go(lambda done, total: seen.append((done, total)))
    assert seen == [(done, 64) for done in (55, *range(58, 65))]
    assert agree(matrix, graph)


#: Four pivots, the panels of the second one complete.
STATE = {"side": 64, "pivot": 1, "panels": True, "strips": 0, "sums": [0, 0, 0, 0], "panels_sum": 0}


@pytest.mark.parametrize(
    "edit",
    [
        {"side": 0}, {"side": 10**12}, {"side": "64"}, {"pivot": -1}, {"pivot": 4}, {"pivot": 1.0},
        {"strips": 5}, {"strips": -1}, {"panels": 1}, {"panels": False, "strips": 1},
        {"sums": []}, {"sums": [0, 0, 0]}, {"sums": [0, 0, 0, "0"]}, {"sums": None}, {"more": 1},
    ],
)  # fmt: skip
def test_a_state_that_no_solve_can_be_in_is_refused(tmp_path, edit):
    graph = graph_of(200, np.int32)
    matrix = np.zeros((200, 200), np.int32)
    journal = FileJournal(tmp_path / "note")
    journal.mark(STATE | edit)
    with pytest.raises(wp.OutputError, match="the note of a solve that was under way has changed"):
        tiles.all_pairs(
            graph, matrix, HostBlocks(np.int32, 1), HostMemory(), 10**6, journal, tmp_path / "p"
        )
    assert not matrix.any()


@pytest.mark.parametrize("last", [52, 56, 60, 64])  # after 55 the panels of the last pivot are done
def test_an_entry_that_changed_while_a_solve_was_stopped_is_found(tmp_path, last):
    graph = graph_of(200, np.int32)
    journal = FileJournal(tmp_path / "note")
    matrix = np.empty((200, 200), np.int32)

    def go(stop=None):
        tiles.all_pairs(
            graph,
            matrix,
            HostBlocks(np.int32, 1),
            HostMemory(),
            4 * 64**2 * 4,
            journal,
            tmp_path / "panels",
            stop,
        )

    def stop(done, _):
        if done == last:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(stop)
    state = journal.done()
    writing = state["strips"] if state["panels"] else -1
    panels = np.fromfile(tmp_path / "panels", np.int32)
    for strip in range(4):
        if strip == writing:
            continue
        matrix[64 * strip, 7] += 1
        with pytest.raises(wp.OutputError, match="the matrix of a solve that was under way has"):
            go()
        matrix[64 * strip, 7] -= 1
    if state["panels"]:
        changed = panels.copy()
        changed[99] ^= 1
        changed.tofile(tmp_path / "panels")
        with pytest.raises(wp.OutputError, match="the panels of a solve that was under way have"):
            go()
        panels.tofile(tmp_path / "panels")
    go()
    assert agree(matrix, graph)


def test_panels_are_not_written_through_a_link_of_their_name(tmp_path):
    graph = graph_of(200, np.int32)
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "panels").symlink_to(tmp_path / "precious")
    matrix = np.empty((200, 200), np.int32)
    tiles.all_pairs(
        graph,
        matrix,
        HostBlocks(np.int32, 1),
        HostMemory(),
        4 * 64**2 * 4,
        panels=tmp_path / "panels",
    )
    assert agree(matrix, graph)
    assert (tmp_path / "precious").read_text() == "precious"


def test_lost_panels_are_named_and_nothing_is_touched(tmp_path):
    graph = graph_of(200, np.int32)
    matrix = np.zeros((200, 200), np.int32)
    journal = FileJournal(tmp_path / "note")
    journal.mark(STATE)
    with pytest.raises(wp.OutputError, match="not here") as caught:
        tiles.all_pairs(
            graph, matrix, HostBlocks(np.int32, 1), HostMemory(), 10**6, journal, tmp_path / "lost"
        )
    assert "lost" in str(caught.value)
    assert not matrix.any()


def test_disk_without_room_for_the_panels_is_an_error(tmp_path):
    matrix = np.zeros((200, 200), np.int32)
    with pytest.raises(wp.OutputError, match="cannot be written"):
        tiles.all_pairs(
            graph_of(200, np.int32),
            matrix,
            HostBlocks(np.int32, 1),
            HostMemory(),
            10**6,
            panels=tmp_path / "nowhere" / "panels",
        )


def test_memory_for_no_tile_is_refused_with_both_numbers():
    blocks = HostBlocks(np.int32, 1)
    with pytest.raises(wp.NotEnoughMemoryError, match=r"65,535 bytes .* 65,536"):
        tiles.side_of(1000, blocks, 65_535)
    assert tiles.side_of(1000, blocks, 65_536) == 64
    assert tiles.side_of(1000, blocks, 10**9) == 1024
    # Two pivots of about half the vertices rather than one large and one small.
    assert tiles.side_of(1000, blocks, 4 * 4 * 960**2) == 512


@pytest.mark.parametrize("kind", TYPES)
def test_windows_of_blocks_are_parts_of_their_arrays(kind):
    blocks = HostBlocks(kind, 1)
    rng = np.random.default_rng(2)
    array = rng.integers(1, 1000, (128, 192)).astype(kind)
    before = array.copy()
    c, a, b = (Window(array, *at, 64, 64) for at in ((64, 64), (0, 0), (0, 128)))
    blocks.update(c, a, b)
    sums = (before[:64, :64, None] + before[:64, 128:]).min(axis=1)
    before[64:, 64:128] = np.minimum(before[64:, 64:128], sums)
    assert (array == before).all()
