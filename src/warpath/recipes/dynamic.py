"""Algorithms that repair shortest paths after edges of the graph have changed."""

from __future__ import annotations

from warpath.recipes.recipe import GPU_ONLY, Citation, Limits, Loop, Recipe, Task

_RAMALINGAM = Citation(
    "Ramalingam, Reps",
    "On the computational complexity of dynamic graph problems",
    "Theoretical Computer Science 158",
    1996,
)
_CHAN = Citation(
    "Chan, Yang",
    "Shortest path tree computation in dynamic graphs",
    "IEEE Transactions on Computers 58",
    2009,
)
_KHANDA = Citation(
    "Khanda, Srinivasan, Bhowmick, Norris, Das",
    "A parallel algorithm template for updating single-source shortest paths in large-scale "
    "dynamic networks",
    "IEEE Transactions on Parallel and Distributed Systems 33",
    2022,
)
_NOTE = (
    "wp.DynamicPaths repairs with it; a call for one source fills labels from nothing by the same "
    "search. Tree edges are those of rule 2, edges of length 0 are allowed, and a repair that "
    "affects too many vertices ends in favour of a new solve."
)

RECIPES = (
    Recipe(
        "ramalingam1996.dynamic",
        "Repairs distances and tree after a change of one edge, where they are affected.",
        _RAMALINGAM,
        "section on the single-source problem: algorithms for insertion and deletion of an edge",
        frozenset({Task.SSSP}),
        Loop.DYNAMIC,
        planned=False,
        note=f"{_NOTE} One tree is kept, and other tight edges are looked for among the edges into "
        "a vertex; the paper keeps all tight edges with their counts.",
    ),
    Recipe(
        "chan2009.dyndij",
        "Repairs distances and tree after a batch of changes, below the lost edges of the tree.",
        _CHAN,
        "algorithm DynDij",
        frozenset({Task.SSSP}),
        Loop.DYNAMIC,
        planned=False,
        note=_NOTE,
    ),
    Recipe(
        "khanda2022.batch",
        "Repairs distances and tree after a batch of changes by affected flags, in one launch.",
        _KHANDA,
        "sections on the parallel algorithm, in two steps, and on its GPU implementation",
        frozenset({Task.SSSP}),
        Loop.DYNAMIC,
        limits=Limits(2**31 - 1, 2**32 - 1),
        devices=GPU_ONLY,
        planned=False,
        note=(
            "wp.DynamicPaths repairs with it; a call for one source fills labels from nothing by "
            "the same search. Flags pass down the tree by pointer jumping in place of a round for "
            "each level, and affected vertices take labels from all neighbours that are not "
            "affected. Tree edges are those of rule 2, edges of length 0 are allowed, and a repair "
            "that affects too many vertices ends in favour of a new solve."
        ),
    ),
)
