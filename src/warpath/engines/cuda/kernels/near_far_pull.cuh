// near_far_pull.cuh - near-far by flags, whose rounds of many vertices pull: direction-optimized.
//
// A round of few near vertices pushes their out-edges. In one of many, each vertex whose label may
// still fall looks for near vertices among its predecessors. A vertex whose label falls waits. Then
// the waiting vertices below the threshold become near; where there are none, the threshold rises
// to the multiple of delta above the least label that waits. n rounds are enough, as near_far.cuh
// explains.
//
// Work     a relaxation per out-edge of the near set, or a look per in-edge of the vertices that
//          are not below the last threshold; a look at the flags of every vertex.
// Traffic  as push.cuh and pull.cuh say, and 2 B a vertex.
// Launch   one grid, all of whose blocks run at once.
// Shared   SharedBounds: 8 (kBlock + 1) B.
// Races    as push.cuh says. In a pull a thread lowers the label of its own vertex, which others
// may
//          read before or after: who reads the older one finds it near again.
// Source   Davidson et al. 2014 section IV-C (near-far); Beamer, Asanovic, Patterson 2012 (the
//          direction by the size of the frontier).
#pragma once

#include "bounds.cuh"
#include "lists.cuh"
#include "pull.cuh"
#include "push.cuh"

namespace warpath {

template <class V, class W, class L>
struct NearFarPullArgs {
  i64 n;
  i64 source;
  const i64* indptr;
  const V* indices;
  const W* weights;
  const i64* into;  // rows of the in-edges
  const V* sources;
  const W* into_weights;
  double delta;
  i64 pull;  // near vertices from which on a round pulls
  L* dist;
  u8* near;     // n
  u8* waiting;  // n
  i64* sums;    // 3 for each block, and 6
  L* minima;    // one for each block
  RoundArgs rounds;
};

enum NearFarPullPhase { kPushPhase = 0, kPullPhase = 1 };

template <class L>
struct NearFarPullState {
  i64 near;
  L low, high;  // labels below `low` are final, near ones below `high`
};

template <class Bounds, bool kTraced, int kBlock, class V, class W, class L>
struct NearFarPull {
  using Grid = Rounds<kTraced, kBlock>;
  using Counting = typename Grid::Counting;
  const NearFarPullArgs<V, W, L>& a;
  Grid grid;
  NearFarPullState<L> s;

  __device__ explicit NearFarPull(const NearFarPullArgs<V, W, L>& args)
      : a(args), grid(args.rounds) {}

  __device__ void solve() {
    if (!a.rounds.goes_on)
      grid.each(a.n, [&](i64 v) {
        a.dist[v] = v == a.source ? L{0} : never<L>();
        a.near[v] = v == a.source;
        a.waiting[v] = 0;
      });
    s = grid.begin(NearFarPullState<L>{1, L{0}, next_bound(L{0}, a.delta)});
    while (s.near > 0 && grid.begin_turn()) {
      const i64 selected = s.near;
      const bool pulls = selected >= a.pull;
      if (pulls)
        pull();
      else
        push();
      grid.step(0);
      select();
      grid.step(1);
      grid.end_round(pulls ? kPullPhase : kPushPhase, selected);
      grid.end_turn();
    }
    grid.end(s.near == 0, s.near == 0, s);
  }

  __device__ void push() {
    using Map = ThreadMap<Flagged, kBlock>;
    PushArgs<V, W, L> push{};
    push.work = {a.n, a.near, nullptr, nullptr, 0};
    push.indptr = a.indptr;
    push.indices = a.indices;
    push.weights = a.weights;
    push.from = a.dist;
    push.dist = a.dist;
    push.next.flags = a.waiting;
    grid.template counted_phase<false>(Map::tiles(a.n, 0), [&](i64 tile, Counting& counts) {
      warpath::push<Map, WriteAtomic, EmitFlags, false, false>(push, tile, counts);
    });
  }

  __device__ void pull() {
    const i64 tiles = (a.n + kBlock - 1) / kBlock;
    grid.template counted_phase<false>(tiles, [&](i64 tile, Counting& counts) {
      const i64 v = tile * kBlock + threadIdx.x;
      i64 first = 0, last = 0;
      Bounds::find(a.into, a.n, v, first, last);
      if (v >= a.n) return;
      const L before = load_relaxed(a.dist + v);
      if (before < s.low) return;
      L best = before;
      counts.read(static_cast<unsigned>(last - first));
      for (i64 e = first; e < last; ++e) {
        const V u = a.sources[e];
        if (!Bounds::flag(a.near, u)) continue;
        counts.relaxed();
        L sum;
        if (!extend(load_relaxed(a.dist + u), a.into_weights[e], sum) || !(sum < best)) continue;
        best = sum;
        counts.improved();
      }
      if (!(best < before)) return;
      store_relaxed(a.dist + v, best);
      a.waiting[v] = 1;
    });
  }

  /// Makes the waiting vertices below the threshold near, and raises it where there are none.
  __device__ void select() {
    L least = never<L>();
    i64 count[1] = {0};
    const auto take = [&](i64 v) {
      const bool waits = a.waiting[v] != 0;
      const L label = waits ? a.dist[v] : never<L>();
      const bool near = label < s.high;
      a.near[v] = near;
      if (near)
        a.waiting[v] = 0;
      else
        least = min(least, label);
      count[0] += near;
    };
    grid.each(a.n, take);
    s.near = sum_shares<kBlock>(grid, a.sums, count).all[0];
    if (s.near > 0) return;
    least = grid_minimum<kBlock>(grid, a.minima, least);
    if (least == never<L>()) return;
    s.low = s.high;
    s.high = next_bound(least, a.delta);
    count[0] = 0;
    grid.each(a.n, take);
    s.near = sum_shares<kBlock>(grid, a.sums, count).all[0];
  }
};

template <class Bounds, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void near_far_pull(const NearFarPullArgs<V, W, L>& a) {
  NearFarPull<Bounds, kTraced, kBlock, V, W, L>(a).solve();
}

}  // namespace warpath
