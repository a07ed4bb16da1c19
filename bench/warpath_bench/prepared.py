"""``warpath bench prepared``: time prepared graphs, and peers with the same questions.

Builds and questions are timed apart. All answers are compared with ours, untimed, and a sample of
ours with Dijkstra's. Each call of the command is a run; the page of several runs has the best.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import InputError, WarpathError
from warpath.io.coordinate_files import coordinates_of
from warpath_bench import external
from warpath_bench import lines as files
from warpath_bench.measured import about, rows
from warpath_bench.options import parsed
from warpath_bench.prepared_peers import PACKAGES, ours
from warpath_bench.prepared_questions import asked, check_sample, kinds, questions_of, wrong_in
from warpath_bench.run import commit, machine, without_gc
from warpath_bench.session import tell
from warpath_bench.workloads import workload

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath_bench.prepared_peers import Local
    from warpath_bench.prepared_questions import Kind, Question

    Line = dict[str, Any]

_QUICK = ("road 2000", "streets 40")
_TRIAL = 64  # how long a question takes is first estimated from this part of its sources
_HEAD = """\
# Prepared graphs, on {cores} cores

<!-- Written by `warpath bench prepared --output`: edit bench/warpath_bench/prepared.py. -->

Contraction hierarchies and labels of warpath, hierarchies of [RoutingKit](external-prepared.md) and
pandana, customizable ones of pyroutingkit, and searches without preparation, asked the same
questions:

```console
$ warpath bench prepared --graphs {graphs} --data FOLDER --clock {option} \\
      --external '{command}' --lines prepared.jsonl --output prepared-cpu.md
```

A cell is the best of {runs}, each the median over the questions of its kind; ~ marks an estimate
from a part of the sources. {clock} *Build* ends before the first question. Times are of
calls in Python, or a command's own; one pair by `distance`. Distances and lengths were equal, a
sample to Dijkstra's too.
"""

_CLOCKS = {
    "wall": "Times are of the wall clock.",
    "processor": "Times are processor time of one thread, as others used the machine.",
}


def main(arguments: Sequence[str]) -> int:
    """Measure, append lines, print and write the page; return 1 if an answer was wrong, else 0."""
    options = parsed(
        "prepared",
        __doc__,
        arguments,
        graphs=[],
        data=None,
        coordinates={"metavar": "FILE", "help": "of a graph whose file has none, for pyroutingkit"},
        quick={"default": False, "help": "small questions, and small graphs by default"},
        packages={
            "nargs": "*",
            "metavar": "PEER",
            "help": f"instead of all of {', '.join(one.name for one in PACKAGES)}",
        },
        external=[],
        budget={"default": 6.0, "help": "seconds for a kind of question"},
        limit=600.0,
        clock="wall",
        lines=None,
        output=None,
    )
    commands = dict(map(external.parsed, options.external))
    lines = read(options.lines)
    names = list(_QUICK) if options.quick else ["road"]
    fresh = []
    for name in options.graphs or names:
        one = workload(name, data=options.data)
        graph = one.make()
        if graph.weight_dtype.kind != "i":
            msg = f"{name}: the weights are fractions; this benchmark compares whole numbers."
            raise InputError(msg)
        if options.coordinates is not None and graph.coordinates is None:
            graph = graph.with_coordinates(coordinates_of(options.coordinates, graph))
        run = Run(graph, kinds(quick=options.quick), options)
        about = {"graph": one.title, "n": graph.n, "m": graph.m, "run": time.time()}
        about |= {"clock": options.clock}
        about |= {"machine": machine(), "commit": commit()}
        for line in run.lines(commands, options.packages):
            fresh.append(about | line)
            tell(compact(fresh[-1]))
            files.append(options.lines, fresh[-1])
    text = page([*lines, *fresh])
    sys.stdout.write(text)
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")
    return int(any(line.get("wrong") for line in fresh))


class Run:
    """One run of all solvers on a graph.

    Parameters
    ----------
    graph, asked : the graph, and the kinds of questions.
    options : ``budget``, the seconds for the questions of a kind, of which solvers that would take
        longer get a part; ``limit``, the seconds for a command; ``clock``.
    """

    def __init__(self, graph: Graph, asked: list[Kind], options: argparse.Namespace) -> None:
        self._graph, self._budget, self._limit = graph, options.budget, options.limit
        self._now = time.process_time if options.clock == "processor" else time.perf_counter
        # Of a call on two threads the processor's time does not tell how long it takes.
        self._threads = (1,) if options.clock == "processor" else (1, 2)
        self._questions = {kind: questions_of(graph, kind) for kind in asked}
        self._right: dict[tuple[str, int], Array] = {}

    def lines(
        self, commands: dict[str, list[str]], packages: Sequence[str] | None
    ) -> Iterator[Line]:
        """Yield a line for each solver: ours first, whose answers the others are compared with."""
        chosen = [one for one in PACKAGES if packages is None or one.name in packages]
        for prepared in ("prepared", "with labels", "not prepared"):
            for threads in self._threads:
                yield self._line(ours(threads, prepared))
        for one in chosen:
            yield self._line(one)
        for name, words in commands.items():
            yield self._of_command(name, words)

    def _line(self, solver: Local) -> Line:
        """Return the line of a solver in this process; what it raises is its error."""
        line: Line = {"solver": solver.name, "threads": solver.threads, "figures": {}, "wrong": {}}
        if not solver.installed:
            return line | {"error": f"not installed: pip install {solver.package}"}
        try:
            seconds, made = self._timed(lambda: solver.build(self._graph))
            line |= {"build_s": seconds, "arcs": solver.arcs(made)}
            for kind, questions in self._questions.items():
                if kind.form in solver.calls:
                    self._measure(line, solver, made, kind, questions)
        except Exception as error:
            if solver.package is None:
                raise
            line["error"] = f"{type(error).__name__}: {error}"
        return line

    def _measure(
        self, line: Line, solver: Local, made: Any, kind: Kind, questions: list[Question]
    ) -> None:
        count, enough = self._affordable(solver, made, kind, questions)
        times = []
        held: list[tuple[int, Question, Array]] = []
        for place, whole in enumerate(questions[: 1 + enough]):
            question = whole.cut(count)
            seconds, found = self._asked(solver, made, question)
            if place:
                times.append(1e3 * seconds)
            held.append((place, question, solver.values(found, question)))
            # Comparing evicts the caches, so it waits; but tables of all vertices share one memory.
            if kind.form == "all":
                self._compare(line, kind, *held.pop())
        for one in held:
            self._compare(line, kind, *one)
        share = kind.sources / count
        self._note(line, kind, median(times) * kind.factor * share, 0 if share == 1 else count)

    def _affordable(
        self, solver: Local, made: Any, kind: Kind, questions: list[Question]
    ) -> tuple[int, int]:
        """Return how many sources of how many questions fit the budget."""
        if kind.sources == 1 or solver.name in {"warpath", "warpath, with labels"}:
            return kind.sources, kind.questions
        few = max(1, kind.sources // _TRIAL)
        seconds, _ = self._asked(solver, made, questions[0].cut(few))
        affordable = int(self._budget / max(seconds, 1e-9) * few)  # sources in all
        if affordable >= 2 * kind.sources:
            return kind.sources, min(kind.questions, affordable // kind.sources - 1)
        return max(1, min(kind.sources, affordable // 2)), 1

    def _of_command(self, name: str, words: list[str]) -> Line:
        line: Line = {"solver": name, "threads": 1, "figures": {}, "wrong": {}}
        every = [(kind, at) for kind, some in self._questions.items() for at in range(len(some))]
        questions = [self._questions[kind][at] for kind, at in every]
        with tempfile.TemporaryDirectory(prefix="warpath-bench-") as folder:
            path = Path(folder) / "graph.bin"
            external.write_graph(self._graph, path)
            try:
                told, answers = asked(words, path, self._graph.n, questions, self._limit)
            except (WarpathError, OSError) as error:
                return line | {"error": str(error)}
        arcs = told.about.split() if told.about else []
        line |= {"build_s": told.build_s, "arcs": int(arcs[1]) if arcs[:1] == ["arcs"] else None}
        for (kind, at), question, found in zip(every, questions, answers, strict=True):
            self._compare(line, kind, at, question, found)
        for kind in self._questions:
            times = [
                ms for (one, at), ms in zip(every, told.times, strict=True) if one == kind and at
            ]
            self._note(line, kind, median(times) * kind.factor, 0)
        return line

    def _note(self, line: Line, kind: Kind, figure: float, part: int) -> None:
        """Keep a figure, unless an answer was wrong."""
        if kind.name in line["wrong"]:
            line["error"] = "; ".join(f"{k}: {n:,} wrong" for k, n in line["wrong"].items())
        else:
            line["figures"][kind.name] = {"title": kind.title, "value": figure, "sources": part}

    def _compare(
        self, line: Line, kind: Kind, place: int, question: Question, found: Array
    ) -> None:
        """Compare an answer with ours. The first solver's are ours: Dijkstra checks a sample."""
        key = kind.name, place
        if key not in self._right:
            check_sample(self._graph, question, found)
            self._right[key] = found.copy()
            return
        right = self._right[key]
        if question.form != "route":
            right = right[: len(question.sources)]
        wrong = wrong_in(self._graph, question, right, found)
        if wrong:
            line["wrong"][kind.name] = line["wrong"].get(kind.name, 0) + wrong

    def _asked(self, solver: Local, made: Any, question: Question) -> tuple[float, Any]:
        return self._timed(lambda: solver.calls[question.form](made, question))

    def _timed(self, call: Callable[[], Any]) -> tuple[float, Any]:
        """Return the seconds of a call by the clock, and its result."""
        return without_gc(call, self._now)


def read(path: Path | None) -> list[Line]:
    """Return the lines of a file; none if the file does not exist."""
    keys = ("graph", "clock", "run", "solver", "threads")
    return files.read(path, lambda line: (*(line[key] for key in keys), *line["figures"]))


def compact(line: Line) -> str:
    """Return a line as a short text."""
    told = "; ".join(
        f"{one['title']}: {units.digits(one['value'])}" for one in line["figures"].values()
    )
    built = line.get("build_s")
    head = f"{line['graph']}, {_title(line)}: "
    built_in = "" if built is None else f"build {built:.2f} s; "
    return head + built_in + told + (f" ({line['error']})" if "error" in line else "")


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions, a table for each graph, and peers without a figure."""
    graphs = list(dict.fromkeys(line["graph"] for line in lines))
    most = max(Counter((line["graph"], _title(line)) for line in lines).values())
    option = lines[-1]["clock"]
    head = _HEAD.format(
        runs="one run" if most == 1 else f"up to {most} runs",
        cores="/".join(dict.fromkeys(line["machine"]["cores"] for line in lines)),
        clock=" ".join(_CLOCKS[name] for name in dict.fromkeys(line["clock"] for line in lines)),
        graphs=shlex.join(graphs),
        option=option,
        command="RoutingKit=./routingkit" + (" processor" if option == "processor" else ""),
    )
    parts = [head]
    for graph in graphs:
        parts += _section([line for line in lines if line["graph"] == graph])
    return "\n".join([*parts, f"Measured with {about(lines)}.", ""])


def _section(lines: Sequence[Line]) -> list[str]:
    titles = {name: one["title"] for line in lines for name, one in line["figures"].items()}
    body, notes = [], []
    for title in dict.fromkeys(map(_title, lines)):
        mine = [line for line in lines if _title(line) == title]
        if any(line["figures"] for line in mine) and not _is_shown_by_one_thread(mine[0]):
            body.append([title, *(_cell(mine, name) for name in ("build_s", *titles))])
        if "error" in mine[-1]:
            notes.append(f"- {title}, where it has no figures: {mine[-1]['error']}")
    first = lines[0]
    head = f"## {first['graph']}: {first['n']:,} vertices, {first['m']:,} edges"
    table = rows(["solver", "build, s", *titles.values()], body)
    return [head, "", *table, "", *notes, *[""] * bool(notes)]


def _is_shown_by_one_thread(line: Line) -> bool:
    return "not prepared" in line["solver"] and line["threads"] > 1


def _title(line: Line) -> str:
    count = line["threads"]
    solver: str = line["solver"]
    return solver + (f", {count} thread{'s' * (count > 1)}" if count else "")


def _cell(mine: Sequence[Line], name: str) -> str:
    """Return the best time of all runs."""
    figures = [line["figures"][name] for line in mine if name in line["figures"]]
    values = [one["value"] for one in figures]
    if name == "build_s":
        built = [line.get("build_s") for line in mine if "not prepared" not in line["solver"]]
        values = [value for value in built if value is not None]
    part = "~" * any(one.get("sources") for one in figures)
    return part + units.digits(min(values)) if values else ""
