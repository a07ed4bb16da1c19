"""Running a plan: what all calls share."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import (
    DistanceOverflowError,
    MissingDependencyError,
    NegativeCycleError,
    NoDeviceError,
    NotSupportedError,
)
from warpath.base.progress import is_silent, watch
from warpath.engines import cpu
from warpath.engines.base import Order
from warpath.engines.registry import engine_of
from warpath.graph.facts import negative_weights
from warpath.graph.zones import opened
from warpath.planner.kinds import kind_of
from warpath.recipes import CATALOGUE
from warpath.results.trace import TracedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Problem, Raw
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph
    from warpath.planner.plan import Plan
    from warpath.results.paths import DeviceResult
    from warpath.results.trace import Trace

    Progress = bool | Callable[[int, int], None] | None


_FEW = 4  # algorithms that a message lists

_SILENT = nullcontext()  # entered in a tenth of the time of `watch`, which counts on tiny graphs


def run_plan(
    graph: Graph,
    chosen: Plan,
    problem: Problem,
    *,
    out: Array | None = None,
    pred: Array | None = None,
    progress: Progress = None,
    trace: Trace | None = None,
    tiles: Tiles | None = None,
    stay: bool = False,
) -> tuple[Raw, dict[str, Any]]:
    """Run a plan; errors come back with the graph's own names.

    Parameters
    ----------
    stay : whether distances from one source may stay on the device that found them.
    """
    start = time.perf_counter()
    try:
        with _SILENT if is_silent(progress) else watch(progress, chosen.recipe.name) as report:
            order = Order(
                chosen.recipe,
                opened(graph),
                problem,
                chosen.threads,
                chosen.params,
                out,
                report,
                trace,
                pred=pred,
                tiles=tiles,
                among=chosen.among,
                rows_on_host=chosen.rows_on_host,
            )
            raw = engine_of(chosen.device).run(order, chosen.device)
            if raw.device is not None and not stay:
                there = on_device(raw, chosen, order.graph, problem.source, None)
                raw.dist, raw.device = there.here(), None  # the caller applies the cutoff
    except NegativeCycleError as error:
        names = graph.label_of(np.array(error.cycle)).tolist()
        raise NegativeCycleError(names, error.length) from None
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, chosen) from error
    except OverflowError as error:
        raise too_wide(error, None if out is None else out.dtype) from None
    return raw, dict(raw.stats) | {"seconds": time.perf_counter() - start}


def without_device(error: NotSupportedError, chosen: Plan) -> NotSupportedError:
    """Return the error for a device that cannot be used, with algorithms that run without it."""
    recipe = chosen.recipe
    others = [
        other.name
        for other in CATALOGUE.planned
        if cpu.name in other.devices and not other.prepared and other.solves & recipe.solves
    ]
    if cpu.name in recipe.devices or not others:
        return error
    msg = (
        f"{recipe.name} runs on GPUs only, and {error}. On a CPU these "
        f"run: {', '.join(others[:_FEW])}; or, for small graphs, device='emulated'."
    )
    return type(error)(msg)


def traced_run(
    chosen: Plan, graph: Graph, source: Any, dijkstra_edges: int, seconds: float
) -> TracedRun:
    """Return the description of a plan's traced run, without its time where that says nothing."""
    known = seconds if kind_of(chosen.device).timed else 0.0
    return TracedRun.of(chosen, graph, source, dijkstra_edges, known)


def run_totals(
    graph: Graph, chosen: Plan, problem: Problem, names: tuple[str, ...], progress: Progress
) -> dict[str, Array] | None:
    """Return totals of the rows of a table that the plan's engine makes where it runs.

    None where the engine does not for this algorithm.

    Parameters
    ----------
    names : keys of `warpath.results.totals.NAMES`.
    """
    try:
        with watch(progress, chosen.recipe.name, "sources") as report:
            order = Order(
                chosen.recipe,
                opened(graph),
                problem,
                chosen.threads,
                chosen.params,
                progress=report,
            )
            return engine_of(chosen.device).totals(order, chosen.device, names)
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, chosen) from error
    except OverflowError as error:
        raise too_wide(error) from None


def on_device(
    raw: Raw,
    chosen: Plan,
    graph: Graph,
    source: int,
    cutoff: float | None,
    dtype: np.dtype[Any] | None = None,
) -> DeviceResult:
    """Return distances that a plan left on its device as a result; see `Engine.on_device`."""
    assert raw.device is not None  # noqa: S101 - the caller has looked
    dtype = graph.dist_dtype if dtype is None else dtype
    try:
        engine = engine_of(chosen.device)
        return engine.on_device(graph, source, raw.dist, raw.device, cutoff, dtype)
    except OverflowError as error:
        raise too_wide(error, np.dtype(np.int32)) from None


def with_own_names(plan: Plan, searched: Graph, graph: Graph) -> Plan:
    """Return a plan whose note about negative weights is about a graph, not one made of it.

    Parameters
    ----------
    searched : the graph that was planned for.
    """
    if searched is graph or not searched.facts(symmetry=False).negative:
        return plan
    note, own = negative_weights(searched), negative_weights(graph)
    return replace(plan, notes=tuple(own if each == note else each for each in plan.notes))


def counted(stats: dict[str, Any], dist: Array) -> dict[str, Any]:
    """Add how many vertices were reached; a loop that counts while it writes saves a pass."""
    if "reached" not in stats:
        stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return stats


def narrowed(dist: Array, dtype: np.dtype[Any]) -> Array:
    """Return distances in the requested type, or raise DistanceOverflowError."""
    try:
        return cpu.fitting(dist, dtype)
    except OverflowError as error:
        raise too_wide(error, dtype) from None


def too_wide(error: OverflowError, dtype: np.dtype[Any] | None = None) -> DistanceOverflowError:
    """Return the error of a distance that does not fit, with the way out.

    Parameters
    ----------
    dtype : the type of the answer; None for the graph's own.
    """
    if dtype == np.int32:
        return DistanceOverflowError(f"{error}: leave dist_dtype out for 64 bits.")
    return DistanceOverflowError.of(error)
