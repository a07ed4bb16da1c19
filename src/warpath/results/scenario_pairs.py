"""The result of `Scenarios.pairs`: the same trips under several sets of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import require
from warpath.graph.checks import checked_bool
from warpath.results.reached import ReachedDistances
from warpath.results.result import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.results.pairs import Pairs
    from warpath.results.rows import Columns


class ScenarioPairs(Result, ReachedDistances):
    """The distances of k trips in each of h scenarios.

    Attributes
    ----------
    scenarios : the h names of the scenarios.
    dist : (h, k) distances in the weights' unit; inf (floats) or the largest integer where a
        destination cannot be reached.
    trips : the `Pairs` of the first scenario, with the origins and destinations of all.
    plan : the plan of the first scenario.
    stats : ``seconds`` of all scenarios, with their customization.
    """

    _COMPUTED = ("reached",)

    def __init__(
        self, scenarios: list[Any], dist: Array, trips: Pairs, *, stats: dict[str, Any]
    ) -> None:
        self.graph = trips.graph
        self.scenarios = scenarios
        self.dist = dist
        self.trips = trips
        self.plan = trips.plan
        self.stats = stats

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the trips that have a path: (h, k) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    def to_pandas(self, *, long: bool = False) -> Any:
        """Return a pandas data frame, with NA for trips without a path.

        Parameters
        ----------
        long : False for a row for each scenario and a column for each trip, by its number; True
            for a row for each scenario and trip: scenario, origin, destination, distance.
        """
        long = checked_bool(long, "long")
        pandas = require("pandas", what="ScenarioPairs.to_pandas")
        h, k = self.dist.shape
        flat = pandas.Series(self.dist.ravel()).convert_dtypes()
        flat = flat.mask(~self.reached.ravel(), pandas.NA)
        if long:
            frame = pandas.concat([self.trips.to_pandas()] * h, ignore_index=True)
            frame.insert(0, "scenario", np.repeat(np.array(self.scenarios, object), k))
            return frame.assign(distance=flat)
        columns = {trip: flat.iloc[trip::k].to_numpy() for trip in range(k)}
        frame = pandas.DataFrame(columns, index=pandas.Index(self.scenarios, name="scenario"))
        return frame.astype(flat.dtype).rename_axis(columns="trip")

    def _vertices(self) -> NDArray[np.int64]:
        return self.trips._vertices()  # noqa: SLF001 - the same vertices

    def _columns(self) -> Columns:
        h, k = self.dist.shape
        names = np.array([str(name) for name in self.scenarios])
        columns: Columns = {"scenario": (np.repeat(names, k), None)}
        for name, (values, present) in self.trips._columns().items():  # noqa: SLF001 - the same trips
            columns[name] = np.tile(values, h), None if present is None else np.tile(present, h)
        return columns | {"distance": (self.dist.ravel(), self.reached.ravel())}

    def __len__(self) -> int:
        return len(self.scenarios)

    def __repr__(self) -> str:
        h, k = self.dist.shape
        return f"<ScenarioPairs: {k:,} trips in {h} scenarios\n  {self.plan.headline()}>"
