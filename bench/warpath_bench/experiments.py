"""A paper's experiments, read from TOML: studies, figures and published numbers.

A file has studies, which are measured, and figures, which show them. ``{n}`` in a graph's name is a
size, ``{log2 n}`` its binary logarithm; docs/papers.md explains the format.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath.base.errors import InputError
from warpath.recipes import CATALOGUE, Task
from warpath_bench.pair import Job
from warpath_bench.paper_graphs import MAKERS
from warpath_bench.workloads import title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.recipes import Recipe

#: Kinds of studies, and the task that their recipes must solve.
TASKS = {"one source": Task.SSSP, "many sources": Task.MANY, "all pairs": Task.APSP}
#: Kinds of figures.
CHARTS = ("time", "speedup", "graphs", "work", "rounds", "delta", "table")


@dataclass(frozen=True)
class GraphSpec:
    """A graph of a paper: a file, or a generator at one or several sizes."""

    title: str
    make: str
    sizes: tuple[int, ...]
    power: float
    file: str
    weights: tuple[int, int] | None
    skip: str
    note: str


@dataclass(frozen=True)
class Made:
    """A graph that is measured.

    Attributes
    ----------
    name : its name for `made_or_read`.
    label : its name in a report; the same for all seeds.
    entries : approximate number of vertices, or of a matrix's entries; 0 for a file.
    """

    name: str
    label: str
    seed: int
    weights: tuple[int, int] | None
    entries: float = 0.0


@dataclass(frozen=True)
class Study:
    """A set of recipes that are measured on a set of graphs.

    Attributes
    ----------
    task : a key of `TASKS`.
    variants : the paper's recipes.
    beside : recipes that the paper does not have.
    repeats : number of graphs of each size.
    sources, threads : for many sources, their number and the CPU's threads; None for all threads.
    factors : factors of the default delta.
    counted, each_round : whether work is counted, and whether it is recorded for each round.
    """

    name: str
    task: str
    graphs: tuple[GraphSpec, ...]
    variants: tuple[str, ...]
    beside: tuple[str, ...]
    repeats: int
    sources: int
    threads: int | None
    factors: tuple[float | None, ...]
    counted: bool
    each_round: bool


@dataclass(frozen=True)
class Published:
    """A number that the paper prints, and its definition in terms of our measurements.

    The number is `key` of the recipe `of`; with `per`, it is `per`'s value over `of`'s.
    """

    what: str
    value: str
    number: float | None
    key: str
    of: str
    per: str
    graph: str
    mean: bool


@dataclass(frozen=True)
class Figure:
    """A figure or table of the paper."""

    name: str
    study: str
    chart: str
    title: str
    says: str
    baseline: str
    key: str
    only: tuple[str, ...]
    differs: tuple[str, ...]
    published: tuple[Published, ...]


@dataclass(frozen=True)
class Paper:
    """All experiments of a paper; `source` is the file that describes them."""

    name: str
    source: str
    title: str
    machine: str
    differs: tuple[str, ...]
    studies: tuple[Study, ...]
    figures: tuple[Figure, ...]


class Section:
    """A table of a TOML file, which is read key by key; `end` refuses unread keys."""

    def __init__(self, place: str, values: dict[str, Any]) -> None:
        self.place = place
        self._values = dict(values)

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """Return a value of a type; without a default, the key is required."""
        if key not in self._values:
            if default is None:
                raise self.error(f"{key} is missing.")
            return default
        value = self._values.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join(one.__name__ for one in kinds)
            raise self.error(f"{key} = {value!r} must be of type {names}.")
        return value

    def words(self, key: str, *, needed: bool = False) -> tuple[str, ...]:
        """Return a list of strings."""
        found = self.take(key, list, None if needed else [])
        for one in found:
            if not isinstance(one, str):
                raise self.error(f"{key} has {one!r}, which is no string.")
        return tuple(found)

    def sections(self, key: str, *, needed: bool = False) -> Iterator[Section]:
        """Return the tables of a list."""
        for at, values in enumerate(self.take(key, list, None if needed else []), 1):
            if not isinstance(values, dict):
                raise self.error(f"{key} {at} is no table.")
            name = values.get("name") or values.get("title") or values.get("what") or at
            yield Section(f"{self.place}, {key} {name}", values)

    def end(self) -> None:
        """Refuse unread keys."""
        if self._values:
            raise self.error(f"{', '.join(self._values)}: there is no such key here.")

    def error(self, message: str) -> InputError:
        """Return an error that names this place."""
        return InputError(f"{self.place}: {message}")


def names() -> list[str]:
    """Return the papers that come with warpath."""
    folder = files("warpath_bench") / "papers"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir())


def load(name: str) -> Paper:
    """Return the experiments of a paper by its name, or of a TOML file.

    Raises
    ------
    InputError
        If there is no such paper, or the file is damaged: with the place and the rule.
    """
    if name in names():
        text = (files("warpath_bench") / "papers" / f"{name}.toml").read_text(encoding="utf-8")
    elif name.endswith(".toml") and Path(name).is_file():
        text = Path(name).read_text(encoding="utf-8")
    else:
        msg = f"{name!r} is no paper: one of {', '.join(names())}, or a TOML file like theirs."
        raise InputError(msg)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{name}: {error}."
        raise InputError(msg) from None
    return _paper(Path(name).name.removesuffix(".toml"), Section(name, values))


def _paper(name: str, given: Section) -> Paper:
    title, machine = given.take("title", str), given.take("machine", str)
    differs = given.words("differs")
    studies = tuple(_study(one) for one in given.sections("study", needed=True))
    by_name = {study.name: study for study in studies}
    figures = tuple(_figure(one, by_name) for one in given.sections("figure", needed=True))
    given.end()
    source = (
        Path(given.place).name
        if given.place.endswith(".toml")
        else f"bench/warpath_bench/papers/{name}.toml"
    )
    return Paper(name, source, title, machine, differs, studies, figures)


def _study(given: Section) -> Study:
    task = given.take("task", str)
    if task not in TASKS:
        raise given.error(f"task = {task!r} must be one of {', '.join(TASKS)}.")
    factors = given.take("factors", list, [])
    study = Study(
        given.take("name", str),
        task,
        tuple(_graph(one) for one in given.sections("graphs", needed=True)),
        given.words("variants", needed=True),
        given.words("beside"),
        given.take("repeats", int, 1),
        given.take("sources", int, 1),
        given.take("threads", int, 0) or None,
        tuple(factors) or (None,),
        given.take("counted", bool, default=False),
        given.take("each_round", bool, default=False),
    )
    given.end()
    if study.threads and task != "many sources":
        raise given.error(f"threads = {study.threads} goes with many sources alone.")
    if not all(isinstance(one, int | float) and one > 0 for one in factors):
        raise given.error(f"factors = {factors} must be numbers above 0.")
    if study.repeats < 1 or study.sources < 1:
        raise given.error("repeats and sources must be at least 1.")
    for recipe in (*study.variants, *study.beside):
        known_recipe(recipe, given, TASKS[task])
    return study


def _graph(given: Section) -> GraphSpec:
    sizes = given.take("n", list, [])
    weights = given.take("weights", list, [])
    graph = GraphSpec(
        given.take("title", str, ""),
        given.take("make", str, ""),
        tuple(sizes),
        given.take("power", (int, float), 1.0),
        given.take("file", str, ""),
        tuple(weights) or None,
        given.take("skip", str, ""),
        given.take("note", str, ""),
    )
    given.end()
    if not (graph.make or graph.file or graph.skip):
        raise given.error("a graph needs one of make, file, skip.")
    if graph.file and not graph.title:
        raise given.error("a file needs a title.")
    if graph.make and graph.make.split()[0] not in MAKERS:
        raise given.error(f"make = {graph.make!r} must begin with one of {', '.join(MAKERS)}.")
    if ("n}" in graph.make) != bool(sizes):
        raise given.error("a list n goes with {n} or {log2 n} in make.")
    if not all(isinstance(n, int) and n > 0 for n in sizes):
        raise given.error(f"n = {sizes} must be whole numbers above 0.")
    if weights and not (len(weights) == 2 and all(isinstance(w, int) for w in weights)):
        raise given.error(f"weights = {weights} must be the least and the largest.")
    return graph


def _figure(given: Section, studies: dict[str, Study]) -> Figure:
    figure = Figure(
        given.take("name", str),
        given.take("study", str),
        given.take("chart", str),
        given.take("title", str),
        given.take("says", str, ""),
        given.take("baseline", str, ""),
        given.take("key", str, "ms"),
        given.words("only"),
        given.words("differs"),
        tuple(_published(one) for one in given.sections("published")),
    )
    given.end()
    if figure.study not in studies:
        raise given.error(f"study = {figure.study!r} must be one of {', '.join(studies)}.")
    if figure.chart not in CHARTS:
        raise given.error(f"chart = {figure.chart!r} must be one of {', '.join(CHARTS)}.")
    study = studies[figure.study]
    if figure.chart == "speedup" and figure.baseline not in (*study.variants, *study.beside):
        raise given.error(f"baseline = {figure.baseline!r} must be a recipe of its study.")
    return figure


def _published(given: Section) -> Published:
    number = given.take("number", (int, float), math.nan)
    found = Published(
        given.take("what", str),
        given.take("value", str),
        None if math.isnan(number) else float(number),
        given.take("key", str, "ms"),
        given.take("of", str, ""),
        given.take("per", str, ""),
        given.take("graph", str, ""),
        given.take("mean", bool, default=False),
    )
    given.end()
    for recipe in filter(None, (found.of, found.per)):
        known_recipe(recipe, given)
    return found


def known_recipe(name: str, given: Section, task: Task | None = None) -> Recipe:
    """Return a recipe by its name; refuse it if it does not exist or does not solve the task."""
    every = {recipe.name: recipe for recipe in CATALOGUE}
    if name not in every:
        near = get_close_matches(name, every, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise given.error(f"{name!r} is no algorithm of the catalogue.{hint}")
    if task is not None and task not in every[name].solves:
        raise given.error(f"{name} does not solve {task.value}.")
    return every[name]


def graphs_of(spec: GraphSpec, scale: float, seed: int, data: Path | None) -> list[Made]:
    """Return the graphs of a specification at a scale, from small to large; none if absent.

    Parameters
    ----------
    scale : factor of the number of entries; n is multiplied by ``scale**power``.
    seed : 0 for the first of several graphs of a size.
    data : the folder of files.
    """
    if spec.skip or (seed and not spec.make):
        return []
    path = None if data is None or not spec.file else data / spec.file
    if path is not None and path.is_file():
        name = title_of(str(path))
        label = spec.title or name
        return [] if seed else [Made(str(path), label, 0, spec.weights)]
    found = []
    for size in spec.sizes if spec.make else ():
        n = max(16, round(size * scale**spec.power))
        log2 = str(max(4, round(math.log2(n))))
        plain = spec.make.replace("{n}", str(n)).replace("{log2 n}", log2)
        label = f"{spec.title}: {plain}" if spec.title else plain
        name = f"{plain} {seed}" if seed else plain
        found.append(Made(name, label, seed, spec.weights, n ** (1 / spec.power)))
    if spec.make and not spec.sizes:
        found = [Made(f"{spec.make} {seed}" if seed else spec.make, spec.make, seed, spec.weights)]
    return list({one.name: one for one in found}.values())


def job_of(paper: Paper, study: Study, made: Made, recipe: str, factor: float | None) -> Job:
    """Return the job of a recipe on a graph."""
    name = f"{paper.name}: {study.name}"
    return Job(name, made.name, recipe, factor, study.counted, study.each_round)
