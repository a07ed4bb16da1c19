"""Digests of the results of the core, which are the same on every processor.

``python -m support.digests`` prints them; ``--compare FILE`` lists what differs from a file and
ends with status 1 if anything does. Needs NumPy only, so that it runs wherever a wheel does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from support import corpus
from support.recipes import on_cpu
from warpath.recipes import Loop, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.graph import Graph

#: The committed digests, made on x86-64.
FILE = Path(__file__).with_name("digests.json")

GRAPHS = (
    "parallel_edges",
    "zero_cycle",
    "unreachable_half",
    "hubs",
    "grid_of_ones",
    "road",
    "complete",
    "power_law",
    "small_rmat",
    "rounding",
    "sixteen_decades",
    "denormal_weights",
    "absorbed_weights",
    "negative_without_cycle",
)
MOST_ROUTES = 40  # vertices that routes are asked for, from each source
#: Where routes that differ are searched: their bounds are shares of lengths.
DIFFERENT = ("grid_of_ones", "road", "rounding")


class Digest:
    """SHA-256 of arrays: of their types, shapes and bytes in little-endian order."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, *arrays: Any) -> None:
        """Add arrays, or what NumPy makes into arrays."""
        for one in arrays:
            array = np.asarray(one)
            little = array.astype(array.dtype.newbyteorder("<"))
            self._sum.update(f"{little.dtype.str}{little.shape}".encode())
            self._sum.update(little.tobytes())

    def __str__(self) -> str:
        return self._sum.hexdigest()


def all_digests() -> dict[str, dict[str, str]]:
    """Return the digests by graph and weight type, then by task and algorithm."""
    cases = [corpus.case(name).astype(t) for name in GRAPHS for t in corpus.case(name).dtypes]
    return {str(case): dict(_digests(case)) for case in cases}


def _digests(case: corpus.Case) -> Iterator[tuple[str, str]]:
    graph = case.graph()
    sources = list(case.sources)
    everywhere = list(range(0, graph.n, max(1, graph.n // MOST_ROUTES)))
    whole = Digest()
    whole.add(graph.indptr, graph.indices, graph.weights)
    yield "graph", str(whole)
    facts = graph.facts(symmetry=False)
    recipes = [recipe for recipe in on_cpu() if not _is_slow(recipe, graph)]
    for task in (Task.SSSP, Task.MANY, Task.PATH):
        found: dict[str, list[str]] = {}
        for name in [r.name for r in recipes if r.objection(task, facts) is None]:
            found.setdefault(str(_solved(graph, sources, everywhere, task, name)), []).append(name)
        for digest, names in found.items():
            yield f"{task.value}: {', '.join(names)}", digest
    if case.name in DIFFERENT:
        yield "different routes", str(_different(graph, sources[0], everywhere))


def _solved(
    graph: Graph, sources: list[int], targets: list[int], task: Task, algorithm: str
) -> Digest:
    """Return the digest of one task."""
    digest = Digest()
    if task is Task.SSSP:
        for source in sources:
            paths = wp.sssp(graph, source, algorithm=algorithm)
            digest.add(paths.dist, paths.pred)
    elif task is Task.MANY:
        digest.add(wp.distances(graph, sources, targets, algorithm=algorithm).dist)
    else:
        for target in targets:
            digest.add(*_route(graph, sources[0], target, algorithm))
    return digest


def _is_slow(recipe: Any, graph: Graph) -> bool:
    """Whether an algorithm has a matrix of all pairs, of a graph that is not small."""
    return recipe.loop is Loop.SETTLE or (graph.n > 300 and recipe.solves <= {Task.APSP})


def _route(graph: Graph, source: int, target: int, algorithm: str) -> tuple[Any, ...]:
    try:
        route = wp.path(graph, source, target, algorithm=algorithm)
    except wp.NoPathError:
        return (-1,)
    return route.length, list(route)


def _different(graph: Graph, source: int, targets: list[int]) -> Digest:
    digest = Digest()
    second = np.arange(graph.m) % 7 + 1
    for target in targets[1:8]:
        for share in (0.3, 0.7):
            routes = wp.alternatives(graph, source, target, sharing=share, local=share)
            for route in routes:
                digest.add(route.length, list(route))
        for route in wp.pareto_paths(graph, source, target, second, epsilon=0.1):
            digest.add(route.length, list(route))
    return digest


def main(arguments: list[str] | None = None) -> int:
    """Print the digests, or what differs from those of a file."""
    parser = argparse.ArgumentParser(prog="python -m support.digests", description=__doc__)
    parser.add_argument("--compare", type=Path, metavar="FILE", help="a file of digests")
    options = parser.parse_args(arguments)
    here = all_digests()
    if options.compare is None:
        print(json.dumps(here, indent=1, sort_keys=True))  # noqa: T201
        return 0
    there = json.loads(options.compare.read_text(encoding="utf-8"))
    differing = sorted(
        f"{case}: {name}"
        for case in here.keys() | there.keys()
        for name in here.get(case, {}).keys() | there.get(case, {}).keys()
        if here.get(case, {}).get(name) != there.get(case, {}).get(name)
    )
    count = sum(map(len, there.values()))
    print(*differing, f"{count - len(differing)} of {count} digests are equal", sep="\n")  # noqa: T201
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
