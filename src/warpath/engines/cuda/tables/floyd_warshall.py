"""All pairs of a dense graph by blocked Floyd-Warshall, in tiles if the matrix does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.engines.base import Raw
from warpath.engines.cpu import fitting
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.rows import resident
from warpath.engines.cuda.tables.deliver import Delivery, on_device
from warpath.engines.cuda.tables.johnson import restore, reweighted
from warpath.engines.cuda.tables.min_plus import FAR, MinPlus, tile_of
from warpath.engines.staged.blocks import Window
from warpath.engines.staged.tiles import all_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, TableOrder
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph

#: Min-plus operations per launch: a quarter of a second on an H200, for progress and Ctrl-C.
_IN_A_LAUNCH = {2: 6e12, 4: 3e12, 8: 6e11}
#: Labels that are inspected at once, which limits temporary memory.
_AT_ONCE = 2**27


class _Labels(NamedTuple):
    """A type of labels, and whether all distances are proven to fit it."""

    dtype: np.dtype[Any]
    proven: bool


def floyd_warshall(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.FLOYD_WARSHALL`.

    Raises
    ------
    NegativeCycleError
        For any negative cycle: if a weight is negative, potentials are computed first.
    OverflowError
        When a distance does not fit `order.out`.
    """
    out = order.out
    graph, dtype, finish = order.graph, out.dtype, None
    sources, targets = order.problem.sources, order.problem.targets
    if out.size == 0:
        return Raw(out)
    if order.tiles is not None:
        return in_tiles(order, order.tiles, device)
    if graph.facts(symmetry=False).negative:
        reduction = reweighted(graph, order.problem)
        graph, dtype = reduction.graph, order.graph.dist_dtype

        def finish(rows: Array, these: slice) -> None:
            restore(device, rows, reduction.on(device), sources[these], targets)

    for labels in _types(graph, packed=device.packed):
        solved = _solved(order, graph, labels.dtype, device)
        if labels.proven or not _some_far(solved, graph.n, device):
            break
    _deliver(solved, order, np.dtype(dtype), device, finish)
    return Raw(out, stats={"bits": 8 * labels.dtype.itemsize})


def _types(graph: Graph, *, packed: bool) -> list[_Labels]:
    """Return the types of labels to try in this order, until one is proven or no label is far.

    Weights are >= 0, so a label below `FAR` is exact in every type.
    """
    facts = graph.facts(symmetry=False)
    if not facts.integer:
        return [_Labels(graph.weight_dtype, proven=True)]
    longest = int(facts.max_weight) * max(graph.n - 1, 1)
    if packed and longest < FAR["int16"]:
        return [_Labels(np.dtype("int16"), proven=True)]
    if longest >= FAR["int32"]:
        longest = _longest(graph)
    wide = _Labels(np.dtype("int64"), proven=True)
    if facts.max_weight >= FAR["int32"]:
        return [wide]
    narrow = _Labels(np.dtype("int32"), proven=longest < FAR["int32"])
    return [narrow] if narrow.proven else [narrow, wide]


def _longest(graph: Graph) -> int:
    """Return an upper bound of all distances: a path leaves each vertex at most once."""
    starts = graph.indptr[:-1][np.diff(graph.indptr) > 0]
    if not len(starts):
        return 0
    return sum(np.maximum.reduceat(graph._solver_weights, starts).tolist())


def _solved(order: TableOrder, graph: Graph, dtype: np.dtype[Any], device: Device) -> Array:
    """Return the matrix of distances in whole tiles, computed in `order.out` if possible."""
    tile, out = tile_of(device), order.out
    side = -(-graph.n // tile) * tile
    in_place = (
        side == graph.n
        and _whole(order)
        and out.dtype == dtype
        and on_device(out, device)
        and out.flags.c_contiguous
    )
    matrix = out if in_place else device.xp.empty((side, side), dtype)
    _fill(matrix, graph, device)
    step = int(_IN_A_LAUNCH[dtype.itemsize] / side**2)
    for seen in MinPlus(device, dtype).closing(Window.whole(matrix), max(step, tile)):
        if seen < side:
            device.synchronize()
        if order.progress is not None:
            order.progress(min(seen, graph.n), graph.n)
    return matrix


def _fill(matrix: Array, graph: Graph, device: Device) -> None:
    """Fill a matrix with the adjacency matrix of a graph: far if there is no edge."""
    rows = resident(graph, device)
    types = Types.of(rows.indices.dtype, rows.weights.dtype, matrix.dtype)
    side = len(matrix)
    filler = kernel("matrix", types, device.block)
    arguments = filler.arguments(**rows.named(), n=graph.n, matrix=matrix, pitch=side)
    device.launch(filler, side, *arguments)


def _some_far(matrix: Array, n: int, device: Device) -> bool:
    """Return whether a label is far: no path, or a distance that does not fit the type."""
    far = matrix.dtype.type(FAR[matrix.dtype.name])
    step = max(_AT_ONCE // n, 1)
    return any(
        bool(device.get((matrix[begin : min(begin + step, n), :n] >= far).any()))
        for begin in range(0, n, step)
    )


def _whole(order: TableOrder) -> bool:
    """Return whether the result is the whole matrix, not some of its rows and columns."""
    problem, n = order.problem, order.graph.n
    return problem.targets is None and np.array_equal(problem.sources, np.arange(n))


def _deliver(
    matrix: Array,
    order: TableOrder,
    dtype: np.dtype[Any],
    device: Device,
    finish: Callable[[Array, slice], None] | None,
) -> None:
    """Copy the distances to `out`; `finish` is called with rows of `dtype` before the copy."""
    out = order.out
    (k, t), whole = out.shape, _whole(order)
    no_room = device.xp.zeros(1, np.int32)
    turn = kernel("answer", Types.of("int32", dtype, matrix.dtype), device.block)
    delivery = Delivery(out, device, dtype)
    for begin in range(0, k, delivery.most):
        rows = slice(begin, min(begin + delivery.most, k))
        into = matrix if matrix is out and dtype == out.dtype else delivery.room(rows)
        labels = matrix[begin:] if whole else _picked(matrix, order, rows, device)
        arguments = turn.arguments(
            columns=t, labels=labels, pitch=labels.shape[1], answer=into, no_room=no_room
        )
        device.launch(turn, rows.stop - begin, *arguments)
        if finish is not None:
            finish(into, rows)
        delivery.take(rows)
    delivery.close()
    if int(device.get(no_room)[0]):
        msg = f"a distance does not fit {dtype}"
        raise OverflowError(msg)


def _picked(matrix: Array, order: TableOrder, rows: slice, device: Device) -> Array:
    """Return the labels of the targets for some rows of the result."""
    sources, targets = order.problem.sources[rows], order.problem.targets
    some = matrix[device.put(sources)]
    columns = slice(order.graph.n) if targets is None else device.put(targets)
    return device.xp.ascontiguousarray(some[:, columns])  # type: ignore[no-any-return]


_CONVERTED_AT_ONCE = 2**22  # entries that are converted at once


def in_tiles(order: TableOrder, tiles: Tiles, device: Device) -> Raw:
    """Run `Loop.FLOYD_WARSHALL` on a matrix on the host: `order.out` if it can hold the labels.

    Raises
    ------
    NegativeCycleError
        For any negative cycle, before anything is written.
    OverflowError
        When a distance does not fit `order.out`.
    """
    out, graph, finish = order.out, order.graph, None
    if graph.facts(symmetry=False).negative:
        reduction = reweighted(graph, order.problem)
        graph, finish = reduction.graph, _lengths(reduction.potentials)
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
        step = max(_CONVERTED_AT_ONCE // max(graph.n, 1), 1)
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
