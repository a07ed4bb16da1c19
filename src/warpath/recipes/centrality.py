"""Algorithms that count shortest paths, for `warpath.centrality.betweenness` and its edges."""

from __future__ import annotations

from warpath.recipes.recipe import Citation, Loop, Recipe, Task

_BRANDES = Citation(
    "Brandes",
    "A faster algorithm for betweenness centrality",
    "Journal of Mathematical Sociology 25(2)",
    2001,
)
_OURS = Citation("The warpath authors", "warpath", "this package", 2026)

RECIPES = (
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
    Recipe(
        "warpath.counting_sweeps",
        "Sweeps up and down a customizable hierarchy count shortest paths for eight sources at "
        "once: betweenness on road networks.",
        _OURS,
        "cpp/include/warpath/hierarchy/counting_sweep.hpp",
        frozenset({Task.BETWEENNESS}),
        Loop.COUNTING_SWEEPS,
        reassociates=True,
        planned=False,
        prepared=True,
        note="The hierarchy is that of dibbelt2014.cch. Floats need sums that are exact. "
        "centrality calls take it for prepared Solvers, and where making the hierarchy pays.",
    ),
)
