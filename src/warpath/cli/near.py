"""nearest and within: the nearest of several facilities, and the vertices near a vertex."""
# Annotations are read at run time: no postponed evaluation.

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from warpath.base import units
from warpath.cli import output, saving, tables
from warpath.cli.options import (
    Cutoff,
    EscapeFormulas,
    GraphFile,
    HtmlMap,
    Reading,
    Showing,
    Snapping,
    Solving,
    TableSnapping,
    Theme,
)
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reading import load, number_or_text, with_coordinates
from warpath.cli.reporting import UsageError, busy
from warpath.cli.summary import described
from warpath.cli.vertices import ids, in_file_ids, listed
from warpath.results.within import Within

_COLUMNS = ("vertex", "distance", "cutoff")
_FACILITY_COLUMNS = ("vertex", "facility", "distance")
_SMALL = 20  # up to this number of vertices all are printed by default

Cutoffs = Annotated[
    str,
    typer.Option("--cutoff", "-c", help="Largest distances: one number, or several like 500,1000."),
]


Facilities = Annotated[
    str,
    typer.Option(
        "--facilities",
        "-f",
        help="Ids like 1,5,9, coordinates like [bold]7.41,43.73;7.42,43.74[/], or a file with an "
        "id in its first column or columns lon and lat.",
    ),
]
ToFacilities = Annotated[
    bool,
    typer.Option(
        "--reverse", help="Use distances from the vertices to the facilities, not from them."
    ),
]


def nearest(
    *,
    graph: GraphFile,
    facilities: Facilities,
    reading: Reading,
    snapping: TableSnapping,
    solving: Solving,
    showing: Showing,
    page: HtmlMap,
    reverse: ToFacilities = False,
    cutoff: Cutoff = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save one row per vertex: .parquet, .csv, .tsv, .txt."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every vertex: id, facility, distance.")
    ] = False,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Find the nearest of several facilities for every vertex, and its distance.

    One search from all facilities. Of equally near facilities the first in the graph's order is
    chosen. For small graphs (20 vertices) every vertex is printed.

    Example: [cyan]warpath nearest roads.gr.gz --facilities depots.csv -o areas.parquet[/]
    """
    saving.check(out, saving.NEAREST, escape_formulas=escape_formulas)
    page.check()
    loaded = load(graph, reading, showing, vertices=[facilities], snapping=snapping)
    if page.html is not None:
        loaded = with_coordinates(loaded, graph, "the areas", "--html")
    roads = loaded.graph
    chosen = listed(roads, facilities, snapping, along=True)
    solver = loaded.solver(solving)
    start = time.perf_counter()
    with in_file_ids(roads):
        found = solver.nearest(
            chosen,
            reverse=reverse,
            cutoff=cutoff,
            progress=showing.progress,
            missing=snapping.missing,
        )
    solved = time.perf_counter() - start
    if out is not None:
        with busy(f"writing {out.name}", showing):
            saving.save_rows(
                found,
                _FACILITY_COLUMNS,
                tables.facility_rows(found),
                out,
                escape_formulas=escape_formulas,
            )
    if page.html is not None:
        with busy(f"writing {page.html.name}", showing):
            page.write(found)
    facts = described(roads, found.dist, found.reached)
    listing = everything or roads.n <= _SMALL
    rows = list(tables.facility_rows(found)) if listing else None
    counts = np.bincount(found.facility_rows[found.reached], minlength=1)
    busiest = int(counts.argmax())
    document: dict[str, Any] = {
        "command": "nearest",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "facilities": found.count_of_facilities,
        "reverse": reverse,
        **facts,
        "algorithm": found.plan.algorithm,
        "plan": str(found.plan),
        "stats": found.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "html": None if page.html is None else str(page.html),
        "vertices": None
        if rows is None
        else [dict(zip(_FACILITY_COLUMNS, r, strict=True)) for r in rows],
    }
    if everything and not showing.as_json:
        output.show(document, TableRows(_FACILITY_COLUMNS, rows or ()), as_json=False)
        return
    shown = {
        "graph": output.titled(graph, roads),
        "facilities": found.count_of_facilities,
        "measured": "to the facility" if reverse else "from the facility",
        "reached": f"{output.count(facts['reached'])} of {output.count(roads.n)} vertices",
        "mean distance": facts["mean"],
        "farthest vertex": None if facts["farthest"] is None else str(facts["farthest"]),
        "its distance": facts["max"],
        "largest area": f"{ids(roads, found.starts[[busiest]]).tolist()[0]}, "
        f"{output.count(int(counts[busiest]))} vertices",
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": found.plan.headline(),
        **({} if out is None else {"saved to": out}),
        **({} if page.html is None else {"map in": page.html}),
    }
    parts: list[Any] = [NamedValues(shown)]
    if rows is not None:
        parts.append(TableRows(_FACILITY_COLUMNS, rows))
    output.show(document, *parts, as_json=showing.as_json)


def within(
    *,
    graph: GraphFile,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            "-s",
            help="A vertex id, as in the file, or a coordinate lon,lat; or several, or a file of "
            "them, as [bold]nearest[/] takes them.",
        ),
    ],
    cutoff: Cutoffs,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    page: HtmlMap,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Use distances to the source, not from it.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save one row per vertex: .parquet, .csv, .tsv, .txt."),
    ] = None,
    outlines: Annotated[
        Path | None,
        typer.Option(
            "--outlines",
            help="Save an outline around the streets within each cutoff: .geojson.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Draw the isochrones on the map: .png, .svg, .pdf.", show_default=False
        ),
    ] = None,
    theme: Theme = "light",
    everything: Annotated[
        bool, typer.Option("--all", help="Print every vertex: id, distance, cutoff.")
    ] = False,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Find the vertices within one or more distances of a vertex (isochrones).

    The search stops at the largest distance. Outlines and pictures need coordinates: from the graph
    file, from --coordinates, or from a file next to it (roads.co for roads.gr).

    Example: [cyan]warpath within roads.gr.gz --source 1 --cutoff 500,1000 --plot near.png[/]
    """
    saving.check(out, saving.NEAREST, escape_formulas=escape_formulas)
    saving.check(outlines, saving.SHAPES, "--outlines")
    saving.check(plot, saving.PICTURES, "--plot")
    page.check()
    loaded = load(graph, reading, showing, vertices=[source], snapping=snapping)
    drawn = {"--plot": plot, "--outlines": outlines, "--html": page.html}
    option = next((name for name, file in drawn.items() if file is not None), None)
    if option is not None:
        loaded = with_coordinates(loaded, graph, "what lies within", option)
    roads, solver = loaded.graph, loaded.solver(solving)
    start = time.perf_counter()
    with in_file_ids(roads):
        found = solver.within(
            listed(roads, source, snapping, along=True),
            cutoffs_of(cutoff),
            reverse=reverse,
            progress=showing.progress,
        )
    solved = time.perf_counter() - start
    sources = ids(roads, found.source_indices).tolist()
    written = {"saved to": out, "outlines in": outlines, "drawn to": plot, "map in": page.html}
    files = {what: file for what, file in written.items() if file is not None}
    for what, file in files.items():
        with busy(f"{'drawing' if file is plot else 'writing'} {file.name}", showing):
            _write(found, what, file, theme, page, escape_formulas=escape_formulas)
    rows = list(_rows(found)) if everything or len(found) <= _SMALL else None
    document: dict[str, Any] = {
        "command": "within",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "source": sources[0] if found.count_of_sources == 1 else sources,
        "reverse": reverse,
        "within": [{"cutoff": far, "vertices": count} for far, count in _counts(found)],
        "algorithm": found.plan.algorithm,
        "plan": str(found.plan),
        "stats": found.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "outlines": None if outlines is None else str(outlines),
        "plot": None if plot is None else str(plot),
        "html": None if page.html is None else str(page.html),
        "vertices": None if rows is None else [dict(zip(_COLUMNS, r, strict=True)) for r in rows],
    }
    table = [] if rows is None else [TableRows(_COLUMNS, rows)]
    if everything and not showing.as_json:
        output.show(document, *table, as_json=False)
        return
    several = f"the nearest of {found.count_of_sources} sources"
    from_ = output.text_of(sources[0]) if found.count_of_sources == 1 else several
    facts = {
        "graph": output.titled(graph, roads),
        "measured": f"{'to' if reverse else 'from'} {from_}",
        **{
            f"within {output.text_of(far)}": f"{output.count(count)} vertices"
            for far, count in _counts(found)
        },
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": found.plan.headline(),
        **files,
    }
    output.show(document, NamedValues(facts), *table, as_json=showing.as_json)


def _write(
    found: Within, what: str, file: Path, theme: str, page: HtmlMap, *, escape_formulas: bool
) -> None:
    if what == "drawn to":
        draw(found, file, theme)
    elif what == "outlines in":
        _save_outlines(found, file)
    elif what == "map in":
        page.write(found)
    else:
        saving.save_rows(found, _COLUMNS, _rows(found), file, escape_formulas=escape_formulas)


def _counts(found: Within) -> list[tuple[Any, int]]:
    return list(zip(found.cutoffs.tolist(), found.counts.tolist(), strict=True))


def cutoffs_of(text: str) -> list[Any]:
    """Return the numbers of ``500,1000``."""
    found = [number_or_text(part.strip()) for part in text.split(",")]
    for one in found:
        if isinstance(one, str | bool | tuple):
            raise UsageError(f"--cutoff {text!r} must be numbers like 500,1000,2000.")
    return found


def draw(found: Within, plot: Path, theme: str) -> None:
    """Draw isochrones."""
    from warpath.plot import plot_within

    plot_within(found, plot, theme=theme)


def _rows(found: Within) -> Any:
    names = ids(found.graph, found.indices).tolist()
    cutoffs = found.cutoffs[found.band].tolist()
    return zip(names, found.dist.tolist(), cutoffs, strict=True)


def _save_outlines(found: Within, path: Path) -> None:
    from warpath.io.save import atomic

    frame = found.to_geodataframe()
    if frame.crs is not None:
        frame = frame.to_crs(4326)  # the only system of GeoJSON
    with atomic(path) as file:
        file.write(frame.to_json().encode())
