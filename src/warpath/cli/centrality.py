"""centrality: the vertices and edges that lie on many shortest paths, or are near all others."""
# Annotations are read at run time: no postponed evaluation.

from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from warpath.api import centrality as measures
from warpath.cli import options as shared
from warpath.cli import output, saving
from warpath.cli.options import Shown, VertexSolving, option, output_file
from warpath.cli.reading import load
from warpath.cli.reporting import UsageError, check_name


def centrality(
    *,
    options: VertexSolving,
    measure: str = option(f"One of {', '.join(measures.__all__)}.", default="betweenness"),
    radius: list[str] | None = option(
        "Count only paths up to this length, such as 800, 10min or 5km. May be repeated: all "
        "radii in one pass.",
        "--radius",
        "--cutoff",
    ),
    sources: str | None = option(f"Count only paths from these vertices. {shared.LISTED}"),
    k: int | None = option("Count the paths from this number of random vertices.", "--k", min=1),
    seed: int | None = option("Seed of the random numbers of --k.", "--seed"),
    shown: Shown,
    out: Path | None = output_file("Save one row per vertex, or per edge", saving.ROWS),
    plot: Path | None = output_file("Draw the numbers on the map", saving.PICTURES, "--plot"),
    theme: str = shared.THEME,
) -> None:
    """Find the vertices or edges that lie on many shortest paths, or are near all others.

    Names and values are NetworkX's. Prints the largest number and its vertex or edge; for small
    graphs (20 rows) every number. Maps show the largest radius.

    Example: [cyan]warpath centrality roads.gr.gz --k 500 -o b.csv --plot b.png[/]
    """
    check_name("measure", measure, measures.__all__)
    compute = getattr(measures, measure)
    given: dict[str, Any] = {"cutoff": radius, "sources": sources, "k": k, "seed": seed}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in signature(compute).parameters:
            flag = "radius" if name == "cutoff" else name
            raise UsageError(f"--{flag} has no effect on {measure}: leave it out.")
    if seed is not None and k is None:
        raise UsageError("--seed is for the random vertices of --k: give --k, too.")
    loaded = load(options, [sources])
    loaded.require_coordinates("the numbers", {"--plot": plot, "--html": shown.html})
    if sources is not None:
        given["sources"] = loaded.listed(sources, along=False)
    if radius is not None:
        given["cutoff"] = [shared.cutoff(each) for each in radius]
    found = loaded.solve(compute, **given)
    report = loaded.report("centrality")
    report.add("measure", measure, "measure")
    count = len(found.source_indices)
    report.add("sources", count, "sources", f"{output.count(count)} vertices")
    report.document["largest"] = largest = found.largest()
    for name, (ends, value) in largest.items():
        text = " -> ".join(map(output.text_of, ends))
        report.facts[f"largest {name}"] = f"{value:.6g}, of {text}"
    report.document["algorithm"] = report.facts["algorithm"] = found.method
    report.document["stats"] = found.stats
    report.add_seconds(loaded.seconds)
    report.add_file("plot", plot, "drawn to", partial(found.plot, theme=theme))
    shown.show(report, found, "values", out)
