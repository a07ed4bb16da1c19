"""Messages to the user on stderr: lines, usage errors, and signs of life during long work."""

from __future__ import annotations

import ast
import difflib
import re
import shlex
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from warpath.base.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.status import Status
    from rich.text import Text

SILENT_SECONDS = 1.0  # shorter work shows nothing
_LONGEST = 4000  # characters of a line on stderr


class Showing(Protocol):
    """The options of a command that its report depends on; see `warpath.cli.options.Showing`."""

    @property
    def as_json(self) -> bool:
        """Whether to write one JSON document."""

    @property
    def quiet(self) -> bool:
        """Whether to show no progress."""


class UsageError(Exception):
    """A command line that cannot be parsed or has conflicting options; exit code 2.

    Attributes
    ----------
    hint : a line for the user below the message, or "".
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def did_you_mean(name: str, known: Iterable[str], flag: str = "") -> str:
    """Return a sentence with two names that contain another one or are close to it, else ""."""
    listed = list(known)
    near = [each for each in listed if name.lower() in each][:2]
    near = near or difflib.get_close_matches(name, listed, n=2)
    return f" Did you mean {' or '.join(flag + each for each in near)}?" if near else ""


def check_name(what: str, name: str, known: Iterable[str], more: str | None = None) -> None:
    """Raise UsageError for a name that is not known, with names that are like it.

    Parameters
    ----------
    more : a sentence at the end of the message; None to list the known names if none is like it.
    """
    known = list(known)
    if name not in known:
        hint = did_you_mean(name, known)
        hint = hint or f" There are {', '.join(known)}." if more is None else f"{hint}{more}"
        raise UsageError(f"there is no {what} {name!r}.{hint}")


def tell(message: str, *more: str) -> None:
    """Write one message to stderr: its line, and perhaps more lines, which are indented."""
    lines = map(visible, (message, *more))
    text = "\n  ".join(
        f"{line[:_LONGEST]}{'...' if len(line) > _LONGEST else ''}" for line in lines
    )
    sys.stderr.write(f"warpath: {text}\n")


@contextmanager
def busy(what: str, showing: Showing) -> Iterator[None]:
    """Show the name of long work on stderr: with a spinner on a terminal, else as one line."""
    if showing.quiet:
        yield
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(visible(what))
    status = Console(stderr=True).status(text)
    timer = threading.Timer(SILENT_SECONDS, _start, (status, text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def _start(status: Status, what: Text) -> None:
    if status.console.is_terminal:
        status.start()
    else:
        status.console.print(what, "...", highlight=False)


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

    text = text.replace("distances(targets=)", "distances --targets")
    for call, name in _ROUTES.items():
        text = text.replace(call, f"path --{name}")
    parts = _PYTHON_CALL.split(text)
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
_ROUTES = {"k_shortest_paths": "k", "pareto_paths": "second", "disjoint_paths": "disjoint"}
_FLAGS = {"predecessors": "--predecessors", "long": "--long"}
_OPTIONS = {
    "out": "-o",
    "dist_dtype": "--dist-dtype",
    "reverse_weight": "--reverse-weight",
} | {
    name: f"--{name}"
    for name in (
        "algorithm", "also", "at", "by", "coordinates", "cutoff", "decimal", "delimiter", "device",
        "format", "ids", "member", "oneway", "source", "sources", "target", "targets", "threads",
        "tiles", "weight",
    )
}  # fmt: skip
_READER_OPTIONS = (
    "attributes", "barriers", "columns", "component", "header", "layer", "n", "noded", "restricted",
    "service", "skip_lines", "tolerance", "tracks",
)  # fmt: skip
_WRITER_OPTIONS = ("labels",)
_NAMES = ("directed", *_FLAGS, *_OPTIONS, *_READER_OPTIONS, *_WRITER_OPTIONS)
_KEYWORD = re.compile(
    rf"(?<![\w.-])(?P<name>{'|'.join(_NAMES)})="
    r"(?:(?P<quote>['\"])(?P<text>[^'\"]*)(?P=quote)|(?P<word>\w+))?(?![\w=])"
)
