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
struct RouteFound {
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
class WalkBack {
 public:
  using D = DistanceOf<W>;

  WalkBack(const CsrView<V, W>& into, V root, Label label, Pulse pulse)
      : into_(into), root_(root), label_(label), pulse_(pulse) {}

  /// The path's vertices from `from` back to the root, both included.
  std::vector<std::int64_t> walk(V from) {
    std::vector<std::int64_t> route{from};
    for (V v = from; v != root_; v = static_cast<V>(route.back())) {
      const V u = shorter(v);
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

  /// Calls visit(u, label) for each tight edge u -> v.
  template <class Visit>
  void each_tight(V v, Visit&& visit) {
    const auto row = static_cast<std::size_t>(v);
    const D to = label_(v);
    pulse_.beat(into_.indptr[row + 1] - into_.indptr[row] + 1);
    for (std::int64_t e = into_.indptr[row]; e < into_.indptr[row + 1]; ++e) {
      const V u = into_.indices[static_cast<std::size_t>(e)];
      const D from = label_(u);
      D sum;
      if (from == unreachable<D> ||
          !extend<D, W, V>(from, into_.weights[static_cast<std::size_t>(e)], sum))
        continue;
      if (sum == to) visit(u, from);
    }
  }

  V shorter(V v) {
    V least = kNone;
    const D to = label_(v);
    each_tight(v, [&](V u, D from) {
      if (from < to && (least == kNone || u < least)) least = u;
    });
    return least;
  }

  bool grounded(V v) { return v == root_ || shorter(v) != kNone; }

  /// Extends the path from v, all of whose tight edges come from vertices at the same distance, to
  /// the nearest vertex that has a tight edge from a smaller distance: breadth-first backwards in
  /// layers, then forwards through the vertices on such a path.
  void cross_plateau(V v, std::vector<std::int64_t>& route) {
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
        if (grounded(u)) ends.push_back(u);
      layers.push_back(std::move(layer));
    }
    std::unordered_map<V, std::size_t> good;
    for (const V u : ends) good.emplace(u, layers.size() - 1);
    for (std::size_t depth = layers.size() - 1; depth-- > 0;) {
      for (const V x : layers[depth]) {
        V least = kNone;
        each_tight(x, [&](V u, D) {
          const auto known = good.find(u);
          if (known != good.end() && known->second == depth + 1 && (least == kNone || u < least))
            least = u;
        });
        if (least == kNone) continue;
        choice[x] = least;
        good.emplace(x, depth);
      }
    }
    for (V x = v; choice[x] != kNone; x = choice[x]) route.push_back(choice[x]);
  }

  const CsrView<V, W>& into_;
  const V root_;
  const Label label_;
  Pulse pulse_;
};

/// The canonical tree's path from source to target by Dijkstra's algorithm, stopped once all
/// vertices as near as the target are settled.
template <Index V, Weight W>
RouteFound<DistanceOf<W>> early_stop_path(const CsrView<V, W>& graph, const CsrView<V, W>& reversed,
                                          V source, V target, Pulse pulse) {
  using D = DistanceOf<W>;
  using Queue = FourHeap<D, V>;
  std::vector<D> dist(static_cast<std::size_t>(graph.n()), unreachable<D>);
  Queue queue;
  Search<V, W, Queue> search(graph, dist, queue, unreachable<D>);
  search.start(source);
  const D& found = dist[static_cast<std::size_t>(target)];
  search.run(pulse, [&](const Labelled<D, V>& top) { return top.key > found; });
  RouteFound<D> route;
  route.counters = search.counters;
  if (found == unreachable<D>) {
    if (search.overflow)
      refuse_overflow<V, W>(graph, dist, pulse,
                            [&](std::size_t v) { return v == static_cast<std::size_t>(target); });
    return route;
  }
  const auto label = [&](V v) { return dist[static_cast<std::size_t>(v)]; };
  route.vertices = WalkBack<V, W, decltype(label)>(reversed, source, label, pulse).walk(target);
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
                      Pulse pulse)
      : graph_(graph),
        reversed_(reversed),
        source_(source),
        target_(target),
        pulse_(pulse),
        ahead_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        behind_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        forward_(graph, ahead_, forward_queue_, unreachable<D>),
        backward_(reversed, behind_, backward_queue_, unreachable<D>) {}

  RouteFound<D> find() {
    forward_.start(source_);
    backward_.start(target_);
    if (source_ == target_) meet(source_);
    while (!decided()) {
      if (forward_queue_.size() <= backward_queue_.size()) {
        advance(forward_);
      } else {
        advance(backward_);
      }
    }
    RouteFound<D> route;
    if (best_ == unreachable<D>) {
      // There may be only a path whose length does not fit: a complete search decides.
      if (too_long_ || forward_.overflow || backward_.overflow)
        route = early_stop_path<V, W>(graph_, reversed_, source_, target_, pulse_);
    } else if constexpr (std::is_integral_v<D>) {
      route = tree_route();
    } else {
      route = met_route();
    }
    route.counters += forward_.counters;
    route.counters += backward_.counters;
    return route;
  }

 private:
  using Queue = FourHeap<D, V>;
  using Step = Search<V, W, Queue>;

  /// Adds two labels. False if the sum does not fit, which is recorded.
  bool add(D a, D b, D& sum) {
    if (extend<D, D, V>(a, b, sum)) return true;
    too_long_ = true;
    return false;
  }

  bool decided() {
    if (forward_queue_.empty() || backward_queue_.empty()) return true;
    D sum;
    if (!add(forward_queue_.top().key, backward_queue_.top().key, sum)) return true;
    return sum > best_;
  }

  void advance(Step& side) {
    Labelled<D, V> top;
    if (side.next(top, pulse_)) side.relax(top, pulse_, [&](V v, D) { meet(v); });
  }

  void meet(V v) {
    const D here = ahead_[static_cast<std::size_t>(v)];
    const D there = behind_[static_cast<std::size_t>(v)];
    D sum;
    if (here == unreachable<D> || there == unreachable<D> || !add(here, there, sum) || sum >= best_)
      return;
    best_ = sum;
    meeting_ = v;
  }

  /// The canonical tree's path, for exact labels. Vertices on shortest paths that the forward
  /// search has not settled were settled backward, so a search through those vertices alone
  /// completes the labels that the walk back reads.
  RouteFound<D> tree_route() {
    const D settled_behind = backward_queue_.empty() ? unreachable<D> : backward_queue_.top().key;
    const auto on_route = [&](V v, D label) {
      const D rest = behind_[static_cast<std::size_t>(v)];
      return rest < settled_behind && label <= best_ - rest;
    };
    std::vector<Labelled<D, V>> open;
    forward_queue_.drain([&](const Labelled<D, V>& entry) {
      if (entry.key == ahead_[static_cast<std::size_t>(entry.vertex)] &&
          on_route(entry.vertex, entry.key))
        open.push_back(entry);
    });
    while (!open.empty()) {
      const Labelled<D, V> from = open.back();
      open.pop_back();
      const auto u = static_cast<std::size_t>(from.vertex);
      pulse_.beat(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
      for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
        const V v = graph_.indices[static_cast<std::size_t>(e)];
        D sum;
        if (!extend<D, W, V>(from.key, graph_.weights[static_cast<std::size_t>(e)], sum)) continue;
        if (sum >= ahead_[static_cast<std::size_t>(v)] || !on_route(v, sum)) continue;
        ahead_[static_cast<std::size_t>(v)] = sum;
        open.push_back({sum, v});
      }
    }
    const auto label = [&](V v) { return ahead_[static_cast<std::size_t>(v)]; };
    RouteFound<D> route;
    route.vertices =
        WalkBack<V, W, decltype(label)>(reversed_, source_, label, pulse_).walk(target_);
    std::reverse(route.vertices.begin(), route.vertices.end());
    route.length = best_;
    return route;
  }

  /// The path through the meeting vertex, for labels that depend on the direction by rounding. Its
  /// length is summed from the source on, as every other length.
  RouteFound<D> met_route() {
    const auto here = [&](V v) { return ahead_[static_cast<std::size_t>(v)]; };
    const auto there = [&](V v) { return behind_[static_cast<std::size_t>(v)]; };
    RouteFound<D> route;
    route.vertices =
        WalkBack<V, W, decltype(here)>(reversed_, source_, here, pulse_).walk(meeting_);
    std::reverse(route.vertices.begin(), route.vertices.end());
    const auto rest =
        WalkBack<V, W, decltype(there)>(graph_, target_, there, pulse_).walk(meeting_);
    route.vertices.insert(route.vertices.end(), rest.begin() + 1, rest.end());
    drop_loops(route.vertices);
    route.length = 0;
    for (std::size_t i = 1; i < route.vertices.size(); ++i)
      route.length += lightest(route.vertices[i - 1], route.vertices[i]);
    return route;
  }

  /// Removes loops: the halves may share vertices where weights vanish in rounding.
  static void drop_loops(std::vector<std::int64_t>& route) {
    std::unordered_map<std::int64_t, std::size_t> last;
    for (std::size_t i = 0; i < route.size(); ++i) last[route[i]] = i;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < route.size(); ++i) {
      i = last[route[i]];
      route[kept++] = route[i];
    }
    route.resize(kept);
  }

  D lightest(std::int64_t u, std::int64_t v) const {
    D least = unreachable<D>;
    const auto row = static_cast<std::size_t>(u);
    for (std::int64_t e = graph_.indptr[row]; e < graph_.indptr[row + 1]; ++e)
      if (graph_.indices[static_cast<std::size_t>(e)] == v)
        least = std::min(least, static_cast<D>(graph_.weights[static_cast<std::size_t>(e)]));
    return least;
  }

  const CsrView<V, W>& graph_;
  const CsrView<V, W>& reversed_;
  const V source_;
  const V target_;
  Pulse pulse_;
  std::vector<D> ahead_;   // labels of the forward search
  std::vector<D> behind_;  // labels of the backward search
  Queue forward_queue_;
  Queue backward_queue_;
  Step forward_;
  Step backward_;
  D best_ = unreachable<D>;
  V meeting_ = -1;
  bool too_long_ = false;
};

}  // namespace warpath
