"""Time limits of solves, and the reasons why a recipe has no times on a graph."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.base.errors import WarpathError
from warpath.engines.papers.clock import Clock
from warpath.recipes.axes import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from warpath.graph import Graph
    from warpath.recipes import Recipe, Task

    Line = dict[str, Any]

_WIDEST_MATRIX = 20_000  # vertices
_SHORT = 1.0  # seconds; a shorter run is timed three times


class TimeIsUpError(Exception):
    """A solve reached its time limit after `rounds` rounds; None if it counts none."""

    def __init__(self, rounds: int | None) -> None:
        super().__init__(f"stopped after {rounds} rounds")
        self.rounds = rounds


def outcome(
    recipe: Recipe, task: Task, graph: Graph, limit: float, measure: Callable[[], Line]
) -> Line:
    """Return what `measure` returns, or in its place the reason why there are no times.

    Returns
    -------
    refused : why the recipe cannot solve this.
    limit, rounds_made : the time limit in seconds, and the rounds until then.
    failed : the error.
    """
    refused = recipe.objection(task, graph.facts(symmetry=False)) or _too_wide(recipe, graph)
    if refused is not None:
        return {"refused": refused}
    try:
        return measure()
    except TimeIsUpError as stopped:
        return {"limit": limit, "rounds_made": stopped.rounds}
    except (WarpathError, MemoryError) as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def _too_wide(recipe: Recipe, graph: Graph) -> str | None:
    """Return why a recipe's matrix is too large, or None if it is not or there is no matrix."""
    if recipe.axes is None or recipe.axes.layout is not Layout.DENSE or graph.n <= _WIDEST_MATRIX:
        return None
    return f"its matrix would take {units.size(graph.n**2 * graph.dist_dtype.itemsize)}"


def clocked(call: Callable[..., Any], *given: Any, **options: Any) -> tuple[float, Any]:
    """Return the seconds that a call takes, and what it returns."""
    start = time.perf_counter()
    found = call(*given, **options)
    return time.perf_counter() - start, found


def several(once: Callable[[], tuple[float, Any]]) -> tuple[list[float], Any]:
    """Run once to warm up and, if that was short, three times more; return times and answer."""
    seconds, found = once()
    if seconds >= _SHORT:
        return [seconds], found
    runs = [once() for _ in range(3)]
    return [each for each, _ in runs], runs[-1][1]


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUpError` in the body when the time is over, between two steps of Python.

    The error is raised again every second, because Python only prints an exception in a finaliser.
    An error in the few lines of Python before or after the body leaves the timer running: the next
    alarm then finds that the body is not running, and stops the timer.
    """
    body = sys._getframe(2)  # noqa: SLF001 - the frame of the ``with``, above contextlib's own
    before = signal.getsignal(signal.SIGALRM)

    def stop(_signal: int, frame: FrameType | None) -> None:
        if body in _frames(frame):
            raise TimeIsUpError(_rounds_at(frame))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # an alarm may interrupt the line above; the next one comes only after a second
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and all its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _rounds_at(frame: FrameType | None) -> int | None:
    """Return the rounds of the solve that runs in a frame or one of its callers."""
    for each in _frames(frame):
        for value in list(each.f_locals.values()):
            if isinstance(value, Clock):
                return value.rounds
    return None
