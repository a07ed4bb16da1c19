"""Odd values for every parameter of every public call."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.program import Finding, Program
from hunt.programs._odd_values import odd_path, odd_value, shown
from hunt.programs._public_calls import Call, Subject, calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.program import Counts

_CALLS_PER_TRIAL = 100

#: Parameters that name a file, and those of callbacks, whose exceptions are their own.
_PATHS = {"path", "out"}
_CALLED = {"progress", "out", "reduce"}
_CALLS = calls()
_SHARES = np.cumsum([call.weight for call in _CALLS]) / sum(call.weight for call in _CALLS)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Make calls with odd values of one or two parameters."""
    subjects, kept = _prepared()
    for path in set(Path().iterdir()) - kept:  # files of earlier trials would affect this one
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for _ in range(_CALLS_PER_TRIAL):
        subject = subjects[rng.integers(len(subjects))]
        call = _CALLS[min(int(np.searchsorted(_SHARES, rng.random())), len(_CALLS) - 1)]
        if getattr(subject, call.needs) is not None:
            _try(call, subject, rng)
            counts["calls"] += 1


def _try(call: Call, subject: Subject, rng: np.random.Generator) -> None:
    given, odd = _arguments(call, subject, rng)
    text = ", ".join(f"{name}={shown(value)}" for name, value in given.items() if name != "graph")
    what = f"{call.name}({text}) on {subject.name}"
    try:
        answer = call.function(subject, **given)
    except wp.WarpathError as error:
        if not str(error).strip():
            raise Finding(f"{what}: {type(error).__name__} without a message") from error
        return
    except Exception as error:
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            return  # the option belongs to another kind of data
        if isinstance(error, IndexError) and call.name == "algorithms()[...]":
            return  # the catalogue is a sequence
        raise Finding(f"{what}: {type(error).__name__}: {error} ({_place(error)})") from error
    why = _wrong(answer, subject, given, odd)
    if why:
        raise Finding(f"{what}: {why}")


def _arguments(
    call: Call, subject: Subject, rng: np.random.Generator
) -> tuple[dict[str, Any], set[str]]:
    """Draw the arguments of a call; return them and the names of the odd ones."""
    names = [name for name in call.params if name != "?"]
    count = rng.integers(1, 3) if names else 0
    odd = {names[i] for i in rng.integers(max(len(names), 1), size=count)}
    given, required = {}, True
    for name, maker in call.params.items():
        if name == "?":
            required = False
        elif name in odd:
            given[name] = _odd(name, rng)
        elif required or rng.integers(6) == 0:
            given[name] = maker(subject, rng)
    return given, odd


def _odd(name: str, rng: np.random.Generator) -> Any:
    value = odd_path(rng) if name in _PATHS else odd_value(rng)
    if name in _CALLED and callable(value):
        return None
    if name in {"graph", "data"} and rng.integers(2):
        return [(0, 1, odd_value(rng)), (1, 2, 1)]
    return value


def _place(error: BaseException) -> str:
    """Return the innermost line of warpath in the error's traceback."""
    place, step = "?", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if "warpath" in file:
            place = f"{file.rpartition('warpath' + os.sep)[2]}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _wrong(answer: Any, subject: Subject, given: dict[str, Any], odd: set[str]) -> str | None:
    """Return a description of an error in an answer, or None."""
    graph = subject.graph if given.get("graph", subject.graph) is subject.graph else None
    if isinstance(answer, wp.Route):
        return _wrong_route(answer, given)
    if isinstance(answer, wp.Paths):
        return _wrong_paths(answer, given.get("cutoff"), narrow="dist_dtype" in given)
    if isinstance(answer, wp.DistanceTable):
        shape = (len(answer.source_indices), len(answer.target_indices))
        if answer.dist is not None and answer.dist.shape != shape:
            return f"a table of shape {answer.dist.shape} for {shape}"
        if isinstance(given.get("sources"), list) and "sources" not in odd and graph is not None:
            return None if shape[0] == len(given["sources"]) else f"{shape[0]} rows"
    if isinstance(answer, wp.Graph) and answer.labels is not None:
        labels = answer.labels.tolist()
        if len(labels) != answer.n or len(set(map(repr, labels))) != answer.n:
            return f"a graph whose labels are {shown(answer.labels)}"
    return None


def _wrong_route(route: wp.Route, given: dict[str, Any]) -> str | None:
    for name in ("source", "target", "vertex"):
        end = route.source if name == "source" else route.target
        if given.get(name) is None or hasattr(given[name], "__next__"):  # an iterator is used up
            continue  # None may stand for the first source of a changing graph
        if not isinstance(end, tuple) and _names(given[name]) != [end]:
            return f"a route whose {name} is {end!r}"
    return None


def _names(value: Any) -> list[Any]:
    """Return the vertices that an argument names."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, list | tuple | range | set | frozenset | dict):
        return list(value)
    return [value.item() if isinstance(value, np.generic) else value]


def _wrong_paths(paths: wp.Paths, cutoff: Any, *, narrow: bool) -> str | None:
    n = paths.graph.n
    if paths.dist.shape != (n,) or paths.pred.shape != (n,):
        return f"distances of shape {paths.dist.shape} and a tree of {paths.pred.shape}, n = {n}"
    if cutoff is None or narrow or paths.graph.first_through:
        return None
    try:
        whole = wp.sssp(paths.graph, paths.source, device="cpu").dist
    except wp.DistanceOverflowError:  # of vertices beyond the cutoff
        return None
    limit = _limit(cutoff, whole.dtype)
    unreachable = np.inf if whole.dtype.kind == "f" else np.iinfo(whole.dtype).max
    for far, near in zip(whole.tolist(), paths.dist.tolist(), strict=True):
        expected = far if far == unreachable or Fraction(far) <= limit else unreachable
        if expected != near:
            return f"a distance is {near} where {expected} is right"
    return None


def _limit(cutoff: Any, dtype: np.dtype[Any]) -> Any:
    """Return a cutoff as comparisons use it: exact for integers, rounded to a float type."""
    if dtype.kind == "i":
        return cutoff if cutoff == np.inf else int(cutoff)
    try:
        with np.errstate(over="ignore"):
            limit = float(dtype.type(cutoff))
    except OverflowError:
        return np.inf
    return limit if limit == np.inf else Fraction(limit)


@functools.cache
def _prepared() -> tuple[list[Subject], set[Path]]:
    """Change to a new folder; return the subjects and the files in that folder."""
    # Larger requests are refused before they start, so that trials stay short.
    os.environ["WARPATH_MEMORY"] = "64M"
    folder = tempfile.mkdtemp(prefix="warpath-hunt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    for name in ("folder", "folder.csv", "folder.npy", "folder.npz", "folder.png"):
        Path(name).mkdir()
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    Path("g.csv").write_text("0,1,2\n1,2,5\n", encoding="ascii")
    wp.write(graph, "g.gr")
    wp.write(graph, "g.npz")
    wp.prepare(graph).save("g.wph")
    wp.sssp(graph, 0).save("p.npz")
    trace = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True).trace
    assert trace is not None
    trace.save("r.jsonl")
    return [_subject(name, graph) for name, graph in _graphs().items()], set(Path().iterdir())


def _graphs() -> dict[str, wp.Graph]:
    edges = [(0, 1, 2), (1, 2, 5), (0, 2, 9), (2, 3, 1), (3, 0, 4), (1, 1, 0), (3, 4, 0)]
    plain = wp.Graph.of(edges, n=6)
    points = np.array([(0, 0), (1, 0), (1, 1), (0, 2), (3, 3), (4, 4)], float)
    words = ["a", "b", "c", "d", "e", "f"]
    objects = np.empty(6, object)
    objects[:] = [(0, 1), None, "c", 4, 0.5, b"x"]
    wide = np.full(plain.m, 2**61) + np.arange(plain.m)
    return {
        "int32": plain,
        "int64": plain.astype(np.int64),
        "float32": plain.astype(np.float32),
        "float64": plain.astype(np.float64).with_coordinates(points),
        "weights of 1": plain.with_weights(None),
        "texts": wp.Graph(plain.indptr, plain.indices, plain.weights, labels=words),
        "numbers": wp.Graph(plain.indptr, plain.indices, plain.weights, labels=[9, 7, 5, 3, 1, -1]),
        "objects": wp.Graph(plain.indptr, plain.indices, plain.weights, labels=objects),
        "closed": wp.Graph(plain.indptr, plain.indices, plain.weights, first_through=2),
        "undirected": wp.Graph.of(edges, directed=False, coordinates=points[:5]),
        "negative": wp.Graph.of([(0, 1, -2), (1, 2, 5), (0, 2, 9.5)], n=4),
        "negative cycle": wp.Graph.of([(0, 1, -2), (1, 0, 1), (2, 0, 1)]),
        "wide": plain.with_weights(wide),
        "large floats": plain.with_weights(np.full(plain.m, 1e308)),
        "tiny floats": plain.with_weights(np.full(plain.m, 5e-324)),
        "no vertices": wp.Graph.of([]),
        "one vertex": wp.Graph.of([], n=1),
    }


def _subject(name: str, graph: wp.Graph) -> Subject:
    """Return a graph with all results that it has."""
    subject = Subject(name, graph, None, None, None, None, None, None)
    first = None if graph.n == 0 else graph.label_of(np.array([0])).tolist()
    last = None if graph.n == 0 else graph.label_of(np.array([min(3, graph.n - 1)])).tolist()
    makers: dict[str, Callable[[], Any]] = {
        "tree": lambda: wp.sssp(graph, first),
        "table": lambda: wp.apsp(graph),
        "route": lambda: wp.path(graph, first, last),
        "within": lambda: wp.within(graph, first, [3, 8]),
        "nearest": lambda: wp.nearest(graph, first),
        "trace": lambda: wp.sssp(graph, first, algorithm="martin2009.f_cpu", trace=True).trace,
    }
    for attribute, make in makers.items():
        try:
            setattr(subject, attribute, make())
        except wp.WarpathError:  # the graph has no such result
            continue
    return subject


PROGRAM = Program(
    summary="Every public call with odd values for its parameters: only documented exceptions.",
    trial=trial,
    memory=8 * 2**30,
    packages=("pandas", "pyarrow"),
)
