"""The error of negative cycles, as SciPy's callers and ours catch it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warpath.base import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from scipy.sparse.csgraph import NegativeCycleError as _Theirs
except ImportError:  # whoever has no SciPy catches ours alone
    _Theirs = Exception


class NegativeCycleError(errors.NegativeCycleError, _Theirs):  # type: ignore[misc]
    """A negative cycle: both `warpath.NegativeCycleError` and SciPy's, where SciPy is installed.

    Attributes
    ----------
    cycle : list
        The cycle's vertices in order; the last leads back to the first.
    length : int or float
        The sum of the weights around it, below zero.
    """

    def __init__(self, cycle: list[Any], length: float) -> None:
        super().__init__(cycle, length)
        self.args = (f"Negative cycle detected on node {cycle[0]}: {self.args[0]}",)


@contextmanager
def raising_scipys() -> Iterator[None]:
    """Raise what both SciPy's callers and ours catch."""
    try:
        yield
    except errors.NegativeCycleError as error:
        raise NegativeCycleError(error.cycle, error.length) from None
    except errors.DistanceOverflowError:
        raise
    except OverflowError as error:  # of the core
        raise errors.DistanceOverflowError.of(error) from None
