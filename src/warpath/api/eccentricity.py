"""The calls about the largest distances in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.solver import solver_of

if TYPE_CHECKING:
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.recipes import Recipe


def eccentricity(
    graph: Any,
    sources: Any = None,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Array:
    """Return the eccentricity of vertices: the largest distance from each to any vertex.

    Parameters
    ----------
    sources : vertices, as in `sssp`, one or several; all when not given.
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    numpy.ndarray
        (k,) of the distances' type, in the order of the sources. A vertex that does not reach every
        other one has the value of an unreachable vertex: inf, or the largest integer.

    Raises
    ------
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    The time of `distances` from the sources to all vertices, without a table of them. The largest
    distance to the vertices that are reached, however few, is ``totals(graph, "max")``.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.eccentricity([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    array([7, 6, 3])
    """
    return solver_of(graph, algorithm, device, threads, params).eccentricity(
        sources, progress=progress
    )


def diameter(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Any:
    """Return the diameter of a graph: the largest distance between two vertices.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    int or float

    Raises
    ------
    GraphError
        If a vertex does not reach every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A search from every vertex, as `apsp`, without a table of the distances.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.diameter([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    7
    """
    return solver_of(graph, algorithm, device, threads, params).diameter(progress=progress)


def radius(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Any:
    """Return the radius of a graph: the smallest eccentricity of its vertices.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    int or float
        Vertices that do not reach every other one do not count.

    Raises
    ------
    GraphError
        If no vertex reaches every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A search from every vertex, as `apsp`, without a table of the distances.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.radius([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    3
    """
    return solver_of(graph, algorithm, device, threads, params).radius(progress=progress)


def center(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: str = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    progress: Progress = None,
) -> Array:
    """Return the center of a graph: the vertices whose eccentricity is the radius.

    Parameters
    ----------
    graph, algorithm, device, threads, params, progress : as in `distances`.

    Returns
    -------
    numpy.ndarray
        The vertices as the graph names them, in ascending order of their indices.

    Raises
    ------
    GraphError
        If no vertex reaches every other one, or there are no vertices.
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    A search from every vertex, as `apsp`, without a table of the distances.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.center([("a", "b", 2), ("b", "c", 5), ("c", "a", 1)])
    array(['c'], dtype='<U1')
    """
    return solver_of(graph, algorithm, device, threads, params).center(progress=progress)
