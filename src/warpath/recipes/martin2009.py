"""Martín, Torres, Gavilanes 2009: Dijkstra that settles all vertices of the least label at once."""

from __future__ import annotations

from warpath.recipes.axes import (
    Axes,
    Direction,
    Labels,
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
_HARISH = Citation(
    "Harish, Narayanan",
    "Accelerating large graph algorithms on the GPU using CUDA",
    "HiPC (LNCS 4873)",
    2007,
)

_UPDATE = (
    "The update also tests whether a vertex is unsettled, for weights of 0, which the paper "
    "excludes; it is left out after the last minimum, which is infinite."
)
_MINIMUM = (
    "Steps on the CPU run on one thread. The minimum uses vector instructions and stores the least "
    "label of every 1,024 vertices."
)
_SKIPS = (
    f"{_MINIMUM} The update compares labels only in groups of 1,024 vertices whose least label is "
    f"the threshold. {_UPDATE}"
)
_HOURS = "a star of millions of leaves with distinct weights takes hours."
_F_TIME = (
    "Each distinct distance takes a round over all vertices, O(n^2) at worst, as the paper says: "
    f"{_HOURS}"
)
_U_TIME = (
    "Each distinct distance takes a round over all unsettled vertices, whose edges make it O(n^3) "
    f"at worst, as the paper says: {_HOURS}"
)
_FLAGS = "Of clear flags 64 are passed over at a time."
_PULL = (
    f"{_FLAGS} A block of 64 vertices first checks whether a block of its predecessors has a "
    "frontier vertex; only then do its vertices scan their edges. Where more than m / 8 pairs of "
    "blocks have edges, as in the random graphs of figure 6, that check is left out."
)
_TRAVEL = (
    "The range from the first to the last element that the CPU changed is copied to the GPU; "
    "kernels also write changes to the host's copy, which is page-locked."
)
_LEFT = (
    "As in the paper, the host starts every step, with 256 threads a block. The last kernel writes "
    "its values to page-locked memory of the host, where the paper copies them."
)
_1MIN = (
    f"{_LEFT} The CPU takes the minimum of the n / (2 b) values that minimum1 leaves, with b "
    f"threads a block. {_UPDATE}"
)


def _on_gpu(paper: str, more: str = "") -> str:
    """Return the note of a variant without the CPU, by the name of the one that the paper has."""
    return (
        f"The paper's variant is {paper}, which is slower. Here each block takes the least of the "
        "values that a round leaves, behind a barrier of the grid, and no value goes to the CPU. A "
        f"block has 512 threads, a thread several vertices.{more} {_UPDATE}"
    )


_U_ON_GPU = _on_gpu(
    "u_gpu_1min",
    " A thread takes the minimum of the labels that it has just lowered, without a step of its "
    "own.",
)
_MAY_BE_WRONG = (
    "As in the paper the lesser of label and sum is written in any case, so that concurrent minima "
    "may be lost."
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
    note=f"{_SKIPS} {_FLAGS} {_F_TIME}",
)
_U_CPU = _F_CPU.but(
    "martin2009.u_cpu",
    "One CPU thread checks the predecessors of each unsettled vertex for frontier vertices.",
    "section 4.1, U^CPU: figure 2 with relax_U of figure 3, right",
    direction=Direction.PULL,
    note=f"{_SKIPS} {_PULL} {_U_TIME}",
)
_U_H1 = _U_CPU.but(
    "martin2009.u_h1",
    "Hybrid: the update runs on the GPU, relax and the minimum on the CPU.",
    "section 4.1, U^H1",
    devices=GPU_ONLY,
    place=Place(relax=_CPU, reduce=_CPU, update=_GPU),
    note=f"{_MINIMUM} {_PULL} {_U_TIME} {_TRAVEL} {_UPDATE}",
)
_U_GPU_1MIN = _U_CPU.but(
    "martin2009.u_gpu_1min",
    "A GPU thread for each unsettled vertex reads its predecessors; the CPU ends the minimum.",
    "section 4.1, U^GPU: relax_U of figure 3, right, and figure 4",
    devices=GPU_ONLY,
    place=Place(),
    reduce=Reduce.ONE_PASS,
    note=_1MIN,
)
_F_GPU_1MIN = _U_GPU_1MIN.but(
    "martin2009.f_gpu_1min",
    "A GPU thread for each frontier vertex lowers its successors; the CPU ends the minimum.",
    "section 4.1, F^GPU: relax_F of figure 3, left, and figure 4",
    direction=Direction.PUSH,
)
_NO_ATOMIC_1MIN = _F_GPU_1MIN.but(
    "martin2009.f_gpu_no_atomic_1min",
    "As f_gpu_1min, with a plain minimum: shows the cost of atomicMin. Labels may be wrong.",
    "section 4.1, F^GPU_no_Atomic",
    lower=Lower.STORED_MIN,
    exact=False,
    note=f"{_1MIN} {_MAY_BE_WRONG}",
)
_U_GPU = _U_GPU_1MIN.but(
    "martin2009.u_gpu",
    "A GPU thread for each unsettled vertex reads its predecessors: no atomic operations.",
    "section 4.1, U^GPU: relax_U of figure 3, right, and update of figure 4",
    reduce=Reduce.GRID,
    note=_U_ON_GPU,
)
_F_GPU = _U_GPU.but(
    "martin2009.f_gpu",
    "A GPU thread for each frontier vertex lowers its successors by atomicMin.",
    "section 4.1, F^GPU: relax_F of figure 3, left, and update of figure 4",
    direction=Direction.PUSH,
    note=_on_gpu("f_gpu_1min"),
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
        note=f"{_SKIPS} {_U_TIME} {_TRAVEL}",
    ),
    _U_H1.but(
        "martin2009.u_h3",
        "Hybrid: relax and the update run on the GPU, the minimum on the CPU.",
        "section 4.1, U^H3",
        place=Place(relax=_GPU, reduce=_CPU, update=_GPU),
        note=f"{_MINIMUM} {_U_TIME} {_TRAVEL} {_UPDATE}",
    ),
    _U_GPU_1MIN,
    _U_GPU_1MIN.but(
        "martin2009.u_gpu_2min",
        "As u_gpu_1min, with a second kernel for the minimum, so that fewer values go to the CPU.",
        "section 4.1, U^GPU+2min: minimum2",
        reduce=Reduce.TWO_PASS,
        note=f"{_LEFT} The CPU takes the minimum of the n / (2 b)^2 values that minimum2 leaves. "
        f"{_UPDATE}",
    ),
    _U_GPU_1MIN.but(
        "martin2009.u_gpu_plus_1min",
        "As u_gpu_1min, with the bounds of the rows in shared memory and the flags f read through "
        "the read-only cache.",
        "section 4.2, U^GPU_PLUS",
        memory=Memory.SHARED,
        note=f"{_1MIN} The paper read the flags f through a texture reference, which CUDA 12 does "
        "not have; read-only loads (__ldg) replace it. On today's GPUs plain loads go through the "
        "same cache.",
    ),
    _F_GPU_1MIN,
    _NO_ATOMIC_1MIN,
    _U_GPU,
    _U_GPU.but(
        "martin2009.u_gpu_2min_on_gpu",
        "As u_gpu, with a second step that stores the minimum and one more barrier.",
        "section 4.1, U^GPU+2min, without the CPU",
        reduce=Reduce.GRID_TWICE,
        note=f"{_U_ON_GPU} With two passes the paper's variant is u_gpu_2min.",
    ),
    _U_GPU.but(
        "martin2009.u_gpu_plus",
        "As u_gpu, with the bounds of the rows in shared memory.",
        "section 4.2, U^GPU_PLUS",
        memory=Memory.SHARED,
        note=f"{_U_ON_GPU} The flags f change while the one kernel runs, so read-only loads are "
        "not allowed. u_gpu requests four vertices of a thread together, which here are read one "
        "after the other. u_gpu_plus_1min differs from u_gpu_1min as the paper's variants do.",
    ),
    _F_GPU,
    _F_GPU.but(
        "martin2009.f_gpu_no_atomic",
        "As f_gpu, with a plain minimum: shows the cost of atomicMin. Labels may be wrong.",
        "section 4.1, F^GPU_no_Atomic",
        lower=Lower.STORED_MIN,
        exact=False,
        note=f"{_on_gpu('f_gpu_no_atomic_1min')} {_MAY_BE_WRONG}",
    ),
    _F_CPU.but(
        "martin2009.f_cpu.dense",
        "One CPU thread relaxes the frontier's rows of an adjacency matrix.",
        "section 5, F^CPU; figure 7",
        layout=Layout.DENSE,
        note=f"{_SKIPS} {_F_TIME}",
    ),
    _U_CPU.but(
        "martin2009.u_cpu.dense",
        "One CPU thread scans the column of each unsettled vertex in an adjacency matrix.",
        "section 5, U^CPU; figure 7",
        layout=Layout.DENSE,
        note=f"{_SKIPS} {_U_TIME}",
    ),
    _U_GPU_1MIN.but(
        "martin2009.u_gpu_1min.dense",
        "A GPU thread scans the matrix column of an unsettled vertex; the CPU ends the minimum.",
        "section 5, U^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
    ),
    _F_GPU_1MIN.but(
        "martin2009.f_gpu_1min.dense",
        "A GPU thread scans the matrix row of a frontier vertex; the CPU ends the minimum.",
        "section 5, F^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
    ),
    _NO_ATOMIC_1MIN.but(
        "martin2009.f_gpu_no_atomic_1min.dense",
        "As f_gpu_1min.dense, with a plain minimum instead of atomicMin. Labels may be wrong.",
        "section 6, F^GPU_no_Atomic; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
    ),
    _U_GPU.but(
        "martin2009.u_gpu.dense",
        "A GPU thread scans the matrix column of an unsettled vertex; its block loads f and c in "
        "chunks.",
        "section 5, U^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
        note=_on_gpu("u_gpu_1min.dense"),
    ),
    _F_GPU.but(
        "martin2009.f_gpu.dense",
        "A GPU thread scans the matrix row of a frontier vertex; its block loads u in chunks.",
        "section 5, F^GPU; figure 7",
        layout=Layout.DENSE,
        memory=Memory.SHARED,
        note=_on_gpu("f_gpu_1min.dense"),
    ),
)

#: For demonstration, at the end of the catalogue.
REFUTED = Recipe(
    "broken.harish_narayanan2007",
    "A sweep that lowers labels by read, compare and write: concurrent minima get lost.",
    _HARISH,
    "as Martín, Torres, Gavilanes 2009 describe and refute it: section 4.3, figure 5, right",
    frozenset({Task.SSSP}),
    Loop.SWEEPS,
    devices=GPU_ONLY,
    axes=Axes(Select.IMPROVED, lower=Lower.PLAIN_MIN, labels=Labels.TWO_ARRAYS),
    exact=False,
    planned=False,
    note="martin2009.f_gpu is the corrected form.",
)
