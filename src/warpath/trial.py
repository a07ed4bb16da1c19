"""Plans that are predicted to be about as fast, told apart by the solves of a graph.

Predicted times are of one machine. On another a second thread may give a search of a millisecond
half of its time back, or cost it as much again: nothing but solving tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import units
from warpath.paths import never

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.engines.cpu import Search
    from warpath.plan import Plan

    Array = NDArray[Any]

_TIMED = 3  # solves of each, after one that meets its memory for the first time
_CLEARLY = 0.9  # of the first one's time, and the prediction was wrong
_FEWER_THREADS = (
    0.8  # the same: on machines whose processors are at times one a team loses by turns
)
_UNREACHED = 16  # vertices that are not reached cost as much as one that is


@dataclass
class Contender:
    """A plan with the search that it stands for.

    Attributes
    ----------
    begun : how many solves it was given.
    costs : seconds for each vertex, of those that count.
    """

    plan: Plan
    search: Search
    begun: int = 0
    costs: list[float] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """Seconds for each vertex."""
        return median(self.costs)


class Trial:
    """Has the solves of a graph made by one plan after the other until it is known which to keep.

    That is the first one, unless another is clearly faster. All have the same bits. Each solves
    four times in a row, as the one that is kept will: a team's threads stay for the next call.
    Solves that several threads of Python make at a time are counted as they come and may disturb
    each other: then a slower one may be kept, and nothing else happens.

    Attributes
    ----------
    kept : the one that is left, or None.
    """

    def __init__(self, first: Contender, *others: Contender) -> None:
        self.kept: Contender | None = None
        self._all = first, *others

    def turn(self) -> Contender:
        """Return whose turn it is."""
        if self.kept is not None:
            return self.kept
        # All may have theirs while another thread of Python is about to say which one is kept.
        one = next((one for one in self._all if len(one.costs) < _TIMED), self._all[0])
        one.begun += 1
        return one

    def give_up(self, one: Contender) -> None:
        """Tell that a plan cannot solve this graph: its distances may not fit its labels."""
        one.costs = [math.inf] * _TIMED

    def note(self, one: Contender, seconds: float, dist: Array) -> None:
        """Tell how long a solve took, and what it found."""
        if self.kept is not None:
            return
        if one.begun > 1:
            reached = int(np.count_nonzero(dist != never(dist.dtype)))
            one.costs.append(seconds / (reached + (len(dist) - reached) / _UNREACHED))
        if all(len(contender.costs) >= _TIMED for contender in self._all):
            first = self._all[0]
            fastest = min(self._all, key=lambda contender: contender.cost)
            fewer = fastest.plan.threads < first.plan.threads
            clearly = (_FEWER_THREADS if fewer else _CLEARLY) * first.cost
            self._keep(fastest if fastest.cost < clearly else first)

    def _keep(self, one: Contender) -> None:
        thousand = 1e3  # a vertex takes too little to be read
        others = [
            f"{units.seconds(thousand * other.cost)} with {other.plan.headline()}"
            for other in self._all
            if other is not one and math.isfinite(other.cost)
        ]
        reason = (
            f"it was tried on this graph: {units.seconds(thousand * one.cost)} for 1,000 vertices, "
            + "; ".join(others)
        )
        self.kept = Contender(replace(one.plan, reason=reason), one.search)
