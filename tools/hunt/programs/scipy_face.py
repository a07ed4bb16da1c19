"""Calls of `warpath.csgraph` and of `scipy.sparse.csgraph` on the same random matrices."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.program import Counts, Finding, Program
from warpath import csgraph as ours

if TYPE_CHECKING:
    from hunt.programs._scipy_calls import Call, Outcome

_CALLS = 12  # with one matrix
#: Differences that may be intended; types, shapes and warnings must always be SciPy's.
_MAY_BE_ANNOUNCED = frozenset(
    {"one raises", "the exceptions are of different classes", "the distances differ"}
)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Compare some calls of both modules with one matrix."""
    from hunt.programs._scipy_calls import random_call
    from hunt.programs._scipy_matrices import random_matrix

    pick = Random(int(rng.integers(2**62)))  # noqa: S311 - faster than rng for one number
    matrix = random_matrix(rng, pick)
    for _ in range(_CALLS):
        compare(random_call(pick, matrix), counts)


def compare(call: Call, counts: Counts) -> None:
    """Raise `Finding` if a call differs from SciPy's in a way that is not announced."""
    from scipy.sparse import csgraph as theirs

    from hunt.programs._scipy_differences import (
        DIFFERENCES,
        argument_of_scipy,
        scipy_can_be_asked,
    )
    from hunt.programs._scipy_matrices import content

    counts["calls"] += 1
    given = call.matrix.make()
    before = content(given)
    mine = call.on(ours, given)
    if not call.options.get("overwrite") and content(given) != before:
        msg = f"the caller's matrix was changed: {call}"
        raise Finding(msg)
    broken = _broken(mine)
    if broken:
        msg = f"{broken}\n{call}\nours: {_shown(mine)}"
        raise Finding(msg)
    if not scipy_can_be_asked(call):
        counts["not asked of SciPy"] += 1
        return
    other = call.on(theirs, argument_of_scipy(call))
    what = _difference(mine, other)
    if not what:
        return
    if what in _MAY_BE_ANNOUNCED and any(one.covers(call, mine, other) for one in DIFFERENCES):
        counts["announced differences"] += 1
        return
    msg = f"{what}\n{call}\nours: {_shown(mine)}\nSciPy's: {_shown(other)}"
    raise Finding(msg)


def _difference(mine: Outcome, other: Outcome) -> str:
    """Return the way in which two outcomes differ, "" for none."""
    if mine.error is None and other.error is None:
        return _difference_of_answers(mine, other)
    if mine.error is None or other.error is None:
        return "one raises"
    same = isinstance(mine.error, type(other.error))
    return "" if same else "the exceptions are of different classes"


def _difference_of_answers(mine: Outcome, other: Outcome) -> str:
    if mine.warnings != other.warnings:
        return "the warnings differ"
    if [*map(type, mine.parts)] != [*map(type, other.parts)]:
        return "the types differ"
    kinds = ([(part.dtype, part.shape) for part in each.parts] for each in (mine, other))
    if next(kinds) != next(kinds):
        return "the types of entries or the shapes differ"
    first, second = mine.parts[0], other.parts[0]
    if not isinstance(first, np.ndarray):
        return "" if _same_rows(first, second) else "the trees differ"
    return "" if np.array_equal(first, second, equal_nan=True) else "the distances differ"


def _same_rows(one: Any, two: Any) -> bool:
    return all(
        getattr(one, name).dtype == getattr(two, name).dtype
        and np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name == "data")
        for name in ("data", "indices", "indptr")
    )


def _broken(mine: Outcome) -> str:
    """Return the rule that our answer breaks, independently of SciPy's; "" for none.

    That predecessors are trees of shortest paths is a property that the tests state.
    """
    if mine.error is not None:
        documented = (ValueError, TypeError, OverflowError, IndexError, ours.NegativeCycleError)
        return "" if isinstance(mine.error, documented) else "an exception that is not documented"
    arrays = [part for part in mine.parts if isinstance(part, np.ndarray)]
    return "" if all(each.flags.writeable for each in arrays) else "an answer cannot be written to"


def _shown(outcome: Outcome) -> str:
    answer = repr(outcome.error) if outcome.error is not None else repr(outcome.parts)
    warned = [f"{kind.__name__}: {text}" for kind, text in outcome.warnings]
    return f"{answer}{' with the warnings ' + repr(warned) if warned else ''}"


PROGRAM = Program(
    summary="SciPy's functions by warpath.csgraph and by SciPy, with odd matrices and arguments.",
    trial=trial,
    hang=60.0,
    packages=("scipy",),
)
