// split.cuh - which bucket an item belongs to, and a multisplit by it.
//
// Work     a search over the bounds and two passes per item.
// Traffic  keys: 12 B in order and a label at random; count 1 B; place 5 B read, 4 B written.
// Launch   blocks * kBlock >= the number of items; the same grid for count and place.
// Shared   8 B a key.
// Races    counters in shared memory, by atomicAdd: the order within a bucket means nothing.
// Source   Davidson et al. 2014 section IV-C (buckets and a far pile) and VII (the multisplit).
#pragma once

#include "base.cuh"

namespace warpath {

constexpr int kMostKeys = 66;  // 64 buckets, the far pile, and what is dropped

/// keys[k]: the bucket of an item, bounds[b] <= label < bounds[b + 1]; `buckets` for the far pile;
/// buckets + 1 for doubles and for labels below low, which were relaxed already.
template <int kBlock, class V, class L>
__device__ __forceinline__ void keys(i64 count, const V* items, const i64* table, const L* dist,
                                     L low, const L* bounds, int buckets, u8* keys) {
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const V v = items[k];
  int key = buckets + 1;
  if (v >= 0 && table[v] == k && !(dist[v] < low)) {
    const L label = dist[v];
    key = 0;
    while (key < buckets && !(label < bounds[key + 1])) ++key;
  }
  keys[k] = static_cast<u8>(key);
}

/// counts[key * blocks + block]: how many items of a key a block has.
template <int kBlock>
__device__ __forceinline__ void count(i64 items, const u8* keys, int kinds, i64* counts) {
  WARPATH_SHARED(int, held, kMostKeys);
  for (int key = threadIdx.x; key < kinds; key += kBlock) held[key] = 0;
  __syncthreads();
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k < items) atomicAdd(held + keys[k], 1);
  __syncthreads();
  for (int key = threadIdx.x; key < kinds; key += kBlock)
    counts[static_cast<i64>(key) * gridDim.x + blockIdx.x] = held[key];
}

/// Puts the items in the order of their keys: `sums` is the inclusive prefix sum of the counts.
template <int kBlock, class V>
__device__ __forceinline__ void place(i64 items, const V* list, const u8* keys, const i64* sums,
                                      V* ordered) {
  WARPATH_SHARED(int, taken, kMostKeys);
  for (int key = threadIdx.x; key < kMostKeys; key += kBlock) taken[key] = 0;
  __syncthreads();
  const i64 k = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= items) return;
  const i64 cell = static_cast<i64>(keys[k]) * gridDim.x + blockIdx.x;
  const i64 before = cell == 0 ? 0 : sums[cell - 1];
  ordered[before + atomicAdd(taken + keys[k], 1)] = list[k];
}

}  // namespace warpath
