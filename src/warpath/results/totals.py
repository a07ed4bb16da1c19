"""The result of `totals`: what the distances from each source add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, require
from warpath.graph.checks import shown
from warpath.graph.labels import labels_or_none, table_ids, with_mask
from warpath.graph.places import NO_NAMES
from warpath.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan

    #: (sources, distances) -> an array with an entry or a row for each source of the block.
    Reduction = Callable[[Array, Array], Any]

#: What can be requested, and what it is.
NAMES = {
    "sum": "sum of the distances",
    "max": "largest distance",
    "count": "number of targets reached",
    "harmonic": "sum of 1 / distance",
}


class Totals(Result):
    """Numbers that summarize the distances from each source: ``totals["sum"]`` is (k,).

    Attributes
    ----------
    graph : the graph that was solved.
    source_indices : (k,) int64, indices of the sources.
    values : the totals by name; each has k entries, or k rows where a function returned rows.
    plan : the plan that ran: algorithm, device and the reasons.
    stats : counters of the run, with ``seconds``.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.
    """

    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    def __init__(
        self,
        graph: Graph,
        sources: NDArray[np.int64],
        values: Mapping[str, Array],
        *,
        plan: RunPlan,
        stats: dict[str, Any],
    ) -> None:
        self.graph = graph
        self.source_indices = sources
        self.values = dict(values)
        self.plan = plan
        self.stats = stats

    @property
    def sources(self) -> Array:
        """The sources as the graph names them: (k,)."""
        return labels_or_none(self.graph, self.source_indices)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the sources that have no point near, or no vertex: (k,)."""
        return self.source_indices < 0

    def __getitem__(self, name: str) -> Array:
        """Return one of the totals: (k,), or (k, ...) of a function that returned rows.

        Raises
        ------
        InputError
            If it was not requested.
        """
        if name not in self.values:
            names = ", ".join(map(repr, self.values))
            msg = f"{shown(name)} is not among these totals; they are {names}."
            raise InputError(msg)
        return self.values[name]

    def to_pandas(self) -> Any:
        """Return a pandas data frame: a row for each source, a column for each total."""
        pandas = require("pandas", what="Totals.to_pandas")
        columns = {
            name: list(entries) if entries.ndim > 1 else entries
            for name, entries in self.values.items()
        }
        return pandas.DataFrame(
            {"source": table_ids(self.graph, self.source_indices, self.given_names[0]), **columns}
        )

    def _columns(self) -> Columns:
        wrong = next((name for name, values in self.values.items() if values.ndim > 1), None)
        if wrong is not None:
            msg = (
                f"{wrong} has rows of entries, and a file or an Arrow table one entry a row: use "
                "to_pandas."
            )
            raise InputError(msg)
        columns = {name: (values, None) for name, values in self.values.items()}
        return {
            "source": with_mask(self.graph, self.source_indices, self.given_names[0]),
            **columns,
        }

    def _vertices(self) -> NDArray[np.int64]:
        return self.source_indices

    def __len__(self) -> int:
        return len(self.source_indices)

    def __repr__(self) -> str:
        names = ", ".join(self.values)
        return f"<Totals of {len(self):,} sources: {names}\n  {self.plan.headline()}>"


def checked_names(reduce: str | Sequence[str] | Reduction) -> tuple[str, ...]:
    """Return the names of totals, none for a function; raise InputError for what is neither."""
    if callable(reduce):
        return ()
    try:
        requested: tuple[Any, ...] = (reduce,) if isinstance(reduce, str) else tuple(reduce)
    except TypeError:
        requested = (reduce,)
    for name in requested:
        if not isinstance(name, str) or name not in NAMES:
            listed = ", ".join(map(repr, NAMES))
            msg = (
                f"reduce = {shown(name)} is not a total; use {listed}, several of them, or a "
                "function of (sources, distances)."
            )
            raise InputError(msg)
    if not requested:
        msg = "reduce names no total; use 'sum', for example."
        raise InputError(msg)
    return requested


class Reduced:
    """What a function returns for the rows of a table, which come block by block."""

    def __init__(self, graph: Graph, sources: Array, function: Reduction) -> None:
        self._graph, self._sources, self._function = graph, sources, function
        self._parts: list[Array] = []

    def add(self, rows: slice, block: Array) -> None:
        """Call the function with a block of rows: (r, t)."""
        given = self._function(self._graph.label_of(self._sources[rows]), block)
        values = np.array(given)  # a copy: the next block overwrites this one
        if values.dtype == object or values.ndim == 0 or len(values) != len(block):
            what = "an object" if values.dtype == object else f"shape {values.shape}"
            msg = (
                f"reduce returned {what} for a block of {len(block):,} sources: an array with an "
                f"entry or a row for each is needed, such as distances.max(axis=1)."
            )
            raise InputError(msg)
        if self._parts and values.shape[1:] != self._parts[0].shape[1:]:
            msg = (
                f"reduce returned entries of shape {values.shape[1:]} after those of "
                f"{self._parts[0].shape[1:]}: they must be alike for all blocks."
            )
            raise InputError(msg)
        self._parts.append(values)

    @property
    def values(self) -> dict[str, Array]:
        """The entries of all blocks, by the function's name."""
        entries = np.concatenate(self._parts) if self._parts else np.empty(0)
        return {getattr(self._function, "__name__", "reduce"): entries}


class RowTotals:
    """Totals of the rows of a table, which come block by block and are not kept."""

    def __init__(self, count: int, dtype: np.dtype[Any], names: tuple[str, ...]) -> None:
        self._unreachable = unreachable(dtype)
        summed = np.int64 if dtype.kind == "i" else np.float64
        types = {"sum": summed, "max": dtype, "count": np.int64, "harmonic": np.float64}
        self.values = {name: np.zeros(count, types[name]) for name in names}

    def add(self, rows: slice, block: Array) -> None:
        """Add up a block of rows: (r, t)."""
        reached = block != self._unreachable
        dist = np.where(reached, block, 0)
        with np.errstate(over="ignore"):  # of floats, whose sum is then infinite
            for name, values in self.values.items():
                values[rows] = _OF_ROWS[name](dist, reached)


def _harmonic(dist: Array, _reached: Array) -> Array:
    wide, inverse = dist.astype(np.float64), np.zeros(dist.shape)
    np.divide(1.0, wide, out=inverse, where=wide != 0)
    sums: Array = inverse.sum(axis=1)
    return sums


#: The totals of rows of distances, 0 where a target is not reached, and a mask of those that are.
_OF_ROWS: dict[str, Callable[[Array, Array], Array]] = {
    "sum": lambda dist, _: dist.sum(axis=1, dtype=None if dist.dtype.kind == "i" else float),
    "max": lambda dist, _: dist.max(axis=1, initial=0),
    "count": lambda _, reached: reached.sum(axis=1),
    "harmonic": _harmonic,
}
