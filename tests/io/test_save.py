"""Files that several writers, planted links and odd names meet: whole, or refused in words."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest

import warpath as wp
from warpath.io import save, temporary
from warpath.io.save import atomic
from warpath.results.trace import Trace

GRAPH = wp.Graph.of([(0, 1, 5), (1, 2, 7)])


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_two_writers_of_one_path_at_once_each_have_their_own_file(tmp_path):
    path = tmp_path / "a.gr"
    with atomic(path) as first:
        first.write(b"first" * 1000)
        with atomic(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
        first.write(b"first" * 1000)
    assert path.read_bytes() == b"first" * 2000
    assert names(tmp_path) == ["a.gr"]


def test_threads_that_write_one_path_leave_one_whole_file(tmp_path):
    path = tmp_path / "a.gr"
    contents = [bytes([at]) * 3_000_000 for at in range(20)]  # twice what a writer buffers
    go = threading.Barrier(len(contents))

    def write(content):
        go.wait()
        with atomic(path) as file:
            for start in range(0, len(content), 500_000):
                file.write(content[start : start + 500_000])

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert names(tmp_path) == ["a.gr"]


def test_a_file_that_others_put_in_the_way_is_not_written_to(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    planted = [f".a.gr.{slot}.part" for slot in (*range(temporary._SLOTS), os.getpid())]
    for at, name in enumerate(planted):
        if at % 2:
            (tmp_path / name).symlink_to(precious)
        else:
            (tmp_path / name).hardlink_to(precious)
    wp.write(GRAPH, tmp_path / "a.gr")
    assert precious.read_text() == "precious"
    assert wp.read(tmp_path / "a.gr").m == 2
    assert names(tmp_path) == sorted([*planted, "a.gr", "precious"])


KILLED = """
import os, signal, sys
from warpath.io.save import atomic
with atomic(sys.argv[1]) as file:
    file.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_is_removed_by_the_next_one(tmp_path):
    path = tmp_path / "a.gr"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert names(tmp_path) == [".a.gr.0.part"]
    wp.write(GRAPH, path)
    assert names(tmp_path) == ["a.gr"]


def test_what_another_writer_holds_is_not_removed(tmp_path):
    held = temporary.Temporary(tmp_path / "a.gr")
    held.create()
    wp.write(GRAPH, tmp_path / "a.gr")
    assert names(tmp_path) == [".a.gr.0.part", "a.gr"]
    held.close(keep=False)
    assert names(tmp_path) == ["a.gr"]


def test_more_writers_than_numbered_names_take_others(tmp_path):
    held = [temporary.Temporary(tmp_path / "a.gr") for _ in range(temporary._SLOTS + 2)]
    paths = {each.create().name for each in held}
    assert len(paths) == len(held)
    for each in held:
        each.close(keep=False)
    assert names(tmp_path) == []


def test_a_file_system_without_locks_is_written_to_all_the_same(tmp_path, monkeypatch):
    def unknown(*_):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(fcntl, "flock", unknown)
    wp.write(GRAPH, tmp_path / "a.gr")
    table = wp.apsp(GRAPH, out=tmp_path / "full.npy")
    assert np.array_equal(table.dist, wp.apsp(GRAPH).dist)
    assert names(tmp_path) == ["a.gr", "full.npy"]


WRITERS = {
    "graph": lambda path: wp.write(GRAPH, path, format="dimacs"),
    "paths": lambda path: wp.sssp(GRAPH, 0).save(f"{path}.npz"),
    "table": lambda path: wp.distances(GRAPH, [0]).save(f"{path}.npy"),
    "blocks": lambda path: wp.apsp(GRAPH, out=f"{path}.npy"),
    "trace": lambda path: Trace().save(f"{path}.jsonl"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("name", ["a\0b", "a\udfffb\ud800", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, write, name):
    with pytest.raises(wp.OutputError, match="cannot be written"):
        write(f"{tmp_path}/{name}")
    assert names(tmp_path) == []


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path):
    path = tmp_path / ("x" * 252 + ".gr")
    wp.write(GRAPH, path)
    assert wp.read(path).m == 2


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_link_is_followed_and_stays_and_its_target_is_replaced(tmp_path, write):
    (tmp_path / "there").mkdir()
    write(tmp_path / "a")
    (whole,) = [file for file in tmp_path.iterdir() if file.is_file()]
    content = whole.read_bytes()
    whole.unlink()
    target = tmp_path / "there" / "target"
    target.write_text("old")
    inode = target.stat().st_ino
    whole.symlink_to(target)
    write(tmp_path / "a")
    assert whole.readlink() == target
    assert target.stat().st_ino != inode
    assert target.read_bytes() == content
    target.unlink()
    write(tmp_path / "a")  # the link leads to a file that does not exist yet
    assert target.read_bytes() == content
    assert names(tmp_path / "there") == ["target"]


def test_the_name_of_a_link_says_the_compression(tmp_path):
    (tmp_path / "a.gr.gz").symlink_to(tmp_path / "plain")
    wp.write(GRAPH, tmp_path / "a.gr.gz")
    assert (tmp_path / "plain").read_bytes().startswith(b"\x1f\x8b")
    assert wp.read(tmp_path / "a.gr.gz").m == 2


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_link_that_leads_to_itself_is_refused(tmp_path, write):
    write(tmp_path / "a")
    (name,) = names(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(tmp_path / name)
    with pytest.raises(wp.OutputError, match="this symbolic link leads to itself"):
        write(tmp_path / "a")


def test_a_broken_disk_is_an_output_error(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(save.os, "fsync", broken)
    with pytest.raises(wp.OutputError, match="cannot be written: Input/output error"):
        wp.write(GRAPH, tmp_path / "a.gr")
    monkeypatch.setattr(save.os, "write", broken)
    with pytest.raises(wp.OutputError, match="cannot be written: Input/output error"):
        wp.write(GRAPH, tmp_path / "a.gr")
    assert names(tmp_path) == []


def test_a_private_file_is_private_while_it_is_replaced(tmp_path):
    path = tmp_path / "a.gr"
    path.write_text("old")
    path.chmod(0o600)
    with atomic(path) as file:
        file.write(b"new")
        (part,) = [each for each in tmp_path.iterdir() if each != path]
        assert part.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        wp.write(GRAPH, tmp_path / "a.gr")
    finally:
        os.umask(before)
    assert (tmp_path / "a.gr").stat().st_mode & 0o777 == 0o640


def test_an_interrupt_as_the_temporary_file_is_created_leaves_nothing(tmp_path, monkeypatch):
    class Interrupted(io.FileIO):
        def __init__(self, path, mode="r", opener=None):
            super().__init__(path, mode, opener=opener)
            if "x" in mode:
                self.close()
                raise KeyboardInterrupt

    monkeypatch.setattr(temporary.io, "FileIO", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        wp.write(GRAPH, tmp_path / "a.gr")
    assert names(tmp_path) == []


def interrupted(path):
    with atomic(path), contextlib.ExitStack() as stack:
        archive = zipfile.ZipFile(stack.enter_context(io.BytesIO()), "w")
        stack.callback(archive.close)
        archive.open("member", "w").write(b"half")
        raise KeyboardInterrupt


def test_an_interrupt_is_not_hidden_by_an_archive_that_cannot_be_closed(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "a.npz")
    assert names(tmp_path) == []


def test_an_error_while_an_interrupt_is_handled_stays_that_error(tmp_path):
    def handle():
        with pytest.raises(wp.InputError):
            wp.write(GRAPH, tmp_path / "a.gr.zip")
        return True

    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
        stack.push(lambda *_: handle())
        raise KeyboardInterrupt
