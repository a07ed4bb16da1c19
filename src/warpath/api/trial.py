"""Plans that are predicted to be about as fast, told apart by the solves of a graph.

Predicted times are of one machine. On another a second thread may give a search of a millisecond
half of its time back, or cost it as much again: nothing but solving tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from warpath.base import units
from warpath.base.dtypes import unreachable

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.cpu import Search
    from warpath.planner.plan import Plan

_TIMED = 3  # solves of each, after one that meets its memory for the first time
_BEHIND = 1.2  # times as long as another in the first of them, and there is no second
_CLEARLY = 0.95  # of the first one's time, and the prediction was wrong
_UNREACHED = 16  # vertices that are not reached cost as much as one that is
_SLOWER = 1.5  # times as long as in the trial
_IN_A_ROW = 4  # solves that take so long, and the machine is not what it was
_REPEATED = 16, 1024  # solves until a trial is repeated, at first and at most


@dataclass
class Contender:
    """A plan with the search that it stands for.

    Attributes
    ----------
    begun : how many solves it was given.
    seconds : what those took that count.
    costs : the same for each vertex.
    """

    plan: Plan
    search: Search
    begun: int = 0
    seconds: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)


class Trial:
    """Has the solves of a graph made by one plan after the other until it is known which to keep.

    That is the first one, unless another is clearly faster. All have the same bits. Each solves
    four times in a row, as the one that is kept will: a team's threads stay for the next call. One
    that is far behind after two has no more turns. Solves that several threads of Python make at a
    time are counted as they come and may disturb each other: then a slower one may be kept, and
    nothing else happens.

    What is kept may have been tried in a bad second, and the processors of a virtual machine are
    near each other in one minute and far apart in the next: so the trial is repeated, what was kept
    first, after 16 solves, after twice as many each time that finds the same, and after 16 again
    when another is kept or solves begin to take half as long again.

    Attributes
    ----------
    kept : the one that is left, or None.
    """

    def __init__(self, first: Contender, *others: Contender) -> None:
        self.kept: Contender | None = None
        self._all = first, *others
        self._turns = list(self._all)  # in this order
        self._best: Contender | None = None  # what the last trial found
        self._least = math.inf  # the cost of the fastest that had all its turns
        self._wait, _ = _REPEATED
        self._left = self._wait  # solves until the trial is repeated
        self._usual = math.inf, math.inf  # the longest solve of the one that is kept, and its cost
        self._slow = 0  # solves in a row that took longer

    def turn(self) -> Contender:
        """Return whose turn it is."""
        kept = self.kept
        if kept is not None:
            return kept
        # All may have theirs while another thread of Python is about to say which one is kept.
        one = next((one for one in self._turns if not self._is_done(one)), self._all[0])
        one.begun += 1
        return one

    def give_up(self, one: Contender) -> None:
        """Tell that a plan cannot solve this graph: its distances may not fit its labels."""
        one.costs = [math.inf] * _TIMED

    def note(self, one: Contender, seconds: float, dist: Array) -> None:
        """Tell how long a solve took, and what it found."""
        if self.kept is not None:
            self._watch(seconds, dist)
            return
        if one.begun > 1:
            one.seconds.append(seconds)
            one.costs.append(_cost(seconds, dist))
            if len(one.costs) >= _TIMED:
                self._least = min(self._least, median(one.costs))
        # Copies, for another thread of Python may begin anew meanwhile.
        found = [list(each.costs) for each in self._all]
        if all(map(self._is_done, self._all)) and all(found):
            self._decide([median(costs) for costs in found])

    def _is_done(self, one: Contender) -> bool:
        costs = one.costs
        return len(costs) >= _TIMED or (bool(costs) and costs[0] > _BEHIND * self._least)

    def _decide(self, costs: list[float]) -> None:
        least = min(costs)
        best = self._all[costs.index(least)] if least < _CLEARLY * costs[0] else self._all[0]
        at = self._all.index(best)
        thousand = 1e3  # a vertex takes too little to be read
        others = [
            f"{units.seconds(thousand * cost)} with {other.plan.headline()}"
            for other, cost in zip(self._all, costs, strict=True)
            if other is not best and math.isfinite(cost)
        ]
        reason = (
            f"it was tried on this graph: {units.seconds(thousand * costs[at])} for 1,000 "
            "vertices, " + "; ".join(others)
        )
        self._usual = max(best.seconds, default=math.inf), costs[at]
        self._slow = 0
        begin, most = _REPEATED
        self._wait = min(2 * self._wait, most) if best is self._best else begin
        self._left = self._wait
        self._best = best
        self.kept = Contender(replace(best.plan, reason=reason), best.search)

    def _watch(self, seconds: float, dist: Array) -> None:
        """Begin anew after so many solves, or when the machine seems to have changed."""
        longest, cost = self._usual
        # What was reached is only counted of long ones: it takes some percent of a solve.
        slow = seconds > _SLOWER * longest and _cost(seconds, dist) > _SLOWER * cost
        self._slow = self._slow + 1 if slow else 0
        self._left -= 1
        if self._slow >= _IN_A_ROW:
            self._best = None
        elif self._left > 0:
            return
        self._turns.sort(key=lambda one: one is not self._best)
        self._least = math.inf
        for one in self._all:
            if math.inf not in one.costs:
                one.begun, one.seconds, one.costs = 0, [], []
        self.kept = None


def _cost(seconds: float, dist: Array) -> float:
    """Return seconds for each vertex reached; of those that are not, some count as one."""
    reached = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return seconds / (reached + (len(dist) - reached) / _UNREACHED)
