"""Repair the labels and the tree of one source on a device after edges have changed: one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import NotSupportedError
from warpath.engines.base import Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.flight import Ended, Flights
from warpath.engines.cuda.rows import longest
from warpath.graph.edge_changes import DELETE, INSERT

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.graph import Graph

_CONTROL = 16  # words of `RepairControl`, and some more
_LONGER, _EXISTS = 1, 2  # the bits of a changed edge, as in `ChangedEdges`
_NO_LIMIT = 2**62


class Edges(NamedTuple):
    """The edges of a graph on a device, in both directions; a repair changes weights in place.

    Attributes
    ----------
    first : (n + 1,) int64, `indptr` on the host.
    indptr, indices, weights : the rows; indices are int32.
    into : (n + 1,) int64, where the in-edges of each vertex begin.
    tails, places : (m,) int32 and uint32, sources of in-edges, and their places in the rows.
    """

    first: NDArray[np.int64]
    indptr: Array
    indices: Array
    weights: Array
    into: Array
    tails: Array
    places: Array

    @property
    def nbytes(self) -> int:
        """The bytes on the device."""
        return sum(int(array.nbytes) for array in self[1:])


def edges_on(device: Device, indptr: Array, indices: Array, weights: Array) -> Edges:
    """Return the edges of a graph on a device; in-edges are found there, by a sort."""
    xp = device.xp
    rows, heads = device.put(indptr), device.put(indices.astype(np.int32, copy=False))
    order = xp.argsort(heads)
    into = xp.searchsorted(heads[order].astype(np.int64), xp.arange(len(indptr)))
    tails = (xp.searchsorted(rows, order, side="right") - 1).astype(np.int32)
    return Edges(indptr, rows, heads, device.put(weights), into, tails, order.astype(np.uint32))


class EdgeChanges(NamedTuple):
    """Edges that changed, as the core lists them: (k,) each.

    Attributes
    ----------
    kinds : UPDATE, INSERT or DELETE.
    tails, heads : int64.
    places : int64, where they were in the rows of their tails.
    before, after : weights; an insertion has none before it, a deletion none after it.
    """

    kinds: NDArray[np.int8]
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    places: NDArray[np.int64]
    before: Array
    after: Array

    def words(self, places: Array | int) -> NDArray[np.int64]:
        """Return what a repair reads of them: (5, k).

        Parameters
        ----------
        places : where their weights are to be changed in `Edges.weights`; -1 where they need not.
        """
        words = np.zeros((5, len(self.kinds)), np.int64)
        exist = self.kinds != DELETE
        longer = ~exist | ((self.kinds != INSERT) & (self.after > self.before))
        words[0], words[1], words[2] = self.tails, self.heads, places
        words[3] = _LONGER * longer + _EXISTS * exist
        words[4].view(self.after.dtype)[:: 8 // self.after.itemsize] = self.after
        return words


class Labels(NamedTuple):
    """The distances and predecessors of a source on a device: (n,) each."""

    dist: Array
    pred: Array


class Repair:
    """Repairs labels on a device by one launch a source.

    Parameters
    ----------
    graph : gives the types and the number of vertices. Not kept.
    """

    def __init__(self, graph: Graph, device: Device) -> None:
        n, label = graph.n, graph.dist_dtype
        self._n, self._device, self._closed = n, device, graph.first_through
        self._kernel = repair_kernel(graph._solver_weights.dtype, label, device.block)
        self.dtype = label
        self._flights = Flights(graph, device, lambda: _buffers(n, label, device))

    @property
    def nbytes(self) -> int:
        """The bytes of the buffers on the device."""
        return self._flights.nbytes

    def new_labels(self) -> Labels:
        """Return labels that are not set."""
        empty = self._device.xp.empty
        return Labels(empty(self._n, self.dtype), empty(self._n, np.int32))

    def __call__(
        self,
        edges: Edges,
        source: int,
        words: Array,
        labels: tuple[Labels, Labels],
        most: tuple[int, int] = (_NO_LIMIT, _NO_LIMIT),
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Repair the labels of a source; return the status words and the changed vertices.

        Status words are an `Ended`, PAUSED where a limit was exceeded and LOST where a sum did not
        fit; the rounds; the vertices that were affected and that were settled; the edges and labels
        that were relaxed and improved; and the changed vertices.

        Parameters
        ----------
        words : the changed edges on the device: `EdgeChanges.words`.
        labels : those before, which stay, and where those after go.
        most : limits of affected vertices, and of vertices whose edges are relaxed.
        """
        old, new = labels
        with self._flights.take() as own:
            given = own.buffers | edges._asdict() | {
                "n": self._n, "source": source, "closed": self._closed,
                "changed_count": words.shape[1], "changed_words": words,
                "old_dist": old.dist, "old_pred": old.pred, "dist": new.dist, "pred": new.pred,
                "room": room_of(self._n), "most_affected": most[0], "most_settled": most[1],
                "halt": own.halt, "status": own.status,
            }  # fmt: skip
            blocks = self._device.resident_blocks(self._kernel)
            status = own.run(self._kernel, blocks, *self._kernel.arguments(**given)).tolist()
            there = self._device.get(own.buffers["list"][: status[6]])
        return status, np.sort(there).astype(np.int64)


def room_of(n: int) -> int:
    """Return how many lowered vertices a list holds; where it is full, all vertices are relaxed."""
    return n // 4 + 4096


def _buffers(n: int, label: np.dtype[Any], device: Device) -> dict[str, Array]:
    xp, words = device.xp, room_of(n) * (1 if label.itemsize == 4 else 2)
    buffers = {
        name: xp.empty(max(n, 1), np.int32) for name in ("jump", "stamps", "list", "other_list")
    }
    buffers |= {name: xp.empty(words, np.uint64) for name in ("entries", "other_entries")}
    return buffers | {"control": xp.zeros(_CONTROL, np.uint64)}


def repair_kernel(weight: DTypeLike, label: DTypeLike, block: int) -> Kernel:
    """Return the kernel for types of weights and labels."""
    return kernel("repair", Types.of(np.int32, weight, label), block)


def search(order: Order, device: Device) -> Raw:
    """Run `Loop.DYNAMIC`: a repair of labels that are all unset, from the edges of the source.

    Raises
    ------
    NotSupportedError
        For a trace.
    OverflowError
        When a distance does not fit its type.
    """
    if order.trace is not None:
        msg = f"{order.recipe.name} keeps no trace: its rounds follow each other on the device."
        raise NotSupportedError(msg)
    graph, problem = order.graph, order.problem
    repair, source = Repair(graph, device), problem.source
    row = slice(*graph.indptr[source : source + 2].tolist())
    heads, weights = graph.indices[row].astype(np.int64), graph._solver_weights[row]
    kinds = np.full(len(heads), INSERT, np.int8)
    changes = EdgeChanges(kinds, np.full_like(heads, source), heads, heads, weights, weights)
    dist = np.full(graph.n, unreachable(repair.dtype), repair.dtype)
    dist[source] = 0
    before = Labels(device.put(dist), device.put(np.full(graph.n, -1, np.int32)))
    after = repair.new_labels()
    edges = edges_on(device, *graph._solver_rows)
    words, _ = repair(edges, source, device.put(changes.words(-1)), (before, after))
    if words[0] == Ended.LOST or longest(graph) >= 2**62:
        refuse_overflow(graph, problem, device.get(after.dist))
    return Raw(after.dist, stats=counters(words), device=device)


def counters(words: list[int]) -> dict[str, int]:
    """Return the counters in a repair's status words by name."""
    names = ("rounds", "affected", "settled", "relaxed", "improved")
    return dict(zip(names, words[1:6], strict=True))
