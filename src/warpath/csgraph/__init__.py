"""Drop-in replacements for the shortest-path functions of `scipy.sparse.csgraph`.

>>> from warpath import csgraph
>>> csgraph.dijkstra([[0, 1, 5], [0, 0, 2], [0, 0, 0]], indices=0)
array([0., 1., 3.])

Signatures, shapes, types, warnings and errors are those of SciPy, and so is the meaning of
matrices, arrays and masked arrays. Other names, `connected_components` and so on, are SciPy's
functions.
"""

from __future__ import annotations

from typing import Any

from warpath.base.errors import require
from warpath.csgraph.errors import NegativeCycleError
from warpath.csgraph.searches import (
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
    yen,
)
from warpath.csgraph.trees import construct_dist_matrix, reconstruct_path

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "construct_dist_matrix",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "reconstruct_path",
    "shortest_path",
    "yen",
]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    scipys = require("scipy.sparse.csgraph", what=f"csgraph.{name}")
    try:
        return getattr(scipys, name)
    except AttributeError:
        msg = f"neither {__name__!r} nor SciPy's csgraph has {name!r}"
        raise AttributeError(msg) from None
