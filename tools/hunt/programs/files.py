"""Damaged files of all formats and compressions, read with limited memory.

Reading must give a valid graph, or raise an error that `warpath.read` documents.
"""

from __future__ import annotations

import functools
import io
import os
import random
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt._mutations import COMPRESSIONS, bomb, mutated
from hunt.program import Finding, Program
from support.memory import forget_peak, status
from warpath.base.errors import InputError, NotSupportedError
from warpath.io import formats

if TYPE_CHECKING:
    from hunt.program import Counts

#: Bytes that a reader may take, and by which the process may grow in a trial, overhead included.
_MEMORY = 64 << 20
_GROWTH = 4 * _MEMORY

_MUTANTS = 100

_GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "io" / "golden"
#: Files of formats that the tests have none of, by name.
_TEXTS = {
    "a.tsv": b"from\tto\tweight\nBern\tThun\t31.5\nThun\tBrig\t75\n",
    "a.csv": b"source,target,length\n0,1,5\n1,2,7\n2,0,1\n",
    "quoted.csv": b'"source","target","w"\n"a, b","c",1\n"c","d ""e""",2.5\n',
    "a.osm": b'<?xml version="1.0"?>\n<osm version="0.6">\n'
    b'<node id="1" version="2" lat="1" lon="2"/>\n<node id="2" lat="1.1" lon="2"/>\n'
    b'<node id="3" lat="1.2" lon="2"/>\n<way id="9">'
    b'<nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/>'
    b'<tag k="maxspeed" v="30 mph"/></way>\n</osm>\n',
}

#: Mutants per trial of files that are slow to read.
_SLOW = {".osm": 20, ".csv": 50, ".parquet": 40}

#: Options with which some mutants are read.
_OPTIONS: tuple[dict[str, Any], ...] = (
    {"directed": False}, {"directed": True}, {"weight": None}, {"weight": 2}, {"weight": "length"},
    {"ids": "text"}, {"ids": "numbers"}, {"columns": (0, 1)}, {"columns": (0, 1, 2)},
    {"columns": ("source", "target")}, {"n": 4}, {"n": 2**40}, {"skip_lines": 1}, {"member": "x"},
    {"header": "coordinate pattern symmetric"}, {"service": True, "weight": "seconds"},
    {"delimiter": ";"}, *({"format": known.name} for known in formats.FORMATS),
)  # fmt: skip


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Damage one file in a hundred ways and read it each time."""
    os.environ["WARPATH_MEMORY"] = str(_MEMORY)
    # Faster than NumPy's generator for single numbers.
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - damage, not secrets
    names = list(_whole_files())
    slow = {each: _SLOW.get(Path(each).suffix, 0) for each in names}
    name = chance.choice([each for each in names if not slow[each] or chance.random() < 0.3])
    whole = _whole_files()[name]
    if name == "a.npz" and chance.random() < 0.7:
        whole = _with_an_odd_array(whole, chance)
    bombs = []
    if chance.random() < 0.02:
        end = chance.choice(list(COMPRESSIONS))
        bombs.append((bomb(end, chance), name + end))
    before = forget_peak()  # excludes the memory in which the bomb was made
    for _ in range(slow[name] or _MUTANTS):
        data, end = _damaged(whole, chance)
        named = name + end if chance.random() < 0.95 else chance.choice(names)
        options = chance.choice(_OPTIONS) if chance.random() < 0.1 else {}
        _read(data, named, options, counts)
    for data, named in bombs:
        _read(data, named, {}, counts)
        counts["bombs"] += 1
    peak = status("VmHWM")
    if peak - before > _GROWTH:
        raise Finding(
            f"the process grew from {before:,} to {peak:,} bytes over files that start like "
            f"{whole[:60]!r} ({name}), with WARPATH_MEMORY={_MEMORY:,}"
        )


def _damaged(whole: bytes, chance: random.Random) -> tuple[bytes, str]:
    """Return damaged bytes and the suffix of their compression; most are not compressed."""
    data = mutated(whole, chance)
    if chance.random() < 0.85:
        return data, ""
    end = chance.choice(list(COMPRESSIONS))
    kind = chance.randrange(4)
    packed = COMPRESSIONS[end](whole if kind == 0 else data)
    if kind == 0:
        packed = mutated(packed, chance)
    elif kind == 1:
        packed += COMPRESSIONS[chance.choice([end, *COMPRESSIONS])](whole)
    return packed, end


def _read(data: bytes, name: str, options: dict[str, Any], counts: Counts) -> None:
    path = _folder() / name
    path.write_bytes(data)
    counts["mutants"] += 1
    try:
        loads = path.suffix == ".wph" and not options  # the hierarchy too
        graph = wp.load(path).graph if loads else wp.read(path, **options)
    except (InputError, NotSupportedError) as error:
        counts["refused"] += 1
        if not (text := str(error)).isprintable() or len(text) > 5000:
            raise Finding(_repeat(data, name, options, f"its message is {text[:5000]!r}")) from None
    except Exception as error:
        raise Finding(_repeat(data, name, options, f"{type(error).__name__}: {error}")) from error
    else:
        broken = _broken_promise(graph)
        if broken:
            raise Finding(_repeat(data, name, options, f"the graph has {broken}"))
    finally:
        path.unlink()


def _repeat(data: bytes, name: str, options: dict[str, Any], reason: str) -> str:
    shown = repr(data) if len(data) < 4000 else f"{data[:4000]!r}... ({len(data):,} bytes)"
    return f"reading {name} with {options}: {reason}\nthe file's bytes: {shown}"


def _broken_promise(graph: wp.Graph) -> str:
    """Return a description of a graph's inconsistencies, "" if it has none."""
    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    n, m = len(indptr) - 1, len(indices)
    promises = {
        "row offsets from 0 to m": n >= 0 and indptr[0] == 0 and indptr[-1] == m,
        "row offsets that ascend": not (indptr[1:] < indptr[:-1]).any(),
        "vertices in range": not m or 0 <= indices.min() <= indices.max() < n,
        "a weight for each edge": weights is None or len(weights) == m,
        "weights above -inf": weights is None or bool((weights > -np.inf).all()),  # no NaN either
        "a label for each vertex": graph.labels is None or len(graph.labels) == n,
        "places in pairs": graph.coordinates is None or graph.coordinates.shape == (n, 2),
    }
    broken = [promise for promise, holds in promises.items() if not holds]
    return f"not {broken}: {indptr!r:.200}, {indices!r:.200}, {weights!r:.200}" if broken else ""


@functools.cache
def _whole_files() -> dict[str, bytes]:
    """Return valid files by name."""
    graph = wp.generate.grid(3, 3, weights=(1, 5))
    found = {file.name: file.read_bytes() for file in _GOLDEN.iterdir()} | _TEXTS
    for name in ("a.npz", "a.parquet"):
        wp.write(graph, _folder() / name)
        found[name] = (_folder() / name).read_bytes()
    return found


def _with_an_odd_array(archive: bytes, chance: random.Random) -> bytes:
    """Return an archive of arrays in which one is replaced by an odd or invalid one."""
    with zipfile.ZipFile(io.BytesIO(archive)) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    descr = chance.choice(["<i8", ">i4", "|b1", "<f2", "<U9", "|S0", "|V0", "<c16", "|O", "x"])
    shapes = "()", "(True,)", "(0,)", "(-1,)", "(3,)", "(1, 3)", f"({10**12},)", f"({2**62}, 4)"
    shape = chance.choice(shapes)
    odd = chance.choice([*parts, "labels.npy", "name.npy"])
    parts[odd] = _array_file(repr(descr), shape, bytes(chance.choice((0, 3, 24))))
    buffer = io.BytesIO()
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", method) as made:
        for name, part in parts.items():
            made.writestr(name, part)
    return buffer.getvalue()


def _array_file(descr: str, shape: str, data: bytes) -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@functools.cache
def _folder() -> Path:
    """Return an empty folder, in memory if the system supports that."""
    memory = Path("/dev/shm")  # noqa: S108 - a new folder is made in it
    parent = memory if memory.is_dir() else None
    holder = tempfile.TemporaryDirectory(prefix="warpath-hunt-", dir=parent)
    _HOLDERS.append(holder)  # it is removed when the process ends
    return Path(holder.name)


_HOLDERS: list[tempfile.TemporaryDirectory[str]] = []


PROGRAM = Program(
    summary="Damaged files of all formats and compressions, read under limits of memory.",
    trial=trial,
    hang=60.0,
    memory=8 << 30,
    packages=("pyarrow", "osmium", "zstandard"),
)
