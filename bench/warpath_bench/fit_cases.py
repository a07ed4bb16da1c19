"""The graphs on which the planner's model is fitted, and others on which it is judged."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph import Graph, generate
from warpath.io.formats import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIT, HELD_OUT = "fit", "held out"


@dataclass(frozen=True)
class Case:
    """A graph with its name and the set that it belongs to: `FIT` or `HELD_OUT`."""

    name: str
    part: str
    make: Callable[[], Graph]


def cases(data: Path | None) -> Iterator[Case]:
    """Yield the generated graphs, then those of files in a folder, which are all held out."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for part, table in ((FIT, tables["fit"]), (HELD_OUT, tables["held_out"])):
        for at, (kind, arguments, dtypes) in enumerate(table):
            for dtype in dtypes.split():
                yield _generated(part, kind, arguments, dtype, seed=at)
    for name, weights in tables["files"].items():
        if data is not None and (data / name).exists():
            yield from (_of_file(data / name, each) for each in weights.split())


def _generated(part: str, kind: str, arguments: dict[str, Any], dtype: str, seed: int) -> Case:
    arguments = {k: tuple(v) if isinstance(v, list) else v for k, v in arguments.items()}
    said = " ".join(f"{key}={value}" for key, value in arguments.items())
    weights = {"weights": None} if dtype == "none" else {"dtype": dtype}
    make = partial(getattr(generate, kind), **arguments | weights, seed=seed)
    return Case(f"{kind} {said} {dtype}", part, make)


def _of_file(path: Path, weights: str) -> Case:
    return Case(f"{path.name.split('.')[0]} {weights}", HELD_OUT, partial(_read, path, weights))


def _read(path: Path, weights: str) -> Graph:
    graph = read(path)
    if weights == "none":
        return graph.with_weights(None)
    if weights == "own":
        return graph.with_weights(np.abs(graph._solver_weights))
    low, high = map(int, weights.split(".."))
    drawn = np.random.default_rng(_SEED).integers(low, high + 1, graph.m, np.int32)
    return graph.with_weights(drawn)


_SEED = 20261121
