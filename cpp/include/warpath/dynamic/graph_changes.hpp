// graph_changes.hpp - a graph in both directions, and batches of changes that can be taken back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "warpath/dynamic/slack_rows.hpp"
#include "warpath/graph/types.hpp"

namespace warpath {

/// What happens to an edge.
enum class ChangeKind : std::int8_t { kUpdate, kInsert, kDelete };

/// A requested change of an edge u -> v.
template <Index V, Weight W>
struct EdgeChange {
  ChangeKind kind;
  V u, v;
  std::int64_t position;  // among the edges u -> v before the batch; -1: there is only one
  W weight;               // the new one; not used by kDelete
};

/// Why a batch is refused: `at` is the number of the change, `other` what the reason explains.
struct Refusal {
  enum Reason : int {
    kNoEdge,     // the edge does not exist; other: the number of edges u -> v
    kAmbiguous,  // there are `other` parallel edges, and no position
    kTwice,      // the change numbered `other` changes the same edge
    kNoReverse,  // the undirected graph lacks the reversed edge
  };
  Reason reason;
  std::int64_t at, other;
};

/// An edge u -> v that a batch changes.
template <Index V, Weight W>
struct ChangedEdge {
  ChangeKind kind;
  V u, v;
  std::int64_t out_at, in_at;  // its places in u's row of out-edges and v's row of in-edges
  W before, after;             // `before` is not used by kInsert, `after` not by kDelete
  std::int64_t change;         // the number of the change

  bool existed() const { return kind != ChangeKind::kInsert; }
  bool exists() const { return kind != ChangeKind::kDelete; }
};

/// A graph whose edges change in batches. An undirected graph's batch changes each edge and its
/// reverse.
///
/// Work: O(degree of both ends) for each change. Memory: see `SlackRows`, for both directions.
template <Index V, Weight W>
class ChangingGraph {
 public:
  using Change = EdgeChange<V, W>;
  using Edge = ChangedEdge<V, W>;
  using Rows = SlackRows<V, W>;

  ChangingGraph(const CsrView<V, W>& graph, bool directed)
      : out_(graph), in_(Rows::reversed(out_)), directed_(directed) {
    for (const W weight : graph.weights) negative_ += weight < 0;
  }

  const Rows& out() const { return out_; }
  const Rows& in() const { return in_; }
  std::int64_t n() const { return out_.n(); }
  std::int64_t edges() const { return out_.edges(); }
  std::int64_t negative() const { return negative_; }
  std::size_t nbytes() const { return out_.nbytes() + in_.nbytes(); }

  /// The edges that the last batch changed.
  std::span<const Edge> changed() const { return changed_; }

  /// Applies a batch, whose vertices exist and whose weights are finite, or nothing of it. Forgets
  /// the batch before.
  std::optional<Refusal> apply(std::span<const Change> changes) {
    std::vector<Edge> found;
    found.reserve(changes.size() * (directed_ ? 1 : 2));
    for (std::size_t at = 0; at < changes.size(); ++at)
      if (const auto refusal = find(changes[at], static_cast<std::int64_t>(at), found))
        return refusal;
    if (const auto refusal = contradiction(found)) return refusal;
    changed_.clear();
    out_.trim();
    in_.trim();
    changed_ = std::move(found);
    carry_out();
    return std::nullopt;
  }

  /// Takes the last batch back: all rows are as they were, in the same order.
  void revert() {
    for (auto edge = removed_in_.rbegin(); edge != removed_in_.rend(); ++edge)
      in_.insert((*edge)->v, (*edge)->in_at, {(*edge)->u, (*edge)->before});
    for (auto edge = removed_out_.rbegin(); edge != removed_out_.rend(); ++edge)
      out_.insert((*edge)->u, (*edge)->out_at, {(*edge)->v, (*edge)->before});
    take_back_insertions();
    for (const Edge& edge : changed_) {
      if (edge.kind == ChangeKind::kUpdate) set(edge, edge.before);
      negative_ += (edge.existed() && edge.before < 0) - (edge.exists() && edge.after < 0);
    }
    forget();
  }

  /// Forgets the last batch.
  void forget() {
    changed_.clear();
    removed_out_.clear();
    removed_in_.clear();
    inserted_out_ = inserted_in_ = 0;
  }

 private:
  /// Appends the edge of a change, and its reverse if the graph is undirected.
  std::optional<Refusal> find(const Change& change, std::int64_t at, std::vector<Edge>& found) {
    if (change.kind == ChangeKind::kInsert) {
      found.push_back({change.kind, change.u, change.v, 0, 0, W{}, change.weight, at});
      if (!directed_ && change.u != change.v)
        found.push_back({change.kind, change.v, change.u, 0, 0, W{}, change.weight, at});
      return std::nullopt;
    }
    const auto row = out_.row(change.u);
    std::int64_t place = -1;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < row.size(); ++k) {
      if (row[k].end != change.v) continue;
      if (count++ == std::max<std::int64_t>(change.position, 0)) place = k;
    }
    if (place < 0) return Refusal{Refusal::kNoEdge, at, count};
    if (change.position < 0 && count > 1) return Refusal{Refusal::kAmbiguous, at, count};
    append(change, place, at, found);
    if (directed_ || change.u == change.v) return std::nullopt;
    const std::int64_t back = reverse_of(change.u, change.v, place);
    if (back < 0) return Refusal{Refusal::kNoReverse, at, 0};
    append({change.kind, change.v, change.u, -1, change.weight}, back, at, found);
    return std::nullopt;
  }

  void append(const Change& change, std::int64_t place, std::int64_t at, std::vector<Edge>& found) {
    const std::int64_t in_at = other_place(out_.row(change.u), place, in_.row(change.v), change.u);
    found.push_back({change.kind, change.u, change.v, place, in_at,
                     out_.row(change.u)[place].weight, change.weight, at});
  }

  /// The place of an edge in the row of its other end, in which parallel edges have the same order.
  template <class Row>
  static std::int64_t other_place(const Row& row, std::int64_t place, const Row& other, V u) {
    std::int64_t earlier = 0;
    for (std::int64_t k = 0; k < place; ++k) earlier += row[k].end == row[place].end;
    for (std::int64_t k = 0; k < other.size(); ++k)
      if (other[k].end == u && earlier-- == 0) return k;
    return -1;
  }

  /// The place in v's row of the reverse of u's edge at `place`: the edge v -> u of the same weight
  /// with as many such edges in front of it. -1 if there is none.
  std::int64_t reverse_of(V u, V v, std::int64_t place) const {
    const auto row = out_.row(u);
    const auto back = out_.row(v);
    const W weight = row[place].weight;
    std::int64_t earlier = 0;
    for (std::int64_t k = 0; k < place; ++k) earlier += row[k].end == v && row[k].weight == weight;
    for (std::int64_t k = 0; k < back.size(); ++k)
      if (back[k].end == u && back[k].weight == weight && earlier-- == 0) return k;
    return -1;
  }

  static std::optional<Refusal> contradiction(const std::vector<Edge>& found) {
    std::vector<std::tuple<V, std::int64_t, std::int64_t>> places;
    for (const Edge& edge : found)
      if (edge.existed()) places.emplace_back(edge.u, edge.out_at, edge.change);
    std::sort(places.begin(), places.end());
    const auto twice =
        std::adjacent_find(places.begin(), places.end(), [](const auto& a, const auto& b) {
          return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
        });
    if (twice == places.end()) return std::nullopt;
    return Refusal{Refusal::kTwice, std::get<2>(twice[1]), std::get<2>(twice[0])};
  }

  void set(const Edge& edge, W weight) {
    out_.set_weight(edge.u, edge.out_at, weight);
    in_.set_weight(edge.v, edge.in_at, weight);
  }

  /// Removals come last: their places stay vacant, so that `revert` needs no memory.
  void carry_out() {
    removed_out_.clear();
    removed_in_.clear();
    inserted_out_ = inserted_in_ = 0;
    for (const Edge& edge : changed_)
      if (edge.kind == ChangeKind::kDelete) {
        removed_out_.push_back(&edge);
        removed_in_.push_back(&edge);
      }
    // Within a row from the back, so that the places of the others stay right.
    std::sort(removed_out_.begin(), removed_out_.end(), [](const Edge* a, const Edge* b) {
      return std::tie(a->u, b->out_at) < std::tie(b->u, a->out_at);
    });
    std::sort(removed_in_.begin(), removed_in_.end(), [](const Edge* a, const Edge* b) {
      return std::tie(a->v, b->in_at) < std::tie(b->v, a->in_at);
    });
    try {
      insert_edges();
    } catch (...) {
      take_back_insertions();
      forget();
      throw;
    }
    for (const Edge& edge : changed_) {
      if (edge.kind == ChangeKind::kUpdate) set(edge, edge.after);
      negative_ += (edge.exists() && edge.after < 0) - (edge.existed() && edge.before < 0);
    }
    for (const Edge* edge : removed_out_) out_.erase(edge->u, edge->out_at);
    for (const Edge* edge : removed_in_) in_.erase(edge->v, edge->in_at);
  }

  void insert_edges() {
    for (const Edge& edge : changed_) {
      if (edge.kind != ChangeKind::kInsert) continue;
      out_.insert(edge.u, out_.degree(edge.u), {edge.v, edge.after});
      ++inserted_out_;
      in_.insert(edge.v, in_.degree(edge.v), {edge.u, edge.after});
      ++inserted_in_;
    }
  }

  /// Removes inserted edges, which are the last ones of their rows.
  void take_back_insertions() {
    for (const Edge& edge : changed_) {
      if (edge.kind != ChangeKind::kInsert) continue;
      if (inserted_out_ > 0) out_.erase(edge.u, out_.degree(edge.u) - 1), --inserted_out_;
      if (inserted_in_ > 0) in_.erase(edge.v, in_.degree(edge.v) - 1), --inserted_in_;
    }
  }

  Rows out_, in_;
  const bool directed_;
  std::int64_t negative_ = 0;
  std::vector<Edge> changed_;
  std::vector<const Edge*> removed_out_, removed_in_;  // in the order of removal
  std::int64_t inserted_out_ = 0, inserted_in_ = 0;
};

}  // namespace warpath
