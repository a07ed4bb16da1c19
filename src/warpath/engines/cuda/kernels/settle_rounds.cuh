// settle_rounds.cuh - relax the frontier, find the round's minimum, settle what it allows.
//
// A threshold is not below the least label, so a round settles at least one vertex: with the source
// settled before and one round that finds nothing, n rounds are enough.
//
// Work     a relaxation per edge of the frontier, or a read per in-edge of what is unsettled, and
//          two reads per vertex.
// Traffic  as push.cuh, pull.cuh, dense.cuh, reduce.cuh and settle.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the relaxation takes, and a value for each warp.
// Races    as the headers of the steps say. A label that is pulled has one writer, whose thread
//          also reads it for the minimum: these two steps need no barrier between them.
// Source   Martin et al. 2009 figures 3 and 4; the Johnson paper, algorithms 5 to 10. There the CPU
//          (Martin et al.) or the kernel that starts the others takes the least of the minima of a
//          kernel; here every block does, so that one launch makes all rounds. A block leaves one
//          minimum, of all its vertices.
#pragma once

#include "dense.cuh"
#include "lists.cuh"
#include "pull.cuh"
#include "push.cuh"
#include "reduce.cuh"
#include "settle.cuh"

namespace warpath {

template <class V, class W, class L>
struct SettleRoundsArgs {
  i64 n;
  i64 source;
  const i64* indptr;  // of the out-edges for push, of the in-edges for pull
  const V* indices;
  const W* weights;
  const L* matrix;  // instead of these three
  const L* slack;   // n, for the out-criterion
  L* dist;
  u8* frontier;   // n
  u8* unsettled;  // n
  V* queue;       // n
  L* minima;      // one for each block, and the minimum of all by a second pass
  ListSpace space;
  RoundArgs rounds;
};

struct SettleState {
  i64 selected;
};

/// The least value of the thread's vertices.
template <class Value, class V, class W, class L, class Grid>
__device__ __forceinline__ L least_value(const Grid& grid, const SettleRoundsArgs<V, W, L>& a) {
  const ReduceArgs<L> reducing{a.n, a.dist, a.unsettled, a.slack, nullptr};
  L least = never<L>();
  grid.each(
      a.n, [&](i64 v) { return Value::read(reducing, v); },
      [&](i64, const Candidate<L>& of) { least = min(least, Value::value(of)); });
  return least;
}

// A relaxation returns the least value of the thread's vertices for the round's minimum.

/// [relax_U] Unsettled vertices look at their predecessors.
template <class Bounds, int kBlock>
struct PullRelax {
  template <class L>
  struct Looking {
    Reader reader;
    Candidate<L> candidate;
  };

  template <class Value, class V, class W, class L, class Grid>
  static __device__ L run(Grid& grid, const SettleRoundsArgs<V, W, L>& a, i64) {
    const PullArgs<V, W, L> pull{a.n,    a.indptr, a.indices,  a.weights,
                                 a.dist, nullptr,  a.frontier, a.unsettled};
    const ReduceArgs<L> reducing{a.n, a.dist, a.unsettled, a.slack, nullptr};
    typename Grid::Counting counts;
    L least = never<L>();
    if constexpr (Bounds::kShared) {
      for (i64 tile = blockIdx.x; tile < (a.n + kBlock - 1) / kBlock; tile += gridDim.x) {
        const i64 v = tile * kBlock + threadIdx.x;
        Candidate<L> of{0, never<L>(), never<L>()};
        if (v < a.n) of = Value::read(reducing, v);
        of.label = warpath::pull<Bounds, kBlock>(pull, tile, counts);
        least = min(least, Value::value(of));
      }
    } else {
      grid.each(
          a.n,
          [&](i64 v) {
            return Looking<L>{{a.unsettled[v], a.indptr[v], a.indptr[v + 1]},
                              Value::read(reducing, v)};
          },
          [&](i64 v, Looking<L> of) {
            of.candidate.label = pull_vertex<Bounds>(pull, v, of.reader, counts);
            least = min(least, Value::value(of.candidate));
          });
    }
    grid.report(counts);
    grid.step(0);
    return least;
  }
};

/// [relax over the adjacency matrix]
template <bool kPush, class Write, int kBlock>
struct DenseRelax {
  template <class Value, class V, class W, class L, class Grid>
  static __device__ L run(Grid& grid, const SettleRoundsArgs<V, W, L>& a, i64) {
    const DenseArgs<L> dense{a.n, a.matrix, a.dist, a.frontier, a.unsettled};
    grid.counted_phase((a.n + kBlock - 1) / kBlock, [&](i64 tile, typename Grid::Counting& counts) {
      if (kPush)
        push_dense<Write, kBlock>(dense, tile, counts);
      else
        pull_dense<kBlock>(dense, tile, counts);
    });
    grid.step(0);
    return least_value<Value>(grid, a);
  }
};

/// [relax_F] The frontier, flagged or listed, lowers the labels of its unsettled successors.
template <class Map, class Write, bool kListed, bool kNumbered, int kBlock>
struct PushRelax {
  template <class Value, class V, class W, class L, class Grid>
  static __device__ L run(Grid& grid, const SettleRoundsArgs<V, W, L>& a, i64 selected) {
    const i64 size = kListed ? selected : a.n;
    i64 edges = 0;
    if (kNumbered) edges = number_edges<kBlock>(grid, a.space, a.queue, size, a.indptr);
    PushArgs<V, W, L> push{};
    push.work = {size, a.frontier, a.queue, kNumbered ? a.space.offsets : nullptr, edges};
    push.indptr = a.indptr;
    push.indices = a.indices;
    push.weights = a.weights;
    push.from = a.dist;
    push.dist = a.dist;
    push.unsettled = a.unsettled;
    grid.template counted_phase<Map::kShared>(
        Map::tiles(size, edges), [&](i64 tile, typename Grid::Counting& counts) {
          warpath::push<Map, Write, EmitNothing, true, false>(push, tile, counts);
        });
    grid.step(0);
    return least_value<Value>(grid, a);
  }
};

template <class Relax, class Value, bool kTwoPasses, class Criterion, class Emit, bool kTraced,
          int kBlock, class V, class W, class L>
__device__ __forceinline__ void settle_rounds(const SettleRoundsArgs<V, W, L>& a) {
  Rounds<kTraced, kBlock> grid(a.rounds);
  if (!a.rounds.goes_on) {
    grid.each(a.n, [&](i64 v) {
      a.dist[v] = v == a.source ? L{0} : never<L>();
      a.unsettled[v] = v != a.source;
      if (!Emit::kQueued) a.frontier[v] = v == a.source;
    });
    if ((Emit::kQueued || Emit::kGathered) && grid.leader()) a.queue[0] = static_cast<V>(a.source);
  }
  SettleState s = grid.begin(SettleState{1});
  bool done = false;
  while (!done && grid.begin_turn()) {
    const L least = Relax::template run<Value>(grid, a, s.selected);
    L threshold = grid_minimum<kBlock>(grid, a.minima, least);
    if (kTwoPasses) {
      if (blockIdx.x == 0 && threadIdx.x == 0) a.minima[gridDim.x] = threshold;
      grid.wait();
      threshold = a.minima[gridDim.x];
    }
    grid.step(1);

    done = threshold == never<L>();
    i64 selected = s.selected;
    if (!done) {
      const SettleArgs<V, L> settling{a.n,     a.dist,  threshold, a.unsettled,  a.frontier,
                                      nullptr, nullptr, a.queue,   grid.queued()};
      Counts<kTraced> counts;
      grid.each(
          a.n, [&](i64 v) { return waiting(settling, v); },
          [&](i64 v, Waiting<L> vertex) { settle<Criterion, Emit>(settling, v, vertex, counts); });
      grid.end_phase(counts);
      if (Emit::kQueued)
        selected = load_relaxed(grid.queued());
      else if (Emit::kGathered)
        selected = gather<kBlock>(grid, a.space.sums, a.frontier, a.n, a.queue);
      else if (kTraced)
        selected = grid.selected();
      grid.step(2);
    }
    grid.end_round(0, s.selected);
    s.selected = selected;
    grid.end_turn();
  }
  grid.end(done, done, s);
}

}  // namespace warpath
