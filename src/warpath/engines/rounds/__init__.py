"""Round-based recipes: on a device, on the CPU, or with steps on both."""

from __future__ import annotations

from warpath.engines.rounds.on_device import rounds_on_device
from warpath.engines.rounds.run import Run
from warpath.engines.rounds.settle import settle, settle_on_cpu

__all__ = ["Run", "settle_on_cpu", "solve"]


def solve(run: Run) -> bool:
    """Solve by rounds; return whether they came to rest, which a negative cycle prevents."""
    return settle(run) if run.axes.host_driven else rounds_on_device(run)
