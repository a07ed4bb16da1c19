"""A paper's experiments, read from TOML: studies, figures and published numbers.

A file has studies, which are measured, and figures, which show them. ``{n}`` in a graph's name is a
size, ``{log2 n}`` its binary logarithm; docs/papers.md explains the format.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph, generate
from warpath.recipes import CATALOGUE, Task
from warpath_bench import workloads
from warpath_bench.jobs import Job
from warpath_bench.workloads import graph_of, title_of

if TYPE_CHECKING:
    from collections.abc import Callable


def _cube(side: int, seed: int = 0) -> Graph:
    """Return a mesh in three dimensions: each vertex is linked to its six neighbours."""
    at = np.arange(side**3, dtype=np.int32).reshape(side, side, side)
    pairs = [
        np.stack((np.delete(at, -1, axis).ravel(), np.delete(at, 0, axis).ravel()))
        for axis in range(3)
    ]
    src, dst = np.concatenate(pairs, axis=1)
    weights = np.random.default_rng(seed).integers(1, 1001, len(src), np.int32)
    return Graph.from_edges(src, dst, weights, n=side**3, directed=False)


#: Generated graphs in place of the papers' own: the first word of a name -> the function that makes
#: a graph from the numbers after it, of which the last one is the seed.
MAKERS: dict[str, Callable[..., Graph]] = {
    **{name: workloads.MAKERS[name] for name in ("martin", "dense", "uniform", "rmat", "grid")},
    "road": lambda n, seed=0: generate.road(n, seed=seed),
    "delaunay": lambda n, seed=0: generate.delaunay(n, (1, 1000), seed=seed),
    "cube": _cube,
}


def made_or_read(name: str) -> Graph:
    """Return a graph by its name, or read it from a file.

    >>> made_or_read("cube 3").m
    108
    """
    kind, *numbers = name.split()
    if kind in MAKERS and all(number.isdigit() for number in numbers):
        return MAKERS[kind](*map(int, numbers))
    return graph_of(name)


#: Kinds of studies, and the task that their recipes must solve.
TASKS = {"one source": Task.SSSP, "many sources": Task.MANY, "all pairs": Task.APSP}
#: Kinds of figures.
CHARTS = ("time", "speedup", "graphs", "work", "rounds", "delta", "table")


@dataclass(frozen=True)
class GraphSpec:
    """A graph of a paper: a file, or a generator at one or several sizes."""

    title: str = ""
    make: str = ""
    sizes: tuple[int, ...] = field(default=(), metadata={"key": "n"})
    power: float = 1.0
    file: str = ""
    weights: tuple[int, ...] = ()
    skip: str = ""
    note: str = ""

    def check(self, place: str) -> None:
        """Refuse keys that do not fit together."""
        if not (self.make or self.file or self.skip):
            raise _error(place, "a graph needs one of make, file, skip.")
        if self.file and not self.title:
            raise _error(place, "a file needs a title.")
        if self.make and self.make.split()[0] not in MAKERS:
            raise _error(place, f"make = {self.make!r} must begin with one of {', '.join(MAKERS)}.")
        if ("n}" in self.make) != bool(self.sizes):
            raise _error(place, "a list n goes with {n} or {log2 n} in make.")
        if not all(n > 0 for n in self.sizes):
            raise _error(place, f"n = {list(self.sizes)} must be whole numbers above 0.")
        if len(self.weights) not in {0, 2}:
            what = f"weights = {list(self.weights)} must be the least and the largest."
            raise _error(place, what)


@dataclass(frozen=True)
class Made:
    """A graph that is measured.

    Attributes
    ----------
    name : its name for `made_or_read`.
    label : its name in a report; the same for all seeds.
    weights : bounds of the weights that are drawn; empty to keep its own.
    entries : approximate number of vertices, or of a matrix's entries; 0 for a file.
    """

    name: str
    label: str
    seed: int
    weights: tuple[int, ...]
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
    sources, threads : for many sources, their number and the CPU's threads; 0 for all threads.
    factors : factors of the default delta; None for no factor.
    counted, each_round : whether work is counted, and whether it is recorded for each round.
    """

    name: str
    task: str
    graphs: tuple[GraphSpec, ...]
    variants: tuple[str, ...]
    beside: tuple[str, ...] = ()
    repeats: int = 1
    sources: int = 1
    threads: int = 0
    factors: tuple[float | None, ...] = (None,)
    counted: bool = False
    each_round: bool = False

    def check(self, place: str) -> None:
        """Refuse values that cannot be, and recipes that do not solve the task."""
        if self.task not in TASKS:
            raise _error(place, f"task = {self.task!r} must be one of {', '.join(TASKS)}.")
        if self.threads and self.task != "many sources":
            raise _error(place, f"threads = {self.threads} goes with many sources alone.")
        if not all(one is None or one > 0 for one in self.factors):
            raise _error(place, f"factors = {list(self.factors)} must be numbers above 0.")
        if self.repeats < 1 or self.sources < 1:
            raise _error(place, "repeats and sources must be at least 1.")
        for recipe in (*self.variants, *self.beside):
            _check_recipe(recipe, place, TASKS[self.task])


@dataclass(frozen=True)
class Published:
    """A number that the paper prints, and its definition in terms of our measurements.

    The number is `key` of the recipe `of`; with `per`, it is `per`'s value over `of`'s.
    """

    what: str
    value: str
    number: float | None = None
    key: str = "ms"
    of: str = ""
    per: str = ""
    graph: str = ""
    mean: bool = False

    def check(self, place: str) -> None:
        """Refuse unknown recipes."""
        for recipe in filter(None, (self.of, self.per)):
            _check_recipe(recipe, place)


@dataclass(frozen=True)
class Figure:
    """A figure or table of the paper."""

    name: str
    study: str
    chart: str
    title: str
    says: str = ""
    baseline: str = ""
    key: str = "ms"
    only: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()

    def check(self, place: str) -> None:
        """Refuse unknown kinds of figures."""
        if self.chart not in CHARTS:
            raise _error(place, f"chart = {self.chart!r} must be one of {', '.join(CHARTS)}.")


@dataclass(frozen=True)
class Paper:
    """All experiments of a paper."""

    title: str
    machine: str
    studies: tuple[Study, ...] = field(metadata={"key": "study"})
    figures: tuple[Figure, ...] = field(metadata={"key": "figure"})
    differs: tuple[str, ...] = ()
    place: str = field(default="", metadata={"key": ""})  # the argument of `load`

    @property
    def name(self) -> str:
        """The paper's name, which is that of its file."""
        return Path(self.place).name.removesuffix(".toml")

    @property
    def source(self) -> str:
        """The file that describes the experiments."""
        mine = self.place.endswith(".toml")
        return Path(self.place).name if mine else f"bench/warpath_bench/papers/{self.name}.toml"

    def check(self, place: str) -> None:
        """Refuse figures of unknown studies and baselines that these do not measure."""
        studies = {study.name: study for study in self.studies}
        for figure in self.figures:
            where = f"{place}, figure {figure.name}"
            if figure.study not in studies:
                what = f"study = {figure.study!r} must be one of {', '.join(studies)}."
                raise _error(where, what)
            study = studies[figure.study]
            if figure.chart == "speedup" and figure.baseline not in study.variants + study.beside:
                what = f"baseline = {figure.baseline!r} must be a recipe of its study."
                raise _error(where, what)


def _read(kind: Any, place: str, values: Any) -> Any:
    """Return a dataclass of a TOML table, whose keys are its fields; refuse any other key."""
    left, found = dict(values), {}
    hints = get_type_hints(kind)
    for one in fields(kind):
        key = one.metadata.get("key", one.name)
        if key in left:
            found[one.name] = _value(hints[one.name], place, key, left.pop(key))
        elif one.default is MISSING:
            raise _error(place, f"{key} is missing.")
    if left:
        raise _error(place, f"{', '.join(left)}: there is no such key here.")
    made = kind(**found)
    made.check(place)
    return made


def _value(hint: Any, place: str, key: str, value: Any) -> Any:
    """Return a value of a table if it has the type of its field."""
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise _error(place, f"{key} = {value!r} must be of type list.")
        inner = get_args(hint)[0]
        if not is_dataclass(inner):
            return tuple(_value(inner, place, key, one) for one in value)
        tables = []
        for at, one in enumerate(value, 1):
            if not isinstance(one, dict):
                raise _error(place, f"{key} {at} is no table.")
            name = one.get("name") or one.get("title") or one.get("what") or at
            tables.append(_read(inner, f"{place}, {key} {name}", one))
        return tuple(tables)
    types = get_args(hint) or (hint,)
    allowed = (*types, int) if float in types else types
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in types):
        raise _error(place, f"{key} = {value!r} must be of type {types[0].__name__}.")
    return value


def _error(place: str, message: str) -> InputError:
    return InputError(f"{place}: {message}")


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
        raise InputError(f"{name}: {error}.") from None
    paper: Paper = replace(_read(Paper, name, values), place=name)
    return paper


def _check_recipe(name: str, place: str, task: Task | None = None) -> None:
    """Refuse a recipe that does not exist or does not solve the task."""
    every = {recipe.name: recipe for recipe in CATALOGUE}
    if name not in every:
        near = get_close_matches(name, every, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise _error(place, f"{name!r} is no algorithm of the catalogue.{hint}")
    if task is not None and task not in every[name].solves:
        raise _error(place, f"{name} does not solve {task.value}.")


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


def job_of(
    paper: Paper, study: Study, made: Made, recipe: str, factor: float | None, scale: float
) -> Job:
    """Return the job of a recipe on a graph."""
    return Job(
        f"{paper.name}: {study.name}",
        made.name,
        recipe,
        factor,
        study.counted,
        study.each_round,
        TASKS[study.task],
        sources=max(16, round(study.sources * min(scale, 1))),
        threads=study.threads or None,
    )
