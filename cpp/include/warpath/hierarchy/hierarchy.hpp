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
///
/// Rows lie in the order of the positions, but for those that were moved to the end because they
/// have changed. Rows that differ in a few positions share the memory of their arcs.
template <Weight W>
class HierarchyRows {
 public:
  using Arcs = PageArray<HierarchyArc<W>>;

  /// Rows of `sizes(x)` arcs, which the caller writes by `begin`.
  template <class Sizes>
  HierarchyRows(std::size_t n, const Sizes& sizes) : places_(n) {
    for (std::size_t x = 0; x < n; ++x) {
      const std::size_t size = sizes(x);
      places_[x] = place(count_, size);
      count_ += size;
    }
    end_ = count_;
    arcs_ = std::make_shared<Arcs>(count_);
  }

  /// The same rows with arcs of their own, and room for more at the end.
  HierarchyRows(const HierarchyRows& other, std::size_t room)
      : HierarchyRows(other, std::make_shared<Arcs>(other.end_ + room)) {
    std::copy_n(other.arcs_->data(), end_, arcs_->data());
  }
  /// The same rows of which some will be moved to the end.
  HierarchyRows(const HierarchyRows& other, std::shared_ptr<Arcs> arcs)
      : places_(other.places_.size()),
        arcs_(std::move(arcs)),
        count_(other.count_),
        end_(other.end_) {
    std::copy_n(other.places_.data(), places_.size(), places_.data());
  }

  std::size_t n() const { return places_.size(); }
  std::size_t arcs() const { return count_; }

  std::span<const HierarchyArc<W>> row(Position x) const {
    const std::uint64_t place = places_[static_cast<std::size_t>(x)];
    return {arcs_->data() + (place >> kSizeBits), place & kMostArcs};
  }
  /// The end of the memory of all arcs.
  const HierarchyArc<W>* end() const { return arcs_->data() + end_; }
  const std::shared_ptr<Arcs>& memory() const { return arcs_; }

  HierarchyArc<W>* begin(std::size_t x) { return arcs_->data() + (places_[x] >> kSizeBits); }

  /// Moves a row to a place that `size` arcs were written to.
  void move(std::size_t x, std::size_t to, std::size_t size) {
    count_ += size - (places_[x] & kMostArcs);
    places_[x] = place(to, size);
    end_ = std::max(end_, to + size);
  }

 private:
  static constexpr int kSizeBits = 24;
  static constexpr std::uint64_t kMostArcs = (std::uint64_t{1} << kSizeBits) - 1;

  static std::uint64_t place(std::size_t first, std::size_t size) {
    if (size > kMostArcs || first >> (64 - kSizeBits) != 0)
      throw std::length_error("a position has more than 2^24 arcs, or all have 2^40");
    return std::uint64_t{first} << kSizeBits | size;
  }

  PageArray<std::uint64_t> places_;  // the first arc of each row, and how many it has
  std::shared_ptr<Arcs> arcs_;
  std::size_t count_ = 0;
  std::size_t end_ = 0;
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

/// What searches and sweeps did. Searches side by side take a position once for all of them.
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
      : numbering_(std::make_shared<Numbering>(std::move(position))),
        up_(std::move(up)),
        down_(std::move(down)) {
    bound_ = longest(*up_);
    bound_ = sum(bound_, up_ == down_ ? bound_ : longest(*down_));
  }

  /// The same positions with other arcs, whose labels do not exceed a bound.
  Hierarchy(const Hierarchy& other, std::shared_ptr<const Rows> up,
            std::shared_ptr<const Rows> down, W bound)
      : numbering_(other.numbering_), up_(std::move(up)), down_(std::move(down)), bound_(bound) {}

  Position n() const { return static_cast<Position>(numbering_->order.size()); }
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
    return numbering_->position[static_cast<std::size_t>(vertex)];
  }
  Position vertex(Position position) const {
    return numbering_->order[static_cast<std::size_t>(position)];
  }
  std::span<const Position> positions() const { return numbering_->position; }

 private:
  struct Numbering {
    explicit Numbering(std::vector<Position> given)
        : position(std::move(given)), order(position.size()) {
      for (std::size_t v = 0; v < position.size(); ++v)
        order[static_cast<std::size_t>(position[v])] = static_cast<Position>(v);
    }

    const std::vector<Position> position;  // of each vertex
    std::vector<Position> order;           // the vertex at each position
  };

  static W sum(W a, W b) {
    W total;
    if (!add_checked<W, W, Position>(a, b, total))
      throw std::overflow_error("the sums of shortcuts may not fit their type");
    return total;
  }

  /// The length of the longest way along rows, an upper bound on the labels of an upward search.
  static W longest(const Rows& rows) {
    const std::size_t n = rows.n();
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

  std::shared_ptr<const Numbering> numbering_;
  std::shared_ptr<const Rows> up_;
  std::shared_ptr<const Rows> down_;
  W bound_{};
};

}  // namespace warpath
