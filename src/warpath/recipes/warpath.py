"""Our own algorithms, for what the published ones leave open."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Limits, Loop, Param, Recipe, Task

_OURS = Citation("The warpath authors", "warpath", "this package", 2026)
_TABLES = frozenset({Task.MANY, Task.APSP})
#: What GPUs from the H100 on give, 227 KiB, less what the kernel takes for itself.
BLOCK_MEMORY = 225 * 1024
_DELTA = Param("delta", "the width of a bucket, in the unit of the weights", of_loop=True)
_OWN_DELTA = Param(
    "delta",
    "the width of a bucket of one source, in the unit of the weights; mean weight / mean degree if "
    "not given",
    default=1,
    relative=True,
)

RECIPES = (
    Recipe(
        "warpath.bfs",
        "Breadth-first search that looks over edges out or in, whichever are fewer: one source of "
        "a graph without weights.",
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
        "Delta-stepping by threads that share each bucket, narrow labels fetched ahead: one "
        "source, on one thread or several.",
        _OURS,
        "cpp/include/warpath/sssp/bucket_team.hpp",
        frozenset({Task.SSSP}),
        Loop.BUCKET_TEAM,
        params=(Param("delta", "the width of a bucket, in the unit of the weights"),),
    ),
    Recipe(
        "warpath.own_buckets",
        "Delta-stepping by each thread for itself, narrow labels fetched ahead: one source on one "
        "thread, far sources.",
        _OURS,
        "cpp/include/warpath/sssp/bucket_search.hpp",
        _TABLES | {Task.SSSP},
        Loop.OWN_BUCKETS,
        params=(_OWN_DELTA,),
    ),
    Recipe(
        "warpath.side_by_side",
        "Up to 32 sources in one search, an edge relaxed for all at once; own_buckets where they "
        "have little in common.",
        _OURS,
        "cpp/include/warpath/many/side_by_side.hpp",
        _TABLES,
        Loop.SIDE_BY_SIDE,
        params=(_OWN_DELTA,),
    ),
    Recipe(
        "warpath.wide",
        "One launch that relaxes rows by weight up to a rising bound and pulls what is left: one "
        "source of graphs few hops across.",
        _OURS,
        "kernels/wide.cuh",
        frozenset({Task.SSSP}),
        Loop.WIDE,
        limits=Limits(vertices=2**31 - 2, degree=2**30 - 1),  # two bits mark the runs of a row
        params=(_DELTA,),
        devices=("cuda",),
        note="After Chakaravarthy et al., Scalable single source shortest path algorithms for "
        "massively parallel systems, 2014.",
    ),
    Recipe(
        "warpath.patches",
        "Patches of neighbouring vertices, relaxed in shared memory and woken by their "
        "neighbours, in one launch: one source of a deep graph.",
        _OURS,
        "kernels/patches.cuh",
        frozenset({Task.SSSP}),
        Loop.PATCHES,
        limits=Limits(vertices=2**31 - 1, edges=2**32 - 1),
        params=(
            _DELTA,
            Param("patch", "vertices of a patch, at most", whole=True, of_loop=True),
        ),
        devices=("cuda",),
    ),
    Recipe(
        "warpath.block_per_source",
        "A block of threads for each source, its labels in shared memory: all pairs of small "
        "sparse graphs.",
        _OURS,
        "kernels/block_a_source.cuh",
        _TABLES,
        Loop.BLOCK_A_SOURCE,
        block_memory=BLOCK_MEMORY,
        params=(_DELTA,),
        devices=("cuda",),
    ),
    Recipe(
        "warpath.pairs",
        "Pairs of sources and vertices advance together, under one threshold: many sources of "
        "large sparse graphs.",
        _OURS,
        "kernels/pairs.cuh, kernels/pair_rows.cuh",
        _TABLES,
        Loop.PAIRS,
        params=(
            _DELTA,
            Param("together", "1 for single pairs, 64 for the sources of a vertex side by side",
                  whole=True, most=64),
            Param("batch", "sources at once, where pairs are single", whole=True),
        ),
        devices=("cuda",),
    ),
    Recipe(
        "warpath.johnson",
        "Johnson: potentials by Bellman-Ford, then block_per_source or pairs under them.",
        _OURS,
        "engines/cuda/tables/johnson.py",
        _TABLES,
        Loop.JOHNSON,
        negative=True,
        reassociates=True,
        devices=("cuda",),
    ),
    Recipe(
        "warpath.floyd_warshall",
        "Blocked Floyd-Warshall in one launch, labels of 16 bits where they hold the distances: "
        "all pairs of dense graphs, any sign.",
        _OURS,
        "kernels/floyd_warshall.cuh",
        frozenset({Task.APSP}),
        Loop.FLOYD_WARSHALL,
        negative=True,
        reassociates=True,
        devices=("cuda",),
    ),
)  # fmt: skip
