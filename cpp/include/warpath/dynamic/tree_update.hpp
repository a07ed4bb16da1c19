// tree_update.hpp - the tree of rule 2 after some distances and edges have changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/dynamic/graph_changes.hpp"
#include "warpath/dynamic/source_state.hpp"
#include "warpath/dynamic/vertex_marks.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Whether an edge of weight >= 0 leads from one label to another. Integers are added modulo 2^64:
/// a sum that overflows is less than `from`, which no label behind it is.
template <class D, Weight W>
inline bool is_tight(D from, W weight, D to) {
  if (from == unreachable<D>) return false;
  if constexpr (std::is_integral_v<D>)
    return static_cast<D>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(weight)) ==
               to &&
           from <= to;
  else
    return from + weight == to;
}

/// Updates predecessors and levels after the distances of the state's saved vertices were updated.
///
/// A predecessor that is nearer to the source is the smallest such vertex with a tight edge. It is
/// searched anew where the distance has changed or the old predecessor's edge is no longer tight;
/// elsewhere a changed neighbour may only take its place. Vertices without one get theirs over
/// edges of length 0, in breadth-first order: their levels are computed anew for all that can be
/// reached from a change over such edges.
///
/// Work: O(in-edges of the vertices searched + out-edges of the changed vertices + edges of the
/// vertices whose level may change, times a logarithm).
template <Index V, Weight W>
class TreeUpdate {
 public:
  using D = DistanceOf<W>;
  using Edge = ChangedEdge<V, W>;
  using State = SourceState<V, W>;

  TreeUpdate(const ChangingGraph<V, W>& graph, std::int64_t closed, State& state,
             VertexMarks& marks, Poller& poller)
      : graph_(graph), closed_(closed), state_(state), marks_(marks), poller_(poller) {}

  void run(std::span<const Edge> changed) {
    std::vector<V> moved;  // vertices whose distance has changed
    for (const auto& one : state_.saved())
      if (state_.dist(one.vertex) != one.dist) moved.push_back(one.vertex);
    for (const V v : moved) add_search(v);
    for (const V u : moved) visit_neighbours(u);
    for (const Edge& edge : changed) visit(edge.u, edge.v, edge.exists(), edge.after);
    for (std::size_t next = 0; next < searched_.size(); ++next) search(searched_[next]);
    if (!flat_.empty() || !risen_.empty()) update_levels();
  }

  /// Searches the predecessors of vertices [begin, end), none of which has one so far. Threads may
  /// share the vertices of a state.
  void search_all(V begin, V end) {
    for (V v = begin; v < end; ++v) search(v);
  }

  /// The vertices for which `search_all` found no predecessor that is nearer to the source.
  std::span<const V> flat() const { return flat_; }

  /// Gives all vertices of a state that `search_all` left without predecessor one.
  void place(std::span<const V> flat) {
    flat_.assign(flat.begin(), flat.end());
    if (!flat_.empty()) update_levels();
  }

  std::int64_t relaxed = 0;

 private:
  static constexpr V kUnknown = std::numeric_limits<V>::max();

  bool passable(V u) const { return u >= closed_ || u == state_.source(); }

  void count(std::int64_t edges) {
    relaxed += edges;
    poller_.step(edges + 1);
  }

  void save(V v) {
    if (marks_.set(v, Mark::kSaved)) state_.save(v);
  }

  void add_search(V v) {
    save(v);
    if (marks_.set(v, Mark::kSearched)) searched_.push_back(v);
  }

  void visit_neighbours(V u) {
    const auto row = graph_.out().row(u);
    count(row.size());
    for (const auto [v, weight] : row) visit(u, v, true, weight);
  }

  /// Considers an edge that has changed, or whose source has another distance.
  void visit(V u, V v, bool exists, W weight) {
    const D to = state_.dist(v);
    if (v == state_.source() || to == unreachable<D> || marks_.has(v, Mark::kSearched)) return;
    const bool has_nearer = state_.level(v) == 0;
    const D from = state_.dist(u);
    const bool nearer = exists && from < to && is_tight<D>(from, weight, to) && passable(u);
    if (has_nearer && state_.pred(v) == u) {
      if (!nearer) add_search(v);
    } else if (nearer && (!has_nearer || u < state_.pred(v))) {
      save(v);
      if (!has_nearer) rise(v);
      state_.set_pred(v, u);
    } else if (!has_nearer) {
      save(v);
      flat_.push_back(v);
    }
  }

  /// Sets the level of a vertex that has got a nearer predecessor to 0.
  void rise(V v) {
    state_.set_level(v, 0);
    risen_.push_back(v);
  }

  void search(V v) {
    V found = -1;
    if (state_.dist(v) != unreachable<D> && v != state_.source()) found = nearer_predecessor(v);
    state_.set_pred(v, found);
    if (found < 0 && state_.dist(v) != unreachable<D> && v != state_.source())
      flat_.push_back(v);
    else if (state_.level(v) != 0)
      rise(v);
  }

  V nearer_predecessor(V v) {
    const auto row = graph_.in().row(v);
    const D to = state_.dist(v);
    count(row.size());
    V found = kUnknown;
    for (const auto [u, weight] : row) {
      const D from = state_.dist(u);
      // Without branches, since nothing predicts which edges are tight.
      const bool leads = (from < to) & is_tight<D>(from, weight, to) & passable(u);
      found = leads ? std::min(found, u) : found;
    }
    return found == kUnknown ? V{-1} : found;
  }

  bool is_collected(V v) const { return marks_.has(v, Mark::kCollected); }

  /// Calls visit(v) for each edge of length 0 out of u that can be part of a path.
  template <class Visit>
  void each_flat_edge(V u, Visit&& visit) {
    const D from = state_.dist(u);
    if (from == unreachable<D> || !passable(u)) return;
    const auto row = graph_.out().row(u);
    count(row.size());
    for (const auto [v, weight] : row)
      if (state_.dist(v) == from && is_tight<D>(from, weight, from)) visit(v);
  }

  void update_levels() {
    std::vector<V> collected;
    const auto collect = [&](V v) {
      save(v);
      if (marks_.set(v, Mark::kCollected)) collected.push_back(v);
    };
    for (const V v : flat_)
      // A later edge may have given the vertex a nearer predecessor.
      if (state_.pred(v) < 0 || state_.level(v) != 0) collect(v);
    const auto collect_behind = [&](V u) {
      each_flat_edge(u, [&](V v) {
        if (state_.level(v) != 0) collect(v);
      });
    };
    for (const V v : risen_) collect_behind(v);
    for (std::size_t next = 0; next < collected.size(); ++next) collect_behind(collected[next]);
    for (const V v : collected) state_.set_level(v, kUnknown);
    assign_levels(collected);
    for (const V v : collected) state_.set_pred(v, predecessor_in_level(v));
  }

  /// Breadth-first over edges of length 0 from the vertices whose level is known.
  void assign_levels(const std::vector<V>& collected) {
    QuaternaryHeap<V, V> waiting;
    const auto lower = [&](V v, V level) {
      if (level >= state_.level(v)) return;
      state_.set_level(v, level);
      waiting.push(level, v);
    };
    for (const V v : collected)
      each_flat_edge_into(v, [&](V u) {
        // Labels of which no update could make a tree leave vertices without a level.
        if (!is_collected(u) && state_.level(u) != kUnknown) lower(v, state_.level(u) + 1);
      });
    QueueEntry<V, V> top;
    while (waiting.pop(top, [](const auto&) { return true; })) {
      if (top.key != state_.level(top.vertex)) continue;
      each_flat_edge(top.vertex, [&](V v) {
        if (is_collected(v)) lower(v, top.key + 1);
      });
    }
  }

  template <class Visit>
  void each_flat_edge_into(V v, Visit&& visit) {
    const D to = state_.dist(v);
    const auto row = graph_.in().row(v);
    count(row.size());
    for (const auto [u, weight] : row)
      if (state_.dist(u) == to && is_tight<D>(to, weight, to) && passable(u)) visit(u);
  }

  V predecessor_in_level(V v) {
    V found = -1;
    each_flat_edge_into(v, [&](V u) {
      if (state_.level(u) == state_.level(v) - 1 && (found < 0 || u < found)) found = u;
    });
    return found;
  }

  const ChangingGraph<V, W>& graph_;
  const std::int64_t closed_;
  State& state_;
  VertexMarks& marks_;
  Poller& poller_;
  std::vector<V> searched_, flat_, risen_;
};

}  // namespace warpath
