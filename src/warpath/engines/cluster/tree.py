"""The shortest-path tree and the certificate of labels that lie in partitions.

Both need the same pass: the owners send the labels of the ghosts, every partition checks that none
of its edges shortens a label, and proposes itself as predecessor over the tight ones. A vertex
takes the smallest proposal. Vertices that only edges of length 0 reach get their predecessors level
by level (rule 2 of decision 0004). If no edge shortens a label and all labels hang in the tree, the
labels are the shortest distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, VerificationError
from warpath.engines.cluster.partition import Sized, Summary, message_to, summary_of, worker_name

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.cluster.load import Loaded
    from warpath.engines.cluster.partition import Message, Partition, Step

#: The key of a vertex without a predecessor.
NONE = np.iinfo(np.int64).max


@dataclass
class Proposals(Sized):
    """What a partition proposes in one level: for its own vertices, and for those of others.

    Attributes
    ----------
    labels : (k + h,) the labels of own vertices and ghosts.
    own : own vertices (ascending) and the keys of their proposed predecessors.
    out : the same for the vertices of other partitions.
    summary : which partitions get a message, in `Summary.sent`.
    broken : an edge that shortens a label: labels of its ends, both distances and the weight.
    """

    labels: Array
    own: Message
    out: dict[int, Message]
    summary: Summary
    broken: dict[str, Any] | None = None


@dataclass
class Tree(Sized):
    """The predecessors of a partition's vertices.

    Attributes
    ----------
    pred : (k,) int64 keys of predecessors; NONE for none.
    frontier : own vertices that got their predecessor in the last level, ascending.
    open : number of vertices with a label and no predecessor yet, except of the source.
    """

    pred: Array
    frontier: Array
    open: int


def ghosts_of(part: Partition, owner: int) -> Array:
    """Return the numbers, in their owner, of a partition's ghosts."""
    return part.ghost_at[part.ghost_starts[owner] : part.ghost_starts[owner + 1]]


def labels_at(step: Step, vertices: Array) -> Array:
    """Return the labels of own vertices."""
    return step.dist[vertices]


def checked(part: Partition, step: Step, hops: bool, *ghosts: Array) -> Proposals:
    """Check the edges of a partition, and propose predecessors over tight ones."""
    labels = np.concatenate([step.dist[: part.size], *ghosts])
    above = np.empty(len(labels), part.indices.dtype)
    u, v, edge = _core.check_part(*part.rows(hops), labels, above)
    broken = None
    if edge >= 0:
        weight = 1 if hops or not len(part.weights) else part.weights[edge].item()
        named = part.labels(np.array([u]))[0]
        broken = {
            "u": named.item() if hasattr(named, "item") else str(named),
            "dist_u": labels[u].item(),
            "dist_v": labels[v].item(),
            "weight": weight,
            "worker": worker_name(),
        }
    inner = np.flatnonzero(above >= 0)
    return _proposed(part, labels, inner, above[inner], broken)


def more(part: Partition, before: Proposals, tree: Tree, hops: bool) -> Proposals:
    """Propose predecessors over tight edges of length 0 from the frontier."""
    index = part.indices.dtype
    opened = _open(before.labels[: part.size], tree.pred).astype(np.uint8)
    targets, sources = _core.tight_edges_without_length(
        *part.rows(hops), before.labels, opened, tree.frontier.astype(index)
    )
    order = np.argsort(targets, kind="stable")
    return _proposed(part, before.labels, targets[order], sources[order], None)


def _proposed(
    part: Partition, labels: Array, targets: Array, sources: Array, broken: dict[str, Any] | None
) -> Proposals:
    keys = part.keys(sources)
    cut = int(np.searchsorted(targets, part.size))
    out = part.by_owner(targets[cut:] - part.size, keys[cut:])
    summary = Summary(
        worker_name(), sent={owner: len(message[0]) for owner, message in out.items()}
    )
    return Proposals(labels, (targets[:cut], keys[:cut]), out, summary, broken)


def merged(
    part: Partition, before: Tree | None, source: int | None, mine: Proposals, *into: Message
) -> Tree:
    """Take the smallest proposal for each vertex that has no predecessor yet."""
    labels = mine.labels[: part.size]
    earlier = np.full(part.size, NONE) if before is None else before.pred
    taken = _open(labels, earlier)
    if source is not None:
        taken[source] = False
    pred = earlier.copy()
    for vertices, keys in (mine.own, *into):
        better = taken[vertices] & (keys < pred[vertices])
        pred[vertices[better]] = keys[better]
    new = pred != earlier
    if before is None and source is not None:
        new[source] = True
    left = int(np.count_nonzero(taken & (pred == NONE)))
    return Tree(pred, np.flatnonzero(new), left)


def _open(labels: Array, pred: Array) -> Array:
    is_open: Array = (labels != unreachable(labels.dtype)) & (pred == NONE)
    return is_open


def progress_of(tree: Tree) -> tuple[int, int]:
    """Return the size of the frontier and the number of vertices without a predecessor."""
    return len(tree.frontier), tree.open


def broken_of(proposals: Proposals) -> dict[str, Any] | None:
    """Return the edge that shortens a label, if there is one."""
    return proposals.broken


def wrong_label(part: Partition, step: Step) -> Any:
    """Return the label of a vertex whose distance is negative or NaN, or None."""
    wrong = np.flatnonzero(~(step.dist[: part.size] >= 0))
    return part.labels(wrong[:1]).tolist()[0] if len(wrong) else None


def unlike(part: Partition, tree: Tree, given: Tree) -> Any:
    """Return the label of a vertex that two trees differ at, or None."""
    wrong = np.flatnonzero(tree.pred != given.pred)
    return part.labels(wrong[:1]).tolist()[0] if len(wrong) else None


def orphan(part: Partition, proposals: Proposals, tree: Tree, source: int | None) -> Any:
    """Return the label of a vertex that no tight path reaches, or None."""
    lost = _open(proposals.labels[: part.size], tree.pred)
    if source is not None:
        lost[source] = False
    at = np.flatnonzero(lost)
    return part.labels(at[:1]).tolist()[0] if len(at) else None


class TreeBuilder:
    """Checks labels and computes the tree: the stages of `built` for all partitions."""

    def __init__(self, graph: Loaded, steps: list[Any], hops: bool, at: tuple[int, int]) -> None:
        self._graph = graph
        self._tasks = graph.tasks
        self._steps = steps
        self._hops = hops
        self._source = [at[1] if part == at[0] else None for part in range(len(graph.parts))]

    def built(self, *, overflow: bool) -> list[Any]:
        """Return a future of each partition's `Tree`.

        Raises
        ------
        VerificationError
            An edge shortens a label, or a label belongs to no path.
        DistanceOverflowError
            With `overflow`: a vertex can be reached, but its distance does not fit.
        """
        doing = "checking the edges"
        proposals = self._checked()
        summaries = [self._tasks.submit(summary_of, proposal) for proposal in proposals]
        broken = [self._tasks.submit(broken_of, proposal) for proposal in proposals]
        heard = self._tasks.gather(summaries, doing)
        for report in self._tasks.gather(broken, doing):
            if report is not None:
                raise self._broken(report, overflow)
        trees = self._merged(None, proposals, heard)
        added, left = self._progress(trees)
        while left and added:
            proposals = self._submit(more, proposals, trees, [self._hops] * len(trees))
            summaries = [self._tasks.submit(summary_of, proposal) for proposal in proposals]
            trees = self._merged(trees, proposals, self._tasks.gather(summaries, doing))
            added, left = self._progress(trees)
        if left:
            lost = self._submit(orphan, proposals, trees, self._source)
            vertex = next(name for name in self._tasks.gather(lost, doing) if name is not None)
            msg = (
                "not verified: a search over tight edges must reach every finite label; vertex "
                f"{vertex!r} has a distance that is the length of no path."
            )
            raise VerificationError(msg, "reached", {"vertex": vertex})
        return trees

    def _submit(self, function: Any, *columns: list[Any]) -> list[Any]:
        return [
            self._tasks.submit(function, part, *more, worker=size.worker)
            for part, size, *more in zip(
                self._graph.parts, self._graph.sizes, *columns, strict=True
            )
        ]

    def _checked(self) -> list[Any]:
        reports = []
        for at, (part, size) in enumerate(zip(self._graph.parts, self._graph.sizes, strict=True)):
            ghosts = [
                self._tasks.submit(
                    labels_at, self._steps[owner], self._tasks.submit(ghosts_of, part, owner)
                )
                for owner, asked in enumerate(size.asked)
                if asked
            ]
            step = self._steps[at]
            reports.append(
                self._tasks.submit(checked, part, step, self._hops, *ghosts, worker=size.worker)
            )
        return reports

    def _merged(self, before: Any, proposals: list[Any], heard: list[Summary]) -> list[Any]:
        trees = []
        for at, part in enumerate(self._graph.parts):
            into = [
                self._tasks.submit(message_to, proposals[sender], at)
                for sender, summary in enumerate(heard)
                if at in summary.sent
            ]
            earlier = None if before is None else before[at]
            trees.append(
                self._tasks.submit(
                    merged,
                    part,
                    earlier,
                    self._source[at],
                    proposals[at],
                    *into,
                    worker=self._graph.sizes[at].worker,
                )
            )
        return trees

    def _progress(self, trees: list[Any]) -> tuple[int, int]:
        counts = self._tasks.gather(
            [self._tasks.submit(progress_of, tree) for tree in trees], "computing the tree"
        )
        return sum(added for added, _ in counts), sum(left for _, left in counts)

    @staticmethod
    def _broken(report: dict[str, Any], overflow: bool) -> Exception:
        if overflow and report["dist_v"] == unreachable(np.dtype(np.int64)):
            return DistanceOverflowError.of(OverflowError("a distance does not fit 64 bits"))
        msg = (
            f"not verified: no edge may shorten a label; an edge of {report['u']!r} of weight "
            f"{report['weight']}: dist {report['dist_u']} -> {report['dist_v']} (on the worker "
            f"{report['worker']})."
        )
        return VerificationError(msg, "edge", report)

    def compared(self, trees: list[Any]) -> None:
        """Check distances and a given tree; raise VerificationError for the first broken rule."""
        doing = "verifying"
        for vertex in self._tasks.gather(self._submit(wrong_label, self._steps), doing):
            if vertex is not None:
                msg = f"not verified: no distance may be NaN or negative; vertex {vertex!r}."
                raise VerificationError(msg, "label", {"vertex": vertex})
        part, source = next((p, s) for p, s in enumerate(self._source) if s is not None)
        label = self._tasks.submit(labels_at, self._steps[part], np.array([source]))
        if self._tasks.gather([label], doing)[0][0] != 0:
            msg = "not verified: the source's own distance must be 0."
            raise VerificationError(msg, "source", {})
        own_trees = self.built(overflow=False)
        for vertex in self._tasks.gather(self._submit(unlike, own_trees, trees), doing):
            if vertex is not None:
                msg = (
                    "not verified: pred must be the smallest tight predecessor; vertex "
                    f"{vertex!r} has another."
                )
                raise VerificationError(msg, "pred", {"vertex": vertex})
