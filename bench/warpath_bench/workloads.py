"""The graphs of the benchmarks by name: ``rmat 18 16``, ``road``, ``NY``, or a file's path."""

from __future__ import annotations

import difflib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings
from warpath.base.errors import InputError
from warpath.graph import Graph, generate
from warpath.io.compression import without_suffix
from warpath.io.formats import FORMATS, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_SEED = 20261121


def _hub(n: int) -> Graph:
    """Return a random graph of degree 4 in which vertex 0 has an edge to every other vertex."""
    src, dst, weights = generate.uniform(n, 4).edges()
    leaves = np.arange(1, n, dtype=dst.dtype)
    return Graph.from_edges(
        np.concatenate((src, np.zeros_like(leaves))),
        np.concatenate((dst, leaves)),
        np.concatenate((weights, 1000 + leaves % 1000)).astype(weights.dtype),
        n=n,
    )


#: First word of a name -> generator, whose arguments are the whole numbers after that word.
MAKERS: dict[str, Callable[..., Graph]] = {
    "rmat": lambda scale, factor=16, seed=0: generate.rmat(scale, factor, seed=seed),
    "kronecker": lambda scale, factor=16: generate.kronecker(scale, factor),
    "grid": lambda side, seed=0: generate.grid(side, side, (100, 10_000), drop=0.25, seed=seed),
    "streets": lambda side: generate.grid(side, side, (70, 140), drop=0.25),
    "mesh": lambda side: generate.grid(side, side, diagonal=True),
    "road": lambda n: generate.road(n, seed=1),
    "delaunay": generate.delaunay,
    "martin": lambda n, seed=0: generate.random_in_degree(n, 7, (1, 10), seed=seed),
    "uniform": lambda n, degree=8, seed=0: generate.uniform(n, degree, seed=seed),
    "small_world": lambda n, degree=10: generate.small_world(n, degree),
    "dense": lambda n, seed=0: generate.dense(n, 0.2, (1, 10), seed=seed),
    "complete": generate.complete,
    "hub": _hub,
}
#: Short names of the graphs that are measured most often.
COLUMNS: dict[str, str] = {
    "road": "road 1000000",
    "rmat": "rmat 18 16",
    "martin": "martin 1048576",
    "delaunay": "delaunay 262144",
    "streets": "streets 1000",
}
_LOGARITHMIC = {"rmat", "kronecker"}  # kinds whose number is log2 n
_SQUARE = {"grid", "streets", "mesh", "dense", "complete"}  # kinds whose number is a root of n or m
_LEAST = 16

#: Short names of files in the data folder, by their titles.
FILES = {"cnr": "cnr-2000"}
#: Options of the reader for files that do not describe their own format.
_OPTIONS: dict[str, dict[str, Any]] = {
    "delaunay_n16": {"header": "coordinate pattern symmetric", "n": 65536},
    "soc-sign-bitcoinotc": {"weight": "feature"},
}


class Workload(NamedTuple):
    """A graph's title in tables and lines, and the function that makes or reads it."""

    title: str
    make: Callable[[], Graph]


def graph_of(name: str) -> Graph:
    """Return a graph by its name, or read it from a file, unchanged.

    >>> graph_of("martin 64").m
    448
    """
    kind, *numbers = name.split()
    if kind in MAKERS and numbers and all(number.isdigit() for number in numbers):
        return MAKERS[kind](*map(int, numbers))
    if Path(name).exists():
        return read(name)
    msg = f"{name!r} is no graph: a file, or one of {', '.join(MAKERS)} and its numbers."
    raise InputError(msg)


def workload(name: str, scale: float = 1.0, data: Path | None = None) -> Workload:
    """Return the title of a graph, and a function that makes or reads it as a `plain` graph.

    Parameters
    ----------
    name : a short name, a generator and its numbers, the title of a file in the data folder, or a
        file's path.
    scale : share of the full size of generated graphs.
    data : the data folder; by default that of the settings.

    Raises
    ------
    InputError
        If there is no such graph; with the known names.
    """
    long = COLUMNS.get(name, name)
    if long.split(maxsplit=1)[0] in MAKERS and not Path(name).exists():
        made = scaled(long, scale)
        return Workload(name if made == long else made, partial(_plain_of, made))
    folder = settings.bench_data() if data is None else data
    kept = dict(files(folder))
    path = kept.get(FILES.get(name, name), Path(name))
    if not path.is_file():
        raise InputError(_unknown(name, folder, kept))
    title = title_of(path.name)
    short = {title: short for short, title in FILES.items()}
    options = _OPTIONS.get(title, {})
    return Workload(short.get(title, title), partial(_plain_of, path, **options))


def _plain_of(graph: str | Path, **options: Any) -> Graph:
    return plain(graph_of(graph) if isinstance(graph, str) else read(graph, **options))


def files(folder: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the titles and paths of the graphs in a folder, small files first; none for None.

    Raises
    ------
    InputError
        If the folder does not exist.
    """
    if folder is None:
        return
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder; --data and WARPATH_BENCH_DATA name one of graphs."
        )
    for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_size):
        if path.is_file() and path.suffix not in {".md", ".json", ".jsonl"}:
            yield title_of(path.name), path


def plain(graph: Graph) -> Graph:
    """Return the graph in a form that every solver supports.

    Labels are dropped and closed vertices are opened, since peers do not support them. A graph
    without weights, or with negative ones, gets whole numbers 1 .. 255.
    """
    weights = graph.weights
    if weights is None or graph.facts(symmetry=False).negative:
        weights = np.random.default_rng(_SEED).integers(1, 256, graph.m, np.int32)
    return Graph(
        graph.indptr,
        graph.indices,
        weights,
        directed=graph.directed,
        coordinates=graph.coordinates,
        name=graph.name,
    )


def typed(graph: Graph, kind: str) -> Graph | None:
    """Return the graph with weights of a kind, or None if it cannot have them.

    Parameters
    ----------
    kind : "int", whole numbers as they are; "float", float64; "none", all 1; or a type. As floats,
        whole numbers become tenths, because their sums would be exact in any order.
    """
    whole = graph.weight_dtype.kind == "i"
    if kind == "none":
        return graph.with_weights(None)
    if kind == "own" or (kind == "int" and whole):
        return graph
    dtype = np.dtype({"int": "int32", "float": "float64"}.get(kind, kind))
    if dtype.kind == "i":
        return graph.astype(dtype) if whole else None
    tenths = graph._solver_weights / 10 if whole else graph._solver_weights
    return graph.with_weights(tenths.astype(dtype))


def scaled(name: str, scale: float) -> str:
    """Return the name of the same kind of graph with about `scale` times the vertices (or edges).

    >>> scaled("rmat 18 16", 0.25), scaled("grid 1000", 0.25), scaled("road 1000", 0.001)
    ('rmat 16 16', 'grid 500', 'road 16')
    """
    kind, *numbers = name.split()
    if scale == 1 or not numbers or not all(number.isdigit() for number in numbers):
        return name
    full = int(numbers[0])
    if kind in _LOGARITHMIC:
        size = max(4, full + round(np.log2(scale)))
    else:
        root = scale**0.5 if kind in _SQUARE else scale
        size = max(4 if kind in _SQUARE else _LEAST, round(full * root))
    return " ".join([kind, str(size), *numbers[1:]])


def title_of(name: str) -> str:
    """Return a graph's title in tables; for a file, the last word of its stem.

    >>> title_of("data/USA-road-d.NY.gr.gz")
    'NY'
    >>> title_of("data/p2p-Gnutella04.txt.xz")
    'p2p-Gnutella04'
    """
    if name.split(maxsplit=1)[0] in MAKERS:
        return name
    stem, suffixes = without_suffix(Path(name).name), {s for one in FORMATS for s in one.suffixes}
    while (shorter := Path(stem)).suffix in suffixes:
        stem = shorter.stem
    return stem.split(".")[-1]


def source_of(graph: Graph) -> int:
    """Return a vertex that has out-edges, drawn with a fixed seed."""
    usable = np.flatnonzero(np.diff(graph.indptr))
    if len(usable) == 0:
        raise InputError("a graph without edges has nothing to measure.")
    return int(np.random.default_rng(_SEED).choice(usable))


def tiny(graph: Graph) -> Graph:
    """Return a small graph of the same types, which uses the same kernels."""
    small = generate.uniform(64, 4, (1, 9), seed=1).astype(graph._solver_weights.dtype)
    return Graph(small.indptr, small.indices.astype(graph.indices.dtype), small.weights)


def _unknown(name: str, folder: Path | None, kept: dict[str, Path]) -> str:
    names = [*COLUMNS, *FILES, *kept]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    place = (
        f"the data folder {folder} has {', '.join(kept)}"
        if folder
        else ("files by title need --data FOLDER or WARPATH_BENCH_DATA")
    )
    return (
        f"there is no graph {name!r}: {hint}there are {', '.join(COLUMNS)}, the generators "
        f"{', '.join(MAKERS)} with their numbers, and files by path; {place}."
    )
