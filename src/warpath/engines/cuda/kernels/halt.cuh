// halt.cuh - how a kernel that runs for long learns that it must end, and says how it ended.
//
// `halt` are two words of the device: whether to end, and how many blocks have ended.
//
// The host writes `halt` by a copy beside the running kernel, when Ctrl-C was pressed or a solve
// has taken longer than any can. A kernel that sees it leaves its loops in all blocks; labels and
// buffers are then worth nothing and are thrown away.
#pragma once

#include "base.cuh"

namespace warpath {

/// What a kernel says in its word 0: `Ended` of engines/cuda/flight.py.
enum Ended { kDone = 0, kHalted = 1, kLost = 2, kPaused = 3 };

/// Whether the host wants the kernel to end. One read of L2: ask once a round, and every some turns
/// of a loop that waits for other blocks.
__device__ __forceinline__ bool halted(const int* halt) { return load_relaxed(halt) != 0; }

/// Says how the kernel ended, once no block of it works any more: the host, which waits for the
/// word, may launch another one on the same buffers at once, on whatever stream. All threads call
/// it, last of all; `report` is called by one and returns word 0, having written the others.
template <class Report>
__device__ __forceinline__ void conclude(int* halt, i64* status, Report&& report) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  u32* const ended = reinterpret_cast<u32*>(halt + 1);
  __threadfence();
  if (atomicAdd(ended, 1u) + 1 != gridDim.x) return;
  store_relaxed(ended, 0u);
  __threadfence();
  const i64 how = report();
  __threadfence_system();
  *static_cast<volatile i64*>(status) = how;
}

}  // namespace warpath
