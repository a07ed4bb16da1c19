// set.cuh - whose edges are relaxed: every vertex, the flagged ones, or those of a list.
#pragma once

#include "base.cuh"

namespace warpath {

/// One argument pack for all sets; a set reads what it needs.
template <class V>
struct Work {
  i64 size;            // n, or the length of the list
  const u8* flags;     // n, for Flagged
  const V* list;       // size, for Listed
  const i64* offsets;  // size + 1: where the edges of the i-th of the list start among all of
                       // theirs; null where neither the map nor the emission asks
  i64 edges;           // of the list, where it has offsets
};

// vertex(work, i) is the i-th vertex of the set, or -1 where it has none; first_slot(work, i) is
// the number of its first edge among those of the set, where that is a list with offsets.

/// [Bellman-Ford] All vertices. One without a path yet is left out by the relaxation.
struct Every {
  static constexpr bool kListed = false;
  template <class V>
  static __device__ V vertex(const Work<V>&, i64 i) {
    return static_cast<V>(i);
  }
  template <class V>
  static __device__ i64 first_slot(const Work<V>&, i64) {
    return 0;
  }
};

/// [frontier flags, Mask] The vertices whose flag is set; the others' threads idle.
struct Flagged {
  static constexpr bool kListed = false;
  template <class V>
  static __device__ V vertex(const Work<V>& work, i64 i) {
    return work.flags[i] ? static_cast<V>(i) : static_cast<V>(-1);
  }
  template <class V>
  static __device__ i64 first_slot(const Work<V>&, i64) {
    return 0;
  }
};

/// [workfront, queue] The vertices of a list.
struct Listed {
  static constexpr bool kListed = true;
  template <class V>
  static __device__ V vertex(const Work<V>& work, i64 i) {
    return work.list[i];
  }
  template <class V>
  static __device__ i64 first_slot(const Work<V>& work, i64 i) {
    return work.offsets == nullptr ? 0 : work.offsets[i];
  }
};

/// The last i in [low, high) with sorted[i] <= value; sorted[low] <= value must hold.
__device__ __forceinline__ i64 last_at_most(const i64* sorted, i64 low, i64 high, i64 value) {
  while (high - low > 1) {
    const i64 middle = low + (high - low) / 2;
    if (sorted[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

struct Pair {
  i64 a, b;
};

/// The last i in [0, size) with sorted[i] <= value, for two values, found by all threads of a block
/// together; sorted[0] must not be above either. Each step divides what is left by as many as there
/// are threads.
template <int kBlock>
__device__ __forceinline__ Pair block_last_at_most(const i64* sorted, i64 size, Pair values) {
  Pair low{0, 0}, left{size, size};
  while (left.a > 1 || left.b > 1) {
    const i64 step = (max(left.a, left.b) + kBlock - 1) / kBlock;
    const i64 at = threadIdx.x * step;
    const bool a = at < left.a && sorted[low.a + at] <= values.a;
    const bool b = at < left.b && sorted[low.b + at] <= values.b;
    const i64 a_below = (__syncthreads_count(a) - 1) * step;
    const i64 b_below = (__syncthreads_count(b) - 1) * step;
    low = {low.a + a_below, low.b + b_below};
    left = {min(step, left.a - a_below), min(step, left.b - b_below)};
  }
  return low;
}

}  // namespace warpath
