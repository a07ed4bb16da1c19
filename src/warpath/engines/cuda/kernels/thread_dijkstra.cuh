// thread_dijkstra.cuh - Dijkstra's algorithm without a queue, one thread per source.
//
// Work     for each source and settled vertex, n labels and n entries of a row are read.
// Traffic  per label 1 B and a label, per entry a weight. Labels and flags have a row per vertex
//          and a column per source, so that the threads of a warp read consecutive addresses; a
//          thread reads its row of the matrix alone, in order. There are few threads, so each
//          requests many entries before it uses one.
// Launch   blocks * kBlock >= the sources of the batch; repeated until all sources are finished.
// Shared   none.
// Races    only on `left`, which threads set to 1 by relaxed stores. Each thread has its own rows.
// Source   Bodra & Khairnar 2025, Dijkstra.
#pragma once

#include "base.cuh"

namespace warpath {

/// Entries that a thread requests together. Labels and flags have a multiple of it as rows.
constexpr int kTogether = 32;

template <class V, class L>
struct ThreadDijkstraArgs {
  i64 size;  // sources
  i64 n;
  int steps;        // maximum vertices that a launch settles for a source
  const L* matrix;  // n x n: the weight of u -> v at u n + v, or never
  L* dist;          // rows x sources
  u8* visited;      // rows x sources; 1 from row n on
  V* pred;          // n x sources, for kPaths
  int* left;        // set to 1 if a source is not finished
  u64* counters;
};

/// The unvisited vertex with the minimum label, or -1 if none is reachable.
template <class V, class L>
__device__ __forceinline__ i64 nearest(const ThreadDijkstraArgs<V, L>& a, i64 source, L& minimum) {
  const L* label = a.dist + source;
  const u8* flag = a.visited + source;
  i64 found = -1;
  minimum = never<L>();
  for (i64 first = 0; first < a.n; first += kTogether) {
    L labels[kTogether];
    u8 visited[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k, label += a.size, flag += a.size) {
      labels[k] = *label;
      visited[k] = *flag;
    }
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      if (visited[k] || !(labels[k] < minimum)) continue;
      minimum = labels[k];
      found = first + k;
    }
  }
  return found;
}

template <bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void thread_dijkstra(const ThreadDijkstraArgs<V, L>& a) {
  const i64 source = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (source >= a.size) return;
  Counts<kTraced> counts;
  int step = 0;
  for (; step < a.steps; ++step) {
    L base;
    const i64 u = nearest(a, source, base);
    if (u < 0) break;
    a.visited[u * a.size + source] = 1;
    counts.selected();
    const L* weight = a.matrix + u * a.n;
    counts.read(static_cast<unsigned>(a.n));
    for (i64 first = 0; first < a.n; first += kTogether) {
      L weights[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k)
        weights[k] = first + k < a.n ? weight[first + k] : never<L>();
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        if (weights[k] == never<L>()) continue;
        const i64 at = (first + k) * a.size + source;
        L sum;
        if (a.visited[at]) continue;
        counts.relaxed();
        if (!extend(base, weights[k], sum) || !(sum < a.dist[at])) continue;
        a.dist[at] = sum;
        if (kPaths) a.pred[at] = static_cast<V>(u);
        counts.improved();
      }
    }
  }
  if (step == a.steps) store_relaxed(a.left, 1);
  counts.report(a.counters);
}

}  // namespace warpath
