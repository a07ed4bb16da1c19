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

import io
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING

import warpath
from warpath.base import errors
from warpath.base.escaping import visible
from warpath.cli.reporting import UsageError, in_words_of_the_command, tell
from warpath.graph.components import IN_PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable

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
    code = guarded(lambda: _run(arguments), debug=debug)
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


def _run(arguments: list[str]) -> int:
    code = 0
    if arguments == ["--version"]:  # without importing the commands
        sys.stdout.write(f"warpath {warpath.__version__}\n")
    else:
        errors.require("typer", extra="cli", what="the command")
        errors.require("rich", extra="cli", what="the command")
        from warpath.cli.app import run

        code = run(arguments)
    sys.stdout.flush()
    return code


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
