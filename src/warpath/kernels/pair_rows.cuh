// pair_rows.cuh - pairs of 32 sources and a vertex: a warp relaxes an edge for 32 sources at once.
//
// Work     near-far relaxations of the union of the sources' fronts, under one threshold.
// Traffic  per edge and group of 32 sources 8 B of the edge and a row of 32 labels, in order; per
//          round a word a vertex and group.
// Launch   one grid, all of whose blocks run at once: rounds are parted by its barrier.
// Shared   a word a warp.
// Races    As in push.cuh for labels. Who lowers one sets its source's bit in the vertex's word;
//          words are taken between two barriers, by the thread that has theirs. Counters of three
//          rounds take turns: one is read, one counts, and the third is cleared.
// Source   Davidson et al. 2014 (near-far); labels of several sources side by side, as Then et al.
//          2014 keep the bits of several searches.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

/// What the blocks tell each other; places in `control`.
enum RowControl { kItems = 0, kOpen = 3, kMeeting = 6, kPasses = 7 };

constexpr int kRowEdges = 32;  // edges of an item, at most

template <class V, class W, class L>
struct RowArgs {
  i64 n;
  i64 rows, columns;   // of the answer
  const i64* targets;  // columns, or null for all vertices
  const i64* indptr;
  const V* indices;
  const W* weights;  // null where all are `weight`
  W weight;
  L delta;
  L cutoff;      // labels above it are not kept
  L* dist;       // 32 for each entry; entry group * n + v has the sources 32 * group ... of v
  u32* waiting;  // an entry: the sources whose labels fell since they were relaxed
  u32* items;    // 3 words each: the entry, which of its runs of edges, the sources to relax
  u32* control;  // RowControl
  L* least;      // 3, of the labels that wait beyond the threshold
  Out<L> out;
  int* lost;  // set to 1 where a sum does not fit the labels
};

/// The sources of one lane's entry whose labels wait below the threshold; all lanes call it.
template <class L>
__device__ __forceinline__ u32 near_sources(const L* dist, u32 bits, L threshold, L& least) {
  constexpr int kAtOnce = 4;  // rows under way
  const int lane = threadIdx.x % 32;
  u32 mine = 0;
  for (u32 todo = __ballot_sync(~0u, bits != 0); todo != 0;) {
    int who[kAtOnce];
    L label[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      who[k] = __ffs(static_cast<int>(todo)) - 1;  // -1 where there is none
      todo &= todo - (todo != 0);
      if (who[k] >= 0) label[k] = load_relaxed(dist + who[k] * 32 + lane);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (who[k] < 0) break;
      const bool waits = __shfl_sync(~0u, bits, who[k]) >> lane & 1;
      if (waits && !(label[k] < threshold)) least = min(least, label[k]);
      const u32 near = __ballot_sync(~0u, waits && label[k] < threshold);
      if (lane == who[k]) mine = near;
    }
  }
  return mine;
}

/// Gives every thread of a block room for `wanted` items; returns its first place.
template <int kBlock>
__device__ __forceinline__ u32 reserve(int wanted, u32* size, int* sums, u32* place) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int end = wanted;
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(~0u, end, step);
    if (lane >= step) end += before;
  }
  __syncthreads();  // the last call's sums are read
  if (lane == 31) sums[warp] = end;
  __syncthreads();
  int before = 0, total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  if (threadIdx.x == 0 && total > 0) *place = atomicAdd(size, static_cast<u32>(total));
  __syncthreads();
  return *place + static_cast<u32>(before + end - wanted);
}

/// Makes items of what waits below the threshold; returns the least label of what waits beyond it.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ L make_items(const RowArgs<V, W, L>& a, i64 entries, L threshold,
                                        u32* size, int* sums, u32* place) {
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const int lane = threadIdx.x % 32;
  L least = never<L>();
  for (i64 base = static_cast<i64>(blockIdx.x) * kBlock; base < entries; base += stride) {
    const i64 entry = base + threadIdx.x;
    const u32 bits = entry < entries ? load_relaxed(a.waiting + entry) : 0;
    if (!__syncthreads_or(bits != 0)) continue;
    const u32 sources = near_sources(a.dist + (entry - lane) * 32, bits, threshold, least);
    int runs = 0;
    if (sources != 0) {
      store_relaxed(a.waiting + entry, bits ^ sources);
      const i64 v = entry % a.n;
      runs = static_cast<int>((a.indptr[v + 1] - a.indptr[v] + kRowEdges - 1) / kRowEdges);
    }
    const u32 at = reserve<kBlock>(runs, size, sums, place);
    for (int run = 0; run < runs; ++run) {
      u32* const item = a.items + 3 * (static_cast<i64>(at) + run);
      store_relaxed(item, static_cast<u32>(entry));
      store_relaxed(item + 1, static_cast<u32>(run));
      store_relaxed(item + 2, sources);
    }
  }
  return least;
}

/// Relaxes a run of edges for the sources of an item; all lanes of a warp call it.
template <class V, class W, class L>
__device__ __forceinline__ void relax_item(const RowArgs<V, W, L>& a, const u32* item) {
  constexpr int kAtOnce = 32 / sizeof(L);  // rows under way
  const int lane = threadIdx.x % 32;
  const i64 entry = load_relaxed(item), run = load_relaxed(item + 1);
  const bool active = load_relaxed(item + 2) >> lane & 1;
  const i64 group = entry / a.n, v = entry - group * a.n;
  const i64 begin = a.indptr[v] + run * kRowEdges;
  const int edges = static_cast<int>(min(a.indptr[v + 1] - begin, i64{kRowEdges}));
  const L from = load_relaxed(a.dist + entry * 32 + lane);
  V target = 0;
  W weight = a.weight;
  if (lane < edges) {
    target = a.indices[begin + lane];
    if (a.weights != nullptr) weight = a.weights[begin + lane];
  }
  for (int e = 0; e < edges; e += kAtOnce) {
    u32 onto[kAtOnce];
    L old[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      onto[k] = static_cast<u32>(group * a.n + __shfl_sync(~0u, target, (e + k) % 32));
      old[k] = L{0};
      if (active && e + k < edges) old[k] = load_relaxed(a.dist + i64{32} * onto[k] + lane);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const W w = __shfl_sync(~0u, weight, (e + k) % 32);
      L sum;
      const bool relaxed = active && e + k < edges;
      const bool fits = extend(from, w, sum);
      if (relaxed && !fits) store_relaxed(a.lost, 1);
      const bool lowered = relaxed && fits && sum < old[k] && sum <= a.cutoff;
      if (lowered) atomic_min(a.dist + i64{32} * onto[k] + lane, sum);
      const u32 who = __ballot_sync(~0u, lowered);
      if (who != 0 && lane == 0) atomicOr(a.waiting + onto[k], who);
    }
  }
}

template <class V, class W, class L>
__device__ __forceinline__ const L* label_of(const RowArgs<V, W, L>& a, i64 cell) {
  const i64 row = cell / a.columns, column = cell - row * a.columns;
  const i64 v = a.targets == nullptr ? column : a.targets[column];
  return a.dist + (row / 32 * a.n + v) * 32 + row % 32;
}

template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void pair_rows(const RowArgs<V, W, L>& a) {
  WARPATH_SHARED(int, sums, kBlock / 32);
  WARPATH_SHARED(u32, place, 1);
  WARPATH_SHARED(L, least, 1);
  const i64 entries = (a.rows + 31) / 32 * a.n;
  const i64 thread = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
  L threshold = above(L{0}, a.delta);
  L before = L{0};  // every label below it is final
  u32 pass = 0;
  for (;; ++pass) {
    const u32 now = pass % 3, after = (pass + 1) % 3;
    // 1. What is near becomes items. The counters of the pass after this one are cleared.
    if (threadIdx.x == 0) least[0] = never<L>();
    if (thread == 0) {
      store_relaxed(a.control + kItems + after, 0u);
      store_relaxed(a.control + kOpen + after, 0u);
      store_relaxed(a.least + after, never<L>());
    }
    __syncthreads();
    const L mine = make_items<kBlock>(a, entries, threshold, a.control + kItems + now, sums, place);
    if (mine != never<L>()) atomic_min(least, mine);
    if (a.targets != nullptr) {
      bool settled = true;
      for (i64 cell = thread; cell < a.rows * a.columns; cell += threads)
        settled = settled && load_relaxed(label_of(a, cell)) < before;
      if (!settled) store_relaxed(a.control + kOpen + now, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0 && least[0] != never<L>()) atomic_min(a.least + now, least[0]);
    meet(a.control + kMeeting);

    // 2. They are relaxed, or the threshold rises.
    if (a.targets != nullptr && load_relaxed(a.control + kOpen + now) == 0) break;
    const u32 items = load_relaxed(a.control + kItems + now);
    if (items == 0) {
      const L low = load_relaxed(a.least + now);
      if (low == never<L>()) break;
      before = threshold;
      threshold = above(low, a.delta);
      continue;
    }
    for (i64 item = thread / 32; item < items; item += threads / 32)
      relax_item(a, a.items + 3 * item);
    meet(a.control + kMeeting);
  }
  if (thread == 0) a.control[kPasses] = pass;
  for (i64 cell = thread; cell < a.rows * a.columns; cell += threads)
    a.out.put(cell, load_relaxed(label_of(a, cell)));
}

}  // namespace warpath
