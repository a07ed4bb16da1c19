"""Solve in threads, under interrupts, in forked and in spawned processes, and compare the answers.

The expected distances come from another graph object with the same edges, so that they share no
cached data with the trial's graph.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import pickle
import pkgutil
import signal
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from hunt.children import Child
from hunt.program import Finding, Program
from warpath.recipes import CATALOGUE, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.program import Counts

_ALGORITHMS = [
    r.name for r in CATALOGUE if "cpu" in r.devices and Task.SSSP in r.solves and r.exact
]
_KINDS = ("int32", "int64", "float32", "float64")
#: Modules that need optional packages, or that no solve needs.
_LEFT_OUT = (
    "warpath_bench",
    "support",
    "warpath.cli",
    "warpath.nx",
    "warpath.plot",
    "warpath.csgraph",
    "warpath.engines.cuda",
)
#: Maximum seconds until an interrupt: about the duration of a solve.
_LONGEST_WAIT = 0.003


@dataclass(frozen=True)
class Case:
    """A graph and the expected answers of its calls.

    Attributes
    ----------
    sources : (k,) vertices.
    dist, pred : (k, n) distances and predecessors from each of them.
    """

    graph: wp.Graph
    sources: np.ndarray[Any, Any]
    dist: np.ndarray[Any, Any]
    pred: np.ndarray[Any, Any]


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Run one kind of trial with one to three graphs."""
    _import_all()
    cases = [_drawn_case(rng, counts) for _ in range(rng.integers(1, 4))]
    kinds: list[Callable[..., None]] = [_threads, _threads, _interrupts, _interrupts, _forks]
    kinds += [_interrupted_threads, _forks_of_threads]
    if rng.random() < 0.01:
        kinds = [_spawned]
    kinds[rng.integers(len(kinds))](cases, rng, counts)


@functools.cache
def _import_all() -> None:
    """Import all modules that solves would import later.

    CPython holds a lock for each module that is being imported. An interrupt or a fork at that
    moment can leave the lock held.
    """
    for module in pkgutil.walk_packages(wp.__path__, "warpath."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)


def _drawn_case(rng: np.random.Generator, counts: Counts) -> Case:
    n = int(rng.integers(2, 1500))
    m = int(n * rng.uniform(0.5, 6))
    src, dst = rng.integers(0, n, (2, m))
    kind = str(rng.choice(_KINDS))
    top = int(rng.choice([2, 100, 10**6]))
    weights = rng.integers(int(rng.integers(2)), top, m).astype(kind)
    sources = rng.integers(0, n, 3)

    def built() -> wp.Graph:
        return wp.Graph.of((src.copy(), dst.copy(), weights.copy()), n=n)

    reference = built()
    found = [wp.sssp(reference, s, algorithm="classic.dijkstra", threads=1) for s in sources]
    counts["solves"] += len(found)
    dist, pred = ([getattr(f, name) for f in found] for name in ("dist", "pred"))
    return Case(built(), sources, np.array(dist), np.array(pred))


def _threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Let several threads solve at the same time, including the first call on each graph."""
    seeds = [int(seed) for seed in rng.integers(0, 2**60, rng.integers(2, 7))]
    go, done, errors = threading.Barrier(len(seeds)), [], list[BaseException]()

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        try:
            go.wait()
            done.append(_calls(cases, int(own.integers(2**60)), 8))
        except BaseException as error:  # the trial raises it
            errors.append(error)

    _join([threading.Thread(target=work, args=(seed,)) for seed in seeds])
    counts["solves"] += sum(done)
    if errors:
        raise errors[0]


def _interrupts(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Interrupt calls at random moments, and check the calls that follow."""
    for _ in range(20):
        case = cases[rng.integers(len(cases))]
        _interrupted(float(rng.uniform(1e-5, _LONGEST_WAIT)), case, rng, counts)
        counts["interrupts"] += 1
        counts["solves"] += _one_call(case, rng)


def _interrupted_threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Interrupt the main thread while others solve on the same graphs."""
    end, done, errors = threading.Event(), [], list[BaseException]()

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        try:
            while not end.is_set():
                done.append(_one_call(cases[own.integers(len(cases))], own))
        except BaseException as error:  # the trial raises it
            errors.append(error)

    threads = [
        threading.Thread(target=work, args=(int(seed),)) for seed in rng.integers(0, 2**60, 2)
    ]
    for thread in threads:
        thread.start()
    try:
        _interrupts(cases, rng, counts)
    finally:
        end.set()
        for thread in threads:
            thread.join()
    counts["solves"] += sum(done)
    if errors:
        raise errors[0]


def _forks(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Fork after multithreaded solves, and solve in the parent and in the children."""
    for case in cases:
        counts["solves"] += _one_call(case, rng, threads=2)
    for _ in range(3):
        seed = int(rng.integers(2**60))
        child = Child(lambda seed=seed: _calls(cases, seed, 6))  # type: ignore[misc]
        counts["solves"] += _calls(cases, seed + 1, 6)
        if not child.end().done:
            raise Finding("a forked child did not end its solves")
        counts["solves"] += 6
        counts["forks"] += 1


def _forks_of_threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Fork while another thread solves."""
    end, errors = threading.Event(), list[BaseException]()
    seed = int(rng.integers(2**60))

    def work() -> None:
        own = np.random.default_rng(seed)
        try:
            while not end.is_set():
                _one_call(cases[own.integers(len(cases))], own, threads=2)
        except BaseException as error:  # the trial raises it
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for number in range(3):
            if not Child(lambda n=number: _calls(cases, seed + n, 4)).end().done:  # type: ignore[misc]
                raise Finding("a child that was forked while a thread solved did not end")
            counts["solves"] += 4
            counts["forks"] += 1
    finally:
        end.set()
        thread.join()
    if errors:
        raise errors[0]


def _spawned(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Solve in spawned processes that receive the graphs as pickles."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        seeds = rng.integers(0, 2**60, 4).tolist()
        counts["solves"] += sum(pool.starmap(_calls, [(cases, seed, 5) for seed in seeds]))
    counts["spawns"] += 2


def _calls(cases: list[Case], seed: int, times: int) -> int:
    own = np.random.default_rng(seed)
    return sum(_one_call(cases[own.integers(len(cases))], own) for _ in range(times))


def _one_call(case: Case, rng: np.random.Generator, threads: int | None = None) -> int:
    """Make one call, compare its answer, and return the number of solves."""
    graph, at = case.graph, int(rng.integers(len(case.sources)))
    source = int(case.sources[at])
    options: dict[str, Any] = {"threads": threads or [None, 1, 2, 3][rng.integers(4)]}
    if rng.random() < 0.6:
        options["algorithm"] = str(rng.choice(_ALGORITHMS))
    question = int(rng.integers(7))
    try:
        if question == 0:
            graph = pickle.loads(pickle.dumps(graph))  # noqa: S301 - its own
        if question == 1:
            graph.facts()
            wp.plan(graph, source)
        if question == 2:
            graph.reversed()
        if question == 3:
            table = wp.distances(graph, case.sources, threads=options["threads"])
            _compare(table.dist, case.dist, "distances", options)
            return len(case.sources)
        if question == 4:
            target = int(rng.integers(graph.n))
            wp.verify(graph, wp.sssp(graph, source, **options))
            if np.isfinite(case.dist[at, target]) and case.pred[at, target] >= 0:
                length = wp.path(graph, source, target).length
                _compare(np.array(length, case.dist.dtype), case.dist[at, target], "path", options)
            return 2
        found = wp.sssp(graph, source, **options)
        _compare(found.dist, case.dist[at], "sssp", options)
        _compare(found.pred, case.pred[at], "the tree of sssp", options)
    except (wp.NotSupportedError, wp.InputError):
        if "algorithm" not in options:  # an algorithm may not support the weights
            raise
    return 1


def _compare(found: Any, expected: Any, what: str, options: dict[str, Any]) -> None:
    if found.dtype != expected.dtype or found.tobytes() != np.ascontiguousarray(expected).tobytes():
        wrong = np.flatnonzero(np.atleast_1d(found != expected).ravel())[:5].tolist()
        raise Finding(f"{what} with {options}: other values at {wrong}")


def _join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Alarm(BaseException):
    """The exception of the timer, in place of Ctrl-C's KeyboardInterrupt."""


def _interrupted(after: float, case: Case, rng: np.random.Generator, counts: Counts) -> None:
    """Solve until a signal handler raises an exception after some seconds."""

    def ring(*_: object) -> None:
        raise _Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, after)
            for _ in range(500):  # limited, as an exception in a weakref callback is ignored
                counts["solves"] += _one_call(case, rng)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Alarm:
        pass
    signal.signal(signal.SIGALRM, before)


PROGRAM = Program(
    summary="Solves in threads, under interrupts, in forked and spawned processes.",
    trial=trial,
)
