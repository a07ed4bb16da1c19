"""What the first call on a GPU is predicted to take in addition to the solve itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.planner.gpu_model import gpu_bytes
from warpath.recipes import Loop

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.recipes import Recipe

_START = 1.2  # seconds: CuPy, cuda.core and NVRTC imported, the context created
_KERNELS = 0.4  # seconds: the kernels of one recipe compiled, or the first ones of CuPy loaded
_PER_BYTE = 2.5e-10  # from pageable memory of the host
_INTO_EDGE = 4.7e-8  # an edge of the transpose, made on the host where vertex numbers are random
_SORTED_EDGE = 4e-9  # an edge copied, and sorted by weight on the GPU
_CUT_VERTEX, _CUT_EDGE = 4.7e-8, 3.2e-9  # while the host cuts a graph into patches


def start_seconds(recipe: Recipe, size: Size, facts: Facts) -> float:
    """Return the seconds that a call takes in addition if it is the first one on a GPU.

    They are those of a new process, an empty cache of kernels and a graph that is on the host, so
    that the same question always has the same plan.

    From the first calls of docs/benchmarks/gpu-h200.jsonl.
    """
    n, m = facts.n, facts.m
    match recipe.loop:
        case Loop.PATCHES | Loop.HIERARCHY_SWEEP:
            ready = n * _CUT_VERTEX + m * _CUT_EDGE
        case Loop.WIDE | Loop.BFS:
            ready = m * (_SORTED_EDGE + (_INTO_EDGE if facts.directed else 0.0))
        case _:
            alone = size._replace(sources=0, targets=0)  # what is there before the answer
            ready = _PER_BYTE * gpu_bytes(recipe, alone, facts)
    return _START + _KERNELS + ready
