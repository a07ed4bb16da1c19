// expand.cuh - the edges of a list are relaxed, and the targets whose label fell are collected.
//
// By prefix sum each edge has a slot, which holds its target or -1; by an atomic queue a target is
// there once.
#pragma once

#include "lists.cuh"
#include "push.cuh"

namespace warpath {

/// What the loops over lists of vertices have in common.
template <class V, class W, class L>
struct ListArgs {
  i64 n;
  i64 source;
  const i64* indptr;
  const V* indices;
  const W* weights;
  const u8* classes;   // n, where edges are classified
  int* negative_loop;  // likewise
  L* dist;
  int* stamps;  // n, where targets are queued
  ListSpace space;
};

/// The policies of a recipe's expansion.
template <class Map_, class Write_, class Emit_, bool kQueued_, bool kNumbered_, bool kClassified_>
struct Expansion {
  using Map = Map_;
  using Write = Write_;
  using Emit = Emit_;
  static constexpr bool kQueued = kQueued_;      // an atomic queue, not slots
  static constexpr bool kNumbered = kNumbered_;  // the map or the slots need numbers of edges
  static constexpr bool kClassified = kClassified_;
};

/// The first labels, and stamps that no round has.
template <class How, class V, class W, class L, class Grid>
__device__ void first_labels(const Grid& grid, const ListArgs<V, W, L>& a) {
  grid.each(a.n, [&](i64 v) {
    a.dist[v] = v == a.source ? L{0} : never<L>();
    if (How::kQueued) a.stamps[v] = 0;
  });
  if (How::kClassified && grid.leader()) *a.negative_loop = 0;
}

/// A list of vertices, each there once, and how many edges they have: -1 where they are not
/// numbered.
struct Listing {
  i64 count;
  i64 edges;
};

/// Relaxes the edges of a list and returns how many items it gave.
template <class How, int kBlock, class V, class W, class L, class Grid>
__device__ i64 expand(Grid& grid, const ListArgs<V, W, L>& a, const V* list, Listing size, V* items,
                      i64* table) {
  i64 edges = size.edges;
  if (How::kNumbered) {
    if (edges < 0) edges = number_edges<kBlock>(grid, a.space, list, size.count, a.indptr);
    grid.step(0);
    if (edges == 0) {
      grid.wait();
      return 0;
    }
  }
  PushArgs<V, W, L> push{};
  push.work = {size.count, nullptr, list, How::kNumbered ? a.space.offsets : nullptr, edges};
  push.indptr = a.indptr;
  push.indices = a.indices;
  push.weights = a.weights;
  push.from = a.dist;
  push.dist = a.dist;
  push.classes = a.classes;
  push.source = static_cast<V>(a.source);
  push.negative_loop = a.negative_loop;
  push.next.slots = items;
  push.next.table = table;
  push.next.queue = items;
  push.next.size = grid.queued();
  push.next.stamps = a.stamps;
  push.next.round = static_cast<int>(grid.turn + 1);
  grid.template counted_phase<How::Map::kShared>(
      How::Map::tiles(size.count, edges), [&](i64 tile, typename Grid::Counting& counts) {
        warpath::push<typename How::Map, typename How::Write, typename How::Emit, false,
                      How::kClassified>(push, tile, counts);
      });
  grid.step(1);
  return How::kQueued ? load_relaxed(grid.queued()) : edges;
}

/// Splits items by label into the next list and the others; the edges of the list are numbered
/// where that is needed.
template <class How, int kBlock, class V, class W, class L, class Grid>
__device__ Split split(Grid& grid, const ListArgs<V, W, L>& a, const V* items, i64 count,
                       bool claimed, L low, L high, V* near, V* far) {
  const Splitter<How::kNumbered, kBlock, V, L> splitter{a.space, items,    a.dist, low,
                                                        high,    a.indptr, near,   far};
  Split found = warpath::split(grid, splitter, count, claimed);
  if (!How::kNumbered) found.edges = -1;
  return found;
}

/// Whether no negative cycle was seen at a classified edge: at a loop, or back at the source, whose
/// edges start from 0 whatever its label, so that the cycle was left once.
template <class How, class V, class W, class L>
__device__ bool no_negative_cycle(const ListArgs<V, W, L>& a) {
  return !How::kClassified ||
         (load_relaxed(a.negative_loop) == 0 && !(load_relaxed(a.dist + a.source) < L{0}));
}

}  // namespace warpath
