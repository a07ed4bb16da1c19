"""What a search on a GPU costs that reads its edges in memory of the host, over the bus."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from warpath.planner.cpu_model import MESH_DEGREE, label_bytes
from warpath.planner.gpu_model import SIDE_BY_SIDE, gpu_seconds
from warpath.recipes import Loop

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.recipes import Recipe

#: The loops whose kernels can read edges in memory of the host.
ON_HOST = frozenset({Loop.PAIRS, Loop.PATCHES, Loop.WIDE})
#: Bytes a second that a GPU reads from page-locked memory of the host.
BUS = 55e9
#: Edges of a row from which on a wide search reads it by a whole warp, as the bus needs.
HOST_HUB = 64
#: Bytes for each edge while rows are sorted on the device.
SORTING_BYTES = 60
#: Edges of a run of a hub's row, `kRun`.
RUN = 256
#: At least so many edges of rows in memory of the host are sorted at once.
LEAST_SORTED = 2**18
_VISITS = 12  # of a patch, which reads its edges each time
_ROUNDS_OF_TABLES = 6  # how often a batch of sources reads all edges


def edge_bytes(recipe: Recipe, facts: Facts) -> int:
    """Return the bytes of the edges in memory of the host."""
    weight = 4 if facts.weight_dtype in {"int32", "float32"} else 8
    # A patch numbers its targets in 16 bits; an edge that leaves it has 10 bytes more.
    edge = {Loop.WIDE: 2 * weight, Loop.PATCHES: weight + 4, Loop.PAIRS: weight + 4}[recipe.loop]
    return facts.m * edge


def read_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes that a solve is predicted to read over the bus."""
    if recipe.loop is Loop.WIDE:
        times = 1
    elif recipe.loop is Loop.PATCHES:
        times = _VISITS
    elif facts.m >= MESH_DEGREE * facts.n:
        times = _ROUNDS_OF_TABLES * -(-size.sources // SIDE_BY_SIDE)
    else:
        times = size.sources
    return times * edge_bytes(recipe, facts)


def host_rows_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the predicted time: that of rows on the GPU, or of the bus if that is longer."""
    return max(gpu_seconds(recipe, size, facts), read_bytes(recipe, size, facts) / BUS)


def host_rows_bytes(recipe: Recipe, size: Size, facts: Facts) -> int:
    """Return the bytes on the device: offsets, labels and lists, and what sorts the rows."""
    n, m, label = facts.n, facts.m, label_bytes(facts)
    if recipe.loop is Loop.PATCHES:
        return n * (9 + 3 * label) + 2**20
    if recipe.loop is Loop.WIDE:
        narrow = facts.weight_dtype in {"int32", "float32"}
        a_vertex, a_run = (44, 48) if narrow else (72, 64)
        runs = min(n, m // HOST_HUB) + m // RUN if facts.max_degree > HOST_HUB else 0
        sorting = SORTING_BYTES * min(m, max(LEAST_SORTED, facts.max_degree))
        return n * a_vertex + runs * a_run + sorting + 2**20
    # At the least: the labels of one batch, or of one source.
    together = n * (SIDE_BY_SIDE * label + 8) + 16 * (n + m // 32)
    single = n * (label + 17)
    wide = m >= MESH_DEGREE * n
    table = min(2**29, size.sources * size.targets * size.entry)
    return 8 * (n + 1) + math.ceil((together if wide else single) / 0.9) + table
