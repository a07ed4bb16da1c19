"""Fit the constants of the planner's model to measured times, and judge its choices."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import require
from warpath.graph.facts import Facts
from warpath.planner.cpu_model import Size, cpu_seconds, kind_of, work
from warpath.recipes import CATALOGUE, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from warpath.recipes import Recipe

Constants = dict[str, dict[str, float]]

_ROUNDS = 6  # alternations between fitting the constants and the graphs' factors
_LEAST_ERROR = 0.1  # smaller errors get equal weights: a choice within a tenth is good
_OF_THREADS = ("share", "start")
_FEWEST = 4  # minimum number of measurements to fit a kind


class Timed(NamedTuple):
    """One candidate for one query, and the median of its times."""

    recipe: Recipe
    threads: int
    seconds: float


class Question(NamedTuple):
    """One query of a graph, and the times of its candidates."""

    graph: str
    part: str
    size: Size
    facts: Facts
    timed: tuple[Timed, ...]


class Choice(NamedTuple):
    """The planner's choice for a query, and the ratio of its time to the best candidate's."""

    ratio: float
    question: Question
    threads: int
    chosen: Timed
    best: Timed

    @property
    def good(self) -> bool:
        """Whether it is within a tenth of the best."""
        return self.ratio <= _GOOD


def question_of(line: Mapping[str, Any], most: int) -> Question:
    """Return the query of a line of measurements; KeyError or TypeError if it is not such a line.

    Candidates on more than `most` threads, and those of unknown recipes, are left out.
    """
    known = {recipe.name for recipe in CATALOGUE}
    timed = tuple(
        Timed(CATALOGUE[name], threads, milliseconds / 1e3)
        for name, threads, milliseconds, _ in line["candidates"]
        if name in known and threads <= most
    )
    facts = Facts(**line["facts"])
    size = Size(Task(line["task"]), line["sources"], facts.n, line["entry"])
    return Question(line["graph"], line["part"], size, facts, timed)


def fitted(questions: Sequence[Question], before: Mapping[str, Mapping[str, float]]) -> Constants:
    """Return the constants that explain the times best; kinds without measurements keep theirs.

    Choices depend only on ratios between candidates on one graph. Effects of a graph on all of
    them, such as cache misses that the facts do not predict, are therefore divided out. The
    constants are fitted to times divided by the graph's factor, and this factor is the median of
    times divided by predictions, alternately.
    """
    factors = [1.0] * len(questions)
    found: Constants = {}
    for _ in range(_ROUNDS):
        rows: dict[str, list[tuple[dict[str, float], float]]] = defaultdict(list)
        for question, factor in zip(questions, factors, strict=True):
            for one in question.timed:
                if one.threads == 1:
                    kind = kind_of(one.recipe, question.size, question.facts)
                    amounts = work(kind, question.size, question.facts)
                    rows[kind].append((amounts, one.seconds / factor))
        found = {kind: _of_kind(each) for kind, each in rows.items() if len(each) >= _FEWEST}
        factors = [_factor(question, found) for question in questions]
        middle = median(factors)
        factors = [factor / middle for factor in factors]
    together = _threads(questions, found)
    for kind in found:
        known = before.get(kind, {})
        kept_of_threads = {name: known[name] for name in _OF_THREADS if name in known}
        found[kind] |= together.get(kind, kept_of_threads)
    kept = {kind: dict(of_kind) for kind, of_kind in before.items() if kind not in found}
    return dict(sorted((kept | found).items()))


def _of_kind(rows: Sequence[tuple[Mapping[str, float], float]]) -> dict[str, float]:
    names = list(rows[0][0])
    amounts = np.array([[row[name] for name in names] for row, _ in rows])
    values = least_relative_errors(amounts, np.array([seconds for _, seconds in rows]))
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def least_relative_errors(amounts: NDArray[Any], seconds: NDArray[Any]) -> NDArray[Any]:
    """Return x >= 0 that minimizes the sum of relative errors of amounts @ x against seconds.

    Reweighted least squares minimize the sum of errors, not of their squares, so that single times
    that the model cannot explain, or that were disturbed, do not distort the fit.
    """
    optimize = require("scipy.optimize", extra="test", what="Fitting")
    relative = amounts / seconds[:, None]
    # Amounts differ by a factor of 10^9; scaling keeps the least squares accurate.
    scale = np.maximum(relative.max(axis=0), np.finfo(float).tiny)
    relative /= scale
    weights = np.ones(len(seconds))
    for _ in range(_REWEIGHTED):
        root = np.sqrt(weights)
        values = optimize.nnls(relative * root[:, None], root)[0]
        errors = np.abs(np.log(np.maximum(relative @ values, 1e-9)))
        weights = 1 / np.maximum(errors, _LEAST_ERROR)
    found: NDArray[Any] = values / scale
    return found


_REWEIGHTED = 20


def _factor(question: Question, constants: Constants) -> float:
    """Return the median ratio of times on a graph to those that the constants predict."""
    ratios = [
        one.seconds / predicted
        for one in question.timed
        if one.threads == 1
        if kind_of(one.recipe, question.size, question.facts) in constants
        if (predicted := _of_all(one, question, constants)) > 0
    ]
    return median(ratios) if ratios else 1.0


def _of_all(one: Timed, question: Question, constants: Constants) -> float:
    """Return the predicted core-seconds of all threads together."""
    kind = kind_of(one.recipe, question.size, question.facts)
    amounts = work(kind, question.size, question.facts, one.threads)
    return sum(constants[kind][name] * amount for name, amount in amounts.items())


def _threads(questions: Iterable[Question], constants: Constants) -> Constants:
    """Return, for each kind, the share of a core that a further thread adds, and its start-up time.

    The time on k threads is t / (1 + (k - 1) share) + (k - 1) start, where t is the time on one
    thread times the ratio of the work of k threads to that of one.
    """
    rows: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for question in questions:
        alone = {one.recipe.name: one for one in question.timed if one.threads == 1}
        for one in question.timed:
            if one.threads == 1 or one.recipe.name not in alone:
                continue
            kind = kind_of(one.recipe, question.size, question.facts)
            same = kind == kind_of(one.recipe, question.size, question.facts, one.threads)
            if same and kind in constants:
                first = alone[one.recipe.name]
                more = _of_all(one, question, constants) / _of_all(first, question, constants)
                rows[kind].append((more * first.seconds, one.seconds, one.threads))
    return {kind: _share(each) for kind, each in rows.items() if len(each) >= _FEWEST}


def _share(rows: Sequence[tuple[float, float, int]]) -> dict[str, float]:
    """Fit share and start: try values of the share, and for each several values of the start."""
    alone, together, threads = (np.array(column, float) for column in zip(*rows, strict=True))
    best = (math.inf, 0.0, 0.0)
    for share in np.linspace(0, 1, 51):
        rest = np.maximum(together - alone / (1 + (threads - 1) * share), 0) / (threads - 1)
        for start in np.quantile(rest, (0.1, 0.25, 0.5, 0.75)):
            predicted = alone / (1 + (threads - 1) * share) + (threads - 1) * start
            error = float(np.abs(np.log(predicted / together)).mean())
            best = min(best, (error, float(share), float(start)))
    return {"share": best[1], "start": best[2]}


def judged(
    questions: Iterable[Question], threads: int, constants: Mapping[str, Mapping[str, float]]
) -> list[Choice]:
    """Return the planner's choices on `threads` threads, for queries with several candidates.

    The best is the fastest measured candidate that the planner may choose: for floats, algorithms
    that add in another order are excluded.
    """
    choices = []
    for question in questions:
        able = [one for one in question.timed if one.threads <= threads]
        able = [one for one in able if question.facts.integer or not one.recipe.reassociates]
        if len(able) < 2:
            continue

        def predicted(one: Timed, asked: Question = question) -> float:
            return cpu_seconds(one.recipe, asked.size, asked.facts, one.threads, constants)

        chosen = min(able, key=predicted)
        best = min(able, key=lambda one: one.seconds)
        choices.append(Choice(chosen.seconds / best.seconds, question, threads, chosen, best))
    return choices


_GOOD = 1.1
