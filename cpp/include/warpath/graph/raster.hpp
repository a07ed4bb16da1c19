// raster.hpp - the cells of a raster as a graph whose edges are computed from the cells' costs.
//
// A move from cell a to cell b costs (cost(a) + cost(b)) / 2 times the distance of their centres.
// The costs lie in rows with a margin of cells of infinite cost, barriers: a margin on the right is
// the margin on the left of the next row. A move across the border ends there, so that no move is
// tested, and no sum is below an infinite label. A search numbers the cells of the margin as well
// (positions); the graph numbers the cells of the raster only, row by row (vertices).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The moves from a cell, in ascending order of the cells that they lead to.
struct RasterMoves {
  static constexpr std::size_t kMost = 16;

  /// To 4 or 8 neighbours, or 16 with the knight's moves.
  RasterMoves(int neighbours, std::int64_t stride, double height, double width)
      : shift(neighbours == 4   ? 2
              : neighbours == 8 ? 3
                                : 4) {
    const int reach = neighbours == 16 ? 2 : 1;
    for (int down = -reach; down <= reach; ++down) {
      for (int right = -reach; right <= reach; ++right) {
        const int far = std::max(std::abs(down), std::abs(right));
        const int both = std::abs(down) + std::abs(right);
        if (both == 0 || (neighbours == 4 && both > 1) || (far == 2 && both != 3)) continue;
        rows[count] = down;
        columns[count] = right;
        steps[count] = static_cast<std::int32_t>(down * stride + right);
        const double y = down * height;
        const double x = right * width;
        halves[count++] = std::sqrt(y * y + x * x) / 2;
      }
    }
  }

  std::size_t count = 0;
  int shift;  // count is 1 << shift
  std::array<int, kMost> rows{}, columns{};
  std::array<std::int32_t, kMost> steps{};  // between positions
  std::array<double, kMost> halves{};       // half the distance of the centres
};

/// The rows of a raster's graph, as BucketCore reads them: by positions, margins included.
class RasterRows {
 public:
  using Vertex = std::int32_t;

  RasterRows(const double* costs, std::int64_t n, const RasterMoves& moves)
      : costs_(costs), n_(n), moves_(moves) {}

  std::int64_t n() const { return n_; }
  std::size_t begin(std::size_t v) const { return v << moves_.shift; }
  struct Edges {
    const double* costs;
    const RasterMoves* moves;
    std::size_t first;
    double cost;
    Vertex v;
    Vertex target(std::size_t e) const { return v + moves->steps[e - first]; }
    template <class L>
    L weight(std::size_t e) const {
      return (cost + costs[target(e)]) * moves->halves[e - first];
    }
  };
  Edges edges(std::size_t v) const {
    return {costs_, &moves_, begin(v), costs_[v], static_cast<Vertex>(v)};
  }
  [[gnu::always_inline]] void fetch_begin(std::size_t v) const { __builtin_prefetch(costs_ + v); }
  [[gnu::always_inline]] void fetch(std::size_t) const {}

 private:
  const double* costs_;
  std::int64_t n_;
  RasterMoves moves_;
};

/// What a pass over all edges finds; weights are finite and >= 0.
struct RasterStats {
  std::int64_t edges = 0, zero = 0;
  std::int64_t min_degree = std::numeric_limits<std::int64_t>::max(), max_degree = 0;
  double min_weight = std::numeric_limits<double>::infinity(), max_weight = 0, sum = 0;
};

class Raster {
 public:
  static constexpr double kBarrier = std::numeric_limits<double>::infinity();

  Raster(std::int64_t rows, std::int64_t columns, int neighbours, double height, double width)
      : rows_(rows),
        columns_(columns),
        margin_(neighbours == 16 ? 2 : 1),
        stride_(columns + margin_),
        moves_(neighbours, stride_, height, width),
        costs_(static_cast<std::size_t>(positions(rows, columns, neighbours)), kBarrier) {}

  static std::int64_t positions(std::int64_t rows, std::int64_t columns, int neighbours) {
    const std::int64_t margin = neighbours == 16 ? 2 : 1;
    return (rows + 2 * margin) * (columns + margin) + 2 * margin;
  }

  std::int64_t cells() const { return rows_ * columns_; }
  std::int64_t positions() const { return static_cast<std::int64_t>(costs_.size()); }
  std::int64_t position(std::int64_t vertex) const {
    return start_of(vertex / columns_) + vertex % columns_;
  }
  RasterRows rows() const { return {costs_.data(), positions(), moves_}; }

  /// Stores the costs of some rows; those that are no number become barriers. Returns the first
  /// negative one, or -1.
  std::int64_t set(std::int64_t first, std::span<const double> costs) {
    for (std::size_t from = 0; from < costs.size(); from += static_cast<std::size_t>(columns_)) {
      double* const to = costs_.data() + start_of(first++);
      for (std::size_t c = 0; c < static_cast<std::size_t>(columns_); ++c) {
        const double cost = costs[from + c];
        if (cost < 0) return static_cast<std::int64_t>(from + c);
        to[c] = cost < kBarrier ? cost + 0.0 : kBarrier;  // without the sign of -0.0
      }
    }
    return -1;
  }

  /// Whether `stats` was called, after which the costs do not change.
  bool complete() const { return !edges_before_.empty(); }

  /// Throws unless some rows from the first one on are rows of the raster.
  void check(std::int64_t first, std::size_t count, std::size_t columns) const {
    if (first < 0 || first > rows_ - static_cast<std::int64_t>(count) || columns == 0 ||
        static_cast<std::int64_t>(columns) != columns_)
      throw std::invalid_argument("costs must be rows of the raster");
  }

  void get(std::span<double> costs) const {
    for (std::int64_t row = 0; row < rows_; ++row)
      std::copy_n(costs_.data() + start_of(row), columns_, costs.data() + row * columns_);
  }

  RasterStats stats(int threads, Control& control) {
    std::vector<RasterStats> by_row(static_cast<std::size_t>(rows_));
    each_row(threads, control, [&](std::int64_t row) {
      RasterStats own;
      for (std::int64_t c = 0; c < columns_; ++c) {
        std::int64_t degree = 0;
        each_move(row, c, [&](std::int64_t, double weight) {
          ++degree;
          own.zero += weight == 0;
          own.min_weight = std::min(own.min_weight, weight);
          own.max_weight = std::max(own.max_weight, weight);
          own.sum += weight;
        });
        own.edges += degree;
        own.min_degree = std::min(own.min_degree, degree);
        own.max_degree = std::max(own.max_degree, degree);
      }
      by_row[static_cast<std::size_t>(row)] = own;
    });
    RasterStats all;
    edges_before_.assign(1, 0);
    for (const RasterStats& own : by_row) {
      all.edges += own.edges;
      all.zero += own.zero;
      all.sum += own.sum;
      all.min_degree = std::min(all.min_degree, own.min_degree);
      all.max_degree = std::max(all.max_degree, own.max_degree);
      all.min_weight = std::min(all.min_weight, own.min_weight);
      all.max_weight = std::max(all.max_weight, own.max_weight);
      edges_before_.push_back(all.edges);
    }
    return all;
  }

  std::int64_t edges() const { return edges_before_.back(); }

  /// Fills the arrays of a graph; after `stats`.
  template <Index V>
  void write(std::span<std::int64_t> indptr, std::span<V> indices, std::span<double> weights,
             int threads, Control& control) const {
    indptr[0] = 0;
    each_row(threads, control, [&](std::int64_t row) {
      auto edge = static_cast<std::size_t>(edges_before_[static_cast<std::size_t>(row)]);
      for (std::int64_t c = 0; c < columns_; ++c) {
        each_move(row, c, [&](std::int64_t target, double weight) {
          indices[edge] = static_cast<V>(target);
          weights[edge++] = weight;
        });
        indptr[static_cast<std::size_t>(row * columns_ + c) + 1] = static_cast<std::int64_t>(edge);
      }
    });
  }

  /// Moves distances by positions to the front, as distances by vertices.
  void compact(std::span<double> dist) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto from = dist.begin() + start_of(row);
      std::copy(from, from + columns_, dist.begin() + row * columns_);
    }
  }

  /// The tree of tree.hpp: the smallest u with a tight edge u -> v and dist[u] < dist[v]; where all
  /// tight edges have length 0, in breadth-first order over these.
  void tree(std::int64_t source, std::span<const double> dist, std::span<std::int32_t> pred,
            int threads, Control& control) const {
    std::vector<std::vector<std::int32_t>> open(static_cast<std::size_t>(rows_));
    each_row(threads, control, [&](std::int64_t row) {
      for (std::int64_t c = 0; c < columns_; ++c) {
        const auto v = static_cast<std::size_t>(row * columns_ + c);
        pred[v] = -1;
        if (dist[v] == kBarrier || static_cast<std::int64_t>(v) == source) continue;
        each_move(row, c, [&](std::int64_t u, double weight) {
          const double from = dist[static_cast<std::size_t>(u)];
          if (pred[v] < 0 && from + weight == dist[v] && from < dist[v])
            pred[v] = static_cast<std::int32_t>(u);
        });
        if (pred[v] < 0)
          open[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(v));
      }
    });
    assign_by_levels(source, dist, pred, open, control);
  }

  /// The nearest of several sources for each vertex, as `nearest_sources` of owners.hpp.
  void owners(std::span<const std::int64_t> sources, std::span<const double> dist,
              std::span<std::int32_t> nearest, Poller poller) const {
    std::fill(nearest.begin(), nearest.end(), -1);
    std::vector<std::int32_t> open;
    for (const std::int64_t source : sources) {
      const auto own = static_cast<std::int32_t>(source);
      const auto first = static_cast<std::size_t>(source);
      if (nearest[first] >= 0 || dist[first] != 0) continue;
      nearest[first] = own;
      open.assign(1, own);
      while (!open.empty()) {
        const std::int32_t u = open.back();
        open.pop_back();
        poller.step();
        each_move(u / columns_, u % columns_, [&](std::int64_t v, double weight) {
          const auto at = static_cast<std::size_t>(v);
          if (nearest[at] >= 0 || dist[static_cast<std::size_t>(u)] + weight != dist[at]) return;
          nearest[at] = own;
          open.push_back(static_cast<std::int32_t>(v));
        });
      }
    }
  }

 private:
  std::int64_t start_of(std::int64_t row) const { return (row + margin_) * stride_ + margin_; }

  /// Calls visit(vertex, weight) for each move from a cell, in ascending order of the vertices.
  template <class Visit>
  void each_move(std::int64_t row, std::int64_t column, Visit&& visit) const {
    const double* const at = costs_.data() + start_of(row) + column;
    if (*at == kBarrier) return;
    for (std::size_t k = 0; k < moves_.count; ++k) {
      const double weight = (*at + at[moves_.steps[k]]) * moves_.halves[k];
      if (weight == kBarrier) continue;
      visit((row + moves_.rows[k]) * columns_ + column + moves_.columns[k], weight);
    }
  }

  template <class Visit>
  void each_row(int threads, Control& control, Visit&& visit) const {
    std::atomic<std::int64_t> next{0};
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      for (std::int64_t row; (row = next.fetch_add(1)) < rows_;) {
        visit(row);
        poller.step(columns_);
      }
    });
  }

  template <class Visit>
  void each_level_move(std::int64_t vertex, std::span<const double> dist, Visit&& visit) const {
    each_move(vertex / columns_, vertex % columns_, [&](std::int64_t u, double weight) {
      const double label = dist[static_cast<std::size_t>(vertex)];
      if (dist[static_cast<std::size_t>(u)] == label && label + weight == label)
        visit(static_cast<std::int32_t>(u));
    });
  }

  /// The first level has the cells next to those with a predecessor, the next ones their
  /// neighbours.
  void assign_by_levels(std::int64_t source, std::span<const double> dist,
                        std::span<std::int32_t> pred,
                        const std::vector<std::vector<std::int32_t>>& open,
                        Control& control) const {
    Poller poller(control, true);
    std::vector<std::int32_t> level, ends;
    for (const auto& row : open) {
      for (const std::int32_t v : row) {
        std::int32_t smallest = -1;
        each_level_move(v, dist, [&](std::int32_t u) {
          const bool assigned = u == source || pred[static_cast<std::size_t>(u)] >= 0;
          if (smallest < 0 && assigned) smallest = u;
        });
        poller.step();
        if (smallest < 0) continue;
        level.push_back(v);
        ends.push_back(smallest);
      }
    }
    for (std::size_t i = 0; i < level.size(); ++i)
      pred[static_cast<std::size_t>(level[i])] = ends[i];
    while (!level.empty()) {
      std::vector<std::int32_t> next;
      std::sort(level.begin(), level.end());  // so that the smallest comes first
      for (const std::int32_t u : level) {
        poller.step();
        each_level_move(u, dist, [&](std::int32_t v) {
          if (v == source || pred[static_cast<std::size_t>(v)] >= 0) return;
          pred[static_cast<std::size_t>(v)] = u;
          next.push_back(v);
        });
      }
      level = std::move(next);
    }
  }

  std::int64_t rows_, columns_;
  std::int64_t margin_, stride_;
  RasterMoves moves_;
  PageArray<double> costs_;
  std::vector<std::int64_t> edges_before_;  // the edges of the rows before each row
};

}  // namespace warpath
