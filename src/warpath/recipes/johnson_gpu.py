"""Johnson's algorithm on GPUs: one Bellman-Ford and three Dijkstras, alone and combined."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Edges, Emit, Map, Reduce, Select
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Recipe, Task

PAPER = Citation(
    "The authors of JohnsonAlgoCUDA",
    "a parallel implementation of Johnson's algorithm on recent GPUs",
    "with its source at github.com/ouzan19/JohnsonAlgoCUDA",
)

_SETTLING = (
    "Section 5.3 says in one sentence that vertices greater than the threshold enter the frontier, "
    "and in another lower or equal; the second is right and is used here. In the paper a kernel "
    "starts the steps, and the minimum is the library's reduce3; here every block takes the least "
    "of the minima behind a barrier of the grid. The lightest edge out of each vertex is computed "
    "on the CPU once for a graph."
)

_FLAGS = Recipe(
    "johnson_gpu.dijkstra_flags",
    "Settles all vertices up to the least sum of label and lightest out-edge; flags select them.",
    PAPER,
    "section 5.3, flag-based: algorithms 5 to 7",
    frozenset({Task.SSSP}),
    Loop.SETTLE,
    devices=GPU_ONLY,
    axes=Axes(Select.OUT, reduce=Reduce.GRID),
    planned=False,
    note=_SETTLING,
)

_QUEUE = Recipe(
    "johnson_gpu.bf_queue",
    "Relaxes a queue of improved vertices, a block for each, and some classes of edges "
    "differently: negative weights on a GPU.",
    PAPER,
    "sections 4.1 and 5.1: algorithms 1, 2 and 4",
    frozenset({Task.SSSP}),
    Loop.FRONTIER,
    negative=True,
    devices=GPU_ONLY,
    axes=Axes(Select.IMPROVED, map=Map.CHILD_GRID, emit=Emit.ATOMIC_QUEUE, edges=Edges.CLASSIFIED),
    note="The paper launches a grid from the device for each vertex of the queue and waits "
    "on the device; CUDA 12 has no such wait. Here a block of one running grid takes each vertex "
    "of the queue, up to eight where the queue is long. This saves the cost of launches from the "
    "device, which favours this variant. A vertex enters the queue once a round. Edges out of the "
    "source begin at 0 without a look at its label, but lower labels as others do; the paper's "
    "direct update would be wrong for parallel edges. A sum that is not below the label takes no "
    "atomic minimum.",
)

_SETTLE_QUEUE = _FLAGS.but(
    "johnson_gpu.dijkstra_queue",
    "As dijkstra_flags, with a queue filled through an atomic counter: no idle threads.",
    "section 5.3, Q-based: algorithms 8 and 9",
    emit=Emit.ATOMIC_QUEUE,
)
_SETTLE_PREFIX = _FLAGS.but(
    "johnson_gpu.dijkstra_prefix",
    "As dijkstra_queue, with positions in the queue from a prefix sum: no atomic counter.",
    "section 5.3, prefix-based: algorithms 8 and 10",
    emit=Emit.PREFIX_SUM,
)

_JOHNSON = Recipe(
    "johnson_gpu.johnson_flags",
    "Johnson: potentials by bf_queue, then dijkstra_flags from one source after another.",
    PAPER,
    "sections 4 and 5, flag-based: algorithms 2 to 7",
    frozenset({Task.MANY, Task.APSP}),
    Loop.ROUNDS_A_SOURCE,
    negative=True,
    reassociates=True,
    devices=GPU_ONLY,
    parts=(_QUEUE, _FLAGS),
    planned=False,
    note="Without negative weights the potentials would all be 0, so the first two steps are "
    "skipped. If only some sources are solved, the extra vertex has edges to these alone, so that "
    "a negative cycle that none of them reaches is not an error. Potentials for all sources are "
    "kept with the graph for the next call; the reweighted graph is made anew, and its lightest "
    f"edges with it. {_SETTLING}",
)

RECIPES = (
    _QUEUE,
    _FLAGS,
    _SETTLE_QUEUE,
    _SETTLE_PREFIX,
    _JOHNSON,
    _JOHNSON.but(
        "johnson_gpu.johnson_queue",
        "As johnson_flags, with dijkstra_queue from each source.",
        "sections 4 and 5, Q-based: algorithms 2 to 5, 8 and 9",
        parts=(_QUEUE, _SETTLE_QUEUE),
    ),
    _JOHNSON.but(
        "johnson_gpu.johnson_prefix",
        "As johnson_flags, with dijkstra_prefix from each source.",
        "sections 4 and 5, prefix-based: algorithms 2 to 5, 8 and 10",
        parts=(_QUEUE, _SETTLE_PREFIX),
    ),
)
