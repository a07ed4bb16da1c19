"""The graphs of ``warpath bench gpu`` and their right answers, made while the GPU is measured.

A maker is a separate process. It writes a graph's CSR arrays, its weights in each type and the
CPU's answers into a folder, which the measuring process maps into memory.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from warpath.base import settings
from warpath.base.errors import InputError, WarpathError
from warpath.graph import Graph
from warpath.results.paths import Paths
from warpath.results.predecessors import tree
from warpath_bench.right import Right, answers_of, sources_of
from warpath_bench.workloads import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.base.dtypes import Array

_OVER = "the time was over"


class Wanted(NamedTuple):
    """A request for a graph and its answers.

    Attributes
    ----------
    title : title of the graph.
    make : makes or reads the graph; another process can be given it.
    dtypes : the weights' types.
    sources : number of sources.
    """

    title: str
    make: Callable[[], Graph]
    dtypes: tuple[str, ...]
    sources: int = 8


class Failed(NamedTuple):
    """A request that could not be fulfilled, and the reason."""

    wanted: Wanted
    why: str


class Made(NamedTuple):
    """A graph with its answers.

    Attributes
    ----------
    folder : the folder of its arrays.
    sources : the source vertices.
    directed : whether the graph is directed.
    weighted : the types of weights, without "none".
    """

    wanted: Wanted
    folder: Path
    sources: list[int]
    directed: bool
    weighted: list[str]

    def graph(self, dtype: str) -> Graph:
        """Return the graph with weights of a type; its arrays are memory-mapped."""
        weights = self._array(f"weights-{dtype}") if dtype in self.weighted else None
        rows = self._array("indptr"), self._array("indices")
        return Graph(*rows, weights, directed=self.directed, name=self.wanted.title)

    def right(self, graph: Graph, dtype: str) -> dict[int, Right]:
        """Return the CPU's answers for that graph; the first is certified."""
        team, found = settings.threads(), {}
        for place, source in enumerate(self.sources):
            dist = self._array(f"{dtype}-{place}")
            paths = Paths(graph, source, dist, tree=partial(tree, graph, source, dist, team))
            found[source] = Right(paths, b"", certified=place == 0)
        return found

    def _array(self, name: str) -> Array:
        return np.asarray(np.load(self.folder / f"{name}.npy", mmap_mode="r"))

    def forget(self) -> None:
        """Remove the files; mapped arrays remain valid."""
        shutil.rmtree(self.folder, ignore_errors=True)


def make(wanted: Wanted, folder: str) -> Made:
    """Make a graph, solve it from its sources, certify the first answer, and write all of it.

    Raises
    ------
    InputError
        If the graph cannot have weights of a type.
    """
    graph = wanted.make()
    place = Path(tempfile.mkdtemp(prefix="graph-", dir=folder))
    np.save(place / "indptr.npy", graph.indptr)
    np.save(place / "indices.npy", graph.indices)
    weighted_by: list[str] = []
    sources = chosen(graph, wanted.sources)
    for dtype in wanted.dtypes:
        weighted = typed(graph, dtype)
        if weighted is None:
            msg = f"{wanted.title}: its weights are fractions, which {dtype} does not hold."
            raise InputError(msg)
        if weighted.weights is not None:
            np.save(place / f"weights-{dtype}.npy", weighted.weights)
            weighted_by.append(dtype)
        for at, source in enumerate(sources):
            [right] = answers_of(weighted, [source], certified=int(at == 0), threads=None).values()
            np.save(place / f"{dtype}-{at}.npy", right.dist)
    return Made(wanted, place, sources, graph.directed, weighted_by)


def chosen(graph: Graph, count: int) -> list[int]:
    """Return the vertex with most edges, one in the middle that has edges, and seeded ones."""
    degree = np.diff(graph.indptr)
    usable = np.flatnonzero(degree)
    hub = int(np.argmax(degree))
    middle = int(
        usable[np.searchsorted(usable, graph.n // 2, side="left").clip(0, len(usable) - 1)]
    )
    return list(dict.fromkeys([hub, middle, *sources_of(graph, count)]))[:count]


class Makers:
    """Processes that make graphs; a context manager that stops them at the end.

    Parameters
    ----------
    count : number of processes; 0 makes each graph in this process when it is needed.
    folder : folder in which a temporary folder is made for their files.
    """

    def __init__(self, count: int, folder: Path | None) -> None:
        self._count = count
        self._folder = tempfile.mkdtemp(prefix="warpath-graphs-", dir=folder)
        self._pool = ProcessPoolExecutor(
            max(1, count),
            multiprocessing.get_context("spawn"),  # CUDA does not survive a fork
            initializer=_use_threads,
            initargs=(max(1, settings.threads() // (count + 1)),),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in list(self._pool._processes.values()):  # noqa: SLF001 - public in Python 3.14
            process.terminate()
        self._pool.shutdown(cancel_futures=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def each(self, wanted: Sequence[Wanted], seconds: float) -> Iterator[Made | Failed]:
        """Yield each graph when it is ready, or the reason why it could not be made.

        Parameters
        ----------
        seconds : time limit; graphs that are not ready then have failed.
        """
        end = time.monotonic() + seconds
        if self._count == 0:
            for one in wanted:
                over = time.monotonic() > end
                yield Failed(one, _OVER) if over else _tried(one, self._folder)
            return
        futures = {self._pool.submit(_tried, one, self._folder): one for one in wanted}
        try:
            for future in as_completed(futures, timeout=max(0.0, end - time.monotonic())):
                one = futures.pop(future)
                died = isinstance(future.exception(), BrokenProcessPool)
                yield Failed(one, "a maker's process ended") if died else future.result()
        except TimeoutError:
            yield from (Failed(one, _OVER) for one in futures.values())


def _use_threads(count: int) -> None:
    os.environ["WARPATH_THREADS"] = str(count)


def _tried(wanted: Wanted, folder: str) -> Made | Failed:
    try:
        return make(wanted, folder)
    except (WarpathError, MemoryError, OSError) as error:
        return Failed(wanted, f"{type(error).__name__}: {error}")
