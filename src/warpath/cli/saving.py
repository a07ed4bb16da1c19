"""Results as rows, for the terminal, JSON and files, and the files that commands write."""

from __future__ import annotations

import errno
import math
import os
import sys
from contextlib import contextmanager
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.cli import output
from warpath.cli.output import Report, count
from warpath.cli.reporting import UsageError, tell
from warpath.cli.vertices import ids, one_id
from warpath.io.coordinate_files import find_coordinates
from warpath.results.files import cells, columns_of, columns_of_table, write_csv
from warpath.results.row_files import for_sheets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.distance_table import DistanceTable
    from warpath.results.rows import Columns

_TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAMED = (".npy", ".zarr")  # tables are written block by block while they are computed
PATHS = (".npz", ".parquet", *_TEXT, ".tex")
TABLES = (".npz", ".npy", ".omx", ".parquet", *_TEXT, ".tex", ".zarr")
ROWS = (".parquet", *_TEXT)
TEXTS = tuple(_TEXT)
PREPARED = (".wph",)
TRACES = (".jsonl", ".csv", ".tex", ".parquet")
SHAPES = (".geojson",)
PAGES = (".html", ".htm")
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")

STDOUT = Path("-")
SMALL = 20  # up to this number of vertices all are printed by default
_PRINTED = {True: 400, False: 1_000_000}  # most entries to print: on a terminal, in a pipe

#: The parameters of commands that name a file to write, and their options.
WRITTEN = {"out": "-o"} | {name: f"--{name}" for name in ("html", "plot", "outlines", "trace")}


def check(
    out: Path | None, known: Sequence[str], option: str, *, escape_formulas: bool = False
) -> None:
    """Raise an error for a file that cannot be written, before the graph is read."""
    if escape_formulas and (out is None or suffix_of(out) not in _TEXT):
        raise UsageError(f"--escape-formulas is for -o FILE with a suffix {', '.join(_TEXT)}.")
    if out is None or (out == STDOUT and set(_TEXT) & set(known)):
        return
    if suffix_of(out) not in known:
        found = f"the suffix {out.suffix!r} is not known" if out.suffix else "a suffix is needed"
        hint = for_sheets(out)
        raise UsageError(f"{option} {out}: {found}; it can be {', '.join(known)}.{hint}")
    check_folder(out)


def refuse_inputs(values: Mapping[str, Any]) -> None:
    """Raise UsageError if a command would write a file that it reads, or to one place twice.

    Links and different spellings of a path are followed.

    Parameters
    ----------
    values : the values of the command's parameters by name.
    """
    written = {name: values[name] for name in WRITTEN if values.get(name) is not None}
    if written.get("out") == STDOUT and values.get("as_json"):
        raise UsageError("-o - and --json both write to standard output: leave one out.")
    inputs = [value for name, value in values.items() if name not in WRITTEN]
    texts = chain.from_iterable(v if isinstance(v, list) else [v] for v in inputs)
    files = [text for text in texts if isinstance(text, str | Path) and os.path.exists(text)]  # noqa: PTH110 - Path.exists fails for long lists
    if written and isinstance(values.get("graph"), Path):
        files += filter(None, [find_coordinates(values["graph"])])
    for name, out in written.items():
        for file in files:
            if _replaces(out, Path(file)):
                what = f"{WRITTEN[name]} {out} would replace the input {file}"
                raise UsageError(f"{what}: name another file.")
    for (name, out), (other, second) in combinations(written.items(), 2):
        if out.resolve() == second.resolve():
            raise UsageError(f"{WRITTEN[name]} and {WRITTEN[other]} name the same file, {second}.")


def _replaces(out: Path, file: Path) -> bool:
    """Return whether writing `out`, a file or a folder, replaces a file."""
    if out.is_dir():
        return out.resolve() in [file.resolve(), *file.resolve().parents]
    return out.is_file() and out.samefile(file)


def check_folder(out: Path) -> None:
    """Raise OSError if the folder of a file does not exist, or the file is a folder."""
    if not out.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(out.parent))
    if out.is_dir() and out.suffix != ".zarr":
        raise IsADirectoryError(errno.EISDIR, "this is a folder, a file is needed", str(out))


def suffix_of(path: Path) -> str:
    """Return the suffix of the format: ``.csv`` for ``table.csv.gz`` and standard output."""
    if path == STDOUT:
        return ".csv"
    from warpath.io.compression import without_suffix

    bare = Path(without_suffix(path.name)).suffix.lower()
    return bare if bare in {*_TEXT, *TRACES} else path.suffix.lower()


def streamed(out: Path | None) -> bool:
    """Return whether a table is written to this file while it is computed."""
    return out is not None and suffix_of(out) in STREAMED


def save(result: Any, escape_formulas: bool, out: Path, **options: Any) -> None:
    """Write a result: text files get columns and rows, others what its method `save` writes."""
    if suffix_of(out) not in _TEXT:
        result.save(out, **options)
        return
    columns = columns_of_table(result, out, **options) if options else columns_of(result)
    _write(columns, out, escape_formulas=escape_formulas)


def save_text(
    names: Sequence[str], rows: Sequence[Sequence[Any]], out: Path, *, escape_formulas: bool
) -> None:
    """Write a text table with a header; cells of None are empty."""
    columns: Columns = {}
    for at, name in enumerate(names):
        values = [row[at] for row in rows]
        present = np.array([value is not None for value in values], bool)
        columns[name] = np.array([0 if v is None else v for v in values]), present
    _write(columns, out, escape_formulas=escape_formulas)


def _write(columns: Columns, out: Path, *, escape_formulas: bool) -> None:
    delimiter = _TEXT[suffix_of(out)]
    with _opened(out) as file:
        write_csv(columns, file, delimiter, quoted=False, escape_formulas=escape_formulas)


@contextmanager
def _opened(out: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces another one when it is complete, or standard output for "-"."""
    if out == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    from warpath.io.save import atomic

    with atomic(out) as file:
        yield file


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


def counts_and_extremes(graph: Graph, dist: Array, reached: Array) -> dict[str, Any]:
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


def add_distances(report: Report, result: Any) -> None:
    """Add the counts and extremes of the distances of all vertices to a report."""
    facts = counts_and_extremes(result.graph, result.dist, result.reached)
    report.document |= facts
    counts = map(count, (facts["reached"], result.graph.n))
    report.facts |= {
        "reached": f"{' of '.join(counts)} vertices",
        "sum of distances": facts["sum"],
        "mean distance": facts["mean"],
        "farthest vertex": None if facts["farthest"] is None else str(facts["farthest"]),
        "its distance": facts["max"],
    }


def add_rows(report: Report, name: str, result: Any, *, listed: bool) -> None:
    """Add the rows of a result to a report, in the document with this name; None if not listed."""
    columns = columns_of(result) if listed else {}
    rows = zip(*(cells(*column) for column in columns.values()), strict=True)
    report.add_rows(name, list(columns), rows if listed else None)


def table_rows(
    table: DistanceTable, *, long: bool, missing: bool = False
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns of a table and its rows.

    Parameters
    ----------
    long : whether there is one row per pair (source, target, distance, pred if it is stored, and
        the sums of ``also``), not one per source.
    missing : whether a long table has pairs without a path, their distance being None.
    """
    targets = table.column_ids.tolist()
    if not long:
        return ["source", *map(str, targets)], ([s, *row] for s, row in _distances(table))
    pred = ["pred"] if table.pred is not None else []
    names = ["source", "target", "distance", *pred, *table.also]
    return names, _long_rows(table, targets, missing=missing)


def _long_rows(table: DistanceTable, targets: list[Any], *, missing: bool) -> Iterator[list[Any]]:
    for at, (source, distances) in enumerate(_distances(table)):
        further = [] if table.pred is None else [ids(table.graph, table.pred[at]).tolist()]
        reached = np.array([distance is not None for distance in distances], np.bool_)
        further += [cells(sums[at], reached) for sums in table.also.values()]
        for target, distance, *values in zip(targets, distances, *further, strict=True):
            if missing or distance is not None:
                yield [source, target, distance, *values]


def _distances(table: DistanceTable) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the name or id of each source, and its distances, which are None without a path."""
    dist = np.asarray(table.dist)
    for source, row in zip(table.row_ids.tolist(), dist, strict=True):
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
