"""Davidson, Baxter, Garland, Owens 2014: work-saving methods and load balancing of edges."""

from __future__ import annotations

from warpath.recipes.axes import Arrange, Axes, Emit, Map, Select
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Param, Queue, Recipe, Task

PAPER = Citation(
    "Davidson, Baxter, Garland, Owens",
    "Work-efficient parallel GPU methods for single-source shortest paths",
    "IPDPS",
    2014,
)

_DELTA = Param(
    "delta",
    "the increment of the threshold, in the unit of the weights, a whole number for integers; 32 x "
    "mean weight / mean degree by default, as in the paper, with a degree of at least 1",
    default=32,
    relative=True,
)
_SKIP = Param(
    "skip",
    "the number of increments by which the threshold rises at once, at most; 1 as in the paper, by "
    "default as many as lead to the least waiting label",
    whole=True,
    most=2**31 - 1,
)
_SPAN = Param(
    "delta",
    "the width of all buckets together, in the unit of the weights; 80 x mean weight / mean degree "
    "by default",
    default=80,
    relative=True,
)
_BUCKETS = Param(
    "buckets", "the number of buckets before the far pile, at most 64", 10, whole=True, most=64
)
_WIDTH = Param(
    "width",
    "the width of a bucket, in the unit of the weights, instead of delta; delta / buckets by "
    "default",
)
_SWITCH = Param(
    "switch",
    "the size of the frontier, in vertices, from which on near-far replaces the sweep, until fewer "
    "than so many are near and far together; by default the number of threads that the GPU runs at "
    "once",
    whole=True,
)

_TRAVERSALS = {
    "cooperative_blocks": (
        Map.BLOCK_SEARCH,
        "Cooperative Blocks",
        "a block shares the edges of its vertices",
        "",
    ),
    "cta_warp_scan": (
        Map.CTA_WARP_SCAN,
        "CTA+Warp+Scan",
        "edge lists go to a block, a warp or a pool by their length",
        (
            " A warp chooses its next list by a ballot, where the paper lets the last writer win; "
            "a list as long as a block or a warp goes to it."
        ),
    ),
    "merge_path": (
        Map.MERGE_PATH,
        "Load-Balanced Partitioning",
        "all threads relax the same number of edges",
        "",
    ),
}

_ROUNDS = (
    "Threads have several vertices or edges of a large round. A sum that is not below the label "
    "takes no atomic minimum."
)
_LISTS = (
    f"{_ROUNDS} A prefix sum over the whole grid numbers the edges of a round for all three "
    "traversals, as each edge has a slot for its target; in the paper blocks make their own "
    "offsets. Doubles and gaps leave the slots in one pass."
)
_JUMP = (
    "rises by the multiple of delta that leads to the least waiting label, so that the pile is not "
    "split in vain"
)
_BUCKETING = (
    "The paper sorted with Thrust, by distance. Our radix sort orders by bucket alone, which is "
    "cheaper, and the merge takes positions from the sizes of the buckets. Where its room is "
    "short, all buckets are sorted again. When all are empty, they move to the least label of the "
    "far pile. The paper prints no width of a bucket. Here it is delta / buckets, a quarter of "
    "near-far's increment by default: "
    "of widths from 1/16 to 16 increments it comes closest to table III, with 1.45 times "
    "near-far's rounds (1.37 in the paper) and 1.37 times less work (1.36)."
)

_BELLMAN_FORD = Recipe(
    "davidson2014.bellman_ford",
    "A thread for each vertex relaxes all edges in every round, until no label falls.",
    PAPER,
    "section II-B, Bellman-Ford (LonestarGPU's)",
    frozenset({Task.SSSP}),
    Loop.SWEEPS,
    devices=GPU_ONLY,
    axes=Axes(Select.ALL, emit=Emit.FLAG),
    planned=False,
    note=f"{_ROUNDS} Vertices without a label are passed over; a trace counts their edges as read, "
    "as the paper processes every vertex in each round.",
)
_DIJKSTRA = Recipe(
    "davidson2014.dijkstra_binary_heap",
    "Dijkstra with a binary heap: the serial baseline that the paper's speedups refer to.",
    PAPER,
    "section II-A, implementation (2); section V",
    frozenset({Task.SSSP}),
    Loop.DIJKSTRA,
    Queue.BINARY,
    planned=False,
    note="The paper does not describe its heap; this one has one entry for a vertex and lowers it.",
)


def _traversed(traversal: str) -> tuple[Recipe, ...]:
    """Return the paper's three methods, and two more bucketings, with one traversal."""
    kind, title, how, note = _TRAVERSALS[traversal]
    lists = f"{_LISTS}{note}"
    sweep = _BELLMAN_FORD.but(
        f"davidson2014.workfront_sweep.{traversal}",
        f"Relaxes the vertices whose label fell in the last round; {how}.",
        f"section IV-C, Workfront Sweep; section IV-B, {title}",
        select=Select.IMPROVED,
        emit=Emit.PREFIX_SUM,
        map=kind,
        note=f"{lists} The look-up table is written while edges are relaxed.",
    )
    near_far = sweep.but(
        f"davidson2014.near_far.{traversal}",
        f"Relaxes improved vertices below a threshold and defers the others; {how}.",
        f"section IV-C, Near-Far Pile, and figure 2; section IV-B, {title}",
        params=(_DELTA, _SKIP),
        select=Select.BELOW,
        note="The paper raises the threshold by delta each time the near set is empty. Here it "
        f"{_JUMP}; rounds and work are the same. params={{'skip': 1}} raises it as the paper does. "
        f"{lists}",
    )
    bucketing = near_far.but(
        f"davidson2014.bucketing.{traversal}",
        f"Relaxes the lowest of ten buckets; a sort and a merge fill them; {how}.",
        f"section IV-C, Bucketing with Far Pile, and figure 2; section IV-B, {title}",
        params=(_SPAN, _BUCKETS, _WIDTH),
        select=Select.BUCKET,
        arrange=Arrange.MERGE,
        note=f"{_BUCKETING} {lists}",
    )
    sort_all = bucketing.but(
        f"davidson2014.bucketing_sort_all.{traversal}",
        f"As bucketing, but every round sorts all that waits; {how}.",
        f"not in the paper; its buckets are those of section IV-C; section IV-B, {title}",
        arrange=Arrange.SORT,
        note="Ours, for comparison: the paper sorts only the output of a round and merges it into "
        "the buckets.",
    )
    multisplit = sort_all.but(
        f"davidson2014.bucketing_multisplit.{traversal}",
        f"As bucketing_sort_all, but a multisplit replaces the sort; {how}.",
        f"sections IV-C and VII propose the primitive without a program; section IV-B, {title}",
        arrange=Arrange.MULTISPLIT,
        note="Ours, for comparison: only this step differs from bucketing_sort_all, so the "
        "difference in time is the cost of the sort.",
    )
    return sweep, near_far, bucketing, sort_all, multisplit


_BY_METHOD = tuple(zip(*(_traversed(traversal) for traversal in _TRAVERSALS), strict=True))
_NEAR_FAR_MERGE_PATH = _BY_METHOD[1][-1]

RECIPES = (
    _BELLMAN_FORD,
    *(recipe for method in _BY_METHOD for recipe in method),
    _NEAR_FAR_MERGE_PATH.but(
        "davidson2014.hybrid",
        "Sweeps while the frontier is small, and near-far while it fills the GPU.",
        "section VII, future work",
        params=(_DELTA, _SWITCH),
        note="The paper proposes, without numbers, to sweep first, to order while the queue is "
        "large, and to sweep at last. Here the method changes as often as the sizes say. "
        f"The threshold {_JUMP}. {_LISTS}",
    ),
    _DIJKSTRA,
    _DIJKSTRA.but(
        "davidson2014.dijkstra_relaxed_heap",
        "Dijkstra with a relaxed heap: the serial baseline of the Boost Graph Library.",
        "section II-A, implementation (1); section V",
        queue=Queue.RELAXED,
        note="The paper ran Boost's. This heap of the same kind works on the rows of all other "
        "recipes, so that heaps are compared and not graph libraries.",
    ),
)
