// constant_degree.hpp - a graph of in- and out-degree at most 2 with the distances of another one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Each vertex becomes a cycle of edges of weight 0, with a vertex for each neighbour, whichever
/// way the edge leads; the edge u -> v leads from the vertex for v in the cycle of u to the vertex
/// for u in the cycle of v. Of parallel edges the lightest remains; loops, which are on no shortest
/// path, are left out. At most n + 2 m vertices and n + 3 m edges. Work O(n + m log(max degree)).
/// Source: Duan et al. 2025, section 2, after Frederickson 1983.
template <Index V, Weight W>
class ConstantDegree {
 public:
  /// Throws std::length_error if V cannot number the vertices.
  ConstantDegree(const CsrView<V, W>& graph, Poller& poller) {
    find_neighbours(graph, poller);
    const std::size_t vertices = neighbours_.size();
    std::vector<bool> leaves(vertices);
    std::vector<W> lightest(vertices);
    for_each_edge(graph, poller, [&](V u, V v, W weight) {
      const std::size_t from = vertex_for(u, v);
      if (!leaves[from] || weight < lightest[from]) lightest[from] = weight;
      leaves[from] = true;
    });
    indptr_.reserve(vertices + 1);
    indptr_.push_back(0);
    for (std::size_t u = 0; u + 1 < first_.size(); ++u) {
      poller.step(first_[u + 1] - first_[u] + 1);
      for (std::int64_t at = first_[u]; at < first_[u + 1]; ++at) {
        if (first_[u + 1] - first_[u] > 1)
          add_edge(at + 1 < first_[u + 1] ? at + 1 : first_[u], W{0});
        if (const auto from = static_cast<std::size_t>(at); leaves[from])
          add_edge(static_cast<std::int64_t>(vertex_for(neighbours_[from], static_cast<V>(u))),
                   lightest[from]);
        indptr_.push_back(static_cast<std::int64_t>(indices_.size()));
      }
    }
    neighbours_ = {};
  }

  CsrView<V, W> view() const { return {indptr_, indices_, weights_}; }

  /// A vertex of the cycle of u; all have the distance of u.
  V vertex_of(std::size_t u) const { return static_cast<V>(first_[u]); }

 private:
  template <class Visit>
  static void for_each_edge(const CsrView<V, W>& graph, Poller& poller, Visit&& visit) {
    for (std::int64_t u = 0; u < graph.n(); ++u) {
      const auto row = static_cast<std::size_t>(u);
      poller.step(graph.indptr[row + 1] - graph.indptr[row] + 1);
      for (std::int64_t e = graph.indptr[row]; e < graph.indptr[row + 1]; ++e) {
        const auto edge = static_cast<std::size_t>(e);
        if (graph.indices[edge] != u)
          visit(static_cast<V>(u), graph.indices[edge], graph.weights[edge]);
      }
    }
  }

  /// Lists the neighbours of each vertex in ascending order; a vertex without any has itself.
  void find_neighbours(const CsrView<V, W>& graph, Poller& poller) {
    const auto n = static_cast<std::size_t>(graph.n());
    std::vector<std::int64_t> end(n + 1);
    for_each_edge(graph, poller, [&](V u, V v, W) {
      ++end[static_cast<std::size_t>(u) + 1];
      ++end[static_cast<std::size_t>(v) + 1];
    });
    for (std::size_t u = 0; u < n; ++u) end[u + 1] += end[u];
    std::vector<V> all(static_cast<std::size_t>(end[n]));
    std::vector<std::int64_t> next(end.begin(), end.end() - 1);
    for_each_edge(graph, poller, [&](V u, V v, W) {
      all[static_cast<std::size_t>(next[static_cast<std::size_t>(u)]++)] = v;
      all[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = u;
    });
    first_.assign(1, 0);
    first_.reserve(n + 1);
    for (std::size_t u = 0; u < n; ++u) {
      const auto begin = all.begin() + end[u];
      const auto last = all.begin() + end[u + 1];
      poller.step(end[u + 1] - end[u] + 1);
      std::sort(begin, last);
      neighbours_.insert(neighbours_.end(), begin, std::unique(begin, last));
      if (begin == last) neighbours_.push_back(static_cast<V>(u));
      first_.push_back(static_cast<std::int64_t>(neighbours_.size()));
    }
    if (neighbours_.size() > static_cast<std::size_t>(std::numeric_limits<V>::max()))
      throw std::length_error("the graph of constant degree has " +
                              std::to_string(neighbours_.size()) +
                              " vertices, more than its indices can number");
  }

  /// The vertex for v in the cycle of u.
  std::size_t vertex_for(V u, V v) const {
    const auto row = static_cast<std::size_t>(u);
    const auto begin = neighbours_.begin() + first_[row];
    const auto end = neighbours_.begin() + first_[row + 1];
    return static_cast<std::size_t>(std::lower_bound(begin, end, v) - neighbours_.begin());
  }

  void add_edge(std::int64_t to, W weight) {
    indices_.push_back(static_cast<V>(to));
    weights_.push_back(weight);
  }

  std::vector<std::int64_t> first_;  // of the vertices of each cycle: n + 1
  std::vector<V> neighbours_;        // the neighbour that each vertex is for, while it is built
  std::vector<std::int64_t> indptr_;
  std::vector<V> indices_;
  std::vector<W> weights_;
};

}  // namespace warpath
