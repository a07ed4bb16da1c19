"""distances, apsp, pairs and centrality: what takes searches from many vertices."""
# Annotations are read at run time: no postponed evaluation.

from collections.abc import Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from warpath.api import centrality as measures
from warpath.cli import options as shared
from warpath.cli import output, saving
from warpath.cli.options import TableSolving, argument, flag, option, output_file
from warpath.cli.reading import Loaded, load
from warpath.cli.reporting import UsageError, check_name
from warpath.cli.vertices import numbers_of_vertices
from warpath.cli.vertices import trips as listed_trips

#: The centralities of all vertices.
MEASURES = [name for name in measures.__all__ if name != "top_closeness"]

_WIDE = 12  # more columns do not fit a terminal

_ALSO: Any = option(
    "Kept columns of numbers, such as length,toll, to sum along the shortest routes: a further "
    "column of the rows for each."
)
_DIST_DTYPE: Any = option(
    "int32 halves the size of a table of integers; an error if a distance does not fit."
)
_LONG: Any = option(
    "One line per pair that has a path (source, target, distance), or one per source. Default: "
    "wide, or long if the terminal is too narrow.",
    "--long/--wide",
)


def distances(
    *,
    options: TableSolving,
    sources: str = shared.SOURCES,
    targets: str | None = option("As --sources. Default: all vertices."),
    cutoff: float | None = shared.CUTOFF,
    out: Path | None = output_file("Save the table", saving.TABLES),
    long: bool | None = _LONG,
    predecessors: bool = flag(
        "Add the vertex before each target, to a long table or .npz.", "--predecessors"
    ),
    also: str | None = _ALSO,
    dist_dtype: str | None = _DIST_DTYPE,
    escape_formulas: bool = shared.ESCAPE_FORMULAS,
) -> None:
    """Compute a table of distances from several vertices to several others.

    Each search ends when it has reached all targets; searches run in parallel, one per core.
    .npy and .zarr are written block by block; the same command resumes an interrupted run.

    Example: [cyan]warpath distances roads.gr.gz -s depots.csv --targets 5,9,12 -o od.parquet[/]
    """
    names = _names(also)
    further = {"--predecessors": predecessors, "--also": bool(names)}
    long = _form(out, [option for option, given in further.items() if given], long=long)
    loaded = load(options, [sources, targets])
    rows = loaded.listed(sources)
    columns = None if targets is None else loaded.listed(targets)
    shape = len(rows), loaded.graph.n if columns is None else len(columns)
    solve = partial(
        loaded.solve,
        "distances",
        rows,
        columns,
        cutoff=cutoff,
        predecessors=predecessors,
        dist_dtype=dist_dtype,
        missing=options.missing,
        also=names,
    )
    _report("distances", loaded, shape, solve, out, long=long, escape_formulas=escape_formulas)


def apsp(
    *,
    options: shared.Solving,
    out: Path | None = output_file("Save the table", saving.TABLES),
    long: bool | None = _LONG,
    dist_dtype: str | None = _DIST_DTYPE,
    escape_formulas: bool = shared.ESCAPE_FORMULAS,
) -> None:
    """Compute the distances between all pairs of vertices.

    Small tables are printed; larger ones need -o. Tables larger than memory need .npy or .zarr,
    which are written block by block. After an interruption, NAME.part keeps the finished rows, and
    the same command resumes from there.

    Example: [cyan]warpath apsp zones.tntp -o full.npy[/]
    """
    long = _form(out, [], long=long)
    loaded = load(options)
    shape = (loaded.graph.n,) * 2
    solve = partial(loaded.solve, "apsp", dist_dtype=dist_dtype)
    _report("apsp", loaded, shape, solve, out, long=long, escape_formulas=escape_formulas)


def pairs(
    *,
    options: TableSolving,
    trips: Path = argument(
        "A .csv or .tsv file with a trip per row: its columns origin and destination, or "
        "origin_lon, origin_lat, destination_lon and destination_lat, else the first two.",
        metavar="TRIPS",
    ),
    page: shared.HtmlMap,
    out: Path | None = output_file("Save one row per trip", saving.ROWS),
    also: str | None = _ALSO,
    dist_dtype: str | None = _DIST_DTYPE,
    escape_formulas: bool = shared.ESCAPE_FORMULAS,
) -> None:
    """Compute the distance of each of many trips, from an origin to a destination.

    A prepared graph (warpath prepare) takes microseconds for a trip; another graph is searched once
    from each different origin.

    Example: [cyan]warpath pairs roads.wph trips.csv -o distances.csv[/]
    """
    loaded = load(options, [trips])
    loaded.require_coordinates("the routes", {"--html": page.html})
    *ends, columns = listed_trips(loaded.graph, trips, options)
    if out is None:
        what = f"the file has {len(ends[0]):,} trips"
        saving.refuse_to_print(len(ends[0]), what, "save them", "distances.csv")
    found = loaded.solve(
        "pairs", *ends, dist_dtype=dist_dtype, missing=options.missing, also=_names(also)
    )
    if out is not None:
        found = found.with_columns(columns)
    report = loaded.report("pairs")
    reached, total = int(found.reached.sum()), len(found)
    report.document |= {"trips": total, "reached": reached}
    report.facts["trips"] = f"{output.count(reached)} of {output.count(total)} have a path"
    report.add("sum", saving.exact_sum(found.dist[found.reached]), "sum of distances")
    report.add_run(found, loaded.seconds)
    report.add_file("out", out, "saved to", partial(saving.save, found, escape_formulas))
    report.add_file("html", page.html, "map in", partial(page.save, found))
    saving.add_rows(report, "distances", found, listed=out is None)
    report.show(facts=out is not None)


def centrality(
    *,
    options: shared.VertexSolving,
    measure: str = option(f"One of {', '.join(MEASURES)}.", default="betweenness"),
    radius: list[str] | None = option(
        "Count only paths up to this length, such as 800, 10min or 5km. May be repeated: all "
        "radii in one pass.",
        "--radius",
        "--cutoff",
    ),
    by: str | None = option(
        "A kept column that --radius limits along the paths, in place of the weights.", "--by"
    ),
    vertex_weights: str | None = option(
        "Of reach, gravity and straightness: what vertices are worth. A .npy file, or a column of "
        "a .csv or .tsv file, as nodes.csv:area; rows of one vertex are added up.",
        "--vertex-weights",
        metavar="FILE[:COLUMN]",
    ),
    sources: str | None = option(f"Count only paths from these vertices. {shared.LISTED}"),
    k: int | None = option("Count the paths from this number of random vertices.", "--k", min=1),
    seed: int | None = option("Seed of the random numbers of --k.", "--seed"),
    beta: float | None = option("Of gravity, which divides by exp(beta * distance)."),
    shown: shared.Shown,
    out: Path | None = output_file("Save one row per vertex, or per edge", saving.ROWS),
    plot: Path | None = output_file("Draw the numbers on the map", saving.PICTURES, "--plot"),
    theme: str = shared.THEME,
) -> None:
    """Find the vertices or edges that lie on many shortest paths, or are near all others.

    Names and values are those of NetworkX and of Urban Network Analysis. Prints the largest number
    and its vertex or edge; for small graphs (20 rows) every number. Maps show the largest radius.
    A long run that was stopped goes on when the same command, with -o, is run again.

    Example: [cyan]warpath centrality roads.gr.gz --k 500 -o b.csv --plot b.png[/]
    """
    check_name("measure", measure, MEASURES)
    compute = getattr(measures, measure)
    given: dict[str, Any] = {
        "cutoff": radius,
        "by": by,
        "weights": vertex_weights,
        "sources": sources,
        "k": k,
        "seed": seed,
        "beta": beta,
    }
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in signature(compute).parameters:
            flag = {"cutoff": "radius", "weights": "vertex-weights"}.get(name, name)
            raise UsageError(f"--{flag} has no effect on {measure}: leave it out.")
    if seed is not None and k is None:
        raise UsageError("--seed is for the random vertices of --k: give --k, too.")
    if by is not None and radius is None:
        raise UsageError("--by is what --radius is measured in: give --radius, too.")
    loaded = load(options, [sources])
    loaded.require_coordinates("the numbers", {"--plot": plot, "--html": shown.html})
    if sources is not None:
        given["sources"] = loaded.listed(sources, along=False)
    if radius is not None:
        given["cutoff"] = [shared.cutoff(each) for each in radius]
    if vertex_weights is not None:
        given["weights"] = numbers_of_vertices(loaded.graph, vertex_weights)
    if out not in (None, saving.STDOUT) and (k is None or seed is not None):
        given |= {"checkpoint": out} if "checkpoint" in signature(compute).parameters else {}
    with saving.kept(out):
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


def _report(
    command: str,
    loaded: Loaded,
    shape: tuple[int, int],
    solve: partial[Any],
    out: Path | None,
    *,
    long: bool | None,
    escape_formulas: bool,
) -> None:
    """Compute a table, save it if `out` is given, and print it or a summary."""
    k, t = shape
    if out is None:
        what = f"the table has {k:,} x {t:,} distances"
        saving.refuse_to_print(k * t, what, "save it", "table.npz")
    streamed = saving.streamed(out)
    with saving.kept(out):
        table = solve(out=out if streamed else None)
    report = loaded.report(command)
    report.document |= {"sources": k, "targets": t, "reached": None, "sum": None}
    report.facts["table"] = f"{k} sources x {t} targets"
    if "resumed" in table.stats:
        report.facts["resumed"] = f"{table.stats['resumed']} of {k} were done before"
    report.add_run(table, loaded.seconds)

    def save(file: Path) -> None:
        names = ["source", *map(str, table.column_ids.tolist())]
        if not long and saving.suffix_of(file) in saving.TEXTS and len(set(names)) <= t:
            same = "two columns of the table would have the same name"
            raise UsageError(f"-o {out}: {same}: use --long.")
        if not streamed:
            saving.save(table, escape_formulas, file, long=bool(long))

    report.add_file("out", out, "saved to", save)
    report.document["distances"] = None
    if out is None:
        report.document["reached"] = int(table.reached.sum())
        report.document["sum"] = saving.exact_sum(table.dist[table.reached])
        if report.showing.as_json:
            rows = saving.table_rows(table, long=True, missing=True)
            report.add_rows("distances", *rows)
        else:
            wide = not (output.on_terminal() and t > _WIDE if long is None else long)
            report.parts.append(output.TableRows(*saving.table_rows(table, long=not wide)))
    report.show(facts=out is not None)


def _names(also: str | None) -> list[str]:
    """Return the names of columns that an option lists, separated by commas."""
    return [] if also is None else [name.strip() for name in also.split(",")]


def _form(out: Path | None, further: Sequence[str], *, long: bool | None) -> bool | None:
    """Return whether a table is long; raise UsageError if its file or its form cannot hold it.

    Parameters
    ----------
    further : the options that need more values for each pair than its distance.
    """
    streamed, suffix = saving.streamed(out), "" if out is None else saving.suffix_of(out)
    if long and (streamed or suffix == ".omx"):
        rule = f"--long is for .parquet, .csv or .tsv; {suffix} holds matrices"
        raise UsageError(f"-o {out}: {rule}.")
    if not further or suffix == ".npz" or (suffix == ".omx" and further == ["--also"]):
        return long
    if streamed or suffix == ".omx":
        rule = f"{further[0]} needs .npz, .parquet, .csv or .tsv, not {suffix}"
        raise UsageError(f"-o {out}: {rule}.")
    if long is False:
        raise UsageError(f"a --wide table cannot hold {further[0]}: use --long, or -o .npz.")
    return True
