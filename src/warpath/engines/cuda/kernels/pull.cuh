// pull.cuh - every unsettled vertex looks for the frontier among its predecessors.
//
// Work     one look per in-edge of an unsettled vertex, one relaxation per frontier predecessor.
// Traffic  per in-edge 4 B in order and 1 B at random (the frontier flag); 8 B + 8 B more for those
//          in the frontier. Labels that fall cross the bus if the host has a copy of them.
// Launch   blocks * kBlock >= n.
// Shared   SharedBounds: 8 (kBlock + 1) B.
// Races    none: a thread writes the label of its own vertex, which is unsettled, and reads labels
//          of frontier vertices (or, for leaves, of vertices with out-edges), which nobody writes.
// Source   Martin et al. 2009 figure 3 (relax_U) and section 4.2 (shared offsets, cached flags);
//          the Johnson paper, section 4.1 (vertices without out-edges are assigned at the end).
#pragma once

#include "base.cuh"

namespace warpath {

/// The bounds of a thread's in-edges from global memory, frontier flags by plain loads.
template <int kBlock>
struct GlobalBounds {
  static __device__ void find(const i64* indptr, i64 n, i64 i, i64& first, i64& last) {
    if (i >= n) return;
    first = indptr[i];
    last = indptr[i + 1];
  }
  static __device__ u8 flag(const u8* flags, i64 u) { return flags[u]; }
};

/// [shared memory and textures] Each offset is read once by its block; flags go through the
/// read-only cache.
template <int kBlock>
struct SharedBounds {
  static __device__ void find(const i64* indptr, i64 n, i64 i, i64& first, i64& last) {
    WARPATH_SHARED(i64, offsets, kBlock + 1);
    const int t = threadIdx.x;
    if (i < n) {
      offsets[t] = indptr[i];
      if (t == kBlock - 1 || i == n - 1) offsets[t + 1] = indptr[i + 1];
    }
    __syncthreads();
    if (i >= n) return;
    first = offsets[t];
    last = offsets[t + 1];
  }
  static __device__ u8 flag(const u8* flags, i64 u) { return __ldg(flags + u); }
};

template <class V, class W, class L>
struct PullArgs {
  i64 n;
  const i64* indptr;  // of the in-edges
  const V* indices;
  const W* weights;
  L* dist;
  L* host_dist;         // n: the host's copy of dist, which gets what changes; or null
  const u8* frontier;   // n: the predecessors that count
  const u8* unsettled;  // n: the vertices that look
  u64* counters;
};

template <class Bounds, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void pull(const PullArgs<V, W, L>& a) {
  const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  i64 first = 0;
  i64 last = 0;
  Bounds::find(a.indptr, a.n, i, first, last);
  if (i >= a.n || !a.unsettled[i]) return;
  Counts<kTraced> counts;
  const L before = a.dist[i];
  L best = before;
  for (i64 e = first; e < last; ++e) {
    const V u = a.indices[e];
    if (!Bounds::flag(a.frontier, u)) continue;
    const L base = a.dist[u];
    L sum;
    if (base == never<L>()) continue;
    counts.relaxed();
    if (extend(base, a.weights[e], sum) && sum < best) {
      best = sum;
      counts.improved();
    }
  }
  if (best < before) {
    a.dist[i] = best;
    if (a.host_dist) a.host_dist[i] = best;
  }
  counts.report(a.counters);
}

}  // namespace warpath
