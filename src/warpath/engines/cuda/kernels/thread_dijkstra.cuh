// thread_dijkstra.cuh - Dijkstra's algorithm without a queue, one thread per source.
//
// Work     for each source and settled vertex, n labels and n entries of a row are read.
// Traffic  per label 1 B and a label, per entry a weight, a byte and a label; neighbouring threads
//          read addresses that are n apart.
// Launch   blocks * kBlock >= the sources of the batch; repeated until all sources are finished.
// Shared   none.
// Races    only on `left`, which threads set to 1 by relaxed stores. Each thread has its own rows.
// Source   Bodra & Khairnar 2025, Dijkstra.
#pragma once

#include "base.cuh"

namespace warpath {

template <class V, class L>
struct ThreadDijkstraArgs {
  i64 sources;
  i64 n;
  int steps;        // maximum vertices that a launch settles for a source
  const L* matrix;  // n x n: the weight of u -> v at u n + v, or never
  L* dist;          // sources x n
  u8* visited;      // sources x n
  V* pred;          // sources x n, for kPaths
  int* left;        // set to 1 if a source is not finished
  u64* counters;
};

/// The unvisited vertex with the minimum label, or -1 if none is reachable.
template <class L>
__device__ __forceinline__ i64 nearest(const L* dist, const u8* visited, i64 n) {
  i64 found = -1;
  L minimum = never<L>();
  for (i64 v = 0; v < n; ++v) {
    if (visited[v] || !(dist[v] < minimum)) continue;
    minimum = dist[v];
    found = v;
  }
  return found;
}

template <bool kPaths, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void thread_dijkstra(const ThreadDijkstraArgs<V, L>& a) {
  const i64 source = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (source >= a.sources) return;
  L* dist = a.dist + source * a.n;
  u8* visited = a.visited + source * a.n;
  Counts<kTraced> counts;
  int step = 0;
  for (; step < a.steps; ++step) {
    const i64 u = nearest(dist, visited, a.n);
    if (u < 0) break;
    visited[u] = 1;
    counts.selected();
    const L base = dist[u];
    for (i64 v = 0; v < a.n; ++v) {
      const L weight = a.matrix[u * a.n + v];
      L sum;
      if (visited[v] || weight == never<L>()) continue;
      counts.relaxed();
      if (!extend(base, weight, sum) || !(sum < dist[v])) continue;
      dist[v] = sum;
      if (kPaths) a.pred[source * a.n + v] = static_cast<V>(u);
      counts.improved();
    }
  }
  if (step == a.steps) store_relaxed(a.left, 1);
  counts.report(a.counters);
}

}  // namespace warpath
