"""Johnson's algorithm by two recipes in rounds: for the potentials, and from each source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from warpath.engines.base import Order, Problem, Raw
from warpath.engines.cpu import refuse_overflow
from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.rows import ROWS, Rows, longest, resident
from warpath.engines.cuda.tables.deliver import put
from warpath.engines.cuda.tables.johnson import restore
from warpath.engines.papers.rounds import solve
from warpath.engines.papers.run import Run
from warpath.engines.potentials import labels_or_cycle
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.graph.derived import Derived
from warpath.recipes import Task
from warpath.results.trace import Trace

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, TableOrder
    from warpath.engines.cuda.entry import Kernel
    from warpath.recipes import Recipe


def rounds_a_source(order: TableOrder, device: Device) -> Raw:
    """Run `Loop.ROUNDS_A_SOURCE`.

    Raises
    ------
    NegativeCycleError
        If the sources reach a negative cycle; for all pairs, if there is one.
    OverflowError
        If a sum of weights could leave 64 bits, or a distance does not fit its type.
    """
    graph, sources = order.graph, order.problem.sources
    if order.out.size == 0:
        return Raw(order.out, stats={"rounds": 0})
    negative = graph.facts(symmetry=False).negative > 0
    potentials, rounds = None, 0
    if negative:
        if longest(graph) >= 2**61:
            msg = f"{graph.n:,} weights of this size could leave 64 bits"
            raise OverflowError(msg)
        potentials, rounds = _potentials(order, device)
        graph = _reweighted(graph, potentials, device)
    chosen = order.problem.targets
    columns = slice(None) if chosen is None else device.put(chosen)
    for row, source in enumerate(sources.tolist()):
        run = _solved(order, order.recipe.parts[1], graph, source, device)
        rounds += run.rounds
        dist = run.dist
        if longest(graph) >= 2**62:
            refuse_overflow(graph, order.problem, device.get(dist))
        if potentials is not None:
            restore(device, dist[None], potentials, sources[row : row + 1], None)
        put(order.out, slice(row, row + 1), dist[None, columns], device)
        if order.progress is not None:
            order.progress(row + 1, len(sources))
    return Raw(order.out, stats={"rounds": rounds})


def reweighting(types: Types, block: int) -> Kernel:
    """Return the kernel that puts lengths under potentials."""
    return kernel("reweight", types, block)


def _solved(order: Order, recipe: Recipe, graph: Graph, source: int, device: Device) -> Run:
    """Run a part from a source; its rounds join those of the order's trace."""
    mine = None if order.trace is None else Trace()
    problem = Problem(Task.SSSP, np.array([source]))
    run = Run(Order(recipe, graph, problem, order.threads, order.params, trace=mine), device)
    at_rest = solve(run)
    if order.trace is not None and mine is not None:
        for traced in mine:
            order.trace.add(replace(traced, number=len(order.trace)))
    if not at_rest:
        _refuse(order)
        msg = f"{recipe.name} made {run.rounds} rounds and did not come to rest."
        raise RuntimeError(msg)
    return run


def _refuse(order: Order) -> None:
    """Raise for the negative cycle that kept potentials from coming to rest."""
    every = order.problem.task is Task.APSP
    starts = np.empty(0, np.int64) if every else order.problem.sources
    labels_or_cycle(order.graph, starts, None)


_POTENTIALS: Derived[Array] = Derived(__name__, "potentials of all vertices on a device")


def _potentials(order: Order, device: Device) -> tuple[Array, int]:
    """Return the distances from an extra vertex, (n,) on the device, and the rounds it took.

    It has an edge of length 0 to every vertex, and they are kept; or to the sources alone.
    """
    graph, problem = order.graph, order.problem
    n = graph.n
    every = problem.task is Task.APSP
    cached = _POTENTIALS.cached(graph, device.name)
    if every and order.trace is None and cached is not None:
        return cached, 0
    starts = np.arange(n) if every else np.unique(problem.sources)
    weights = graph._solver_weights
    rows = kept_rows(
        np.append(graph.indptr, graph.m + len(starts)),
        np.append(graph.indices, starts.astype(graph.indices.dtype)),
        np.append(weights, np.zeros(len(starts), weights.dtype)),
        copied=False,
    )
    wider = Graph(*rows)
    run = _solved(order, order.recipe.parts[0], wider, n, device)
    potentials = run.dist[:n]
    return _POTENTIALS.of(
        graph, lambda: potentials, device.name
    ) if every else potentials, run.rounds


def _reweighted(graph: Graph, potentials: Array, device: Device) -> Graph:
    """Return the graph of lengths under potentials, all >= 0, with its rows on the device."""
    label = graph.dist_dtype
    rows = resident(graph, device)
    types = Types.of(graph.indices.dtype, graph._solver_weights.dtype, label)
    reduced = device.xp.empty(graph.m, label)
    converter = reweighting(types, device.block)
    arguments = converter.arguments(
        **rows.named(), n=graph.n, potentials=potentials, reduced=reduced
    )
    device.launch(converter, -(-graph.n // device.block), *arguments)
    here = device.get(reduced)
    with np.errstate(over="ignore"):
        if label.kind == "f" and not np.isfinite(here.max(initial=0) * label.type(graph.n)):
            msg = f"a length under potentials could leave {label}"
            raise OverflowError(msg)
    reduced_graph = Graph(*kept_rows(graph.indptr, graph.indices, here, copied=False))
    ROWS.of(reduced_graph, lambda: Rows(rows.indptr, rows.indices, reduced), device.name)
    return reduced_graph
