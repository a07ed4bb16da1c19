// patch_schedule.cuh - which patch a block visits next, and the block that raises the threshold.
#pragma once

#include "halt.cuh"
#include "table.cuh"

namespace warpath {

enum PatchState : int { kVisiting = 0, kAtRest = 1, kStopped = 2 };

constexpr u64 kVisit = u64{1} << 32;
constexpr int kRow = 8;

template <class W, class L>
struct PatchArgs {
  i64 n, size;  // vertices; slots
  int patches;
  u32 source;
  const u32* places;  // n: the place of each vertex
  const u32* table;   // kRow a patch: first place, vertices; first slot, slots; edges; exits
  const u32* begin;   // n + 1: the first inner edge of each place
  const u16* targets;
  const W* weights;
  const u16* tails;       // of edges that leave it: the number of the vertex that they leave from
  const u32* slots;       // where they lead
  const u32* owners;      // the patch that they lead to
  const W* exit_weights;  // their weights
  int edge_room, exit_room;  // edges that stay, and that leave, which shared memory has room for
  L delta;
  L cutoff;        // labels above it are not kept
  L* labels;       // n, by places: of the patches that lie in no block's memory
  u32* unsettled;  // a bit per vertex, likewise: lowered since it was last relaxed
  L* received;     // of each slot: the minimum label that other patches sent
  L* pending;      // of each patch: the minimum label received since its last visit
  L* left;         // of each patch: the minimum label its last visit left unrelaxed
  L* minimum;      // of each block: the minimum waiting label that it last reported
  u64* open;       // see Races in patches.cuh
  L* threshold;    // visits relax labels below it
  int* state;      // PatchState
  u32* arrived;    // of the grid's barrier
  int* lost;       // set to 1 where a sum does not fit the labels
  u64* counts;     // visits, relaxations
  int* halt;
  i64* status;  // for the host: how the kernel ended, visits, relaxations
  L* dist;      // n, by vertices
};

/// Reads shared memory that another thread of the block may write at the same time. Volatile,
/// because NVRTC compiles an atomic load to a generic one.
template <class T>
__device__ __forceinline__ T load_block(const T* place) {
#ifdef WARPATH_EMULATED
  return load_relaxed(place);
#else
  return *static_cast<const volatile T*>(place);
#endif
}

/// Replaces a label and returns the old one.
__device__ __forceinline__ int atomic_exchange(int* place, int value) {
  return atomicExch(place, value);
}
__device__ __forceinline__ float atomic_exchange(float* place, float value) {
  return atomicExch(place, value);
}
__device__ __forceinline__ i64 atomic_exchange(i64* place, i64 value) {
  return static_cast<i64>(atomicExch(reinterpret_cast<u64*>(place), static_cast<u64>(value)));
}
__device__ __forceinline__ double atomic_exchange(double* place, double value) {
  return __longlong_as_double(
      atomic_exchange(reinterpret_cast<i64*>(place), __double_as_longlong(value)));
}

template <class L>
__device__ __forceinline__ L warp_minimum(L value) {
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

/// Raises the threshold while the other blocks visit patches; ends the solve when none is waiting.
template <int kBlock, class W, class L>
__device__ void coordinate(const PatchArgs<W, L>& a) {
  WARPATH_SHARED(L, found, kBlock / 32);
  WARPATH_SHARED(int, over, 1);
  const int others = static_cast<int>(gridDim.x) - 1;
  L threshold = above(L{0}, a.delta), before = L{0};
  for (;;) {
    L low = never<L>();
    for (int i = threadIdx.x; i < others; i += kBlock) low = min(low, load_relaxed(a.minimum + i));
    low = warp_minimum(low);
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = low;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < kBlock / 32; ++w) low = min(low, found[w]);
      over[0] = 0;
      // A label in transit from one block to another may be missed by one pass over the blocks, so
      // the smaller result of two passes is used.
      const L safe = min(low, before);
      before = low;
      const L next = above(safe, a.delta);
      if (safe != never<L>() && threshold < next) {
        threshold = next;
        store_relaxed(a.threshold, threshold);
      }
      const bool stopped = halted(a.halt);
      if (stopped || load_relaxed(a.open) == 0) {
        store_relaxed(a.state, static_cast<int>(stopped ? kStopped : kAtRest));
        over[0] = 1;
      }
    }
    __syncthreads();
    if (over[0]) return;
  }
}

/// The first patch of a block of threads; the block's patches end before the next block's first.
__device__ __forceinline__ int first_patch(u32 block, int patches) {
  return static_cast<int>(static_cast<i64>(min(block, gridDim.x - 1)) * patches / (gridDim.x - 1));
}

/// The choice of a block's first warp; the patch is -1 when the solve has ended.
template <class L>
struct Choice {
  int patch;
  L threshold;
};

/// Waits until a patch of the block has a label below the threshold; the first warp calls it.
template <class W, class L>
__device__ __forceinline__ Choice<L> choose(const PatchArgs<W, L>& a, int first, int mine,
                                            L* reported) {
  const int lane = threadIdx.x;
  __syncwarp();  // the first lane has written `left` of the last visit
  for (;;) {
    L best = never<L>();
    int at = first;
#pragma unroll 4
    for (int p = first + lane; p < first + mine; p += 32) {
      const L waits = min(load_relaxed(a.pending + p), a.left[p]);
      if (waits < best) {
        best = waits;
        at = p;
      }
    }
    const L threshold = load_relaxed(a.threshold);
    const int state = load_relaxed(a.state);
    for (int step = 16; step > 0; step /= 2) {
      const L label = __shfl_xor_sync(~0u, best, step);
      const int patch = __shfl_xor_sync(~0u, at, step);
      if (label < best || (label == best && patch < at)) {
        best = label;
        at = patch;
      }
    }
    // Volatile, or the compiler lets all lanes read what the first is about to write.
    if (lane == 0 && best != *static_cast<volatile L*>(reported)) {
      *reported = best;
      store_relaxed(a.minimum + blockIdx.x, best);
    }
    const int over = __shfl_sync(~0u, state, 0);
    if (over != kVisiting) return {-1, threshold};
    const L below = __shfl_sync(~0u, threshold, 0);
    if (best < below) return {at, below};
#ifdef WARPATH_EMULATED
    __nanosleep(0);
#endif
  }
}

}  // namespace warpath
