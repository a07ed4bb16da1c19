"""Solve in threads, under interrupts, in forked and in spawned processes, and compare the answers.

The expected distances come from another graph object with the same edges, so that they share no
cached data with the trial's graph.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath as wp
from hunt.children import Child, import_all
from hunt.program import Finding, Program
from support.recipes import on_cpu
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hunt.program import Counts

_ALGORITHMS = [each.name for each in on_cpu(Task.SSSP) if each.exact]
_KINDS = ("int32", "int64", "float32", "float64")
#: Maximum seconds until an interrupt: about the duration of a solve.
_LONGEST_WAIT = 0.003


class Case(NamedTuple):
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
    import_all()
    cases = [_drawn_case(rng, counts) for _ in range(rng.integers(1, 4))]
    kinds: list[Callable[..., None]] = [_threads, _threads, _interrupts, _interrupts, _forks]
    kinds += [_interrupted_threads, _forks_of_threads]
    if rng.random() < 0.01:
        kinds = [_spawned]
    kinds[rng.integers(len(kinds))](cases, rng, counts)


def _drawn_case(rng: np.random.Generator, counts: Counts) -> Case:
    n = int(rng.integers(2, 1500))
    src, dst = rng.integers(0, n, (2, int(n * rng.uniform(0.5, 6))))
    top, kind = int(rng.choice([2, 100, 10**6])), str(rng.choice(_KINDS))
    weights = rng.integers(int(rng.integers(2)), top, len(src)).astype(kind)
    sources = rng.integers(0, n, 3)
    reference, graph = (wp.Graph.of((src.copy(), dst, weights.copy()), n=n) for _ in range(2))
    found = [wp.sssp(reference, s, algorithm="classic.dijkstra", threads=1) for s in sources]
    counts["solves"] += len(found)
    dist, pred = ([getattr(f, name) for f in found] for name in ("dist", "pred"))
    return Case(graph, sources, np.array(dist), np.array(pred))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**60))


def _threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Let several threads solve at the same time, including the first call on each graph."""
    number = int(rng.integers(2, 7))
    go = threading.Barrier(number)

    def work(seed: int) -> int:
        go.wait()
        return _calls(cases, seed, 8)

    with ThreadPoolExecutor(number) as pool:
        counts["solves"] += sum(pool.map(work, [_seed(rng) for _ in range(number)]))


def _interrupts(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Interrupt calls at random moments, and check the calls that follow."""
    for _ in range(20):
        case = cases[rng.integers(len(cases))]
        _interrupted(float(rng.uniform(1e-5, _LONGEST_WAIT)), case, rng, counts)
        counts["interrupts"] += 1
        counts["solves"] += _one_call(case, rng)


@contextlib.contextmanager
def _solving(cases: list[Case], rng: np.random.Generator, number: int) -> Iterator[None]:
    """Let threads solve on the same graphs until the block ends."""
    end = threading.Event()

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        while not end.is_set():
            _one_call(cases[own.integers(len(cases))], own)

    with ThreadPoolExecutor(number) as pool:
        running = [pool.submit(work, _seed(rng)) for _ in range(number)]
        try:
            yield
        finally:
            end.set()
        for each in running:
            each.result()


def _interrupted_threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Interrupt the main thread while others solve on the same graphs."""
    with _solving(cases, rng, 2):
        _interrupts(cases, rng, counts)


def _forks_of_threads(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Fork while another thread solves."""
    seed = _seed(rng)
    with _solving(cases, rng, 1):
        for number in range(3):
            child = Child(functools.partial(_calls, cases, seed + number, 4))
            if not child.end().done:
                raise Finding("a child that was forked while a thread solved did not end")
            counts.update(solves=4, forks=1)


def _forks(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Fork after multithreaded solves, and solve in the parent and in the children."""
    for case in cases:
        counts["solves"] += _one_call(case, rng, threads=2)
    for _ in range(3):
        seed = _seed(rng)
        child = Child(functools.partial(_calls, cases, seed, 6))
        counts["solves"] += _calls(cases, seed + 1, 6)
        if not child.end().done:
            raise Finding("a forked child did not end its solves")
        counts["solves"] += 6
        counts["forks"] += 1


def _spawned(cases: list[Case], rng: np.random.Generator, counts: Counts) -> None:
    """Solve in spawned processes that receive the graphs as pickles."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        seeds = [_seed(rng) for _ in range(4)]
        counts["solves"] += sum(pool.starmap(_calls, [(cases, seed, 5) for seed in seeds]))
    counts["spawns"] += 2


def _calls(cases: list[Case], seed: int, times: int) -> int:
    own = np.random.default_rng(seed)
    return sum(_one_call(cases[own.integers(len(cases))], own) for _ in range(times))


def _one_call(case: Case, rng: np.random.Generator, threads: int | None = None) -> int:
    """Make one call, compare its answer, and return the number of solves."""
    graph, at = case.graph, int(rng.integers(len(case.sources)))
    source = int(case.sources[at])
    threads = threads or [None, 1, 2, 3][rng.integers(4)]
    question = int(rng.integers(6))
    if question == 0:
        table = wp.distances(graph, case.sources, threads=threads)
        _compare(table.dist, case.dist, "distances")
        return len(case.sources)
    if question == 1:
        graph = pickle.loads(pickle.dumps(graph))  # noqa: S301 - its own
    if question == 2:
        wp.plan(graph, source)
        graph.reversed()
    algorithm = str(rng.choice(_ALGORITHMS)) if rng.random() < 0.6 else "auto"
    try:
        found = wp.sssp(graph, source, algorithm=algorithm, threads=threads)
    except (wp.NotSupportedError, wp.InputError):
        if algorithm == "auto":  # an algorithm may not support the weights
            raise
        return 1
    _compare(found.dist, case.dist[at], f"sssp by {algorithm} on {threads} threads")
    _compare(found.pred, case.pred[at], f"the tree by {algorithm} on {threads} threads")
    if question == 3:
        wp.verify(graph, found)
    return 1


def _compare(found: Any, expected: Any, what: str) -> None:
    if found.dtype != expected.dtype or found.tobytes() != np.ascontiguousarray(expected).tobytes():
        wrong = np.flatnonzero(np.atleast_1d(found != expected).ravel())[:5].tolist()
        raise Finding(f"{what}: other values at {wrong}")


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


PROGRAM = Program("Solves in threads, under interrupts, in forked and spawned processes.", trial)
