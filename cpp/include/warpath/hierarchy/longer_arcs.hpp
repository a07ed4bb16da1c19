// longer_arcs.hpp - removes arcs that are longer than the shortest path between their ends.
//
// Contraction adds a shortcut unless a limited search finds a path that is as short. Where the rest
// of the graph is dense, the limits leave many shortcuts that no shortest path takes: 163,506 of
// the 204,067 arcs between the 1,000 most important vertices of a road with 1,000,000 vertices.
// Between those vertices distances are cheap to compute, from all arcs among the more important
// ones.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/witness_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Removes such arcs between the most important vertices, as far as their lists are long.
///
/// Work: for each of these vertices one pass over the arcs among the more important ones.
template <Weight W>
class LongerArcs {
 public:
  using L = HierarchyLabel<W>;

  /// `vertices` has the vertex at each position, `position` the position of each vertex. The lists
  /// of `core` are those of the contracted vertices, with the arcs to more important ones. Lists
  /// are long if they have `long_list` arcs in the mean.
  LongerArcs(CoreGraph<W>& core, std::span<const std::int32_t> vertices,
             std::span<const Position> position, std::int64_t long_list)
      : core_(core),
        vertices_(vertices.first(dense(core, vertices, long_list))),
        position_(position),
        out_(rows([&](std::int32_t v) -> const List& { return core.out(v); })),
        in_(rows([&](std::int32_t v) -> const List& { return core.in(v); })) {}

  void remove(int threads, Control& control) {
    if (vertices_.empty()) return;
    std::atomic<std::size_t> next{0};
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      std::vector<L> labels(vertices_.size());
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < vertices_.size();) {
        const std::size_t x = vertices_.size() - 1 - i;  // the largest passes first
        shorten(core_.out(vertices_[x]), x, out_, in_, labels, poller);
        if (!core_.symmetric()) shorten(core_.in(vertices_[x]), x, in_, out_, labels, poller);
      }
    });
  }

 private:
  using List = typename CoreGraph<W>::List;
  static constexpr std::size_t kBlock = 256;  // positions whose lists are judged together
  static constexpr std::size_t kMost = 4096;  // positions

  /// The number of positions up to the first block with short lists.
  static std::size_t dense(const CoreGraph<W>& core, std::span<const std::int32_t> vertices,
                           std::int64_t long_list) {
    const std::size_t most = std::min(kMost, vertices.size());
    std::size_t end = 0;
    while (end < most) {
      const auto block = vertices.subspan(end, std::min(kBlock, most - end));
      std::size_t arcs = 0;
      for (const std::int32_t v : block) arcs += core.out(v).size() + core.in(v).size();
      if (arcs < 2 * static_cast<std::size_t>(long_list) * block.size()) break;
      end += block.size();
    }
    return end;
  }

  template <class ListOf>
  HierarchyRows<W> rows(const ListOf& list_of) const {
    HierarchyRows<W> made(vertices_.size(),
                          [&](std::size_t x) { return list_of(vertices_[x]).size(); });
    for (std::size_t x = 0; x < vertices_.size(); ++x) {
      HierarchyArc<W>* next = made.begin(x);
      for (const CoreArc<W>& arc : list_of(vertices_[x]))
        *next++ = {position_[static_cast<std::size_t>(arc.head)], arc.weight};
    }
    return made;
  }

  /// Removes the arcs of position x that are too long, by distances along `on`, against `back`.
  void shorten(List& list, std::size_t x, const HierarchyRows<W>& on, const HierarchyRows<W>& back,
               std::vector<L>& labels, Poller& poller) const {
    std::fill_n(labels.begin(), x, kNoLabel<W>);
    labels[x] = L{};
    std::int64_t arcs = 0;
    for (std::size_t y = x + 1; y-- > 0;) {
      if (labels[y] == kNoLabel<W>) continue;
      for (const HierarchyArc<W>& arc : on.row(static_cast<Position>(y))) {
        L& label = labels[static_cast<std::size_t>(arc.head)];
        label = std::min(label, static_cast<L>(labels[y] + static_cast<L>(arc.weight)));
        ++arcs;
      }
    }
    for (std::size_t y = 0; y < x; ++y) {
      for (const HierarchyArc<W>& arc : back.row(static_cast<Position>(y))) {
        const L label = labels[static_cast<std::size_t>(arc.head)];
        labels[y] = std::min(labels[y], static_cast<L>(label + static_cast<L>(arc.weight)));
        ++arcs;
      }
    }
    poller.step(arcs);
    std::erase_if(list, [&](const CoreArc<W>& arc) {
      const Position head = position_[static_cast<std::size_t>(arc.head)];
      return labels[static_cast<std::size_t>(head)] < static_cast<L>(arc.weight);
    });
  }

  CoreGraph<W>& core_;
  const std::span<const std::int32_t> vertices_;
  const std::span<const Position> position_;
  const HierarchyRows<W> out_;
  const HierarchyRows<W> in_;
};

}  // namespace warpath
