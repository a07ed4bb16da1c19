// map.cuh - which thread relaxes which edge of a work set.
//
// Each map calls visit(u, e, slot) for each edge e of each vertex u in one tile of the set, or,
// where a thread has all edges of a vertex, visit.row(u, first, last, slot) for each vertex; the
// tiles together are the whole set, and one block takes a tile at a time. `slot` numbers the edges
// of a list with offsets from 0 on. All threads of the block call `for_each_edge`, and a barrier of
// the block separates two tiles, because maps keep what they know of a tile in shared memory.
// tiles(size, edges) is the number of tiles of a set of so many vertices and edges; kNumbered says
// whether the map finds an edge's vertex by the offsets of the list, kShared whether the threads of
// a block work on a tile together.
#pragma once

#include "set.cuh"

namespace warpath {

template <class V>
struct Rows {
  const i64* indptr;
  __device__ i64 first(V u) const { return indptr[u]; }
  __device__ i64 last(V u) const { return indptr[u + 1]; }
};

/// [one thread per vertex] A thread walks the edges of its vertex. A grid of fewer threads than
/// vertices has the threads of several in each: it reads what begins their rows together.
template <class Set, int kBlock>
struct ThreadMap {
  static constexpr bool kNumbered = false, kShared = false;
  static constexpr int kMost = 4;  // vertices a thread

  static __device__ i64 each(i64 size) {
    const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
    return min((size + threads - 1) / threads, static_cast<i64>(kMost));
  }
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    return (size + each(size) * kBlock - 1) / (each(size) * kBlock);
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const i64 each_thread = each(work.size);
    const i64 begin = tile * kBlock * each_thread + threadIdx.x;
    V u[kMost];
    i64 first[kMost], last[kMost];
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      const i64 i = begin + k * kBlock;
      u[k] = k < each_thread && i < work.size ? Set::vertex(work, i) : static_cast<V>(-1);
    }
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      first[k] = u[k] < 0 ? 0 : rows.first(u[k]);
      last[k] = u[k] < 0 ? 0 : rows.last(u[k]);
    }
#pragma unroll
    for (int k = 0; k < kMost; ++k)
      if (first[k] < last[k])
        visit.row(u[k], first[k], last[k], Set::first_slot(work, begin + k * kBlock));
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

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
    for (i64 i = tile * kBlock + threadIdx.x; i < work.size; i += stride) {
      const V u = Set::vertex(work, i);
      if (u < 0) continue;
      visit.row(u, rows.first(u), rows.last(u), Set::first_slot(work, i));
    }
  }
};

/// [dynamic parallelism: a child grid per vertex] A block for each vertex of the list.
template <class Set, int kBlock>
struct ChildGridMap {
  static constexpr bool kNumbered = false, kShared = false;
  static __device__ i64 tiles(i64 size, i64 edges) {
    static_cast<void>(edges);
    return size;
  }

  template <class V, class Visit>
  static __device__ void for_each_edge(i64 tile, const Work<V>& work, Rows<V> rows, Visit&& visit) {
    const V u = Set::vertex(work, tile);
    const i64 first = rows.first(u);
    const i64 degree = rows.last(u) - first;
    const i64 slot = Set::first_slot(work, tile);
    for (i64 k = threadIdx.x; k < degree; k += kBlock) visit(u, first + k, slot + k);
  }
};

}  // namespace warpath
