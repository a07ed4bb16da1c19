// narrow_label.hpp - labels and results of fewer bits than distances, and when they are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "warpath/graph/types.hpp"

namespace warpath {

/// A label in the type that was asked for. Throws where the number does not fit: a result is never
/// wrapped.
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

/// The value that no label of type L reaches. For integers half of the range, so that a label below
/// it and a weight no larger than it have a sum that does not wrap: the sum is not below it either
/// and lowers nothing. Where the largest label and the largest weight have a sum below it, no sum
/// was lost so.
template <class L>
constexpr L kBeyond =
    std::numeric_limits<L>::has_infinity ? std::numeric_limits<L>::infinity()
                                         : static_cast<L>(std::numeric_limits<L>::max() / 2);

/// What labels start from: nothing at or above it is stored, so a cutoff costs no comparison.
template <class L, class D>
L first_label(D cutoff) {
  if constexpr (std::is_floating_point_v<L>)
    return cutoff == unreachable<D> ? kBeyond<L> : std::nextafter(cutoff, kBeyond<L>);
  else
    return cutoff < static_cast<D>(kBeyond<L>) ? static_cast<L>(cutoff + 1) : kBeyond<L>;
}

/// Whether labels of type L can hold every single weight.
template <class L, Weight W>
bool weights_fit(W heaviest) {
  if constexpr (std::is_floating_point_v<L>) {
    return true;
  } else {
    return static_cast<std::uint64_t>(heaviest) <= kBeyond<L>;
  }
}

/// Whether a search to its end with labels up to `largest`, started from `first`, met no sum that
/// it could not hold.
template <class L, Weight W>
bool labels_exact(L largest, W heaviest, L first) {
  if constexpr (std::is_floating_point_v<L>) {
    return true;
  } else {
    return first < kBeyond<L> ||
           static_cast<std::uint64_t>(largest) + static_cast<std::uint64_t>(heaviest) < kBeyond<L>;
  }
}

}  // namespace warpath
