"""The intended differences between `warpath.csgraph` and SciPy, and their reasons.

The table in docs/how-to/scipy.md is the same. tests/csgraph/test_differences.py compares the two,
and has an example of each difference in which both modules behave as described here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csgraph as theirs

from warpath import csgraph as ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.programs._scipy_calls import Call, Outcome
    from warpath.base.dtypes import Array

INF = np.inf
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Difference:
    """Calls whose outcomes differ, and the two outcomes.

    Attributes
    ----------
    case : description of the calls in the docs' table.
    scipy, warpath : what each module does.
    why : the reason.
    covers : returns whether a call is one of these, from it and, where SciPy can be asked, its
        outcomes by warpath and by SciPy.
    """

    case: str
    scipy: str
    warpath: str
    why: str
    covers: Callable[..., bool]


def _minus_infinity(call: Call, mine: Outcome, _: Outcome) -> bool:
    return (
        bool((call.matrix.entries == -INF).any())
        and isinstance(mine.error, ValueError)
        and "-inf" in str(mine.error)
    )


def _takes_more(call: Call, _: Outcome, other: Outcome) -> bool:
    """Cover matrices that SciPy cannot convert without a copy, and lists where it needs a shape."""
    if call.matrix.kind == "list" and isinstance(other.error, AttributeError | TypeError):
        return call.name == "shortest_path"
    overwrites = call.options.get("overwrite") or call.name == "construct_dist_matrix"
    return (
        bool(overwrites)
        and not call.matrix.sparse
        and isinstance(other.error, ValueError)
        and any(word in str(other.error) for word in ("avoid copy", "read-only"))
    )


def _no_mask(call: Call, _: Outcome, other: Outcome) -> bool:
    return call.matrix.kind == "nomask" and isinstance(other.error, np.exceptions.AxisError)


def _yen_without_entries(call: Call, mine: Outcome, other: Outcome) -> bool:
    return call.name == "yen" and "Invalid shape in axis 0" in str(other.error) and not mine.error


def _yen_of_wide_indices(call: Call, _: Outcome, other: Outcome) -> bool:
    return call.name == "yen" and "Buffer dtype mismatch" in str(other.error)


def _yen_of_odd_vertices(call: Call, mine: Outcome, other: Outcome) -> bool:
    ends = call.arguments[:2] if call.name == "yen" else ()
    return (
        any(isinstance(end, bool | float) for end in ends)
        and call.signed
        and mine.error is None
        and isinstance(other.error, ValueError | IndexError)
    )


def _float_predecessors(call: Call, mine: Outcome, _: Outcome) -> bool:
    return call.name == "reconstruct_path" and "integral dtype" in str(mine.error)


def _wrapped_indices(call: Call, mine: Outcome, _: Outcome) -> bool:
    indices = np.asarray(call.options.get("indices"))
    return (
        indices.dtype.kind in "iu"
        and bool((indices.astype(np.int32) != indices).any())
        and isinstance(mine.error, ValueError)
        and "out of range" in str(mine.error)
    )


def _room(call: Call) -> float:
    """Return a bound on the difference of sums of n lengths that are added in two orders."""
    finite = np.abs(call.lengths[np.isfinite(call.lengths)]).max(initial=0)
    with np.errstate(over="ignore"):
        return float(2 * len(call.lengths) ** 2 * finite * _EPS)


def _shortest_cycle(lengths: Array) -> float:
    """Return the length of a short cycle, negative if and only if there is a negative one."""
    dist = lengths.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(len(dist)):
            dist = np.fmin(dist, dist[:, k, None] + dist[k])
    return float(dist.diagonal().min(initial=0))


def _order_of_sums(call: Call, mine: Outcome, other: Outcome) -> bool:
    """Cover sums of Floyd-Warshall and Johnson, which must be close to those of SciPy."""
    if call.matrix.exact or mine.error or other.error or not call.matrix.square:
        return False
    if call.method not in {"FW", "J", "BF"} or (call.method != "FW" and not call.signed):
        return False
    room = _room(call)
    if np.isinf(room) or np.isnan(other.parts[0]).any():
        return bool(np.isinf(room))
    rtol = 2 * len(call.lengths) * _EPS
    return np.allclose(mine.parts[0], other.parts[0], rtol, room if call.signed else 0.0)


def _false_cycle(call: Call, mine: Outcome, other: Outcome) -> bool:
    """Cover false negative cycles, which SciPy reports if rounded sums differ by over 1e-15."""
    return (
        call.method in {"BF", "J", "FW"}
        and not call.matrix.exact
        and mine.error is None
        and isinstance(other.error, theirs.NegativeCycleError)
        and _shortest_cycle(call.lengths) >= 0
    )


def _short_cycle(call: Call, mine: Outcome, other: Outcome) -> bool:
    """Cover negative cycles whose length is below the rounding error of the sums, or 1e-15."""
    one = isinstance(mine.error, ours.NegativeCycleError)
    if call.matrix.exact or one == isinstance(other.error, theirs.NegativeCycleError):
        return False
    return 0 < -_shortest_cycle(call.lengths) <= _room(call) + 1e-14


def _below_float64(call: Call, mine: Outcome, other: Outcome) -> bool:
    if not call.signed or call.matrix.exact:
        return False
    if isinstance(mine.error, OverflowError):
        return any(words in str(mine.error) for words in ("below the smallest", "under potentials"))
    return (
        isinstance(mine.error, ours.NegativeCycleError)
        and other.error is None
        and bool((other.parts[0] == -INF).any())
        and _shortest_cycle(call.lengths) < 0
    )


def _sums_of_yen(call: Call, mine: Outcome, other: Outcome) -> bool:
    if call.name != "yen" or call.matrix.exact or mine.error or other.error:
        return False
    one, two = mine.parts[0], other.parts[0]
    return one.shape == two.shape and np.allclose(one, two, rtol=0, atol=_room(call))


def _nan_between_all_pairs(call: Call, mine: Outcome, _: Outcome) -> bool:
    """Cover NaN in masked arrays, which SciPy's Floyd-Warshall treats as an edge."""
    return (
        call.method == "FW"
        and call.matrix.masked
        and bool(np.isnan(call.matrix.entries).any())
        and mine.error is None
    )


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "an entry of -inf",
        "distances of -inf or NaN",
        "`ValueError` with its place",
        "no path has such a length",
        _minus_infinity,
    ),
    Difference(
        'lists in `shortest_path` with `method="auto"`; lists, read-only arrays and other types '
        "than float64 with `overwrite=True` and in `construct_dist_matrix`",
        "`AttributeError`, `TypeError` or `ValueError`",
        "accepts them; arrays that cannot be overwritten stay unchanged",
        "the other functions accept them",
        _takes_more,
    ),
    Difference(
        "a masked array without a mask in all functions but `floyd_warshall`",
        "`AxisError`",
        "every entry is an edge",
        "nothing is masked",
        _no_mask,
    ),
    Difference(
        "`yen` of a matrix without an entry, from a vertex to itself or with `directed=False`",
        "`ValueError`",
        "the path without an edge, or no path",
        "the vertices exist",
        _yen_without_entries,
    ),
    Difference(
        "`yen` of a sparse matrix with indices of int64",
        "may raise `ValueError`: buffer dtype mismatch",
        "the paths",
        "the type of the indices says nothing about the graph",
        _yen_of_wide_indices,
    ),
    Difference(
        "`yen` with `True` or `1.0` for a vertex and negative entries",
        "`ValueError` or `IndexError`",
        "the vertex 1, as without negative entries",
        "SciPy looks up the vertex's potential by this value",
        _yen_of_odd_vertices,
    ),
    Difference(
        "`reconstruct_path` with predecessors that are not integers",
        "1.17 accepts them if none is a vertex, else `IndexError`",
        "`ValueError`",
        "later versions of SciPy raise it, too",
        _float_predecessors,
    ),
    Difference(
        "indices in an array of int64 that do not fit int32",
        "wraps them: 2^32 is vertex 0",
        "`ValueError`: out of range",
        "the answer would be that of another vertex",
        _wrapped_indices,
    ),
    Difference(
        "sums that round in `floyd_warshall`, or with negative weights",
        "adds in the order of its loops",
        "adds in another order: both are within n eps of the exact sum, or, with negative weights, "
        "within n eps of n times the largest length",
        "blocked loops and searches with potentials are faster",
        _order_of_sums,
    ),
    Difference(
        "`bellman_ford` with `directed=False` if sums round, and negative weights next to much "
        "larger ones, such as 1e300",
        "`NegativeCycleError` although there is no negative cycle",
        "the distances",
        "SciPy's tolerance is 1e-15 for lengths of any size",
        _false_cycle,
    ),
    Difference(
        "sums that round in `yen`",
        "subtracts edges from the length of the whole path",
        "adds along the path",
        "a path has the same length as in the other functions",
        _sums_of_yen,
    ),
    Difference(
        "negative cycles no longer than 1e-15, or than the rounding error of sums around them",
        "distances, or `NegativeCycleError`",
        "distances, or `NegativeCycleError`",
        "whether rounded sums show the cycle depends on their order; SciPy also ignores 1e-15",
        _short_cycle,
    ),
    Difference(
        "sums of negative weights that overflow float64, such as two of -1.7e308",
        "distances of -inf or NaN, even where there is a negative cycle, or `NegativeCycleError`",
        "`OverflowError`, or `NegativeCycleError` if there is a cycle",
        "no path has such a length",
        _below_float64,
    ),
    Difference(
        "NaN in a masked array in `floyd_warshall`",
        "a distance of NaN; an edge with `unweighted=True`",
        "no edge, as in every other function",
        "no comparison with NaN holds",
        _nan_between_all_pairs,
    ),
)


def _may_not_end(call: Call, *_: Outcome) -> bool:
    if call.method not in {"D", "J", "yen"} or not call.signed or not call.matrix.square:
        return False
    if not call.matrix.exact or (call.matrix.entries == -INF).any():
        return True
    return call.method == "D" and _shortest_cycle(call.lengths) < 0


def _lead_nowhere(call: Call, *_outcomes: Outcome) -> bool:
    if call.name != "construct_dist_matrix":
        return False
    n, pred = call.matrix.n, np.asarray(call.arguments[0])
    if pred.shape != (n, n) or pred.dtype != np.int32 or n == 0:
        return False
    if ((pred != -9999) & ((pred < 0) | (pred >= n))).any():
        return True
    rows = np.arange(n)[:, None]
    at = np.broadcast_to(np.arange(n), (n, n))
    for _step in range(n):
        before = pred[rows, at]
        at = np.where((at == rows) | (before == -9999), at, before)
    return bool(((at != rows) & (pred[rows, at] != -9999)).any())


def _by_rows(made: Any) -> bool:
    return not isinstance(made, np.ndarray) or made.flags.c_contiguous


#: For these matrices, SciPy is called with a copy.
UNSOLVED = Difference(
    "`floyd_warshall` of an array that is not contiguous by rows, such as `a.T`",
    "prints an ignored exception and returns the matrix unsolved",
    "the distances",
    "the order in memory says nothing about the graph",
    lambda call, *_: call.method == "FW" and not _by_rows(call.matrix.make()),
)


#: Calls for which SciPy does not end, crashes or returns the matrix unsolved.
NOT_ASKED: tuple[Difference, ...] = (
    Difference(
        "`dijkstra` where a negative cycle is reached, and searches with negative weights whose "
        "rounded sums show one",
        "may not end",
        "`NegativeCycleError`, or the distances if the sums show no cycle",
        "there are no distances",
        _may_not_end,
    ),
    Difference(
        "`yen` with `K=0`",
        "writes outside its array",
        "no path",
        "no path was requested",
        lambda call, *_: call.name == "yen" and call.arguments[2] == 0,
    ),
    Difference(
        "`yen` of a matrix with several entries at one place, or with NaN",
        "subtracts the first one from the length of a path; may not end, or may crash",
        "uses the least one, and NaN is no edge",
        "the other functions do the same",
        lambda call, *_: (
            call.name == "yen" and bool(call.matrix.parallel or np.isnan(call.matrix.entries).any())
        ),
    ),
    Difference(
        "predecessors in `construct_dist_matrix` that form a cycle or are not vertices",
        "does not end, or reads outside the matrix",
        "`ValueError` with their place",
        "they are not paths",
        _lead_nowhere,
    ),
    UNSOLVED,
)


def table() -> list[str]:
    """Return the lines of the table in the docs."""
    rows = [(one.case, one.scipy, one.warpath, one.why) for one in (*DIFFERENCES, *NOT_ASKED)]
    head = ["| call | SciPy | warpath | why |", "|---|---|---|---|"]
    return head + [f"| {' | '.join(row)} |" for row in rows]


def scipy_can_be_asked(call: Call) -> bool:
    """Return False if SciPy may not end or may crash."""
    return not any(one.covers(call) for one in NOT_ASKED if one is not UNSOLVED)


def argument_of_scipy(call: Call) -> Any:
    """Return the matrix for SciPy, copied if SciPy cannot solve its memory layout."""
    made = call.matrix.make()
    return made.copy(order="C") if UNSOLVED.covers(call) else made
