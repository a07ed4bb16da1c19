"""within: the vertices near a vertex, as rows, outlines and a picture."""
# Annotations are read at run time: no postponed evaluation.

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from warpath.api.near import within as near
from warpath.base import units
from warpath.cli import output, saving
from warpath.cli.busy import busy
from warpath.cli.options import GraphFile, Reading, Showing, Solving, Theme
from warpath.cli.output import Facts, Rows
from warpath.cli.reading import load, number_or_text, with_coordinates
from warpath.cli.usage import UsageError
from warpath.cli.vertices import ids, in_file_ids, one_id, vertex
from warpath.results.within import Within

_COLUMNS = ("vertex", "distance", "cutoff")
_SMALL = 20  # up to this number of vertices all are printed by default

Cutoffs = Annotated[
    str,
    typer.Option("--cutoff", "-c", help="Largest distances: one number, or several like 500,1000."),
]


def within(
    *,
    graph: GraphFile,
    source: Annotated[str, typer.Option("--source", "-s", help="A vertex id, as in the file.")],
    cutoff: Cutoffs,
    reading: Reading,
    solving: Solving,
    showing: Showing,
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
            help="Save one polygon per cutoff: .geojson.",
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
) -> None:
    """Find the vertices within one or more distances of a vertex (isochrones).

    The search stops at the largest distance. Outlines and pictures need coordinates: from the graph
    file, from --coordinates, or from a file next to it (roads.co for roads.gr).

    Example: [cyan]warpath within roads.gr.gz --source 1 --cutoff 500,1000 --plot near.png[/]
    """
    saving.check(out, saving.NEAREST)
    saving.check(outlines, saving.SHAPES, "--outlines")
    saving.check(plot, saving.PICTURES, "--plot")
    loaded = load(graph, reading, showing)
    roads = loaded.graph
    if plot is not None or outlines is not None:
        option = "--outlines" if plot is None else "--plot"
        roads = with_coordinates(roads, graph, "what lies within", option)
    start = time.perf_counter()
    with in_file_ids(roads):
        found = near(
            roads,
            vertex(roads, source),
            cutoffs_of(cutoff),
            reverse=reverse,
            progress=showing.progress,
            **solving.wish(),
        )
    solved = time.perf_counter() - start
    written = {"saved to": out, "outlines in": outlines, "drawn to": plot}
    files = {what: file for what, file in written.items() if file is not None}
    for what, file in files.items():
        with busy(f"{'drawing' if file is plot else 'writing'} {file.name}", showing):
            _write(found, what, file, theme)
    rows = list(_rows(found)) if everything or len(found) <= _SMALL else None
    document: dict[str, Any] = {
        "command": "within",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "source": one_id(roads, found.paths.source_index),
        "reverse": reverse,
        "within": [{"cutoff": far, "vertices": count} for far, count in _counts(found)],
        "algorithm": found.paths.plan.algorithm,
        "plan": str(found.paths.plan),
        "stats": found.paths.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "outlines": None if outlines is None else str(outlines),
        "plot": None if plot is None else str(plot),
        "vertices": None if rows is None else [dict(zip(_COLUMNS, r, strict=True)) for r in rows],
    }
    table = [] if rows is None else [Rows(_COLUMNS, rows)]
    if everything and not showing.as_json:
        output.show(document, *table, as_json=False)
        return
    facts = {
        "graph": output.titled(graph, roads),
        "measured": f"{'to' if reverse else 'from'} {output.text_of(document['source'])}",
        **{
            f"within {output.text_of(far)}": f"{output.count(count)} vertices"
            for far, count in _counts(found)
        },
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": found.paths.plan.headline(),
        **files,
    }
    output.show(document, Facts(facts), *table, as_json=showing.as_json)


def _write(found: Within, what: str, file: Path, theme: str) -> None:
    if what == "drawn to":
        draw(found, file, theme)
    elif what == "outlines in":
        _save_outlines(found, file)
    else:
        saving.save_rows(found, _COLUMNS, _rows(found), file)


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
    """Draw isochrones with the ids of the file."""
    from warpath.plot import plot_within

    plot_within(found, plot, source=str(one_id(found.graph, found.paths.source_index)), theme=theme)


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
