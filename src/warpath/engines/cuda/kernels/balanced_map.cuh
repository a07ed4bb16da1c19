// balanced_map.cuh - maps that share the edges of a list among the threads of a block: see map.cuh.
#pragma once

#include "map.cuh"

namespace warpath {

/// [cooperative blocks] A block takes kBlock vertices; its threads strip their edges together and
/// find an edge's vertex by a binary search over the block's offsets in shared memory.
template <class Set, int kBlock>
struct BlockSearchMap {
  static constexpr bool kNumbered = true, kShared = true;
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    return (size + kBlock - 1) / kBlock;
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    WARPATH_SHARED(i64, offsets, kBlock + 1);
    WARPATH_SHARED(i64, firsts, kBlock);
    WARPATH_SHARED(V, vertices, kBlock);
    const i64 begin = tile * kBlock;
    const i64 held = min(static_cast<i64>(kBlock), work.size - begin);
    const i64 t = threadIdx.x;

    // 1. The block's vertices, and where their edges start.
    if (t < held) {
      vertices[t] = Set::vertex(work, begin + t);
      firsts[t] = rows.first(vertices[t]);
      offsets[t] = work.offsets[begin + t];
    }
    if (t == 0) offsets[held] = work.offsets[begin + held];
    __syncthreads();

    // 2. One edge a thread; the search starts from the thread's last vertex.
    i64 at = 0;
    for (i64 slot = offsets[0] + t; slot < offsets[held]; slot += kBlock) {
      if (slot >= offsets[at + 1]) at = last_at_most(offsets, at, held, slot);
      visit(vertices[at], firsts[at] + slot - offsets[at], slot);
    }
  }
};

/// [load-balanced partitioning] All blocks take equally many edges; a block finds its vertices by a
/// search over the offsets of the whole list.
template <class Set, int kBlock>
struct MergePathMap {
  static constexpr bool kNumbered = true, kShared = true;
  static constexpr int kItems = 4;  // edges a thread, where there are more edges than threads

  static __device__ i64 width(i64 edges) {
    return edges > static_cast<i64>(gridDim.x) * kBlock ? kBlock * kItems : kBlock;
  }
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(size);
    return (edges + width(edges) - 1) / width(edges);
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    constexpr int kHeld = kBlock * kItems;
    WARPATH_SHARED(i64, held, kHeld + 1);
    const i64 begin = tile * width(work.edges);
    const i64 end = min(begin + width(work.edges), work.edges);

    // 1. The first and the last vertex with edges in the block's share.
    const Pair found = block_last_at_most<kBlock>(work.offsets, work.size, {begin, end - 1});
    const i64 first = found.a, last = found.b;

    // 2. Their offsets, unless vertices without edges among them are too many.
    const i64* offsets = work.offsets + first;
    if (last - first < kHeld) {
      for (i64 k = threadIdx.x; k <= last - first + 1; k += kBlock) held[k] = offsets[k];
      offsets = held;
    }
    __syncthreads();

    // 3. One edge a thread; the search starts from the thread's last vertex.
    i64 at = 0;
    for (i64 slot = begin + threadIdx.x; slot < end; slot += kBlock) {
      if (slot >= offsets[at + 1]) at = last_at_most(offsets, at, last - first + 1, slot);
      const V u = Set::vertex(work, first + at);
      visit(u, rows.first(u) + slot - offsets[at], slot);
    }
  }
};

/// [CTA + warp + scan] A block takes kBlock vertices and treats them by degree: from kBlock edges
/// on the block strips them, from 32 on a warp, and the rest goes through a pool in shared memory.
template <class Set, int kBlock>
struct CtaWarpScanMap {
  static constexpr bool kNumbered = true, kShared = true;
  static constexpr int kWarp = 32;

  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    return (size + kBlock - 1) / kBlock;
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    WARPATH_SHARED(i64, rest, kBlock);
    WARPATH_SHARED(i64, firsts, kBlock);
    WARPATH_SHARED(i64, slots, kBlock);
    WARPATH_SHARED(V, vertices, kBlock);
    WARPATH_SHARED(int, owners, kBlock);
    WARPATH_SHARED(int, nth, kBlock);
    WARPATH_SHARED(int, winner, 1);
    const int t = threadIdx.x;
    const i64 i = tile * kBlock + t;

    // 1. A vertex a thread.
    i64 degree = 0;
    if (i < work.size) {
      vertices[t] = Set::vertex(work, i);
      firsts[t] = rows.first(vertices[t]);
      slots[t] = work.offsets[i];
      degree = rows.last(vertices[t]) - firsts[t];
    }

    // 2. Lists of kBlock edges and more: their threads compete for the block, the last writer wins.
    while (__syncthreads_or(degree >= kBlock)) {
      if (degree >= kBlock) {
        store_relaxed(winner, t);
        rest[t] = degree;
      }
      __syncthreads();
      const int owner = winner[0];
      for (i64 k = t; k < rest[owner]; k += kBlock)
        visit(vertices[owner], firsts[owner] + k, slots[owner] + k);
      if (t == owner) degree = 0;
    }

    // 3. Lists of 32 edges and more: likewise within a warp.
    const int lane = t % kWarp;
    for (unsigned wanting; (wanting = __ballot_sync(~0u, degree >= kWarp)) != 0;) {
      const int leader = __ffs(wanting) - 1;
      const i64 edges = __shfl_sync(~0u, degree, leader);
      const int owner = t - lane + leader;
      for (i64 k = lane; k < edges; k += kWarp)
        visit(vertices[owner], firsts[owner] + k, slots[owner] + k);
      if (lane == leader) degree = 0;
    }

    // 4. The rest: an exclusive scan of the degrees gives each edge its place in a stream, which
    // passes through the pool kBlock edges at a time.
    rest[t] = degree;
    __syncthreads();
    for (int step = 1; step < kBlock; step *= 2) {
      const i64 before = t >= step ? rest[t - step] : 0;
      __syncthreads();
      rest[t] += before;
      __syncthreads();
    }
    const i64 start = rest[t] - degree;
    const i64 total = rest[kBlock - 1];
    i64 done = 0;
    for (i64 passed = 0; passed < total; passed += kBlock) {
      for (; done < degree && start + done < passed + kBlock; ++done) {
        owners[start + done - passed] = t;
        nth[start + done - passed] = static_cast<int>(done);
      }
      __syncthreads();
      if (passed + t < total) {
        const int owner = owners[t];
        visit(vertices[owner], firsts[owner] + nth[t], slots[owner] + nth[t]);
      }
      __syncthreads();
    }
  }
};

}  // namespace warpath
