// lower_sums.hpp - a buffer of relaxations that lower a label, collected without a branch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace warpath {

/// Relaxations whose sum was below the label of the target when they were collected.
///
/// Whether a sum lowers a label is unpredictable for a processor, and so is the number of such
/// edges of a vertex. They are therefore collected without a branch, from as many vertices as it
/// takes to fill the buffer, and applied together.
template <class V, class L>
class ImprovementBuffer {
 public:
  /// Checks edges from e on, up to `end` or for kFull edges. Returns the first edge not checked.
  template <class Target, class Sum, class Label>
  std::size_t collect(std::size_t e, std::size_t end, Target&& target, Sum&& sum, Label&& label) {
    std::size_t count = count_;
    const std::size_t stop = std::min(end, e + kFull);
    for (; e < stop; ++e) {
      targets_[count] = target(e);
      sums_[count] = sum(e);
      count += sums_[count] < label(target(e));
    }
    count_ = count;
    return e;
  }

  bool full() const { return count_ >= kFull; }

  /// Empties the buffer: calls lower(target, sum) for each entry. False if there were none.
  template <class Lower>
  bool apply(Lower&& lower) {
    const std::size_t count = std::exchange(count_, 0);
    for (std::size_t i = 0; i < count; ++i) lower(targets_[i], sums_[i]);
    return count > 0;
  }

 private:
  static constexpr std::size_t kFull = 32;

  std::array<V, 2 * kFull> targets_;
  std::array<L, 2 * kFull> sums_;
  std::size_t count_ = 0;
};

}  // namespace warpath
