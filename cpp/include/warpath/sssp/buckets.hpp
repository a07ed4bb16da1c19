// buckets.hpp - chooses the label width for bucket_team.hpp (warpath.buckets).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/sssp/bucket_team.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// Distances from one source into `out` by BucketTeam (bucket_core.hpp explains the algorithm): the
/// same bits as Dijkstra's algorithm for every delta and every number of threads. Weights must be
/// >= 0. False if distances may not fit 63 bits: `out` is then meaningless.
///
/// Integers are first tried in labels of 32 bits. Labels lie in the answer's memory; the only other
/// memory are the entries in buckets, which are freed before narrow labels are widened.
template <Index V, Weight W>
bool bucket_team(const CsrView<V, W>& graph, V source, std::span<DistanceOf<W>> out,
                 const BucketOptions<W>& options, Control& control, BucketCounters& counters) {
  if (!(options.delta > 0)) throw std::invalid_argument("delta must be > 0");
  if (options.threads < 1) throw std::invalid_argument("threads must be >= 1");
  const auto solved = [&]<class L>(L* labels) {
    BucketTeam<V, W, L> team(graph, labels, options, control);
    const bool exact = team.solve(source, out);
    counters = team.counters();
    return exact;
  };
  if constexpr (std::is_floating_point_v<W>) {
    return solved(out.data());
  } else {
    if (weights_fit<std::uint32_t>(options.max_weight)) {
      if (solved(reinterpret_cast<std::uint32_t*>(out.data()) + out.size())) return true;
    }
    if (!weights_fit<std::uint64_t>(options.max_weight)) return false;
    return solved(reinterpret_cast<std::uint64_t*>(out.data()));
  }
}

}  // namespace warpath
