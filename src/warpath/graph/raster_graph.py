"""The graph of a raster, whose edges are computed from the costs of the cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import notebook
from warpath.base.cached import cached_property
from warpath.base.errors import GraphError, InputError, NotEnoughMemoryError, WeightError
from warpath.base.settings import memory
from warpath.graph.checks import as_float, is_integer, plain_array, shown
from warpath.graph.csr import NO_WEIGHTS, checked_rows, threads_for
from warpath.graph.facts import Facts
from warpath.graph.graph import Graph
from warpath.graph.raster import Raster, checked_transform

if TYPE_CHECKING:
    from warpath.base.dtypes import Array

_ROWS = ("indptr", "indices", "weights")
_BLOCK = 2**20  # cells that are converted at a time
_MOST = 2**31 - 2**26  # cells: a search numbers those of a margin as well
_SAMPLE = 4096  # cells
_LARGEST = 2**53  # float64 holds all integers up to this one


class RasterGraph(Graph):
    """A graph whose vertices are the cells of a raster; `Graph.of_raster` makes it.

    Searches from one source on the CPU read the costs. The rows of the graph, which take up to 25
    times the memory, are made when another algorithm reads them, and then stay.

    Attributes
    ----------
    costs : the core's `Raster`, with the costs.
    neighbours : 4, 8 or 16.
    spacing : the sides of a cell, between rows and between columns.
    """

    def __init__(
        self, costs: Any, raster: Raster, neighbours: int, spacing: tuple[float, float],
        light_weight: float, device: str = "auto",
    ) -> None:  # fmt: skip
        rows, columns = raster.shape
        self._n = rows * columns
        self._stats: dict[str, Any] = costs.stats(threads_for(self._n * neighbours))
        super().__init__(
            np.zeros(1, np.int64), NO_WEIGHTS, np.empty(0), directed=False, raster=raster
        )
        for name in _ROWS:
            del vars(self)[name]
        self.costs, self.neighbours, self.spacing = costs, neighbours, spacing
        self._light_weight, self.device = light_weight, device

    def __getattr__(self, name: str) -> Any:
        if name in _ROWS and "costs" in vars(self):
            vars(self).update(zip(_ROWS, self._made_rows(), strict=True))
            return vars(self)[name]
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def _made_rows(self) -> tuple[Array, Array, Array]:
        n, m = self.n, self.m
        need = 8 * (n + 1) + 12 * m
        if need > memory():
            msg = (
                f"this algorithm needs the edges of the raster's graph in memory, {need:,} bytes, "
                f"but {memory():,} are free. wp.sssp with device='cpu' and the algorithm "
                "'warpath.buckets' computes them from the costs, and so does a path of its result."
            )
            raise NotEnoughMemoryError(msg)
        rows = np.empty(n + 1, np.int64), np.empty(m, np.int32), np.empty(m)
        self.costs.write(*rows, threads_for(n + m))
        indptr, indices, weights = checked_rows(*rows, copied=False)
        assert weights is not None  # noqa: S101 - they were given
        return indptr, indices, weights

    @property
    def has_rows(self) -> bool:
        """Whether the rows of the graph were made."""
        return "indptr" in vars(self)

    @property
    def n(self) -> int:
        """Number of cells."""
        return self._n

    @property
    def m(self) -> int:
        """Number of stored edges; an edge between two cells counts twice."""
        return int(self._stats["edges"])

    @property
    def weight_dtype(self) -> np.dtype[Any]:
        """The type of the weights, float64."""
        return np.dtype(np.float64)

    @cached_property
    def _facts(self) -> Facts:
        stats, n, m = self._stats, self.n, self.m
        columns, reach = self.raster_shape[1], 2 if self.neighbours == 16 else 1
        # An edge is far if its ends differ by more than 4 sqrt(n), which only wide rasters have.
        far = 0 if columns * reach <= 4 * math.sqrt(n) else m // 2
        return Facts(
            n=n,
            m=m,
            directed=False,
            loops=0,
            min_degree=stats["min_degree"] if n else 0,
            max_degree=stats["max_degree"],
            mean_degree=m / n if n else 0.0,
            weighted=True,
            weight_dtype="float64",
            integer=False,
            min_weight=stats["min_weight"] if m else 0.0,
            max_weight=stats["max_weight"],
            mean_weight=stats["sum"] / m if m else 0.0,
            negative=0,
            zero=stats["zero"],
            symmetric=True,
            light_weight=self._light_weight,
            far=far,
        )

    @property
    def _facts_of_rows(self) -> Facts:
        return self._facts

    @property
    def raster_shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        assert self.raster is not None  # noqa: S101 - the constructor sets it
        return self.raster.shape

    @property
    def _transpose(self) -> Graph:
        return self  # an edge has the same weight both ways, and rows ascend

    def __reduce__(self) -> tuple[Any, ...]:
        costs = np.empty(self.raster_shape)
        self.costs.get(costs)
        parts = self.raster, self.neighbours, self.spacing, self._light_weight, self.device
        return _restored, (costs, *parts)

    def _repr_html_(self) -> str:
        rows, columns = self.raster_shape
        values = {"cells": f"{rows:,} x {columns:,}", "edges": f"{self.m:,}, undirected"}
        values["neighbours"] = str(self.neighbours)
        return notebook.box("Graph of a raster", notebook.facts(values))

    def __repr__(self) -> str:
        rows, columns = self.raster_shape
        return (
            f"<Graph of a raster of {rows:,} x {columns:,} cells with {self.neighbours} neighbours:"
            f" n = {self.n:,}, m = {self.m:,}, undirected, float64 weights>"
        )


def of_raster(cost: Any, spacing: Any, neighbours: Any, mask: Any, transform: Any) -> RasterGraph:
    """Make the graph of a raster; see `Graph.of_raster`."""
    if not is_integer(neighbours) or neighbours not in (4, 8, 16):
        msg = f"neighbours = {shown(neighbours)} must be 4, 8 or 16."
        raise InputError(msg)
    affine = checked_transform(transform)
    sides = _sides(spacing, affine)
    given = _costs(cost)
    rows, columns = given.shape
    need = 8 * (rows + 4) * (columns + 2)
    if given.size > _MOST:
        msg = f"cost has {given.size:,} cells: at most {_MOST:,} are possible."
        raise InputError(msg)
    if need > memory():
        msg = f"the costs of {given.size:,} cells need {need:,} bytes, but {memory():,} are free."
        raise NotEnoughMemoryError(msg)
    barriers = _mask(mask, given.shape)
    costs: Any = _core.Raster(rows, columns, int(neighbours), *sides)
    largest = 0.0
    step = max(1, _BLOCK // max(columns, 1))
    for first in range(0, rows if columns else 0, step):
        part = slice(first, first + step)
        block = _block(given[part], None if barriers is None else barriers[part])
        if (at := costs.set(first, block)) >= 0:
            row, column = divmod(at, columns)
            msg = (
                f"cost[{first + row}, {column}] = {block[row, column]} is negative: costs must be "
                "0 or more. Give barriers as NaN, inf or in mask=."
            )
            raise WeightError(msg)
        largest = max(largest, float(block.max(initial=0.0, where=np.isfinite(block))))
    if not math.isfinite(2 * largest * 3 * max(sides)):
        msg = (
            f"cost has the value {largest}: with a spacing of {max(sides)} the weights of edges do "
            "not fit float64. Use a larger unit, or inf for barriers."
        )
        raise WeightError(msg)
    light = _light_weight(given, barriers, neighbours, sides)
    return RasterGraph(costs, Raster((rows, columns), affine), int(neighbours), sides, light)


def _costs(cost: Any) -> Any:
    """Return costs as an array of two dimensions, masked where they are."""
    try:
        given = cost if isinstance(cost, np.ma.MaskedArray) else np.asarray(cost)
    except ValueError:
        msg = "cost is not an array: its rows have different lengths."
        raise GraphError(msg) from None
    if given.ndim != 2:
        hint = ": read one band, as dataset.read(1) does" if given.ndim == 3 else ""
        msg = f"cost has the shape {given.shape}: an array of rows and columns is needed{hint}."
        raise GraphError(msg)
    if given.dtype.kind not in "iufb":
        msg = f"cost has the type {given.dtype}: numbers are needed."
        raise WeightError(msg)
    return given


def _block(given: Any, barriers: Any) -> Array:
    """Return some rows of the costs as float64, with inf where there is a barrier."""
    data = np.ma.getdata(given)
    block = np.array(data, np.float64, order="C")
    if data.dtype.kind in "iu" and data.dtype.itemsize == 8 and data.max() > _LARGEST:
        msg = f"cost has integers above 2**53, which float64 would round, such as {data.max()}."
        raise WeightError(msg)
    if isinstance(given, np.ma.MaskedArray):
        block[np.ma.getmaskarray(given)] = math.inf
    if barriers is not None:
        block[barriers] = math.inf
    return block


def _mask(mask: Any, shape: tuple[int, int]) -> Any:
    if mask is None:
        return None
    array = plain_array(mask, "mask", InputError)
    if array.dtype != np.bool_ or array.shape != shape:
        msg = (
            f"mask has the type {array.dtype} and the shape {array.shape}: a bool for each cell of "
            f"cost, of the shape {shape}, is needed, True for barriers."
        )
        raise InputError(msg)
    return array


def _sides(spacing: Any, affine: tuple[float, ...] | None) -> tuple[float, float]:
    """Return the distances between rows and between columns."""
    if spacing is None:
        if affine is None:
            return 1.0, 1.0
        a, b, _, d, e, _ = affine
        return math.hypot(b, e), math.hypot(a, d)
    pair = spacing.tolist() if isinstance(spacing, np.ndarray) else spacing
    numbers = list(pair) if isinstance(pair, list | tuple) else [pair, pair]
    sides = [as_float(number) for number in numbers]
    if len(sides) != 2 or not all(0 < side < 1e100 and side > 1e-100 for side in sides):
        msg = (
            f"spacing = {shown(spacing)} must be a number above 0, or two: the distance between "
            "rows and the distance between columns."
        )
        raise InputError(msg)
    return sides[0], sides[1]


def _light_weight(given: Any, barriers: Any, neighbours: int, sides: tuple[float, float]) -> float:
    """Return the weight below which one of a cell's edges lies, by a sample; see `Facts`."""
    rows, columns = given.shape
    if rows < 2 or columns < 2:
        return 0.0
    drawn = np.random.default_rng(0)
    r, c = drawn.integers(rows - 1, size=_SAMPLE), drawn.integers(columns - 1, size=_SAMPLE)
    down = np.arange(_SAMPLE) % 2  # one row down, or one column to the right
    ends = []
    for row, column in ((r, c), (r + down, c + 1 - down)):
        cost = np.ma.filled(given[row, column].astype(np.float64), math.inf)
        ends.append(cost if barriers is None else np.where(barriers[row, column], math.inf, cost))
    with np.errstate(invalid="ignore", over="ignore"):
        weights = (ends[0] + ends[1]) / 2 * np.where(down, sides[0], sides[1])
    weights = np.sort(weights[np.isfinite(weights)])
    return float(weights[len(weights) // neighbours]) if len(weights) else 0.0


def _restored(
    cost: Array, raster: Raster, neighbours: int, spacing: tuple[float, float],
    light_weight: float, device: str,
) -> RasterGraph:  # fmt: skip
    """Return a graph that was pickled."""
    costs: Any = _core.Raster(*raster.shape, neighbours, *spacing)
    if cost.size:
        costs.set(0, cost)
    return RasterGraph(costs, raster, neighbours, spacing, light_weight, device)
