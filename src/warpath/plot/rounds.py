"""A trace as steps over its rounds, few enough to be drawn."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warpath.base.dtypes import Array
    from warpath.results.trace import Round, Trace

#: Steps that a panel shows; more rounds are joined, with their range.
MOST_STEPS = 600
_MOST_SIZES = 4  # kinds of waiting vertices told apart before numbered ones are added up
_NUMBERED = re.compile(r"(.*\S)\s+\d+")


@dataclass(frozen=True)
class Steps:
    """One quantity over the rounds: its mean in each step, and how far single rounds stray."""

    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Rounds:
    """A trace as drawn.

    Attributes
    ----------
    edges : (s + 1,), where the steps begin and end, counted in rounds.
    joined : how many rows a step stands for at most.
    sizes : vertices selected and waiting, by name.
    work : edges relaxed and labels lowered.
    seconds : time of a round, by step of the loop.
    """

    edges: Array
    joined: int
    sizes: dict[str, Steps]
    work: dict[str, Steps]
    seconds: dict[str, Steps]


def rounds_of(trace: Trace) -> Rounds:
    """Return a trace as steps.

    A row that is no round (a far pile that is split) belongs to the round before it: its time is
    added, and what waits is what waits after it. A row of many rounds is drawn as their mean.

    Raises
    ------
    InputError
        If the trace has no rounds.
    """
    lengths = np.array([one.rounds for one in trace], np.int64)
    if not lengths.sum():
        msg = "the trace has no rounds, so there is nothing to draw."
        raise InputError(msg)
    row = np.maximum(np.cumsum(lengths > 0) - 1, 0)
    lengths = lengths[lengths > 0]
    edges = np.concatenate([[0], np.cumsum(lengths)])
    first = _first_rows(edges)
    spans = np.diff(edges[np.append(first, len(lengths))])

    def steps(values: Array) -> Steps:
        mean = np.add.reduceat(values * lengths, first) / spans
        return Steps(mean, np.minimum.reduceat(values, first), np.maximum.reduceat(values, first))

    def added(values: list[float]) -> Steps:
        return steps(np.bincount(row, values, len(lengths)) / lengths)

    def last(values: list[float]) -> Steps:
        kept = np.zeros(len(lengths))
        kept[row] = values  # of several rows for one round the last one stays
        return steps(kept)

    sizes = _waiting(trace)
    names = dict.fromkeys(name for one in sizes for name in one)
    parts = dict.fromkeys(name for one in trace for name in one.seconds)
    return Rounds(
        edges[np.append(first, len(lengths))],
        int(np.diff(np.append(first, len(lengths))).max()),
        {"selected": added([one.selected for one in trace])}
        | {name: last([one.get(name, 0) for one in sizes]) for name in names},
        {
            "relaxed": added([one.relaxed for one in trace]),
            "improved": added([one.improved for one in trace]),
        },
        {name: added([one.seconds.get(name, 0) for one in trace]) for name in parts},
    )


def _first_rows(edges: Array) -> Array:
    """Return the first row of each step: every row, or those where a new stretch begins."""
    count = len(edges) - 1
    if count <= MOST_STEPS:
        return np.arange(count)
    cuts = np.linspace(0, edges[-1], MOST_STEPS, endpoint=False)
    return np.unique(np.minimum(np.searchsorted(edges, cuts), count - 1))


def _waiting(trace: Trace) -> list[Mapping[str, int]]:
    """Return the sizes of each row; with many kinds, numbered ones (buckets) are added up."""
    kinds = {name for one in trace for name in one.sizes}
    if len(kinds) <= _MOST_SIZES:
        return [one.sizes for one in trace]
    return [_added_up(one) for one in trace]


def _added_up(one: Round) -> Counter[str]:
    total: Counter[str] = Counter()
    for name, size in one.sizes.items():
        numbered = _NUMBERED.fullmatch(name)
        total[f"{numbered[1]}s" if numbered else name] += size
    return total
