// verify.hpp - the certificate: checks distances and a tree without solving.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The first violated rule, and where. Positions are -1 where they do not apply.
struct Violation {
  const char* rule = nullptr;  // nullptr: no violation
  std::int64_t u = -1;         // the edge u -> v at position e of the rows
  std::int64_t v = -1;
  std::int64_t e = -1;
  std::int64_t vertex = -1;
  std::int64_t expected = -1;  // rule "pred": the correct pred[vertex]
};

/// Checks one source's distances without solving: O(n + m), a pass over the edges on all threads. A
/// search is needed as well if a weight is negative, `slack` is not 0, or a vertex is reached only
/// over edges of length 0. The rules:
///
/// "source"   dist[source] == 0
/// "label"    no label is NaN or -inf, none is beyond the cutoff
/// "edge"     no edge has dist[u] + w < dist[v]; an edge from a reached vertex to an unreached one
///            violates this unless dist[u] + w is beyond the cutoff (or, for floats, the type)
/// "reached"  a search from the source over tight edges (dist[u] + w == dist[v]) meets every vertex
///            with a label. A tight in-edge at every vertex would not suffice: every vertex of a
///            cycle of length zero has one.
/// "pred"     pred is the canonical tree: the smallest u of a tight edge with
///            dist[u] < dist[v]; otherwise, and for all vertices if some weight is negative,
///            breadth-first over the tight edges
///
/// `slack` widens the comparisons of "edge" and "reached" for labels whose sums were associated
/// differently; pred requires slack 0. Labels may have any sign. Integer sums are taken in 128
/// bits, and labels of type D may have 128 bits. With negative weights the labels must be given
/// without a cutoff: a path to a vertex within it may lead through vertices beyond it. Source: the
/// rules of the Graph 500 validation, extended to zero and negative weights.
template <Index V, Weight W, class D = DistanceOf<W>>
class Certificate {
 public:
  Certificate(const CsrView<V, W>& graph, V source, std::span<const D> dist,
              std::optional<D> cutoff, D slack, Control& control)
      : graph_(graph),
        source_(source),
        dist_(dist),
        cutoff_(cutoff),
        slack_(slack),
        poller_(control, true),
        control_(control) {}

  Violation check(std::span<const V> pred, int threads = 1) {
    control_.expect(graph_.n());
    if (!near(Wide{0}, dist_[static_cast<std::size_t>(source_)]))
      return {.rule = "source", .vertex = source_};
    Violation violation = check_labels();
    if (violation.rule == nullptr) violation = check_edges(threads);
    // By length, each vertex with a label has a predecessor with a smaller label, or edges of
    // length 0 lead to it from such a vertex, down to the source: no search is necessary.
    const bool by_length = violation.rule == nullptr && !negative_ && slack_ == 0 && complete();
    if (violation.rule == nullptr && !by_length) violation = check_reached();
    if (violation.rule == nullptr && !pred.empty()) violation = check_tree(pred);
    return violation;
  }

 private:
  __extension__ using Int128 = __int128;
  using Wide = std::conditional_t<std::is_integral_v<D>, Int128, D>;

  D label(V v) const { return dist_[static_cast<std::size_t>(v)]; }
  bool reached(V v) const { return label(v) != unreachable<D>; }

  Wide sum(V u, std::int64_t e) const {
    return static_cast<Wide>(static_cast<Wide>(label(u)) +
                             static_cast<Wide>(graph_.weights[static_cast<std::size_t>(e)]));
  }

  bool near(Wide length, D label) const {
    return length <= static_cast<Wide>(static_cast<Wide>(label) + slack_) &&
           length >= static_cast<Wide>(static_cast<Wide>(label) - slack_);
  }

  bool tight(V u, V v, std::int64_t e) const { return reached(v) && near(sum(u, e), label(v)); }

  /// Calls visit(v, e) for the edges of u until it returns false; returns false then.
  template <class Visit>
  bool each_edge(V u, Poller& poller, Visit&& visit) {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    poller.step(end - begin + 1);
    for (std::int64_t e = begin; e < end; ++e)
      if (!visit(graph_.indices[static_cast<std::size_t>(e)], e)) return false;
    return true;
  }

  Violation check_labels() {
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v) {
      if (!reached(v)) continue;
      const D at = label(v);
      bool bad = cutoff_.has_value() && at > *cutoff_;
      if constexpr (std::is_floating_point_v<D>) bad = bad || !std::isfinite(at);
      if (bad) return {.rule = "label", .vertex = v};
    }
    return {};
  }

  bool violates(Wide length, V v) const {
    if (reached(v)) return length < static_cast<Wide>(static_cast<Wide>(label(v)) - slack_);
    if (cutoff_.has_value() && length > static_cast<Wide>(*cutoff_)) return false;
    if constexpr (std::is_floating_point_v<D>) return length != unreachable<D>;
    return true;
  }

  /// Checks rule "edge", and sets above_[v] to the smallest u of a tight edge with a smaller label.
  Violation check_edges(int threads) {
    above_.assign(dist_.size(), kNone);
    std::atomic<std::int64_t> next{0};  // the first vertex not claimed
    std::atomic<bool> negative{false};
    std::atomic<bool> over{false};
    std::mutex guard;
    Violation first;
    run_team(threads, control_, [&](int rank) {
      Poller poller(control_, rank == 0);
      bool below_zero = false;
      // A thread that finds a violation stops the loop; all parts before it are claimed already.
      for (std::int64_t from;
           !over.load(std::memory_order_relaxed) && (from = next.fetch_add(kPart)) < graph_.n();) {
        const std::int64_t to = std::min(graph_.n(), from + kPart);
        const Violation violation = check_part(from, to, poller, below_zero);
        control_.advance(to - from);
        if (violation.rule == nullptr) continue;
        over.store(true, std::memory_order_relaxed);
        const std::scoped_lock lock(guard);
        if (first.rule == nullptr || violation.e < first.e) first = violation;
      }
      if (below_zero) negative.store(true, std::memory_order_relaxed);
    });
    negative_ = negative.load(std::memory_order_relaxed);
    above_[static_cast<std::size_t>(source_)] = -1;
    return first;
  }

  [[gnu::noinline]] Violation check_part(std::int64_t from, std::int64_t to, Poller& poller,
                                         bool& below_zero) {
    Violation violation;
    for (auto u = static_cast<V>(from); u < static_cast<V>(to); ++u) {
      const bool from_reached = reached(u);
      const bool holds = each_edge(u, poller, [&](V v, std::int64_t e) {
        below_zero = below_zero || graph_.weights[static_cast<std::size_t>(e)] < 0;
        if (!from_reached) return true;
        const Wide length = sum(u, e);
        if (violates(length, v)) {
          violation = {.rule = "edge", .u = u, .v = v, .e = e, .vertex = v};
          return false;
        }
        if (label(u) < label(v) && reached(v) && near(length, label(v))) set_smaller_parent(v, u);
        return true;
      });
      if (!holds) return violation;
    }
    return violation;
  }

  /// Sets v's predecessor above_[v] to u if u is smaller.
  void set_smaller_parent(V v, V u) {
    const atomic_ref<V> from(above_[static_cast<std::size_t>(v)]);
    V found = from.load(std::memory_order_relaxed);
    while ((found == kNone || u < found) &&
           !from.compare_exchange_weak(found, u, std::memory_order_relaxed)) {
    }
  }

  /// Extends above_ over tight edges of length 0, the only ones left, to vertices without a
  /// predecessor. Returns whether every vertex with a label then has one.
  bool complete() {
    const auto all_have_parents = [&] {
      for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
        if (reached(v) && above_[static_cast<std::size_t>(v)] == kNone) return false;
      return true;
    };
    if (all_have_parents()) return true;
    std::vector<V> frontier;
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
      if (above_[static_cast<std::size_t>(v)] != kNone) frontier.push_back(v);
    search_tight_edges(frontier);
    return all_have_parents();
  }

  /// Searches breadth-first from all of `frontier` over tight edges, to vertices without a
  /// predecessor (kNone). Each gets the smallest u of the previous level.
  void search_tight_edges(std::vector<V>& frontier) {
    std::vector<V> next;
    std::vector<bool> in_next(above_.size());
    while (!frontier.empty()) {
      for (const V u : frontier) {
        each_edge(u, poller_, [&](V v, std::int64_t e) {
          auto& from = above_[static_cast<std::size_t>(v)];
          if (from != kNone && !(u < from && in_next[static_cast<std::size_t>(v)])) return true;
          if (!tight(u, v, e)) return true;
          if (from == kNone) {
            next.push_back(v);
            in_next[static_cast<std::size_t>(v)] = true;
          }
          from = u;
          return true;
        });
      }
      for (const V v : next) in_next[static_cast<std::size_t>(v)] = false;
      std::swap(frontier, next);
      next.clear();
    }
  }

  Violation check_reached() {
    above_.assign(dist_.size(), kNone);
    above_[static_cast<std::size_t>(source_)] = -1;
    std::vector<V> frontier{source_};
    search_tight_edges(frontier);
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
      if (reached(v) && above_[static_cast<std::size_t>(v)] == kNone)
        return {.rule = "reached", .vertex = v};
    return {};
  }

  /// Compares pred with above_, the tree: by length, or breadth-first if a weight is negative.
  Violation check_tree(std::span<const V> pred) const {
    for (std::size_t v = 0; v < pred.size(); ++v) {
      const V expected = above_[v] == kNone ? V{-1} : above_[v];
      if (pred[v] != expected)
        return {.rule = "pred", .vertex = static_cast<std::int64_t>(v), .expected = expected};
    }
    return {};
  }

  static constexpr std::int64_t kPart = 1 << 10;  // claimed by a thread at a time
  static constexpr V kNone = -2;

  const CsrView<V, W>& graph_;
  const V source_;
  std::span<const D> dist_;
  const std::optional<D> cutoff_;
  const D slack_;
  Poller poller_;
  Control& control_;
  bool negative_ = false;
  std::vector<V> above_;
};

}  // namespace warpath
