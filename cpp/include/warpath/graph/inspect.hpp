// inspect.hpp - validation of CSR arrays from elsewhere, and the graph statistics for the planner.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/graph/build.hpp"
#include "warpath/graph/symmetry.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Calls body(block, begin, end) for blocks of a range, on threads; a rank's blocks are adjacent.
inline constexpr std::int64_t kBlockSize = 1 << 13;

template <class Body>
void each_block(std::int64_t count, int threads, int rank, Poller& poller, Body&& body) {
  const std::int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
  for (std::int64_t at = blocks * rank / threads; at < blocks * (rank + 1) / threads; ++at) {
    poller.step(kBlockSize);
    body(at, at * kBlockSize, std::min(count, (at + 1) * kBlockSize));
  }
}

/// Sums take(i) over [begin, end) in independent lanes, so that the loop can be vectorised.
template <class T, class Take>
T sum_of(std::int64_t begin, std::int64_t end, Take&& take) {
  constexpr std::int64_t kLanes = 8;
  std::array<T, kLanes> lanes{};
  std::int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[static_cast<std::size_t>(lane)] += take(static_cast<std::size_t>(i + lane));
  for (; i < end; ++i) lanes[0] += take(static_cast<std::size_t>(i));
  T sum{};
  for (const T lane : lanes) sum += lane;
  return sum;
}

/// The bitwise or of take(i) over [begin, end).
template <class Take>
auto any_of(std::int64_t begin, std::int64_t end, Take&& take) {
  decltype(take(std::size_t{0})) bits = 0;
  for (std::int64_t i = begin; i < end; ++i) bits |= take(static_cast<std::size_t>(i));
  return bits;
}

/// Extends a range to contain some values, none of them NaN; in lanes, too.
template <class W>
void range_of(const W* values, std::int64_t count, W& low, W& high) {
  constexpr std::int64_t kLanes = 8;
  std::array<W, kLanes> lows;
  std::array<W, kLanes> highs;
  lows.fill(low);
  highs.fill(high);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const W value = values[i + static_cast<std::int64_t>(lane)];
      lows[lane] = value < lows[lane] ? value : lows[lane];
      highs[lane] = value > highs[lane] ? value : highs[lane];
    }
  for (; i < count; ++i) {
    lows[0] = std::min(lows[0], values[i]);
    highs[0] = std::max(highs[0], values[i]);
  }
  low = *std::min_element(lows.begin(), lows.end());
  high = *std::max_element(highs.begin(), highs.end());
}

/// Statistics of a graph's rows. The range of weights is exact: integers do not become floats.
template <Weight W>
struct RowFacts {
  std::int64_t min_degree = 0;
  std::int64_t max_degree = 0;
  std::int64_t loops = 0;
  std::int64_t far = 0;       // edges whose ends' numbers differ by over 4 sqrt(n): few in a mesh
  std::int64_t negative = 0;  // edges of negative weight
  std::int64_t zero = 0;
  std::int64_t first_negative = -1;
  DistanceOf<W> min_weight = 0;
  DistanceOf<W> max_weight = 0;
  double mean_weight = 0;
};

/// Computes the statistics in one pass over the rows and one over the weights. The mean is rounded;
/// it does not depend on the number of threads.
template <Index V, Weight W>
class RowFactsOf {
 public:
  explicit RowFactsOf(const CsrView<V, W>& graph)
      : graph_(graph),
        sums_(static_cast<std::size_t>((graph.m() + kBlockSize - 1) / kBlockSize)),
        reach_(static_cast<std::uint64_t>(4 * std::sqrt(static_cast<double>(graph.n())))) {}

  RowFacts<W> find(int threads, Control& control) {
    std::mutex guard;
    Part whole;
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      Part part;
      rows(rank, threads, poller, part);
      if (!graph_.weights.empty()) weights(rank, threads, poller, part);
      const std::scoped_lock lock(guard);
      whole.add(part);
    });
    return facts(whole);
  }

 private:
  struct Part {
    std::int64_t min_degree = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_degree = 0;
    std::int64_t loops = 0;
    std::int64_t far = 0;
    std::int64_t negative = 0;
    std::int64_t zero = 0;
    W low = std::numeric_limits<W>::max();
    W high = std::numeric_limits<W>::lowest();

    void add(const Part& other) {
      min_degree = std::min(min_degree, other.min_degree);
      max_degree = std::max(max_degree, other.max_degree);
      loops += other.loops;
      far += other.far;
      negative += other.negative;
      zero += other.zero;
      low = std::min(low, other.low);
      high = std::max(high, other.high);
    }
  };

  using Unsigned = std::make_unsigned_t<V>;
  // 16 bytes fill a register of any x86-64 or Arm; wider vectors are compared by elements.
  static constexpr int kInLine = 16 / sizeof(V);
  static constexpr std::int64_t kStep = 8;  // edges
  static constexpr int kLines = kStep / kInLine;
  static constexpr std::int64_t kLong = 2 * kStep;  // a whole step is predictable then
  using Line [[gnu::vector_size(16)]] = Unsigned;
  using Signed [[gnu::vector_size(16)]] = V;

  /// Counts per lane, as wide as the indices: room for 2^34 edges per thread.
  struct Counts {
    Line loops[kLines]{};
    Line far[kLines]{};
  };

  void rows(int rank, int threads, Poller& poller, Part& part) const {
    Counts counts;
    const std::size_t last = first_row(graph_.indptr, rank + 1, threads);
    for (std::size_t u = first_row(graph_.indptr, rank, threads); u < last; ++u) {
      const std::int64_t begin = graph_.indptr[u];
      const std::int64_t end = graph_.indptr[u + 1];
      poller.step(end - begin + 1);
      part.min_degree = std::min(part.min_degree, end - begin);
      part.max_degree = std::max(part.max_degree, end - begin);
      std::int64_t e = begin;
      for (; e + kLong <= end; e += kStep)
        count_step<true>(u, graph_.indices.data() + e, kStep, counts);
      for (; e < end && e + kStep <= graph_.m(); e += kStep)
        count_step<false>(u, graph_.indices.data() + e, std::min(kStep, end - e), counts);
      if (e >= end) continue;
      std::array<V, kStep> rest{};
      std::copy(graph_.indices.data() + e, graph_.indices.data() + end, rest.begin());
      count_step<false>(u, rest.data(), end - e, counts);
    }
    for (int at = 0; at < kLines; ++at)
      for (int lane = 0; lane < kInLine; ++lane) {
        part.loops += static_cast<std::int64_t>(counts.loops[at][lane]);
        part.far += static_cast<std::int64_t>(counts.far[at][lane]);
      }
  }

  /// Counts for a step of edges, of which the first `count` (or all) belong to the row. Most rows
  /// are short and their lengths unpredictable, so edges behind the row's end are read but not
  /// counted.
  template <bool kAll>
  void count_step(std::size_t u, const V* ends, std::int64_t count, Counts& counts) const {
    const auto reach = static_cast<Unsigned>(reach_);
    Signed number;
    for (int lane = 0; lane < kInLine; ++lane) number[lane] = static_cast<V>(lane);
    for (int at = 0; at < kLines; ++at) {
      Line difference;
      std::memcpy(&difference, ends + at * kInLine, sizeof difference);
      difference -= static_cast<Unsigned>(u);
      // Masks are -1 where true. The sum wraps where u is the larger number.
      auto loops = difference == 0;
      auto far = difference + reach > 2 * reach;
      if constexpr (!kAll) {
        const auto counted = number < static_cast<V>(count);
        number += static_cast<V>(kInLine);
        loops &= counted;
        far &= counted;
      }
      counts.loops[at] -= reinterpret_cast<Line>(loops);
      counts.far[at] -= reinterpret_cast<Line>(far);
    }
  }

  void weights(int rank, int threads, Poller& poller, Part& part) {
    const W* w = graph_.weights.data();
    each_block(graph_.m(), threads, rank, poller, [&](std::int64_t at, auto begin, auto end) {
      sums_[static_cast<std::size_t>(at)] =
          sum_of<double>(begin, end, [w](std::size_t e) { return static_cast<double>(w[e]); });
      W low = std::numeric_limits<W>::max();
      range_of(w + begin, end - begin, low, part.high);
      part.low = std::min(part.low, low);
      if (low > 0) return;
      part.negative += sum_of<std::int64_t>(begin, end, [w](std::size_t e) { return w[e] < 0; });
      part.zero += sum_of<std::int64_t>(begin, end, [w](std::size_t e) { return w[e] == 0; });
    });
  }

  RowFacts<W> facts(const Part& whole) const {
    RowFacts<W> facts;
    facts.min_degree = graph_.n() > 0 ? whole.min_degree : 0;
    facts.max_degree = whole.max_degree;
    facts.loops = whole.loops;
    facts.far = whole.far;
    facts.negative = whole.negative;
    facts.zero = whole.zero;
    if (facts.negative > 0)
      facts.first_negative = std::find_if(graph_.weights.begin(), graph_.weights.end(),
                                          [](W weight) { return weight < 0; }) -
                             graph_.weights.begin();
    if (graph_.m() > 0) {
      const bool weighted = !graph_.weights.empty();
      double sum = 0;
      for (const double part : sums_) sum += part;
      facts.min_weight = weighted ? whole.low : W{1};
      facts.max_weight = weighted ? whole.high : W{1};
      facts.mean_weight = weighted ? sum / static_cast<double>(graph_.m()) : 1;
    }
    return facts;
  }

  const CsrView<V, W> graph_;
  std::vector<double> sums_;  // sums of the weights of each block
  const std::uint64_t reach_;
};

template <Index V, Weight W>
RowFacts<W> row_facts(const CsrView<V, W>& graph, int threads, Control& control) {
  return RowFactsOf<V, W>(graph).find(threads, control);
}

/// Errors in CSR arrays: positions, or -1 if there is none. Also the range of the weights.
template <Weight W>
struct RowReport {
  bool bad_ends = false;                         // indptr[0] != 0 or indptr[n] != m
  std::int64_t descending = -1;                  // first u with indptr[u] > indptr[u + 1]
  std::int64_t bad_index = -1;                   // first edge whose index is out of range
  std::int64_t bad_weight = -1;                  // first NaN or -inf
  std::int64_t absent = 0;                       // +inf weights, which mean "no edge"
  W min_weight = std::numeric_limits<W>::max();  // smallest weight, if none is NaN
  W max_weight = std::numeric_limits<W>::lowest();
};

/// Validates CSR arrays of which only the lengths are known to be right.
template <Index V, Weight W>
RowReport<W> inspect_rows(const CsrView<V, W>& graph, int threads, Control& control) {
  using Unsigned = std::make_unsigned_t<V>;
  RowReport<W> report;
  const std::int64_t n = graph.n();
  report.bad_ends = n < 0 || graph.indptr.front() != 0 || graph.indptr.back() != graph.m();
  const auto last = static_cast<Unsigned>(n - 1);
  // The highest bit of one or the other is set if v lies outside 0 .. n - 1.
  const auto outside = [&](std::size_t e) {
    const auto v = static_cast<Unsigned>(graph.indices[e]);
    return static_cast<Unsigned>(v | static_cast<Unsigned>(last - v));
  };
  const auto wrong_index = [&](std::size_t e) { return static_cast<V>(outside(e)) < 0; };
  const auto wrong_weight = [&](std::size_t e) {
    return !(graph.weights[e] > -std::numeric_limits<W>::infinity());  // also true for NaN
  };
  const auto first = [](std::int64_t& place, std::int64_t begin, std::int64_t end, auto&& wrong) {
    for (std::int64_t i = begin; i < end; ++i)
      if (wrong(static_cast<std::size_t>(i))) {
        place = place < 0 ? i : std::min(place, i);
        return;
      }
  };
  std::mutex guard;
  run_team(threads, control, [&](int rank) {
    Poller poller(control, rank == 0);
    RowReport<W> part;
    each_block(std::max<std::int64_t>(n, 0), threads, rank, poller,
               [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                 const auto descends = [&](std::size_t u) {
                   return graph.indptr[u] > graph.indptr[u + 1];
                 };
                 if (part.descending < 0 && sum_of<std::int64_t>(begin, end, descends) > 0)
                   first(part.descending, begin, end, descends);
               });
    each_block(
        graph.m(), threads, rank, poller, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
          if (part.bad_index < 0 && static_cast<V>(any_of(begin, end, outside)) < 0)
            first(part.bad_index, begin, end, wrong_index);
          if (graph.weights.empty()) return;
          range_of(graph.weights.data() + begin, end - begin, part.min_weight, part.max_weight);
          if constexpr (std::is_floating_point_v<W>) {
            // 0 times NaN or inf is NaN, and 0 times any other number is 0.
            const auto nothing = [&](std::size_t e) { return graph.weights[e] * 0; };
            if (sum_of<W>(begin, end, nothing) == 0) return;
            if (part.bad_weight < 0 && sum_of<std::int64_t>(begin, end, wrong_weight) > 0)
              first(part.bad_weight, begin, end, wrong_weight);
            part.absent += sum_of<std::int64_t>(
                begin, end, [&](std::size_t e) { return absent(graph.weights[e]); });
          }
        });
    const std::scoped_lock lock(guard);
    const auto take_min = [](std::int64_t& place, std::int64_t other) {
      if (other >= 0) place = place < 0 ? other : std::min(place, other);
    };
    take_min(report.descending, part.descending);
    take_min(report.bad_index, part.bad_index);
    take_min(report.bad_weight, part.bad_weight);
    report.absent += part.absent;
    report.min_weight = std::min(report.min_weight, part.min_weight);
    report.max_weight = std::max(report.max_weight, part.max_weight);
  });
  return report;
}

}  // namespace warpath
