"""Measure solvers, which take turns on the same sources; answers are compared untimed."""

from __future__ import annotations

import gc
import os
import platform
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import provenance, system
from warpath.base.errors import VerificationError
from warpath_bench.lines import is_ours
from warpath_bench.right import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from warpath.base.dtypes import Array
    from warpath_bench.right import Right

    Line = dict[str, Any]
    #: A result as (n,) distances, our (n,) predecessors, and the algorithm that ran.
    Answer = tuple[Array, Array | None, str | None]


_MOST_HELD = 2**26  # bytes of answers that wait to be compared
_CLOSE = 1.5  # a smaller speedup over the best peer is close: both are measured again,
_AGAIN = 4, 12  # at least and at most so many times,
_AGAIN_FOR = 2.0  # for at most so many seconds
_WARM = 5e-2  # minimum seconds of warming up a solver
_WAITING = 2**18  # bytes of distances whose results wait: more would take fresh memory


@dataclass
class Found:
    """The results of a solver from one source.

    Attributes
    ----------
    times : milliseconds of its solves.
    wrong, off : the largest number of wrong distances in a solve, and the largest error.
    other_tree : whether predecessors differed from the certified tree.
    plan, totals : the algorithm that ran, and the totals of its rounds, if reported.
    """

    times: list[float] = field(default_factory=list)
    wrong: int = 0
    off: float = 0.0
    other_tree: bool = False
    plan: str | None = None
    totals: dict[str, Any] | None = None

    def line(self) -> Line:
        """Return its entries of a line: ``ms``, or ``error`` if an answer is wrong."""
        told: Line = {"times": self.times, "plan": self.plan, "totals": self.totals}
        if self.wrong:
            by = "" if np.isinf(self.off) else f", by up to {self.off:.4g}"
            told |= {"wrong": self.wrong, "error": f"{self.wrong:,} distances are wrong{by}"}
        elif self.other_tree:
            told |= {"error": "the predecessors are not those of the certified tree"}
        else:
            told["ms"] = median(self.times)
        return told | {"verified": "error" not in told}


class Entrant:
    """A solver on a graph, on some threads, with or without predecessors.

    Attributes
    ----------
    found : its results by source.
    error : why it was stopped; None if it was not.
    about : further entries of its lines.
    """

    def __init__(self, name: str, threads: int, *, tree: bool, about: dict[str, Any]) -> None:
        self.name, self.threads, self.tree = name, threads, tree
        self.found: dict[int, Found] = {}
        self.error: str | None = None
        self.about = about

    def turn(self, right: Mapping[int, Right]) -> None:
        """Solve from each source once more, and compare the answers."""
        raise NotImplementedError

    def compare(self, right: Right, source: int, dist: Array) -> None:
        """Compare the distances from a source, and note wrong ones."""
        kept = self.found[source]
        wrong, off = right.wrong(dist)
        kept.wrong, kept.off = max(kept.wrong, wrong), max(kept.off, off)


class Local(Entrant):
    """A solver in this process.

    Parameters
    ----------
    solve : source -> result; this is timed.
    answer : result -> distances, predecessors to compare with the certified tree or None, and the
        algorithm that ran; untimed.
    budget : seconds for its solves, of which at least one is made. None: no limit.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        *,
        tree: bool,
        solve: Callable[[int], Any],
        answer: Callable[[Any], Answer],
        budget: float | None,
        about: dict[str, Any],
    ) -> None:
        super().__init__(name, threads, tree=tree, about=about | {"budget_s": budget})
        self._solve, self._answer = solve, answer
        self._left = np.inf if budget is None else budget
        self._last = 0.0  # the seconds of the last solve
        self._together = 1  # number of successive solves before their results are converted
        self._held: list[tuple[int, Array, bytes | None]] = []  # answers not compared yet

    def turn(self, right: Mapping[int, Right]) -> None:
        """Solve from each source once more, within the budget, and compare the answers.

        Solves follow each other immediately, as those of a command do. Comparing evicts the caches,
        so it waits until all solves are done or the answers take much memory. Even the conversion
        of small results waits, but not so long that later results use memory that is touched for
        the first time: a command frees the memory after each solve.
        """
        if self.error is not None:
            return
        sources = list(self.found) or list(right)
        waiting: list[tuple[int, float, Any]] = []
        with self._told():
            if not self.found:
                self._warm_up(sources[0])
            for source in sources:
                if (self.found or waiting) and self._left < self._last:
                    break
                seconds, found = self._timed(source)
                self._last = seconds
                self._left -= seconds
                waiting.append((source, seconds, found))
                del found
                if len(waiting) >= self._together:
                    self._keep(waiting)
                if sum(dist.nbytes for _, dist, _ in self._held) > _MOST_HELD:
                    self._compare(right)
        with self._told():
            self._keep(waiting)
        self._compare(right)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Record a solver's exception as its error; a wrong answer of ours ends the benchmark."""
        try:
            yield
        except VerificationError:
            raise
        except Exception as error:  # noqa: BLE001 - a peer may raise anything; its line has it
            self.error = f"{type(error).__name__}: {error}"

    def _warm_up(self, source: int) -> None:
        seconds, found = self._timed(source)
        self.about["first_ms"] = 1e3 * seconds
        self._last = seconds
        if seconds > self._left:  # the first solve counts; the budget allows no second one
            self._left -= seconds
            self._keep([(source, seconds, found)])
            return
        self._together = 1 + _WAITING // max(1, self._answer(found)[0].nbytes)
        del found
        spent = seconds
        while spent < _WARM:
            spent += self._timed(source)[0]

    def _keep(self, waiting: list[tuple[int, float, Any]]) -> None:
        while waiting:
            source, seconds, found = waiting.pop(0)
            dist, pred, plan = self._answer(found)
            kept = self.found.setdefault(source, Found())
            kept.times.append(1e3 * seconds)
            kept.plan = plan
            # Copied, so that the next solve can reuse the memory of this one's result.
            self._held.append((source, dist.copy(), None if pred is None else digest(pred)))

    def _compare(self, right: Mapping[int, Right]) -> None:
        for source, dist, tree in self._held:
            self.compare(right[source], source, dist)
            self.found[source].other_tree |= tree is not None and tree != right[source].tree
        self._held.clear()

    def _timed(self, source: int) -> tuple[float, Any]:
        return without_gc(lambda: self._solve(source))


def without_gc(
    call: Callable[[], Any], now: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Return the seconds of a call by a clock, and its result; as timeit, stop the collector.

    One peer's objects must not slow down another.
    """
    gc.disable()
    try:
        start = now()
        found = call()
        return now() - start, found
    finally:
        gc.enable()


def contest(entrants: Sequence[tuple[Entrant, Mapping[int, Right]]], repeats: int) -> None:
    """Let solvers take turns over all their sources, so that the machine's changes affect them all.

    A turn takes a second or less, and the speed of a shared processor may halve from one second to
    the next. Our solvers that are not far ahead of the best peer are therefore measured again with
    it, more often if their turns are short.
    """
    for _ in range(repeats):
        for entrant, right in entrants:
            entrant.turn(right)
    again = _close([entrant for entrant, _ in entrants])
    least, most = _AGAIN
    start = time.monotonic()
    for times in range(most if again else 0):
        if times >= least and time.monotonic() - start > _AGAIN_FOR:
            break
        for entrant, right in entrants:
            if entrant in again:
                entrant.turn(right)


def _close(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return our solvers that are not far ahead of the best peer, each followed by that peer."""
    right = [one for one in entrants if one.error is None and _is_right(one)]
    close: list[Entrant] = []
    for mine in filter(lambda one: is_ours(one.name), right):
        peers = [
            (_times_as_long(peer, mine), at)
            for at, peer in enumerate(right)
            if not is_ours(peer.name)
            and peer.threads <= mine.threads
            and peer.found.keys() & mine.found.keys()
        ]
        times, at = min(peers, default=(np.inf, 0))
        if times <= _CLOSE:
            close += [mine, right[at]]
    return close


def _is_right(entrant: Entrant) -> bool:
    return bool(entrant.found) and all(one.line()["verified"] for one in entrant.found.values())


def _times_as_long(peer: Entrant, mine: Entrant) -> float:
    """Return the ratio of a peer's time to ours, medians over the sources that both solved."""
    both = peer.found.keys() & mine.found.keys()
    theirs, ours = (median(median(one.found[s].times) for s in both) for one in (peer, mine))
    return theirs / ours


def machine() -> dict[str, str]:
    """Return the machine and the versions, as facts of measurements."""
    return {
        "machine": platform.processor() or platform.machine(),
        "processor": system.processor(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "warpath": version("warpath"),
    }


def facts_text(**more: str) -> str:
    """Return the machine, the versions and further facts as text."""
    return ", ".join(f"{key} {value}" for key, value in (machine() | more).items())


def commit() -> str:
    """Return the commit of the checkout, "" if there is none."""
    return provenance.commit() or ""


def gpu() -> Any:
    """Return the GPU, opened."""
    from warpath.engines.cuda.device import open_device

    return open_device("cuda")


def facts_of(devices: Sequence[str], commit: str) -> dict[str, str]:
    """Return the facts of measurements: the machine, the GPU if it is used, the commit."""
    facts = machine() | {"commit": commit}
    if "cuda" in devices:
        from warpath.engines.cuda.driver import versions

        facts |= {"gpu": gpu().model} | versions()
    return facts
