"""Reading the graph of a command, with its time and a progress bar.

Where the file is a prepared graph (.wph), solves search in its hierarchy.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.api.prepared_files import keep_saved
from warpath.api.solver import Solver, solver_of
from warpath.base.errors import GraphError
from warpath.cli.coordinates import names_coordinates
from warpath.cli.edge_weights import weights_of
from warpath.cli.reporting import UsageError, in_words_of_the_command, tell
from warpath.engines import hierarchy
from warpath.graph.zones import opened
from warpath.io.columns import reports_unused
from warpath.io.coordinate_files import coordinates_of, find_coordinates
from warpath.io.formats import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from warpath.cli.options import Reading, Showing, Snapping, Solving
    from warpath.graph import Graph


class Loaded(NamedTuple):
    """A graph and the time of reading it, in seconds.

    Attributes
    ----------
    prepared : whether the graph has the hierarchy of its file.
    """

    graph: Graph
    seconds: float
    prepared: bool

    def solver(self, solving: Solving) -> Solver:
        """Return a solver of the graph; UsageError for an option that has an unknown value."""
        return solver_of(self.graph, **solving.wish(), prepared=self.prepared)


def load(
    path: Path,
    reading: Reading,
    showing: Showing,
    *,
    prepared: bool = True,
    vertices: Sequence[str | Path | None] = (),
    snapping: Snapping | None = None,
) -> Loaded:
    """Read a graph with the given options.

    Parameters
    ----------
    prepared : False leaves the hierarchy of a prepared graph unread.
    vertices : the arguments that name vertices. If they have coordinates, those of the graph are
        read from a file next to it as well.
    snapping : the options for these coordinates.

    Raises
    ------
    UsageError
        If there are such options, but no coordinates.
    """
    if snapping is not None:
        snapping.check(vertices)
    start = time.perf_counter()
    graph = read(
        path,
        format=reading.file_format,
        directed=reading.directed,
        coordinates=reading.coordinates,
        progress=showing.progress,
        **_options(reading),
    )
    for sentence in reports_unused(graph.read_report):
        tell(f"{path.name}: {in_words_of_the_command(sentence)}")
    prepared = prepared and keep_saved(path, graph)
    if reading.weights is not None:
        weights = weights_of(graph, reading.weights)
        solver = solver_of(graph, "auto", "auto", None, prepared=prepared)
        graph = solver.with_weights(weights).graph if prepared else graph.with_weights(weights)
    loaded = Loaded(graph, time.perf_counter() - start, prepared)
    if graph.coordinates is None and any(names_coordinates(each) for each in vertices):
        return _with_sibling(loaded, path)
    return loaded


def _options(reading: Reading) -> dict[str, Any]:
    """Return the options of the format."""
    options = pairs(reading.option, "--option")
    if reading.member is not None:
        options["member"] = reading.member
    if reading.ids is not None:
        options["ids"] = reading.ids
    for name in ("delimiter", "decimal"):
        if getattr(reading, name) is not None:
            options[name] = getattr(reading, name).replace("\\t", "\t")
    for name, text in (("source", reading.column_from), ("target", reading.column_to)):
        if text is not None:
            options[name] = column(text)
    for name in ("weight", "oneway", "reverse_weight"):
        if getattr(reading, name) is not None:
            options[name] = column(getattr(reading, name))
    return options | _of_extract(reading, options)


def _of_extract(reading: Reading, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of OpenStreetMap extracts that have flags."""
    speeds = options.get("speeds", {}) | pairs(reading.speed, "--speed")
    found = {
        "profile": reading.profile,
        "at": reading.at,
        "speeds": speeds or None,
        "turns": reading.turns or None,
        "turn_costs": pairs(reading.turn_cost, "--turn-cost") or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def with_coordinates(loaded: Loaded, file: Path, what: str, option: str = "") -> Loaded:
    """Return a graph with its coordinates, or with those of a file next to the graph file.

    Parameters
    ----------
    what, option : for the message of an error: the thing to draw, and the option to leave out.
    """
    graph = loaded.graph
    if graph.coordinates is not None:
        return loaded
    placed = _with_sibling(loaded, file)
    if placed.graph.coordinates is None:
        msg = (
            f"{file} has no coordinates, so {what} cannot be drawn. Give them with "
            "--coordinates FILE (DIMACS .co, Matrix Market n x 2, TNTP nodes)"
            f"{f', or leave {option} out' if option else ''}."
        )
        raise GraphError(msg)
    return placed


def _with_sibling(loaded: Loaded, file: Path) -> Loaded:
    """Return a graph with the coordinates of a file next to the graph file, if there is one."""
    graph, points_file = loaded.graph, find_coordinates(file)
    if points_file is None:
        return loaded
    placed = graph.with_coordinates(coordinates_of(points_file, graph))
    if loaded.prepared:
        hierarchy.share(opened(graph), opened(placed))
    return loaded._replace(graph=placed)


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
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
