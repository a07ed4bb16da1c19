"""Compiled kernels on disk: never trusted unseen, never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from warpath.engines.cuda import cache

KEY = "ab" * 32
CUBIN = b"\x7fELF" + bytes(range(256)) * 8


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(cache, "_warned", set())
    cache.forget()
    yield tmp_path / "kernels"
    cache.forget()


@pytest.fixture
def fetch():
    """Fetch as a new process would; the builds are counted."""

    def run(key=KEY, cubin=CUBIN):
        def build():
            run.builds += 1
            return cubin

        cache.forget()
        return cache.fetch(key, "push_i32", build)

    run.builds = 0
    return run


def entry(folder):
    (path,) = folder.iterdir()
    return path


def test_an_entry_is_built_once_and_then_found(folder, fetch):
    assert [fetch(), fetch(), fetch()] == [CUBIN] * 3
    assert fetch.builds == 1
    assert entry(folder).name == f"push_i32.{KEY[:32]}.cubin"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_memory_is_asked_before_the_disk(folder, fetch):
    fetch()
    entry(folder).unlink()
    assert cache.fetch(KEY, "push_i32", lambda: pytest.fail("built again")) == CUBIN


def test_an_entry_begins_with_the_cubin_itself(folder, fetch):
    fetch()
    assert entry(folder).read_bytes().startswith(CUBIN)


def test_another_key_is_another_entry(folder, fetch):
    fetch()
    assert fetch("cd" * 32, b"other") == b"other"
    assert len(list(folder.iterdir())) == 2
    assert cache.kept() == (folder, 2, sum(path.stat().st_size for path in folder.iterdir()))


def flipped(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]


DAMAGES = {
    "empty": lambda _: b"",
    "one byte": lambda content: content[:1],
    "cut in the middle": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "a bare cubin": lambda _: CUBIN,
    "one bit flipped": flipped,
    "garbage": lambda content: os.urandom(len(content)),
    "zeros": lambda content: bytes(len(content)),
    "longer": lambda content: content + b"\0",
    "no mark": lambda content: content.replace(b"warpath1", b"warpath0"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_entry_is_made_anew(folder, fetch, damage):
    fetch()
    whole = entry(folder).read_bytes()
    entry(folder).write_bytes(damage(whole))
    assert fetch() == CUBIN
    assert fetch.builds == 2
    assert entry(folder).read_bytes() == whole
    assert fetch() == CUBIN
    assert fetch.builds == 2


@pytest.mark.usefixtures("folder")
def test_an_entry_under_another_key_is_not_taken(fetch):
    fetch()
    other = "ab" * 16 + "cd" * 16  # the same name of the file
    assert fetch(other, b"other") == b"other"
    assert fetch.builds == 2


def test_an_entry_that_may_not_be_read_is_made_anew(folder, fetch, monkeypatch):
    fetch()
    entry(folder).chmod(0)
    if os.geteuid() == 0:  # root may read it all the same: let the system refuse once
        real, times = cache.io.FileIO, []

        def refused(path, **options):
            if not times:
                times.append(path)
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, **options)

        monkeypatch.setattr(cache.io, "FileIO", refused)
    assert fetch() == CUBIN
    assert fetch() == CUBIN
    assert fetch.builds == 2


def test_a_folder_in_the_place_of_an_entry_is_told_once_and_no_error(folder, fetch):
    fetch()
    path = entry(folder)
    path.unlink()
    (path / "sub").mkdir(parents=True)
    with pytest.warns(RuntimeWarning, match="compiled kernels are not kept, so every"):
        assert fetch() == CUBIN
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fetch() == CUBIN
    assert list(folder.iterdir()) == [path]  # no temporary file is left


def test_a_folder_that_cannot_be_made_means_that_nothing_is_kept(fetch, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path / "file" / "kernels"))
    monkeypatch.setattr(cache, "_warned", set())
    with pytest.warns(
        RuntimeWarning, match=r"every process compiles its own: .*\. WARPATH_CACHE_DIR"
    ):
        assert fetch() == CUBIN
    assert cache.kept().entries == 0


def planted(folder, key=KEY, cubin=b"planted"):
    """Put an entry with a right checksum into the folder, as who knows the key can."""
    folder.mkdir(exist_ok=True)
    path = folder / f"push_i32.{key[:32]}.cubin"
    path.write_bytes(cubin + cache._MARK + cache._check(key, cubin))
    path.chmod(0o600)
    return path


def given_away(path, monkeypatch):
    """Let a path belong to another user."""
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)
    else:
        another = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: another)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o722, 0o1777])
@pytest.mark.parametrize("above", [False, True])
def test_a_folder_that_others_can_write_to_is_refused_with_the_way_out(
    tmp_path, fetch, monkeypatch, mode, above
):
    open_to_all = tmp_path / "open"
    folder = open_to_all / "kernels" if above else open_to_all
    folder.mkdir(parents=True)
    folder.chmod(0o700)
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(folder))
    monkeypatch.setattr(cache, "_warned", set())
    planted(folder)
    assert fetch() == b"planted"  # what is in a folder of this user is trusted
    open_to_all.chmod(mode)
    if above and mode == 0o1777:  # as /tmp is
        assert fetch() == b"planted"
        assert cache.refused() is None
        return
    said = (
        rf"other users can write to {open_to_all} \(mode {mode:04o}\): run chmod go-w {open_to_all}"
    )
    with pytest.warns(RuntimeWarning, match=said):
        assert fetch() == CUBIN
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fetch() == CUBIN
    assert fetch.builds == 2
    assert len(list(folder.iterdir())) == 1
    open_to_all.chmod(0o755)
    assert cache.refused() is None


@pytest.mark.parametrize("above", [False, True])
def test_a_folder_of_another_user_is_refused(tmp_path, fetch, monkeypatch, above):
    theirs = tmp_path / "theirs"
    folder = theirs / "kernels" if above else theirs
    folder.mkdir(parents=True)
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(folder))
    monkeypatch.setattr(cache, "_warned", set())
    planted(folder)
    given_away(theirs, monkeypatch)
    with pytest.warns(RuntimeWarning, match="belongs to user .*: name a folder of your own"):
        assert fetch() == CUBIN


def test_a_link_of_another_user_to_a_folder_is_refused(tmp_path, fetch, monkeypatch):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(link))
    monkeypatch.setattr(cache, "_warned", set())
    planted(tmp_path / "real")
    assert fetch() == b"planted"
    if os.geteuid() != 0:
        pytest.skip("only root can give a link away")
    os.chown(link, 65534, -1, follow_symlinks=False)
    with pytest.warns(RuntimeWarning, match=f"{link} belongs to user 65534"):
        assert fetch() == CUBIN


def test_a_link_to_a_folder_that_others_can_write_to_is_refused(tmp_path, fetch, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "real").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path / "link"))
    monkeypatch.setattr(cache, "_warned", set())
    planted(tmp_path / "real")
    with pytest.warns(RuntimeWarning, match=f"other users can write to {tmp_path / 'real'}"):
        assert fetch() == CUBIN


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_an_entry_that_others_can_write_is_made_anew(folder, fetch, mode):
    path = planted(folder)
    path.chmod(mode)
    assert fetch() == CUBIN
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert fetch() == CUBIN
    assert fetch.builds == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_an_entry_of_another_user_is_made_anew(folder, fetch):
    path = planted(folder)
    os.chown(path, 65534, -1)
    assert fetch() == CUBIN
    assert path.stat().st_uid == 0


def test_an_entry_that_is_a_link_or_a_pipe_is_made_anew(folder, fetch, tmp_path):
    path = planted(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert fetch() == CUBIN
    assert not path.is_symlink()
    path.unlink()
    os.mkfifo(path)
    assert fetch() == CUBIN
    assert path.is_file()


def test_folders_are_made_for_this_user_alone_whatever_the_umask_is(tmp_path, fetch, monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path / "a" / "b" / "kernels"))
    monkeypatch.setattr(cache, "_warned", set())
    before = os.umask(0)
    try:
        assert fetch() == CUBIN
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "kernels"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700] * 3
    assert stat.S_IMODE(entry(made[-1]).stat().st_mode) == 0o600
    assert fetch() == CUBIN
    assert fetch.builds == 1


def test_a_full_disk_leaves_no_half_entry(folder, fetch, monkeypatch):
    write = os.fdopen

    def full(*arguments, **options):
        file = write(*arguments, **options)
        file.write(CUBIN[:100])
        file.close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert fetch() == CUBIN
    assert list(folder.iterdir()) == []


def test_an_interrupt_while_writing_comes_through_and_leaves_nothing(folder, fetch, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("value", ["off", "", " "])
def test_the_cache_can_be_off(fetch, monkeypatch, value):
    monkeypatch.setenv("WARPATH_CACHE_DIR", value)
    assert [fetch(), fetch()] == [CUBIN] * 2
    assert fetch.builds == 2
    assert cache.kept() == (None, 0, 0)


def test_a_build_that_fails_keeps_nothing(folder):
    def broken():
        raise RuntimeError("no compiler")

    with pytest.raises(RuntimeError, match="no compiler"):
        cache.fetch(KEY, "push", broken)
    assert not folder.exists()


def test_many_processes_write_one_entry_at_once(folder):
    """Four processes write the same two entries a hundred times each; every read is whole."""
    code = (
        "from warpath.engines.cuda import cache\n"
        "for at in range(200):\n"
        "    cache.forget()\n"
        "    key = ('ab', 'cd')[at % 2] * 32\n"
        "    cubin = key.encode() * 1000\n"
        "    path = cache.settings.kernel_cache() / f'k.{key[:32]}.cubin'\n"
        "    found = cache._read(path, key)\n"
        "    assert found in (None, cubin)\n"
        "    cache._write(path, cubin + cache._MARK + cache._check(key, cubin))\n"
        "    assert cache._read(path, key) == cubin\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    assert len(list(folder.iterdir())) == 2
