"""What a solve from many sources returns: a table of distances."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.errors import require
from warpath.paths import never

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.graph import Graph

    Array = NDArray[Any]


class DistanceTable:
    """Distances from some vertices to others, or between all pairs.

    Attributes
    ----------
    graph : the graph that was solved.
    dist : (k, t); inf (floats) or the largest integer where unreachable.
    source_indices, target_indices : (k,) and (t,) int64.
    cutoff : pairs farther than this were left out; None for no limit.
    plan : what ran and why.
    reassociated : sums of floats may be formed in another order than along the paths.
    stats : counters of the run, and ``seconds``.
    """

    def __init__(
        self,
        graph: Graph,
        sources: NDArray[np.int64],
        targets: NDArray[np.int64],
        dist: Array,
        *,
        cutoff: float | None = None,
        plan: Any = None,
        stats: dict[str, Any] | None = None,
        reassociated: bool = False,
    ) -> None:
        self.graph = graph
        self.source_indices = sources
        self.target_indices = targets
        self.dist = dist
        self.cutoff = cutoff
        self.plan = plan
        self.reassociated = reassociated or (plan is not None and plan.recipe.reassociates)
        self.stats = stats or {}

    @cached_property
    def sources(self) -> Array:
        """The rows' vertices, as the graph names them: (k,)."""
        return self.graph.label_of(self.source_indices)

    @cached_property
    def targets(self) -> Array:
        """The columns' vertices, as the graph names them: (t,)."""
        return self.graph.label_of(self.target_indices)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which pairs have a path: (k, t) bool."""
        reached: NDArray[np.bool_] = self.dist != never(self.dist.dtype)
        return reached

    @property
    def shape(self) -> tuple[int, int]:
        """(k, t)."""
        return len(self.source_indices), len(self.target_indices)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.dist, dtype=dtype, copy=copy)

    def to_pandas(self, *, long: bool = False) -> Any:
        """Return a pandas data frame, unreachable pairs as NA.

        Parameters
        ----------
        long : True for one row a pair (source, target, distance), False for a row a source.
        """
        pandas = require("pandas", what="DistanceTable.to_pandas")
        if long:
            k, t = self.shape
            flat = pandas.Series(np.asarray(self.dist).ravel()).convert_dtypes()
            return pandas.DataFrame(
                {
                    "source": np.repeat(self.sources, t),
                    "target": np.tile(self.targets, k),
                    "distance": flat.mask(~self.reached.ravel(), pandas.NA),
                }
            )
        wide = pandas.DataFrame(np.asarray(self.dist), index=self.sources, columns=self.targets)
        return wide.convert_dtypes().mask(~self.reached, pandas.NA)

    def save(self, path: Any, *, long: bool = True) -> None:
        """Write the table to ``.npz``, ``.npy``, ``.parquet`` or ``.csv``.

        Parameters
        ----------
        long : for the last two, one row a reached pair (source, target, distance); False for one
            row a source.
        """
        from warpath.io.results import save_table

        save_table(self, path, long=long)

    def __repr__(self) -> str:
        k, t = self.shape
        lines = [f"<DistanceTable {k:,} x {t:,} of {self.dist.dtype}"]
        if self.plan is not None:
            lines.append(f"  {self.plan.headline()}")
        if k and t:
            lines.append(_preview(self))
        return "\n".join(lines) + ">"


def _preview(table: DistanceTable, most: int = 6) -> str:
    rows, columns = min(most, table.shape[0]), min(most, table.shape[1])
    head = ["", *map(str, table.targets[:columns].tolist())]
    lines = [head]
    limit = never(table.dist.dtype)
    for row in range(rows):
        values = [table.dist[row, column] for column in range(columns)]
        shown = ["-" if value == limit else f"{value:,}" for value in values]
        lines.append([str(table.sources[row]), *shown])
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    text = [
        "  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=True))
        for line in lines
    ]
    if columns < table.shape[1]:
        text[0] += "  ..."
    if rows < table.shape[0]:
        text.append("  ...")
    return "\n".join(text)
