// floyd_tiles.cuh - Floyd-Warshall by tiles: the pivot tile, its row and column, then the others.
//
// Work     n^2 additions and minima for each intermediate vertex, n^3 in all.
// Traffic  for each pivot tile an entry is read and written once. In addition, two labels for each
//          intermediate vertex, through the caches; with shared memory, two tiles.
// Launch   with t = ceil(n / 32) tiles a side: Pivot 1 block, Cross 2 (t - 1), Rest (t - 1)^2.
// Shared   tiles in shared memory: 2,048 labels and 1,024 predecessors.
// Races    none: in the pivot's row and column of tiles, no entry of the intermediate vertex is
//          lowered while it is read, because the entry (k, k) is 0, and a barrier separates the
//          intermediate vertices. Tiles that another block reads are not written in that phase.
// Source   Bodra & Khairnar 2025, Floyd-Warshall: tiled, tiled with shared memory.
#pragma once

#include "floyd.cuh"

namespace warpath {

constexpr int kTile = 32;

/// The position of a block's tile; the pivot is the p-th of t tiles on the diagonal.
struct Corner {
  i64 row, column;  // its first entry
  bool above;       // whether (k, j) is in this tile: the pivot and its row
  bool left;        // whether (i, k) is in this tile: the pivot and its column
};

/// The first row or column of the number-th tile, not counting the pivot's.
__device__ __forceinline__ i64 other_tile(i64 number, i64 p) {
  return (number < p ? number : number + 1) * kTile;
}

/// [phase 1] The pivot tile.
struct Pivot {
  static __device__ Corner tile(i64 p, i64) { return {p * kTile, p * kTile, true, true}; }
};

/// [phase 2] The tiles of the pivot's row, then those of its column.
struct Cross {
  static __device__ Corner tile(i64 p, i64 t) {
    const i64 block = blockIdx.x;
    if (block < t - 1) return {p * kTile, other_tile(block, p), true, false};
    return {other_tile(block - (t - 1), p), p * kTile, false, true};
  }
};

/// [phase 3] All other tiles; their entries do not depend on each other.
struct Rest {
  static __device__ Corner tile(i64 p, i64 t) {
    const i64 block = blockIdx.x;
    return {other_tile(block / (t - 1), p), other_tile(block % (t - 1), p), false, false};
  }
};

/// The tiles of a launch and this block's tile.
template <class Phase, class V, class L>
struct Place {
  i64 tiles;
  Corner tile;
  int held;  // intermediate vertices, fewer in the last tile

  __device__ explicit Place(const FloydArgs<V, L>& a)
      : tiles((a.n + kTile - 1) / kTile),
        tile(Phase::tile(a.k / kTile, tiles)),
        held(static_cast<int>(min(static_cast<i64>(kTile), a.n - a.k))) {}
  __device__ bool depends() const { return tile.above || tile.left; }
  __device__ bool has(const FloydArgs<V, L>& a, int e) const {
    return tile.row + e / kTile < a.n && tile.column + e % kTile < a.n;
  }
  __device__ i64 at(const FloydArgs<V, L>& a, int e) const {
    return (tile.row + e / kTile) * a.n + tile.column + e % kTile;
  }
};

/// [tiled] Every access goes to global memory.
template <class Phase, bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void floyd_tile(const FloydArgs<V, L>& a) {
  const Place<Phase, V, L> place(a);
  Counts<kTraced> counts;
  for (int k = 0; k < place.held; ++k) {
    for (int e = threadIdx.x; e < kTile * kTile; e += kBlock) {
      if (!place.has(a, e)) continue;
      const i64 i = place.tile.row + e / kTile, j = place.tile.column + e % kTile;
      through<kPaths>(a, a.dist[i * a.n + a.k + k], i, j, a.k + k, counts);
    }
    if (place.depends()) __syncthreads();
  }
  counts.report(a.counters);
}

/// Copies a tile into shared memory; entries outside the matrix stay unset and are not used.
template <int kBlock, class T>
__device__ __forceinline__ void fetch(const T* matrix, i64 n, i64 row, i64 column, T* into) {
  for (int e = threadIdx.x; e < kTile * kTile; e += kBlock) {
    const i64 i = row + e / kTile, j = column + e % kTile;
    if (i < n && j < n) into[e] = matrix[i * n + j];
  }
}

/// [tiled with shared memory] The tiles of (i, k) and (k, j) are copied once; the block's own
/// entries stay in registers. In phase 2 one of these tiles is the block's own and the other the
/// pivot. The pivot is closed: any path through its vertices is one step, so the copy of the
/// block's own tile need not be updated.
template <class Phase, bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void floyd_tile_shared(const FloydArgs<V, L>& a) {
  constexpr int kEntries = kTile * kTile / kBlock;
  WARPATH_SHARED(L, left, kTile * kTile);
  WARPATH_SHARED(L, right, kTile * kTile);
  WARPATH_SHARED(V, before, kPaths ? kTile * kTile : 1);
  const Place<Phase, V, L> place(a);
  const bool pivot = place.tile.above && place.tile.left;
  L* above = pivot ? left : right;
  fetch<kBlock>(a.dist, a.n, place.tile.row, a.k, left);
  if (!pivot) fetch<kBlock>(a.dist, a.n, a.k, place.tile.column, right);
  if (kPaths) fetch<kBlock>(a.pred, a.n, a.k, place.tile.column, before);
  L best[kEntries];
  V pred[kEntries];
#pragma unroll
  for (int own = 0; own < kEntries; ++own) {
    const int e = threadIdx.x + own * kBlock;
    best[own] = place.has(a, e) ? a.dist[place.at(a, e)] : L{0};
    if (kPaths) pred[own] = place.has(a, e) ? a.pred[place.at(a, e)] : V{0};
  }
  Counts<kTraced> counts;
  __syncthreads();
  for (int k = 0; k < place.held; ++k) {
#pragma unroll
    for (int own = 0; own < kEntries; ++own) {
      const int e = threadIdx.x + own * kBlock;
      if (!place.has(a, e)) continue;
      counts.relaxed();
      const L sum = left[e / kTile * kTile + k] + above[k * kTile + e % kTile];
      if (!(sum < best[own])) continue;
      if (!no_path(sum)) counts.improved();
      best[own] = sum;
      if (kPaths) pred[own] = before[k * kTile + e % kTile];
      if (!pivot) continue;
      left[e] = sum;
      if (kPaths) before[e] = pred[own];
    }
    if (pivot) __syncthreads();
  }
#pragma unroll
  for (int own = 0; own < kEntries; ++own) {
    const int e = threadIdx.x + own * kBlock;
    if (!place.has(a, e)) continue;
    a.dist[place.at(a, e)] = best[own];
    if (kPaths) a.pred[place.at(a, e)] = pred[own];
  }
  counts.report(a.counters);
}

}  // namespace warpath
