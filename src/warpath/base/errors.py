"""All exceptions that warpath raises.

::

    WarpathError
    ├── InputError (ValueError)              an argument or a file is not valid
    │   ├── GraphFormatError                 a damaged file: path, line, expected, found
    │   ├── GraphError                       arrays or objects are not a valid graph
    │   ├── VertexError (LookupError)        the graph does not have the vertex
    │   └── WeightError                      NaN, -inf, or a type that cannot be a weight
    │       └── NegativeWeightError          the algorithm needs weights >= 0
    ├── NegativeCycleError                   there is no shortest path; `.cycle`, `.length`
    ├── NoPathError                          the target cannot be reached
    ├── OutputError (OSError)                a file cannot be written; an old file stays unchanged
    ├── DistanceOverflowError (OverflowError)  a distance does not fit its type
    ├── VerificationError                    a result breaks a rule; `.rule`, `.found`
    ├── DeviceError (RuntimeError)           a GPU or its compiler failed; it names the kernel
    └── NotSupportedError                    the graph, device or algorithm cannot do this
        ├── MissingDependencyError (ImportError)  an optional package is not installed
        ├── LeftToNetworkXError (NotImplementedError)  the backend returns a call to NetworkX
        ├── NoDeviceError                    no driver, no such GPU, or the GPU is too old
        └── NotEnoughMemoryError (MemoryError)    too little memory; the message has the numbers

A message names the value and its place, the rule that it breaks, and a remedy.
"""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, Self

from warpath.base.escaping import visible

if TYPE_CHECKING:
    import os
    from types import ModuleType


#: The start of a message that names an argument, as "cutoff = -1 must be" or "weights[3] = nan is".
_NAMED = re.compile(
    r"(?P<argument>[a-z][a-z_]*)(?:\[(?P<position>\d+)\])?"
    r"(?:(?: ?= ?| (?=-?\d))(?P<value>.+?))?(?= (?:is|has|must|does|lies|names|cannot)\b|:)"
)


class WarpathError(Exception):
    """The base class of all exceptions that warpath raises.

    Control characters in a message, such as those of names in it, are escaped.

    Attributes
    ----------
    argument, value, position : the argument with the wrong value, the value, and its position in
        a list, or the line of a file; None if the error is not about one, or its message alone
        names it.
    """

    argument: str | None = None
    value: Any = None
    position: int | None = None

    def __init__(self, *args: Any) -> None:
        super().__init__(*([visible(args[0], lines=True)] if len(args) == 1 else args))

    def about(self, argument: str, value: Any, position: int | None = None) -> Self:
        """Set the argument that is wrong, and return the error.

        Parameters
        ----------
        argument, value, position : as the attributes.
        """
        self.argument, self.value, self.position = argument, value, position
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the error as a dictionary for `json.dumps`.

        Returns
        -------
        dict
            "code", the name of the class; "message"; "argument", "value" and "position", as the
            attributes, or as the message begins with them; "remedy", the part of the message after
            its first colon or semicolon. Those that are not known are None.

        Examples
        --------
        >>> import warpath as wp
        >>> try:
        ...     wp.pairs([(0, 1, 5)], [0, 0], [1, 7])
        ... except wp.WarpathError as error:
        ...     error.to_dict()["argument"], error.to_dict()["position"]
        ('destinations', 1)
        """
        message = str(self)
        argument, value, position = self.argument, self.value, self.position
        named = _NAMED.match(message) if argument is None else None
        if named is not None and (named["position"] or named["value"]):
            argument, value = named["argument"], named["value"]
            position = None if named["position"] is None else int(named["position"])
        parts = re.split(": |; ", getattr(self, "message", message), maxsplit=1)
        plain = value is None or isinstance(value, str | bool | int)
        return {
            "code": type(self).__name__,
            "message": message,
            "argument": argument,
            "value": value if plain else str(value),
            "position": position,
            "remedy": parts[1] if len(parts) > 1 else None,
        }


class InputError(WarpathError, ValueError):
    """An argument or a file that is not valid."""


class GraphFormatError(InputError):
    """A damaged file: path, line, the expected content and the actual content."""

    def __init__(self, path: str | os.PathLike[str] | None, line: int | None, message: str) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.message = message
        self.about("path", self.path, line)
        location = ":".join(visible(part) for part in (self.path, line) if part is not None)
        super().__init__(f"{location}: {message}" if location else message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.line, self.message)


class GraphError(InputError):
    """Arrays or objects that are not a valid graph."""


class VertexError(InputError, LookupError):
    """A vertex that the graph does not have."""


class WeightError(InputError):
    """A value that cannot be a weight: NaN, -inf, or a type that is not a number."""


class NegativeWeightError(WeightError):
    """A negative weight where the chosen algorithm needs weights >= 0."""


class NegativeCycleError(WarpathError):
    """A cycle of negative length can be reached, so distances have no lower bound.

    Attributes
    ----------
    cycle : list
        The labels of the cycle's vertices in order; an edge leads from the last to the first.
    length : int or float
        The sum of the cycle's weights, below zero.
    """

    def __init__(self, cycle: list[Any], length: float) -> None:
        self.cycle = cycle
        self.length = length
        shown = [visible(v) for v in cycle[:8]]
        if len(cycle) > len(shown):
            shown.append(f"... ({len(cycle)} vertices)")
        route = " -> ".join([*shown, shown[0]])
        super().__init__(
            f"the negative cycle {route} has length {length}: distances have no lower bound. "
            "Remove one of its edges or raise its weights; `.cycle` has all its vertices."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cycle, self.length)


class NoPathError(WarpathError):
    """The target cannot be reached from the source."""


class OutputError(WarpathError, OSError):
    """A file that cannot be written; a file that existed before is unchanged."""


class DistanceOverflowError(WarpathError, OverflowError):
    """A shortest distance does not fit the type of the distances."""

    @classmethod
    def of(cls, error: OverflowError) -> DistanceOverflowError:
        """Return the error for an overflow in the core, with a remedy."""
        return cls(f"{error}. Use float64 weights (graph.astype('float64')), or smaller units.")


class VerificationError(WarpathError):
    """A result that does not hold the shortest-path distances of its graph.

    Attributes
    ----------
    rule : str
        The rule that is broken.
    found : dict
        The edge or vertex that breaks the rule, with its labels.
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
    """A request that this graph, device or algorithm does not support."""


class LeftToNetworkXError(NotSupportedError, NotImplementedError):
    """A call that the NetworkX backend leaves to NetworkX's own code.

    NetworkX's dispatcher recognises the error by its base class NotImplementedError.
    """


class MissingDependencyError(NotSupportedError, ImportError):
    """An optional package is not installed; the message has the line that installs it."""


class NoDeviceError(NotSupportedError):
    """The requested GPU cannot be used: no driver, no such GPU, or the GPU is too old."""


class NotEnoughMemoryError(NotSupportedError, MemoryError):
    """A call that needs more memory than is free; nothing was started."""


#: Extras whose packages are needed all at once; of the others one package is.
_TOGETHER = {
    "cli": "typer rich",
    "cuda12": "cupy-cuda12x 'cuda-core[cu12]' 'cuda-toolkit[cudart]>=12.8,<13'",
    "cuda13": "cupy-cuda13x 'cuda-core[cu13]' 'cuda-toolkit[cudart]==13.*'",
}


def install_line(package: str, extra: str | None = None) -> str:
    """Return the command that installs a package, and the other packages of an extra with it.

    The command names packages of the index, because it must work outside a checkout of warpath.
    """
    return f"pip install {_TOGETHER.get(extra or '', package)}"


def require(
    module: str, *, what: str, extra: str | None = None, package: str | None = None
) -> ModuleType:
    """Import an optional package, or raise MissingDependencyError with the command to install it.

    Parameters
    ----------
    module : name to import, for example ``"pyarrow.parquet"``.
    what : purpose of the package, the start of the message ("reading Parquet").
    extra : name of the extra that the package belongs to, or None.
    package : name of the package if it is not the first part of `module`.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module.partition(".")[0]
        msg = f"{what} needs {package}, which is not installed: {install_line(package, extra)}"
        raise MissingDependencyError(msg) from error


class interrupts_first:  # noqa: N801 - as contextlib.suppress
    """Raise an interrupt itself instead of an error that was raised while it was handled.

    After an interrupt, closing unfinished objects may raise further errors: an archive with an
    open member, a condition whose lock was released.
    """

    def __enter__(self) -> None:
        self._outer = sys.exception()  # an exception that the caller is already handling

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        cause: BaseException | None = error if isinstance(error, Exception) else None
        while cause is not None and cause is not self._outer:
            if not isinstance(cause, Exception):
                raise cause from None
            cause = cause.__context__
