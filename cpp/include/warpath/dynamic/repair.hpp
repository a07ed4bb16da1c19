// repair.hpp - brings the distances and the tree of one source up to date after a batch of changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/dynamic/graph_changes.hpp"
#include "warpath/dynamic/source_state.hpp"
#include "warpath/dynamic/tree_update.hpp"
#include "warpath/dynamic/vertex_marks.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// How the vertices are found whose distance may grow.
enum class Region {
  kSubtrees,  // all vertices below an edge of the tree that is lost; Chan and Yang 2009
  kExact,     // those of them without another tight edge; Ramalingam and Reps 1996
};

/// What repairs did.
struct RepairCounters {
  std::int64_t affected = 0;  // vertices whose distance could grow
  std::int64_t settled = 0;   // vertices popped with their new label
  std::int64_t relaxed = 0;   // edges examined, those of the tree's update among them
  std::int64_t improved = 0;  // labels lowered

  RepairCounters& operator+=(const RepairCounters& other) {
    affected += other.affected;
    settled += other.settled;
    relaxed += other.relaxed;
    improved += other.improved;
    return *this;
  }
};

/// Limits beyond which a repair ends without a result, because a new solve is predicted to be
/// faster; -1 for none.
struct RepairLimits {
  std::int64_t affected = -1;  // vertices whose distance may grow
  std::int64_t relaxed = -1;   // edges relaxed from vertices whose distance fell
};

/// The repair of one source's labels. Weights must be >= 0.
///
/// 1. Affected vertices: those whose tight edge from their predecessor is lost, and those below
///    them in the tree. Each gets a tentative label from its other in-neighbours.
/// 2. Edges that are new or shorter lower labels.
/// 3. Dijkstra's algorithm from all these vertices. Labels of other vertices are lengths of paths
///    that still exist, so that the result is the unique least one, with the bits of a new solve.
/// 4. The tree, where distances or tight edges changed (`TreeUpdate`).
///
/// Work: O(edges of the affected and changed vertices, in both directions, times the heap's
/// logarithm). Sources: Ramalingam and Reps, On the computational complexity of dynamic graph
/// problems, 1996, section 4; Chan and Yang, Shortest path tree computation in dynamic graphs,
/// 2009, algorithm DynDij.
template <Index V, Weight W>
class Repair {
 public:
  using D = DistanceOf<W>;
  using Edge = ChangedEdge<V, W>;
  using State = SourceState<V, W>;

  /// `closed`: vertices below it may start or end a path but are not passed through.
  Repair(const ChangingGraph<V, W>& graph, std::int64_t closed, State& state, VertexMarks& marks,
         Poller& poller)
      : graph_(graph), closed_(closed), state_(state), marks_(marks), poller_(poller) {}

  /// Returns whether the labels are up to date; if not, or if it throws, they are as before.
  bool run(std::span<const Edge> changed, Region region, const RepairLimits& limits) {
    limits_ = limits;
    return guarded([&] {
      return find_affected(changed, region) && (start(changed), settle()) && update_tree(changed);
    });
  }

  /// Solves from the source alone, on a state without labels.
  bool solve() {
    return guarded([&] {
      mark_saved(state_.source());
      heap_.push(0, state_.source());
      // A sum that does not fit is passed over: the distance may be less.
      return (settle() || overflow_) && update_tree({});
    });
  }

  RepairCounters counters;

 private:
  template <class Run>
  bool guarded(Run&& run) {
    bool done = false;
    try {
      done = run();
    } catch (...) {
      clear_marks();
      state_.revert();
      throw;
    }
    clear_marks();
    if (!done) state_.revert();
    return done;
  }

  void clear_marks() {
    for (const V v : affected_) marks_.clear(v);
    for (const auto& one : state_.saved()) marks_.clear(one.vertex);
  }

  bool passable(V u) const { return u >= closed_ || u == state_.source(); }
  bool is_affected(V v) const { return marks_.has(v, Mark::kAffected); }

  void count(std::int64_t edges) {
    counters.relaxed += edges;
    poller_.step(edges + 1);
  }

  void mark_saved(V v) {
    if (marks_.set(v, Mark::kSaved)) state_.save(v);
  }

  // Step 1.

  bool find_affected(std::span<const Edge> changed, Region region) {
    std::vector<V> roots;
    for (const Edge& edge : changed) {
      if (!edge.existed() || (edge.exists() && edge.after <= edge.before)) continue;
      if (state_.pred(edge.v) == edge.u) roots.push_back(edge.v);
    }
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    std::erase_if(roots, [&](V v) { return still_tight(state_.pred(v), v); });
    if (region == Region::kExact)
      find_exactly(roots);
    else
      find_subtrees(roots);
    counters.affected += static_cast<std::int64_t>(affected_.size());
    if (exceeded(limits_.affected, static_cast<std::int64_t>(affected_.size()))) return false;
    for (const V v : affected_) take_tentative(v);
    return !overflow_;
  }

  static bool exceeded(std::int64_t limit, std::int64_t value) {
    return limit >= 0 && value > limit;
  }

  bool still_tight(V u, V v) {
    const auto row = graph_.in().row(v);
    count(row.size());
    for (const auto [end, weight] : row)
      if (end == u && is_tight<D>(state_.dist(u), weight, state_.dist(v))) return true;
    return false;
  }

  void find_subtrees(const std::vector<V>& roots) {
    const auto add = [&](V v) {
      if (marks_.set(v, Mark::kAffected)) affected_.push_back(v);
    };
    for (const V v : roots) add(v);
    for (std::size_t next = 0; next < affected_.size(); ++next) {
      if (exceeded(limits_.affected, static_cast<std::int64_t>(affected_.size()))) return;
      each_child(affected_[next], add);
    }
  }

  /// In ascending order of the old distances, so that all nearer vertices are decided.
  void find_exactly(const std::vector<V>& roots) {
    QuaternaryHeap<D, V> waiting;
    const auto add = [&](V v) { waiting.push(state_.dist(v), v); };
    for (const V v : roots) add(v);
    QueueEntry<D, V> top;
    while (waiting.pop(top, [](const auto&) { return true; })) {
      const V v = top.vertex;
      if (is_affected(v) || has_other_support(v)) continue;
      marks_.set(v, Mark::kAffected);
      affected_.push_back(v);
      if (exceeded(limits_.affected, static_cast<std::int64_t>(affected_.size()))) return;
      each_child(v, add);
    }
  }

  bool has_other_support(V v) {
    const auto row = graph_.in().row(v);
    const D to = state_.dist(v);
    count(row.size());
    for (const auto [u, weight] : row) {
      if (state_.dist(u) < to && is_tight<D>(state_.dist(u), weight, to) && !is_affected(u) &&
          passable(u))
        return true;
    }
    return false;
  }

  template <class Visit>
  void each_child(V v, Visit&& visit) {
    const auto row = graph_.out().row(v);
    count(row.size());
    for (const auto edge : row)
      if (state_.pred(edge.end) == v) visit(edge.end);
  }

  void take_tentative(V v) {
    mark_saved(v);
    D best = unreachable<D>;
    const auto row = graph_.in().row(v);
    count(row.size());
    for (const auto [u, weight] : row) {
      if (is_affected(u) || state_.dist(u) == unreachable<D> || !passable(u)) continue;
      if (D sum; added(state_.dist(u), weight, sum)) best = std::min(best, sum);
    }
    state_.set_dist(v, best);
    if (best != unreachable<D>) heap_.push(best, v);
  }

  bool added(D dist, W weight, D& sum) {
    if (add_checked<D, W, V>(dist, weight, sum)) return true;
    overflow_ = true;
    return false;
  }

  // Steps 2 and 3.

  void start(std::span<const Edge> changed) {
    for (const Edge& edge : changed)
      // An affected vertex relaxes its edges when it is settled.
      if (edge.exists() && !is_affected(edge.u)) relax(edge.u, edge.v, edge.after);
  }

  void relax(V u, V v, W weight) {
    if (state_.dist(u) == unreachable<D> || !passable(u)) return;
    D sum;
    if (!added(state_.dist(u), weight, sum) || !(sum < state_.dist(v))) return;
    mark_saved(v);
    state_.set_dist(v, sum);
    heap_.push(sum, v);
    ++counters.improved;
  }

  bool settle() {
    std::int64_t fallen = 0;
    QueueEntry<D, V> top;
    while (heap_.pop(top, [](const auto&) { return true; })) {
      const V u = top.vertex;
      if (top.key != state_.dist(u)) {
        poller_.step();
        continue;
      }
      ++counters.settled;
      if (!passable(u)) continue;
      const auto row = graph_.out().row(u);
      count(row.size());
      if (!is_affected(u)) fallen += row.size() + 1;
      if (exceeded(limits_.relaxed, fallen)) return false;
      for (const auto [v, weight] : row) relax(u, v, weight);
    }
    return !overflow_;
  }

  // Step 4.

  bool update_tree(std::span<const Edge> changed) {
    TreeUpdate<V, W> update(graph_, closed_, state_, marks_, poller_);
    update.run(changed);
    counters.relaxed += update.relaxed;
    return true;
  }

  const ChangingGraph<V, W>& graph_;
  const std::int64_t closed_;
  State& state_;
  VertexMarks& marks_;
  Poller& poller_;
  RepairLimits limits_;
  std::vector<V> affected_;
  QuaternaryHeap<D, V> heap_;
  bool overflow_ = false;
};

}  // namespace warpath
