// table.cuh - what the kernels of tables share: thresholds, how rows leave, edges of a warp.
#pragma once

#include "base.cuh"

namespace warpath {

/// Rows of the answer in the labels' own type, or in the other width of integers.
template <class L>
struct Out {
  L* same;
  i64* wide;
  int* small;
  int* unfit;  // set to 1 where a distance does not fit `small`

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

/// label + weight for weights >= 0, without a look at whether it fits: see `lowers` and
/// `overflows`.
template <class W, class L>
__device__ __forceinline__ L wrapping_sum(L label, W weight) {
  using U = typename Bits<L>::Type;
  return static_cast<L>(static_cast<U>(label) + static_cast<U>(weight));
}

/// Whether a grown label is less than another one; what does not fit is not.
template <class L>
__device__ __forceinline__ bool lowers(L sum, L label) {
  using U = typename Bits<L>::Type;
  return static_cast<U>(sum) < static_cast<U>(label);
}

/// Whether a grown label does not fit its type; a float becomes inf instead.
template <class L>
__device__ __forceinline__ bool overflows(L sum) {
  return L(0.5) == L(0) && !lowers(sum, never<L>());
}

/// The next threshold above all labels that are `low`: a width further, or beyond all labels where
/// rounding or the type leaves no such number.
template <class L>
__device__ __forceinline__ L above(L low, L delta) {
  const L sum = wrapping_sum(low, delta);
  return lowers(sum, never<L>()) && low < sum ? sum : never<L>();
}

/// The rows of 32 vertices, one a lane, as one row of edges for the whole warp.
template <class L>
struct Pool {
  int end;    // of the lane's edges among those of the warp
  i64 first;  // what makes a place among them an edge of the graph
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

  /// The lane whose vertex has an edge: the first whose edges end after it.
  __device__ int owner(int slot) const {
    int at = 0;
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(~0u, end, at + step - 1) <= slot) at += step;
    return at;
  }
};

}  // namespace warpath
