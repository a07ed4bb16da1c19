// floyd_warshall.hpp - all pairs of a dense matrix, in place, as blocked min-plus products.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/team.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// What the kernels take for "no path": inf, or half of an integer's range, so that two of them
/// still add up.
template <class T>
constexpr T no_path =
    std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                : static_cast<T>(std::numeric_limits<T>::max() / 2);

/// Integers: every true length lies below max / 4 in size, so anything above is no_path plus a
/// length.
template <class T>
constexpr T longest_path = static_cast<T>(std::numeric_limits<T>::max() / 4);

/// c[i][j] = min(c[i][j], a[i][k] + b[k][j]) over all k, for kRows x (kVectors vectors of kBytes)
/// of c in registers.
///
/// `a` holds kRows entries for each k, `b` one row of the tile. The compiler makes one add and one
/// minimum of each step (for floats too: `s < c ? s : c` is what the minimum instruction does). An
/// integer that went through no_path is set back to it, so that negative weights never let it drift
/// towards the lengths.
template <class T, int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void min_plus_tile(const T* a, const T* b, T* c, std::size_t stride,
                                                 int depth) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Memory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  Vector best[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j)
      best[i][j] =
          *reinterpret_cast<const Memory*>(c + static_cast<std::size_t>(i) * stride + j * kLanes);
  for (int k = 0; k < depth; ++k, a += kRows, b += kVectors * kLanes) {
    Vector row[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) row[j] = *reinterpret_cast<const Memory*>(b + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const T first = a[i];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        const Vector sum = row[j] + first;
        best[i][j] = sum < best[i][j] ? sum : best[i][j];
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      Vector out = best[i][j];
      if constexpr (std::is_integral_v<T>) {
        const Vector none = Vector{} + no_path<T>;
        out = out > longest_path<T> ? none : out;
      }
      *reinterpret_cast<Memory*>(c + static_cast<std::size_t>(i) * stride + j * kLanes) = out;
    }
}

/// A block of c (rows x columns) from packed strips of a and b; the last strips may be cut.
template <class T, int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void min_plus_block(const T* a, const T* b, T* c, std::size_t stride,
                                                  int rows, int columns, int depth) {
  constexpr int kColumns = kVectors * kBytes / static_cast<int>(sizeof(T));
  for (int j = 0; j < columns; j += kColumns, b += static_cast<std::ptrdiff_t>(kColumns) * depth) {
    const T* strip = a;
    for (int i = 0; i < rows; i += kRows, strip += static_cast<std::ptrdiff_t>(kRows) * depth) {
      T* at = c + static_cast<std::size_t>(i) * stride + j;
      const int high = std::min(kRows, rows - i);
      const int wide = std::min(kColumns, columns - j);
      if (high == kRows && wide == kColumns) {
        min_plus_tile<T, kBytes, kRows, kVectors>(strip, b, at, stride, depth);
        continue;
      }
      T edge[kRows * kColumns];
      std::fill(edge, edge + kRows * kColumns, no_path<T>);
      for (int y = 0; y < high; ++y)
        std::copy(at + static_cast<std::size_t>(y) * stride,
                  at + static_cast<std::size_t>(y) * stride + wide, edge + y * kColumns);
      min_plus_tile<T, kBytes, kRows, kVectors>(strip, b, edge, kColumns, depth);
      for (int y = 0; y < high; ++y)
        std::copy(edge + y * kColumns, edge + y * kColumns + wide,
                  at + static_cast<std::size_t>(y) * stride);
    }
  }
}

/// Floyd-Warshall as in the book on a small contiguous block.
template <class T>
[[gnu::always_inline]] inline void close_block(T* block, int size) {
  for (int k = 0; k < size; ++k) {
    const T* through = block + k * size;
    for (int i = 0; i < size; ++i) {
      T* row = block + i * size;
      const T first = row[k];
      if (first >= no_path<T>) continue;
      for (int j = 0; j < size; ++j) {
        const T sum = static_cast<T>(first + through[j]);
        T best = sum < row[j] ? sum : row[j];
        if constexpr (std::is_integral_v<T>) best = best > longest_path<T> ? no_path<T> : best;
        row[j] = best;
      }
    }
  }
}

/// The kernels of one instruction set and the shape of their tiles.
template <class T>
struct DenseKernels {
  int rows;     // of a tile; divides the block size
  int columns;  // likewise
  void (*product)(const T* a, const T* b, T* c, std::size_t stride, int rows, int columns,
                  int depth);
  void (*close)(T* block, int size);
};

template <class T>
void product_default(const T* a, const T* b, T* c, std::size_t stride, int rows, int columns,
                     int depth) {
  min_plus_block<T, 16, 4, 3>(a, b, c, stride, rows, columns, depth);
}
template <class T>
void close_default(T* block, int size) {
  close_block(block, size);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void product_avx2(const T* a, const T* b, T* c, std::size_t stride,
                                          int rows, int columns, int depth) {
  min_plus_block<T, 32, 4, 3>(a, b, c, stride, rows, columns, depth);
}
template <class T>
[[gnu::target("avx2")]] void close_avx2(T* block, int size) {
  close_block(block, size);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] void product_avx512(const T* a, const T* b, T* c,
                                                                       std::size_t stride, int rows,
                                                                       int columns, int depth) {
  min_plus_block<T, 64, 8, 3>(a, b, c, stride, rows, columns, depth);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] void close_avx512(T* block, int size) {
  close_block(block, size);
}
#endif

/// The widest instruction set that this machine has.
template <class T>
DenseKernels<T> dense_kernels() {
  constexpr int kSize = static_cast<int>(sizeof(T));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {8, 192 / kSize, product_avx512<T>, close_avx512<T>};
  if (__builtin_cpu_supports("avx2")) return {4, 96 / kSize, product_avx2<T>, close_avx2<T>};
#endif
  return {4, 48 / kSize, product_default<T>, close_default<T>};
}

/// Blocked Floyd-Warshall on threads, in place on a row-major n x n matrix.
///
/// For each block of kBlock vertices: (1) close the diagonal block D among them; (2) the block's
/// rows become min(R, D + R) and its columns min(C, C + D), which is exact since D is closed; (3)
/// everything else becomes min(X, C + R). All of (2) and (3) is one min-plus product kernel on
/// packed panels, so that no row stride of the matrix reaches the inner loop. Work 2 n^3
/// operations, of which (1) is n kBlock^2 on one thread. Extra memory: two panels of n x kBlock.
///
/// Preconditions (the caller's): no negative cycle, 0 on the diagonal; integers: every shortest
/// length is below max / 4 in size; floats: nothing below 0, for rounding can make a cycle of
/// length 0 negative, and each step could double what it gains. Integers come out exact, floats
/// within the rounding of differently associated sums. Source: Floyd 1962; Warshall 1962; blocking:
/// Venkataraman, Sahni, Mukhopadhyaya 2003.
template <class T>
class FloydWarshall {
 public:
  FloydWarshall(std::span<T> dist, std::int64_t n, int threads, Control& control)
      : dist_(dist),
        n_(n),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        kernels_(dense_kernels<T>()) {
    const auto panel = static_cast<std::size_t>(blocks() * kBlock * kBlock);
    rows_.resize(panel);
    columns_.resize(panel);
    diagonal_.resize(static_cast<std::size_t>(kBlock * kBlock));
    left_.resize(static_cast<std::size_t>(kBlock * kBlock));
    right_.resize(static_cast<std::size_t>(kBlock * kBlock));
  }

  void run() {
    control_.expect(blocks() * blocks() * blocks());
    run_team(threads_, control_, [this](int rank) {
      Pulse pulse(control_, rank == 0);
      replace(rank, pulse, std::numeric_limits<T>::max(), no_path<T>);
      for (std::int64_t block = 0; block < blocks(); ++block) through(block, rank, pulse);
      replace(rank, pulse, no_path<T>, std::numeric_limits<T>::max());
    });
  }

 private:
  // A multiple of every tile's sides. A strip of a panel is 36 KiB with AVX-512 and 18 KiB with
  // AVX2.
  static constexpr std::int64_t kBlock = 192;

  std::int64_t blocks() const { return (n_ + kBlock - 1) / kBlock; }
  int size(std::int64_t block) const {
    return static_cast<int>(std::min(kBlock, n_ - block * kBlock));
  }
  T* at(std::int64_t row_block, std::int64_t column_block) {
    return dist_.data() + row_block * kBlock * n_ + column_block * kBlock;
  }
  T* packed(std::vector<T>& panel, std::int64_t block) {
    return panel.data() + block * kBlock * kBlock;
  }

  /// One step over the block `k`; ends with all threads together.
  void through(std::int64_t k, int rank, Pulse& pulse) {
    if (rank == 0) close_diagonal(k);
    barrier_.wait(rank);
    share(blocks(), rank, pulse, [&](std::int64_t other) {
      if (other == k) {
        pack_rows(at(k, k), size(k), size(k), packed(rows_, k));
        pack_columns(at(k, k), size(k), size(k), packed(columns_, k));
        return;
      }
      T* old = packed(rows_, other);
      pack_rows(at(k, other), size(k), size(other), old);
      product(left_.data(), old, k, other, k);
      pack_rows(at(k, other), size(k), size(other), old);
      old = packed(columns_, other);
      pack_columns(at(other, k), size(other), size(k), old);
      product(old, right_.data(), other, k, k);
      pack_columns(at(other, k), size(other), size(k), old);
    });
    share(blocks() * blocks(), rank, pulse, [&](std::int64_t task) {
      const std::int64_t row = task / blocks();
      const std::int64_t column = task % blocks();
      if (row != k && column != k)
        product(packed(columns_, row), packed(rows_, column), row, column, k);
      control_.advance(1);
    });
  }

  void close_diagonal(std::int64_t k) {
    const int side = size(k);
    T* from = at(k, k);
    for (int i = 0; i < side; ++i)
      std::copy(from + i * n_, from + i * n_ + side, diagonal_.data() + i * side);
    kernels_.close(diagonal_.data(), side);
    for (int i = 0; i < side; ++i)
      std::copy(diagonal_.data() + i * side, diagonal_.data() + (i + 1) * side, from + i * n_);
    pack_columns(from, side, side, left_.data());
    pack_rows(from, side, side, right_.data());
  }

  void product(const T* a, const T* b, std::int64_t row, std::int64_t column, std::int64_t k) {
    kernels_.product(a, b, at(row, column), static_cast<std::size_t>(n_), size(row), size(column),
                     size(k));
  }

  /// Strips of kernels_.columns columns, row by row: how the product reads its right factor. What
  /// an earlier strip left beyond the end of a cut one only meets columns that are not copied back.
  void pack_rows(const T* from, int rows, int columns, T* out) const {
    for (int j = 0; j < columns; j += kernels_.columns) {
      const int wide = std::min(kernels_.columns, columns - j);
      for (int k = 0; k < rows; ++k, out += kernels_.columns) {
        std::copy(from + k * n_ + j, from + k * n_ + j + wide, out);
      }
    }
  }

  /// Strips of kernels_.rows rows, column by column: the left factor.
  void pack_columns(const T* from, int rows, int columns, T* out) const {
    for (int i = 0; i < rows; i += kernels_.rows) {
      const int high = std::min(kernels_.rows, rows - i);
      for (int k = 0; k < columns; ++k, out += kernels_.rows)
        for (int y = 0; y < kernels_.rows; ++y)
          out[y] = y < high ? from[(i + y) * n_ + k] : no_path<T>;
    }
  }

  /// Integers only: swaps the caller's sign for "no path" with the kernels'.
  void replace(int rank, Pulse& pulse, T from, T to) {
    if constexpr (std::is_integral_v<T>) {
      share(n_, rank, pulse, [&](std::int64_t row) {
        T* begin = dist_.data() + row * n_;
        std::replace(begin, begin + n_, from, to);
      });
    }
  }

  /// Runs task(0) .. task(count - 1) on the team, one at a time each, and waits for all.
  template <class Task>
  void share(std::int64_t count, int rank, Pulse& pulse, Task&& task) {
    for (;;) {
      const std::int64_t mine = next_.fetch_add(1, std::memory_order_relaxed);
      if (mine >= count) break;
      pulse.check();
      task(mine);
    }
    barrier_.wait(rank);
    if (rank == 0) next_.store(0, std::memory_order_relaxed);
    barrier_.wait(rank);
  }

  std::span<T> dist_;
  const std::int64_t n_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  const DenseKernels<T> kernels_;
  std::vector<T> rows_;  // block k's rows, packed; one kBlock x kBlock piece per block of columns
  std::vector<T> columns_;   // block k's columns, packed
  std::vector<T> diagonal_;  // the diagonal block, row by row
  std::vector<T> left_;      // the same packed as a left and as a right factor
  std::vector<T> right_;
  std::atomic<std::int64_t> next_{0};
};

template <class T>
void floyd_warshall(std::span<T> dist, std::int64_t n, int threads, Control& control) {
  FloydWarshall<T>(dist, n, threads, control).run();
}

}  // namespace warpath
