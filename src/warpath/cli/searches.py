"""sssp, nearest, within and path: searches from one vertex or several."""
# Annotations are read at run time: no postponed evaluation.

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from warpath.base.errors import NoPathError
from warpath.cli import options as shared
from warpath.cli import output, saving
from warpath.cli.options import TableSolving, flag, number, option, output_file
from warpath.cli.output import TableRows
from warpath.cli.reading import Loaded, load, numbers
from warpath.cli.reporting import UsageError
from warpath.cli.saving import add_distances
from warpath.cli.vertices import ids, one_id
from warpath.graph import Graph
from warpath.graph.arguments import one_index
from warpath.graph.labels import file_ids
from warpath.graph.restrictions import restricted
from warpath.results.legs import street_column
from warpath.results.paths import Paths
from warpath.results.predecessors import no_path
from warpath.results.route import Route
from warpath.results.trace import Trace, headline
from warpath.results.within import Within

_MEASURES = ("sharing", "stretch", "local")  # of alternative routes
_SHOWN = 24  # longer routes are printed on a terminal without the middle
_ROWS: Any = output_file("Save one row per vertex", saving.ROWS)


def sssp(
    *,
    options: shared.VertexSolving,
    source: str = shared.PLACE,
    shown: shared.Shown,
    cutoff: float | None = shared.CUTOFF,
    out: Path | None = output_file("Save distances and predecessors", saving.PATHS),
    trace: Path | None = output_file("Save the work of each round", saving.TRACES, "--trace"),
) -> None:
    """Compute shortest paths from one vertex to all others.

    Prints the number of reached vertices, the exact sum and the mean of their distances, the
    farthest vertex and the plan that ran; for small graphs (20 vertices) also every distance.

    Example: [cyan]warpath sssp roads.gr.gz --source 1 -o tree.npz[/]
    """
    loaded = load(options, [source])
    loaded.require_coordinates("the tree", {"--html": shown.html})
    start, traced = loaded.vertex(source), trace is not None
    paths = loaded.solve("sssp", start, cutoff=cutoff, trace=traced)
    report = loaded.report("sssp")
    name = one_id(loaded.graph, paths.source_index)
    report.add("source", name, "source", str(name))
    add_distances(report, paths)
    report.add_run(paths, loaded.seconds)
    report.add_file("trace", trace, "traced to", partial(_save_trace, paths))
    shown.show(report, paths, "distances", out)


def nearest(
    *,
    options: TableSolving,
    facilities: str = shared.FACILITIES,
    shown: shared.Shown,
    reverse: bool = shared.TO_FACILITIES,
    cutoff: float | None = shared.CUTOFF,
    out: Path | None = _ROWS,
) -> None:
    """Find the nearest of several facilities for every vertex, and its distance.

    One search from all facilities. Of equally near facilities the first in the graph's order is
    chosen. For small graphs (20 vertices) every vertex is printed.

    Example: [cyan]warpath nearest roads.gr.gz --facilities depots.csv -o areas.parquet[/]
    """
    loaded = load(options, [facilities])
    loaded.require_coordinates("the areas", {"--html": shown.html})
    chosen = loaded.listed(facilities)
    found = loaded.solve("nearest", chosen, reverse=reverse, cutoff=cutoff, missing=options.missing)
    roads = loaded.graph
    report = loaded.report("nearest")
    report.add("facilities", found.count_of_facilities, "facilities")
    report.add("reverse", reverse, "measured", f"{'to' if reverse else 'from'} the facility")
    add_distances(report, found)
    del report.facts["sum of distances"]
    counts = np.bincount(found.facility_rows[found.reached], minlength=1)
    busiest = int(counts.argmax())
    name = file_ids(roads, found.starts, found.given_names[0])[busiest]
    report.facts["largest area"] = f"{name}, {output.count(int(counts[busiest]))} vertices"
    report.add_run(found, loaded.seconds)
    shown.show(report, found, "vertices", out)


def within(
    *,
    options: shared.VertexSolving,
    source: str = option(
        "A vertex id, as in the file, or a coordinate lon,lat; or several, or a file of them, as "
        "[bold]nearest[/] takes them.",
        "--source",
        "-s",
        default=...,
    ),
    cutoff: str = shared.CUTOFFS,
    shown: shared.Shown,
    reverse: bool = shared.TO_SOURCE,
    out: Path | None = _ROWS,
    outlines: Path | None = output_file(
        "Save an outline around the streets within each cutoff", saving.SHAPES, "--outlines"
    ),
    plot: Path | None = output_file("Draw the isochrones on the map", saving.PICTURES, "--plot"),
    theme: str = shared.THEME,
) -> None:
    """Find the vertices within one or more distances of a vertex (isochrones).

    The search stops at the largest distance. Outlines and pictures need coordinates: from the graph
    file, from --coordinates, or from a file next to it (roads.co for roads.gr).

    Example: [cyan]warpath within roads.gr.gz --source 1 --cutoff 500,1000 --plot near.png[/]
    """
    loaded = load(options, [source])
    files = {"--plot": plot, "--outlines": outlines, "--html": shown.html}
    loaded.require_coordinates("what lies within", files)
    chosen = loaded.listed(source)
    found = loaded.solve("within", chosen, numbers(cutoff, "--cutoff"), reverse=reverse)
    sources = file_ids(loaded.graph, found.source_indices, found.given_names[0]).tolist()
    one = found.count_of_sources == 1
    origin = output.text_of(sources[0]) if one else f"the nearest of {len(sources)} sources"
    counts = list(zip(found.cutoffs.tolist(), found.counts.tolist(), strict=True))
    report = loaded.report("within")
    report.document |= {"source": sources[0] if one else sources, "reverse": reverse}
    report.document["within"] = [{"cutoff": far, "vertices": reached} for far, reached in counts]
    report.facts["measured"] = f"{'to' if reverse else 'from'} {origin}"
    for far, reached in counts:
        report.facts[f"within {output.text_of(far)}"] = f"{output.count(reached)} vertices"
    report.add_run(found, loaded.seconds)
    report.add_file("outlines", outlines, "outlines in", partial(_save_outlines, found))
    report.add_file("plot", plot, "drawn to", partial(found.plot, theme=theme))
    shown.show(report, found, "vertices", out)


def path(
    *,
    options: shared.VertexSolving,
    source: str = shared.VERTEX,
    target: str = shared.VERTEX,
    page: shared.HtmlMap,
    plot: Path | None = output_file("Draw the route on the map", saving.PICTURES, "--plot"),
    everything: bool = flag("Print every row, also on a terminal.", "--all"),
    legs: bool = flag(
        "Print a row for each street, with metres and seconds as far as known.", "--legs"
    ),
    k: int | None = option("Print this number of routes, the shortest ones.", "--k", min=1),
    second: str | None = option(
        "Print the routes that no other route beats in length and in this column, or unit.",
        "--second",
    ),
    limit: str | None = option(
        "The most of --second that a route has, as 500 or 10min.", "--limit"
    ),
    alternatives: int | None = option(
        "Print at most this number of routes that differ.", "--alternatives", min=1
    ),
    disjoint: bool = flag("Print two routes, or those of --k, that share no edge.", "--disjoint"),
    avoid: list[str] | None = option(
        "Edges to avoid: a street's name, COLUMN=VALUE,..., vertices=ID,... or a GeoJSON file of "
        "polygons. May be repeated.",
        "--avoid",
    ),
    only: list[str] | None = option("Edges that may be used, as --avoid names them.", "--only"),
) -> None:
    """Find one shortest path between two vertices, or several, and print it vertex by vertex.

    The search stops as soon as the path is known. The exit code is 1 if there is none.
    Drawing needs coordinates: from the graph file, from --coordinates, or from a file next to it
    (roads.co for roads.gr or roads.wph, x_coord.mtx for x.mtx, x_node.tntp for x_net.tntp).

    Example: [cyan]warpath path roads.gr.gz 1 1000 --plot route.png --html route.html[/]
    """
    loaded = _restricted(load(options, [source, target]), avoid, only)
    loaded.require_coordinates("the route", {"--plot": plot, "--html": page.html})
    if limit is not None and second is None:
        raise UsageError("--limit bounds the second cost of a route: give --second, too.")
    several = {
        "--alternatives": ("alternatives", alternatives),
        "--second": ("pareto_paths", second),
        "--disjoint": ("disjoint_paths", (k or 2) if disjoint else None),
        "--k": ("k_shortest_paths", k),
    }
    names = [name for name, (_, value) in several.items() if value is not None]
    if names:
        if legs:
            raise UsageError(f"{names[0]} prints several routes, --legs one: give one of both.")
        if len(names) > 1 and names != ["--disjoint", "--k"]:
            raise UsageError(f"{names[0]} and {names[1]} print other routes: give one of both.")
        more: dict[str, Any] = {} if limit is None else {"limit": shared.cutoff(limit)}
        _print_routes(loaded, (source, target), (plot, page), *several[names[0]], **more)
        return
    found = find_route(loaded, source, target)
    roads = loaded.graph
    passed = ids(roads, found.indices).tolist()
    names = found.stops(passed)
    report = loaded.report("path")
    report.document |= {"source": names[0], "target": names[-1]}
    report.facts = {"route": f"{output.text_of(names[0])} -> {output.text_of(names[-1])}"}
    report.add("length", found.length, "length")
    report.add("hops", len(names) - 1, "hops")
    report.document |= {"vertices": passed, "weights": found.weights.tolist()}
    report.add_rows("legs", *(_streets(found) if street_column(roads) else ([], None)))
    report.document["coordinates"] = found.coordinates
    report.add_plan(found.plan, loaded.seconds)
    report.add_file("plot", plot, "drawn to", found.plot)
    report.add_file("html", page.html, "map in", partial(page.save, found))
    columns, rows = _streets(found) if legs else _vertices(found, names)
    report.parts = [TableRows(columns, rows)]
    if output.on_terminal() and len(rows) > _SHOWN and not everything:
        half = _SHOWN // 2
        left_out = f"... {len(rows) - 2 * half:,} more (--all shows them) ..."
        ends = (TableRows(columns, part) for part in (rows[:half], rows[-half:]))
        report.parts = [next(ends), left_out, next(ends)]
    report.show(facts=output.on_terminal())


def _restricted(loaded: Loaded, avoid: list[str] | None, only: list[str] | None) -> Loaded:
    """Return the graph without the edges that options avoid, and without its hierarchy."""
    graph = loaded.graph
    parts = [
        None if given is None else _edges(loaded, given, name)
        for name, given in (("--avoid", avoid), ("--only", only))
    ]
    left = restricted(graph, *parts)
    return loaded if left is graph else replace(loaded, graph=left, prepared=False)


def _edges(loaded: Loaded, given: list[str], name: str) -> dict[str, Any]:
    """Return the edges that an option names, as `warpath.path` takes them."""
    chosen: dict[str, list[Any]] = {}
    for text in given:
        key, equals, listed = text.partition("=")
        if text.lower().endswith((".geojson", ".json")):
            try:
                chosen.setdefault("polygon", []).append(json.loads(Path(text).read_text("utf-8")))
            except (OSError, ValueError) as error:
                raise UsageError(f"{name} {text}: not a GeoJSON file: {error}.") from None
        elif not equals:
            chosen.setdefault("edges", []).append(text)
        elif key == "vertices":
            chosen.setdefault(key, []).extend(loaded.listed(listed, along=False))
        else:
            values = [_value(loaded.graph, key, value, name) for value in listed.split(",")]
            chosen.setdefault(key, []).extend(values)
    polygons = chosen.pop("polygon", None)
    collection = {"type": "GeometryCollection", "geometries": polygons}
    return chosen if polygons is None else {**chosen, "polygon": collection}


def _value(graph: Graph, key: str, text: str, name: str) -> Any:
    """Return a text as a value of a kept column."""
    columns = {} if graph.given is None else graph.given.columns
    kind = columns[key].dtype.kind if key in columns else "U"
    if kind not in "biuf":
        return text
    try:
        return {"true": True, "false": False}[text.lower()] if kind == "b" else number(text)
    except (KeyError, ValueError):
        expected = "true or false" if kind == "b" else "a number"
        raise UsageError(f"{name} {key}={text}: the column {key} needs {expected}.") from None


def _print_routes(
    loaded: Loaded, names: Any, files: Any, call: str, *arguments: Any, **options: Any
) -> None:
    """Print and draw the routes of a call; places are at vertices.

    There is a row for each vertex, or for each route if it has a second cost.
    """
    plot, page = files
    start, end = (loaded.vertex(name, along=False) for name in names)
    with loaded.timed("solve"):
        found = list(getattr(loaded.solver(), call)(start, end, *arguments, **options))
    report = loaded.report("path")
    names = [ids(loaded.graph, route.indices).tolist() for route in found]
    first, last = names[0][0], names[0][-1]
    report.document |= {"source": first, "target": last}
    report.facts = {"routes": f"{len(found)} of {output.text_of(first)} -> {output.text_of(last)}"}
    report.add_seconds(loaded.seconds)
    report.document["routes"] = [
        {"length": route.length}
        | ({} if route.second is None else {"second": route.second})
        | ({} if route.stretch is None else {name: getattr(route, name) for name in _MEASURES})
        | {"vertices": each, "weights": route.weights.tolist()}
        for route, each in zip(found, names, strict=True)
    ]
    rows: list[list[Any]] = []
    columns = ["length", "second", "hops"]
    for position, (route, each) in enumerate(zip(found, names, strict=True), 1):
        hops = [[route.length, route.second, len(each) - 1]]
        if route.second is None:
            columns, hops = _vertices(route, each)
        rows += [[position, *hop] for hop in hops]
    report.add_file("plot", plot, "drawn to", partial(found[0].plot, others=found[1:]))
    report.add_file("html", page.html, "map in", partial(page.save, found[0], others=found[1:]))
    report.parts = [TableRows(["route", *columns], rows)]
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


def _save_trace(paths: Paths, file: Path) -> str:
    """Write the trace with the source's id of the file; return its path and totals as text."""
    trace = paths.trace
    assert trace is not None  # noqa: S101 - requested by the caller
    assert trace.run is not None  # noqa: S101 - as above
    source = one_id(paths.graph, paths.source_index)
    run = replace(trace.run, source=source if isinstance(source, int) else str(source))
    Trace(trace, run).save(file)
    return f"{file}: {headline(trace.totals())}"


def _save_outlines(found: Within, path: Path) -> None:
    from warpath.io.save import atomic

    frame = found.to_geodataframe()
    if frame.crs is not None:
        frame = frame.to_crs(4326)  # the only system of GeoJSON
    with atomic(path) as file:
        file.write(frame.to_json().encode())
