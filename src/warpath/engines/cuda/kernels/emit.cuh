// emit.cuh - how a relaxation that lowered a label is reported to the next round.
#pragma once

#include "base.cuh"

namespace warpath {

/// One argument pack for all ways to emit; a way writes what it needs.
template <class V>
struct Next {
  u8* flags;    // n: 1 where a label was lowered
  V* slots;     // one per edge of the work set
  i64* table;   // n: a slot of a vertex, or null
  V* queue;     // n
  i64* size;    // of the queue
  int* stamps;  // n: the last round that queued a vertex
  int round;
};

/// Nothing: the next set follows from the labels themselves, or from whether any label fell, which
/// `push` returns.
struct EmitNothing {
  template <class V>
  static __device__ void edge(const Next<V>&, V, i64, bool) {}
};

/// [flags] The target's own flag.
struct EmitFlags {
  template <class V>
  static __device__ void edge(const Next<V>& next, V v, i64, bool improved) {
    if (improved) store_relaxed(next.flags + v, u8{1});
  }
};

/// [prefix sum] The target in the edge's own slot, or -1, and the slot in the look-up table:
/// lists.cuh closes the gaps.
struct EmitSlots {
  template <class V>
  static __device__ void edge(const Next<V>& next, V v, i64 slot, bool improved) {
    next.slots[slot] = improved ? v : static_cast<V>(-1);
    if (improved && next.table != nullptr) store_relaxed(next.table + v, slot);
  }
};

/// [ENQUEUE] At the end of a queue by an atomic counter; once a round, so that n places suffice.
struct EmitQueue {
  template <class V>
  static __device__ void edge(const Next<V>& next, V v, i64, bool improved) {
    if (improved && atomicExch(next.stamps + v, next.round) != next.round)
      next.queue[atomicAdd(reinterpret_cast<u64*>(next.size), u64{1})] = v;
  }
};

}  // namespace warpath
