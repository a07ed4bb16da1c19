"""Stop writers at random moments, run several at once, plant links and edit notes of tables."""

from __future__ import annotations

import functools
import importlib
import json
import operator
import os
import shutil
import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.children import Child, import_all, run
from hunt.program import Finding, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.program import Counts

    Content = bytes | dict[str, bytes] | None

#: Suffixes of files that a killed run may leave next to its target; the next run removes them.
_LEFT_BY_A_KILL = (".part", ".part.json", ".part.json.new", ".part.lock", ".part.panels")
#: Those of files that an interrupted run leaves: the finished rows and the note about them.
_LEFT_BY_AN_INTERRUPT = (".part", ".part.json", ".part.panels")
_COMPRESSIONS = ("", ".gz", ".bz2", ".xz", ".zst")
_GRAPHS = (".gr", ".mtx", ".wel", ".npz", ".parquet")
_PATHS = (".npz", ".csv", ".parquet")
_TABLES = (".npz", ".npy", ".csv", ".parquet")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


@dataclass(frozen=True)
class Writer:
    """A call that writes one file or folder.

    Attributes
    ----------
    suffix : suffix of the target.
    write : writes the target.
    blocks : whether an unfinished file stays and is continued by the next run.
    tiles : whether the table is solved in tiles; an unfinished file then mixes old and new entries.
    """

    suffix: str
    write: Callable[[Path], object]
    blocks: bool = False
    tiles: bool = False


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Disturb one writer several times in one way."""
    _import_packages()
    writer = _drawn_writer(rng)
    with tempfile.TemporaryDirectory(prefix="hunt-", dir=_memory_disk()) as folder:
        target = Path(folder) / "made" / f"name{writer.suffix}"
        whole = Path(folder) / "whole" / f"name{writer.suffix}"
        for path in (target, whole):
            path.parent.mkdir()
        begin = time.perf_counter()
        if (end := run(lambda: writer.write(whole))).refused:
            raise Finding(f"{writer.suffix}: a plain write was refused: {end.refused}")
        seconds = time.perf_counter() - begin
        counts["writes"] += 1
        case = _Case(writer, target, _content(whole), seconds, rng, counts)
        troubles = [case.stop, case.stop, case.race, case.plant]
        troubles += [case.edit] * 2 if writer.blocks else []
        troubles[rng.integers(len(troubles))]()


@dataclass
class _Case:
    """One writer and the target that it writes.

    Attributes
    ----------
    new : the content that it writes.
    seconds : duration of an undisturbed write.
    """

    writer: Writer
    target: Path
    new: Content
    seconds: float
    rng: np.random.Generator
    counts: Counts

    def stop(self) -> None:
        """Stop the writer repeatedly, with or without an old file in place, then let it end."""
        if not self.writer.suffix.endswith(".zarr") and self.rng.random() < 0.7:
            self.target.write_bytes(self.rng.bytes(int(self.rng.integers(2000))))
        for _ in range(self.rng.integers(1, 12)):
            self._stopped_once()
        self._finish("after it was stopped")

    def _stopped_once(self) -> None:
        old, there = _content(self.target), self._strays()
        number = _SIGNALS[self.rng.integers(3)]
        child = Child(lambda: self.writer.write(self.target))
        child.send(number, float(self.rng.uniform(0, 1.2)) * self.seconds)
        end = child.end()
        self.counts["kills"] += 1
        self._refuse(end.refused, f"after {number.name}")
        found = _content(self.target)
        swapped = self.writer.suffix == ".zarr" and found is None  # between the two renames
        if found not in (old, self.new) and not (swapped and end.killed):
            raise self._finding(f"{number.name} left neither the old nor the new target")
        if end.done and found != self.new:
            raise self._finding("a run that ended well left another target")
        may_be_left: tuple[str, ...] = ()
        if end.killed:
            may_be_left = (*_LEFT_BY_A_KILL, ".part.old")
        elif end.stopped and self.writer.blocks:
            may_be_left = _LEFT_BY_AN_INTERRUPT
        strays = self._strays()
        if end.stopped:  # perhaps before it could remove files left by an earlier kill
            strays -= there
        if strays := {name for name in strays if not self._may_be_left(name, may_be_left)}:
            raise self._finding(f"{number.name} left {strays}")

    def race(self) -> None:
        """Let two or three processes, or threads of one process, write one target at once."""
        other = _other(self.writer, self.rng)
        elsewhere = self.target.parent.parent / "whole" / f"other{self.writer.suffix}"
        run(lambda: other.write(elsewhere))
        allowed = [self.new, _content(elsewhere)]
        self.counts["writes"] += 1
        works = [self.writer.write, other.write, self.writer.write][: self.rng.integers(2, 4)]
        threads = self.rng.random() < 0.4 and not self.writer.suffix.endswith(".parquet")
        if threads:
            end = run(lambda: _all_at_once(works, self.target))
            self._refuse(end.refused, "from threads")
        else:
            children = [Child(functools.partial(work, self.target)) for work in works]
            if self.rng.random() < 0.3:
                children[0].send(signal.SIGKILL, float(self.rng.uniform(0, 1)) * self.seconds)
                self.counts["kills"] += 1
            ends = [child.end() for child in children]
            for end in ends:
                if end.refused and not (self.writer.blocks and _is_about_another(end.refused)):
                    raise self._finding(f"a writer of several was refused: {end.refused}")
            self.counts["writes"] += sum(end.done for end in ends)
        found = _content(self.target)
        if found not in allowed and found is not None:
            raise self._finding("several writers at once left a file that none of them wrote")
        if self.writer.blocks:  # a killed writer's files may belong to the other query
            for path in self.target.parent.glob(f"{self.target.name}.part*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._finish("after several at once")

    def plant(self) -> None:
        """Put links in the places of temporary files or of the target."""
        victim = self.target.parent.parent / "victim"
        victim.write_bytes(b"precious")
        name = self.target.name
        planted = [f".{name}.{slot}.part" for slot in range(10)]
        planted += [f"{name}{end}" for end in _LEFT_BY_A_KILL]
        for at in self.rng.choice(len(planted), self.rng.integers(1, 5), replace=False):
            path = self.target.with_name(planted[at])
            if self.rng.random() < 0.7:
                path.symlink_to(victim if self.rng.random() < 0.7 else victim.with_name("gone"))
            else:
                path.hardlink_to(victim)
        real = None
        if self.rng.random() < 0.4:
            real = self.target.parent.parent / "real"
            self.target.symlink_to(real)
        end = run(lambda: self.writer.write(self.target))
        self.counts["writes"] += 1
        if victim.read_bytes() != b"precious" or victim.with_name("gone").exists():
            raise self._finding("a planted link was written through")
        if real is not None and not self.target.is_symlink():
            raise self._finding("a link was replaced instead of its target")
        if end.done and _content(self.target) != self.new:
            raise self._finding("links next to the target changed what is written")
        if end.refused and not (self.writer.blocks and "remove it" in end.refused):
            raise self._finding(f"a planted link led to: {end.refused}")

    def edit(self) -> None:
        """Kill a run, edit its note or its rows, and check that the next run notices."""
        child = Child(lambda: self.writer.write(self.target))
        child.send(signal.SIGKILL, float(self.rng.uniform(0.2, 1)) * self.seconds)
        child.end()
        self.counts["kills"] += 1
        note = self.target.with_name(f"{self.target.name}.part.json")
        saved = self.target.parent.parent / "saved"
        for _ in range(self.rng.integers(1, 6)):
            shutil.rmtree(saved, ignore_errors=True)
            shutil.copytree(self.target.parent, saved)
            changed = self._edited_part() if self.rng.random() < 0.4 else _edit_note(note, self.rng)
            end = run(lambda: self.writer.write(self.target))
            self.counts["edits"] += 1
            if end.done and _content(self.target) != self.new:
                raise self._finding(f"an edit was believed ({changed})")
            if end.refused and "delete" not in end.refused:
                raise self._finding(f"an edit ({changed}) led to: {end.refused}")
            shutil.rmtree(self.target.parent)
            shutil.copytree(saved, self.target.parent)
        self._finish("after its notes were edited and restored")

    def _edited_part(self) -> str:
        """Change one bit of a file whose content the note describes."""
        end = ".part.panels" if self.writer.tiles else ".part"
        path = self.target.with_name(f"{self.target.name}{end}")
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        file = files[self.rng.integers(len(files))] if files else None
        content = bytearray(file.read_bytes()) if file else None
        if not file or not content:
            return "nothing"
        at = int(self.rng.integers(len(content)))
        content[at] ^= 1 << int(self.rng.integers(8))
        file.write_bytes(content)
        return f"byte {at} of {file.name}"

    def _finish(self, when: str) -> None:
        """Let the writer end; check its bytes and that no other file is left in the folder."""
        end = run(lambda: self.writer.write(self.target))
        self.counts["writes"] += 1
        self._refuse(end.refused, when)
        if _content(self.target) != self.new:
            raise self._finding(f"other bytes {when}")
        if strays := self._strays():
            raise self._finding(f"{strays} are left {when} and a whole run")

    def _strays(self) -> set[str]:
        return {each.name for each in self.target.parent.iterdir()} - {self.target.name}

    def _may_be_left(self, name: str, ends: tuple[str, ...]) -> bool:
        if ends and not self.writer.blocks:
            return name.startswith(f".{self.target.name}.") and name.endswith(".part")
        return name in {f"{self.target.name}{end}" for end in ends}

    def _refuse(self, refused: str, when: str) -> None:
        if refused:
            raise self._finding(f"refused {when}: {refused}")

    def _finding(self, what: str) -> Finding:
        folder = self.target.parent
        there = sorted(str(p.relative_to(folder.parent)) for p in folder.rglob("*"))[:20]
        return Finding(f"{self.writer.suffix}, blocks={self.writer.blocks}: {what}; there: {there}")


def _drawn_writer(rng: np.random.Generator) -> Writer:
    graph = _drawn_graph(rng)
    kind = rng.integers(7)
    if kind == 0:
        suffix = str(rng.choice(_GRAPHS))
        suffix += str(rng.choice(_COMPRESSIONS)) if suffix in {".gr", ".mtx", ".wel"} else ""
        return Writer(suffix, lambda path: wp.write(graph, path))
    if kind == 1:
        paths = wp.sssp(graph, 0, threads=1)
        return Writer(str(rng.choice(_PATHS)), paths.save)
    if kind == 2:
        table = wp.distances(graph, range(min(20, graph.n)), threads=1)
        long = bool(rng.integers(2))
        return Writer(str(rng.choice(_TABLES)), lambda path: table.save(path, long=long))
    if kind == 3:
        trace = wp.sssp(graph, 0, threads=1, algorithm="classic.delta_stepping", trace=True).trace
        assert trace is not None
        return Writer(".jsonl", trace.save)
    if kind == 4:
        road = wp.generate.road(len(graph.indptr) - 1, seed=int(rng.integers(2**31)))
        return Writer(".wph", wp.prepare(road, threads=1).save)
    return _block_writer(graph, int(rng.integers(3)))


def _block_writer(graph: wp.Graph, kind: int) -> Writer:
    suffix = (".npy", ".zarr", ".npy")[kind]
    tiles = kind == 2
    algorithm = "classic.floyd_warshall" if tiles else "classic.dijkstra"

    def write(path: Path) -> None:
        _small_blocks(graph, tiles=tiles)
        wp.apsp(graph, out=path, algorithm=algorithm, threads=1)

    return Writer(suffix, write, blocks=True, tiles=tiles)


def _other(writer: Writer, rng: np.random.Generator) -> Writer:
    """Return a writer of the same suffix and kind with another content."""
    kind = operator.attrgetter("suffix", "blocks", "tiles")
    while kind(other := _drawn_writer(rng)) != kind(writer):
        pass
    return other


def _drawn_graph(rng: np.random.Generator) -> wp.Graph:
    n = int(rng.integers(100, 260))
    src, dst = rng.integers(0, n, (2, 4 * n))
    return wp.Graph.of((src, dst, rng.integers(1, 1000, 4 * n)), n=n)


def _small_blocks(graph: wp.Graph, *, tiles: bool) -> None:
    """Make this process write many small blocks, or solve in tiles."""
    from warpath.io import streams

    streams.BLOCK_BYTES = streams.CHUNK_BYTES = 16 * 200 * 8  # the same for all threads
    if tiles:
        os.environ["WARPATH_MEMORY"] = str(max(graph.n**2 * 8 * 2 // 3, 2 * 4 * 64**2 * 8))


def _all_at_once(works: list[Callable[[Path], object]], target: Path) -> None:
    """Write one target in several threads; refusing a second writer is not an error."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work, target) for work in works]:
            error = running.exception()
            refused = isinstance(error, wp.OutputError) and _is_about_another(str(error))
            if error is not None and not refused:
                raise error


def _is_about_another(message: str) -> bool:
    return "is writing it at this moment" in message or "of another query" in message


def _edit_note(note: Path, rng: np.random.Generator) -> str:
    """Change the text of a note, or one entry of it; return a description."""
    if not note.is_file():
        return "nothing"
    text = note.read_bytes()
    if rng.random() < 0.5:
        at = int(rng.integers(len(text)))
        changed = text[:at] + rng.bytes(int(rng.integers(3))) + text[at + int(rng.integers(3)) :]
        note.write_bytes(changed)
        return f"bytes at {at} of the note"
    whole = json.loads(text)
    entries = whole["state"] if isinstance(whole["state"], dict) and rng.random() < 0.5 else whole
    name = list(entries)[rng.integers(len(entries))]
    values: list[Any] = [None, -1, 0, 10**6, 2**70, "x", [], {}, True, 0.5, int(rng.integers(300))]
    entries[name] = values[rng.integers(len(values))]
    note.write_text(json.dumps(whole))
    return f"{name} = {entries[name]!r} in the note"


def _content(path: Path) -> Content:
    """Return the bytes of a file, or of all files in a folder; None if neither exists."""
    if path.is_dir():
        return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}
    return path.read_bytes() if path.exists() else None


def _memory_disk() -> str | None:
    """Return a folder in memory, if there is one: a disk takes 10 ms to sync."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108


@functools.cache
def _import_packages() -> None:
    """Import the packages that children need, to save each child a second."""
    import_all()
    importlib.import_module("zarr")
    arrow = importlib.import_module("pyarrow")
    arrow.table({"x": arrow.array(np.arange(3), mask=np.zeros(3, bool))})  # imports pandas


PROGRAM = Program(
    summary="Writers stopped at any moment, several at once, with planted links and edited notes.",
    trial=trial,
    packages=("pyarrow", "zarr"),
)
