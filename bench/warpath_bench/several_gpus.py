"""``warpath bench several-gpus``: tables, totals and single sources on one and on several GPUs.

Each question is answered by the first GPU and then by the first two, four and so on, in one
process. All answers are compared with those of one GPU bit for bit, and some of those with the
CPU's. The efficiency is the time on one GPU over the time on k GPUs and k.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import calls
from warpath.api.calls import prepare
from warpath.api.solver import Solver
from warpath_bench.limits import clocked, several
from warpath_bench.lines import append
from warpath_bench.options import parsed
from warpath_bench.right import sources_of, wrong_of
from warpath_bench.run import facts_of
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    Line = dict[str, Any]
    #: The name of a device -> seconds, what is compared, and counters.
    Question = Callable[[str], tuple[float, Array, Line]]

_OF_CPU = 4  # rows that are compared with the CPU's
_TOTALS = ("sum", "max", "count", "harmonic")


def main(arguments: Sequence[str]) -> int:
    """Measure, print a line for each question and number of GPUs; return 1 for wrong answers."""
    options = parsed(
        "several-gpus",
        __doc__,
        arguments,
        graphs={"positional": True, "nargs": "+"},
        questions={"default": ["memory"], "choices": list(_QUESTIONS), "help": "what is asked"},
        sources={"default": 4096, "help": "rows of a table, or single sources"},
        counts={"default": [1, 2], "metavar": "N", "help": "numbers of GPUs"},
        scale=1.0,
        kind={"default": "cuda", "help": "kind of device"},
        lines=None,
        commit="",
    )
    facts = facts_of([options.kind], options.commit)
    wrong = 0
    for name in options.graphs:
        graph = workload(name, options.scale).make()
        for question in options.questions:
            if question == "source":
                asked = sources_of(graph, options.sources)
            else:
                asked = [np.random.default_rng(1).integers(0, graph.n, options.sources)]
            title, ask = _QUESTIONS[question]
            for some in asked:
                for found in _measured(partial(ask, graph, some), options.kind, options.counts):
                    line = {"graph": name, "question": title} | found
                    wrong += line["wrong"]
                    append(options.lines, line | facts)
                    sys.stdout.write(f"{json.dumps(line)}\n")
                    sys.stdout.flush()
    return 1 if wrong else 0


def _measured(ask: Question, kind: str, counts: Sequence[int]) -> Iterable[Line]:
    """Yield a line for each number of GPUs.

    Returns
    -------
    first_s : the first call, which copies the graph and compiles.
    seconds : the median of three further calls; one where it takes over a second.
    efficiency : of k GPUs, and speedup: the same times k.
    wrong : number of entries that differ from those of one GPU, or of it from the CPU's.
    """
    alone: tuple[float, Array] | None = None
    for count in counts:
        device = f"{kind}:0" if count == 1 else f"{kind}:" + ",".join(map(str, range(count)))
        first, _ = clocked(ask, device)
        times, (answer, stats) = several(partial(_timed, ask, device))
        seconds = median(times)
        alone = (seconds, answer) if alone is None else alone
        yield {
            "gpus": count,
            "first_s": round(first, 3),
            "seconds": seconds,
            "speedup": alone[0] / seconds,
            "efficiency": alone[0] / seconds / count * counts[0],
            "wrong": int(np.count_nonzero(answer != alone[1])) + stats.pop("wrong", 0),
        } | {key: value for key, value in stats.items() if key != "seconds"}


def _timed(ask: Question, device: str) -> tuple[float, tuple[Array, Line]]:
    seconds, answer, stats = ask(device)
    return seconds, (answer, stats)


def _checked(graph: Graph, sources: Array, rows: Array) -> int:
    """Return how many distances of the first rows differ from the CPU's."""
    right = Solver(graph, device="cpu").distances(sources[:_OF_CPU]).dist
    return wrong_of(right, rows[:_OF_CPU])[0]


def _some(table: Array) -> Array:
    """Return a part of a table that tells all rows: 64 columns."""
    step = max(table.shape[1] // 64, 1)
    return np.ascontiguousarray(table[:, ::step])


_KEPT: dict[tuple[int, int], Array] = {}  # the array that tables of a shape go to


def _in_memory(graph: Graph, sources: Array, device: str) -> tuple[float, Array, Line]:
    shape = len(sources), graph.n
    out = _KEPT.setdefault(shape, np.empty(shape, np.int32))  # its pages are there after one call
    solve = Solver(graph, device=device).distances
    took, table = clocked(solve, sources, out=out, dist_dtype="int32")
    return took, _some(out), table.stats | {"wrong": _checked(graph, sources, out)}


def _on_devices(graph: Graph, sources: Array, device: str) -> tuple[float, Array, Line]:
    """Let a thread for each GPU fill an array there, as one call has one array only."""
    from warpath.engines.cuda.device import open_device

    kind, _, numbers = device.partition(":")
    names = [f"{kind}:{number}" for number in numbers.split(",")]
    parts = np.array_split(sources, len(names))
    solvers = [Solver(graph, device=name) for name in names]
    outs = []
    for name, part in zip(names, parts, strict=True):
        with open_device(name).active():
            outs.append(open_device(name).xp.empty((len(part), graph.n), np.int32))

    def fill(at: int) -> None:
        solvers[at].distances(parts[at], out=outs[at], dist_dtype="int32")
        with open_device(names[at]).active():
            open_device(names[at]).synchronize()

    with ThreadPoolExecutor(len(names)) as pool:
        took, _ = clocked(lambda: list(pool.map(fill, range(len(names)))))
    found = []
    for name, out in zip(names, outs, strict=True):
        with open_device(name).active():
            found.append(_some(open_device(name).get(out)))
            first = open_device(name).get(out[:_OF_CPU])
            if name == names[0]:
                wrong = _checked(graph, sources, first)
    return took, np.concatenate(found), {"wrong": wrong}


def _totals(
    graph: Graph, _: Array, device: str, *, names: Sequence[str]
) -> tuple[float, Array, Line]:
    solver = prepare(graph, device=device)  # the hierarchy is built once and kept with the graph
    took, totals = clocked(solver.totals, names)
    right = prepare(graph, device="cpu").totals(names, sources=np.arange(_OF_CPU))
    exact = [name for name in names if name != "harmonic"]
    wrong = sum(int(np.count_nonzero(right[name] != totals[name][:_OF_CPU])) for name in exact)
    return took, np.stack([totals[name] for name in names]), totals.stats | {"wrong": wrong}


def _one_source(graph: Graph, source: int, device: str) -> tuple[float, Array, Line]:
    algorithm = "warpath.wide" if "," in device else "auto"
    took, paths = clocked(calls.sssp, graph, source, device=device, algorithm=algorithm)
    return took, paths.dist, paths.stats | {"algorithm": paths.plan.algorithm}


#: Question -> its title in lines, and the function that asks it.
_QUESTIONS: dict[str, tuple[str, Callable[..., tuple[float, Array, Line]]]] = {
    "memory": ("table into memory", _in_memory),
    "devices": ("table left on the GPUs", _on_devices),
    "sum": ("sums of all pairs, prepared", partial(_totals, names=("sum",))),
    "totals": ("all totals of all pairs, prepared", partial(_totals, names=_TOTALS)),
    "source": ("one source", _one_source),
}
