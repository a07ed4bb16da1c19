// adjacency.hpp - compressed rows as a dense matrix of labels, and such a matrix in a wider type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "warpath/control.hpp"
#include "warpath/team.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// Runs row(0) .. row(n - 1) on threads, each rank every so many rows.
template <class Row>
void each_row(std::int64_t n, int threads, Control& control, Row&& row) {
  run_team(threads, control, [&](int rank) {
    Pulse pulse(control, rank == 0);
    for (std::int64_t at = rank; at < n; at += threads) {
      pulse.beat(n);
      row(at);
    }
  });
}

/// out[i][v] = the lightest edge u -> v for the vertices u = first + i whose rows `graph` has, the
/// type's "unreachable" without one, 0 for v = u; n columns.
///
/// Work rows x n and the edges, on threads. Precondition (the caller's): every weight fits T and is
/// below its "unreachable".
template <class V, class W, class T>
void adjacency_rows(CsrView<V, W> graph, std::int64_t first, T* out, std::int64_t n, int threads,
                    Control& control) {
  each_row(graph.n(), threads, control, [&](std::int64_t i) {
    T* row = out + i * n;
    std::fill_n(row, n, unreachable<T>);
    const auto begin = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(i) + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      T& entry = row[static_cast<std::size_t>(graph.indices[e])];
      entry = std::min(entry, static_cast<T>(graph.weights[e]));
    }
    row[first + i] = 0;
  });
}

/// Makes 64-bit entries of 32-bit ones that lie in the first half of the same memory, "unreachable"
/// in the type of each.
///
/// The last half of the entries goes first, since it is written where nothing is read, and so on.
/// Work `count`, on threads.
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
