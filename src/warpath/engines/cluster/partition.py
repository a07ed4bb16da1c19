"""A partition of a graph, and what a worker does with it in a superstep.

A partition has some of the graph's vertices with all their out-edges. The vertices of other
partitions that these edges lead to are its ghosts; they follow the own vertices in its numbering.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.graph.csr import NO_WEIGHTS

if TYPE_CHECKING:
    from warpath.base.dtypes import Array

    #: Vertices of the receiving partition, and a label or a tree key for each.
    Message = tuple[Array, Array]


class Sized:
    """A record of arrays, whose size Dask needs to know to place tasks and to spill data."""

    def __sizeof__(self) -> int:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return 64 + sum(_bytes(getattr(self, name)) for name in names)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays that arrive in a message may lie at any address; the core needs aligned ones.
        for name, value in state.items():
            if isinstance(value, np.ndarray) and value.dtype != object:
                state[name] = np.require(value, requirements=["C", "A"])
        self.__dict__.update(state)


def _bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list | tuple):
        return sum(map(_bytes, value))
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    return 32


@dataclass
class Partition(Sized):
    """The vertices of a partition, their out-edges, and the places of the ghosts.

    Attributes
    ----------
    number : number of the partition, from 0.
    first : number of its first vertex among the vertices of all partitions.
    names : (k,) the labels of its vertices in ascending order, int64 or UTF-8 bytes; None if they
        are the numbers from `first` on.
    indptr : (k + 1,) int64, the rows of the own vertices.
    indices : (m,) targets: own vertices 0 .. k - 1, then ghosts.
    weights : (m,) weights >= 0; empty if every weight is 1.
    ghost_starts : (partitions + 1,) where the ghosts of each owner begin, from 0.
    ghost_at : (h,) the number of each ghost in its owner, ascending for each owner.
    """

    number: int
    first: int
    names: Array | None
    indptr: Array
    indices: Array
    weights: Array
    ghost_starts: Array
    ghost_at: Array

    @property
    def size(self) -> int:
        """The number of own vertices."""
        return len(self.indptr) - 1

    def keys(self, own: Array) -> Array:
        """Return int64 numbers of own vertices that order them among all vertices of the graph."""
        if self.names is not None and self.names.dtype.kind == "i":
            return self.names[own]
        return self.first + own.astype(np.int64)

    def labels(self, own: Array) -> Array:
        """Return the labels of own vertices: int64 or strings."""
        if self.names is None:
            return self.first + own.astype(np.int64)
        return decoded(self.names[own])

    def by_owner(self, ghosts: Array, values: Array) -> dict[int, Message]:
        """Group values of ghosts by owner; `ghosts` (ascending) and `values` are of one length."""
        cut = np.searchsorted(ghosts, self.ghost_starts)
        return {
            owner: (self.ghost_at[ghosts[begin:end]], values[begin:end])
            for owner, (begin, end) in enumerate(pairwise(cut))
            if begin < end
        }

    def rows(self, hops: bool) -> tuple[Array, Array, Array]:
        """Return the arguments of the core; `hops` replaces every weight by 1."""
        return self.indptr, self.indices, NO_WEIGHTS if hops else self.weights


def decoded(names: Array) -> Array:
    """Return labels as the user has them: UTF-8 bytes as strings."""
    if names.dtype.kind == "S":
        return np.char.decode(names, "utf-8") if len(names) else np.empty(0, "U1")
    return names


@dataclass(frozen=True)
class Summary:
    """What the client learns of a superstep in one partition.

    Attributes
    ----------
    worker : address of the worker that ran the step.
    lowest : the least label among the pending vertices; None if there are none.
    lowest_sent : the least label that was sent.
    sent : number of labels sent to each partition.
    reached : number of own vertices with a label.
    settled, relaxed : vertices whose edges were relaxed, and edges examined.
    overflow : whether a sum did not fit the type of the distances.
    """

    worker: str
    lowest: float | None = None
    lowest_sent: float | None = None
    sent: dict[int, int] = field(default_factory=dict)
    reached: int = 0
    settled: int = 0
    relaxed: int = 0
    overflow: bool = False


@dataclass
class Step(Sized):
    """The state of a partition after a superstep, and the messages that it sends.

    Attributes
    ----------
    dist : (k + h,) labels of own vertices and ghosts.
    pending : (k,) uint8, 1 for vertices whose label fell since their edges were relaxed.
    out : the messages, by partition.
    summary : what the client learns.
    """

    dist: Array
    pending: Array
    out: dict[int, Message]
    summary: Summary


def worker_name() -> str:
    """Return the address of the worker that runs this task."""
    from distributed import get_worker

    return str(get_worker().address)


def start(part: Partition, source: int | None, hops: bool) -> Step:
    """Return the state before the first superstep; `source` is an own vertex or None."""
    integer = hops or part.weights.dtype.kind == "i"
    dtype = np.dtype(np.int64) if integer else part.weights.dtype
    total = part.size + len(part.ghost_at)
    dist = np.full(total, unreachable(dtype), dtype)
    pending = np.zeros(part.size, np.uint8)
    if source is not None:
        dist[source] = 0
        pending[source] = 1
    lowest = None if source is None else 0
    return Step(dist, pending, {}, Summary(worker_name(), lowest, reached=int(pending.sum())))


def superstep(part: Partition, before: Step, threshold: float, hops: bool, *into: Message) -> Step:
    """Take in messages, relax until no pending label is at or below the threshold, and send."""
    dist, pending = before.dist.copy(), before.pending.copy()
    for vertices, labels in into:
        own = np.require(vertices, part.indices.dtype, ["C", "A"])
        _core.lower_labels(dist, pending, own, np.require(labels, requirements=["C", "A"]))
    done = _core.relax_part(*part.rows(hops), dist, pending, dist.dtype.type(threshold).item())
    lowered = np.sort(done["lowered"]) - part.size
    out = part.by_owner(lowered, dist[part.size :][lowered])
    own_labels = dist[: part.size]
    waiting = own_labels[pending.view(bool)]
    earlier = before.summary
    return Step(
        dist,
        pending,
        out,
        Summary(
            worker_name(),
            waiting.min().item() if len(waiting) else None,
            min((labels.min().item() for _, labels in out.values()), default=None),
            {owner: len(labels) for owner, (_, labels) in out.items()},
            int(np.count_nonzero(own_labels != unreachable(dist.dtype))),
            done["settled"],
            done["relaxed"],
            earlier.overflow or done["overflow"],
        ),
    )


def summary_of(step: Step) -> Summary:
    """Return the summary alone, which is sent to the client."""
    return step.summary


def message_to(step: Any, partition: int) -> Message:
    """Return the message to one partition, so that no other worker receives it."""
    message: Message = step.out[partition]
    return message


def kept(step: Step) -> Step:
    """Return a state unchanged: the task runs on another worker, which then holds a copy."""
    return step
