// emit.cuh - how a relaxation that lowered a label tells the next round.
#pragma once

#include "base.cuh"

namespace warpath {

/// One argument pack for all ways to emit; a way writes what it needs.
template <class V>
struct Next {
  int* changed;  // 1: some label was lowered
  u8* flags;     // n: 1 where a label was lowered
  V* slots;      // one per edge of the work set
  V* queue;      // n
  i64* size;     // of the queue
  int* stamps;   // n: the last round that queued a vertex
  int round;
};

/// Nothing: the next set follows from the labels themselves.
struct EmitNothing {
  template <class V>
  static __device__ void edge(const Next<V>&, V, i64, bool) {}
};

/// [Flag] One bit: something changed.
struct EmitFlag {
  template <class V>
  static __device__ void edge(const Next<V>& next, V, i64, bool improved) {
    if (improved) store_relaxed(next.changed, 1);
  }
};

/// [flags] The target's own flag, and that something changed.
struct EmitFlags {
  template <class V>
  static __device__ void edge(const Next<V>& next, V v, i64, bool improved) {
    if (!improved) return;
    store_relaxed(next.flags + v, u8{1});
    store_relaxed(next.changed, 1);
  }
};

/// [prefix sum] The target in the edge's own slot, or -1: compact.cuh closes the gaps.
struct EmitSlots {
  template <class V>
  static __device__ void edge(const Next<V>& next, V v, i64 slot, bool improved) {
    next.slots[slot] = improved ? v : static_cast<V>(-1);
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
