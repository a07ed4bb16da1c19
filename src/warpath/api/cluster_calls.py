"""The calls that a Dask cluster answers: cut into blocks of rows, and put together again."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import cluster_worker
from warpath.api.cluster_worker import Block, Job
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.question import Runners
from warpath.api.table import identity_of, planned_table
from warpath.base import settings
from warpath.base.errors import interrupts_first
from warpath.base.progress import watch
from warpath.engines import betweenness, hierarchy
from warpath.engines.cluster.blocks import Call
from warpath.engines.cluster.clients import client_of
from warpath.engines.cluster.sent_graph import SentGraph, future_of_graph, seen_by_all
from warpath.engines.new_weights import refuse_negative, too_long
from warpath.graph.derived import Derived
from warpath.graph.fingerprint import fingerprint
from warpath.graph.point_sources import PointSources
from warpath.graph.solvable import SolvableGraph, search_graph
from warpath.graph.turns import refuse_turns
from warpath.io.wph import MAPPED_FROM
from warpath.planner.cpu_model import Size
from warpath.recipes import Task
from warpath.results.distance_table import DistanceTable
from warpath.results.nearest import Nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warpath.api.options import Options
    from warpath.api.question import Question
    from warpath.base.dtypes import Array
    from warpath.base.progress import Report
    from warpath.engines.betweenness import PathShares, Sums
    from warpath.engines.shared_rows import BlockSizes
    from warpath.graph import Graph
    from warpath.io.outputs import Output
    from warpath.planner.plan import Plan

_BLOCK_BYTES = 32 * 2**20  # of a block that comes here
_STORED_BYTES = 128 * 2**20  # of a block that a worker stores

_SENT: Derived[SentGraph] = Derived(__name__, "what Dask clusters get of the graph", sys.getsizeof)


def for_workers(graph: Graph) -> Graph:
    """Return the graph that workers get in place of a graph: without turns."""
    return graph if graph.turns is None else search_graph(graph)


def sent_graph(client: Any, graph: Graph, *, prepared: bool) -> SentGraph:
    """Return what workers get of a graph, with its hierarchy if it is prepared.

    That is the name of a file if the graph is mapped from one that all workers see. The hierarchy
    of a graph that is not prepared yet is built here.
    """
    sent = for_workers(graph)
    return _SENT.of(sent, lambda: _to_send(client, sent, prepared=prepared), client.id, prepared)


def _to_send(client: Any, graph: Graph, *, prepared: bool) -> SentGraph:
    digest = fingerprint(graph)
    path = MAPPED_FROM.cached(graph)
    if path is not None and seen_by_all(client, path):
        return SentGraph(f"{digest}-{path}", cluster_worker.mapped_graph, (path, digest))
    arrays = None
    if prepared:
        refuse_negative(graph)
        if hierarchy.hierarchy_of(search_graph(graph), settings.threads()) is None:
            raise too_long()
        arrays = hierarchy.arrays_of(search_graph(graph))
        digest += "-prepared"
    rows = graph.indptr, graph.indices, graph.weights
    parts = (*rows, graph.first_through, graph.areas, arrays)
    return SentGraph(digest, cluster_worker.graph_of, parts)


def _call(graph: Graph, options: Options, chosen: Plan, job: Job | PathShares) -> Call:
    prepared = options.request.prepared is True
    return Call(
        graph,
        chosen,
        job,
        lambda client: (for_workers(graph), sent_graph(client, graph, prepared=prepared)),
    )


def send(graph: Graph, device: str, *, prepared: bool) -> None:
    """Send a graph to a cluster before the first call."""
    client = client_of(device)
    future_of_graph(client, for_workers(graph), sent_graph(client, graph, prepared=prepared))


def _table(options: Options, question: Question, size: Size) -> DistanceTable:
    """Fill a table by the workers of a cluster; see `warpath.api.table.solved_table`."""
    from warpath.io.outputs import output_of

    graph, rows = question.graph, question.sources
    chosen = planned_table(options, question, size)
    shape = len(rows), question.width
    pred = np.empty(shape, graph.indices.dtype) if question.predecessors else None
    call = _call(graph, options, chosen, _job(options, question, chosen))
    with (
        interrupts_first(),
        output_of(
            question.out, shape, question.dtype, question=lambda: identity_of(chosen, question)
        ) as result,
        watch(question.progress, chosen.recipe.name, "sources") as report,
    ):
        _fill(call, result, rows, question.width * question.dtype.itemsize, pred, report)
    stats = call.stats() | ({"resumed": result.resumed} if result.resumed else {})
    return DistanceTable(
        graph,
        rows,
        question.targets,
        result.array,
        pred=pred,
        cutoff=question.cutoff,
        plan=call.plan(),
        stats=stats,
        trace=None,
    )


def _fill(
    call: Call,
    result: Output,
    rows: Array,
    row_bytes: int,
    pred: Array | None,
    report: Report | None,
) -> None:
    """Fill the destination of a table, or let workers fill it."""
    file, returned = result.by_chunks, row_bytes
    if file is None:
        sizes = call.sizes(len(rows), row_bytes, _BLOCK_BYTES)
    else:
        call.job, returned = replace(call.job, file=str(file.folder)), 1
        sizes = call.sizes(len(rows), row_bytes, _STORED_BYTES, file.chunk)
    blocks, done = _blocks(call, sizes, rows, result.resumed), result.resumed
    for block, block_rows in call.results(cluster_worker.rows, blocks, returned, sizes):
        here = slice(block.start, block.stop)
        if file is not None:
            file.stored(block.stop, block_rows.crc, len(block.sources) * row_bytes)
        elif result.array is not None:
            result.block(here)[:] = block_rows.dist
        else:
            result.put(here, block_rows.dist)
        if pred is not None:
            pred[here] = block_rows.pred
        if report is not None:  # of a file, what is noted: the last block is being written
            report(block.stop if result.journal is None else done, len(rows))
        done = block.stop
    if report is not None:
        report(len(rows), len(rows))


def _totals(
    options: Options, question: Question, names: tuple[str, ...], chosen: Plan
) -> tuple[dict[str, Array] | None, Plan]:
    """Return the totals of the distances from each source; see `warpath.totals`."""
    sources = question.sources
    if not len(sources):
        return None, chosen
    call = _call(question.graph, options, chosen, _job(options, question, chosen, totals=names))
    sizes = call.sizes(len(sources), 1, _BLOCK_BYTES)
    parts: list[dict[str, Array]] = []
    with interrupts_first(), watch(question.progress, chosen.recipe.name, "sources") as report:
        blocks = _blocks(call, sizes, sources)
        for block, values in call.results(cluster_worker.totals, blocks, 1, sizes):
            parts.append(values)
            if report is not None:
                report(block.stop, len(sources))
    return {name: np.concatenate([part[name] for part in parts]) for name in names}, call.plan()


def _pairs(options: Options, question: Question) -> tuple[Array, Plan, dict[str, Any]]:
    """Return the distance of each trip; see `warpath.api.pairs.solved_pairs`.

    Trips from one origin are neighbours, so that a worker searches from it once.
    """
    graph, origins, dtype = question.graph, question.sources, question.dtype
    task = Task.PAIRS if options.request.prepared else Task.MANY
    chosen = options.plan(Size(task, len(origins), 1, dtype.itemsize), graph)
    order = np.argsort(origins, kind="stable")
    starts, destinations = origins[order], question.all_targets[order]
    if graph.turns:
        destinations = question.view.arrivals(destinations)
    call = _call(graph, options, chosen, _job(options, question, chosen, targets=None))
    sizes = call.sizes(len(starts), 8, _BLOCK_BYTES)
    dist = np.empty(len(starts), dtype)
    with interrupts_first(), watch(question.progress, "pairs", "trips") as report:
        blocks = _blocks(call, sizes, starts, destinations=destinations)
        for block, distances in call.results(cluster_worker.pairs, blocks, 8, sizes):
            dist[order[block.start : block.stop]] = distances
            if report is not None:
                report(block.stop, len(starts))
    return dist, call.plan(), call.stats()


def _nearest(options: Options, question: Question) -> Nearest:
    """Find the nearest facilities on one worker, which is one search; see `warpath.nearest`."""
    graph, facilities, entries = question.graph, question.sources, question.entries
    if entries is not None:
        refuse_turns(graph, "nearest on a cluster, with points along edges,")
    options = with_hierarchy_if_faster(graph, options)
    chosen = options.plan(Size(Task.MANY, 1, graph.n, question.dtype.itemsize), graph)
    job = _job(
        options,
        question,
        chosen,
        algorithm=options.request.algorithm,  # no other block has to agree with it
        reverse=question.reverse,
        entries=None if entries is None else entries[0]._replace(given=(None,) * len(facilities)),
    )
    oriented = graph.reversed() if graph.turns and question.reverse else graph
    if oriented is not graph:  # the search graph of a reversed graph with turns is another one
        job = replace(job, reverse=False)
    call = _call(oriented, options, chosen, job)
    with interrupts_first(), watch(question.progress, "nearest"):
        blocks = iter([Block(0, facilities)])
        ((_, (dist, rows, _)),) = call.results(cluster_worker.nearest, blocks, 1)
    if graph.turns:
        dist, rows = (SolvableGraph(oriented).fold(labels, None) for labels in (dist, rows))
    owner = np.where(rows < 0, -1, facilities[rows]).astype(graph.indices.dtype)
    dist.flags.writeable = owner.flags.writeable = False
    return Nearest(
        graph,
        facilities,
        dist,
        owner,
        reverse=question.reverse,
        cutoff=question.cutoff,
        plan=call.plan(),
        stats=call.stats(),
        rows=rows,
        points=None
        if entries is None
        else PointSources.of(graph, entries[0], reverse=question.reverse),
    )


def path_sums(
    options: Options,
    graph: Graph,
    report: Report | None,
    shares: PathShares,
    sources: Array,
    starts: range,
    _stay: bool,
) -> Iterator[Sums]:
    """Yield the sums of blocks of sources; see `warpath.engines.betweenness.Elsewhere`."""
    own = options.but(graph, algorithm="auto", prepared=False)
    chosen = own.plan(Size(Task.MANY, max(1, len(sources)), graph.n, 8), graph)
    call = _call(graph, own, chosen, shares)
    bytes_ = 8 * shares.columns * (graph.n + graph.m) // betweenness.BLOCK
    blocks = (Block(start, sources[start : start + betweenness.BLOCK]) for start in starts)
    with interrupts_first():
        for block, sums in call.results(cluster_worker.path_sums, blocks, max(1, bytes_)):
            yield sums._replace(vertices=np.array(sums.vertices), edges=np.array(sums.edges))
            if report is not None:
                report(block.stop, len(sources))


#: What the workers of a cluster answer.
ON_CLUSTER = Runners(_table, _pairs, _nearest, _totals)


def _job(options: Options, question: Question, chosen: Plan, **changes: Any) -> Job:
    """Return what blocks share. The algorithm is fixed where float sums depend on it."""
    graph, request, targets = question.graph, options.request, question.targets
    loose = chosen.recipe.reassociates and graph.dist_dtype.kind == "f"
    job = Job(
        chosen.recipe.name if loose else request.algorithm,
        request.params,
        request.prepared is True,
        targets if graph.turns is None else question.view.columns(targets),
        question.cutoff,
        question.dtype,
        question.predecessors,
    )
    return replace(job, **changes)


def _blocks(
    call: Call, sizes: BlockSizes, sources: Array, start: int = 0, destinations: Array | None = None
) -> Iterator[Block]:
    """Cut rows from `start` on into blocks, each with an equal share of what is left at most."""
    while start < len(sources):
        stop = start + sizes.rows(len(sources) - start, 1 / call.threads)
        to = None if destinations is None else destinations[start:stop]
        yield Block(start, sources[start:stop], to)
        start = stop
