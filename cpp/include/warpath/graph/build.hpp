// build.hpp - CSR arrays from an edge list, and the transposed graph.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Whether a weight is +inf, which means "no edge".
template <class W>
bool absent(W weight) {
  if constexpr (std::is_floating_point_v<W>) {
    return weight == std::numeric_limits<W>::infinity();
  } else {
    (void)weight;
    return false;
  }
}

/// Statistics and errors of an edge list. A position is -1 if there is no such error.
struct EdgeReport {
  std::int64_t kept = 0;         // edges whose weight is not +inf
  std::int64_t loops = 0;        // self-loops among them
  std::int64_t largest = -1;     // the largest vertex number in the list
  std::int64_t bad_source = -1;  // first position with src < 0 or >= n
  std::int64_t bad_target = -1;
  std::int64_t bad_weight = -1;  // first position with NaN or -inf
};

/// Inspects an edge list in one pass. n < 0: no upper bound on vertex numbers. `weights` may be
/// empty (all 1).
template <class I, Weight W>
EdgeReport inspect_edges(std::span<const I> src, std::span<const I> dst, std::span<const W> weights,
                         std::int64_t n, Poller poller) {
  EdgeReport report;
  const std::uint64_t limit =
      n < 0 ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
            : static_cast<std::uint64_t>(n);
  const bool weighted = !weights.empty();
  for (std::size_t e = 0; e < src.size(); ++e) {
    poller.step();
    const auto u = static_cast<std::int64_t>(src[e]);
    const auto v = static_cast<std::int64_t>(dst[e]);
    if (static_cast<std::uint64_t>(u) >= limit && report.bad_source < 0)
      report.bad_source = static_cast<std::int64_t>(e);
    if (static_cast<std::uint64_t>(v) >= limit && report.bad_target < 0)
      report.bad_target = static_cast<std::int64_t>(e);
    report.largest = std::max(report.largest, std::max(u, v));
    if (weighted) {
      const W w = weights[e];
      if constexpr (std::is_floating_point_v<W>) {
        if ((std::isnan(w) || w == -std::numeric_limits<W>::infinity()) && report.bad_weight < 0)
          report.bad_weight = static_cast<std::int64_t>(e);
      }
      if (absent(w)) continue;
    }
    ++report.kept;
    report.loops += u == v;
  }
  return report;
}

[[noreturn, gnu::cold]] inline void refuse_changed_edges() {
  throw std::invalid_argument("the edges changed while the graph was made of them");
}

/// Builds CSR rows by a counting sort by source. It is stable: rows keep the order of the list.
///
/// Work O(n + m), three passes. `both` adds the reverse of every edge, except of self-loops.
/// `indptr` has n + 1 entries; `indices` and `weights` have as many as inspect_edges counted, for
/// `both` twice as many less the self-loops. `out_weights` is empty for an unweighted graph. Throws
/// std::invalid_argument if the sources differ from those inspected, as another thread may write
/// them. Targets are not checked.
template <class I, Index V, Weight W>
void build_csr(std::span<const I> src, std::span<const I> dst, std::span<const W> weights,
               bool both, std::span<std::int64_t> indptr, std::span<V> indices,
               std::span<W> out_weights, Poller poller) {
  std::fill(indptr.begin(), indptr.end(), 0);
  const bool weighted = !weights.empty();
  // One loop for each kind of edges: with these tests inside, a loop takes a third longer.
  const auto each_of = [&]<bool kBoth, bool kWeighted>(auto&& visit) {
    for (std::size_t e = 0; e < src.size(); ++e) {
      poller.step();
      // Each entry is read once, so that the value checked is the value used.
      const I u = __atomic_load_n(&src[e], __ATOMIC_RELAXED);
      const I v = __atomic_load_n(&dst[e], __ATOMIC_RELAXED);
      if (kWeighted && absent(weights[e])) continue;
      visit(u, v, e);
      if (kBoth && u != v) visit(v, u, e);
    }
  };
  const auto each_edge = [&](auto&& visit) {
    if (both && weighted)
      each_of.template operator()<true, true>(visit);
    else if (both)
      each_of.template operator()<true, false>(visit);
    else if (weighted)
      each_of.template operator()<false, true>(visit);
    else
      each_of.template operator()<false, false>(visit);
  };
  const std::size_t n = indptr.size() - 1;
  each_edge([=](I u, I, std::size_t) {
    if (static_cast<std::size_t>(u) >= n) [[unlikely]]
      refuse_changed_edges();
    ++indptr[static_cast<std::size_t>(u) + 1];
  });
  for (std::size_t v = 1; v <= n; ++v) indptr[v] += indptr[v - 1];
  if (static_cast<std::size_t>(indptr[n]) != indices.size()) refuse_changed_edges();
  // indptr[u] serves as row u's write position and ends at the row's end; the array is then shifted
  // back by one.
  each_edge([=](I u, I v, std::size_t e) {
    if (static_cast<std::size_t>(u) >= n) [[unlikely]]
      refuse_changed_edges();
    const auto at = static_cast<std::size_t>(indptr[static_cast<std::size_t>(u)]++);
    if (at >= indices.size()) [[unlikely]]
      refuse_changed_edges();
    indices[at] = static_cast<V>(v);
    if (weighted) out_weights[at] = weights[e];
  });
  for (std::size_t v = indptr.size() - 1; v > 0; --v) indptr[v] = indptr[v - 1];
  indptr[0] = 0;
}

/// The reversed graph: row v holds the edges into v, in ascending order of their sources. Work O(n
/// + m).
template <Index V, Weight W>
void transpose(const CsrView<V, W>& graph, std::span<std::int64_t> indptr, std::span<V> indices,
               std::span<W> weights, Poller poller) {
  std::fill(indptr.begin(), indptr.end(), 0);
  for (const V v : graph.indices) {
    poller.step();
    ++indptr[static_cast<std::size_t>(v) + 1];
  }
  for (std::size_t v = 1; v < indptr.size(); ++v) indptr[v] += indptr[v - 1];
  for (std::int64_t u = 0; u < graph.n(); ++u) {
    for (std::int64_t e = graph.indptr[static_cast<std::size_t>(u)];
         e < graph.indptr[static_cast<std::size_t>(u) + 1]; ++e) {
      poller.step();
      const auto edge = static_cast<std::size_t>(e);
      const auto at =
          static_cast<std::size_t>(indptr[static_cast<std::size_t>(graph.indices[edge])]++);
      indices[at] = static_cast<V>(u);
      if (!weights.empty()) weights[at] = graph.weights[edge];
    }
  }
  for (std::size_t v = indptr.size() - 1; v > 0; --v) indptr[v] = indptr[v - 1];
  indptr[0] = 0;
}

}  // namespace warpath
