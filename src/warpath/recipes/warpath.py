"""Our own algorithms, for what the published ones leave open."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Loop, Param, Recipe, Task

_OURS = Citation("The warpath authors", "warpath", "this package", 2026)
_TABLES = frozenset({Task.MANY, Task.APSP})
#: What GPUs from the H100 on give, 227 KiB, less what the kernel takes for itself.
_BLOCK_MEMORY = 225 * 1024
_DELTA = Param("delta", "the width of a bucket, in the unit of the weights")

RECIPES = (
    Recipe(
        "warpath.block_per_source",
        "A block of threads for each source, its labels in shared memory: all pairs of small "
        "sparse graphs.",
        _OURS,
        "kernels/block_a_source.cuh",
        _TABLES,
        Loop.BLOCK_A_SOURCE,
        block_memory=_BLOCK_MEMORY,
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
        "engines/tables/johnson.py",
        _TABLES,
        Loop.JOHNSON,
        negative=True,
        reassociates=True,
        devices=("cuda",),
    ),
    Recipe(
        "warpath.floyd_warshall",
        "Blocked Floyd-Warshall in one launch, 16 bits a label where they suffice: all pairs of "
        "dense graphs, any sign.",
        _OURS,
        "kernels/floyd_warshall.cuh",
        frozenset({Task.APSP}),
        Loop.FLOYD_WARSHALL,
        negative=True,
        reassociates=True,
        devices=("cuda",),
    ),
)  # fmt: skip
