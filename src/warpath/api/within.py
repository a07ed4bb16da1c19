"""The vertices within some distances of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.auto_prepare import decided
from warpath.api.one_source import SourceRequest, solve_one
from warpath.base.errors import NegativeCycleError
from warpath.graph.arguments import checked_cutoff, one_index
from warpath.graph.places import noted, snapped
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
    """Find the vertices within one or several distances of a source; see `warpath.within`.

    Parameters
    ----------
    cutoffs : as `warpath.results.within.checked_cutoffs` returns them.
    """
    searched = graph.reversed() if reverse else graph
    source = snapped(graph, source)
    s = one_index(searched, source, "source")
    limit = checked_cutoff(cutoffs.tolist()[-1], searched)
    options = options.for_graph(searched) if reverse else options
    one = decided(searched, options).one_source(searched)
    try:
        paths = solve_one(searched, one, s, SourceRequest(limit, graph.dist_dtype), progress)
    except NegativeCycleError as error:
        if not reverse:
            raise
        raise NegativeCycleError(error.cycle[::-1], error.length) from None
    return noted(Within(graph, cutoffs, paths, reverse=reverse), source)
