"""A trace reduced to a number of steps that can be drawn."""

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

#: Largest number of steps in a panel; with more rounds, a step shows the mean and range of several.
MOST_STEPS = 600
_MOST_SIZES = 4  # with more kinds of waiting vertices, numbered ones are added up
_NUMBERED = re.compile(r"(.*\S)\s+\d+")


@dataclass(frozen=True)
class StepSummary:
    """One quantity over the rounds: its mean, smallest and largest value in each step."""

    mean: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Rounds:
    """A trace in s steps.

    Attributes
    ----------
    edges : (s + 1,) boundaries of the steps, in rounds.
    joined : largest number of rows in a step.
    sizes : numbers of selected and waiting vertices, by name.
    work : numbers of edges read and of labels lowered.
    seconds : time of a round, by step of the loop.
    """

    edges: Array
    joined: int
    sizes: dict[str, StepSummary]
    work: dict[str, StepSummary]
    seconds: dict[str, StepSummary]


def rounds_of(trace: Trace) -> Rounds:
    """Return a trace as steps.

    A row that is not a round (a split of the far pile) is added to the round before it: their times
    are summed, and the sizes are those after the row. A row of many rounds is drawn as their mean.

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

    def steps(values: Array) -> StepSummary:
        mean = np.add.reduceat(values * lengths, first) / spans
        return StepSummary(
            mean, np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
        )

    def added(values: list[float]) -> StepSummary:
        return steps(np.bincount(row, values, len(lengths)) / lengths)

    def last(values: list[float]) -> StepSummary:
        kept = np.zeros(len(lengths))
        kept[row] = values  # of several rows for one round the last one is used
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
            "read": added([one.read for one in trace]),
            "improved": added([one.improved for one in trace]),
        },
        {name: added([one.seconds.get(name, 0) for one in trace]) for name in parts},
    )


def _first_rows(edges: Array) -> Array:
    """Return the first row of each step: every row, or the first of every group."""
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
