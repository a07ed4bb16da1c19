// floyd.cuh - Floyd-Warshall with one thread per entry, or per row, of the matrix.
//
// Work     n^2 additions and minima for each intermediate vertex, n^3 in all.
// Traffic  per entry 2 labels in order and one shared by a block or a thread; one written if the
//          entry is lowered. Threads of neighbouring rows read entries that are n apart.
// Launch   entries: n ceil(n / kBlock) blocks; rows: blocks * kBlock >= n.
// Shared   none, or one label.
// Races    none: without a negative cycle the entry (k, k) is 0, so the row and the column of k do
//          not change while they are read, and no thread reads an entry that another one lowers.
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

/// Relaxes entry (i, j) through k, given the label of (i, k).
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

/// [one thread per edge] A block processes entries of one row.
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

/// [one thread per vertex] A thread processes a row.
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
