"""A plan made and carried out: what all calls share."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings
from warpath.base.errors import DistanceOverflowError, InputError, NegativeCycleError
from warpath.base.progress import is_silent, watch
from warpath.engines import cpu
from warpath.engines.base import Order
from warpath.engines.dispatch import gpu_memory, run
from warpath.graph.checks import shown
from warpath.graph.facts import probed
from warpath.graph.zones import opened
from warpath.planner.cpu_model import unsure
from warpath.planner.plan import Hardware, Plan, Wish, checked, choose, device_of, preferring
from warpath.recipes import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Problem, Raw
    from warpath.engines.cuda.result import OnDevice
    from warpath.engines.staged.tiles import Tiles
    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.results.trace import Trace

    Progress = bool | Callable[[int, int], None] | None


_MOST_PLANS = 64  # kept with a graph
_OF_GPUS = "plans of GPUs"
_SILENT = nullcontext()  # entered in a tenth of the time of `watch`, which counts on tiny graphs


def choose_for(
    size: Size, graph: Graph, wish: Wish, place: str = "auto", *, again: bool = True
) -> Plan:
    """Choose how a graph is solved on this machine; see `warpath.planner.plan.choose`.

    Parameters
    ----------
    graph : without closed vertices, as `opened` makes it.
    place : the device that the caller's graph was put on.
    again : whether the plan of one source for a GPU may be one that was made before, when there was
        memory for it.
    """
    kept: dict[Hashable, Plan] | None = graph.derived.get(_OF_GPUS)
    if kept and again:
        plan = kept.get(_asked(size, wish, place))
        if plan is not None:
            return plan.again()
    if wish.threads is not None and not (
        type(wish.threads) is int and 1 <= wish.threads <= settings.MOST_THREADS
    ):
        msg = (
            f"threads = {shown(wish.threads)} must be a whole number, 1 to {settings.MOST_THREADS}."
        )
        raise InputError(msg)
    preference = settings.device() if place == "auto" else place
    given = wish
    wish = preferring(preference, size, checked(wish))
    device = device_of(size, wish)
    if device == "cpu" and not wish.params:
        return _kept(size, graph, wish)
    # That a GPU cannot be used is an error only when it shall run.
    free, why = gpu_memory(device, graph)
    hardware = Hardware(settings.threads(), settings.memory(), free, why)
    plan = choose(size, facts_for(size, graph, device), hardware, wish)
    asked = _asked(size, given, place)
    if asked is not None and free is not None and _most(plan) <= free:
        # Its memory is not looked at again: most of it is kept with the graph from now on, and an
        # array that does not fit any more is an error of its own.
        kept = graph.derived.setdefault(_OF_GPUS, {})
        if len(kept) >= _MOST_PLANS:
            kept.clear()
        kept[asked] = plan.again()
    return plan


def facts_for(size: Size, graph: Graph, device: str) -> Facts:
    """Return the facts that a plan is made from, with hops counted where they decide."""
    facts = graph.facts(symmetry=False)
    decide = size.task is Task.SSSP if device != "cpu" else unsure(size, facts)
    return probed(graph) if decide else facts


def _asked(size: Size, wish: Wish, place: str) -> Hashable | None:
    """Return what a plan for a GPU is kept under, or None where it is not."""
    algorithm, device, threads, params, traced = wish
    names = type(algorithm) is str and type(device) is str
    other = params is not None or threads is not None or traced
    if size.task is not Task.SSSP or not names or other:
        return None
    if place == device == "auto":
        place = settings.device()
    return algorithm, device, place, settings.gpu_memory(), settings.memory_limit()


def is_kept(size: Size, graph: Graph, wish: Wish, place: str) -> bool:
    """Say whether `choose_for` has kept the plan for a GPU, whose memory is not looked at again."""
    kept: dict[Hashable, Plan] | None = graph.derived.get(_OF_GPUS)
    return kept is not None and _asked(size, wish, place) in kept


def _most(plan: Plan) -> int:
    """Return the bytes that the most greedy candidate takes."""
    return max([plan.bytes, *(other.bytes for other in plan.runners_up)])


def _kept(size: Size, graph: Graph, wish: Wish) -> Plan:
    """Return the plan for the CPU that was made when this was asked for before, or make one.

    While all candidates fit the memory it changes nothing of the choice.
    """
    threads, memory = settings.threads(), settings.memory()
    asked = (size, wish.algorithm, wish.device, wish.threads, threads)
    plans: dict[Any, tuple[Plan, int]] = graph.derived.setdefault("plans", {})
    if asked in plans:
        plan, most = plans[asked]
        if most <= memory:
            return plan.again()
    plan = choose(size, facts_for(size, graph, "cpu"), Hardware(threads, memory), wish)
    most = _most(plan)
    if most <= memory and plan.staged is None:
        if len(plans) >= _MOST_PLANS:
            plans.clear()
        plans[asked] = plan.again(), most
    return plan


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
            )
            raw = run(order, chosen.device)
            if raw.device is not None and not stay:
                raw.dist = on_device(
                    raw, order.graph, problem.source, None
                ).here()  # uncut, as others
                raw.device = None
    except NegativeCycleError as error:
        names = graph.label_of(np.array(error.cycle)).tolist()
        raise NegativeCycleError(names, error.length) from None
    except OverflowError as error:
        raise too_wide(error, None if out is None else out.dtype) from None
    return raw, dict(raw.stats) | {"seconds": time.perf_counter() - start}


def on_device(
    raw: Raw, graph: Graph, source: int, cutoff: float | None, wanted: np.dtype[Any] | None = None
) -> OnDevice:
    """Return what an engine left on its device as a result; see `OnDevice`."""
    from warpath.engines.cuda.result import OnDevice  # here: the CPU needs none of it

    assert raw.device is not None  # noqa: S101 - the caller has looked
    wanted = graph.dist_dtype if wanted is None else wanted
    try:
        return OnDevice(graph, source, raw.dist, raw.device, cutoff, wanted)
    except OverflowError as error:
        raise too_wide(error, np.dtype(np.int32)) from None


def narrowed(dist: Array, wanted: np.dtype[Any]) -> Array:
    """Return distances in the type that was asked for, or raise DistanceOverflowError."""
    try:
        return cpu.fitting(dist, wanted)
    except OverflowError as error:
        raise too_wide(error, wanted) from None


def too_wide(error: OverflowError, wanted: np.dtype[Any] | None = None) -> DistanceOverflowError:
    """Return the error of a distance that does not fit, with the way out.

    Parameters
    ----------
    wanted : the type of the answer; None for the graph's own.
    """
    if wanted == np.int32:
        return DistanceOverflowError(f"{error}: leave dist_dtype out for 64 bits.")
    return DistanceOverflowError.of(error)
