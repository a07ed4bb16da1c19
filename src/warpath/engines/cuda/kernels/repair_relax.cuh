// repair_relax.cuh - the rounds of a repair: each block follows the vertices that it lowers.
//
// Races    A vertex is listed with its label by the thread that lowers it; an entry is stale if the
//          label has been lowered again since. Of three counters of a queue one is read in a round,
//          one counts, and the third is cleared.
#pragma once

#include "repair_labels.cuh"

namespace warpath {

constexpr u32 kQueue = 512;               // entries of a block's queue
constexpr u32 kTaken = kQueue / 2;        // entries that a block takes from the list at a time
constexpr u32 kRounds = 16;               // rounds of a block between two barriers of the grid
constexpr int kTogether = 8;              // threads that relax a row
constexpr i64 kLongRow = 16 * kTogether;  // edges from which on the whole block does

template <int kBlock, class W, class L>
struct Relaxing : LabelRepair<W, L> {
  using LabelRepair<W, L>::a;
  using LabelRepair<W, L>::counts;
  using LabelRepair<W, L>::passable;
  using LabelRepair<W, L>::sum_of;
  using LabelRepair<W, L>::turns;

  /// What the threads of a block share.
  struct Shared {
    Entry<L> queues[2][kQueue];
    u32 sizes[3];
    u32 long_rows;  // 1 if a row is left to the whole block
    u32 at;         // where the list that the grid makes goes on
  };

  /// The entries that a block lowers in a round: in its queue, or on the list where that is full.
  struct Output {
    Entry<L>* queue;
    u32* size;
    Entry<L>* list;
  };

  __device__ void relax_edge(L label, i64 e, const Output& output) {
    L sum;
    counts.relaxed();
    const int v = a.indices[e];
    if (!sum_of(label, a.weights[e], sum) || !(sum < atomic_min(a.dist + v, sum))) return;
    counts.improved();
    const u32 at = atomicAdd(output.size, 1u);
    if (at < kQueue)
      output.queue[at] = {sum, v};
    else
      put(output.list, atomicAdd(turns.count(), 1u), {sum, v});
  }

  __device__ void put(Entry<L>* list, u32 at, Entry<L> entry) const {
    if (at < a.room) list[at] = entry;
  }

  __device__ bool goes_on(const Entry<L>& entry) const {
    return passable(entry.vertex) && load_relaxed(a.dist + entry.vertex) == entry.label;
  }

  /// Relaxes the rows of a queue; all threads of the block call it.
  __device__ void relax_queue(const Entry<L>* queue, u32 count, Shared& shared,
                              const Output& output) {
    const int t = threadIdx.x;
    for (u32 i = t / kTogether; i < count; i += kBlock / kTogether) {
      const Entry<L> entry = queue[i];
      const i64 begin = a.indptr[entry.vertex], end = a.indptr[entry.vertex + 1];
      if (!goes_on(entry)) continue;
      if (end - begin >= kLongRow) {
        if (t % kTogether == 0) atomicExch(&shared.long_rows, 1u);
        continue;
      }
      for (i64 e = begin + t % kTogether; e < end; e += kTogether)
        relax_edge(entry.label, e, output);
    }
    __syncthreads();
    if (shared.long_rows == 0) return;
    for (u32 i = 0; i < count; ++i) {
      const Entry<L> entry = queue[i];
      const i64 begin = a.indptr[entry.vertex], end = a.indptr[entry.vertex + 1];
      if (end - begin < kLongRow || !goes_on(entry)) continue;
      for (i64 e = begin + t; e < end; e += kBlock) relax_edge(entry.label, e, output);
    }
    __syncthreads();
    if (t == 0) shared.long_rows = 0;
  }

  /// Takes a block's share of a list, `first` and every gridDim.x-th entry after it, or of all
  /// vertices with a label where the list was too small.
  __device__ void take(Shared& shared, const Entry<L>* list, u32 first, u32 total, bool all) const {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < 4) (t < 3 ? shared.sizes[t] : shared.long_rows) = 0;
    __syncthreads();
    for (u32 i = t; i < kTaken; i += kBlock) {
      const u32 k = first + i * gridDim.x;
      if (k >= total) break;
      const int v = static_cast<int>(k);
      const Entry<L> entry = all ? Entry<L>{load_relaxed(a.dist + v), v} : list[k];
      if (entry.label != never<L>()) shared.queues[0][atomicAdd(shared.sizes, 1u)] = entry;
    }
    __syncthreads();
  }

  /// Moves what is left in a queue to the list.
  __device__ void leave(Shared& shared, const Entry<L>* queue, u32 count, Entry<L>* list) const {
    if (threadIdx.x == 0) shared.at = atomicAdd(turns.count(), count);
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += kBlock) put(list, shared.at + i, queue[i]);
  }

  /// Relaxes the vertices of a list, and those that this lowers, for some rounds; lists those that
  /// are left.
  __device__ u32 relax(const Entry<L>* list, u32 count, Entry<L>* output) {
    WARPATH_SHARED(Shared, kept, 1);
    Shared& shared = kept[0];
    const bool all = count > a.room;
    const u32 total = all ? static_cast<u32>(a.n) : count;
    u32 settled = 0;
    for (u32 first = blockIdx.x; first < total; first += gridDim.x * kTaken) {
      take(shared, list, first, total, all);
      for (u32 round = 0;; ++round) {
        const u32 held = min(shared.sizes[round % 3], kQueue);
        Entry<L>* const queue = shared.queues[round % 2];
        if (held == 0) break;
        if (round == kRounds) {
          leave(shared, queue, held, output);
          break;
        }
        settled += held;
        if (threadIdx.x == 0) shared.sizes[(round + 2) % 3] = 0;
        relax_queue(queue, held, shared,
                    {shared.queues[(round + 1) % 2], shared.sizes + (round + 1) % 3, output});
        __syncthreads();
      }
    }
    if (threadIdx.x == 0 && settled > 0) atomicAdd(turns.settled(), settled);
    return turns.end();
  }
};

}  // namespace warpath
