// bucket_options.hpp - what a search by buckets is told, and what it says that it did.
#pragma once

#include <cstdint>

#include "warpath/graph/types.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// What a search by buckets is told of its graph, and how it is to run.
template <Weight W>
struct BucketOptions {
  double delta;    // the width of a bucket, > 0
  W heaviest;      // the largest weight or more
  bool scattered;  // whether most edges lead to far numbers, and not to a few vertices
  DistanceOf<W> cutoff = unreachable<DistanceOf<W>>;
  int threads = 1;
  bool assemble = false;  // begin when all threads have come, which matters to tests
  /// A bit for each vertex, the lowest of a byte first: whether no edge leads out of it. Those need
  /// a label and no scan. Null where it is not known, or of too few.
  const std::uint8_t* leaves = nullptr;
};

/// How the edges of a graph are best scanned; the numbers are measured (decision 0018).
struct BucketManner {
  template <Index V, Weight W>
  BucketManner(const CsrView<V, W>& graph, const BucketOptions<W>& options) {
    const std::int64_t size = graph.n() + graph.m();
    const bool team = options.threads > 1;
    const bool few_edges = graph.m() < kFewEdges * graph.n();
    far_targets = few_edges && options.scattered && (team || graph.n() >= kFarLabels);
    in_lanes = few_edges && !options.scattered;
    near = size < (in_lanes ? kNearLanes : kNear);
  }

  bool far_targets;  // the labels of targets are fetched ahead
  bool in_lanes;     // each thread takes its own vertices first
  bool near;         // nothing is fetched ahead

 private:
  static constexpr std::int64_t kFewEdges = 7;         // a vertex: then many of the sums are lower
  static constexpr std::int64_t kFarLabels = 100'000;  // from as many on one thread gains, too
  static constexpr std::int64_t kNear = 1 << 15;       // vertices and edges
  static constexpr std::int64_t kNearLanes = 1 << 19;  // with targets that are near
};

struct BucketTeamCounters : SearchCounters {
  std::int64_t rounds = 0;   // buckets that the team agreed on
  std::int64_t reached = 0;  // vertices that have a path
};

}  // namespace warpath
