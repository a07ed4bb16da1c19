"""What the call about the nearest facilities returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import require

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph


class Nearest:
    """For every vertex the nearest facility and how far it is.

    Attributes
    ----------
    graph : the graph that was solved.
    facilities : (k,) the facilities, as the graph names them, in ascending order of their indices.
    dist : (n,) in the weights' unit; inf (floats) or the largest integer where there is none.
    facility_indices : (n,) of the indices' type, the nearest facility as an index; -1 where there
        is none. Of several equally near ones it is that of the smallest index.
    reverse : False for distances from the facilities, True for distances to them.
    cutoff : vertices farther than this were left out; None for no limit.
    plan : what ran and why.
    stats : counters of the run, and ``seconds``.
    """

    def __init__(
        self,
        graph: Graph,
        facilities: NDArray[np.int64],
        dist: Array,
        nearest: Array,
        *,
        reverse: bool,
        cutoff: float | None,
        plan: Any,
        stats: dict[str, Any],
    ) -> None:
        self.graph = graph
        self.facilities = graph.label_of(facilities)
        self.dist = dist
        self.facility_indices = nearest
        self.reverse = reverse
        self.cutoff = cutoff
        self.plan = plan
        self.stats = stats

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Which vertices have a facility: (n,) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    @cached_property
    def facility(self) -> Array:
        """The nearest facility of every vertex, as the graph names it: (n,).

        Where there is none it is None in a graph with labels, else -1.
        """
        if self.graph.labels is None:
            return self.facility_indices
        names = self.graph.labels[np.maximum(self.facility_indices, 0)]
        if self.reached.all():
            return names
        names = names.astype(object)
        names[~self.reached] = None
        return names

    def to_pandas(self) -> Any:
        """Return a pandas data frame: vertex, facility and distance, NA where there is none."""
        pandas = require("pandas", what="Nearest.to_pandas")
        facility = pandas.Series(self.facility).convert_dtypes().mask(~self.reached, pandas.NA)
        distance = pandas.Series(self.dist).convert_dtypes().mask(~self.reached, pandas.NA)
        vertices = self.graph.label_of(np.arange(self.graph.n))
        return pandas.DataFrame({"vertex": vertices, "facility": facility, "distance": distance})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a row for each vertex, (vertex, facility, distance), as ``.parquet`` or ``.csv``.

        The file appears complete or not at all; vertices are named as in the graph's file.
        """
        from warpath.io.places import to_write
        from warpath.results.files import file_names, save_columns

        graph, reached = self.graph, self.reached
        facilities = file_names(graph, np.where(reached, self.facility_indices, 0))
        columns: dict[str, tuple[Array, Array | None]] = {
            "vertex": (file_names(graph, np.arange(graph.n)), None),
            "facility": (facilities, reached),
            "distance": (self.dist, reached),
        }
        save_columns(to_write(path), columns)

    def __len__(self) -> int:
        return len(self.dist)

    def __repr__(self) -> str:
        count, way = int(self.reached.sum()), "to" if self.reverse else "from"
        return (
            f"<Nearest of {len(self.facilities):,} facilities: {count:,} of {len(self):,} vertices "
            f"have one, distances {way} it\n  {self.plan.headline()}>"
        )
