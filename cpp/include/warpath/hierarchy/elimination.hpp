// elimination.hpp - the arcs that a graph's hierarchy may need, independent of the weights.
//
// Vertices are removed in a given order. A removed vertex gets an arc to each remaining neighbour,
// and these become neighbours of each other. The least important head of a vertex's arcs is its
// parent in the elimination tree, and all heads are ancestors: arcs lead from a subtree to itself
// and to its ancestors. Positions number the tree from the root, each subtree contiguously.
// Work    O(n + m), and O(k log k) for k arcs of a vertex.
// Memory  12 bytes for each arc, 8 for each edge, 20 for each vertex.
// Source  Dibbelt, Strasser, Wagner, "Customizable contraction hierarchies", 2014.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/tree_walk.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// An arc into a position from a less important one: arc number first[tail] + offset.
struct ArcFromBelow {
  Position tail;
  std::int32_t offset;
};

/// A graph's arcs after elimination, and the arc that represents each of its edges.
///
/// The arcs of a position ascend by their heads. Of the arcs of a position x, those before the arc
/// to y have heads that are neighbours of y too: each closes a triangle, and `below(y)` with these
/// prefixes lists all triangles whose middle is y.
class Elimination {
 public:
  /// `order` has each vertex once.
  template <Index V>
  Elimination(std::span<const std::int64_t> indptr, std::span<const V> indices,
              std::vector<std::vector<Position>> neighbours, std::span<const Position> order,
              Poller poller) {
    eliminate(std::move(neighbours), order, poller);
    find_arcs_below();
    find_edges(indptr, indices);
    divide();
    place_ = end_ = List();
  }

  std::size_t n() const { return position_.size(); }
  std::size_t arcs() const { return heads_.size(); }
  std::size_t edges() const { return arc_of_edge_.size(); }
  std::int64_t triangles() const { return triangles_; }

  std::span<const Position> positions() const { return position_; }
  std::size_t first(std::size_t x) const { return static_cast<std::size_t>(first_[x]); }
  const Position* heads() const { return heads_.data(); }
  /// The less important end of an arc. O(log n).
  Position tail(std::size_t arc) const {
    const std::int64_t* const begin = first_.data();
    const std::int64_t* const after =
        std::upper_bound(begin, begin + n() + 1, static_cast<std::int64_t>(arc));
    return static_cast<Position>(after - begin - 1);
  }
  std::span<const ArcFromBelow> below(std::size_t x) const {
    const auto begin = static_cast<std::size_t>(first_below_[x]);
    return {below_.data() + begin, static_cast<std::size_t>(first_below_[x + 1]) - begin};
  }

  /// Twice the number of an edge's arc, and 1 more for an edge to the less important end; -1 for a
  /// self-loop.
  std::int64_t arc_of_edge(std::size_t e) const { return arc_of_edge_[e]; }

  /// Ranges of positions that are unions of subtrees. No arc leads from one range to another.
  struct Range {
    Position begin;
    Position end;
  };
  std::span<const Range> ranges() const { return ranges_; }

  /// The positions above the ranges, ascending, and the tree that they form.
  std::span<const Position> top() const { return top_; }
  std::span<const TreeNode> top_tree() const { return top_tree_; }

  std::size_t nbytes() const {
    return n() * (sizeof(Position) + 2 * sizeof(std::int64_t)) +
           arcs() * (sizeof(Position) + sizeof(ArcFromBelow)) + edges() * sizeof(std::int64_t);
  }

 private:
  using List = std::vector<Position>;
  static constexpr Position kNone = -1;
  static constexpr std::int64_t kRanges = 64;  // approximate number of ranges

  /// Finds the rows of arcs, as vertices by order, and then numbers them by position.
  void eliminate(std::vector<List> rows, std::span<const Position> order, Poller& poller) {
    const std::size_t n = order.size();
    List rank(n);
    for (std::size_t i = 0; i < n; ++i)
      rank[static_cast<std::size_t>(order[i])] = static_cast<Position>(i);
    // `child` and `sibling` list the vertices by rank whose parent is a vertex.
    List parent(n, kNone), child(n, kNone), sibling(n, kNone), seen(n, kNone);
    for (std::size_t i = 0; i < n; ++i) {
      const auto self = static_cast<Position>(i);
      List above;
      const auto add = [&](Position j) {
        if (j <= self || seen[static_cast<std::size_t>(j)] == self) return;
        seen[static_cast<std::size_t>(j)] = self;
        above.push_back(j);
      };
      List& row = rows[static_cast<std::size_t>(order[i])];
      for (const Position v : row) add(rank[static_cast<std::size_t>(v)]);
      for (Position c = child[i]; c != kNone; c = sibling[static_cast<std::size_t>(c)])
        for (const Position j : rows[static_cast<std::size_t>(order[static_cast<std::size_t>(c)])])
          add(j);
      row = std::move(above);
      poller.step(static_cast<std::int64_t>(row.size()) + 1);
      if (row.empty()) continue;
      parent[i] = *std::min_element(row.begin(), row.end());
      sibling[i] = std::exchange(child[static_cast<std::size_t>(parent[i])], self);
    }
    number(parent, child, sibling);
    position_.resize(n);
    List vertex(n);
    for (std::size_t i = 0; i < n; ++i) {
      position_[static_cast<std::size_t>(order[i])] = place_[i];
      vertex[static_cast<std::size_t>(place_[i])] = order[i];
    }
    store(rows, vertex, poller);
  }

  /// Computes positions: a parent's position is followed by those of its subtrees.
  void number(const List& parent, const List& child, const List& sibling) {
    const std::size_t n = parent.size();
    place_.resize(n);
    end_.resize(n);
    std::vector<std::size_t> path;
    Position next = 0;
    for (std::size_t root = n; root-- > 0;) {
      if (parent[root] != kNone) continue;
      path.push_back(root);
      while (!path.empty()) {
        const std::size_t i = path.back();
        path.pop_back();
        place_[i] = next++;
        for (Position c = child[i]; c != kNone; c = sibling[static_cast<std::size_t>(c)])
          path.push_back(static_cast<std::size_t>(c));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {  // children come before their parents
      Position& end = end_[static_cast<std::size_t>(place_[i])];
      end = std::max(end, place_[i] + 1);
      if (parent[i] == kNone) continue;
      Position& above = end_[static_cast<std::size_t>(place_[static_cast<std::size_t>(parent[i])])];
      above = std::max(above, end);
    }
  }

  void store(std::vector<List>& rows, const List& vertex, Poller& poller) {
    const std::size_t n = vertex.size();
    first_ = PageArray<std::int64_t>(n + 1);
    first_[0] = 0;
    for (std::size_t x = 0; x < n; ++x)
      first_[x + 1] =
          first_[x] + static_cast<std::int64_t>(rows[static_cast<std::size_t>(vertex[x])].size());
    heads_ = PageArray<Position>(static_cast<std::size_t>(first_[n]));
    for (std::size_t x = 0; x < n; ++x) {
      List& row = rows[static_cast<std::size_t>(vertex[x])];
      poller.step(static_cast<std::int64_t>(row.size()) + 1);
      for (Position& head : row) head = place_[static_cast<std::size_t>(head)];
      std::sort(row.begin(), row.end());
      std::copy(row.begin(), row.end(), heads_.data() + first_[x]);
      row = List();
    }
  }

  void find_arcs_below() {
    first_below_ = PageArray<std::int64_t>(n() + 1, 0);
    for (std::size_t e = 0; e < arcs(); ++e)
      ++first_below_[static_cast<std::size_t>(heads_[e]) + 1];
    for (std::size_t x = 0; x < n(); ++x) first_below_[x + 1] += first_below_[x];
    std::vector<std::int64_t> next(first_below_.data(), first_below_.data() + n());
    below_ = PageArray<ArcFromBelow>(arcs());
    for (std::size_t x = 0; x < n(); ++x)
      for (std::size_t e = first(x); e < first(x + 1); ++e)
        below_[static_cast<std::size_t>(next[static_cast<std::size_t>(heads_[e])]++)] = {
            static_cast<Position>(x), static_cast<std::int32_t>(e - first(x))};
  }

  template <Index V>
  void find_edges(std::span<const std::int64_t> indptr, std::span<const V> indices) {
    arc_of_edge_ = PageArray<std::int64_t>(indices.size());
    for (std::size_t u = 0; u < n(); ++u) {
      for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
        const auto edge = static_cast<std::size_t>(e);
        const Position from = position_[u];
        const Position to = position_[static_cast<std::size_t>(indices[edge])];
        const auto low = static_cast<std::size_t>(std::max(from, to));
        const Position* const row = heads_.data() + first_[low];
        const Position* const end = heads_.data() + first_[low + 1];
        const Position* const found = std::lower_bound(row, end, std::min(from, to));
        arc_of_edge_[edge] =
            from == to ? kNone : 2 * (found - heads_.data()) + static_cast<int>(from < to);
      }
    }
  }

  /// Divides positions into ranges with about equal numbers of triangles, and the positions above.
  void divide() {
    std::vector<std::int64_t> work(n(), 0);  // of a position, then of its subtree
    for (std::size_t x = 0; x < n(); ++x) {
      for (const ArcFromBelow& arc : below(x)) work[x] += arc.offset;
      triangles_ += work[x];
      work[x] += static_cast<std::int64_t>(below(x).size()) + 1;
    }
    for (std::size_t x = n(); x-- > 0;)
      if (first(x) < first(x + 1)) work[parent(x)] += work[x];
    const std::int64_t limit = (triangles_ + static_cast<std::int64_t>(arcs() + n())) / kRanges + 1;
    std::int64_t in_range = limit;
    for (std::size_t x = 0; x < n();) {
      if (work[x] > limit) {
        top_.push_back(static_cast<Position>(x++));
        in_range = limit;
        continue;
      }
      if (in_range + work[x] > limit) {
        ranges_.push_back({static_cast<Position>(x), static_cast<Position>(x)});
        in_range = 0;
      }
      in_range += work[x];
      ranges_.back().end = end_[x];
      x = static_cast<std::size_t>(end_[x]);
    }
    join_top();
  }

  std::size_t parent(std::size_t x) const {
    return static_cast<std::size_t>(heads_[first(x + 1) - 1]);
  }

  void join_top() {
    top_tree_.resize(top_.size());
    for (std::size_t i = top_.size(); i-- > 0;) {
      const auto x = static_cast<std::size_t>(top_[i]);
      if (first(x) == first(x + 1)) continue;
      const auto above =
          std::lower_bound(top_.begin(), top_.end(), static_cast<Position>(parent(x))) -
          top_.begin();
      TreeNode& node = top_tree_[static_cast<std::size_t>(above)];
      top_tree_[i].parent = static_cast<std::int32_t>(above);
      top_tree_[i].sibling = std::exchange(node.child, static_cast<std::int32_t>(i));
      ++node.children;
    }
  }

  std::vector<Position> position_;       // of each vertex
  List place_, end_;                     // position of a rank; the end of a position's subtree
  PageArray<std::int64_t> first_;        // n + 1: the arcs of each position
  PageArray<Position> heads_;            // of the arcs
  PageArray<std::int64_t> first_below_;  // n + 1: the arcs into each position
  PageArray<ArcFromBelow> below_;
  PageArray<std::int64_t> arc_of_edge_;
  std::vector<Range> ranges_;
  std::vector<Position> top_;
  std::vector<TreeNode> top_tree_;
  std::int64_t triangles_ = 0;
};

}  // namespace warpath
