// floyd_warshall.hpp - all-pairs distances of a dense matrix, by blocked Floyd-Warshall.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "warpath/dense/min_plus.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Blocked Floyd-Warshall on threads, in place on a row-major n x n matrix.
///
/// For each block of kDepth vertices: (1) close the diagonal block D, that is, solve it alone; (2)
/// set the block's rows to min(R, D + R) and its columns to min(C, C + D), which is exact since D
/// is closed; (3) set everything else to min(X, C + R). (2) and (3) run one min-plus product kernel
/// on copies of the panels, so that the inner loop never uses the matrix's row stride. The first
/// task of (3) is the next block's diagonal; the thread that computes it also closes it while the
/// others continue. Work 2 n^3 operations, of which (1) is 2 n kDepth^2. Extra memory: two panels
/// of n x kDepth.
///
/// Preconditions (of the caller): no negative cycle, 0 on the diagonal. Integers: every shortest
/// length is below max / 4 in size. Floats: no negative weight, as rounding can make a cycle of
/// length 0 negative, and each step could double the error. Integer results are exact, floats are
/// within the rounding of differently associated sums. Integers outside of +- max / 4 are rejected
/// on input, and results below -max / 4 on output; as sums grow only in size, none has wrapped.
/// Source: Floyd 1962; Warshall 1962; blocking: Venkataraman, Sahni, Mukhopadhyaya 2003.
template <class T>
class FloydWarshall {
 public:
  /// `stride`: entries between the starts of two rows. `labels`: the matrix has, and keeps, the
  /// kernels' value for "no path".
  FloydWarshall(T* dist, std::int64_t n, std::int64_t stride, bool labels, int threads, int bytes,
                Control& control)
      : dist_(dist),
        n_(n),
        stride_(stride),
        labels_(labels),
        threads_(n > kDepth ? threads : 1),
        control_(control),
        barrier_(threads_, control),
        kernels_(dense_kernels<T>(bytes)),
        strip_(kernels_.columns),
        rows_(n > kDepth ? panel((n + strip_ - 1) / strip_ * strip_) : 0),
        columns_(n > kDepth ? panel(n + kernels_.rows) : 0),
        diagonal_(panel(kDepth + kernels_.rows)),
        right_(panel(kDepth)),
        row_chunk_(n > kFewVertices ? 128 : 64),
        column_chunk_(n > kFewVertices ? 256 : 128) {
    for (int rank = 0; rank < threads_; ++rank) scratch_.emplace_back(panel(kScratchRows));
  }

  void run() {
    control_.expect(blocks());
    run_team(threads_, control_, [this](int rank) {
      Poller poller(control_, rank == 0);
      take(rank, poller);
      if (rank == 0) close_diagonal(0);
      for (std::int64_t block = 0; block < blocks(); ++block) through(block, rank, poller);
      give_back(rank, poller);
    });
  }

 private:
  /// A range of the rows or of the columns.
  struct Chunk {
    std::int64_t begin;
    int size;
  };

  // Up to this size, chunks of a quarter of the area keep two threads equally busy.
  static constexpr std::int64_t kFewVertices = 1536;
  // rows of a column panel that are updated together; also the excess that the last tile reads
  static constexpr int kAtOnce = 24;
  static constexpr int kScratchRows = kDepth;

  static std::size_t panel(std::int64_t rows) { return static_cast<std::size_t>(rows * kDepth); }
  std::int64_t blocks() const { return (n_ + kDepth - 1) / kDepth; }
  Chunk block(std::int64_t k) const {
    return {k * kDepth, static_cast<int>(std::min<std::int64_t>(kDepth, n_ - k * kDepth))};
  }
  T* at(std::int64_t row, std::int64_t column) { return dist_ + row * stride_ + column; }
  T* packed_row(std::int64_t row) { return columns_.data() + row * kDepth; }
  T* packed_column(std::int64_t column) { return rows_.data() + column * kDepth; }

  /// The rows or columns outside block k, in chunks; block k + 1 comes first, as one chunk.
  std::vector<Chunk> chunks_outside(std::int64_t k, std::int64_t limit) const {
    std::vector<Chunk> chunks;
    const auto cut = [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += limit)
        chunks.push_back({begin, static_cast<int>(std::min(limit, end - begin))});
    };
    std::int64_t after = (k + 1) * kDepth;
    if (k + 1 < blocks()) {
      chunks.push_back(block(k + 1));
      after += chunks.back().size;
    }
    cut(0, k * kDepth);
    cut(after, n_);
    return chunks;
  }

  /// One step over block `k`, whose diagonal is closed; ends with a barrier.
  void through(std::int64_t k, int rank, Poller& poller) {
    const std::vector<Chunk> below = chunks_outside(k, row_chunk_);
    const std::vector<Chunk> across = chunks_outside(k, column_chunk_);
    const auto rows = static_cast<std::int64_t>(below.size());
    const auto columns = static_cast<std::int64_t>(across.size());
    barrier_.wait(rank);
    T* scratch = scratch_[static_cast<std::size_t>(rank)].data();
    share(rows + columns, rank, poller, [&](std::int64_t task) {
      if (task < columns) {
        update_rows(k, across[static_cast<std::size_t>(task)], scratch);
      } else {
        update_columns(k, below[static_cast<std::size_t>(task - columns)], scratch);
      }
    });
    share(rows * columns, rank, poller, [&](std::int64_t task) {
      const Chunk row = below[static_cast<std::size_t>(task / columns)];
      const Chunk column = across[static_cast<std::size_t>(task % columns)];
      kernels_.product(packed_row(row.begin), packed_column(column.begin),
                       at(row.begin, column.begin), static_cast<std::size_t>(stride_), row.size,
                       column.size, block(k).size);
      if (task == 0 && k + 1 < blocks()) close_diagonal(k + 1);
    });
    if (rank == 0) control_.advance(1);
  }

  void close_diagonal(std::int64_t k) {
    const Chunk pivot = block(k);
    T* from = at(pivot.begin, pivot.begin);
    for (int i = 0; i < pivot.size; ++i) {
      T* row = diagonal_.data() + i * kDepth;
      std::copy_n(from + i * stride_, pivot.size, row);
      std::fill(row + pivot.size, row + kDepth, no_path<T>);
    }
    kernels_.close(diagonal_.data(), pivot.size);
    for (int i = 0; i < pivot.size; ++i)
      std::copy_n(diagonal_.data() + i * kDepth, pivot.size, from + i * stride_);
    pack_strips(diagonal_.data(), kDepth, pivot.size, pivot.size, strip_, right_.data());
  }

  /// Updates the pivot block's rows in some columns, strip by strip: the old values times the
  /// closed diagonal go to the panel, and from there to the matrix.
  void update_rows(std::int64_t k, Chunk columns, T* old) {
    const Chunk pivot = block(k);
    const std::int64_t end = columns.begin + columns.size;
    for (std::int64_t j = columns.begin; j < end; j += strip_) {
      const int wide = static_cast<int>(std::min<std::int64_t>(strip_, end - j));
      T* from = at(pivot.begin, j);
      T* strip = packed_column(j);
      pack_strips(from, static_cast<std::size_t>(stride_), pivot.size, wide, strip_, old);
      std::copy_n(old, pivot.size * strip_, strip);
      kernels_.product(diagonal_.data(), old, strip, static_cast<std::size_t>(strip_), pivot.size,
                       strip_, pivot.size);
      for (int i = 0; i < pivot.size; ++i)
        std::copy_n(strip + i * strip_, wide, from + i * stride_);
    }
  }

  /// Updates the pivot block's columns in some rows likewise.
  void update_columns(std::int64_t k, Chunk rows, T* old) {
    const Chunk pivot = block(k);
    for (int begin = 0; begin < rows.size; begin += kAtOnce) {
      const int high = std::min(kAtOnce, rows.size - begin);
      T* from = at(rows.begin + begin, pivot.begin);
      T* panel = packed_row(rows.begin + begin);
      for (int i = 0; i < high; ++i) {
        std::copy_n(from + i * stride_, pivot.size, panel + i * kDepth);
        std::copy_n(from + i * stride_, pivot.size, old + i * kDepth);
      }
      kernels_.product(old, right_.data(), panel, kDepth, high, pivot.size, pivot.size);
      for (int i = 0; i < high; ++i)
        std::copy_n(panel + i * kDepth, pivot.size, from + i * stride_);
    }
  }

  /// Integers only: checks the lengths and converts "no path" to the kernels' value.
  void take(int rank, Poller& poller) {
    if constexpr (std::is_integral_v<T>)
      replace(rank, poller, absent(), no_path<T>, longest_path<T>, "a length lies outside of");
  }

  /// Replaces it back, and detects results out of range.
  void give_back(int rank, Poller& poller) {
    if constexpr (std::is_integral_v<T>)
      replace(rank, poller, no_path<T>, absent(), no_path<T>,
              "a negative cycle, or lengths whose sums leave");
  }

  T absent() const { return labels_ ? no_path<T> : unreachable<T>; }

  void replace(int rank, Poller& poller, T from, T to, T limit, const char* otherwise) {
    share(n_, rank, poller, [&](std::int64_t row) {
      if (!kernels_.replace(at(row, 0), n_, from, to, -longest_path<T>, limit))
        refuse(otherwise, row);
    });
  }

  [[noreturn]] static void refuse(const char* what, std::int64_t row) {
    throw std::invalid_argument("row " + std::to_string(row) + " of the matrix: " + what + " +- " +
                                std::to_string(longest_path<T>) +
                                ", a quarter of the type's range; use a wider type");
  }

  /// Runs task(0) .. task(count - 1) on the team, claimed one by one, and waits for all.
  template <class Task>
  void share(std::int64_t count, int rank, Poller& poller, Task&& task) {
    for (;;) {
      const std::int64_t mine = next_.fetch_add(1, std::memory_order_relaxed);
      if (mine >= count) break;
      poller.check();
      task(mine);
    }
    barrier_.wait(rank);
    if (rank == 0) next_.store(0, std::memory_order_relaxed);
    barrier_.wait(rank);
  }

  T* dist_;
  const std::int64_t n_;
  const std::int64_t stride_;
  const bool labels_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  const DenseKernels<T> kernels_;
  const int strip_;    // columns of a tile
  Panel<T> rows_;      // the pivot block's rows, in strips
  Panel<T> columns_;   // the pivot block's columns, row by row
  Panel<T> diagonal_;  // the pivot block's closed diagonal, row by row
  Panel<T> right_;     // the same in strips
  // Chunk of a task in (3): with kDepth columns, 64 KiB of the column panel stay in L2 (float32)
  // while 128 KiB of the row panel pass through L1 in strips of 32 KiB. Multiples of a tile's size.
  const std::int64_t row_chunk_;
  const std::int64_t column_chunk_;
  std::vector<Panel<T>> scratch_;  // one per rank
  std::atomic<std::int64_t> next_{0};
};

template <class T>
void floyd_warshall(T* dist, std::int64_t n, std::int64_t stride, bool labels, int threads,
                    int bytes, Control& control) {
  FloydWarshall<T>(dist, n, stride, labels, threads, bytes, control).run();
}

/// A row-major matrix, or a rectangular part of one.
template <class T>
struct MatrixView {
  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
};

/// c = min(c, a (+) b), the min-plus product, on threads, for matrices of the kernels' labels. c
/// must not overlap a or b. Work 2 m n k. Extra memory: (m + n) kDepth.
template <class T>
class MinPlus {
 public:
  MinPlus(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, int threads, int bytes,
          Control& control)
      : c_(c),
        a_(a),
        b_(b),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        kernels_(dense_kernels<T>(bytes)),
        left_(static_cast<std::size_t>((c.rows + kernels_.rows) * kDepth)),
        right_(static_cast<std::size_t>((c.columns + kernels_.columns) * kDepth)) {}

  void run() {
    const std::int64_t steps = (a_.columns + kDepth - 1) / kDepth;
    control_.expect(steps);
    run_team(threads_, control_, [&](int rank) {
      Poller poller(control_, rank == 0);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t from = step * kDepth;
        const auto depth = static_cast<int>(std::min<std::int64_t>(kDepth, a_.columns - from));
        each(c_.rows, kChunk, rank, poller, [&](std::int64_t row) { pack_left(row, from, depth); });
        each(c_.columns, kernels_.columns, rank, poller, [&](std::int64_t column) {
          pack_strips(b_.data + from * b_.stride + column, static_cast<std::size_t>(b_.stride),
                      depth, wide(column, kernels_.columns), kernels_.columns,
                      right_.data() + column * kDepth);
        });
        barrier_.wait(rank);
        each(c_.rows, kChunk, rank, poller,
             [&](std::int64_t row) { multiply(row, depth, poller); });
        barrier_.wait(rank);
        if (rank == 0) control_.advance(1);
      }
    });
  }

 private:
  static constexpr std::int64_t kChunk = 96;  // rows, a multiple of a tile's rows

  int wide(std::int64_t column, std::int64_t limit) const {
    return static_cast<int>(std::min(limit, c_.columns - column));
  }

  void pack_left(std::int64_t row, std::int64_t from, int depth) {
    for (std::int64_t i = row; i < std::min(row + kChunk, c_.rows); ++i)
      std::copy_n(a_.data + i * a_.stride + from, depth, left_.data() + i * kDepth);
  }

  void multiply(std::int64_t row, int depth, Poller& poller) {
    const auto high = static_cast<int>(std::min(kChunk, c_.rows - row));
    for (std::int64_t j = 0; j < c_.columns; j += kDepth) {
      poller.check();
      kernels_.product(left_.data() + row * kDepth, right_.data() + j * kDepth,
                       c_.data + row * c_.stride + j, static_cast<std::size_t>(c_.stride), high,
                       wide(j, kDepth), depth);
    }
  }

  /// Runs task(0), task(step), ... below `end`, distributed round-robin over the ranks.
  template <class Task>
  void each(std::int64_t end, std::int64_t step, int rank, Poller& poller, Task&& task) {
    for (std::int64_t at = rank * step; at < end; at += threads_ * step) {
      poller.check();
      task(at);
    }
  }

  const MatrixView<T> c_;
  const MatrixView<const T> a_;
  const MatrixView<const T> b_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  const DenseKernels<T> kernels_;
  Panel<T> left_;   // a, row by row
  Panel<T> right_;  // b, in strips
};

template <class T>
void min_plus(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, int threads, int bytes,
              Control& control) {
  MinPlus<T>(c, a, b, threads, bytes, control).run();
}

}  // namespace warpath
