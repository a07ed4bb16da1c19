"""Results as rows, for the terminal, text files and JSON, and what they add up to."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.cli import output, saving
from warpath.cli.reporting import UsageError, tell
from warpath.cli.vertices import ids, one_id
from warpath.results.files import cells, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.distance_table import DistanceTable

SMALL = 20  # up to this number of vertices all are printed by default
_PRINTED = {True: 400, False: 1_000_000}  # most entries to print: on a terminal, in a pipe


def refuse_to_print(entries: int, what: str, save: str, example: str) -> None:
    """Raise UsageError for more entries than are printed, before they are computed.

    Parameters
    ----------
    what, save, example : the message: what is too large, and how to save it to which file.
    """
    most = _PRINTED[output.on_terminal()]
    if entries > most:
        raise UsageError(
            f"{what}, too many to print ({most:,} at most here): {save} with -o, for example "
            f"-o {example}."
        )


def exact_sum(values: Array) -> int | float:
    """Return the sum without overflow or accumulated rounding: a Python int, or `math.fsum`."""
    if values.dtype.kind == "f":
        return math.fsum(values.ravel())
    wide = values.astype(np.int64, copy=False)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())


def described(graph: Graph, dist: Array, reached: Array) -> dict[str, Any]:
    """Return counts, sum, mean and the farthest vertex of distances, (n,)."""
    finite = dist[reached]
    total = exact_sum(finite)
    far = int(np.flatnonzero(reached)[np.argmax(finite)]) if len(finite) else None
    return {
        "reached": len(finite),
        "unreached": len(dist) - len(finite),
        "sum": total,
        "mean": total / len(finite) if len(finite) else None,
        "max": None if far is None else dist[far].item(),
        "farthest": None if far is None else one_id(graph, far),
    }


def add_distances(report: output.Report, result: Any) -> None:
    """Add what `described` returns of the distances of all vertices to a report."""
    facts = described(result.graph, result.dist, result.reached)
    report.document |= facts
    counts = map(output.count, (facts["reached"], result.graph.n))
    report.facts |= {
        "reached": f"{' of '.join(counts)} vertices",
        "sum of distances": facts["sum"],
        "mean distance": facts["mean"],
        "farthest vertex": None if facts["farthest"] is None else str(facts["farthest"]),
        "its distance": facts["max"],
    }


def add_rows(report: output.Report, name: str, result: Any, *, listed: bool) -> None:
    """Add the rows of a result to a report, in the document with this name; None if not listed."""
    columns, rows = _rows(result) if listed else ([], None)
    report.add_rows(name, columns, rows)


def save_rows(result: Any, escape_formulas: bool, file: Path) -> None:
    """Write Paths, Nearest, Pairs or Within; text files get a row per vertex or trip."""
    saving.save(result, *_rows(result), file, escape_formulas=escape_formulas)


def _rows(result: Any) -> tuple[list[str], Iterator[Sequence[Any]]]:
    """Return the columns of a result and its rows, with the ids of the file."""
    columns = columns_of(result)
    return list(columns), zip(*(cells(*column) for column in columns.values()), strict=True)


def table_rows(
    table: DistanceTable, *, long: bool, missing: bool = False
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns of a table and its rows.

    Parameters
    ----------
    long : whether there is one row per pair (source, target, distance, and pred if it is stored),
        not one per source.
    missing : whether a long table has pairs without a path, their distance being None.
    """
    targets = ids(table.graph, table.target_indices).tolist()
    if not long:
        return ["source", *map(str, targets)], ([s, *row] for s, row in _distances(table))
    names = ["source", "target", "distance", *(["pred"] if table.pred is not None else [])]
    return names, _long_rows(table, targets, missing=missing)


def _long_rows(table: DistanceTable, targets: list[Any], *, missing: bool) -> Iterator[list[Any]]:
    for at, (source, distances) in enumerate(_distances(table)):
        before = [] if table.pred is None else [ids(table.graph, table.pred[at]).tolist()]
        for target, distance, *pred in zip(targets, distances, *before, strict=True):
            if missing or distance is not None:
                yield [source, target, distance, *pred]


def _distances(table: DistanceTable) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the id of each source, and its distances, which are None without a path."""
    dist = np.asarray(table.dist)
    sources = ids(table.graph, table.source_indices).tolist()
    for source, row in zip(sources, dist, strict=True):
        yield source, cells(row, row != unreachable(dist.dtype))


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
