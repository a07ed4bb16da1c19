"""The searches from one source that a team of threads runs, bound to a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath import _core
from warpath.graph.facts import leaves, rows_into

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Search
    from warpath.graph import Graph

_HUB = 64  # times the mean degree
_NONE = np.empty(0, np.int64)  # no rows of edges in


def bucket_team_of(graph: Graph, delta: float, threads: int, cutoff: float | None) -> Search:
    """Bind delta-stepping in shared buckets."""
    facts = graph.facts(symmetry=False)
    # What hubs have is in every thread's caches anyway, and is rarely lowered.
    scattered = facts.scattered and facts.max_degree <= _HUB * facts.mean_degree
    rows = graph.indptr, graph.indices, graph.solver_weights
    search: Any = _core.bucket_team(
        *rows,
        delta=delta,
        max_weight=facts.max_weight,
        scattered=scattered,
        cutoff=cutoff,
        threads=threads,
        leaves=leaves(graph),
    )
    return cast("Search", search)


def breadth_first_of(graph: Graph, threads: int, cutoff: float | None) -> Search:
    """Bind breadth-first search, over edges in as well where they are at hand."""
    into, _ = rows_into(graph, threads)
    back_indptr: Array = _NONE if into is None else into.indptr
    back_indices: Array = graph.indices[:0] if into is None else into.indices
    weight: Any = 1 if graph.weights is None else graph.weights[:1].sum().item()
    search: Any = _core.breadth_first(
        graph.indptr,
        graph.indices,
        back_indptr,
        back_indices,
        weight,
        like=np.empty(0, graph.dist_dtype),
        cutoff=cutoff,
        threads=threads,
    )
    return cast("Search", search)
