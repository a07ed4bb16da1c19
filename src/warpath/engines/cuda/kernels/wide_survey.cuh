// wide_survey.cuh - statistics over all vertices after a bucket of a wide search is settled.
#pragma once

#include "wide_rows.cuh"

namespace warpath {

/// Statistics of vertices and unrelaxed edges, taken when the lists are empty.
template <class L>
struct Survey {
  L minimum;  // of the sums over unrelaxed edges
  u64 into, rest, found;
};

template <int kBlock, class W, class L>
__device__ __forceinline__ Survey<L> survey(const WideArgs<W, L>& a, int slot, u64* sums,
                                            L* minimum) {
  const int t = threadIdx.x;
  if (t < 3) sums[t] = 0;
  if (t == 0) minimum[0] = never<L>();
  __syncthreads();
  WideControl& c = *a.control;
  if (blockIdx.x == 0 && t == 0) {
    const int next = (slot + 1) % 3;
    c.into[next] = c.rest[next] = c.found[next] = 0;
    a.minimum[next] = never<L>();
  }
  u64 into = 0, rest = 0, found = 0;
  L low = never<L>();
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 v = static_cast<i64>(blockIdx.x) * kBlock + t; v < a.n; v += stride) {
    if (a.dist[v] == never<L>()) {
      if (a.into != nullptr) into += static_cast<u64>(a.into[v + 1] - a.into[v]);
      continue;
    }
    ++found;
    if (v >= a.leaves) continue;
    const RowRemainder<L> left = a.rest[v];
    if (!(left.key < a.limit)) continue;
    low = min(low, left.key);
    rest += static_cast<u64>(a.indptr[v + 1] - a.indptr[v]) - left.at;
  }
  for (int step = 16; step > 0; step /= 2) {
    into += __shfl_xor_sync(~0u, into, step);
    rest += __shfl_xor_sync(~0u, rest, step);
    found += __shfl_xor_sync(~0u, found, step);
    low = min(low, __shfl_xor_sync(~0u, low, step));
  }
  if (t % 32 == 0 && into + found != 0) {
    atomicAdd(sums, into);
    atomicAdd(sums + 1, rest);
    atomicAdd(sums + 2, found);
    if (low != never<L>()) atomic_min(minimum, low);
  }
  __syncthreads();
  if (t == 0 && sums[0] + sums[2] != 0) {
    atomicAdd(c.into + slot, sums[0]);
    atomicAdd(c.rest + slot, sums[1]);
    atomicAdd(c.found + slot, sums[2]);
    if (minimum[0] != never<L>()) atomic_min(a.minimum + slot, minimum[0]);
  }
  meet(&c.arrived);
  if (t < 3)
    sums[t] = load_relaxed(t == 0 ? c.into + slot : t == 1 ? c.rest + slot : c.found + slot);
  if (t == 0) minimum[0] = load_relaxed(a.minimum + slot);
  __syncthreads();
  return Survey<L>{minimum[0], sums[0], sums[1], sums[2]};
}

}  // namespace warpath
