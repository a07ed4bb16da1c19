// bucket_options.hpp - options and counters of bucket_core.hpp's searches.
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
struct ScanPolicy {
  /// For n vertices and m edges. `scattered`: as in BucketOptions.
  ScanPolicy(std::int64_t n, std::int64_t m, bool scattered, int threads) {
    const bool few_edges = m < kFewEdges * n;
    prefetch_targets = few_edges && scattered && (threads > 1 || n >= kManyLabels);
    range_affinity = few_edges && !scattered;
    no_prefetch = n + m < (range_affinity ? kSmallLocal : kSmall);
  }

  bool prefetch_targets;  // prefetch the labels of targets
  bool range_affinity;    // each thread prefers its own range of vertices
  bool no_prefetch;

 private:
  static constexpr std::int64_t kFewEdges = 7;  // per vertex; below, many sums lower a label
  static constexpr std::int64_t kManyLabels = 100'000;  // from here one thread gains, too
  static constexpr std::int64_t kSmall = 1 << 15;       // vertices and edges
  static constexpr std::int64_t kSmallLocal = 1 << 19;  // the same if targets have close numbers
};

struct BucketCounters : SearchCounters {
  std::int64_t rounds = 0;   // buckets drained by the team
  std::int64_t reached = 0;  // vertices that have a path from the source
};

}  // namespace warpath
