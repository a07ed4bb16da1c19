// ascending_order.hpp - the order of numbers by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace warpath {

/// The positions of keys in ascending order of the keys, and of positions where keys are equal.
/// O(k log k).
inline std::vector<std::size_t> ascending_order(std::span<const std::int64_t> keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(keys[a], a) < std::tie(keys[b], b);
  });
  return order;
}

}  // namespace warpath
