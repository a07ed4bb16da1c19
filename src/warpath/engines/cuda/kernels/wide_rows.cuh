// wide_rows.cuh - rows of a wide search relaxed: 32 by a warp at once, a hub's in runs, or pulled.
#pragma once

#include "wide_lists.cuh"

namespace warpath {

template <class W, class L>
struct WideArgs {
  i64 n;
  i64 source;
  const int* ranks;  // n: a vertex's place among the rows; null where the rows are as the graph's
  int leaves;        // rows from here on lower no label once their vertex has one
  const i64* indptr;
  const Edge<W>* edges;
  const i64* into;  // rows of the edges into each vertex, likewise ascending; null where none are
  const Edge<W>* from;
  L first, delta;          // the width of the first bucket, and of the others to begin with
  L limit;                 // labels are below it
  u32 narrow;              // a bucket that settles fewer vertices doubles the next one's width
  u32 pull_cost;           // what a pulled edge costs in sixteenths of a pushed one
  u32 max_rounds;          // rounds
  L* dist;                 // n, in the order of the rows
  RowRemainder<L>* rest;   // n
  WorkLists<L> even, odd;  // what rounds of even and odd numbers find
  WideControl* control;
  L* minimum;    // 3, of what is left of settled vertices' rows
  L* out;        // n, in the order of the graph; null where that is `dist`
  Hubs<W> hubs;  // whose rows are cut into runs
};

/// What a warp knows of itself, and what it holds in shared memory.
template <class L>
struct Worker {
  int lane;
  int warp, warps;  // of the grid
  SendBuffer<L> send_buffer;
  int* waiting;  // 64 vertices on their way into `relax_rows` or `pull_rows`
};

/// Lowers the label of an edge's target if the sum over it is less; whether it did.
template <class L>
__device__ __forceinline__ bool lower(L* place, L known, L sum) {
  return sum < known && sum < atomic_min(place, sum);
}

/// label + weight, or never where that does not fit, which is noted.
template <class W, class L>
__device__ __forceinline__ L sum_or_never(const WideArgs<W, L>& a, L label, W weight) {
  const L sum = wrapping_sum(label, weight);
  if (!overflows(sum)) return sum;
  store_relaxed(&a.control->lost, 1u);
  return never<L>();
}

/// A row of edges: where it begins, and how many it has.
struct Row {
  i64 base;
  u32 degree;

  __device__ __forceinline__ Row(const i64* indptr, int v) : base(0), degree(0) {
    if (v < 0) return;
    base = indptr[v];
    degree = static_cast<u32>(indptr[v + 1] - base);
  }
};

/// Relaxes rows, one a lane (u < 0: none), from an edge on and up to the first sum that is not
/// below the bound, which is what is left of the row. kGroup lanes take a row's next edges.
template <int kGroup, class W, class L>
__device__ __forceinline__ void relax_rows(const WideArgs<W, L>& a, const WorkLists<L>& output,
                                           Worker<L>& me, int u, Row own, L label, u32 at,
                                           L bound) {
  constexpr int kRows = 32 / kGroup;
  constexpr u32 kMask = kGroup == 32 ? ~0u : (1u << (kGroup % 32)) - 1;
  const int lane = me.lane, in = lane % kGroup, group = lane / kGroup;
  __syncwarp();  // what was left of the row was read by one lane, and is written by another
  bool live = u >= 0 && at < own.degree;
  if (u >= 0 && !live) a.rest[u] = RowRemainder<L>{never<L>(), at};
  for (u32 alive = __ballot_sync(~0u, live); alive != 0; alive = __ballot_sync(~0u, live)) {
    me.send_buffer.make_room(32 * kGroup, output, a.hubs, bound, lane);
    Edge<W> edge[kGroup];
    bool inside[kGroup];
    L sum[kGroup], known[kGroup];
#pragma unroll
    for (int s = 0; s < kGroup; ++s) {
      const int row = s * kRows + group;
      const u32 place = __shfl_sync(~0u, at, row) + in;
      inside[s] = __shfl_sync(~0u, own.degree, row) > place && (alive >> row & 1) != 0;
      const i64 e = __shfl_sync(~0u, own.base, row) + place;
      if (inside[s]) edge[s] = a.edges[e];
    }
#pragma unroll
    for (int s = 0; s < kGroup; ++s) {
      const L from = __shfl_sync(~0u, label, s * kRows + group);
      sum[s] = inside[s] ? sum_or_never(a, from, edge[s].weight) : never<L>();
      known[s] = sum[s] < bound ? load_older(a.dist + edge[s].target) : L{0};
    }
    u32 ends = 0;  // which of the lane's own row's next edges end it
#pragma unroll
    for (int s = 0; s < kGroup; ++s) {
      const int row = s * kRows + group;
      const bool near = sum[s] < bound;
      const int v = near ? static_cast<int>(edge[s].target) : 0;
      const bool lowered = near && lower(a.dist + v, known[s], sum[s]);
      me.send_buffer.push(lane, lowered && v < a.leaves, sum[s], v);
      const u32 beyond = __ballot_sync(~0u, !near);
      const int vertex = __shfl_sync(~0u, u, row);
      const u32 place = __shfl_sync(~0u, at, row) + in;
      const u32 own = beyond >> (group * kGroup) & kMask;
      if (!near && (alive >> row & 1) != 0 && in == __ffs(static_cast<int>(own)) - 1)
        a.rest[vertex] = RowRemainder<L>{sum[s], place};
      if (s == lane / kRows) ends = beyond >> (lane % kRows * kGroup) & kMask;
    }
    live = live && ends == 0;
    at += kGroup;
  }
}

/// Relaxes a run of a hub's row. Of its runs the one in which the row leaves the bound, or behind
/// which it does, says what is left.
template <class W, class L>
__device__ __forceinline__ void relax_run(const WideArgs<W, L>& a, const WorkLists<L>& output,
                                          Worker<L>& me, const Run<L>& run, L bound) {
  constexpr int kAtOnce = 16 / sizeof(L);
  const int lane = me.lane, u = run.vertex;
  const bool opens = (run.at & kOpens) != 0;
  u32 at = run.at & ~(kOpens | kEnds);
  const Row own(a.indptr, u);
  const i64 base = own.base;
  const u32 end = min(at + kRun, own.degree);
  const bool stale = load_relaxed(a.dist + u) != run.label;
  if (__any_sync(~0u, stale)) return;
  for (bool begins = true; at < end; at += 32 * kAtOnce, begins = false) {
    me.send_buffer.make_room(32 * kAtOnce, output, a.hubs, bound, lane);
    Edge<W> edge[kAtOnce];
    L sum[kAtOnce], known[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const u32 place = at + k * 32 + lane;
      if (place < end) edge[k] = a.edges[base + place];
      sum[k] = place < end ? sum_or_never(a, run.label, edge[k].weight) : never<L>();
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      known[k] = sum[k] < bound ? load_older(a.dist + edge[k].target) : L{0};
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const bool near = sum[k] < bound;
      const int v = near ? static_cast<int>(edge[k].target) : 0;
      const bool lowered = near && lower(a.dist + v, known[k], sum[k]);
      me.send_buffer.push(lane, lowered && v < a.leaves, sum[k], v);
      const u32 beyond = __ballot_sync(~0u, !near);
      if (beyond == 0) continue;
      const int first = __ffs(static_cast<int>(beyond)) - 1;
      const u32 place = at + k * 32 + lane;
      if (at + k * 32 + first >= end) break;  // the run ends, its row may go on
      if (lane == first && (opens || !begins || k > 0 || first > 0))
        a.rest[u] = RowRemainder<L>{sum[k], place};
      return;
    }
  }
  if (lane != 0) return;
  L next = never<L>();
  if (end < own.degree) next = sum_or_never(a, run.label, a.edges[base + end].weight);
  if (!(next < bound))
    a.rest[u] = RowRemainder<L>{next, end};
  else if ((run.at & kEnds) != 0)
    push_runs(output, run.label, u, end, own.degree, 0u);
}

/// Lowers the labels of vertices, one a lane (v < 0: none), over the edges into them from vertices
/// whose labels are not below `floor`. No label below `low` is possible. Returns the label, and
/// whether it fell.
template <int kGroup, class W, class L>
__device__ __forceinline__ L pull_rows(const WideArgs<W, L>& a, const Worker<L>& me, int v, L floor,
                                       L low, bool* fell) {
  constexpr int kRows = 32 / kGroup;
  const int lane = me.lane, in = lane % kGroup, group = lane / kGroup;
  const Row own(a.into, v);
  u32 at = 0;
  const L known = v < 0 ? never<L>() : load_relaxed(a.dist + v);
  L best = known;
  while (__any_sync(~0u, at < own.degree)) {
    Edge<W> edge[kGroup];
    bool inside[kGroup];
#pragma unroll
    for (int s = 0; s < kGroup; ++s) {
      const int row = s * kRows + group;
      const u32 place = __shfl_sync(~0u, at, row) + in;
      inside[s] = place < __shfl_sync(~0u, own.degree, row);
      const i64 e = __shfl_sync(~0u, own.base, row) + place;
      if (inside[s]) edge[s] = a.from[e];
    }
    L sum[kGroup];
#pragma unroll
    for (int s = 0; s < kGroup; ++s)
      sum[s] = inside[s] ? load_older(a.dist + edge[s].target) : never<L>();
    bool done = false;
#pragma unroll
    for (int s = 0; s < kGroup; ++s) {
      const bool reached = sum[s] != never<L>();
      if (reached) sum[s] = sum_or_never(a, sum[s], edge[s].weight);
      L heaviest = inside[s] ? wrapping_sum(floor, edge[s].weight) : never<L>();
      if (overflows(heaviest))
        heaviest = never<L>() - L{1};  // not the row's end: its sums may be lost
#pragma unroll
      for (int step = 1; step < kGroup; step *= 2)
        sum[s] = min(sum[s], __shfl_xor_sync(~0u, sum[s], step));
      const int head = lane % kRows * kGroup;
      const L found = __shfl_sync(~0u, sum[s], head);
      const L last = __shfl_sync(~0u, heaviest, head + kGroup - 1);
      if (s == lane / kRows) {
        best = min(best, found);
        done = !(last < best) || !(low < best);  // the edges behind are no lighter
      }
    }
    at = done ? own.degree : at + kGroup;
  }
  *fell = v >= 0 && best < known && best < a.limit;
  if (*fell) store_relaxed(a.dist + v, best);
  return best;
}

}  // namespace warpath
