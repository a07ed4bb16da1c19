"""The cells of a raster as vertices: by row and column, and by coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, VertexError
from warpath.graph.checks import as_float, is_integer, plain_array, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array


@dataclass(frozen=True)
class Raster:
    """The shape of a raster and where it lies; the vertex of a cell is row * columns + column.

    Attributes
    ----------
    shape : the numbers of rows and columns.
    transform : the six numbers a, b, c, d, e, f of the affine transform from the corner of a cell
        to x = a column + b row + c and y = d column + e row + f, as rasterio has them; None for
        none.
    """

    shape: tuple[int, int]
    transform: tuple[float, ...] | None = None

    def cells(self, vertices: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows and the columns of vertices, which index an array of the shape."""
        rows, columns = np.divmod(np.asarray(vertices, np.int64), max(self.shape[1], 1))
        return rows, columns

    def array(self, values: ArrayLike) -> Array:
        """Return one value for each vertex as an array of the shape, without a copy.

        Raises
        ------
        InputError
            If there is not one value for each vertex.
        """
        given = plain_array(values, "values", InputError)
        if given.shape != (self.shape[0] * self.shape[1],):
            msg = (
                f"values has the shape {given.shape}: one value for each of the raster's "
                f"{self.shape[0] * self.shape[1]:,} cells is needed."
            )
            raise InputError(msg)
        return given.reshape(self.shape)

    def coordinates(self, vertices: ArrayLike) -> NDArray[np.float64]:
        """Return x and y of the centres of cells: (k, 2).

        Raises
        ------
        GraphError
            If the raster has no transform.
        """
        a, b, c, d, e, f = self._affine()
        rows, columns = (part + 0.5 for part in self.cells(vertices))
        return np.stack((a * columns + b * rows + c, d * columns + e * rows + f), axis=-1)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the row and the column of the cell that contains a coordinate.

        Raises
        ------
        GraphError
            If the raster has no transform.
        VertexError
            If the coordinate is outside the raster.
        """
        a, b, c, d, e, f = self._affine()
        place = as_float(x) - c, as_float(y) - f
        area = a * e - b * d
        column = (e * place[0] - b * place[1]) / area
        row = (a * place[1] - d * place[0]) / area
        if not (0 <= row < self.shape[0] and 0 <= column < self.shape[1]):  # also true for NaN
            rows, columns = self.shape
            corners = [
                (a * j + b * i + c, d * j + e * i + f) for i in (0, rows) for j in (0, columns)
            ]
            (left, low), (right, high) = map(min, zip(*corners)), map(max, zip(*corners))  # noqa: B905
            msg = (
                f"the coordinate x = {shown(x)}, y = {shown(y)} is outside the raster, which has x "
                f"{left:.10g} .. {right:.10g} and y {low:.10g} .. {high:.10g}."
            )
            raise VertexError(msg)
        return int(row), int(column)

    def vertices_of(self, given: Any, what: str) -> Any:
        """Return the vertices of cells; anything else is returned unchanged.

        Parameters
        ----------
        given : a tuple (row, column), a list of such tuples, or a (k, 2) array of integers.
        what : the name of the argument, for errors.

        Raises
        ------
        VertexError
            If a cell is outside the raster.
        """
        if is_cell(given):
            return int(self._numbered(np.array([given]), what, alone=True)[0])
        if isinstance(given, set | frozenset):
            given = sorted(given) if given and all(map(is_cell, given)) else given
        if isinstance(given, list | tuple):
            if not any(map(is_cell, given)):
                return given
            return [self.vertices_of(entry, f"{what}[{at}]") for at, entry in enumerate(given)]
        if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 2:
            if given.dtype.kind not in "iu":
                msg = f"{what} has the type {given.dtype}: rows and columns must be integers."
                raise VertexError(msg)
            return self._numbered(given, what, alone=False)
        return given

    def vertex_at(self, x: float, y: float) -> int:
        """Return the vertex of the cell that contains a coordinate; see `cell`."""
        row, column = self.cell(x, y)
        return row * self.shape[1] + column

    def _numbered(self, cells: Array, what: str, *, alone: bool) -> NDArray[np.int64]:
        outside = np.flatnonzero(((cells < 0) | (cells >= np.array(self.shape))).any(axis=1))
        if len(outside):
            row, column = cells[outside[0]].tolist()
            where = what if alone else f"{what}[{outside[0]}]"
            rows, columns = self.shape
            msg = (
                f"{where} is the cell ({row}, {column}), outside the raster of {rows:,} rows and "
                f"{columns:,} columns: count both from 0."
            )
            raise VertexError(msg)
        cells = cells.astype(np.int64)
        return cells[:, 0] * self.shape[1] + cells[:, 1]

    def _affine(self) -> tuple[float, ...]:
        if self.transform is None:
            msg = (
                "the raster has no transform, so its cells have no coordinates: pass transform= to "
                "Graph.of_raster."
            )
            raise GraphError(msg)
        return self.transform


def is_cell(given: Any) -> bool:
    """Return whether an object is a pair of integers in a tuple."""
    return isinstance(given, tuple) and len(given) == 2 and all(map(is_integer, given))


def raster_of(graph: Any, what: str) -> Raster:
    """Return the raster of a graph, or raise GraphError.

    Parameters
    ----------
    what : the method that needs it, for the error.
    """
    raster: Raster | None = graph.raster
    if raster is None:
        msg = f"{what}: the graph was not made of a raster, as wp.Graph.of_raster(cost) makes one."
        raise GraphError(msg)
    return raster


def checked_transform(transform: Any) -> tuple[float, ...] | None:
    """Return the six numbers of an affine transform, or raise InputError."""
    if transform is None:
        return None
    try:
        numbers = tuple(as_float(number) for number in transform)
    except TypeError:
        numbers = ()
    if len(numbers) == 9 and numbers[6:] == (0, 0, 1):  # rasterio's Affine
        numbers = numbers[:6]
    if len(numbers) != 6 or not all(map(math.isfinite, numbers)):
        msg = (
            f"transform = {shown(transform)} must be six finite numbers a, b, c, d, e, f, as "
            "rasterio's dataset.transform has them."
        )
        raise InputError(msg)
    a, b, _, d, e, _ = numbers
    if a * e - b * d == 0 or not math.isfinite(a * e - b * d):
        msg = (
            f"transform = {shown(transform)} gives cells without an area: a e - b d must not be 0. "
            "GDAL's order c, a, b, f, d, e differs: rasterio's Affine.from_gdal converts it."
        )
        raise InputError(msg)
    return numbers
