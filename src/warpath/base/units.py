"""Durations, sizes and numbers as readable text, and quantities with a unit as numbers."""

from __future__ import annotations

import re

#: The base unit and the factor of each unit of lengths and times.
SCALES: dict[str, tuple[str, float]] = {
    "m": ("m", 1),
    "km": ("m", 1000),
    "mi": ("m", 1609.344),
    "s": ("s", 1),
    "min": ("s", 60),
    "h": ("s", 3600),
}
#: The words for these units.
_WORDS = {
    "m": ("metres", "meters", "metre", "meter"),
    "km": ("kilometres", "kilometers", "kilometre", "kilometer"),
    "mi": ("miles", "mile"),
    "s": ("seconds", "second", "sec", "secs"),
    "min": ("minutes", "minute", "mins"),
    "h": ("hours", "hour", "hr", "hrs"),
}
_SYMBOLS = {word: symbol for symbol, words in _WORDS.items() for word in (symbol, *words)}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")

#: What a quantity can be, in the words of a message.
QUANTITIES = "a number, 0 or more, perhaps with a unit (m, km, mi, s, min or h), such as '10min'"


def symbol_of(unit: str | None) -> str | None:
    """Return the symbol of a unit of lengths or times, ``min`` for ``minutes``; None for others."""
    return _SYMBOLS.get(unit) if isinstance(unit, str) else None


def unit_of_column(name: object) -> str | None:
    """Return the unit that the name of a column is, such as ``Minutes``; None for others.

    Names of one letter mean no unit: ``m`` and ``h`` are often other quantities.
    """
    return symbol_of(name.lower()) if isinstance(name, str) and len(name) > 1 else None


def is_quantity(text: str) -> bool:
    """Return whether a text is a number with a unit, such as ``10min`` or ``2.5 km``."""
    return _QUANTITY.fullmatch(text) is not None


def quantity(text: str, unit: str | None) -> float:
    """Return a quantity, such as ``10min``, in the unit of a graph's weights.

    Parameters
    ----------
    unit : as in `measure`; of other units than lengths and times only quantities of that very unit
        are known.

    Raises
    ------
    ValueError
        If the text is no quantity, or not one of that unit; the message says what is possible.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"must be {QUANTITIES}")
    if unit is None:
        raise ValueError("has a unit, but the graph's weights have none: give a number")
    own = symbol_of(unit)
    factors: dict[str, float] = {unit: 1}
    if own is not None:
        factors = {name: by for name, (base, by) in SCALES.items() if base == SCALES[own][0]}
    given = match[2] if match[2] in factors else symbol_of(match[2])
    if given not in factors:
        known = ", ".join(factors)
        raise ValueError(f"must be in a unit of the graph's weights, which are in {unit}: {known}")
    from fractions import Fraction  # slow to import, and rarely needed

    # In binary, 1.005 * 1000 is below 1005, and an integer graph would take 1004 for it.
    value = Fraction(match[1]) * Fraction(str(factors[given]))
    value /= Fraction(str(factors[unit if own is None else own]))
    return int(value) if value.denominator == 1 else float(value)


def seconds(value: float) -> str:
    """Return a duration with three digits: ``12.3 ms``, ``1.23 s``."""
    if value < 0.9995e-3:
        return f"{value * 1e6:.3g} us"
    return f"{value * 1e3:.3g} ms" if value < 0.9995 else f"{value:.3g} s"


def clock(value: float) -> str:
    """Return a waiting time: ``12 s``, ``3:05 min``, ``2:10 h``."""
    whole = max(1, round(value))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600:,}:{whole % 3600 // 60:02} h"


def digits(value: float) -> str:
    """Return a number with three digits and no exponent: ``1.29``, ``17,138``."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def number(value: float) -> str:
    """Return a number with all digits of an integer, or six of a float: ``1,234``, ``0.5``."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


def ordinal(place: int) -> str:
    """Return an ordinal from the second on: ``2nd``, ``4th``."""
    return {2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def length(value: float) -> str:
    """Return a distance: all digits of an integer, three digits of a float."""
    return f"{value:,}" if isinstance(value, int) else digits(value)


def size(count: float) -> str:
    """Return a number of bytes in binary units: ``3.4 GiB``."""
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:.1f} TiB"


def measure(value: float, unit: str | None) -> str:
    """Return a length in the unit of a graph's weights: ``12.4 km``, ``15 min``, ``1:05 h``.

    Parameters
    ----------
    unit : a unit of lengths or times, such as "m" and "min"; another text follows the number, None
        has none.
    """
    symbol = symbol_of(unit)
    if symbol is not None:
        unit, factor = SCALES[symbol]
        value = value if factor == 1 else value * factor
    if unit == "m":
        return f"{digits(value)} m" if value < 999.5 else f"{digits(value / 1000)} km"
    if unit == "s" and value < 59.5:
        return f"{digits(value)} s"
    if unit == "s" and value < 597:
        return f"{round(value / 60, 1):g} min"
    if unit == "s":
        minutes = round(value / 60)
        return f"{minutes} min" if minutes < 60 else f"{minutes // 60:,}:{minutes % 60:02} h"
    text = f"{value:,.10g}"
    return text if unit is None else f"{text} {unit}"


def scale(largest: float, unit: str | None) -> tuple[float, str]:
    """Return by what to divide values up to `largest` for a scale, and what they then are."""
    factor: float = 1
    symbol = symbol_of(unit)
    if symbol is not None:
        unit, factor = SCALES[symbol]
    steps = {
        "m": ((2_000, 1, "metres"), (float("inf"), 1000, "kilometres")),
        "s": ((180, 1, "seconds"), (10_800, 60, "minutes"), (float("inf"), 3600, "hours")),
    }
    if unit not in steps:
        return 1, "distance" if unit is None else f"distance in {unit}"
    by, name = next((by, name) for below, by, name in steps[unit] if largest * factor < below)
    return by / factor if factor != 1 else by, name
