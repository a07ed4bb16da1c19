// stepping.cuh - a queue from which each round takes the vertices up to a threshold.
//
// A round extracts from the queue all vertices up to the threshold, relaxes their edges, and puts
// the targets into the queue, also those up to the threshold, which the next round takes. With
// delta the threshold rises by delta in each round; where no label is up to it, it rises to the
// first multiple of delta that is not below the least one. With kRho it is the label of rank rho,
// about.
//
// Each round extracts the vertex of the least label, which is final: n rounds are enough, as
// near_far.cuh explains. Every round reads the whole queue, so that a vertex is in it once.
//
// Work     a relaxation per edge of the vertices taken, and what lists.cuh says per vertex of the
//          queue and item of a round.
// Traffic  as push.cuh and lists.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes, and with kRho a label for each thread.
// Races    as push.cuh and lists.cuh say.
// Source   Dong, Gu, Sun, Zhang 2021, algorithm 1 (the framework of stepping algorithms). One
// launch
//          for all rounds is ours.
#pragma once

#include "bounds.cuh"
#include "expand.cuh"

namespace warpath {

template <class V, class W, class L>
struct SteppingArgs {
  ListArgs<V, W, L> lists;
  double delta;
  i64 rho;
  V* near;           // n
  InTurn<V> queues;  // the vertices that wait, n at most, and the items of a round
  L* minima;         // one for each block
  RoundArgs rounds;
};

template <class L>
struct SteppingState {
  Listing near;
  i64 waiting;  // in queues[side]
  i64 side;
  L threshold;  // the vertices of `near` were not above it
};

/// The next label that there is; never for never.
__device__ __forceinline__ i64 above(i64 label) {
  return label == never<i64>() ? label : label + 1;
}
template <class L>
__device__ __forceinline__ L above(L label) {
  return label == never<L>() ? label : next_above(label);
}

template <class How, bool kRho, bool kTraced, int kBlock, class V, class W, class L>
struct Stepping {
  const SteppingArgs<V, W, L>& a;
  Rounds<kTraced, kBlock> grid;
  SteppingState<L> s;

  __device__ explicit Stepping(const SteppingArgs<V, W, L>& args) : a(args), grid(args.rounds) {}

  __device__ void solve() {
    if (!a.rounds.goes_on) {
      first_labels<How>(grid, a.lists);
      if (grid.leader()) a.near[0] = static_cast<V>(a.lists.source);
    }
    const L first = kRho ? never<L>() : next_bound(L{0}, a.delta);
    s = grid.begin(SteppingState<L>{{1, -1}, 0, 0, first});
    while (s.near.count > 0 && grid.begin_turn()) {
      step();
      grid.end_turn();
    }
    const bool done = s.near.count == 0;
    grid.end(done && no_negative_cycle<How>(a.lists), done, s);
  }

  /// Relaxes what was extracted, raises the threshold and extracts again.
  __device__ void step() {
    const i64 selected = s.near.count;
    V* const items = a.queues[s.side] + s.waiting;
    s.waiting += expand<How, kBlock>(grid, a.lists, a.near, s.near, items, nullptr);
    s.near = {0, -1};
    if (s.waiting > 0) {
      s.threshold = kRho ? label_of_rank() : next_bound(s.threshold, a.delta);
      extract();
      if (!kRho && s.near.count == 0 && s.waiting > 0) {
        const L least =
            lowest_label<kBlock>(grid, a.minima, a.queues[s.side], s.waiting, a.lists.dist, L{0});
        s.threshold = bound_below(least, a.delta) < least ? next_bound(least, a.delta) : least;
        extract();
      }
    }
    grid.step(2);
    i64* const sizes = grid.end_round(0, selected);
    if (sizes == nullptr) return;
    sizes[0] = s.near.count;
    sizes[1] = s.waiting;
  }

  /// Moves the vertices up to the threshold out of the queue; doubles and gaps are dropped.
  __device__ void extract() {
    const Split found = split<How, kBlock>(grid, a.lists, a.queues[s.side], s.waiting, false, L{0},
                                           above(s.threshold), a.near, a.queues[1 - s.side]);
    s.near = {found.near, found.edges};
    s.waiting = found.far;
    s.side = 1 - s.side;
  }

  /// Estimates the label of rank rho in the queue from a sample of a label for each thread. A gap
  /// counts as a label above all others.
  __device__ L label_of_rank() const {
    WARPATH_SHARED(L, sample, kBlock);
    if (s.waiting <= a.rho) return never<L>();
    const V v = a.queues[s.side][threadIdx.x * s.waiting / kBlock];
    const L own = v < 0 ? never<L>() : a.lists.dist[v];
    __syncthreads();  // the last sample has been read
    sample[threadIdx.x] = own;
    __syncthreads();
    int below = 0;
    for (int k = 0; k < kBlock; ++k)
      below += sample[k] < own || (sample[k] == own && k < static_cast<int>(threadIdx.x));
    const int rank = static_cast<int>(static_cast<double>(a.rho - 1) / s.waiting * kBlock);
    __syncthreads();  // all labels of the sample have been read
    if (below == rank) sample[0] = own;
    __syncthreads();
    return sample[0];
  }
};

template <class How, bool kRho, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void stepping(const SteppingArgs<V, W, L>& a) {
  Stepping<How, kRho, kTraced, kBlock, V, W, L>(a).solve();
}

}  // namespace warpath
