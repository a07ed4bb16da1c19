"""What an algorithm is predicted to cost on a GPU: seconds, and bytes there and on the host."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from warpath.costs import MESH_DEGREE, label_bytes
from warpath.recipes import Loop
from warpath.recipes.axes import Direction, Edges, Emit, Labels, Layout, Select

if TYPE_CHECKING:
    from warpath.costs import Size
    from warpath.facts import Facts
    from warpath.recipes import Recipe
    from warpath.recipes.axes import Axes


class _Rounds(NamedTuple):
    """What the rounds of a planned recipe cost on an H200; see docs/benchmarks/catalogue-h200.md.

    Attributes
    ----------
    seconds : of a round, which waits for the host's look at a counter.
    a_hop : rounds for each hop across the graph.
    again : how often an edge is relaxed.
    edge : seconds of one relaxation.
    """

    seconds: float
    a_hop: float
    again: float
    edge: float


_BY_PREFIX_SUM = _Rounds(170e-6, 2.5, 3, 0.09e-9)
_BY_THRESHOLD = _Rounds(183e-6, 3.5, 2, 0.1e-9)
_BY_QUEUE = _Rounds(52e-6, 2.5, 3, 0.3e-9)
_GPU_START = 100e-6  # arrays made, the answer copied


def gpu_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the predicted time of a planned algorithm on a GPU; it ranks, and promises no time."""
    if recipe.axes is None:
        return _table_seconds(recipe, size, facts)
    n, degree = max(facts.n, 2), facts.mean_degree
    hops = math.sqrt(n) if degree < MESH_DEGREE else math.log(n) / math.log(degree)
    rounds = _BY_THRESHOLD if recipe.loop is Loop.NEAR_FAR else _BY_PREFIX_SUM
    if recipe.axes.emit is Emit.ATOMIC_QUEUE:
        rounds = _BY_QUEUE
    work = facts.m * rounds.again * rounds.edge
    return _GPU_START + hops * rounds.a_hop * rounds.seconds + work


def gpu_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes on the device at most: the graph, the labels, and what the rounds keep.

    A round that relaxes few edges takes less.
    """
    if recipe.axes is None:
        return _table_bytes(size, facts)
    n, m, axes = facts.n, facts.m, recipe.axes
    index = 4 if n < 2**31 else 8
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    label = label_bytes(facts)
    rows = 8 * (n + 1) + m * (index + weight)
    into = axes.direction is Direction.PULL or axes.edges is Edges.CLASSIFIED
    graph = rows * (2 if into else 1)
    if axes.layout is Layout.DENSE:
        graph = rows + n * n * label
    arrays = 2 if axes.labels is Labels.TWO_ARRAYS else 1
    a_vertex, an_edge = _kept(recipe.loop, axes, index, label)
    return graph + n * (arrays * label + a_vertex) + m * an_edge


def _table_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return facts.n**3 * 7e-14 + _GPU_START
    return size.sources * facts.m * 1e-11 + _GPU_START


def _table_bytes(size: Size, facts: Facts) -> int:
    label = label_bytes(facts)
    rows = 8 * (facts.n + 1) + facts.m * 12
    return rows + size.sources * size.targets * label


def host_bytes(recipe: Recipe, facts: Facts) -> int:
    """Return the bytes that an algorithm on a GPU takes on the host, beside the graph."""
    dense = recipe.axes is not None and recipe.axes.layout is Layout.DENSE
    return facts.n * label_bytes(facts) * (facts.n + 1 if dense else 1)


def _kept(loop: Loop, axes: Axes, index: int, label: int) -> tuple[int, int]:
    """Return the bytes that rounds on a GPU keep for each vertex and for each edge."""
    if loop is Loop.SWEEPS:
        in_place = axes.select is Select.IMPROVED and axes.labels is Labels.IN_PLACE
        return 1 + in_place, 0  # flags, of this round and of the next
    if loop is Loop.SETTLE:  # two flags, the lightest edge, a list and the sums that place it
        return 2 + label * (axes.select is Select.OUT) + (index + 16) * axes.listed, 0
    if axes.emit is Emit.ATOMIC_QUEUE:  # two queues, a stamp; a class and two flags at the end
        return 2 * index + 4 + 3 * (axes.edges is Edges.CLASSIFIED), 0
    # Degrees, their sums and the table of owners; for each edge relaxed a slot, and two marks of 8
    # bytes with their sums. Piles hold a vertex twice.
    lists = {Loop.FRONTIER: 1, Loop.NEAR_FAR: 5, Loop.BUCKETS: 5}[loop]
    ordered = 2 * index + 17 if loop is Loop.BUCKETS else 0  # a key, its place, what is moved
    return 24 + lists * index, index + 32 + ordered
