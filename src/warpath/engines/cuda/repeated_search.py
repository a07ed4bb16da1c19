"""Searches of one graph by a kernel that solves alone: what stays the same is made ready once.

A tiny graph is solved in some twenty microseconds. To name thirty arguments and to find their bytes
takes as long, so a flight keeps them as they were launched, and two change: source and answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from warpath.base.dtypes import Array
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.cuda.flight import Flights


class Search:
    """Launches a kernel from any source. Holds no reference to the graph, which owns it.

    Parameters
    ----------
    flights : whose buffers the kernel works with.
    kernel : what is launched; it has parameters ``source``, ``halt`` and ``status``.
    blocks : of a launch, computed from the buffers.
    given : the other arguments by name, computed from the buffers; null or 0 where none is named.
    answer : the length and the type of the labels.
    out : the parameter that takes them.
    """

    nbytes = 0  # what it launches with is kept elsewhere

    def __init__(
        self,
        flights: Flights,
        kernel: Kernel,
        blocks: Callable[[Any], int],
        given: Callable[[Any], dict[str, Any]],
        answer: tuple[int, np.dtype[Any]],
        out: str = "dist",
    ) -> None:
        self.flights = flights
        self._kernel = kernel
        self._mark = object()  # a flight that knew the search would keep it in a circle
        self._blocks = blocks
        self._given = given
        self._empty = flights.device.xp.empty
        self._answer = answer
        names = [name for name, _ in kernel.params]
        self._source, self._out = names.index("source"), names.index(out)

    def __call__(self, source: int) -> tuple[Array, list[int]]:
        """Return the labels, new on the device, and the kernel's words."""
        labels: Array = self._empty(*self._answer)
        with self.flights.take() as own:
            if own.ready_for is not self._mark:
                self._prepare(own)
            launch = own.launch
            launch.change(self._source, source)
            launch.change(self._out, labels)
            return labels, own.fly(launch)

    def _prepare(self, own: Any) -> None:
        given = self._given(own.buffers) | {"halt": own.halt, "status": own.status}
        values = self._kernel.arguments(**given)
        own.launch = self.flights.device.prepared(self._kernel, self._blocks(own.buffers), *values)
        own.ready_for = self._mark
