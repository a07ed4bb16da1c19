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
#include "warpath/types.hpp"

namespace warpath {

/// What a search from one end knows: 8 bytes and an index for each vertex.
template <Index V>
class EndLabels {
 public:
  using D = std::int64_t;

  explicit EndLabels(std::int64_t n)
      : dist_(static_cast<std::size_t>(n), unreachable<D>), from_(static_cast<std::size_t>(n)) {}

  D dist(V v) const { return dist_[static_cast<std::size_t>(v)]; }
  const D* data() const { return dist_.data(); }

  /// `from` is the vertex before, at the end v itself.
  void put(V v, D dist, V from) {
    D& label = dist_[static_cast<std::size_t>(v)];
    if (label == unreachable<D>) touched_.push_back(v);
    label = dist;
    from_[static_cast<std::size_t>(v)] = from;
  }

  /// Appends the vertices after v on the way to the end.
  void walk(V v, std::vector<std::int64_t>& route) const {
    for (V u = from_[static_cast<std::size_t>(v)]; u != v;) {
      route.push_back(u);
      v = u;
      u = from_[static_cast<std::size_t>(v)];
    }
  }

  void clean() {
    for (const V v : touched_) dist_[static_cast<std::size_t>(v)] = unreachable<D>;
    touched_.clear();
  }

 private:
  std::vector<D> dist_;
  std::vector<V> from_;  // meant where there is a label
  std::vector<V> touched_;
};

/// The labels of the searches from the source and from the target.
template <Index V>
using BothLabels = std::array<EndLabels<V>, 2>;

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
    for (EndLabels<V>& side : *labels) side.clean();
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
    return std::make_unique<BothLabels<V>>(BothLabels<V>{EndLabels<V>(n_), EndLabels<V>(n_)});
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
  labels[0].walk(meeting, route.vertices);
  std::reverse(route.vertices.begin(), route.vertices.end());
  route.vertices.push_back(meeting);
  labels[1].walk(meeting, route.vertices);
  route.length = labels[0].dist(meeting) + labels[1].dist(meeting);
  return route;
}

/// Dijkstra's search from both ends, for integers >= 0; `into` holds the edges into each vertex.
///
/// Turns go by the smaller queue. A label that with the last one settled on the other side is no
/// less than the best path found is not stored; they stop when the least labels of both queues
/// together are no less. The path is simple: of vertices with equal sums the first that both sides
/// reached is where they meet, and no later one has it on either way. Work O(k log k) for k edges
/// of the vertices settled. Source: Nicholson 1966.
template <Index V, std::integral W>
class BothEnds {
 public:
  using D = std::int64_t;

  BothEnds(const CsrView<V, W>& graph, const CsrView<V, W>& into, BothLabels<V>& labels,
           Pulse pulse)
      : graphs_{&graph, &into}, labels_(labels), pulse_(pulse) {}

  RouteMet find(V source, V target) {
    start(0, source);
    start(1, target);
    if (source == target) meet(source, 0, 0);
    while (least_is_fresh(0) && least_is_fresh(1)) {
      D sum;
      if (!extend<D, D, V>(queues_[0].top().key, queues_[1].top().key, sum)) {
        too_long_ = true;
        break;
      }
      if (sum >= best_) break;
      settle(queues_[0].size() <= queues_[1].size() ? 0 : 1);
    }
    if (best_ != unreachable<D>) return route_met<V>(labels_, meeting_);
    RouteMet none;
    none.too_long = too_long_;
    return none;
  }

 private:
  using Queue = FourHeap<D, V>;
  using Entry = Labelled<D, V>;

  // A processor looks at a short row's labels at once by itself; of a longer row so many are asked
  // for.
  static constexpr std::int64_t kShort = 4;
  static constexpr std::int64_t kAsked = 16;

  static bool any(const Entry&) { return true; }

  void start(std::size_t side, V v) {
    labels_[side].put(v, 0, v);
    queues_[side].push(0, v);
  }

  /// Drops stale entries from the front of a queue; false where nothing is left.
  bool least_is_fresh(std::size_t side) {
    Queue& queue = queues_[side];
    while (!queue.empty() && labels_[side].dist(queue.top().vertex) != queue.top().key) {
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
    ask_for_next(side);
    const CsrView<V, W>& graph = *graphs_[side];
    const std::int64_t* const indptr = graph.indptr.data();
    const V* const indices = graph.indices.data();
    const W* const weights = graph.weights.data();
    EndLabels<V>& labels = labels_[side];
    const D* const ours = labels.data();
    const D* const theirs = labels_[1 - side].data();
    Queue& queue = queues_[side];
    const D rest = settled_[1 - side];
    const std::int64_t end = indptr[top.vertex + 1];
    pulse_.beat(end - indptr[top.vertex] + 1);
    if (end - indptr[top.vertex] > kShort)
      for (std::int64_t e = indptr[top.vertex]; e < std::min(end, indptr[top.vertex] + kAsked);
           ++e) {
        __builtin_prefetch(&ours[indices[e]], 1);
      }
    for (std::int64_t e = indptr[top.vertex]; e < end; ++e) {
      const V v = indices[e];
      D sum;
      if (!extend<D, W, V>(top.key, weights[e], sum)) [[unlikely]] {
        too_long_ = true;
        continue;
      }
      if (sum >= ours[v]) continue;
      if (sum >= best_ - rest) {
        too_long_ = true;  // or, where a path is known, no better
        continue;
      }
      labels.put(v, sum, top.vertex);
      if (theirs[v] != unreachable<D>) meet(v, sum, theirs[v]);
      __builtin_prefetch(&indptr[v]);
      queue.push(sum, v);
    }
  }

  /// Asks for the row of the vertex that is likely to be settled next. Where the rows of queued
  /// ones begin has been asked for when they were queued.
  void ask_for_next(std::size_t side) const {
    const V v = queues_[side].next();
    if (v < 0) return;
    const CsrView<V, W>& graph = *graphs_[side];
    const auto row = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(v)]);
    __builtin_prefetch(graph.indices.data() + row);
    __builtin_prefetch(graph.weights.data() + row);
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

  std::array<const CsrView<V, W>*, 2> graphs_;
  BothLabels<V>& labels_;
  Pulse pulse_;
  std::array<Queue, 2> queues_;
  std::array<D, 2> settled_{0, 0};  // the label that each side settled last
  D best_ = unreachable<D>;
  V meeting_ = -1;
  bool too_long_ = false;
};

/// The edges out of each vertex, or those into each, without weights.
template <Index V>
struct Rows {
  std::span<const std::int64_t> indptr;
  std::span<const V> indices;
};

/// The same where every edge counts 1: levels, of the side whose outermost one is smaller. The
/// first edge between both sides completes a shortest path. O(edges of the vertices met).
template <Index V>
RouteMet both_ends_by_levels(const Rows<V>& graph, const Rows<V>& into, V source, V target,
                             BothLabels<V>& labels, Pulse pulse) {
  using D = std::int64_t;
  labels[0].put(source, 0, source);
  labels[1].put(target, 0, target);
  if (source == target) return route_met<V>(labels, source);
  std::array<std::vector<V>, 2> outermost{std::vector<V>{source}, std::vector<V>{target}};
  std::vector<V> next;
  while (!outermost[0].empty() && !outermost[1].empty()) {
    const std::size_t side = outermost[0].size() <= outermost[1].size() ? 0 : 1;
    const Rows<V>& rows = side == 0 ? graph : into;
    const std::vector<V>& level = outermost[side];
    EndLabels<V>& ours = labels[side];
    const EndLabels<V>& theirs = labels[1 - side];
    next.clear();
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (i + 8 < level.size())
        __builtin_prefetch(&rows.indptr[static_cast<std::size_t>(level[i + 8])]);
      if (i + 4 < level.size())
        __builtin_prefetch(rows.indices.data() +
                           rows.indptr[static_cast<std::size_t>(level[i + 4])]);
      const V u = level[i];
      const D dist = ours.dist(u) + 1;
      const std::int64_t begin = rows.indptr[static_cast<std::size_t>(u)];
      const std::int64_t end = rows.indptr[static_cast<std::size_t>(u) + 1];
      pulse.beat(end - begin + 1);
      for (std::int64_t e = begin; e < end; ++e) {
        const V v = rows.indices[static_cast<std::size_t>(e)];
        if (ours.dist(v) != unreachable<D>) continue;
        ours.put(v, dist, u);
        if (theirs.dist(v) != unreachable<D>) return route_met<V>(labels, v);
        next.push_back(v);
      }
    }
    outermost[side].swap(next);
  }
  return {};
}

}  // namespace warpath
