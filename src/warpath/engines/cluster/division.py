"""Which partition a vertex belongs to, by its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.graph.checks import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array


@dataclass(frozen=True)
class Ranges:
    """Partitions that are ranges of labels.

    Attributes
    ----------
    bounds : (partitions - 1,) ascending: partition q holds the labels from bounds[q - 1] on and
        below bounds[q].
    n : number of vertices if they are the numbers 0 .. n - 1, else None.
    """

    bounds: Array
    n: int | None

    @property
    def count(self) -> int:
        """The number of partitions."""
        return len(self.bounds) + 1

    @property
    def kind(self) -> str:
        """The kind of the labels: "i" for integers, "S" for strings as UTF-8 bytes."""
        return self.bounds.dtype.kind

    def owners(self, labels: Array) -> Array:
        """Return the partition of each label: uint16."""
        return np.searchsorted(self.bounds, labels, side="right").astype(np.uint16)

    def span(self, part: int) -> tuple[int, int]:
        """Return the first number of a partition and the first behind it, for numbers 0 .. n-1."""
        edges = [0, *self.bounds.tolist(), self.n]
        return edges[part], edges[part + 1]


@dataclass(frozen=True)
class Assigned:
    """Partitions that a function of the caller determines.

    Attributes
    ----------
    function : takes an array of labels and returns the number of the partition of each.
    count : the number of partitions.
    """

    function: Callable[[Array], Any]
    count: int
    n: None = None
    kind: str = "i"

    def owners(self, labels: Array) -> Array:
        """Return the partition of each label: uint16."""
        parts = np.asarray(self.function(labels))
        if parts.shape != labels.shape or (len(parts) and parts.dtype.kind not in "iu"):
            msg = (
                f"assign returned {parts.dtype} of shape {parts.shape} for {len(labels)} labels: "
                "it must return an integer for each."
            )
            raise InputError(msg)
        outside = np.flatnonzero((parts < 0) | (parts >= self.count))
        if len(outside):
            at = int(outside[0])
            msg = (
                f"assign returned {parts[at]} for the label {shown(labels[at].item())}, but "
                f"there are partitions 0 .. {self.count - 1}: return one of them, or give a larger "
                "partitions."
            )
            raise InputError(msg)
        return parts.astype(np.uint16)


Division = Ranges | Assigned


def balanced(sample: Array, count: int, n: int | None) -> Ranges:
    """Return ranges of labels that hold about equally many ends of edges.

    Parameters
    ----------
    sample : labels of ends of edges, drawn evenly.
    count : the number of partitions; ranges of few distinct labels may stay empty.
    """
    ascending = np.sort(sample)
    if len(ascending) == 0:
        return Ranges(np.zeros(count - 1, np.int64), n)
    at = np.arange(1, count) * len(ascending) // count
    return Ranges(ascending[at], n)
