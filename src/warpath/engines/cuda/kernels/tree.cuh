// tree.cuh - results from final labels: distances in the requested type, and the tree.
//
// Work     distances: a label per vertex. tree: a test per edge, a minimum per tight edge. rooted:
//          a test per vertex.
// Traffic  tree, per edge: 8 B in order (index, weight) and a label at random; per vertex 8 B of
//          offset and its label; a read and a minimum at random for each tight edge.
//          [int32 indices and weights]
// Launch   distances, rooted: blocks * kBlock >= n. tree: blocks * kBlock * kItems >= m.
// Shared   tree: two words, for the map.
// Races    Predecessors are lowered by atomic_min, so their order does not matter; a stale one is
//          too large and only costs the minimum. `missing` is set to 1 and never cleared.
// Source   rule 2 of docs/decisions/0004-unreachable-and-the-tree.md.
#pragma once

#include "balanced_map.cuh"
#include "table.cuh"

namespace warpath {

template <class L>
struct DistancesArgs {
  i64 n;
  const L* labels;
  L cutoff;  // larger labels are unreachable
  Out<L> out;
};

template <int kBlock, class L>
__device__ __forceinline__ void distances(const DistancesArgs<L>& a) {
  const i64 v = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (v >= a.n) return;
  const L label = a.labels[v];
  a.out.put(v, label > a.cutoff ? never<L>() : label);
}

template <class V, class W, class L>
struct TreeArgs {
  Work<V> work;
  const V* indices;
  const W* weights;
  const L* dist;
  V* pred;  // n: the largest V before the launch
};

/// Whether dist + weight equals the other label exactly; `dist` must not be unreachable.
template <class W>
__device__ __forceinline__ bool tight(int dist, W weight, int other) {
  return static_cast<i64>(dist) + static_cast<i64>(weight) == other;
}
template <class W, class L>
__device__ __forceinline__ bool tight(L dist, W weight, L other) {
  L sum;
  return extend(dist, weight, sum) && sum == other;
}

/// Gives every vertex its smallest predecessor over a tight edge of positive length.
template <class Map, class V, class W, class L>
__device__ __forceinline__ void tree(const TreeArgs<V, W, L>& a) {
  Work<V> work = a.work;
  work.edges = work.offsets[work.size];
  Map::for_each_edge(blockIdx.x, work, Rows<V>{work.offsets}, [&](V u, i64 e, i64) {
    const L before = a.dist[u];
    if (before == never<L>()) return;
    const V v = a.indices[e];
    const L label = a.dist[v];
    if (before < label && label != never<L>() && tight(before, a.weights[e], label) &&
        u < load_relaxed(a.pred + v))
      atomic_min(a.pred + v, u);
  });
}

template <class V, class L>
struct RootedArgs {
  i64 n;
  V source;
  const L* dist;
  V* pred;
  int* missing;  // set to 1 if all tight edges of a reached vertex have length 0
};

/// Sets the predecessor of vertices without one to -1.
template <int kBlock, class V, class L>
__device__ __forceinline__ void rooted(const RootedArgs<V, L>& a) {
  const i64 v = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (v >= a.n || a.pred[v] != never<V>()) return;
  a.pred[v] = -1;
  if (v != a.source && a.dist[v] != never<L>()) store_relaxed(a.missing, 1);
}

}  // namespace warpath
