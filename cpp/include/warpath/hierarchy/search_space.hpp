// search_space.hpp - arrays as long as a hierarchy that its searches and sweeps reuse.
#pragma once

#include <memory>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
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

/// The space of the searches in one hierarchy. A table of few rows would take longer to allocate
/// and fill its arrays than to search.
template <Weight W>
struct SearchSpace {
  explicit SearchSpace(const Hierarchy<W>& hierarchy)
      : upward([n = hierarchy.n()] { return std::make_unique<UpwardLabels<W>>(n); }),
        numbers([n = hierarchy.n()] { return std::make_unique<PositionNumbers>(n); }) {}

  Pool<UpwardLabels<W>> upward;
  Pool<PositionNumbers> numbers;  // without any number
};

}  // namespace warpath
