// locality.hpp - whether edges connect near vertex numbers, and a renumbering under which they do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The share of edges, in a sample, whose ends' numbers differ by more than n / 16. `number(v)` is
/// the number of a vertex.
template <Index V, class Number>
double share_of_far_edges(const Adjacency<V>& graph, const Number& number) {
  constexpr std::int64_t kSamples = 2048;
  const std::int64_t step = std::max<std::int64_t>(1, graph.m() / kSamples);
  std::int64_t far = 0;
  std::int64_t seen = 0;
  for (std::int64_t e = 0; e < graph.m(); e += step, ++seen) {
    const auto row = std::upper_bound(graph.indptr.begin(), graph.indptr.end(), e);
    const auto u = static_cast<V>(row - graph.indptr.begin() - 1);
    const std::int64_t from = number(u);
    const std::int64_t to = number(graph.indices[static_cast<std::size_t>(e)]);
    far += std::max(from - to, to - from) > graph.n() / 16;
  }
  return seen == 0 ? 0 : static_cast<double>(far) / static_cast<double>(seen);
}

/// Whether neighbours have distant numbers, as after a shuffle or hashing.
template <Index V>
bool poor_locality(const Adjacency<V>& graph) {
  return share_of_far_edges(graph, [](V v) { return std::int64_t{v}; }) > 0.5;
}

/// Numbers of the vertices (n) in breadth-first order, close for neighbours. Empty if the graph has
/// no such order because a few hops lead everywhere. O(n + m).
template <Index V>
std::vector<V> breadth_first_numbers(const Adjacency<V>& graph, Poller poller) {
  constexpr std::size_t kAhead = 8;
  const auto n = static_cast<std::size_t>(graph.n());
  const std::int64_t* const indptr = graph.indptr.data();
  const V* const indices = graph.indices.data();
  std::vector<V> number(n, V{-1});
  std::vector<V> order;
  order.reserve(n);
  std::size_t root = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == order.size()) {
      while (number[root] >= 0) ++root;
      number[root] = static_cast<V>(i);
      order.push_back(static_cast<V>(root));
    }
    // The queue holds about one level: a graph with so large a level has no such order.
    if (order.size() - i > n / 16 + kAhead) return {};
    if (i + 2 * kAhead < order.size()) __builtin_prefetch(indptr + order[i + 2 * kAhead]);
    if (i + kAhead < order.size()) __builtin_prefetch(indices + indptr[order[i + kAhead]]);
    if (i + kAhead / 2 < order.size()) {
      const auto v = static_cast<std::size_t>(order[i + kAhead / 2]);
      const std::int64_t end = std::min(indptr[v + 1], indptr[v] + 16);
      for (std::int64_t e = indptr[v]; e < end; ++e)
        __builtin_prefetch(&number[static_cast<std::size_t>(indices[e])]);
    }
    const auto u = static_cast<std::size_t>(order[i]);
    poller.step(indptr[u + 1] - indptr[u] + 1);
    for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
      V& place = number[static_cast<std::size_t>(indices[e])];
      if (place >= 0) continue;
      place = static_cast<V>(order.size());
      order.push_back(indices[e]);
    }
  }
  return number;
}

}  // namespace warpath
