"""Saving results in files, in the format of their suffix."""

from __future__ import annotations

import csv
import errno
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.cli.output import text_of
from warpath.cli.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warpath.results.distance_table import DistanceTable
    from warpath.results.nearest import Nearest
    from warpath.results.pairs import Pairs
    from warpath.results.paths import Paths
    from warpath.results.within import Within

_TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAMED = (".npy", ".zarr")  # tables are written block by block while they are computed
PATHS = (".npz", ".parquet", *_TEXT)
TABLES = (".npz", ".npy", ".parquet", *_TEXT, ".zarr")
NEAREST = (".parquet", *_TEXT)
TRIPS = NEAREST
PREPARED = (".wph",)
TRACES = (".jsonl",)
SHAPES = (".geojson",)
PAGES = (".html", ".htm")
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")


def check(out: Path | None, known: Sequence[str], option: str = "-o") -> None:
    """Raise an error for a file that cannot be written, before the graph is read."""
    if out is None:
        return
    if suffix_of(out) not in known:
        found = f"the suffix {out.suffix!r} is not known" if out.suffix else "a suffix is needed"
        raise UsageError(f"{option} {out}: {found}; it can be {', '.join(known)}.")
    check_folder(out)


def check_folder(out: Path) -> None:
    """Raise OSError if the folder of a file does not exist, or the file is a folder."""
    if not out.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(out.parent))
    if out.is_dir() and out.suffix != ".zarr":
        raise IsADirectoryError(errno.EISDIR, "this is a folder, a file is needed", str(out))


def suffix_of(path: Path) -> str:
    """Return the suffix of the format: ``.csv`` for ``table.csv.gz``."""
    from warpath.io.compression import without_suffix

    bare = Path(without_suffix(path.name)).suffix.lower()
    return bare if bare in {*_TEXT, *TRACES} else path.suffix.lower()


def streamed(out: Path | None) -> bool:
    """Return whether a table is written to this file while it is computed."""
    return out is not None and suffix_of(out) in STREAMED


def save_paths(paths: Paths, rows: Iterable[Sequence[Any]], out: Path) -> None:
    """Write the distances from one source; text files get `rows` of (vertex, distance, pred)."""
    if suffix_of(out) in _TEXT:
        save_text(("vertex", "distance", "pred"), rows, out)
    else:
        paths.save(out)


def save_table(
    table: DistanceTable,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    out: Path,
    *,
    long: bool,
) -> None:
    """Write a table of distances; text files get `columns` and `rows`."""
    if suffix_of(out) in _TEXT:
        save_text(columns, rows, out)
    else:
        table.save(out, long=long)


def save_rows(
    result: Nearest | Within | Pairs,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    out: Path,
) -> None:
    """Write one row per vertex or trip; text files get `columns` and `rows`."""
    if suffix_of(out) in _TEXT:
        save_text(columns, rows, out)
    else:
        result.save(out)


def save_text(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: Path) -> None:
    """Write a text table with a header; cells of None are empty."""
    from warpath.io.save import atomic

    with atomic(out) as file:
        text = io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=_TEXT[suffix_of(out)], lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if cell is None else text_of(cell) for cell in row] for row in rows)
        text.flush()
        text.detach().detach()  # `atomic` closes the file
