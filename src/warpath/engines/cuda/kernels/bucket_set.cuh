// bucket_set.cuh - buckets of equal width, and a pile of what lies beyond the last one.
//
// Source   Davidson et al. 2014 section IV-C.
#pragma once

#include "bounds.cuh"
#include "bucket_order.cuh"
#include "expand.cuh"

namespace warpath {

template <class V, class W, class L>
struct BucketArgs {
  ListArgs<V, W, L> lists;
  OrderSpace<V> order;
  double bucket_width;
  int buckets;
  InTurn<V> active;  // n + m: the vertices of the buckets, n at most, and the items of a round
  InTurn<V> piles;   // 2 n
  L* minima;         // one for each block
  RoundArgs rounds;
};

enum BucketPhase { kBucketPhase = 0, kRefillPhase = 1 };

template <class L>
struct BucketState {
  i64 begin, actives;  // what waits, in active[side]
  i64 fars;
  L low;   // what labels below were relaxed already
  L base;  // the bound of the first bucket
  i64 side, pile;
  i64 sorts;  // in all turns
};

template <class How, bool kSort, bool kTraced, int kBlock, class V, class W, class L>
struct BucketSet {
  const BucketArgs<V, W, L>& a;
  Rounds<kTraced, kBlock> grid;
  BucketState<L> s;
  L* bounds;    // buckets + 1, shared
  i64* starts;  // shared: of each bucket among the vertices in order, active[side]

  __device__ BucketSet(const BucketArgs<V, W, L>& args, L* shared_bounds, i64* shared_starts)
      : a(args), grid(args.rounds), bounds(shared_bounds), starts(shared_starts) {}

  /// Calls `turn`, which relaxes a bucket or moves the buckets, until no vertex waits.
  template <class Turn>
  __device__ void solve(Turn&& turn) {
    if (!a.rounds.goes_on) {
      first_labels<How>(grid, a.lists);
      if (grid.leader()) a.active[0][0] = static_cast<V>(a.lists.source);
      grid.each(3 * kMostKeys, [&](i64 i) { a.order.sizes[i] = 0; });
    }
    s = grid.begin(BucketState<L>{0, 1, 0, L{0}, L{0}, 0, 0, 0});
    place_buckets(s.base);
    i64* const kept = a.order.sizes + 3 * kMostKeys;
    if (threadIdx.x == 0)
      for (int b = 0; b <= a.buckets; ++b) starts[b] = a.rounds.goes_on ? kept[b] : b > 0;
    __syncthreads();
    while (s.actives + s.fars > 0 && grid.begin_turn()) {
      turn();
      grid.end_turn();
    }
    if (grid.leader())
      for (int b = 0; b <= a.buckets; ++b) kept[b] = starts[b];
    const bool done = s.actives + s.fars == 0;
    grid.end(done && no_negative_cycle<How>(a.lists), done, s);
  }

  /// Sets the bounds of the buckets, the first at or below a label.
  __device__ void place_buckets(L label) {
    s.base = bound_below(label, a.bucket_width);
    __syncthreads();  // the bounds before have been read
    if (threadIdx.x == 0) {
      bounds[0] = s.base;
      for (int b = 0; b < a.buckets; ++b) bounds[b + 1] = next_bound(bounds[b], a.bucket_width);
    }
    __syncthreads();
  }

  /// Moves the buckets to the least label of the pile; false where nothing waits there.
  __device__ bool move_buckets() {
    s.low = bounds[a.buckets];
    const L least =
        lowest_label<kBlock>(grid, a.minima, a.piles[s.pile], s.fars, a.lists.dist, s.low);
    if (least == never<L>())
      s.fars = 0;
    else
      place_buckets(least);
    return s.fars > 0;
  }

  /// Puts items in the order of their buckets into the other array.
  __device__ void order(const V* items, i64 count) {
    s.side = 1 - s.side;
    claim(grid, items, count, a.lists.space.table);
    order_by_key<kSort, kBlock>(
        grid, a.lists.space, a.order, items, count, a.buckets + 2,
        [&](i64 k) {
          return bucket_of(items[k], k, a.lists.space.table, a.lists.dist, s.low, bounds,
                           a.buckets);
        },
        a.active[s.side], starts, s.sorts);
    s.begin = 0;
    s.actives = starts[a.buckets];
  }

  /// Drops doubles from the pile if so many more would not fit; true if it did.
  __device__ bool make_room(i64 more) {
    if (s.fars + more <= 2 * a.lists.n) return false;
    s.fars = split<How, kBlock>(grid, a.lists, a.piles[s.pile], s.fars, false, s.low, s.low,
                                a.piles[1 - s.pile], a.piles[1 - s.pile])
                 .far;
    s.pile = 1 - s.pile;
    return true;
  }

  /// The lowest bucket that is not empty.
  __device__ int lowest() const {
    int b = 0;
    while (starts[b + 1] == starts[b]) ++b;
    return b;
  }

  __device__ void write_sizes(i64* sizes) const {
    if (sizes == nullptr) return;
    for (int b = 0; b < a.buckets; ++b) sizes[b] = starts[b + 1] - starts[b];
    sizes[a.buckets] = s.fars;
  }
};

}  // namespace warpath
