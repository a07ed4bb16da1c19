"""Shortest paths that lie in the partitions of a graph on a cluster."""

from __future__ import annotations

import errno
import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import NotEnoughMemoryError, OutputError, require
from warpath.base.settings import memory
from warpath.engines.cluster.partition import decoded, worker_name
from warpath.engines.cluster.tree import NONE
from warpath.io.places import to_write
from warpath.io.save import atomic
from warpath.results.reached import ReachedDistances

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.engines.cluster.load import Loaded
    from warpath.engines.cluster.partition import Partition, Step
    from warpath.engines.cluster.tree import Tree


class ClusterPaths(ReachedDistances):
    """Shortest paths from one source to every vertex, on the workers of a cluster.

    `dist`, `pred` and `vertices` bring the whole result to this process, if it fits; `save` writes
    it from the workers.

    Attributes
    ----------
    source : the source, as the graph names it.
    hops : whether distances are numbers of edges.
    stats : the work done: ``supersteps``, ``settled``, ``relaxed``, ``sent``, ``copies``,
        ``reached``.
    """

    def __init__(
        self,
        graph: Loaded,
        source: Any,
        at: tuple[int, int],
        hops: bool,
        steps: list[Any],
        trees: list[Any],
        stats: dict[str, int],
    ) -> None:
        self._graph = graph
        self._steps = steps
        self._trees = trees
        self.at = at
        self.source = source
        self.hops = hops
        self.stats = stats

    @property
    def n(self) -> int:
        """The number of vertices."""
        return sum(size.n for size in self._graph.sizes)

    @property
    def parts(self) -> tuple[list[Any], list[Any]]:
        """The futures of the states and of the trees, one of each for a partition."""
        return self._steps, self._trees

    @cached_property
    def vertices(self) -> Array:
        """The labels of the vertices in ascending order: (n,) int64 or strings."""
        return decoded(self._names)

    @cached_property
    def dist(self) -> Array:
        """The distances in the order of `vertices`: (n,).

        Unreachable vertices have inf, or the largest integer.
        """
        return self._ordered(self._fetched(_dist_of, self._steps))

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the vertices that are reachable, in the order of `vertices`: (n,) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    @cached_property
    def pred(self) -> Array:
        """The positions of the predecessors in `vertices`: (n,) int64; -1 for none."""
        keys = self._ordered(self._fetched(_pred_of, self._trees))
        none = keys == NONE
        if self._names.dtype.kind == "i" and self._graph.division.n is None:
            keys = np.searchsorted(self._names, keys)
        return np.where(none, -1, keys)

    @cached_property
    def _names(self) -> Array:
        return self._ordered(self._fetched(_names_of, [None] * len(self._steps)))

    @cached_property
    def _order(self) -> Array | None:
        """The order of labels where a function assigned vertices to partitions."""
        if hasattr(self._graph.division, "bounds"):
            return None
        return np.argsort(self._fetched(_names_of, [None] * len(self._steps)))

    def _ordered(self, values: Array) -> Array:
        return values if self._order is None else values[self._order]

    def _fetched(self, function: Callable[..., Any], values: list[Any]) -> Array:
        need = 2 * 8 * self.n
        if need > memory():
            msg = (
                f"an array of {self.n:,} vertices needs {need:,} bytes here while it is collected, "
                f"but {memory():,} are free: write the result with save(folder) instead."
            )
            raise NotEnoughMemoryError(msg)
        tasks = self._graph.tasks
        fetched = [
            tasks.submit(function, part, value, worker=size.worker)
            for part, size, value in zip(self._graph.parts, self._graph.sizes, values, strict=True)
        ]
        return np.concatenate(tasks.gather(fetched, "collecting the result"))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a Parquet data set: a file for each partition, by the worker that holds it.

        The columns are ``vertex``, ``distance`` and ``pred``, the label of the predecessor; the
        last two are null where there is no path. Files are written to a temporary folder beside
        the target, which is renamed when all are complete. All workers and this process need
        access to the folder.

        Raises
        ------
        OutputError
            The folder exists, or a worker cannot write to it; the message names the worker.
        """
        require("pyarrow.parquet", extra="io", what="writing Parquet")
        target = Path(os.path.abspath(to_write(folder)))  # noqa: PTH100 - it does not exist yet
        if target.exists():
            msg = "this folder exists: remove it, or choose another name"
            raise OutputError(errno.EEXIST, msg, str(target))
        scratch = target.with_name(f".{target.name}.part")
        tasks = self._graph.tasks
        try:
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
        except OSError as error:
            msg = f"cannot be written: {error.strerror}"
            raise OutputError(error.errno, msg, str(target)) from error
        written = []
        for at, (part, size) in enumerate(zip(self._graph.parts, self._graph.sizes, strict=True)):
            names = self._names_of_predecessors(at)
            file = str(scratch / f"part-{at:05}.parquet")
            step, tree = self._steps[at], self._trees[at]
            task = tasks.submit(_write, part, step, tree, file, *names, worker=size.worker)
            written.append(task)
        try:
            tasks.wait(written, f"writing {target}")
            self._require_files(scratch)
            scratch.rename(target)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise

    def _require_files(self, folder: Path) -> None:
        """Raise OutputError if this process does not see the file of some worker."""
        for at, size in enumerate(self._graph.sizes):
            if not (folder / f"part-{at:05}.parquet").exists():
                msg = (
                    f"the worker {size.worker} wrote to a folder that this process does not see: "
                    "all need access to it"
                )
                raise OutputError(errno.ENOENT, msg, str(folder))

    def _names_of_predecessors(self, at: int) -> list[Any]:
        """Return futures of the labels that a partition's predecessors have, owner by owner."""
        graph = self._graph
        if not graph.strings:
            return []
        firsts = np.cumsum([0, *[size.n for size in graph.sizes]])
        names = []
        for owner, part in enumerate(graph.parts):
            low, high = int(firsts[owner]), int(firsts[owner + 1])
            keys = graph.tasks.submit(_keys_between, self._trees[at], low, high)
            names += [keys, graph.tasks.submit(_names_at, part, keys)]
        return names

    def __repr__(self) -> str:
        kind = "hops" if self.hops else "distances"
        return (
            f"<ClusterPaths from {self.source!r}: {kind} of {self.stats['reached']:,} of "
            f"{self.n:,} vertices in {len(self._steps)} partitions, "
            f"{self.stats['supersteps']:,} supersteps>"
        )


def _dist_of(part: Partition, step: Step) -> Array:
    return step.dist[: part.size]


def _pred_of(_: Partition, tree: Tree) -> Array:
    return tree.pred


def _names_of(part: Partition, _: None) -> Array:
    if part.names is None:
        return part.first + np.arange(part.size)
    return part.names


def _keys_between(tree: Tree, low: int, high: int) -> Array:
    """Return the distinct predecessors in a range of vertices."""
    inside = tree.pred[(tree.pred >= low) & (tree.pred < high)]
    return np.unique(inside)


def _names_at(part: Partition, keys: Array) -> Array:
    names: Array = _names_of(part, None)[keys - part.first]
    return names


def _write(part: Partition, step: Step, tree: Tree, path: str, *names: Array) -> None:
    """Write the rows of a partition; `names` has keys and labels of predecessors in turn."""
    import pyarrow as pa
    from pyarrow import parquet

    own = np.arange(part.size)
    dist = step.dist[: part.size]
    has_predecessor = tree.pred != NONE
    pred = np.where(has_predecessor, tree.pred, 0)
    if names:
        keys, labels = np.concatenate(names[::2]), np.concatenate(names[1::2])
        at = np.minimum(np.searchsorted(keys, pred), max(len(keys) - 1, 0))
        pred = decoded(labels)[at] if len(keys) else np.full(part.size, "", "U1")
    columns = {
        "vertex": pa.array(_plain(part.labels(own))),
        "distance": pa.array(dist, mask=dist == unreachable(dist.dtype)),
        "pred": pa.array(_plain(pred), mask=~has_predecessor),
    }
    try:
        with atomic(path) as file:
            parquet.write_table(pa.table(columns), file)
    except OSError as error:
        msg = f"cannot be written by the worker {worker_name()}: {error.strerror or error}"
        raise OutputError(error.errno or errno.EIO, msg, path) from error


def _plain(values: Array) -> Array:
    """Return strings as objects, which Arrow takes."""
    return values.astype(object) if values.dtype.kind == "U" else values
