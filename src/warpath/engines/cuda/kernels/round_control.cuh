// round_control.cuh - what a launch of rounds is given, what its blocks share, and its clock.
#pragma once

#include "grid.cuh"
#include "halt.cuh"

namespace warpath {

struct RoundControl {
  u32 arrived;     // of the grid's barrier
  int stop[3];     // of a turn: whether the host wants the kernel to end
  int changed[3];  // of a turn: whether a label fell
  i64 queued[3];   // of a turn: the length of the queue that it fills
  u64 ticket[3];   // of a phase: how many tiles were given out beyond the first of each block
  u64 counters[3][kCounters];  // of a turn
};

struct RoundArgs {
  i64 most;     // rows of a launch: rounds, and splits of a pile
  i64 limit;    // turns of a solve; a correct one takes fewer
  int goes_on;  // whether the launch goes on from `state`
  RoundControl* control;
  i64* state;
  i64* trace;  // `most` + 1 rows of `width`, or null
  int width;
  int* halt;
  i64* status;  // to the host: how it ended, its rounds, whether it came to rest, rows of the
                // trace, nanoseconds and ticks of the clock that the launch took
};

/// Numbers of a row of a trace before the sizes of worklists.
enum RowOfTrace { kPhaseOfRow = 0, kCountersOfRow = 1, kTicksOfRow = 5, kSizesOfRow = 9 };

#ifdef WARPATH_EMULATED
// The emulator has no clock: its traces carry no times.
__device__ __forceinline__ i64 ticks() { return 0; }
__device__ __forceinline__ i64 nanoseconds() { return 0; }
#else
__device__ __forceinline__ i64 ticks() { return clock64(); }
__device__ __forceinline__ i64 nanoseconds() {
  i64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
#endif

}  // namespace warpath
