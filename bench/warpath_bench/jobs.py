"""Recipes on graphs: one source, many sources and all pairs, each timed within a limit.

A job is measured once: its line is appended to a file, and a later run continues there. Every
answer is compared with a certified one, untimed.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import calls
from warpath.base.dtypes import unreachable
from warpath.engines.base import Problem, TableOrder
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath.recipes.recipe import IN_ONE_LAUNCH
from warpath.results.certificate import verify
from warpath.results.paths import Paths
from warpath.results.predecessors import tree
from warpath_bench.limits import TimeIsUpError, at_most, clocked, outcome, several
from warpath_bench.lines import append, read
from warpath_bench.tables import compact
from warpath_bench.workloads import graph_of, source_of, tiny, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.recipes import Recipe

    Line = dict[str, Any]

#: Types of weights and of all pairs' answers by name; the papers' programs use 32 bits.
TYPES = {"int32": ("int32", "int32"), "int64": ("int32", "int64"), "float32": ("float32",) * 2}
_WARM_UP = 2.0  # seconds on the graph itself; enough to copy it to the device
_TRACED = 5  # slowdown of a traced solve, which waits for the device after each step
_SEED = 20261121


@dataclass(frozen=True)
class Job:
    """A measurement of one recipe on one graph.

    Attributes
    ----------
    study, graph, recipe : names.
    delta : factor of the default delta, or of Davidson et al.'s if a loop chooses its own delta.
    counts : whether to count work and parallelism.
    rounds : whether to record the counts of each round.
    task : one source, many sources or all pairs.
    sources, threads : for many sources, their number and the CPU's threads; None for all threads.
    dtype : for all pairs, a key of `TYPES`.
    """

    study: str
    graph: str
    recipe: str
    delta: float | None = None
    counts: bool = True
    rounds: bool = False
    task: Task = Task.SSSP
    sources: int = 1
    threads: int | None = None
    dtype: str = "int32"

    @property
    def factor(self) -> float | str | None:
        """The value that tells it from other jobs of a recipe on a graph: delta, or a type."""
        return self.delta if self.dtype == "int32" else self.dtype

    @property
    def key(self) -> tuple[Any, ...]:
        """The job's key in a file of lines."""
        return self.study, title_of(self.graph), self.recipe, self.factor

    def __str__(self) -> str:
        return ", ".join(str(value) for value in self.key if value is not None)


def key_of(line: Line) -> tuple[Any, ...]:
    """Return the key of a line's job; see `Job.key`."""
    return line["study"], line["graph"], line["recipe"], line["factor"]


def read_lines(paths: Iterable[str | Path]) -> list[Line]:
    """Return the lines of files of jobs, the last one of each key."""
    lines = (line for path in paths for line in read(Path(path), key_of))
    return list({key_of(line): line for line in lines}.values())


def run(
    jobs: Iterable[Job],
    measure: Callable[[Job, float], Line],
    lines: Path,
    *,
    limit: float,
    budget: float,
    facts: Line,
) -> Iterator[tuple[Job, Line]]:
    """Measure the jobs that a file does not have, append their lines, and yield each job's line.

    Parameters
    ----------
    measure : (job, seconds for a solve) -> the job's line.
    budget : seconds after which no job begins; also limits the time of the last ones.
    facts : the machine and the versions; added to each line.
    """
    start = time.monotonic()
    found = {key_of(line): line for line in read_lines([lines])}
    for job in jobs:
        if job.key not in found:
            left = budget - (time.monotonic() - start)
            if left <= 0:
                sys.stderr.write(f"not begun, for the time is over: {job}\n")
                continue
            began = time.monotonic()
            line = measure(job, min(limit, left))
            if "limit" in line and left < limit:
                sys.stderr.write(f"stopped, for the time is over: {job}\n")
                continue
            found[job.key] = line | {"spent_s": time.monotonic() - began} | facts
            append(lines, found[job.key])
            sys.stderr.write(f"{job}: {line.get('skipped') or compact(line)}\n")
        yield job, found[job.key]


def code_of(lines: Iterable[Line]) -> int:
    """Tell the wrong labels of exact recipes; return 1 if there are any, else 0."""
    wrong = [line for line in lines if line.get("wrong") and CATALOGUE[line["recipe"]].exact]
    for line in wrong:
        sys.stderr.write(f"WRONG: {line['recipe']} on {line['graph']}: {line['wrong']} labels\n")
    return 1 if wrong else 0


class Bench:
    """Measures jobs; caches the last graph and its right answer.

    Parameters
    ----------
    traced : maximum expected seconds of a traced solve; if it would take longer, it is omitted.
    solve : the solver of one source, `sssp` by default.
    device : the GPU; None for that of the planner.
    graphs : makes the graph of a name; `graph_of` by default.
    """

    def __init__(
        self,
        traced: float,
        solve: Callable[..., Paths] | None = None,
        device: Device | None = None,
        graphs: Callable[[str], Graph] | None = None,
    ) -> None:
        self._traced, self._solve = traced, solve or calls.sssp
        self._device = device
        self._made = graphs or graph_of
        self._limit = 0.0
        self._key: tuple[Any, ...] | None = None
        self._graph: Graph
        self._sources: Array
        self._right: Array

    def measure(self, job: Job, limit: float) -> Line:
        """Return the line of a job, with its measurements or the reason why there are none."""
        recipe, self._limit = CATALOGUE[job.recipe], limit
        key = job.graph, job.task, job.sources, job.dtype
        if self._key != key:
            self._prepare(job)
            self._key = key
        graph, facts = self._graph, self._graph.facts(symmetry=False)
        gpu = "cuda" if self._device is None else self._device.name
        device = "cpu" if "cpu" in recipe.devices else gpu
        line: Line = {
            "study": job.study,
            "graph": title_of(job.graph),
            "recipe": job.recipe,
            "factor": job.factor,
            "n": graph.n,
            "m": graph.m,
            "weights": facts.weight_dtype,
            "mean_degree": facts.mean_degree,
            "device": device,
        }
        if job.task is Task.SSSP:
            line["source"] = int(self._sources[0])
        if job.task is Task.MANY:
            line["sources"] = len(self._sources)

        def timed() -> Line:
            if job.task is Task.SSSP:
                return self._one_source(recipe, job)
            if job.task is Task.MANY:
                return self._many_sources(recipe, job, device)
            return self._all_pairs(recipe)

        return line | outcome(recipe, job.task, graph, limit, timed)

    def _prepare(self, job: Job) -> None:
        graph = self._made(job.graph)
        if job.task is Task.SSSP:
            source = source_of(graph)
            certified = calls.sssp(graph, graph.label_of(np.array([source]))[0], device="cpu")
            verify(graph, certified)
            self._sources, self._right = np.array([source]), certified.dist
        elif job.task is Task.MANY:
            usable = np.flatnonzero(np.diff(graph.indptr))
            self._sources = np.random.default_rng(_SEED).permutation(usable)[: job.sources]
            self._right = calls.distances(
                graph, graph.label_of(self._sources), algorithm="classic.dijkstra", device="cpu"
            ).dist
            source, dist = int(self._sources[0]), self._right[0]
            verify(graph, Paths(graph, source, dist, tree=lambda: tree(graph, source, dist)))
        else:
            if graph.weights is None:
                drawn = np.random.default_rng(_SEED).integers(1, 256, graph.m, np.int32)
                graph = graph.with_weights(drawn)
            weight, answer = TYPES[job.dtype]
            graph = graph.astype(weight)
            self._right = calls.apsp(
                graph,
                algorithm="classic.dijkstra",
                device="cpu",
                dist_dtype=answer if graph.dist_dtype.kind == "i" else None,
            ).dist
        self._graph = graph

    def _wrong(self, recipe: Recipe, found: Array) -> int:
        """Count wrong distances; floats that were added in another order may differ by n eps."""
        right = self._right
        if found.dtype != right.dtype:
            return right.size
        if not recipe.reassociates or right.dtype.kind != "f":
            return int(np.count_nonzero(found != right))
        reached = right != unreachable(right.dtype)
        slack = right.shape[-1] * np.finfo(right.dtype).eps
        far = np.abs(found[reached] - right[reached]) > slack * right[reached].max(initial=0)
        return int(np.count_nonzero(far) + np.count_nonzero(np.isfinite(found) != reached))

    def _one_source(self, recipe: Recipe, job: Job) -> Line:
        facts = self._graph.facts(symmetry=False)
        params = {}
        if job.delta is not None:
            default = chosen_params(recipe, facts, {}).get("delta", _rule(facts))
            params = {"delta": max(default * job.delta, 1 if facts.integer else 0)}
        device = "cpu" if "cpu" in recipe.devices else "cuda"
        call = {"algorithm": job.recipe, "device": device, "params": params}
        reached = self._right != unreachable(self._right.dtype)
        edges = int(np.diff(self._graph.indptr)[reached].sum())
        return {"dijkstra_edges": edges} | self._timed(recipe, call, job, edges)

    def _timed(self, recipe: Recipe, call: dict[str, Any], job: Job, edges: int) -> Line:
        counts = call["device"] == "cpu" or recipe.loop not in IN_ONE_LAUNCH
        for trace in (False, True) if counts else (False,):  # compiles the kernels of both
            with at_most(self._limit):
                self._solve(tiny(self._graph), 0, **call | {"params": {}}, trace=trace)
        with suppress(TimeIsUpError), at_most(_WARM_UP):
            self._once(call)
        with at_most(self._limit):
            times, paths = several(lambda: self._once(call))
        seconds = median(times)
        found: Line = {
            "ms": 1e3 * seconds,
            "runs_ms": [1e3 * each for each in times],
            "rounds": paths.stats.get("rounds"),
            "mteps": edges / seconds / 1e6,
            "wrong": self._wrong(recipe, paths.dist),
        }
        if job.counts and counts and seconds * _TRACED <= self._traced:
            with at_most(self._limit):
                found |= _counted(self._once(call, trace=True)[1], edges, each=job.rounds)
        return found

    def _once(self, call: dict[str, Any], *, trace: bool = False) -> tuple[float, Paths]:
        source = self._graph.label_of(self._sources)[0]
        return clocked(self._solve, self._graph, source, **call, trace=trace)

    def _many_sources(self, recipe: Recipe, job: Job, device: str) -> Line:
        dtype = self._right.dtype.name if self._right.dtype.kind == "i" else None

        def once(graph: Graph, sources: Array) -> tuple[float, Array]:
            seconds, table = clocked(
                calls.distances,
                graph,
                graph.label_of(sources),
                algorithm=recipe.name,
                device=device,
                dist_dtype=dtype,
                threads=job.threads if device == "cpu" else None,
            )
            return seconds, table.dist

        with at_most(self._limit):
            once(tiny(self._graph), np.arange(4))
            times, found = several(lambda: once(self._graph, self._sources))
        return _times("ms", times) | {"wrong": self._wrong(recipe, found)}

    def _all_pairs(self, recipe: Recipe) -> Line:
        """Return the engine's times: with the answer on the device, on the host, with a tree."""
        if "cpu" in recipe.devices:
            dtype = self._right.dtype.name if self._right.dtype.kind == "i" else None
            call = {"algorithm": recipe.name, "device": "cpu", "threads": 1, "dist_dtype": dtype}
            with at_most(self._limit):
                times, table = several(partial(clocked, calls.apsp, self._graph, **call))
            return _times("ms", times) | {"wrong": self._wrong(recipe, table.dist)}
        device = self._device
        assert device is not None  # noqa: S101 - these recipes are chosen only with a device
        active = device.active if hasattr(device, "active") else nullcontext
        with active(), at_most(self._limit):
            small = tiny(self._graph)
            for pred in {False, recipe.predecessors}:  # compiles the kernels of both
                self._on_gpu(recipe, small, device, pred=pred)
        line: Line = {"wrong": 0}
        for key in ("ms", "host_ms", *(["pred_ms"] if recipe.predecessors else [])):
            host, pred = key == "host_ms", key == "pred_ms"
            once = partial(self._on_gpu, recipe, self._graph, device, host=host, pred=pred)
            with active(), at_most(self._limit):
                times, out = several(once)
                found = out if host else device.get(out)
            line |= _times(key, times) | {"wrong": line["wrong"] + self._wrong(recipe, found)}
        return line

    def _on_gpu(
        self,
        recipe: Recipe,
        graph: Graph,
        device: Device,
        *,
        host: bool = False,
        pred: bool = False,
    ) -> tuple[float, Any]:
        """Return the seconds of one run of all pairs, and its answer on the device or the host."""
        from warpath.engines.cuda import engine

        shape = graph.n, graph.n
        out = (np if host else device.xp).empty(shape, self._right.dtype)
        preds = device.xp.empty(shape, graph.indices.dtype) if pred else None
        params = chosen_params(recipe, graph.facts(symmetry=False), {})
        problem = Problem(Task.APSP, np.arange(graph.n))
        device.synchronize()
        start = time.perf_counter()
        engine.run(TableOrder(recipe, graph, problem, 1, params, out, pred=preds), device)
        device.synchronize()
        return time.perf_counter() - start, out


def _times(key: str, times: list[float]) -> Line:
    return {key: 1e3 * median(times), f"runs_{key}": [1e3 * each for each in times]}


def _counted(traced: Paths, edges: int, *, each: bool) -> Line:
    """Return the totals of a trace, and with `each` also the counts of its single rounds."""
    assert traced.trace is not None  # noqa: S101 - the solve was traced
    totals = traced.trace.totals(edges)
    found: Line = {
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
    if each:
        rounds = [one for one in traced.trace if one.rounds == 1]
        columns = {
            name: [int(getattr(one, name)) for one in rounds]
            for name in ("selected", "relaxed", "read")
        }
        for size in dict.fromkeys(size for one in rounds for size in one.sizes):
            columns[size] = [int(one.sizes.get(size, 0)) for one in rounds]
        found["each_round"] = columns
    return found


def _rule(facts: Facts) -> float:
    return 32 * facts.mean_weight / max(facts.mean_degree, 1.0)
