"""Reading the graph of a command, with its time and a progress bar.

Where the file is a prepared graph (.wph), solves search in its hierarchy.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.api.prepared import keep_saved
from warpath.api.solver import Solver, solver_of
from warpath.base.errors import GraphError
from warpath.base.units import QUANTITIES, is_quantity
from warpath.cli import vertices
from warpath.cli.edge_weights import weights_of
from warpath.cli.options import Solving, number
from warpath.cli.output import Report, titled
from warpath.cli.reporting import UsageError, in_words_of_the_command, tell
from warpath.engines import hierarchy
from warpath.graph.solvable import search_graph
from warpath.io.columns import reports_unused
from warpath.io.coordinate_files import coordinates_of, find_coordinates
from warpath.io.formats import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warpath.cli.options import Reading
    from warpath.graph import Graph


@dataclass
class Loaded:
    """The graph of a command, and the time of each step, such as "read", in seconds.

    Attributes
    ----------
    prepared : whether the graph has the hierarchy of its file.
    """

    options: Reading
    graph: Graph
    seconds: dict[str, float]
    prepared: bool

    def vertex(self, text: str, *, along: bool = True) -> Any:
        """Return the library's name of a vertex, or a place; see `vertices.vertex`."""
        return vertices.vertex(self.graph, text, self.options, along=along)

    def listed(self, text: str, *, along: bool = True) -> list[Any]:
        """Return the vertices and places of a list or a file; see `vertices.listed`."""
        return vertices.listed(self.graph, text, self.options, along=along)

    def solver(self, *, prepared: bool | str = False) -> Solver:
        """Return a solver of the graph with the options of the command."""
        options = self.options
        assert isinstance(options, Solving)  # noqa: S101 - the commands that solve have these
        return solver_of(
            self.graph,
            options.algorithm,
            options.device,
            options.threads,
            prepared=self.prepared or prepared,
        )

    def solve(self, call: Any, *arguments: Any, **keywords: Any) -> Any:
        """Return what a method, or a function, of the solver returns, and measure its time."""
        if callable(call):
            method = partial(call, self.solver(prepared="auto"))
        else:
            method = getattr(self.solver(), call)
        with self.timed("solve"), vertices.in_file_ids(self.graph):
            return method(*arguments, progress=self.options.progress, **keywords)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure the time of a step."""
        start = time.perf_counter()
        yield
        self.seconds[step] = time.perf_counter() - start

    def report(self, command: str) -> Report:
        """Return a report that begins with the graph."""
        file, graph = self.options.graph, self.graph
        report = Report(command, self.options, graph=str(file), n=graph.n, m=graph.m)
        report.facts["graph"] = titled(file.name, graph)
        return report

    def require_coordinates(
        self, what: str, files: Mapping[str, Path | None] | None = None
    ) -> None:
        """Read coordinates from a file next to the graph file, if the graph has none.

        Parameters
        ----------
        what : for the message of an error: the thing to draw.
        files : the options to leave out and their files; nothing is read if all are None.
        """
        options = [name for name, file in (files or {"": Path()}).items() if file is not None]
        if self.graph.coordinates is None and options:
            self.add_sibling()
        if self.graph.coordinates is None and options:
            raise GraphError(
                f"{self.options.graph} has no coordinates, so {what} cannot be drawn. Give them "
                "with --coordinates FILE (DIMACS .co, Matrix Market n x 2, TNTP nodes)"
                f"{f', or leave {options[0]} out' if options[0] else ''}."
            )

    def add_sibling(self) -> None:
        """Add the coordinates of a file next to the graph file, if there is one."""
        points_file = find_coordinates(self.options.graph)
        if points_file is not None:
            graph = self.graph.with_coordinates(coordinates_of(points_file, self.graph))
            if self.prepared:
                hierarchy.share(search_graph(self.graph), search_graph(graph))
            self.graph = graph


def load(
    options: Reading, named: Sequence[str | Path | None] = (), *, prepared: bool = True
) -> Loaded:
    """Read the graph of a command.

    Parameters
    ----------
    named : the arguments that name vertices. If they have coordinates, those of the graph are
        read from a file next to it as well.
    prepared : False leaves the hierarchy of a prepared graph unread.
    """
    options.check(named)
    path = options.graph
    start = time.perf_counter()
    graph = read(
        path,
        format=options.file_format,
        directed=options.directed,
        coordinates=options.coordinates,
        progress=options.progress,
        **_options(options),
    )
    for sentence in reports_unused(graph.read_report):
        tell(f"{path.name}: {in_words_of_the_command(sentence)}")
    prepared = prepared and keep_saved(path, graph)
    if options.weights is not None:
        weights = weights_of(graph, options.weights)
        solver = solver_of(graph, "auto", "auto", None, prepared=prepared)
        graph = solver.with_weights(weights).graph if prepared else graph.with_weights(weights)
    loaded = Loaded(options, graph, {"read": time.perf_counter() - start}, prepared)
    if graph.coordinates is None and any(map(vertices.names_coordinates, named)):
        loaded.add_sibling()
    return loaded


def _options(reading: Reading) -> dict[str, Any]:
    """Return the options of the format."""
    options = pairs(reading.option, "--option")
    columns = {"source": reading.column_from, "target": reading.column_to}
    columns |= {name: getattr(reading, name) for name in ("weight", "oneway", "reverse_weight")}
    flags = {name: getattr(reading, name) for name in ("member", "ids", "profile", "at")}
    flags |= {
        "speeds": options.get("speeds", {}) | pairs(reading.speed, "--speed") or None,
        "turns": reading.turns or None,
        "turn_costs": pairs(reading.turn_cost, "--turn-cost") or None,
    }
    separators = {"delimiter": reading.delimiter, "decimal": reading.decimal}
    flags |= {name: text and text.replace("\\t", "\t") for name, text in separators.items()}
    options |= {name: value for name, value in flags.items() if value is not None}
    return options | {name: column(text) for name, text in columns.items() if text is not None}


def column(text: str) -> str | int | None:
    """Return the name or the number of a column, or None for ``none``."""
    if text == "none":
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def pairs(texts: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Return ``key=value`` texts as a dictionary, with values as `number_or_text` returns them."""
    found = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip().isidentifier():
            raise UsageError(f"{option} {text!r} must have the form key=value.")
        read_value = _speeds if key.strip() == "speeds" else number_or_text
        found[key.strip()] = read_value(value.strip())
    return found


def _speeds(text: str) -> dict[str, Any]:
    """Return ``residential:20,primary:50`` as a dictionary."""
    entries = [entry.partition(":") for entry in text.split(",")]
    if not all(colon and name.strip() for name, colon, _ in entries):
        raise UsageError(f"speeds={text!r} must have the form speeds=residential:20,primary:50.")
    return {name.strip(): number_or_text(value.strip()) for name, _, value in entries}


def number_or_text(text: str) -> Any:
    """Return the value of a text: a bool, a number, a tuple (``a,b``), else the text."""
    if "," in text.strip(","):
        return tuple(number_or_text(part.strip()) for part in text.split(","))
    if text.lower() in {"true", "false", "yes", "no"}:
        return text.lower() in {"true", "yes"}
    try:
        return number(text)
    except ValueError:
        return text


def numbers(text: str, option: str) -> list[Any]:
    """Return the numbers of ``500,1000``; UsageError for another text."""
    found = [number_or_text(part.strip()) for part in text.split(",")]
    if any(
        isinstance(each, bool | tuple) or (isinstance(each, str) and not is_quantity(each))
        for each in found
    ):
        raise UsageError(
            f"{option} {text!r} must be one or several, like 500,1000 or 5min,10min: {QUANTITIES}."
        )
    return found
