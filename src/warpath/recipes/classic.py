"""The textbook algorithms, as they run on CPUs, and Brandes' for betweenness."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Loop, Param, Queue, Recipe, Task

_DIJKSTRA = Citation(
    "Dijkstra", "A note on two problems in connexion with graphs", "Numerische Mathematik 1", 1959
)
_RADIX = Citation(
    "Ahuja, Mehlhorn, Orlin, Tarjan",
    "Faster algorithms for the shortest path problem",
    "Journal of the ACM 37",
    1990,
)
_DIAL = Citation(
    "Dial",
    "Algorithm 360: Shortest-path forest with topological ordering",
    "Communications of the ACM 12",
    1969,
)
_BIDIRECTIONAL = Citation("Pohl", "Bi-directional search", "Machine Intelligence 6", 1971)
_MOORE = Citation(
    "Moore", "The shortest path through a maze", "Symposium on the Theory of Switching", 1959
)
_DELTA = Citation(
    "Meyer, Sanders",
    "Delta-stepping: a parallelizable shortest path algorithm",
    "Journal of Algorithms 49",
    2003,
)
_FLOYD = Citation("Floyd", "Algorithm 97: Shortest path", "Communications of the ACM 5", 1962)
_JOHNSON = Citation(
    "Johnson",
    "Efficient algorithms for shortest paths in sparse networks",
    "Journal of the ACM 24",
    1977,
)

_BRANDES = Citation(
    "Brandes",
    "A faster algorithm for betweenness centrality",
    "Journal of Mathematical Sociology 25(2)",
    2001,
)

_PER_SOURCE = frozenset({Task.SSSP, Task.MANY, Task.APSP})

#: Up to this largest weight Dial's array of buckets fits the second-level cache (8 B per bucket).
DIAL_MAX_WEIGHT = 2**16

RECIPES = (
    Recipe(
        "classic.dijkstra",
        "Dijkstra with a 4-ary heap; the reference for weights >= 0.",
        _DIJKSTRA,
        "problem 2",
        _PER_SOURCE | {Task.PATH},
        Loop.DIJKSTRA,
        Queue.HEAP,
    ),
    Recipe(
        "classic.dijkstra.radix_heap",
        "Dijkstra with a radix heap: one source in graphs of high degree, or many sources.",
        _RADIX,
        "section 2",
        _PER_SOURCE,
        Loop.DIJKSTRA,
        Queue.RADIX,
        note="Buckets go by the highest bit in which a label differs from the last one popped, "
        "where the paper has ranges of 1, 1, 2, 4, ... labels that it divides anew.",
    ),
    Recipe(
        "classic.dijkstra.dial",
        "Dijkstra with Dial's buckets, for small integer weights.",
        _DIAL,
        "whole note",
        _PER_SOURCE,
        Loop.DIJKSTRA,
        Queue.DIAL,
        integer_only=True,
        max_weight=DIAL_MAX_WEIGHT,
        note="A vertex whose label falls stays in its old list, too, and is skipped there; the "
        "paper moves it.",
    ),
    Recipe(
        "classic.dijkstra.bidirectional",
        "Two Dijkstra searches that meet, for one route in a large graph.",
        _BIDIRECTIONAL,
        "whole article",
        frozenset({Task.PATH}),
        Loop.BIDIRECTIONAL,
        reassociates=True,
        note="The two searches take turns, where the paper goes on with the one that has fewer "
        "vertices to choose from.",
    ),
    Recipe(
        "classic.bellman_ford",
        "Bellman-Ford with a queue: negative weights; returns a negative cycle.",
        _MOORE,
        "algorithm D",
        frozenset({Task.SSSP, Task.MANY, Task.PATH}),
        Loop.BELLMAN_FORD,
        negative=True,
        note="When a label falls, the vertices below it in the tree leave the queue, which finds "
        "negative cycles early (Tarjan 1981); the paper has the queue alone.",
    ),
    Recipe(
        "classic.delta_stepping",
        "Delta-stepping: one source in most graphs, on one thread or several.",
        _DELTA,
        "section 2",
        frozenset({Task.SSSP}),
        Loop.DELTA_STEPPING,
        params=(Param("delta", "the width of a bucket, in the unit of the weights"),),
        note="Each thread has buckets of its own; on several threads heavy edges may be relaxed "
        "more than once.",
    ),
    Recipe(
        "classic.floyd_warshall",
        "Blocked Floyd-Warshall: all pairs of a dense graph, weights of any sign.",
        _FLOYD,
        "whole note",
        frozenset({Task.APSP}),
        Loop.FLOYD_WARSHALL,
        negative=True,
        reassociates=True,
    ),
    Recipe(
        "classic.johnson",
        "Johnson: many sources or all pairs of a sparse graph with negative weights.",
        _JOHNSON,
        "section 4",
        frozenset({Task.MANY, Task.APSP}),
        Loop.JOHNSON,
        negative=True,
        reassociates=True,
    ),
    Recipe(
        "brandes2001.betweenness",
        "A search from each source counts shortest paths, and a pass back adds up dependencies: "
        "betweenness of vertices and edges.",
        _BRANDES,
        "section on the accumulation of dependencies; algorithm 1, and its form with weights",
        frozenset({Task.BETWEENNESS}),
        Loop.BRANDES,
        planned=False,  # `centrality` chooses by a rule of its own
        note="Predecessors are not stored: the pass back finds them by their distances. Shares of "
        "edges come with those of vertices, and each cutoff has its own. Equal weights take a "
        "breadth-first search. Threads share the sources, and add in a fixed order. centrality "
        "calls take it where no hierarchy pays.",
    ),
)
