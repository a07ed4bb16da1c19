"""Tables of distances as rows, for the terminal, text files and JSON."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.cli import output, saving
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reporting import UsageError, tell
from warpath.cli.summary import exact_sum
from warpath.cli.vertices import ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from warpath.cli.options import Showing
    from warpath.cli.reading import Loaded
    from warpath.results.distance_table import DistanceTable
    from warpath.results.nearest import Nearest
    from warpath.results.pairs import Pairs

_WIDE = 12  # more columns do not fit a terminal
_PRINTED = {True: 400, False: 1_000_000}  # most entries to print: on a terminal, in a pipe


def refuse_large(k: int, t: int) -> None:
    """Raise UsageError for a table that is too large to print, before it is computed."""
    _refuse(k * t, f"the table has {k:,} x {t:,} distances", "save it", "table.npz")


def refuse_many(trips: int) -> None:
    """Raise UsageError for trips that are too many to print, before they are computed."""
    _refuse(trips, f"the file has {trips:,} trips", "save them", "distances.csv")


def _refuse(entries: int, what: str, save: str, example: str) -> None:
    most = _PRINTED[output.on_terminal()]
    if entries > most:
        msg = (
            f"{what}, too many to print ({most:,} at most here): {save} with -o, for example "
            f"-o {example}."
        )
        raise UsageError(msg)


def show_table(
    table: DistanceTable,
    *,
    command: str,
    file: Path,
    loaded: Loaded,
    solved: float,
    out: Path | None,
    showing: Showing,
    long: bool | None,
) -> None:
    """Print a table, or a summary if it was saved."""
    plan = table.plan
    k, t = table.shape
    document: dict[str, Any] = {
        "command": command,
        "graph": str(file),
        "n": loaded.graph.n,
        "m": loaded.graph.m,
        "sources": k,
        "targets": t,
        "reached": None,
        "sum": None,
        "algorithm": plan.recipe.name,
        "plan": str(plan),
        "stats": table.stats,
        "seconds": {"read": loaded.seconds, "solve": solved},
        "out": None if out is None else str(out),
        "distances": None,
    }
    if out is None:
        reached = table.reached
        document["reached"] = int(reached.sum())
        document["sum"] = exact_sum(table.dist[reached])
        if showing.as_json:
            names = long_columns(table)
            rows = (dict(zip(names, row, strict=True)) for row in long_rows(table, missing=True))
            document["distances"] = list(rows)
        if long is None:
            long = output.on_terminal() and t > _WIDE
        part = TableRows(*(long_form(table) if long else wide_form(table)))
        output.show(document, part, as_json=showing.as_json)
        return
    resumed = table.stats.get("resumed")
    facts = {
        "graph": output.titled(file, loaded.graph),
        "table": f"{k} sources x {t} targets",
        **({} if resumed is None else {"resumed": f"{resumed} of {k} were done before"}),
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(solved)} solving",
        "plan": plan.headline(),
        "saved to": out,
    }
    output.show(document, NamedValues(facts), as_json=showing.as_json)


def save(table: DistanceTable, out: Path, *, long: bool, escape_formulas: bool) -> None:
    """Write a table that fits into memory."""
    columns, rows = long_form(table) if long else wide_form(table)
    saving.save_table(table, columns, rows, out, long=long, escape_formulas=escape_formulas)


def long_form(table: DistanceTable) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the header and one row per pair that has a path."""
    return long_columns(table), long_rows(table, missing=False)


def long_columns(table: DistanceTable) -> list[str]:
    """Return the header of the long form; predecessors, if requested, are the last column."""
    return ["source", "target", "distance", *(["pred"] if table.pred is not None else [])]


def wide_form(table: DistanceTable) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the header and one row per source."""
    names = ids(table.graph, table.target_indices).tolist()
    return ["source", *map(str, names)], _wide_rows(table)


def long_rows(table: DistanceTable, *, missing: bool) -> Iterator[list[Any]]:
    """Yield (source, target, distance); if `missing`, also pairs without a path, with None."""
    targets = ids(table.graph, table.target_indices).tolist()
    for row, (source, distances) in enumerate(_wide_parts(table)):
        before = _before(table, row)
        for at, (target, distance) in enumerate(zip(targets, distances, strict=True)):
            if missing or distance is not None:
                yield [source, target, distance, *([] if before is None else [before[at]])]


def facility_rows(found: Nearest) -> Iterator[list[Any]]:
    """Yield (id, id of the facility, distance) for each vertex; None for missing values."""
    names = ids(found.graph, np.arange(found.graph.n)).tolist()
    columns = (names, found.facility_indices.tolist(), found.dist.tolist())
    for name, facility, distance in zip(*columns, strict=True):
        yield [name, None, None] if facility < 0 else [name, names[facility], distance]


def trip_rows(found: Pairs) -> Iterator[list[Any]]:
    """Yield (id of the origin, id of the destination, distance) for each trip; None for no path."""
    origins = ids(found.graph, found.origin_indices).tolist()
    destinations = ids(found.graph, found.destination_indices).tolist()
    columns = (origins, destinations, found.dist.tolist(), found.reached.tolist())
    for origin, destination, distance, reached in zip(*columns, strict=True):
        yield [origin, destination, distance if reached else None]


@contextmanager
def kept(out: Path | None) -> Iterator[None]:
    """Report the file of the finished rows if the command is interrupted."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if out is None:
            raise
        target = out.resolve()  # the part file is next to the target of a link
        if target.with_name(f"{target.name}.part.json").exists():
            place = target if out.is_symlink() else out
            tell(f"{place}.part keeps the finished rows: run the same command to resume")
        raise


def _before(table: DistanceTable, row: int) -> list[Any] | None:
    """Return the ids of the predecessors of a row; None for missing ones."""
    if table.pred is None:
        return None
    pred = table.pred[row]
    names = ids(table.graph, np.maximum(pred, 0)).tolist()
    return [name if v >= 0 else None for name, v in zip(names, pred.tolist(), strict=True)]


def _wide_rows(table: DistanceTable) -> Iterator[list[Any]]:
    for source, distances in _wide_parts(table):
        yield [source, *distances]


def _wide_parts(table: DistanceTable) -> Iterator[tuple[Any, list[Any]]]:
    sources = ids(table.graph, table.source_indices).tolist()
    dist = np.asarray(table.dist)
    unreachable = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
    for source, row in zip(sources, dist, strict=True):
        yield source, [None if value == unreachable else value for value in row.tolist()]
