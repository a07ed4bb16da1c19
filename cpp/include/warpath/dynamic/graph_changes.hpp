// graph_changes.hpp - a graph in both directions, and batches of changes that can be taken back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warpath/dynamic/slack_rows.hpp"
#include "warpath/graph/ascending_order.hpp"
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
/// Work: O(d log d) for all changes at a vertex of degree d, O(d) for one. Memory: see `SlackRows`,
/// for both directions, and two batches.
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
  std::span<const Edge> changed() const { return last_.edges; }

  /// Applies a batch, whose vertices exist and whose weights are finite, or nothing of it. Until
  /// `accept` the batch before can be restored.
  std::optional<Refusal> apply(std::span<const Change> changes) {
    Log found;
    found.edges.reserve(changes.size() * (directed_ ? 1 : 2));
    Places places(*this);
    for (std::size_t at = 0; at < changes.size(); ++at)
      if (const auto refusal = find(changes[at], static_cast<std::int64_t>(at), places, found))
        return refusal;
    if (const auto refusal = contradiction(found.edges)) return refusal;
    out_.trim();
    in_.trim();
    earlier_ = std::exchange(last_, std::move(found));
    try {
      carry_out();
    } catch (...) {
      take_back_insertions();
      restore();
      throw;
    }
    return std::nullopt;
  }

  /// Takes the last batch back: all rows are as they were, in the same order.
  void revert() {
    in_.insert(last_.removed_in);
    out_.insert(last_.removed_out);
    take_back_insertions();
    for (const Edge& edge : last_.edges) {
      if (edge.kind == ChangeKind::kUpdate) set(edge, edge.before);
      negative_ += (edge.existed() && edge.before < 0) - (edge.exists() && edge.after < 0);
    }
    last_ = {};
  }

  /// Makes the batch before one that was taken back the last one again.
  void restore() { last_ = std::exchange(earlier_, {}); }

  /// Forgets the batch before the last one.
  void accept() { earlier_ = {}; }

 private:
  /// What a batch did.
  struct Log {
    std::vector<Edge> edges;
    std::vector<typename Rows::PlacedEdge> removed_out, removed_in;
    std::vector<V> inserted_out, inserted_in;  // the row of each inserted edge
  };

  /// Finds edges in rows. A row that is searched again is sorted.
  template <bool kByWeight>
  class RowIndex {
   public:
    explicit RowIndex(const Rows& rows) : rows_(rows) {}

    /// The places of u's edges to v, ascending; of those of one weight, with kByWeight. Valid until
    /// the next call.
    std::span<const std::int64_t> of(V u, V v, W weight = {}) {
      const auto row = rows_.row(u);
      const Key key = key_of({v, weight});
      const auto [at, first] = sorted_.try_emplace(u);
      std::vector<std::int64_t>& order = first ? scanned_ : at->second;
      if (first) {
        order.clear();
        for (std::int64_t k = 0; k < row.size(); ++k)
          if (key_of(row[k]) == key) order.push_back(k);
        return order;
      }
      if (order.empty()) {
        order.resize(static_cast<std::size_t>(row.size()));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, [&](std::int64_t k) { return std::pair(key_of(row[k]), k); });
      }
      const auto alike =
          std::ranges::equal_range(order, key, {}, [&](std::int64_t k) { return key_of(row[k]); });
      return {alike.begin(), alike.end()};
    }

   private:
    using Key = std::pair<V, W>;
    static Key key_of(const typename Rows::Edge& edge) {
      return {edge.end, kByWeight ? edge.weight : W{}};
    }

    const Rows& rows_;
    std::unordered_map<V, std::vector<std::int64_t>> sorted_;
    std::vector<std::int64_t> scanned_;
  };

  struct Places {
    explicit Places(const ChangingGraph& graph)
        : out(graph.out_), in(graph.in_), out_by_weight(graph.out_) {}
    RowIndex<false> out, in;
    RowIndex<true> out_by_weight;
  };

  /// Appends the edge of a change, and its reverse if the graph is undirected.
  std::optional<Refusal> find(const Change& change, std::int64_t at, Places& places, Log& log) {
    const auto [kind, u, v, position, weight] = change;
    if (kind == ChangeKind::kInsert) {
      log.edges.push_back({kind, u, v, 0, 0, W{}, weight, at});
      if (!directed_ && u != v) log.edges.push_back({kind, v, u, 0, 0, W{}, weight, at});
      return std::nullopt;
    }
    const auto parallel = places.out.of(u, v);
    const std::int64_t count = std::ssize(parallel);
    const std::int64_t rank = std::max<std::int64_t>(position, 0);
    if (rank >= count) return Refusal{Refusal::kNoEdge, at, count};
    if (position < 0 && count > 1) return Refusal{Refusal::kAmbiguous, at, count};
    const std::int64_t place = parallel[static_cast<std::size_t>(rank)];
    append({kind, u, v, rank, weight}, place, at, places, log);
    if (directed_ || u == v) return std::nullopt;
    // The reverse is the edge v -> u of the same weight with as many such edges in front of it.
    const W before = out_.row(u)[place].weight;
    const std::int64_t alike = rank_of(place, places.out_by_weight.of(u, v, before));
    const auto reverses = places.out_by_weight.of(v, u, before);
    if (alike >= std::ssize(reverses)) return Refusal{Refusal::kNoReverse, at, 0};
    const std::int64_t back = reverses[static_cast<std::size_t>(alike)];
    append({kind, v, u, rank_of(back, places.out.of(v, u)), weight}, back, at, places, log);
    return std::nullopt;
  }

  static std::int64_t rank_of(std::int64_t place, std::span<const std::int64_t> ascending) {
    return std::ranges::lower_bound(ascending, place) - ascending.begin();
  }

  /// Appends the edge at a place, the `change.position`-th one between its ends. Parallel edges
  /// have the same order in the row of the other end.
  void append(const Change& change, std::int64_t place, std::int64_t at, Places& places, Log& log) {
    const auto [kind, u, v, rank, weight] = change;
    const std::int64_t in_at = places.in.of(v, u)[static_cast<std::size_t>(rank)];
    const W before = out_.row(u)[place].weight;
    log.edges.push_back({kind, u, v, place, in_at, before, weight, at});
    if (kind != ChangeKind::kDelete) return;
    log.removed_out.push_back({u, place, {v, before}});
    log.removed_in.push_back({v, in_at, {u, before}});
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
    for (auto* const removed : {&last_.removed_out, &last_.removed_in})
      std::ranges::sort(*removed, {}, [](const auto& one) { return std::pair(one.row, one.at); });
    insert_edges();
    for (const Edge& edge : last_.edges) {
      if (edge.kind == ChangeKind::kUpdate) set(edge, edge.after);
      negative_ += (edge.exists() && edge.after < 0) - (edge.existed() && edge.before < 0);
    }
    out_.erase(last_.removed_out);
    in_.erase(last_.removed_in);
  }

  /// Sorts edges by one of their ends. Edges of equal ends stay in order.
  static void sort_by(std::vector<const Edge*>& edges, V Edge::* end) {
    std::vector<std::int64_t> keys;
    for (const Edge* const edge : edges) keys.push_back(edge->*end);
    std::vector<const Edge*> sorted;
    for (const std::size_t i : ascending_order(keys)) sorted.push_back(edges[i]);
    edges = std::move(sorted);
  }

  /// Inserts row by row: two rows that grow in turns would move each other.
  void insert_edges() {
    std::vector<const Edge*> inserted;
    for (const Edge& edge : last_.edges)
      if (edge.kind == ChangeKind::kInsert) inserted.push_back(&edge);
    last_.inserted_out.reserve(inserted.size());
    last_.inserted_in.reserve(inserted.size());
    sort_by(inserted, &Edge::u);
    for (const Edge* const edge : inserted) {
      out_.append(edge->u, {edge->v, edge->after});
      last_.inserted_out.push_back(edge->u);
    }
    sort_by(inserted, &Edge::v);
    for (const Edge* const edge : inserted) {
      in_.append(edge->v, {edge->u, edge->after});
      last_.inserted_in.push_back(edge->v);
    }
  }

  /// Removes inserted edges, which are the last ones of their rows.
  void take_back_insertions() {
    for (const V u : last_.inserted_out) out_.erase_last(u);
    for (const V v : last_.inserted_in) in_.erase_last(v);
  }

  Rows out_, in_;
  const bool directed_;
  std::int64_t negative_ = 0;
  Log last_;     // of the last batch
  Log earlier_;  // of the one before it, until it is accepted
};

}  // namespace warpath
