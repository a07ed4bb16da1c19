"""Our own algorithms, for what the published ones leave open."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Loop, Param, Recipe, Task

_OURS = Citation("The warpath authors", "warpath", "this package", 2026)
_TABLES = frozenset({Task.MANY, Task.APSP})
_OWN_DELTA = Param(
    "delta",
    "the width of a bucket of one source, in the unit of the weights; mean weight / mean degree if "
    "not given",
    default=1,
    relative=True,
)

RECIPES = (
    Recipe(
        "warpath.own_buckets",
        "Delta-stepping by each thread for itself, narrow labels fetched ahead: one source on one "
        "thread, far sources.",
        _OURS,
        "cpp/include/warpath/bucket_search.hpp",
        _TABLES | {Task.SSSP},
        Loop.OWN_BUCKETS,
        params=(_OWN_DELTA,),
    ),
    Recipe(
        "warpath.side_by_side",
        "Up to 32 sources in one search, an edge relaxed for all at once; own_buckets where they "
        "have little in common.",
        _OURS,
        "cpp/include/warpath/side_by_side.hpp",
        _TABLES,
        Loop.SIDE_BY_SIDE,
        params=(_OWN_DELTA,),
    ),
)
