"""The calls about what is near: the nearest facilities, and everything within a distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.solver import solver_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from warpath.api.run import Progress
    from warpath.recipes import Recipe
    from warpath.results.nearest import Nearest
    from warpath.results.within import Within


def nearest(
    graph: Any,
    facilities: Any,
    *,
    reverse: bool = False,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
    missing: str = "raise",
) -> Nearest:
    """Find for every vertex the nearest of several facilities, in one search.

    Parameters
    ----------
    facilities : vertices, as the sources of `distances`, or ``{vertex: name}`` for the names in
        pictures and maps. One given twice counts once.
    reverse : False measures from a facility to the vertex, as an ambulance drives; True from the
        vertex to the facility, as its customers do.
    device : as in `sssp`, or a Dask cluster as in `distances`, of which one worker searches.
    missing : "raise" for an error where places have no vertex near; "flag" to leave out these
        facilities and those that are None, NaN or NA. The result says in ``missing`` which they
        are.
    graph, algorithm, threads, params, cutoff, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    Nearest
        ``dist`` (n,) and ``facility`` (n,). Of equally near facilities it is the one of the
        smallest index.

    Raises
    ------
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    The search starts from a vertex more, with an edge of length 0 to each facility, so any
    algorithm of `sssp` can do it: O(m + n log n) or better, however many facilities there are.
    ``dist`` has the bits of the least entry of each column of ``distances(graph, facilities)``.
    With ``reverse`` floats are added from the facility on; they agree within n * eps. A vertex
    belongs to the facilities from which edges lead to it that fit ``dist`` to the last bit.

    Examples
    --------
    >>> import warpath as wp
    >>> found = wp.nearest([(0, 1, 2), (1, 2, 2), (3, 2, 1)], [0, 3])
    >>> found.dist, found.facility
    (array([0, 2, 1, 0]), array([0, 0, 3, 3], dtype=int32))
    """
    return solver_of(graph, algorithm, device, threads, params).nearest(
        facilities,
        reverse=reverse,
        cutoff=cutoff,
        dist_dtype=dist_dtype,
        progress=progress,
        missing=missing,
    )


def within(
    graph: Any,
    source: Any,
    cutoff: float | ArrayLike,
    *,
    reverse: bool = False,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Within:
    """Find the vertices within one or several distances of one or several sources: isochrones.

    Parameters
    ----------
    cutoff : one number or several, 0 or more, in the weights' unit. The search stops at the
        largest.
    reverse : False for what the source reaches within a cutoff; True for what reaches it.
    source : a vertex, or several: a vertex is within a cutoff if it is of the nearest of them. Or
        ``{vertex: name}`` for the names in pictures and maps.
    graph, algorithm, device, threads, params, progress : as in `sssp`.

    Returns
    -------
    Within
        ``vertices`` (r,) and ``dist`` (r,), the nearest first; ``counts`` (k,) and ``band`` (r,)
        for several cutoffs; ``plot()``, ``to_geodataframe()``.

    Raises
    ------
    InputError
        A cutoff that is not a finite number, or is below 0.
    VertexError, NegativeWeightError, NegativeCycleError, DistanceOverflowError, NotSupportedError

    Notes
    -----
    ``dist`` has the bits of `sssp`. O(n) to begin with, then as `sssp` over what lies within the
    largest cutoff. Several sources take one search, as in `nearest`.

    Examples
    --------
    >>> import warpath as wp
    >>> near = wp.within([(0, 1, 2), (1, 2, 5), (2, 3, 9)], 0, [3, 10])
    >>> near.vertices, near.dist, near.counts
    (array([0, 1, 2]), array([0, 2, 7]), array([2, 3]))
    """
    return solver_of(graph, algorithm, device, threads, params).within(
        source, cutoff, reverse=reverse, progress=progress
    )
