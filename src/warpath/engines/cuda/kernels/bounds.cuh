// bounds.cuh - the bounds of buckets: multiples of delta.
#pragma once

#include "base.cuh"

namespace warpath {

/// The next number of the type above a finite one that is not negative.
__device__ __forceinline__ float next_above(float x) {
  return __int_as_float(__float_as_int(x) + 1);
}
__device__ __forceinline__ double next_above(double x) {
  return __longlong_as_double(__double_as_longlong(x) + 1);
}

/// The least multiple of delta above a label, at least the next label that there is; never where no
/// multiple fits.
__device__ __forceinline__ i64 next_bound(i64 label, double delta) {
  const i64 step = static_cast<i64>(delta);
  const i64 below = label / step * step;
  return below > never<i64>() - step ? never<i64>() : below + step;
}
template <class L>
__device__ __forceinline__ L next_bound(L label, double delta) {
  if (label == never<L>()) return label;
  const L bound = static_cast<L>((floor(static_cast<double>(label) / delta) + 1) * delta);
  return label < bound ? bound : next_above(label);
}

/// A bound that so many deltas more lie above, or never.
__device__ __forceinline__ i64 raised(i64 bound, i64 steps, double delta) {
  const i64 step = static_cast<i64>(delta);
  return steps > (never<i64>() - bound) / step ? never<i64>() : bound + steps * step;
}
template <class L>
__device__ __forceinline__ L raised(L bound, i64 steps, double delta) {
  return static_cast<L>(static_cast<double>(bound) + static_cast<double>(steps) * delta);
}

/// The greatest multiple of delta that is not above a label.
///
/// For floats it is the label itself where rounding leaves it outside of the bucket that begins at
/// the multiple: a single bucket would never get it.
__device__ __forceinline__ i64 bound_below(i64 label, double delta) {
  const i64 step = static_cast<i64>(delta);
  return label / step * step;
}
template <class L>
__device__ __forceinline__ L bound_below(L label, double delta) {
  const L bound = static_cast<L>(floor(static_cast<double>(label) / delta) * delta);
  return bound <= label && label < next_bound(bound, delta) ? bound : label;
}

}  // namespace warpath
