// wide.cuh - one source of a graph that is few hops across, in one launch.
//
// Work     Rows ascend by weight. Below a rising bound a vertex's row is relaxed up to the first
//          sum that is not below it, so that every label lies below the bound and is final once no
//          list is left. Then the rest of settled rows is relaxed up to the next bound or, once few
//          edges lead to vertices without a label, those vertices take theirs from the settled
//          ones, then from each other as far as weights are below what their labels exceed the
//          bound by, and what that lowers is relaxed until nothing falls.
// Traffic  per edge relaxed 8 B (32-bit types), a label, and where it falls an atomic and 16 B of
//          lists; per bucket 12 B a vertex in order.
// Launch   one grid, all of whose blocks run at once: rounds are parted by its barrier.
// Shared   for each warp 64 entries of what it found and 64 of what it takes.
// Races    Labels are lowered by atomic_min; one that is read while it falls is an upper bound, as
//          good for a test before the atomic. Who lowered a label lists the vertex with it, so that
//          of several entries of a vertex one alone, in one round, is not stale: `rest` of a vertex
//          has one writer a round. Pulled labels are written by the one that pulls them.
//          A list that is full drops entries and counts them: then the round after looks at all
//          vertices. Counters of three rounds take turns.
// Source   Meyer, Sanders 2003 (light and heavy edges); Davidson et al. 2014 (near-far);
//          Chakaravarthy et al. 2014 (pulling what is left).
#pragma once

#include "halt.cuh"
#include "wide_survey.cuh"

namespace warpath {

/// Relaxes what the lists of a round have.
template <int kGroup, class W, class L>
__device__ __forceinline__ void relax_lists(const WideArgs<W, L>& a, const WorkLists<L>& now,
                                            WideControl::Lists sizes, const WorkLists<L>& output,
                                            Worker<L>& me, L bound) {
  for (u32 i = me.warp; i < sizes.runs; i += me.warps) relax_run(a, output, me, now.runs[i], bound);
  // A short list is spread thin: each step of a warp waits for memory.
  constexpr int kRows = 32 / kGroup;
  const u32 share = (sizes.entries + me.warps - 1) / me.warps;
  const u32 take = min((share + kRows - 1) / kRows * kRows, 32u);
  // From the other end, so that other warps have its entries than have the runs.
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

/// Gathers the vertices for which `wanted` is true and gives them to `take`, one a lane or -1.
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

/// Relaxes rows of vertices with labels: what is left of those below `before`, or whole ones.
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

/// No labels but the source's, and its row to be relaxed; returns the first bound.
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

/// Pulls the labels of vertices that have none from settled ones. Or, with `mend`, lowers them from
/// each other's: what falls is listed, for others may have read it before.
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
  // Neighbouring items go to different multiprocessors.
  Worker<L> me{t % 32,
               own * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x),
               warps,
               {send_buffers + own * SendBuffer<L>::kRoom, 0},
               waiting + own * 64};
  if (t == 0) taken[0] = 0;
  L bound = begin_search<kBlock>(a), delta = a.delta;
  u64 found = 0;
  bool mend = false;       // whether vertices have labels that were pulled in the round before
  L settled = never<L>();  // what the labels are below from which those were pulled
  bool last = !(bound < a.limit);  // no bound comes after this one
  u32 round = 0, surveys = 0;
  WideControl::Lists sizes = meet_and_read(a.control, 0, shared_sizes);
  for (; round < a.max_rounds && sizes.halted == 0; ++round) {
    const WorkLists<L> now = round % 2 == 0 ? a.even : a.odd;
    WorkLists<L> output = round % 2 == 0 ? a.odd : a.even;
    output.sizes = a.control->lists + (round + 1) % 3;
    // Behind the barrier every block sees this round's word, and no later one's.
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
