"""The loops of the round-based recipes: they know steps and lists, not devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.rounds.frontier import frontier
from warpath.engines.rounds.piles import buckets, near_far
from warpath.engines.rounds.run import Run
from warpath.engines.rounds.settle import settle, settle_on_cpu
from warpath.engines.rounds.sweeps import sweeps
from warpath.recipes import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LOOPS", "Run", "settle_on_cpu"]

#: Each returns whether it came to rest, which a negative cycle prevents.
LOOPS: dict[Loop, Callable[[Run], bool]] = {
    Loop.SWEEPS: sweeps,
    Loop.FRONTIER: frontier,
    Loop.NEAR_FAR: near_far,
    Loop.BUCKETS: buckets,
    Loop.SETTLE: settle,
}
