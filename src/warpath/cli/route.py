"""path: one route, as a list of vertices or of streets, and as a picture."""
# Annotations are read at run time: no postponed evaluation.

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from warpath.base import units
from warpath.base.errors import NoPathError
from warpath.cli import output, saving
from warpath.cli.options import GraphFile, HtmlMap, Reading, Showing, Snapping, Solving
from warpath.cli.output import NamedValues, Sentence, TableRows
from warpath.cli.reading import load, with_coordinates
from warpath.cli.reporting import busy
from warpath.cli.vertices import ids, in_file_ids, vertex
from warpath.graph import Graph
from warpath.graph.arguments import one_index
from warpath.results.legs import street_column
from warpath.results.predecessors import no_path
from warpath.results.route import Route

_SHOWN = 24  # longer routes are printed on a terminal without the middle

_Table = tuple[list[str], list[list[Any]]]  # columns and rows

Vertex = Annotated[
    str,
    typer.Argument(
        help="A vertex id, as in the file, or a coordinate lon,lat.", show_default=False
    ),
]


def path(
    *,
    graph: GraphFile,
    source: Vertex,
    target: Vertex,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    page: HtmlMap,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Draw the route on the map: .png, .svg, .pdf.", show_default=False
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every row, also on a terminal.")
    ] = False,
    legs: Annotated[
        bool,
        typer.Option(
            "--legs", help="Print a row for each street, with metres and seconds as far as known."
        ),
    ] = False,
) -> None:
    """Find one shortest path between two vertices, and print it vertex by vertex.

    The search stops as soon as the path is known. The exit code is 1 if there is none.
    Drawing needs coordinates: from the graph file, from --coordinates, or from a file next to it
    (roads.co for roads.gr or roads.wph, x_coord.mtx for x.mtx, x_node.tntp for x_net.tntp).

    Example: [cyan]warpath path roads.gr.gz 1 1000 --plot route.png --html route.html[/]
    """
    if plot is not None:
        saving.check(plot, saving.PICTURES, "--plot")
    page.check()
    loaded = load(graph, reading, showing, vertices=[source, target], snapping=snapping)
    start, end = (vertex(loaded.graph, text, snapping, along=True) for text in (source, target))
    if plot is not None or page.html is not None:
        option = "--html" if plot is None else "--plot"
        loaded = with_coordinates(loaded, graph, "the route", option)
    roads, solver = loaded.graph, loaded.solver(solving)
    began = time.perf_counter()
    try:
        with in_file_ids(roads):
            found = solver.path(start, end, progress=showing.progress)
    except NoPathError as error:
        first, last = one_index(roads, start, "source"), one_index(roads, end, "target")
        raise no_path(roads, first, last, ends=f"from {source} to {target}") from error
    solved = time.perf_counter() - began
    if plot is not None:
        with busy(f"drawing {plot.name}", showing):
            draw_route(roads, found, plot)
    if page.html is not None:
        with busy(f"writing {page.html.name}", showing):
            page.write(found)
    drawn = {"plot": plot, "html": page.html}
    table = _streets(found) if legs else _vertices(found)
    _show(graph, found, table, drawn, (loaded.seconds, solved), showing, everything=everything)


def _show(
    file: Path,
    found: Route,
    table: _Table,
    drawn: dict[str, Path | None],
    seconds: tuple[float, float],
    showing: Showing,
    *,
    everything: bool,
) -> None:
    roads, (columns, rows) = found.graph, table
    names = found.stops(ids(roads, found.indices).tolist())
    plan = found.plan
    document: dict[str, Any] = {
        "command": "path",
        "graph": str(file),
        "n": roads.n,
        "m": roads.m,
        "source": names[0],
        "target": names[-1],
        "length": found.length,
        "hops": len(names) - 1,
        "vertices": ids(roads, found.indices).tolist(),
        "weights": found.weights.tolist(),
        "legs": _records(*_streets(found)) if street_column(roads) else None,
        "coordinates": found.coordinates,
        "algorithm": plan.algorithm,
        "plan": str(plan),
        "seconds": {"read": seconds[0], "solve": seconds[1]},
        **{name: None if file is None else str(file) for name, file in drawn.items()},
    }
    if not output.on_terminal() and not showing.as_json:
        output.show(document, TableRows(columns, rows), as_json=False)
        return
    facts = {
        "route": f"{output.text_of(names[0])} -> {output.text_of(names[-1])}",
        "length": found.length,
        "hops": len(names) - 1,
        "time": f"{units.seconds(seconds[0])} reading, {units.seconds(seconds[1])} solving",
        "plan": plan.headline(),
        **({} if drawn["plot"] is None else {"drawn to": drawn["plot"]}),
        **({} if drawn["html"] is None else {"map in": drawn["html"]}),
    }
    parts: list[Any] = [NamedValues(facts)]
    if len(rows) <= _SHOWN or everything:
        parts.append(TableRows(columns, rows))
    else:
        half = _SHOWN // 2
        left_out = len(rows) - 2 * half
        parts.append(TableRows(columns, rows[:half]))
        parts.append(Sentence(f"... {left_out:,} more (--all shows them) ..."))
        parts.append(TableRows(columns, rows[-half:]))
    output.show(document, *parts, as_json=showing.as_json)


def _vertices(found: Route) -> _Table:
    names = found.stops(ids(found.graph, found.indices).tolist())
    rows: list[list[Any]] = [[0, names[0], None, 0]]
    for hop, (name, weight) in enumerate(zip(names[1:], found.weights.tolist(), strict=True), 1):
        rows.append([hop, name, weight, rows[-1][3] + weight])
    return ["hop", "vertex", "weight", "distance"], rows


def _streets(found: Route) -> _Table:
    """Return the table of `--legs`; GraphError if the graph has no street names."""
    return list(found.legs.columns), [list(row) for row in found.legs]


def _records(columns: list[str], rows: list[list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]


def draw_route(graph: Graph, found: Route, plot: Path, theme: str = "light") -> None:
    """Draw a route, labelled with the ids of the file."""
    from warpath.plot import plot_route

    names = found.stops(ids(graph, found.indices).tolist())
    first, last = names[0], names[-1]
    plot_route(graph, found, plot, ends=(str(first), str(last)), theme=theme)
