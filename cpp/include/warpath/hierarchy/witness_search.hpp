// witness_search.hpp - searches around a vertex: for the shortcuts that removing it needs, and for
// its arcs that are longer than the shortest path between their ends.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/core_graph.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A shortcut from u to w in place of the way via a vertex.
template <Weight W>
struct Shortcut {
  std::int32_t u;
  std::int32_t w;
  std::int32_t hops;
  W weight;
};

/// How many shortcuts a vertex needs, and how many hops they stand for.
struct ShortcutCount {
  std::int64_t arcs = 0;
  std::int64_t hops = 0;
};

/// One thread's searches for paths that make a shortcut unnecessary ("witnesses").
///
/// From each predecessor u of a vertex v, a search that avoids v looks for paths to the successors
/// w of v that are no longer than u -> v -> w. It ends when it has found all, or after a number of
/// arcs: a shortcut too many does no harm. It only settles vertices from which the
/// lightest arc into a missing successor can still be short enough.
template <Weight W>
class WitnessSearch {
 public:
  WitnessSearch(const CoreGraph<W>& core, Poller poller)
      : core_(core), poller_(poller), marks_(core.n(), Mark{}) {}

  /// Calls add(shortcut) for each shortcut that contracting v needs; with a symmetric graph, for
  /// one of both directions.
  ///
  /// `avoid_gone`: whether paths through vertices that are contracted in the same round count as
  /// missing. They must when v is contracted: two such vertices could be each other's witnesses.
  /// Raises std::overflow_error if the length of a shortcut does not fit W.
  template <class Add>
  void shortcuts(std::int32_t v, std::int64_t limit, bool avoid_gone, const Add& add) {
    for (const CoreArc<W>& into : core_.in(v)) {
      start(v, into);
      if (missing_ == 0) continue;
      search(v, limit, avoid_gone);
      if (missing_ == 0) continue;
      for (const CoreArc<W>& out : core_.out(v)) {
        if (!is_missing(out.head)) continue;
        const std::int64_t hops = std::int64_t{into.hops} + out.hops;
        add(Shortcut<W>{into.head, out.head, static_cast<std::int32_t>(std::min(hops, kMostHops)),
                        need(out.head)});
      }
    }
  }

  /// Calls remove(w) for each arc from u to w for which a strictly shorter path is found; with a
  /// symmetric graph, for one of both directions.
  template <class Remove>
  void longer_arcs(std::int32_t u, std::int64_t limit, const Remove& remove) {
    next_search();
    for (const CoreArc<W>& out : core_.out(u)) {
      if (core_.symmetric() && out.head < u) continue;
      if (out.weight > W{}) want(out.head, below(out.weight));
    }
    if (missing_ == 0) return;
    start_at(u, u);
    search(u, limit, false);
    for (const CoreArc<W>& out : core_.out(u))
      if (is_found(out.head)) remove(out.head);
  }

  /// Counts both directions of a symmetric graph.
  ShortcutCount count(std::int32_t v, std::int64_t limit) {
    ShortcutCount found;
    shortcuts(v, limit, false, [&](const Shortcut<W>& shortcut) {
      found.arcs += 1;
      found.hops += shortcut.hops;
    });
    if (core_.symmetric()) found.arcs *= 2, found.hops *= 2;
    return found;
  }

 private:
  static constexpr std::int64_t kMostHops = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t kScannedWhole = 128;  // arcs of a list that no limit cuts
  static constexpr std::uint32_t kLastSearch = std::numeric_limits<std::uint32_t>::max() - 1;

  struct Mark {
    W dist{};  // valid if `reached` is the current search
    W need{};  // valid if `wanted` is the current search
    std::uint32_t reached = 0;
    std::uint32_t wanted = 0;
  };

  Mark& mark(std::int32_t v) { return marks_[static_cast<std::size_t>(v)]; }
  bool is_missing(std::int32_t w) { return mark(w).wanted == search_; }
  bool is_found(std::int32_t w) { return mark(w).wanted == search_ - 1; }
  W need(std::int32_t w) { return mark(w).need; }

  static W sum(W a, W b) {
    W total;
    if (!add_checked<W, W, std::int32_t>(a, b, total))
      throw std::overflow_error("a shortcut is too long for its type");
    return total;
  }

  /// The largest length that is shorter than a positive one.
  static W below(W length) {
    if constexpr (std::is_floating_point_v<W>)
      return std::nextafter(length, W{});
    else
      return static_cast<W>(length - 1);
  }

  void next_search() {
    missing_ = 0;
    if (search_ < kLastSearch) {
      search_ += 2;
      return;
    }
    std::fill_n(marks_.data(), marks_.size(), Mark{});  // old marks would be taken for current ones
    search_ = 2;
  }

  /// Marks a vertex that the search has to reach by a path of at most `length`.
  void want(std::int32_t w, W length) {
    mark(w).need = length;
    mark(w).wanted = search_;
    ++missing_;
  }

  /// Marks the successors of v that a search from the tail of `into` has to find.
  void start(std::int32_t v, const CoreArc<W>& into) {
    next_search();
    const std::int32_t u = into.head;
    for (const CoreArc<W>& out : core_.out(v)) {
      // Of a symmetric pair, one direction is searched.
      if (out.head == u || (core_.symmetric() && out.head < u)) continue;
      const W length = sum(into.weight, out.weight);
      if (length == unreachable<W>) continue;  // of floats: no path is that long
      want(out.head, length);
    }
    if (missing_ > 0) start_at(u, v);
  }

  /// Queues u; the search avoids v.
  void start_at(std::int32_t u, std::int32_t v) {
    update_limits(v);
    queue_.drain([](const auto&) {});
    for (const std::int32_t x : {u, v}) mark(x).dist = W{}, mark(x).reached = search_;
    queue_.push(W{}, u);
  }

  /// `longest_` limits the labels, `reach_` those from which an arc to a missing successor fits.
  void update_limits(std::int32_t v) {
    longest_ = reach_ = W{-1};
    for (const CoreArc<W>& out : core_.out(v)) {
      if (!is_missing(out.head)) continue;
      longest_ = std::max(longest_, need(out.head));
      for (const CoreArc<W>& into : core_.in(out.head)) {
        if (into.head == v) continue;
        reach_ = std::max(reach_, static_cast<W>(need(out.head) - into.weight));
        break;  // the lightest one
      }
    }
  }

  void search(std::int32_t v, std::int64_t limit, bool avoid_gone) {
    QueueEntry<W, std::int32_t> top;
    const auto any = [](const auto&) { return true; };
    while (missing_ > 0 && queue_.pop(top, any)) {
      if (top.key != mark(top.vertex).dist) continue;
      if (top.key > reach_ || limit <= 0) return;
      const std::int64_t before = missing_;
      const auto& arcs = core_.out(top.vertex);
      poller_.step(static_cast<std::int64_t>(arcs.size()));
      const auto scanned = std::min<std::int64_t>(limit + kScannedWhole, std::ssize(arcs));
      for (const CoreArc<W>& arc : std::span(arcs).first(static_cast<std::size_t>(scanned))) {
        if (arc.weight > longest_ - top.key) break;
        --limit;
        const W dist = static_cast<W>(top.key + arc.weight);
        Mark& at = mark(arc.head);
        if (at.reached == search_ && at.dist <= dist) continue;
        if (avoid_gone && core_.gone(arc.head)) continue;
        if (at.wanted == search_ && dist <= at.need) {
          at.wanted = search_ - 1;  // found
          --missing_;
        }
        at.reached = search_;
        at.dist = dist;
        if (dist <= reach_) queue_.push(dist, arc.head);
      }
      if (missing_ < before && missing_ > 0) update_limits(v);
    }
  }

  const CoreGraph<W>& core_;
  Poller poller_;
  PageArray<Mark> marks_;
  QuaternaryHeap<W, std::int32_t> queue_;
  // Even, so that what one search has found is not what the search before it misses.
  std::uint32_t search_ = 0;
  std::int64_t missing_ = 0;
  W longest_{};
  W reach_{};
};

}  // namespace warpath
