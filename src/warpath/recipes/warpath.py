"""The algorithms of this package."""

from __future__ import annotations

from warpath.recipes import davidson2014
from warpath.recipes.axes import Direction, Emit, Map
from warpath.recipes.recipe import GPU_ONLY, Citation, Limits, Loop, Param, Recipe, Task

_OURS = Citation("The warpath authors", "warpath", "this package", 2026)
_TABLES = frozenset({Task.MANY, Task.APSP})
#: Shared memory of a block for labels: 227 KiB on GPUs from the H100 on, less the kernel's own use.
BLOCK_MEMORY = 225 * 1024
_DELTA = Param("delta", "the width of a bucket, in the unit of the weights", of_loop=True)
_OWN_DELTA = Param(
    "delta",
    "the width of a bucket of one source, in the unit of the weights; mean weight / mean degree by "
    "default",
    default=1,
    relative=True,
)
_NEAR_FAR = next(
    recipe for recipe in davidson2014.RECIPES if recipe.name == "davidson2014.near_far.merge_path"
)

RECIPES = (
    Recipe(
        "warpath.bfs",
        "Breadth-first search over out-edges or in-edges, whichever are fewer: one source of a "
        "graph without weights.",
        _OURS,
        "cpp/include/warpath/sssp/breadth_first.hpp, kernels/breadth_first.cuh",
        frozenset({Task.SSSP}),
        Loop.BFS,
        equal_weights=True,
        limits=Limits(vertices=2**31 - 2),
        devices=("cpu", "cuda"),
        note="After Beamer, Asanovic, Patterson, Direction-optimizing breadth-first search, 2012.",
    ),
    Recipe(
        "warpath.buckets",
        "Delta-stepping on threads that share each bucket, with prefetched 32-bit labels: one "
        "source, on one thread or several.",
        _OURS,
        "cpp/include/warpath/sssp/bucket_team.hpp",
        frozenset({Task.SSSP}),
        Loop.BUCKET_TEAM,
        params=(Param("delta", "the width of a bucket, in the unit of the weights"),),
    ),
    Recipe(
        "warpath.own_buckets",
        "Delta-stepping on each thread separately, with prefetched 32-bit labels: one source on "
        "one thread, many distant sources.",
        _OURS,
        "cpp/include/warpath/sssp/bucket_search.hpp",
        _TABLES | {Task.SSSP},
        Loop.OWN_BUCKETS,
        params=(_OWN_DELTA,),
    ),
    Recipe(
        "warpath.side_by_side",
        "Up to 32 sources in one search, which relaxes an edge for all at once; own_buckets if the "
        "sources are far apart.",
        _OURS,
        "cpp/include/warpath/many/side_by_side.hpp",
        _TABLES,
        Loop.SIDE_BY_SIDE,
        params=(_OWN_DELTA,),
    ),
    Recipe(
        "warpath.wide",
        "One launch that relaxes edges up to a rising bound and pulls the rest: one source of a "
        "graph of few hops.",
        _OURS,
        "kernels/wide.cuh",
        frozenset({Task.SSSP}),
        Loop.WIDE,
        limits=Limits(vertices=2**31 - 2, degree=2**30 - 1),  # two bits mark the runs of a row
        params=(_DELTA,),
        devices=GPU_ONLY,
        note="After Chakaravarthy et al., Scalable single source shortest path algorithms for "
        "massively parallel systems, 2014.",
    ),
    Recipe(
        "warpath.patches",
        "Patches of neighbouring vertices, relaxed in shared memory and activated by neighbours, "
        "in one launch: one source of a deep graph.",
        _OURS,
        "kernels/patches.cuh",
        frozenset({Task.SSSP}),
        Loop.PATCHES,
        limits=Limits(vertices=2**31 - 1, edges=2**32 - 1),
        params=(
            _DELTA,
            Param("patch", "the largest number of vertices of a patch", whole=True, of_loop=True),
        ),
        devices=GPU_ONLY,
    ),
    Recipe(
        "warpath.block_per_source",
        "A block of threads for each source, with labels in shared memory: all pairs of small "
        "sparse graphs.",
        _OURS,
        "kernels/block_a_source.cuh",
        _TABLES,
        Loop.BLOCK_A_SOURCE,
        block_memory=BLOCK_MEMORY,
        params=(_DELTA,),
        devices=GPU_ONLY,
    ),
    Recipe(
        "warpath.pairs",
        "Relaxes the (source, vertex) pairs of many sources together, under one threshold: large "
        "sparse graphs.",
        _OURS,
        "kernels/pairs.cuh, kernels/pair_rows.cuh",
        _TABLES,
        Loop.PAIRS,
        params=(
            _DELTA,
            Param(
                "together",
                "1 for single pairs, 64 for the sources of a vertex side by side",
                whole=True,
                most=64,
            ),
            Param("batch", "the number of sources in a batch of single pairs", whole=True),
        ),
        devices=GPU_ONLY,
    ),
    Recipe(
        "warpath.johnson",
        "Johnson: potentials by Bellman-Ford, then block_per_source or pairs on reduced weights.",
        _OURS,
        "engines/cuda/tables/johnson.py",
        _TABLES,
        Loop.JOHNSON,
        negative=True,
        reassociates=True,
        devices=GPU_ONLY,
    ),
    Recipe(
        "warpath.floyd_warshall",
        "Blocked Floyd-Warshall in one launch, with 16-bit labels if distances fit: all pairs of "
        "dense graphs, weights of any sign.",
        _OURS,
        "kernels/floyd_warshall.cuh",
        frozenset({Task.APSP}),
        Loop.FLOYD_WARSHALL,
        negative=True,
        reassociates=True,
        devices=GPU_ONLY,
    ),
    _NEAR_FAR.but(
        "warpath.near_far_pull",
        "Near-far by flags: few near vertices push, and many are pulled from.",
        "kernels/near_far_pull.cuh",
        source=_OURS,
        params=(
            *(param for param in _NEAR_FAR.params if param.name == "delta"),
            Param(
                "pull",
                "the number of near vertices from which on a round pulls; a twentieth of all by "
                "default",
                whole=True,
            ),
        ),
        direction=Direction.PULL,
        map=Map.THREAD,
        emit=Emit.FLAGS,
        note="Near-far of Davidson et al. in the direction of Beamer, Asanovic, Patterson, "
        "Direction-optimizing breadth-first search, 2012. A vertex whose label is below the last "
        "threshold is final and does not pull. On an H100 it saves a tenth of near-far's time on "
        "New York and takes 37 times as long on R-MAT 18, where one thread reads all edges into a "
        "hub.",
    ),
    Recipe(
        "warpath.counting_sweeps",
        "Sweeps up and down a customizable hierarchy count shortest paths for eight sources at "
        "once, on GPUs for 32 in each block: betweenness on road networks.",
        _OURS,
        "cpp/include/warpath/hierarchy/counting_sweep.hpp",
        frozenset({Task.BETWEENNESS}),
        Loop.COUNTING_SWEEPS,
        devices=("cpu", "cuda"),
        reassociates=True,
        planned=False,
        prepared=True,
        note="The hierarchy is that of dibbelt2014.cch. Floats need sums that are exact. "
        "centrality calls take it for prepared Solvers, and where making the hierarchy pays.",
    ),
)
