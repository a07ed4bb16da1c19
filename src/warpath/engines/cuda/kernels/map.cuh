// map.cuh - which thread relaxes which edge of a work set.
//
// Each map calls visit(u, e, slot) for each edge e of each vertex u in one tile of the set, or,
// where a thread has all edges of a vertex, visit.row(u, label, first, last, slot) for each vertex
// with the label that visit.label(u) returned; the tiles together are the whole set, and one block
// takes a tile at a time. `slot` numbers the edges of a list with offsets from 0 on. All threads of
// the block call `for_each_edge`, and a barrier of the block separates two tiles, because maps keep
// what they know of a tile in shared memory. tiles(size, edges) is the number of tiles of a set of
// so many vertices and edges; kNumbered says whether the map finds an edge's vertex by the offsets
// of the list, kShared whether the threads of a block work on a tile together.
#pragma once

#include "set.cuh"

namespace warpath {

template <class V>
struct Rows {
  const i64* indptr;
  __device__ i64 first(V u) const { return indptr[u]; }
  __device__ i64 last(V u) const { return indptr[u + 1]; }
};

/// [ELLPACK] The k-th edges of all n vertices lie next to each other: that of u at k n + u. A row's
/// edges are numbered from 0.
template <class V>
struct EllRows {
  const i64* indptr;
  __device__ i64 first(V) const { return 0; }
  __device__ i64 last(V u) const { return indptr[u + 1] - indptr[u]; }
};

/// Visits the rows of the vertices begin, begin + stride, ... of a set, `count` at most. What
/// begins the rows of four is requested together: each read takes as long as all.
template <class Set, class V, class AllRows, class Visit>
__device__ __forceinline__ void visit_rows(const Work<V>& work, AllRows rows, i64 begin, i64 stride,
                                           i64 count, Visit& visit) {
  using Label = decltype(visit.label(V{}));
  constexpr int kTogether = 4;
  for (i64 done = 0; done < count; done += kTogether, begin += kTogether * stride) {
    V u[kTogether];
    i64 first[kTogether], last[kTogether];
    Label label[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const i64 i = begin + k * stride;
      u[k] = done + k < count && i < work.size ? Set::vertex(work, i) : static_cast<V>(-1);
    }
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      first[k] = u[k] < 0 ? 0 : rows.first(u[k]);
      last[k] = u[k] < 0 ? 0 : rows.last(u[k]);
      label[k] = u[k] < 0 ? Label{0} : visit.label(u[k]);
    }
#pragma unroll
    for (int k = 0; k < kTogether; ++k)
      if (first[k] < last[k])
        visit.row(u[k], label[k], first[k], last[k], Set::first_slot(work, begin + k * stride));
  }
}

/// [one thread per vertex] A thread walks the edges of its vertex. A grid of fewer threads than
/// vertices has the threads of several in each.
template <class Set, int kBlock>
struct ThreadMap {
  static constexpr bool kNumbered = false, kShared = false;
  static constexpr i64 kMost = 4;  // vertices a thread

  static __device__ i64 each(i64 size) {
    const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
    return min((size + threads - 1) / threads, kMost);
  }
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    const i64 blocks = min((size + kBlock - 1) / kBlock, static_cast<i64>(gridDim.x));
    return max((size + each(size) * kBlock - 1) / (each(size) * kBlock), blocks);
  }

  template <class V, class AllRows, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, AllRows rows, Visit&& visit) {
    // Neighbours in number go to different blocks, since graphs have their hubs close together.
    const i64 stride = tiles(work.size, 0) * kBlock;
    visit_rows<Set>(work, rows, tile * kBlock + threadIdx.x, stride, each(work.size), visit);
  }
};

/// [strided] The same with a grid of any size: thread t takes the vertices t, t + threads, ...
/// Each block has one tile.
template <class Set, int kBlock>
struct GridStrideMap {
  static constexpr bool kNumbered = false, kShared = false;
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(size + edges);
    return gridDim.x;
  }

  template <class V, class AllRows, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, AllRows rows, Visit&& visit) {
    const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
    const i64 begin = tile * kBlock + threadIdx.x;
    visit_rows<Set>(work, rows, begin, threads, (work.size - begin + threads - 1) / threads, visit);
  }
};

/// [dynamic parallelism: a child grid per vertex] A block for each vertex of the list. A grid of
/// fewer blocks than vertices has several in each, whose rows begin at different warps.
template <class Set, int kBlock>
struct ChildGridMap {
  static constexpr bool kNumbered = false, kShared = false;
  static constexpr int kMost = kBlock / 32;  // vertices a block

  static __device__ i64 each(i64 size) {
    return min((size + gridDim.x - 1) / gridDim.x, static_cast<i64>(kMost));
  }
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    return (size + each(size) - 1) / each(size);
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const i64 count = each(work.size);
    V u[kMost];
    i64 first[kMost], last[kMost];
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      const i64 i = tile * count + k;
      u[k] = k < count && i < work.size ? Set::vertex(work, i) : static_cast<V>(-1);
    }
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      first[k] = u[k] < 0 ? 0 : rows.first(u[k]);
      last[k] = u[k] < 0 ? 0 : rows.last(u[k]);
    }
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      const i64 begin = first[k] + (threadIdx.x + kBlock - 32 * k) % kBlock;
      if (begin >= last[k]) continue;
      const i64 slot = Set::first_slot(work, tile * count + k) - first[k];
      for (i64 e = begin; e < last[k]; e += kBlock) visit(u[k], e, slot + e);
    }
  }
};

}  // namespace warpath
