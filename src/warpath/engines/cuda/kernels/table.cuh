// table.cuh - shared by kernels of tables: thresholds, output of rows, and the edges of a warp.
#pragma once

#include "base.cuh"

namespace warpath {

/// Output rows in the type of the labels, or in the other width of integers.
template <class L>
struct Out {
  L* same;
  i64* wide;
  int* small;
  int* unfit;  // set to 1 if a distance does not fit `small`

  __device__ void put(i64 place, L label) const {
    if (same != nullptr) {
      same[place] = label;
      return;
    }
    if constexpr (L(0.5) == L(0)) {  // integers
      const bool unreached = label == never<L>();
      if (wide != nullptr) {
        wide[place] = unreached ? never<i64>() : static_cast<i64>(label);
      } else {
        small[place] = unreached ? never<int>() : static_cast<int>(label);
        if (!unreached && label >= static_cast<L>(never<int>())) store_relaxed(unfit, 1);
      }
    }
  }
};

template <class L>
struct Bits {
  using Type = L;
};
template <>
struct Bits<int> {
  using Type = u32;
};
template <>
struct Bits<i64> {
  using Type = u64;
};

/// label + weight for weights >= 0, which may wrap around: see `lowers` and `overflows`.
template <class W, class L>
__device__ __forceinline__ L wrapping_sum(L label, W weight) {
  using U = typename Bits<L>::Type;
  return static_cast<L>(static_cast<U>(label) + static_cast<U>(weight));
}

/// kLabels labels that a lane reads or writes at once: 16 bytes, or one label.
template <class L, int kLabels>
struct alignas(kLabels * sizeof(L)) LineLabels {
  L of[kLabels];
};

/// Whether a wrapping sum is less than a label; false if the sum does not fit.
template <class L>
__device__ __forceinline__ bool lowers(L sum, L label) {
  using U = typename Bits<L>::Type;
  return static_cast<U>(sum) < static_cast<U>(label);
}

/// Whether a wrapping sum does not fit its type; false for floats, which become inf.
template <class L>
__device__ __forceinline__ bool overflows(L sum) {
  return L(0.5) == L(0) && !lowers(sum, never<L>());
}

/// The next threshold above labels equal to `low`: low + delta, or the unreachable label if
/// rounding or the type leaves no such number.
template <class L>
__device__ __forceinline__ L above(L low, L delta) {
  const L sum = wrapping_sum(low, delta);
  return lowers(sum, never<L>()) && low < sum ? sum : never<L>();
}

/// The rows of 32 vertices, one per lane, as one row of edges for the whole warp.
template <class L>
struct Pool {
  int end;    // the end of the lane's edges among those of the warp
  i64 first;  // added to a place among them, gives the edge's index in the graph
  L label;

  /// Every lane of a warp calls it; a lane without a vertex has degree 0.
  __device__ Pool(int lane, i64 begin, int degree, L from) : end(degree), label(from) {
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(~0u, end, step);
      if (lane >= step) end += before;
    }
    first = begin - (end - degree);
  }

  __device__ int size() const { return __shfl_sync(~0u, end, 31); }

  /// The lane whose vertex has edge `slot`: the first lane whose edges end after it.
  __device__ int owner(int slot) const {
    int at = 0;
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(~0u, end, at + step - 1) <= slot) at += step;
    return at;
  }
};

}  // namespace warpath
