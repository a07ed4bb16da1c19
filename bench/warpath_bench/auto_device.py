"""``warpath bench auto``: check whether device="auto" takes the faster one of the CPU and the GPU.

40 questions of several kinds and sizes, none of which a constant was fitted to. Each is asked of
the CPU and of the GPU as the first call of a new process, so that the start of the GPU, copies and
the compilation that it needs are in its time, as they are in the planner's; the second call on the
GPU is timed as well. A process is a fork of the one that made the graph. Every 16th row of the
answers is compared, bit by bit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.planning import planned
from warpath.api.prepare import prepare
from warpath.api.solver import solver_of
from warpath.base import units
from warpath.base.errors import WarpathError
from warpath.graph.zones import opened
from warpath.planner import auto_device
from warpath.planner.kinds import kind_of
from warpath.planner.wish import Wish
from warpath_bench.auto_questions import QUESTIONS
from warpath_bench.lines import append
from warpath_bench.run import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.graph import Graph
    from warpath_bench.auto_questions import Question

    Line = dict[str, Any]

_EVERY = 16  # rows of an answer from one that is compared to the next
#: Maximum ratio of a good choice's time to the better one's.
GOOD = 1.1


def main(arguments: Sequence[str], questions: Sequence[Question] = QUESTIONS) -> int:
    """Ask, print a table and how many choices are good; return 1 for answers that differ."""
    options = _parser().parse_args(arguments)
    kinds = [options.device.partition(":")[0]]
    # In a process of its own: where CUDA was used, no fork can use it.
    facts = _in_a_process(lambda: dict(facts_of(kinds, options.commit)), options.limit)
    lines = []
    for line in _measured(questions, options):
        lines.append(line)
        if options.lines:
            append(Path(options.lines), line | facts)
        sys.stderr.write(f"{_row(line)}\n")
    sys.stdout.write(page(lines, len(questions)))
    return 1 if any(line.get("differs") for line in lines) else 0


def _measured(questions: Sequence[Question], options: argparse.Namespace) -> Iterator[Line]:
    """Yield a line for each question, those of a graph one after another."""
    end = time.monotonic() + options.budget
    graph, made = None, None
    for question in questions:
        if time.monotonic() > end:
            return
        if made != question.graph:
            graph, made = question.graph(), question.graph
        assert graph is not None  # noqa: S101 - the first question made one
        if question.prepared:
            prepare(graph)
        yield measured(graph, question, options.device, options.limit)


def measured(graph: Graph, question: Question, device: str, limit: float) -> Line:
    """Return the times of a question on the CPU and on another device, and the choice of "auto".

    Parameters
    ----------
    limit : seconds after which a process is ended.

    Returns
    -------
    cpu_s, device_s : seconds of the first call in a new process; absent where it failed, or took
        longer than the limit.
    again_s : seconds of the second call on the device in that process.
    chosen : "cpu", or the device.
    predicted_cpu_s, predicted_device_s : the planner's predictions, start included.
    differs : whether the answers differ.
    why : the error of a process, or that it was ended.
    """
    line: Line = {"question": question.name, "n": graph.n, "m": graph.m}
    here = _in_a_process(lambda: _asked(graph, question, "cpu"), limit)
    there = _in_a_process(
        lambda: _asked(graph, question, device) | _planned(graph, question, device), limit
    )
    marks = [each.pop("mark", None) for each in (here, there)]
    again = there.pop("again_s", None)
    line |= {"cpu_s": here.pop("first_s", None), "device_s": there.pop("first_s", None)}
    line |= {"again_s": again, "differs": None not in marks and marks[0] != marks[1]}
    return line | here | there


def _asked(graph: Graph, question: Question, device: str) -> Line:
    start = time.perf_counter()
    # Not `Solver`, which would copy the rows at once, whether the algorithm needs them or not.
    solver = solver_of(graph, "auto", device, None, prepared=question.prepared)
    answer = np.asarray(question.ask(solver))
    middle = time.perf_counter()
    rows = answer[:: _EVERY if answer.ndim > 1 else 1]
    found: Line = {
        "first_s": middle - start,
        "mark": zlib.crc32(np.ascontiguousarray(rows).tobytes()),
    }
    if device != "cpu":
        del answer
        middle = time.perf_counter()
        question.ask(solver)
        found["again_s"] = time.perf_counter() - middle
    return found


def _planned(graph: Graph, question: Question, device: str) -> Line:
    """Return the device that "auto" chooses, and the predictions for both."""
    size, inner = question.size(graph), opened(graph)
    wish = Wish(prepared=question.prepared)
    chosen = planned(size, inner, wish, "auto").plan
    here = planned(size, inner, wish._replace(device="cpu"), "auto").plan
    there = planned(size, inner, wish._replace(device=device), "auto").plan
    there = auto_device.with_start(there, kind_of(device), size, inner.facts(symmetry=False))
    return {
        "chosen": chosen.device,
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
    ratio = over_best(line)
    cells = [
        line["question"],
        *(_time(line.get(name)) for name in ("cpu_s", "device_s", "again_s")),
        f"{line.get('by_cpu', '-')}, {line.get('by_device', '-')}",
        *(_time(line.get(f"predicted_{name}_s")) for name in ("cpu", "device")),
        line.get("chosen", line.get("why", "-")),
        "-" if ratio is None else f"{ratio:.2f}",
    ]
    if line.get("differs"):
        cells[0] += ": THE ANSWERS DIFFER"
    return f"| {' | '.join(cells)} |"


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else units.seconds(seconds)


# fmt: off
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench auto", description=__doc__)
    add = parser.add_argument
    add("--device", default="cuda:0", help="what the CPU is compared with (cuda:0)")
    add("--limit", type=float, default=15, metavar="SECONDS", help="for one process (15)")
    add("--budget", type=float, default=3600, metavar="SECONDS",
        help="time after which no question is asked (3600)")
    add("--lines", metavar="FILE", help="append a line of JSON for each question")
    add("--commit", default=os.environ.get("COMMIT", ""), help="written into each line")
    return parser
