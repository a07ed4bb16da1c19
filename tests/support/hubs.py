"""Roads with hubs: vertices that are joined to all others."""

from __future__ import annotations

import numpy as np

import warpath as wp
from warpath.graph import Graph


def road_with_hubs(n: int, *, both_ways: bool) -> Graph:
    """Return a road of n vertices and two more, which have an edge to each of the road's.

    One is far from all, so that no path leads through it; the other one is near. Without
    `both_ways` the edges lead from the first hub, and to the second one.
    """
    road = wp.generate.road(n, weights=(1, 1000))
    rng, every = np.random.default_rng(n), np.arange(n)
    src, dst, weights = road.edges()
    far, near = rng.integers(90_000, 100_000, n), rng.integers(500, 1500, n)
    more = [(np.full(n, n), every, far), (every, np.full(n, n + 1), near)]
    if both_ways:
        more += [(ends, starts, lengths) for starts, ends, lengths in more]
    joined = zip((src, dst, weights), *more, strict=True)
    return Graph.from_edges(*(np.concatenate(parts) for parts in joined), n=n + 2)
