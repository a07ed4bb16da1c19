// wide_rows.cuh - relaxations of a wide search: 32 rows per warp, runs of a hub's row, and pulls.
#pragma once

#include "wide_lists.cuh"

namespace warpath {

template <class W, class L>
struct WideArgs {
  i64 n;
  i64 source;
  const int* ranks;  // n: the row of each vertex; null if rows are in the graph's order
  int leaves;        // rows from this one on cannot lower a label
  const i64* indptr;
  const Edge<W>* edges;
  const i64* into;  // rows of in-edges, likewise sorted; null if there are none
  const Edge<W>* sources;
  L first, delta;          // the width of the first bucket, and the initial width of the others
  L limit;                 // all labels are below it
  u32 narrow;              // a bucket that settles fewer vertices doubles the next one's width
  u32 pull_cost;           // the cost of a pulled edge in sixteenths of a pushed one
  u32 max_rounds;          // the kernel ends after so many rounds
  L* dist;                 // n, in the order of the rows
  RowRemainder<L>* rest;   // n
  WorkLists<L> even, odd;  // filled by rounds of even and of odd numbers
  WideControl* control;
  L* minimum;    // 3: minimum sums of row remainders
  L* out;        // n, in the order of the graph; null if that is `dist`
  Hubs<W> hubs;  // their rows are cut into runs
};

/// A warp's indices and its shared memory.
template <class L>
struct Worker {
  int lane;
  int warp, warps;  // of the grid
  SendBuffer<L> send_buffer;
  int* waiting;  // 64 vertices for the next calls of `relax_rows` or `pull_rows`
};

/// Lowers the label of an edge's target if the sum over the edge is less; returns whether it did.
template <class L>
__device__ __forceinline__ bool lower(L* place, L known, L sum) {
  return sum < known && sum < atomic_min(place, sum);
}

/// label + weight; if that does not fit, sets `lost` and returns never.
template <class W, class L>
__device__ __forceinline__ L sum_or_never(const WideArgs<W, L>& a, L label, W weight) {
  const L sum = wrapping_sum(label, weight);
  if (!overflows(sum)) return sum;
  store_relaxed(&a.control->lost, 1u);
  return never<L>();
}

/// A row of edges: its first edge and their number.
struct Row {
  i64 base;
  u32 degree;

  __device__ __forceinline__ Row(const i64* indptr, int v) : base(0), degree(0) {
    if (v < 0) return;
    base = indptr[v];
    degree = static_cast<u32>(indptr[v + 1] - base);
  }
};

/// Relaxes rows, one per lane (u < 0: none), from edge `at` up to the first sum that is not below
/// the bound, where the remainder of the row begins. kGroup lanes take a row's next edges.
template <int kGroup, class W, class L>
__device__ __forceinline__ void relax_rows(const WideArgs<W, L>& a, const WorkLists<L>& output,
                                           Worker<L>& me, int u, Row own, L label, u32 at,
                                           L bound) {
  constexpr int kRows = 32 / kGroup;
  constexpr u32 kMask = kGroup == 32 ? ~0u : (1u << (kGroup % 32)) - 1;
  const int lane = me.lane, in = lane % kGroup, group = lane / kGroup;
  __syncwarp();  // one lane has read the row's remainder, another one writes it
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
    u32 ends = 0;  // bits of the edges that end the lane's own row
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

/// Relaxes a run of a hub's row. The run with the first sum not below the bound, or just before it,
/// writes the row's remainder.
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
      if (at + k * 32 + first >= end) break;  // the run ends, the row may continue
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

/// Lowers the labels of vertices, one per lane (v < 0: none), over in-edges from vertices whose
/// labels are not below `floor`. No label can be below `low`. Returns the label, and in `fell`
/// whether it was lowered.
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
      if (inside[s]) edge[s] = a.sources[e];
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
        heaviest = never<L>() - L{1};  // not the end of the row: a sum may have overflowed
#pragma unroll
      for (int step = 1; step < kGroup; step *= 2)
        sum[s] = min(sum[s], __shfl_xor_sync(~0u, sum[s], step));
      const int head = lane % kRows * kGroup;
      const L found = __shfl_sync(~0u, sum[s], head);
      const L last = __shfl_sync(~0u, heaviest, head + kGroup - 1);
      if (s == lane / kRows) {
        best = min(best, found);
        done = !(last < best) || !(low < best);  // later edges are not lighter
      }
    }
    at = done ? own.degree : at + kGroup;
  }
  *fell = v >= 0 && best < known && best < a.limit;
  if (*fell) store_relaxed(a.dist + v, best);
  return best;
}

}  // namespace warpath
