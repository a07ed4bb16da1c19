"""The call about everything near a vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import calls
from warpath.base.errors import InputError, NegativeCycleError
from warpath.graph import Graph
from warpath.graph.checks import checked_bool, plain_array, shown
from warpath.results.within import Within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from warpath.api.run import Progress
    from warpath.base.dtypes import Array


def within(
    graph: Any,
    source: Any,
    cutoff: float | ArrayLike,
    *,
    reverse: bool = False,
    algorithm: str = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Within:
    """Find the vertices within one or several distances of a source: isochrones.

    Parameters
    ----------
    cutoff : one number or several, 0 or more, in the weights' unit. The search stops at the
        largest.
    reverse : False for what the source reaches within a cutoff; True for what reaches it.
    graph, source, algorithm, device, threads, params, progress : as in `sssp`.

    Returns
    -------
    Within
        ``vertices`` (r,) and ``dist`` (r,), the nearest first; ``counts`` (k,) and ``band`` (r,)
        for several cutoffs; ``plot()``, ``to_geodataframe()``.

    Raises
    ------
    InputError
        A cutoff that is no finite number, or is below 0.
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    ``dist`` has the bits of `sssp`. O(n) to begin with, then as `sssp` over what lies within the
    largest cutoff.

    Examples
    --------
    >>> import warpath as wp
    >>> near = wp.within([(0, 1, 2), (1, 2, 5), (2, 3, 9)], 0, [3, 10])
    >>> near.vertices, near.dist, near.counts
    (array([0, 1, 2]), array([0, 2, 7]), array([2, 3]))
    """
    graph = Graph.of(graph)
    reverse = checked_bool(reverse, "reverse")
    cutoffs = _checked(cutoff)
    try:
        paths = calls.sssp(
            graph.reversed() if reverse else graph,
            source,
            algorithm=algorithm,
            device=device,
            threads=threads,
            params=params,
            cutoff=cutoffs.tolist()[-1],
            progress=progress,
        )
    except NegativeCycleError as error:
        if not reverse:
            raise
        raise NegativeCycleError(error.cycle[::-1], error.length) from None
    return Within(graph, cutoffs, paths, reverse=reverse)


def _checked(cutoff: Any) -> Array:
    """Return the cutoffs in ascending order: (k,), integers where all are, none rounded."""
    given = np.atleast_1d(plain_array(cutoff, "cutoff", InputError))
    if given.ndim != 1 or not len(given):
        msg = f"cutoff = {shown(cutoff)}: one number, or a list of at least one, is needed."
        raise InputError(msg)
    listed = np.array(cutoff, object).ravel()
    exact = [one.item() if isinstance(one, np.generic) else one for one in listed]
    large = given.dtype == object and {*map(type, exact)} <= {int, float}
    numbers = given.dtype.kind in "iuf" or large
    for value in exact:
        if not numbers or not 0 <= value < np.inf:
            msg = (
                f"cutoff {shown(value)} must be a finite number, 0 or more; `warpath.sssp` reaches "
                "everything."
            )
            raise InputError(msg)
    # NumPy rounds integers next to floats, and makes objects of those beyond 64 bits.
    same = given.tolist() == exact
    return np.unique(given if same else np.array(exact, object))
