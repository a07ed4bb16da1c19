"""Files of measurements, which later runs continue: a JSON object in each line."""

from __future__ import annotations

import json
import lzma
import os
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Line = dict[str, Any]

OURS = "warpath"  # first word of the names of our solvers
_KEY = ("suite", "graph", "dtype", "solver", "threads", "tree", "source")


def is_ours(solver: str) -> bool:
    """Return whether a solver is one of warpath's, not a peer."""
    return solver.replace(".", " ").split(maxsplit=1)[:1] == [OURS]


def key_of(line: Line) -> tuple[Any, ...]:
    """Return a line's key; of two lines with the same key, the later one counts."""
    return tuple(line[name] for name in _KEY)


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a suite's file, the last one of each key."""
    return read(path, key_of)


def read(path: Path | None, key: Callable[[Line], Any]) -> list[Line]:
    """Return the lines of a file, the last one of each key; none without a file.

    Raises
    ------
    InputError
        If a line is not a JSON object with a key; with its number.
    """
    if path is None or not path.exists():
        return []
    found: dict[Any, Line] = {}
    data = path.read_bytes()
    data = lzma.decompress(data) if path.suffix == ".xz" else data
    for number, text in enumerate(data.decode().splitlines(), start=1):
        try:
            line = json.loads(text)
            found[key(line)] = line
        except (ValueError, KeyError, TypeError) as error:
            what = f"has no {error}" if isinstance(error, KeyError) else "is no JSON object"
            raise InputError(
                f"{path}:{number}: this line of measurements {what}: {text[:60]!r}. A run that was "
                "killed may have torn the last line; remove the line to continue."
            ) from error
    return list(found.values())


def latest(lines: Iterable[Line]) -> list[Line]:
    """Return the last line of each key, in the order of the first ones."""
    return list({key_of(line): line for line in lines}.values())


def append(path: Path | None, *lines: Line) -> None:
    """Append lines in one write, so that lines of several processes do not mix; not to None."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, "".join(json.dumps(line) + "\n" for line in lines).encode())
    finally:
        os.close(file)


def measured(line: Line) -> bool:
    """Return whether a line has times, of right or wrong answers, and need not be repeated."""
    return "times" in line
