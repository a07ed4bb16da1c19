"""Digests of graphs and arrays: equal digests mean equal answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.graph.graph import Graph

_FINGERPRINT: Derived[str] = Derived(__name__, "digest of the arrays")


def fingerprint(graph: Graph) -> str:
    """Return the digest of everything that distances in a graph depend on, kept with the graph."""
    closed = np.array([graph.first_through, *[1] * graph.areas])  # as before there were areas
    arrays = [*graph._solver_rows, closed]
    return _FINGERPRINT.of(graph, lambda: digest_of(arrays))


def digest_of(arrays: Sequence[Array]) -> str:
    """Return the digest of arrays, their types and their shapes."""
    import hashlib

    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
