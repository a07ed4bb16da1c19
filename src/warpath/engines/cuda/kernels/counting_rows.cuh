// counting_rows.cuh - counting sweeps: places get labels and paths, and then shares.
#pragma once

#include "counting_block.cuh"

namespace warpath {

/// Rows of arcs of up to 32 places, one after the other. Each lane of a warp has the row of a
/// place, and one of 32 arcs that `Arcs` loads together: so few loads wait for each other.
template <class Arcs>
struct RowsOfWarp {
  const i64 base;  // the first arc
  int begin;       // the lane's row, from `base` on
  int end;
  int loaded = -32;  // the first of the arcs that lanes have
  Arcs arcs;

  __device__ __forceinline__ RowsOfWarp(const i64* first, i64 place, int places, const Arcs& arcs)
      : base(first[place]), arcs(arcs) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    begin = static_cast<int>(first[place + min(lane, places)] - base);
    end = lane < places ? static_cast<int>(first[place + lane + 1] - base) : begin;
  }

  /// Calls visit(at, count) for the arcs of row `i`, up to 32 at a time; `at` is the lane of the
  /// first one.
  template <class Visit>
  __device__ __forceinline__ void each(int i, const Visit& visit) {
    const int last = __shfl_sync(~0u, end, 31);
    const int stop = __shfl_sync(~0u, end, i);
    for (int arc = __shfl_sync(~0u, begin, i); arc < stop; arc += 32) {
      const int count = min(stop - arc, 32);
      if (arc < loaded || arc + count > loaded + 32) {
        arcs.done();
        loaded = arc;
        const int lane = static_cast<int>(threadIdx.x % 32);
        arcs.load(base + arc + lane, arc + lane < last);
      }
      visit(arc - loaded, count);
    }
  }
};

/// The arcs down into places: each lane has the head and the weight of one.
template <class L>
struct ArcsDown {
  const CountedArcs<L>& rows;
  int head = 0;
  L weight{};

  __device__ __forceinline__ void done() {}
  __device__ __forceinline__ void load(i64 arc, bool some) {
    head = some ? rows.heads[arc] : 0;
    weight = some ? rows.weights[arc] : L{};
  }
};

/// Labels up to 32 places and counts the paths to them; all lanes of a warp call it.
template <class L>
__device__ __forceinline__ void sweep_down(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                           i64 first, int places) {
  constexpr int kAtOnce = 4;
  const int lane = threadIdx.x % 32;
  const int numbers = lane < places ? b.numbers[first + lane] : 0;
  RowsOfWarp rows(a.down.first, first, places, ArcsDown<L>{a.down});
  for (int i = 0; i < places; ++i) {
    const i64 place = first + i;
    const int number = __shfl_sync(~0u, numbers, i) - 1;
    L label = never<L>();
    double paths = 0;
    if (number >= 0) {
      label = b.up_labels[number * kLine + lane];
      paths = b.up_paths[number * kLine + lane];
    }
    const L before = label;
    const auto labels_and_sums = [&](int at, int count, int some, L(&sums)[kAtOnce],
                                     i64(&lines)[kAtOnce]) {
      L from[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const int arc = at + min(some + k, count - 1);  // the last one may repeat
        lines[k] = static_cast<i64>(__shfl_sync(~0u, rows.arcs.head, arc)) * kLine + lane;
        from[k] = b.labels[lines[k]];
        sums[k] = __shfl_sync(~0u, rows.arcs.weight, arc);
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        sums[k] = from[k] == never<L>() ? never<L>() : wrapping_sum(from[k], sums[k]);
    };
    rows.each(i, [&](int at, int count) {
      for (int some = 0; some < count; some += kAtOnce) {
        L sums[kAtOnce];
        i64 lines[kAtOnce];
        labels_and_sums(at, count, some, sums, lines);
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
          if (lowers(sums[k], label)) label = sums[k];
      }
    });
    if (before != label) paths = 0;
    rows.each(i, [&](int at, int count) {
      u32 mine = 0;
      const i64 arcs = rows.base + rows.loaded + at;
      for (int some = 0; some < count; some += kAtOnce) {
        L sums[kAtOnce];
        i64 lines[kAtOnce];
        labels_and_sums(at, count, some, sums, lines);
        double more[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const bool tight = some + k < count && sums[k] == label && label != never<L>();
          const u32 lanes = __ballot_sync(~0u, tight);
          if (lane == some + k) mine = lanes;
          more[k] = tight ? b.paths[lines[k]] * a.down.counts[arcs + some + k] : 0;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) paths += more[k];
      }
      if (lane < count) b.tight[arcs + lane] = mine;
    });
    if (paths > 1e300) atomicOr(a.failed, 2);
    const u32 turns = __ballot_sync(~0u, before == label && label != never<L>());
    if (number >= 0 && lane == 0) b.turns[number] = turns;
    b.labels[place * kLine + lane] = label;
    b.paths[place * kLine + lane] = paths;
  }
}

/// The arcs down that lead from places: each lane has the place that one leads to, the lanes in
/// which it is on a shortest path, for how many paths it stands, and its sum.
template <class L>
struct ArcsBack {
  const CountingSweepArgs<L>& a;
  const CountingBlock<L>& b;
  int arc = -1;
  int tail = 0;
  u32 tight = 0;
  double count = 0;
  double sum = 0;

  __device__ __forceinline__ void done() {
    if (arc >= 0) b.of_down[arc] = sum;
  }
  __device__ __forceinline__ void load(i64 back, bool some) {
    arc = some ? a.back_arcs[back] : -1;
    tail = some ? a.back_tails[back] : 0;
    tight = some ? b.tight[arc] : 0;
    count = tight != 0 ? a.down.counts[arc] : 0;
    sum = 0;
  }
};

/// Gives up to 32 places their shares, and the arcs down from them their sums; all lanes of a warp
/// call it. Returns how many of the places are targets that the lane's source reaches.
template <class L>
__device__ __forceinline__ int sweep_back(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                          i64 first, int places, int start) {
  constexpr int kAtOnce = 4;
  const int lane = threadIdx.x % 32;
  const int numbers = lane < places ? b.numbers[first + lane] : 0;
  const u32 targets = __ballot_sync(~0u, lane < places && a.is_target[first + lane] != 0);
  RowsOfWarp rows(a.back_first, first, places, ArcsBack<L>{a, b});
  double sums = 0;  // of the lane's place
  int ends = 0;
  for (int i = 0; i < places; ++i) {
    const i64 place = first + i;
    const double paths = b.paths[place * kLine + lane];
    double shares = 0;
    rows.each(i, [&](int at, int count) {
      for (int some = 0; some < count; some += kAtOnce) {
        double from[kAtOnce];
        u32 lanes[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int arc = at + min(some + k, count - 1);
          lanes[k] = some + k < count ? __shfl_sync(~0u, rows.arcs.tight, arc) : 0;
          const i64 line = static_cast<i64>(__shfl_sync(~0u, rows.arcs.tail, arc)) * kLine;
          from[k] = (lanes[k] >> lane & 1) != 0 ? b.shares[line + lane] : 0;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (lanes[k] == 0) continue;
          const double part = from[k] * __shfl_sync(~0u, rows.arcs.count, at + some + k);
          shares += part;
          const double sum = sum_of_items(paths * part);
          if (lane == at + some + k) rows.arcs.sum = sum;
        }
      }
    });
    const bool moved = place != start;
    const bool reached = (targets >> i & 1) != 0 && moved && paths > 0;
    double through = moved ? paths * shares : 0;
    if (a.endpoints != 0 && reached) through += 1;
    const int number = __shfl_sync(~0u, numbers, i) - 1;
    if (number < 0) {
      const double sum = sum_of_items(through);
      if (lane == i) sums = sum;
    } else {
      const double sum = sum_of_item(through);
      if (lane % 8 == 0) b.parts[number * 4 + lane / 8] = sum;
    }
    if (reached) {
      shares += 1 / paths;
      ++ends;
    }
    b.shares[place * kLine + lane] = shares;
  }
  rows.arcs.done();
  if (lane < places) b.of_places[first + lane] = sums;  // of a place of the search upward later
  return ends;
}

}  // namespace warpath
