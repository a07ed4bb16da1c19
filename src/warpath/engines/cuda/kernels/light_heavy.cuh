// light_heavy.cuh - near-far whose near set relaxes its light edges first: delta-stepping.
//
// An edge is light if its weight is at most delta, else heavy. The near set is a bucket: while it
// has vertices, their light edges are relaxed, which may put vertices back. Then the heavy edges of
// all vertices that were in it are relaxed, once for each. They lead beyond the bucket, unless the
// rounding of a float sum keeps a vertex in it, which then has another round.
//
// n rounds of light edges are enough, as near_far.cuh explains, and each bucket has a round of
// heavy ones.
//
// Work     a relaxation per light edge of the near set and per heavy edge of a bucket, and what
//          lists.cuh says per item that they give and per vertex of the bucket.
// Traffic  as push.cuh and lists.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes.
// Races    as push.cuh and lists.cuh say.
// Source   Meyer & Sanders 2003 section 2 (delta-stepping). Lists on a GPU as in Davidson et al.
//          2014 section IV-C; one launch for all rounds is ours.
#pragma once

#include "near_far.cuh"

namespace warpath {

template <class V, class W, class L>
struct LightHeavyArgs {
  NearFarArgs<V, W, L> near_far;  // whose rows have the light edges
  const i64* heavy_indptr;
  const V* heavy_indices;
  const W* heavy_weights;
  InTurn<V> removed;  // 2 n: the vertices that left the bucket, each once for each time
};

enum LightHeavyPhase { kLightPhase = 0, kHeavyPhase = 1 };

template <class L>
struct LightHeavyState {
  NearFarState<L> near_far;
  i64 removed;
  i64 side;  // of `removed`
};

template <class How, bool kTraced, int kBlock, class V, class W, class L>
struct LightHeavy : NearFar<How, kTraced, kBlock, V, W, L> {
  using Base = NearFar<How, kTraced, kBlock, V, W, L>;
  using Base::a;
  using Base::grid;
  using Base::s;
  const InTurn<V> lists;
  ListArgs<V, W, L> heavy;
  i64 removed, side;

  __device__ explicit LightHeavy(const LightHeavyArgs<V, W, L>& args)
      : Base(args.near_far), lists(args.removed), heavy(args.near_far.lists) {
    heavy.indptr = args.heavy_indptr;
    heavy.indices = args.heavy_indices;
    heavy.weights = args.heavy_weights;
  }

  __device__ bool waiting() const { return s.near.count + s.fars + removed > 0; }

  __device__ void solve() {
    if (!a.rounds.goes_on) {
      first_labels<How>(grid, a.lists);
      if (grid.leader()) a.near[0] = static_cast<V>(a.lists.source);
    }
    const L high = next_bound(L{0}, a.delta);
    const auto began = grid.begin(LightHeavyState<L>{{{1, -1}, 0, L{0}, high, 0}, 0, 0});
    s = began.near_far;
    removed = began.removed;
    side = began.side;
    while (waiting() && grid.begin_turn()) {
      if (s.near.count > 0)
        relax_light();
      else if (removed > 0)
        relax_heavy();
      else
        Base::refill();
      grid.end_turn();
    }
    grid.end(!waiting(), !waiting(), LightHeavyState<L>{s, removed, side});
  }

  __device__ void relax_light() {
    const i64 selected = s.near.count;
    const i64 total =
        expand<How, kBlock>(grid, a.lists, a.near, s.near, a.items, a.lists.space.table);
    const bool full = removed + selected > 2 * a.lists.n;
    if (full) removed = drop_doubles().near;
    V* const to = lists[side] + removed;
    grid.for_each(selected, [&](i64 k) { to[k] = a.near[k]; });
    removed += selected;
    Base::collect(total, !How::kQueued && !full);
    Base::write_sizes(grid.end_round(kLightPhase, selected));
  }

  __device__ void relax_heavy() {
    const Split bucket = drop_doubles();
    removed = 0;
    const i64 total = expand<How, kBlock>(grid, heavy, lists[side], {bucket.near, bucket.edges},
                                          a.items, heavy.space.table);
    Base::collect(total, !How::kQueued);
    Base::write_sizes(grid.end_round(kHeavyPhase, bucket.near));
  }

  /// Keeps each vertex of `removed` once, and numbers their heavy edges.
  __device__ Split drop_doubles() {
    const V* const from = lists[side];
    side = 1 - side;
    return split<How, kBlock>(grid, heavy, from, removed, false, L{0}, never<L>(), lists[side],
                              lists[side]);
  }
};

template <class How, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void light_heavy(const LightHeavyArgs<V, W, L>& a) {
  LightHeavy<How, kTraced, kBlock, V, W, L>(a).solve();
}

}  // namespace warpath
