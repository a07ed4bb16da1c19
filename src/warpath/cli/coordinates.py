"""Coordinates in the role of vertices: ``7.4192,43.7384`` in arguments, two columns in files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from warpath.graph.places import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(\d+)$")
_COORDINATE = re.compile(rf"\s*({_NUMBER})\s*,\s*({_NUMBER})\s*")

#: Names of columns of longitudes and of latitudes, without a prefix such as ``origin_``.
_COLUMNS = (("lon", "lng", "long", "longitude", "x"), ("lat", "latitude", "y"))
_PREFIXES = ("", "origin_", "destination_")


def coordinate_of(cells: Sequence[str]) -> Place | None:
    """Return the place of a longitude and a latitude in cells of a table, or None.

    Their decimal marks may be commas, since each cell is one number.
    """
    return coordinate(",".join(_DECIMAL_COMMA.sub(r"\1.\2", cell.strip()) for cell in cells))


def coordinate(text: str) -> Place | None:
    """Return the place of a text ``lon,lat``, or None for any other text."""
    found = _COORDINATE.fullmatch(text)
    return None if found is None else Place(float(found[1]), float(found[2]))


def protected(words: Sequence[str]) -> list[str]:
    """Return the words of a command line with a space before each coordinate that starts with -.

    The parser would take ``-73.98,40.75`` for an option.
    """
    return [f" {word}" if word.startswith("-") and coordinate(word) else word for word in words]


def listed_texts(argument: str) -> list[str]:
    """Return the entries of a list of vertices, which semicolons or commas separate.

    With a semicolon each entry may be a coordinate. Without, two numbers are one coordinate if one
    of them has a decimal point, else two ids.
    """
    alone = coordinate(argument) is not None and "." in argument
    entries = [argument] if alone else argument.split(";" if ";" in argument else ",")
    return [entry.strip() for entry in entries if entry.strip()]


def coordinate_columns(names: Sequence[str], prefix: str = "") -> tuple[int, int] | None:
    """Return the numbers of the columns of longitudes and latitudes; None without such columns.

    Parameters
    ----------
    names : the header, in lower case.
    """
    lon, lat = (
        next((names.index(prefix + name) for name in known if prefix + name in names), None)
        for known in _COLUMNS
    )
    return None if lon is None or lat is None else (lon, lat)


def lacking(names: Sequence[str], *prefixes: str) -> str:
    """Return a sentence about a column of longitudes without latitudes, or the other way round."""
    for prefix in prefixes or ("",):
        found = [[prefix + name for name in known if prefix + name in names] for known in _COLUMNS]
        for here, other in ((0, 1), (1, 0)):
            if found[here] and not found[other]:
                missing = f"{prefix}{_COLUMNS[other][0]}"
                return f" It has the column {found[here][0]}, but no column {missing}."
    return ""


def names_coordinates(argument: str | Path | None) -> bool:
    """Return whether an argument of a command has coordinates in it, or in the file that it names.

    The first line of a file is read.
    """
    if argument is None:
        return False
    if not os.path.isfile(argument):  # noqa: PTH113 - Path.is_file fails for long lists
        return any(coordinate(text) is not None for text in listed_texts(str(argument)))
    try:
        with Path(argument).open(encoding="utf-8-sig") as file:
            header = re.split("[,;\t|]", file.readline(10_000).lower().replace('"', ""))
    except UnicodeDecodeError:
        return False
    names = [name.strip() for name in header]
    return any(coordinate_columns(names, prefix) for prefix in _PREFIXES)
