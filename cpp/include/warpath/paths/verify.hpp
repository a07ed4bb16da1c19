// verify.hpp - the certificate: are these labels, and this tree, the shortest ones?
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

/// The first rule found broken, and where. Positions are -1 where they say nothing.
struct Broken {
  const char* rule = nullptr;  // nullptr: all hold
  std::int64_t u = -1;         // the edge u -> v at position e of the rows
  std::int64_t v = -1;
  std::int64_t e = -1;
  std::int64_t vertex = -1;
  std::int64_t expected = -1;  // rule "pred": what pred[vertex] must be
};

/// Checks one source's distances without solving: O(n + m), a pass over the edges on all threads;
/// a search as well where a weight is negative, `slack` not 0, or a vertex reached over edges of
/// no length alone.
///
/// "source"   dist[source] == 0
/// "label"    no label is NaN or -inf, none lies beyond the cutoff
/// "edge"     no edge has dist[u] + w < dist[v]; an edge from a reached vertex to an unreached one
///            breaks this unless dist[u] + w lies beyond the cutoff (or, for floats, the type)
/// "reached"  a search from the source over tight edges (dist[u] + w == dist[v]) meets every vertex
///            with a label. A tight in-edge at every vertex would not do: a cycle of length zero
///            has one everywhere.
/// "pred"     pred is the one canonical tree: the smallest u of a tight edge with
///            dist[u] < dist[v]; else, and for all vertices when some weight is negative,
///            breadth-first over the tight edges
///
/// `slack` widens the comparisons of "edge" and "reached" for labels whose sums were associated
/// differently; pred asks for slack 0. Labels of any sign; integer sums are taken in 128 bits, and
/// so may labels be, of type D. Under negative weights labels are to be given without a cutoff: a
/// path to a vertex within it may lead through vertices beyond it.
/// Source: the rules of the Graph 500 validation, made to hold with zero and negative weights.
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
        pulse_(control, true),
        control_(control) {}

  Broken check(std::span<const V> pred, int threads = 1) {
    control_.expect(graph_.n());
    if (!near(Wide{0}, dist_[static_cast<std::size_t>(source_)]))
      return {.rule = "source", .vertex = source_};
    Broken broken = check_labels();
    if (broken.rule == nullptr) broken = check_edges(threads);
    // By length each vertex with a label hangs on a smaller one, or over edges of length 0 on one
    // that does: down to the source, so nothing is left for a search.
    const bool by_length = broken.rule == nullptr && !negative_ && slack_ == 0 && complete();
    if (broken.rule == nullptr && !by_length) broken = check_reached();
    if (broken.rule == nullptr && !pred.empty()) broken = check_tree(pred);
    return broken;
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

  /// visit(v, e) for the edges of u until it returns false; false then.
  template <class Visit>
  bool each_edge(V u, Pulse& pulse, Visit&& visit) {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    pulse.beat(end - begin + 1);
    for (std::int64_t e = begin; e < end; ++e)
      if (!visit(graph_.indices[static_cast<std::size_t>(e)], e)) return false;
    return true;
  }

  Broken check_labels() {
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v) {
      if (!reached(v)) continue;
      const D at = label(v);
      bool bad = cutoff_.has_value() && at > *cutoff_;
      if constexpr (std::is_floating_point_v<D>) bad = bad || !std::isfinite(at);
      if (bad) return {.rule = "label", .vertex = v};
    }
    return {};
  }

  bool breaks(Wide length, V v) const {
    if (reached(v)) return length < static_cast<Wide>(static_cast<Wide>(label(v)) - slack_);
    if (cutoff_.has_value() && length > static_cast<Wide>(*cutoff_)) return false;
    if constexpr (std::is_floating_point_v<D>) return length != unreachable<D>;
    return true;
  }

  /// Rule "edge"; and above_[v] becomes the smallest u of a tight edge with a smaller label.
  Broken check_edges(int threads) {
    above_.assign(dist_.size(), kNone);
    std::atomic<std::int64_t> next{0};  // the first vertex that nobody has taken
    std::atomic<bool> negative{false};
    std::atomic<bool> over{false};
    std::mutex guard;
    Broken first;
    run_team(threads, control_, [&](int rank) {
      Pulse pulse(control_, rank == 0);
      bool below_zero = false;
      // Whoever finds a broken edge ends it for the parts that nobody has: all before it were
      // taken.
      for (std::int64_t from;
           !over.load(std::memory_order_relaxed) && (from = next.fetch_add(kPart)) < graph_.n();) {
        const std::int64_t to = std::min(graph_.n(), from + kPart);
        const Broken broken = check_part(from, to, pulse, below_zero);
        control_.advance(to - from);
        if (broken.rule == nullptr) continue;
        over.store(true, std::memory_order_relaxed);
        const std::scoped_lock lock(guard);
        if (first.rule == nullptr || broken.e < first.e) first = broken;
      }
      if (below_zero) negative.store(true, std::memory_order_relaxed);
    });
    negative_ = negative.load(std::memory_order_relaxed);
    above_[static_cast<std::size_t>(source_)] = -1;
    return first;
  }

  Broken check_part(std::int64_t from, std::int64_t to, Pulse& pulse, bool& below_zero) {
    Broken broken;
    for (auto u = static_cast<V>(from); u < static_cast<V>(to); ++u) {
      const bool from_reached = reached(u);
      const bool holds = each_edge(u, pulse, [&](V v, std::int64_t e) {
        below_zero = below_zero || graph_.weights[static_cast<std::size_t>(e)] < 0;
        if (!from_reached) return true;
        const Wide length = sum(u, e);
        if (breaks(length, v)) {
          broken = {.rule = "edge", .u = u, .v = v, .e = e, .vertex = v};
          return false;
        }
        if (label(u) < label(v) && reached(v) && near(length, label(v))) hang(v, u);
        return true;
      });
      if (!holds) return broken;
    }
    return broken;
  }

  /// Makes u what v hangs on if it is smaller than what does.
  void hang(V v, V u) {
    const std::atomic_ref<V> from(above_[static_cast<std::size_t>(v)]);
    V found = from.load(std::memory_order_relaxed);
    while ((found == kNone || u < found) &&
           !from.compare_exchange_weak(found, u, std::memory_order_relaxed)) {
    }
  }

  /// Over edges of length 0, the only tight ones left, to what hangs on nothing; whether every
  /// vertex with a label hangs on something then.
  bool complete() {
    const auto whole = [&] {
      for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
        if (reached(v) && above_[static_cast<std::size_t>(v)] == kNone) return false;
      return true;
    };
    if (whole()) return true;
    std::vector<V> frontier;
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
      if (above_[static_cast<std::size_t>(v)] != kNone) frontier.push_back(v);
    spread(frontier);
    return whole();
  }

  /// Breadth-first from all of `frontier` over the tight edges, to vertices that above_ has nothing
  /// for (kNone). Gives each the smallest u of the level before.
  void spread(std::vector<V>& frontier) {
    std::vector<V> fresh;
    std::vector<bool> in_fresh(above_.size());
    while (!frontier.empty()) {
      for (const V u : frontier) {
        each_edge(u, pulse_, [&](V v, std::int64_t e) {
          auto& from = above_[static_cast<std::size_t>(v)];
          if (from != kNone && !(u < from && in_fresh[static_cast<std::size_t>(v)])) return true;
          if (!tight(u, v, e)) return true;
          if (from == kNone) {
            fresh.push_back(v);
            in_fresh[static_cast<std::size_t>(v)] = true;
          }
          from = u;
          return true;
        });
      }
      for (const V v : fresh) in_fresh[static_cast<std::size_t>(v)] = false;
      std::swap(frontier, fresh);
      fresh.clear();
    }
  }

  Broken check_reached() {
    above_.assign(dist_.size(), kNone);
    above_[static_cast<std::size_t>(source_)] = -1;
    std::vector<V> frontier{source_};
    spread(frontier);
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v)
      if (reached(v) && above_[static_cast<std::size_t>(v)] == kNone)
        return {.rule = "reached", .vertex = v};
    return {};
  }

  /// above_ is the tree: by length, or breadth-first where a weight is negative.
  Broken check_tree(std::span<const V> pred) const {
    for (std::size_t v = 0; v < pred.size(); ++v) {
      const V expected = above_[v] == kNone ? V{-1} : above_[v];
      if (pred[v] != expected)
        return {.rule = "pred", .vertex = static_cast<std::int64_t>(v), .expected = expected};
    }
    return {};
  }

  static constexpr std::int64_t kPart = 1 << 10;  // vertices that a thread takes at once
  static constexpr V kNone = -2;

  const CsrView<V, W>& graph_;
  const V source_;
  std::span<const D> dist_;
  const std::optional<D> cutoff_;
  const D slack_;
  Pulse pulse_;
  Control& control_;
  bool negative_ = false;
  std::vector<V> above_;
};

}  // namespace warpath
