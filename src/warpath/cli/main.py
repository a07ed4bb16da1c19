"""The entry point: runs the command and turns what goes wrong into a line and an exit code.

====  ==========================================================
0     done
1     there is no path, or a result did not pass its verification
2     usage: the command line is wrong
3     input: a file, a vertex or a weight is wrong
4     unsupported: a package, a device or memory is missing
130   interrupted (Ctrl-C)
141   nobody reads the output any more (``| head``)
====  ==========================================================
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from warpath import errors
from warpath.cli.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

_INTERRUPTED, _NO_READER, _OUR_FAULT = 130, 141, 70
_EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (  # asked in this order
    (UsageError, 2),
    (errors.NoPathError, 1),
    (errors.VerificationError, 1),
    (errors.NotSupportedError, 4),
    (errors.WarpathError, 3),
    (OverflowError, 3),
    (OSError, 3),
    (MemoryError, 4),
)


def main() -> None:
    """Run the command with the arguments of this process, and exit."""
    arguments = sys.argv[1:]
    code = guarded(lambda: _run(arguments), debug="--debug" in arguments)
    code = guarded(_flushed, debug=False) or code
    sys.exit(code)


def guarded(work: Callable[[], int], *, debug: bool) -> int:
    """Return the exit code of `work`, after a line on stderr if it failed.

    Parameters
    ----------
    debug : show the traceback as well.
    """
    try:
        return work()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the flush at exit fails once more
        return _NO_READER
    except KeyboardInterrupt:
        tell("interrupted")
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort, which reports it
        if debug:
            traceback.print_exc()
        return _explained(error, debug=debug)


def tell(message: str) -> None:
    """Write one message of the command to stderr."""
    sys.stderr.write(f"warpath: {message}\n")


def _run(arguments: list[str]) -> int:
    errors.require("typer", extra="cli", what="the command")
    errors.require("rich", extra="cli", what="the command")
    from warpath.cli.app import run

    return run(arguments)


def _flushed() -> int:
    sys.stdout.flush()
    return 0


def _explained(error: Exception, *, debug: bool) -> int:
    for kind, code in _EXIT_CODES:
        if isinstance(error, kind):
            tell(_sentence(error))
            return code
    hint = "" if debug else " Run it again with --debug and report what it shows."
    tell(f"internal error: {type(error).__name__}: {error}.{hint}")
    return _OUR_FAULT


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, errors.WarpathError):
        reason = (error.strerror or str(error)).lower()
        return f"{error.filename}: {reason}" if error.filename else reason
    if isinstance(error, MemoryError) and not str(error):
        return "out of memory"
    text = error.args[0] if isinstance(error, LookupError) and error.args else error
    return str(text).strip()
