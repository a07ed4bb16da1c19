// push.cuh - relax the out-edges of a work set.
//
// Work     one relaxation per out-edge of the set.
// Traffic  per edge 8 B in order (index, weight) and 8 B at random (the label, by an atomic); per
//          vertex 16 B of offsets and its label. [int32 indices and weights, 64-bit labels]
// Launch   blocks of kBlock threads. THREAD, BLOCK_SEARCH and CTA_WARP_SCAN: blocks * kBlock >= the
//          set's size; GRID_STRIDE: any grid; CHILD_GRID: a block for each vertex; MERGE_PATH:
//          blocks * kBlock * kItems >= the edges of the set.
// Shared   what the map takes: up to 40 B a thread for CTA_WARP_SCAN.
// Races    Labels are lowered by atomic_min and read relaxed: a stale label of u is an upper bound,
//          and who lowers it emits u again, so no improvement is lost. WritePlain is the exception:
//          of two concurrent minima the worse may stay, which is what it is there to show.
//          A target of in-degree 1 has one writer a round: CLASSIFIED edges need no atomic there.
// Source   Martin et al. 2009 figure 3 (relax_F); Davidson et al. 2014 section IV; Bodra & Khairnar
//          2025, Bellman-Ford; the Johnson paper, algorithms 4, 6, 8 and section 4.1 (classes).
#pragma once

#include "emit.cuh"
#include "map.cuh"

namespace warpath {

/// [atomicMin] Returns whether the label was lowered.
struct WriteAtomic {
  template <class L>
  static __device__ bool lower(L* label, L sum) {
    return sum < atomic_min(label, sum);
  }
};

/// [min without atomics] Reads, compares, writes.
struct WritePlain {
  template <class L>
  static __device__ bool lower(L* label, L sum) {
    if (!(sum < load_relaxed(label))) return false;
    store_relaxed(label, sum);
    return true;
  }
};

/// Bits of a vertex's class.
enum VertexClass : u8 { kOneInEdge = 1, kNoOutEdge = 2 };

template <class V, class W, class L>
struct PushArgs {
  Work<V> work;
  const i64* indptr;
  const V* indices;
  const W* weights;
  const L* from;        // the labels that are extended; may be `dist`
  L* dist;              // the labels that are lowered
  const u8* unsettled;  // n, for kGuarded: others are not relaxed
  const u8* classes;    // n, for kClassified: VertexClass bits
  V source;             // for kClassified
  int* negative_loop;   // for kClassified: set to 1 by a loop of negative weight
  Next<V> next;
  u64* counters;
};

template <class Map, class Write, class Emit, bool kGuarded, bool kClassified, bool kTraced,
          class V, class W, class L>
__device__ __forceinline__ void push(const PushArgs<V, W, L>& a) {
  Counts<kTraced> counts;
  Map::for_each_edge(a.work, Rows<V>{a.indptr}, [&](V u, i64 e, i64 slot) {
    const V v = a.indices[e];
    bool improved = false;
    bool relaxed = true;
    L base;
    if constexpr (kClassified) {
      if (u == v || (a.classes[v] & kNoOutEdge)) {
        relaxed = false;
        if (u == v && a.weights[e] < 0) store_relaxed(a.negative_loop, 1);
      }
      base = u == a.source ? L{0} : load_relaxed(a.from + u);
    } else {
      base = load_relaxed(a.from + u);
      if constexpr (kGuarded) relaxed = a.unsettled[v];
    }
    L sum;
    if (relaxed && base != never<L>()) {
      counts.relaxed();
      if (extend(base, a.weights[e], sum)) {
        if (kClassified && (a.classes[v] & kOneInEdge))
          improved = WritePlain::lower(a.dist + v, sum);
        else
          improved = Write::lower(a.dist + v, sum);
      }
    }
    if (improved) counts.improved();
    Emit::edge(a.next, v, slot, improved);
  });
  counts.report(a.counters);
}

}  // namespace warpath
