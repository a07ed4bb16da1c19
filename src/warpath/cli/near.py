"""nearest and within: the nearest of several facilities, and the vertices near a vertex."""
# Annotations are read at run time: no postponed evaluation.

from functools import partial
from pathlib import Path

import numpy as np

from warpath.cli import output, saving
from warpath.cli.options import (
    CUTOFF,
    CUTOFFS,
    ESCAPE_FORMULAS,
    FACILITIES,
    THEME,
    TO_FACILITIES,
    TO_SOURCE,
    HtmlMap,
    TableSolving,
    VertexSolving,
    flag,
    option,
)
from warpath.cli.reading import load, numbers
from warpath.cli.tables import SMALL, add_distances, add_rows, save_rows
from warpath.cli.vertices import ids
from warpath.results.within import Within


def nearest(
    *,
    options: TableSolving,
    facilities: str = FACILITIES,
    page: HtmlMap,
    reverse: bool = TO_FACILITIES,
    cutoff: float | None = CUTOFF,
    out: Path | None = option(
        "Save one row per vertex: .parquet, .csv, .tsv, .txt.", "--out", "-o"
    ),
    everything: bool = flag("Print every vertex: id, facility, distance.", "--all"),
    escape_formulas: bool = ESCAPE_FORMULAS,
) -> None:
    """Find the nearest of several facilities for every vertex, and its distance.

    One search from all facilities. Of equally near facilities the first in the graph's order is
    chosen. For small graphs (20 vertices) every vertex is printed.

    Example: [cyan]warpath nearest roads.gr.gz --facilities depots.csv -o areas.parquet[/]
    """
    saving.check(out, saving.ROWS, escape_formulas=escape_formulas)
    page.check()
    loaded = load(options, [facilities])
    loaded.require_coordinates("the areas", {"--html": page.html})
    chosen = loaded.listed(facilities)
    choices = {"reverse": reverse, "cutoff": cutoff, "missing": options.missing}
    found = loaded.solve("nearest", chosen, **choices)
    roads = loaded.graph
    report = loaded.report("nearest")
    report.add("facilities", found.count_of_facilities, "facilities")
    report.add("reverse", reverse, "measured", f"{'to' if reverse else 'from'} the facility")
    add_distances(report, found)
    del report.facts["sum of distances"]
    counts = np.bincount(found.facility_rows[found.reached], minlength=1)
    busiest = int(counts.argmax())
    name = ids(roads, found.starts[[busiest]]).tolist()[0]
    report.facts["largest area"] = f"{name}, {output.count(int(counts[busiest]))} vertices"
    report.add_run(found, loaded.seconds)
    report.add_file("out", out, "saved to", partial(save_rows, found, escape_formulas))
    report.add_file("html", page.html, "map in", partial(page.save, found))
    add_rows(report, "vertices", found, listed=everything or roads.n <= SMALL)
    report.show(facts=not everything)


def within(
    *,
    options: VertexSolving,
    source: str = option(
        "A vertex id, as in the file, or a coordinate lon,lat; or several, or a file of them, as "
        "[bold]nearest[/] takes them.",
        "--source",
        "-s",
        default=...,
    ),
    cutoff: str = CUTOFFS,
    page: HtmlMap,
    reverse: bool = TO_SOURCE,
    out: Path | None = option(
        "Save one row per vertex: .parquet, .csv, .tsv, .txt.", "--out", "-o"
    ),
    outlines: Path | None = option(
        "Save an outline around the streets within each cutoff: .geojson."
    ),
    plot: Path | None = option("Draw the isochrones on the map: .png, .svg, .pdf."),
    theme: str = THEME,
    everything: bool = flag("Print every vertex: id, distance, cutoff.", "--all"),
    escape_formulas: bool = ESCAPE_FORMULAS,
) -> None:
    """Find the vertices within one or more distances of a vertex (isochrones).

    The search stops at the largest distance. Outlines and pictures need coordinates: from the graph
    file, from --coordinates, or from a file next to it (roads.co for roads.gr).

    Example: [cyan]warpath within roads.gr.gz --source 1 --cutoff 500,1000 --plot near.png[/]
    """
    saving.check(out, saving.ROWS, escape_formulas=escape_formulas)
    saving.check(outlines, saving.SHAPES, "--outlines")
    saving.check(plot, saving.PICTURES, "--plot")
    page.check()
    loaded = load(options, [source])
    files = {"--plot": plot, "--outlines": outlines, "--html": page.html}
    loaded.require_coordinates("what lies within", files)
    chosen = loaded.listed(source)
    found = loaded.solve("within", chosen, numbers(cutoff, "--cutoff"), reverse=reverse)
    sources = ids(loaded.graph, found.source_indices).tolist()
    one = found.count_of_sources == 1
    origin = output.text_of(sources[0]) if one else f"the nearest of {len(sources)} sources"
    counts = list(zip(found.cutoffs.tolist(), found.counts.tolist(), strict=True))
    report = loaded.report("within")
    report.document |= {"source": sources[0] if one else sources, "reverse": reverse}
    report.document["within"] = [{"cutoff": far, "vertices": count} for far, count in counts]
    report.facts["measured"] = f"{'to' if reverse else 'from'} {origin}"
    for far, count in counts:
        report.facts[f"within {output.text_of(far)}"] = f"{output.count(count)} vertices"
    report.add_run(found, loaded.seconds)
    report.add_file("out", out, "saved to", partial(save_rows, found, escape_formulas))
    report.add_file("outlines", outlines, "outlines in", partial(_save_outlines, found))
    report.add_file("plot", plot, "drawn to", partial(found.plot, theme=theme))
    report.add_file("html", page.html, "map in", partial(page.save, found))
    add_rows(report, "vertices", found, listed=everything or len(found) <= SMALL)
    report.show(facts=not everything)


def _save_outlines(found: Within, path: Path) -> None:
    from warpath.io.save import atomic

    frame = found.to_geodataframe()
    if frame.crs is not None:
        frame = frame.to_crs(4326)  # the only system of GeoJSON
    with atomic(path) as file:
        file.write(frame.to_json().encode())
