"""Random calls of SciPy's shortest paths, with usual and unusual arguments."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from random import Random

    from hunt.programs._scipy_matrices import Matrix
    from warpath.base.dtypes import Array

INF, NAN = np.inf, np.nan
_NAMES = (
    *("shortest_path",) * 5,
    *("dijkstra",) * 6,
    *("bellman_ford",) * 3,
    *("johnson",) * 3,
    *("floyd_warshall",) * 4,
    *("yen",) * 3,
    "construct_dist_matrix",
    "construct_dist_matrix",
    "reconstruct_path",
)
_METHODS = ("auto", "auto", "auto", "D", "BF", "J", "FW", "FW", "X", "d", None)
_LIMITS = (
    *(0, 0.5, 1, 2.5, 3e9, 1e300, INF, NAN, -1, -INF, 1e19, 10**400, 2**63, "3", None, 1j, True),
)
_ODD_INDICES: tuple[Any, ...] = (
    [], [[]], 1.7, [0.0, 1.0], True, [True, False], "0", "x", [0, 0, 0], None, 2**40, -(2**40),
    [2**31], np.array([2**32]), np.array([2**63], np.uint64), np.uint8(0), np.array(0), NAN, [1e10],
    [None], {}, np.array([0], ">i4"),
)  # fmt: skip
_COUNTS = (1, 1, 2, 3, 4, 7, 20, np.int32(2), True, 0, -1, 2.0, None)


class Outcome(NamedTuple):
    """The outcome of a call.

    Attributes
    ----------
    error : the exception, or None.
    parts : the returned arrays.
    warnings : (class, text) of each warning.
    """

    error: Exception | None
    parts: tuple[Any, ...]
    warnings: frozenset[tuple[type, str]]


@dataclass
class Call:
    """A call of a function that both modules have.

    Attributes
    ----------
    name : name of the function.
    matrix : its first argument.
    arguments, options : its other positional and keyword arguments.
    """

    name: str
    matrix: Matrix
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def on(self, module: Any, made: Any) -> Outcome:
        """Call a module's function with a matrix and return the outcome."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            error, answer = None, ()
            try:
                answer = getattr(module, self.name)(made, *self.arguments, **self.options)
            except Exception as raised:  # every exception is compared
                error = raised
        parts = answer if isinstance(answer, tuple) else (answer,)
        return Outcome(error, parts, frozenset((one.category, str(one.message)) for one in caught))

    @property
    def directed(self) -> bool:
        """Whether edges lead one way only."""
        return bool(self.options.get("directed", True))

    @property
    def unweighted(self) -> bool:
        """Whether all edges count as 1."""
        return bool(self.options.get("unweighted", False))

    @cached_property
    def method(self) -> str:
        """The algorithm that runs: D, BF, J, FW or another function's name."""
        names = {"dijkstra": "D", "bellman_ford": "BF", "johnson": "J", "floyd_warshall": "FW"}
        if self.name != "shortest_path":
            return names.get(self.name, self.name)
        chosen = self.options.get("method", "auto")
        if chosen != "auto":
            return str(chosen)
        made = self.matrix.make()
        if self.matrix.sparse:
            entries = made.data if made.format in {"csr", "csc", "coo"} else made.tocoo().data
            count = made.nnz
        elif self.matrix.masked:
            entries, count = made.compressed(), made.count()
        else:
            entries = np.asarray(made)
            chosen = np.isfinite(entries) & (entries != 0)
            if self.options.get("overwrite") and entries.dtype == np.float64:
                chosen = self.matrix.present  # SciPy has already written inf elsewhere
            entries = entries[chosen]
            count = entries.size
        if self.options.get("indices") is None and count >= self.matrix.n**2 / 4:
            return "FW"
        with np.errstate(invalid="ignore"):
            return "J" if (entries < 0).any() else "D"

    @cached_property
    def lengths(self) -> Array:
        """The (n, n) lengths of the edges as this call reads them."""
        matrix = self.matrix
        lengths = matrix.least_lengths if self.method == "FW" else matrix.lengths
        if self.method == "FW":
            lengths = lengths if matrix.sparse else np.where(lengths == 0, INF, lengths)
            if len(lengths) and matrix.square:
                lengths = np.where(np.eye(len(lengths), dtype=np.bool_), INF, lengths)
            if self.unweighted:
                lengths = np.where(lengths != INF, 1.0, INF)
        elif self.unweighted:
            lengths = np.where(matrix.present, 1.0, INF)
        if not self.directed:
            lengths = np.minimum(lengths, lengths.T)
        return lengths

    @property
    def signed(self) -> bool:
        """Whether edges that this call reads are negative."""
        return self.matrix.negative and not self.unweighted

    def __str__(self) -> str:
        arguments = [*map(repr, self.arguments), *(f"{k}={v!r}" for k, v in self.options.items())]
        return f"{self.name}(M, {', '.join(arguments)})\nM = {self.matrix}"


def random_call(pick: Random, matrix: Matrix) -> Call:
    """Return a call of one of the functions."""
    name = pick.choice(_NAMES)
    options: dict[str, Any] = {}
    if pick.random() < 0.4:
        options["directed"] = pick.choice([False, False, True])
    if name in {"construct_dist_matrix", "reconstruct_path"}:
        return _call_with_trees(pick, name, matrix, options)
    if pick.random() < 0.5:
        options["return_predecessors"] = True
    if pick.random() < 0.25:
        options["unweighted"] = True
    if name == "yen":
        ends: list[Any] = [pick.randrange(max(matrix.n, 1)) for _ in range(2)]
        if pick.random() < 0.1:
            ends[pick.randrange(2)] = pick.choice([-1, matrix.n, True, 0.0, "0", None, np.int64(0)])
        return Call(name, matrix, (*ends, pick.choice(_COUNTS)), options)
    if name != "floyd_warshall" and pick.random() < 0.5:
        options["indices"] = _indices(pick, matrix.n)
    return Call(name, matrix, (), options | _own_options(pick, name))


def _call_with_trees(pick: Random, name: str, matrix: Matrix, options: dict[str, Any]) -> Call:
    pred = _trees(pick, matrix, options.get("directed", True))
    if name == "reconstruct_path":
        return Call(name, matrix, (pred[0] if len(pred) else pred.reshape(-1),), options)
    if pick.random() < 0.5:
        options["null_value"] = pick.choice([-1, 0, NAN, 1e300, "3", None, 1j, 10**400])
    return Call(name, matrix, (pred,), options)


def _own_options(pick: Random, name: str) -> dict[str, Any]:
    """Return options that not all functions have."""
    options: dict[str, Any] = {}
    if name == "shortest_path" and pick.random() < 0.7:
        options["method"] = pick.choice(_METHODS)
    if name in {"shortest_path", "floyd_warshall"} and pick.random() < 0.3:
        options["overwrite"] = True
    if name == "dijkstra" and pick.random() < 0.4:
        options["limit"] = pick.choice(_LIMITS)
    if name == "dijkstra" and pick.random() < 0.3:
        options["min_only"] = True
    return options


def _indices(pick: Random, n: int) -> Any:
    if n == 0 or pick.random() < 0.25:
        return [] if n == 0 else pick.choice(_ODD_INDICES)
    listed = [pick.randrange(-n, n) for _ in range(pick.randint(1, 4))]
    if pick.random() < 0.05:
        listed[0] = pick.choice([n, -n - 1])
    array = np.reshape(listed, (2, 2)) if len(listed) == 4 else np.array(listed)
    typed = array.astype(pick.choice(["i1", "i8", "i4", "f8"]))
    return pick.choice([listed[0], listed, typed])


def _trees(pick: Random, matrix: Matrix, directed: bool) -> Array:
    """Return predecessors: a tree from each vertex along edges, or random numbers for some."""
    n = matrix.n
    pred = np.full((n, n), -9999, np.int32)
    if pick.random() < 0.15:  # types and shapes that no function returns
        if pick.random() < 0.3:
            return pred.astype(pick.choice(["i8", "f8", "u4", ">i4"]))
        return pred[: pick.choice([0, 1])] if n > 1 else pred
    if n > 1 and pick.random() < 0.1:  # cycles and invalid vertices
        places = [pick.randint(-1 if pick.random() < 0.3 else 0, n - 1) for _ in range(n)]
        pred[pick.randrange(n)] = places
    usable = matrix.present if matrix.square else np.zeros((n, n), np.bool_)
    usable = usable if directed else usable | usable.T
    for s in range(n):
        order = [s]
        for u in order:
            for v in np.flatnonzero(usable[u]).tolist():
                if v != s and pred[s, v] == -9999:
                    pred[s, v] = u
                    order.append(v)
    return pred
