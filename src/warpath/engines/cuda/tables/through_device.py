"""All pairs of a dense graph with a matrix larger than device memory, tile by tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.engines.base import Raw
from warpath.engines.cpu import fitting
from warpath.engines.cuda.tables.min_plus import FAR, MinPlus
from warpath.engines.cuda.tables.potentials import reweighted
from warpath.engines.staged.tiles import all_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph

_AT_ONCE = 2**22  # entries that are converted at once


def in_tiles(order: Order, tiles: Tiles, device: Device) -> Raw:
    """Run `Loop.FLOYD_WARSHALL` on a matrix on the host: `order.out` if it can hold the labels.

    Raises
    ------
    NegativeCycleError
        For any negative cycle, before anything is written.
    OverflowError
        When a distance does not fit `order.out`.
    """
    out, graph, finish = order.out, order.graph, None
    assert out is not None  # noqa: S101 - the caller's promise for APSP
    if graph.facts(symmetry=False).negative:
        made = reweighted(graph, order.problem)
        graph, finish = made.graph, _lengths(made.potentials)
    blocks = MinPlus(device, _label(graph))
    narrow = finish is None and out.dtype == blocks.dtype
    held = narrow or out.dtype == graph.dist_dtype
    matrix = out if held else np.empty(out.shape, graph.dist_dtype)
    all_pairs(
        graph,
        matrix,
        blocks,
        device,
        tiles.memory,
        tiles.journal,
        tiles.panels,
        order.progress,
        finish,
        settings.threads(),
    )
    if not held:
        step = max(_AT_ONCE // max(graph.n, 1), 1)
        for begin in range(0, graph.n, step):
            out[begin : begin + step] = fitting(matrix[begin : begin + step], out.dtype)
    return Raw(out, stats={"bits": 8 * blocks.dtype.itemsize})


def _label(graph: Graph) -> np.dtype:
    """Return the narrowest type of labels that is proven to hold every sum."""
    facts = graph.facts(symmetry=False)
    if not facts.integer:
        return graph.dist_dtype
    return np.dtype("int32" if facts.longest < FAR["int32"] else "int64")


def _lengths(potentials: Array) -> Callable[[Array, slice], None]:
    """Return a function that converts rows of reduced distances to lengths, in place."""

    def restore(rows: Array, these: slice) -> None:
        start, unreached = potentials[these][:, None], unreachable(potentials.dtype)
        if potentials.dtype.kind == "f":
            rows -= start - potentials  # inf stays
            return
        rows[...] = np.where(rows == unreached, rows, rows - start + potentials)

    return restore
