// buckets.cuh - buckets of width delta, and a pile of what lies beyond the last one.
//
// The lowest bucket is relaxed; what it lowers joins the others, or the pile. n rounds are enough,
// as near_far.cuh explains.
//
// Work     a relaxation per edge of the lowest bucket, and what bucket_order.cuh says per vertex
//          that waits in a bucket and per item that a round gives.
// Traffic  as push.cuh, lists.cuh and bucket_order.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes, and the bounds and sizes of the buckets.
// Races    as push.cuh, lists.cuh and bucket_order.cuh say.
// Source   Davidson et al. 2014 section IV-C. One launch for all rounds is ours.
#pragma once

#include "bounds.cuh"
#include "bucket_order.cuh"
#include "expand.cuh"

namespace warpath {

template <class V, class W, class L>
struct BucketArgs {
  ListArgs<V, W, L> lists;
  OrderSpace<V> order;
  double delta;
  int buckets;
  InTurn<V> active;  // n + m: the vertices of the buckets, each once, and the items of a round
  InTurn<V> piles;   // 2 n
  L* minima;         // one for each block
  RoundArgs rounds;
};

template <class L>
struct BucketState {
  i64 begin, actives;  // what waits, in active[side]
  i64 fars;
  L low;   // what labels below were relaxed already
  L base;  // the bound of the first bucket
  i64 side, pile;
};

template <class How, bool kSort, bool kTraced, int kBlock, class V, class W, class L>
struct Buckets {
  const BucketArgs<V, W, L>& a;
  Rounds<kTraced, kBlock> grid;
  BucketState<L> s;
  L* bounds;    // buckets + 1, shared
  i64* starts;  // shared: of each bucket among the vertices in order

  __device__ Buckets(const BucketArgs<V, W, L>& args, L* shared_bounds, i64* shared_starts)
      : a(args), grid(args.rounds), bounds(shared_bounds), starts(shared_starts) {}

  __device__ void solve() {
    if (!a.rounds.goes_on) {
      first_labels<How>(grid, a.lists);
      if (grid.leader()) a.active[0][0] = static_cast<V>(a.lists.source);
      grid.each(3 * kMostKeys, [&](i64 i) { a.order.sizes[i] = 0; });
    }
    s = grid.begin(BucketState<L>{0, 1, 0, L{0}, L{0}, 0, 0});
    place_buckets(s.base);
    while (s.actives + s.fars > 0 && grid.begin_turn()) {
      const bool filled = s.actives > 0 ? arrange() : refill();
      if (filled) relax_lowest();
      grid.end_turn();
    }
    const bool done = s.actives + s.fars == 0;
    grid.end(done && no_negative_cycle<How>(a.lists), done, s);
  }

  /// Sets the bounds of the buckets, the first at or below a label.
  __device__ void place_buckets(L label) {
    s.base = bound_below(label, a.delta);
    __syncthreads();  // the bounds before have been read
    if (threadIdx.x == 0) {
      bounds[0] = s.base;
      for (int b = 0; b < a.buckets; ++b) bounds[b + 1] = next_bound(bounds[b], a.delta);
    }
    __syncthreads();
  }

  /// Puts items in the order of their buckets into the other array; true if a bucket has one.
  __device__ bool order(const V* items, i64 count) {
    s.side = 1 - s.side;
    order_by_key<kSort, kBlock>(
        grid, a.lists.space, a.order, claimed(items, count), count, a.buckets + 2,
        [&](i64 k) {
          return bucket_of(items[k], k, a.lists.space.table, a.lists.dist, s.low, bounds,
                           a.buckets);
        },
        a.active[s.side], starts);
    s.begin = 0;
    s.actives = starts[a.buckets];
    return s.actives > 0;
  }

  __device__ const V* claimed(const V* items, i64 count) {
    claim(grid, items, count, a.lists.space.table);
    return items;
  }

  /// Orders the active vertices by bucket; those beyond the last bucket join the pile.
  __device__ bool arrange() {
    const bool filled = order(a.active[s.side] + s.begin, s.actives);
    const i64 far = starts[a.buckets + 1] - starts[a.buckets];
    if (far > 0) {
      if (s.fars + far > 2 * a.lists.n) {
        s.fars = split<How, kBlock>(grid, a.lists, a.piles[s.pile], s.fars, false, s.low, s.low,
                                    a.piles[1 - s.pile], a.piles[1 - s.pile])
                     .far;
        s.pile = 1 - s.pile;
      }
      copy_far(a.piles[s.pile] + s.fars, far);
      s.fars += far;
    }
    grid.step(3);
    return filled;
  }

  /// Moves the buckets to the least label of the pile, and fills them.
  __device__ bool refill() {
    const L end = bounds[a.buckets];
    const L least =
        lowest_label<kBlock>(grid, a.minima, a.piles[s.pile], s.fars, a.lists.dist, end);
    s.low = end;
    if (least == never<L>()) {
      s.fars = 0;
      return false;
    }
    place_buckets(least);
    const bool filled = order(a.piles[s.pile], s.fars);
    s.fars = starts[a.buckets + 1] - starts[a.buckets];
    copy_far(a.piles[s.pile], s.fars);
    grid.step(3);
    return filled;
  }

  /// Copies what is behind the buckets in order to the pile.
  __device__ void copy_far(V* to, i64 far) {
    const V* from = a.active[s.side] + s.actives;
    grid.for_each(far, [&](i64 k) { to[k] = from[k]; });
  }

  __device__ void relax_lowest() {
    int lowest = 0;
    while (starts[lowest + 1] == starts[lowest]) ++lowest;
    s.low = max(s.low, bounds[lowest]);
    const i64 selected = starts[lowest + 1] - starts[lowest];
    V* const list = a.active[s.side];
    const i64 total =
        expand<How, kBlock>(grid, a.lists, list, {selected, -1}, list + s.actives, nullptr);
    i64* const sizes = grid.end_round(0, selected);
    if (sizes != nullptr) {
      for (int b = 0; b < a.buckets; ++b) sizes[b] = starts[b + 1] - starts[b];
      sizes[a.buckets] = s.fars;
    }
    s.begin = selected;
    s.actives += total - selected;
  }
};

template <class How, bool kSort, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void buckets(const BucketArgs<V, W, L>& a) {
  WARPATH_SHARED(L, bounds, kMostKeys);
  WARPATH_SHARED(i64, starts, kMostKeys + 1);
  Buckets<How, kSort, kTraced, kBlock, V, W, L>(a, bounds, starts).solve();
}

}  // namespace warpath
