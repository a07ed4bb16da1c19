// point_to_point.hpp - one shortest path, by Dijkstra's algorithm or by bidirectional search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// A path and its length: vertices from source to target, none if there is no path.
template <class D>
struct PathResult {
  std::vector<std::int64_t> vertices;
  D length = unreachable<D>;
  SearchCounters counters;
};

/// Walks back from a vertex to the root of a search by the rule of the canonical tree (see
/// tree.hpp). `label(v)` must be exact on shortest paths to the start of the walk, and never too
/// small elsewhere.
///
/// `into` holds the edges into each vertex. Work: the edges into the path's vertices, plus, where
/// edges have length 0, those among the vertices at the same distance.
template <Index V, Weight W, class Label>
class Backtracker {
 public:
  using D = DistanceOf<W>;

  Backtracker(const CsrView<V, W>& into, V root, Label label, Poller poller)
      : into_(into), root_(root), label_(label), poller_(poller) {}

  /// The path's vertices from `from` back to the root, both included.
  std::vector<std::int64_t> walk(V from) {
    std::vector<std::int64_t> route{from};
    for (V v = from; v != root_; v = static_cast<V>(route.back())) {
      const V u = shorter_predecessor(v);
      if (u >= 0) {
        route.push_back(u);
      } else {
        cross_plateau(v, route);
      }
    }
    return route;
  }

 private:
  static constexpr V kNone = -1;

  /// Calls visit(u, label) for each tight edge u -> v whose u is wanted(u). Labels of others are
  /// not requested, as they may have to be computed.
  template <class Wanted, class Visit>
  void each_tight(V v, Wanted&& wanted, Visit&& visit) {
    const auto row = static_cast<std::size_t>(v);
    const D to = label_(v);
    poller_.step(into_.indptr[row + 1] - into_.indptr[row] + 1);
    for (std::int64_t e = into_.indptr[row]; e < into_.indptr[row + 1]; ++e) {
      const V u = into_.indices[static_cast<std::size_t>(e)];
      if (!wanted(u)) continue;
      const D from = label_(u);
      D sum;
      if (from == unreachable<D> ||
          !add_checked<D, W, V>(from, into_.weights[static_cast<std::size_t>(e)], sum))
        continue;
      if (sum == to) visit(u, from);
    }
  }

  template <class Visit>
  void each_tight(V v, Visit&& visit) {
    each_tight(v, [](V) { return true; }, visit);
  }

  V shorter_predecessor(V v) {
    V smallest = kNone;
    const D to = label_(v);
    each_tight(
        v, [&](V u) { return smallest == kNone || u < smallest; },
        [&](V u, D from) {
          if (from < to) smallest = u;
        });
    return smallest;
  }

  bool has_shorter_predecessor(V v) { return v == root_ || shorter_predecessor(v) != kNone; }

  /// Extends the path from v, all of whose tight edges come from vertices at the same distance, to
  /// the nearest vertex that has a tight edge from a smaller distance: breadth-first backwards in
  /// layers, then forwards through the vertices on such a path.
  [[gnu::cold]] void cross_plateau(V v, std::vector<std::int64_t>& route) {
    std::unordered_map<V, V> choice;  // vertices met; then their predecessors on such a path
    choice.emplace(v, kNone);
    std::vector<std::vector<V>> layers{{v}};
    std::vector<V> ends;
    while (ends.empty()) {
      std::vector<V> layer;
      for (const V x : layers.back()) {
        each_tight(x, [&](V u, D) {
          if (choice.emplace(u, kNone).second) layer.push_back(u);
        });
      }
      if (layer.empty()) throw std::invalid_argument("the rows reversed are of another graph");
      for (const V u : layer)
        if (has_shorter_predecessor(u)) ends.push_back(u);
      layers.push_back(std::move(layer));
    }
    std::unordered_map<V, std::size_t> good;
    for (const V u : ends) good.emplace(u, layers.size() - 1);
    for (std::size_t depth = layers.size() - 1; depth-- > 0;) {
      for (const V x : layers[depth]) {
        V smallest = kNone;
        each_tight(x, [&](V u, D) {
          const auto known = good.find(u);
          if (known != good.end() && known->second == depth + 1 &&
              (smallest == kNone || u < smallest))
            smallest = u;
        });
        if (smallest == kNone) continue;
        choice[x] = smallest;
        good.emplace(x, depth);
      }
    }
    for (V x = v; choice[x] != kNone; x = choice[x]) route.push_back(choice[x]);
  }

  const CsrView<V, W>& into_;
  const V root_;
  const Label label_;
  Poller poller_;
};

/// The canonical tree's path from source to target by Dijkstra's algorithm, stopped once all
/// vertices as near as the target are settled.
template <Index V, Weight W>
PathResult<DistanceOf<W>> early_stop_path(const CsrView<V, W>& graph, const CsrView<V, W>& reversed,
                                          V source, V target, Poller poller) {
  using D = DistanceOf<W>;
  using Queue = QuaternaryHeap<D, V>;
  std::vector<D> dist(static_cast<std::size_t>(graph.n()), unreachable<D>);
  Queue queue;
  DijkstraSearch<V, W, Queue> search(graph, dist, queue, unreachable<D>);
  search.start(source);
  const D& found = dist[static_cast<std::size_t>(target)];
  search.run(poller, [&](const QueueEntry<D, V>& top) { return top.key > found; });
  PathResult<D> route;
  route.counters = search.counters;
  if (found == unreachable<D>) {
    if (search.overflow)
      refuse_overflow<V, W>(graph, dist, poller,
                            [&](std::size_t v) { return v == static_cast<std::size_t>(target); });
    return route;
  }
  const auto label = [&](V v) { return dist[static_cast<std::size_t>(v)]; };
  route.vertices = Backtracker<V, W, decltype(label)>(reversed, source, label, poller).walk(target);
  std::reverse(route.vertices.begin(), route.vertices.end());
  route.length = found;
  return route;
}

/// Bidirectional Dijkstra's algorithm, forward from the source and backward from the target; the
/// side with the smaller queue goes next.
///
/// The search stops when no path through two unsettled vertices can be as short as the best path
/// found, ties included (Nicholson 1966, Pohl 1971). Memory: two labels per vertex.
template <Index V, Weight W>
class BidirectionalSearch {
 public:
  using D = DistanceOf<W>;

  BidirectionalSearch(const CsrView<V, W>& graph, const CsrView<V, W>& reversed, V source, V target,
                      Poller poller)
      : graph_(graph),
        reversed_(reversed),
        source_(source),
        target_(target),
        poller_(poller),
        forward_dist_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        backward_dist_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        forward_(graph, forward_dist_, forward_queue_, unreachable<D>),
        backward_(reversed, backward_dist_, backward_queue_, unreachable<D>) {}

  PathResult<D> find() {
    forward_.start(source_);
    backward_.start(target_);
    if (source_ == target_) meet(source_);
    while (!finished()) {
      if (forward_queue_.size() <= backward_queue_.size()) {
        advance(forward_);
      } else {
        advance(backward_);
      }
    }
    PathResult<D> route;
    if (best_ == unreachable<D>) {
      // There may be only a path whose length does not fit: a complete search decides.
      if (too_long_ || forward_.overflow || backward_.overflow)
        route = early_stop_path<V, W>(graph_, reversed_, source_, target_, poller_);
    } else if constexpr (std::is_integral_v<D>) {
      route = tree_route();
    } else {
      route = meeting_route();
    }
    route.counters += forward_.counters;
    route.counters += backward_.counters;
    return route;
  }

 private:
  using Queue = QuaternaryHeap<D, V>;
  using Step = DijkstraSearch<V, W, Queue>;

  /// Adds two labels. False if the sum does not fit, which is recorded.
  bool add(D a, D b, D& sum) {
    if (add_checked<D, D, V>(a, b, sum)) return true;
    too_long_ = true;
    return false;
  }

  bool finished() {
    if (forward_queue_.empty() || backward_queue_.empty()) return true;
    D sum;
    if (!add(forward_queue_.top().key, backward_queue_.top().key, sum)) return true;
    return sum > best_;
  }

  void advance(Step& side) {
    QueueEntry<D, V> top;
    if (side.next(top, poller_)) side.relax(top, poller_, [&](V v, D) { meet(v); });
  }

  void meet(V v) {
    const D here = forward_dist_[static_cast<std::size_t>(v)];
    const D there = backward_dist_[static_cast<std::size_t>(v)];
    D sum;
    if (here == unreachable<D> || there == unreachable<D> || !add(here, there, sum) || sum >= best_)
      return;
    best_ = sum;
    meeting_ = v;
  }

  /// The canonical tree's path, for exact labels. Vertices on shortest paths that the forward
  /// search has not settled were settled backward, so a search through those vertices alone
  /// completes the labels that the walk back reads.
  PathResult<D> tree_route() {
    const D settled_behind = backward_queue_.empty() ? unreachable<D> : backward_queue_.top().key;
    const auto on_route = [&](V v, D label) {
      const D rest = backward_dist_[static_cast<std::size_t>(v)];
      return rest < settled_behind && label <= best_ - rest;
    };
    std::vector<QueueEntry<D, V>> open;
    forward_queue_.drain([&](const QueueEntry<D, V>& entry) {
      if (entry.key == forward_dist_[static_cast<std::size_t>(entry.vertex)] &&
          on_route(entry.vertex, entry.key))
        open.push_back(entry);
    });
    while (!open.empty()) {
      const QueueEntry<D, V> from = open.back();
      open.pop_back();
      const auto u = static_cast<std::size_t>(from.vertex);
      poller_.step(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
      for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
        const V v = graph_.indices[static_cast<std::size_t>(e)];
        D sum;
        if (!add_checked<D, W, V>(from.key, graph_.weights[static_cast<std::size_t>(e)], sum))
          continue;
        if (sum >= forward_dist_[static_cast<std::size_t>(v)] || !on_route(v, sum)) continue;
        forward_dist_[static_cast<std::size_t>(v)] = sum;
        open.push_back({sum, v});
      }
    }
    const auto label = [&](V v) { return forward_dist_[static_cast<std::size_t>(v)]; };
    PathResult<D> route;
    route.vertices =
        Backtracker<V, W, decltype(label)>(reversed_, source_, label, poller_).walk(target_);
    std::reverse(route.vertices.begin(), route.vertices.end());
    route.length = best_;
    return route;
  }

  /// The path through the meeting vertex, for labels that depend on the direction by rounding. Its
  /// length is summed from the source on, as every other length.
  PathResult<D> meeting_route() {
    const auto here = [&](V v) { return forward_dist_[static_cast<std::size_t>(v)]; };
    const auto there = [&](V v) { return backward_dist_[static_cast<std::size_t>(v)]; };
    PathResult<D> route;
    route.vertices =
        Backtracker<V, W, decltype(here)>(reversed_, source_, here, poller_).walk(meeting_);
    std::reverse(route.vertices.begin(), route.vertices.end());
    const auto rest =
        Backtracker<V, W, decltype(there)>(graph_, target_, there, poller_).walk(meeting_);
    route.vertices.insert(route.vertices.end(), rest.begin() + 1, rest.end());
    remove_cycles(route.vertices);
    route.length = 0;
    for (std::size_t i = 1; i < route.vertices.size(); ++i)
      route.length += min_weight(route.vertices[i - 1], route.vertices[i]);
    return route;
  }

  /// Removes loops: the halves may share vertices where weights vanish in rounding.
  static void remove_cycles(std::vector<std::int64_t>& route) {
    std::unordered_map<std::int64_t, std::size_t> last;
    for (std::size_t i = 0; i < route.size(); ++i) last[route[i]] = i;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < route.size(); ++i) {
      i = last[route[i]];
      route[kept++] = route[i];
    }
    route.resize(kept);
  }

  D min_weight(std::int64_t u, std::int64_t v) const {
    D smallest = unreachable<D>;
    const auto row = static_cast<std::size_t>(u);
    for (std::int64_t e = graph_.indptr[row]; e < graph_.indptr[row + 1]; ++e)
      if (graph_.indices[static_cast<std::size_t>(e)] == v)
        smallest = std::min(smallest, static_cast<D>(graph_.weights[static_cast<std::size_t>(e)]));
    return smallest;
  }

  const CsrView<V, W>& graph_;
  const CsrView<V, W>& reversed_;
  const V source_;
  const V target_;
  Poller poller_;
  std::vector<D> forward_dist_;   // labels of the forward search
  std::vector<D> backward_dist_;  // labels of the backward search
  Queue forward_queue_;
  Queue backward_queue_;
  Step forward_;
  Step backward_;
  D best_ = unreachable<D>;
  V meeting_ = -1;
  bool too_long_ = false;
};

}  // namespace warpath
