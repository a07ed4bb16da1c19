"""Measure one recipe on one graph: warm up, time, verify, then trace, within a time limit."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath.api import calls
from warpath.base import units
from warpath.base.dtypes import unreachable
from warpath.base.errors import WarpathError
from warpath.engines.rounds.clock import Clock
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.axes import Direction, Layout, Select, Side
from warpath.recipes.params import chosen_params
from warpath.recipes.recipe import IN_ONE_LAUNCH
from warpath.results.certificate import verify
from warpath_bench.workloads import graph_of, source_of, tiny, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.recipes import Recipe
    from warpath.recipes.axes import Axes
    from warpath.results.paths import Paths

_SHORT = 1.0  # seconds; a shorter solve is timed three times
_WARM_UP = 2.0  # seconds on the graph itself; enough to copy it to the device
_TRACED = 5  # slowdown of a traced solve, which waits for the device after each step
_WIDEST_MATRIX = 20_000  # vertices
_SEEDS = 3  # of the emulator's orders of threads
_MOST_EMULATED = 100_000  # edges of a graph that the emulator solves


class Solve(Protocol):
    """The signature of `sssp`, which tests replace."""

    def __call__(
        self,
        graph: Graph,
        source: Any,
        *,
        algorithm: str,
        device: str,
        params: dict[str, float],
        trace: bool,
    ) -> Paths:
        """Return the shortest paths from a source."""
        ...


@dataclass(frozen=True)
class Job:
    """A measurement of one recipe on one graph.

    Attributes
    ----------
    study, graph, recipe : names.
    delta : factor of the default delta, or of Davidson et al.'s if a loop chooses its own delta.
    counts : whether to count work and parallelism.
    rounds : whether to record the counts of each round.
    """

    study: str
    graph: str
    recipe: str
    delta: float | None = None
    counts: bool = True
    rounds: bool = False

    @property
    def key(self) -> tuple[str, str, str, float | None]:
        """The job's key in a file of lines."""
        return self.study, title_of(self.graph), self.recipe, self.delta


class TimeIsUpError(Exception):
    """A solve reached its time limit after `rounds` rounds; None if it counts none."""

    def __init__(self, rounds: int | None) -> None:
        super().__init__(f"stopped after {rounds} rounds")
        self.rounds = rounds


class Pairs:
    """Measures jobs; caches the last graph and its certified distances.

    Parameters
    ----------
    limit : seconds for one solve, which is stopped between two rounds.
    traced : maximum expected seconds of a traced solve; if it would take longer, it is omitted.
    solve : the solver, `sssp` by default.
    device : the GPU, or "emulated" for the counts of recipes for GPUs without their times.
    graphs : makes the graph of a name; `graph_of` by default.
    """

    def __init__(
        self,
        limit: float,
        traced: float,
        solve: Solve | None = None,
        device: str = "cuda",
        graphs: Callable[[str], Graph] | None = None,
    ) -> None:
        self.limit = limit
        self.traced = traced
        self.device = device
        self._made = graphs or graph_of
        self._solve = solve or calls.sssp
        self._name = ""
        self._graph: Graph
        self._source = 0
        self._right: Array

    def measure(self, job: Job) -> dict[str, Any]:
        """Return the line of a job, with its measurements or the reason why there are none."""
        recipe = CATALOGUE[job.recipe]
        self._prepare(job.graph)
        graph, facts = self._graph, self._graph.facts(symmetry=False)
        device = "cpu" if "cpu" in recipe.devices else self.device
        line = {
            "study": job.study,
            "graph": title_of(job.graph),
            "recipe": job.recipe,
            "factor": job.delta,
            "n": graph.n,
            "m": graph.m,
            "weights": facts.weight_dtype,
            "mean_degree": facts.mean_degree,
            "source": self._source,
            "device": device,
        }
        refused = recipe.objection(Task.SSSP, facts) or too_wide(recipe, graph)
        if refused is not None:
            return line | {"refused": refused}
        params = {}
        if job.delta is not None:
            default = chosen_params(recipe, facts, {}).get("delta", _rule(facts))
            params = {"delta": max(default * job.delta, 1 if facts.integer else 0)}
        call = {"algorithm": job.recipe, "device": device, "params": params}
        try:
            if device == "emulated":
                return line | self._emulated(recipe, call, job)
            return line | self._timed(recipe, call, job)
        except TimeIsUpError as stopped:
            return line | {"limit": self.limit, "rounds_made": stopped.rounds}
        except (WarpathError, MemoryError) as error:
            return line | {"failed": f"{type(error).__name__}: {error}"}

    def _prepare(self, name: str) -> None:
        if name == self._name:
            return
        self._graph = self._made(name)
        self._source = source_of(self._graph)
        self._name = name
        label = self._graph.label_of(np.array([self._source]))[0]
        certified = calls.sssp(self._graph, label, device="cpu")
        verify(self._graph, certified)
        self._right = certified.dist

    def _timed(self, recipe: Recipe, call: dict[str, Any], job: Job) -> dict[str, Any]:
        graph, source = self._graph, self._graph.label_of(np.array([self._source]))[0]
        counts = call["device"] == "cpu" or recipe.loop not in IN_ONE_LAUNCH
        for trace in (False, True) if counts else (False,):  # compiles the kernels of both
            with at_most(self.limit):
                self._solve(tiny(graph), 0, **call | {"params": {}}, trace=trace)
        short = False
        try:
            with at_most(_WARM_UP):
                short = self._once(graph, source, call)[0] < _SHORT
        except TimeIsUpError:
            pass
        times = []
        for _ in range(3 if short else 1):
            with at_most(self.limit):
                seconds, paths = self._once(graph, source, call)
            times.append(seconds)
        seconds = median(times)
        edges = int(np.diff(graph.indptr)[self._right != unreachable(self._right.dtype)].sum())
        found: dict[str, Any] = {
            "ms": 1e3 * seconds,
            "runs_ms": [1e3 * each for each in times],
            "rounds": paths.stats.get("rounds"),
            "dijkstra_edges": edges,
            "mteps": edges / seconds / 1e6,
            "wrong": self._wrong(paths.dist),
        }
        if not (job.counts and counts):
            return found
        if seconds * _TRACED <= self.traced:
            with at_most(self.limit):
                traced = self._solve(graph, source, **call, trace=True)
            return found | _counted(traced, edges) | (_each_round(traced) if job.rounds else {})
        if recipe.axes is not None and recipe.axes.select is Select.MIN and recipe.exact:
            return found | self._known(recipe.axes, found["rounds"], edges)
        return found

    def _emulated(self, recipe: Recipe, call: dict[str, Any], job: Job) -> dict[str, Any]:
        """Return the counts of a solve, or the reason for none.

        Some counts depend on the order of threads: those of several seeds are given as ranges.
        """
        graph, source = self._graph, self._graph.label_of(np.array([self._source]))[0]
        if recipe.loop in IN_ONE_LAUNCH:
            return {"refused": "it has no counts, and needs a GPU for its time"}
        if graph.m > _MOST_EMULATED:
            return {"refused": f"the emulator is for graphs of up to {_MOST_EMULATED:,} edges"}
        with at_most(self.limit):
            runs = [
                self._solve(graph, source, **call | {"device": f"emulated:{seed}"}, trace=True)
                for seed in range(_SEEDS)
            ]
        edges = int(np.diff(graph.indptr)[self._right != unreachable(self._right.dtype)].sum())
        counts = [_counted(traced, edges) for traced in runs]
        ranges = {
            key: [min(values), max(values)]
            for key in ("rounds", "work", "parallelism")
            if len(values := {one[key] for one in counts if one[key] is not None}) > 1
        }
        found: dict[str, Any] = {
            "wrong": max(self._wrong(traced.dist) for traced in runs),
            "dijkstra_edges": edges,
            "seeds": _SEEDS,
        }
        found |= {"ranges": ranges} if ranges else {}
        return found | counts[0] | (_each_round(runs[0]) if job.rounds else {})

    def _once(self, graph: Graph, source: Any, call: dict[str, Any]) -> tuple[float, Paths]:
        start = time.perf_counter()
        paths = self._solve(graph, source, **call, trace=False)
        return time.perf_counter() - start, paths

    def _wrong(self, dist: Array) -> int:
        """Count labels that differ, in any bit, from the certified ones."""
        if dist.dtype != self._right.dtype:
            return len(dist)
        return int(np.count_nonzero(dist != self._right))

    def _known(self, axes: Axes, rounds: int, edges: int) -> dict[str, Any]:
        """Return the counts of a solve that settles the least labels, computed from distances.

        Each reached vertex is selected once. An edge is relaxed if its head is not settled yet,
        that is, if it is farther than its tail. A push reads the edges out of each vertex once, a
        pull those into a vertex in each round before it is settled; on a matrix both read the
        entries from what is selected to what is not settled. With edges of weight 0, this would
        depend on the order of rounds: then return nothing. A pull on the CPU passes over blocks of
        vertices: what it reads is left out.
        """
        graph, dist = self._graph, self._right
        dense, pull = axes.layout is Layout.DENSE, axes.direction is Direction.PULL
        if graph.facts(symmetry=False).min_weight <= 0:
            return {}
        reached = dist != unreachable(dist.dtype)
        src, dst, _ = graph.edges()
        relaxed = int(np.count_nonzero(reached[src] & (dist[src] < dist[dst])))
        selected = int(np.count_nonzero(reached))
        found = {
            "counted": "known",
            "selected": selected,
            "relaxed": relaxed,
            "parallelism": selected / rounds,
        }
        if pull and not dense and axes.place.relax is Side.CPU:
            return found
        # The round that settles a vertex; what has no path stays to the end.
        at = np.unique(dist, return_inverse=True)[1].astype(np.int64)
        if dense:
            of_round = np.bincount(at[reached], minlength=int(at.max()) + 1)
            read = int(np.cumsum(of_round)[at - 1][at > 0].sum())
        else:
            read = int(at[dst].sum()) if pull else edges
        return found | {"read": read, "work": read / edges}


def _counted(traced: Paths, edges: int) -> dict[str, Any]:
    assert traced.trace is not None  # noqa: S101 - the solve was traced
    totals = traced.trace.totals(edges)
    return {
        "counted": "traced",
        "rounds": totals.rounds,
        "selected": totals.selected,
        "relaxed": totals.relaxed,
        "read": totals.read,
        "improved": totals.improved,
        "work": totals.work_ratio,
        "parallelism": totals.mean_parallelism,
        "steps": totals.steps,
    }


def _each_round(traced: Paths) -> dict[str, Any]:
    """Return each column of the trace as a list, without entries that are not single rounds."""
    assert traced.trace is not None  # noqa: S101 - the solve was traced
    rounds = [one for one in traced.trace if one.rounds == 1]
    places = dict.fromkeys(place for one in rounds for place in one.sizes)
    return {
        "each_round": {
            "selected": [int(one.selected) for one in rounds],
            "relaxed": [int(one.relaxed) for one in rounds],
            "read": [int(one.read) for one in rounds],
            **{place: [int(one.sizes.get(place, 0)) for one in rounds] for place in places},
        }
    }


def _rule(facts: Facts) -> float:
    return 32 * facts.mean_weight / max(facts.mean_degree, 1.0)


def too_wide(recipe: Recipe, graph: Graph) -> str | None:
    """Return why a recipe's matrix is too large, or None if it is not or there is no matrix."""
    if recipe.axes is None or recipe.axes.layout is not Layout.DENSE or graph.n <= _WIDEST_MATRIX:
        return None
    return f"its matrix would take {units.size(graph.n**2 * graph.dist_dtype.itemsize)}"


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUpError` in the body when the time is over, between two steps of Python.

    The error is raised again every second, because Python only prints an exception in a finaliser.
    An error in the few lines of Python before or after the body leaves the timer running: the next
    alarm then finds that the body is not running, and stops the timer.
    """
    body = sys._getframe(2)  # noqa: SLF001 - the frame of the ``with``, above contextlib's own
    before = signal.getsignal(signal.SIGALRM)

    def stop(_signal: int, frame: FrameType | None) -> None:
        if body in _frames(frame):
            raise TimeIsUpError(_rounds_at(frame))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # an alarm may interrupt the line above; the next one comes only after a second
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and all its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _rounds_at(frame: FrameType | None) -> int | None:
    """Return the rounds of the solve that runs in a frame or one of its callers."""
    for each in _frames(frame):
        for value in list(each.f_locals.values()):
            if isinstance(value, Clock):
                return value.rounds
    return None


def as_text(job: Job) -> str:
    """Return a one-line text of a job."""
    return ", ".join(str(value) for value in job.key if value is not None)
