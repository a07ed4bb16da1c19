// dynamic_paths.hpp - shortest paths from one or several sources that stay right while edges
// change.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "warpath/dynamic/graph_changes.hpp"
#include "warpath/dynamic/repair.hpp"
#include "warpath/dynamic/source_state.hpp"
#include "warpath/dynamic/tree_update.hpp"
#include "warpath/dynamic/vertex_marks.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// A graph that changes, and the distances and trees of some sources.
///
/// A batch is `apply`, then a `replace` for each row of `stale()`, then `accept`; or `abandon`,
/// which takes it back. The last accepted batch can be taken back by `undo`. Threads take one
/// source each. Memory: the graph's, and for each source a label and a predecessor per vertex, and
/// its logs of the last accepted batch and of the one that is carried out.
template <Index V, Weight W>
class DynamicPaths {
 public:
  using D = DistanceOf<W>;
  using State = SourceState<V, W>;
  using Change = EdgeChange<V, W>;

  DynamicPaths(const CsrView<V, W>& graph, bool directed, std::int64_t closed,
               std::span<const std::int64_t> sources)
      : graph_(graph, directed), closed_(closed) {
    states_.reserve(sources.size());
    for (const std::int64_t source : sources)
      states_.emplace_back(static_cast<V>(source), static_cast<std::size_t>(graph.n()));
  }

  const ChangingGraph<V, W>& graph() const { return graph_; }
  std::size_t rows() const { return states_.size(); }
  const State& state(std::size_t row) const { return states_[row]; }
  /// The rows that `apply` left as they were before the batch: they have to be solved anew.
  const std::vector<std::int64_t>& stale() const { return stale_; }
  const RepairCounters& counters() const { return counters_; }

  std::size_t nbytes() const {
    std::size_t total = graph_.nbytes();
    for (const State& state : states_) total += state.nbytes();
    for (const VertexMarks& marks : marks_) total += marks.nbytes();
    return total;
  }

  /// Changes the graph and repairs the labels. If it throws or refuses, nothing has changed.
  std::optional<Refusal> apply(std::span<const Change> changes, Region region,
                               const RepairLimits& limits, int threads, Control& control) {
    const bool negative = graph_.negative() > 0;
    if (open_) throw std::logic_error("the last batch is neither accepted nor abandoned");
    if (const auto refusal = graph_.apply(changes)) return refusal;
    for (State& state : states_) state.begin();
    stale_.clear();
    counters_ = {};
    open_ = true;
    try {
      if (negative || graph_.negative() > 0)
        all_stale();
      else
        repair(region, limits, threads, control);
    } catch (...) {
      abandon();
      throw;
    }
    return std::nullopt;
  }

  /// Replaces the labels of a row by those of a new solve; outside a batch for good. Throws
  /// std::invalid_argument if `pred` is not a tree.
  void replace(std::size_t row, std::span<const D> dist, std::span<const V> pred) {
    if (!states_[row].replace(dist, pred)) throw std::invalid_argument("pred must be a tree");
    if (!open_) states_[row].forget();
    std::erase(stale_, static_cast<std::int64_t>(row));
  }

  /// Replaces the distances of a row by those of a new solve and computes its tree from them;
  /// outside a batch for good. Weights must be >= 0.
  void replace(std::size_t row, std::span<const D> dist, int threads, Control& control) {
    State& state = states_[row];
    state.replace(dist);
    try {
      find_tree(state, threads, control);
    } catch (...) {
      state.revert();
      throw;
    }
    if (!open_) state.forget();
    std::erase(stale_, static_cast<std::int64_t>(row));
  }

  /// Ends a batch of which no row is stale.
  void accept() {
    if (!stale_.empty()) throw std::logic_error("a row is stale");
    for (State& state : states_) state.accept();
    graph_.accept();
    undoable_ = open_;
    open_ = false;
  }

  /// Takes back a batch that is not accepted, if there is one. The batch before it can be undone.
  void abandon() {
    if (!open_) return;
    revert();
    for (State& state : states_) state.restore();
    graph_.restore();
    open_ = false;
  }

  /// Takes the last accepted batch back. Returns whether there was one.
  bool undo() {
    if (open_ || !undoable_) return false;
    revert();
    undoable_ = false;
    return true;
  }

  /// Solves all rows without labels by the repair's own search. A vertex whose distance does not
  /// fit stays unreachable.
  void solve(int threads, Control& control) {
    each_row(threads, control, [&](std::size_t row, Repair<V, W>& repair) {
      repair.solve();
      states_[row].forget();
    });
  }

 private:
  void revert() {
    for (State& state : states_) state.revert();
    graph_.revert();
    stale_.clear();
  }

  void all_stale() {
    for (std::size_t row = 0; row < states_.size(); ++row)
      stale_.push_back(static_cast<std::int64_t>(row));
  }

  void repair(Region region, const RepairLimits& limits, int threads, Control& control) {
    std::mutex guard;
    each_row(threads, control, [&](std::size_t row, Repair<V, W>& repair) {
      const bool done = repair.run(graph_.changed(), region, limits);
      if (done) return;
      const std::scoped_lock lock(guard);
      stale_.push_back(static_cast<std::int64_t>(row));
    });
    std::sort(stale_.begin(), stale_.end());
  }

  /// Computes the tree of a state of which only the distances are known.
  void find_tree(State& state, int threads, Control& control) {
    constexpr std::int64_t kPart = 4096;  // vertices that a thread takes at a time
    if (marks_.empty()) marks_.emplace_back(static_cast<std::size_t>(graph_.n()));
    std::atomic<std::int64_t> next{0};
    std::atomic<int> finished{0};
    std::mutex guard;
    std::vector<V> flat;
    const std::int64_t parts = std::max<std::int64_t>((graph_.n() + kPart - 1) / kPart, 1);
    const int team = static_cast<int>(std::min<std::int64_t>(threads, parts));
    run_team(team, control, [&](int rank) {
      Poller poller(control, rank == 0);
      TreeUpdate<V, W> update(graph_, closed_, state, marks_[0], poller);
      for (std::int64_t begin;
           (begin = next.fetch_add(kPart, std::memory_order_relaxed)) < graph_.n();)
        update.search_all(static_cast<V>(begin),
                          static_cast<V>(std::min(begin + kPart, graph_.n())));
      {
        const std::scoped_lock lock(guard);
        flat.insert(flat.end(), update.flat().begin(), update.flat().end());
      }
      if (team > 1) await_team(rank, team, finished, control);
    });
    const auto clear_marks = [&] {
      for (const V v : flat) marks_[0].clear(v);
    };
    try {
      Poller poller(control, true);
      TreeUpdate<V, W>(graph_, closed_, state, marks_[0], poller).place(flat);
    } catch (...) {
      clear_marks();
      throw;
    }
    clear_marks();
  }

  /// Calls body(row, repair) for each row, on threads.
  template <class Body>
  void each_row(int threads, Control& control, Body&& body) {
    const auto most = std::max<std::size_t>(states_.size(), 1);
    const int team = static_cast<int>(std::min(static_cast<std::size_t>(threads), most));
    while (marks_.size() < static_cast<std::size_t>(team))
      marks_.emplace_back(static_cast<std::size_t>(graph_.n()));
    std::atomic<std::size_t> next{0};
    std::atomic<int> finished{0};
    std::mutex guard;
    run_team(team, control, [&](int rank) {
      Poller poller(control, rank == 0);
      RepairCounters mine;
      for (std::size_t row;
           (row = next.fetch_add(1, std::memory_order_relaxed)) < states_.size();) {
        Repair<V, W> repair(graph_, closed_, states_[row], marks_[static_cast<std::size_t>(rank)],
                            poller);
        body(row, repair);
        mine += repair.counters;
      }
      {
        const std::scoped_lock lock(guard);
        counters_ += mine;
      }
      if (team > 1) await_team(rank, team, finished, control);
    });
  }

  ChangingGraph<V, W> graph_;
  const std::int64_t closed_;
  std::vector<State> states_;
  std::vector<VertexMarks> marks_;  // of each thread
  std::vector<std::int64_t> stale_;
  RepairCounters counters_;
  bool open_ = false;      // a batch is neither accepted nor abandoned
  bool undoable_ = false;  // an accepted batch was not taken back
};

}  // namespace warpath
