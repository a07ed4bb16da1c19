"""The measurements of a paper's experiments, as its figures need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base import units
from warpath.recipes import CATALOGUE
from warpath_bench.measured import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warpath_bench.experiments import Figure, Paper, Published, Study
    from warpath_bench.measured import Spread

Line = dict[str, Any]
_TIMES = ("ms", "host_ms", "pred_ms")
MISSING = "not measured here"


class Results:
    """The lines of a paper's studies by graph, recipe and factor of delta."""

    def __init__(self, paper: Paper, lines: Iterable[Line]) -> None:
        self.paper = paper
        self.lines = list(lines)
        self._at: dict[tuple[str, str, str, float | None], list[Line]] = {}
        for line in self.lines:
            study = line["study"].partition(": ")[2]
            key = study, line["label"], line["recipe"], line["factor"]
            self._at.setdefault(key, []).append(line)

    def study(self, figure: Figure) -> Study:
        """Return the study that a figure shows."""
        return next(one for one in self.paper.studies if one.name == figure.study)

    def labels(self, study: Study) -> list[str]:
        """Return the graphs of a study in the order of its file, small ones first."""
        found = dict.fromkeys(label for name, label, *_ in self._at if name == study.name)
        titles = [graph.title for graph in study.graphs]
        first = {label: self._first(label, titles) for label in found}
        return sorted(found, key=lambda label: first[label])

    def _first(self, label: str, titles: Sequence[str]) -> int:
        """Return the place of a label's title; labels without a title come last."""
        own = label.partition(": ")[0]
        return titles.index(own) if own in titles else len(titles)

    def recipes(self, figure: Figure) -> list[str]:
        """Return the recipes of a figure that have lines: the paper's, then the others."""
        study = self.study(figure)
        here = {recipe for name, _, recipe, _ in self._at if name == study.name}
        shown = figure.only or (*study.variants, *study.beside)
        return [recipe for recipe in shown if recipe in here]

    def absent(self, figure: Figure) -> list[str]:
        """Return the paper's recipes of a figure that run on no device here."""
        study = self.study(figure)
        shown = figure.only or study.variants
        here = self.recipes(figure)
        return [recipe for recipe in shown if recipe not in here]

    def of(
        self, study: Study, label: str, recipe: str, factor: float | None = None
    ) -> Sequence[Line]:
        """Return the lines of a recipe on the graphs of a label."""
        return self._at.get((study.name, label, recipe, factor), [])

    def spread(
        self, study: Study, label: str, recipe: str, key: str = "ms", factor: float | None = None
    ) -> Spread | None:
        """Return a number's spread over a label's graphs; None if missing or of wrong answers."""
        lines = self.of(study, label, recipe, factor)
        if key in _TIMES and any(is_wrong(line) for line in lines):
            return None
        found = [float(line[key]) for line in lines if line.get(key) is not None]
        return spread(found)

    def mid(
        self, study: Study, label: str, recipe: str, key: str = "ms", factor: float | None = None
    ) -> float | None:
        """Return the median of `spread`."""
        found = self.spread(study, label, recipe, key, factor)
        return None if found is None else found.mid

    def size(self, study: Study, label: str, key: str = "n") -> float | None:
        """Return n, m or the mean degree of the graphs of a label."""
        for line in self.lines:
            if line["study"].endswith(f": {study.name}") and line["label"] == label and key in line:
                return float(line[key])
        return None

    def here(self, figure: Figure, one: Published) -> str:
        """Return the text of our measurement for a number that the paper prints."""
        study, values = self.study(figure), []
        for label in self.labels(study):
            if one.of and (one.graph in {"", "largest"} or label.startswith(one.graph)):
                found = self._quotient(study, label, one)
                values += [] if found is None else [found]
        if not values:
            return MISSING if one.of else ""
        if one.graph == "largest":
            return _written(values[-1], one)
        if one.mean:
            return f"{_written(sum(values) / len(values), one)} (mean)"
        low, high = _written(min(values), one), _written(max(values), one)
        return low if low == high else f"{low} to {high}"

    def _quotient(self, study: Study, label: str, one: Published) -> float | None:
        value = self.mid(study, label, one.of, one.key)
        if not one.per:
            return value
        other = self.mid(study, label, one.per, one.key)
        return None if value is None or other is None or not value else other / value


def _written(value: float, one: Published) -> str:
    if one.per:
        return f"{units.digits(value)}x"
    return units.seconds(value / 1e3) if one.key in _TIMES else units.digits(value)


def is_wrong(line: Line) -> bool:
    """Return whether an exact recipe gave a wrong answer."""
    return bool(line.get("wrong")) and CATALOGUE[line["recipe"]].exact


def short(recipe: str, study: Study) -> str:
    """Return a recipe's name without its paper's; recipes that are not the paper's get a dagger.

    Dense variants are shown by the name of the variant.
    """
    if recipe in study.beside:
        return f"{recipe} †"
    return recipe.partition(".")[2]
