// components.hpp - the weakly and the strongly connected components of a graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Writes a number of its weakly connected component for each vertex: its smallest vertex.
///
/// A union-find structure with path halving: O((n + m) log n) at worst, in practice O(n + m).
template <Index V>
void weak_components(std::span<const std::int64_t> indptr, std::span<const V> indices,
                     std::span<V> component, Control& control) {
  const auto n = static_cast<V>(component.size());
  Poller poller(control, true);
  for (V v = 0; v < n; ++v) component[v] = v;
  const auto root = [&](V v) {
    while (component[v] != v) v = component[v] = component[component[v]];
    return v;
  };
  for (V u = 0; u < n; ++u) {
    for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
      poller.step();
      const V one = root(u);
      const V other = root(indices[e]);
      component[std::max(one, other)] = std::min(one, other);
    }
  }
  for (V v = 0; v < n; ++v) component[v] = component[component[v]];  // roots are smaller
}

/// Writes a number of its strongly connected component for each vertex, in 0 .. n - 1.
///
/// Tarjan's algorithm (Depth-first search and linear graph algorithms, 1972) with a stack of its
/// own: O(n + m).
template <Index V>
void strong_components(std::span<const std::int64_t> indptr, std::span<const V> indices,
                       std::span<V> component, Control& control) {
  const auto n = static_cast<V>(component.size());
  std::vector<V> number(component.size(), V{-1});  // in the order of the first visit
  std::vector<V> low(component.size());            // the smallest number that a subtree leads to
  std::vector<V> open;                             // visited vertices without a component
  std::vector<std::pair<V, std::int64_t>> path;    // vertices and their next edges
  V visited = 0;
  V count = 0;
  const auto visit = [&](V v) {
    number[v] = low[v] = visited++;
    open.push_back(v);
    path.emplace_back(v, indptr[v]);
  };
  Poller poller(control, true);
  std::ranges::fill(component, V{-1});
  for (V first = 0; first < n; ++first) {
    if (number[first] < 0) visit(first);
    while (!path.empty()) {
      poller.step();
      const V u = path.back().first;
      if (path.back().second < indptr[u + 1]) {
        const V v = indices[path.back().second++];
        if (number[v] < 0)
          visit(v);
        else if (component[v] < 0)
          low[u] = std::min(low[u], number[v]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        const V parent = path.back().first;
        low[parent] = std::min(low[parent], low[u]);
      }
      if (low[u] != number[u]) continue;
      V last = -1;
      do {
        last = open.back();
        open.pop_back();
        component[last] = count;
      } while (last != u);
      ++count;
    }
  }
}

}  // namespace warpath
