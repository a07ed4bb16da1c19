"""The kinds of kernels: the header, the parameters and the call of each."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """The header, the parameters and the call that all kernels of a kind share.

    Attributes
    ----------
    header : file name in ``kernels/``.
    params : the parameters of the entry point, in C++.
    call : its body, a format string with the policies as placeholders.
    widths : threads of a block as a multiple of the device's default.
    threads : maximum number of threads of a block, for kernels of few threads; 0: the default.
    resident : minimum number of such blocks per multiprocessor; 0 leaves it to the compiler.
    at_once : as in `Kernel`.
    """

    header: str
    params: str
    call: str
    widths: int = 1
    resident: int = 0
    at_once: bool = False
    threads: int = 0


# A block computes while another waits for its tile; with 64-bit labels one takes all registers.
FLOYD_WARSHALL = Kind(
    "floyd_warshall.cuh",
    "int tiles, L* labels, i64 offset, i64 pitch, int first, int last, int ahead, int* versions, "
    "int* row_readers, int* column_readers, int* diagonal_readers, int* ticket",
    "solve<{block}>(SolveArgs<L>{{tiles, labels + offset, pitch, first, last, ahead, versions, "
    "row_readers, column_readers, diagonal_readers, ticket}})",
    resident=2,
)
_PRODUCT = Kind(
    "floyd_warshall.cuh",
    "L* c, i64 offset_c, i64 pitch_c, const L* a, i64 offset_a, i64 pitch_a, const L* b, "
    "i64 offset_b, i64 pitch_b, int across, int depth",
    "product<{block}>(ProductArgs<L>{{c + offset_c, pitch_c, a + offset_a, pitch_a, b + offset_b, "
    "pitch_b, static_cast<unsigned>(across), depth}})",
    resident=2,
)

# Three blocks with two vertices per thread: one waits for labels while the others relax. With
# labels of 64 bits only two blocks fit the registers.
_PATCHES = Kind(
    "patches.cuh",
    "i64 n, i64 size, int patches, u32 source, const u32* places, const u32* table, const u32* "
    "begin, const u16* targets, const W* weights, const u16* tails, const u32* slots, const u32* "
    "owners, const W* exit_weights, int edge_room, int exit_room, L delta, L cutoff, L* labels, "
    "u32* unsettled, L* received, L* pending, L* left, L* minimum, u64* open, L* threshold, int* "
    "state, u32* arrived, int* lost, u64* counts, int* halt, i64* status, L* dist",
    "solve_patches<{block}, 2>(PatchArgs<W, L>{{n, size, patches, source, places, table, begin, "
    "targets, weights, tails, slots, owners, exit_weights, edge_room, exit_room, delta, cutoff, "
    "labels, unsettled, received, pending, left, minimum, open, threshold, state, arrived, lost, "
    "counts, halt, status, dist}})",
    resident=3,
    at_once=True,
)

# Loops of rounds. A barrier takes 1 us for one or two blocks a multiprocessor, twice that for
# eight. Loops over lists run on two (on New York's roads near-far takes 20.6 ms, on four blocks
# 27.3), loops over all vertices on one of twice the width (F takes 2.25 s, on two blocks 2.35).
_ROUNDS = (
    "i64 most, i64 limit, int goes_on, u64* control, i64* state, i64* trace, int width, int* halt, "
    "i64* status"
)
_ROUNDS_CALL = (
    "{{most, limit, goes_on, as<RoundControl>(control), state, trace, width, halt, status}}"
)
_GRAPH = "i64 n, i64 source, const i64* indptr, const V* indices, const W* weights"
_SPACE = "i64* offsets, i64* table, u8* marks, i64* sums"
_LISTS = f"{_GRAPH}, const u8* classes, int* negative_loop, L* dist, int* stamps, {_SPACE}"
_LISTS_CALL = (
    "{{n, source, indptr, indices, weights, classes, negative_loop, dist, stamps, "
    "{{offsets, table, marks, sums}}}}"
)
_EXPANSION = (
    "Expansion<{map}<Listed, {block}>, {write}, {emit}, {queued}, {numbered}, {classified}>"
)


def _settle(relax: str) -> Kind:
    """Return the kind of the kernels that settle vertices, by the step that relaxes."""
    return Kind(
        "settle_rounds.cuh",
        f"{_GRAPH}, const L* matrix, const L* slack, L* dist, u8* frontier, u8* unsettled, "
        f"V* queue, L* minima, {_SPACE}, {_ROUNDS}",
        f"settle_rounds<{relax}, {{value}}, {{two_passes}}, {{criterion}}, {{emit}}, {{traced}}, "
        "{block}>(SettleRoundsArgs<V, W, L>{{n, source, indptr, indices, weights, matrix, slack, "
        "dist, frontier, unsettled, queue, minima, {{offsets, table, marks, sums}}, "
        f"{_ROUNDS_CALL}}}}})",
        widths=2,
        resident=1,
        at_once=True,
    )


KINDS = {
    "sweeps": Kind(
        "sweeps.cuh",
        f"{_GRAPH}, i64 at_least, L* dist, L* before, u8* flags, u8* next_flags, {_ROUNDS}",
        "sweeps<{map}<{set}, {block}>, {write}, {emit}, {two_arrays}, {improved}, {ell}, {traced}, "
        "{block}>(SweepArgs<V, W, L>{{n, source, indptr, indices, weights, at_least, dist, before, "
        f"flags, next_flags, {_ROUNDS_CALL}}}}})",
        widths=2,
        resident=1,
        at_once=True,
    ),
    "workfront": Kind(
        "workfront.cuh",
        f"{_LISTS}, L lowest, V* list, V* items, {_ROUNDS}",
        f"workfront<{_EXPANSION}, {{traced}}, {{block}}>(WorkfrontArgs<V, W, L>{{{{{_LISTS_CALL}, "
        f"lowest, list, items, {_ROUNDS_CALL}}}}})",
        resident=2,
        at_once=True,
    ),
    "near_far": Kind(
        "near_far.cuh",
        f"{_LISTS}, double delta, i64 skip, i64 change, V* list, V* items, V* pile, "
        f"V* other_pile, L* minima, {_ROUNDS}",
        f"near_far<{_EXPANSION}, {{traced}}, {{block}}>(NearFarArgs<V, W, L>{{{{{_LISTS_CALL}, "
        "delta, skip, change, list, items, {{pile, other_pile}}, minima, "
        f"{_ROUNDS_CALL}}}}})",
        resident=2,
        at_once=True,
    ),
    "near_far_pull": Kind(
        "near_far_pull.cuh",
        f"{_GRAPH}, const i64* into, const V* sources, const W* into_weights, double delta, "
        f"i64 pull, L* dist, u8* flags, u8* next_flags, i64* sums, L* minima, {_ROUNDS}",
        "near_far_pull<{bounds}<{block}>, {traced}, {block}>(NearFarPullArgs<V, W, L>{{n, source, "
        "indptr, indices, weights, into, sources, into_weights, delta, pull, dist, flags, "
        f"next_flags, sums, minima, {_ROUNDS_CALL}}}}})",
        widths=2,
        resident=1,
        at_once=True,
    ),
    "light_heavy": Kind(
        "light_heavy.cuh",
        f"{_LISTS}, const i64* heavy_indptr, const V* heavy_indices, const W* heavy_weights, "
        "double delta, V* list, V* items, V* pile, V* other_pile, V* removed, V* other_removed, "
        f"L* minima, {_ROUNDS}",
        f"light_heavy<{_EXPANSION}, {{traced}}, {{block}}>(LightHeavyArgs<V, W, L>{{{{{{{{"
        f"{_LISTS_CALL}, delta, 0, 0, list, items, {{{{pile, other_pile}}}}, minima, "
        f"{_ROUNDS_CALL}}}}}, heavy_indptr, heavy_indices, heavy_weights, "
        "{{removed, other_removed}}}})",
        resident=2,
        at_once=True,
    ),
    "stepping": Kind(
        "stepping.cuh",
        f"{_LISTS}, double delta, i64 rho, V* list, V* active, V* other_active, L* minima, "
        f"{_ROUNDS}",
        f"stepping<{_EXPANSION}, {{rho}}, {{traced}}, {{block}}>(SteppingArgs<V, W, L>{{{{"
        f"{_LISTS_CALL}, delta, rho, list, {{{{active, other_active}}}}, minima, "
        f"{_ROUNDS_CALL}}}}})",
        resident=2,
        at_once=True,
    ),
    "buckets": Kind(
        "buckets.cuh",
        f"{_LISTS}, u8* keys, u8* other_keys, V* between, i64* counts, i64* sizes, "
        f"double bucket_width, int buckets, V* active, V* other_active, V* pile, V* other_pile, "
        f"L* minima, {_ROUNDS}",
        f"warpath::buckets<{_EXPANSION}, {{sort}}, {{merge}}, {{traced}}, {{block}}>("
        f"BucketArgs<V, W, L>{{{{{_LISTS_CALL}, "
        "{{keys, other_keys, between, counts, sizes}}, bucket_width, buckets, "
        f"{{{{active, other_active}}}}, {{{{pile, other_pile}}}}, minima, {_ROUNDS_CALL}}}}})",
        resident=2,
        at_once=True,
    ),
    "settle_pull": _settle("PullRelax<{bounds}<{block}>, {block}>"),
    "settle_push": _settle(
        "PushRelax<{map}<{set}, {block}>, {write}, {set}::kListed, {numbered}, {block}>"
    ),
    "settle_dense": _settle("DenseRelax<{push}, {write}, {block}>"),
    "push": Kind(
        "steps.cuh",
        "i64 size, const u8* flags, const i64* indptr, const V* indices, const W* weights, "
        "L* dist, const u8* unsettled, u64* counters",
        "push_step<{map}<Flagged, {block}>, {write}, {traced}>(PushArgs<V, W, L>{{{{size, flags, "
        "nullptr, nullptr}}, indptr, indices, weights, dist, dist, unsettled, nullptr, V{{0}}, "
        "nullptr, {{}}}}, counters)",
    ),
    "pull": Kind(
        "steps.cuh",
        "i64 size, const i64* indptr, const V* indices, const W* weights, L* dist, L* host_dist, "
        "const u8* frontier, const u8* unsettled, u64* counters",
        "pull_step<{bounds}<{block}>, {traced}, {block}>(PullArgs<V, W, L>{{size, indptr, indices, "
        "weights, dist, host_dist, frontier, unsettled}}, counters)",
    ),
    "dense": Kind(
        "steps.cuh",
        "i64 size, const L* matrix, L* dist, const u8* frontier, const u8* unsettled, "
        "u64* counters",
        "dense_step<{push}, {write}, {traced}, {block}>("
        "DenseArgs<L>{{size, matrix, dist, frontier, unsettled}}, counters)",
    ),
    "reduce": Kind(
        "steps.cuh",
        "i64 size, const L* values, const u8* unsettled, const L* slack, L* minima",
        "reduce_step<{value}, {block}>(ReduceArgs<L>{{size, values, unsettled, slack, minima}})",
    ),
    "settle": Kind(
        "steps.cuh",
        "i64 size, const L* dist, L threshold, u8* unsettled, u8* frontier, u8* host_unsettled, "
        "u8* host_frontier, u64* counters",
        "settle_step<{criterion}, {traced}, {block}>(SettleArgs<i64, L>{{size, dist, threshold, "
        "unsettled, frontier, host_unsettled, host_frontier, nullptr, nullptr}}, counters)",
    ),
    "matrix": Kind(
        "matrix.cuh",
        "i64 size, i64 first, const i64* indptr, const V* indices, const W* weights, L* labels, "
        "i64 offset, i64 pitch",
        "matrix<{block}>(MatrixArgs<V, W, L>{{size, first, pitch, indptr, indices, weights, "
        "labels + offset}})",
    ),
    "answer": Kind(
        "matrix.cuh",
        "i64 columns, const L* labels, i64 offset, i64 pitch, W* out, int* no_room",
        "answer<{block}>(AnswerArgs<L, W>{{columns, pitch, labels + offset, out, no_room}})",
    ),
    "floyd_warshall": FLOYD_WARSHALL,
    "floyd_warshall_wide": FLOYD_WARSHALL._replace(resident=1),
    "product": _PRODUCT,
    "product_wide": _PRODUCT._replace(resident=1),
    "block_a_source": Kind(
        "block_a_source.cuh",
        "i64 n, i64 rows, i64 columns, const i64* sources, const i64* targets, "
        "const i64* indptr, const V* indices, const W* weights, W weight, L delta, L cutoff, "
        "L* same, i64* wide, int* small, int* unfit, int* lost, u64* next",
        "block_a_source<{block}>(BlockArgs<V, W, L>{{n, rows, columns, sources, targets, indptr, "
        "indices, weights, weight, delta, cutoff, {{same, wide, small, unfit}}, lost, next}})",
        widths=2,
        resident=3,
    ),
    "pairs": Kind(
        "pairs.cuh",
        "i64 n, i64 rows, i64 columns, const i64* targets, const i64* indptr, const V* indices, "
        "const W* weights, W weight, L delta, L cutoff, L* dist, u32* near, u32* far, u32* bits, "
        "u32* control, L* minimum, L* same, i64* wide, int* small, int* unfit, int* lost",
        "pairs<{block}>(PairArgs<V, W, L>{{n, rows, columns, targets, indptr, indices, weights, "
        "weight, delta, cutoff, dist, near, far, bits, control, minimum, "
        "{{same, wide, small, unfit}}, lost}})",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "pair_rows": Kind(
        "pair_rows.cuh",
        "i64 n, i64 rows, i64 columns, const i64* targets, const i64* indptr, const V* indices, "
        "const W* weights, W weight, L delta, L cutoff, L* dist, u64* waiting, u64* items, u32* "
        "control, L* minimum, u64* busy, L* same, i64* wide, int* small, int* unfit, int* lost",
        "pair_rows<{block}>(RowArgs<V, W, L>{{n, rows, columns, targets, indptr, indices, weights, "
        "weight, delta, cutoff, dist, waiting, items, control, minimum, busy, "
        "{{same, wide, small, unfit}}, lost}})",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "wide": Kind(
        "wide.cuh",
        "i64 n, i64 source, const int* ranks, int hubs, int leaves, const i64* indptr, "
        "const W* edges, const i64* into, const W* sources, L first, L delta, L limit, u32 narrow, "
        "u32 pull_cost, u32 max_rounds, L* dist, u64* rest, u64* entries, u64* next_entries, "
        "u64* runs, u64* next_runs, u32 room, u32 room_of_runs, u64* control, L* minimum, L* out, "
        "const W* splitters, int* halt, i64* status",
        "wide<{lanes}, {block}>(WideArgs<W, L>{{n, source, ranks, leaves, indptr, "
        "as<Edge<W>>(edges), into, as<Edge<W>>(sources), first, delta, limit, narrow, pull_cost, "
        "max_rounds, dist, as<RowRemainder<L>>(rest), {{as<Entry<L>>(entries), as<Run<L>>(runs), "
        "nullptr, room, room_of_runs}}, {{as<Entry<L>>(next_entries), as<Run<L>>(next_runs), "
        "nullptr, room, room_of_runs}}, as<WideControl>(control), minimum, out, {{hubs, indptr, "
        "splitters}}}}, halt, status)",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "wide_part": Kind(
        "wide_part.cuh",
        "i64 own, int hubs, int leaves, const i64* indptr, const W* edges, const i64* into, const "
        "W* sources, L limit, L* dist, u64* rest, u64* entries, u64* next_entries, u64* runs, u64* "
        "next_runs, u32 room, u32 room_of_runs, u64* control, L* minimum, const W* splitters, int "
        "others, const i64* blocks, const i64* command, const L* bounds, L* sent, u64* outgoing, "
        "i64 room_outgoing, u64* counts, i64* report, L* least, int* halt, i64* status",
        "wide_part<{lanes}, {block}>(WideArgs<W, L>{{own, 0, nullptr, leaves, indptr, "
        "as<Edge<W>>(edges), into, as<Edge<W>>(sources), L{{0}}, L{{0}}, limit, 0, 0, 0, dist, "
        "as<RowRemainder<L>>(rest), {{as<Entry<L>>(entries), as<Run<L>>(runs), nullptr, room, "
        "room_of_runs}}, {{as<Entry<L>>(next_entries), as<Run<L>>(next_runs), nullptr, room, "
        "room_of_runs}}, as<WideControl>(control), minimum, nullptr, {{hubs, indptr, "
        "splitters}}}}, PartArgs<L>{{others, as<ForeignBlock>(blocks), command, bounds, "
        "sent, as<Entry<L>>(outgoing), room_outgoing, counts, report, least}}, halt, status)",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "breadth_first": Kind(
        "breadth_first.cuh",
        "i64 n, i64 m, int source, const i64* indptr, const int* indices, const i64* into, "
        "const int* sources, const u32* without_in_edges, L weight, L cutoff, u32 alpha, L* dist, "
        "u64* pieces, u64* parts, u32* seen, u32* other, u64* control, int* halt, i64* status",
        "breadth_first<{block}>(BreadthArgs<L>{{n, m, source, indptr, indices, into, sources, "
        "without_in_edges, weight, cutoff, alpha, dist, pieces, parts, seen, other, "
        "reinterpret_cast<BreadthControl*>(control)}}, halt, status)",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "patches": _PATCHES,
    "patches_wide": _PATCHES._replace(resident=2),
    "lay": Kind(
        "adjacency.cuh",
        "i64 size, const i64* indptr, const V* indices, const W* weights, L* dist, V* pred",
        "lay_out<{paths}, {block}>(LayoutArgs<V, W, L>{{size, indptr, indices, weights, "
        "dist, pred}})",
    ),
    "floyd_entry": Kind(
        "floyd.cuh",
        "i64 size, i64 k, L* dist, V* pred, u64* counters",
        "floyd_entry<{shared}, {paths}, {traced}, {block}>("
        "FloydArgs<V, L>{{size, k, dist, pred, counters}})",
    ),
    "floyd_row": Kind(
        "floyd.cuh",
        "i64 size, i64 k, L* dist, V* pred, u64* counters",
        "floyd_row<{paths}, {traced}, {block}>(FloydArgs<V, L>{{size, k, dist, pred, counters}})",
    ),
    "floyd_tile": Kind(
        "floyd_tiles.cuh",
        "i64 size, i64 k, L* dist, V* pred, u64* counters",
        "floyd_tile<{phase}, {paths}, {traced}, {block}>("
        "FloydArgs<V, L>{{size, k, dist, pred, counters}})",
    ),
    "floyd_tile_shared": Kind(
        "floyd_tiles.cuh",
        "i64 size, i64 k, L* dist, V* pred, u64* counters",
        "floyd_tile_shared<{phase}, {paths}, {traced}, {block}>("
        "FloydArgs<V, L>{{size, k, dist, pred, counters}})",
    ),
    "thread_dijkstra": Kind(
        "thread_dijkstra.cuh",
        "i64 size, i64 n, int steps, const L* matrix, L* dist, u8* visited, V* pred, int* left, "
        "u64* counters",
        "thread_dijkstra<{paths}, {traced}, {block}>(ThreadDijkstraArgs<V, L>{{size, n, steps, "
        "matrix, dist, visited, pred, left, counters}})",
        threads=32,  # the 10,876 sources of a graph are on all multiprocessors and not on a third
    ),
    "distances": Kind(
        "tree.cuh",
        "i64 size, const L* labels, L cutoff, L* same, i64* wide, int* small, int* unfit",
        "distances<{block}>(DistancesArgs<L>{{size, labels, cutoff, "
        "{{same, wide, small, unfit}}}})",
    ),
    "tree": Kind(
        "tree.cuh",
        "i64 size, const i64* indptr, const V* indices, const W* weights, const L* dist, V* pred",
        "tree<MergePathMap<Every, {block}>>(TreeArgs<V, W, L>{{{{size, nullptr, nullptr, indptr}}, "
        "indices, weights, dist, pred}})",
    ),
    "rooted": Kind(
        "tree.cuh",
        "i64 size, V source, const L* dist, V* pred, int* missing",
        "rooted<{block}>(RootedArgs<V, L>{{size, source, dist, pred, missing}})",
    ),
    "repair": Kind(
        "repair.cuh",
        "i64 n, int source, i64 closed, const i64* indptr, const int* indices, W* weights, "
        "const i64* into, const int* tails, const u32* places, i64 changes, const i64* changed, "
        "const L* old_dist, const int* old_pred, L* dist, int* pred, int* jump, int* stamps, "
        "int* list, int* other_list, u64* entries, u64* other_entries, u32 room, "
        "i64 most_affected, i64 most_settled, u64* control, int* halt, i64* status",
        "repair<{block}>(RepairArgs<W, L>{{n, source, closed, indptr, indices, weights, into, "
        "tails, places, {{changes, changed}}, old_dist, old_pred, dist, pred, jump, stamps, list, "
        "other_list, as<Entry<L>>(entries), as<Entry<L>>(other_entries), room, most_affected, "
        "most_settled, as<RepairControl>(control)}}, halt, status)",
        widths=2,
        resident=2,
        at_once=True,
    ),
    "reweight": Kind(
        "reweight.cuh",
        "i64 size, const i64* indptr, const V* indices, const W* weights, const L* potentials, "
        "L* reduced",
        "reweight<{block}>(ReweightArgs<V, W, L>{{size, indptr, indices, weights, potentials, "
        "reduced}})",
    ),
    "hierarchy_sweep": Kind(
        "hierarchy_sweep.cuh",
        "int levels, const i64* level_first, const i64* first, const int* heads, "
        "const W* weights, int width, int top, const L* top_matrix, const u32* reached, "
        "const int* reached_from, const u16* lanes, const L* reached_labels, const int* lost, "
        "u32 sweep, u32* touched, L* top_labels, L* labels, u32* arrived",
        "hierarchy_sweep<{block}>(HierarchySweepArgs<W, L>{{levels, level_first, first, heads, "
        "weights, width, top, top_matrix, reached, reached_from, lanes, reached_labels, lost, "
        "sweep, touched, top_labels, labels, arrived}})",
        resident=3,
        at_once=True,
    ),
    "hierarchy_upward": Kind(
        "hierarchy_upward.cuh",
        "int sources, int width, const int* starts, int top, const i64* up_first, "
        "const int* up_heads, const W* up_weights, const i64* down_first, const int* down_heads, "
        "const W* down_weights, u32 room, u32* reached, int* reached_from, u16* lanes, "
        "L* reached_labels, const int* swept, int* lost",
        "hierarchy_upward<{block}>(HierarchyUpwardArgs<W, L>{{sources, width, starts, top, "
        "up_first, up_heads, up_weights, down_first, down_heads, down_weights, room, reached, "
        "reached_from, lanes, reached_labels, swept, lost}})",
    ),
    "hierarchy_rows": Kind(
        "hierarchy_rows.cuh",
        "i64 columns, int rows, int width, const int* places, const L* labels, L cutoff, L* same, "
        "i64* wide, int* small, int* unfit",
        "hierarchy_rows<{block}>(HierarchyRowsArgs<L>{{columns, rows, width, places, labels, "
        "cutoff, {{same, wide, small, unfit}}}})",
    ),
    "hierarchy_totals": Kind(
        "hierarchy_totals.cuh",
        "i64 places, int width, const int* times, const L* labels, L cutoff, "
        "Summed<L>::Type* sums, double* inverses, L* largest, i64* counts",
        "hierarchy_totals<{inverses}, {block}>(HierarchyTotalsArgs<L>{{places, width, times, "
        "labels, cutoff, sums, inverses, largest, counts}})",
    ),
    "hierarchy_totals_join": Kind(
        "hierarchy_totals.cuh",
        "int blocks, int width, int count, const Summed<L>::Type* sums, const double* inverses, "
        "const L* largest, const i64* counts, Summed<L>::Type* sum, double* inverse, L* most, "
        "i64* reached",
        "hierarchy_totals_join<{block}>(HierarchyJoinArgs<L>{{blocks, width, count, sums, "
        "inverses, largest, counts, sum, inverse, most, reached}})",
    ),
}
