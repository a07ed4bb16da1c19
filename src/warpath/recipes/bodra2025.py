"""Bodra, Khairnar 2025: Bellman-Ford, Dijkstra and Floyd-Warshall on a GPU, step by step."""

from __future__ import annotations

from warpath.recipes.axes import Axes, Emit, Labels, Layout, Map, Memory, Select
from warpath.recipes.matrix import MatrixSteps, Relax
from warpath.recipes.recipe import GPU_ONLY, Citation, Loop, Param, Recipe, Task

PAPER = Citation(
    "Bodra, Khairnar",
    "Accelerating and analyzing performance of shortest path algorithms on GPU using CUDA "
    "platform: Bellman-Ford, Dijkstra, and Floyd-Warshall algorithms",
    "Sci. Tech. J. Inf. Technol. Mech. Opt. 25(5)",
    2025,
)

_ROUNDS = Param(
    "rounds",
    "the least number of rounds, n - 1 as in the paper; the run ends after the first round from "
    "there on that changes nothing, by default after the first of all",
    whole=True,
)

_VERTEX = Recipe(
    "bodra2025.bf_vertex",
    "A thread for each vertex relaxes all its edges in every round, reading a copy of the labels.",
    PAPER,
    "Experimental Setup, Bellman-Ford, One thread per vertex; figure 1",
    frozenset({Task.SSSP}),
    Loop.SWEEPS,
    negative=True,
    params=(_ROUNDS,),
    devices=GPU_ONLY,
    axes=Axes(Select.ALL, emit=Emit.FLAG, labels=Labels.TWO_ARRAYS),
    planned=False,
    note="The paper always makes n - 1 launches; params={'rounds': n - 1} makes as many rounds. "
    "After a round only labels that fell are copied. As many threads as run at once make all "
    "rounds: on larger graphs they have several vertices in every variant, so that bf_vertex and "
    "bf_strided do the same work and the gain of striding cannot be decided. A sum that is not "
    "below the label takes no atomic minimum.",
)

_STRIDED = _VERTEX.but(
    "bodra2025.bf_strided",
    "As bf_vertex, with a fixed grid whose threads stride over the vertices.",
    "Experimental Setup, Bellman-Ford, Strided; figure 1",
    map=Map.GRID_STRIDE,
)

_FLAG = _STRIDED.but(
    "bodra2025.bf_strided_flag",
    "As bf_strided, with a flag for each vertex: only vertices whose label fell relax.",
    "Experimental Setup, Bellman-Ford, Strided with flag; figure 1",
    select=Select.IMPROVED,
    emit=Emit.FLAGS,
)

_FUTURE = "section Future Work: ELL format"
_ELL = (
    "The paper proposes the format and measures nothing with it. Rows have their lengths, so that "
    "padding takes memory but no time; this leaves the divergence between threads that the format "
    "is to remove."
)

_DIJKSTRA = Recipe(
    "bodra2025.apsp_dijkstra",
    "A thread for each source: Dijkstra without a queue, over an adjacency matrix.",
    PAPER,
    "Experimental Setup, Dijkstra; the table",
    frozenset({Task.MANY, Task.APSP}),
    Loop.THREAD_A_SOURCE,
    devices=GPU_ONLY,
    predecessors=True,
    planned=False,
    note="The paper has one launch, which cannot be interrupted. Here a launch settles up to 256 "
    "vertices for each source. The labels of a vertex for all sources are next to each other, and "
    "a block has one warp, whose threads request 32 labels together. Sources come in batches where "
    "memory is short.",
)

_PATHS = (
    "An entry that falls gets the predecessor of the path from the intermediate vertex. Lengths of "
    "0 or rounding can make predecessors cyclic; such rows are searched again on the CPU. With "
    "negative weights a Bellman-Ford on the CPU first looks for a negative cycle, and floats are "
    "taken under its potentials; the paper leaves both to Floyd-Warshall."
)
_FLOYD = "Experimental Setup, Floyd-Warshall, "
_EDGE = Recipe(
    "bodra2025.fw_edge",
    "Floyd-Warshall with a thread for each entry of the matrix, a launch for each vertex.",
    PAPER,
    f"{_FLOYD}One thread per edge; figure 2",
    frozenset({Task.APSP}),
    Loop.MATRIX_STEPS,
    negative=True,
    reassociates=True,
    devices=GPU_ONLY,
    steps=MatrixSteps(Relax.ENTRY),
    predecessors=True,
    planned=False,
    note=f"{_PATHS} The grid has one dimension and a block entries of one row, as the paper's "
    "variant with shared memory.",
)
_TILED = _EDGE.but(
    "bodra2025.fw_tiled",
    "Floyd-Warshall by tiles of 32 x 32 in three phases, from global memory.",
    f"{_FLOYD}Tiled implementation; figure 2",
    steps=MatrixSteps(Relax.TILE),
    note=f"{_PATHS} The paper calls tiles of the square root of the number of cores optimal; the "
    "authors' program has 32. A block has 256 threads, so a thread has four entries of a tile.",
)

RECIPES = (
    _VERTEX,
    _STRIDED,
    _FLAG,
    _VERTEX.but(
        "bodra2025.bf_vertex.ell",
        "As bf_vertex, with padded rows whose columns neighbouring threads read together.",
        _FUTURE,
        layout=Layout.ELL,
        note=_ELL,
    ),
    _FLAG.but(
        "bodra2025.bf_strided_flag.ell",
        "As bf_strided_flag, with padded rows whose columns neighbouring threads read together.",
        _FUTURE,
        layout=Layout.ELL,
        note=_ELL,
    ),
    _DIJKSTRA,
    _EDGE,
    _EDGE.but(
        "bodra2025.fw_edge_shared",
        "As fw_edge, with the entry of the pivot's column loaded into shared memory once a block.",
        f"{_FLOYD}One thread per edge with shared memory; figure 2",
        steps=MatrixSteps(Relax.ENTRY, Memory.SHARED),
        note=_PATHS,
    ),
    _EDGE.but(
        "bodra2025.fw_vertex",
        "As fw_edge, with a thread for each row, which relaxes all its entries.",
        f"{_FLOYD}One thread per vertex implementation; figure 2",
        steps=MatrixSteps(Relax.ROW),
        note=_PATHS,
    ),
    _TILED,
    _TILED.but(
        "bodra2025.fw_tiled_shared",
        "As fw_tiled, with the tiles that a block reads in shared memory.",
        f"{_FLOYD}Tiled with shared memory; figure 2",
        steps=MatrixSteps(Relax.TILE, Memory.SHARED),
    ),
)
