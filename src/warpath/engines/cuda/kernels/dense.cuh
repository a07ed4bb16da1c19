// dense.cuh - the same two relaxations over an adjacency matrix.
//
// Work     n entries for each frontier vertex (push) or unsettled vertex (pull).
// Traffic  one label's size per entry; in pull neighbouring threads read neighbouring entries, in
//          push each thread walks a row of its own.
// Tiles    of kBlock vertices.
// Shared   pull: kBlock labels and flags; push: kBlock flags.
// Races    push lowers labels as Write does, see push.cuh. Labels that are staged for pull may be
// written by
//          their own threads meanwhile, but only those of frontier vertices are used, which nobody
//          writes.
// Source   Martin et al. 2009 section 5.
#pragma once

#include "base.cuh"

namespace warpath {

template <class L>
struct DenseArgs {
  i64 n;
  const L* matrix;  // n x n: the weight of u -> v at u n + v, or never
  L* dist;
  const u8* frontier;   // n
  const u8* unsettled;  // n
};

/// [U, by columns] A thread looks through its column; the block stages chunks of f and c.
template <int kBlock, class Counting, class L>
__device__ __forceinline__ void pull_dense(const DenseArgs<L>& a, i64 tile, Counting& counts) {
  WARPATH_SHARED(u8, frontier, kBlock);
  WARPATH_SHARED(L, labels, kBlock);
  const i64 v = tile * kBlock + threadIdx.x;
  const bool looks = v < a.n && a.unsettled[v];
  L best = looks ? load_relaxed(a.dist + v) : never<L>();
  const L before = best;
  for (i64 chunk = 0; chunk < a.n; chunk += kBlock) {
    const i64 staged = chunk + threadIdx.x;
    __syncthreads();
    if (staged < a.n) {
      frontier[threadIdx.x] = a.frontier[staged];
      labels[threadIdx.x] = load_relaxed(a.dist + staged);
    }
    __syncthreads();
    if (!looks) continue;
    const i64 held = min(static_cast<i64>(kBlock), a.n - chunk);
    for (i64 k = 0; k < held; ++k) {
      if (!frontier[k]) continue;
      const L weight = a.matrix[(chunk + k) * a.n + v];
      counts.read();
      L sum;
      if (weight == never<L>()) continue;
      counts.relaxed();
      if (extend(labels[k], weight, sum) && sum < best) {
        best = sum;
        counts.improved();
      }
    }
  }
  if (best < before) store_relaxed(a.dist + v, best);
}

/// [F, by rows] A thread of the frontier walks its row; the block stages chunks of u.
template <class Write, int kBlock, class Counting, class L>
__device__ __forceinline__ void push_dense(const DenseArgs<L>& a, i64 tile, Counting& counts) {
  WARPATH_SHARED(u8, unsettled, kBlock);
  const i64 u = tile * kBlock + threadIdx.x;
  const bool pushes = u < a.n && a.frontier[u];
  const L base = pushes ? load_relaxed(a.dist + u) : never<L>();
  for (i64 chunk = 0; chunk < a.n; chunk += kBlock) {
    const i64 staged = chunk + threadIdx.x;
    __syncthreads();
    if (staged < a.n) unsettled[threadIdx.x] = a.unsettled[staged];
    __syncthreads();
    if (!pushes) continue;
    const i64 held = min(static_cast<i64>(kBlock), a.n - chunk);
    for (i64 k = 0; k < held; ++k) {
      if (!unsettled[k]) continue;
      const L weight = a.matrix[u * a.n + chunk + k];
      counts.read();
      L sum;
      if (weight == never<L>()) continue;
      counts.relaxed();
      if (extend(base, weight, sum) && Write::lower(a.dist + chunk + k, sum)) counts.improved();
    }
  }
}

}  // namespace warpath
