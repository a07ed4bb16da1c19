"""``warpath bench auto``: check whether device="auto" takes the faster one of the CPU and the GPU.

40 questions of several kinds and sizes, none of which a constant was fitted to. Each is asked of
the CPU and of the GPU as the first call of a new process, so that the start of the GPU, copies and
the compilation that it needs are in its time, as they are in the planner's; the second call on the
GPU is timed as well. A process is a fork of the one that made the graph. Every 16th row of the
answers is compared, bit by bit.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.api.planning import planned
from warpath.api.prepare import prepare
from warpath.api.solver import solver_of
from warpath.base import units
from warpath.base.errors import WarpathError
from warpath.graph import generate
from warpath.graph.zones import opened
from warpath.planner import auto_device
from warpath.planner.cpu_model import Destination, Size
from warpath.planner.kinds import kind_of
from warpath.planner.wish import Wish
from warpath.recipes import Task
from warpath_bench.lines import append
from warpath_bench.options import parsed
from warpath_bench.run import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.api.solver import Solver
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    Line = dict[str, Any]

_SEED = 20261126
_EVERY = 16  # rows of an answer from one that is compared to the next
#: Maximum ratio of a good choice's time to the better one's.
GOOD = 1.1


class Question(NamedTuple):
    """A question of a graph.

    Attributes
    ----------
    title, make : title of the graph, and the function that makes it; the same object for all of its
        questions, which follow each other.
    form : "one source", "table", "totals", "nearest" or "all pairs".
    sources, targets : number of sources, and of a table's targets.
    prepared : whether the graph has a hierarchy.
    """

    title: str
    make: Callable[[], Graph]
    form: str
    sources: int = 1
    targets: int = 0
    prepared: bool = False

    @property
    def name(self) -> str:
        """The graph, and what is asked."""
        what = {"table": f"{self.sources:,} x {self.targets:,}"}.get(self.form, self.form)
        what += f" of {self.sources:,}" if self.form in {"totals", "nearest"} else ""
        return f"{self.title}{', prepared' if self.prepared else ''}: {what}"

    def ask(self, solver: Solver) -> Array:
        """Return a solver's answer, with sources and targets spread over the vertices' numbers."""

        def spread(count: int) -> Any:
            return np.linspace(0, solver.graph.n - 1, count).astype(np.int64)

        answers: dict[str, Callable[[], Array]] = {
            "one source": lambda: solver.sssp(spread(3)[1]).dist,
            "table": lambda: solver.distances(spread(self.sources), spread(self.targets)).dist,
            "totals": lambda: solver.totals("max", sources=spread(self.sources))["max"],
            "nearest": lambda: solver.nearest(spread(self.sources)).dist,
            "all pairs": lambda: solver.apsp().dist,
        }
        return answers[self.form]()

    def size(self, graph: Graph) -> Size:
        """Return its size, as the planner sees it."""
        n, entry = graph.n, graph.dist_dtype.itemsize
        if self.form == "table":
            return Size(Task.MANY, self.sources, self.targets, entry)
        if self.form == "totals":
            return Size(Task.MANY, self.sources, n, entry, Destination.TOTALS)
        return Size(Task.APSP, n, n, entry) if self.form == "all pairs" else Size(Task.SSSP)


def _questions(
    title: str, make: Callable[[], Graph], *asked: tuple[Any, ...], prepared: bool = False
) -> list[Question]:
    return [Question(title, make, *one)._replace(prepared=prepared) for one in asked]


def _made(kind: str, *given: Any, **named: Any) -> Callable[[], Graph]:
    return partial(getattr(generate, kind), *given, **named, seed=_SEED)


_ONE, _ALL = ("one source",), ("all pairs",)
_ROAD = _made("road", 400_000)
QUESTIONS: tuple[Question, ...] = (
    *_questions("road 400,000", _ROAD, _ONE, ("table", 64, 64), ("table", 1000, 200)),
    *_questions("road 400,000", _ROAD, ("table", 1000, 1000), ("totals", 2000),
                ("totals", 300_000), prepared=True),
    *_questions("road 1,500,000 float32", _made("road", 1_500_000, dtype="float32"),
                _ONE, ("table", 64, 1000), ("nearest", 100)),
    *_questions("grid 1700", _made("grid", 1700, 1700), _ONE, ("table", 32, 32)),
    *_questions("delaunay 500,000", _made("delaunay", 500_000), _ONE),
    *_questions("uniform 300,000 8", _made("uniform", 300_000, 8),
                _ONE, ("table", 64, 1000), ("table", 12_000, 1000), ("totals", 20_000)),
    *_questions("uniform 3,000,000 6", _made("uniform", 3_000_000, 6), _ONE),
    *_questions("uniform 2,000,000 8, no weights",
                _made("uniform", 2_000_000, 8, weights=None), _ONE),
    *_questions("R-MAT 17 12", _made("rmat", 17, 12),
                _ONE, ("table", 256, 1000), ("table", 20_000, 100), ("totals", 20_000)),
    *_questions("R-MAT 19 10 float32", _made("rmat", 19, 10, dtype="float32"),
                _ONE, ("table", 4000, 50)),
    *_questions("small world 700,000", _made("small_world", 700_000),
                _ONE, ("table", 64, 100), ("table", 3000, 100)),
    *_questions("in-degree 7, 700,000", _made("random_in_degree", 700_000),
                _ONE, ("nearest", 50), ("table", 6000, 10)),
    *_questions("dense 1,500", _made("dense", 1500), _ALL),
    *_questions("dense 20,000, 2 %", _made("dense", 20_000, density=0.02), _ALL),
    *_questions("dense 9,000, 20 %, float32",
                _made("dense", 9000, density=0.2, dtype="float32"), _ALL),
    *_questions("road 14,000", _made("road", 14_000), _ALL),
    *_questions("uniform 14,000 5", _made("uniform", 14_000, 5), _ALL),
    *_questions("uniform 36,000 100", _made("uniform", 36_000, 100), ("totals", 36_000)),
    *_questions("small world 30,000 200", _made("small_world", 30_000, degree=200),
                ("totals", 30_000)),
    *_questions("R-MAT 13 8", _made("rmat", 13, 8), _ALL),
    *_questions("delaunay 12,000", _made("delaunay", 12_000), _ALL),
    *_questions("grid 120", _made("grid", 120, 120), _ALL),
)  # fmt: skip


def main(arguments: Sequence[str], questions: Sequence[Question] = QUESTIONS) -> int:
    """Ask, print a table and how many choices are good; return 1 for answers that differ."""
    options = parsed(
        "auto",
        __doc__,
        arguments,
        device={"default": "cuda:0", "help": "what the CPU is compared with"},
        limit={"default": 15.0, "help": "seconds for one process"},
        budget=3600.0,
        lines=None,
        commit="",
    )
    kinds = [options.device.partition(":")[0]]
    # In a process of its own: where CUDA was used, no fork can use it.
    facts = _in_a_process(lambda: dict(facts_of(kinds, options.commit)), options.limit)
    lines = []
    for line in _measured(questions, options.device, options.limit, options.budget):
        lines.append(line)
        append(options.lines, line | facts)
        sys.stderr.write(f"{_row(line)}\n")
    sys.stdout.write(page(lines, len(questions)))
    return 1 if any(line.get("differs") for line in lines) else 0


def _measured(
    questions: Sequence[Question], device: str, limit: float, budget: float
) -> Iterator[Line]:
    """Yield a line for each question, those of a graph one after another.

    Its ``cpu_s`` and ``device_s`` are the seconds of the first call in a new process, absent where
    it failed or took longer than the limit; ``again_s`` those of the second call on the device;
    ``chosen`` is the device that "auto" takes, ``predicted_cpu_s`` and ``predicted_device_s`` are
    the planner's predictions, start included, and ``why`` is the error of a process.
    """
    end = time.monotonic() + budget
    made: Any = None
    for question in questions:
        if time.monotonic() > end:
            return
        if made is not question.make:
            graph, made = question.make(), question.make
        if question.prepared:
            prepare(graph)
        here = _in_a_process(partial(_asked, graph, question, "cpu"), limit)
        there = _in_a_process(partial(_asked_and_planned, graph, question, device), limit)
        marks = [each.pop("mark", None) for each in (here, there)]
        yield {
            "question": question.name,
            "n": graph.n,
            "m": graph.m,
            "cpu_s": here.pop("first_s", None),
            "device_s": there.pop("first_s", None),
            "again_s": there.pop("again_s", None),
            "differs": None not in marks and marks[0] != marks[1],
            **here,
            **there,
        }


def _asked(graph: Graph, question: Question, device: str) -> Line:
    start = time.perf_counter()
    # Not `Solver`, which would copy the rows at once, whether the algorithm needs them or not.
    solver = solver_of(graph, "auto", device, None, prepared=question.prepared)
    answer = np.asarray(question.ask(solver))
    seconds = time.perf_counter() - start
    rows = np.ascontiguousarray(answer[:: _EVERY if answer.ndim > 1 else 1])
    found: Line = {"first_s": seconds, "mark": zlib.crc32(rows.tobytes())}
    if device != "cpu":
        del answer
        start = time.perf_counter()
        question.ask(solver)
        found["again_s"] = time.perf_counter() - start
    return found


def _asked_and_planned(graph: Graph, question: Question, device: str) -> Line:
    """Return the times on a device, the device that "auto" takes, and the predictions for both."""
    found = _asked(graph, question, device)
    size, inner = question.size(graph), opened(graph)
    wish = Wish(prepared=question.prepared)
    here = planned(size, inner, wish._replace(device="cpu"), "auto").plan
    there = planned(size, inner, wish._replace(device=device), "auto").plan
    there = auto_device.with_start(there, kind_of(device), size, inner.facts(symmetry=False))
    return found | {
        "chosen": planned(size, inner, wish, "auto").plan.device,
        "by_cpu": here.algorithm,
        "by_device": there.algorithm,
        "predicted_cpu_s": here.seconds,
        "predicted_device_s": there.seconds,
    }


def _in_a_process(work: Callable[[], Line], limit: float) -> Line:
    """Return what a function returns in a fork of this process, or why there is nothing."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def run() -> None:
        try:
            theirs.send(work())
        except (WarpathError, MemoryError) as error:
            theirs.send({"why": f"{type(error).__name__}: {error}"})

    process = context.Process(target=run)
    process.start()
    theirs.close()
    try:
        found: Line = ours.recv() if ours.poll(limit) else {"why": f"over {units.seconds(limit)}"}
    except EOFError:
        found = {"why": "its process ended"}
    finally:
        process.kill()
        process.join()
        process.close()
    return found


def over_best(line: Line) -> float | None:
    """Return the ratio of the chosen device's time to the better one's; None without both times.

    A device that took longer than the limit is the worse one.
    """
    times = [line.get("cpu_s"), line.get("device_s")]
    if "chosen" not in line or times == [None, None]:
        return None
    mine = times[0 if line["chosen"] == "cpu" else 1]
    if mine is None:
        return float("inf")
    return float(mine / min(each for each in times if each is not None))


def page(lines: Sequence[Line], questions: int) -> str:
    """Return the table, and how many choices are good."""
    head = (
        "| question | CPU | GPU | again | by | predicted CPU | GPU | auto | over the better |\n"
        "|---|---:|---:|---:|---|---:|---:|---|---:|\n"
    )
    ratios = [over_best(line) for line in lines]
    good = sum(one is not None and one <= GOOD for one in ratios)
    told = f"\nauto is within 10 % of the better device in {good} of {len(lines)} questions"
    left = questions - len(lines)
    told += f"; {left} were not asked, for the time was over.\n" if left else ".\n"
    return head + "".join(f"{_row(line)}\n" for line in lines) + told


def _row(line: Line) -> str:
    def seconds(name: str) -> str:
        value = line.get(name)
        return "-" if value is None else units.seconds(value)

    ratio = over_best(line)
    cells = [
        line["question"] + (": THE ANSWERS DIFFER" if line.get("differs") else ""),
        *map(seconds, ("cpu_s", "device_s", "again_s")),
        f"{line.get('by_cpu', '-')}, {line.get('by_device', '-')}",
        *map(seconds, ("predicted_cpu_s", "predicted_device_s")),
        line.get("chosen", line.get("why", "-")),
        "-" if ratio is None else f"{ratio:.2f}",
    ]
    return f"| {' | '.join(cells)} |"
