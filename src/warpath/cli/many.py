"""distances, apsp and pairs: tables of distances, and the distances of trips."""
# Annotations are read at run time: no postponed evaluation.

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

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
    Solving,
    TableSnapping,
)
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reading import Loaded, load, with_coordinates
from warpath.cli.reporting import UsageError, busy
from warpath.cli.summary import exact_sum
from warpath.cli.vertices import in_file_ids, listed
from warpath.cli.vertices import trips as listed_trips
from warpath.results.distance_table import DistanceTable

_TRIP_COLUMNS = ("origin", "destination", "distance")

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
            "--sources",
            "-s",
            help="Ids like 1,5,9, coordinates like [bold]7.41,43.73;7.42,43.74[/], or a file with "
            "an id in its first column or columns lon and lat.",
        ),
    ],
    reading: Reading,
    snapping: TableSnapping,
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
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Compute a table of distances from several vertices to several others.

    Each search ends when it has reached all targets; searches run in parallel, one per core.
    .npy and .zarr are written block by block; the same command resumes an interrupted run.

    Example: [cyan]warpath distances roads.gr.gz -s depots.csv --targets 5,9,12 -o od.parquet[/]
    """
    saving.check(out, saving.TABLES, escape_formulas=escape_formulas)
    _refuse_a_form(out, long=long)
    if predecessors:
        long = _long_for_predecessors(out, long=long)
    loaded = load(graph, reading, showing, vertices=[sources, targets], snapping=snapping)
    roads = loaded.graph
    rows = listed(roads, sources, snapping, along=True)
    columns = None if targets is None else listed(roads, targets, snapping, along=True)
    if out is None:
        tables.refuse_large(len(rows), roads.n if columns is None else len(columns))
    call = partial(
        loaded.solver(solving).distances,
        rows,
        columns,
        cutoff=cutoff,
        predecessors=predecessors,
        dist_dtype=dist_dtype,
        missing=snapping.missing,
    )
    _solve(
        call,
        command="distances",
        file=graph,
        loaded=loaded,
        out=out,
        showing=showing,
        long=long,
        escape_formulas=escape_formulas,
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
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Compute the distances between all pairs of vertices.

    Small tables are printed; larger ones need -o. Tables larger than memory need .npy or .zarr,
    which are written block by block. After an interruption, NAME.part keeps the finished rows, and
    the same command resumes from there.

    Example: [cyan]warpath apsp zones.tntp -o full.npy[/]
    """
    saving.check(out, saving.TABLES, escape_formulas=escape_formulas)
    _refuse_a_form(out, long=long)
    loaded = load(graph, reading, showing)
    roads = loaded.graph
    if out is None:
        tables.refuse_large(roads.n, roads.n)
    call = partial(loaded.solver(solving).apsp, dist_dtype=dist_dtype)
    _solve(
        call,
        command="apsp",
        file=graph,
        loaded=loaded,
        out=out,
        showing=showing,
        long=long,
        escape_formulas=escape_formulas,
    )


def pairs(
    *,
    graph: GraphFile,
    trips: Annotated[
        Path,
        typer.Argument(
            metavar="TRIPS",
            help="A .csv or .tsv file with a trip per row: its columns origin and destination, or "
            "origin_lon, origin_lat, destination_lon and destination_lat, else the first two.",
            show_default=False,
        ),
    ],
    reading: Reading,
    snapping: TableSnapping,
    solving: Solving,
    showing: Showing,
    page: HtmlMap,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save one row per trip: .parquet, .csv, .tsv, .txt."),
    ] = None,
    dist_dtype: DistDtype = None,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Compute the distance of each of many trips, from an origin to a destination.

    A prepared graph (warpath prepare) takes microseconds for a trip; another graph is searched once
    from each different origin.

    Example: [cyan]warpath pairs roads.wph trips.csv -o distances.csv[/]
    """
    saving.check(out, saving.TRIPS, escape_formulas=escape_formulas)
    page.check()
    loaded = load(graph, reading, showing, vertices=[trips], snapping=snapping)
    if page.html is not None:
        loaded = with_coordinates(loaded, graph, "the routes", "--html")
    roads, solver = loaded.graph, loaded.solver(solving)
    ends = listed_trips(roads, trips, snapping)
    if out is None:
        tables.refuse_many(len(ends[0]))
    start = time.perf_counter()
    with in_file_ids(roads):
        found = solver.pairs(
            *ends, dist_dtype=dist_dtype, progress=showing.progress, missing=snapping.missing
        )
    solved = time.perf_counter() - start
    if out is not None:
        with busy(f"writing {out.name}", showing):
            saving.save_rows(
                found, _TRIP_COLUMNS, tables.trip_rows(found), out, escape_formulas=escape_formulas
            )
    if page.html is not None:
        with busy(f"writing {page.html.name}", showing):
            page.write(found)
    rows = list(tables.trip_rows(found)) if out is None else None
    reached, total = int(found.reached.sum()), exact_sum(found.dist[found.reached])
    document = {
        "command": "pairs",
        "graph": str(graph),
        "n": roads.n,
        "m": roads.m,
        "trips": len(found),
        "reached": reached,
        "sum": total,
        "algorithm": found.plan.algorithm,
        "plan": str(found.plan),
        "stats": found.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "html": None if page.html is None else str(page.html),
        "distances": None
        if rows is None
        else [dict(zip(_TRIP_COLUMNS, row, strict=True)) for row in rows],
    }
    if rows is not None:
        part = TableRows(_TRIP_COLUMNS, rows, ids=frozenset(_TRIP_COLUMNS[:2]))
        output.show(document, part, as_json=showing.as_json)
        return
    facts = {
        "graph": output.titled(graph, roads),
        "trips": f"{output.count(reached)} of {output.count(len(found))} have a path",
        "sum of distances": total,
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": found.plan.headline(),
        "saved to": out,
        **({} if page.html is None else {"map in": page.html}),
    }
    output.show(document, NamedValues(facts), as_json=showing.as_json)


def _solve(
    call: Callable[..., DistanceTable],
    *,
    command: str,
    file: Path,
    loaded: Loaded,
    out: Path | None,
    showing: Showing,
    long: bool | None,
    escape_formulas: bool,
) -> None:
    """Compute a table, save it if `out` is given, and print it or a summary."""
    streamed = saving.streamed(out)
    start = time.perf_counter()
    with in_file_ids(loaded.graph), tables.kept(out):
        table = call(out=out if streamed else None, progress=showing.progress)
    solved = time.perf_counter() - start
    if out is not None and not streamed:
        with busy(f"writing {out.name}", showing):
            tables.save(table, out, long=bool(long), escape_formulas=escape_formulas)
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
