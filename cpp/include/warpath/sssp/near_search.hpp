// near_search.hpp - the vertices within a cutoff, in time and memory in proportion to their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// The labels of the vertices that a search has met: a hash table with linear probing.
template <class D, Index V>
class LabelTable {
 public:
  LabelTable() : slots_(kFirst) {}

  std::size_t size() const { return size_; }

  /// The label of a vertex, `unreachable` if it is new; valid until the next call.
  D& operator[](V v) {
    if (2 * size_ >= slots_.size()) grow();
    Slot& slot = slot_of(v);
    if (slot.vertex != v) {
      slot.vertex = v;
      ++size_;
    }
    return slot.label;
  }

 private:
  struct Slot {
    V vertex = -1;
    D label = unreachable<D>;
  };
  static constexpr std::size_t kFirst = 256;  // slots; a power of 2

  Slot& slot_of(V v) {
    // Fibonacci hashing: neighbouring vertices often have consecutive numbers.
    std::size_t at = static_cast<std::uint64_t>(v) * 0x9E3779B97F4A7C15u >> 32;
    for (;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.vertex == v || slot.vertex < 0) return slot;
    }
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.vertex >= 0) slot_of(slot.vertex) = slot;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// Vertices and their distances, in ascending order of (distance, vertex).
template <class D>
struct NearVertices {
  std::vector<std::int64_t> vertices;
  std::vector<D> dist;
  SearchCounters counters;
};

/// Finds the vertices within a cutoff of the nearest source by Dijkstra's algorithm. Returns
/// nothing if the search meets more than `most` vertices. Weights must be >= 0.
///
/// Work O(r log r) for r vertices and edges met, memory O(r). Sums that do not fit the label type
/// are beyond the cutoff, which fits it.
template <Index V, Weight W>
std::optional<NearVertices<DistanceOf<W>>> vertices_within(const CsrView<V, W>& graph,
                                                           std::span<const std::int64_t> sources,
                                                           DistanceOf<W> cutoff, std::size_t most,
                                                           Poller poller) {
  using D = DistanceOf<W>;
  using Entry = QueueEntry<D, V>;
  LabelTable<D, V> labels;
  QuaternaryHeap<D, V> queue;
  const auto improve = [&](V v, D label) {
    D& known = labels[v];
    if (label >= known) return false;
    known = label;
    queue.push(label, v);
    return true;
  };
  for (const std::int64_t source : sources) improve(static_cast<V>(source), 0);
  NearVertices<D> near;
  std::vector<std::pair<D, V>> settled;
  Entry top;
  while (labels.size() <= most && queue.pop(top, [](const Entry&) { return true; })) {
    if (labels[top.vertex] != top.key) continue;
    settled.emplace_back(top.key, top.vertex);
    const auto row = static_cast<std::size_t>(top.vertex);
    const std::int64_t end = graph.indptr[row + 1];
    poller.step(end - graph.indptr[row] + 1);
    for (std::int64_t e = graph.indptr[row]; e < end; ++e) {
      const auto edge = static_cast<std::size_t>(e);
      D sum;
      if (!add_checked<D, W, V>(top.key, graph.weights[edge], sum) || sum > cutoff) continue;
      near.counters.improved += improve(graph.indices[edge], sum);
    }
    near.counters.relaxed += end - graph.indptr[row];
  }
  if (labels.size() > most) return std::nullopt;
  near.counters.settled = static_cast<std::int64_t>(settled.size());
  std::sort(settled.begin(), settled.end());
  for (const auto& [label, v] : settled) {
    near.vertices.push_back(v);
    near.dist.push_back(label);
  }
  return near;
}

}  // namespace warpath
