// hierarchy_sweep.cuh - distances from up to 256 sources, by one sweep down a hierarchy.
//
// A place is a vertex of the hierarchy: first the `top` most important ones, then the others level
// by level, so that arcs lead to a place from the top or from earlier levels. The labels of a place
// from all sources are adjacent: they form a line.
//
// Work     an addition and a minimum for each arc and source, and for each pair of places of the
//          top and source.
// Traffic  per arc a head, a weight and a line of labels, most of them from L2; per place a line is
//          written, and read as often as arcs lead from it.
// Launch   one grid, all of whose blocks run at once: its barrier separates levels.
// Shared   as in hierarchy_top.cuh.
// Races    the lines of places that several upward searches reached are claimed by an atomic
//          exchange, and the warp with the first claim clears the line. Each label of a line has
//          one writer.
// Source   Delling, Goldberg, Nowatzyk, Werneck 2011, PHAST on a GPU.
#pragma once

#include "hierarchy_top.cuh"

namespace warpath {

/// A place whose arcs are being loaded: each lane has one of the next 32.
template <class W>
struct PlaceOfWarp {
  i64 begin = 0;
  int count = 0;
  int head = 0;
  W weight{};
  u32 touched = 0;

  /// Starts the loads of the arcs' bounds.
  template <class L>
  __device__ __forceinline__ void bounds(const HierarchySweepArgs<W, L>& a, i64 place) {
    begin = a.first[place];
    count = static_cast<int>(a.first[place + 1] - begin);
    touched = a.touched[place];
  }

  /// Starts the loads of the arcs; all lanes of a warp call it.
  template <class L>
  __device__ __forceinline__ void arcs(const HierarchySweepArgs<W, L>& a) {
    const int lane = threadIdx.x % 32;
    if (lane < count) {
      head = a.heads[begin + lane];
      weight = a.weights[begin + lane];
    }
  }
};

/// Writes the labels of part `part` of a place's line; all lanes of a warp call it. Loads for kArcs
/// arcs are in flight at a time.
template <int kLabels, int kArcs, class W, class L>
__device__ __forceinline__ void lower_part(const HierarchySweepArgs<W, L>& a, PlaceOfWarp<W> arcs,
                                           i64 place, int part) {
  using Labels = LineLabels<L, kLabels>;
  const int at = (part * 32 + static_cast<int>(threadIdx.x % 32)) * kLabels;
  const auto labels_of = [&](i64 other) {
    return reinterpret_cast<Labels*>(a.labels + other * a.width + at);
  };
  Labels minimum;
#pragma unroll
  for (int i = 0; i < kLabels; ++i) minimum.of[i] = never<L>();
  if (arcs.touched == a.sweep) minimum = *labels_of(place);
  while (arcs.count > 0) {
    const int count = min(arcs.count, 32);
    for (int arc = 0; arc < count; arc += kArcs) {
      const auto lane = [&](int k) { return min(arc + k, count - 1); };  // may repeat the last arc
      Labels from[kArcs];
#pragma unroll
      for (int k = 0; k < kArcs; ++k) from[k] = *labels_of(__shfl_sync(~0u, arcs.head, lane(k)));
#pragma unroll
      for (int k = 0; k < kArcs; ++k) {
        const W weight = __shfl_sync(~0u, arcs.weight, lane(k));
#pragma unroll
        for (int i = 0; i < kLabels; ++i) {
          const L sum = wrapping_sum(from[k].of[i], weight);
          if (lowers(sum, minimum.of[i])) minimum.of[i] = sum;
        }
      }
    }
    arcs.begin += 32;
    arcs.count -= 32;
    arcs.arcs(a);
  }
  *labels_of(place) = minimum;
}

/// A level and how it is divided among warps.
struct LevelShare {
  i64 begin;  // its first place
  u32 items;  // parts of its places; 2^32 parts would take 512 GiB
  int shift;  // a place has 2^shift parts
  bool few;   // whether latency dominates: more warps, each with more arcs, share a place

  __device__ __forceinline__ i64 place(u32 item) const { return begin + (item >> shift); }
  __device__ __forceinline__ int part(u32 item) const {
    return static_cast<int>(item & ((1 << shift) - 1));
  }
};

template <class W, class L>
__device__ __forceinline__ LevelShare share_of(const HierarchySweepArgs<W, L>& a, int level,
                                               u32 warps) {
  constexpr int kLabels = 16 / sizeof(L);
  const int narrow = a.width / 32, wide = narrow / kLabels;
  const i64 begin = a.level_first[level];
  const i64 places = a.level_first[level + 1] - begin;
  const bool few = places * narrow <= warps;
  const int parts = few || wide == 0 ? narrow : wide;
  return {begin, static_cast<u32>(places * parts), __ffs(parts) - 1, few};
}

template <int kBlock, class W, class L>
__device__ __forceinline__ void hierarchy_sweep(const HierarchySweepArgs<W, L>& a) {
  constexpr int kLabels = 16 / sizeof(L);
  const u32 warp = (blockIdx.x * kBlock + threadIdx.x) / 32;
  const u32 warps = gridDim.x * kBlock / 32;
  if (*a.lost != 0) return;
  start_lines<kBlock>(a);
  if (a.top > 0) {
    lower_top<kBlock>(a);
    meet(a.arrived);
  }
  if (a.levels == 0) return;
  // While the labels of an item are loaded, so are the arcs of the next item and the bounds of the
  // one after it, also across the barrier between levels.
  LevelShare now = share_of(a, 0, warps);
  PlaceOfWarp<W> next, later;
  if (warp < now.items) next.bounds(a, now.place(warp));
  if (warp < now.items) next.arcs(a);
  if (warp + warps < now.items) later.bounds(a, now.place(warp + warps));
  for (int level = 0;; ++level) {
    const bool last = level + 1 == a.levels;
    const LevelShare after = last ? now : share_of(a, level + 1, warps);
    PlaceOfWarp<W> first;
    if (!last && warp < after.items) first.bounds(a, after.place(warp));
    for (u32 item = warp; item < now.items; item += warps) {
      const PlaceOfWarp<W> arcs = next;
      if (item + warps < now.items) {
        next = later;
        next.arcs(a);
      }
      if (item + 2 * warps < now.items) later.bounds(a, now.place(item + 2 * warps));
      if (now.few) {
        lower_part<1, 8>(a, arcs, now.place(item), now.part(item));
      } else if (a.width < 32 * kLabels) {
        lower_part<1, 4>(a, arcs, now.place(item), now.part(item));
      } else {
        lower_part<kLabels, 4>(a, arcs, now.place(item), now.part(item));
      }
    }
    if (last) return;
    next = first;
    next.arcs(a);
    if (warp + warps < after.items) later.bounds(a, after.place(warp + warps));
    meet(a.arrived);
    now = after;
  }
}

}  // namespace warpath
