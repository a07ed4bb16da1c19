// compact.cuh - from slots with gaps and doubles to lists: near and far, or a queue.
//
// Work     a few looks per slot; the prefix sums between the steps are the array library's.
// Traffic  claim 4 B in order and 8 B at random; mark the same and a label at random, 16 B written;
//          scatter 20 B in order.
// Launch   blocks * kBlock >= the number of items.
// Shared   none.
// Races    claim: all copies of a vertex write its entry of the look-up table, any one may stay,
//          and mark keeps that one. Nothing else writes what another thread touches.
// Source   Davidson et al. 2014 section IV-C (look-up table, near set and far pile); the Johnson
//          paper, algorithm 10 (a queue by prefix sum).
#pragma once

#include "base.cuh"

namespace warpath {

/// How many edges each vertex of a list has.
template <int kBlock, class V>
__device__ __forceinline__ void degrees(i64 count, const V* list, const i64* indptr, i64* degree) {
  const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (i < count) degree[i] = indptr[list[i] + 1] - indptr[list[i]];
}

/// Each item writes its place into the table at its vertex.
template <int kBlock, class V>
__device__ __forceinline__ void claim(i64 count, const V* items, i64* table) {
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k < count && items[k] >= 0) store_relaxed(table + items[k], k);
}

/// marks[k] = 1: the item is kept and its label lies in [low, high); marks[count + k] = 1: it is
/// kept and its label is not below high. A label below low was relaxed already.
template <int kBlock, class V, class L>
__device__ __forceinline__ void mark(i64 count, const V* items, const i64* table, const L* dist,
                                     L low, L high, i64* marks) {
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const V v = items[k];
  const bool kept = v >= 0 && table[v] == k && !(dist[v] < low);
  const bool near = kept && dist[v] < high;
  marks[k] = near;
  marks[count + k] = kept && !near;
}

/// Puts marked items to their places: `sums` is the inclusive prefix sum of the marks.
template <int kBlock, class V>
__device__ __forceinline__ void scatter(i64 count, const V* items, const i64* sums, V* near,
                                        V* far) {
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const i64 nears = sums[count - 1];
  if (sums[k] != (k == 0 ? 0 : sums[k - 1])) near[sums[k] - 1] = items[k];
  if (sums[count + k] != sums[count + k - 1]) far[sums[count + k] - nears - 1] = items[k];
}

/// The flagged vertices in ascending order: `sums` is the inclusive prefix sum of the flags.
template <int kBlock, class V>
__device__ __forceinline__ void gather(i64 n, const u8* flags, const i64* sums, V* queue) {
  const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (i < n && flags[i]) queue[sums[i] - 1] = static_cast<V>(i);
}

}  // namespace warpath
