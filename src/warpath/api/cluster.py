"""Graphs that no single process holds: their edges lie on the workers of a Dask cluster.

``warpath.cluster.read`` divides the edges of Parquet files among the workers, and
``warpath.cluster.from_edges`` those of a Dask data frame. Needs ``pip install 'warpath[dask]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError, require

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.cluster.cluster_graph import ClusterGraph
    from warpath.engines.cluster.result import ClusterPaths
    from warpath.io.columns import Column

__all__ = ["ClusterGraph", "ClusterPaths", "from_edges", "read"]


def read(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    client: Any = None,
    *,
    source: Column | None = None,
    target: Column | None = None,
    weight: Column | None = "auto",
    n: int | None = None,
    directed: bool | None = None,
    partitions: int | Sequence[Any] | None = None,
    assign: Callable[[Array], Any] | None = None,
) -> ClusterGraph:
    """Read Parquet files of edges into partitions on the workers of a cluster.

    Every row group is read once, on some worker, and its edges go to the partitions of their
    sources. No process, this one included, receives all edges. All workers need access to the
    files under the same paths.

    Parameters
    ----------
    files : a file, a folder, a pattern such as ``"edges/*.parquet"``, or a list of these. All files
        have the same columns.
    client : a `distributed.Client`; None takes the current one.
    source, target : names or positions of the columns of ends; None finds both by name, as
        `warpath.read` does.
    weight : column of weights, which must be finite and >= 0 (+inf: no edge); None: every weight is
        1; "auto": found by name.
    n : number of vertices; if given, the ends are the numbers 0 .. n - 1 and need no labels, which
        takes less time and memory.
    directed : False makes every row an edge in both directions, True in its own. None: True, but a
        table of pgRouting, AequilibraE or GMNS, which has columns of directions, is refused.
    partitions : number of partitions, by default the number of threads of the cluster, as ranges of
        labels with about equally many ends of edges; or the first label of each range after the
        first.
    assign : function that takes an array of integer labels and returns the partition of each, 0 ..
        `partitions` - 1: for a partition with few edges between, such as one by place.

    Raises
    ------
    GraphFormatError
        A file is damaged, or has other columns; names the file and the worker.
    GraphError, WeightError
        A vertex or weight is not valid; names the file, its rows and the worker.
    NoDeviceError, DeviceError
        The cluster has no workers, or one without this version of warpath; it lost its scheduler,
        or a task was cancelled.

    Notes
    -----
    Vertices are numbered in ascending order of labels; strings are compared by code points. O(m)
    work, and while a partition is made about 20 bytes of memory for each of its edges.

    Examples
    --------
    >>> from distributed import LocalCluster  # doctest: +SKIP
    >>> client = LocalCluster(n_workers=4, threads_per_worker=1).get_client()  # doctest: +SKIP
    >>> graph = warpath.cluster.read("edges/*.parquet", client)  # doctest: +SKIP
    >>> graph.sssp(0).save("distances")  # doctest: +SKIP
    """
    from_files = _engine("load").ParquetFiles
    return _loaded(
        lambda tasks: from_files(tasks, files),
        client,
        source,
        target,
        weight,
        n=n,
        directed=directed,
        partitions=partitions,
        assign=assign,
    )


def from_edges(
    edges: Any,
    client: Any = None,
    *,
    source: Column | None = None,
    target: Column | None = None,
    weight: Column | None = "auto",
    n: int | None = None,
    directed: bool | None = None,
    partitions: int | Sequence[Any] | None = None,
    assign: Callable[[Array], Any] | None = None,
) -> ClusterGraph:
    """Divide the edges of a Dask data frame among the workers of a cluster.

    Parameters
    ----------
    edges : a Dask data frame with a row for each edge. Its partitions are computed a few at a time,
        and those that give the sample of labels and the type of weights twice.
    client, source, target, weight, n, directed, partitions, assign : as for `read`.

    Raises
    ------
    GraphError, WeightError, NoDeviceError, DeviceError
        As for `read`; the message names the partition of the data frame.
    """
    from_frame = _engine("load").DataFrame
    return _loaded(
        lambda tasks: from_frame(tasks, edges),
        client,
        source,
        target,
        weight,
        n=n,
        directed=directed,
        partitions=partitions,
        assign=assign,
    )


def _engine(module: str) -> Any:
    require("distributed", extra="dask", what="graphs on a cluster")
    return require(f"warpath.engines.cluster.{module}", what="graphs on a cluster")


def _loaded(
    opened: Callable[[Any], Any],
    client: Any,
    source: Column | None,
    target: Column | None,
    weight: Column | None,
    **options: Any,
) -> ClusterGraph:
    load = _engine("load")
    tasks = _engine("tasks").Tasks(load.default_client() if client is None else client)
    if (source is None) != (target is None):
        raise InputError(f"source={source!r} and target={target!r}: give both columns, or none.")
    columns = None
    if source is not None:
        columns = (source, target) if weight is None else (source, target, weight)
    tasks.workers()
    _engine("clients").check_versions(tasks.client)
    loaded = load.load(tasks, opened(tasks), columns=columns, weight=weight, **options)
    graph: ClusterGraph = _engine("cluster_graph").ClusterGraph(loaded)
    return graph


def __getattr__(name: str) -> Any:
    if name == "ClusterGraph":
        return _engine("cluster_graph").ClusterGraph
    if name == "ClusterPaths":
        return _engine("result").ClusterPaths
    raise AttributeError(f"module 'warpath.cluster' has no attribute {name!r}")
