// core_graph.hpp - the graph that is being contracted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"

namespace warpath {

/// An edge or shortcut of the graph that is being contracted, in the list of one of its ends.
template <Weight W>
struct CoreArc {
  std::int32_t head;  // the other end
  std::int32_t hops;  // the edges of the graph that it stands for, an estimate beyond 2^31
  W weight;

  bool operator==(const CoreArc&) const = default;
};

/// The vertices that remain, with the lists of arcs between them in ascending order of weight.
///
/// If the graph has each edge in both directions, one list serves both.
template <Weight W>
class CoreGraph {
 public:
  using List = std::vector<CoreArc<W>>;

  CoreGraph(std::size_t n, bool symmetric)
      : symmetric_(symmetric), out_(n), in_(symmetric ? 0 : n), gone_(n, 0) {}

  /// The lightest of each vertex's edges to each other vertex.
  template <Index V>
  static CoreGraph of(const CsrView<V, W>& graph) {
    const auto n = static_cast<std::size_t>(graph.n());
    CoreGraph both(n, false);
    for (std::size_t u = 0; u < n; ++u) {
      const auto row = static_cast<std::size_t>(graph.indptr[u]);
      const auto end = static_cast<std::size_t>(graph.indptr[u + 1]);
      List& list = both.out(static_cast<std::int32_t>(u));
      for (std::size_t e = row; e < end; ++e)
        if (static_cast<std::size_t>(graph.indices[e]) != u)
          list.push_back({static_cast<std::int32_t>(graph.indices[e]), 1, graph.weights[e]});
      keep_lightest(list);
      list.shrink_to_fit();
    }
    for (std::size_t u = 0; u < n; ++u)
      for (const CoreArc<W>& arc : both.out(static_cast<std::int32_t>(u)))
        both.in(arc.head).push_back({static_cast<std::int32_t>(u), 1, arc.weight});
    bool symmetric = true;
    for (std::size_t v = 0; v < n; ++v) {
      List& into = both.in(static_cast<std::int32_t>(v));
      std::sort(into.begin(), into.end(), before);
      symmetric = symmetric && into == both.out(static_cast<std::int32_t>(v));
    }
    if (!symmetric) return both;
    CoreGraph one(n, true);
    for (std::size_t v = 0; v < n; ++v)
      one.out(static_cast<std::int32_t>(v)) = std::move(both.out(static_cast<std::int32_t>(v)));
    return one;
  }

  bool symmetric() const { return symmetric_; }
  std::size_t n() const { return out_.size(); }
  List& out(std::int32_t v) { return out_[static_cast<std::size_t>(v)]; }
  const List& out(std::int32_t v) const { return out_[static_cast<std::size_t>(v)]; }
  List& in(std::int32_t v) { return symmetric_ ? out(v) : in_[static_cast<std::size_t>(v)]; }
  const List& in(std::int32_t v) const {
    return symmetric_ ? out(v) : in_[static_cast<std::size_t>(v)];
  }

  /// Whether a vertex is contracted in this round or was contracted before.
  bool gone(std::int32_t v) const { return gone_[static_cast<std::size_t>(v)] != 0; }
  void remove(std::int32_t v) { gone_[static_cast<std::size_t>(v)] = 1; }

  /// Puts an arc into a list that has at most one arc to each head: the lighter one stays. The
  /// result does not depend on the order of such calls.
  static void put(List& list, const CoreArc<W>& arc) {
    std::size_t at = 0;
    while (at < list.size() && list[at].head != arc.head) ++at;
    if (at == list.size()) {
      list.push_back(arc);
    } else if (!before(arc, list[at])) {
      return;
    }
    for (; at > 0 && before(arc, list[at - 1]); --at) list[at] = list[at - 1];
    list[at] = arc;
  }

  /// Restores a list to which arcs were appended in any order. The result is that of `put` for
  /// each.
  static void keep_lightest(List& list) {
    std::sort(list.begin(), list.end(), [](const CoreArc<W>& a, const CoreArc<W>& b) {
      return a.head != b.head ? a.head < b.head : before(a, b);
    });
    const auto same = [](const CoreArc<W>& a, const CoreArc<W>& b) { return a.head == b.head; };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    std::sort(list.begin(), list.end(), before);
  }

  /// Removes the arcs between a vertex and vertices that are gone.
  void erase_gone(std::int32_t v) {
    const auto to_gone = [&](const CoreArc<W>& arc) { return gone(arc.head); };
    std::erase_if(out(v), to_gone);
    if (!symmetric_) std::erase_if(in(v), to_gone);
  }

  static void erase(List& list, std::int32_t head) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& arc) { return arc.head == head; });
    if (found != list.end()) list.erase(found);
  }

  static bool before(const CoreArc<W>& a, const CoreArc<W>& b) {
    if (a.weight != b.weight) return a.weight < b.weight;
    return a.head != b.head ? a.head < b.head : a.hops < b.hops;
  }

 private:
  const bool symmetric_;
  std::vector<List> out_;
  std::vector<List> in_;
  std::vector<char> gone_;
};

}  // namespace warpath
