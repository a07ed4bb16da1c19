"""Hub labels: the distances between each vertex and the hubs that its shortest paths pass."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base import settings, units
from warpath.base.errors import NotEnoughMemoryError
from warpath.base.log import logged
from warpath.engines.base import Raw, TripsOrder
from warpath.engines.hierarchy import hierarchy_of
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.hierarchy import PairsSearch
    from warpath.graph import Graph

#: An object of the core, of a class for each type of weights; None where sums of weights may not
#: fit 64 bits.
HUB_LABELS: Derived[Any] = Derived(__name__, "hub labels")

#: The arrays of each direction in files and pickles; the second direction only where it differs.
NAMES = ("first", "hubs", "distances")


def hub_labels_of(
    graph: Graph, threads: int, progress: Report | None = None, *, most: int | None = None
) -> Any:
    """Return the hub labels that are kept with a graph; the first call computes them.

    Any number of threads computes the same ones. None if sums of weights may not fit 64 bits.

    Parameters
    ----------
    most : the bytes that labels may take; the free memory when not given.

    Raises
    ------
    NotSupportedError
        If contracting vertices makes the rest of the graph denser and denser.
    NotEnoughMemoryError
        If the labels take more memory than they may, which is known while they are computed.
    """
    return HUB_LABELS.of(graph, lambda: _labelled(graph, threads, progress, most))


def _labelled(graph: Graph, threads: int, progress: Report | None, most: int | None) -> Any:
    hierarchy = hierarchy_of(graph, threads)
    if hierarchy is None:
        return None
    compute: Any = _core.hub_labels
    # Rows are moved into arrays, so for a moment a part of them is there twice.
    free = settings.memory() // 2
    limit = free if most is None else min(most, free)
    with logged(f"computed hub labels of {graph.n:,} vertices"):
        try:
            return compute(hierarchy, limit, threads=threads, progress=progress)
        except ValueError as error:
            msg = (
                f"hub labels would take more than {units.size(limit)}: allow more by memory=, use "
                "a machine with more memory, or prepare the graph without labels."
            )
            raise NotEnoughMemoryError(msg) from error


def pairs(order: TripsOrder) -> Raw | None:
    """Find the distances of pairs; None without labels, see `hub_labels_of`."""
    labels = hub_labels_of(order.graph, order.threads)
    if labels is None:
        return None
    problem = order.problem
    dist = np.empty(len(problem.sources), order.graph.dist_dtype)
    options: dict[str, Any] = {"threads": order.threads, "progress": order.progress}
    return Raw(dist, stats=labels.pairs(problem.sources, problem.targets, dist, **options))


def pairs_search(graph: Graph, threads: int) -> PairsSearch | None:
    """Return the search of pairs by labels, to be called many times; None without labels."""
    labels = hub_labels_of(graph, threads)
    return None if labels is None else partial(labels.pairs, threads=threads)


def arrays_of(graph: Graph) -> tuple[Array, ...] | None:
    """Return the arrays of a graph's labels, in the order of `NAMES`; None if it has no labels."""
    labels = HUB_LABELS.cached(graph)
    return None if labels is None else labels.arrays()


def keep(graph: Graph, arrays: tuple[Array, ...]) -> None:
    """Keep labels of these arrays with a graph that has none yet; the core checks their lengths."""
    labels_from: Any = _core.stored_hub_labels
    labels = labels_from(*arrays)
    if labels.n != graph.n:
        msg = f"the hub labels are of {labels.n:,} vertices, the graph has {graph.n:,}"
        raise ValueError(msg)
    HUB_LABELS.of(graph, lambda: labels)


def share_reversed(graph: Graph) -> None:
    """Keep the labels of a graph, turned around, with the reversed graph, if there are some."""
    labels = HUB_LABELS.cached(graph)
    if labels is not None:
        HUB_LABELS.of(graph.reversed(), labels.reversed)
