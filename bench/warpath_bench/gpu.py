"""``warpath bench gpu``: time one source on a GPU, next to goals, recorded peers and a lower bound.

Every graph is solved from its largest hub, from a vertex in the middle and from seeded ones. A
line has three times per source: of the kernels, by events; of the call that leaves its answer on
the device; and of the call with the copy to the host. The graph is on the device before. Every
distance is compared, untimed, with the CPU's, of which the first answer is certified. --catalogue
also times every published recipe. Other processes make graphs and right answers meanwhile.
Measurements that are in the file of lines are not repeated.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.api import calls
from warpath.base.errors import WarpathError
from warpath.graph import generate
from warpath.recipes import CATALOGUE, Task
from warpath_bench import gpu_page
from warpath_bench.catalogue import published
from warpath_bench.gpu_made import Failed, Makers, Wanted
from warpath_bench.limits import TimeIsUpError, at_most, clocked, outcome
from warpath_bench.lines import append
from warpath_bench.options import REQUIRED, parsed
from warpath_bench.run import facts_of
from warpath_bench.run import gpu as open_gpu
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import DTypeLike

    from warpath.graph import Graph
    from warpath.results.paths import Paths
    from warpath_bench.gpu_made import Made
    from warpath_bench.right import Right

    Line = dict[str, Any]

_REPEATS = 3
_SHORT = 0.05  # seconds; a shorter solve is timed three times
_SMALL = 2**13  # vertices: enough for more than one bucket
#: Factors of the limit for a first solve on a GPU, which copies the graph and may transpose it.
_TRIES = (1, 3, 9)
_PREPARED = 3  # more rounds than these show that the graph has been prepared


def measured(
    graph: Graph, algorithm: str, sources: Sequence[int], right: dict[int, Right], device: Any
) -> Line:
    """Return the times of an algorithm from each source, in milliseconds.

    Parameters
    ----------
    device : the engine's device, which launches the kernels.

    Returns
    -------
    kernel_ms, call_ms, copied_ms : a number for each source, the medians of three solves.
    first_s : seconds of the first call, which copies the graph and compiles.
    plan, rounds : the algorithm that ran, and its rounds from each source; None if not reported.
    wrong : number of distances that differ from the CPU's, over all sources.
    """

    def solve(source: int) -> Paths:
        return calls.sssp(graph, source, algorithm=algorithm, device=device.name)

    line: Line = {"kernel_ms": [], "call_ms": [], "copied_ms": [], "rounds": [], "wrong": 0}
    first_s, paths = clocked(solve, sources[0])
    line |= {"first_s": first_s, "plan": paths.plan.algorithm}
    solve(sources[-1])
    for source in sources:
        paths = solve(source)
        line["wrong"] += right[source].wrong(paths.dist)[0]
        line["rounds"].append(paths.stats.get("rounds"))
        call, copied = partial(solve, source), partial(_dist, solve, source)
        line["call_ms"].append(_ms(call))
        line["copied_ms"].append(_ms(copied))
        line["kernel_ms"].append(median(kernel_ms(device, call) for _ in range(_REPEATS)))
    return line


def _dist(solve: Callable[[int], Paths], source: int) -> object:
    return solve(source).dist


def kernel_ms(device: Any, solve: Callable[[], object]) -> float:
    """Return the milliseconds of the kernels that a solve launches, by events around each.

    These include some microseconds between recording an event and the start of its kernel.
    """
    events = device.xp.cuda
    spans = []

    def timed(launch: Callable[..., None]) -> Callable[..., None]:
        def run(*given: Any) -> None:
            start, end = events.Event(), events.Event()
            start.record()
            launch(*given)
            end.record()
            spans.append((start, end))

        return run

    device.launch, device.fire = timed(device.launch), timed(device.fire)
    try:
        solve()
    finally:
        del device.launch, device.fire
    if spans:
        spans[-1][1].synchronize()
    return float(sum(events.get_elapsed_time(start, end) for start, end in spans))


def _ms(solve: Callable[[], object]) -> float:
    return 1e3 * median(clocked(solve)[0] for _ in range(_REPEATS))


def warm_up(names: Iterable[str], dtype: DTypeLike, device: str) -> None:
    """Solve a small graph by each recipe, so that later solves need no compilation."""
    graph = generate.uniform(_SMALL, 8).astype(dtype)
    facts = graph.facts(symmetry=False)
    for name in names:
        if CATALOGUE[name].objection(Task.SSSP, facts) is None:
            calls.sssp(graph, 0, algorithm=name, device=device)


def beside(graph: Graph, name: str, source: int, right: Right, device: str, limit: float) -> Line:
    """Return the times of a recipe from a source, or the reason why there are none.

    Returns
    -------
    call_ms, rounds, wrong : the times of one or three solves after a first one, the rounds if
        reported, and the number of wrong distances.
    """

    def once(seconds: float) -> tuple[float, Any]:
        with at_most(seconds):
            return clocked(calls.sssp, graph, source, algorithm=name, device=device)

    def first() -> float:
        for longer in () if device == "cpu" else _TRIES[:-1]:
            try:
                return once(longer * limit)[0]
            except TimeIsUpError as stopped:
                if (stopped.rounds or 0) > _PREPARED:
                    raise
        return once(limit if device == "cpu" else _TRIES[-1] * limit)[0]

    def measure() -> Line:
        runs = [once(limit) for _ in range(3 if first() < _SHORT else 1)]
        return {
            "call_ms": [1e3 * seconds for seconds, _ in runs],
            "rounds": runs[-1][1].stats.get("rounds"),
            "wrong": right.wrong(runs[-1][1].dist)[0],
        }

    return outcome(CATALOGUE[name], Task.SSSP, graph, limit, measure)


def main(arguments: Sequence[str], opened: Any = None) -> int:
    """Measure, print and write the page; return 1 for wrong distances or missing graphs, else 0."""
    options = parsed(
        "gpu",
        __doc__,
        arguments,
        graphs=list(gpu_page.GRAPHS),
        dtypes=["int32", "float32"],
        algorithms=["auto"],
        sources=8,
        scale=1.0,
        catalogue={
            "default": 0.0,
            "metavar": "SECONDS",
            "help": "time for all published recipes of GPUs on each graph, from the first source, "
            "with weights of the first type",
        },
        limit={"default": 1.0, "help": "for one solve of a published recipe"},
        lines=REQUIRED,
        output=None,
        budget=3600.0,
        makers={
            "default": (os.cpu_count() or 1) // 3,
            "metavar": "N",
            "help": "processes that make graphs and right answers; 0: this one",
        },
        folder=None,
        commit="",
    )
    facts = facts_of(["cuda"], options.commit) if opened is None else {"gpu": opened.name}
    run = _Run(options, opened or open_gpu(), facts)
    wanted = list(run.wanted())
    unmade = 0
    with Makers(options.makers, options.folder) as makers:
        for made in makers.each(wanted, options.budget):
            if isinstance(made, Failed):
                sys.stderr.write(f"not measured: {made.wanted.title}: {made.why}\n")
                unmade += 1
            else:
                run.measure(made)
                made.forget()
    found = gpu_page.read(run.lines)
    text = gpu_page.page(found)
    sys.stdout.write(text)
    if options.output:
        gpu_page.write(found, text, options.output)
    return 1 if unmade or any(gpu_page.is_wrong(line) for line in found) else 0


class _Run:
    """A run: the requested measurements, and the file to which their lines are appended."""

    def __init__(self, options: argparse.Namespace, device: Any, facts: dict[str, str]) -> None:
        self.lines: Path = options.lines
        self._options, self._device, self._facts = options, device, facts
        self._done = {gpu_page.key_of(line) for line in gpu_page.read(self.lines)}
        self._end = time.monotonic() + options.budget
        self._warm = False
        kind = device.name.partition(":")[0]
        self._recipes = [
            name
            for name in published(kind)
            if options.catalogue
            and not name.startswith("warpath.")
            and not CATALOGUE[name].prepared  # some of the graphs have no hierarchy
        ]

    def wanted(self) -> Iterator[Wanted]:
        """Yield the graphs with missing measurements, the last one first: it takes the longest."""
        yield from filter(None, map(self._wanted, reversed(self._options.graphs)))

    def _wanted(self, name: str) -> Wanted | None:
        """Return what to make for a graph's missing measurements; None if none are missing."""
        options = self._options
        title, make = workload(name, options.scale)
        dtypes = [
            dtype
            for dtype in options.dtypes
            if any(self._missing("source", title, dtype, options.algorithms))
        ]
        sources = options.sources if dtypes else 1
        if any(self._missing("catalogue", title, options.dtypes[0], self._recipes)):
            dtypes = list(dict.fromkeys([options.dtypes[0], *dtypes]))
        return Wanted(title, make, tuple(dtypes), sources) if dtypes else None

    def measure(self, made: Made) -> None:
        """Measure what the file does not have of a graph, and append the lines."""
        title = made.wanted.title
        if time.monotonic() > self._end:
            sys.stderr.write(f"not begun, for the time is over: {title}\n")
            return
        for dtype in made.wanted.dtypes:
            graph = made.graph(dtype)
            right = made.right(graph, dtype)
            about = {"graph": title, "dtype": dtype, "n": graph.n, "m": graph.m}
            for algorithm in self._missing("source", title, dtype, self._options.algorithms):
                line: Line = {"algorithm": algorithm} | about | {"sources": made.sources}
                try:
                    line |= measured(graph, algorithm, made.sources, right, self._device)
                except WarpathError as error:
                    line["error"] = f"{type(error).__name__}: {error}"
                self._keep(line)
            if dtype == self._options.dtypes[0]:
                self._catalogue(graph, made.sources[0], right, about)
            del graph, right
            gc.collect()  # frees the graph's memory on the device

    def _catalogue(self, graph: Graph, source: int, right: dict[int, Right], about: Line) -> None:
        """Append a line of each published recipe of the device, until the time is over."""
        missing = list(self._missing("catalogue", about["graph"], about["dtype"], self._recipes))
        if missing and not self._warm:
            warm_up(self._recipes, about["dtype"], self._device.name)
            self._warm = True
        end = min(time.monotonic() + self._options.catalogue, self._end)
        for name in missing:
            if time.monotonic() > end:
                sys.stderr.write(f"not begun, for the time is over: {about['graph']}, {name}\n")
                continue
            found = beside(
                graph, name, source, right[source], self._device.name, self._options.limit
            )
            line = {"study": "catalogue", "algorithm": name, "source": source}
            self._keep(line | about | found)

    def _missing(
        self, study: str, title: str, dtype: str, algorithms: Sequence[str]
    ) -> Iterator[str]:
        for name in algorithms:
            if (study, title, dtype, name) not in self._done:
                yield name

    def _keep(self, line: Line) -> None:
        append(self.lines, line | self._facts)
        self._done.add(gpu_page.key_of(line))
        sys.stderr.write(f"{gpu_page.compact(line)}\n")
