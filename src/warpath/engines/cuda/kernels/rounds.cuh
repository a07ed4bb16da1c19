// rounds.cuh - rounds that one launch drives: its phases, when it must stop, and its trace.
//
// A recipe's round consists of phases, and each phase of tiles: the blocks of the published kernel.
// All blocks of the grid run at once. They take a phase's tiles one by one and wait for each other
// at its end. Every block computes the next phase from the same numbers. A launch makes at most
// `most` rows of a trace, which may be one more at its last turn: the host then takes them, and
// launches the kernel again, which goes on from `state`.
//
// Races    Words of RoundControl that blocks write in a turn of the loop (or in a phase) and read
//          after its barrier have three places, used in turn: the place of the next turn is cleared
//          in this one, when all blocks have passed the barrier behind which they last read it.
#pragma once

#include "round_control.cuh"

namespace warpath {

/// What every block knows of a solve. A turn of the loop is a round, or work between two rounds.
template <bool kTraced, int kBlock>
class Rounds {
 public:
  using Counting = Counts<kTraced>;

  i64 turn = 0;
  i64 round = 0;  // rounds that ended, in all launches

  __device__ explicit Rounds(const RoundArgs& args)
      : a_(args), c_(args.control), began_(ticks()), last_(began_), nanoseconds_(nanoseconds()) {}

  __device__ bool leader() const { return blockIdx.x == 0 && threadIdx.x == 0; }

  /// Returns what the last launch left, or `first`. All blocks wait for each other: the words of
  /// the control are clear, and what blocks wrote before can be read.
  template <class State>
  __device__ State begin(const State& first) {
    State state = first;
    if (a_.goes_on) {
      state = *reinterpret_cast<const State*>(a_.state + 2);
      turn = a_.state[0];
      round = a_.state[1];
    }
    if (leader()) {
      for (int i = 0; i < 3; ++i) {
        c_->stop[i] = c_->changed[i] = 0;
        c_->queued[i] = 0;
        c_->ticket[i] = 0;
        for (int k = 0; k < kCounters; ++k) c_->counters[i][k] = 0;
      }
    }
    if (kTraced && threadIdx.x < kCounters) block_counters()[threadIdx.x] = 0;
    wait();
    return state;
  }

  /// Begins a turn, which has at least one phase. False where the launch must end before it.
  __device__ bool begin_turn() {
    if (rows_ >= a_.most || turn >= a_.limit || stopped_) return false;
    const int next = static_cast<int>((turn + 1) % 3);
    if (leader()) {
      store_relaxed(c_->stop + turn % 3, halted(a_.halt) ? 1 : 0);
      c_->changed[next] = 0;
      c_->queued[next] = 0;
      for (int k = 0; k < kCounters; ++k) c_->counters[next][k] = 0;
    }
    return true;
  }

  /// Ends a turn behind its last barrier.
  __device__ void end_turn() {
    stopped_ = load_relaxed(c_->stop + turn % 3) != 0;
    ++turn;
  }

  /// Waits for all blocks; what they wrote before can then be read.
  __device__ void wait() { meet(&c_->arrived); }

  /// Gives out tiles 0 to tiles - 1, one at a time to each block, and waits for all.
  template <class Tile>
  __device__ void phase(i64 tiles, Tile&& tile) {
    deal(tiles, tile);
    wait();
  }

  /// The same where threads count. Without kDealt each block has its tiles beforehand, and its
  /// warps do not wait for each other between two.
  template <bool kDealt = true, class Tile>
  __device__ void counted_phase(i64 tiles, Tile&& tile) {
    Counting counts;
    if constexpr (kDealt)
      deal(tiles, [&](i64 at) { tile(at, counts); });
    else
      for (i64 at = blockIdx.x; at < tiles; at += gridDim.x) tile(at, counts);
    end_phase(counts);
  }

  /// Reports what a thread counted in a phase, and waits for all blocks.
  __device__ void end_phase(const Counting& counts) {
    report(counts);
    wait();
  }

  /// Reports what all threads of the block counted, by one atomic for each counter.
  __device__ void report(const Counting& counts) {
    if constexpr (kTraced) {
      counts.report_together(block_counters());
      __syncthreads();
      if (threadIdx.x >= kCounters) return;
      u64& sum = block_counters()[threadIdx.x];
      if (sum != 0) atomicAdd(counters() + threadIdx.x, sum);
      sum = 0;
    }
  }

  /// Calls `item` for 0 to count - 1, each by one thread, and waits for all blocks.
  template <class Item>
  __device__ void for_each(i64 count, Item&& item) {
    each(count, item);
    wait();
  }

  /// The same without waiting.
  template <class Item>
  __device__ void each(i64 count, Item&& item) const {
    const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
    for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += stride)
      item(i);
  }

  /// The same in two steps, of which the first, `load`, is made for several items together: each of
  /// its reads takes as long as all.
  template <class Load, class Item>
  __device__ void each(i64 count, Load&& load, Item&& item) const {
    constexpr int kAtOnce = 4;
    const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
    for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < count;
         i += kAtOnce * stride) {
      decltype(load(i)) loaded[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (i + k * stride < count) loaded[k] = load(i + k * stride);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (i + k * stride < count) item(i + k * stride, loaded[k]);
    }
  }

  /// Returns 0 and 1 in turn, the same in every block.
  __device__ u32 other() {
    other_ = 1 - other_;
    return other_;
  }

  /// Says that a label fell, where one did for a thread of the warp, all of whose threads call it.
  __device__ void signal(bool fell) const {
    if (__any_sync(~0u, fell) && threadIdx.x % 32 == 0) store_relaxed(changed(), 1);
  }

  __device__ u64* counters() const { return c_->counters[turn % 3]; }
  __device__ int* changed() const { return c_->changed + turn % 3; }
  __device__ i64* queued() const { return c_->queued + turn % 3; }
  __device__ i64 selected() const {
    return static_cast<i64>(load_relaxed(c_->counters[turn % 3] + kSelected));
  }

  /// Adds the time since the last call to a step of the round.
  __device__ void step(int which) {
    if (!kTraced || !leader()) return;
    const i64 now = ticks();
    steps_[which] += now - last_;
    last_ = now;
  }

  /// Ends a round, after the last phase in which it counts; returns its row for sizes, or null.
  __device__ i64* end_round(int phase, i64 selected) {
    ++round;
    return add_row(phase, selected);
  }

  /// Adds a row of a phase that is no round, or that of a round; returns it for sizes, or null.
  __device__ i64* add_row(int phase, i64 selected) {
    i64* row = nullptr;
    if (kTraced && leader()) {
      row = a_.trace + rows_ * a_.width;
      row[kPhaseOfRow] = phase;
      row[kCountersOfRow] = selected;
      for (int k = kRelaxed; k <= kRead; ++k)
        row[kCountersOfRow + 1 + k] = static_cast<i64>(load_relaxed(c_->counters[turn % 3] + k));
      for (int k = 0; k < kSteps; ++k) {
        row[kTicksOfRow + k] = steps_[k];
        steps_[k] = 0;
      }
      row += kSizesOfRow;
    }
    ++rows_;
    return row;
  }

  /// Ends the launch; `rest`: the solve came to rest, `state`: where the next launch goes on.
  template <class State>
  __device__ void end(bool rest, bool done, const State& state) {
    if (leader() && !done) {
      a_.state[0] = turn;
      a_.state[1] = round;
      *reinterpret_cast<State*>(a_.state + 2) = state;
    }
    conclude(a_.halt, a_.status, [&] {
      a_.status[1] = round;
      a_.status[2] = rest;
      a_.status[3] = rows_;
      a_.status[4] = nanoseconds() - nanoseconds_;
      a_.status[5] = ticks() - began_;
      if (done) return kDone;
      return stopped_ || turn >= a_.limit ? kHalted : kPaused;
    });
  }

 private:
  static constexpr int kSteps = kSizesOfRow - kTicksOfRow;

  /// What the block has counted since it last reported.
  static __device__ u64* block_counters() {
    WARPATH_SHARED(u64, counted, kCounters);
    return counted;
  }

  template <class Tile>
  __device__ void deal(i64 tiles, Tile&& tile) {
    WARPATH_SHARED(u64, given, 2);
    u64* const ticket = c_->ticket + phase_ % 3;
    if (leader()) store_relaxed(c_->ticket + (phase_ + 1) % 3, u64{0});
    ++phase_;
    i64 at = blockIdx.x;
    if (tiles <= gridDim.x) {
      if (at < tiles) tile(at);
      return;
    }
    for (u32 turn = 0; at < tiles; ++turn) {
      // The next tile is requested before this one is worked on: the answer takes as long.
      if (threadIdx.x == 0) given[turn % 2] = gridDim.x + atomicAdd(ticket, u64{1});
      tile(at);
      __syncthreads();
      at = static_cast<i64>(given[turn % 2]);
    }
  }

  const RoundArgs& a_;
  RoundControl* const c_;
  i64 began_, last_, nanoseconds_;
  i64 rows_ = 0;  // of the trace, in this launch
  u32 phase_ = 0, other_ = 0;
  bool stopped_ = false;
  i64 steps_[kSteps] = {};
};

}  // namespace warpath
