"""path: one route, as a list of vertices or of streets, and as a picture."""
# Annotations are read at run time: no postponed evaluation.

from functools import partial
from pathlib import Path
from typing import Any

from warpath.base.errors import NoPathError
from warpath.cli import output, saving
from warpath.cli.options import VERTEX, HtmlMap, VertexSolving, flag, option
from warpath.cli.output import Sentence, TableRows
from warpath.cli.reading import Loaded, load
from warpath.cli.vertices import ids
from warpath.graph.arguments import one_index
from warpath.results.legs import street_column
from warpath.results.predecessors import no_path
from warpath.results.route import Route

_SHOWN = 24  # longer routes are printed on a terminal without the middle


def path(
    *,
    options: VertexSolving,
    source: str = VERTEX,
    target: str = VERTEX,
    page: HtmlMap,
    plot: Path | None = option("Draw the route on the map: .png, .svg, .pdf."),
    everything: bool = flag("Print every row, also on a terminal.", "--all"),
    legs: bool = flag(
        "Print a row for each street, with metres and seconds as far as known.", "--legs"
    ),
) -> None:
    """Find one shortest path between two vertices, and print it vertex by vertex.

    The search stops as soon as the path is known. The exit code is 1 if there is none.
    Drawing needs coordinates: from the graph file, from --coordinates, or from a file next to it
    (roads.co for roads.gr or roads.wph, x_coord.mtx for x.mtx, x_node.tntp for x_net.tntp).

    Example: [cyan]warpath path roads.gr.gz 1 1000 --plot route.png --html route.html[/]
    """
    saving.check(plot, saving.PICTURES, "--plot")
    page.check()
    loaded = load(options, [source, target])
    loaded.require_coordinates("the route", {"--plot": plot, "--html": page.html})
    found = find_route(loaded, source, target)
    roads = loaded.graph
    vertices = ids(roads, found.indices).tolist()
    names = found.stops(vertices)
    report = loaded.report("path")
    report.document |= {"source": names[0], "target": names[-1]}
    report.facts = {"route": f"{output.text_of(names[0])} -> {output.text_of(names[-1])}"}
    report.add("length", found.length, "length")
    report.add("hops", len(names) - 1, "hops")
    report.document |= {"vertices": vertices, "weights": found.weights.tolist()}
    report.add_rows("legs", *(_streets(found) if street_column(roads) else ([], None)))
    report.document["coordinates"] = found.coordinates
    report.add_plan(found.plan, loaded.seconds)
    report.add_file("plot", plot, "drawn to", found.plot)
    report.add_file("html", page.html, "map in", partial(page.save, found))
    columns, rows = _streets(found) if legs else _vertices(found, names)
    report.parts = [TableRows(columns, rows)]
    if output.on_terminal() and len(rows) > _SHOWN and not everything:
        half = _SHOWN // 2
        left_out = Sentence(f"... {len(rows) - 2 * half:,} more (--all shows them) ...")
        ends = (TableRows(columns, part) for part in (rows[:half], rows[-half:]))
        report.parts = [next(ends), left_out, next(ends)]
    report.show(facts=output.on_terminal())


def find_route(loaded: Loaded, source: str, target: str) -> Route:
    """Return a shortest path; the error of a path that does not exist names its ends as given."""
    roads, start, end = loaded.graph, loaded.vertex(source), loaded.vertex(target)
    try:
        found: Route = loaded.solve("path", start, end)
    except NoPathError as error:
        first, last = one_index(roads, start, "source"), one_index(roads, end, "target")
        raise no_path(roads, first, last, ends=f"from {source} to {target}") from error
    return found


def _vertices(found: Route, names: list[Any]) -> tuple[list[str], list[list[Any]]]:
    rows: list[list[Any]] = [[0, names[0], None, 0]]
    for hop, (name, weight) in enumerate(zip(names[1:], found.weights.tolist(), strict=True), 1):
        rows.append([hop, name, weight, rows[-1][3] + weight])
    return ["hop", "vertex", "weight", "distance"], rows


def _streets(found: Route) -> tuple[list[str], list[list[Any]]]:
    """Return the table of `--legs`; GraphError if the graph has no street names."""
    return list(found.legs.columns), [list(row) for row in found.legs]
