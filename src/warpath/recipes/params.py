"""The parameters of a recipe on a graph: checked, and filled with defaults."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError
from warpath.graph.checks import as_float, is_integer, shown

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.recipes.recipe import Recipe


def chosen_params(
    recipe: Recipe, facts: Facts, given: dict[str, Any], threads: int | None = None
) -> dict[str, float]:
    """Return the numbers that a recipe runs with on a graph: those given, else the defaults.

    Parameters
    ----------
    threads : how many it runs on, where it runs on a CPU.

    Raises
    ------
    InputError
        If one is not a parameter of the recipe, not above 0, or not whole where it must be.
    """
    known = {param.name: param for param in recipe.params}
    for name, value in given.items():
        if name not in known:
            some = ", ".join(sorted(known)) or "none"
            msg = f"params has {name!r}, but {recipe.name} takes {some}."
            raise InputError(msg)
        if not 0 < as_float(value) < math.inf:
            msg = f"params[{name!r}] = {shown(value)} must be a number above 0."
            raise InputError(msg)
        if known[name].whole and value != round(value):
            msg = f"params[{name!r}] = {value!r} must be a whole number."
            raise InputError(msg)
        most = known[name].most
        if most is not None and value > most:
            msg = f"params[{name!r}] = {value!r} must be at most {most}, {recipe.name} has no more."
            raise InputError(msg)
    given = {name: v if is_integer(v) else float(v) for name, v in given.items()}
    defaults = {p.name: p.default for p in recipe.params if p.default is not None}
    params = {n: round(v) if known[n].whole else v for n, v in (defaults | given).items()}
    if "delta" in known and ("delta" in given or not known["delta"].of_loop):
        low, high = _RANGE[facts.weight_dtype]
        unset = _default_delta(facts, known["delta"].default, threads)
        delta = min(max(given.get("delta", unset), low), high)
        params["delta"] = round(delta) if facts.integer else delta
    return params


# The least and the largest delta that the distances' type holds.
_RANGE = {
    "int32": (1, 2**62),
    "int64": (1, 2**62),
    "float32": (2.0**-126, 2.0**127),
    "float64": (2.0**-1022, 2.0**1023),
}


def _default_delta(facts: Facts, factor: float | None, threads: int | None) -> float:
    """Return the bucket width: a factor times mean weight over mean degree.

    Without a factor it falls with the degree: with few edges a vertex there is little work to
    waste, and fewer, fuller rounds win; half of it on one thread, for whom a round costs nothing,
    and a quarter where far targets make rounds few anyway. A hub is not to be scanned twice, and
    paths avoid the few heavy edges that may make the mean. On a small graph a round is so short
    that a team gains by half as many.
    """
    if facts.mean_weight <= 0:
        return 1.0
    base = facts.mean_weight / max(facts.mean_degree, 1.0)
    if factor is None:
        factor = min(max(_WIDE / max(facts.mean_degree, 1.0), 1.0), _WIDEST)
        hub = facts.max_degree**2 > _HUB**2 * facts.m
        if hub:
            factor = _NARROW
        if 0 < facts.light_weight * _HEAVY_TAIL < base:
            base = facts.light_weight
        if facts.scattered and not hub:
            factor /= 4
        elif threads == 1:
            factor /= 2
        if threads is not None and threads > 1 and facts.n < _SMALL:
            factor *= 2
    return factor * base


# Measured on graphs of 2.5 to 29 edges a vertex: docs/decisions/0018-one-source-on-a-cpu.md.
_WIDE = 32.0
_WIDEST = 16.0
_NARROW = 0.5
_HEAVY_TAIL = 16
_SMALL = 2**15  # vertices
_HUB = 3  # times the root of m: a vertex of more edges is one
