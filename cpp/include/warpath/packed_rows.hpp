// packed_rows.hpp - compressed rows as searches read them: as they are, or closer together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "warpath/page_array.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// The rows of a graph where they lie.
template <Index V, Weight W>
class PlainRows {
 public:
  using Vertex = V;

  explicit PlainRows(const CsrView<V, W>& graph) : graph_(graph) {}

  std::int64_t n() const { return graph_.n(); }
  std::size_t begin(std::size_t v) const { return static_cast<std::size_t>(graph_.indptr[v]); }
  V target(std::size_t e) const { return graph_.indices[e]; }
  template <class L>
  L weight(std::size_t e) const {
    return static_cast<L>(graph_.weights[e]);
  }
  void fetch_begin(std::size_t v) const { __builtin_prefetch(graph_.indptr.data() + v); }
  void fetch(std::size_t e) const {
    __builtin_prefetch(graph_.indices.data() + e);
    __builtin_prefetch(graph_.weights.data() + e);
  }

 private:
  const CsrView<V, W>& graph_;
};

/// A copy of the rows: offsets of 32 bits, a target beside its weight as a label of type L. A scan
/// of a short row reads two cache lines instead of three, and offsets half as many. O(n + m), 4
/// bytes a vertex and 8 or 16 an edge.
template <Index V, class L>
class PackedRows {
 public:
  using Vertex = V;

  /// Weights must fit L, and the graph must `fit`.
  template <Weight W>
  explicit PackedRows(const CsrView<V, W>& graph)
      : begins_(graph.indptr.size()), edges_(graph.indices.size()) {
    for (std::size_t v = 0; v < graph.indptr.size(); ++v)
      begins_[v] = static_cast<std::uint32_t>(graph.indptr[v]);
    for (std::size_t e = 0; e < graph.indices.size(); ++e)
      edges_[e] = {graph.indices[e], static_cast<L>(graph.weights[e])};
  }

  template <Weight W>
  static bool fit(const CsrView<V, W>& graph) {
    return static_cast<std::uint64_t>(graph.m()) <= std::numeric_limits<std::uint32_t>::max();
  }

  std::int64_t n() const { return static_cast<std::int64_t>(begins_.size()) - 1; }
  std::size_t begin(std::size_t v) const { return begins_[v]; }
  V target(std::size_t e) const { return edges_[e].target; }
  template <class>
  L weight(std::size_t e) const {
    return edges_[e].weight;
  }
  void fetch_begin(std::size_t v) const { __builtin_prefetch(begins_.data() + v); }
  void fetch(std::size_t e) const { __builtin_prefetch(edges_.data() + e); }

 private:
  struct Edge {
    V target;
    L weight;
  };

  PageArray<std::uint32_t> begins_;
  PageArray<Edge> edges_;
};

}  // namespace warpath
