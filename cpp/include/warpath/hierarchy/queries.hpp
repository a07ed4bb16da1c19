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

#include "warpath/graph/ascending_order.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/lane_search.hpp"
#include "warpath/hierarchy/search_space.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/pool.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/paths/point_to_point.hpp"
#include "warpath/paths/route_edges.hpp"

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
        lanes_([this] { return std::make_unique<PairsInLanes<W>>(hierarchy_); }),
        routes_([this] { return std::make_unique<DistancesOnRequest<W>>(hierarchy_); }),
        space_(hierarchy_) {}
  HierarchyQueries(const HierarchyQueries&) = delete;
  HierarchyQueries& operator=(const HierarchyQueries&) = delete;

  const Hierarchy<W>& hierarchy() const { return hierarchy_; }
  SearchSpace<W>& space() { return space_; }

  /// out[i] becomes the distance from sources[i] to targets[i]. Pairs are taken by their sources,
  /// as many at once as share the lines of a search. `bits` limits the width of vector registers.
  HierarchyCounts pair_distances(std::span<const std::int64_t> sources,
                                 std::span<const std::int64_t> targets, std::span<D> out,
                                 int threads, int bits, Control& control) {
    if (sources.size() == 1) return one_pair(sources[0], targets[0], out[0]);
    const std::size_t count = sources.size();
    const auto most = static_cast<std::size_t>(threads);
    const std::size_t useful = std::clamp<std::size_t>(count / kFew, 1, most);
    const std::size_t parts = useful * ((count + useful * kChunk - 1) / (useful * kChunk));
    const std::size_t chunk = parts == 0 ? 0 : (count + parts - 1) / parts;
    // Near numbers are often neighbours, whose searches upward read the same arcs.
    const std::vector<std::size_t> order = ascending_order(sources);
    std::atomic<std::size_t> taken{0};
    HierarchyCounts counts;
    std::mutex adding;
    control.expect(static_cast<std::int64_t>(count));
    run_open_team(static_cast<int>(useful), control, [&](int rank) {
      Poller poller(control, rank == 0);
      lanes_.with([&](PairsInLanes<W>& search) {
        for (std::size_t at; (at = taken.fetch_add(chunk, std::memory_order_relaxed)) < count;) {
          const auto pairs = std::span(order).subspan(at, std::min(chunk, count - at));
          search.distances(sources, targets, pairs, bits, poller, [&](std::size_t pair, L label) {
            out[pair] = distance_of<D, W>(label);
          });
          control.advance(static_cast<std::int64_t>(pairs.size()));
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
      if (found.length != unreachable<D>)
        found.vertices = walk_back(into, source, target, distances, poller);
      std::reverse(found.vertices.begin(), found.vertices.end());
      found.counters.settled = distances.settled();
      return found;
    });
  }

  /// The routes of many pairs, as by `route`. Pairs are taken by their sources: those of one source
  /// share its labels.
  template <Index V, Weight G>
  Routes routes(const CsrView<V, G>& into, std::span<const std::int64_t> sources,
                std::span<const std::int64_t> targets, int threads, Control& control) {
    const std::vector<std::size_t> order = ascending_order(sources);
    return routes_of_pairs(order, threads, control, [&](Poller& poller, const auto& run) {
      routes_.with([&](DistancesOnRequest<W>& distances) {
        std::int64_t started = -1;  // the source whose labels `distances` has
        run([&](std::size_t pair, std::vector<std::int64_t>& vertices) {
          const std::int64_t source = sources[pair];
          if (source != started) distances.start(source);
          started = source;
          if (distance_of<D, W>(distances(targets[pair])) == unreachable<D>) return;
          const auto found = walk_back(into, source, targets[pair], distances, poller);
          vertices.insert(vertices.end(), found.rbegin(), found.rend());
        });
      });
    });
  }

 private:
  /// The vertices of a route, from the target back to the source.
  template <Index V, Weight G>
  static std::vector<std::int64_t> walk_back(const CsrView<V, G>& into, std::int64_t source,
                                             std::int64_t target, DistancesOnRequest<W>& distances,
                                             Poller poller) {
    const auto label = [&](V v) { return distance_of<D, W>(distances(v)); };
    return Backtracker<V, G, decltype(label)>(into, static_cast<V>(source), label, poller)
        .walk(static_cast<V>(target));
  }

  static constexpr std::size_t kFew = 32;      // pairs that are worth a thread
  static constexpr std::size_t kChunk = 4096;  // pairs: some tens of milliseconds, 6 MB of labels

  HierarchyCounts one_pair(std::int64_t source, std::int64_t target, D& distance) {
    return pairs_.with([&](PairSearch<W>& search) {
      distance = distance_of<D, W>(search.distance(source, target));
      return search.take_counts();
    });
  }

  const Hierarchy<W> hierarchy_;
  Pool<PairSearch<W>> pairs_;
  Pool<PairsInLanes<W>> lanes_;
  Pool<DistancesOnRequest<W>> routes_;
  SearchSpace<W> space_;
};

}  // namespace warpath
