"""What remains of a graph in results that are pickled or detached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import NotSupportedError
from warpath.graph.vertex_names import VertexNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph


class DetachedGraph(VertexNames):
    """The sizes of a graph, and the names of the vertices of one result.

    Attributes
    ----------
    n, m : the numbers of vertices and edges.
    labels : the labels of the result's vertices, None if the graph has none.
    """

    def __init__(self, **parts: Any) -> None:
        vars(self).update(parts)

    @classmethod
    def of(cls, graph: CsrGraph, vertices: NDArray[np.int64] | None) -> DetachedGraph:
        """Return what remains of a graph for a result that names some vertices, None for all."""
        names = ("n", "m", "id_base", "dist_dtype", "name", "unit", "directed", "raster")
        parts: dict[str, Any] = {name: getattr(graph, name) for name in names}
        labels: Any = graph.labels
        if labels is not None and vertices is not None:
            labels = _Rows.of(labels, vertices)
        # Predecessors determine paths in graphs without turns and areas alone.
        parts |= {name: None for name in ("turns", "areas") if not getattr(graph, name)}
        return cls(labels=labels, **parts)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # of copying, pickling and NumPy
            raise AttributeError(name)
        raise needs_graph(name)

    def __repr__(self) -> str:
        return f"<DetachedGraph: n = {self.n:,}, m = {self.m:,}>"


class _Rows:
    """Some entries of an array, under their positions in it."""

    def __init__(self, rows: NDArray[np.int64], values: Array) -> None:
        self._rows, self._values = rows, values

    @classmethod
    def of(cls, array: Array, rows: NDArray[np.int64]) -> _Rows:
        rows = np.unique(rows[rows >= 0])
        return cls(rows, array[rows])

    def __getitem__(self, at: Any) -> Any:
        at = np.asarray(at)
        position = np.minimum(np.searchsorted(self._rows, at), max(len(self._rows) - 1, 0))
        # An index of -1 stands for a missing vertex, whose name the caller replaces.
        if not len(self._rows) or ((self._rows[position] != at) & (at >= 0)).any():
            raise needs_graph("the name of another vertex")
        return self._values[position]

    def tolist(self) -> list[Any]:
        raise needs_graph("a search for a label")


def needs_graph(what: str) -> NotSupportedError:
    """Return the error of a method that needs the graph."""
    return NotSupportedError(
        f"{what} needs the graph, which pickled and detached results leave out: use it before, or "
        "pickle what it returns."
    )
