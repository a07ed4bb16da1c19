// both_ends.hpp - any shortest path between two vertices: searches from both, over kept labels.
//
// Where `BidirectionalSearch` finds the tree's own route, these take the first that they can prove
// to be shortest. A call costs what it touches: its labels are made once and handed on clean.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/heap.hpp"
#include "warpath/packed_rows.hpp"
#include "warpath/page_array.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// What the searches from both ends know of a vertex, in half a cache line.
template <Index V>
struct alignas(32) BothLabel {
  std::array<std::int64_t, 2> dist{unreachable<std::int64_t>, unreachable<std::int64_t>};
  std::array<V, 2> from;  // the vertex before, at the end itself the same; meant where dist is
};

/// The labels and queues of the searches from the source, side 0, and from the target, side 1.
template <Index V>
class BothLabels {
 public:
  using D = std::int64_t;

  explicit BothLabels(std::int64_t n) : labels_(static_cast<std::size_t>(n), BothLabel<V>{}) {}

  std::array<FourHeap<D, V>, 2> queues;

  D dist(std::size_t side, V v) const { return at(v).dist[side]; }
  const BothLabel<V>& at(V v) const { return labels_[static_cast<std::size_t>(v)]; }

  void put(std::size_t side, V v, D dist, V from) {
    BothLabel<V>& label = labels_[static_cast<std::size_t>(v)];
    if (label.dist[side] == unreachable<D>) touched_.push_back(v);
    label.dist[side] = dist;
    label.from[side] = from;
  }

  void ask_for(V v) const { __builtin_prefetch(&at(v), 1); }

  /// Appends the vertices after v on the way to a side's end.
  void walk(std::size_t side, V v, std::vector<std::int64_t>& route) const {
    for (V u = at(v).from[side]; u != v;) {
      route.push_back(u);
      v = u;
      u = at(v).from[side];
    }
  }

  void clean() {
    for (const V v : touched_) labels_[static_cast<std::size_t>(v)].dist.fill(unreachable<D>);
    touched_.clear();
    for (FourHeap<D, V>& queue : queues) queue.drain([](const Labelled<D, V>&) {});
  }

 private:
  PageArray<BothLabel<V>> labels_;
  std::vector<V> touched_;
};

/// Labels for the searches of one graph, of as many as ever ran at once.
template <Index V>
class LabelsPool {
 public:
  explicit LabelsPool(std::int64_t n) : n_(n) {}

  /// Calls use(labels) with clean ones that no other thread has. Where it throws they are dropped.
  template <class Use>
  auto with(Use&& use) {
    std::unique_ptr<BothLabels<V>> labels = take();
    auto found = use(*labels);
    labels->clean();
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(labels));
    return found;
  }

 private:
  std::unique_ptr<BothLabels<V>> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<BothLabels<V>> labels = std::move(free_.back());
        free_.pop_back();
        return labels;
      }
    }
    return std::make_unique<BothLabels<V>>(n_);
  }

  const std::int64_t n_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BothLabels<V>>> free_;
};

/// A path's vertices from end to end, none where there is none, and its length.
struct RouteMet {
  std::vector<std::int64_t> vertices;
  std::int64_t length = unreachable<std::int64_t>;
  bool too_long = false;  // none was found, and there may be one whose length does not fit
};

template <Index V>
RouteMet route_met(const BothLabels<V>& labels, V meeting) {
  RouteMet route;
  labels.walk(0, meeting, route.vertices);
  std::reverse(route.vertices.begin(), route.vertices.end());
  route.vertices.push_back(meeting);
  labels.walk(1, meeting, route.vertices);
  route.length = labels.dist(0, meeting) + labels.dist(1, meeting);
  return route;
}

/// Dijkstra's search from both ends, for integers >= 0; `into` has the edges into each vertex.
///
/// The sides take turns, but for one whose queue is over four times as long as the other's. A label
/// that with the last one settled on the other side is no less than the best path found is not
/// stored; they stop when the least labels of both queues together are no less. The path is simple:
/// of vertices with equal sums the first that both sides reached is where they meet, and no later
/// one has it on either way. Work O(k log k) for k edges of the vertices settled. Source: Nicholson
/// 1966.
template <Index V, std::integral W>
class BothEnds {
 public:
  using D = std::int64_t;
  using Rows = PackedRows<V, W>;

  BothEnds(const Rows& graph, const Rows& into, BothLabels<V>& labels, Pulse pulse)
      : graphs_{&graph, &into}, labels_(labels), queues_(labels.queues), pulse_(pulse) {}

  RouteMet find(V source, V target) {
    start(0, source);
    start(1, target);
    if (source == target) meet(source, 0, 0);
    std::size_t side = 1;
    while (least_is_fresh(0) && least_is_fresh(1)) {
      D sum;
      if (!extend<D, D, V>(queues_[0].top().key, queues_[1].top().key, sum)) {
        too_long_ = true;
        break;
      }
      if (sum >= best_) break;
      side = 1 - side;
      if (queues_[side].size() > kTooMany * queues_[1 - side].size()) side = 1 - side;
      settle(side);
    }
    if (best_ != unreachable<D>) return route_met<V>(labels_, meeting_);
    RouteMet none;
    none.too_long = too_long_;
    return none;
  }

 private:
  using Queue = FourHeap<D, V>;
  using Entry = Labelled<D, V>;

  static constexpr std::size_t kAsked = 16;
  static constexpr std::size_t kTooMany = 4;

  static bool any(const Entry&) { return true; }

  void start(std::size_t side, V v) {
    labels_.put(side, v, 0, v);
    queues_[side].push(0, v);
  }

  /// Drops stale entries from the front of a queue; false where nothing is left.
  bool least_is_fresh(std::size_t side) {
    Queue& queue = queues_[side];
    while (!queue.empty() && labels_.dist(side, queue.top().vertex) != queue.top().key) {
      Entry stale;
      queue.pop(stale, any);
      pulse_.beat();
    }
    return !queue.empty();
  }

  void settle(std::size_t side) {
    Entry top;
    queues_[side].pop(top, any);
    settled_[side] = top.key;
    ask_for_rows(side);
    const Rows& graph = *graphs_[side];
    const auto u = static_cast<std::size_t>(top.vertex);
    const std::size_t end = graph.begin(u + 1);
    const D rest = settled_[1 - side];
    pulse_.beat(static_cast<std::int64_t>(end - graph.begin(u)) + 1);
    for (std::size_t e = graph.begin(u); e < end; ++e) {
      const V v = graph.target(e);
      const W weight = graph.template weight<W>(e);
      D sum;
      if (!extend<D, W, V>(top.key, weight, sum)) [[unlikely]] {
        too_long_ = true;
        continue;
      }
      const BothLabel<V>& label = labels_.at(v);
      if (sum >= label.dist[side]) continue;
      if (sum >= best_ - rest) {
        too_long_ = true;  // or, where a path is known, no better
        continue;
      }
      labels_.put(side, v, sum, top.vertex);
      if (const D theirs = label.dist[1 - side]; theirs != unreachable<D>) meet(v, sum, theirs);
      graph.fetch_begin(static_cast<std::size_t>(v));
      queues_[side].push(sum, v);
    }
    ask_for_labels(side);
  }

  /// Asks for the rows of the vertices that are likely to be settled next. Where the rows of queued
  /// ones begin has been asked for when they were queued.
  void ask_for_rows(std::size_t side) const {
    const Rows& graph = *graphs_[side];
    const auto ask = [&](V v) { graph.fetch(graph.begin(static_cast<std::size_t>(v))); };
    if (const V v = queues_[side].next(); v >= 0) ask(v);
    queues_[side].soon(ask);
  }

  /// Asks for the labels that a side's next turn is likely to read.
  void ask_for_labels(std::size_t side) const {
    const V next = queues_[side].next();
    if (next < 0) return;
    const Rows& graph = *graphs_[side];
    const auto v = static_cast<std::size_t>(next);
    const std::size_t end = std::min(graph.begin(v + 1), graph.begin(v) + kAsked);
    for (std::size_t e = graph.begin(v); e < end; ++e) labels_.ask_for(graph.target(e));
  }

  void meet(V v, D here, D there) {
    D sum;
    if (!extend<D, D, V>(here, there, sum)) {
      too_long_ = true;
    } else if (sum < best_) {
      best_ = sum;
      meeting_ = v;
    }
  }

  std::array<const Rows*, 2> graphs_;
  BothLabels<V>& labels_;
  std::array<Queue, 2>& queues_;
  Pulse pulse_;
  std::array<D, 2> settled_{0, 0};  // the label that each side settled last
  D best_ = unreachable<D>;
  V meeting_ = -1;
  bool too_long_ = false;
};

/// The edges out of each vertex, or those into each, without weights.
template <Index V>
struct Heads {
  std::span<const std::int64_t> indptr;
  std::span<const V> indices;
};

/// The same where every edge counts 1: levels, of the side whose outermost one is smaller. The
/// first edge between both sides completes a shortest path. O(edges of the vertices met).
template <Index V>
RouteMet both_ends_by_levels(const Heads<V>& graph, const Heads<V>& into, V source, V target,
                             BothLabels<V>& labels, Pulse pulse) {
  using D = std::int64_t;
  labels.put(0, source, 0, source);
  labels.put(1, target, 0, target);
  if (source == target) return route_met<V>(labels, source);
  std::array<std::vector<V>, 2> outermost{std::vector<V>{source}, std::vector<V>{target}};
  std::vector<V> next;
  while (!outermost[0].empty() && !outermost[1].empty()) {
    const std::size_t side = outermost[0].size() <= outermost[1].size() ? 0 : 1;
    const Heads<V>& rows = side == 0 ? graph : into;
    const std::vector<V>& level = outermost[side];
    next.clear();
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (i + 8 < level.size())
        __builtin_prefetch(&rows.indptr[static_cast<std::size_t>(level[i + 8])]);
      if (i + 4 < level.size())
        __builtin_prefetch(rows.indices.data() +
                           rows.indptr[static_cast<std::size_t>(level[i + 4])]);
      const V u = level[i];
      const D dist = labels.dist(side, u) + 1;
      const std::int64_t begin = rows.indptr[static_cast<std::size_t>(u)];
      const std::int64_t end = rows.indptr[static_cast<std::size_t>(u) + 1];
      pulse.beat(end - begin + 1);
      for (std::int64_t e = begin; e < end; ++e) {
        const V v = rows.indices[static_cast<std::size_t>(e)];
        if (labels.dist(side, v) != unreachable<D>) continue;
        labels.put(side, v, dist, u);
        if (labels.dist(1 - side, v) != unreachable<D>) return route_met<V>(labels, v);
        next.push_back(v);
      }
    }
    outermost[side].swap(next);
  }
  return {};
}

}  // namespace warpath
