// halt.cuh - how the host stops a long-running kernel, and how a kernel reports that it has ended.
//
// `halt` points to two words on the device: whether the kernel must end, and how many blocks have
// ended.
//
// The host sets the first word by a copy on another stream after Ctrl-C or when a solve exceeds its
// time limit. All blocks of the kernel then leave their loops. Labels and buffers are invalid
// afterwards and are discarded.
#pragma once

#include "base.cuh"

namespace warpath {

/// Status word 0 of a kernel: `Ended` of engines/cuda/flight.py.
enum Ended { kDone = 0, kHalted = 1, kLost = 2, kPaused = 3 };

/// Whether the host has asked the kernel to end. Costs one read of L2: call it once a round, and
/// once in several iterations of a loop that waits for other blocks.
__device__ __forceinline__ bool halted(const int* halt) { return load_relaxed(halt) != 0; }

/// Writes how the kernel ended after its last block has finished: the host, which waits for this
/// word, may then launch another kernel on the same buffers, on any stream. All threads call it as
/// their last action. One thread calls `report`, which writes the other words and returns word 0.
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
