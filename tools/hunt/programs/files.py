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
from warpath.base.errors import InputError, NotSupportedError
from warpath.io import formats

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hunt.program import Counts

#: Bytes that a reader may take, and by which the process may grow in a trial, overhead included.
_MEMORY = 64 << 20
_GROWTH = 4 * _MEMORY

_MUTANTS = 100

_TEXTS = {
    ".gr": b"c a comment\n\np sp 4 4\na 1 2 5\na 2 3 7\na 3 1 1\na 4 1 2\n",
    ".mtx": b"%%MatrixMarket matrix coordinate real general\n% x\n4 4 3\n1 2 0.5\n2 3 7\n4 1 1e3\n",
    ".graph": b"% x\n4 3 001\n2 5\n1 5 3 6\n2 6 4 1\n3 1\n",
    "_net.tntp": b"<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 4\n<FIRST THRU NODE> 1\n"
    b"<NUMBER OF LINKS> 2\n<END OF METADATA>\n~ init term ;\n"
    b"1 2 900 1.5 6 0.15 4 0 0 1 ;\n2 3 900 2 4 0.15 4 0 0 1 ;\n",
    ".wel": b"0 1 5\n1 2 7\n2 0 1\n",
    ".el": b"0 1\n1 2\n2 0\n",
    ".txt": b"# Nodes: 4\n# FromNodeId\tToNodeId\n0\t11\n11\t342\n342\t7\n",
    ".tsv": b"from\tto\tweight\nBern\tThun\t31.5\nThun\tBrig\t75\n",
    ".csv": b"source,target,length\n0,1,5\n1,2,7\n2,0,1\n",
    "_quoted.csv": b'"source","target","w"\n"a, b","c",1\n"c","d ""e""",2.5\n',
    ".osm": b'<?xml version="1.0"?>\n<osm version="0.6">\n'
    b'<node id="1" version="2" lat="1" lon="2"/>\n<node id="2" lat="1.1" lon="2"/>\n'
    b'<node id="3" lat="1.2" lon="2"/>\n<way id="9">'
    b'<nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/>'
    b'<tag k="maxspeed" v="30 mph"/></way>\n</osm>\n',
}

#: Mutants per trial of formats that are slow to read.
_SLOW = {".osm": 20, "_quoted.csv": 40, ".parquet": 40}

#: Options with which some mutants are read.
_OPTIONS: tuple[dict[str, Any], ...] = (
    {"directed": False},
    {"directed": True},
    {"weight": None},
    {"weight": 2},
    {"weight": "length"},
    {"ids": "text"},
    {"ids": "numbers"},
    {"columns": (0, 1)},
    {"columns": (0, 1, 2)},
    {"columns": ("source", "target")},
    {"n": 4},
    {"n": 2**40},
    {"skip_lines": 1},
    {"member": "x"},
    {"header": "coordinate pattern symmetric"},
    {"service": True, "weight": "seconds"},
    {"delimiter": ";"},
    *({"format": known.name} for known in formats.FORMATS),
)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Damage one file in a hundred ways and read it each time."""
    os.environ["WARPATH_MEMORY"] = str(_MEMORY)
    # Faster than NumPy's generator for single numbers.
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - damage, not secrets
    suffix, whole = _whole(rng, chance)
    bombs = []
    if chance.random() < 0.02:
        end = chance.choice(list(COMPRESSIONS))
        bombs.append((bomb(end, chance, _bombs()), suffix + end))
    before = _forget_peak()  # excludes the memory in which the bomb was made
    for _ in range(_SLOW.get(suffix, _MUTANTS)):
        data, end = _damaged(whole, chance)
        named = suffix + end if chance.random() < 0.95 else chance.choice(list(_TEXTS))
        options = chance.choice(_OPTIONS) if chance.random() < 0.1 else {}
        _read(data, named, options, counts)
    for data, named in bombs:
        _read(data, named, {}, counts)
        counts["bombs"] += 1
    peak = _status("VmHWM")
    if peak - before > _GROWTH:
        msg = (
            f"the process grew from {before:,} to {peak:,} bytes over files that start like "
            f"{whole[:60]!r} ({suffix}), with WARPATH_MEMORY={_MEMORY:,}"
        )
        raise Finding(msg)


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


def _read(data: bytes, suffix: str, options: dict[str, Any], counts: Counts) -> None:
    path = _folder() / f"a{suffix}"
    path.write_bytes(data)
    counts["mutants"] += 1
    try:
        loads = suffix == ".wph" and not options  # the hierarchy too
        graph = wp.load(path).graph if loads else wp.read(path, **options)
    except (InputError, NotSupportedError) as error:
        counts["refused"] += 1
        text = str(error)
        if not text.isprintable() or len(text) > 5000:
            raise Finding(
                _repeat(data, suffix, options, f"its message is {text[:5000]!r}")
            ) from None
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise Finding(_repeat(data, suffix, options, reason)) from error
    else:
        broken = _broken_promise(graph)
        if broken:
            raise Finding(_repeat(data, suffix, options, f"the graph has {broken}"))
    finally:
        path.unlink()


def _repeat(data: bytes, suffix: str, options: dict[str, Any], reason: str) -> str:
    shown = repr(data) if len(data) < 4000 else f"{data[:4000]!r}... ({len(data):,} bytes)"
    return f"reading a{suffix} with {options}: {reason}\nthe file's bytes: {shown}"


def _broken_promise(graph: wp.Graph) -> str:
    """Return a description of a graph's inconsistencies, "" if it has none."""
    indptr, indices, weights = graph.indptr, graph.indices, graph.weights
    n, m = len(indptr) - 1, len(indices)
    promises = {
        "row offsets from 0 to m": n >= 0 and indptr[0] == 0 and indptr[-1] == m,
        "row offsets that ascend": not (indptr[1:] < indptr[:-1]).any(),
        "vertices in range": not m or 0 <= indices.min() <= indices.max() < n,
        "a weight for each edge": weights is None or len(weights) == m,
        "weights above -inf": weights is None or weights.dtype.kind == "i" or _fine(weights),
        "a label for each vertex": graph.labels is None or len(graph.labels) == n,
        "places in pairs": graph.coordinates is None or graph.coordinates.shape == (n, 2),
    }
    broken = [promise for promise, holds in promises.items() if not holds]
    return f"not {broken}: {indptr!r:.200}, {indices!r:.200}, {weights!r:.200}" if broken else ""


def _fine(weights: NDArray[Any]) -> bool:
    return bool((weights > -np.inf).all())  # also False for NaN


def _whole(rng: np.random.Generator, chance: random.Random) -> tuple[str, bytes]:
    """Return the suffix and the bytes of a valid file."""
    kind = chance.random()
    if kind < 0.5:
        suffix = chance.choice([s for s in _TEXTS if s not in _SLOW or chance.random() < 0.3])
        return suffix, _TEXTS[suffix]
    if kind < 0.65:
        return ".wsg", _serialized(rng)
    makers: dict[str, Callable[[wp.Graph], bytes]] = {
        suffix: functools.partial(_written, suffix)
        for suffix in (".npz", ".npz", ".gr", ".mtx", ".wel", ".parquet")
    }
    makers[".wph"] = _prepared
    suffix = chance.choice([s for s in makers if s not in _SLOW or chance.random() < 0.3])
    if suffix == ".npz" and chance.random() < 0.5:
        return suffix, _matrix(rng, chance)
    return suffix, makers[suffix](_graph(rng))


def _graph(rng: np.random.Generator) -> wp.Graph:
    n, m = (int(count) for count in rng.integers(1, 12, 2))
    src, dst = rng.integers(0, n, (2, m))
    src[-1] = n - 1  # a vertex without edges at the end is lost in .wel
    return wp.Graph.of((src, dst, rng.integers(0, 100, m)), n=n)


def _written(suffix: str, graph: wp.Graph) -> bytes:
    path = _folder() / f"w{suffix}"
    wp.write(graph, path)
    data = path.read_bytes()
    path.unlink()
    return data


def _prepared(graph: wp.Graph) -> bytes:
    path = _folder() / "w.wph"
    wp.prepare(graph, threads=1).save(path)
    data = path.read_bytes()
    path.unlink()
    return data


def _serialized(rng: np.random.Generator) -> bytes:
    graph = _graph(rng)
    pairs = np.column_stack([graph.indices, graph.solver_weights]).astype("<i4")
    half = graph.indptr.astype("<i8").tobytes() + pairs.tobytes()
    return b"\1" + np.array([graph.m, graph.n], "<i8").tobytes() + half + half


def _matrix(rng: np.random.Generator, chance: random.Random) -> bytes:
    """Return an archive in the format of SciPy's `save_npz`, often with one invalid array."""
    graph = _graph(rng)
    parts: dict[str, bytes] = {}
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "data": graph.solver_weights}
    for name, array in (arrays | {"shape": np.array([graph.n, graph.n])}).items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        parts[name] = buffer.getvalue()
    parts["format"] = _array_file("'|S3'", "()", b"csr")
    odd = chance.choice([*parts, "labels", "name"])
    if chance.random() < 0.7:
        descr = chance.choice(["<i8", ">i4", "|b1", "<f2", "<U9", "|S0", "|V0", "<c16", "|O", "x"])
        shape = chance.choice(
            ["()", "(True,)", "(0,)", "(-1,)", "(3,)", "(1, 3)", f"({10**12},)", f"({2**62}, 4)"]
        )
        parts[odd] = _array_file(repr(descr), shape, bytes(chance.choice((0, 3, 24))))
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, part in parts.items():
            archive.writestr(f"{name}.npy", part)
    return buffer.getvalue()


def _array_file(descr: str, shape: str, data: bytes) -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@functools.cache
def _bombs() -> dict[str, bytes]:
    return {}


@functools.cache
def _folder() -> Path:
    """Return an empty folder, in memory if the system supports that."""
    memory = Path("/dev/shm")  # noqa: S108 - a new folder is made in it
    parent = memory if memory.is_dir() else None
    holder = tempfile.TemporaryDirectory(prefix="warpath-hunt-", dir=parent)
    _HOLDERS.append(holder)  # it is removed when the process ends
    return Path(holder.name)


_HOLDERS: list[tempfile.TemporaryDirectory[str]] = []


def _forget_peak() -> int:
    """Reset the process's peak of memory, and return the memory that it holds, in bytes."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # proc(5): resets VmHWM
    return _status("VmRSS")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


PROGRAM = Program(
    summary="Damaged files of all formats and compressions, read under limits of memory.",
    trial=trial,
    hang=60.0,
    memory=8 << 30,
    packages=("pyarrow", "osmium", "zstandard"),
)
