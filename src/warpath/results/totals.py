"""The result of `totals`: what the distances from each source add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError, require
from warpath.graph.checks import shown
from warpath.graph.labels import labels_or_none, table_ids
from warpath.graph.places import NO_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap

#: What can be requested, and what it is.
NAMES = {
    "sum": "sum of the distances",
    "max": "largest distance",
    "count": "number of targets reached",
    "harmonic": "sum of 1 / distance",
}


class Totals:
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
        plan: Any,
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
            name: list(each) if each.ndim > 1 else each for name, each in self.values.items()
        }
        return pandas.DataFrame({"source": table_ids(self.graph, self.source_indices), **columns})

    def __len__(self) -> int:
        return len(self.source_indices)

    def __repr__(self) -> str:
        names = ", ".join(self.values)
        return f"<Totals of {len(self):,} sources: {names}\n  {self.plan.headline()}>"
