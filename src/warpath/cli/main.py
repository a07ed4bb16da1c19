"""The entry point: runs the command, and reports errors as a line on stderr and an exit code.

====  ==========================================================
0     success
1     there is no path, or a result did not pass its verification
2     usage: the command line is wrong
3     input: a file, a vertex or a weight is wrong
4     unsupported: a package, a device or memory is missing, or the device failed
130   interrupted (Ctrl-C)
141   the output pipe was closed (``| head``)
====  ==========================================================
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import signal
import sys
import traceback
from typing import TYPE_CHECKING

import warpath
from warpath.base import errors
from warpath.base.escaping import visible
from warpath.cli.usage import UsageError
from warpath.graph.components import IN_PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST = 4000  # characters of a line on stderr
_INTERRUPTED, _NO_READER, _OUR_FAULT = 130, 141, 70
_EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (  # the first that matches
    (UsageError, 2),
    (errors.NoPathError, 1),
    (errors.VerificationError, 1),
    (errors.NotSupportedError, 4),
    (errors.DeviceError, 4),
    (errors.WarpathError, 3),
    (OverflowError, 3),
    (OSError, 3),
    (MemoryError, 4),
)


def main() -> None:
    """Run the command with the arguments of this process, and exit."""
    arguments = sys.argv[1:]
    signal.signal(signal.SIGTERM, _ended)  # so that partial files are removed
    debug = "--debug" in arguments
    _escape_what_streams_cannot_encode()
    code = guarded(lambda: _run(arguments), debug=debug) or guarded(_flushed, debug=debug)
    _drop_unwritten_output()
    sys.exit(code)


def _escape_what_streams_cannot_encode() -> None:
    """Let stdout and stderr escape the characters that their encoding, such as ASCII, lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _ended(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def guarded(work: Callable[[], int], *, debug: bool) -> int:
    """Run `work` and return its exit code; report a failure in a line on stderr.

    Parameters
    ----------
    debug : whether to print the traceback too.
    """
    try:
        return work()
    except BrokenPipeError:
        return _NO_READER
    except KeyboardInterrupt:
        tell("interrupted")
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - all errors are reported here
        if debug:
            sys.stderr.write(visible(traceback.format_exc(), lines=True))
        return _explained(error, debug=debug)


def tell(message: str, *more: str) -> None:
    """Write one message to stderr: its line, and perhaps more lines, which are indented."""
    lines = map(visible, (message, *more))
    text = "\n  ".join(
        f"{line[:_LONGEST]}{'...' if len(line) > _LONGEST else ''}" for line in lines
    )
    sys.stderr.write(f"warpath: {text}\n")


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:  # without importing the commands
        sys.stdout.write(f"warpath {warpath.__version__}\n")
        return 0
    errors.require("typer", extra="cli", what="the command")
    errors.require("rich", extra="cli", what="the command")
    from warpath.cli.app import run

    return run(arguments)


def _flushed() -> int:
    sys.stdout.flush()
    return 0


def _drop_unwritten_output() -> None:
    """Prevent that the interpreter's flush at exit fails again and sets another exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _explained(error: Exception, *, debug: bool) -> int:
    for kind, code in _EXIT_CODES:
        if isinstance(error, kind):
            tell(*_lines(error))
            return code
    hint = "" if debug else " Run it again with --debug and report what it shows."
    first = str(error).partition("\n")[0][:300]
    tell(f"internal error: {type(error).__name__}: {first}.{hint}")
    return _OUR_FAULT


def _lines(error: Exception) -> list[str]:
    """Return the lines of a message; only hints and logs of compilers have several."""
    if isinstance(error, UsageError):
        return [str(error), *filter(None, [error.hint])]
    text = _sentence(error)
    return text.splitlines() if isinstance(error, errors.DeviceError) else [text]


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, errors.WarpathError):
        reason = (error.strerror or str(error)).lower()
        return f"{error.filename}: {reason}" if error.filename else reason
    if isinstance(error, errors.OutputError) and error.filename:
        return in_words_of_the_command(f"{error.filename}: {error.strerror}")
    if isinstance(error, MemoryError) and not str(error):
        return "out of memory"
    if isinstance(error, errors.NegativeCycleError):
        return str(error).partition("; `.cycle`")[0] + "."
    return in_words_of_the_command(str(error).strip().partition(IN_PYTHON)[0])


def in_words_of_the_command(text: str) -> str:
    """Replace the library's keywords in a text by options: ``weight='km'`` by ``--weight km``.

    Calls to type in Python, ``wp.Graph.of(...)``, stay as they are.
    """

    def option(match: re.Match[str]) -> str:
        name, value = match["name"], (match["text"] or match["word"] or "")
        if name in _FLAGS:
            return _FLAGS[name]
        if name == "directed":
            return {"True": "--directed", "False": "--undirected"}.get(
                value, "--directed/--undirected"
            )
        value = {"None": "none"}.get(value, value)
        if name in _OPTIONS:
            return f"{_OPTIONS[name]} {shlex.quote(value) if value else ''}".rstrip()
        setting = f"{name}={value}"
        place = "--option-out" if name in _WRITER_OPTIONS else "--option"
        return f"{place} {shlex.quote(setting)}"

    parts = _PYTHON_CALL.split(text.replace("distances(targets=)", "distances --targets"))
    parts[::2] = [_KEYWORD.sub(option, _COLUMNS.sub(_column_options, part)) for part in parts[::2]]
    return "".join(parts)


def _column_options(match: re.Match[str]) -> str:
    """Return ``source='A', target='B'`` as ``--from-column A --to-column B``."""
    names = [ast.literal_eval(text) for text in match.groups()]
    flags = zip(("--from-column", "--to-column"), names, strict=True)
    return " ".join(f"{flag} {shlex.quote(name)}" for flag, name in flags)


def _call_pattern(name: str, depth: int) -> str:
    """Return the pattern of a call with arguments in up to `depth` nested parentheses."""
    atom = r"""[^()'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
    arguments = rf"\((?:{atom})*\)"
    for _ in range(depth - 1):
        arguments = rf"\((?:{atom}|{arguments})*\)"
    return name + arguments


_PYTHON_CALL = re.compile(f"({_call_pattern(r'wp[.][a-zA-Z.]+', 7)})")
_NAME = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_COLUMNS = re.compile(rf"source={_NAME}, target={_NAME}(?:,(?= weight=))?")
_FLAGS = {"predecessors": "--predecessors", "long": "--long"}
_OPTIONS = {
    "out": "-o",
    "dist_dtype": "--dist-dtype",
    "reverse_weight": "--reverse-weight",
} | {
    name: f"--{name}"
    for name in (
        "algorithm",
        "at",
        "coordinates",
        "cutoff",
        "decimal",
        "delimiter",
        "device",
        "format",
        "ids",
        "member",
        "oneway",
        "source",
        "sources",
        "target",
        "targets",
        "threads",
        "tiles",
        "weight",
    )
}
_READER_OPTIONS = (
    "attributes",
    "barriers",
    "columns",
    "component",
    "header",
    "layer",
    "n",
    "noded",
    "restricted",
    "service",
    "skip_lines",
    "tolerance",
    "tracks",
)
_WRITER_OPTIONS = ("labels",)
_NAMES = ("directed", *_FLAGS, *_OPTIONS, *_READER_OPTIONS, *_WRITER_OPTIONS)
_KEYWORD = re.compile(
    rf"(?<![\w.-])(?P<name>{'|'.join(_NAMES)})="
    r"(?:(?P<quote>['\"])(?P<text>[^'\"]*)(?P=quote)|(?P<word>\w+))?(?![\w=])"
)
