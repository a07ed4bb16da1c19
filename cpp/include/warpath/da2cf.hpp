// da2cf.hpp - the steps of Dijkstra's algorithm adapted to compound frontiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpath/types.hpp"

namespace warpath {

// All vertices at the least label are settled at once. A host calls, round after round, relax_f or
// relax_u, then minimum, then update, until the minimum is unreachable. At first the source alone
// is the frontier, with label 0; every other vertex is unsettled and unreachable. Weights >= 0.
//
// Flags are 0 or 1, one for each vertex; no vertex is both in the frontier and unsettled. A round
// that settles a vertex at a label is never followed by one at a smaller label, and edges of weight
// 0 only lead to another round at the same label, so there are at most n rounds.
// Source: Martin, Torres, Gavilanes 2009, figures 2 to 4 and, for matrices, section 5.

using Flags = std::span<const std::uint8_t>;

struct RelaxCounters {
  std::int64_t relaxed = 0;   // edges from the frontier to unsettled vertices
  std::int64_t improved = 0;  // times that one lowered a label
};

/// Lowers `label` to base + weight if that is less and fits; counts.
template <Index V, class D, Weight W>
inline void lower(D base, W weight, D& label, RelaxCounters& counters) {
  D sum;
  ++counters.relaxed;
  if (!extend<D, W, V>(base, weight, sum) || !(sum < label)) return;
  label = sum;
  ++counters.improved;
}

/// [relax_F] Every frontier vertex relaxes its edges to unsettled ones. Work O(n + edges out of the
/// frontier).
template <Index V, Weight W>
RelaxCounters relax_f(const CsrView<V, W>& graph, std::span<DistanceOf<W>> dist, Flags frontier,
                      Flags unsettled) {
  using D = DistanceOf<W>;
  RelaxCounters counters;
  for (std::size_t u = 0; u < dist.size(); ++u) {
    if (!frontier[u] || dist[u] == unreachable<D>) continue;
    const D base = dist[u];
    const auto end = static_cast<std::size_t>(graph.indptr[u + 1]);
    for (auto e = static_cast<std::size_t>(graph.indptr[u]); e < end; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[e]);
      if (unsettled[v]) lower<V>(base, graph.weights[e], dist[v], counters);
    }
  }
  return counters;
}

/// [relax_U] Every unsettled vertex looks for the frontier among its predecessors; row v of
/// `reversed` holds the edges into v. Work O(n + edges into unsettled vertices).
template <Index V, Weight W>
RelaxCounters relax_u(const CsrView<V, W>& reversed, std::span<DistanceOf<W>> dist, Flags frontier,
                      Flags unsettled) {
  using D = DistanceOf<W>;
  RelaxCounters counters;
  for (std::size_t v = 0; v < dist.size(); ++v) {
    if (!unsettled[v]) continue;
    D label = dist[v];
    const auto end = static_cast<std::size_t>(reversed.indptr[v + 1]);
    for (auto e = static_cast<std::size_t>(reversed.indptr[v]); e < end; ++e) {
      const auto u = static_cast<std::size_t>(reversed.indices[e]);
      if (frontier[u] && dist[u] != unreachable<D>)
        lower<V>(dist[u], reversed.weights[e], label, counters);
    }
    dist[v] = label;
  }
  return counters;
}

/// relax_f over a matrix of n x n weights, row u the edges out of u, unreachable for no edge. Work
/// O(n (1 + frontier vertices)).
template <Weight D>
RelaxCounters relax_f_dense(std::span<const D> matrix, std::span<D> dist, Flags frontier,
                            Flags unsettled) {
  RelaxCounters counters;
  const std::size_t n = dist.size();
  for (std::size_t u = 0; u < n; ++u) {
    if (!frontier[u] || dist[u] == unreachable<D>) continue;
    const D base = dist[u];
    const D* const row = matrix.data() + u * n;
    for (std::size_t v = 0; v < n; ++v)
      if (unsettled[v] && row[v] != unreachable<D>)
        lower<std::int64_t>(base, row[v], dist[v], counters);
  }
  return counters;
}

/// relax_u over the same matrix: an unsettled vertex looks through its column. Work
/// O(n (1 + unsettled vertices)), an entry of a row of its own at each step.
template <Weight D>
RelaxCounters relax_u_dense(std::span<const D> matrix, std::span<D> dist, Flags frontier,
                            Flags unsettled) {
  RelaxCounters counters;
  const std::size_t n = dist.size();
  for (std::size_t v = 0; v < n; ++v) {
    if (!unsettled[v]) continue;
    D label = dist[v];
    for (std::size_t u = 0; u < n; ++u) {
      if (!frontier[u] || dist[u] == unreachable<D>) continue;
      const D weight = matrix[u * n + v];
      if (weight != unreachable<D>) lower<std::int64_t>(dist[u], weight, label, counters);
    }
    dist[v] = label;
  }
  return counters;
}

/// [mssp] The least label of an unsettled vertex, or unreachable. Work O(n).
template <class D>
D minimum(std::span<const D> dist, Flags unsettled) {
  D least = unreachable<D>;
  for (std::size_t v = 0; v < dist.size(); ++v) {
    const D label = unsettled[v] ? dist[v] : unreachable<D>;
    least = label < least ? label : least;
  }
  return least;
}

/// The unsettled vertices whose label is the threshold become the frontier, and are settled.
/// Returns how many; none when the threshold is unreachable. Work O(n).
///
/// The figure tests the label alone; over weights of 0 that would let vertices settled at the same
/// label into the frontier again.
template <class D>
std::int64_t update(std::span<const D> dist, std::span<std::uint8_t> unsettled,
                    std::span<std::uint8_t> frontier, D threshold) {
  std::int64_t selected = 0;
  const std::uint8_t any = threshold != unreachable<D>;
  for (std::size_t v = 0; v < dist.size(); ++v) {
    const auto taken = static_cast<std::uint8_t>(unsettled[v] & any & (dist[v] == threshold));
    frontier[v] = taken;
    unsettled[v] = static_cast<std::uint8_t>(unsettled[v] ^ taken);
    selected += taken;
  }
  return selected;
}

}  // namespace warpath
