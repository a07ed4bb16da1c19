// bucket_options.hpp - options and counters of delta-stepping (bucket_team.hpp).
#pragma once

#include <cstdint>

#include "warpath/graph/types.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// Facts about the graph and settings of a search by buckets.
template <Weight W>
struct BucketOptions {
  double delta;    // the width of a bucket, > 0
  W max_weight;    // an upper bound on the weights
  bool scattered;  // most edges lead to distant vertex numbers, and there are no hubs
  DistanceOf<W> cutoff = unreachable<DistanceOf<W>>;
  int threads = 1;
  bool assemble = false;  // for tests: wait until all threads have started
  /// One bit per vertex, lowest bit of a byte first: set if the vertex has no out-edge. Such a
  /// vertex gets a label and is never scanned. Null if unknown, or if there are few of them.
  const std::uint8_t* leaves = nullptr;
};

/// Which way of scanning edges suits a graph; the thresholds are measured (decision 0018).
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

  bool far_targets;  // prefetch the labels of targets
  bool in_lanes;     // each thread prefers its own range of vertices
  bool near;         // prefetch nothing

 private:
  static constexpr std::int64_t kFewEdges = 7;         // per vertex; below, many sums lower a label
  static constexpr std::int64_t kFarLabels = 100'000;  // vertices; from here one thread gains, too
  static constexpr std::int64_t kNear = 1 << 15;       // vertices and edges
  static constexpr std::int64_t kNearLanes = 1 << 19;  // the same if targets have close numbers
};

struct BucketTeamCounters : SearchCounters {
  std::int64_t rounds = 0;   // buckets processed by the team
  std::int64_t reached = 0;  // vertices that have a path from the source
};

}  // namespace warpath
