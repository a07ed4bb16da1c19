"""The vertices within some distances of one or several sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.auto_prepare import decided
from warpath.api.nearest import nearest_of
from warpath.api.one_source import SourceRequest, solve_from_point, solve_one
from warpath.api.run import with_own_names
from warpath.base.errors import NegativeCycleError
from warpath.graph.arguments import as_indices, checked_cutoff
from warpath.graph.places import Snapped, noted, snapped
from warpath.graph.point_sources import PointSources
from warpath.graph.turns import refuse_turns
from warpath.results.within import Within

if TYPE_CHECKING:
    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph


def within_of(
    graph: Graph,
    options: Options,
    source: Any,
    cutoffs: Array,
    progress: Progress,
    *,
    reverse: bool,
) -> Within:
    """Find the vertices within distances of one or several sources; see `warpath.within`.

    Parameters
    ----------
    cutoffs : as `warpath.results.within.checked_cutoffs` returns them.
    """
    refuse_turns(graph, "within")
    searched = graph.reversed() if reverse else graph
    source = snapped(graph, source, "source")
    starts = as_indices(graph, source, "source")
    limit = checked_cutoff(cutoffs.tolist()[-1], searched)
    ends = source if type(source) is Snapped and not source.only_vertices else None
    if (starts != starts[0]).any() or (ends is not None and len(starts) > 1):
        dtype = graph.dist_dtype
        near = nearest_of(
            graph, options, starts, limit, dtype, progress, reverse=reverse, ends=ends
        )
        return noted(Within(graph, cutoffs, starts, near, reverse=reverse), source)
    s, request = int(starts[0]), SourceRequest(limit, graph.dist_dtype)
    options = options.for_reversed(graph) if reverse else options
    try:
        if ends is not None:
            points = PointSources.of(graph, ends, reverse=reverse)
            paths = solve_from_point(points, options, request, progress)
        else:
            one = decided(searched, options).one_source(searched, cutoff=limit)
            paths = solve_one(searched, one, s, request, progress)
    except NegativeCycleError as error:
        if not reverse:
            raise
        raise NegativeCycleError(error.cycle[::-1], error.length) from None
    if reverse:
        paths.plan = with_own_names(paths.plan, searched, graph)
    return noted(Within(graph, cutoffs, starts, paths, reverse=reverse), source)
