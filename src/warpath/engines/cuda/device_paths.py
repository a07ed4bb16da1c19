"""Distances and trees on a device that stay right while edges of the graph change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.engines.cuda.flight import Ended
from warpath.engines.cuda.repair import EdgeChanges, Edges, Labels, Repair, counters, edges_on
from warpath.engines.dynamic import paths_of
from warpath.graph.edge_changes import UPDATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph

    Changes = tuple[NDArray[np.int64], Array, Array]

#: A repair ends and the source is solved anew if more than this part of the vertices is affected,
#: or if the edges of more vertices than this multiple of all are relaxed.
_MOST_AFFECTED, _MOST_SETTLED = 3 / 4, 32

#: Below these numbers a new solve's call takes longer than the repair.
_FEW = 10_000

_COUNTERS = ("affected", "settled", "relaxed", "improved")


class _Row:
    """The labels of one source, and what the last batch changed.

    Attributes
    ----------
    labels, before : those now, and those before the last batch; None where it left them.
    spare : labels to write to; None where they are to be made.
    changes : the vertices whose distances changed, with the old and the new ones.

    Until a batch is accepted, `before` and `changes` of the batch before it are kept as well.
    """

    def __init__(self, source: int, labels: Labels, nothing: Changes) -> None:
        self.source, self.labels, self._nothing = source, labels, nothing
        self.before: Labels | None = None
        self.spare: Labels | None = None
        self.changes = nothing
        self._earlier: tuple[Labels | None, Changes] = None, nothing

    def take(self, labels: Labels, changes: Changes) -> None:
        self.before = self.labels
        self.labels, self.changes = labels, changes

    def begin(self) -> None:
        self._earlier = self.before, self.changes
        self.before, self.changes = None, self._nothing

    def accept(self) -> None:
        self.spare = self._earlier[0] or self.spare
        self._earlier = None, self._nothing

    def revert(self) -> None:
        if self.before is not None:
            self.labels, self.spare = self.before, self.labels
        self.before, self.changes = None, self._nothing

    def restore(self) -> None:
        self.before, self.changes = self._earlier
        self._earlier = None, self._nothing

    @property
    def nbytes(self) -> int:
        arrays = [self.labels, self.spare, self.before, self._earlier[0]]
        return sum(int(array.nbytes) for labels in arrays if labels for array in labels)


class DevicePaths:
    """The paths that `_core.dynamic_paths` makes, with labels on a device, which repairs them.

    An object of the core without sources keeps the graph: it checks batches and takes them back.
    Every batch writes new labels and leaves those before it, which is what `undo`, an error and
    Ctrl-C go back to. A batch that inserts or deletes edges copies all rows to the device anew.
    """

    def __init__(self, graph: Graph, sources: Array, device: Device) -> None:
        self._core: Any = paths_of(graph, np.empty(0, np.int64))
        self._device, self._n = device, graph.n
        self._index, self._weight = graph.indices.dtype, graph._solver_weights.dtype
        with device.active():
            self._repair = Repair(graph, device)
            self._edges: Edges | None = edges_on(device, *graph._solver_rows)
            labels = [self._repair.new_labels() for _ in sources]
            device.synchronize()  # the next call may use another stream
        empty = np.empty(0, graph.dist_dtype)
        nothing = np.empty(0, np.int64), empty, empty
        self._rows = [
            _Row(source, own, nothing) for source, own in zip(sources.tolist(), labels, strict=True)
        ]
        self._pred: dict[int, Array] = {}
        self._stale: list[int] = []
        self._counted = dict.fromkeys(_COUNTERS, 0)
        self._undone: tuple[Array, Array] | None = None  # places and weights of what was updated
        self._open = self._undoable = False

    def apply(self, *batch: Array, **_limits: Any) -> tuple[int, int, int] | None:
        """Change the graph and repair the labels; return why the batch is refused, or None."""
        negative = self._core.negative
        free = {"exact": False, "most_affected": -1, "most_relaxed": -1, "threads": 1}
        refusal: tuple[int, int, int] | None = self._core.apply(*batch, **free)
        if refusal is not None:
            return refusal
        self._undone = None
        self._counted = dict.fromkeys(_COUNTERS, 0)
        for row in self._rows:
            row.begin()
        self._stale = list(range(len(self._rows)))
        self._open = True
        self._pred.clear()
        try:
            if negative or self._core.negative:
                self._edges = None
            else:
                self._repair_all(EdgeChanges(*self._core.changed_edges()))
        except BaseException:
            self.abandon()
            raise
        return None

    def _repair_all(self, changes: EdgeChanges) -> None:
        device = self._device
        with device.active():
            edges = self._edges
            if edges is None or (changes.kinds != UPDATE).any():
                self._edges = None  # frees their memory
                self._edges = edges = edges_on(device, *self._core.graph())
                words = device.put(changes.words(-1))
            else:
                positions = edges.first[changes.tails] + changes.places
                self._undone = positions, changes.before
                words = device.put(changes.words(positions))
            for at, row in enumerate(self._rows):
                if self._repaired(row, edges, words):
                    self._stale.remove(at)

    def _repaired(self, row: _Row, edges: Edges, words: Array) -> bool:
        most = max(int(self._n * _MOST_AFFECTED), _FEW), max(int(self._n * _MOST_SETTLED), _FEW)
        after = row.spare or self._repair.new_labels()
        row.spare = None  # an interrupted launch may still write to them
        changed, vertices = self._repair(edges, row.source, words, (row.labels, after), most)
        for name, count in counters(changed).items():
            self._counted[name] = self._counted.get(name, 0) + count
        row.spare = after
        if changed[0] != Ended.DONE:
            return False
        row.spare = None
        there = self._device.put(vertices)
        old, new = (self._device.get(version.dist[there]) for version in (row.labels, after))
        row.take(after, (vertices, old, new))
        return True

    def replace(self, at: int, dist: Array, pred: Array) -> None:
        """Replace the labels of a row by those of a new solve; outside a batch for good."""
        row = self._rows[at]
        with self._device.active():
            labels = Labels(self._device.put(dist), self._device.put(pred.astype(np.int32)))
            self._device.synchronize()
            if not self._open:
                row.labels = labels
                return
            old = self._device.get(row.labels.dist)
        vertices = np.flatnonzero(old != dist)
        row.take(labels, (vertices, old[vertices], dist[vertices]))
        self._stale.remove(at)

    def stale(self) -> list[int]:
        """Return the rows that `apply` left: they have to be solved anew."""
        return list(self._stale)

    def accept(self) -> None:
        """End a batch of which no row is stale."""
        self._undoable, self._open = self._open, False
        for row in self._rows:
            row.accept()
        self._core.accept()

    def abandon(self) -> None:
        """Take back a batch that is not accepted, if there is one; `undo` the one before it."""
        self._core.abandon()
        if self._open:
            self._edges = None  # an interrupted launch may still change weights
            self._revert()
            for row in self._rows:
                row.restore()
        self._open = False

    def undo(self) -> bool:
        """Take the last accepted batch back; return whether there was one."""
        if not self._undoable or not self._core.undo():
            return False
        self._undoable = False
        edges, self._edges = self._edges, None  # unless their weights are those before, too
        self._revert()
        if self._undone is not None and edges is not None:
            with self._device.active():
                positions, weights = map(self._device.put, self._undone)
                edges.weights[positions] = weights
                self._device.synchronize()
            self._edges = edges
        return True

    def _revert(self) -> None:
        for row in self._rows:
            row.revert()
        self._stale = []
        self._pred.clear()

    def dist(self, at: int) -> Array:
        """Return the distances of a row: (n,)."""
        with self._device.active():
            return self._device.get(self._rows[at].labels.dist)

    def pred(self, at: int) -> Array:
        """Return the predecessors of a row: (n,)."""
        return self._pred_of(at).astype(self._index)

    def _pred_of(self, at: int) -> Array:
        if at not in self._pred:
            with self._device.active():
                self._pred[at] = self._device.get(self._rows[at].labels.pred)
        return self._pred[at]

    def distances(self, at: int, vertices: Array) -> Array:
        """Return the distances of some vertices of a row."""
        with self._device.active():
            return self._device.get(self._rows[at].labels.dist[self._device.put(vertices)])

    def route(self, at: int, target: int) -> NDArray[np.int64]:
        """Return the vertices from the source of a row to a vertex."""
        pred, route = self._pred_of(at), [target]
        while (before := int(pred[route[-1]])) >= 0:
            route.append(before)
        return np.array(route[::-1], np.int64)

    def changes(self) -> tuple[list[int], NDArray[np.int64], Array, Array]:
        """Return the number of changed distances of each row; vertices, old and new ones."""
        changed = [row.changes for row in self._rows]
        if len(changed) == 1:
            return [len(changed[0][0])], *changed[0]
        counts = [len(vertices) for vertices, _, _ in changed]
        vertices, old, new = (np.concatenate(parts) for parts in zip(*changed, strict=True))
        return counts, vertices, old, new

    def counters(self) -> dict[str, int]:
        """Return what the repairs of the last batch did."""
        return dict(self._counted)

    def graph(self) -> tuple[Array, Array, Array]:
        """Return the rows of the graph as it is now, on the host."""
        rows: tuple[Array, Array, Array] = self._core.graph()
        return rows

    @property
    def edges(self) -> int:
        """Number of stored edges."""
        return int(self._core.edges)

    @property
    def nbytes(self) -> int:
        """Bytes on the host and on the device."""
        edges = 0 if self._edges is None else self._edges.nbytes
        labels = sum(row.nbytes for row in self._rows)
        return int(self._core.nbytes) + edges + labels + self._repair.nbytes
