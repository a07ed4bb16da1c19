"""Several sets of weights for the same streets, such as those of the hours of a day."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.base.progress import watch
from warpath.graph.checks import plain_array, shown
from warpath.results.scenario_pairs import ScenarioPairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, DTypeLike

    from warpath.api.question import Progress
    from warpath.api.solver import Solver


class Scenarios:
    """Solvers of the same streets, one for each set of weights, made by `Solver.scenarios`.

    Each is made when it is used and not kept, so that a day of hours takes the memory of one.

    Attributes
    ----------
    names : the names of the sets, in the order of the call.

    Examples
    --------
    >>> import warpath as wp
    >>> city = wp.prepare([(0, 1, 2), (1, 2, 5), (0, 2, 9)])
    >>> day = city.scenarios({"night": [2, 9, 5], "morning": [8, 9, 7]})
    >>> day.pairs([0, 1], [2, 2]).dist
    array([[7, 5],
           [9, 7]])
    >>> day["morning"].path(0, 2).length
    9
    """

    def __init__(
        self, weights: Mapping[Any, ArrayLike] | ArrayLike, solver_with: Callable[[Any], Solver]
    ) -> None:
        items = getattr(weights, "items", None)
        if callable(items):
            pairs = list(items())
        else:
            rows = plain_array(weights, "weights", InputError)
            pairs = list(enumerate(rows)) if rows.ndim == 2 else []
        if not pairs or any(np.ndim(values) == 0 for _, values in pairs):
            raise InputError(
                f"weights = {shown(weights)} must have a set of weights for each scenario: "
                "{name: weights}, a data frame with a column each, or rows of a 2-d array."
            )
        self._weights = dict(pairs)
        self._solver_with = solver_with
        self.names = list(self._weights)

    def pairs(
        self,
        origins: Any,
        destinations: Any = None,
        *,
        dist_dtype: DTypeLike | None = None,
        progress: Progress = None,
        missing: str = "raise",
    ) -> ScenarioPairs:
        """Return the distances of the same trips in each scenario.

        Parameters
        ----------
        origins, destinations, dist_dtype, missing : as in `warpath.pairs`.
        progress : as in `warpath.pairs`; it counts scenarios.
        """
        start = time.perf_counter()
        results = []
        with watch(progress, "pairs", "scenarios") as report:
            for done, name in enumerate(self.names):
                results.append(
                    self[name].pairs(origins, destinations, dist_dtype=dist_dtype, missing=missing)
                )
                if report is not None:
                    report(done + 1, len(self.names))
        dist = np.stack([trips.dist for trips in results])
        stats = {"seconds": time.perf_counter() - start}
        return ScenarioPairs(self.names, dist, results[0], stats=stats)

    def __getitem__(self, name: Any) -> Solver:
        """Return the Solver of one scenario."""
        if name not in self._weights:
            msg = f"there is no scenario {name!r}: there are {', '.join(map(repr, self.names))}."
            raise InputError(msg)
        return self._solver_with(self._weights[name])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Scenarios: {len(self)} sets of weights, {', '.join(map(str, self.names[:6]))}>"
