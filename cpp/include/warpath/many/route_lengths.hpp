// route_lengths.hpp - lengths along shortest paths whose weights are others, such as metres along
// the fastest paths.
//
// Of equally short paths to a vertex the least length counts, of sums from the source on. A search
// may end when no vertex in its queue is within the radius: lengths are >= 0, so that no later one
// is.
//
// Memory  8 bytes a vertex.
// Needs   weights > 0: a vertex is settled after all vertices before it on its shortest paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// An edge whose weight is lost in the sum with a distance, so that shortest paths are not known.
struct LengthLost {
  std::int64_t edge;
};

/// The lengths of one thread's searches; without lengths of edges nothing is measured.
class RouteLengths {
 public:
  RouteLengths(std::span<const double> of_edges, std::size_t n, double radius)
      : of_edges_(of_edges), radius_(radius), lengths_(of_edges.empty() ? 0 : n) {}

  bool measured() const { return !of_edges_.empty(); }
  double operator[](std::size_t v) const { return lengths_[v]; }
  bool is_within(std::size_t v) const { return lengths_[v] <= radius_; }
  bool is_finished() const { return waiting_ == 0; }

  void start(std::size_t source) {
    lengths_[source] = 0;
    waiting_ = 1;
  }

  /// Sets the length of a vertex in the queue whose shortest path now ends with an edge (u, v).
  void label(std::size_t u, std::size_t e, std::size_t v, bool queued) {
    const double length = lengths_[u] + of_edges_[e];
    if (queued) waiting_ -= is_within(v);
    lengths_[v] = length;
    waiting_ += is_within(v);
  }

  /// The same for a path that is as short as the shortest one known.
  void label_equal(std::size_t u, std::size_t e, std::size_t v) {
    if (lengths_[u] + of_edges_[e] < lengths_[v]) label(u, e, v, true);
  }

  void settle(std::size_t v) { waiting_ -= is_within(v); }

 private:
  std::span<const double> of_edges_;
  const double radius_;
  PageArray<double> lengths_;
  std::int64_t waiting_ = 0;  // vertices in the queue within the radius
};

}  // namespace warpath
