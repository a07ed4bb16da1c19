"""Saving results in files, in the format of their suffix."""

from __future__ import annotations

import errno
import os
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.escaping import csv_cell, utf8
from warpath.cli.output import text_of
from warpath.cli.reporting import UsageError
from warpath.io.coordinate_files import find_coordinates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_TEXT = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
STREAMED = (".npy", ".zarr")  # tables are written block by block while they are computed
PATHS = (".npz", ".parquet", *_TEXT, ".tex")
TABLES = (".npz", ".npy", ".parquet", *_TEXT, ".tex", ".zarr")
ROWS = (".parquet", *_TEXT)
TEXTS = tuple(_TEXT)
PREPARED = (".wph",)
TRACES = (".jsonl", ".csv", ".tex", ".parquet")
SHAPES = (".geojson",)
PAGES = (".html", ".htm")
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")


#: The parameters of commands that name a file to write, and their options.
WRITTEN = {
    "out": "-o",
    "html": "--html",
    "plot": "--plot",
    "outlines": "--outlines",
    "trace": "--trace",
}


def check(
    out: Path | None, known: Sequence[str], option: str, *, escape_formulas: bool = False
) -> None:
    """Raise an error for a file that cannot be written, before the graph is read."""
    if escape_formulas and (out is None or suffix_of(out) not in _TEXT):
        raise UsageError(f"--escape-formulas is for -o FILE with a suffix {', '.join(_TEXT)}.")
    if out is None:
        return
    if suffix_of(out) not in known:
        found = f"the suffix {out.suffix!r} is not known" if out.suffix else "a suffix is needed"
        raise UsageError(f"{option} {out}: {found}; it can be {', '.join(known)}.")
    check_folder(out)


def refuse_inputs(values: Mapping[str, Any]) -> None:
    """Raise UsageError if a command would write a file that it reads, or write one file twice.

    Links and different spellings of a path are followed.

    Parameters
    ----------
    values : the values of the command's parameters by name.
    """
    written = {name: values[name] for name in WRITTEN if values.get(name) is not None}
    inputs = [value for name, value in values.items() if name not in WRITTEN]
    texts = chain.from_iterable(v if isinstance(v, list) else [v] for v in inputs)
    files = [text for text in texts if isinstance(text, str | Path) and os.path.exists(text)]  # noqa: PTH110 - Path.exists fails for long lists
    if written and isinstance(values.get("graph"), Path):
        files += filter(None, [find_coordinates(values["graph"])])
    for name, out in written.items():
        for file in files:
            if _replaces(out, Path(file)):
                option = WRITTEN[name]
                raise UsageError(
                    f"{option} {out} would replace the input {file}: name another file."
                )
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
    """Return the suffix of the format: ``.csv`` for ``table.csv.gz``."""
    from warpath.io.compression import without_suffix

    bare = Path(without_suffix(path.name)).suffix.lower()
    return bare if bare in {*_TEXT, *TRACES} else path.suffix.lower()


def streamed(out: Path | None) -> bool:
    """Return whether a table is written to this file while it is computed."""
    return out is not None and suffix_of(out) in STREAMED


def save(
    result: Any,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    out: Path,
    *,
    escape_formulas: bool = False,
    **options: Any,
) -> None:
    """Write a result: text files get columns and rows, others what its method `save` writes."""
    if suffix_of(out) not in _TEXT:
        result.save(out, **options)
        return
    if len(set(columns)) < len(columns):
        raise UsageError(
            f"-o {out}: two columns of the table would have the same name: use --long."
        )
    save_text(columns, rows, out, escape_formulas=escape_formulas)


def save_text(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], out: Path, *, escape_formulas: bool
) -> None:
    """Write a text table with a header; cells of None are empty."""
    from warpath.io.save import atomic

    delimiter = _TEXT[suffix_of(out)]
    cell = partial(csv_cell, delimiter=delimiter, escape_formulas=escape_formulas)

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return cell(utf8(value))
        return "" if value is None else text_of(value)

    with atomic(out) as file:
        for row in chain([columns], rows):
            file.write(f"{delimiter.join(map(shown, row))}\n".encode())
