// lanes.hpp - a SIMD vector with one label of each of several searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpath {

/// As many labels of type L as fit a cache line. Compilers translate the operations for the
/// instruction set of the calling function, so all of them are inlined.
template <class L>
struct Lanes {
  static constexpr std::size_t kBytes = 64;
  static constexpr int kCount = static_cast<int>(kBytes / sizeof(L));
  using Line [[gnu::vector_size(64), gnu::may_alias]] = L;
  using Half [[gnu::vector_size(32), gnu::may_alias]] = L;
  using Quarter [[gnu::vector_size(16), gnu::may_alias]] = L;

  /// Lowers the labels of a line to those of `from` plus a weight. Returns the smallest label
  /// lowered, or `none` if no label was lowered.
  [[gnu::always_inline]] static L relax(const Line& from, L weight, L* to, L none) {
    const Line old = *reinterpret_cast<const Line*>(to);
    const Line sum = from + weight;
    const auto lower = sum < old;
    if (!any(lower)) return none;
    *reinterpret_cast<Line*>(to) = lower ? sum : old;
    return min_label(lower ? sum : Line{} + none);
  }

 private:
  template <class Mask>
  [[gnu::always_inline]] static bool any(const Mask& mask) {
    using Words4 [[gnu::vector_size(32)]] = long long;
    using Words2 [[gnu::vector_size(16)]] = long long;
    Words4 half[2];
    std::memcpy(half, &mask, sizeof half);
    const Words4 both = half[0] | half[1];
    Words2 quarter[2];
    std::memcpy(quarter, &both, sizeof quarter);
    const Words2 all = quarter[0] | quarter[1];
    return (all[0] | all[1]) != 0;
  }

  [[gnu::always_inline]] static L min_label(const Line& line) {
    Half half[2];
    std::memcpy(half, &line, sizeof half);
    const Half lower = half[0] < half[1] ? half[0] : half[1];
    Quarter quarter[2];
    std::memcpy(quarter, &lower, sizeof quarter);
    const Quarter last = quarter[0] < quarter[1] ? quarter[0] : quarter[1];
    L result = last[0];
    for (unsigned i = 1; i < sizeof(Quarter) / sizeof(L); ++i)
      result = last[i] < result ? last[i] : result;
    return result;
  }
};

}  // namespace warpath
