// repair_tree.cuh - the last step of a repair: predecessors by rule 2 where they may be others.
#pragma once

#include "repair_relax.cuh"
#include "tree.cuh"

namespace warpath {

/// Stamps that are no turns. Below them are levels: of vertices that have found a predecessor over
/// edges of length 0.
enum Stamp : int { kTouched = -1, kFlat = -2 };

template <int kBlock, class W, class L>
struct Repair : Relaxing<kBlock, W, L> {
  using LabelRepair<W, L>::a;
  using LabelRepair<W, L>::turns;
  using LabelRepair<W, L>::passable;
  using LabelRepair<W, L>::row;
  using LabelRepair<W, L>::stamp;

  /// Lists the vertices whose predecessor may be another one: those with another label, heads of
  /// their edges, heads of changed edges, and those whose predecessor was not nearer.
  __device__ u32 list_touched(u32 changed) {
    const auto touch = [&](int v) { turns.append(a.other_list, v >= 0 && stamp(v, kTouched), v); };
    turns.each_warp(changed, [&](u32 i) {
      const int u = a.list[i];
      touch(turns.lane == 0 ? u : -1);
      row(a.indptr[u], a.indptr[u + 1],
          [&](i64 e) { touch(e < a.indptr[u + 1] ? a.indices[e] : -1); });
    });
    turns.each_lane(a.changed.count,
                    [&](i64 k) { touch(k < a.changed.count ? a.changed.head(k) : -1); });
    turns.each_lane(a.n, [&](i64 v) {
      const int up = v < a.n ? a.old_pred[v] : -1;
      touch(up >= 0 && !(a.old_dist[up] < a.old_dist[v]) ? static_cast<int>(v) : -1);
    });
    return turns.end();
  }

  /// The smallest source of a tight edge into v for which wanted(u, its label) holds, or the
  /// largest int.
  template <class Wanted>
  __device__ int least_tail(int v, Wanted&& wanted) const {
    const L label = a.dist[v];
    int best = never<int>();
    if (v != a.source && label != never<L>())
      row(a.into[v], a.into[v + 1], [&](i64 e) {
        if (e >= a.into[v + 1]) return;
        const int u = a.tails[e];
        const L from = a.dist[u];
        if (u < best && from != never<L>() && passable(u) && wanted(u, from) &&
            tight(from, a.weights[a.places[e]], label))
          best = u;
      });
    for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_xor_sync(~0u, best, step));
    return best;
  }

  /// Gives touched vertices a predecessor that is nearer to the source, and lists those without.
  __device__ u32 find_nearer(u32 touched) {
    int* const flat = a.jump;
    turns.each_warp(touched, [&](u32 i) {
      const int v = a.other_list[i];
      const L label = a.dist[v];
      const int found = least_tail(v, [&](int, L from) { return from < label; });
      const bool is_flat = found == never<int>() && v != a.source && label != never<L>();
      turns.append(flat, turns.lane == 0 && is_flat, v);
      if (turns.lane != 0) return;
      a.pred[v] = found == never<int>() ? -1 : found;
      if (is_flat) store_relaxed(a.stamps + v, static_cast<int>(kFlat));
    });
    return turns.end();
  }

  /// Gives the others predecessors over edges of length 0, breadth-first. Right labels leave none
  /// without one; for wrong ones the host has to solve anew.
  __device__ void find_flat(u32 count) {
    const int* const flat = a.jump;
    int level = kFlat - 1;
    u32 before = 0;
    for (u32 left = count; left != 0 && !turns.stopped(); --level) {
      if (left == before) {
        store_relaxed(&a.control->lost, 1u);
        return;
      }
      before = left;
      turns.each_warp(count, [&](u32 i) {
        const int v = flat[i];
        if (load_relaxed(a.stamps + v) != kFlat) return;
        const L label = a.dist[v];
        const int found = least_tail(v, [&](int u, L from) {
          const int stamped = load_relaxed(a.stamps + u);
          return from == label && stamped != kFlat && stamped != level;
        });
        if (turns.lane != 0) return;
        if (found == never<int>()) {
          atomicAdd(turns.count(), 1u);
        } else {
          a.pred[v] = found;
          store_relaxed(a.stamps + v, level);
        }
      });
      left = turns.end();
    }
  }
};

}  // namespace warpath
