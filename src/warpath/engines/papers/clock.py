"""The rounds of a solve: counted always, timed and recorded when there is a trace."""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from warpath.results.trace import Round

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from warpath.engines.base import Order


class Clock:
    """Counts the rounds of an order.

    Attributes
    ----------
    rounds : how many ended.
    """

    def __init__(self, order: Order, synchronize: Callable[[], None] | None = None) -> None:
        self.order = order
        self.rounds = 0
        self._synchronize = synchronize or (lambda: None)
        self._seconds: dict[str, float] = {}

    @property
    def traced(self) -> bool:
        """Whether rounds are recorded."""
        return self.order.trace is not None

    def step(self, name: str) -> AbstractContextManager[None]:
        """Time a step of the round; without a trace, do nothing."""
        return self._timed(name) if self.traced else nullcontext()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        self._synchronize()
        start = time.perf_counter()
        yield
        self._synchronize()
        self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start

    def round(
        self, phase: str, selected: int, relaxed: int = 0, improved: int = 0, read: int = -1
    ) -> None:
        """End a round; what it did is recorded when there is a trace."""
        if self.order.trace is not None:
            row = Round(
                self.rounds, phase, selected, relaxed, improved, seconds=self._seconds, read=read
            )
            self.order.trace.add(row)
            self._seconds = {}
        self.rounds += 1

    def must_end_within(self, turns: int, taken: int) -> None:
        """Raise if a loop has taken more turns than its algorithm can.

        Only a faulty kernel gets there, which would otherwise loop for ever. Inexact recipes are
        not checked: their labels only fall, so they end.
        """
        if taken > turns and self.order.recipe.exact:
            msg = (
                f"{self.order.recipe.name} took {taken} turns on {self.order.graph.n} vertices, "
                f"and {turns} are enough: one of its kernels is at fault."
            )
            raise RuntimeError(msg)
