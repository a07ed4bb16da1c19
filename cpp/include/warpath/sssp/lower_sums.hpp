// lower_sums.hpp - sums that are less than labels, gathered without a branch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpath {

/// Sums that were less than the labels of their targets when they were made.
///
/// Whether a sum lowers a label no processor foresees, nor how many of a vertex do: so those that
/// do are gathered without a branch, of as many vertices as it takes, and applied together.
template <class V, class L>
class LowerSums {
 public:
  /// Looks at edges from e on, up to `end` or until there are enough. The first one not looked at.
  template <class Sum, class Label>
  std::int64_t gather(std::int64_t e, std::int64_t end, const V* targets, Sum&& sum,
                      Label&& label) {
    std::size_t count = count_;
    const std::int64_t stop = std::min(end, e + static_cast<std::int64_t>(kEnough));
    for (; e < stop; ++e) {
      targets_[count] = targets[e];
      sums_[count] = sum(e);
      count += sums_[count] < label(targets[e]);
    }
    count_ = count;
    return e;
  }

  bool enough() const { return count_ >= kEnough; }

  /// Takes all out: lower(target, sum) for each. False if there were none.
  template <class Lower>
  bool apply(Lower&& lower) {
    const std::size_t count = std::exchange(count_, 0);
    for (std::size_t i = 0; i < count; ++i) lower(targets_[i], sums_[i]);
    return count > 0;
  }

 private:
  static constexpr std::size_t kEnough = 32;

  std::array<V, 2 * kEnough> targets_;
  std::array<L, 2 * kEnough> sums_;
  std::size_t count_ = 0;
};

}  // namespace warpath
