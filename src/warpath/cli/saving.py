"""Results in files, by suffix."""

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
    from warpath.results.paths import Paths
    from warpath.results.within import Within

_TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAMED = (".npy", ".zarr")  # tables go there block by block, while they are computed
PATHS = (".npz", ".parquet", *_TEXT)
TABLES = (".npz", ".npy", ".parquet", *_TEXT, ".zarr")
NEAREST = (".parquet", *_TEXT)
TRACES = (".jsonl",)
SHAPES = (".geojson",)
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")


def check(out: Path | None, known: Sequence[str], option: str = "-o") -> None:
    """Refuse a file that could not be written, before anything is read or solved."""
    if out is None:
        return
    if suffix_of(out) not in known:
        found = f"the suffix {out.suffix!r} is not known" if out.suffix else "a suffix is needed"
        raise UsageError(f"{option} {out}: {found}; it can be {', '.join(known)}.")
    check_folder(out)


def check_folder(out: Path) -> None:
    """Refuse a file in a folder that does not exist, or one that is a folder itself."""
    if not out.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(out.parent))
    if out.is_dir() and out.suffix != ".zarr":
        raise IsADirectoryError(errno.EISDIR, "this is a folder, a file is needed", str(out))


def suffix_of(path: Path) -> str:
    """Return the suffix of the format: ``.csv`` of ``table.csv.gz``."""
    from warpath.io.compression import without_suffix

    bare = Path(without_suffix(path.name)).suffix.lower()
    return bare if bare in {*_TEXT, *TRACES} else path.suffix.lower()


def streamed(out: Path | None) -> bool:
    """Say whether a table is written there while it is computed."""
    return out is not None and suffix_of(out) in STREAMED


def save_paths(paths: Paths, rows: Iterable[Sequence[Any]], out: Path) -> None:
    """Write the distances from one source; `rows` are (vertex, distance, pred) for text."""
    if suffix_of(out) in _TEXT:
        _save_text(("vertex", "distance", "pred"), rows, out)
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
    """Write a table of distances; `columns` and `rows` are its text."""
    if suffix_of(out) in _TEXT:
        _save_text(columns, rows, out)
    else:
        table.save(out, long=long)


def save_rows(
    result: Nearest | Within, columns: Sequence[str], rows: Iterable[Sequence[Any]], out: Path
) -> None:
    """Write a row for each vertex; `columns` and `rows` are its text."""
    if suffix_of(out) in _TEXT:
        _save_text(columns, rows, out)
    else:
        result.save(out)


def _save_text(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: Path) -> None:
    from warpath.io.save import atomic

    with atomic(out) as file:
        text = io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=_TEXT[suffix_of(out)], lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if cell is None else text_of(cell) for cell in row] for row in rows)
        text.flush()
        text.detach().detach()  # `atomic` closes the file
