// pair_rows.cuh - 64 sources with adjacent labels: a warp relaxes an edge for all of them at once.
//
// Work     near-far relaxations of the union of the sources' frontiers. Each source has its own
//          threshold, which rises when none of its vertices waits below it.
// Traffic  per edge 8 B in order and 64 labels, in runs of 32; per round a word a vertex.
// Launch   one grid, all of whose blocks run at once: its barrier separates rounds.
// Shared   a label for each source and a word a warp.
// Races    Labels as in push.cuh. The warp that lowers a label sets its source's bit in the word of
//          the vertex. Between two barriers each word is read and cleared by one thread. Of three
//          sets of counters one is read, one counts, and the third is cleared.
// Source   Davidson et al. 2014 (near-far); adjacent labels of several sources, as Then et al.
//          2014 store the bits of several searches.
#pragma once

#include "pair_row_items.cuh"

namespace warpath {

/// Relaxes a run of edges for the sources of an item; all lanes of a warp call it.
template <class V, class W, class L>
__device__ __forceinline__ void relax_item(const RowArgs<V, W, L>& a, const u64* item) {
  constexpr int kAtOnce = 16 / sizeof(L);  // edges in flight
  const int lane = threadIdx.x % 32;
  const u64 place = load_relaxed(item), sources = load_relaxed(item + 1);
  const i64 u = static_cast<i64>(place >> 32);
  const i64 begin = a.indptr[u] + static_cast<i64>(place & 0xffffffffu) * kRowEdges;
  const int edges = static_cast<int>(min(a.indptr[u + 1] - begin, i64{kRowEdges}));
  V target = 0;
  W weight = a.weight;
  if (lane < edges) {
    target = a.indices[begin + lane];
    if (a.weights != nullptr) weight = a.weights[begin + lane];
  }
  bool active[2];
  L from[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    active[h] = sources >> (lane + h * kHalf) & 1;
    from[h] = active[h] ? load_relaxed(a.dist + u * kSide + h * kHalf + lane) : never<L>();
  }
  bool lost = false;
  for (int e = 0; e < edges; e += kAtOnce) {
    L* label[kAtOnce];
    L old[kAtOnce][2];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const V v = __shfl_sync(~0u, target, (e + k) % 32);
      label[k] = a.dist + static_cast<i64>(v) * kSide + lane;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        old[k][h] = L{0};  // no sum is below 0
        if (active[h] && e + k < edges) old[k][h] = load_relaxed(label[k] + h * kHalf);
      }
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const W w = __shfl_sync(~0u, weight, (e + k) % 32);
      L sum[2];
      bool lowered[2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        sum[h] = wrapping_sum(from[h], w);
        lowered[h] = lowers(sum[h], old[k][h]) && sum[h] <= a.cutoff;
        if (a.lost != nullptr) lost |= active[h] && e + k < edges && overflows(sum[h]);
      }
      if (!__any_sync(~0u, lowered[0] || lowered[1])) continue;
      u64 lowered_sources = 0;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        if (lowered[h]) atomic_min(label[k] + h * kHalf, sum[h]);
        lowered_sources |= static_cast<u64>(__ballot_sync(~0u, lowered[h])) << (h * kHalf);
      }
      if (lane == 0) atomicOr(a.waiting + (label[k] - a.dist) / kSide, lowered_sources);
    }
  }
  if (lost) store_relaxed(a.lost, 1);
}

/// Whether the labels of all targets are below the sources' bounds, below which none is waiting.
template <class V, class W, class L>
__device__ __forceinline__ bool settled(const RowArgs<V, W, L>& a, const Two<L>& bound, i64 warp,
                                        i64 warps) {
  const int lane = threadIdx.x % 32;
  bool all = true;
  for (i64 column = warp; column < a.columns; column += warps)
    for (int h = 0; h < 2; ++h)
      if (lane + h * kHalf < a.rows)
        all = all &&
              load_relaxed(a.dist + a.targets[column] * kSide + h * kHalf + lane) < bound.of[h];
  return all;
}

template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void pair_rows(const RowArgs<V, W, L>& a) {
  WARPATH_SHARED(int, sums, kBlock / 32);
  WARPATH_SHARED(u32, place, 1);
  WARPATH_SHARED(L, minima, kSide);
  WARPATH_SHARED(u64, busy, 1);
  const int lane = threadIdx.x % 32;
  const i64 thread = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
  Two<L> bound{{L{0}, L{0}}};  // every label of the source below it is final
  Two<L> threshold{{above(L{0}, a.delta), above(L{0}, a.delta)}};
  u32 pass = 0;
  for (;; ++pass) {
    const u32 now = pass % 3, after = (pass + 1) % 3;
    // 1. Labels below the thresholds become items. Clears the counters of the next pass.
    if (threadIdx.x < kSide) minima[threadIdx.x] = never<L>();
    if (threadIdx.x == 0) busy[0] = 0;
    if (thread == 0) {
      store_relaxed(a.control + kItems + after, 0u);
      store_relaxed(a.control + kOpen + after, 0u);
      store_relaxed(a.busy + after, u64{0});
    }
    if (thread < kSide) store_relaxed(a.minimum + after * kSide + thread, never<L>());
    __syncthreads();
    Two<L> minimum{{never<L>(), never<L>()}};
    const u64 mine =
        make_items<kBlock>(a, threshold, a.control + kItems + now, sums, place, minimum);
    if (mine != 0) atomicOr(busy, mine);
    for (int h = 0; h < 2; ++h)
      if (minimum.of[h] != never<L>()) atomic_min(minima + h * kHalf + lane, minimum.of[h]);
    if (a.targets != nullptr && !settled(a, bound, thread / 32, threads / 32))
      store_relaxed(a.control + kOpen + now, 1u);
    __syncthreads();
    if (threadIdx.x < kSide && minima[threadIdx.x] != never<L>())
      atomic_min(a.minimum + now * kSide + threadIdx.x, minima[threadIdx.x]);
    if (threadIdx.x == 0 && busy[0] != 0) atomicOr(a.busy + now, busy[0]);
    meet(a.control + kMeeting);

    // 2. The thresholds of sources without items rise; the items are relaxed.
    if (a.targets != nullptr && load_relaxed(a.control + kOpen + now) == 0) break;
    const u64 some = load_relaxed(a.busy + now);
    bool waits = some != 0;
    for (int h = 0; h < 2; ++h) {
      const L low = load_relaxed(a.minimum + now * kSide + h * kHalf + lane);
      if (low != never<L>()) waits = true;
      if (some >> (lane + h * kHalf) & 1) continue;
      bound.of[h] = low == never<L>() ? low : threshold.of[h];
      if (low != never<L>()) threshold.of[h] = above(low, a.delta);
    }
    if (!__any_sync(~0u, waits)) break;
    if (some == 0) continue;
    const u32 items = load_relaxed(a.control + kItems + now);
    for (i64 item = thread / 32; item < items; item += threads / 32)
      relax_item(a, a.items + 2 * item);
    meet(a.control + kMeeting);
  }
  if (thread == 0) a.control[kPasses] = pass;
  for (i64 cell = thread; cell < a.rows * a.columns; cell += threads) {
    const i64 row = cell / a.columns, column = cell - row * a.columns;
    const i64 v = a.targets == nullptr ? column : a.targets[column];
    a.out.put(cell, load_relaxed(a.dist + v * kSide + row));
  }
}

}  // namespace warpath
