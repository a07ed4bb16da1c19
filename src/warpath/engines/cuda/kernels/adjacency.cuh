// adjacency.cuh - a graph's rows laid out as a matrix of labels.
//
// Work     one comparison per edge.
// Traffic  per edge 8 B in order and an entry at random; with predecessors two.
// Launch   blocks * kBlock >= n.
// Shared   none.
// Races    none: each thread has its own row.
// Source   Bodra & Khairnar 2025, Dijkstra and Floyd-Warshall (adjacency matrix).
#pragma once

#include "base.cuh"

namespace warpath {

/// Whether a label means unreachable: inf, or half of an integer's range, so that the sum of two
/// such labels fits. Lengths are below a quarter of the range.
template <class L>
__device__ __forceinline__ bool no_path(L label) {
  return label >= never<L>() / 4;
}

template <class V, class W, class L>
struct LayoutArgs {
  i64 n;
  const i64* indptr;
  const V* indices;
  const W* weights;
  L* dist;  // n x n, filled with the label for no edge
  V* pred;  // n x n, filled with -1; for kPaths
};

/// Writes the lightest edge of each pair, and 0 from each vertex to itself.
template <bool kPaths, int kBlock, class V, class W, class L>
__device__ __forceinline__ void lay_out(const LayoutArgs<V, W, L>& a) {
  const i64 u = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (u >= a.n) return;
  a.dist[u * a.n + u] = L{0};
  for (i64 e = a.indptr[u]; e < a.indptr[u + 1]; ++e) {
    const i64 v = a.indices[e];
    const L weight = static_cast<L>(a.weights[e]);
    if (!(weight < a.dist[u * a.n + v])) continue;  // loops too: no weight is negative
    a.dist[u * a.n + v] = weight;
    if (kPaths) a.pred[u * a.n + v] = static_cast<V>(u);
  }
}

}  // namespace warpath
