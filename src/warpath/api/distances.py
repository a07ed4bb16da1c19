"""The calls about many sources, many trips and all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.solver import solver_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from warpath.api.run import Progress
    from warpath.api.totals import Reduction
    from warpath.recipes import Recipe
    from warpath.results.distance_table import DistanceTable
    from warpath.results.pairs import Pairs
    from warpath.results.totals import Totals


def distances(
    graph: Any,
    sources: Any,
    targets: Any = None,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    dist_dtype: DTypeLike | None = None,
    predecessors: bool = False,
    out: Any = None,
    progress: Progress = None,
    trace: bool = False,
    missing: str = "raise",
) -> DistanceTable:
    """Distances from several sources to several targets, or to every vertex.

    Each search stops when its targets are settled; the threads share the sources.

    Parameters
    ----------
    sources, targets : vertices, as in `sssp`, one or several. ``targets=None`` means all.
    predecessors : keep the vertex before each target on a shortest path as ``pred`` (k, t). Routes
        need it no more than ``DistanceTable.path``, which finds them again from the distances.
    out : where the (k, t) distances go, as in `apsp`.
    device : "cpu", or "cuda", "cuda:1"; "auto" is as in `sssp`. Predecessors are made on
        the CPU, from the distances. Several devices share the rows, each at its measured rate:
        "all" is the CPU and each GPU, ``"cuda:*"`` each GPU, "cuda:0,2" those two. A
        `dask.distributed` Client, "dask" for the current one or the address of a scheduler,
        "tcp://10.0.0.4:8786", means that the workers share the rows; where `out` is a ``.zarr``
        file, they write them.
    graph, algorithm, threads, params, cutoff, dist_dtype, progress : as in `sssp`.
    trace : as in `sssp`; on a GPU of published variants only.
    missing : "raise" for an error where places have no point of the network near; "flag" for rows
        and columns that are unreachable, also for entries that are None, NaN or NA. The result says
        in ``missing`` which these are, and counts them in the notes of its plan.

    Returns
    -------
    DistanceTable
        ``dist`` (k, t), with the names of its rows and columns; ``path(s, t)``, ``paths_from(s)``.

    Raises
    ------
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
    OutputError
        Where `out` cannot be written, or holds part of another query.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.distances([(0, 1, 2), (1, 2, 5)], sources=[0, 1], targets=[2]).dist
    array([[7],
           [5]])
    """
    return solver_of(graph, algorithm, device, threads, params).distances(
        sources,
        targets,
        cutoff=cutoff,
        dist_dtype=dist_dtype,
        predecessors=predecessors,
        out=out,
        progress=progress,
        trace=trace,
        missing=missing,
    )


def pairs(
    graph: Any,
    origins: Any,
    destinations: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    dist_dtype: DTypeLike | None = None,
    progress: Progress = None,
    missing: str = "raise",
) -> Pairs:
    """Distances of several trips: from each origin to the destination next to it.

    Parameters
    ----------
    origins, destinations : (k,) vertices, as in `sssp`; trip i goes from ``origins[i]`` to
        ``destinations[i]``.
    device : as in `sssp`, or a Dask cluster as in `distances`.
    missing : as in `distances`, for trips.
    graph, algorithm, threads, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    Pairs
        ``dist`` (k,), and ``route(i)`` for the path of one trip.

    Raises
    ------
    InputError
        If there are not as many destinations as origins.
    VertexError, NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    One search for each different origin, O(m + n log n). A graph with thousands of trips should
    be prepared first: ``warpath.prepare(graph).pairs(origins, destinations)`` takes some
    microseconds for each.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.pairs([(0, 1, 2), (1, 2, 5)], [0, 1], [2, 2]).dist
    array([7, 5])
    """
    return solver_of(graph, algorithm, device, threads, None).pairs(
        origins, destinations, dist_dtype=dist_dtype, progress=progress, missing=missing
    )


def apsp(
    graph: Any,
    *,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    dist_dtype: DTypeLike | None = None,
    predecessors: bool = False,
    out: Any = None,
    progress: Progress = None,
    trace: bool = False,
) -> DistanceTable:
    """Distances between all pairs of vertices.

    Parameters
    ----------
    predecessors : as in `distances`: ``pred`` (n, n).
    out : where the (n, n) distances go. An array of the right shape and type, with
        ``device="cuda"`` also one of the GPU; the path of a ``.npy`` or ``.zarr`` file, which is
        written block by block and mapped, not held; or a function of (rows: slice, values), called
        with one block after another, whose values it copies if it keeps them.
    device, trace : as in `distances`. Floyd-Warshall on a GPU that does not hold the matrix lets
        tiles of it pass through, from memory of the host or from the ``.npy`` file.
    graph, algorithm, threads, params, dist_dtype, progress : as in `sssp`.

    Returns
    -------
    DistanceTable
        ``dist`` (n, n): ``out`` where it was given, None where that is a function.

    Raises
    ------
    NegativeCycleError, DistanceOverflowError, NotEnoughMemoryError, NotSupportedError
    OutputError
        Where `out` cannot be written, or holds part of another query.

    Notes
    -----
    Dijkstra from every source, O(n m + n^2 log n), or Floyd-Warshall, O(n^3), or for negative
    weights Johnson, whichever is predicted to be faster. Float distances of the last two agree with
    the others' within n * eps, because they form sums in another order.

    While a file is written, ``NAME.part`` holds the rows that are done, ``NAME.part.json`` says how
    many, of which question and with which checksum, and ``NAME.part.lock`` keeps other processes
    out. When a run was stopped the same call goes on from there: ``stats["resumed"]`` is the number
    of rows that it found. It reads them again, and raises OutputError if they are not what was
    written. A symbolic link is followed: it stays, and the file that it leads to is replaced.

    Examples
    --------
    >>> import warpath as wp
    >>> wp.apsp([(0, 1, 2), (1, 0, 5)]).dist
    array([[0, 2],
           [5, 0]])
    """
    return solver_of(graph, algorithm, device, threads, params).apsp(
        dist_dtype=dist_dtype, predecessors=predecessors, out=out, progress=progress, trace=trace
    )


def totals(
    graph: Any,
    reduce: str | Sequence[str] | Reduction,
    *,
    sources: Any = None,
    targets: Any = None,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    cutoff: float | None = None,
    progress: Progress = None,
    missing: str = "raise",
) -> Totals:
    """Add up, count or compare the distances from each source, without a table of them.

    Parameters
    ----------
    reduce : "sum", "max", "count" or "harmonic", or several of them: the sum of the distances, the
        largest distance, the number of targets that are reached, and the sum of the inverses of
        the distances. Targets that cannot be reached are left out, and so are distances of 0 of
        the sum of inverses. Or a function of (sources, distances), for anything else: it is called
        with a block of b sources at a time, in order, as the graph names them, and with their
        (b, t) distances, as `distances` returns them, which the next block overwrites. It returns
        an array of b entries or rows. It is called by the thread of the caller; the distances of a
        block are found on `threads`, and are on the host.
    sources, targets : vertices, as in `sssp`, one or several; all when not given. A target that is
        named twice counts twice.
    graph, algorithm, device, threads, params, cutoff, progress, missing : as in `distances`.

    Returns
    -------
    Totals
        ``totals["sum"]`` (k,) for each requested name, and ``to_pandas()``. Sums of integers and
        counts are int64 and exact; other sums are float64. What a function returned is named by
        its ``__name__``, else "reduce": (k,), or (k, ...) for rows.

    Raises
    ------
    InputError
        If a name in `reduce` is not valid, or a function does not return an entry or a row for
        each source. What the function raises itself comes unchanged.
    DistanceOverflowError
        If a sum of integer distances may not fit 64 bits.
    VertexError, NegativeCycleError, NotEnoughMemoryError, NotSupportedError

    Notes
    -----
    Time as for `distances`; memory O(n) for each source that is searched from at a time. A graph
    from `warpath.prepare` is added up where it is swept, without rows of a table, on a GPU as well.

    Examples
    --------
    >>> import warpath as wp
    >>> near = wp.totals([(0, 1, 2), (1, 2, 5)], ["sum", "count"])
    >>> near["sum"], near["count"]
    (array([9, 5, 0]), array([3, 2, 1]))
    >>> def nearby(sources, distances):
    ...     return (distances <= 5).sum(axis=1)
    >>> wp.totals([(0, 1, 2), (1, 2, 5)], nearby)["nearby"]
    array([2, 2, 1])
    """
    return solver_of(graph, algorithm, device, threads, params).totals(
        reduce, sources=sources, targets=targets, cutoff=cutoff, progress=progress, missing=missing
    )
