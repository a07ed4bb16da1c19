// workfront.cuh - a list of improved vertices, relaxed whole in every round.
//
// Work     a relaxation per edge of the list, and what lists.cuh says per item that it gives.
// Traffic  as push.cuh and lists.cuh say.
// Launch   one grid, all of whose blocks run at once.
// Shared   what the map takes.
// Races    as push.cuh and lists.cuh say.
// Source   Davidson et al. 2014 section IV-C (workfront sweep); the Johnson paper, algorithms 2 and
//          4 (Bellman-Ford with a queue). One launch for all rounds is ours.
#pragma once

#include "expand.cuh"

namespace warpath {

template <class V, class W, class L>
struct WorkfrontArgs {
  ListArgs<V, W, L> lists;
  L lowest;  // what no label is below
  V* list;   // n
  V* items;  // n queued, or a slot for each edge
  RoundArgs rounds;
};

struct WorkfrontState {
  Listing list;
};

template <class How, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void workfront(const WorkfrontArgs<V, W, L>& a) {
  Rounds<kTraced, kBlock> grid(a.rounds);
  if (!a.rounds.goes_on) {
    first_labels<How>(grid, a.lists);
    if (grid.leader()) a.list[0] = static_cast<V>(a.lists.source);
  }
  WorkfrontState s = grid.begin(WorkfrontState{{1, -1}});
  bool done = false;
  while (!done && grid.begin_turn()) {
    const bool odd = How::kQueued && grid.turn % 2 == 1;
    V* const list = odd ? a.items : a.list;
    V* const items = odd ? a.list : a.items;
    const i64 selected = s.list.count;
    s.list = {expand<How, kBlock>(grid, a.lists, list, s.list, items, a.lists.space.table), -1};
    if (!How::kQueued && s.list.count > 0) {
      const Split found = split<How, kBlock>(grid, a.lists, items, s.list.count, true, a.lowest,
                                             never<L>(), list, list);
      s.list = {found.near, found.edges};
      grid.step(2);
    }
    i64* const sizes = grid.end_round(How::kQueued, selected);
    if (sizes != nullptr) sizes[0] = s.list.count;
    grid.end_turn();
    done = s.list.count == 0 || grid.round > a.lists.n;
  }
  grid.end(s.list.count == 0 && no_negative_cycle<How>(a.lists), done, s);
}

}  // namespace warpath
