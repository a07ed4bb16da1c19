// queries.hpp - distances of many pairs of vertices, and canonical routes, by a hierarchy.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/search_space.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/pool.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/paths/point_to_point.hpp"

namespace warpath {

/// A hierarchy and the labels of the searches in it, which any number of threads may run at once.
template <Weight W>
class HierarchyQueries {
 public:
  using D = DistanceOf<W>;
  using L = HierarchyLabel<W>;

  explicit HierarchyQueries(Hierarchy<W> hierarchy)
      : hierarchy_(std::move(hierarchy)),
        pairs_([this] { return std::make_unique<PairSearch<W>>(hierarchy_); }),
        routes_([this] { return std::make_unique<DistancesOnRequest<W>>(hierarchy_); }),
        space_(hierarchy_) {}
  HierarchyQueries(const HierarchyQueries&) = delete;
  HierarchyQueries& operator=(const HierarchyQueries&) = delete;

  const Hierarchy<W>& hierarchy() const { return hierarchy_; }
  SearchSpace<W>& space() { return space_; }

  /// out[i] becomes the distance from sources[i] to targets[i]. Pairs are taken by their sources,
  /// which takes a tenth less time for 10,000 pairs on New York's roads; a source is searched from
  /// once in a chunk.
  HierarchyCounts pair_distances(std::span<const std::int64_t> sources,
                                 std::span<const std::int64_t> targets, std::span<D> out,
                                 int threads, Control& control) {
    const std::size_t count = sources.size();
    const std::size_t useful = (count + kChunk - 1) / kChunk;
    const int team =
        static_cast<int>(std::clamp<std::size_t>(useful, 1, static_cast<std::size_t>(threads)));
    const std::vector<std::size_t> order = by_source(sources);
    std::atomic<std::size_t> taken{0};
    HierarchyCounts counts;
    std::mutex adding;
    control.expect(static_cast<std::int64_t>(count));
    run_open_team(team, control, [&](int rank) {
      Poller poller(control, rank == 0);
      pairs_.with([&](PairSearch<W>& search) {
        for (std::size_t at; (at = taken.fetch_add(kChunk, std::memory_order_relaxed)) < count;) {
          const std::size_t end = std::min(at + kChunk, count);
          for (const std::size_t i : std::span(order).subspan(at, end - at)) {
            out[i] = distance_of<D, W>(search.distance(sources[i], targets[i]));
            poller.step(search.settled());
          }
          control.advance(static_cast<std::int64_t>(end - at));
        }
        const std::scoped_lock lock(adding);
        counts += search.take_counts();
      });
    });
    return counts;
  }

  /// The canonical tree's path from source to target; see tree.hpp. `into` has the edges of the
  /// graph into each vertex. The labels must be exact: integers, or floats whose sums are exact.
  template <Index V, Weight G>
  PathResult<D> route(const CsrView<V, G>& into, std::int64_t source, std::int64_t target,
                      Poller poller) {
    return routes_.with([&](DistancesOnRequest<W>& distances) {
      distances.start(source);
      PathResult<D> found;
      found.length = distance_of<D, W>(distances(target));
      if (found.length != unreachable<D>) {
        const auto label = [&](V v) { return distance_of<D, W>(distances(v)); };
        found.vertices =
            Backtracker<V, G, decltype(label)>(into, static_cast<V>(source), label, poller)
                .walk(static_cast<V>(target));
        std::reverse(found.vertices.begin(), found.vertices.end());
      }
      found.counters.settled = distances.settled();
      return found;
    });
  }

 private:
  static constexpr std::size_t kChunk = 32;  // pairs: some hundreds of microseconds

  const Hierarchy<W> hierarchy_;
  Pool<PairSearch<W>> pairs_;
  Pool<DistancesOnRequest<W>> routes_;
  SearchSpace<W> space_;
};

}  // namespace warpath
