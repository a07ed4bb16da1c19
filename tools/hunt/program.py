"""What one hunting program consists of, and how it reports what it finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunt import programs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

Counts = Counter[str]

#: The modules of `hunt.programs`.
NAMES = tuple(
    sorted(m.name for m in pkgutil.iter_modules(programs.__path__) if not m.name.startswith("_"))
)


class Finding(Exception):  # noqa: N818 - what is found is not always an error
    """Something that warpath promises and that a trial saw broken; the message has the details."""


@dataclass(frozen=True)
class Program:
    """A kind of trial, repeated with other random numbers until its time is over.

    Attributes
    ----------
    summary : one sentence that says what a trial compares or provokes.
    trial : does one trial, in a millisecond to some seconds. It draws everything from the generator
        that it is given, adds what it did to the counts ("solves", "calls", "mutants", ...), and
        raises `Finding` where a promise is broken. Any other exception is reported as well.
    share : the program's part of the time of a run, relative to the other programs.
    start : seconds that the process may take to start and to import what it needs.
    hang : seconds after which a trial is reported as one that hangs, and its process is killed.
    memory : bytes of address space that the process may take (RLIMIT_AS); None for no limit.
    packages : modules that the program imports in addition to warpath and NumPy; where one is not
        installed the program is skipped and its line says so.
    obstacle : returns why the program cannot run on this machine, or "" where it can; the program
        is skipped for that reason. It is called where all `packages` are installed.
    """

    summary: str
    trial: Callable[[np.random.Generator, Counts], None]
    share: float = 1.0
    start: float = 120.0
    hang: float = 300.0
    memory: int | None = None
    packages: tuple[str, ...] = ()
    obstacle: Callable[[], str] | None = None


def load(name: str) -> Program:
    """Return the program of a name in `NAMES`, or of a module with a dotted name."""
    module = name if "." in name else f"hunt.programs.{name}"
    program: Program = importlib.import_module(module).PROGRAM
    return program
