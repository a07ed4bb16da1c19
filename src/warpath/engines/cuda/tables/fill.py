"""Fill a table batch by batch; shared by the loops of sparse tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from warpath.engines import cpu
from warpath.engines.base import Raw
from warpath.engines.cuda.entry import Kernel, Types, kernel
from warpath.engines.cuda.rows import resident, resident_on_host
from warpath.engines.cuda.tables.deliver import Delivery
from warpath.engines.cuda.tables.widths import Width, largest_within, weights_of, widths

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Order, TableOrder


class BatchSolver(Protocol):
    """Solves batches of sources in one width.

    Attributes
    ----------
    batch : maximum sources of a batch.
    """

    batch: int

    @property
    def stats(self) -> dict[str, int]:
        """Counters of the run."""
        ...

    def run(self, sources: Array, into: Array) -> None:
        """Start to fill the rows of some sources."""
        ...

    def lost(self) -> bool:
        """Return whether a sum did not fit the labels; waits for the launches so far."""
        ...


def fill(
    order: TableOrder,
    device: Device,
    make: Callable[[Order, Device, Width], BatchSolver],
    *,
    dtype: Any = None,
    finish: Callable[[Array, Array], None] | None = None,
) -> Raw:
    """Fill `order.out`, each batch in the narrowest type that has not overflowed so far.

    Parameters
    ----------
    order : an order for MANY or APSP, weights >= 0.
    make : returns the solver for a width.
    dtype : type of the rows that `finish` takes; by default that of `order.out`.
    finish : called with finished rows on the device and their sources, before they are copied.
    """
    sources = np.ascontiguousarray(order.problem.sources, np.int64)
    delivery = Delivery(order.out, device, np.dtype(dtype or order.out.dtype))
    left = widths(order.graph)
    solver = make(order, device, left.pop(0))
    done = batches = 0
    while done < len(sources):
        rows = slice(done, min(done + min(solver.batch, delivery.most), len(sources)))
        into = delivery.room(rows)
        solver.run(sources[rows], into)
        batches += 1
        if solver.lost():
            if left:
                solver = make(order, device, left.pop(0))
                continue
            _fill_on_cpu(order, device, sources[rows], into)
        if finish is not None:
            finish(into, sources[rows])
        delivery.take(rows)
        done = rows.stop
        if order.progress is not None:
            order.progress(done, len(sources))
    delivery.close()
    return Raw(order.out, stats={"batches": batches} | solver.stats)


def _fill_on_cpu(order: TableOrder, device: Device, sources: Array, into: Array) -> None:
    """Solve a batch with a sum beyond 64 bits; raise OverflowError if a distance is beyond them."""
    here = np.empty(into.shape, into.dtype)
    problem = replace(order.problem, sources=sources)
    cpu.many(replace(order, problem=problem, out=here, progress=None))
    device.put(here, into)


class Common:
    """Shared by the solvers: the graph on the device, the arguments for output rows, the flags."""

    def __init__(self, order: Order, device: Device, width: Width, kind: str) -> None:
        graph, xp = order.graph, device.xp
        self.device, self.width, self.n = device, width, graph.n
        self.label = np.dtype(width.label)
        targets = order.problem.targets
        self.columns = graph.n if targets is None else len(targets)
        types = Types.of(graph.indices.dtype, width.weight, width.label)
        self.kernel: Kernel = kernel(kind, types, device.block)
        self.stats: dict[str, int] = {}
        on_host = order.rows_on_host
        rows = (resident_on_host if on_host else resident)(graph, device)
        weights, weight = weights_of(graph, width, device, on_host=on_host)
        self._flags = xp.zeros(2, np.int32)  # lost, unfit
        self._given: dict[str, Any] = {
            "n": graph.n,
            "columns": self.columns,
            "targets": None if targets is None else device.put(np.asarray(targets, np.int64)),
            "indptr": rows.indptr,
            "indices": rows.indices,
            "weights": weights,
            "weight": weight,
            "cutoff": largest_within(order.problem.cutoff, width),
            "lost": None if width.proven and kind == "pair_rows" else self._flags[:1],
            "unfit": self._flags[1:],
        }

    def launch(self, blocks: int, into: Array, **given: Any) -> None:
        """Launch the kernel for the rows of a batch."""
        given |= self._given | self._places(into) | {"rows": len(into)}
        self.device.launch(self.kernel, blocks, *self.kernel.arguments(**given))

    def lost(self) -> bool:
        """Return whether a sum did not fit the labels; waits for launches unless all sums fit."""
        if self.width.proven and self._roomy:
            return False
        lost, unfit = self.device.get(self._flags).tolist()
        self._flags.fill(0)
        if unfit and not lost:
            msg = "a distance does not fit int32"
            raise OverflowError(msg)
        return bool(lost)

    def _places(self, into: Array) -> dict[str, Array]:
        """Return the kernel's parameter for output rows of this type, with the rows."""
        self._roomy = into.dtype.itemsize >= self.label.itemsize
        if into.dtype == self.label:
            return {"same": into}
        return {"wide" if into.dtype == np.int64 else "small": into}
