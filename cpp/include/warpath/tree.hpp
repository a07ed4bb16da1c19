// tree.hpp - the one shortest-path tree that every engine returns, made from the distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/dijkstra.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// Fills `pred` (n): the smallest u with a tight edge u -> v, that is dist[u] + w == dist[v], and
/// dist[u] < dist[v].
///
/// Vertices that have only tight edges of no length (or any, when `negative`) are taken in
/// breadth-first order, smallest u first, so the tree has no cycle. The source and unreachable
/// vertices get -1. One pass over the edges where every weight lengthens its path, and another for
/// all levels together: O(n + m).
template <Index V, Weight W>
class TreeBuilder {
 public:
  using D = DistanceOf<W>;

  TreeBuilder(const CsrView<V, W>& graph, V source, std::span<const D> dist, std::span<V> pred,
              Pulse pulse)
      : graph_(graph), source_(source), dist_(dist), pred_(pred), pulse_(pulse) {}

  SearchCounters build(bool negative) {
    std::fill(pred_.begin(), pred_.end(), V{-1});
    std::vector<V> level;
    if (negative) {
      level.push_back(source_);
      fresh_.resize(pred_.size());
    } else if (take_shorter() > 0) {
      for (V v = 0; v < static_cast<V>(pred_.size()); ++v)
        if (v == source_ || pred_[at(v)] >= 0) level.push_back(v);
      fresh_.resize(pred_.size());
    }
    while (!level.empty()) level = next_level(level);
    return counters_;
  }

 private:
  static std::size_t at(V v) { return static_cast<std::size_t>(v); }

  /// Calls visit(v, label) for each tight edge u -> v.
  template <class Visit>
  void each_tight(V u, Visit&& visit) {
    const D from = dist_[at(u)];
    const std::int64_t begin = graph_.indptr[at(u)];
    const std::int64_t end = graph_.indptr[at(u) + 1];
    pulse_.beat(end - begin + 1);
    if (from == unreachable<D>) return;
    ++counters_.settled;
    counters_.relaxed += end - begin;
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      D sum;
      if (!extend<D, W, V>(from, graph_.weights[static_cast<std::size_t>(e)], sum)) continue;
      if (sum == dist_[at(v)] && sum != unreachable<D>) visit(v, from < sum);
    }
  }

  void take(V u, V v) {
    pred_[at(v)] = u;
    ++counters_.improved;
  }

  /// The rule for edges that lengthen; u ascends, so the first is the smallest. Returns how many
  /// reached vertices still lack a predecessor.
  std::int64_t take_shorter() {
    for (V u = 0; u < static_cast<V>(pred_.size()); ++u) {
      each_tight(u, [&](V v, bool longer) {
        if (longer && pred_[at(v)] < 0) take(u, v);
      });
    }
    return counters_.settled - 1 - counters_.improved;
  }

  /// Gives the smallest predecessor of `level` to the vertices without one, and returns those.
  std::vector<V> next_level(const std::vector<V>& level) {
    std::vector<V> found;
    for (const V u : level) {
      each_tight(u, [&](V v, bool) {
        if (fresh_[at(v)]) {
          pred_[at(v)] = std::min(pred_[at(v)], u);
        } else if (pred_[at(v)] < 0 && v != source_) {
          take(u, v);
          fresh_[at(v)] = true;
          found.push_back(v);
        }
      });
    }
    for (const V v : found) fresh_[at(v)] = false;
    return found;
  }

  const CsrView<V, W>& graph_;
  const V source_;
  const std::span<const D> dist_;
  const std::span<V> pred_;
  Pulse pulse_;
  std::vector<bool> fresh_;  // found in the level at work: a smaller predecessor may still come
  SearchCounters counters_;
};

}  // namespace warpath
