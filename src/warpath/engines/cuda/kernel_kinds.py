"""The kinds of kernels: the header, the function and the launch bounds of each."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(NamedTuple):
    """What all kernels of a kind share.

    The function's own parameters, and the fields of those that are structs, are the parameters of
    the kernels.

    Attributes
    ----------
    header : file name in ``kernels/``.
    function : the function that a kernel calls, with its template arguments: a format string with
        the policies as placeholders.
    fixed : C++ expressions by name, for fields that are no parameters.
    widths : threads of a block as a multiple of the device's default.
    threads : maximum number of threads of a block, for kernels of few threads; 0: the default.
    resident : minimum number of such blocks per multiprocessor; 0 leaves it to the compiler.
    at_once : as in `Kernel`.
    """

    header: str
    function: str
    fixed: Mapping[str, str] = MappingProxyType({})
    widths: int = 1
    resident: int = 0
    at_once: bool = False
    threads: int = 0


# A block computes while another waits for its tile; with 64-bit labels one takes all registers.
FLOYD_WARSHALL = Kind("floyd_warshall.cuh", "solve<{block}>", resident=2)
_PRODUCT = Kind("floyd_warshall.cuh", "product<{block}>", resident=2)

# Three blocks with two vertices per thread: one waits for labels while the others relax. With
# labels of 64 bits only two blocks fit the registers.
_PATCHES = Kind("patches.cuh", "solve_patches<{block}, 2>", resident=3, at_once=True)

# Loops of rounds. A barrier takes 1 us for one or two blocks a multiprocessor, twice that for
# eight. Loops over lists run on two (on New York's roads near-far takes 20.6 ms, on four blocks
# 27.3), loops over all vertices on one of twice the width (F takes 2.25 s, on two blocks 2.35).
_EXPANSION = (
    "Expansion<{map}<Listed, {block}>, {write}, {emit}, {queued}, {numbered}, {classified}>"
)


def _over_lists(name: str, *policies: str, **fixed: str) -> Kind:
    """Return the kind of the kernels of a loop over lists, by its name and its own policies."""
    arguments = ", ".join((_EXPANSION, *policies, "{traced}, {block}"))
    return Kind(f"{name}.cuh", f"{name}<{arguments}>", fixed, resident=2, at_once=True)


def _over_all(name: str, arguments: str) -> Kind:
    """Return the kind of the kernels of a loop over all vertices, by its function."""
    return Kind(
        f"{name}.cuh",
        f"{name}<{arguments}, {{traced}}, {{block}}>",
        widths=2,
        resident=1,
        at_once=True,
    )


def _settle(relax: str) -> Kind:
    """Return the kind of the kernels that settle vertices, by the step that relaxes."""
    return _over_all(
        "settle_rounds", f"{relax}, {{value}}, {{two_passes}}, {{criterion}}, {{emit}}"
    )


# The sizes of a wide search's lists are members of its control block, and both have the same room.
_WIDE = {
    "even_sizes": "nullptr",
    "odd_sizes": "nullptr",
    "odd_room": "even_room",
    "odd_room_of_runs": "even_room_of_runs",
    "hubs_indptr": "indptr",
}
#: What the host decides where a search is divided, before each step.
_DECIDED = {
    "source": "0",
    "ranks": "nullptr",
    "first": "L{0}",
    "delta": "L{0}",
    "narrow": "0",
    "pull_cost": "0",
    "max_rounds": "0",
    "out": "nullptr",
}

KINDS = {
    "sweeps": _over_all(
        "sweeps", "{map}<{set}, {block}>, {write}, {emit}, {two_arrays}, {improved}, {ell}"
    ),
    "workfront": _over_lists("workfront"),
    "near_far": _over_lists("near_far"),
    "near_far_pull": _over_all("near_far_pull", "{bounds}<{block}>"),
    "light_heavy": _over_lists("light_heavy", skip="0", change="0"),
    "stepping": _over_lists("stepping", "{rho}"),
    "buckets": _over_lists("buckets", "{sort}, {merge}"),
    "settle_pull": _settle("PullRelax<{bounds}<{block}>, {block}>"),
    "settle_push": _settle(
        "PushRelax<{map}<{set}, {block}>, {write}, {set}::kListed, {numbered}, {block}>"
    ),
    "settle_dense": _settle("DenseRelax<{push}, {write}, {block}>"),
    "push": Kind(
        "steps.cuh",
        "push_step<{map}<Flagged, {block}>, {write}, {traced}>",
        {
            "list": "nullptr",
            "offsets": "nullptr",
            "edges": "0",
            "from": "dist",
            "classes": "nullptr",
            "source": "V{0}",
            "negative_loop": "nullptr",
            "next": "{}",
        },
    ),
    "pull": Kind("steps.cuh", "pull_step<{bounds}<{block}>, {traced}, {block}>"),
    "dense": Kind("steps.cuh", "dense_step<{push}, {write}, {traced}, {block}>"),
    "reduce": Kind("steps.cuh", "reduce_step<{value}, {block}>"),
    "settle": Kind(
        "steps.cuh",
        "settle_step<{criterion}, {traced}, {block}>",
        {"queue": "nullptr", "size": "nullptr"},
    ),
    "matrix": Kind("matrix.cuh", "matrix<{block}>"),
    "answer": Kind("matrix.cuh", "answer<{block}>"),
    "floyd_warshall": FLOYD_WARSHALL,
    "floyd_warshall_wide": FLOYD_WARSHALL._replace(resident=1),
    "product": _PRODUCT,
    "product_wide": _PRODUCT._replace(resident=1),
    "block_a_source": Kind("block_a_source.cuh", "block_a_source<{block}>", widths=2, resident=3),
    "pairs": Kind("pairs.cuh", "pairs<{block}>", widths=2, resident=2, at_once=True),
    "pair_rows": Kind("pair_rows.cuh", "pair_rows<{block}>", widths=2, resident=2, at_once=True),
    "wide": Kind("wide.cuh", "wide<{lanes}, {block}>", _WIDE, widths=2, resident=2, at_once=True),
    "wide_part": Kind(
        "wide_part.cuh",
        "wide_part<{lanes}, {block}>",
        _WIDE | _DECIDED,
        widths=2,
        resident=2,
        at_once=True,
    ),
    "breadth_first": Kind(
        "breadth_first.cuh", "breadth_first<{block}>", widths=2, resident=2, at_once=True
    ),
    "patches": _PATCHES,
    "patches_wide": _PATCHES._replace(resident=2),
    "lay": Kind("adjacency.cuh", "lay_out<{paths}, {block}>"),
    "floyd_entry": Kind("floyd.cuh", "floyd_entry<{shared}, {paths}, {traced}, {block}>"),
    "floyd_row": Kind("floyd.cuh", "floyd_row<{paths}, {traced}, {block}>"),
    "floyd_tile": Kind("floyd_tiles.cuh", "floyd_tile<{phase}, {paths}, {traced}, {block}>"),
    "floyd_tile_shared": Kind(
        "floyd_tiles.cuh", "floyd_tile_shared<{phase}, {paths}, {traced}, {block}>"
    ),
    "thread_dijkstra": Kind(
        "thread_dijkstra.cuh",
        "thread_dijkstra<{paths}, {traced}, {block}>",
        threads=32,  # the 10,876 sources of a graph are on all multiprocessors and not on a third
    ),
    "distances": Kind("tree.cuh", "distances<{block}>"),
    "tree": Kind(
        "tree.cuh",
        "tree<MergePathMap<Every, {block}>>",
        {"flags": "nullptr", "list": "nullptr", "edges": "0"},
    ),
    "rooted": Kind("tree.cuh", "rooted<{block}>"),
    "repair": Kind("repair.cuh", "repair<{block}>", widths=2, resident=2, at_once=True),
    "reweight": Kind("reweight.cuh", "reweight<{block}>"),
    "hierarchy_sweep": Kind(
        "hierarchy_sweep.cuh", "hierarchy_sweep<{block}>", resident=3, at_once=True
    ),
    "hierarchy_upward": Kind("hierarchy_upward.cuh", "hierarchy_upward<{block}>"),
    "hierarchy_rows": Kind("hierarchy_rows.cuh", "hierarchy_rows<{block}>"),
    "hierarchy_totals": Kind("hierarchy_totals.cuh", "hierarchy_totals<{inverses}, {block}>"),
    "hierarchy_totals_join": Kind("hierarchy_totals.cuh", "hierarchy_totals_join<{block}>"),
    "counting_sweep": Kind("counting_sweep.cuh", "counting_sweep<{block}>", widths=2, resident=2),
    "counting_sums": Kind("counting_sweep.cuh", "counting_sums<{block}>"),
    "tree_label_pairs": Kind("tree_labels.cuh", "tree_label_pairs<{block}>"),
    "tree_label_table": Kind("tree_labels.cuh", "tree_label_table<{block}>"),
}
