"""Weights in a unit, from weights and kept columns whose units are known, and from speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import GraphError
from warpath.base.units import SCALES, symbol_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.graph.csr_graph import CsrGraph

#: Names of kept columns of speeds, and the seconds for a metre at a speed of 1.
SPEEDS = {
    **dict.fromkeys(("speed_kph", "speed_kmh", "speed_km_h", "kph", "kmh", "maxspeed"), 3.6),
    **dict.fromkeys(("speed_mph", "mph"), 3600 / 1609.344),
}
_NOUNS = {"s": "times", "m": "lengths"}


def weights_in(graph: CsrGraph, unit: str) -> NDArray[np.float64]:
    """Return the weight of each edge in a unit of lengths or times, (m,).

    They are the graph's own weights if these are of this kind; else the first kept column that is;
    for times also lengths divided by speeds.

    Parameters
    ----------
    unit : a word or symbol that `symbol_of` knows.

    Raises
    ------
    GraphError
        If the graph has no such weights and columns, or a speed is not above 0.
    """
    symbol = symbol_of(unit)
    assert symbol is not None  # noqa: S101 - checked by the caller
    base, factor = SCALES[symbol]
    values = _measured(graph, base)
    if values is None and base == "s":
        values = _seconds_by_speed(graph)
    if values is None:
        columns = [] if graph.given is None else list(graph.given.columns)
        names = (
            f"the kept columns are {', '.join(map(repr, columns))}"
            if columns
            else "there are no kept columns"
        )
        speeds = ", nor lengths with a column of speeds, such as speed_kph" if base == "s" else ""
        msg = (
            f"weights={unit!r}: the graph has no weights or kept column of {_NOUNS[base]} whose "
            f"unit is known{speeds}; {names}. Keep such a column by attributes=[...], or state the "
            "unit of the weights by graph.with_weights(graph.weights, unit='s'), or 'm', 'h', 'km'."
        )
        raise GraphError(msg)
    return values if factor == 1 else values / factor


def _measured(graph: CsrGraph, base: str) -> NDArray[np.float64] | None:
    """Return lengths in metres or times in seconds, of the weights or a kept column."""

    def factor_of(unit: str | None) -> float | None:
        symbol = symbol_of(unit)
        return SCALES[symbol][1] if symbol and SCALES[symbol][0] == base else None

    factor = factor_of(graph.unit)
    if factor is not None and graph.weights is not None:
        return graph.weights.astype(np.float64) * factor
    if graph.given is None:
        return None
    for name, unit in graph.given.units.items():
        factor = factor_of(unit)
        if factor is not None and name in graph.given.columns:
            values: NDArray[np.float64] = graph.given.column(name).astype(np.float64) * factor
            return values
    return None


def _seconds_by_speed(graph: CsrGraph) -> NDArray[np.float64] | None:
    """Return lengths divided by the speeds of a kept column; None without one of both."""
    metres = _measured(graph, "m")
    if metres is None or graph.given is None:
        return None
    name = next((name for name in graph.given.columns if name.lower() in SPEEDS), None)
    if name is None:
        return None
    speeds = graph.given.column(name)
    if speeds.dtype.kind not in "iuf":
        msg = f"the speeds of the kept column {name!r} are {speeds.dtype}: numbers are needed."
        raise GraphError(msg)
    wrong = np.flatnonzero(~((speeds > 0) & (speeds < np.inf)))  # NaN is neither
    if len(wrong):
        msg = (
            f"the speed of edge {wrong[0]} in the kept column {name!r} is {speeds[wrong[0]]}: a "
            "time needs finite speeds above 0. Fill in the others before the graph is made."
        )
        raise GraphError(msg)
    seconds: NDArray[np.float64] = metres * SPEEDS[name.lower()] / speeds
    return seconds
