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
from warpath.api.table import TableRequest, solved_table
from warpath.api.totals import totalled
from warpath.base.errors import GraphFormatError
from warpath.engines import hierarchy
from warpath.engines.base import Problem
from warpath.graph import Graph
from warpath.graph.fingerprint import fingerprint
from warpath.graph.zones import opened
from warpath.io.positions import bytes_of
from warpath.planner.cpu_model import Destination, Size
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.api.options import Options
    from warpath.base.dtypes import Array
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
    cutoff, dtype : as in `Problem` and `TableRequest`; None where a call has none.
    predecessors : whether they are returned as well.
    file : the unfinished Zarr array that the rows go to; None to return them.
    totals : the names of totals.
    reverse : as in `warpath.nearest`.
    ends : as in `nearest_of`.
    """

    algorithm: str | Recipe
    params: dict[str, float] | None
    prepared: bool
    targets: Array | None = None
    cutoff: float | None = None
    dtype: np.dtype[Any] | None = None
    predecessors: bool = False
    file: str | None = None
    totals: Sequence[str] = ()
    reverse: bool = False
    ends: Snapped | None = None

    def options(self, graph: Graph) -> Options:
        """Return the options of a block; each thread of a worker solves on one thread."""
        return options_of(graph, self.algorithm, "auto", 1, self.params, prepared=self.prepared)


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
        hierarchy.keep(opened(graph), arrays)
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
    assert job.dtype is not None  # noqa: S101 - every table has one
    targets = None if job.targets is None else _aligned(job.targets)
    width = graph.n if targets is None else len(targets)
    problem = Problem(Task.MANY, _aligned(block.sources), targets, job.cutoff)
    size = Size(Task.MANY, len(block.sources), width, job.dtype.itemsize, Destination.NEW)
    request = TableRequest(job.dtype, None, job.predecessors)
    table = solved_table(graph, problem, size, job.options(graph), request, None)
    plan = table.plan.headline()
    if job.file is None:
        return Rows(table.dist, table.pred, 0, plan)
    from warpath.io.zarr_rows import store

    store(job.file, block.start, table.dist)
    return Rows(None, None, zlib.crc32(bytes_of(table.dist)), plan)


def totals(graph: Graph, job: Job, block: Block) -> dict[str, Array]:
    """Return the totals of the distances from some sources."""
    options = job.options(graph)
    targets = None if job.targets is None else _aligned(job.targets)
    sources = _aligned(block.sources)
    found = totalled(graph, options, job.totals, sources, targets, job.cutoff, None)
    return found.values


def pairs(graph: Graph, job: Job, block: Block) -> Array:
    """Return the distances of some trips."""
    assert block.destinations is not None  # noqa: S101 - a trip has one
    assert job.dtype is not None  # noqa: S101 - so do its distances
    ends = _aligned(block.sources), _aligned(block.destinations)
    dist, _, _ = solved_pairs(graph, job.options(graph), *ends, job.dtype, None)
    return dist


def nearest(graph: Graph, job: Job, block: Block) -> Owners:
    """Return the nearest facilities of all vertices."""
    assert job.dtype is not None  # noqa: S101 - distances have a type
    facilities, options = _aligned(block.sources), job.options(graph)
    limit, dtype, reverse, ends = job.cutoff, job.dtype, job.reverse, job.ends
    found = nearest_of(graph, options, facilities, limit, dtype, None, reverse=reverse, ends=ends)
    return Owners(found.dist, found.facility_rows, found.plan.headline())


def _aligned(array: Array) -> Array:
    """Return an array that came over the network as the core takes it."""
    return np.require(array, requirements=("ALIGNED", "C_CONTIGUOUS"))
