// packed_rows.hpp - the rows of a graph as searches read them: plain CSR, or a compact copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// A view of a graph's CSR arrays.
template <Index V, Weight W>
class PlainRows {
 public:
  using Vertex = V;

  explicit PlainRows(const CsrView<V, W>& graph) : graph_(graph) {}

  std::int64_t n() const { return graph_.n(); }
  std::size_t begin(std::size_t v) const { return static_cast<std::size_t>(graph_.indptr[v]); }
  /// The edges of a vertex, here the arrays of all. A loop over edges that holds them in a local
  /// variable does not read their addresses again after each atomic operation.
  struct Edges {
    const V* targets;
    const W* weights;
    V target(std::size_t e) const { return targets[e]; }
    template <class L>
    L weight(std::size_t e) const {
      return static_cast<L>(weights[e]);
    }
  };
  Edges edges(std::size_t) const { return {graph_.indices.data(), graph_.weights.data()}; }
  const V* numbers() const { return nullptr; }
  [[gnu::always_inline]] void fetch_begin(std::size_t v) const {
    __builtin_prefetch(graph_.indptr.data() + v);
  }
  [[gnu::always_inline]] void fetch(std::size_t e) const {
    __builtin_prefetch(graph_.indices.data() + e);
    __builtin_prefetch(graph_.weights.data() + e);
  }

 private:
  const CsrView<V, W> graph_;
};

/// A compact copy of the rows: offsets of 32 bits, and each target next to its weight as a label of
/// type L. A scan of a short row reads two cache lines instead of three, and the offsets take half
/// the lines. Vertices may be renumbered; callers translate by `numbers`. O(n + m); memory 4 bytes
/// per vertex and 8 or 16 per edge.
template <Index V, class L>
class PackedRows {
  struct Edge {
    V target;
    L weight;
  };

 public:
  using Vertex = V;

  /// Weights must fit L, and the graph must `fit`. `numbers` (n, or empty) is stored as a view.
  template <Weight W>
  PackedRows(const CsrView<V, W>& graph, std::span<const V> numbers)
      : begins_(graph.indptr.size()), edges_(graph.indices.size()), numbers_(numbers) {
    if (numbers.empty())
      copy(graph);
    else
      copy_renumbered(graph);
  }

  template <Weight W>
  static bool fit(const CsrView<V, W>& graph) {
    return static_cast<std::uint64_t>(graph.m()) <= std::numeric_limits<std::uint32_t>::max();
  }

  /// Sorts each row by weight, then by target. O(m log k) for rows of up to k edges.
  void sort_rows() {
    for (std::size_t v = 0; v + 1 < begins_.size(); ++v)
      std::sort(edges_.data() + begins_[v], edges_.data() + begins_[v + 1],
                [](const Edge& a, const Edge& b) {
                  return a.weight != b.weight ? a.weight < b.weight : a.target < b.target;
                });
  }

  std::int64_t n() const { return static_cast<std::int64_t>(begins_.size()) - 1; }
  std::size_t begin(std::size_t v) const { return begins_[v]; }
  struct Edges {
    const Edge* data;
    V target(std::size_t e) const { return data[e].target; }
    template <class>
    L weight(std::size_t e) const {
      return data[e].weight;
    }
  };
  Edges edges(std::size_t) const { return {edges_.data()}; }
  V target(std::size_t e) const { return edges_[e].target; }
  template <class>
  L weight(std::size_t e) const {
    return edges_[e].weight;
  }
  /// (n) the number of each vertex in these rows; null if the vertices are not renumbered.
  const V* numbers() const { return numbers_.empty() ? nullptr : numbers_.data(); }
  [[gnu::always_inline]] void fetch_begin(std::size_t v) const {
    __builtin_prefetch(begins_.data() + v);
  }
  [[gnu::always_inline]] void fetch(std::size_t e) const { __builtin_prefetch(edges_.data() + e); }

 private:
  template <Weight W>
  void copy(const CsrView<V, W>& graph) {
    for (std::size_t v = 0; v < graph.indptr.size(); ++v)
      begins_[v] = static_cast<std::uint32_t>(graph.indptr[v]);
    for (std::size_t e = 0; e < graph.indices.size(); ++e)
      edges_[e] = {graph.indices[e], static_cast<L>(graph.weights[e])};
  }

  template <Weight W>
  void copy_renumbered(const CsrView<V, W>& graph) {
    constexpr std::size_t kAhead = 8;
    std::vector<V> order(numbers_.size());  // the inverse of numbers_
    for (std::size_t v = 0; v < order.size(); ++v)
      order[static_cast<std::size_t>(numbers_[v])] = static_cast<V>(v);
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i + 2 * kAhead < order.size())
        __builtin_prefetch(graph.indptr.data() + order[i + 2 * kAhead]);
      if (i + kAhead < order.size()) {
        const std::int64_t row = graph.indptr[static_cast<std::size_t>(order[i + kAhead])];
        __builtin_prefetch(graph.indices.data() + row);
        __builtin_prefetch(graph.weights.data() + row);
      }
      begins_[i] = at;
      const auto u = static_cast<std::size_t>(order[i]);
      const auto end = static_cast<std::size_t>(graph.indptr[u + 1]);
      for (auto e = static_cast<std::size_t>(graph.indptr[u]); e < end; ++e)
        edges_[at++] = {numbers_[static_cast<std::size_t>(graph.indices[e])],
                        static_cast<L>(graph.weights[e])};
    }
    begins_[order.size()] = at;
  }

  PageArray<std::uint32_t> begins_;
  PageArray<Edge> edges_;
  std::span<const V> numbers_;
};

}  // namespace warpath
