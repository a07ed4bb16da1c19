"""The parts of a hunting program, and the exception by which it reports a finding."""

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
    """A promise of warpath that a trial saw broken; the message has the details."""


@dataclass(frozen=True)
class Program:
    """A kind of trial, repeated with other random numbers until its time is over.

    Attributes
    ----------
    summary : one sentence about what a trial compares or provokes.
    trial : runs one trial, in a millisecond to some seconds. It draws all random numbers from the
        generator, adds to the counts ("solves", "calls", "mutants", ...), and raises `Finding` if
        a promise is broken. Any other exception is reported as well.
    share : the program's part of the time of a run, relative to the other programs.
    start : seconds that the process may take to start and to import its modules.
    hang : seconds after which a trial is reported as a hang and its process is killed.
    memory : bytes of address space that the process may take (RLIMIT_AS); None for no limit.
    packages : modules that the program imports in addition to warpath and NumPy; if one is not
        installed, the program is skipped and its line says so.
    obstacle : returns the reason why the program cannot run on this machine, "" if it can. With a
        reason, the program is skipped. Called only if all `packages` are installed.
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
