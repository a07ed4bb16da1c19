// search.hpp - a single-source search, bound to a graph once and called for many sources.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "buffers.hpp"
#include "graph_rows.hpp"

namespace warpath::bindings {

/// The counters of a search; -1 if it does not count one. Python gets them as bytes and rarely
/// reads them.
struct SearchStats {
  std::int64_t settled, relaxed, improved;
  std::int64_t rounds = -1;
  std::int64_t reached = -1;
  std::int64_t together = -1;
  std::int64_t moves = -1;
  std::int64_t nanoseconds = 0;  // duration, including the allocation of the result
};

/// A search with all parameters except the source. Inspecting a graph's arrays takes longer than a
/// tiny solve, so it is done once, and the arrays are stored.
template <class D>
class BoundSearch {
 public:
  using Run = std::function<std::optional<SearchStats>(std::int64_t source, std::span<D> dist,
                                                       Control& control)>;

  BoundSearch(std::size_t n, std::size_t m, Run run) : n_(n), m_(m), run_(std::move(run)) {
    Numpy::keep<D>();
  }

  /// Returns the distances, read-only, and the numbers of SearchStats; None if distances may not
  /// fit their type.
  nb::object operator()(std::int64_t source, nb::object progress) const {
    require_vertex(source, static_cast<std::int64_t>(n_));
    const auto start = std::chrono::steady_clock::now();
    NewArray<D> dist(n_);
    Control control(python_tick(std::move(progress)));
    std::optional<SearchStats> stats;
    {
      const GilReleaseIfLarge free(n_, m_);
      stats = run_(source, dist.values(), control);
      const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
      if (stats) stats->nanoseconds = took.count();
    }
    if (!stats) return nb::none();
    return nb::make_tuple(dist.frozen(), nb::bytes(&*stats, sizeof *stats));
  }

  static nb::callable function(std::size_t n, std::size_t m, Run run) {
    return function_of(BoundSearch(n, m, std::move(run)), nb::arg("source"),
                       nb::arg("progress") = nb::none());
  }

 private:
  std::size_t n_, m_;
  Run run_;
};

}  // namespace warpath::bindings
