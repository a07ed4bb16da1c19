"""The largest distance from each vertex, and what follows from it: the methods of `Solver`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError
from warpath.graph.labels import one_label

if TYPE_CHECKING:
    from warpath.api.run import Progress
    from warpath.api.solver import Solver
    from warpath.base.dtypes import Array


def eccentricity(self: Solver, sources: Any = None, *, progress: Progress = None) -> Array:
    """Return the largest distance from each source to any vertex.

    Parameters
    ----------
    sources, progress : as in `warpath.eccentricity`.
    """
    found = self.totals(("max", "count"), sources=sources, progress=progress)
    largest: Array = found["max"].copy()
    largest[found["count"] < self.graph.n] = unreachable(largest.dtype)
    return largest


def diameter(self: Solver, *, progress: Progress = None) -> Any:
    """Return the largest distance between two vertices.

    Parameters
    ----------
    progress : as in `warpath.diameter`.
    """
    found = _of_all(self, "diameter", progress)
    endless = np.flatnonzero(found == unreachable(found.dtype))
    if len(endless):
        raise GraphError(_unconnected(self, "diameter", int(endless[0])))
    return found.max().item()


def radius(self: Solver, *, progress: Progress = None) -> Any:
    """Return the smallest eccentricity.

    Parameters
    ----------
    progress : as in `warpath.radius`.
    """
    return _least(self, "radius", progress)[0].item()


def center(self: Solver, *, progress: Progress = None) -> Array:
    """Return the vertices of the smallest eccentricity.

    Parameters
    ----------
    progress : as in `warpath.center`.
    """
    least, found = _least(self, "center", progress)
    return self.graph.label_of(np.flatnonzero(found == least))


def _least(solver: Solver, what: str, progress: Progress) -> tuple[Any, Array]:
    """Return the smallest eccentricity and all of them."""
    found = _of_all(solver, what, progress)
    least = found.min()
    if least == unreachable(found.dtype):
        raise GraphError(_unconnected(solver, what, 0))
    return least, found


def _of_all(solver: Solver, what: str, progress: Progress) -> Array:
    if not solver.graph.n:
        raise GraphError(f"the graph has no vertices, so it has no {what}.")
    return eccentricity(solver, progress=progress)


def _unconnected(solver: Solver, what: str, vertex: int) -> str:
    none = "no vertex reaches" if what != "diameter" else "not every vertex reaches"
    return (
        f"the graph has no {what}, for {none} all others: vertex "
        f"{one_label(solver.graph, vertex)!r} does not. Take a connected part with "
        "graph.subgraph(vertices), or the largest distance to those that are reached with "
        "totals(graph, 'max')."
    )
