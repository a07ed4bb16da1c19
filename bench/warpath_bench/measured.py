"""The measurements from which the findings are judged."""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base import units

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOLDS, PARTLY, FAILS, UNKNOWN = "holds", "holds in part", "does not hold", "not measured"


_FACTS = (
    "gpu", "driver", "CUDA runtime", "compiler", "processor", "cores", "python", "numpy", "warpath",
    "commit",
)  # fmt: skip


class Verdict(NamedTuple):
    """Whether a statement holds, and the numbers that show it."""

    holds: str
    numbers: str


class Spread(NamedTuple):
    """Quartiles and median of values, and the number of sources or graphs that they are of."""

    low: float
    mid: float
    high: float
    sources: int


class Measured:
    """The lines of studies by graph and recipe, and the records of GPUs' tests."""

    def __init__(self, lines: Iterable[dict[str, Any]], records: Iterable[dict[str, Any]]) -> None:
        self.lines = list(lines)
        self.records = list(records)

    def line(self, graph: str, recipe: str, factor: float | None = None) -> dict[str, Any]:
        """Return the line of a recipe on a graph from any study; an empty one if there is none."""
        found = [
            line
            for line in self.lines
            if (line["graph"], line["recipe"], line["factor"]) == (graph, recipe, factor)
        ]
        return max(found, key=lambda line: "ms" in line, default={})

    def graphs(self, *kinds: str, study: str | None = None) -> list[str]:
        """Return the names of measured graphs whose first word is one of `kinds`, by size.

        Parameters
        ----------
        kinds : first words, or none for all.
        study : only graphs of this study.
        """
        sizes = {
            line["graph"]: (line["n"], line["m"])
            for line in self.lines
            if study in {None, line["study"]} and (not kinds or line["graph"].split()[0] in kinds)
        }
        return sorted(sizes, key=lambda name: sizes[name])

    def sparse(self) -> list[str]:
        """Return the graphs of the table that are not matrices."""
        return [g for g in self.graphs(study="catalogue") if not g.startswith("dense")]

    def roads(self) -> list[str]:
        """Return the road networks of the table: files and grids."""
        return [g for g in self.sparse() if g.split()[0] not in {"rmat", "martin"}]

    def values(self, key: str, graph: str, recipes: Sequence[str]) -> list[float] | None:
        """Return one number for each recipe on a graph; None if a number is missing."""
        found = [self.line(graph, recipe).get(key) for recipe in recipes]
        known = [float(value) for value in found if value is not None]
        return known if len(known) == len(recipes) else None

    def times(self, graph: str, recipes: Sequence[str]) -> list[float] | None:
        """Return the milliseconds of recipes on a graph; None if they cannot be compared.

        One recipe may have been stopped after a limit that is above the times of all others: it is
        the slowest, and its limit stands for its time.
        """
        lines = [self.line(graph, recipe) for recipe in recipes]
        stopped = [at for at, line in enumerate(lines) if "ms" not in line and "limit" in line]
        known = [line["ms"] for line in lines if "ms" in line]
        if len(stopped) > 1 or len(known) + len(stopped) != len(recipes):
            return None
        if not stopped:
            return known
        limit = 1e3 * lines[stopped[0]]["limit"]
        known.insert(stopped[0], limit)
        return known if limit == max(known) else None


def spread(values: Sequence[float]) -> Spread | None:
    """Return the median and the quartiles of values; None without any."""
    if not values:
        return None
    several = len(values) > 1
    low, _, high = quantiles(values, n=4, method="inclusive") if several else [*values] * 3
    return Spread(low, median(values), high, len(values))


def about(lines: Sequence[dict[str, Any]]) -> str:
    """Return the machines, versions and commits of lines as a text."""
    nested = [line["machine"] if isinstance(line.get("machine"), dict) else {} for line in lines]
    every = [line | facts for line, facts in zip(lines, nested, strict=True)]
    values = {key: dict.fromkeys(str(one[key]) for one in every if one.get(key)) for key in _FACTS}
    return ", ".join(f"{key} {'/'.join(found)}" for key, found in values.items() if found)


def rows(head: Sequence[str], body: Iterable[Sequence[Any]]) -> list[str]:
    """Return the lines of a Markdown table, with floats of three digits."""
    cells = [head, *([text(value) for value in row] for row in body)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|---" * len(head) + "|", *lines[1:]]


def text(value: Any) -> str:
    """Return a cell's text: three digits of a float, "" for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return units.digits(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
