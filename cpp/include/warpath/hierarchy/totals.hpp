// totals.hpp - sums, maxima and counts of the distances from many sources, by sweeps.
//
// The labels of a sweep are summed in place, without writing a table: on New York's roads this
// takes a third of the time of writing rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/sweep.hpp"
#include "warpath/many/lanes.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The type in which distances are summed.
template <Weight W>
using SumOf = std::conditional_t<std::is_floating_point_v<W>, double, std::int64_t>;

/// The request of a call and its output arrays, with an entry for each source.
template <Weight W>
struct TotalsRequest {
  const Hierarchy<W>& hierarchy;
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> targets;  // empty: every vertex; vertices may repeat
  DistanceOf<W> cutoff;                   // distances above it do not count
  bool inverses;                          // whether `harmonic` is filled
  std::span<SumOf<W>> sums;
  std::span<DistanceOf<W>> largest;  // 0 if no target is reached
  std::span<std::int64_t> counts;    // targets that are reached
  std::span<double> harmonic;        // sums of 1 / distance, without distances of 0
  int bits = 512;                    // the widest vector registers to use
};

/// The totals of the labels of one batch of sources.
template <Weight W, int kLanes>
class LaneTotals {
 public:
  using L = HierarchyLabel<W>;

  LaneTotals(const TotalsRequest<W>& request, std::span<const std::int32_t> times)
      : request_(request), times_(times) {}

  /// Adds up the labels of positions 0 to `count` - 1, whose lines begin at `labels`, and writes
  /// the totals of `size` sources from number `first` on.
  void add(const L* labels, std::size_t count, std::size_t first, std::size_t size) const {
    SumOf<W> sums[kLanes] = {};
    L largest[kLanes] = {};
    std::int64_t counts[kLanes] = {};
    double harmonic[kLanes] = {};
    const L limit = limit_of(request_.cutoff);
    for (std::size_t number = 0; number < count; ++number) {
      const std::int32_t times = times_.empty() ? 1 : times_[number];
      if (times == 0) continue;
      const L* const line = labels + number * kLanes;
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool reached = line[lane] <= limit;
        const L known = reached ? line[lane] : L{};
        sums[lane] += static_cast<SumOf<W>>(known) * times;
        largest[lane] = std::max(largest[lane], known);
        counts[lane] += reached ? times : 0;
      }
      if (!request_.inverses) continue;
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool inverted = line[lane] <= limit && line[lane] != L{};
        const double divisor = inverted ? static_cast<double>(line[lane]) : 1;
        harmonic[lane] += inverted ? times / divisor : 0;
      }
    }
    for (std::size_t lane = 0; lane < size; ++lane) {
      request_.sums[first + lane] = sums[lane];
      request_.largest[first + lane] = static_cast<DistanceOf<W>>(largest[lane]);
      request_.counts[first + lane] = counts[lane];
      if (request_.inverses) request_.harmonic[first + lane] = harmonic[lane];
    }
  }

 private:
  /// The largest label that counts.
  static L limit_of(DistanceOf<W> cutoff) {
    if constexpr (std::is_floating_point_v<W>) {
      return std::min(cutoff, std::numeric_limits<W>::max());
    } else {
      const auto most = static_cast<DistanceOf<W>>(kNoLabel<W> - 1);
      return static_cast<L>(std::clamp(cutoff, DistanceOf<W>{0}, most));
    }
  }

  const TotalsRequest<W>& request_;
  std::span<const std::int32_t> times_;  // how often each position is a target; empty: once
};

/// Implements `sweep_totals` on the rows of its sweeps.
template <Weight W>
void totals_over(const SweepRows<W>& rows, const TotalsRequest<W>& request, SearchSpace<W>& space,
                 int threads, Control& control) {
  constexpr int kLanes = Lanes<HierarchyLabel<W>>::kCount;
  const std::size_t count = request.sources.size();
  std::vector<std::int32_t> times(request.targets.empty() ? 0
                                                          : static_cast<std::size_t>(rows.count()));
  for (const std::int64_t target : request.targets)
    ++times[static_cast<std::size_t>(rows.number(request.hierarchy.position(target)))];
  const SweepTable<W, DistanceOf<W>> table{
      request.hierarchy, request.sources, request.targets, {}, true, request.bits};
  const auto team =
      static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(threads)));
  std::atomic<std::size_t> taken{0};
  control.expect(static_cast<std::int64_t>(count));
  run_open_team(team, control, [&](int rank) {
    std::size_t i = taken.fetch_add(kLanes, std::memory_order_relaxed);
    if (i >= count) return;
    const auto add = [&](LaneSearch<W>& upward, SweepLabels<W>& labels) {
      Sweep<W, DistanceOf<W>, kLanes> sweep(table, rows, upward, labels,
                                            Poller(control, rank == 0));
      const LaneTotals<W, kLanes> totals(request, times);
      for (; i < count; i = taken.fetch_add(kLanes, std::memory_order_relaxed)) {
        const std::size_t size = std::min<std::size_t>(kLanes, count - i);
        totals.add(sweep.labels(i, size), static_cast<std::size_t>(rows.count()), i, size);
        control.advance(static_cast<std::int64_t>(size));
      }
      labels.trim();
    };
    space.lanes.with([&](LaneSearch<W>& upward) {
      space.sweeps.with([&](SweepLabels<W>& labels) { add(upward, labels); });
    });
  });
}

/// Fills the request's output arrays. Sums of integers must fit 64 bits.
///
/// Work: for each batch of sources one pass over the arcs, with targets only over those above them,
/// and one over the labels. Memory: for each thread a line of labels per position.
template <Weight W>
void sweep_totals(const TotalsRequest<W>& request, SearchSpace<W>& space, int threads,
                  Control& control) {
  if (request.sources.empty()) return;
  if (request.targets.empty())
    return totals_over(SweepRows<W>(request.hierarchy), request, space, threads, control);
  space.numbers.with([&](PositionNumbers& numbers) {
    totals_over(SweepRows<W>(request.hierarchy, request.targets, numbers), request, space, threads,
                control);
  });
}

}  // namespace warpath
