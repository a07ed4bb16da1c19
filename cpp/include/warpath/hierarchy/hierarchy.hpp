// hierarchy.hpp - a contraction hierarchy: a graph's vertices by importance, and its arcs upward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// The number of a vertex by importance: 0 is the vertex that was contracted last.
using Position = std::int32_t;

/// An original edge or a shortcut between a vertex and a more important one, the head.
template <Weight W>
struct HierarchyArc {
  Position head;
  W weight;

  bool operator==(const HierarchyArc&) const = default;
};

/// The arcs of each position in ascending order of their heads, which are smaller positions.
template <Weight W>
struct HierarchyRows {
  PageArray<std::int64_t> first;  // n + 1
  PageArray<HierarchyArc<W>> arcs;

  std::span<const HierarchyArc<W>> row(Position x) const {
    const auto i = static_cast<std::size_t>(x);
    const std::int64_t begin = first[i];
    return {arcs.data() + begin, static_cast<std::size_t>(first[i + 1] - begin)};
  }
};

/// The labels of a search in a hierarchy. Integers are unsigned, so that the label of an unreached
/// vertex, the largest signed integer, can be added to a weight: a smaller label never results.
template <Weight W>
using HierarchyLabel =
    std::conditional_t<std::is_floating_point_v<W>, W,
                       std::conditional_t<sizeof(W) == 4, std::uint32_t, std::uint64_t>>;

template <Weight W>
constexpr HierarchyLabel<W> kNoLabel = static_cast<HierarchyLabel<W>>(unreachable<W>);

/// The distance that a label means. Raises std::overflow_error if it does not fit Out.
template <class Out, Weight W>
Out distance_of(HierarchyLabel<W> label) {
  if (label == kNoLabel<W>) return unreachable<Out>;
  if constexpr (sizeof(Out) < sizeof(label))
    if (label >= static_cast<HierarchyLabel<W>>(unreachable<Out>))
      throw std::overflow_error("a distance of " + std::to_string(label) + " does not fit int32");
  return static_cast<Out>(label);
}

/// What searches and sweeps did.
struct HierarchyCounts {
  std::int64_t settled = 0;       // positions that were taken by searches upward
  std::int64_t stalled = 0;       // of these, not searched any further
  std::int64_t relaxed_up = 0;    // arcs
  std::int64_t labelled = 0;      // positions that were labelled by sweeps down
  std::int64_t relaxed_down = 0;  // arcs, or entries of buckets

  HierarchyCounts& operator+=(const HierarchyCounts& other) {
    settled += other.settled;
    stalled += other.stalled;
    relaxed_up += other.relaxed_up;
    labelled += other.labelled;
    relaxed_down += other.relaxed_down;
    return *this;
  }
};

/// A shortest path between any two vertices of the graph, up and then down in the hierarchy, has
/// the same length as in the graph.
///
/// Sums are not checked for overflow by searches: `bound` limits every label, and the constructor
/// refuses a hierarchy of integers whose bound does not fit W. Sums of floats may become infinite.
/// Source: Geisberger, Sanders, Schultes, Delling, "Contraction hierarchies", 2008.
template <Weight W>
class Hierarchy {
 public:
  using Rows = HierarchyRows<W>;

  /// `up` has the arcs from a vertex, `down` those into it; the same object for a graph that has
  /// each edge in both directions. Raises std::overflow_error if labels may not fit W.
  Hierarchy(std::vector<Position> position, std::shared_ptr<const Rows> up,
            std::shared_ptr<const Rows> down)
      : position_(std::move(position)),
        order_(position_.size()),
        up_(std::move(up)),
        down_(std::move(down)) {
    for (std::size_t v = 0; v < position_.size(); ++v)
      order_[static_cast<std::size_t>(position_[v])] = static_cast<Position>(v);
    find_bound();
  }

  /// The same positions with other arcs.
  Hierarchy(const Hierarchy& other, std::shared_ptr<const Rows> up,
            std::shared_ptr<const Rows> down)
      : position_(other.position_),
        order_(other.order_),
        up_(std::move(up)),
        down_(std::move(down)) {
    find_bound();
  }

  Position n() const { return static_cast<Position>(order_.size()); }
  const Rows& up() const { return *up_; }
  const Rows& down() const { return *down_; }
  bool symmetric() const { return up_ == down_; }

  /// The hierarchy of the graph with every edge reversed, which shares the arcs.
  Hierarchy reversed() const {
    Hierarchy turned = *this;
    std::swap(turned.up_, turned.down_);
    return turned;
  }

  /// No label of any search exceeds it.
  W bound() const { return bound_; }

  Position position(std::int64_t vertex) const {
    return position_[static_cast<std::size_t>(vertex)];
  }
  Position vertex(Position position) const { return order_[static_cast<std::size_t>(position)]; }
  std::span<const Position> positions() const { return position_; }

 private:
  void find_bound() {
    bound_ = longest(*up_);
    bound_ = sum(bound_, up_ == down_ ? bound_ : longest(*down_));
  }

  static W sum(W a, W b) {
    W total;
    if (!add_checked<W, W, Position>(a, b, total))
      throw std::overflow_error("the sums of shortcuts may not fit their type");
    return total;
  }

  /// The length of the longest way along rows, an upper bound on the labels of an upward search.
  static W longest(const Rows& rows) {
    const std::size_t n = rows.first.size() - 1;
    PageArray<W> from(n);
    W most{};
    for (std::size_t x = 0; x < n; ++x) {
      from[x] = W{};
      for (const HierarchyArc<W>& arc : rows.row(static_cast<Position>(x)))
        from[x] = std::max(from[x], sum(from[static_cast<std::size_t>(arc.head)], arc.weight));
      most = std::max(most, from[x]);
    }
    return most;
  }

  std::vector<Position> position_;  // of each vertex
  std::vector<Position> order_;     // the vertex at each position
  std::shared_ptr<const Rows> up_;
  std::shared_ptr<const Rows> down_;
  W bound_{};
};

}  // namespace warpath
