"""One source of a graph that is divided over several devices: launches, exchanges, decisions.

Each device lowers labels of its own vertices and, as upper bounds, those of foreign vertices. After
each launch the owners of foreign labels that became less take these. When no labels are left to
send, all labels below the bound are final, and the bound rises.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import NotSupportedError
from warpath.engines.base import Raw, Transfer
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.flight import flights
from warpath.engines.cuda.rows import longest
from warpath.engines.cuda.tables.widths import widths
from warpath.engines.cuda.wide import search as wide
from warpath.engines.cuda.wide.division import division_of, parts_of
from warpath.engines.cuda.wide.part import (
    FOUND,
    INTO,
    REST,
    Part,
    Step,
    address,
    buffers_of,
    rooms,
    wide_part_kernel,
)
from warpath.results.predecessors import as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order
    from warpath.engines.cuda.tables.widths import Width
    from warpath.engines.cuda.wide.division import Division
    from warpath.graph import Graph

#: Rounds of a launch, after which lowered foreign labels are sent though own rows are left, by
#: whether there are hubs. On two H100s R-MAT 26 takes 10.8 ms so, and 15.5 ms without a limit; a
#: grid of 1,000 x 1,000 takes 24 ms so, and 157 ms with one round.
MOST_ROUNDS = {True: 1, False: 2**20}
#: `kMostDevices` of kernels/wide_part.cuh.
MOST_DEVICES = 16


def solve_divided(order: Order, devices: Sequence[Device]) -> Raw:
    """Run `Loop.WIDE` on several devices; the labels stay on the first one."""
    graph, problem = order.graph, order.problem
    if order.trace is not None:
        msg = f"{order.recipe.name} keeps no trace: its rounds follow each other on the device."
        raise NotSupportedError(msg)
    if len(devices) > MOST_DEVICES:
        msg = f"a graph is divided over at most {MOST_DEVICES} devices, not {len(devices)}."
        raise NotSupportedError(msg)
    for width in widths(graph):
        search = PartedSearch(graph, width, devices, order.params, problem.cutoff)
        dist, stats, fits = search(problem.source)
        if fits:
            break
    if longest(graph) >= 2**62:
        refuse_overflow(graph, problem, as_labels(graph, devices[0].get(dist)))
    return Raw(dist, stats=stats, device=devices[0])


class PartedSearch:
    """Solves a divided graph from any source.

    Parameters
    ----------
    devices : the first one gets the labels.
    params : "delta", or none.
    cutoff : labels beyond it may stay unreachable; None for no limit.
    """

    def __init__(
        self,
        graph: Graph,
        width: Width,
        devices: Sequence[Device],
        params: dict[str, float],
        cutoff: float | None,
    ) -> None:
        self._graph, self._width, self._devices = graph, width, devices
        self._division: Division = division_of(graph, len(devices))
        self._rows = parts_of(graph, width, devices)
        self._first, self._delta = wide.bounds(graph, width, params.get("delta"))
        self._first_beyond = wide.first_beyond(cutoff, width)
        self._pulls = self._rows[0].rows.into is not None
        self._label = np.dtype(width.label)
        self._mark = ("parts", width, self._first_beyond)

    def __call__(self, source: int) -> tuple[Array, dict[str, int], bool]:
        """Return labels on the first device, what was done, and whether all sums fitted.

        A sum that did not fit lowered nothing.
        """
        with ExitStack() as stack:
            parts = [self._part(number, stack) for number in range(len(self._devices))]
            solve = _Solve(self, parts)
            try:
                solve.run(source)
            except BaseException:
                solve.abandon()
                raise
            return solve.labels(source), solve.stats, not any(part.lost for part in parts)

    @property
    def division(self) -> Division:
        """Which device owns which vertex."""
        return self._division

    def _part(self, number: int, stack: ExitStack) -> Part:
        device, rows = self._devices[number], self._rows[number]
        names = ", ".join(device.name for device in self._devices)
        with device.active():
            what = f"part {number} of a wide search on {names} in {self._label.name}"
            # The flights are kept with the graph: what makes their buffers must not refer to it.
            division, label = self._division, self._label
            pool = flights(
                self._graph, what, device, lambda: buffers_of(division, number, rows, label, device)
            )
            own = stack.enter_context(pool.take())
            share = self._division.shares[number]
            part = Part(device, rows, own, share.active, MOST_ROUNDS[share.hubs > 0])
            part.listed = division.blocks(number)[:, 2].tolist()
            if own.ready_for != self._mark:
                self._prepare(part, number)
        return part

    def _prepare(self, part: Part, number: int) -> None:
        held, rows, own, device = part.buffers, part.rows.rows, part.flight, part.device
        share, search = self._division.shares[number], part.buffers.search
        kernel = wide_part_kernel(self._width, device.block)
        room, room_of_runs = rooms(share)
        given = {
            "n": share.active, "hubs_count": share.hubs, "leaves": share.leaves,
            "indptr": rows.indptr, "edges": rows.edges, "into": rows.into, "sources": rows.sources,
            "limit": self._first_beyond, "hubs_splitters": rows.splitters,
            "dist": held.dist, "rest": search.rest,
            "even_entries": search.entries[0], "odd_entries": search.entries[1],
            "even_runs": search.runs[0], "odd_runs": search.runs[1],
            "even_room": room, "even_room_of_runs": room_of_runs,
            "control": search.control, "minimum": search.minimum,
            "others": len(self._devices) - 1, "blocks": part.rows.blocks,
            "command": device.mapped(held.command), "bounds": device.mapped(held.bounds),
            "sent": held.sent, "outgoing": held.outgoing,
            "room": held.outgoing.shape[1] // part.entry, "counts": held.counts,
            "report": device.mapped(held.report), "least": device.mapped(held.least),
            "halt": own.halt, "status": own.status,
        }  # fmt: skip
        blocks = device.resident_blocks(kernel)
        own.prepared = device.prepared(kernel, blocks, *kernel.arguments(**given))
        own.ready_for = self._mark

    def begin(self, source: int) -> tuple[Any, Any]:
        """Return the first bound, and the initial width of the other buckets."""
        graph, kind = self._graph, self._label.type
        row = graph._solver_weights[graph.indptr[source] : graph.indptr[source + 1]]
        lightest = kind(row.min()) if len(row) else kind(0)
        return min(above(lightest, self._first, self._width), self._first_beyond), self._delta

    def raised(self, minimum: Any, delta: Any) -> Any:
        """Return the bound of the next bucket, whose least sum is `minimum`."""
        return min(above(minimum, delta, self._width), self._first_beyond)

    def doubled(self, delta: Any) -> Any:
        """Return twice the width of a bucket, if that fits the labels."""
        fits = delta < self._width.unreachable / 2
        return self._label.type(2 * delta) if fits else delta

    @property
    def unreachable(self) -> Any:
        """The label of unreachable vertices."""
        return self._width.unreachable

    @property
    def first_beyond(self) -> Any:
        """All labels are below it."""
        return self._first_beyond

    @property
    def pulls(self) -> bool:
        """Whether vertices can take labels over their in-edges."""
        return self._pulls


class _Solve:
    """One solve of a `PartedSearch`: the state that the host decides on."""

    def __init__(self, search: PartedSearch, parts: list[Part]) -> None:
        self._search, self._parts, self._division = search, parts, search.division
        self.stats = {"rounds": 0, "buckets": 0, "exchanges": 0, "bytes exchanged": 0}

    def run(self, source: int) -> None:
        """Compute all labels."""
        search, parts = self._search, self._parts
        bound, delta = search.begin(source)
        owner, slot = self._division.owner(source)
        for number, part in enumerate(parts):
            part.launch(
                Step.BEGIN,
                slot if number == owner else -1,
                (bound, bound),
                surveys=bound < search.first_beyond,
            )
        self._settle(bound)
        lowered = 0
        while bound < search.first_beyond:
            self.stats["buckets"] += 1
            minimum = min(part.buffers.least[0] for part in parts)
            if minimum == search.unreachable:
                break
            into, rest, now = (
                sum(int(part.buffers.report[word]) for part in parts)
                for word in (INTO, REST, FOUND)
            )
            if now - lowered < wide.NARROW:
                delta = search.doubled(delta)
            lowered, before = now, bound
            if search.pulls and into * wide.PULL_COST < rest * 16:
                bound = search.first_beyond
                self._copy_labels()
                self._launch(Step.PULL, before, bound)
                self._land()
                self._copy_labels()
                self._launch(Step.MEND, before, bound)
            else:
                bound = search.raised(minimum, delta)
                self._launch(Step.RAISE, before, bound)
            self._settle(bound)

    def _launch(self, step: Step, before: Any, bound: Any) -> None:
        for part in self._parts:
            part.launch(step, -1, (before, bound), surveys=bound < self._search.first_beyond)

    def _land(self) -> None:
        for part in self._parts:
            if part.under_way:
                part.wait()
        self.stats["rounds"] = max(part.round for part in self._parts)

    def _settle(self, bound: Any) -> None:
        """Let labels arrive and rows be relaxed until all labels below the bound are final."""
        surveys = bound < self._search.first_beyond
        while True:
            self._land()
            self._exchange()
            waiting = [
                part
                for part in self._parts
                if not part.quiet or part.arriving[:, 0].any() or (surveys and not part.surveyed)
            ]
            if not waiting:
                return
            for part in waiting:
                part.launch(Step.GO_ON, -1, (bound, bound), surveys=surveys)

    def _exchange(self) -> None:
        """Let the owners of lowered labels take them: where they are listed, or from a copy."""
        transfers: list[Transfer] = []
        exchanged = 0
        for number, sender in enumerate(self._parts):
            for index, other in enumerate(self._division.others(number)):
                count = int(sender.leaving[index])
                if count == 0:
                    continue
                receiver, back = self._parts[other], self._division.others(other).index(number)
                listed = sender.list_for(index, count)
                exchanged += int(listed.nbytes)
                if not receiver.device.reads(sender.device):
                    copy = receiver.room_for(back, len(listed))
                    transfers.append(Transfer(sender.device, listed, receiver.device, copy))
                    listed = copy
                receiver.arriving[back] = count, address(listed)
            sender.leaving[:] = 0
        if exchanged:
            self.stats["exchanges"] += 1
            self.stats["bytes exchanged"] += exchanged
        if transfers:
            self._parts[0].device.exchange(transfers)

    def _transfer(self, transfers: list[Transfer]) -> None:
        if transfers:
            self.stats["exchanges"] += 1
            self.stats["bytes exchanged"] += sum(int(transfer.out.nbytes) for transfer in transfers)
            self._parts[0].device.exchange(transfers)

    def _copy_labels(self) -> None:
        """Copy the labels of each device's vertices to all other devices."""
        transfers: list[Transfer] = []
        for number, receiver in enumerate(self._parts):
            blocks = self._division.blocks(number).tolist()
            for (first, size, _), other in zip(blocks, self._division.others(number), strict=True):
                sender = self._parts[other]
                if size:
                    array = sender.buffers.dist[:size]
                    out = receiver.buffers.dist[first : first + size]
                    transfers.append(Transfer(sender.device, array, receiver.device, out))
        self._transfer(transfers)

    def labels(self, source: int) -> Array:
        """Return the labels in the order of the graph on the first device: (n,)."""
        self._copy_labels()
        lead, n = self._parts[0], len(self._division.slots)
        with lead.device.active():
            dist: Array = lead.device.xp.empty(n, lead.buffers.dist.dtype)
        transfers: list[Transfer] = []
        for part in self._parts:
            out, ranks = part.rows.out, part.rows.rows.ranks
            if out.start == out.stop:
                continue
            into = dist[out] if part is lead else part.buffers.ordered
            with part.device.active():
                part.device.xp.take(part.buffers.dist, ranks, out=into)
            if part is not lead:
                transfers.append(Transfer(part.device, into, lead.device, dist[out]))
        self._transfer(transfers)
        with lead.device.active():
            dist[source] = 0  # a vertex without edges has no label of its own
        return dist

    def abandon(self) -> None:
        """Wait for what is under way after an error; the buffers are discarded."""
        for part in self._parts:
            if part.under_way:
                part.wait()


def above(low: Any, delta: Any, width: Width) -> Any:
    """Return the next bound above labels equal to `low`, as `above` of kernels/table.cuh does."""
    never = width.unreachable
    if np.dtype(width.label).kind == "f":
        with np.errstate(over="ignore"):
            total = low + delta
        return total if low < total < never else never
    exact = int(low) + int(delta)
    return type(never)(exact) if int(low) < exact < int(never) else never
