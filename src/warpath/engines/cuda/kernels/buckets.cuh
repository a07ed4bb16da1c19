// buckets.cuh - relax the lowest of several buckets, into which the vertices that it lowers go.
//
// With kMerge they are sorted and merged into the buckets, which stay in order. Without, all that
// waits in the buckets is arranged anew in each round. n rounds are enough, as near_far.cuh
// explains.
//
// Work     a relaxation per edge of the lowest bucket, and what bucket_order.cuh says: a sort per
//          item that a round gives and a merge per vertex that waits, or an arrangement of both.
// Traffic  as push.cuh, lists.cuh and bucket_order.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes, and the bounds and sizes of the buckets.
// Races    as push.cuh, lists.cuh and bucket_order.cuh say.
// Source   Davidson et al. 2014 section IV-C. One launch for all rounds is ours, and so is
//          arranging all that waits.
#pragma once

#include "sorted_buckets.cuh"

namespace warpath {

template <class How, bool kSort, bool kTraced, int kBlock, class V, class W, class L>
struct ArrangedBuckets : BucketSet<How, kSort, kTraced, kBlock, V, W, L> {
  using Base = BucketSet<How, kSort, kTraced, kBlock, V, W, L>;
  using Base::a;
  using Base::Base;
  using Base::bounds;
  using Base::grid;
  using Base::s;
  using Base::starts;

  __device__ void turn() {
    if (s.actives > 0)
      arrange();
    else
      refill();
    if (s.actives > 0) relax_lowest();
  }

  /// Orders the active vertices by bucket; those beyond the last bucket join the pile.
  __device__ void arrange() {
    Base::order(a.active[s.side] + s.begin, s.actives);
    const i64 far = starts[a.buckets + 1] - starts[a.buckets];
    if (far > 0) {
      Base::make_room(far);
      copy_far(a.piles[s.pile] + s.fars, far);
      s.fars += far;
    }
    grid.step(3);
  }

  /// Moves the buckets to the least label of the pile, and fills them.
  __device__ void refill() {
    if (!Base::move_buckets()) return;
    Base::order(a.piles[s.pile], s.fars);
    s.fars = starts[a.buckets + 1] - starts[a.buckets];
    copy_far(a.piles[s.pile], s.fars);
    grid.step(3);
    this->write_sizes(grid.add_row(kRefillPhase, 0));
  }

  /// Copies what is behind the buckets in order to the pile.
  __device__ void copy_far(V* to, i64 far) {
    const V* from = a.active[s.side] + s.actives;
    grid.for_each(far, [&](i64 k) { to[k] = from[k]; });
  }

  __device__ void relax_lowest() {
    const int bucket = Base::lowest();
    s.low = max(s.low, bounds[bucket]);
    const i64 selected = starts[bucket + 1] - starts[bucket];
    V* const list = a.active[s.side];
    const i64 total =
        expand<How, kBlock>(grid, a.lists, list, {selected, -1}, list + s.actives, nullptr);
    this->write_sizes(grid.end_round(kBucketPhase, selected));
    s.begin = selected;
    s.actives += total - selected;
  }
};

template <class How, bool kSort, bool kMerge, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void buckets(const BucketArgs<V, W, L>& a) {
  WARPATH_SHARED(L, bounds, kMostKeys);
  WARPATH_SHARED(i64, starts, kMostKeys + 1);
  if constexpr (kMerge) {
    WARPATH_SHARED(i64, given, kMostKeys + 1);
    SortedBuckets<How, kTraced, kBlock, V, W, L> buckets(a, bounds, starts, given);
    buckets.solve([&] { buckets.turn(); });
  } else {
    ArrangedBuckets<How, kSort, kTraced, kBlock, V, W, L> buckets(a, bounds, starts);
    buckets.solve([&] { buckets.turn(); });
  }
}

}  // namespace warpath
