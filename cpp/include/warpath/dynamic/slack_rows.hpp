// slack_rows.hpp - the rows of a graph that changes, with vacant places for more edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/graph/ascending_order.hpp"
#include "warpath/graph/types.hpp"

namespace warpath {

/// One direction of a graph's edges: row u holds the other ends of u's edges and their weights.
///
/// All rows lie in one pool. A row grows into a vacant place behind it; if there is none, it moves
/// to the end of the pool with vacant places behind it, and its old places become vacant. When the
/// pool has no room for it, `compact` closes the gaps. The order of a row's edges is that of their
/// insertion, so that parallel edges keep their positions.
///
/// Work: O(degree) for the insertions or removals of a row, and O(n log n + m) for each m / 4
/// places that moves leave vacant. Memory: an offset and a degree per vertex, and at most 1.25 m +
/// O(1) places for the largest m since the last `trim`, which leaves at most 1.375 m + O(1): less
/// than 1.5 times the memory of rows without vacant places.
template <Index V, Weight W>
class SlackRows {
 public:
  struct Edge {
    V end;
    W weight;
  };

  explicit SlackRows(const CsrView<V, W>& graph)
      : begins_(graph.indptr.begin(), graph.indptr.end() - 1),
        degrees_(static_cast<std::size_t>(graph.n())),
        edges_(graph.m()),
        limit_(room_for(graph.m())) {
    for (std::size_t u = 0; u < degrees_.size(); ++u)
      degrees_[u] = checked_degree(graph.indptr[u + 1] - graph.indptr[u]);
    reserve();
    ends_.assign(graph.indices.begin(), graph.indices.end());
    weights_.assign(graph.weights.begin(), graph.weights.end());
  }

  /// The rows of the reversed edges; edges of a row are in the order of their sources, and parallel
  /// edges in their order in `rows`, whose edges are those of a graph without changes.
  static SlackRows reversed(const SlackRows& rows) {
    std::vector<std::int64_t> indptr(rows.begins_.size() + 1);
    for (const V end : rows.ends_) ++indptr[static_cast<std::size_t>(end) + 1];
    std::partial_sum(indptr.begin(), indptr.end(), indptr.begin());
    std::vector<std::int64_t> next(indptr.begin(), indptr.end() - 1);
    SlackRows made(rows.begins_.size(), rows.edges_);
    made.ends_.resize(rows.ends_.size());
    made.weights_.resize(rows.ends_.size());
    for (std::size_t u = 0; u < rows.begins_.size(); ++u) {
      for (const Edge edge : rows.row(static_cast<V>(u))) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(edge.end)]++);
        made.ends_[place] = static_cast<V>(u);
        made.weights_[place] = edge.weight;
      }
    }
    for (std::size_t v = 0; v < made.begins_.size(); ++v) {
      made.begins_[v] = indptr[v];
      made.degrees_[v] = checked_degree(indptr[v + 1] - indptr[v]);
    }
    return made;
  }

  /// The edges of a row, valid until the rows change.
  class Row {
   public:
    class Iterator {
     public:
      Iterator(const V* end, const W* weight) : end_(end), weight_(weight) {}
      Edge operator*() const { return {*end_, *weight_}; }
      Iterator& operator++() {
        ++end_, ++weight_;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return end_ != other.end_; }

     private:
      const V* end_;
      const W* weight_;
    };

    Row(const V* ends, const W* weights, std::int64_t size)
        : ends_(ends), weights_(weights), size_(size) {}
    Iterator begin() const { return {ends_, weights_}; }
    Iterator end() const { return {ends_ + size_, weights_ + size_}; }
    std::int64_t size() const { return size_; }
    Edge operator[](std::int64_t at) const { return {ends_[at], weights_[at]}; }

   private:
    const V* ends_;
    const W* weights_;
    std::int64_t size_;
  };

  Row row(V u) const {
    const auto begin = begins_[static_cast<std::size_t>(u)];
    return {ends_.data() + begin, weights_.data() + begin, degree(u)};
  }

  std::int64_t n() const { return static_cast<std::int64_t>(begins_.size()); }
  std::int64_t edges() const { return edges_; }
  std::int64_t degree(V u) const { return degrees_[static_cast<std::size_t>(u)]; }

  void set_weight(V u, std::int64_t at, W weight) { weights_[place(u, at)] = weight; }

  /// An edge and its place in a row.
  struct PlacedEdge {
    V row;
    std::int64_t at;
    Edge edge;
  };

  /// Inserts an edge at the end of a row. If it throws, nothing has changed.
  void append(V u, Edge edge) {
    make_room(u);
    const std::size_t end = place(u, degree(u));
    ends_[end] = edge.end;
    weights_[end] = edge.weight;
    ++degrees_[static_cast<std::size_t>(u)];
    ++edges_;
  }

  /// Removes the last edge of a row.
  void erase_last(V u) {
    --degrees_[static_cast<std::size_t>(u)];
    --edges_;
    ends_[place(u, degree(u))] = kVacant;
  }

  /// Removes edges, sorted by row and place. The places that become vacant are not taken by another
  /// row before the next insertion, so that the edges can be inserted again without memory.
  void erase(std::span<const PlacedEdge> edges) {
    each_row(edges, [&](V u, std::span<const PlacedEdge> removed) {
      std::int64_t to = removed.front().at;
      for (std::size_t k = 0; k < removed.size(); ++k) {
        const std::int64_t next = k + 1 < removed.size() ? removed[k + 1].at : degree(u);
        for (std::int64_t from = removed[k].at + 1; from < next; ++from) copy(u, from, to++);
      }
      for (std::size_t k = 0; k < removed.size(); ++k) erase_last(u);
    });
  }

  /// Inserts edges again that `erase` removed, at their places.
  void insert(std::span<const PlacedEdge> edges) {
    each_row(edges, [&](V u, std::span<const PlacedEdge> removed) {
      std::int64_t from = degree(u);
      for (const PlacedEdge& one : removed) append(u, one.edge);
      std::int64_t to = degree(u);
      for (std::size_t k = removed.size(); k-- > 0;) {
        while (to > removed[k].at + 1) copy(u, --from, --to);
        ends_[place(u, --to)] = removed[k].edge.end;
        weights_[place(u, to)] = removed[k].edge.weight;
      }
    });
  }

  /// Frees memory if many edges were removed.
  void trim() {
    if (limit_ <= edges_ + edges_ / 8 * 3 + kFew) return;
    compact(0);
    ends_.shrink_to_fit();
    weights_.shrink_to_fit();
    reserve();
  }

  /// Writes the rows without vacant places: indptr (n + 1), indices and weights (edges()). Rows
  /// that lie behind one another are copied together.
  void write(std::span<std::int64_t> indptr, std::span<V> indices, std::span<W> weights) const {
    std::int64_t next = 0;
    for (std::size_t u = 0; u < begins_.size();) {
      const std::int64_t begin = begins_[u];
      std::int64_t end = begin;
      for (; u < begins_.size() && begins_[u] == end; ++u) {
        indptr[u] = next + end - begin;
        end += degrees_[u];
      }
      std::copy(ends_.begin() + begin, ends_.begin() + end, indices.begin() + next);
      std::copy(weights_.begin() + begin, weights_.begin() + end, weights.begin() + next);
      next += end - begin;
    }
    indptr[begins_.size()] = next;
  }

  std::size_t nbytes() const {
    return begins_.capacity() * sizeof(std::int64_t) + degrees_.capacity() * sizeof(V) +
           ends_.capacity() * sizeof(V) + weights_.capacity() * sizeof(W);
  }

 private:
  static constexpr V kVacant = -1;
  static constexpr std::int64_t kFew = 64;  // places that are not worth a compaction

  SlackRows(std::size_t n, std::int64_t edges)
      : begins_(n), degrees_(n), edges_(edges), limit_(room_for(edges)) {
    reserve();
  }

  static std::int64_t room_for(std::int64_t edges) { return edges + edges / 4 + kFew; }

  static V checked_degree(std::int64_t degree) {
    if (degree > std::numeric_limits<V>::max())
      throw std::length_error("a vertex has more edges than its index type can number");
    return static_cast<V>(degree);
  }

  std::size_t place(V u, std::int64_t at) const {
    return static_cast<std::size_t>(begins_[static_cast<std::size_t>(u)] + at);
  }
  void copy(V u, std::int64_t from, std::int64_t to) {
    ends_[place(u, to)] = ends_[place(u, from)];
    weights_[place(u, to)] = weights_[place(u, from)];
  }

  /// Calls body(row, edges of the row) for each row of sorted edges.
  template <class Body>
  static void each_row(std::span<const PlacedEdge> edges, const Body& body) {
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
      while (end < edges.size() && edges[end].row == edges[begin].row) ++end;
      body(edges[begin].row, edges.subspan(begin, end - begin));
    }
  }

  std::int64_t used() const { return static_cast<std::int64_t>(ends_.size()); }

  void reserve() {
    ends_.reserve(static_cast<std::size_t>(limit_));
    weights_.reserve(static_cast<std::size_t>(limit_));
  }

  void extend(std::int64_t places) {
    const auto size = static_cast<std::size_t>(used() + places);
    ends_.resize(size, kVacant);
    weights_.resize(size);
  }

  /// Makes the place behind a row vacant.
  void make_room(V u) {
    checked_degree(degree(u) + 1);
    const std::int64_t behind = begins_[static_cast<std::size_t>(u)] + degree(u);
    if (behind < used() && ends_[static_cast<std::size_t>(behind)] == kVacant) return;
    if (behind == used() && used() < limit_) return extend(1);
    const std::int64_t wanted = degree(u) + 2 + degree(u) / 4;
    if (used() + wanted > limit_) compact(wanted);
    move_to_end(u, wanted);
  }

  void move_to_end(V u, std::int64_t places) {
    const std::int64_t to = used();
    std::int64_t& begin = begins_[static_cast<std::size_t>(u)];
    extend(places);
    std::copy_n(ends_.begin() + begin, degree(u), ends_.begin() + to);
    std::copy_n(weights_.begin() + begin, degree(u), weights_.begin() + to);
    std::fill_n(ends_.begin() + begin, degree(u), kVacant);
    begin = to;
  }

  /// Moves all rows to the front, without gaps, and sets the limit for the edges and `more`.
  void compact(std::int64_t more) {
    const std::vector<std::size_t> order = ascending_order(begins_);
    const std::int64_t limit = room_for(edges_ + more);
    if (limit > limit_) {
      ends_.reserve(static_cast<std::size_t>(limit));
      weights_.reserve(static_cast<std::size_t>(limit));
    }
    std::int64_t to = 0;
    for (const std::size_t u : order) {
      std::int64_t& begin = begins_[u];
      std::copy_n(ends_.begin() + begin, degrees_[u], ends_.begin() + to);
      std::copy_n(weights_.begin() + begin, degrees_[u], weights_.begin() + to);
      begin = to;
      to += degrees_[u];
    }
    ends_.resize(static_cast<std::size_t>(to));
    weights_.resize(static_cast<std::size_t>(to));
    limit_ = limit;
  }

  std::vector<std::int64_t> begins_;  // n
  std::vector<V> degrees_;            // n
  std::vector<V> ends_;               // the pool: the other ends of edges, or kVacant
  std::vector<W> weights_;
  std::int64_t edges_;
  std::int64_t limit_;  // most places of the pool
};

}  // namespace warpath
