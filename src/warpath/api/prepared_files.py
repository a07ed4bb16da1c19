"""Prepared graphs in files: saved by a Solver, loaded by `warpath.load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.api.solver import Solver
from warpath.base.errors import InputError
from warpath.base.progress import watch
from warpath.engines import hierarchy
from warpath.graph import Graph
from warpath.graph.zones import opened
from warpath.io import wph
from warpath.io.places import to_read, to_write
from warpath.io.save import atomic
from warpath.io.source import Source, reading

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from warpath.api.run import Progress


def save(solver: Solver, path: str | os.PathLike[str]) -> None:
    """Write the graph of a solver and its hierarchy; see `Solver.save`."""
    target = to_write(path)
    if target.suffix.lower() != ".wph":
        msg = f"{target}: a prepared graph is saved as .wph, uncompressed: name the file so."
        raise InputError(msg)
    arrays = hierarchy.arrays_of(opened(solver.graph))
    if arrays is None:
        msg = (
            f"{target}: this Solver has no hierarchy to save: make it by warpath.prepare(graph), "
            "or save the graph alone by warpath.write."
        )
        raise InputError(msg)
    with atomic(target) as file:
        wph.write_prepared(solver.graph, arrays, file)


def load(
    path: str | os.PathLike[str],
    *,
    graph: Any = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Solver:
    """Load a prepared graph that `Solver.save` wrote, and return a Solver that searches in it.

    The file is mapped into memory: the graph's edges are not copied, and processes that load the
    same file share them. The file must stay as it is as long as the graph is used; `Solver.save`
    replaces a file without changing the one that is mapped.

    Parameters
    ----------
    path : a .wph file.
    graph : the graph that the file must have been prepared for, as anything that `Graph.of` takes;
        the Solver then has this graph, with its own labels and coordinates. None: the graph in the
        file.
    threads : threads that the Solver uses; all cores that the process may use when not given.
    progress : True for a bar on stderr, or a function of bytes done and bytes in total.

    Returns
    -------
    Solver
        As `prepare` returns it.

    Raises
    ------
    GraphFormatError
        The file does not exist, is not a prepared graph, is of another version, or is damaged:
        every byte is checked.
    InputError
        The file was prepared for another graph than `graph`.
    NotEnoughMemoryError
        The memory does not hold the hierarchy.

    Notes
    -----
    O(n + m): checksums, a copy of the hierarchy, and a search from one vertex and to it, whose
    distances are compared with the edges. New York's roads, 264,346 vertices and 733,846
    edges, take 25 ms, where reading the graph and preparing it takes 2.7 s.

    Examples
    --------
    >>> import tempfile
    >>> import warpath as wp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wp.prepare([(0, 1, 2), (1, 2, 5)]).save(f"{folder}/city.wph")
    ...     city = wp.load(f"{folder}/city.wph")
    >>> city.path(0, 2).length
    7
    """
    place = to_read(path)
    given = None if graph is None else Graph.of(graph)
    with reading(place) as passing, watch(progress, f"reading {place.name}") as report:
        file = wph.PreparedFile(Source(place, progress=passing(report)))
        if given is not None:
            file.refuse_another(given)
        found = file.graph() if given is None else given
        _keep_hierarchy(file, found)
    if given is None:
        wph.MAPPED_FROM.of(found, lambda: str(place.absolute()))
    return Solver(found, threads=threads, prepared=True)


def keep_saved(path: Path, graph: Graph) -> bool:
    """Keep the hierarchy of a file with a graph that was read from it.

    Returns False, and does nothing, if the file is not a prepared graph.

    Raises
    ------
    GraphFormatError
        The file is damaged.
    InputError
        The graph is not that of the file, as it was read with other weights.
    """
    with reading(path):
        source = Source(path)
        if not wph.sniff(source.raw_head):
            return False
        file = wph.PreparedFile(source)
        file.refuse_another(graph)
        _keep_hierarchy(file, graph)
    return True


def _keep_hierarchy(file: wph.PreparedFile, graph: Graph) -> None:
    searched = opened(graph)
    hierarchy.keep(searched, file.hierarchy(graph.weight_dtype))
    if reason := hierarchy.contradiction(searched):
        way = "prepare the graph again, by warpath.prepare or the command `warpath prepare`"
        raise file.source.error(None, f"{reason}: {way}")
