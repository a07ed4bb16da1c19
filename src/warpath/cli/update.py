"""update: replay changes of edges, and write what they change for some vertices."""
# Annotations are read at run time: no postponed evaluation.

import math
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from warpath.base.errors import (
    DistanceOverflowError,
    GraphFormatError,
    NegativeCycleError,
    VertexError,
)
from warpath.cli import saving
from warpath.cli.options import ESCAPE_FORMULAS, PLACE, VertexSolving, number, option, output_file
from warpath.cli.output import count
from warpath.cli.reading import load
from warpath.cli.vertices import in_file_ids, one_id, table_rows, vertex
from warpath.graph import Graph

_COLUMNS = ("time", "vertex", "old", "new")
_KINDS = ("update", "insert", "delete")
_EXPECTED = "the columns time, change, source, target, weight and, perhaps, position"

#: A batch: its time as the file has it, the line of its first change, and the changes.
Batch = tuple[str, int, list[tuple[Any, ...]]]


def update(
    *,
    options: VertexSolving,
    source: str = PLACE,
    changes: Path = option(
        "A .csv or .tsv file with a change per row: its columns time, change (update, insert or "
        "delete), source, target, weight and, for parallel edges, position from 0.",
        default=...,
    ),
    watch: str = option(
        "The vertices to report: ids like 1,5,9, coordinates like "
        "[bold]7.41,43.73;7.42,43.74[/], or a file with an id in its first column.",
        default=...,
    ),
    out: Path | None = output_file("Save one row per changed distance", saving.TEXTS),
    escape_formulas: bool = ESCAPE_FORMULAS,
) -> None:
    """Replay changes of edges, and report whose distances they change.

    Rows of the same time that follow one another are one batch. For each batch and each watched
    vertex whose distance is another one, a row tells the time, the vertex, and its distances
    before and after, empty without a path. An error names the line where its batch begins; nothing
    is written then.

    Example: [cyan]warpath update roads.gr.gz -s 1 --changes day.csv --watch shops.csv[/]
    """
    loaded = load(options, [source, watch], prepared=False)
    roads = loaded.graph
    watched = {int(v) for v in roads.indices_of(loaded.listed(watch, along=False))}
    batches = list(_batches(roads, changes))
    start = loaded.vertex(source, along=False)
    with loaded.timed("solve"), in_file_ids(roads):
        live = loaded.solver().dynamic(start)
    rows: list[tuple[Any, ...]] = []
    anew = 0
    with loaded.timed("replay"):
        for moment, line, batch in batches:
            try:
                with in_file_ids(roads):
                    changed = live.apply(batch)
            except (ValueError, NegativeCycleError, DistanceOverflowError) as error:
                reason = f"in the batch from here: {str(error).partition('; `.cycle`')[0]}"
                raise GraphFormatError(changes, line, reason) from error
            anew += changed.stats["solved_anew"]
            old, new = changed.old.tolist(), changed.new.tolist()
            rows += [
                (moment, one_id(roads, v), _shown(before), _shown(after))
                for v, before, after in sorted(zip(changed.indices.tolist(), old, new, strict=True))
                if v in watched
            ]
    report = loaded.report("update")
    first = one_id(roads, int(roads.index_of(live.source)))
    report.document |= {"m": live.m, "watched": len(watched), "algorithm": options.algorithm}
    report.document["changes"] = sum(len(batch) for *_, batch in batches)
    report.add("source", first, "source", str(first))
    report.add("batches", len(batches), "batches", count(len(batches)))
    report.add("solved_anew", anew, "solved anew", count(anew))
    report.facts["changed distances of watched vertices"] = count(len(rows))
    report.add_seconds(loaded.seconds)
    save = partial(saving.save_text, _COLUMNS, rows, escape_formulas=escape_formulas)
    report.add_file("out", out, "saved to", save)
    report.add_rows("rows", _COLUMNS, rows if out is None else None)
    report.show(facts=out is not None)


def _shown(distance: float) -> float | None:
    """Return a distance, or None for a vertex without a path."""
    return None if distance in (math.inf, np.iinfo(np.int64).max) else distance


def _batches(graph: Graph, path: Path) -> Iterator[Batch]:
    """Yield the batches of a file of changes, in its order."""
    rows = table_rows(path, _EXPECTED, graph)
    header = [name.lower() for name in rows[0][1]] if rows else []
    missing = [name for name in ("time", "change", "source", "target") if name not in header]
    if missing:
        line = rows[0][0] if rows else None
        raise GraphFormatError(path, line, f"expected {_EXPECTED}; {missing[0]} is missing")
    lines = ((line, dict(zip(header, cells, strict=False))) for line, cells in rows[1:])
    for moment, batch in groupby(lines, lambda each: each[1]["time"]):
        changes = [(line, _change(graph, path, line, row)) for line, row in batch]
        yield moment, changes[0][0], [change for _, change in changes]


def _change(graph: Graph, path: Path, line: int, row: dict[str, str]) -> tuple[Any, ...]:
    kind = row.get("change", "").lower()
    if kind not in _KINDS:
        reason = f"expected update, insert or delete as the change, found {kind!r:.60}"
        raise GraphFormatError(path, line, reason)
    try:
        ends = [vertex(graph, row.get(end, "")) for end in ("source", "target")]
    except VertexError as error:
        raise GraphFormatError(path, line, str(error)) from error
    entries = [kind, *ends]
    if kind != "delete":
        entries.append(_number(path, line, row.get("weight", ""), "a weight"))
    if row.get("position") and kind != "insert":
        entries.append(_number(path, line, row["position"], "a position from 0"))
    return tuple(entries)


def _number(path: Path, line: int, text: str, what: str) -> float:
    try:
        return number(text)
    except ValueError:
        raise GraphFormatError(path, line, f"expected {what}, found {text!r:.60}") from None
