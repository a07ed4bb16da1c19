"""What is requested of a table: checks of what cannot be kept, and what its bytes depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings, units
from warpath.base.errors import InputError, NotEnoughMemoryError, NotSupportedError
from warpath.graph.fingerprint import digest_of, fingerprint
from warpath.graph.zones import refuse_areas
from warpath.planner.kinds import kind_of

if TYPE_CHECKING:
    from warpath.engines.base import Problem
    from warpath.graph import Graph
    from warpath.io.journal import Question
    from warpath.planner.plan import Plan


class TableRequest(NamedTuple):
    """What a call requests of a table.

    Attributes
    ----------
    dtype : of the distances.
    out : where they go; see `warpath.io.outputs.output_of`.
    predecessors, trace : whether they are kept as well.
    """

    dtype: np.dtype[Any]
    out: Any = None
    predecessors: bool = False
    trace: bool = False


def check_trace(chosen: Plan) -> None:
    """Raise NotSupportedError where the plan counts nothing that a trace could hold."""
    if chosen.shares or kind_of(chosen.device).cluster:
        msg = "several devices keep no trace: trace one of them, as device='cpu' or 'cuda'."
        raise NotSupportedError(msg)
    if not kind_of(chosen.device).traces(chosen.recipe):
        msg = (
            f"{chosen.algorithm} counts no relaxations on a GPU, which are its kernels' own: leave "
            "trace out, or trace a published variant (warpath algorithms --device cuda)."
        )
        raise NotSupportedError(msg)
    if chosen.staged is not None:
        msg = (
            f"{chosen.algorithm} has no trace where tiles of the matrix pass through memory: leave "
            "trace out."
        )
        raise NotSupportedError(msg)


def check_predecessors(graph: Graph, chosen: Plan, problem: Problem, request: TableRequest) -> None:
    """Raise where predecessors cannot be kept, or would take more memory than is free."""
    refuse_areas(graph, "predecessors=True")
    out = request.out
    if not (out is None or isinstance(out, np.ndarray) or hasattr(out, "__cuda_array_interface__")):
        msg = (
            "predecessors=True fills an array in memory, but out= is a file or a function: leave "
            "one of them out. DistanceTable.path finds routes from the distances alone."
        )
        raise InputError(msg)
    on_gpu = hasattr(out, "__cuda_array_interface__")
    if on_gpu and not (chosen.recipe.predecessors and problem.targets is None):
        msg = (
            f"{chosen.algorithm} keeps no predecessors on the GPU, where out= lies: leave out= "
            "out, or predecessors."
        )
        raise NotSupportedError(msg)
    width = graph.n if problem.targets is None else len(problem.targets)
    bytes_ = len(problem.sources) * width * graph.indices.dtype.itemsize
    free, distances = settings.memory(), 0 if kind_of(chosen.device).own_memory else chosen.bytes
    if distances + bytes_ > free:
        msg = (
            f"predecessors would take {units.size(bytes_)} next to the {units.size(distances)} of "
            f"{chosen.algorithm}, but {units.size(free)} are free: leave predecessors out, for "
            "DistanceTable.path finds routes from the distances, or select fewer sources."
        )
        raise NotEnoughMemoryError(msg)


def question(graph: Graph, chosen: Plan, problem: Problem, request: TableRequest) -> Question:
    """Return what the bytes of a table depend on: a file is only continued by the same."""
    loose = chosen.recipe.reassociates and graph.dist_dtype.kind == "f"
    everything = "all vertices"
    return {
        "graph": fingerprint(graph),
        "sources": digest_of([problem.sources]),
        "targets": everything if problem.targets is None else digest_of([problem.targets]),
        "cutoff": str(problem.cutoff),
        "type": str(request.dtype),
        "order of sums": chosen.algorithm if loose or not chosen.recipe.exact else "along the path",
    }
