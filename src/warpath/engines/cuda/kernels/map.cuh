// map.cuh - which thread relaxes which edge of a work set.
//
// Each map calls visit(u, e, slot) once for each edge e of each vertex u of the set; `slot` numbers
// the edges of a list with offsets from 0 on.
#pragma once

#include "set.cuh"

namespace warpath {

template <class V>
struct Rows {
  const i64* indptr;
  __device__ i64 first(V u) const { return indptr[u]; }
  __device__ i64 last(V u) const { return indptr[u + 1]; }
};

/// [one thread per vertex] A thread walks the edges of its vertex.
template <class Set, int kBlock>
struct ThreadMap {
  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
    if (i >= work.size) return;
    const V u = Set::vertex(work, i);
    if (u < 0) return;
    i64 slot = Set::first_slot(work, i);
    for (i64 e = rows.first(u); e < rows.last(u); ++e) visit(u, e, slot++);
  }
};

/// [strided] The same with a grid of any size: thread t takes the vertices t, t + threads, ...
template <class Set, int kBlock>
struct GridStrideMap {
  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
    for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < work.size; i += stride) {
      const V u = Set::vertex(work, i);
      if (u < 0) continue;
      i64 slot = Set::first_slot(work, i);
      for (i64 e = rows.first(u); e < rows.last(u); ++e) visit(u, e, slot++);
    }
  }
};

/// [dynamic parallelism: a child grid per vertex] A block for each vertex of the list.
template <class Set, int kBlock>
struct ChildGridMap {
  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const V u = Set::vertex(work, blockIdx.x);
    const i64 first = rows.first(u);
    const i64 degree = rows.last(u) - first;
    const i64 slot = Set::first_slot(work, blockIdx.x);
    for (i64 k = threadIdx.x; k < degree; k += kBlock) visit(u, first + k, slot + k);
  }
};

/// [cooperative blocks] A block takes kBlock vertices; its threads strip their edges together and
/// find an edge's vertex by a binary search over the block's offsets in shared memory.
template <class Set, int kBlock>
struct BlockSearchMap {
  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    WARPATH_SHARED(i64, offsets, kBlock + 1);
    WARPATH_SHARED(i64, firsts, kBlock);
    WARPATH_SHARED(V, vertices, kBlock);
    const i64 begin = static_cast<i64>(blockIdx.x) * kBlock;
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
  static constexpr int kItems = 4;  // edges a thread

  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    WARPATH_SHARED(i64, range, 2);
    const i64 total = work.offsets[work.size];
    const i64 begin = static_cast<i64>(blockIdx.x) * kBlock * kItems;
    const i64 end = min(begin + kBlock * kItems, total);

    // 1. The first and the last vertex with edges in the block's share.
    if (threadIdx.x < 2)
      range[threadIdx.x] =
          last_at_most(work.offsets, 0, work.size + 1, threadIdx.x == 0 ? begin : end - 1);
    __syncthreads();

    // 2. One edge a thread; the search starts from the thread's last vertex.
    i64 at = range[0];
    for (i64 slot = begin + threadIdx.x; slot < end; slot += kBlock) {
      if (slot >= work.offsets[at + 1]) at = last_at_most(work.offsets, at, range[1] + 1, slot);
      const V u = Set::vertex(work, at);
      visit(u, rows.first(u) + slot - work.offsets[at], slot);
    }
  }
};

/// [CTA + warp + scan] A block takes kBlock vertices and treats them by degree: from kBlock edges
/// on the block strips them, from 32 on a warp, and the rest goes through a pool in shared memory.
template <class Set, int kBlock>
struct CtaWarpScanMap {
  static constexpr int kWarp = 32;

  template <class V, class Visit>
  static __device__ void for_each_edge(const Work<V>& work, Rows<V> rows, Visit&& visit) {
    WARPATH_SHARED(i64, rest, kBlock);
    WARPATH_SHARED(i64, firsts, kBlock);
    WARPATH_SHARED(i64, slots, kBlock);
    WARPATH_SHARED(V, vertices, kBlock);
    WARPATH_SHARED(int, owners, kBlock);
    WARPATH_SHARED(int, nth, kBlock);
    WARPATH_SHARED(int, winner, 1);
    const int t = threadIdx.x;
    const i64 i = static_cast<i64>(blockIdx.x) * kBlock + t;

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
