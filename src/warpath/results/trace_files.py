"""Traces on disk: lines of JSON, which can be loaded again, or tables."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from warpath.base import latex
from warpath.base.errors import InputError
from warpath.io.compression import without_suffix
from warpath.io.places import to_write
from warpath.io.save import atomic
from warpath.io.source import Source
from warpath.results.files import save_columns
from warpath.results.trace import Round, Trace, TracedRun, totals_as_text

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    Check = tuple[str, Callable[[Any], bool]]

_FORMAT, _VERSION = "warpath trace", 1


SUFFIXES = (".jsonl", ".csv", ".tex", ".parquet")


def save_trace(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a trace in the format of the suffix; see `warpath.Trace.save`."""
    target = to_write(path)
    suffix = Path(without_suffix(target.name)).suffix.lower()
    if suffix not in SUFFIXES:
        msg = f"{target}: traces are written as {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
        raise InputError(msg)
    about = {} if trace.run is None else dataclasses.asdict(trace.run)
    if suffix == ".jsonl":
        _save_lines(trace, target)
        return
    rows = _rows(trace)
    heads = list(rows[0]) if rows else list(_COLUMNS)
    if suffix == ".tex":
        totals = {name: text for name, text in totals_as_text(trace.totals()).items() if text}
        text = latex.table(heads, ([*row.values()] for row in rows), about | totals)
        with atomic(target) as file:
            file.write(text.encode())
        return
    params = about.pop("params", {})
    run = about | {f"param {name}": value for name, value in params.items()}
    values = {name: value for name, value in run.items() if value is not None}
    columns: dict[str, Any] = {
        **{name: (np.array([row[name] for row in rows]), None) for name in heads},
        **{name: (np.array([value] * len(rows)), None) for name, value in values.items()},
    }
    save_columns(target, columns)


def _rows(trace: Trace) -> list[dict[str, Any]]:
    """Return the rounds as rows of the same columns."""
    sizes = dict.fromkeys(name for round_ in trace for name in round_.sizes)
    steps = dict.fromkeys(name for round_ in trace for name in round_.seconds)
    return [
        {
            **{name: getattr(round_, name) for name in _COLUMNS},
            **{f"{name} waiting": round_.sizes.get(name, 0) for name in sizes},
            **{f"{name} seconds": round_.seconds.get(name, 0.0) for name in steps},
        }
        for round_ in trace
    ]


_COLUMNS = ("number", "phase", "rounds", "selected", "relaxed", "read", "improved")


def _save_lines(trace: Trace, path: Path) -> None:
    """Write the run and its totals, then one line per round."""
    head = {
        "format": _FORMAT,
        "version": _VERSION,
        "run": None if trace.run is None else dataclasses.asdict(trace.run),
        "totals": dataclasses.asdict(trace.totals()),
        "rows": len(trace),
    }
    with atomic(path) as file:
        file.write(_line(head))
        for round_ in trace:
            file.write(_line(dataclasses.asdict(round_)))


def load_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a trace that `save_trace` wrote.

    Raises
    ------
    GraphFormatError
        If the file is not a trace or is damaged; names the line.
    """
    source = Source(path)
    lines = source.text.splitlines()
    run, rows = _head(source, lines[0])
    rounds = []
    for number, line in enumerate(lines[1:], 2):
        values = {"counts": {}} | _values(source, number, line)  # older files have none
        values.setdefault("read", values.get("relaxed"))  # nor these
        _check(source, number, values, _ROUND)
        rounds.append(Round(**values))
    if len(rounds) != rows:
        msg = f"line 1 promises {rows:,} rounds, but {len(rounds):,} follow: trace and save again"
        raise source.error(len(lines), msg)
    return Trace(rounds, run)


def _head(source: Source, line: bytes) -> tuple[TracedRun | None, int]:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        msg = "expected a trace that warpath saved (warpath sssp --trace)"
        raise source.error(1, msg, line)
    if head.get("version") != _VERSION:
        msg = f"this trace is of version {head.get('version')!r}, this warpath reads {_VERSION}"
        raise source.error(1, msg)
    head = _values(source, 1, line)
    _check(source, 1, head, _HEAD)
    if head["run"] is None:
        return None, head["rows"]
    head["run"] = {"commit": None, "machine": "", "seed": None} | head["run"]  # older traces
    _check(source, 1, head["run"], _RUN)
    return TracedRun(**head["run"]), head["rows"]


def _values(source: Source, number: int, line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = f"expected an object of JSON ({error})"
        raise source.error(number, reason, line) from None
    if not isinstance(values, dict):
        raise source.error(number, "expected an object of JSON", line)
    return values


def _no_number(name: str) -> NoReturn:
    msg = f"{name} is not a JSON number"
    raise ValueError(msg)


def _check(source: Source, number: int, values: dict[str, Any], checks: dict[str, Check]) -> None:
    """Raise GraphFormatError if an object lacks a key, has another, or a value of another kind."""
    for name in checks.keys() ^ values.keys():
        msg = f"{name!r} is missing" if name in checks else f"{name!r} is not known here"
        raise source.error(number, f"{msg}: expected {', '.join(checks)}")
    for name, (kind, fits) in checks.items():
        if not fits(values[name]):
            raise source.error(
                number, f"{name!r} must be {kind}", json.dumps(values[name]).encode()
            )


def _line(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _plain(value: Any) -> Any:
    """Return a NumPy number as a Python number, and any other value as text."""
    return value.item() if isinstance(value, np.generic) else str(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _named(value: Any, is_valid: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(is_valid, value.values()))


_COUNT: Check = ("a whole number >= 0", _is_count)
_NUMBER: Check = ("a number", _is_number)
_TEXT: Check = ("text", _is_text)
_COUNTS: Check = ("an object of whole numbers >= 0", lambda value: _named(value, _is_count))
_NUMBERS: Check = ("an object of numbers", lambda value: _named(value, _is_number))

_HEAD: dict[str, Check] = {
    "format": _TEXT,
    "version": _COUNT,
    "run": ("an object or null", lambda value: value is None or isinstance(value, dict)),
    "totals": ("an object", lambda value: isinstance(value, dict)),
    "rows": _COUNT,
}
_RUN: dict[str, Check] = {
    "algorithm": _TEXT,
    "device": _TEXT,
    "graph": ("text or null", lambda value: value is None or _is_text(value)),
    "n": _COUNT,
    "m": _COUNT,
    "source": ("a whole number or text", lambda value: type(value) in {int, str}),
    "params": _NUMBERS,
    "dijkstra_edges": _COUNT,
    "seconds": _NUMBER,
    "warpath": _TEXT,
    "commit": ("text or null", lambda value: value is None or _is_text(value)),
    "machine": _TEXT,
    "seed": ("a whole number or null", lambda value: value is None or _is_count(value)),
}
_ROUND: dict[str, Check] = {
    "number": _COUNT,
    "phase": _TEXT,
    "selected": _COUNT,
    "relaxed": _COUNT,
    "improved": _COUNT,
    "sizes": _COUNTS,
    "seconds": _NUMBERS,
    "rounds": _COUNT,
    "counts": _COUNTS,
    "read": _COUNT,
}
