"""An error for negative cycles that is both SciPy's and warpath's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warpath.base import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from scipy.sparse.csgraph import NegativeCycleError as _Theirs
except ImportError:  # without SciPy it is only warpath's error
    _Theirs = Exception


class NegativeCycleError(errors.NegativeCycleError, _Theirs):  # type: ignore[misc]
    """A negative cycle: a `warpath.NegativeCycleError`, and SciPy's if SciPy is installed.

    Attributes
    ----------
    cycle : list
        Vertices of the cycle in order; the last has an edge to the first.
    length : int or float
        Sum of the weights of the cycle, below zero.
    """

    def __init__(self, cycle: list[Any], length: float) -> None:
        super().__init__(cycle, length)
        self.args = (f"Negative cycle detected on node {cycle[0]}: {self.args[0]}",)


@contextmanager
def raising_scipys() -> Iterator[None]:
    """Convert errors into types that are both SciPy's and warpath's."""
    try:
        yield
    except errors.NegativeCycleError as error:
        raise NegativeCycleError(error.cycle, error.length) from None
    except errors.DistanceOverflowError:
        raise
    except OverflowError as error:  # from the core
        raise errors.DistanceOverflowError.of(error) from None
