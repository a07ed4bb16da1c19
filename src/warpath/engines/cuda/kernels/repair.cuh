// repair.cuh - the labels and the tree of one source are repaired after changes, in one launch.
//
// Work     1. Weights are changed in place. The heads of the tree's edges that are longer or gone
//          are affected, and so is everything below them: each vertex jumps to an ancestor, and in
//          each turn to the ancestor's, until it meets an affected one or the root.
//          2. Affected vertices take their labels from in-neighbours that are not affected, and
//          edges that are new or shorter lower labels. Lowered vertices relax their edges until no
//          label falls: each block follows the vertices that it lowers, in a queue of its own, and
//          after some rounds, which cost no barrier of the grid, all share what is left.
//          3. Vertices whose label changed, the heads of their edges and those of changed edges
//          search their predecessors anew. So do those that have only edges of length 0 from their
//          nearest neighbours, level by level.
// Traffic  1: 20 B a vertex in order, 4 B at random for each jump. 2 and 3: for each edge of a
//          vertex concerned 8 B, a label at random, and 8 B more at random over in-edges. 3: two
//          labels a vertex in order.
// Launch   one grid, all of whose blocks run at once: its barrier separates turns.
// Shared   1,024 entries of a label and a vertex.
// Races    An ancestor that is read while it jumps is an ancestor before or after. Labels are
//          lowered by atomic_min; the thread that lowers one lists it, so that of several entries
//          of a vertex only one is not stale. A full list drops entries and counts them: then the
//          next turn relaxes all vertices. Predecessors have one writer.
// Source   Khanda et al. 2022 (affected flags, updates that do not wait for each other); pointer
//          jumping as in Wyllie 1979.
#pragma once

#include "repair_tree.cuh"

namespace warpath {

/// Status words: how it ended, kPaused where the host has to solve anew; turns that relaxed,
/// affected vertices, those whose edges were relaxed, edges, lowered labels, vertices whose label
/// changed.
template <int kBlock, class W, class L>
__device__ __forceinline__ void repair(const RepairArgs<W, L>& a, int* halt, i64* status) {
  Turns turns(a.control, halt);
  Repair<kBlock, W, L> steps{{{a, turns}}};
  steps.prepare();
  const u32 affected = steps.find_affected();
  u32 changed = 0, rounds = 0;
  bool done = !turns.stopped() && affected <= a.most_affected;
  if (done) {
    u32 count = steps.start(affected, a.entries);
    while (count > 0 && !turns.stopped() && turns.all_settled() <= a.most_settled) {
      const bool odd = ++rounds % 2 != 0;
      count =
          steps.relax(odd ? a.entries : a.other_entries, count, odd ? a.other_entries : a.entries);
    }
    done = count == 0;
  }
  if (done) {
    changed = steps.list_changed();
    steps.find_flat(steps.find_nearer(steps.list_touched(changed)));
  }
  __syncwarp();
  steps.counts.report_together(a.control->counters);
  conclude(halt, status, [&] {
    const RepairControl& c = *a.control;
    status[1] = rounds;
    status[2] = affected;
    status[3] = turns.all_settled();
    status[4] = static_cast<i64>(load_relaxed(c.counters + kRelaxed));
    status[5] = static_cast<i64>(load_relaxed(c.counters + kImproved));
    status[6] = changed;
    if (turns.stopped()) return kHalted;
    if (!done) return kPaused;
    return load_relaxed(&c.lost) != 0 ? kLost : kDone;
  });
}

}  // namespace warpath
