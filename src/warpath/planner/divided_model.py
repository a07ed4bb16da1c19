"""What one source of a graph that is divided over several GPUs is predicted to cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.planner.cpu_model import label_bytes
from warpath.planner.gpu_model import GPU_START, across, wide_seconds

if TYPE_CHECKING:
    from warpath.graph.facts import Facts

# Fitted to R-MAT 22 and 26 on two and four H200s: 2.7 and 4.3 ms, 11.0 and 12.4 ms.
_EXCHANGE = 5.5e-5  # seconds of a launch on one device, one after the other
_LINK = 4e11  # bytes a second between two devices


def divided_seconds(facts: Facts, devices: int) -> float:
    """Return the predicted time of one source of a graph that is divided over so many GPUs.

    The edges are shared; each hop across the graph takes an exchange of labels, for which each
    device compares those of all others with the last ones sent; all labels are copied at the end.
    """
    exchanges = max(across(facts, 2.0), 12)
    start = GPU_START + max(across(facts, 3.0), 20) * 8e-6
    sent = 1.65 * (devices + 1) * facts.n * label_bytes(facts) / _LINK
    launches = exchanges * devices * _EXCHANGE
    return start + launches + sent + (wide_seconds(facts) - start) / devices


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
