// sweeps.cuh - sweeps over all vertices, or over those that changed, until nothing does.
//
// Work     a relaxation per edge of the set of each round, and a read per vertex to adopt labels.
// Traffic  as push.cuh and adopt.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes.
// Races    as push.cuh says; a round's flags are cleared in a phase of their own.
// Source   Bodra & Khairnar 2025, Bellman-Ford; Davidson et al. 2014 section II-B; Harish &
// Narayanan
//          2007 by way of Martin et al. 2009 section 4.3. One launch for all rounds is ours.
#pragma once

#include "adopt.cuh"
#include "push.cuh"
#include "rounds.cuh"

namespace warpath {

template <class V, class W, class L>
struct SweepArgs {
  i64 n;
  i64 source;
  const i64* indptr;
  const V* indices;  // with kEll, as these, in the order of EllRows
  const W* weights;
  i64 at_least;  // rounds to make even when one changes nothing
  L* dist;
  L* before;       // n: the labels of the last round, where a round reads those
  u8* flags;       // n
  u8* next_flags;  // n
  RoundArgs rounds;
};

struct SweepState {
  i64 selected;
};

template <class Map, class Write, class Emit, bool kTwoArrays, bool kImproved, bool kEll,
          bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void sweeps(const SweepArgs<V, W, L>& a) {
  Rounds<kTraced, kBlock> grid(a.rounds);
  if (!a.rounds.goes_on)
    grid.each(a.n, [&](i64 v) {
      const L label = v == a.source ? L{0} : never<L>();
      a.dist[v] = label;
      if (kTwoArrays) a.before[v] = label;
      if (kTwoArrays || kImproved) a.flags[v] = v == a.source;
      if (kImproved && !kTwoArrays) a.next_flags[v] = 0;
    });
  SweepState s = grid.begin(SweepState{kImproved ? 1 : a.n});
  bool rest = false, done = false;
  while (!done && grid.begin_turn()) {
    const bool odd = !kTwoArrays && grid.turn % 2 == 1;
    u8* const flags = odd ? a.next_flags : a.flags;
    u8* const next = odd ? a.flags : a.next_flags;
    PushArgs<V, W, L> push{};
    push.work = {a.n, flags, nullptr, nullptr};
    push.indptr = a.indptr;
    push.indices = a.indices;
    push.weights = a.weights;
    push.from = kTwoArrays ? a.before : a.dist;
    push.dist = a.dist;
    push.next.flags = next;
    bool fell = false;
    Counts<kTraced> counts;
    for (i64 tile = blockIdx.x; tile < Map::tiles(a.n, 0); tile += gridDim.x)
      fell = warpath::push<Map, Write, Emit, false, false, kEll>(push, tile, counts) || fell;
    if (!kTwoArrays) grid.signal(fell);
    grid.end_phase(counts);
    grid.step(0);
    i64 selected = a.n;
    if (kTwoArrays) {
      const AdoptArgs<L> adopting{a.n, a.before, a.dist, a.flags};
      Counts<kTraced> adopted;
      bool differs = false;
      grid.each(
          a.n, [&](i64 v) { return Labels<L>{a.dist[v], a.before[v]}; },
          [&](i64 v, Labels<L> of) { differs = adopt(adopting, v, of, adopted) || differs; });
      grid.signal(differs);
      grid.end_phase(adopted);
      if (kImproved && kTraced) selected = grid.selected();
      grid.step(1);
    } else if (kImproved) {
      Counts<kTraced> flagged;
      grid.each(a.n, [&](i64 v) {
        flags[v] = 0;
        if (kTraced && next[v]) flagged.selected();
      });
      grid.end_phase(flagged);
      if (kTraced) selected = grid.selected();
    }
    const bool changed = load_relaxed(grid.changed()) != 0;
    grid.end_round(0, s.selected);
    s.selected = selected;
    grid.end_turn();
    if (grid.round < a.at_least) continue;
    rest = !changed;
    done = rest || grid.round > max(a.n, a.at_least);
  }
  grid.end(rest, done, s);
}

}  // namespace warpath
