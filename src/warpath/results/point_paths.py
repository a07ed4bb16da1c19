"""Paths from a point along an edge, from those of a graph in which the point is a vertex."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from warpath.graph.solvable import SolvableGraph
from warpath.results.paths import Paths

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph.point_sources import PointSources


def paths_from(points: PointSources, searched: Paths) -> Paths:
    """Return the paths of the graph's own vertices.

    Parameters
    ----------
    points : the source, a single point.
    searched : the paths in ``points.searched``.
    """
    graph, last = points.graph, points.searched.n - 1
    view = SolvableGraph(graph)

    def tree() -> Array:
        pred = searched.pred[:last].copy()
        pred[pred == last] = -1
        return view.fold_tree(pred, None)

    dist = view.fold(searched.dist[:last], None)
    dist.flags.writeable = False
    paths = Paths(
        graph,
        int(points.ends.indices[0]),
        dist,
        tree=tree,
        cutoff=searched.cutoff,
        plan=searched.plan,
        trace=searched.trace,
        point=(points, searched),
    )
    paths.stats = searched.stats | {"reached": int(np.count_nonzero(paths.reached))}
    if paths.trace is not None and paths.trace.run is not None:
        run = replace(paths.trace.run, graph=graph.name, source=str(paths.source))
        paths.trace.run = run
    return paths
