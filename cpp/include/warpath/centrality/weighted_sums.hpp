// weighted_sums.hpp - sums of weights of vertices within distances, from rows of a table.
//
// The entries of a row are added in the order of their columns, and rows in their order, so that
// the sums have the same bits for any number of threads, and for whole rows and sparse ones.
//
// Work    each entry once for each sum; with `nearest` a selection for each row.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Rows of distances, and the sums to form. Sum q adds the weights of q to the entries that are not
/// above limits[q].
template <class D>
struct WeightedSums {
  std::span<const D> dist;
  std::span<const std::int64_t> starts;   // of each row, and the end of the last one
  std::span<const std::int32_t> columns;  // of each entry; empty: a row has one for each column
  std::span<const double> values;         // what a weight is multiplied by; empty: 1
  std::span<const D> limits;
  std::size_t width;                // the number of columns
  std::span<const double> weights;  // (limits, width), or (limits, rows)
  std::span<double> sums;           // (limits, rows), or (limits, width)
  std::size_t nearest = 0;          // only that many entries of a row count; 0: all

  std::size_t rows() const { return starts.size() - 1; }
  std::size_t column(std::size_t row, std::size_t entry) const {
    return columns.empty() ? entry - static_cast<std::size_t>(starts[row])
                           : static_cast<std::size_t>(columns[entry]);
  }
  double value(std::size_t entry) const { return values.empty() ? 1.0 : values[entry]; }
};

/// Calls work(part) for 0 .. parts - 1 on threads.
template <class Work>
void for_each_part(std::size_t parts, int threads, Control& control, const Work& work) {
  const auto team =
      static_cast<int>(std::min<std::size_t>(parts, static_cast<std::size_t>(threads)));
  std::atomic<std::size_t> taken{0};
  run_open_team(std::max(team, 1), control, [&](int rank) {
    Poller poller(control, rank == 0);
    for (std::size_t part = taken.fetch_add(1, std::memory_order_relaxed); part < parts;
         part = taken.fetch_add(1, std::memory_order_relaxed)) {
      work(part);
      poller.check();
    }
  });
}

/// Fills a sum of each row: of the weights of its columns.
template <class D>
void sum_rows(const WeightedSums<D>& sums, int threads, Control& control) {
  constexpr std::size_t kRows = 16;  // that a thread takes at a time
  const std::size_t rows = sums.rows();
  const D most = *std::max_element(sums.limits.begin(), sums.limits.end());
  for_each_part((rows + kRows - 1) / kRows, threads, control, [&](std::size_t part) {
    std::vector<std::pair<D, std::size_t>> near;
    for (std::size_t row = part * kRows; row < std::min(rows, (part + 1) * kRows); ++row) {
      const auto begin = static_cast<std::size_t>(sums.starts[row]);
      const auto end = static_cast<std::size_t>(sums.starts[row + 1]);
      std::pair<D, std::size_t> last{most, std::numeric_limits<std::size_t>::max()};
      if (sums.nearest > 0) {
        near.clear();
        for (std::size_t e = begin; e < end; ++e)
          if (sums.dist[e] <= most) near.emplace_back(sums.dist[e], e);
        if (near.size() > sums.nearest) {
          const auto at = near.begin() + static_cast<std::ptrdiff_t>(sums.nearest - 1);
          std::nth_element(near.begin(), at, near.end());
          last = *at;
        }
      }
      for (std::size_t q = 0; q < sums.limits.size(); ++q) {
        const double* const weights = sums.weights.data() + q * sums.width;
        const D limit = std::min(sums.limits[q], last.first);
        double sum = 0;
        for (std::size_t e = begin; e < end; ++e) {
          const bool counts =
              sums.dist[e] <= limit && (sums.dist[e] < last.first || e <= last.second);
          sum += counts ? weights[sums.column(row, e)] * sums.value(e) : 0.0;
        }
        sums.sums[q * rows + row] = sum;
      }
    }
  });
}

/// Adds to a sum of each column: of the weights of rows.
template <class D>
void sum_columns(const WeightedSums<D>& sums, int threads, Control& control) {
  const std::size_t rows = sums.rows();
  if (!sums.columns.empty() || sums.dist.empty()) {
    for (std::size_t q = 0; q < sums.limits.size(); ++q)
      for (std::size_t row = 0; row < rows; ++row) {
        const double weight = sums.weights[q * rows + row];
        for (auto e = static_cast<std::size_t>(sums.starts[row]);
             e < static_cast<std::size_t>(sums.starts[row + 1]); ++e)
          if (sums.dist[e] <= sums.limits[q])
            sums.sums[q * sums.width + sums.column(row, e)] += weight * sums.value(e);
      }
    return;
  }
  constexpr std::size_t kColumns = 2048;  // that a thread takes at a time: they fit the L1 cache
  for_each_part((sums.width + kColumns - 1) / kColumns, threads, control, [&](std::size_t part) {
    const std::size_t first = part * kColumns;
    const std::size_t count = std::min(kColumns, sums.width - first);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = row * sums.width + first;
      const D* const dist = sums.dist.data() + at;
      for (std::size_t q = 0; q < sums.limits.size(); ++q) {
        const double weight = sums.weights[q * rows + row];
        const D limit = sums.limits[q];
        double* const sum = sums.sums.data() + q * sums.width + first;
        if (sums.values.empty()) {
          for (std::size_t c = 0; c < count; ++c) sum[c] += dist[c] <= limit ? weight : 0.0;
        } else {
          const double* const values = sums.values.data() + at;
          for (std::size_t c = 0; c < count; ++c)
            sum[c] += dist[c] <= limit ? weight * values[c] : 0.0;
        }
      }
    }
  });
}

}  // namespace warpath
