"""Odd words for every option and argument of every command."""

from __future__ import annotations

import contextlib
import functools
import io
from typing import TYPE_CHECKING, Any

import warpath as wp
from hunt.program import Finding, Program
from hunt.programs._odd_values import TEXTS
from hunt.programs._public_calls import enter_folder

if TYPE_CHECKING:
    import numpy as np

    from hunt.program import Counts

_CALLS_PER_TRIAL = 10
_PATHS = {"out", "plot", "coordinates", "result", "files", "outlines", "trace", "trips"}
_VERTICES = {"source", "target", "sources", "targets", "facilities"}
_EXIT_CODES = {0, 1, 2, 3, 4}

#: Commands that are not tried: they inspect the machine or remote data, and take seconds.
_LEFT_OUT = {"doctor", "bench"}

_WORDS = (
    *(text for text in TEXTS if isinstance(text, str)), "2", "3", "00", "+1", "1.5", "1e3", "inf",
    "-inf", "18446744073709551616", "9" * 400, "9" * 5000, "0x10", "1_000", "\u0661", "+-1", "1,2",
    "a,b", "1,,2", "cuda", "euclidean", "--", "-", "=", "a=", "=b", "a=b", "n=1e400", "n=-1",
    "delta=nan", "delta=x", "columns=0,1", "skip_lines=x", "delimiter=", "[red]", "\udc80", "*",
    "~", "/", "/dev/null", "/dev/full", "folder", "no/such/file", "'", '"', "\n", "\x1b[31m",
)  # fmt: skip
_FILES = (
    "g.csv", "names.csv", "g.gr", "g.npz", "map.npz", "g.wph", "p.npz", "t.npy", "r.jsonl",
    "trips.csv", "empty.csv", "folder.csv", "missing.gr", "out.csv", "out.npz", "out.npy",
    "out.png", "out.gr", "out.wph", "out.jsonl", "out.xyz", "out.csv.gz", "no/such/out.csv",
)  # fmt: skip


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Run some commands in this process."""
    enter_folder()
    for _ in range(_CALLS_PER_TRIAL):
        arguments = _arguments(rng)
        errors = io.StringIO()
        code = _run(arguments, errors)
        counts["commands"] += 1
        said = errors.getvalue()
        why = ""
        if code not in _EXIT_CODES:
            why = f"exit code {code}"
        elif "Traceback" in said or "internal error" in said:
            why = "an internal error"
        elif code in {2, 3, 4} and not said.strip():
            why = f"exit code {code} without a message"
        if why:
            raise Finding(f"warpath {_shown(arguments)}: {why}: {said[-1500:]}")


def _run(arguments: list[str], errors: io.StringIO) -> int:
    from warpath.cli.app import run
    from warpath.cli.main import guarded

    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        return guarded(lambda: run(arguments), debug=False)


def _arguments(rng: np.random.Generator) -> list[str]:
    """Draw a command, its arguments and some of its options."""
    names, params = (commands := _commands())[rng.integers(len(commands))]
    words = [*names]
    options = [param for param in params if param.param_type_name == "option"]
    arguments = [param for param in params if param.param_type_name == "argument"]
    words += [_word(param, rng) for param in arguments if rng.integers(20)]
    drawn = rng.integers(len(options), size=rng.integers(4)) if options else ()  # `help` has none
    for at in drawn:
        param = options[at]
        words.append(param.opts[int(rng.integers(len(param.opts)))])
        if not param.is_flag:
            words.append(_word(param, rng))
    for param in options:
        if param.required and rng.integers(10):
            words += [param.opts[0], _word(param, rng)]
    return words


def _word(param: Any, rng: np.random.Generator) -> str:
    kind = rng.integers(4)
    if param.name == "graph" and kind:
        return _FILES[rng.integers(6)]
    if param.name == "kind" and kind:
        return list(wp.generate.GENERATORS)[rng.integers(len(wp.generate.GENERATORS))]
    if param.name in _PATHS and kind:
        return _FILES[rng.integers(len(_FILES))]
    if kind == 0 or param.name not in _VERTICES:
        return _WORDS[rng.integers(len(_WORDS))]
    return ("0", "1", "2", "a", "1,2")[rng.integers(5)]


def _shown(arguments: list[str]) -> str:
    return " ".join(repr(word) if len(word) < 100 else f"'{word[:20]}...'" for word in arguments)


@functools.cache
def _commands() -> list[tuple[tuple[str, ...], list[Any]]]:
    """Return each command's words and parameters."""
    from warpath.cli.app import parser

    found: list[tuple[tuple[str, ...], list[Any]]] = []
    for name, command in parser().commands.items():
        if hasattr(command, "commands"):
            found += [((name, sub), one.params) for sub, one in command.commands.items()]
        elif name not in _LEFT_OUT:
            found.append(((name,), command.params))
    return found


PROGRAM = Program(
    summary="Every command with odd words for its options and arguments: no traceback.",
    trial=trial,
    share=0.5,
    memory=8 * 2**30,
    packages=("typer", "rich", "pyarrow", "matplotlib"),
)
