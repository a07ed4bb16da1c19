"""Algorithms on a contraction hierarchy, which is built once for a graph."""

from __future__ import annotations

from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Recipe, Task

_CH = Citation(
    "Geisberger, Sanders, Schultes, Delling",
    "Contraction hierarchies: faster and simpler hierarchical routing in road networks",
    "WEA",
    2008,
)
_BUCKETS = Citation(
    "Knopp, Sanders, Schultes, Schulz, Wagner",
    "Computing many-to-many shortest paths using highway hierarchies",
    "ALENEX",
    2007,
)
_PHAST = Citation(
    "Delling, Goldberg, Nowatzyk, Werneck",
    "PHAST: hardware-accelerated shortest path trees",
    "IPDPS",
    2011,
)
_RPHAST = Citation(
    "Delling, Goldberg, Werneck", "Faster batched shortest paths in road networks", "ATMOS", 2011
)
_CCH = Citation("Dibbelt, Strasser, Wagner", "Customizable contraction hierarchies", "SEA", 2014)
_H2H = Citation(
    "Ouyang, Qin, Chang, Lin, Zhang, Zhu",
    "When hierarchy meets 2-hop-labeling: efficient shortest distance queries on road networks",
    "SIGMOD",
    2018,
)
_HUBS = Citation(
    "Abraham, Delling, Goldberg, Werneck",
    "Hierarchical hub labelings for shortest paths",
    "ESA",
    2012,
)
_NOTE = (
    "Vertices are contracted in rounds of independent vertices, on threads; the importance of a "
    "vertex is its level and the quotients of arcs and hops, and searches go through positions in "
    "the order of importance, without a priority queue."
)
_BUCKETS_NOTE = (
    _NOTE + " A contraction hierarchy takes the place of the paper's highway hierarchy, whose "
    "searches need more vertices; the buckets and both kinds of searches are the paper's."
)
_CCH_NOTE = (
    "Vertices are removed by their level and the quotient of arcs, without nested dissection; "
    "weights come from triangles, subtrees side by side on threads, and arcs that perfect "
    "customization shows to be unnecessary are left out. Searches stall and go through positions, "
    "as in geisberger2008.ch, and not along the elimination tree."
)
_H2H_NOTE = (
    "The elimination tree of dibbelt2014.cch replaces the paper's tree decomposition. The "
    "least sum runs over all common ancestors in place of a separator of the two vertices: vector "
    "instructions, or eight lanes of a GPU, read the whole prefix faster than single entries. A "
    "vertex has two labels where the distances of the two directions differ."
)

_HUBS_NOTE = (
    "The order is that of geisberger2008.ch, and labels are pruned as soon as they are computed, "
    "level by level on threads, to those of the paper's canonical labeling: a vertex is a hub if "
    "no shortest path to it passes one that is more important."
)

RECIPES = (
    Recipe(
        "geisberger2008.ch",
        "Two searches upward in a contraction hierarchy that meet: routes, and distances of pairs.",
        _CH,
        "the algorithm: node ordering, node contraction, query",
        frozenset({Task.PATH, Task.PAIRS}),
        Loop.HIERARCHY,
        reassociates=True,
        prepared=True,
        note=f"{_NOTE} The search from the source of a pair runs to its end, as it serves the next "
        "pair of that source; the one from the target is cut off.",
    ),
    Recipe(
        "knopp2007.buckets",
        "Searches upward from all targets leave labels in buckets, which searches from the sources "
        "scan: tables.",
        _BUCKETS,
        "the section on the many-to-many algorithm with buckets",
        frozenset({Task.MANY}),
        Loop.HIERARCHY_BUCKETS,
        reassociates=True,
        planned=False,  # RPHAST is faster from 16 x 16 on: decision 0023
        prepared=True,
        note=_BUCKETS_NOTE,
    ),
    Recipe(
        "delling2011.phast",
        "A search upward, then a sweep down the hierarchy over all vertices, for up to 16 sources "
        "at once.",
        _PHAST,
        'section "Basic PHAST algorithm", and several trees in one sweep',
        frozenset({Task.SSSP, Task.MANY, Task.APSP}),
        Loop.HIERARCHY_SWEEP,
        reassociates=True,
        prepared=True,
        note=_NOTE,
    ),
    Recipe(
        "delling2011.gphast",
        "PHAST on a GPU: level by level, the labels of up to 256 sources side by side.",
        _PHAST,
        "GPHAST algorithm",
        frozenset({Task.MANY, Task.APSP}),
        Loop.HIERARCHY_SWEEP,
        devices=GPU_ONLY,
        reassociates=True,
        prepared=True,
        note=_NOTE + " A warp takes a vertex, and levels are parted by a barrier of the grid. "
        "Searches upward run on the GPU, too, a block for each source; the paper's on the CPU. "
        "The most important vertices are no levels, but a matrix of their distances.",
    ),
    Recipe(
        "delling2011.rphast",
        "PHAST, with a sweep over the vertices above the targets alone: tables.",
        _RPHAST,
        "the algorithm RPHAST: target selection, then queries",
        frozenset({Task.MANY}),
        Loop.RESTRICTED_SWEEP,
        reassociates=True,
        prepared=True,
        note=_NOTE,
    ),
    Recipe(
        "dibbelt2014.cch",
        "Two searches upward in a hierarchy whose arcs are found once for the streets, and "
        "customized for each set of weights.",
        _CCH,
        "the sections on metric-independent orders, triangles and customization",
        frozenset({Task.PATH, Task.PAIRS}),
        Loop.CUSTOMIZED,
        reassociates=True,
        planned=False,
        prepared=True,
        note=_CCH_NOTE,
    ),
    Recipe(
        "ouyang2018.h2h",
        "The least sum of two labels, which have the distances to the ancestors in an elimination "
        "tree: pairs, routes, small tables.",
        _H2H,
        "the section on the H2H index: labels by a tree decomposition, queries by ancestors",
        frozenset({Task.PATH, Task.PAIRS, Task.MANY}),
        Loop.TREE_LABELS,
        devices=("cpu", "cuda"),
        reassociates=True,
        prepared=True,
        note=_H2H_NOTE,
    ),
    Recipe(
        "abraham2012.hub_labels",
        "The least sum of two labels of distances to hubs: pairs, where labels to all ancestors "
        "take too much memory.",
        _HUBS,
        "the sections on hierarchical hub labels, their computation from a hierarchy, and pruning",
        frozenset({Task.PAIRS}),
        Loop.HUB_LABELS,
        reassociates=True,
        prepared=True,
        note=_HUBS_NOTE,
    ),
)
