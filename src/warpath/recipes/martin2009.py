"""Martín, Torres, Gavilanes 2009: Dijkstra that settles all vertices of the least label at once."""

from __future__ import annotations

from warpath.recipes.axes import (
    Axes,
    Direction,
    Layout,
    Lower,
    Memory,
    Place,
    Reduce,
    Select,
    Side,
)
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Queue, Recipe, Task

PAPER = Citation(
    "Martín, Torres, Gavilanes",
    "CUDA solutions for the SSSP problem",
    "ICCS (LNCS 5544)",
    2009,
)

_STEPS = (
    "Steps on the CPU scan all vertices on one thread, and skip settled ones 64 at a time. "
    "The minimum uses vector instructions, and stores the least label of every 1,024 vertices: the "
    "update compares labels only where that equals the threshold. Each distinct distance takes a "
    "round that scans all vertices, O(n^2) at worst, as the paper says: a star of millions of "
    "leaves with distinct weights takes hours."
)
_PULL = (
    "A block of 64 vertices first checks whether a block of its predecessors has a frontier "
    "vertex; only then do its vertices scan their edges."
)
_TRAVEL = (
    "The range from the first to the last element that the CPU changed is copied to the GPU; "
    "kernels also write changes to the host's copy, which is page-locked."
)
_LEFT = (
    "As in the paper, the host starts every step. The last kernel writes its values to page-locked "
    "memory of the host, where the paper copies them."
)
_ON_GPU = (
    "In the paper the CPU takes the minimum of the values that a kernel leaves, as in u_gpu_1min. "
    "Here each block does, behind a barrier of the grid, so that one kernel makes all rounds: no "
    "value goes to the CPU, and this is faster than the paper's variant."
)
_CPU, _GPU = Side.CPU, Side.GPU
_ALL_CPU = Place(_CPU, _CPU, _CPU)

_FH = Recipe(
    "martin2009.fh",
    "Dijkstra with a Fibonacci heap: the baseline that the paper's speedups refer to.",
    PAPER,
    "section 6, FH in figures 6 and 7",
    frozenset({Task.SSSP}),
    Loop.DIJKSTRA,
    Queue.FIBONACCI,
    planned=False,
    note="The paper used the heap of the library SPLIB. This one is implemented after Fredman and "
    "Tarjan, with lowered keys and cascading cuts, so the same operations are counted and timed.",
)
_F_CPU = Recipe(
    "martin2009.f_cpu",
    "One CPU thread relaxes the edges out of the frontier: all vertices of the least label.",
    PAPER,
    "section 4.1, F^CPU: figure 2 with relax_F of figure 3, left",
    frozenset({Task.SSSP}),
    Loop.SETTLE,
    axes=Axes(Select.MIN, reduce=Reduce.HOST, place=_ALL_CPU),
    planned=False,
    note=_STEPS,
)
_U_CPU = _F_CPU.but(
    "martin2009.u_cpu",
    "One CPU thread checks the predecessors of each unsettled vertex for frontier vertices.",
    "section 4.1, U^CPU: figure 2 with relax_U of figure 3, right",
    direction=Direction.PULL,
    note=f"{_STEPS} {_PULL}",
)
_U_H1 = _U_CPU.but(
    "martin2009.u_h1",
    "Hybrid: the update runs on the GPU, relax and the minimum on the CPU.",
    "section 4.1, U^H1",
    devices=GPU_ONLY,
    place=Place(relax=_CPU, reduce=_CPU, update=_GPU),
    note=f"{_STEPS} {_PULL} {_TRAVEL}",
)
_U_GPU_1MIN = _U_CPU.but(
    "martin2009.u_gpu_1min",
    "A GPU thread for each unsettled vertex reads its predecessors; the CPU ends the minimum.",
    "section 4.1, U^GPU: relax_U of figure 3, right, and figure 4",
    devices=GPU_ONLY,
    place=Place(),
    reduce=Reduce.ONE_PASS,
    note=f"{_LEFT} The CPU takes the minimum of the n / (2 b) values that minimum1 leaves, with b "
    "threads a block.",
)
_U_GPU = _U_GPU_1MIN.but(
    "martin2009.u_gpu",
    "A GPU thread for each unsettled vertex reads its predecessors: no atomic operations.",
    "section 4.1, U^GPU: relax_U of figure 3, right, and update of figure 4",
    reduce=Reduce.GRID,
    note=_ON_GPU,
)
_F_GPU = _U_GPU.but(
    "martin2009.f_gpu",
    "A GPU thread for each frontier vertex lowers its successors by atomicMin.",
    "section 4.1, F^GPU: relax_F of figure 3, left, and figure 4",
    direction=Direction.PUSH,
)

RECIPES = (
    _FH,
    _F_CPU,
    _U_CPU,
    _U_H1,
    _U_H1.but(
        "martin2009.u_h2",
        "Hybrid: relax runs on the GPU, the minimum and the update on the CPU.",
        "section 4.1, U^H2",
        place=Place(relax=_GPU, reduce=_CPU, update=_CPU),
        note=f"{_STEPS} {_TRAVEL}",
    ),
    _U_H1.but(
        "martin2009.u_h3",
        "Hybrid: relax and the update run on the GPU, the minimum on the CPU.",
        "section 4.1, U^H3",
        place=Place(relax=_GPU, reduce=_CPU, update=_GPU),
        note=f"{_STEPS} {_TRAVEL}",
    ),
    _U_GPU_1MIN,
    _U_GPU_1MIN.but(
        "martin2009.u_gpu_2min",
        "As u_gpu_1min, with a second kernel for the minimum, so that fewer values go to the CPU.",
        "section 4.1, U^GPU+2min: minimum2",
        reduce=Reduce.TWO_PASS,
        note=f"{_LEFT} The CPU takes the minimum of the n / (2 b)^2 values that minimum2 leaves.",
    ),
    _U_GPU,
    _U_GPU.but(
        "martin2009.u_gpu_2min_on_gpu",
        "As u_gpu, with a second step that stores the minimum and one more barrier.",
        "section 4.1, U^GPU+2min, without the CPU",
        reduce=Reduce.GRID_TWICE,
        note=f"{_ON_GPU} u_gpu_2min is the paper's variant.",
    ),
    _U_GPU.but(
        "martin2009.u_gpu_plus",
        "As u_gpu, with the bounds of the rows in shared memory and the flags f read through the "
        "read-only cache.",
        "section 4.2, U^GPU_PLUS",
        memory=Memory.SHARED,
        note=f"{_ON_GPU} The paper read the flags f through a texture reference, which CUDA 12 "
        "does not have. Read-only loads (__ldg) replace it: since Maxwell they use the same cache "
        "as textures, so the measurement is the same as in the paper: a cached against a plain "
        "read of f.",
    ),
    _F_GPU,
    _F_GPU.but(
        "martin2009.f_gpu_no_atomic",
        "As f_gpu, with a plain minimum: shows the cost of atomicMin. Labels may be wrong.",
        "section 4.1, F^GPU_no_Atomic",
        lower=Lower.PLAIN_MIN,
        exact=False,
        note=f"{_ON_GPU} For measurements only, as in the paper, because concurrent minima may be "
        "lost: a result may fail verification.",
    ),
    _F_CPU.but(
        "martin2009.f_cpu.dense",
        "One CPU thread relaxes the frontier's rows of an adjacency matrix.",
        "section 5, F^CPU; figure 7",
        layout=Layout.DENSE,
    ),
    _U_CPU.but(
        "martin2009.u_cpu.dense",
        "One CPU thread scans the column of each unsettled vertex in an adjacency matrix.",
        "section 5, U^CPU; figure 7",
        layout=Layout.DENSE,
        note=_STEPS,
    ),
    _U_GPU.but(
        "martin2009.u_gpu.dense",
        "A GPU thread scans the matrix column of an unsettled vertex; its block loads f and c in "
        "chunks.",
        "section 5, U^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
    ),
    _F_GPU.but(
        "martin2009.f_gpu.dense",
        "A GPU thread scans the matrix row of a frontier vertex; its block loads u in chunks.",
        "section 5, F^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
    ),
)
