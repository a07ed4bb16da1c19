"""Odd values for every parameter of every public call."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.program import Finding, Program
from hunt.programs._odd_values import odd_path, odd_value, shown
from hunt.programs._public_calls import Call, Subject, calls, empty_folder, subjects
from warpath.base.dtypes import unreachable

if TYPE_CHECKING:
    from hunt.program import Counts

_CALLS_PER_TRIAL = 100

#: Parameters that name a file, and those of callbacks, whose exceptions are their own.
_PATHS = {"path", "out"}
_CALLED = {"progress", "out", "reduce"}


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Make calls with odd values of one or two parameters."""
    empty_folder()  # files of earlier trials would affect this one
    weights = np.array([call.weight for call in calls()])
    for at in rng.choice(len(weights), _CALLS_PER_TRIAL, p=weights / weights.sum()):
        call, subject = calls()[at], subjects()[rng.integers(len(subjects()))]
        if call.suits(subject):
            names = list(call.makers)
            count = int(rng.integers(1, 3)) if names else 0
            drawn = rng.integers(max(len(names), 1), size=count)
            odd = {names[i]: _odd(names[i], rng) for i in drawn}
            _try(call, subject, call.arguments(subject, rng, odd), set(odd))
            counts["calls"] += 1


def _try(call: Call, subject: Subject, given: dict[str, Any], odd: set[str]) -> None:
    text = ", ".join(f"{name}={shown(value)}" for name, value in given.items() if name != "graph")
    what = f"{call.name}({text}) on {subject.name}"
    try:
        answer = call.on(subject, given)
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
    if why := _wrong(answer, subject, given, odd):
        raise Finding(f"{what}: {why}")


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
    limit, beyond = _limit(cutoff, whole.dtype), unreachable(whole.dtype)
    for far, near in zip(whole.tolist(), paths.dist.tolist(), strict=True):
        expected = far if far == beyond or Fraction(far) <= limit else beyond
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


PROGRAM = Program(
    summary="Every public call with odd values for its parameters: only documented exceptions.",
    trial=trial,
    memory=8 * 2**30,
    packages=("pandas", "pyarrow"),
)
