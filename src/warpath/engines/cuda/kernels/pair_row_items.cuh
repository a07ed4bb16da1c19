// pair_row_items.cuh - vertices that wait below the thresholds of 64 sources, as items for warps.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

/// The words of `control`, which all blocks share.
enum RowControl { kItems = 0, kOpen = 3, kMeeting = 6, kPasses = 7 };

constexpr int kRowEdges = 32;  // maximum edges of an item
constexpr int kHalf = 32;      // a lane has the source of its number and the one 32 after it
constexpr int kSide = 2 * kHalf;

template <class V, class W, class L>
struct RowArgs {
  i64 n;
  i64 rows, columns;   // of the answer; rows <= kSide
  const i64* targets;  // columns, or null for all vertices
  const i64* indptr;
  const V* indices;
  const W* weights;  // null if all are `weight`
  W weight;
  L delta;
  L cutoff;      // larger labels are not written
  L* dist;       // kSide for each vertex
  u64* waiting;  // n: bits of the sources whose labels were lowered since they were relaxed
  u64* items;  // 2 words each: the vertex and the number of its run of edges; the sources to relax
  u32* control;  // RowControl
  L* minimum;    // 3 * kSide: per source, of the waiting labels not below its threshold
  u64* busy;     // 3: bits of the sources with a label waiting below their threshold
  Out<L> out;
  int* lost;  // set to 1 if a sum does not fit the labels; null if all are known to fit
};

/// A label for each of a lane's two sources.
template <class L>
struct Two {
  L of[2];
};

/// The sources of the lane's vertex whose labels wait below their thresholds; all lanes call it.
template <class L>
__device__ __forceinline__ u64 near_sources(const L* dist, u64 bits, const Two<L>& threshold,
                                            Two<L>& minimum) {
  constexpr int kAtOnce = 16 / sizeof(L);  // vertices in flight
  const int lane = threadIdx.x % 32;
  u64 mine = 0;
  for (u32 todo = __ballot_sync(~0u, bits != 0); todo != 0;) {
    int owner[kAtOnce];
    L label[kAtOnce][2];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      owner[k] = __ffs(static_cast<int>(todo)) - 1;  // -1 where there is none
      todo &= todo - (todo != 0);
      const L* const row = dist + max(owner[k], 0) * kSide + lane;
#pragma unroll
      for (int h = 0; h < 2; ++h) label[k][h] = load_relaxed(row + h * kHalf);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (owner[k] < 0) break;
      const u64 set = __shfl_sync(~0u, bits, owner[k]);
      u64 near = 0;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const bool waits = set >> (lane + h * kHalf) & 1;
        const bool below = label[k][h] < threshold.of[h];
        if (waits && !below) minimum.of[h] = min(minimum.of[h], label[k][h]);
        near |= static_cast<u64>(__ballot_sync(~0u, waits && below)) << (h * kHalf);
      }
      if (lane == owner[k]) mine = near;
    }
  }
  return mine;
}

/// Reserves room for `wanted` items of each thread of a block; returns the thread's first place.
template <int kBlock>
__device__ __forceinline__ u32 reserve(int wanted, u32* size, int* sums, u32* place) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int end = wanted;
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(~0u, end, step);
    if (lane >= step) end += before;
  }
  __syncthreads();  // the sums of the previous call have been read
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

/// Makes items of the labels that wait below the thresholds. Returns the sources that have such
/// labels, and in `minimum` the minimum of each source's other waiting labels.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ u64 make_items(const RowArgs<V, W, L>& a, const Two<L>& threshold,
                                          u32* size, int* sums, u32* place, Two<L>& minimum) {
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const int lane = threadIdx.x % 32;
  u64 busy = 0;
  for (i64 base = static_cast<i64>(blockIdx.x) * kBlock; base < a.n; base += stride) {
    const i64 v = base + threadIdx.x;
    const u64 bits = v < a.n ? load_relaxed(a.waiting + v) : 0;
    if (!__syncthreads_or(bits != 0)) continue;
    const u64 sources = near_sources(a.dist + (v - lane) * kSide, bits, threshold, minimum);
    int runs = 0;
    if (sources != 0) {
      store_relaxed(a.waiting + v, bits ^ sources);
      runs = static_cast<int>((a.indptr[v + 1] - a.indptr[v] + kRowEdges - 1) / kRowEdges);
      busy |= sources;
    }
    const u32 at = reserve<kBlock>(runs, size, sums, place);
    for (int run = 0; run < runs; ++run) {
      u64* const item = a.items + 2 * (static_cast<i64>(at) + run);
      store_relaxed(item, static_cast<u64>(v) << 32 | static_cast<u64>(run));
      store_relaxed(item + 1, sources);
    }
  }
  return busy;
}

}  // namespace warpath
