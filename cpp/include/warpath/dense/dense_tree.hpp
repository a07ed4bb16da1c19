// dense_tree.hpp - predecessors of all pairs, from the matrices of edge lengths and of distances.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "warpath/dense/min_plus.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Columns of a strip: a power of two and a multiple of every vector's lanes.
inline constexpr int kTreeStrip = 16;
inline constexpr int kTreeRows = 4;

/// For kTreeRows rows i of `dist` and a strip of columns j: the minimum of dist[i][u] +
/// lengths[u][j] and the smallest u that attains it. `strip` has the lengths, n rows of kTreeStrip,
/// inf for u = j.
template <int kBytes>
[[gnu::always_inline]] inline void min_through(const double* dist, std::int64_t n,
                                               const double* strip, std::int64_t* through) {
  typedef double Vector __attribute__((vector_size(kBytes), may_alias));
  typedef std::int64_t Places __attribute__((vector_size(kBytes), may_alias));
  constexpr int kLanes = kBytes / 8;
  constexpr int kAtOnce = std::min(2, kTreeStrip / kLanes);
  for (int j = 0; j < kTreeStrip; j += kAtOnce * kLanes) {
    Vector best[kTreeRows][kAtOnce];
    Places place[kTreeRows][kAtOnce];
#pragma GCC unroll 4
    for (int i = 0; i < kTreeRows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < kAtOnce; ++v) {
        best[i][v] = Vector{} + std::numeric_limits<double>::infinity();
        place[i][v] = Places{} - 1;
      }
    for (std::int64_t u = 0; u < n; ++u) {
      const Vector* row = reinterpret_cast<const Vector*>(strip + u * kTreeStrip + j);
      const Places here = Places{} + u;
#pragma GCC unroll 4
      for (int i = 0; i < kTreeRows; ++i) {
        const double first = dist[i * n + u];
#pragma GCC unroll 2
        for (int v = 0; v < kAtOnce; ++v) {
          const Vector sum = row[v] + first;
          const auto less = sum < best[i][v];
          best[i][v] = less ? sum : best[i][v];
          place[i][v] = less ? here : place[i][v];
        }
      }
    }
    for (int i = 0; i < kTreeRows; ++i)
      for (int v = 0; v < kAtOnce; ++v)
        *reinterpret_cast<Places*>(through + i * kTreeStrip + j + v * kLanes) = place[i][v];
  }
}

/// An edge into a vertex that may be the last edge of a shortest path.
struct InEdge {
  double length;
  std::int32_t from;
};

/// Rows that are tested together against the in-edges of a vertex.
inline constexpr int kTreeSlab = 64;

/// For kTreeSlab rows: the minimum sum of a row's distance to `from` and the edge's length, and the
/// `from` of the first edge that attains it, -1 for none. `slab` has the distances, kTreeSlab rows
/// per vertex.
template <int kBytes>
[[gnu::always_inline]] inline void min_entering(const double* slab,
                                                const std::vector<InEdge>& edges, double* smallest,
                                                std::int64_t* through) {
  typedef double Vector __attribute__((vector_size(kBytes), may_alias));
  typedef std::int64_t Places __attribute__((vector_size(kBytes), may_alias));
  constexpr int kLanes = kBytes / 8;
  constexpr int kAtOnce = 4;
  for (int row = 0; row < kTreeSlab; row += kAtOnce * kLanes) {
    Vector best[kAtOnce];
    Places place[kAtOnce];
#pragma GCC unroll 4
    for (int v = 0; v < kAtOnce; ++v) {
      best[v] = Vector{} + std::numeric_limits<double>::infinity();
      place[v] = Places{} - 1;
    }
    for (const InEdge& edge : edges) {
      const double* from = slab + std::int64_t{edge.from} * kTreeSlab + row;
      const Places here = Places{} + edge.from;
#pragma GCC unroll 4
      for (int v = 0; v < kAtOnce; ++v) {
        const Vector sum = reinterpret_cast<const Vector*>(from)[v] + edge.length;
        const Places less = sum < best[v];
        best[v] = less ? sum : best[v];
        place[v] = less ? here : place[v];
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kAtOnce; ++v) {
      reinterpret_cast<Vector*>(smallest + row)[v] = best[v];
      reinterpret_cast<Places*>(through + row)[v] = place[v];
    }
  }
}

/// The loops above for one vector width.
struct TreeLoops {
  void (*through)(const double*, std::int64_t, const double*, std::int64_t*);
  void (*entering)(const double*, const std::vector<InEdge>&, double*, std::int64_t*);
};

inline void min_through_default(const double* dist, std::int64_t n, const double* strip,
                                std::int64_t* through) {
  min_through<16>(dist, n, strip, through);
}
inline void min_entering_default(const double* slab, const std::vector<InEdge>& edges,
                                 double* smallest, std::int64_t* through) {
  min_entering<16>(slab, edges, smallest, through);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline void min_through_avx2(const double* dist, std::int64_t n,
                                                     const double* strip, std::int64_t* through) {
  min_through<32>(dist, n, strip, through);
}
[[gnu::target("avx2")]] inline void min_entering_avx2(const double* slab,
                                                      const std::vector<InEdge>& edges,
                                                      double* smallest, std::int64_t* through) {
  min_entering<32>(slab, edges, smallest, through);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] inline void min_through_avx512(
    const double* dist, std::int64_t n, const double* strip, std::int64_t* through) {
  min_through<64>(dist, n, strip, through);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] inline void min_entering_avx512(
    const double* slab, const std::vector<InEdge>& edges, double* smallest, std::int64_t* through) {
  min_entering<64>(slab, edges, smallest, through);
}
#endif

/// Fills pred[i][j]: i if the edge i -> j is a shortest path; else the smallest u that minimises
/// dist[i][u] + length(u, j), if dist[i][u] < dist[i][j]; else -2, as after edges of length 0. It
/// is -1 for j = i and where dist[i][j] is inf.
///
/// Lengths must be >= 0, inf without an edge. If sums are exact, the result is the predecessor of
/// tree.hpp, or i.
///
/// An edge that is longer than the largest distance to its end is on no shortest path. In a
/// complete graph with random lengths some 2 ln n edges per vertex remain, which are listed; if
/// more than n^2 / kFewEdges remain, all edges are tested. Work n^3 at most, on threads; extra
/// memory 16 n^2 / kFewEdges bytes and n kTreeSlab labels per thread.
class DenseTree {
 public:
  static constexpr std::int64_t kFewEdges = 8;

  DenseTree(const double* lengths, const double* dist, std::int32_t* pred, std::int64_t n,
            int bytes)
      : lengths_(lengths),
        dist_(dist),
        pred_(pred),
        n_(n),
        loops_{min_through_default, min_entering_default} {
#if defined(__x86_64__)
    if (bytes == 64) loops_ = {min_through_avx512, min_entering_avx512};
    if (bytes == 32) loops_ = {min_through_avx2, min_entering_avx2};
#else
    (void)bytes;
#endif
  }

  void find(int threads, Control& control) {
    control.expect(n_);
    if (list_in_edges(threads, control))
      by_lists(threads, control);
    else
      by_all_edges(threads, control);
  }

 private:
  /// Lists the edges that may end a shortest path; false if there are too many.
  bool list_in_edges(int threads, Control& control) {
    farthest_.assign(static_cast<std::size_t>(n_), 0);
    in_edges_.assign(static_cast<std::size_t>(n_), {});
    std::atomic<std::int64_t> listed{0};
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      const std::int64_t first = n_ * rank / threads, last = n_ * (rank + 1) / threads;
      for (std::int64_t i = 0; i < n_; ++i)
        for (std::int64_t j = first; j < last; ++j) {
          const double label = dist_[i * n_ + j];
          farthest_[j] = std::max(farthest_[j], label == no_path<double> ? 0 : label);
        }
      // With rounded sums, the minimum through another vertex may be slightly larger.
      for (std::int64_t j = first; j < last; ++j) farthest_[j] *= 1 + 0x1p-30;
      for (std::int64_t u = 0; u < n_; ++u) {
        poller.check();
        std::int64_t here = 0;
        for (std::int64_t j = first; j < last; ++j) {
          const double length = lengths_[u * n_ + j];
          if (length > farthest_[j] || j == u) continue;
          in_edges_[j].push_back({length, static_cast<std::int32_t>(u)});
          ++here;
        }
        if ((listed += here) > n_ * n_ / kFewEdges) return;
      }
    });
    return listed <= n_ * n_ / kFewEdges;
  }

  void by_lists(int threads, Control& control) {
    const std::int64_t slabs = (n_ + kTreeSlab - 1) / kTreeSlab;
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      Panel<double> slab(static_cast<std::size_t>(n_ * kTreeSlab));
      alignas(64) double smallest[kTreeSlab];
      alignas(64) std::int64_t through[kTreeSlab];
      for (std::int64_t at = rank; at < slabs; at += threads) {
        const std::int64_t first = at * kTreeSlab;
        const int rows = static_cast<int>(std::min<std::int64_t>(kTreeSlab, n_ - first));
        for (std::int64_t u = 0; u < n_; ++u)
          for (int row = 0; row < rows; ++row)
            slab.data()[u * kTreeSlab + row] = dist_[(first + row) * n_ + u];
        for (std::int64_t j = 0; j < n_; ++j) {
          poller.check();
          loops_.entering(slab.data(), in_edges_[j], smallest, through);
          for (int row = 0; row < rows; ++row) {
            const std::int64_t i = first + row;
            // Edges that are not listed give sums larger than farthest_.
            if (!(smallest[row] <= farthest_[j])) through[row] = through_any(i, j);
            pred_[i * n_ + j] = judged(i, j, through[row]);
          }
        }
        control.advance(static_cast<std::uint64_t>(rows));
      }
    });
  }

  std::int64_t through_any(std::int64_t i, std::int64_t j) const {
    const double* row = dist_ + i * n_;
    std::int64_t through = -1;
    if (row[j] == no_path<double> || row[j] == lengths_[i * n_ + j]) return through;
    double smallest = no_path<double>;
    for (std::int64_t u = 0; u < n_; ++u) {
      const double sum = row[u] + lengths_[u * n_ + j];
      if (u == j || !(sum < smallest)) continue;
      smallest = sum;
      through = u;
    }
    return through;
  }

  void by_all_edges(int threads, Control& control) const {
    const std::int64_t strips = (n_ + kTreeStrip - 1) / kTreeStrip;
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      Panel<double> strip(static_cast<std::size_t>(n_ * kTreeStrip));
      Panel<double> rest(static_cast<std::size_t>(n_ * kTreeRows));
      for (std::int64_t at = rank; at < strips; at += threads) {
        const std::int64_t column = at * kTreeStrip;
        pack(column, strip.data());
        columns(column, strip.data(), rest.data(), poller);
        control.advance(
            static_cast<std::uint64_t>(std::min<std::int64_t>(kTreeStrip, n_ - column)));
      }
    });
  }

  void pack(std::int64_t column, double* strip) const {
    for (std::int64_t u = 0; u < n_; ++u)
      for (std::int64_t j = 0; j < kTreeStrip; ++j) {
        const bool edge = column + j < n_ && column + j != u;
        strip[u * kTreeStrip + j] = edge ? lengths_[u * n_ + column + j] : no_path<double>;
      }
  }

  void columns(std::int64_t column, const double* strip, double* rest, Poller& poller) const {
    alignas(64) std::int64_t through[kTreeRows * kTreeStrip];
    for (std::int64_t i = 0; i < n_; i += kTreeRows) {
      poller.check();
      const std::int64_t rows = std::min<std::int64_t>(kTreeRows, n_ - i);
      const double* dist = dist_ + i * n_;
      if (rows < kTreeRows) {
        std::copy_n(dist, rows * n_, rest);
        dist = rest;
      }
      loops_.through(dist, n_, strip, through);
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t j = column; j < std::min(n_, column + kTreeStrip); ++j)
          pred_[(i + y) * n_ + j] = judged(i + y, j, through[y * kTreeStrip + j - column]);
    }
  }

  std::int32_t judged(std::int64_t i, std::int64_t j, std::int64_t u) const {
    const double* row = dist_ + i * n_;
    if (i == j || row[j] == no_path<double>) return -1;
    if (row[j] == lengths_[i * n_ + j]) return static_cast<std::int32_t>(i);
    return u >= 0 && row[u] < row[j] ? static_cast<std::int32_t>(u) : -2;
  }

  const double* lengths_;
  const double* dist_;
  std::int32_t* pred_;
  const std::int64_t n_;
  TreeLoops loops_;
  std::vector<double> farthest_;  // largest distance to each vertex, slightly enlarged
  std::vector<std::vector<InEdge>> in_edges_;
};

}  // namespace warpath
