"""Files of coordinates that belong to a graph in another file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import GraphError
from warpath.graph.checks import checked_coordinates
from warpath.io import dimacs, matrix_market, tntp
from warpath.io.compression import SUFFIXES, without_suffix
from warpath.io.source import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_READERS: tuple[Any, ...] = (dimacs, matrix_market, tntp)

#: Endings of the names of a graph's file and of its coordinates file.
_SIBLINGS = (
    (".gr", ".co"),
    (".mtx", "_coord.mtx"),
    ("_net.tntp", "_node.tntp"),
    (".wph", ".co"),
    (".wph", "_coord.mtx"),
    ("_net.wph", "_node.tntp"),
)


def sniff(head: bytes) -> bool:
    """Return whether a file that starts with `head` certainly holds coordinates."""
    return any(module.sniff_coordinates(head) for module in _READERS)


def read_coordinates(path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Read a DIMACS .co, Matrix Market n x 2 array or TNTP node file: (n, 2) float64, x and y.

    Raises
    ------
    GraphFormatError
        The file has none of the three formats, or is damaged.
    """
    source = Source(path)
    for module in _READERS:
        if module.sniff_coordinates(source.head):
            points: NDArray[np.float64] = module.read_coordinates(source)
            return points
    reason = "no coordinates: expected DIMACS .co, a Matrix Market n x 2 array or a TNTP node file"
    raise source.error(None, reason)


def coordinates_of(given: str | os.PathLike[str] | ArrayLike, n: int) -> NDArray[np.float64]:
    """Return the coordinates of n vertices, (n, 2), from an array or a file."""
    if not isinstance(given, str | os.PathLike):
        return checked_coordinates(given, n)
    points = read_coordinates(given)
    if len(points) != n:
        msg = f"{os.fspath(given)} has {len(points)} vertices, but the graph has {n}."
        raise GraphError(msg)
    return points


def find_coordinates(path: str | os.PathLike[str]) -> Path | None:
    """Return the coordinates file next to a graph's file, in any compression, or None."""
    graph = Path(path)
    name = without_suffix(graph.name)
    own = graph.name[len(name) :]
    for end, other in _SIBLINGS:
        if name.endswith(end):
            sibling = name.removesuffix(end) + other
            for suffix in dict.fromkeys((own, "", *SUFFIXES)):
                if (candidate := graph.with_name(sibling + suffix)).is_file():
                    return candidate
    return None
