// repair_labels.cuh - the steps of a repair up to the labels: affected vertices, and relaxing.
#pragma once

#include "repair_turns.cuh"
#include "wide_lists.cuh"

namespace warpath {

/// Edges that changed: five rows of `count` words.
struct ChangedEdges {
  i64 count;
  const i64* words;

  __device__ int tail(i64 k) const { return static_cast<int>(words[k]); }
  __device__ int head(i64 k) const { return static_cast<int>(words[count + k]); }
  __device__ i64 place(i64 k) const { return words[2 * count + k]; }  // -1: its weight is set
  __device__ bool longer(i64 k) const { return (words[3 * count + k] & 1) != 0; }  // or gone
  __device__ bool exists(i64 k) const { return (words[3 * count + k] & 2) != 0; }
  template <class W>
  __device__ W weight(i64 k) const {
    return *as<W>(words + 4 * count + k);
  }
};

template <class W, class L>
struct RepairArgs {
  i64 n;
  int source;
  i64 closed;  // vertices below it are passed by no path, unless they are the source
  const i64* indptr;
  const int* indices;
  W* weights;
  const i64* into;    // n + 1: where the in-edges of a vertex begin
  const int* tails;   // m: their sources
  const u32* places;  // m: their places in `weights`
  ChangedEdges changed;
  const L* old_dist;  // n: the state before, which stays as it is
  const int* old_pred;
  L* dist;  // n: the state after
  int* pred;
  int* jump;    // n: an ancestor, or kRoot or kAffected
  int* stamps;  // n
  int* list;    // n: at the end the vertices whose label changed
  int* other_list;
  Entry<L>* entries;  // room: lowered vertices
  Entry<L>* other_entries;
  u32 room;
  i64 most_affected, most_settled;  // beyond them the host solves anew
  RepairControl* control;
};

enum Jump : int { kRoot = -1, kAffected = -2 };
constexpr int kHops = 4;  // jumps of a turn

template <class W, class L>
struct LabelRepair {
  const RepairArgs<W, L>& a;
  Turns& turns;
  bool any_affected = false;
  Counts<true> counts = {};

  __device__ bool passable(int u) const { return u >= a.closed || u == a.source; }
  __device__ bool affected(int u) const { return any_affected && a.jump[u] == kAffected; }
  __device__ bool stamp(int v, int turn) const { return atomicExch(a.stamps + v, turn) != turn; }

  __device__ bool sum_of(L label, W weight, L& sum) const {
    if (extend(label, weight, sum)) return true;
    store_relaxed(&a.control->lost, 1u);
    return false;
  }

  /// Calls take(e) for the edges [begin, end) of a row, one per lane; e is `end` or more for lanes
  /// without one.
  template <class Take>
  __device__ void row(i64 begin, i64 end, Take&& take) const {
    for (; begin < end; begin += 32) take(begin + turns.lane);
  }

  /// Copies the tree to jump along and changes the weights.
  __device__ void prepare() {
    turns.each_lane(a.n, [&](i64 v) {
      if (v >= a.n) return;
      a.jump[v] = a.old_pred[v];
      a.stamps[v] = 0;
    });
    turns.each_lane(a.changed.count, [&](i64 k) {
      if (k < a.changed.count && a.changed.place(k) >= 0)
        a.weights[a.changed.place(k)] = a.changed.template weight<W>(k);
    });
    turns.end();
  }

  /// Marks affected vertices, copies the labels of the others, and lists the affected ones.
  __device__ u32 find_affected() {
    turns.each_lane(a.changed.count, [&](i64 k) {
      const bool lost = k < a.changed.count && a.changed.longer(k) &&
                        a.old_pred[a.changed.head(k)] == a.changed.tail(k);
      if (lost) store_relaxed(a.jump + a.changed.head(k), static_cast<int>(kAffected));
      if (__any_sync(~0u, lost) && turns.lane == 0) store_relaxed(turns.count(), 1u);
    });
    any_affected = turns.end() != 0;
    for (u32 more = any_affected; more != 0 && !turns.stopped(); more = turns.end()) {
      bool open = false;
      turns.each_lane(a.n, [&](i64 v) {
        int up = v < a.n ? load_relaxed(a.jump + v) : kRoot;
        if (up < 0) return;
        for (int hop = 0; hop < kHops && up >= 0; ++hop) up = load_relaxed(a.jump + up);
        store_relaxed(a.jump + v, up);
        open = open || up >= 0;
      });
      if (__any_sync(~0u, open) && turns.lane == 0) store_relaxed(turns.count(), 1u);
    }
    turns.each_lane(a.n, [&](i64 v) {
      const bool own = v < a.n && affected(static_cast<int>(v));
      if (v < a.n) {
        a.dist[v] = own ? never<L>() : a.old_dist[v];
        a.pred[v] = a.old_pred[v];
      }
      turns.append(a.list, own, static_cast<int>(v));
    });
    return turns.end();
  }

  /// Lowers the label of a lane's vertex and lists it; all lanes of a warp call it.
  __device__ void lower(bool wanted, L label, int v, Entry<L>* list) {
    const bool fell = wanted && label < atomic_min(a.dist + v, label);
    if (fell) counts.improved();
    const u32 at = turns.place(fell);
    if (fell && at < a.room) list[at] = {label, v};
  }

  /// Gives affected vertices labels from the others, relaxes changed edges, and lists all lowered.
  __device__ u32 start(u32 count, Entry<L>* list) {
    turns.each_warp(count, [&](u32 i) {
      const int v = a.list[i];
      L best = never<L>();
      row(a.into[v], a.into[v + 1], [&](i64 e) {
        if (e >= a.into[v + 1]) return;
        const int u = a.tails[e];
        counts.relaxed();
        if (affected(u) || !passable(u)) return;
        const L label = load_relaxed(a.dist + u);
        L sum;
        if (label != never<L>() && sum_of(label, a.weights[a.places[e]], sum))
          best = min(best, sum);
      });
      for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_xor_sync(~0u, best, step));
      lower(turns.lane == 0 && best != never<L>(), best, v, list);
    });
    turns.each_lane(a.changed.count, [&](i64 k) {
      L sum = never<L>();
      bool wanted = false;
      if (k < a.changed.count && a.changed.exists(k)) {
        const int u = a.changed.tail(k);
        const L label = load_relaxed(a.dist + u);
        counts.relaxed();
        wanted = !affected(u) && passable(u) && label != never<L>() &&
                 sum_of(label, a.changed.template weight<W>(k), sum);
      }
      lower(wanted, sum, wanted ? a.changed.head(k) : -1, list);
    });
    return turns.end();
  }

  /// Lists the vertices whose label changed; returns how many there are.
  __device__ u32 list_changed() {
    turns.each_lane(a.n, [&](i64 v) {
      turns.append(a.list, v < a.n && a.dist[v] != a.old_dist[v], static_cast<int>(v));
    });
    return turns.end();
  }
};

}  // namespace warpath
