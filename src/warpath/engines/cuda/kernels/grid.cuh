// grid.cuh - a barrier for all threads of a grid whose blocks run at the same time.
#pragma once

#include "base.cuh"

namespace warpath {

/// Waits until every thread of the grid is here; what was written before is seen after it.
///
/// The top bit of the counter changes when the last block arrives: all but the first add 1, and the
/// first adds what is missing to 2^31.
__device__ __forceinline__ void meet(u32* arrived) {
#ifdef WARPATH_EMULATED
  static_cast<void>(arrived);
  grid_barrier();
#else
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 mine = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
    __threadfence();
    const u32 before = atomicAdd(arrived, mine);
    while (((before ^ load_relaxed(arrived)) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
#endif
}

/// Loads what may change meanwhile, perhaps as it was at the last barrier of the grid: it may come
/// from the multiprocessor's own cache, which that barrier empties.
template <class T>
__device__ __forceinline__ T load_older(const T* place) {
#ifdef WARPATH_EMULATED
  return load_relaxed(place);
#else
  return __ldca(place);
#endif
}

}  // namespace warpath
