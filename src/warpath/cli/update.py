"""update: replay changes of edges, and write what they change for some vertices."""
# Annotations are read at run time: no postponed evaluation.

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from warpath.api.dynamic import DynamicPaths
from warpath.base import units
from warpath.base.errors import (
    DistanceOverflowError,
    GraphFormatError,
    NegativeCycleError,
    VertexError,
)
from warpath.cli import output, saving
from warpath.cli.options import EscapeFormulas, GraphFile, Reading, Showing, Snapping, Solving
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reading import load
from warpath.cli.reporting import busy
from warpath.cli.vertices import in_file_ids, listed, one_id, table_rows, vertex
from warpath.graph import Graph

_COLUMNS = ("time", "vertex", "old", "new")
_KINDS = ("update", "insert", "delete")
_EXPECTED = "the columns time, change, source, target, weight and, perhaps, position"

#: A batch: its time as the file has it, the line of its first change, and the changes.
Batch = tuple[str, int, list[tuple[Any, ...]]]


def update(
    *,
    graph: GraphFile,
    source: Annotated[
        str,
        typer.Option(
            "--source", "-s", help="The id of the source, as in the file, or a coordinate lon,lat."
        ),
    ],
    changes: Annotated[
        Path,
        typer.Option(
            "--changes",
            help="A .csv or .tsv file with a change per row: its columns time, change (update, "
            "insert or delete), source, target, weight and, for parallel edges, position from 0.",
        ),
    ],
    watch: Annotated[
        str,
        typer.Option(
            "--watch",
            help="The vertices to report: ids like 1,5,9, coordinates like "
            "[bold]7.41,43.73;7.42,43.74[/], or a file with an id in its first column.",
        ),
    ],
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Save one row per changed distance: .csv, .tsv, .txt."),
    ] = None,
    escape_formulas: EscapeFormulas = False,
) -> None:
    """Replay changes of edges, and report whose distances they change.

    Rows of the same time that follow one another are one batch. For each batch and each watched
    vertex whose distance is another one, a row tells the time, the vertex, and its distances
    before and after, empty without a path. An error names the line where its batch begins; nothing
    is written then.

    Example: [cyan]warpath update roads.gr.gz -s 1 --changes day.csv --watch shops.csv[/]
    """
    saving.check(out, (".csv", ".tsv", ".txt"), escape_formulas=escape_formulas)
    loaded = load(
        graph, reading, showing, prepared=False, vertices=[source, watch], snapping=snapping
    )
    roads = loaded.graph
    watched = {int(v) for v in roads.index_of(listed(roads, watch, snapping))}
    batches = list(_batches(roads, changes))
    wish = solving.wish()
    start = time.perf_counter()
    rows: list[tuple[Any, ...]] = []
    with in_file_ids(roads):
        solver = loaded._replace(prepared=False).solver(solving)
        live = DynamicPaths._of(solver, vertex(roads, source, snapping), None, "auto")  # noqa: SLF001
        first = time.perf_counter() - start
        anew = 0
        for moment, line, batch in batches:
            try:
                with in_file_ids(roads):
                    changed = live.apply(batch)
            except (ValueError, NegativeCycleError, DistanceOverflowError) as error:
                reason = str(error).partition("; `.cycle`")[0]
                raise GraphFormatError(
                    changes, line, f"in the batch from here: {reason}"
                ) from error
            anew += changed.stats["solved_anew"]
            entries = (changed.indices.tolist(), changed.old.tolist(), changed.new.tolist())
            rows += [
                (moment, one_id(roads, v), _shown(old), _shown(new))
                for v, old, new in sorted(zip(*entries, strict=True))
                if v in watched
            ]
    replayed = time.perf_counter() - start - first
    if out is not None:
        with busy(f"writing {out.name}", showing):
            saving.save_text(_COLUMNS, rows, out, escape_formulas=escape_formulas)
    document = {
        "command": "update",
        "graph": str(graph),
        "n": roads.n,
        "m": live.m,
        "source": one_id(roads, int(roads.index_of(live.source)[0])),
        "batches": len(batches),
        "changes": sum(len(batch) for *_, batch in batches),
        "solved_anew": anew,
        "watched": len(watched),
        "algorithm": wish["algorithm"],
        "seconds": {"read": loaded.seconds, "solve": first, "replay": replayed},
        "out": None if out is None else str(out),
        "rows": None if out is not None else [dict(zip(_COLUMNS, r, strict=True)) for r in rows],
    }
    if out is None:
        output.show(document, TableRows(_COLUMNS, rows), as_json=showing.as_json)
        return
    facts = {
        "graph": output.titled(graph, roads),
        "source": str(document["source"]),
        "batches": output.count(len(batches)),
        "solved anew": output.count(anew),
        "changed distances of watched vertices": output.count(len(rows)),
        "time": f"{units.seconds(loaded.seconds)} reading, {units.seconds(first)} solving, "
        f"{units.seconds(replayed)} replaying",
        "saved to": out,
    }
    output.show(document, NamedValues(facts), as_json=showing.as_json)


def _shown(distance: float) -> float | None:
    """Return a distance, or None for a vertex without a path."""
    return None if distance in (math.inf, np.iinfo(np.int64).max) else distance


def _batches(graph: Graph, path: Path) -> Iterator[Batch]:
    """Yield the batches of a file of changes, in its order.

    Raises
    ------
    GraphFormatError
        If the file has no header, or a row is not a change; with its line.
    """
    rows = table_rows(path, _EXPECTED, graph)
    header = [name.lower() for name in rows[0][1]] if rows else []
    missing = [name for name in ("time", "change", "source", "target") if name not in header]
    if missing:
        line = rows[0][0] if rows else None
        raise GraphFormatError(path, line, f"expected {_EXPECTED}; {missing[0]} is missing")
    batch: Batch | None = None
    for line, cells in rows[1:]:
        row = dict(zip(header, cells, strict=False))
        change = _change(graph, path, line, row)
        if batch is None or batch[0] != row["time"]:
            if batch is not None:
                yield batch
            batch = (row["time"], line, [])
        batch[2].append(change)
    if batch is not None:
        yield batch


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


def _number(path: Path, line: int, text: str, what: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise GraphFormatError(path, line, f"expected {what}, found {text!r:.60}")
