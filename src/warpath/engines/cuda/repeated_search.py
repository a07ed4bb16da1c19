"""Repeated searches of one graph by a single-launch kernel, whose arguments are prepared once.

A solve of a tiny graph takes some twenty microseconds. Preparing thirty arguments of a launch takes
as long, so a flight keeps a prepared launch, of which only the source and the output change.
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
    flights : flights with the kernel's buffers.
    kernel : a kernel with parameters ``source``, ``halt`` and ``status``.
    blocks : computes the number of blocks from the buffers.
    given : computes the other arguments by name from the buffers; missing ones are null or 0.
    answer : length and type of the labels.
    out : name of the parameter for the labels.
    """

    nbytes = 0  # the buffers belong to the flights

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
        self._mark = object()  # a flight that referred to the search would make a reference cycle
        self._blocks = blocks
        self._given = given
        self._empty = flights.device.xp.empty
        self._answer = answer
        self._source, self._out = kernel.position("source"), kernel.position(out)

    def __call__(self, source: int) -> tuple[Array, list[int]]:
        """Return new labels on the device and the kernel's status words."""
        labels: Array = self._empty(*self._answer)
        with self.flights.take() as own:
            if own.ready_for is not self._mark:
                self._prepare(own)
            launch = own.prepared
            launch.change(self._source, source)
            launch.change(self._out, labels)
            return labels, own.launch_and_wait(launch)

    def _prepare(self, own: Any) -> None:
        given = self._given(own.buffers) | {"halt": own.halt, "status": own.status}
        values = self._kernel.arguments(**given)
        own.prepared = self.flights.device.prepared(
            self._kernel, self._blocks(own.buffers), *values
        )
        own.ready_for = self._mark
