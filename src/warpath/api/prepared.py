"""Prepare graphs: build a hierarchy, use it where that is faster, save and load it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base import settings, units
from warpath.base.errors import (
    DistanceOverflowError,
    InputError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.base.log import note
from warpath.base.progress import watch
from warpath.engines import hierarchy, hub_labels, labels
from warpath.engines.devices import members
from warpath.engines.hierarchy import HIERARCHY, hierarchy_of
from warpath.engines.hub_labels import hub_labels_of
from warpath.engines.labels import labels_of
from warpath.engines.new_weights import refuse_negative, too_long
from warpath.engines.registry import engine_of
from warpath.graph import Graph
from warpath.graph.checks import shown
from warpath.graph.derived import Derived, bytes_of_graph
from warpath.graph.solvable import search_graph
from warpath.planner.cpu_model import may_be_prepared, prepare_bytes, prepare_seconds
from warpath.planner.kinds import kind_of

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from warpath.api.options import Options
    from warpath.api.question import Progress
    from warpath.base.progress import Report
    from warpath.io import wph
    from warpath.planner.cpu_model import Size


def save(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write a graph and its hierarchy; see `Solver.save`."""
    from warpath.io import wph
    from warpath.io.places import to_write
    from warpath.io.save import atomic

    target = to_write(path)
    if target.suffix.lower() != ".wph":
        msg = f"{target}: a prepared graph is saved as .wph, uncompressed: name the file so."
        raise InputError(msg)
    arrays = hierarchy.arrays_of(search_graph(graph))
    if arrays is None:
        raise InputError(
            f"{target}: this Solver has no hierarchy to save: make it by warpath.prepare(graph), "
            "or save the graph alone by warpath.write."
        )
    with atomic(target) as file:
        inner = search_graph(graph)
        of_labels, of_hubs = labels.arrays_of(inner), hub_labels.arrays_of(inner)
        wph.write_prepared(graph, arrays, file, labels=of_labels, hubs=of_hubs)


def loaded(path: str | os.PathLike[str], graph: Any, progress: Progress = None) -> Graph:
    """Return the graph of a file, or the given one, with the hierarchy; see `warpath.load`."""
    from warpath.io import wph
    from warpath.io.places import to_read
    from warpath.io.source import Source, reading

    file_name = to_read(path)
    given = None if graph is None else Graph.of(graph)
    with reading(file_name) as passing, watch(progress, f"reading {file_name.name}") as report:
        file = wph.PreparedFile(Source(file_name, progress=passing(report)))
        if given is not None:
            file.refuse_another(given)
        result = file.graph() if given is None else given
        _keep_hierarchy(file, result)
    if given is None:
        wph.MAPPED_FROM.of(result, lambda: str(file_name.absolute()))
    return result


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
    from warpath.io import wph
    from warpath.io.source import Source, reading

    with reading(path):
        source = Source(path)
        if not wph.sniff(source.raw_head):
            return False
        file = wph.PreparedFile(source)
        file.refuse_another(graph)
        _keep_hierarchy(file, graph)
    return True


def _keep_hierarchy(file: wph.PreparedFile, graph: Graph) -> None:
    inner = search_graph(graph)
    hierarchy.keep(inner, file.hierarchy(graph.weight_dtype))
    of_labels, of_hubs = file.labels(graph.weight_dtype), file.hub_labels(graph.weight_dtype)
    try:
        if of_labels is not None:
            labels.keep(inner, of_labels)
        if of_hubs is not None:
            hub_labels.keep(inner, of_hubs)
    except ValueError as error:
        raise file.source.error(None, f"its labels are damaged: {error}") from error
    kept = (labels.LABELS.cached(inner), hub_labels.HUB_LABELS.cached(inner))
    if reason := hierarchy.contradiction(inner, [each for each in kept if each is not None]):
        advice = "prepare the graph again, by warpath.prepare or the command `warpath prepare`"
        raise file.source.error(None, f"{reason}: {advice}")


def prepare_graph(
    graph: Graph,
    threads: int | None,
    progress: Progress = None,
    *,
    with_labels: bool | str = False,
    memory: int | str | None = None,
    device: str = "auto",
) -> None:
    """Build the hierarchy of a graph, which keeps it, and labels; see `warpath.prepare`."""
    most = _most_bytes(with_labels, memory)
    refuse_negative(graph)
    _require_memory(search_graph(graph))
    team = settings.threads() if threads is None else threads
    with watch(progress, "prepare", "vertices") as report:
        if hierarchy_of(search_graph(graph), team, report) is None:
            raise too_long()
        if with_labels is not False:
            on_cpu = all(kind_of(name).runs == "cpu" for name in members(device))
            label = _label_either if on_cpu and with_labels is True else _label
            label(search_graph(graph), team, report, most, required=with_labels is True)
    if with_labels is True:
        for name in members(device):
            _require_room(search_graph(graph), name)


def _most_bytes(with_labels: bool | str, memory: int | str | None) -> int | None:
    """Check what labels are wanted, and return the bytes that they may take; None for any."""
    if not isinstance(with_labels, bool | str) or with_labels not in (True, False, "auto"):
        msg = f"labels = {shown(with_labels)} must be True, False or 'auto'."
        raise InputError(msg)
    if memory is None:
        return settings.memory() // _OF_FREE_MEMORY if with_labels == "auto" else None
    if with_labels is False:
        msg = f"memory = {shown(memory)} has no effect without labels: ask for labels, too."
        raise InputError(msg)
    return settings.bytes_of(memory, "memory")


def _label(
    graph: Graph, threads: int, report: Report | None, most: int | None, *, required: bool
) -> None:
    """Compute labels, where they are required or the graph is fit for them."""
    try:
        if labels_of(graph, threads, report, most=most) is None:
            raise too_long()
    except (NotSupportedError, NotEnoughMemoryError, DistanceOverflowError) as error:
        if required:
            raise
        note("this graph gets no labels: %s", error)


def _label_either(
    graph: Graph, threads: int, report: Report | None, most: int | None, *, required: bool
) -> None:
    """Compute labels to ancestors, or those to hubs where the former take too much memory."""
    try:
        _label(graph, threads, report, most, required=required)
    except NotEnoughMemoryError as error:
        note("labels to hubs take the place of those to ancestors: %s", error)
        try:
            hub_labels_of(graph, threads, report, most=most)
        except NotEnoughMemoryError as too_much:
            raise NotEnoughMemoryError(f"{error} Also, {too_much}") from None


def _require_room(graph: Graph, device: str) -> None:
    """Refuse labels that a GPU does not hold with the hierarchy and the graph."""
    free, _ = engine_of(device).memory(graph, device)
    labels_bytes = labels.bytes_of_labels(graph)
    rest = bytes_of_graph(graph) + HIERARCHY.size(HIERARCHY.cached(graph))
    if free is not None and labels_bytes + rest > free:
        raise NotEnoughMemoryError(
            f"labels would take {units.size(labels_bytes)} on {device}, and graph and hierarchy "
            f"{units.size(rest)}, but {units.size(free)} are free: leave labels out, end what else "
            "uses this GPU, or use device='cpu'."
        )


def _require_memory(graph: Graph) -> None:
    """Raise NotEnoughMemoryError if a graph has no hierarchy and there is too little for one."""
    need, free = prepare_bytes(graph.facts(symmetry=False)), settings.memory()
    if need > free and HIERARCHY.cached(graph) is None:
        raise NotEnoughMemoryError(
            f"preparing would take {units.size(need)} in addition to the graph, "
            f"but {units.size(free)} are free: use a machine with more memory, or "
            "warpath.Solver(graph), which needs no preparation."
        )


#: labels="auto" may take the free memory divided by this number.
_OF_FREE_MEMORY = 4

#: Why a graph has no hierarchy; kept, so that it is not contracted in vain again.
_REFUSED: Derived[str] = Derived(__name__, "why there is no contraction hierarchy")


def with_hierarchy_if_faster(
    graph: Graph, options: Options, size: Size | None = None, prepared_size: Size | None = None
) -> Options:
    """Return options that use a hierarchy or do not, whichever is predicted to be faster in total.

    A hierarchy that exists is used. One is built here if the call is predicted to take longer than
    building it and then answering.

    Parameters
    ----------
    options : of a Solver; returned as they are unless `prepared` is "auto".
    size : what the call requests; None for a call that is too small to build a hierarchy for.
    prepared_size : what it requests of a prepared graph, if that is not the same.
    """
    if options.request.prepared != "auto":
        return options
    without, prepared = (options.but(graph, prepared=choice) for choice in (False, True))
    inner = search_graph(graph)
    if HIERARCHY.cached(inner) is not None:
        return prepared
    facts = inner.facts(symmetry=False)
    able = options.request.algorithm == "auto" and may_be_prepared(facts)
    if size is None or not able or _REFUSED.cached(inner) is not None:
        return without
    threads = options.request.threads or settings.threads()
    now = without.plan(size, graph).seconds
    then = prepared.plan(prepared_size or size, graph).seconds
    if now is None or then is None or now <= prepare_seconds(facts, threads) + then:
        return without
    try:
        built = hierarchy_of(inner, threads)
    except NotSupportedError as error:
        reason = str(error)
        _REFUSED.of(inner, lambda: reason)
        return without
    return without if built is None else prepared
