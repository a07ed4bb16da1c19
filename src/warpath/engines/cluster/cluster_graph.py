"""A graph whose edges are divided among the workers of a Dask cluster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError, VertexError
from warpath.base.progress import watch
from warpath.engines.cluster import assembly
from warpath.engines.cluster.result import ClusterPaths
from warpath.engines.cluster.supersteps import SuperstepSearch, checked_delta
from warpath.engines.cluster.tree import TreeBuilder
from warpath.graph.checks import is_integer, shown
from warpath.results.certificate import Certificate

if TYPE_CHECKING:
    from warpath.engines.cluster.load import Loaded


class ClusterGraph:
    """A directed graph in partitions on the workers of a cluster.

    No process holds all of its edges. `warpath.cluster.read` and `warpath.cluster.from_edges` make
    one. The partitions stay on the workers as long as this object lives.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    @property
    def n(self) -> int:
        """The number of vertices."""
        return sum(size.n for size in self._loaded.sizes)

    @property
    def m(self) -> int:
        """The number of edges."""
        return sum(size.m for size in self._loaded.sizes)

    @property
    def nbytes(self) -> int:
        """The bytes of all partitions together."""
        return sum(size.bytes for size in self._loaded.sizes)

    @property
    def sizes(self) -> tuple[assembly.Size, ...]:
        """The numbers of each partition: worker, vertices ``n``, edges ``m``, ``ghosts``."""
        return tuple(self._loaded.sizes)

    def sssp(
        self, source: Any, *, delta: float | None = None, checkpoint: int = 8, progress: Any = None
    ) -> ClusterPaths:
        """Return the shortest paths from a source to all vertices.

        Distances have the same bits as those of `warpath.sssp`, and the tree is the same, with
        vertices numbered in ascending order of labels.

        Parameters
        ----------
        source : label of the source.
        delta : width of the intervals of distances that a superstep relaxes, in the unit of the
            weights. A small delta relaxes few edges twice in many supersteps. None starts with half
            the mean weight over the mean degree, and doubles it after supersteps that relaxed less
            than 1/32 of the edges.
        checkpoint : number of supersteps between two copies of all distances to a second worker; a
            worker that dies costs at most the supersteps since then, and reading its edges again.
        progress : True for a bar; or a function of the number of reached vertices and n, which is
            called after each superstep.

        Raises
        ------
        VertexError
            The graph does not have the source.
        DistanceOverflowError
            An int64 distance does not fit.
        NoDeviceError, DeviceError
            The cluster has no workers; the scheduler is gone, or a task was cancelled.
        """
        return self._solve(
            source, hops=False, delta=delta, checkpoint=checkpoint, progress=progress
        )

    def bfs(self, source: Any, *, checkpoint: int = 8, progress: Any = None) -> ClusterPaths:
        """Return the least numbers of edges from a source to all vertices, int64.

        Parameters and errors are those of `sssp`; weights are ignored.
        """
        return self._solve(source, hops=True, delta=None, checkpoint=checkpoint, progress=progress)

    def verify(self, paths: ClusterPaths) -> Certificate:
        """Check distances and predecessors against all edges, on the workers.

        The rules are those of `warpath.verify`. Every partition checks its own edges, with the
        labels of other partitions' vertices as these have them.

        Raises
        ------
        VerificationError
            A rule is broken: names the first edge or vertex.
        """
        given: object = paths
        if not isinstance(given, ClusterPaths) or len(given.parts[0]) != len(self._loaded.parts):
            msg = f"result is {shown(paths)}: give the result of sssp or bfs of this graph."
            raise InputError(msg)
        steps, trees = paths.parts
        TreeBuilder(self._loaded, steps, paths.hops, paths.at).compared(trees)
        return Certificate(1, self.n, self.m, tree=True, slack=0)

    def _solve(
        self, source: Any, *, hops: bool, delta: Any, checkpoint: int, progress: Any
    ) -> ClusterPaths:
        if not is_integer(checkpoint) or checkpoint < 1:
            msg = f"checkpoint = {shown(checkpoint)} must be an integer, 1 or more."
            raise InputError(msg)
        delta = checked_delta(delta)
        self._loaded.tasks.workers()
        at = self._place(source)
        solve = SuperstepSearch(self._loaded, hops, checkpoint)
        with watch(progress, "supersteps", "vertices") as report:
            solve.run(*at, delta, report)
        overflow = any(summary.overflow for summary in solve.summaries)
        trees = TreeBuilder(self._loaded, solve.steps, hops, at).built(overflow=overflow)
        stats = asdict(solve.counters)
        stats["reached"] = sum(summary.reached for summary in solve.summaries)
        return ClusterPaths(self._loaded, source, at, hops, solve.steps, trees, stats)

    def _place(self, source: Any) -> tuple[int, int]:
        """Return the partition of a vertex and its number there."""
        loaded = self._loaded
        label: Any = source
        fits = isinstance(source, str) if loaded.strings else is_integer(source)
        if fits and loaded.strings:
            label = np.array([source.encode()])
        elif fits and -(2**63) <= source < 2**63:
            label = np.array([source], np.int64)
        else:
            fits = False
        n = loaded.division.n
        if fits and (n is None or 0 <= int(label[0]) < n):
            part = int(loaded.division.owners(label)[0])
            lookup = loaded.tasks.submit(
                assembly.place_of, loaded.parts[part], label[0], worker=loaded.sizes[part].worker
            )
            index = loaded.tasks.gather([lookup], "looking up the source")[0]
            if index >= 0:
                return part, index
        kind = "strings" if loaded.strings else "integers"
        rule = f"the vertices are the {kind} in the table" if n is None else f"0 .. {n - 1:,}"
        msg = f"there is no vertex {shown(source)}: {rule}."
        raise VertexError(msg)

    def __repr__(self) -> str:
        workers = len({size.worker for size in self._loaded.sizes})
        return (
            f"<ClusterGraph with {self.n:,} vertices and {self.m:,} edges in "
            f"{len(self._loaded.parts)} partitions on {workers} workers>"
        )
