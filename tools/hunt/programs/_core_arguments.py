"""Random valid arguments that fit one small graph, for calls of the core's functions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array

    Arguments = tuple[list[Any], dict[str, Any]]


class Threads(int):
    """A number of threads or steps, never replaced by one that would take long."""


class Size(int):
    """A number of vertices, edges or steps, replaced only by tiny or by invalid numbers."""


def impatient() -> Callable[..., None]:
    """Return a progress callback that ends a call after two seconds: damaged weights may loop."""
    end = time.monotonic() + 2

    def progress(*_: int) -> None:
        if time.monotonic() > end:
            msg = "the call was ended by the program"
            raise ValueError(msg)

    return progress


class Draw:
    """Draws arguments that fit one small random graph, whose types are random too.

    Attributes
    ----------
    rng : the trial's generator.
    n, m : numbers of vertices and edges.
    index, weight, label : types of the indices, the weights and the distances.
    indptr, indices, lengths : the graph as CSR arrays.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n = int(rng.choice([1, 2, 5, 17, 70, 300]))
        self.index = np.dtype(rng.choice(["int32", "int64"]))
        self.weight = np.dtype(rng.choice(["int32", "int64", "float32", "float64"]))
        self.label = np.dtype("int64") if self.weight.kind == "i" else self.weight
        degrees = rng.integers(0, 5, self.n)
        self.indptr = np.concatenate(([0], np.cumsum(degrees)))
        self.m = int(self.indptr[-1])
        self.indices = rng.integers(0, self.n, self.m).astype(self.index)
        self.lengths = rng.integers(0, 9, self.m).astype(self.weight)

    def rows(self) -> list[Any]:
        """Return (indptr, indices, weights); half of the time, arrays that the core owns."""
        given = [self.indptr.copy(), self.indices.copy(), self.lengths.copy()]
        if self.rng.random() < 0.5:
            return given
        validate: Any = _core.validate_rows
        return list(validate(*given, copied=bool(self.rng.random() < 0.5))[1])

    def whole_rows(self) -> list[Any]:
        """Return the rows with integer weights."""
        width = np.int64 if self.weight.itemsize == 8 else np.int32
        return [self.indptr.copy(), self.indices.copy(), self.lengths.astype(width)]

    def back(self) -> list[Any]:
        """Return the rows of the transpose."""
        out = [np.empty_like(each) for each in (self.indptr, self.indices, self.lengths)]
        _core.transpose(self.indptr, self.indices, self.lengths, *out)
        return out

    def vertex(self) -> int:
        """Return a vertex."""
        return int(self.rng.integers(self.n))

    def vertices(self, most: int = 4) -> Array:
        """Return up to `most` vertices."""
        return self.rng.integers(0, self.n, self.rng.integers(0, most + 1))

    def labels(self) -> Array:
        """Return the distances from a vertex, or random numbers in their place."""
        dist = np.empty(self.n, self.label)
        if self.rng.random() < 0.7:
            ends = np.empty(0, np.int64)
            _core.dijkstra(
                self.indptr, self.indices, self.lengths, self.vertex(), dist, "heap", ends
            )
        else:
            dist[:] = self.rng.integers(0, 30, self.n)
        return dist

    def out(self, *shape: int, dtype: Any = None) -> Array:
        """Return an output array, between bytes that no call may write."""
        return guarded(shape or (self.n,), self.label if dtype is None else np.dtype(dtype))

    def flags(self) -> Array:
        """Return a flag for each vertex."""
        return self.rng.integers(0, 2, self.n).astype(np.uint8)

    def cutoff(self) -> Any:
        """Return a limit on distances, or None."""
        return self.label.type(self.rng.integers(0, 30)).item() if self.rng.random() < 0.4 else None

    def threads(self) -> Threads:
        """Return a number of threads."""
        return Threads(self.rng.integers(1, 4))

    def names(self) -> Array:
        """Return an object for each vertex."""
        made = np.empty(self.n, object)
        made[:] = [f"v{v}" for v in range(self.n)]
        return made

    def table(self) -> tuple[Array, Array, Array]:
        """Return sources, targets and the table to fill."""
        sources, targets = self.vertices(), self.vertices()
        narrow = self.label == np.int64 and self.rng.random() < 0.3
        dtype = np.int32 if narrow else self.label
        return sources, targets, self.out(len(sources), len(targets) or self.n, dtype=dtype)


#: Bytes before and after an output array.
_GUARD = 4096
_SENTINEL = 0xA5


def guarded(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array inside a larger buffer, whose margins `unharmed` checks."""
    size = int(np.prod(shape)) * dtype.itemsize
    whole = np.full(size + 2 * _GUARD, _SENTINEL, np.uint8)
    whole[_GUARD : _GUARD + size] = 0
    array: Array = whole[_GUARD : _GUARD + size].view(dtype).reshape(shape)
    return array


def unharmed(array: Any) -> bool:
    """Return whether the bytes around a guarded array are unchanged."""
    whole = array
    while isinstance(whole, np.ndarray) and whole.base is not None:
        whole = whole.base
    if not isinstance(whole, np.ndarray) or whole.dtype != np.uint8 or len(whole) < 2 * _GUARD:
        return True
    return bool((whole[:_GUARD] == _SENTINEL).all() and (whole[-_GUARD:] == _SENTINEL).all())
