"""The result of `accessibility`: the opportunities that each origin reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.upward import upward
from warpath.graph.labels import labels_or_none, with_mask
from warpath.graph.places import NO_NAMES
from warpath.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan


class Accessibility(Result):
    """The weighted numbers of opportunities that each origin reaches.

    Tables of the result have a row for each origin, and a column for each number.

    Attributes
    ----------
    graph : the graph that was solved.
    values : (k,) float64, a number for each origin; (k, c) for a list of cutoffs, (k, w) for
        columns of weights, and (k, c, w) for both.
    origin_indices : (k,) int64, the origins; of points along edges the nearer ends.
    cutoffs : (c,) in ascending order, in the weights' unit; None if distances had no limit.
    plan : how distances were found: algorithm, device and the reasons.
    stats : ``seconds``.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices.
    """

    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES

    def __init__(
        self,
        graph: Graph,
        origins: NDArray[np.int64],
        values: Array,
        headings: tuple[str, ...],
        cutoffs: Array | None,
        *,
        plan: RunPlan,
        stats: dict[str, Any],
    ) -> None:
        self.graph = graph
        self.origin_indices = origins
        self.values = values
        self.cutoffs = cutoffs
        self.plan = plan
        self.stats = stats
        self._headings = headings

    @property
    def origins(self) -> Array:
        """The origins as the graph names them: (k,)."""
        return labels_or_none(self.graph, self.origin_indices)

    def _numbers(self) -> dict[str, Array]:
        columns = self.values.reshape(len(self), -1).T
        return dict(zip(self._headings, columns, strict=True))

    def to_geodataframe(self, *, crs: Any = "auto") -> Any:
        """Return a GeoPandas data frame of points: the columns of `to_pandas`, and geometry.

        Parameters
        ----------
        crs : the coordinate reference system, as in `Within.to_geodataframe`.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        MissingDependencyError
            If GeoPandas is not installed.
        """
        return upward("Accessibility.to_geodataframe")(self, crs)

    def to_geojson(self) -> dict[str, Any]:
        """Return the origins as a GeoJSON feature collection, a dictionary for `json.dumps`.

        Raises
        ------
        GraphError
            If the graph has no coordinates.
        """
        collection: dict[str, Any] = upward("Accessibility.to_geojson")(self)
        return collection

    def _columns(self) -> Columns:
        origins = with_mask(self.graph, self.origin_indices, self.given_names[0])
        numbers: Columns = {name: (values, None) for name, values in self._numbers().items()}
        return {"origin": origins, **numbers}

    def _vertices(self) -> NDArray[np.int64]:
        return self.origin_indices

    def __len__(self) -> int:
        return len(self.origin_indices)

    def __repr__(self) -> str:
        columns = ", ".join(self._headings)
        origins = f"{len(self):,} origin{'' if len(self) == 1 else 's'}"
        return f"<Accessibility of {origins}: {columns}\n  {self.plan.headline()}>"
