"""sssp: shortest paths from one source."""
# Annotations are read at run time: no postponed evaluation.

from dataclasses import replace
from functools import partial
from pathlib import Path

from warpath.cli import saving
from warpath.cli.options import CUTOFF, ESCAPE_FORMULAS, HtmlMap, VertexSolving, flag, option
from warpath.cli.reading import load
from warpath.cli.tables import SMALL, add_distances, add_rows, save_rows
from warpath.cli.vertices import one_id
from warpath.results.paths import Paths
from warpath.results.trace import Trace, headline


def sssp(
    *,
    options: VertexSolving,
    source: str = option(
        "The id of the source, as in the file, or a coordinate lon,lat.",
        "--source",
        "-s",
        default=...,
    ),
    page: HtmlMap,
    cutoff: float | None = CUTOFF,
    out: Path | None = option(
        "Save distances and predecessors: .npz, .parquet, .csv, .tsv, .txt.", "--out", "-o"
    ),
    trace: Path | None = option("Save the work of each round: .jsonl."),
    everything: bool = flag("Print every vertex: id, distance, predecessor.", "--all"),
    escape_formulas: bool = ESCAPE_FORMULAS,
) -> None:
    """Compute shortest paths from one vertex to all others.

    Prints the number of reached vertices, the exact sum and the mean of their distances, the
    farthest vertex and the plan that ran; for small graphs (20 vertices) also every distance.

    Example: [cyan]warpath sssp roads.gr.gz --source 1 -o tree.npz[/]
    """
    saving.check(out, saving.PATHS, escape_formulas=escape_formulas)
    saving.check(trace, saving.TRACES, "--trace")
    page.check()
    loaded = load(options, [source])
    loaded.require_coordinates("the tree", {"--html": page.html})
    traced = trace is not None
    paths = loaded.solve("sssp", loaded.vertex(source), cutoff=cutoff, trace=traced)
    report = loaded.report("sssp")
    start = one_id(loaded.graph, paths.source_index)
    report.add("source", start, "source", str(start))
    add_distances(report, paths)
    report.add_run(paths, loaded.seconds)
    report.add_file("out", out, "saved to", partial(save_rows, paths, escape_formulas))
    report.add_file("trace", trace, "traced to", partial(_save_trace, paths))
    report.add_file("html", page.html, "map in", partial(page.save, paths))
    add_rows(report, "distances", paths, listed=everything or loaded.graph.n <= SMALL)
    report.show(facts=not everything)


def _save_trace(paths: Paths, file: Path) -> str:
    """Write the trace with the source's id of the file; return its path and totals as text."""
    trace = paths.trace
    assert trace is not None  # noqa: S101 - requested by the caller
    assert trace.run is not None  # noqa: S101 - as above
    source = one_id(paths.graph, paths.source_index)
    run = replace(trace.run, source=source if isinstance(source, int) else str(source))
    Trace(trace, run).save(file)
    return f"{file}: {headline(trace.totals())}"
