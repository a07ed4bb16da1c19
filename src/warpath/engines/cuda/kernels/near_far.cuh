// near_far.cuh - a near set below a threshold, and a pile of what lies beyond it.
//
// An empty near set raises the threshold to above the least label of the pile, by a multiple of
// delta; with `skip`, by so many deltas at the most, and then again: 1 is the paper's increment.
//
// Each round relaxes, among others, a vertex whose label is the least of all that wait. That label
// is final, for a shorter way would pass a waiting vertex of a smaller one, so the vertex never
// comes back: n rounds are enough for any graph, however delta is chosen. Rounding changes nothing
// in it, since a rounded sum is not below its summands either.
//
// Work     a relaxation per edge of the near set, and what lists.cuh says per item that it gives.
// Traffic  as push.cuh and lists.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes.
// Races    as push.cuh and lists.cuh say.
// Source   Davidson et al. 2014 section IV-C (near-far), VII (the hybrid). One launch for all
//          rounds is ours.
#pragma once

#include "bounds.cuh"
#include "expand.cuh"

namespace warpath {

template <class V, class W, class L>
struct NearFarArgs {
  ListArgs<V, W, L> lists;
  double delta;
  i64 skip;    // deltas by which the threshold rises at once, at the most; 0: as many as it takes
  i64 change;  // fewer waiting vertices than this are swept whole; 0: never
  V* near;     // n
  V* items;    // n queued, or a slot for each edge
  // A vertex may lie on the pile once for each time it was lowered. Twice n places: before a
  // round's vertices, n at most, would not fit, doubles are dropped and n at most stay.
  InTurn<V> piles;
  L* minima;  // one for each block
  RoundArgs rounds;
};

enum NearFarPhase { kNearPhase = 0, kSweepPhase = 1, kFarPhase = 2 };

template <class L>
struct NearFarState {
  Listing near;
  i64 fars;
  L low, high;  // the near set's labels are in [low, high)
  i64 pile;     // which of the two
};

template <class How, bool kTraced, int kBlock, class V, class W, class L>
struct NearFar {
  const NearFarArgs<V, W, L>& a;
  Rounds<kTraced, kBlock> grid;
  NearFarState<L> s;

  __device__ explicit NearFar(const NearFarArgs<V, W, L>& args) : a(args), grid(args.rounds) {}

  __device__ void solve() {
    if (!a.rounds.goes_on) {
      first_labels<How>(grid, a.lists);
      if (grid.leader()) a.near[0] = static_cast<V>(a.lists.source);
    }
    const L high = a.change > 0 ? never<L>() : next_bound(L{0}, a.delta);
    s = grid.begin(NearFarState<L>{{1, -1}, 0, L{0}, high, 0});
    while (s.near.count + s.fars > 0 && grid.begin_turn()) {
      if (a.change > 0) change_mode();
      if (s.near.count > 0)
        relax_near();
      else
        refill();
      grid.end_turn();
    }
    const bool done = s.near.count + s.fars == 0;
    grid.end(done && no_negative_cycle<How>(a.lists), done, s);
  }

  __device__ void relax_near() {
    const i64 selected = s.near.count;
    collect(expand<How, kBlock>(grid, a.lists, a.near, s.near, a.items, a.lists.space.table),
            !How::kQueued);
    write_sizes(grid.end_round(s.high == never<L>() ? kSweepPhase : kNearPhase, selected));
  }

  /// Splits a round's items into near and far; `claimed` as in lists.cuh.
  __device__ void collect(i64 total, bool claimed) {
    const i64 n = a.lists.n;
    if (s.fars + min(total, n) > 2 * n) {
      split_pile(s.high, s.high);
      claimed = false;  // by what is on the pile
    }
    s.near = {0, 0};
    if (total > 0) {
      const Split found = split<How, kBlock>(grid, a.lists, a.items, total, claimed, s.low, s.high,
                                             a.near, a.piles[s.pile] + s.fars);
      s.near = {found.near, found.edges};
      s.fars += found.far;
    }
    grid.step(2);
  }

  /// Raises the threshold, to where the pile has vertices again if it may, and takes them.
  __device__ void refill() {
    s.low = s.high;
    if (a.skip != 1) {
      const L least =
          lowest_label<kBlock>(grid, a.minima, a.piles[s.pile], s.fars, a.lists.dist, s.low);
      if (least == never<L>()) {
        s.fars = 0;
        return;
      }
      s.high = next_bound(least, a.delta);
    }
    if (a.skip > 0) {
      const L most = next_bound(raised(s.low, a.skip - 1, a.delta), a.delta);
      s.high = a.skip == 1 ? most : min(s.high, most);
    }
    split_pile(s.low, s.high);
    grid.step(2);
    write_sizes(grid.add_row(kFarPhase, 0));
  }

  __device__ void write_sizes(i64* sizes) const {
    if (sizes == nullptr) return;
    sizes[0] = s.near.count;
    sizes[1] = s.fars;
  }

  /// Splits the pile anew; what lies below `low` and doubles are dropped.
  __device__ void split_pile(L low, L high) {
    const Split found = split<How, kBlock>(grid, a.lists, a.piles[s.pile], s.fars, false, low, high,
                                           a.near, a.piles[1 - s.pile]);
    s.near = {found.near, found.edges};
    s.fars = found.far;
    s.pile = 1 - s.pile;
  }

  /// Sweeps while few vertices wait; splits them while there are many.
  __device__ void change_mode() {
    const i64 nears = s.near.count, waiting = nears + s.fars;
    const bool sweeping = s.high == never<L>();
    if (!sweeping && waiting < a.change)
      s.high = never<L>();
    else if (sweeping && nears >= a.change)
      s.high = next_bound(lowest_label<kBlock>(grid, a.minima, a.near, nears, a.lists.dist, s.low),
                          a.delta);
    else
      return;
    V* const pile = a.piles[s.pile] + s.fars;
    grid.for_each(nears, [&](i64 k) { pile[k] = a.near[k]; });
    s.fars = waiting;
    split_pile(s.low, s.high);
    grid.step(2);
  }
};

template <class How, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void near_far(const NearFarArgs<V, W, L>& a) {
  NearFar<How, kTraced, kBlock, V, W, L>(a).solve();
}

}  // namespace warpath
