// elimination_order.hpp - an order in which a graph's vertices are removed, whatever its weights.
//
// Removing a vertex connects all its neighbours to each other. The next vertex removed is the one
// of least importance: its level, that is, the length of the longest chain of vertices removed
// below it, plus eight times the number of arcs that its removal adds per arc that it deletes.
// Edges count in both directions.
//
// A neighbour of the removed vertex that has no other neighbours than it had is removed next: that
// adds no arcs. The list of a vertex of many neighbours, a hub, is not put in order whenever one of
// them is removed: new neighbours are appended to it, and removed ones stay, until half of it is
// out of date.
//
// Measured on New York's roads (264,346 vertices, 365,050 edges): 1,189,896 arcs, 7.5 million
// triangles, 205 vertices above a vertex on average; 1,216,296, 8.1 million and 221 if vertices
// that add no arcs wait for their turn. With a factor of 4 instead of 8, then: 194 vertices above,
// 4 % more triangles. By minimum degree, as in sparse factorizations: 10.0 million triangles and
// 357 vertices above. Work    O(sum of squared degrees at removal), sequential: a second on New
// York's roads. Source  Dibbelt, Strasser, Wagner, "Customizable contraction hierarchies", 2014.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/dense_core.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Limits of the density of a remaining graph, above which elimination stops.
struct EliminationLimits {
  std::int64_t core_vertices = 1024;  // up to this size it may have any density
  std::int64_t core_degree = 768;     // arcs per vertex of a larger one
};

/// The neighbours of each vertex in either direction, ascending, without the vertex itself.
template <Index V>
std::vector<std::vector<Position>> neighbours_of(std::span<const std::int64_t> indptr,
                                                 std::span<const V> indices) {
  const std::size_t n = indptr.size() - 1;
  std::vector<std::vector<Position>> lists(n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(indices[static_cast<std::size_t>(e)]);
      if (u == v) continue;
      lists[u].push_back(static_cast<Position>(v));
      lists[v].push_back(static_cast<Position>(u));
    }
  }
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return lists;
}

/// Removes vertices one by one. The order depends only on the edges.
class EliminationOrder {
 public:
  using List = std::vector<Position>;

  /// `neighbours`: as returned by `neighbours_of`.
  EliminationOrder(std::vector<List> neighbours, const EliminationLimits& limits, Control& control)
      : limits_(limits),
        control_(control),
        poller_(control, true),
        lists_(std::move(neighbours)),
        level_(lists_.size(), 0),
        key_(lists_.size()),
        changed_(lists_.size(), 0),
        mark_(lists_.size(), 0),
        untidy_(lists_.size(), 0),
        degree_(lists_.size(), 0),
        left_(static_cast<std::int64_t>(lists_.size())) {
    for (std::size_t v = 0; v < lists_.size(); ++v) count(v, std::ssize(lists_[v]));
  }

  /// Returns the vertices in the order of their removal. Raises DenseCore.
  List run() {
    control_.expect(left_);
    for (std::size_t v = 0; v < lists_.size(); ++v) enter(static_cast<Position>(v));
    List order;
    order.reserve(lists_.size());
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      const auto v = static_cast<std::size_t>(top.vertex);
      if (top.key != key_[v]) continue;
      if (changed_[v] != 0) {
        enter(top.vertex);
        continue;
      }
      key_[v] = kRemoved;
      remove(top.vertex);
      order.push_back(top.vertex);
    }
    return order;
  }

 private:
  static constexpr std::int64_t kUnit = 1000;  // of importance: a level
  static constexpr std::int64_t kFactor = 8;   // of the arcs added; see the head of the file
  // Entries of a list. A vertex whose list has more is a hub, whose neighbours count as
  // unconnected.
  static constexpr std::size_t kCounted = 400;
  static constexpr std::size_t kFew = 8;  // of a hub's entries, the part that is appended to it
  static constexpr std::int64_t kRemoved = -1;

  struct Entry {
    std::int64_t key;
    std::uint32_t scattered;  // breaks ties of importance in pseudorandom order
    Position vertex;

    bool operator>(const Entry& other) const {
      return key != other.key ? key > other.key : scattered > other.scattered;
    }
  };

  /// A bijective hash of a number.
  static std::uint32_t scattered(Position number) {
    auto x = static_cast<std::uint32_t>(number);
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
  }

  /// Queues a vertex with its current importance.
  void enter(Position vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    changed_[v] = 0;
    tidy(v);
    key_[v] = level_[v] * kUnit + quotient(lists_[v]);
    queue_.push({key_[v], scattered(vertex), vertex});
  }

  /// Queues a vertex whose neighbours are all connected, before any whose removal adds arcs.
  void enter_as_next(Position vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    changed_[v] = 0;
    if (std::exchange(key_[v], 0) != 0) queue_.push({0, scattered(vertex), vertex});
  }

  /// The arcs that removing a vertex adds, in both directions, per arc that it deletes. Hubs around
  /// it count as neighbours of each other.
  std::int64_t quotient(const List& around) {
    const std::size_t degree = around.size();
    if (degree == 0) return 0;
    std::int64_t missing =
        static_cast<std::int64_t>(degree) * static_cast<std::int64_t>(degree - 1);
    if (degree <= kCounted) {
      ++search_;
      std::int64_t hubs = 0;
      for (const Position u : around) {
        mark_[static_cast<std::size_t>(u)] = search_;
        hubs += is_hub(static_cast<std::size_t>(u));
      }
      missing -= hubs * (hubs - 1);
      for (const Position neighbour : around) {
        const auto u = static_cast<std::size_t>(neighbour);
        if (is_hub(u)) continue;
        poller_.step(std::ssize(lists_[u]));
        for (const Position further : lists_[u]) {
          const auto w = static_cast<std::size_t>(further);
          if (mark_[w] == search_) missing -= is_hub(w) ? 2 : 1;  // the hub's list may lack u
        }
      }
    }
    return kFactor * kUnit * missing / (2 * static_cast<std::int64_t>(degree));
  }

  void remove(Position vertex) {
    const List around = std::move(lists_[static_cast<std::size_t>(vertex)]);
    const std::int32_t above = level_[static_cast<std::size_t>(vertex)] + 1;
    count(static_cast<std::size_t>(vertex), 0);
    for (const Position neighbour : around) {
      const auto u = static_cast<std::size_t>(neighbour);
      if (is_hub(u) && kFew * around.size() <= lists_[u].size())
        append(u, around);
      else
        join(u, around);
      level_[u] = std::max(level_[u], above);
      changed_[u] = 1;
      if (degree_[u] + 1 == std::ssize(around)) enter_as_next(neighbour);
    }
    --left_;
    control_.advance(1);
    if (left_ > limits_.core_vertices && arcs_ > limits_.core_degree * left_)
      throw DenseCore{left_, arcs_};
  }

  bool is_hub(std::size_t u) const { return lists_[u].size() > kCounted; }

  /// Sets the number of a vertex's arcs that `arcs_` includes.
  void count(std::size_t u, std::int64_t degree) {
    arcs_ += degree - degree_[u];
    degree_[u] = degree;
  }

  /// Makes the neighbours of a removed vertex neighbours of u, one of them.
  void join(std::size_t u, const List& around) {
    tidy(u);
    List& list = lists_[u];
    joined_.clear();
    std::set_union(list.begin(), list.end(), around.begin(), around.end(),
                   std::back_inserter(joined_));
    std::erase_if(joined_, [&](Position w) { return is_no_neighbour(u, w); });
    poller_.step(std::ssize(joined_));
    list.assign(joined_.begin(), joined_.end());
    count(u, std::ssize(list));
  }

  /// Does the same for a hub, in O(k) for k neighbours, on average.
  void append(std::size_t u, const List& around) {
    List& list = lists_[u];
    for (const Position w : around)
      if (!is_no_neighbour(u, w)) list.push_back(w);
    poller_.step(std::ssize(around));
    untidy_[u] = 1;
    count(u, degree_[u] - 1);
    if (std::ssize(list) > 2 * degree_[u]) tidy(u);
  }

  bool is_no_neighbour(std::size_t u, Position w) const {
    return static_cast<std::size_t>(w) == u || key_[static_cast<std::size_t>(w)] == kRemoved;
  }

  /// Puts the list of a hub in order, without vertices that were removed. Other lists always are.
  void tidy(std::size_t u) {
    if (std::exchange(untidy_[u], char{0}) == 0) return;
    List& list = lists_[u];
    std::erase_if(list, [&](Position w) { return is_no_neighbour(u, w); });
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    poller_.step(std::ssize(list));
    count(u, std::ssize(list));
  }

  const EliminationLimits limits_;
  Control& control_;
  Poller poller_;
  std::vector<List> lists_;  // of the remaining vertices
  std::vector<std::int32_t> level_;
  std::vector<std::int64_t> key_;  // of a queued vertex; entries with another key are stale
  std::vector<char> changed_;      // whether it is out of date
  std::vector<std::uint64_t> mark_;
  std::uint64_t search_ = 0;
  std::vector<char> untidy_;          // whether the list of a hub is not in order
  std::vector<std::int64_t> degree_;  // the arcs of a vertex, but for those appended to its list
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  List joined_;
  std::int64_t left_;      // vertices
  std::int64_t arcs_ = 0;  // between the remaining vertices, in both directions
};

}  // namespace warpath
