"""What one source of a graph that is divided over several GPUs is predicted to cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.planner.cpu_model import label_bytes
from warpath.planner.gpu_model import GPU_START, across, wide_seconds

if TYPE_CHECKING:
    from warpath.graph.facts import Facts

_EXCHANGE = 1.2e-4  # seconds of a launch on each device, and of copies between them
_LINK = 4e11  # bytes a second between two devices


def divided_seconds(facts: Facts, devices: int) -> float:
    """Return the predicted time of one source of a graph that is divided over so many GPUs.

    The edges are shared; each hop across the graph takes an exchange of labels, and all labels are
    copied at the end.
    """
    exchanges = max(across(facts, 2.0), 12)
    start = GPU_START + max(across(facts, 3.0), 20) * 8e-6
    copied = 3 * facts.n * label_bytes(facts) / _LINK
    return start + exchanges * _EXCHANGE + copied + (wide_seconds(facts) - start) / devices


def divided_bytes(facts: Facts, devices: int) -> int:
    """Return the bytes on each of so many GPUs: its rows, all labels, and lists to and from others.

    At most: the graph is cut, in chunks, by the GPUs themselves.
    """
    narrow = facts.weight_dtype in {"int32", "float32"}
    edge, label = (8, 4) if narrow else (16, 8)
    sides = 2 if facts.directed else 1
    rows = sides * (8 * (facts.n + 1) + facts.m * edge) // devices
    sorting = 16 * facts.n + 60 * min(facts.m, 2**26)
    return rows + facts.n * (6 * label + 7 * label // devices) + sorting
