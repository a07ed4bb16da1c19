// symmetry.hpp - whether a graph has each edge in both directions; and division of rows by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The first row of a rank's range; ranges have about the same number of rows and edges. The end of
/// the last range for rank = threads.
inline std::size_t first_row(std::span<const std::int64_t> indptr, int rank, int threads) {
  const std::size_t n = indptr.size() - 1;
  if (rank == threads) return n;
  const std::int64_t share =
      (static_cast<std::int64_t>(n) + indptr[n]) / threads * static_cast<std::int64_t>(rank);
  std::size_t low = 0;
  std::size_t high = n;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (static_cast<std::int64_t>(middle) + indptr[middle] < share)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct RowOrder {
  bool mirrored = false;   // each edge u -> v has a reverse edge of the same weight, if any
  bool ascending = false;  // each row's vertices are in ascending order
};

/// Inspects the rows in one pass on threads: O(n + m).
///
/// The edges to larger vertices and those to smaller ones are compared as multisets, by sums of
/// 64-bit hashes, which needs no transpose and no order of the rows. The result is wrong with
/// probability 2^-64; the caller draws the seed, so that no graph can be made to be misjudged.
/// `ascending` is valid for symmetric graphs only.
template <Index V, Weight W>
class RowOrderOf {
 public:
  RowOrderOf(const CsrView<V, W>& graph, std::uint64_t seed) : graph_(graph) {
    for (std::uint64_t& factor : factors_) factor = finish(seed += kStep) | 1;
  }

  RowOrder find(int threads, Control& control) {
    if (!some_are_mirrored()) return {};
    std::atomic<std::uint64_t> difference{0};
    std::atomic<bool> ascending{true};
    run_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      const RowOrderOf local = *this;  // what no other thread can see stays in registers
      std::uint64_t own = 0;
      bool ascends = true;
      const std::size_t end = first_row(graph_.indptr, rank + 1, threads);
      for (std::size_t u = first_row(graph_.indptr, rank, threads); u < end; ++u)
        own += local.row(static_cast<V>(u), ascends, poller);
      difference.fetch_add(own, std::memory_order_relaxed);
      if (!ascends) ascending.store(false, std::memory_order_relaxed);
    });
    return {difference.load() == 0, ascending.load()};
  }

 private:
  static constexpr std::int64_t kSamples = 256;  // edges in the sample
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  /// The finalizer of MurmurHash3: every bit of z changes every bit of the result.
  static std::uint64_t finish(std::uint64_t z) {
    z = (z ^ (z >> 33)) * 0xFF51AFD7ED558CCD;
    z = (z ^ (z >> 33)) * 0xC4CEB9FE1A85EC53;
    return z ^ (z >> 33);
  }

  /// False if an edge of a small sample lacks its reverse: most asymmetric graphs end here.
  bool some_are_mirrored() const {
    const std::int64_t step = std::max<std::int64_t>(1, graph_.m() / kSamples);
    for (std::int64_t e = 0; e < graph_.m(); e += step) {
      const auto above = std::upper_bound(graph_.indptr.begin(), graph_.indptr.end(), e);
      const auto u = static_cast<V>(above - graph_.indptr.begin() - 1);
      const auto v = static_cast<std::size_t>(graph_.indices[static_cast<std::size_t>(e)]);
      const auto row =
          graph_.indices.subspan(static_cast<std::size_t>(graph_.indptr[v]),
                                 static_cast<std::size_t>(graph_.indptr[v + 1] - graph_.indptr[v]));
      if (std::find(row.begin(), row.end(), u) == row.end()) return false;
    }
    return true;
  }

  static std::uint64_t bits(W weight) {
    if constexpr (sizeof(W) == 4)
      return std::bit_cast<std::uint32_t>(weight);
    else
      return std::bit_cast<std::uint64_t>(weight);
  }

  std::uint64_t row(V u, bool& ascends, Poller& poller) const {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    const bool weighted = !graph_.weights.empty();
    const auto self = static_cast<std::uint64_t>(u);
    std::uint64_t sum = 0;
    V last = 0;
    poller.step(end - begin + 1);
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      const auto other = static_cast<std::uint64_t>(v);  // sum and product determine the pair
      const std::uint64_t hash =
          finish((self + other) * factors_[0] + self * other * factors_[1] +
                 (weighted ? bits(graph_.weights[static_cast<std::size_t>(e)]) * factors_[2] : 0));
      sum +=
          hash * static_cast<std::uint64_t>((u < v) - (u > v));  // branch-free: the order is random
      ascends &= last <= v;
      last = v;
    }
    return sum;
  }

  const CsrView<V, W>& graph_;
  std::uint64_t factors_[3];
};

}  // namespace warpath
