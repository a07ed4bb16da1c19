// search_space.hpp - arrays as long as a hierarchy that its searches and sweeps reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/lane_search.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/pool.hpp"

namespace warpath {

/// A number for each position that has one, and kNone for the others.
class PositionNumbers {
 public:
  static constexpr Position kNone = -1;

  explicit PositionNumbers(Position n) : numbers_(static_cast<std::size_t>(n), kNone) {}

  Position& operator[](Position x) { return numbers_[static_cast<std::size_t>(x)]; }
  Position operator[](Position x) const { return numbers_[static_cast<std::size_t>(x)]; }

 private:
  PageArray<Position> numbers_;
};

/// The labels of one thread's sweeps: `lanes` for each position that they label.
template <Weight W>
class SweepLabels {
 public:
  using L = HierarchyLabel<W>;

  /// Makes room for `count` positions, none of which is marked.
  void fit(std::size_t count, std::size_t lanes) {
    if (labels_.size() < count * lanes) labels_ = PageArray<L>(count * lanes);
    if (marks_.size() < count) marks_ = PageArray<char>(count, char{0});
  }
  /// Frees arrays that are too large to be kept until the next call.
  void trim() {
    if (labels_.size() * sizeof(L) > kMostKept) *this = {};
  }

  L* data() { return labels_.data(); }
  /// Whether a position has labels from an upward search. The sweep removes every mark.
  char& mark(Position number) { return marks_[static_cast<std::size_t>(number)]; }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 28;  // bytes: 4,000,000 lines

  PageArray<L> labels_;
  PageArray<char> marks_;
};

/// The space of the searches in one hierarchy. A table of few rows would take longer to allocate
/// and fill its arrays than to search; sweeps of all of New York's roads would take 5 % longer.
template <Weight W>
struct SearchSpace {
  explicit SearchSpace(const Hierarchy<W>& hierarchy)
      : upward([n = hierarchy.n()] { return std::make_unique<UpwardLabels<W>>(n); }),
        lanes([n = hierarchy.n()] { return std::make_unique<LaneSearch<W>>(n); }),
        numbers([n = hierarchy.n()] { return std::make_unique<PositionNumbers>(n); }),
        sweeps([] { return std::make_unique<SweepLabels<W>>(); }) {}

  Pool<UpwardLabels<W>> upward;
  Pool<LaneSearch<W>> lanes;
  Pool<PositionNumbers> numbers;  // without any number
  Pool<SweepLabels<W>> sweeps;    // without any mark
};

}  // namespace warpath
