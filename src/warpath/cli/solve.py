"""sssp: shortest paths from one source."""
# Annotations are read at run time: no postponed evaluation.

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from warpath.base import units
from warpath.cli import output, saving
from warpath.cli.options import (
    Cutoff,
    EscapeFormulas,
    GraphFile,
    HtmlMap,
    Reading,
    Showing,
    Snapping,
    Solving,
)
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reading import load, with_coordinates
from warpath.cli.reporting import busy
from warpath.cli.summary import described, distance_rows
from warpath.cli.vertices import in_file_ids, one_id, vertex
from warpath.results.paths import Paths
from warpath.results.trace import Trace, headline

_SMALL = 20  # up to this number of vertices all are printed by default


def sssp(
    *,
    graph: GraphFile,
    source: Annotated[
        str,
        typer.Option(
            "--source", "-s", help="The id of the source, as in the file, or a coordinate lon,lat."
        ),
    ],
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    page: HtmlMap,
    cutoff: Cutoff = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Save distances and predecessors: .npz, .parquet, .csv, .tsv, .txt."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", help="Save the work of each round: .jsonl.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every vertex: id, distance, predecessor.")
    ] = False,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Compute shortest paths from one vertex to all others.

    Prints the number of reached vertices, the exact sum and the mean of their distances, the
    farthest vertex and the plan that ran; for small graphs (20 vertices) also every distance.

    Example: [cyan]warpath sssp roads.gr.gz --source 1 -o tree.npz[/]
    """
    saving.check(out, saving.PATHS, escape_formulas=escape_formulas)
    saving.check(trace, saving.TRACES, "--trace")
    page.check()
    loaded = load(graph, reading, showing, vertices=[source], snapping=snapping)
    if page.html is not None:
        loaded = with_coordinates(loaded, graph, "the tree", "--html")
    roads, solver = loaded.graph, loaded.solver(solving)
    start = time.perf_counter()
    with in_file_ids(roads):
        paths = solver.sssp(
            vertex(roads, source, snapping, along=True),
            cutoff=cutoff,
            progress=showing.progress,
            trace=trace is not None,
        )
    solved = time.perf_counter() - start
    if out is not None:
        with busy(f"writing {out.name}", showing):
            saving.save_paths(paths, distance_rows(paths), out, escape_formulas=escape_formulas)
    if page.html is not None:
        with busy(f"writing {page.html.name}", showing):
            page.write(paths)
    traced = None if trace is None else _save_trace(paths, trace)
    facts = described(roads, paths.dist, paths.reached)
    columns = ("vertex", "distance", "pred")
    rows = list(distance_rows(paths)) if everything or roads.n <= _SMALL else None
    document = {
        "command": "sssp",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "source": one_id(roads, paths.source_index),
        **facts,
        "algorithm": paths.plan.algorithm,
        "plan": str(paths.plan),
        "stats": paths.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "trace": None if trace is None else str(trace),
        "html": None if page.html is None else str(page.html),
        "distances": None if rows is None else [dict(zip(columns, r, strict=True)) for r in rows],
    }
    if everything and not showing.as_json:
        output.show(document, TableRows(columns, rows or ()), as_json=False)
        return
    shown = {
        "graph": output.titled(graph, roads),
        "source": str(document["source"]),
        "reached": f"{output.count(facts['reached'])} of {output.count(roads.n)} vertices",
        "sum of distances": facts["sum"],
        "mean distance": facts["mean"],
        "farthest vertex": None if facts["farthest"] is None else str(facts["farthest"]),
        "its distance": facts["max"],
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": paths.plan.headline(),
        **({} if out is None else {"saved to": out}),
        **({} if traced is None else {"traced to": traced}),
        **({} if page.html is None else {"map in": page.html}),
    }
    parts: list[Any] = [NamedValues(shown)]
    if rows is not None:
        parts.append(TableRows(columns, rows))
    output.show(document, *parts, as_json=showing.as_json)


def _save_trace(paths: Paths, out: Path) -> str:
    """Write the trace with the source's id of the file; return its path and totals as text."""
    trace = paths.trace
    assert trace is not None  # noqa: S101 - requested by the caller
    assert trace.run is not None  # noqa: S101 - as above
    source = one_id(paths.graph, paths.source_index)
    run = replace(trace.run, source=source if isinstance(source, int) else str(source))
    Trace(trace, run).save(out)
    return f"{out}: {headline(trace.totals())}"
