"""Sums over the vertices within distances: weights times a decay of the distance."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError
from warpath.engines.lengths import length_lost
from warpath.graph.checks import as_float, laid_out, plain_array, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.graph import Graph

    #: distances (r,), all of which are within the limit -> the factors of weights (r,).
    DecayFunction = Callable[[Array], Any]

_WAYS = "'step', 'exponential', 'gravity', or a function of an array of distances"
_AT_ONCE = 1 << 16  # entries that a thread decays at a time: they fit its cache
_FIRST_ROWS, _MOST_ROWS = 64, 1 << 16  # sparse rows that are searched before they are added up
_ENTRIES = 1 << 22  # that they have about
_FEW = 8  # a sparse row may have this part of the vertices, as a larger search takes longer
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Decay:
    """What a weight is multiplied by at a distance.

    Attributes
    ----------
    kind : "step", "exponential", "gravity", "distance", "inverse" (0 at a distance of 0), or a
        function.
    """

    kind: str | DecayFunction
    beta: float = 0.0

    @classmethod
    def checked(cls, decay: Any, beta: Any) -> Decay:
        """Return a decay; raise InputError if it is not valid."""
        named = isinstance(decay, str) and decay in {"step", "exponential", "gravity"}
        if not named and not callable(decay):
            raise InputError(f"decay = {shown(decay)} is not valid: use {_WAYS}.")
        if decay not in ("exponential", "gravity"):
            if beta is not None:
                name = decay if named else "a function"
                msg = f"beta = {shown(beta)} has no effect on decay={name!r}: leave it out."
                raise InputError(msg)
            return cls(decay)
        law = "exp(-beta * distance)" if decay == "exponential" else "distance ** -beta"
        if beta is None:
            raise InputError(f"beta is missing: decay={decay!r} is {law}.")
        if not 0 < as_float(beta) < np.inf:
            msg = f"beta = {shown(beta)} must be a finite number > 0: decay={decay!r} is {law}."
            raise InputError(msg)
        return cls(decay, float(beta))

    def of(self, dist: Array, most: Any, threads: int) -> Array:
        """Return the factors of entries of a table, in their shape; an empty array for 1.

        Parameters
        ----------
        most : the largest distance that counts; factors of larger ones are not defined.
        """
        if self.kind == "step":
            return np.empty(0)
        if callable(self.kind):
            values = np.zeros(dist.shape)
            within = dist <= most
            values[within] = _called(self.kind, dist[within])
            return values
        factors: Array = np.empty(dist.size)
        flat = dist.reshape(-1)

        def part(at: int) -> None:
            some = slice(at, at + _AT_ONCE)
            with np.errstate(over="ignore"):  # sums of infinite factors are refused, or infinite
                self._fill(flat[some], factors[some])

        parts = range(0, dist.size, _AT_ONCE)
        if threads == 1 or len(parts) < 2:
            for at in parts:
                part(at)
        else:
            with ThreadPoolExecutor(threads) as pool:
                for _ in pool.map(part, parts):
                    pass
        return factors.reshape(dist.shape)

    def _fill(self, dist: Array, into: Array) -> None:
        into[...] = dist  # a ufunc that converts its input takes twice as long
        if self.kind == "exponential":
            into *= -self.beta
            np.exp(into, out=into)
        elif self.kind == "inverse":
            np.divide(1.0, into, out=into, where=into != 0)
        elif self.kind == "gravity":
            np.maximum(into, 1, out=into)
            if self.beta != 1:
                np.power(into, self.beta, out=into)
            np.reciprocal(into, out=into)


@dataclass(frozen=True)
class Straightness:
    """The straight distance between the two vertices of an entry, divided by its distance.

    Attributes
    ----------
    points : (d, n) float64, of all vertices, in the unit of the distances.
    diameter : of the sphere on which the points lie; None for a plane.
    """

    points: Array
    diameter: float | None

    def of(self, rows: slice, dist: Array, starts: Array, columns: Array, threads: int) -> Array:
        """Return the factors of entries, as `WeightedSums.add` takes them; 0 at distances <= 0."""
        if dist.ndim > 1:
            return self._of_rows(rows, dist, threads)
        tails = rows.start + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        factors: Array = np.empty(len(dist))
        for at in range(0, len(dist), _AT_ONCE):
            some = slice(at, at + _AT_ONCE)
            start, end = self.points[:, tails[some]], self.points[:, columns[some]]
            self._fill(start, end, dist[some], factors[some])
        return factors

    def _of_rows(self, rows: slice, dist: Array, threads: int) -> Array:
        factors: Array = np.empty(dist.shape)

        def row(at: int) -> None:
            tail = self.points[:, rows.start + at, None]
            self._fill(tail, self.points, dist[at], factors[at])

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(row, range(len(dist))):
                pass
        return factors

    def _fill(self, tails: Array, heads: Array, dist: Array, into: Array) -> None:
        differences = heads - tails
        np.einsum("dk,dk->k", differences, differences, out=into)
        np.sqrt(into, out=into)
        if self.diameter is not None:  # from the chord to the arc
            np.minimum(into, self.diameter, out=into)
            into /= self.diameter
            np.arcsin(into, out=into)
            into *= self.diameter
        positive = dist > 0
        with np.errstate(over="ignore"):
            np.divide(into, dist, out=into, where=positive)
        into[~positive] = 0


def _called(function: DecayFunction, dist: Array) -> Array:
    """Return what a caller's function returns for distances, checked."""
    name = getattr(function, "__name__", "decay")
    given = plain_array(function(dist), f"the result of {name}", InputError)
    if given.shape != dist.shape or given.dtype.kind not in "biuf":
        msg = (
            f"{name} returned the shape {given.shape} and the type {given.dtype} for distances of "
            f"the shape {dist.shape}: a number for each distance is needed, such as "
            "numpy.exp(-distances / 300)."
        )
        raise InputError(msg)
    with np.errstate(over="ignore"):  # of long doubles
        values = given.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        at = int(wrong[0])
        msg = f"{name} returned {values[at]} for the distance {dist[at]}: it must be finite."
        raise InputError(msg)
    return values


class WeightedSums:
    """Sums that are formed from the rows of a table, which come block by block.

    Any number of threads gives the same bits.

    Parameters
    ----------
    decays : each has its own sums; a `Straightness` needs rows and columns for all vertices.
    limits : (q,) the largest distance that counts in each sum, in the type of the distances.
    weights : (q, columns) float64, of the columns if rows are summed; else (q, rows).
    shape : the numbers of rows and columns.
    of_columns : whether to sum columns instead of rows.
    nearest : how many entries of a row count, 0 for all.

    Attributes
    ----------
    sums : (decays, q, rows) or (decays, q, columns) float64.
    """

    def __init__(
        self,
        decays: tuple[Decay | Straightness, ...],
        limits: Array,
        weights: Array,
        shape: tuple[int, int],
        *,
        of_columns: bool,
        nearest: int,
        threads: int,
    ) -> None:
        self._decays, self._weights = decays, weights
        self._limits: Any = limits.astype(np.int64 if limits.dtype.kind == "i" else np.float64)
        self._width, self._nearest, self._threads = shape[1], nearest, threads
        self._of_columns = of_columns
        self.sums = np.zeros((len(decays), len(limits), shape[of_columns]))

    def add(
        self,
        rows: slice,
        dist: Array,
        starts: Array = _NONE,
        columns: Array | None = None,
        lengths: Array | None = None,
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        dist : (r, columns); or the entries of sparse rows, one row after another.
        starts, columns : where each sparse row begins in `dist`, and the column of each entry.
        lengths : what the limits are for, in place of `dist`, of entries all of which count.
        """
        dist = laid_out(dist, self._limits.dtype)
        limited = dist if lengths is None else lengths
        most = self._limits.max() if lengths is None else np.inf
        columns = np.empty(0, np.int32) if columns is None else columns
        for decay, sums in zip(self._decays, self.sums, strict=True):
            if isinstance(decay, Straightness):
                values = decay.of(rows, dist, starts, columns, self._threads)
            else:
                values = decay.of(dist, most, self._threads)
            into = sums if self._of_columns else np.empty((len(sums), rows.stop - rows.start))
            weights = laid_out(self._weights[:, rows]) if self._of_columns else self._weights
            _core.weighted_sums(
                limited.reshape(-1), starts, columns, values.reshape(-1), self._limits, self._width,
                weights.reshape(-1), into.reshape(-1), self._of_columns, nearest=self._nearest,
                threads=self._threads,
            )  # fmt: skip
            if not self._of_columns:
                sums[:, rows] = into

    def add_near(
        self,
        graph: Graph,
        sources: NDArray[np.int64],
        columns: NDArray[np.int64] | None,
        threads: int,
        report: Report | None,
        lengths: Array | None = None,
    ) -> bool:
        """Add all rows by searches of the vertices within the largest limit.

        Returns False, after a few searches, where these have a large part of the graph, unless
        there are lengths.

        Parameters
        ----------
        graph : without negative weights, turns and closed vertices.
        sources, columns : vertices, columns in ascending order; None for all.
        lengths : (m,) float64, which limits are for in place of the weights, all of which are > 0.

        Raises
        ------
        WeightError
            If there are lengths, and a weight is lost in the sum with a distance.
        """
        column_of = np.empty(0, np.int32)
        if columns is not None:
            column_of = np.full(graph.n, -1, np.int32)
            column_of[columns] = np.arange(len(columns))
        weights = graph._solver_weights
        if weights.dtype == np.int32:
            weights = weights.astype(np.int64)
        measured: dict[str, Any] = {}
        cutoff, least = graph.dist_dtype.type(self._limits.max()).item(), _FIRST_ROWS
        if lengths is not None:
            measured = {"lengths": lengths, "radius": float(self._limits.max())}
            cutoff = graph.dist_dtype.type(largest(graph.dist_dtype)).item()
            least = max(1, min(_FIRST_ROWS, _ENTRIES // max(graph.n, 1)))
        first, count = 0, least
        while first < len(sources):
            rows = slice(first, min(len(sources), first + count))
            answer: Any = _core.near_rows(
                graph.indptr, graph.indices, weights, sources[rows], column_of, cutoff,
                threads=threads, **measured,
            )  # fmt: skip
            if isinstance(answer, int):
                raise length_lost(graph, answer, either_way=True)
            starts, of_entries, dist, along, settled = answer
            done = rows.stop - rows.start
            if lengths is None and first == 0 and settled * _FEW > max(graph.n, 1000 * _FEW) * done:
                return False
            if lengths is not None and not graph.m:
                along = np.zeros(len(dist))
            self.add(rows, dist, starts, of_entries, None if lengths is None else along)
            first = rows.stop
            count = max(least, min(_MOST_ROWS, count * _ENTRIES // max(settled, 1)))
            if report is not None:
                report(first, len(sources))
        return True


def largest(dtype: np.dtype[Any]) -> Any:
    """Return the largest distance of a type that is not that of an unreachable vertex."""
    if dtype.kind == "i":
        return unreachable(dtype) - 1
    return np.finfo(dtype).max
