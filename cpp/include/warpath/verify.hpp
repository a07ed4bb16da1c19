// verify.hpp - the certificate: are these labels, and this tree, the shortest ones?
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/types.hpp"

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

/// Checks one source's distances without solving: O(n + m), one or two passes over the edges and a
/// search.
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
/// differently; pred asks for slack 0. Labels of any sign; integer sums are taken in 128 bits.
/// Source: the rules of the Graph 500 validation, made to hold with zero and negative weights.
template <Index V, Weight W>
class Certificate {
 public:
  using D = DistanceOf<W>;

  Certificate(const CsrView<V, W>& graph, V source, std::span<const D> dist,
              std::optional<D> cutoff, D slack, Control& control)
      : graph_(graph),
        source_(source),
        dist_(dist),
        cutoff_(cutoff),
        slack_(slack),
        pulse_(control, true),
        control_(control) {}

  Broken check(std::span<const V> pred) {
    control_.expect(graph_.n() * (pred.empty() ? 2 : 4));
    if (!near(Wide{0}, dist_[static_cast<std::size_t>(source_)]))
      return {.rule = "source", .vertex = source_};
    Broken broken = check_labels();
    if (broken.rule == nullptr) broken = check_edges();
    if (broken.rule == nullptr) broken = check_reached();
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
  bool each_edge(V u, Visit&& visit) {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    pulse_.beat(end - begin + 1);
    control_.advance(1);
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

  Broken check_edges() {
    Broken broken;
    for (V u = 0; u < static_cast<V>(graph_.n()); ++u) {
      const bool from_reached = reached(u);
      const bool holds = each_edge(u, [&](V v, std::int64_t e) {
        negative_ = negative_ || graph_.weights[static_cast<std::size_t>(e)] < 0;
        if (!from_reached || !breaks(sum(u, e), v)) return true;
        broken = {.rule = "edge", .u = u, .v = v, .e = e, .vertex = v};
        return false;
      });
      if (!holds) return broken;
    }
    return broken;
  }

  /// Breadth-first from all of `frontier` over the tight edges, to vertices that above_ has nothing
  /// for (kNone). Gives each the smallest u of the level before.
  void spread(std::vector<V>& frontier) {
    std::vector<V> fresh;
    std::vector<bool> in_fresh(above_.size());
    while (!frontier.empty()) {
      for (const V u : frontier) {
        each_edge(u, [&](V v, std::int64_t e) {
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

  Broken check_tree(std::span<const V> pred) {
    if (!negative_) plant_by_length();
    for (std::size_t v = 0; v < pred.size(); ++v) {
      const V expected = above_[v] == kNone ? V{-1} : above_[v];
      if (pred[v] != expected)
        return {.rule = "pred", .vertex = static_cast<std::int64_t>(v), .expected = expected};
    }
    return {};
  }

  /// The tree for weights >= 0 in above_.
  void plant_by_length() {
    above_.assign(dist_.size(), kNone);
    above_[static_cast<std::size_t>(source_)] = -1;
    std::vector<V> frontier;
    for (V u = 0; u < static_cast<V>(graph_.n()); ++u) {
      if (!reached(u)) continue;
      each_edge(u, [&](V v, std::int64_t e) {
        auto& from = above_[static_cast<std::size_t>(v)];
        if (from == kNone && label(u) < label(v) && tight(u, v, e))
          from = u;  // u ascends: the first is the smallest
        return true;
      });
    }
    bool complete = true;
    for (V v = 0; v < static_cast<V>(graph_.n()); ++v) {
      if (!reached(v)) continue;
      if (above_[static_cast<std::size_t>(v)] != kNone)
        frontier.push_back(v);
      else
        complete = false;
    }
    if (!complete) spread(frontier);  // over edges of length 0: no other tight edge is left
  }

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
