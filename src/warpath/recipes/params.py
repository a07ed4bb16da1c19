"""The parameters of a recipe for a graph: validation and defaults."""

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
    """Return the parameters of a run on a graph: the given ones, completed by defaults.

    Parameters
    ----------
    threads : number of threads on a CPU; None otherwise.

    Raises
    ------
    InputError
        If one is not a parameter of the recipe, not above 0, or not whole where it must be.
    """
    by_name = {param.name: param for param in recipe.params}
    for name, value in given.items():
        if name not in by_name:
            some = ", ".join(sorted(by_name)) or "none"
            msg = f"params has {name!r}, but {recipe.name} takes {some}."
            raise InputError(msg)
        if not 0 < as_float(value) < math.inf:
            msg = f"params[{name!r}] = {shown(value)} must be a number above 0."
            raise InputError(msg)
        if by_name[name].whole and value != round(value):
            msg = f"params[{name!r}] = {value!r} must be a whole number."
            raise InputError(msg)
        most = by_name[name].most
        if most is not None and value > most:
            msg = f"params[{name!r}] = {value!r} must be at most {most} for {recipe.name}."
            raise InputError(msg)
    given = {name: v if is_integer(v) else float(v) for name, v in given.items()}
    defaults = {p.name: p.default for p in recipe.params if p.default is not None}
    params = {n: round(v) if by_name[n].whole else v for n, v in (defaults | given).items()}
    if "delta" in by_name and ("delta" in given or not by_name["delta"].of_loop):
        low, high = _RANGE[facts.weight_dtype]
        unset = _default_delta(facts, by_name["delta"].default, threads)
        delta = min(max(given.get("delta", unset), low), high)
        params["delta"] = round(delta) if facts.integer else delta
    if "width" in by_name:
        _set_width(params, given, facts)
    return params


def _set_width(params: dict[str, float], given: dict[str, Any], facts: Facts) -> None:
    """Set the width of a bucket: the given one, in place of delta, or delta / buckets."""
    low, high = _RANGE[facts.weight_dtype]
    width = params["delta"] / params["buckets"]
    if "width" in given:
        if "delta" in given:
            msg = (
                f"params has 'width' = {given['width']!r} and 'delta' = {given['delta']!r}, but a "
                "width replaces delta, which is buckets x width then: leave one of them out."
            )
            raise InputError(msg)
        width = params["width"]
        del params["delta"]
    width = min(max(width, low), high)
    params["width"] = round(width) if facts.integer else width


# The smallest and the largest delta for each weight type.
_RANGE = {
    "int32": (1, 2**62),
    "int64": (1, 2**62),
    "float32": (2.0**-126, 2.0**127),
    "float64": (2.0**-1022, 2.0**1023),
}


def _default_delta(facts: Facts, factor: float | None, threads: int | None) -> float:
    """Return the bucket width: a factor times mean weight over mean degree.

    The default factor falls with the degree: with few edges per vertex, repeated relaxations cost
    little, and fewer, fuller rounds are faster. It is halved on one thread, where a round has no
    synchronization cost, and quartered if most edges join distant vertices, as rounds are few then.
    It is small with a hub, whose edges should not be scanned twice. If few heavy edges dominate the
    mean, the weight of light edges replaces it, as paths avoid heavy ones. It is doubled for a
    thread team on a small graph, whose rounds are so short that half as many are faster.
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


# Measured on graphs of 2.5 to 29 edges per vertex: docs/decisions/0018-one-source-on-a-cpu.md.
_WIDE = 32.0
_WIDEST = 16.0
_NARROW = 0.5
_HEAVY_TAIL = 16
_SMALL = 2**15  # vertices
_HUB = 3  # a hub has more than 3 * sqrt(m) edges
