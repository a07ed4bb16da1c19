"""Calls that SciPy's shortest paths cannot answer: they do not end, crash or solve nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.programs._scipy_calls import Call
    from warpath.base.dtypes import Array

INF = np.inf


@dataclass(frozen=True)
class NotAsked:
    """Calls for which SciPy does not end, crashes or returns the matrix unsolved.

    Attributes
    ----------
    case, scipy, warpath, why : as in `Difference`.
    applies : returns whether a call is one of these.
    """

    case: str
    scipy: str
    warpath: str
    why: str
    applies: Callable[[Call], bool]


def _may_not_end(call: Call) -> bool:
    if call.method not in {"D", "J", "yen"} or not call.signed or not call.matrix.square:
        return False
    if not call.matrix.exact or (call.matrix.entries == -INF).any():
        return True
    return call.method == "D" and _has_negative_cycle(call.lengths)


def _has_negative_cycle(lengths: Array) -> bool:
    dist = lengths.copy()
    for k in range(len(dist)):
        dist = np.minimum(dist, dist[:, k, None] + dist[k])
    return bool((dist.diagonal() < 0).any())


def _lead_nowhere(call: Call) -> bool:
    if call.name != "construct_dist_matrix":
        return False
    n, pred = call.matrix.n, np.asarray(call.arguments[0])
    if pred.shape != (n, n) or pred.dtype != np.int32 or n == 0:
        return False
    if ((pred != -9999) & ((pred < 0) | (pred >= n))).any():
        return True
    rows = np.arange(n)[:, None]
    at = np.broadcast_to(np.arange(n), (n, n))
    for _ in range(n):
        before = pred[rows, at]
        at = np.where((at == rows) | (before == -9999), at, before)
    return bool(((at != rows) & (pred[rows, at] != -9999)).any())


def _by_rows(made: Any) -> bool:
    return not isinstance(made, np.ndarray) or made.flags.c_contiguous


#: For these matrices, SciPy is called with a copy.
UNSOLVED = NotAsked(
    "`floyd_warshall` of an array that is not contiguous by rows, such as `a.T`",
    "prints an ignored exception and returns the matrix unsolved",
    "the distances",
    "the order in memory says nothing about the graph",
    lambda call: call.method == "FW" and not _by_rows(call.matrix.make()),
)


NOT_ASKED: tuple[NotAsked, ...] = (
    NotAsked(
        "`dijkstra` where a negative cycle is reached, and searches with negative weights whose "
        "rounded sums show one",
        "may not end",
        "`NegativeCycleError`, or the distances if the sums show no cycle",
        "there are no distances",
        _may_not_end,
    ),
    NotAsked(
        "`yen` with `K=0`",
        "writes outside its array",
        "no path",
        "no path was requested",
        lambda call: call.name == "yen" and call.arguments[2] == 0,
    ),
    NotAsked(
        "`yen` of a matrix with several entries at one place, or with NaN",
        "subtracts the first one from the length of a path; may not end, or may crash",
        "uses the least one, and NaN is no edge",
        "the other functions do the same",
        lambda call: (
            call.name == "yen" and bool(call.matrix.parallel or np.isnan(call.matrix.entries).any())
        ),
    ),
    NotAsked(
        "predecessors in `construct_dist_matrix` that form a cycle or are not vertices",
        "does not end, or reads outside the matrix",
        "`ValueError` with their place",
        "they are not paths",
        _lead_nowhere,
    ),
    UNSOLVED,
)


def scipy_can_be_asked(call: Call) -> bool:
    """Return False if SciPy may not end or may crash."""
    return not any(one.applies(call) for one in NOT_ASKED if one is not UNSOLVED)


def argument_of_scipy(call: Call) -> Any:
    """Return the matrix for SciPy, copied if SciPy cannot solve its memory layout."""
    made = call.matrix.make()
    return made.copy(order="C") if UNSOLVED.applies(call) else made
