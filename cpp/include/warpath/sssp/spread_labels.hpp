// spread_labels.hpp - parallel conversion of narrow labels to distances, in place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/open_team.hpp"

namespace warpath {

/// Statistics of the labels that one thread converted.
template <class L>
struct WideningStats {
  L largest = 0;
  std::int64_t reached = 0;  // labels below the initial one
};

/// Converts n labels, which lie at the end of the memory of n distances, to those distances. Every
/// thread of an open team that is present calls `write`.
class LabelWidening {
 public:
  /// Labels half as wide as distances fill the upper half of the memory. The distances of the first
  /// half of the remaining vertices overlap none of their labels, so threads convert that half in
  /// parallel and wait before the next one.
  template <class L, class Out>
  void write(const L* labels, Out* out, std::int64_t n, L initial, OpenTeam& team, int rank,
             WideningStats<L>& stats) {
    static_assert(sizeof(L) == sizeof(Out) || 2 * sizeof(L) == sizeof(Out));
    std::int64_t from = 0;
    for (DynamicLoop& step : steps_) {
      const bool apart = sizeof(L) == sizeof(Out) || n - from <= kPart;
      const std::int64_t to = apart ? n : from + (n - from) / 2;
      team.parallel_for(step, ceil_div(to - from, kPart), rank, [&](std::int64_t part) {
        const std::int64_t begin = from + part * kPart;
        write_part(labels, out, begin, std::min(begin + kPart, to), initial, stats);
      });
      from = to;
      if (from == n) return;
    }
  }

 private:
  static constexpr std::int64_t kPart = 1 << 11;  // labels converted at a time

  template <class L, class Out>
  static void write_part(const L* labels, Out* out, std::int64_t begin, std::int64_t end, L initial,
                         WideningStats<L>& stats) {
    L largest = stats.largest;
    std::int64_t reached = 0;
    for (std::int64_t v = begin; v < end; ++v) {
      const L label = labels[v];
      const bool is_reached = label != initial;
      reached += is_reached;
      largest = std::max(largest, is_reached ? label : L{0});
      const Out distance = is_reached ? static_cast<Out>(label) : unreachable<Out>;
      std::memcpy(out + v, &distance,
                  sizeof distance);  // may lie over labels, of another type
    }
    stats.largest = largest;
    stats.reached += reached;
  }

  std::array<DynamicLoop, 64> steps_;  // one for each halving
};

}  // namespace warpath
