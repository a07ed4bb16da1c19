# ruff: noqa: D102 - `Graph` has the docstrings
"""The part of `Graph` that the modules use which `Graph` itself is built from.

These modules cannot import `Graph`: it imports them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.raster import Raster


class CsrGraph(Protocol):
    """A graph in compressed sparse rows; `Graph` explains the attributes and methods."""

    indptr: Array
    indices: Array
    weights: Array | None
    labels: Array | None
    id_base: int
    directed: bool
    coordinates: Array | None
    first_through: int
    areas: bool
    name: str | None
    unit: str | None
    device: str
    read_report: dict[str, Any]
    shapes: Any
    given: Any
    turns: Any
    raster: Raster | None
    derived: dict[Any, Any]

    @property
    def n(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def _solver_weights(self) -> Array: ...
    @property
    def weight_dtype(self) -> np.dtype[Any]: ...
    @property
    def dist_dtype(self) -> np.dtype[Any]: ...
    @property
    def _place_of_label(self) -> dict[Any, int]: ...
    @classmethod
    def from_edges(cls, src: ArrayLike, dst: ArrayLike, *rest: Any, **options: Any) -> Self: ...
    def edges(self) -> tuple[Array, Array, Array]: ...
    def facts(self, *, symmetry: bool = True) -> Any: ...
    def reversed(self) -> Self: ...
    def subgraph(self, vertices: ArrayLike) -> Self: ...
    def index_of(self, vertices: Any, what: str = "vertices") -> Any: ...
    def indices_of(self, vertices: Any, what: str = "vertices") -> NDArray[np.int64]: ...
    def label_of(self, indices: ArrayLike) -> Array: ...
    def _like(
        self, indptr: Array, indices: Array, weights: Array | None, **changed: Any
    ) -> Self: ...


#: The type of a graph, for functions that return a graph of the type of their argument.
G = TypeVar("G", bound=CsrGraph)
