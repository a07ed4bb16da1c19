"""A `warpath.sssp` that uses a given device in place of a GPU."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api import calls
from warpath.base.dtypes import unreachable
from warpath.base.errors import NotSupportedError
from warpath.engines.base import Order, Problem
from warpath.engines.cuda import engine
from warpath.planner.plan import Plan
from warpath.recipes import CATALOGUE, Task
from warpath.recipes.params import chosen_params
from warpath.results.paths import Paths
from warpath.results.predecessors import as_labels, tree
from warpath.results.trace import Trace, TracedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.engines.base import Device
    from warpath.graph import Graph


def sssp_on(device: Device) -> Callable[..., Paths]:
    """Return an `sssp` that runs calls for ``"cuda"`` on the device.

    Parameters
    ----------
    device : for example the emulator, which runs one thread at a time, so graphs must be small.
    """

    def sssp(
        graph: Graph,
        source: int,
        *,
        algorithm: str,
        device: str = "cuda",
        params: dict[str, float] | None = None,
        trace: bool = False,
    ) -> Paths:
        if not device.startswith("cuda"):
            return calls.sssp(
                graph, source, algorithm=algorithm, device=device, params=params, trace=trace
            )
        return _solved(graph, source, algorithm, params or {}, Trace() if trace else None)

    def _solved(
        graph: Graph, source: int, algorithm: str, given: dict[str, float], trace: Trace | None
    ) -> Paths:
        recipe, facts = CATALOGUE[algorithm], graph.facts(symmetry=False)
        objection = recipe.objection(Task.SSSP, facts)
        if objection is not None:
            raise NotSupportedError(f"{algorithm} cannot do this: {objection}.")
        params = chosen_params(recipe, facts, given)
        problem = Problem(Task.SSSP, np.array([source]))
        raw = engine.run(Order(recipe, graph, problem, 1, params, trace=trace), device)
        raw.dist = as_labels(graph, device.get(raw.dist))
        plan = Plan(recipe, device.name, 1, params, None, 0, "it was requested")
        reached = raw.dist != unreachable(raw.dist.dtype)
        stats: dict[str, Any] = dict(raw.stats) | {"reached": int(np.count_nonzero(reached))}
        if trace is not None:
            edges = int(np.diff(graph.indptr)[reached].sum())
            trace.run = TracedRun.of(plan, graph, source, edges, 1.0)
            stats |= asdict(trace.totals())
        return Paths(
            graph,
            source,
            raw.dist,
            tree=lambda: tree(graph, source, raw.dist),
            plan=plan,
            stats=stats,
            trace=trace,
        )

    return sssp
