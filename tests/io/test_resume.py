"""Unfinished tables that were edited, damaged, planted or left by a killed process."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import warpath as wp
from warpath.io import journal, streams


@pytest.fixture(params=["full.npy", "full.zarr"])
def target(request, tmp_path):
    if request.param.endswith(".zarr"):
        pytest.importorskip("zarr")
    return tmp_path / request.param


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Blocks of ten of the 60 rows."""
    monkeypatch.setattr(streams, "BLOCK_BYTES", 10 * 60 * 8)
    monkeypatch.setattr(streams, "CHUNK_BYTES", 5 * 60 * 8)


@pytest.fixture
def roads():
    rng = np.random.default_rng(8)
    src, dst = rng.integers(0, 60, (2, 240))
    return wp.Graph.of((src, dst, rng.integers(1, 50, 240)), n=60)


def solve(graph, out):
    return wp.apsp(graph, out=out, algorithm="classic.dijkstra", threads=1)


def stop_after(blocks, graph, out):
    """Run until some blocks are written, and interrupt."""

    def tell(done, _):
        if done >= 10 * blocks:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wp.apsp(graph, out=out, algorithm="classic.dijkstra", threads=1, progress=tell)


def note_of(target):
    return target.with_name(f"{target.name}.part.json")


def part_of(target):
    return target.with_name(f"{target.name}.part")


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def everything(folder):
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


EDITS = {
    "all rows": {"rows": 60},
    "more rows": {"rows": 70},
    "no rows": {"rows": 0},
    "negative rows": {"rows": -10},
    "rows as text": {"rows": "30"},
    "rows as a boolean": {"rows": True},
    "endless rows": {"rows": float("inf")},
    "another checksum": {"crc": 1},
    "a state": {"state": {"side": 1, "pivot": 60, "panels": False}},
    "a question of another kind": {"asked": []},
    "something else": {"more": 1},
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("forged", [False, True], ids=["edited", "with a right checksum"])
def test_an_edited_note_is_never_believed(roads, target, edit, forged):
    stop_after(3, roads, target)
    kept = json.loads(note_of(target).read_text()) | edit
    if forged:
        kept.pop("check")
        kept["check"] = journal._check(kept)
    note_of(target).write_text(json.dumps(kept))
    before = everything(target.parent)
    if forged and edit == {"rows": 0}:  # such a note says that no row is there
        assert "resumed" not in solve(roads, target).stats
        assert np.array_equal(np.asarray(solve(roads, target)), wp.apsp(roads).dist)
        return
    with pytest.raises(wp.OutputError, match=rf"delete {target.name}\.part and") as caught:
        solve(roads, target)
    assert caught.value.errno == errno.EEXIST
    assert everything(target.parent) == before


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "[" * 100_000, "\ud83d", "9" * 5000, '{"check": []}', "\0"]
)
def test_a_note_that_is_none_is_refused(roads, target, text):
    stop_after(3, roads, target)
    note_of(target).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(wp.OutputError, match=r"does not describe it: delete"):
        solve(roads, target)


def test_rows_that_changed_since_are_found(roads, target):
    stop_after(3, roads, target)
    part = part_of(target)
    file = part if part.is_file() else sorted(part.rglob("c/*/*"))[2]
    content = file.read_bytes()
    changed = bytearray(content)
    changed[len(content) // 5 if part.is_file() else -1] ^= 1
    file.write_bytes(changed)
    with pytest.raises(wp.OutputError, match=r"does not hold the 30 rows .* delete full"):
        solve(roads, target)
    file.write_bytes(content)
    assert solve(roads, target).stats["resumed"] == 30
    assert np.array_equal(
        np.load(target) if part.suffix == ".npy" else solve(roads, target), wp.apsp(roads).dist
    )


def test_a_part_of_another_length_is_refused_and_not_touched(roads, tmp_path):
    target = tmp_path / "full.npy"
    stop_after(3, roads, target)
    part_of(target).write_bytes(b"short")
    with pytest.raises(wp.OutputError, match=r"full\.npy\.part has 5 bytes, 28,928 are expected"):
        solve(roads, target)
    assert part_of(target).read_bytes() == b"short"


def test_an_array_of_zarr_with_another_shape_is_refused(roads, tmp_path):
    pytest.importorskip("zarr")
    target = tmp_path / "full.zarr"
    stop_after(3, roads, target)
    about = part_of(target) / "zarr.json"
    for old, new in (('"shape"', '"shapes"'), ("int64", "int32"), ("    60", "    61")):
        text = about.read_text()
        assert old in text
        about.write_text(text.replace(old, new))
        with pytest.raises(wp.OutputError, match="is not the array that an earlier run began"):
            solve(roads, target)
        about.write_text(text)
    assert solve(roads, target).stats["resumed"] == 30


@pytest.mark.parametrize("end", ["", ".json", ".json.new", ".lock", ".panels"])
@pytest.mark.parametrize("dangling", [False, True])
def test_nothing_is_written_through_a_link_next_to_the_target(roads, target, end, dangling):
    precious = target.with_name("precious")
    if not dangling:
        precious.write_text("precious")
    target.with_name(f"{target.name}.part{end}").symlink_to(precious)
    if end in {"", ".lock"}:
        said = rf"{target.name}\.part{end} is a symbolic link, so it is not used: remove it"
        with pytest.raises(wp.OutputError, match=said):
            solve(roads, target)
    else:
        assert np.array_equal(np.asarray(solve(roads, target)), wp.apsp(roads).dist)
    assert precious.exists() != dangling
    assert dangling or precious.read_text() == "precious"


def test_a_note_that_is_a_link_or_a_pipe_is_refused(roads, target):
    stop_after(3, roads, target)
    note = note_of(target)
    elsewhere = target.with_name("elsewhere")
    note.rename(elsewhere)
    note.symlink_to(elsewhere)
    with pytest.raises(wp.OutputError, match="does not describe it"):
        solve(roads, target)
    note.unlink()
    os.mkfifo(note)
    with pytest.raises(wp.OutputError, match=r"part\.json is not a regular file"):
        solve(roads, target)
    note.unlink()
    elsewhere.rename(note)
    assert solve(roads, target).stats["resumed"] == 30


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can chown")
@pytest.mark.parametrize("end", ["", ".json", ".lock"])
def test_what_another_user_left_is_refused(roads, target, end):
    stop_after(3, roads, target)
    path = target.with_name(f"{target.name}.part{end}")
    path.touch()
    os.chown(path, 65534, 65534)
    with pytest.raises(wp.OutputError, match=rf"\.part{end} belongs to another user, so it is not"):
        solve(roads, target)
    os.chown(target.parent, 65534, 65534)  # whose folder it is can replace the file anyway
    assert solve(roads, target).stats["resumed"] == 30


def test_a_pipe_takes_no_table_in_blocks(roads, tmp_path):
    os.mkfifo(tmp_path / "full.npy")
    with pytest.raises(wp.OutputError, match="cannot be written to a pipe or a device"):
        solve(roads, tmp_path / "full.npy")
    assert names(tmp_path) == ["full.npy"]


KILLED = """
import os, signal, sys
import numpy as np
import warpath as wp
from warpath.io import streams
from warpath.io.journal import Journal
streams.BLOCK_BYTES, streams.CHUNK_BYTES = 10 * 60 * 8, 5 * 60 * 8
real = getattr(Journal, sys.argv[2])
def finish(self):
    if sys.argv[3] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    real(self)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(Journal, sys.argv[2], finish)
rng = np.random.default_rng(8)
src, dst = rng.integers(0, 60, (2, 240))
roads = wp.Graph.of((src, dst, rng.integers(1, 50, 240)), n=60)
wp.apsp(roads, out=sys.argv[1], algorithm="classic.dijkstra")
"""


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("method", ["begin", "finish", "_remove_notes", "_take_lock"])
def test_a_run_killed_as_it_begins_or_ends_leaves_the_old_or_the_new_table(
    roads, target, where, method
):
    solve(roads.with_weights(roads.weights * 2), target)
    old = everything(target.parent)
    code = [sys.executable, "-c", KILLED, str(target), method, where]
    ran = subprocess.run(code, check=False, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    seen = {
        name: content
        for name, content in everything(target.parent).items()
        if name.split("/")[0] == target.name
    }
    before = method in {"begin", "_take_lock"} or (method, where) == ("finish", "before")
    assert (seen == old) == before
    table = solve(roads, target)
    assert np.array_equal(np.asarray(table), wp.apsp(roads).dist)
    assert before or set(seen) == set(everything(target.parent))
    assert names(target.parent) == [target.name]


@pytest.mark.parametrize("end", [".lock", ".part"])
def test_an_interrupt_as_a_file_is_opened_leaves_nothing_and_lets_others_in(
    roads, tmp_path, monkeypatch, end
):
    times = []

    class Interrupted(io.FileIO):
        def __init__(self, path, *rest, **options):
            super().__init__(path, *rest, **options)
            if str(path).endswith(end) and not times:
                times.append(path)
                self.close()
                raise KeyboardInterrupt

    monkeypatch.setattr(journal.io, "FileIO", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve(roads, tmp_path / "full.npy")
    assert names(tmp_path) == []
    assert solve(roads, tmp_path / "full.npy").dist is not None


def test_an_interrupt_while_a_table_is_finished_lets_it_be_finished(roads, target):
    """The renames are not left half done: the main thread alone is interrupted."""
    solve(roads.with_weights(roads.weights * 2), target)
    real, main = journal.Journal._remove_notes, threading.main_thread()

    def interrupting(self):
        signal.pthread_kill(main.ident, signal.SIGINT)
        time.sleep(0.05)  # the interrupt arrives while the notes and an old array are there
        real(self)

    with pytest.MonkeyPatch.context() as inside:
        inside.setattr(journal.Journal, "_remove_notes", interrupting)
        with pytest.raises(KeyboardInterrupt):
            solve(roads, target)
    assert names(target.parent) == [target.name]
    assert np.array_equal(np.asarray(solve(roads, target)), wp.apsp(roads).dist)


def test_an_interrupt_while_a_table_is_begun_leaves_nothing(roads, target):
    """Zarr goes on in threads of its own: it is waited for, and then its folder is removed."""
    kind = streams.NpyFile if target.suffix == ".npy" else streams._Zarr
    real, main = kind.prepare, threading.main_thread()

    def interrupting(self):
        signal.pthread_kill(main.ident, signal.SIGINT)
        time.sleep(0.05)
        real(self)

    with pytest.MonkeyPatch.context() as inside:
        inside.setattr(kind, "prepare", interrupting)
        with pytest.raises(KeyboardInterrupt):
            solve(roads, target)
    assert names(target.parent) == []
    assert np.array_equal(np.asarray(solve(roads, target)), wp.apsp(roads).dist)


def test_what_zarr_left_of_a_chunk_when_it_was_killed_is_no_part_of_the_array(roads, tmp_path):
    """Zarr writes a chunk to a file with a random name, which it renames."""
    pytest.importorskip("zarr")
    target = tmp_path / "full.zarr"
    solve(roads, target)
    whole = everything(target)
    stop_after(3, roads.with_weights(roads.weights), target)
    (part_of(target) / "c" / "9").mkdir(exist_ok=True)
    (part_of(target) / "c" / "9" / "0.0123456789abcdef.partial").write_bytes(b"half")
    assert solve(roads, target).stats["resumed"] == 30
    assert everything(target) == whole
