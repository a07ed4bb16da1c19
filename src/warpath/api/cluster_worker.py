"""What the workers of a cluster run: each answers blocks of a call as a call of its own."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.api.nearest import nearest_of
from warpath.api.options import options_of
from warpath.api.pairs import solved_pairs
from warpath.api.prepared import loaded
from warpath.api.question import Question
from warpath.api.table import solved_table
from warpath.api.totals import ON_THIS_MACHINE, totals_of
from warpath.base.errors import GraphFormatError
from warpath.engines import hierarchy
from warpath.graph import Graph
from warpath.graph.fingerprint import fingerprint
from warpath.graph.solvable import search_graph
from warpath.io.positions import bytes_of
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.api.options import Options
    from warpath.base.dtypes import Array
    from warpath.engines.betweenness import PathShares, Sums
    from warpath.graph.places import Snapped
    from warpath.recipes import Recipe


@dataclass(frozen=True)
class Job:
    """What all blocks of a call share.

    Attributes
    ----------
    algorithm, params, prepared : as in `options_of`; "auto" where all algorithms give the same
        bits, so that a worker takes the one that is the fastest there.
    targets : (t,) the columns; None for all vertices.
    cutoff, dtype : as in `Question`.
    predecessors : whether they are returned as well.
    file : the unfinished Zarr array that the rows go to; None to return them.
    totals : the names of totals.
    reverse : as in `warpath.nearest`.
    entries : the facilities of `warpath.nearest`, where some are points along edges; else None.
    """

    algorithm: str | Recipe
    params: dict[str, float] | None
    prepared: bool
    targets: Array | None
    cutoff: float | None
    dtype: np.dtype[Any]
    predecessors: bool = False
    file: str | None = None
    totals: Sequence[str] = ()
    reverse: bool = False
    entries: Snapped | None = None

    def options(self, graph: Graph) -> Options:
        """Return the options of a block; each thread of a worker solves on one thread."""
        return options_of(graph, self.algorithm, "auto", 1, self.params, prepared=self.prepared)

    def question(self, graph: Graph, task: Task, block: Block) -> Question:
        """Return the question about a block."""
        targets = self.targets if block.destinations is None else block.destinations
        return Question(
            graph,
            task,
            _aligned(block.sources),
            None if targets is None else _aligned(targets),
            self.cutoff,
            self.dtype,
            predecessors=self.predecessors,
            reverse=self.reverse,
            entries=None if self.entries is None else (self.entries, self.entries),
        )


class Block(NamedTuple):
    """Some rows of a call.

    Attributes
    ----------
    start : the number of the first row.
    sources : (r,) vertices.
    destinations : (r,) of pairs; else None.
    """

    start: int
    sources: Array
    destinations: Array | None = None

    @property
    def stop(self) -> int:
        """The number of the row after the last one."""
        return self.start + len(self.sources)


class Rows(NamedTuple):
    """The rows of a block, or the checksum of rows that were stored.

    Attributes
    ----------
    dist, pred : (r, t), or None.
    crc : CRC-32 of the bytes of `dist`.
    plan : what ran, in one line.
    """

    dist: Array | None
    pred: Array | None
    crc: int
    plan: str


class Owners(NamedTuple):
    """The nearest facilities.

    Attributes
    ----------
    dist, rows : (n,) the distance of every vertex from its nearest facility, and the position of
        this facility in the block; -1 for none.
    plan : what ran, in one line.
    """

    dist: Array
    rows: Array
    plan: str


def graph_of(
    indptr: Array,
    indices: Array,
    weights: Array | None,
    first_through: int,
    areas: bool,
    arrays: tuple[Any, ...] | None,
) -> Graph:
    """Return the graph that a client sent, with its hierarchy if there is one."""
    graph = Graph(indptr, indices, weights, first_through=first_through, areas=areas)
    if arrays is not None:
        hierarchy.keep(search_graph(graph), arrays)
    return graph


def mapped_graph(path: str, digest: str) -> Graph:
    """Return the prepared graph of a file that the client maps as well.

    Raises
    ------
    GraphFormatError
        If it is another graph than the client's.
    """
    graph = loaded(path, None)
    if fingerprint(graph) != digest:
        raise GraphFormatError(path, None, "this file holds another graph than the client's")
    return graph


def rows(graph: Graph, job: Job, block: Block) -> Rows:
    """Return or store the rows of a table."""
    question = job.question(graph, Task.MANY, block)
    table = solved_table(job.options(graph), question)
    plan = table.plan.headline()
    if job.file is None:
        return Rows(table.dist, table.pred, 0, plan)
    from warpath.io.zarr_rows import store

    store(job.file, block.start, table.dist)
    return Rows(None, None, zlib.crc32(bytes_of(table.dist)), plan)


def totals(graph: Graph, job: Job, block: Block) -> dict[str, Array]:
    """Return the totals of the distances from some sources."""
    question = job.question(graph, Task.MANY, block)
    return totals_of(job.options(graph), question, job.totals, ON_THIS_MACHINE).values


def pairs(graph: Graph, job: Job, block: Block) -> Array:
    """Return the distances of some trips."""
    dist, _, _ = solved_pairs(job.options(graph), job.question(graph, Task.PAIRS, block))
    return dist


def path_sums(graph: Graph, shares: PathShares, block: Block) -> Sums:
    """Return the shares of the shortest paths from some sources."""
    cutoffs, lengths = (
        None if array is None else _aligned(array) for array in (shares.cutoffs, shares.lengths)
    )
    shares = shares._replace(targets=_aligned(shares.targets), cutoffs=cutoffs, lengths=lengths)
    return shares.of(graph, _aligned(block.sources), 1)


def nearest(graph: Graph, job: Job, block: Block) -> Owners:
    """Return the nearest facilities of all vertices."""
    result = nearest_of(job.options(graph), job.question(graph, Task.SSSP, block))
    return Owners(result.dist, result.facility_rows, result.plan.headline())


def _aligned(array: Array) -> Array:
    """Return an array that came over the network as the core takes it."""
    return np.require(array, requirements=("ALIGNED", "C_CONTIGUOUS"))
