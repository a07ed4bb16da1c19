"""The result of a batch of changes: whose distances are other ones, and what it took."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable as _unreachable
from warpath.graph.labels import file_ids
from warpath.results.reached import filled
from warpath.results.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.rows import Columns


class Changed(Rows):
    """The distances that a batch of changes has changed: k of them.

    Tables of the result have the columns row, vertex, old and new.

    Attributes
    ----------
    indices : (k,) int64, indices of the vertices.
    old, new : (k,) distances before and after the batch, in the weights' unit; inf (floats) or the
        largest integer where unreachable: see `to_numpy`.
    stats : what the batch took: "seconds"; "affected", the vertices whose distance could grow;
        "settled", "relaxed" and "improved", the vertices, edges and labels of the repair;
        "solved_anew", the sources whose distances were solved from scratch; on a GPU also
        "rounds", how often its blocks shared the lowered vertices.
    """

    def __init__(
        self,
        names: Graph,
        counts: list[int],
        changes: tuple[NDArray[np.int64], Array, Array],
        stats: dict[str, Any],
    ) -> None:
        self._names, self._counts = names, counts
        self.indices, self.old, self.new = changes
        self.stats = stats

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Which source each is of, as its place in ``sources``; all 0 with one source: (k,)."""
        return np.repeat(np.arange(len(self._counts)), self._counts)

    @property
    def vertices(self) -> Array:
        """The vertices as the graph names them: (k,)."""
        return self._names.label_of(self.indices)

    def _columns(self) -> Columns:
        return {
            "row": (self.rows, None),
            "vertex": (file_ids(self._names, self.indices), None),
            "old": (self.old, self.old != _unreachable(self.old.dtype)),
            "new": (self.new, self.new != _unreachable(self.new.dtype)),
        }

    def to_numpy(self, unreachable: float = math.nan) -> Array:
        """Return the distances before and after with a number where there is no path: (k, 2).

        Parameters
        ----------
        unreachable : as in `Paths.to_numpy`.
        """
        both = np.stack([self.old, self.new], axis=1)
        return filled(both, both != _unreachable(both.dtype), unreachable)

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        singular = len(self) == 1
        anew = self.stats["solved_anew"]
        affected = self.stats["affected"]
        vertices = "1 vertex" if affected == 1 else f"{affected:,} vertices"
        how = f"{anew:,} solved anew" if anew else f"{vertices} affected"
        return f"<Changed: {len(self):,} distance{'' if singular else 's'}; {how}>"
