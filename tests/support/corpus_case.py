"""A graph of the corpus with its properties."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike

    from warpath.graph import Graph

ALL_TYPES = ("int32", "int64", "float32", "float64")


@dataclass(frozen=True)
class Case:
    """One graph and its properties.

    Attributes
    ----------
    name : str
    why : its purpose in one line
    make : builds the graph in its own weight type
    sources : interesting sources; empty for the graph without vertices
    dtypes : weight types that hold its weights exactly
    negative : whether it has a weight below zero
    has_cycle : whether a cycle of negative length can be reached from `sources`
    overflows : whether a distance from `sources` does not fit int64: OverflowError
    dtype : the weight type chosen by `astype`, or None
    """

    name: str
    why: str
    make: Callable[[], Graph] = field(repr=False)
    sources: tuple[int, ...] = (0,)
    dtypes: tuple[str, ...] = ALL_TYPES
    negative: bool = False
    has_cycle: bool = False
    overflows: bool = False
    dtype: str | None = None

    def graph(self) -> Graph:
        """Return the graph, which is built only once for each type."""
        return _built(self.make, self.dtype)

    def astype(self, dtype: DTypeLike) -> Case:
        """Return the case with weights of another type; InputError if they do not fit."""
        wanted = np.dtype(dtype).name
        if wanted not in self.dtypes:
            msg = f"{self.name} cannot have {wanted} weights: {', '.join(self.dtypes)}."
            raise InputError(msg)
        return replace(self, dtype=wanted)

    def __str__(self) -> str:
        return self.name if self.dtype is None else f"{self.name}-{self.dtype}"


@cache
def _built(make: Callable[[], Graph], dtype: str | None) -> Graph:
    graph = make()
    return graph if dtype is None else graph.astype(dtype)
