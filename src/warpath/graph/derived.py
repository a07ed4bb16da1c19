"""Data that modules derive from a graph and keep with it, such as its rows on a GPU.

A module that keeps such data declares an entry for it::

    _LEAVES: Derived[Array] = Derived(__name__, "which vertices are leaves")
    leaves = _LEAVES.of(graph, lambda: compute(graph))

Two modules cannot share an entry by mistake, because an entry is found by its identity, not by a
name. A graph never changes, so what is derived from it stays valid as long as the graph exists.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from warpath.graph.csr_graph import CsrGraph

    #: What a graph keeps, by entry and key.
    Kept = dict[tuple["Derived[Any]", tuple[Hashable, ...]], Any]

T = TypeVar("T")


def bytes_of(value: Any) -> int:
    """Return the bytes of an array, of a sequence of them, or of an object with ``nbytes``.

    Other objects count as Python's `sys.getsizeof` does, without what they refer to.
    """
    if isinstance(value, tuple | list):
        return sum(bytes_of(part) for part in value)
    return int(value.nbytes if hasattr(value, "nbytes") else sys.getsizeof(value))


def bytes_of_graph(graph: CsrGraph) -> int:
    """Return the bytes of a graph's own arrays, without what is derived from it."""
    # A graph of a raster may not have made them.
    arrays = (vars(graph).get(name) for name in ("indptr", "indices", "weights"))
    return sum(int(array.nbytes) for array in arrays if array is not None)


class Derived(Generic[T]):
    """One kind of data that is kept with graphs.

    Parameters
    ----------
    owner : name of the module that derives the data.
    content : what the data are, in words.
    size : returns the bytes of the data.
    """

    def __init__(self, owner: str, content: str, size: Callable[[T], int] = bytes_of) -> None:
        self.owner, self.content, self.size = owner, content, size

    def __repr__(self) -> str:
        return f"<{self.content} ({self.owner})>"

    def of(self, graph: CsrGraph, make: Callable[[], T], *key: Hashable) -> T:
        """Return the data of a graph, which `make` computes at the first request.

        Parameters
        ----------
        key : tells data of one kind apart. Data on a device have its name first.
        """
        entry = (self, key)
        if entry not in graph.derived:  # of two threads that compute it, both take the first one's
            return graph.derived.setdefault(entry, make())  # type: ignore[no-any-return]
        value: T = graph.derived[entry]
        return value

    def cached(self, graph: CsrGraph, *key: Hashable) -> T | None:
        """Return the data of a graph if they were computed, else None."""
        return graph.derived.get((self, key))


def derived_bytes(graph: CsrGraph, device: str | None = None) -> int:
    """Return the bytes of all that is kept with a graph, or of its part on a device."""
    items = list(graph.derived.items())  # a copy: another thread may add to it
    return sum(
        entry.size(value) for (entry, key), value in items if device is None or key[:1] == (device,)
    )
