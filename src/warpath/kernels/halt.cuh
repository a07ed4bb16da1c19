// halt.cuh - how a kernel that runs for long learns that it must end, and says how it ended.
//
// The host writes `halt` by a copy beside the running kernel, when Ctrl-C was pressed or a solve
// has taken longer than any can. A kernel that sees it leaves its loops in all blocks; labels and
// buffers are then worth nothing and are thrown away.
#pragma once

#include "base.cuh"

namespace warpath {

/// What a kernel says in its word 0: `Ended` of engines/cuda/flight.py.
enum Ended { kDone = 0, kHalted = 1, kLost = 2 };

/// Whether the host wants the kernel to end. One read of L2: ask once a round, and every some turns
/// of a loop that waits for other blocks.
__device__ __forceinline__ bool halted(const int* halt) { return load_relaxed(halt) != 0; }

}  // namespace warpath
