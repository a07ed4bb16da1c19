"""plot trace: pictures of saved traces."""
# Annotations are read at run time: no postponed evaluation.

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from warpath.base import units
from warpath.cli import output, saving
from warpath.cli.options import Showing
from warpath.cli.output import NamedValues, TableRows
from warpath.cli.reporting import busy
from warpath.results.trace import Trace

_COLUMNS = ("trace", "algorithm", "device", "rounds", "parallelism", "work", "MTEPS", "time")


def trace(
    *,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE", help="Files saved by sssp --trace: .jsonl.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="The picture file: .png, .svg, .pdf.", show_default=False),
    ],
    showing: Showing,
) -> None:
    """Draw the rounds of a traced run, or compare several runs.

    One trace: selected and waiting vertices, edges read and time, over the rounds.
    Several: side by side (up to four), and time, work and rounds against parallelism.
    Work is edges read, divided by those of Dijkstra's algorithm, parallelism vertices per round.

    Example: [cyan]warpath plot trace near_far.jsonl sweep.jsonl -o trace.png[/]
    """
    saving.check(out, saving.PICTURES)
    traces = [Trace.load(file) for file in files]
    with busy(f"drawing {out.name}", showing):
        from warpath.plot import plot_trace

        plot_trace(traces, out)
    totals = [each.totals() for each in traces]
    document = {
        "command": "plot trace",
        "traces": [
            {
                "file": str(file),
                "run": None if each.run is None else dataclasses.asdict(each.run),
                **dataclasses.asdict(total),
            }
            for file, each, total in zip(files, traces, totals, strict=True)
        ],
        "plot": str(out),
    }
    rows = [
        [
            file.name,
            None if each.run is None else each.run.algorithm,
            None if each.run is None else each.run.device,
            total.rounds,
            units.digits(total.mean_parallelism),
            None if total.work_ratio is None else units.digits(total.work_ratio),
            None if total.mteps is None else units.digits(total.mteps),
            units.seconds(total.seconds) if total.seconds else None,
        ]
        for file, each, total in zip(files, traces, totals, strict=True)
    ]
    table = TableRows(_COLUMNS, rows, data=False)
    output.show(document, table, NamedValues({"drawn to": out}), as_json=showing.as_json)
