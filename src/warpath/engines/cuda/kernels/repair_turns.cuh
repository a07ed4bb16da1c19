// repair_turns.cuh - the turns of a repair, between which all blocks wait, and what they share.
//
// Races    Of three slots one is read in a turn, one counts, and the third is cleared; they rotate
//          from turn to turn.
#pragma once

#include "grid.cuh"
#include "halt.cuh"

namespace warpath {

struct RepairControl {
  struct Slot {
    u32 count;    // vertices on the list that a turn makes; 1 if there is work left
    u32 settled;  // vertices whose edges the turn relaxed
    u32 halted;   // 1 if the host has asked the kernel to end
  };
  Slot slots[3];
  u32 lost;  // 1 if a sum did not fit the labels
  u64 counters[3];
  u32 arrived;
};

/// A repair as a block sees it. All threads of the grid make the same turns.
class Turns {
 public:
  const int lane, warp, warps;  // of the grid; consecutive warps belong to different blocks

  __device__ Turns(RepairControl* control, const int* halt)
      : lane(threadIdx.x % 32),
        warp(static_cast<int>(threadIdx.x / 32 * gridDim.x + blockIdx.x)),
        warps(static_cast<int>(blockDim.x / 32 * gridDim.x)),
        c_(control),
        halt_(halt) {
    if (!leader()) return;
    for (int slot = 0; slot < 3; ++slot) c_->slots[slot] = {0, 0, 0};
    c_->lost = 0;
    for (int i = 0; i < 3; ++i) c_->counters[i] = 0;
  }

  __device__ bool leader() const { return blockIdx.x == 0 && threadIdx.x == 0; }
  __device__ bool stopped() const { return stopped_; }

  /// What this turn counts. The first turn counts nothing.
  __device__ u32* count() const { return &c_->slots[(turn_ + 1) % 3].count; }

  __device__ u32* settled() const { return &c_->slots[(turn_ + 1) % 3].settled; }
  __device__ i64 all_settled() const { return all_settled_; }

  /// Ends a turn; returns what it has counted.
  __device__ u32 end() {
    WARPATH_SHARED(RepairControl::Slot, shared, 1);
    if (leader()) {
      c_->slots[(turn_ + 2) % 3] = {0, 0, 0};
      if (halted(halt_)) store_relaxed(&c_->slots[(turn_ + 1) % 3].halted, 1u);
    }
    meet(&c_->arrived);
    ++turn_;
    const RepairControl::Slot* const slot = c_->slots + turn_ % 3;
    if (threadIdx.x == 0)
      *shared = {load_relaxed(&slot->count), load_relaxed(&slot->settled),
                 load_relaxed(&slot->halted)};
    __syncthreads();
    stopped_ = stopped_ || shared->halted != 0;
    all_settled_ += shared->settled;
    return shared->count;
  }

  /// Calls take(i) for each i in [0, count) by one thread. All lanes of a warp call it equally
  /// often; i is `count` or more for those without an item.
  template <class Take>
  __device__ void each_lane(i64 count, Take&& take) const {
    for (i64 begin = static_cast<i64>(warp) * 32; begin < count;
         begin += static_cast<i64>(warps) * 32)
      take(begin + lane);
  }

  /// Calls take(i) for each i in [0, count) by one warp.
  template <class Take>
  __device__ void each_warp(u32 count, Take&& take) const {
    for (u32 i = static_cast<u32>(warp); i < count; i += static_cast<u32>(warps)) take(i);
  }

  /// Returns a place on the list that this turn makes to each lane with `wanted`; all lanes of a
  /// warp call it.
  __device__ u32 place(bool wanted) const {
    const u32 mask = __ballot_sync(~0u, wanted);
    if (mask == 0) return 0;
    u32 at = 0;
    if (lane == 0) at = atomicAdd(count(), static_cast<u32>(__popc(mask)));
    return __shfl_sync(~0u, at, 0) + __popc(mask & ((1u << lane) - 1));
  }

  /// Adds the vertices of lanes with `wanted` to the list that this turn makes.
  __device__ void append(int* list, bool wanted, int v) const {
    const u32 at = place(wanted);
    if (wanted) list[at] = v;
  }

 private:
  RepairControl* const c_;
  const int* const halt_;
  u32 turn_ = 0;
  i64 all_settled_ = 0;
  bool stopped_ = false;
};

}  // namespace warpath
