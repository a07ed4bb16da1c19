// narrow_label.hpp - labels and results of fewer bits than distances, and when they are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "warpath/graph/types.hpp"

namespace warpath {

/// Converts a label to the requested type. Throws if it does not fit: a result is never wrapped.
template <class Out, class D>
Out narrow(D label) {
  if constexpr (std::is_same_v<Out, D>) {
    return label;
  } else {
    if (label == unreachable<D>) return unreachable<Out>;
    if (label >= unreachable<Out> || label < std::numeric_limits<Out>::min())
      throw std::overflow_error("a distance does not fit int32");
    return static_cast<Out>(label);
  }
}

/// Infinity of label type L. For integers it is half of the range, so that a label below it plus a
/// weight not above it does not wrap: the sum is not below infinity and lowers no label. If the
/// largest label plus the largest weight is below infinity, no sum was lost in this way.
template <class L>
constexpr L kInfinity =
    std::numeric_limits<L>::has_infinity ? std::numeric_limits<L>::infinity()
                                         : static_cast<L>(std::numeric_limits<L>::max() / 2);

/// The initial label. Only smaller labels are stored, so a cutoff costs no comparison.
template <class L, class D>
L initial_label(D cutoff) {
  if constexpr (std::is_floating_point_v<L>)
    return cutoff == unreachable<D> ? kInfinity<L> : std::nextafter(cutoff, kInfinity<L>);
  else
    return cutoff < static_cast<D>(kInfinity<L>) ? static_cast<L>(cutoff + 1) : kInfinity<L>;
}

/// Whether each single weight fits labels of type L.
template <class L, Weight W>
bool weights_fit(W max_weight) {
  if constexpr (std::is_floating_point_v<L>) {
    return true;
  } else {
    return static_cast<std::uint64_t>(max_weight) <= kInfinity<L>;
  }
}

/// Whether a finished search with labels up to `largest`, with the given initial label, lost no
/// sum.
template <class L, Weight W>
bool no_overflow(L largest, W max_weight, L initial) {
  if constexpr (std::is_floating_point_v<L>) {
    return true;
  } else {
    return initial < kInfinity<L> ||
           static_cast<std::uint64_t>(largest) + static_cast<std::uint64_t>(max_weight) <
               kInfinity<L>;
  }
}

}  // namespace warpath
