// hub_labels.hpp - distances between each vertex and its hubs, which meet on every shortest path.
//
// The hubs of a vertex are those vertices more important than it, and itself, for which no shortest
// path between the two passes a vertex that is more important still. The most important vertex of
// all shortest paths of a pair is a hub of both its ends, so the distance is the least sum of two
// entries of the same hub.
//
// Labels are computed from the most important positions of a hierarchy down. The candidates of a
// position are the hubs of the heads of its arcs. A candidate is left out where a more important
// one leads to it by a path that is as short. Positions of one level, whose heads lie in earlier
// levels, are labelled side by side by threads; the entries do not depend on their number.
//
// Work     for each candidate, the entries of its label: 3 s for New York's roads on one thread. A
//          pair merges two lists of some 90 entries.
// Memory   an entry for each vertex and hub, twice where the two directions differ.
// Source   Abraham, Delling, Goldberg, Werneck, "Hierarchical hub labelings for shortest paths",
//          2012, by label pruning from the top down.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/in_blocks.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The labels of one direction: those of vertex v are the entries first[v] to first[v + 1] - 1, in
/// the order of their hubs.
template <class L>
struct HubEntries {
  std::span<const std::int64_t> first;
  std::span<const Position> hubs;
  std::span<const L> distances;
};

/// The labels of all vertices, which any number of threads may read.
template <Weight W>
class HubLabels {
 public:
  using D = DistanceOf<W>;
  using L = HierarchyLabel<W>;
  using Entries = HubEntries<L>;

  /// Computes the labels of a hierarchy. Raises std::length_error if they take more than
  /// `most_bytes`.
  HubLabels(const Hierarchy<W>& hierarchy, std::size_t most_bytes, int threads, Control& control) {
    Builder builder(hierarchy, most_bytes, threads, control);
    builder.run();
    auto up = std::make_shared<Arrays>(hierarchy, builder.up, threads, control);
    auto down = hierarchy.symmetric()
                    ? up
                    : std::make_shared<Arrays>(hierarchy, builder.down, threads, control);
    up_ = up->entries();
    down_ = down->entries();
    memory_ = std::make_shared<std::pair<decltype(up), decltype(down)>>(up, down);
  }

  /// Labels that were computed before, which `memory` owns. Raises std::invalid_argument if rows do
  /// not begin one after another.
  HubLabels(Entries up, Entries down, std::shared_ptr<const void> memory)
      : up_(up), down_(down), memory_(std::move(memory)) {
    for (const Entries& each : {up, down}) {
      const auto size = static_cast<std::int64_t>(each.hubs.size());
      if (each.first.empty() || each.first.front() != 0 || each.first.back() != size ||
          !std::ranges::is_sorted(each.first) || each.distances.size() != each.hubs.size() ||
          each.first.size() != up.first.size())
        throw std::invalid_argument("the rows of labels do not begin one after another");
    }
  }

  std::size_t n() const { return up_.first.size() - 1; }
  bool symmetric() const { return up_.hubs.data() == down_.hubs.data(); }
  const Entries& up() const { return up_; }
  const Entries& down() const { return down_; }
  const std::shared_ptr<const void>& memory() const { return memory_; }
  std::size_t nbytes() const {
    const auto of = [](const Entries& each) {
      return each.first.size_bytes() + each.hubs.size_bytes() + each.distances.size_bytes();
    };
    return symmetric() ? of(up_) : of(up_) + of(down_);
  }

  /// The labels of the graph with every edge reversed.
  HubLabels reversed() const { return {down_, up_, memory_}; }

  /// out[i] becomes the distance from sources[i] to targets[i]. Returns the number of entries read.
  std::int64_t pairs(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets,
                     std::span<D> out, int threads, Control& control) const {
    return in_blocks(sources.size(), kChunk, threads, control,
                     [&](std::size_t begin, std::size_t end) {
                       std::int64_t read = 0;
                       for (std::size_t i = begin; i < end; ++i) {
                         if (i + kAhead < end) {
                           fetch(up_, sources[i + kAhead]);
                           fetch(down_, targets[i + kAhead]);
                         }
                         const Label from = label(up_, sources[i]), to = label(down_, targets[i]);
                         read += static_cast<std::int64_t>(from.size + to.size);
                         out[i] = distance_of<D, W>(least_sum(from, to));
                       }
                       return read;
                     });
  }

 private:
  static constexpr std::size_t kAhead = 2;     // pairs whose labels are fetched together
  static constexpr std::size_t kChunk = 4096;  // pairs that a thread takes at once
  static constexpr std::size_t kLines = 6;     // cache lines of a label that are fetched

  struct Label {
    const Position* hubs;
    const L* distances;
    std::size_t size;
  };

  static Label label(const Entries& of, std::int64_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    const auto first = static_cast<std::size_t>(of.first[v]);
    return {of.hubs.data() + first, of.distances.data() + first,
            static_cast<std::size_t>(of.first[v + 1]) - first};
  }

  static void fetch(const Entries& of, std::int64_t vertex) {
    const Label found = label(of, vertex);
    for (std::size_t i = 0; i < std::min(found.size, kLines * 16); i += 16) {
      __builtin_prefetch(found.hubs + i);
      __builtin_prefetch(found.distances + i);
    }
  }

  /// Merges two labels without branches that depend on their hubs, which no processor predicts.
  static L least_sum(const Label& from, const Label& to) {
    L least = kNoLabel<W>;
    std::size_t i = 0, j = 0;
    while (i < from.size && j < to.size) {
      const Position a = from.hubs[i], b = to.hubs[j];
      const auto sum = static_cast<L>(from.distances[i] + to.distances[j]);
      const L met = a == b ? sum : kNoLabel<W>;
      least = met < least ? met : least;
      i += a <= b;
      j += b <= a;
    }
    return least;
  }

  /// The label of a position while labels are computed.
  struct Row {
    std::vector<Position> hubs;
    std::vector<L> distances;
  };
  using Rows = std::vector<Row>;

  /// The labels of one direction, in memory of their own.
  struct Arrays {
    Arrays(const Hierarchy<W>& hierarchy, Rows& rows, int threads, Control& control)
        : first(rows.size() + 1, 0) {
      for (std::size_t v = 0; v < rows.size(); ++v)
        first[v + 1] = first[v] + static_cast<std::int64_t>(row(hierarchy, rows, v).hubs.size());
      const auto size = static_cast<std::size_t>(first.back());
      hubs = PageArray<Position>(size);
      distances = PageArray<L>(size);
      in_blocks(rows.size(), 1024, threads, control, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          const Row from = std::move(row(hierarchy, rows, v));  // freed when it is copied
          const auto at = static_cast<std::size_t>(first[v]);
          std::ranges::copy(from.hubs, hubs.data() + at);
          std::ranges::copy(from.distances, distances.data() + at);
        }
        return std::int64_t{0};
      });
    }

    static Row& row(const Hierarchy<W>& hierarchy, Rows& rows, std::size_t v) {
      return rows[static_cast<std::size_t>(hierarchy.position(static_cast<std::int64_t>(v)))];
    }

    Entries entries() const {
      return {first, {hubs.data(), hubs.size()}, {distances.data(), distances.size()}};
    }

    std::vector<std::int64_t> first;
    PageArray<Position> hubs;
    PageArray<L> distances;
  };

  /// Computes the labels of positions, level by level.
  class Builder {
   public:
    Builder(const Hierarchy<W>& hierarchy, std::size_t most_bytes, int threads, Control& control)
        : up(static_cast<std::size_t>(hierarchy.n())),
          down(hierarchy.symmetric() ? 0 : up.size()),
          hierarchy_(hierarchy),
          most_(most_bytes),
          threads_(threads),
          control_(control) {}

    void run() {
      const auto [order, first] = levels();
      TeamBarrier barrier(threads_, control_);
      std::vector<std::atomic<std::size_t>> taken(first.size());
      control_.expect(static_cast<std::int64_t>(order.size()));
      run_team(threads_, control_, [&, &order = order, &first = first](int rank) {
        Poller poller(control_, rank == 0);
        std::vector<L> best(order.size(), kNoLabel<W>);
        std::vector<Position> candidates;
        for (std::size_t level = 0; level + 1 < first.size(); ++level) {
          const std::size_t size = first[level + 1] - first[level];
          for (std::size_t begin; (begin = taken[level].fetch_add(kAtOnce)) < size;) {
            const std::size_t end = std::min(begin + kAtOnce, size);
            for (std::size_t at = begin; at < end; ++at) {
              const Position x = order[first[level] + at];
              Rows& back = hierarchy_.symmetric() ? up : down;
              enter(x, hierarchy_.up().row(x), up, back, best, candidates, poller);
              if (!hierarchy_.symmetric())
                enter(x, hierarchy_.down().row(x), down, up, best, candidates, poller);
            }
            control_.advance(static_cast<std::int64_t>(end - begin));
          }
          barrier.wait(rank);
        }
      });
    }

    Rows up, down;

   private:
    static constexpr std::size_t kAtOnce = 16;  // positions that a thread takes

    /// The positions by levels, and where each level begins.
    std::pair<std::vector<Position>, std::vector<std::size_t>> levels() const {
      const Position n = hierarchy_.n();
      std::vector<std::uint32_t> level(static_cast<std::size_t>(n), 0);
      std::uint32_t highest = 0;
      for (Position x = 0; x < n; ++x) {
        std::uint32_t& own = level[static_cast<std::size_t>(x)];
        for (const auto* rows : {&hierarchy_.up(), &hierarchy_.down()})
          for (const HierarchyArc<W>& arc : rows->row(x))
            own = std::max(own, level[static_cast<std::size_t>(arc.head)] + 1);
        highest = std::max(highest, own);
      }
      std::vector<std::size_t> first(std::size_t{highest} + 2, 0);
      for (const std::uint32_t each : level) ++first[each + 1];
      for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
      std::vector<Position> order(level.size());
      std::vector<std::size_t> next(first.begin(), first.end() - 1);
      for (Position x = 0; x < n; ++x) order[next[level[static_cast<std::size_t>(x)]]++] = x;
      return {std::move(order), std::move(first)};
    }

    /// Computes the label of a position in `own`, of one direction; `other` has those of the other
    /// one. `best` has no labels before and after.
    void enter(Position x, std::span<const HierarchyArc<W>> arcs, Rows& own, const Rows& other,
               std::vector<L>& best, std::vector<Position>& candidates, Poller& poller) {
      candidates.assign(1, x);
      best[static_cast<std::size_t>(x)] = L{};
      for (const HierarchyArc<W>& arc : arcs) {
        const Row& from = own[static_cast<std::size_t>(arc.head)];
        for (std::size_t i = 0; i < from.hubs.size(); ++i) {
          L& label = best[static_cast<std::size_t>(from.hubs[i])];
          if (label == kNoLabel<W>) candidates.push_back(from.hubs[i]);
          label = std::min(label, static_cast<L>(from.distances[i] + static_cast<L>(arc.weight)));
        }
      }
      std::ranges::sort(candidates);
      Row& row = own[static_cast<std::size_t>(x)];
      std::size_t work = 0;
      for (const Position hub : candidates) {
        const L distance = best[static_cast<std::size_t>(hub)];
        if (hub != x && passed(other[static_cast<std::size_t>(hub)], best, distance, work))
          continue;
        row.hubs.push_back(hub);
        row.distances.push_back(distance);
      }
      for (const Position hub : candidates) best[static_cast<std::size_t>(hub)] = kNoLabel<W>;
      row.hubs.shrink_to_fit();
      row.distances.shrink_to_fit();
      const std::size_t bytes = row.hubs.size() * (sizeof(Position) + sizeof(L));
      if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes > most_)
        throw std::length_error("labels take more memory than they may");
      poller.step(static_cast<std::int64_t>(work / 16 + 1));
    }

    /// Whether a shortest path to a hub, or one that is no longer, passes a more important hub.
    static bool passed(const Row& to, const std::vector<L>& best, L distance, std::size_t& work) {
      for (std::size_t i = 0; i + 1 < to.hubs.size(); ++i) {  // the last one is the hub itself
        const L label = best[static_cast<std::size_t>(to.hubs[i])];
        if (label != kNoLabel<W> && static_cast<L>(label + to.distances[i]) <= distance) {
          work += i;
          return true;
        }
      }
      work += to.hubs.size();
      return false;
    }

    const Hierarchy<W>& hierarchy_;
    const std::size_t most_;
    const int threads_;
    Control& control_;
    std::atomic<std::size_t> bytes_{0};
  };

  Entries up_;
  Entries down_;
  std::shared_ptr<const void> memory_;
};

}  // namespace warpath
