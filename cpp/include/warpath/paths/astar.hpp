// astar.hpp - A* from a source to a target, with the order of ties of a queue that counts entries.
//
// Source: Hart, Nilsson, Raphael 1968. The estimate may be any function: where it is too large, the
// path is that of the order in which NetworkX takes vertices, which this search has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The edges of a path from its source on; `found` is false if there is none. `inexact`: a sum is
/// beyond 2^52 where it must be an integer, or the estimate is NaN; then the rest has no meaning.
struct AStarPath {
  std::vector<std::int64_t> edges;
  bool found = false;
  bool inexact = false;
};

/// A vertex of the search. `via` is the edge by which it was scanned last: kSource, or kUnseen if
/// it was not scanned.
template <class D>
struct AStarState {
  static constexpr std::int64_t kUnseen = -2;
  static constexpr std::int64_t kSource = -1;
  D dist = 0;
  double estimate = 0;
  std::int64_t via = kUnseen;
  bool queued = false;  // dist and estimate are known
};

/// Searches by dist + estimate(vertex), for weights >= 0.
///
/// An entry is taken before others of its priority that were queued later. `estimate` is called
/// when an edge first leads to a vertex, and again for a vertex that was beyond the limit. Vertices
/// whose priority is beyond `limit` are not queued. A vertex whose label falls after its scan is
/// scanned again. O(n) to begin with, and O(k log k) for k entries of the queue.
///
/// `whole`: distances are integers, also in a graph of floats; priorities, which are floats, hold
/// them exactly up to 2^53.
template <Index V, Weight W, class Estimate>
AStarPath astar(const CsrView<V, W>& graph, V source, V target, double limit, bool whole,
                Estimate&& estimate, Poller poller) {
  using D = DistanceOf<W>;
  constexpr double kExact = 4503599627370496;  // 2^52: the sum of two such integers is exact
  using State = AStarState<D>;
  struct Entry {
    double priority;
    std::int64_t order;
    D dist;
    std::int64_t via;
    V vertex;
  };
  const auto later = [](const Entry& a, const Entry& b) {
    return a.priority > b.priority || (a.priority == b.priority && a.order > b.order);
  };
  AStarPath path;
  std::vector<State> states(static_cast<std::size_t>(graph.n()));
  std::vector<Entry> queue{{0, 0, 0, State::kSource, source}};
  std::int64_t entries = 1;
  const auto tail_of = [&](std::int64_t edge) {
    const auto above = std::upper_bound(graph.indptr.begin(), graph.indptr.end(), edge);
    return static_cast<std::size_t>(above - graph.indptr.begin()) - 1;
  };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), later);
    const Entry top = queue.back();
    queue.pop_back();
    if (top.vertex == target) {
      path.found = true;
      for (std::int64_t edge = top.via; edge != State::kSource; edge = states[tail_of(edge)].via)
        path.edges.push_back(edge);
      std::reverse(path.edges.begin(), path.edges.end());
      return path;
    }
    State& state = states[static_cast<std::size_t>(top.vertex)];
    if (state.via == State::kSource || (state.via != State::kUnseen && state.dist < top.dist))
      continue;
    state.via = top.via;
    const std::int64_t end = graph.indptr[static_cast<std::size_t>(top.vertex) + 1];
    std::int64_t e = graph.indptr[static_cast<std::size_t>(top.vertex)];
    poller.step(end - e + 1);
    for (; e < end; ++e) {
      const V v = graph.indices[static_cast<std::size_t>(e)];
      D dist;
      State& next = states[static_cast<std::size_t>(v)];
      const bool fits =
          add_checked<D, W, V>(top.dist, graph.weights[static_cast<std::size_t>(e)], dist);
      if (fits && next.queued && next.dist <= dist) continue;
      const double expected = next.queued ? next.estimate : estimate(v);
      const double priority = static_cast<double>(dist) + expected;
      const bool exact = fits && (!whole || static_cast<double>(dist) <= kExact);
      if (!exact || std::isnan(expected)) {
        path.inexact = true;
        return path;
      }
      if (priority > limit) continue;
      next.dist = dist;
      next.estimate = expected;
      next.queued = true;
      queue.push_back({priority, entries++, dist, e, v});
      std::push_heap(queue.begin(), queue.end(), later);
    }
  }
  return path;
}

}  // namespace warpath
