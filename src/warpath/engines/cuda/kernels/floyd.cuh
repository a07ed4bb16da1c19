// floyd.cuh - Floyd-Warshall with a thread for each entry, or for each row, of the matrix.
//
// Work     n^2 additions and minima for each intermediate vertex, n^3 in all.
// Traffic  an entry 2 labels in order, one more for all of a block or a thread; what falls a third.
//          A row's thread and its neighbour read entries that are n apart.
// Launch   entries: n ceil(n / kBlock) blocks; rows: blocks * kBlock >= n.
// Shared   none, or one label.
// Races    none: without a negative cycle the row and the column of k do not fall while all others
//          read them, for the entry (k, k) is 0, and nobody else reads an entry that falls.
// Source   Bodra & Khairnar 2025, Floyd-Warshall: one thread per edge, with shared memory, one
//          thread per vertex.
#pragma once

#include "adjacency.cuh"

namespace warpath {

template <class V, class L>
struct FloydArgs {
  i64 n;
  i64 k;    // the intermediate vertex, or the first one of the pivot tile
  L* dist;  // n x n
  V* pred;  // n x n, for kPaths
  u64* counters;
};

/// Relaxes the entry (i, j) through k, given the label of (i, k).
template <bool kPaths, class V, class L, class Count>
__device__ __forceinline__ void through(const FloydArgs<V, L>& a, L first, i64 i, i64 j, i64 k,
                                        Count& counts) {
  counts.relaxed();
  const L sum = first + a.dist[k * a.n + j];
  if (!(sum < a.dist[i * a.n + j])) return;
  a.dist[i * a.n + j] = sum;
  if (kPaths) a.pred[i * a.n + j] = a.pred[k * a.n + j];
  if (!no_path(sum)) counts.improved();
}

/// [one thread per edge] A block has entries of one row.
template <bool kShared, bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void floyd_entry(const FloydArgs<V, L>& a) {
  WARPATH_SHARED(L, kept, 1);
  const unsigned chunks = static_cast<unsigned>((a.n + kBlock - 1) / kBlock);
  const i64 i = blockIdx.x / chunks;
  const i64 j = static_cast<i64>(blockIdx.x % chunks) * kBlock + threadIdx.x;
  if (kShared) {
    if (threadIdx.x == 0) kept[0] = a.dist[i * a.n + a.k];
    __syncthreads();
  }
  if (j >= a.n) return;
  Counts<kTraced> counts;
  through<kPaths>(a, kShared ? kept[0] : a.dist[i * a.n + a.k], i, j, a.k, counts);
  counts.report(a.counters);
}

/// [one thread per vertex] A thread walks over a row.
template <bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void floyd_row(const FloydArgs<V, L>& a) {
  const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= a.n) return;
  Counts<kTraced> counts;
  const L first = a.dist[i * a.n + a.k];
  for (i64 j = 0; j < a.n; ++j) through<kPaths>(a, first, i, j, a.k, counts);
  counts.report(a.counters);
}

}  // namespace warpath
