// push.cuh - relax the out-edges of a work set.
//
// Work     one relaxation per out-edge of the set.
// Traffic  per edge 8 B in order (index, weight) and 8 B at random (the label, by an atomic); per
//          vertex 16 B of offsets and its label. [int32 indices and weights, 64-bit labels]
// Tiles    as the map divides the set; a block of kBlock threads takes one at a time.
// Shared   what the map takes: up to 40 B a thread for CTA_WARP_SCAN.
// Races    Labels are lowered by atomic_min and read relaxed: a stale label of u is an upper bound,
//          and who lowers it emits u again, so no improvement is lost. WritePlain and WriteMin are
//          there to show the opposite: of two concurrent minima the worse may stay.
//          A target of in-degree 1 has one writer a round: CLASSIFIED edges need no atomic there.
// Source   Martin et al. 2009 figure 3 (relax_F); Davidson et al. 2014 section IV-B; Bodra &
// Khairnar
//          2025, Bellman-Ford; the Johnson paper, algorithms 4, 6, 8 and section 4.1 (classes).
#pragma once

#include "balanced_map.cuh"
#include "emit.cuh"

namespace warpath {

/// [atomicMin] Returns whether the label was lowered.
struct WriteAtomic {
  template <class L>
  static __device__ bool lower(L* label, L sum) {
    return sum < atomic_min(label, sum);
  }
};

/// [if without atomics] Reads, compares, writes.
struct WritePlain {
  template <class L>
  static __device__ bool lower(L* label, L sum) {
    if (!(sum < load_relaxed(label))) return false;
    store_relaxed(label, sum);
    return true;
  }
};

/// [min without atomics] Reads, and writes the lesser of the two in any case: a thread whose sum is
/// larger may put back a label that another has lowered since.
struct WriteMin {
  template <class L>
  static __device__ bool lower(L* label, L sum) {
    const L before = load_relaxed(label);
    store_relaxed(label, min(before, sum));
    return sum < before;
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
};

/// Relaxes edges: one, or the edges of a row, some of which are requested together.
template <class Write, class Emit, bool kGuarded, bool kClassified, bool kEll, class Counting,
          class V, class W, class L>
struct Relaxation {
  const PushArgs<V, W, L>& a;
  Counting& counts;
  bool fell = false;  // whether a label was lowered

  /// The label that the edges of u extend.
  __device__ L label(V u) const {
    return kClassified && u == a.source ? L{0} : load_relaxed(a.from + u);
  }

  __device__ void operator()(V u, i64 e, i64 slot) { relax<1>(u, label(u), e, e + 1, slot); }

  __device__ void row(V u, L base, i64 first, i64 last, i64 slot) {
    if (base == never<L>()) {  // only among all vertices: those of a list have labels
      counts.read(static_cast<unsigned>(last - first));  // a sweep has touched them without effect
      return;
    }
    constexpr int kAtOnce = 4;
    for (i64 e = first; e < last; e += kAtOnce, slot += kAtOnce)
      relax<kAtOnce>(u, base, e, min(last, e + kAtOnce), slot);
  }

  /// Relaxes at most kAtOnce edges of u, whose label is `base`.
  template <int kAtOnce>
  __device__ void relax(V u, L base, i64 first, i64 last, i64 slot) {
    V v[kAtOnce];
    W weight[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      i64 e = min(first + k, last - 1);
      if (kEll) e = e * a.work.size + u;
      v[k] = a.indices[e];
      weight[k] = a.weights[e];
    }
    // Where labels only fall, a sum that is not below a label needs no atomic. Settled vertices are
    // left out before, so that most of the other sums are below.
    L label[kAtOnce];
    bool open[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (kGuarded)
        open[k] = a.unsettled[v[k]];
      else
        label[k] = load_relaxed(a.dist + v[k]);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (first + k >= last) break;
      counts.read();
      bool relaxed = !kGuarded || open[k];
      if (kClassified && (u == v[k] || (a.classes[v[k]] & kNoOutEdge))) {
        relaxed = false;
        if (u == v[k] && weight[k] < 0) store_relaxed(a.negative_loop, 1);
      }
      bool improved = false;
      L sum;
      if (relaxed) {
        counts.relaxed();
        if (extend(base, weight[k], sum) && (kGuarded || sum < label[k])) {
          if (kClassified && (a.classes[v[k]] & kOneInEdge))
            improved = WritePlain::lower(a.dist + v[k], sum);
          else
            improved = Write::lower(a.dist + v[k], sum);
        }
      }
      if (improved) counts.improved();
      fell = fell || improved;
      Emit::edge(a.next, v[k], slot + k, improved);
    }
  }
};

/// Relaxes a tile of a work set; returns whether the thread lowered a label.
template <class Map, class Write, class Emit, bool kGuarded, bool kClassified, bool kEll = false,
          class Counting, class V, class W, class L>
__device__ __forceinline__ bool push(const PushArgs<V, W, L>& a, i64 tile, Counting& counts) {
  Relaxation<Write, Emit, kGuarded, kClassified, kEll, Counting, V, W, L> relaxation{a, counts};
  if constexpr (kEll)
    Map::for_each_edge(tile, a.work, EllRows<V>{a.indptr}, relaxation);
  else
    Map::for_each_edge(tile, a.work, Rows<V>{a.indptr}, relaxation);
  return relaxation.fell;
}

}  // namespace warpath
