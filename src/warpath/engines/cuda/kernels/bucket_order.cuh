// bucket_order.cuh - items in the order of their buckets: radix sort, multisplit and merge.
//
// Work     a search over the bounds per item; then, per pass, a count and a move. The multisplit
//          takes one pass; the sort, on digits of 4 bits, two. A merge moves each item once.
// Traffic  keys: 12 B in order and a label at random; a pass: 1 B read, then 5 B read and written;
//          a merge: 4 B read and written.
// Tiles    of kBlock items.
// Shared   8 B a key, or 2 B a digit and warp.
// Races    counters in shared memory, by atomicAdd: the order within a bucket of the multisplit
//          means nothing. The sort is stable, as its second pass needs.
// Source   Davidson et al. 2014 section IV-C (buckets and a far pile, Thrust's radix sort, the
//          merge) and VII (the multisplit); Merrill and Grimshaw 2011 (radix sort by digits of 4
//          bits).
#pragma once

#include "lists.cuh"

namespace warpath {

constexpr int kMostKeys = 66;  // 64 buckets, the far pile, and what is dropped
constexpr int kDigits = 16;

template <class V>
struct OrderSpace {
  u8* keys;    // of each item
  u8* others;  // keys and items between the two passes of a sort
  V* between;
  i64* counts;  // of each key and tile
  i64* sizes;   // 3 kMostKeys: of each key, for three sorts in turn; and kMostKeys + 1: `starts`
                // for the next launch
};

/// The bucket of a label: bounds[b] <= label < bounds[b + 1]; `buckets` for the far pile.
template <class L>
__device__ __forceinline__ int bucket_of(L label, const L* bounds, int buckets) {
  int key = 0;
  while (key < buckets && !(label < bounds[key + 1])) ++key;
  return key;
}

/// The bucket of an item; buckets + 1 for doubles, empty slots and labels below low, which were
/// relaxed already.
template <class V, class L>
__device__ __forceinline__ int bucket_of(V v, i64 k, const i64* table, const L* dist, L low,
                                         const L* bounds, int buckets) {
  if (v < 0 || table[v] != k || dist[v] < low) return buckets + 1;
  return bucket_of(dist[v], bounds, buckets);
}

/// Counts the items of each tile by key: counts[key * tiles + tile]; then makes each count the
/// number of items before, in the order of keys.
template <int kBlock, class Grid, class Key>
__device__ void count_keys(Grid& grid, const ListSpace& space, i64* counts, i64 items, int kinds,
                           Key&& key_of) {
  const i64 tiles = (items + kBlock - 1) / kBlock;
  grid.phase(tiles, [&](i64 tile) {
    WARPATH_SHARED(int, held, kMostKeys);
    for (int key = threadIdx.x; key < kinds; key += kBlock) held[key] = 0;
    __syncthreads();
    const i64 k = tile * kBlock + threadIdx.x;
    if (k < items) atomicAdd(held + key_of(k), 1);
    __syncthreads();
    for (int key = threadIdx.x; key < kinds; key += kBlock) counts[key * tiles + tile] = held[key];
  });
  const i64 cells = kinds * tiles;
  const Share<kBlock> mine(cells);
  i64 own[1] = {0};
  for (i64 i = mine.begin + threadIdx.x; i < mine.end; i += kBlock) own[0] += counts[i];
  i64 done = sum_shares<kBlock>(grid, space.sums, own).before[0];
  for (i64 part = mine.begin; part < mine.end; part += kBlock) {
    const i64 i = part + threadIdx.x;
    const i64 count = i < mine.end ? counts[i] : 0;
    i64 total;
    const i64 upto = block_scan<kBlock>(count, total);
    if (i < mine.end) counts[i] = done + upto - count;
    done += total;
  }
  grid.wait();
}

/// One pass of the sort: moves items and keys in the order of a digit, otherwise as they are.
template <int kBlock, class V, class Grid>
__device__ void sort_pass(Grid& grid, const ListSpace& space, i64* counts, i64 items, int shift,
                          const V* from, const u8* keys, V* to, u8* to_keys) {
  const auto digit_of = [&](i64 k) { return keys[k] >> shift & (kDigits - 1); };
  count_keys<kBlock>(grid, space, counts, items, kDigits, digit_of);
  const i64 tiles = (items + kBlock - 1) / kBlock;
  grid.phase(tiles, [&](i64 tile) {
    constexpr int kWarps = kBlock / 32;
    WARPATH_SHARED(int, of_warps, kWarps* kDigits);
    for (int i = threadIdx.x; i < kWarps * kDigits; i += kBlock) of_warps[i] = 0;
    __syncthreads();
    const i64 k = tile * kBlock + threadIdx.x;
    const int warp = threadIdx.x / 32;
    const int digit = k < items ? digit_of(k) : kDigits;  // a digit that no item has
    u32 same = ~0u;
    for (int bit = 1; bit <= kDigits; bit *= 2) {
      const u32 set = __ballot_sync(~0u, digit & bit);
      same &= digit & bit ? set : ~set;
    }
    const u32 before = same & ((1u << threadIdx.x % 32) - 1);
    if (k < items && before == 0) of_warps[warp * kDigits + digit] = __popc(same);
    __syncthreads();
    if (k < items) {
      i64 place = counts[digit * tiles + tile] + __popc(before);
      for (int w = 0; w < warp; ++w) place += of_warps[w * kDigits + digit];
      to[place] = from[k];
      to_keys[place] = keys[k];
    }
  });
}

/// Puts items in the order of their keys; the numbers of items before each key, and of all, come to
/// `starts`, shared memory of kMostKeys + 1 numbers. `key_of` is called once for an item. `sorts`
/// counts the sorts of a solve.
template <bool kSort, int kBlock, class V, class Grid, class Key>
__device__ void order_by_key(Grid& grid, const ListSpace& space, const OrderSpace<V>& mine,
                             const V* items, i64 count, int kinds, Key&& key_of, V* ordered,
                             i64* starts, i64& sorts) {
  const i64 tiles = (count + kBlock - 1) / kBlock;
  if constexpr (kSort) {
    i64* const sizes = mine.sizes + sorts % 3 * kMostKeys;
    i64* const next = mine.sizes + (sorts + 1) % 3 * kMostKeys;
    ++sorts;
    if (blockIdx.x == 0)
      for (int key = threadIdx.x; key < kMostKeys; key += kBlock) next[key] = 0;
    grid.phase(tiles, [&](i64 tile) {
      WARPATH_SHARED(int, held, kMostKeys);
      for (int key = threadIdx.x; key < kinds; key += kBlock) held[key] = 0;
      __syncthreads();
      const i64 k = tile * kBlock + threadIdx.x;
      if (k < count) {
        const int key = key_of(k);
        mine.keys[k] = static_cast<u8>(key);
        atomicAdd(held + key, 1);
      }
      __syncthreads();
      for (int key = threadIdx.x; key < kinds; key += kBlock)
        if (held[key] != 0)
          atomicAdd(reinterpret_cast<u64*>(sizes + key), static_cast<u64>(held[key]));
    });
    if (threadIdx.x == 0) {
      starts[0] = 0;
      for (int key = 0; key < kinds; ++key) starts[key + 1] = starts[key] + sizes[key];
    }
    sort_pass<kBlock>(grid, space, mine.counts, count, 0, items, mine.keys, mine.between,
                      mine.others);
    sort_pass<kBlock>(grid, space, mine.counts, count, 4, mine.between, mine.others, ordered,
                      mine.keys);
  } else {
    count_keys<kBlock>(grid, space, mine.counts, count, kinds, [&](i64 k) {
      const int key = key_of(k);
      mine.keys[k] = static_cast<u8>(key);
      return key;
    });
    for (int key = threadIdx.x; key < kinds; key += kBlock) starts[key] = mine.counts[key * tiles];
    if (threadIdx.x == 0) starts[kinds] = count;
    grid.phase(tiles, [&](i64 tile) {
      WARPATH_SHARED(int, taken, kMostKeys);
      for (int key = threadIdx.x; key < kinds; key += kBlock) taken[key] = 0;
      __syncthreads();
      const i64 k = tile * kBlock + threadIdx.x;
      if (k < count) {
        const int key = mine.keys[k];
        ordered[mine.counts[key * tiles + tile] + atomicAdd(taken + key, 1)] = items[k];
      }
    });
  }
}

/// Merges two lists in the order of their keys, below `kinds`, whose items of each key begin at
/// `starts` and `new_starts`; items of the first come first. As keys are few, an item's place among
/// the items of the other list follows from those numbers.
template <class V, class Grid>
__device__ void merge_by_key(Grid& grid, const V* items, const i64* starts, const V* new_items,
                             const i64* new_starts, int kinds, V* merged) {
  const auto key_at = [&](const i64* of, i64 k) {
    int key = 0;
    while (key + 1 < kinds && of[key + 1] <= k) ++key;
    return key;
  };
  grid.each(starts[kinds] - starts[0], [&](i64 k) {
    const i64 at = starts[0] + k;
    merged[k + new_starts[key_at(starts, at)]] = items[k];
  });
  grid.for_each(new_starts[kinds], [&](i64 k) {
    merged[k + starts[key_at(new_starts, k) + 1] - starts[0]] = new_items[k];
  });
}

}  // namespace warpath
