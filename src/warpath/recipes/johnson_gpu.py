"""Johnson's algorithm on GPUs: a Bellman-Ford, three Dijkstras, and the two put together."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Edges, Emit, Map, Reduce, Select
from warpath.recipes.recipe import Citation, Loop, Recipe, Task

PAPER = Citation(
    "The authors of JohnsonAlgoCUDA",
    "a parallel implementation of Johnson's algorithm on recent GPUs",
    "with its source at github.com/ouzan19/JohnsonAlgoCUDA",
)

_FLAGS = Recipe(
    "johnson_gpu.dijkstra_flags",
    "Settles all vertices up to the least label + lightest out-edge; flags say which relax.",
    PAPER,
    "section 5.3, flag-based: algorithms 5 to 7",
    frozenset({Task.SSSP}),
    Loop.SETTLE,
    devices=("cuda",),
    axes=Axes(Select.OUT, reduce=Reduce.ONE_PASS),
    planned=False,
    note="Section 5.3 says once that vertices greater than the threshold enter the frontier; its "
    "other sentence, lower or equal, is the one that is right and runs here.",
)

_QUEUE = Recipe(
    "johnson_gpu.bf_queue",
    "Relaxes a queue of improved vertices, a block for each, and edges of four classes in "
    "their own way: negative weights on a GPU.",
    PAPER,
    "sections 4.1 and 5.1: algorithms 1, 2 and 4",
    frozenset({Task.SSSP}),
    Loop.FRONTIER,
    negative=True,
    devices=("cuda",),
    axes=Axes(Select.IMPROVED, map=Map.CHILD_GRID, emit=Emit.ATOMIC_QUEUE, edges=Edges.CLASSIFIED),
    note="The paper launches a grid from the device for each vertex of the queue and waits "
    "there; CUDA 12 has no such wait. The host launches one grid a round instead, with a "
    "block for each vertex of the queue: its edges are shared out among threads of their own "
    "as in the paper. Launches from the device are no longer paid for, which favours this "
    "variant, and all others are launched by the host as well.",
)

_SETTLE_QUEUE = _FLAGS.but(
    "johnson_gpu.dijkstra_queue",
    "As dijkstra_flags, with a queue that an atomic counter fills: no idle threads.",
    "section 5.3, Q-based: algorithms 8 and 9",
    emit=Emit.ATOMIC_QUEUE,
)
_SETTLE_PREFIX = _FLAGS.but(
    "johnson_gpu.dijkstra_prefix",
    "As dijkstra_queue, with places in the queue given out by a prefix sum: no atomic counter.",
    "section 5.3, prefix-based: algorithms 8 and 10",
    emit=Emit.PREFIX_SUM,
)

_JOHNSON = Recipe(
    "johnson_gpu.johnson_flags",
    "Johnson: bf_queue finds potentials, then dijkstra_flags from each source in turn.",
    PAPER,
    "sections 4 and 5, flag-based: algorithms 2 to 7",
    frozenset({Task.MANY, Task.APSP}),
    Loop.ROUNDS_A_SOURCE,
    negative=True,
    reassociates=True,
    devices=("cuda",),
    parts=(_QUEUE, _FLAGS),
    planned=False,
    note="Without negative weights the potentials would all be 0: the first two steps are left "
    "out. For some sources the extra vertex has edges to these alone, so that a negative cycle "
    "that none of them reaches does not matter.",
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
