"""distances, apsp and nearest."""
# Annotations are read at run time: no postponed evaluation.

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from warpath.api import distances as calls
from warpath.api import near as areas
from warpath.base import units
from warpath.cli import output, saving, tables
from warpath.cli.busy import busy
from warpath.cli.options import Cutoff, GraphFile, Reading, Showing, Solving
from warpath.cli.output import Facts, Rows
from warpath.cli.reading import Loaded, load
from warpath.cli.summary import described
from warpath.cli.usage import UsageError
from warpath.cli.vertices import ids, in_file_ids, listed
from warpath.results.distance_table import DistanceTable

_SMALL = 20  # up to this number of vertices all are printed by default

DistDtype = Annotated[
    str | None,
    typer.Option(
        "--dist-dtype",
        help="int32 halves the size of a table of integers; an error if a distance does not fit.",
        show_default=False,
    ),
]
Long = Annotated[
    bool | None,
    typer.Option(
        "--long/--wide",
        help="One line per pair that has a path (source, target, distance), or one per source. "
        "Default: wide, or long if the terminal is too narrow.",
        show_default=False,
    ),
]


def distances(
    *,
    graph: GraphFile,
    sources: Annotated[
        str,
        typer.Option(
            "--sources", "-s", help="Ids like 1,5,9, or a file with an id in its first column."
        ),
    ],
    reading: Reading,
    solving: Solving,
    showing: Showing,
    targets: Annotated[
        str | None,
        typer.Option("--targets", help="As --sources. Default: all vertices.", show_default=False),
    ] = None,
    cutoff: Cutoff = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Save the table: .npz, .parquet, .csv, .tsv, .npy, .zarr."
        ),
    ] = None,
    long: Long = None,
    predecessors: Annotated[
        bool,
        typer.Option(
            "--predecessors", help="Add the vertex before each target, to a long table or .npz."
        ),
    ] = False,
    dist_dtype: DistDtype = None,
) -> None:
    """Compute a table of distances from several vertices to several others.

    Each search ends when it has reached all targets; searches run in parallel, one per core.
    .npy and .zarr are written block by block; the same command resumes an interrupted run.

    Example: [cyan]warpath distances roads.gr.gz -s depots.csv --targets 5,9,12 -o od.parquet[/]
    """
    saving.check(out, saving.TABLES)
    _refuse_a_form(out, long=long)
    if predecessors:
        long = _long_for_predecessors(out, long=long)
    loaded = load(graph, reading, showing)
    roads = loaded.graph
    rows = listed(roads, sources)
    columns = None if targets is None else listed(roads, targets)
    if out is None:
        tables.refuse_large(len(rows), roads.n if columns is None else len(columns))
    call = partial(
        calls.distances,
        roads,
        rows,
        columns,
        cutoff=cutoff,
        predecessors=predecessors,
        dist_dtype=dist_dtype,
        **solving.wish(),
    )
    _solve(
        call, command="distances", file=graph, loaded=loaded, out=out, showing=showing, long=long
    )


def apsp(
    *,
    graph: GraphFile,
    reading: Reading,
    solving: Solving,
    showing: Showing,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Save the table: .npy, .zarr, .npz, .parquet, .csv, .tsv."
        ),
    ] = None,
    long: Long = None,
    dist_dtype: DistDtype = None,
) -> None:
    """Compute the distances between all pairs of vertices.

    Small tables are printed; larger ones need -o. Tables larger than memory need .npy or .zarr,
    which are written block by block. After an interruption, NAME.part keeps the finished rows, and
    the same command resumes from there.

    Example: [cyan]warpath apsp zones.tntp -o full.npy[/]
    """
    saving.check(out, saving.TABLES)
    _refuse_a_form(out, long=long)
    loaded = load(graph, reading, showing)
    roads = loaded.graph
    if out is None:
        tables.refuse_large(roads.n, roads.n)
    call = partial(calls.apsp, roads, dist_dtype=dist_dtype, **solving.wish())
    _solve(call, command="apsp", file=graph, loaded=loaded, out=out, showing=showing, long=long)


def _solve(
    call: Callable[..., DistanceTable],
    *,
    command: str,
    file: Path,
    loaded: Loaded,
    out: Path | None,
    showing: Showing,
    long: bool | None,
) -> None:
    """Compute a table, save it if `out` is given, and print it or a summary."""
    streamed = saving.streamed(out)
    start = time.perf_counter()
    with in_file_ids(loaded.graph), tables.kept(out):
        table = call(out=out if streamed else None, progress=showing.progress)
    solved = time.perf_counter() - start
    if out is not None and not streamed:
        with busy(f"writing {out.name}", showing):
            tables.save(table, out, long=bool(long))
    tables.show_table(
        table,
        command=command,
        file=file,
        loaded=loaded,
        solved=solved,
        out=out,
        showing=showing,
        long=long,
    )


def nearest(
    *,
    graph: GraphFile,
    facilities: Annotated[
        str,
        typer.Option(
            "--facilities", "-f", help="Ids like 1,5,9, or a file with an id in its first column."
        ),
    ],
    reading: Reading,
    solving: Solving,
    showing: Showing,
    reverse: Annotated[
        bool,
        typer.Option(
            "--reverse", help="Use distances from the vertices to the facilities, not from them."
        ),
    ] = False,
    cutoff: Cutoff = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save one row per vertex: .parquet, .csv, .tsv, .txt."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every vertex: id, facility, distance.")
    ] = False,
) -> None:
    """Find the nearest of several facilities for every vertex, and its distance.

    One search from all facilities. Of equally near facilities the first in the graph's order is
    chosen. For small graphs (20 vertices) every vertex is printed.

    Example: [cyan]warpath nearest roads.gr.gz --facilities depots.csv -o areas.parquet[/]
    """
    saving.check(out, saving.NEAREST)
    loaded = load(graph, reading, showing)
    roads = loaded.graph
    chosen = listed(roads, facilities)
    start = time.perf_counter()
    with in_file_ids(roads):
        found = areas.nearest(
            roads,
            chosen,
            reverse=reverse,
            cutoff=cutoff,
            progress=showing.progress,
            **solving.wish(),
        )
    solved = time.perf_counter() - start
    columns = ("vertex", "facility", "distance")
    if out is not None:
        with busy(f"writing {out.name}", showing):
            saving.save_rows(found, columns, tables.facility_rows(found), out)
    facts = described(roads, found.dist, found.reached)
    listing = everything or roads.n <= _SMALL
    rows = list(tables.facility_rows(found)) if listing else None
    counts = np.bincount(found.facility_indices[found.reached], minlength=1)
    busiest = int(counts.argmax())
    document: dict[str, Any] = {
        "command": "nearest",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "facilities": len(found.facilities),
        "reverse": reverse,
        **facts,
        "algorithm": found.plan.algorithm,
        "plan": str(found.plan),
        "stats": found.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "vertices": None if rows is None else [dict(zip(columns, r, strict=True)) for r in rows],
    }
    if everything and not showing.as_json:
        output.show(document, Rows(columns, rows or ()), as_json=False)
        return
    shown = {
        "graph": output.titled(graph, roads),
        "facilities": len(found.facilities),
        "measured": "to the facility" if reverse else "from the facility",
        "reached": f"{output.count(facts['reached'])} of {output.count(roads.n)} vertices",
        "mean distance": facts["mean"],
        "farthest vertex": None if facts["farthest"] is None else str(facts["farthest"]),
        "its distance": facts["eccentricity"],
        "largest area": f"{ids(roads, np.array([busiest])).tolist()[0]}, "
        f"{output.count(int(counts[busiest]))} vertices",
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": found.plan.headline(),
        **({} if out is None else {"saved to": out}),
    }
    parts: list[Any] = [Facts(shown)]
    if rows is not None:
        parts.append(Rows(columns, rows))
    output.show(document, *parts, as_json=showing.as_json)


def _refuse_a_form(out: Path | None, *, long: bool | None) -> None:
    """Raise UsageError for --long with a file that holds only the array of distances."""
    if long and out is not None and saving.streamed(out):
        raise UsageError(
            f"-o {out}: --long is for .parquet, .csv or .tsv; {saving.suffix_of(out)} holds only "
            "the distances."
        )


def _long_for_predecessors(out: Path | None, *, long: bool | None) -> bool | None:
    """Return whether a table with predecessors is long; raise UsageError if it cannot hold them."""
    if out is not None and saving.suffix_of(out) == ".npz":
        return long
    if saving.streamed(out):
        raise UsageError(
            f"-o {out}: --predecessors need .npz, .parquet, .csv or .tsv, not .npy or .zarr."
        )
    if long is False:
        raise UsageError("a --wide table cannot hold --predecessors: use --long, or -o .npz.")
    return True
