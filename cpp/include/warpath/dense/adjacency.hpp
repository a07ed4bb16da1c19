// adjacency.hpp - CSR rows as a dense matrix of labels, and the widening of such a matrix in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Runs row(0) .. row(n - 1) on threads; rank r takes rows r, r + threads, ...
template <class Row>
void each_row(std::int64_t n, int threads, Control& control, Row&& row) {
  run_team(threads, control, [&](int rank) {
    Poller poller(control, rank == 0);
    for (std::int64_t at = rank; at < n; at += threads) {
      poller.step(n);
      row(at);
    }
  });
}

/// Sets out[i][v] (n columns) to the smallest weight of the edges u -> v for the vertices u = first
/// + i whose rows `graph` has; to unreachable<T> without an edge, and to 0 for v = u.
///
/// Work rows x n plus the edges, on threads. Throws std::invalid_argument if a row or an edge is
/// out of range or T does not hold a weight.
template <class V, class W, class T>
void adjacency_rows(CsrView<V, W> graph, std::int64_t first, T* out, std::int64_t n, int threads,
                    Control& control) {
  each_row(graph.n(), threads, control, [&](std::int64_t i) {
    T* row = out + i * n;
    std::fill_n(row, n, unreachable<T>);
    const auto begin = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(i) + 1]);
    if (begin > end || end > graph.indices.size() || end > graph.weights.size())
      throw std::invalid_argument("indptr must ascend from 0 to the number of edges");
    for (std::size_t e = begin; e < end; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[e]);
      if (v >= static_cast<std::size_t>(n))
        throw std::invalid_argument("indices[" + std::to_string(e) + "] is no vertex below n");
      if constexpr (sizeof(W) > sizeof(T))
        if (graph.weights[e] != static_cast<T>(graph.weights[e]))
          throw std::invalid_argument("weights[" + std::to_string(e) + "] does not fit the matrix");
      row[v] = std::min(row[v], static_cast<T>(graph.weights[e]));
    }
    row[first + i] = 0;
  });
}

/// Widens 32-bit entries, which lie in the first half of the memory, to 64-bit entries in place;
/// "unreachable" becomes that of the wider type.
///
/// The last half of the entries is converted first, because its output does not overwrite entries
/// that are still to be read; then the last half of the rest, and so on. Work `count`, on threads.
inline void widen(std::int64_t* wide, std::int64_t count, int threads, Control& control) {
  typedef std::int32_t Narrow __attribute__((may_alias));
  const Narrow* narrow = reinterpret_cast<const Narrow*>(wide);
  const auto widened = [&](std::int64_t at) {
    const std::int32_t entry = narrow[at];
    return entry == unreachable<std::int32_t> ? unreachable<std::int64_t> : entry;
  };
  constexpr std::int64_t kAlone = 4096;
  TeamBarrier barrier(threads, control);
  run_team(threads, control, [&](int rank) {
    std::int64_t end = count;
    while (end > kAlone) {
      const std::int64_t begin = (end + 1) / 2;
      const std::int64_t mine = (end - begin + threads - 1) / threads;
      const std::int64_t to = std::min(end, begin + (rank + 1) * mine);
      for (std::int64_t at = begin + rank * mine; at < to; ++at) wide[at] = widened(at);
      barrier.wait(rank);
      end = begin;
    }
    if (rank == 0)
      for (std::int64_t at = end; at-- > 0;) wide[at] = widened(at);
  });
}

}  // namespace warpath
