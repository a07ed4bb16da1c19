// dijkstra.hpp - Dijkstra's algorithm: one loop for every priority queue and every stop condition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

struct SearchCounters {
  std::int64_t settled = 0;   // vertices popped with their final label
  std::int64_t relaxed = 0;   // edges examined
  std::int64_t improved = 0;  // labels lowered

  SearchCounters& operator+=(const SearchCounters& other) {
    settled += other.settled;
    relaxed += other.relaxed;
    improved += other.improved;
    return *this;
  }
};

/// The plain relaxation: the label of u plus the weight is the candidate for v.
template <Index V, Weight W>
struct OriginalWeights {
  using D = DistanceOf<W>;
  bool operator()(D dist, V, V, W weight, D& sum) const {
    return add_checked<D, W, V>(dist, weight, sum);
  }
};

/// Dijkstra's algorithm on one graph, with labels in `dist`, which must initially hold
/// `unreachable` everywhere. Weights must be >= 0.
///
/// Work O(n + m) plus the queue's. Without decrease-key there is one queue entry per improvement,
/// and a stale entry (its key exceeds the vertex's label) is skipped when it is popped. Candidates
/// beyond `cutoff` are not stored. Candidates that do not fit the label type are not stored either
/// and set `overflow`. Source: Dijkstra 1959.
template <Index V, Weight W, class Queue, class Weighting = OriginalWeights<V, W>>
class DijkstraSearch {
 public:
  using D = DistanceOf<W>;
  using Entry = QueueEntry<D, V>;

  DijkstraSearch(const CsrView<V, W>& graph, std::span<D> dist, Queue& queue, D cutoff,
                 Weighting weighting = {})
      : graph_(graph), dist_(dist.data()), queue_(queue), cutoff_(cutoff), weighting_(weighting) {}

  void start(V source) {
    dist_[source] = 0;
    queue_.push(0, source);
  }

  /// Pops the next vertex to settle, whose label is final. False if none is left.
  bool next(Entry& top, Poller& poller) {
    const D* const dist = dist_;
    const auto is_current = [dist](const Entry& entry) { return entry.key == dist[entry.vertex]; };
    while (queue_.pop(top, is_current)) {
      if (is_current(top)) {
        ++counters.settled;
        return true;
      }
      poller.step();  // parallel edges can leave millions of stale entries in a row
    }
    return false;
  }

  /// Relaxes the edges out of a vertex just settled and calls `on_improve(v, label)` for each label
  /// that falls.
  template <class OnImprove>
  void relax(const Entry& from, Poller& poller, OnImprove&& on_improve) {
    const auto u = static_cast<std::size_t>(from.vertex);
    const std::int64_t begin = graph_.indptr[u];
    const std::int64_t end = graph_.indptr[u + 1];
    poller.step(end - begin + 1);
    if (const V likely = queue_.next(); likely >= 0) {
      __builtin_prefetch(&dist_[likely]);
      __builtin_prefetch(&graph_.indptr[static_cast<std::size_t>(likely)]);
    }
    D* const dist = dist_;
    const V* const indices = graph_.indices.data();
    const W* const weights = graph_.weights.data();
    std::int64_t improved = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = indices[e];
      D sum;
      if (!weighting_(from.key, from.vertex, v, weights[e], sum)) [[unlikely]] {
        overflow = true;
        continue;
      }
      if (sum < dist[v]) {
        if (sum > cutoff_) continue;
        dist[v] = sum;
        ++improved;
        queue_.push(sum, v);
        on_improve(v, sum);
      }
    }
    counters.relaxed += end - begin;
    counters.improved += improved;
  }

  /// Settles vertices in order of distance until `on_settle(entry)` returns true. Returns whether
  /// it did. Inlined, so that the counters stay in registers.
  template <class OnSettle>
  [[gnu::always_inline]] bool run(Poller& poller, OnSettle&& on_settle) {
    Entry top;
    while (next(top, poller)) {
      if (on_settle(top)) return true;
      relax(top, poller, [](V, D) {});
    }
    return false;
  }

  /// Empties the queue and calls `visit(v)` for each vertex that has a label but is not settled.
  template <class Visit>
  void discard_pending(Visit&& visit) {
    queue_.drain([&](const Entry& entry) {
      if (entry.key == dist_[entry.vertex]) visit(entry.vertex);
    });
  }

  SearchCounters counters;
  bool overflow = false;

 private:
  const CsrView<V, W>& graph_;
  D* const dist_;
  Queue& queue_;
  const D cutoff_;
  const Weighting weighting_;
};

/// Called after a complete search in which a sum did not fit: throws if a `wanted` vertex has a
/// path but no label. Work O(n + m).
template <Index V, Weight W>
[[gnu::cold]] void refuse_overflow(const CsrView<V, W>& graph, std::span<const DistanceOf<W>> dist,
                                   Poller& poller, const std::function<bool(std::size_t)>& wanted) {
  constexpr auto kUnreached = unreachable<DistanceOf<W>>;
  std::vector<bool> met(dist.size());
  std::vector<std::size_t> lost;
  const auto leave = [&](std::size_t u) {
    poller.step(graph.indptr[u + 1] - graph.indptr[u] + 1);
    for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[static_cast<std::size_t>(e)]);
      if (dist[v] != kUnreached || met[v]) continue;
      met[v] = true;
      lost.push_back(v);
    }
  };
  for (std::size_t u = 0; u < dist.size(); ++u)
    if (dist[u] != kUnreached) leave(u);
  while (!lost.empty()) {
    const std::size_t v = lost.back();
    lost.pop_back();
    if (wanted(v))
      throw std::overflow_error(std::is_integral_v<W> ? "a distance does not fit 64 bits"
                                                      : "a length is beyond the largest float");
    leave(v);
  }
}

/// The distinct target vertices at which a search may stop.
class TargetSet {
 public:
  TargetSet(std::span<const std::int64_t> targets, std::int64_t n) {
    if (targets.empty()) return;
    wanted_.assign(static_cast<std::size_t>(n), 0);
    for (const std::int64_t v : targets) {
      std::uint8_t& mark = wanted_[static_cast<std::size_t>(v)];
      count_ += mark == 0;
      mark = 1;
    }
  }

  bool empty() const { return count_ == 0; }
  std::int64_t count() const { return count_; }
  bool has(std::int64_t v) const { return wanted_[static_cast<std::size_t>(v)] != 0; }

 private:
  std::vector<std::uint8_t> wanted_;
  std::int64_t count_ = 0;
};

/// Writes the distances from `source` to `dist` (n): all, or those up to the farthest of `targets`.
///
/// A vertex farther than the last target or than `cutoff` is unreachable. The result therefore does
/// not depend on the queue, and the tree over it is that of a complete solve. Throws
/// std::overflow_error if a distance does not fit.
template <Index V, Weight W, class Queue>
SearchCounters dijkstra(const CsrView<V, W>& graph, V source, std::span<DistanceOf<W>> dist,
                        Queue& queue, std::span<const std::int64_t> targets, DistanceOf<W> cutoff,
                        Poller poller) {
  using D = DistanceOf<W>;
  std::fill(dist.begin(), dist.end(), unreachable<D>);
  DijkstraSearch<V, W, Queue> search(graph, dist, queue, cutoff);
  search.start(source);
  const TargetSet wanted(targets, graph.n());
  std::int64_t left = wanted.count();
  const auto reset = [&](V v) { dist[static_cast<std::size_t>(v)] = unreachable<D>; };
  if (wanted.empty()) {
    search.run(poller, [](const QueueEntry<D, V>&) { return false; });
  } else {
    D limit = unreachable<D>;
    search.run(poller, [&](const QueueEntry<D, V>& top) {
      if (top.key > limit) {
        reset(top.vertex);
        return true;
      }
      if (wanted.has(top.vertex) && --left == 0) limit = top.key;
      return false;
    });
    search.discard_pending(reset);
  }
  const bool exhausted = wanted.empty() || left > 0;
  if (search.overflow && exhausted && cutoff == unreachable<D>)
    refuse_overflow<V, W>(graph, dist, poller, [](std::size_t) { return true; });
  return search.counters;
}

}  // namespace warpath
