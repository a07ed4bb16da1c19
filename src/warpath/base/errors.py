"""Everything that warpath raises.

::

    WarpathError
    ├── InputError (ValueError)              what was given cannot be used
    │   ├── GraphFormatError                 a file: path, line, expected, found
    │   ├── GraphError                       arrays or objects that are no graph
    │   ├── VertexError (LookupError)        a vertex that the graph does not have
    │   └── WeightError                      NaN, -inf, a type that cannot be a weight
    │       └── NegativeWeightError          negative where the algorithm needs weights >= 0
    ├── NegativeCycleError                   there is no shortest path; `.cycle`, `.length`
    ├── NoPathError                          the target cannot be reached
    ├── OutputError (OSError)                a file cannot be written; what was there is untouched
    ├── DistanceOverflowError (OverflowError)  a distance does not fit its type
    ├── VerificationError                    a result breaks a rule; `.edge` or `.vertex`
    ├── DeviceError (RuntimeError)           a GPU or its compiler failed; it names the kernel
    └── NotSupportedError                    what was asked for cannot be done here
        ├── MissingDependencyError (ImportError)  an optional package is not installed
        ├── LeftToNetworkXError (NotImplementedError)  the backend hands a call back
        ├── NoDeviceError                    no driver, no such GPU, or one that is too old
        └── NotEnoughMemoryError (MemoryError)    it would not fit; the message has the numbers

A message names the value, the place, the rule and the way out.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from types import ModuleType


class WarpathError(Exception):
    """The base of all errors raised on purpose."""


class InputError(WarpathError, ValueError):
    """What was given cannot be used."""


class GraphFormatError(InputError):
    """A file that is not what it should be: path, line, what was expected, what was found."""

    def __init__(self, path: str | os.PathLike[str] | None, line: int | None, message: str) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.message = message
        place = ":".join(str(part) for part in (self.path, line) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.line, self.message)


class GraphError(InputError):
    """Arrays or objects that do not make a graph."""


class VertexError(InputError, LookupError):
    """A vertex that the graph does not have."""


class WeightError(InputError):
    """A weight that no path can have: NaN, -inf, or a type that is not a number."""


class NegativeWeightError(WeightError):
    """A negative weight where the chosen algorithm needs weights >= 0."""


class NegativeCycleError(WarpathError):
    """A cycle of negative length can be reached, so distances have no lower bound.

    Attributes
    ----------
    cycle : list
        The cycle's vertices in order, as the graph names them; the last leads back to the first.
    length : int or float
        The sum of the weights around it, below zero.
    """

    def __init__(self, cycle: list[Any], length: float) -> None:
        self.cycle = cycle
        self.length = length
        shown = [str(v) for v in cycle[:8]]
        if len(cycle) > len(shown):
            shown.append(f"... ({len(cycle)} vertices)")
        route = " -> ".join([*shown, str(cycle[0])])
        super().__init__(
            f"the negative cycle {route} has length {length}: distances have no lower bound. "
            "Remove one of its edges or raise its weights; `.cycle` has all its vertices."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cycle, self.length)


class NoPathError(WarpathError):
    """The target cannot be reached from the source."""


class OutputError(WarpathError, OSError):
    """A file that cannot be written; what was there before is untouched."""


class DistanceOverflowError(WarpathError, OverflowError):
    """A shortest distance does not fit the type of the distances."""

    @classmethod
    def of(cls, error: OverflowError) -> DistanceOverflowError:
        """Return what users get for an overflow in the core, with the way out."""
        return cls(f"{error}. Use float64 weights (graph.astype('float64')), or smaller units.")


class VerificationError(WarpathError):
    """A result that is not a shortest-path labelling.

    Attributes
    ----------
    rule : str
        The rule that is broken.
    found : dict
        The edge or vertex that breaks it, with the labels.
    """

    def __init__(self, message: str, rule: str, found: dict[str, Any]) -> None:
        self.rule = rule
        self.found = found
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.rule, self.found)


class DeviceError(WarpathError, RuntimeError):
    """A GPU failed during a run, or a kernel did not compile; the message names the kernel."""


class NotSupportedError(WarpathError):
    """What was asked for cannot be done with this graph, device or algorithm."""


class LeftToNetworkXError(NotSupportedError, NotImplementedError):
    """A call that the NetworkX backend hands back: NetworkX's own code then answers it.

    Its dispatcher knows such a call by the built-in base.
    """


class MissingDependencyError(NotSupportedError, ImportError):
    """An optional package is not installed; the message has the line that installs it."""


class NoDeviceError(NotSupportedError):
    """The GPU that was asked for cannot be used: no driver, no such GPU, or one that is too old."""


class NotEnoughMemoryError(NotSupportedError, MemoryError):
    """The call would not fit into memory; nothing was started."""


def require(
    module: str,
    *,
    what: str,
    extra: str | None = None,
    package: str | None = None,
    of: str = "warpath",
) -> ModuleType:
    """Import an optional package, or say how to install it.

    Parameters
    ----------
    module : name to import, for example ``"pyarrow.parquet"``.
    what : what it is needed for, as the start of a sentence ("reading Parquet").
    extra : the extra that installs it; None for a package that is installed by its own name.
    package : what it is called where that is not the first part of the module's name.
    of : the distribution that has the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module.partition(".")[0]
        line = f"pip install '{of}[{extra}]'" if extra else f"pip install {package}"
        msg = f"{what} needs {package}, which is not installed: {line}"
        raise MissingDependencyError(msg) from error


@contextmanager
def interrupts_first() -> Iterator[None]:
    """Raise the interrupt itself where an error was raised while the interrupt was handled.

    What an interrupt leaves half done raises errors of its own as it is closed: an archive with an
    open member, a condition whose lock was released.
    """
    outer = sys.exception()  # what the caller is handling already
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and cause is not outer:
            if not isinstance(cause, Exception):
                raise cause from None
            cause = cause.__context__
        raise
