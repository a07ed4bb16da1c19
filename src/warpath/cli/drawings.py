"""plot: pictures of searches on a map, and of the effect of delta."""
# Annotations are read at run time: no postponed evaluation.

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from warpath.base import units
from warpath.base.progress import watch
from warpath.cli import output, saving
from warpath.cli.near import Cutoffs, Facilities, ToFacilities, cutoffs_of
from warpath.cli.near import draw as draw_within
from warpath.cli.options import Cutoff, GraphFile, Reading, Showing, Snapping, Solving, Theme
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reading import Loaded, load, with_coordinates
from warpath.cli.reporting import busy
from warpath.cli.route import Vertex, draw_route
from warpath.cli.vertices import in_file_ids, listed, one_id, vertex
from warpath.planner.kinds import device_names
from warpath.results.names import names_of
from warpath.results.paths import Paths

Picture = Annotated[
    Path,
    typer.Option("--out", "-o", help="The picture file: .png, .svg, .pdf.", show_default=False),
]
Source = Annotated[
    str, typer.Option("--source", "-s", help="The id of the source, as in the file.")
]


def tree(
    *,
    graph: GraphFile,
    source: Source,
    out: Picture,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="Also draw the route to this vertex.", show_default=False
        ),
    ] = None,
    cutoff: Cutoff = None,
    theme: Theme = "light",
) -> None:
    """Draw the shortest-path tree of one source, coloured by distance.

    Example: [cyan]warpath plot tree roads.gr.gz --source 1 --target 1000 -o tree.png[/]
    """
    loaded, paths, name = _solved(
        graph,
        [source, target],
        out,
        reading,
        snapping,
        solving,
        showing,
        cutoff=cutoff,
        what="the tree",
    )
    roads = paths.graph
    route = None if target is None else paths.path_to(vertex(roads, target, snapping))
    end = None if route is None else str(one_id(roads, int(route.indices[-1])))
    with busy(f"drawing {out.name}", showing):
        from warpath.plot import plot_tree

        plot_tree(paths, out, route=route, source=name, target=end, theme=theme)
    _report("tree", graph, loaded, paths.plan, out, showing)


def route(
    *,
    graph: GraphFile,
    source: Vertex,
    target: Vertex,
    out: Picture,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    theme: Theme = "light",
) -> None:
    """Draw one shortest path over the network around it.

    Example: [cyan]warpath plot route roads.gr.gz 1 1000 -o route.png[/]
    """
    loaded = _read(graph, [source, target], out, reading, snapping, showing, "the route")
    roads, solver = loaded.graph, loaded.solver(solving)
    with in_file_ids(roads):
        found = solver.path(
            vertex(roads, source, snapping, along=True),
            vertex(roads, target, snapping, along=True),
            progress=showing.progress,
        )
    with busy(f"drawing {out.name}", showing):
        draw_route(roads, found, out, theme)
    _report("route", graph, loaded, found.plan, out, showing)


def within(
    *,
    graph: GraphFile,
    source: Source,
    cutoff: Cutoffs,
    out: Picture,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Use distances to the source, not from it.")
    ] = False,
    theme: Theme = "light",
) -> None:
    """Draw isochrones: the parts of the network within given distances of a vertex.

    Example: [cyan]warpath plot within roads.gr.gz --source 1 --cutoff 500,1000 -o near.png[/]
    """
    loaded = _read(graph, [source], out, reading, snapping, showing, "what lies within")
    roads, solver = loaded.graph, loaded.solver(solving)
    with in_file_ids(roads):
        found = solver.within(
            vertex(roads, source, snapping, along=True),
            cutoffs_of(cutoff),
            reverse=reverse,
            progress=showing.progress,
        )
    with busy(f"drawing {out.name}", showing):
        draw_within(found, out, theme)
    _report("within", graph, loaded, found.plan, out, showing)


def nearest(
    *,
    graph: GraphFile,
    facilities: Facilities,
    out: Picture,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    reverse: ToFacilities = False,
    cutoff: Cutoff = None,
    theme: Theme = "light",
) -> None:
    """Draw the network in the colours of the nearest of several facilities.

    Example: [cyan]warpath plot nearest roads.gr.gz --facilities 1,500,900 -o areas.png[/]
    """
    from warpath.plot import plot_nearest

    loaded = _read(graph, [facilities], out, reading, snapping, showing, "the areas")
    roads, solver = loaded.graph, loaded.solver(solving)
    chosen = listed(roads, facilities, snapping, along=True)
    with in_file_ids(roads):
        found = solver.nearest(chosen, reverse=reverse, cutoff=cutoff, progress=showing.progress)
    with busy(f"drawing {out.name}", showing):
        plot_nearest(found, out, theme=theme)
    _report("nearest", graph, loaded, found.plan, out, showing)


def frontier(
    *,
    graph: GraphFile,
    source: Source,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            show_default=False,
            help="An animation (.gif), a folder for its frames (no suffix), or one picture of all "
            "steps (.png, .svg, .pdf).",
        ),
    ],
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    frames: Annotated[
        int | None,
        typer.Option("--frames", min=1, max=400, help="Number of steps.", show_default=False),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option("--width", help="Width of a step, instead of --frames.", show_default=False),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="Steps of equal [bold]distance[/], of [bold]hops[/], or the [bold]rounds[/] of "
            "the algorithm with the vertices that each selects. By default rounds for an "
            "--algorithm in rounds, else distance.",
            show_default=False,
        ),
    ] = None,
    theme: Theme = "light",
) -> None:
    """Draw the spread of a search, step by step.

    Example: [cyan]warpath plot frontier roads.gr.gz --source 1 -o search.gif[/]
    """
    if out.suffix:
        saving.check(out, (*saving.PICTURES, ".gif"))
    loaded, paths, name = _solved(
        graph, [source], None, reading, snapping, solving, showing, cutoff=None, what="the frontier"
    )
    with busy(f"drawing {out.name}", showing):
        from warpath.plot import plot_frontier

        if by is None:
            requested = solving.algorithm != "auto" and paths.plan is not None
            in_rounds = requested and paths.plan.recipe.axes is not None and width is None
            by = "rounds" if in_rounds else "distance"
        plot_frontier(paths, out, frames=frames, width=width, by=by, source=name, theme=theme)
    _report("frontier", graph, loaded, paths.plan, out, showing)


def delta(
    *,
    graph: GraphFile,
    source: Source,
    out: Picture,
    reading: Reading,
    snapping: Snapping,
    showing: Showing,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", help="Algorithms with a delta, like one,other.")
    ] = "warpath.buckets,classic.delta_stepping",
    device: Annotated[
        str,
        typer.Option("--device", "-d", help=f"{device_names(auto=True, quoted=False)}."),
    ] = "auto",
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, max=1024, show_default=False)
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Solves for each delta.")] = 5,
    theme: Theme = "light",
) -> None:
    """Draw time, work and rounds over delta, the width of the buckets of a search.

    Delta ranges from 1/64 of the default of an algorithm to 64 times the default.

    Example: [cyan]warpath plot delta roads.gr.gz --source 1 -o delta.png[/]
    """
    from warpath.api.delta_sweep import delta_sweep

    saving.check(out, saving.PICTURES)
    names = [name.strip() for name in algorithms.split(",")]
    for name in names:
        Solving(name, device, threads).wish()  # raises UsageError for an unknown name
    loaded = load(graph, reading, showing, prepared=False, vertices=[source], snapping=snapping)
    roads = loaded.graph
    start = vertex(roads, source, snapping)
    sweeps = []
    for name in names:
        with watch(showing.progress, name) as report:
            sweeps.append(
                delta_sweep(
                    roads,
                    start,
                    name,
                    repeats=repeats,
                    device=device,
                    threads=threads,
                    report=report,
                )
            )
    with busy(f"drawing {out.name}", showing):
        from warpath.plot import plot_sweep

        timed = any(sweep.best for sweep in sweeps)
        described = f"{output.titled(graph, roads)}, from {source}"
        described += f", median of {repeats} solves" if timed else ", counted by the emulator"
        plot_sweep(sweeps, out, title=described, theme=theme)
    document = {
        "command": "plot delta",
        "graph": str(graph),
        "source": source,
        "sweeps": [
            {
                "algorithm": sweep.algorithm,
                "default": sweep.default,
                "points": [point._asdict() for point in sweep.points],
            }
            for sweep in sweeps
        ],
        "plot": str(out),
    }
    rows, heads = [], ["algorithm", "its delta"]
    for sweep in sweeps:
        rows.append([sweep.algorithm, units.digits(sweep.default)])
        if sweep.best is not None and sweep.best.seconds is not None:
            rows[-1] += [units.digits(sweep.best.delta), units.seconds(sweep.best.seconds)]
    if timed:
        heads += ["fastest delta", "time"]
    table = TableRows(tuple(heads), rows, data=False)
    output.show(document, table, NamedValues({"drawn to": out}), as_json=showing.as_json)


def _read(
    file: Path,
    vertices: list[str | None],
    out: Path | None,
    reading: Reading,
    snapping: Snapping,
    showing: Showing,
    what: str,
) -> Loaded:
    saving.check(out, saving.PICTURES)
    loaded = load(file, reading, showing, vertices=vertices, snapping=snapping)
    return with_coordinates(loaded, file, what)


def _solved(
    file: Path,
    vertices: list[str | None],
    out: Path | None,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    *,
    cutoff: float | None,
    what: str,
) -> tuple[Loaded, Paths, str]:
    """Load a graph with coordinates, solve from a source, and return both and the source's id.

    Parameters
    ----------
    vertices : the arguments that name vertices, the source first.
    """
    loaded = _read(file, vertices, out, reading, snapping, showing, what)
    source = vertices[0]
    assert source is not None  # noqa: S101 - the callers' promise
    roads, solver = loaded.graph, loaded.solver(solving)
    with in_file_ids(roads):
        paths = solver.sssp(
            vertex(roads, source, snapping, along=True), cutoff=cutoff, progress=showing.progress
        )
    return loaded, paths, names_of(paths, np.array([paths.source_index]))[0]


def _report(
    command: str, file: Path, loaded: Loaded, plan: Any, out: Path, showing: Showing
) -> None:
    document = {
        "command": f"plot {command}",
        "graph": str(file),
        "algorithm": plan.algorithm,
        "seconds": {"read": loaded.seconds},
        "plot": str(out),
    }
    facts = {"graph": output.titled(file, loaded.graph), "plan": plan.headline(), "drawn to": out}
    output.show(document, NamedValues(facts), as_json=showing.as_json)
