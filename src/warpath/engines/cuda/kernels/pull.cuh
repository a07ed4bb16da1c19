// pull.cuh - every unsettled vertex looks for the frontier among its predecessors.
//
// Work     one look per in-edge of an unsettled vertex, one relaxation per frontier predecessor.
// Traffic  per in-edge 4 B in order and 1 B at random (the frontier flag); 8 B + 8 B more for those
//          in the frontier. Labels that fall cross the bus if the host has a copy of them.
// Tiles    of kBlock vertices.
// Shared   SharedBounds: 8 (kBlock + 1) B.
// Races    none: a thread writes the label of its own vertex, which is unsettled, and reads labels
//          of frontier vertices (or, for leaves, of vertices with out-edges), which nobody writes.
// Source   Martin et al. 2009 figure 3 (relax_U) and section 4.2 (shared offsets, cached flags);
//          the Johnson paper, section 4.1 (vertices without out-edges are assigned at the end).
#pragma once

#include "grid.cuh"

namespace warpath {

/// The bounds of a thread's in-edges from global memory, frontier flags by plain loads.
template <int kBlock>
struct GlobalBounds {
  static constexpr bool kShared = false;
  static __device__ void find(const i64* indptr, i64 n, i64 i, i64& first, i64& last) {
    if (i >= n) return;
    first = indptr[i];
    last = indptr[i + 1];
  }
  static __device__ u8 flag(const u8* flags, i64 u) { return flags[u]; }
};

/// [shared memory] Each offset is read once by its block.
template <int kBlock>
struct SharedBounds {
  static constexpr bool kShared = true;
  static __device__ void find(const i64* indptr, i64 n, i64 i, i64& first, i64& last) {
    WARPATH_SHARED(i64, offsets, kBlock + 1);
    const int t = threadIdx.x;
    __syncthreads();  // those of the last tile have been read
    if (i < n) {
      offsets[t] = indptr[i];
      if (t == kBlock - 1 || i == n - 1) offsets[t + 1] = indptr[i + 1];
    }
    __syncthreads();
    if (i >= n) return;
    first = offsets[t];
    last = offsets[t + 1];
  }
  static __device__ u8 flag(const u8* flags, i64 u) { return flags[u]; }
};

/// [and textures] Flags that do not change while the kernel runs, by the read-only path: what
/// became of the texture cache.
template <int kBlock>
struct SharedBoundsTextureFlags : SharedBounds<kBlock> {
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
};

/// A vertex and its in-edges.
struct Reader {
  u8 unsettled;
  i64 first, last;
};

/// Lowers the label of a vertex and returns it; never for one that is settled.
template <class Bounds, class Counting, class V, class W, class L>
__device__ __forceinline__ L pull_vertex(const PullArgs<V, W, L>& a, i64 i, Reader vertex,
                                         Counting& counts) {
  if (!vertex.unsettled) return never<L>();
  const i64 first = vertex.first, last = vertex.last;
  const L before = a.dist[i];
  L best = before;
  counts.read(static_cast<unsigned>(last - first));
  // The flags of several predecessors are requested together: each takes as long as all.
  constexpr int kAtOnce = 4;
  for (i64 e = first; e < last; e += kAtOnce) {
    V u[kAtOnce];
    u8 flags[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) u[k] = a.indices[min(e + k, last - 1)];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) flags[k] = Bounds::flag(a.frontier, u[k]);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (e + k >= last || !flags[k]) continue;
      const L base = a.dist[u[k]];
      L sum;
      if (base == never<L>()) continue;
      counts.relaxed();
      if (extend(base, a.weights[e + k], sum) && sum < best) {
        best = sum;
        counts.improved();
      }
    }
  }
  if (best < before) {
    a.dist[i] = best;
    if (a.host_dist) a.host_dist[i] = best;
  }
  return best;
}

/// Lowers the labels of a tile, a vertex a thread, and returns the thread's one.
template <class Bounds, int kBlock, class Counting, class V, class W, class L>
__device__ __forceinline__ L pull(const PullArgs<V, W, L>& a, i64 tile, Counting& counts) {
  const i64 i = tile * kBlock + threadIdx.x;
  Reader vertex{0, 0, 0};
  Bounds::find(a.indptr, a.n, i, vertex.first, vertex.last);
  if (i >= a.n) return never<L>();
  vertex.unsettled = a.unsettled[i];
  return pull_vertex<Bounds>(a, i, vertex, counts);
}

}  // namespace warpath
