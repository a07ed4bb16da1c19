// settle.cuh - the vertices that a threshold settles become the next frontier.
//
// Work     one look per vertex.
// Traffic  10 B a vertex in order. Flags that change cross the bus if the host has a copy of them.
// Launch   a thread calls it for each vertex.
// Shared   none.
// Races    only on the queue's counter, by atomicAdd; the order of a queue means nothing.
// Source   Martin et al. 2009 figure 4 (update); the Johnson paper, algorithms 7, 9 and 10.
#pragma once

#include "base.cuh"

namespace warpath {

template <class V, class L>
struct SettleArgs {
  i64 n;
  const L* dist;
  L threshold;
  u8* unsettled;       // n
  u8* frontier;        // n
  u8* host_unsettled;  // n: the host's copies, which get what changes; or null
  u8* host_frontier;   // n
  V* queue;            // n
  i64* size;           // of the queue
};

/// [mssp] The label is the minimum.
struct Equal {
  template <class L>
  static __device__ bool takes(L label, L threshold) {
    return label == threshold;
  }
};

/// [out-criterion] The label is at most the threshold; vertices without a path are never taken.
struct AtMost {
  template <class L>
  static __device__ bool takes(L label, L threshold) {
    return label <= threshold && label != never<L>();
  }
};

/// Frontier flags.
struct ToFlags {
  static constexpr bool kQueued = false, kGathered = false;
  template <class V, class L>
  static __device__ void put(const SettleArgs<V, L>& a, i64 i, bool taken) {
    if (a.host_frontier && a.frontier[i] != taken) a.host_frontier[i] = taken;
    a.frontier[i] = taken;
  }
};

/// [prefix sum] Frontier flags, from which lists.cuh gathers a queue.
struct ToPrefix : ToFlags {
  static constexpr bool kGathered = true;
};

/// A queue filled through an atomic counter.
struct ToQueue {
  static constexpr bool kQueued = true, kGathered = false;
  template <class V, class L>
  static __device__ void put(const SettleArgs<V, L>& a, i64 i, bool taken) {
    if (taken) a.queue[atomicAdd(reinterpret_cast<u64*>(a.size), u64{1})] = static_cast<V>(i);
  }
};

/// What is known of a vertex before it is decided whether it is settled.
template <class L>
struct Waiting {
  u8 unsettled;
  L label;
};

template <class V, class L>
__device__ __forceinline__ Waiting<L> waiting(const SettleArgs<V, L>& a, i64 i) {
  return {a.unsettled[i], a.dist[i]};
}

template <class Criterion, class Emit, class Counting, class V, class L>
__device__ __forceinline__ void settle(const SettleArgs<V, L>& a, i64 i, Waiting<L> vertex,
                                       Counting& counts) {
  const bool taken = vertex.unsettled && Criterion::takes(vertex.label, a.threshold);
  if (taken) {
    a.unsettled[i] = 0;
    if (a.host_unsettled) a.host_unsettled[i] = 0;
    counts.selected();
  }
  Emit::put(a, i, taken);
}

}  // namespace warpath
