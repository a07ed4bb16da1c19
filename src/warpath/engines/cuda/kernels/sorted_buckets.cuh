// sorted_buckets.cuh - buckets that stay in order: what a round gives is sorted and merged in.
//
// A vertex whose label fell is in two buckets; it is dropped from the higher one when that is
// relaxed. Where doubles fill the room, everything is sorted anew, without them.
//
// Source   Davidson et al. 2014 section IV-C.
#pragma once

#include "bucket_set.cuh"

namespace warpath {

template <class How, bool kTraced, int kBlock, class V, class W, class L>
struct SortedBuckets : BucketSet<How, true, kTraced, kBlock, V, W, L> {
  using Base = BucketSet<How, true, kTraced, kBlock, V, W, L>;
  using Base::a;
  using Base::bounds;
  using Base::grid;
  using Base::s;
  using Base::starts;
  i64* given;  // shared: where each bucket begins in what a round gave

  __device__ SortedBuckets(const BucketArgs<V, W, L>& args, L* shared_bounds, i64* shared_starts,
                           i64* shared_given)
      : Base(args, shared_bounds, shared_starts), given(shared_given) {}

  __device__ void turn() {
    if (s.actives > 0)
      relax_lowest();
    else
      refill();
  }

  /// Sets where the vertices of each bucket begin, and where the last ones end.
  template <class Start>
  __device__ void set_starts(Start&& start) {
    __syncthreads();  // those before have been read
    if (threadIdx.x == 0)
      for (int b = 0; b <= a.buckets; ++b) starts[b] = start(b);
    __syncthreads();
    s.begin = starts[0];
    s.actives = starts[a.buckets] - s.begin;
  }

  /// Relaxes the lowest bucket that has a vertex, if any has, and inserts what that gives.
  __device__ void relax_lowest() {
    V* const list = a.order.between;
    Listing size{0, -1};
    while (s.actives > 0 && size.count == 0) {
      const int bucket = Base::lowest();
      const i64 end = starts[bucket + 1];
      s.low = max(s.low, bounds[bucket]);
      const Split found =
          split<How, kBlock>(grid, a.lists, a.active[s.side] + s.begin, end - s.begin, false, s.low,
                             bounds[bucket + 1], list, list);
      size = {found.near, found.edges};
      set_starts([&](int b) { return max(starts[b], end); });
    }
    grid.step(2);
    if (size.count == 0) return;
    V* const items = a.active[s.side] + starts[a.buckets];
    const i64 total = expand<How, kBlock>(grid, a.lists, list, size, items, a.lists.space.table);
    if (total > 0) {
      const bool claimed = !Base::make_room(min(total, a.lists.n)) && !How::kQueued;
      insert(items, total, claimed);
    }
    this->write_sizes(grid.end_round(kBucketPhase, size.count));
  }

  /// Moves the buckets to the least label of the pile, and inserts what now belongs there.
  __device__ void refill() {
    if (!Base::move_buckets()) return;
    set_starts([](int) { return i64{0}; });
    const i64 waiting = s.fars;
    s.fars = 0;
    s.pile = 1 - s.pile;
    insert(a.piles[1 - s.pile], waiting, false);
    this->write_sizes(grid.add_row(kRefillPhase, 0));
  }

  /// Sorts items by bucket and merges them into the buckets; those beyond the last join the pile.
  __device__ void insert(const V* items, i64 count, bool claimed) {
    V* const other = a.active[1 - s.side];
    const Splitter<false, kBlock, V, L> splitter{
        a.lists.space,     items,          a.lists.dist, s.low,
        bounds[a.buckets], a.lists.indptr, other,        a.piles[s.pile] + s.fars};
    const Split found = split(grid, splitter, count, claimed);
    s.fars += found.far;
    grid.step(2);
    if (found.near == 0) return;
    V* const waiting = a.active[s.side] + s.begin;
    V* const sorted = waiting + s.actives;
    order_by_key<true, kBlock>(
        grid, a.lists.space, a.order, other, found.near, a.buckets,
        [&](i64 k) { return bucket_of(a.lists.dist[other[k]], bounds, a.buckets); }, sorted, given,
        s.sorts);
    if (s.actives + found.near > a.lists.n) {
      Base::order(waiting, s.actives + found.near);
    } else {
      merge_by_key(grid, waiting, starts, sorted, given, a.buckets, other);
      s.side = 1 - s.side;
      const i64 begin = s.begin;
      set_starts([&](int b) { return starts[b] - begin + given[b]; });
    }
    grid.step(3);
  }
};

}  // namespace warpath
