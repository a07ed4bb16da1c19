// dense_tree.hpp - predecessors of all pairs, from a matrix of lengths and that of the distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "warpath/control.hpp"
#include "warpath/min_plus.hpp"
#include "warpath/team.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// Columns of a strip: a power of two that every vector's lanes divide.
inline constexpr int kTreeStrip = 16;
inline constexpr int kTreeRows = 4;

/// For kTreeRows rows i of `dist` and a strip of columns j: the least dist[i][u] + lengths[u][j]
/// and the smallest u that gives it. `strip` has the lengths, n rows of kTreeStrip, inf for u = j.
template <int kBytes>
[[gnu::always_inline]] inline void least_through(const double* dist, std::int64_t n,
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

inline void least_through_default(const double* dist, std::int64_t n, const double* strip,
                                  std::int64_t* through) {
  least_through<16>(dist, n, strip, through);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline void least_through_avx2(const double* dist, std::int64_t n,
                                                       const double* strip, std::int64_t* through) {
  least_through<32>(dist, n, strip, through);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] inline void least_through_avx512(
    const double* dist, std::int64_t n, const double* strip, std::int64_t* through) {
  least_through<64>(dist, n, strip, through);
}
#endif

/// pred[i][j] = i where the edge i -> j is a shortest path, else the smallest u whose distance and
/// edge to j add up to least, if i is nearer to u than to j; -2 where it is not, as after edges of
/// no length, and -1 for j = i and where dist[i][j] is inf.
///
/// Lengths are >= 0, inf without an edge. For sums that are exact it is the predecessor of
/// tree.hpp, or i. Work n^3 on threads; extra memory n kTreeStrip a thread.
class DenseTree {
 public:
  DenseTree(const double* lengths, const double* dist, std::int32_t* pred, std::int64_t n,
            int bytes)
      : lengths_(lengths), dist_(dist), pred_(pred), n_(n), kernel_(least_through_default) {
#if defined(__x86_64__)
    if (bytes == 64) kernel_ = least_through_avx512;
    if (bytes == 32) kernel_ = least_through_avx2;
#else
    (void)bytes;
#endif
  }

  void find(int threads, Control& control) const {
    const std::int64_t strips = (n_ + kTreeStrip - 1) / kTreeStrip;
    control.expect(strips);
    run_team(threads, control, [&](int rank) {
      Pulse pulse(control, rank == 0);
      Panel<double> strip(static_cast<std::size_t>(n_ * kTreeStrip));
      Panel<double> rest(static_cast<std::size_t>(n_ * kTreeRows));
      for (std::int64_t at = rank; at < strips; at += threads) {
        pack(at * kTreeStrip, strip.data());
        columns(at * kTreeStrip, strip.data(), rest.data(), pulse);
        control.advance(1);
      }
    });
  }

 private:
  void pack(std::int64_t column, double* strip) const {
    for (std::int64_t u = 0; u < n_; ++u)
      for (std::int64_t j = 0; j < kTreeStrip; ++j) {
        const bool edge = column + j < n_ && column + j != u;
        strip[u * kTreeStrip + j] = edge ? lengths_[u * n_ + column + j] : no_path<double>;
      }
  }

  void columns(std::int64_t column, const double* strip, double* rest, Pulse& pulse) const {
    alignas(64) std::int64_t through[kTreeRows * kTreeStrip];
    for (std::int64_t i = 0; i < n_; i += kTreeRows) {
      pulse.check();
      const std::int64_t rows = std::min<std::int64_t>(kTreeRows, n_ - i);
      const double* dist = dist_ + i * n_;
      if (rows < kTreeRows) {
        std::copy_n(dist, rows * n_, rest);
        dist = rest;
      }
      kernel_(dist, n_, strip, through);
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
  void (*kernel_)(const double*, std::int64_t, const double*, std::int64_t*);
};

}  // namespace warpath
