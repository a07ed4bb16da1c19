// bucket_options.hpp - what a search by buckets is told, and what it says that it did.
#pragma once

#include <cstdint>

#include "warpath/dijkstra.hpp"
#include "warpath/types.hpp"

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
};

struct BucketTeamCounters : SearchCounters {
  std::int64_t rounds = 0;   // buckets that the team agreed on
  std::int64_t reached = 0;  // vertices that have a path
};

}  // namespace warpath
