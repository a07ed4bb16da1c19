// wide.cuh - one source of a graph with few hops between most vertices, in one launch.
//
// Work     Rows are sorted by weight. Below a rising bound, a vertex's row is relaxed up to its
//          first sum that is not below the bound. So every label is below the bound, and is final
//          when the lists are empty. Then the remainders of settled vertices' rows are relaxed up
//          to the next bound. If few edges lead to vertices without a label, these pull instead:
//          they take labels from settled vertices, then from each other over edges light enough to
//          lower one of them, and vertices that this lowers are relaxed until no label changes.
// Traffic  per edge relaxed 8 B (32-bit types) and a label; if the label is lowered an atomic and
//          16 B of lists; per bucket 12 B a vertex in order.
// Launch   one grid, all of whose blocks run at once: its barrier separates rounds.
// Shared   for each warp 64 entries that it found and 64 that it relaxes.
// Races    Labels are lowered by atomic_min; a label that is read while it is lowered is an upper
//          bound, which is enough for a test before the atomic. The warp that lowers a label lists
//          the vertex with it, so of several entries of a vertex only one is not stale in a round,
//          and `rest` of a vertex has one writer a round. Pulled labels have one writer. A full
//          list drops entries and counts them: then the next round inspects all vertices. Of three
//          sets of counters one is read, one counts, and the third is cleared.
// Source   Meyer, Sanders 2003 (light and heavy edges); Davidson et al. 2014 (near-far);
//          Chakaravarthy et al. 2014 (pulling in the last phase).
#pragma once

#include "halt.cuh"
#include "wide_survey.cuh"

namespace warpath {

/// Relaxes the entries and runs on the lists of a round.
template <int kGroup, class W, class L>
__device__ __forceinline__ void relax_lists(const WideArgs<W, L>& a, const WorkLists<L>& now,
                                            WideControl::Lists sizes, const WorkLists<L>& output,
                                            Worker<L>& me, L bound) {
  for (u32 i = me.warp; i < sizes.runs; i += me.warps) relax_run(a, output, me, now.runs[i], bound);
  // A short list is spread over all warps, because each step of a warp waits for memory.
  constexpr int kRows = 32 / kGroup;
  const u32 share = (sizes.entries + me.warps - 1) / me.warps;
  const u32 take = min((share + kRows - 1) / kRows * kRows, 32u);
  // Warps are counted from the last one, so that entries go to other warps than runs.
  for (u32 begin = (me.warps - 1 - me.warp) * take; begin < sizes.entries;
       begin += me.warps * take) {
    Entry<L> entry{never<L>(), -1};
    if (static_cast<u32>(me.lane) < take && begin + me.lane < sizes.entries)
      entry = now.entries[begin + me.lane];
    const Row own(a.indptr, entry.vertex);
    int u = entry.vertex < a.hubs.count ? -1 : entry.vertex;
    if (u >= 0 && load_relaxed(a.dist + u) != entry.label) u = -1;
    relax_rows<kGroup>(a, output, me, u, own, entry.label, 0, bound);
  }
}

/// Passes the vertices for which `wanted` is true to `take`, one per lane; -1 for a lane without
/// one.
template <class L, class Wanted, class Take>
__device__ __forceinline__ void for_each_vertex(i64 n, Worker<L>& me, Wanted wanted, Take take) {
  int count = 0;
  for (u32 begin = me.warp * 32; begin < n; begin += me.warps * 32) {
    const int v = static_cast<int>(begin) + me.lane;
    const bool is = v < n && wanted(v);
    const u32 mask = __ballot_sync(~0u, is);
    if (is) me.waiting[count + __popc(mask & ((1u << me.lane) - 1))] = v;
    count += __popc(mask);
    __syncwarp();
    if (count >= 32) {
      count -= 32;
      take(me.waiting[count + me.lane]);
      __syncwarp();
    }
  }
  if (count > 0) take(me.lane < count ? me.waiting[me.lane] : -1);
  __syncwarp();
}

/// Relaxes rows of vertices with labels: the remainders of those below `before`, or whole rows.
template <int kGroup, class W, class L>
__device__ __forceinline__ void relax_rest(const WideArgs<W, L>& a, const WorkLists<L>& output,
                                           Worker<L>& me, bool whole, L before, L bound) {
  for_each_vertex(
      a.leaves, me,
      [&](int v) {
        const L label = load_relaxed(a.dist + v);
        if (whole ? label == never<L>() : !(label < before)) return false;
        if (!whole && !(a.rest[v].key < bound)) return false;
        if (v >= a.hubs.count) return true;
        const u32 from = whole ? 0 : a.rest[v].at;
        list_hub(output, a.hubs, label, v, from, bound);
        return false;
      },
      [&](int v) {
        const L label = v < 0 ? never<L>() : load_relaxed(a.dist + v);
        const u32 from = whole || v < 0 ? 0 : a.rest[v].at;
        relax_rows<kGroup>(a, output, me, v, Row(a.indptr, v), label, from, bound);
      });
}

/// Sets all labels to unreachable but the source's and lists its row; returns the first bound.
template <int kBlock, class W, class L>
__device__ __forceinline__ L begin_search(const WideArgs<W, L>& a) {
  const int source = static_cast<int>(a.ranks == nullptr ? a.source : a.ranks[a.source]);
  const Row row(a.indptr, source);
  const L lightest = row.degree == 0 ? L{0} : wrapping_sum(L{0}, a.edges[row.base].weight);
  const L bound = lowers(lightest, never<L>()) ? min(above(lightest, a.first), a.limit) : a.limit;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    WideControl& c = *a.control;
    for (int slot = 0; slot < 3; ++slot) {
      c.lists[slot] = {0, 0, 0};
      c.into[slot] = c.rest[slot] = c.found[slot] = 0;
      a.minimum[slot] = never<L>();
    }
    c.lost = 0;
    WorkLists<L> output = a.even;
    output.sizes = c.lists;
    if (source < a.hubs.count) {
      list_hub(output, a.hubs, L{0}, source, 0, bound);
    } else {
      output.entries[0] = Entry<L>{L{0}, source};
      c.lists[0].entries = 1;
    }
  }
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 v = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; v < a.n; v += stride)
    a.dist[v] = v == source ? L{0} : never<L>();
  return bound;
}

/// Gives vertices without a label theirs from settled vertices. With `mend`, lowers these labels
/// from each other instead, and lists each vertex lowered: others may have read its old label.
template <int kGroup, class W, class L>
__device__ __forceinline__ void pull(const WideArgs<W, L>& a, const WorkLists<L>& output,
                                     Worker<L>& me, bool mend, L settled) {
  for_each_vertex(
      a.n, me,
      [&](int v) {
        const L label = load_relaxed(a.dist + v);
        return (mend ? !(label < settled) : label == never<L>()) && a.into[v] < a.into[v + 1];
      },
      [&](int v) {
        bool fell = false;
        const L label = pull_rows<kGroup>(a, me, v, mend ? settled : L{0}, settled, &fell);
        if (!mend) return;
        me.send_buffer.make_room(32, output, a.hubs, a.limit, me.lane);
        me.send_buffer.push(me.lane, fell && v < a.leaves, label, v);
      });
}

template <int kGroup, int kBlock, class W, class L>
__device__ __forceinline__ void wide(const WideArgs<W, L>& a, int* halt, i64* status) {
  constexpr int kWarps = kBlock / 32;
  WARPATH_SHARED(Entry<L>, send_buffers, kWarps * SendBuffer<L>::kRoom);
  WARPATH_SHARED(int, waiting, kWarps * 64);
  WARPATH_SHARED(WideControl::Lists, shared_sizes, 1);
  WARPATH_SHARED(u64, sums, 3);
  WARPATH_SHARED(L, minimum, 1);
  WARPATH_SHARED(u32, taken, 2);
  const int t = threadIdx.x, own = t / 32;
  const bool first = blockIdx.x == 0 && t == 0;
  const int warps = static_cast<int>(gridDim.x) * kWarps;
  // Consecutive items go to different multiprocessors.
  Worker<L> me{t % 32,
               own * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x),
               warps,
               {send_buffers + own * SendBuffer<L>::kRoom, 0},
               waiting + own * 64};
  if (t == 0) taken[0] = 0;
  L bound = begin_search<kBlock>(a), delta = a.delta;
  u64 found = 0;
  bool mend = false;               // whether the previous round pulled labels
  L settled = never<L>();          // the labels that were pulled came from labels below this one
  bool last = !(bound < a.limit);  // no bound comes after this one
  u32 round = 0, surveys = 0;
  WideControl::Lists sizes = meet_and_read(a.control, 0, shared_sizes);
  for (; round < a.max_rounds && sizes.halted == 0; ++round) {
    const WorkLists<L> now = round % 2 == 0 ? a.even : a.odd;
    WorkLists<L> output = round % 2 == 0 ? a.odd : a.even;
    output.sizes = a.control->lists + (round + 1) % 3;
    // After the barrier every block reads the word of this round and not a later one.
    if (first && halted(halt)) store_relaxed(&output.sizes->halted, 1u);
    if (mend) {
      if (first) a.control->lists[(round + 2) % 3] = {0, 0, 0};
      pull<kGroup>(a, output, me, true, settled);
      mend = false;
    } else if (sizes.entries + sizes.runs != 0) {
      if (first) a.control->lists[(round + 2) % 3] = {0, 0, 0};
      if (overflowed(now, sizes))
        relax_rest<kGroup>(a, output, me, true, bound, bound);
      else
        relax_lists<kGroup>(a, now, sizes, output, me, bound);
    } else {
      if (last) break;
      const Survey<L> left = survey<kBlock>(a, surveys++ % 3, sums, minimum);
      if (left.minimum == never<L>()) break;
      if (first) a.control->lists[(round + 2) % 3] = {0, 0, 0};
      if (left.found - found < a.narrow && delta < never<L>() / 2) delta += delta;
      found = left.found;
      if (a.into != nullptr && left.into * a.pull_cost < left.rest * 16) {
        settled = bound;
        pull<kGroup>(a, output, me, false, settled);
        bound = a.limit;
        mend = true;
      } else {
        const L before = bound;
        bound = min(above(left.minimum, delta), a.limit);
        relax_rest<kGroup>(a, output, me, false, before, bound);
      }
      last = !(bound < a.limit);
    }
    me.send_buffer.send(output, a.hubs, bound, me.lane, taken);
    sizes = meet_and_read(a.control, (round + 1) % 3, shared_sizes);
  }
  if (a.out != nullptr) {
    const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
    for (i64 v = static_cast<i64>(blockIdx.x) * kBlock + t; v < a.n; v += stride)
      a.out[v] = a.dist[a.ranks[v]];
  }
  conclude(halt, status, [&] {
    const bool ended = round < a.max_rounds && sizes.halted == 0;
    status[1] = round;
    status[2] = surveys;
    return !ended ? kHalted : load_relaxed(&a.control->lost) != 0 ? kLost : kDone;
  });
}

}  // namespace warpath
