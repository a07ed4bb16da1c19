"""The loops of the round-based recipes: they know steps and lists, not devices."""

from warpath.engines.rounds.frontier import frontier
from warpath.engines.rounds.piles import buckets, near_far
from warpath.engines.rounds.run import Run
from warpath.engines.rounds.settle import settle, settle_on_cpu
from warpath.engines.rounds.sweeps import sweeps

__all__ = ["Run", "buckets", "frontier", "near_far", "settle", "settle_on_cpu", "sweeps"]
