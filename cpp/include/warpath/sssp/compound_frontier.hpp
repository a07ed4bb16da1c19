// compound_frontier.hpp - Dijkstra's algorithm by compound frontiers (DA2CF), step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/flags.hpp"
#include "warpath/sssp/minimum_label.hpp"

namespace warpath {

// All unsettled vertices with the smallest label are settled at once: they are the compound
// frontier. The caller runs rounds of relax_f or relax_u, then minimum, then update, until the
// minimum is unreachable. At first only the source is in the frontier, with label 0; every other
// vertex is unsettled and unreachable. Weights must be >= 0.
//
// Every step passes over all vertices, but 64 clear flags cost eight words. No vertex is both in
// the frontier and unsettled. The labels at which vertices are settled never fall from round to
// round, and an edge of weight 0 only causes another round at the same label, so there are at most
// n rounds. Source: Martin, Torres, Gavilanes 2009, figures 2 to 4 and, for matrices, section 5.

struct RelaxCounters {
  std::int64_t relaxed = 0;   // edges from the frontier to unsettled vertices
  std::int64_t improved = 0;  // relaxations that lowered a label
  std::int64_t read = 0;      // edges, or entries of a matrix, that were read, relaxed or not
  Range lowered;              // the range of vertices whose label was lowered
};

/// Lowers `label` to base + weight if that is less and fits; updates the counters.
template <Index V, class D, Weight W>
inline bool lower(D base, W weight, D& label, RelaxCounters& counters) {
  D sum;
  ++counters.relaxed;
  if (!add_checked<D, W, V>(base, weight, sum) || !(sum < label)) return false;
  label = sum;
  ++counters.improved;
  return true;
}

/// [relax_F, push] Every frontier vertex relaxes its edges to unsettled vertices. Work O(n + edges
/// out of the frontier).
template <Index V, Weight W>
RelaxCounters relax_f(const CsrView<V, W>& graph, std::span<DistanceOf<W>> dist, Flags frontier,
                      Flags unsettled) {
  using D = DistanceOf<W>;
  RelaxCounters counters;
  for_each_set(frontier, [&](std::size_t u) {
    if (dist[u] == unreachable<D>) return;
    const D base = dist[u];
    const auto end = static_cast<std::size_t>(graph.indptr[u + 1]);
    counters.read += graph.indptr[u + 1] - graph.indptr[u];
    for (auto e = static_cast<std::size_t>(graph.indptr[u]); e < end; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[e]);
      if (unsettled[v] && lower<V>(base, graph.weights[e], dist[v], counters))
        counters.lowered.add(v);
    }
  });
  return counters;
}

/// The pairs of blocks (of kFlagBlock vertices) that edges connect, each pair once, grouped by the
/// target block. Empty if there are more than m / 8 pairs: testing the vertices themselves is then
/// as fast.
struct BlockEdges {
  std::vector<std::int32_t> into;
  std::vector<std::int32_t> from;
};

/// Row v of `reversed` holds the edges into v. Work O(m), memory n / kFlagBlock marks.
template <Index V>
BlockEdges block_edges(std::span<const std::int64_t> indptr, std::span<const V> indices) {
  BlockEdges edges;
  const std::size_t n = indptr.size() - 1;
  std::vector<std::int32_t> last(flag_blocks(n), -1);
  for (std::size_t block = 0; block < flag_blocks(n); ++block) {
    const auto into = static_cast<std::int32_t>(block);
    const auto end = static_cast<std::size_t>(indptr[std::min(n, (block + 1) * kFlagBlock)]);
    for (auto e = static_cast<std::size_t>(indptr[block * kFlagBlock]); e < end; ++e) {
      const std::size_t from = static_cast<std::size_t>(indices[e]) / kFlagBlock;
      if (last[from] == into) continue;
      last[from] = into;
      edges.into.push_back(into);
      edges.from.push_back(static_cast<std::int32_t>(from));
    }
    if (edges.into.size() > indices.size() / 8) return {};
  }
  return edges;
}

/// Relaxes the edges from frontier vertices into an unsettled vertex.
template <Index V, Weight W>
inline void pull(const CsrView<V, W>& reversed, std::span<DistanceOf<W>> dist, Flags frontier,
                 std::size_t v, RelaxCounters& counters) {
  using D = DistanceOf<W>;
  const auto end = static_cast<std::size_t>(reversed.indptr[v + 1]);
  counters.read += reversed.indptr[v + 1] - reversed.indptr[v];
  for (auto e = static_cast<std::size_t>(reversed.indptr[v]); e < end; ++e) {
    const auto u = static_cast<std::size_t>(reversed.indices[e]);
    if (frontier[u] && dist[u] != unreachable<D> &&
        lower<V>(dist[u], reversed.weights[e], dist[v], counters))
      counters.lowered.add(v);
  }
}

/// [relax_U, pull] Every unsettled vertex checks its predecessors for frontier vertices; row v of
/// `reversed` holds the edges into v.
///
/// If `into` and `from` (of `block_edges`) are given, only the blocks of vertices with a
/// predecessor block that contains a frontier vertex are scanned. Work O(n + edges into unsettled
/// vertices), or O(n + pairs of blocks + edges into the scanned blocks).
template <Index V, Weight W>
RelaxCounters relax_u(const CsrView<V, W>& reversed, std::span<const std::int32_t> into,
                      std::span<const std::int32_t> from, std::span<DistanceOf<W>> dist,
                      Flags frontier, Flags unsettled) {
  RelaxCounters counters;
  const auto pull_into = [&](std::size_t v) { pull(reversed, dist, frontier, v, counters); };
  if (into.empty()) {
    for_each_set(unsettled, pull_into);
    return counters;
  }
  std::vector<std::uint8_t> holds(flag_blocks(dist.size()));
  for (std::size_t block = 0; block < holds.size(); ++block)
    holds[block] = any_flag(frontier, block);
  constexpr std::size_t kTogether = 16;  // pairs tested by one branch
  std::int32_t done = -1;
  for (std::size_t e = 0; e < into.size(); e += kTogether) {
    const std::size_t end = std::min(into.size(), e + kTogether);
    std::uint8_t found = 0;
    for (std::size_t each = e; each < end; ++each)
      found |= holds[static_cast<std::size_t>(from[each])];
    for (std::size_t each = e; found && each < end; ++each) {
      if (into[each] == done || !holds[static_cast<std::size_t>(from[each])]) continue;
      done = into[each];
      for_each_set_of(unsettled, static_cast<std::size_t>(done), pull_into);
    }
  }
  return counters;
}

/// relax_f on an n x n matrix of weights: row u has the edges out of u, unreachable means no edge.
/// Work O(n (1 + frontier vertices)).
template <Weight D>
RelaxCounters relax_f_dense(std::span<const D> matrix, std::span<D> dist, Flags frontier,
                            Flags unsettled) {
  RelaxCounters counters;
  const std::size_t n = dist.size();
  for (std::size_t u = 0; u < n; ++u) {
    if (!frontier[u] || dist[u] == unreachable<D>) continue;
    const D base = dist[u];
    const D* const row = matrix.data() + u * n;
    for (std::size_t v = 0; v < n; ++v) {
      if (!unsettled[v]) continue;
      ++counters.read;
      if (row[v] != unreachable<D> && lower<std::int64_t>(base, row[v], dist[v], counters))
        counters.lowered.add(v);
    }
  }
  return counters;
}

/// relax_u on the same matrix: an unsettled vertex scans its column. Work O(n (1 + unsettled
/// vertices)), with a cache line per entry, as each entry is in another row.
template <Weight D>
RelaxCounters relax_u_dense(std::span<const D> matrix, std::span<D> dist, Flags frontier,
                            Flags unsettled) {
  RelaxCounters counters;
  const std::size_t n = dist.size();
  for (std::size_t v = 0; v < n; ++v) {
    if (!unsettled[v]) continue;
    for (std::size_t u = 0; u < n; ++u) {
      if (!frontier[u] || dist[u] == unreachable<D>) continue;
      ++counters.read;
      const D weight = matrix[u * n + v];
      if (weight != unreachable<D> && lower<std::int64_t>(dist[u], weight, dist[v], counters))
        counters.lowered.add(v);
    }
  }
  return counters;
}

/// [mssp] The smallest label of an unsettled vertex, or unreachable; `block_minima` gets the
/// smallest label of each block of kMinimumBlock vertices. Work O(n).
///
/// `bytes`: the widest vectors that may be used; see `minimum_kernel`.
template <class D>
D minimum(std::span<const D> dist, Flags unsettled, std::span<D> block_minima, int bytes) {
  minimum_kernel<D>(bytes)(dist.data(), unsettled.data(), dist.size(), block_minima.data());
  D found = unreachable<D>;
  for (const D one : block_minima) found = one < found ? one : found;
  return found;
}

struct Updated {
  std::int64_t selected = 0;  // vertices that entered the frontier
  Range changed;              // the range in which frontier flags may have changed
};

/// Moves the unsettled vertices whose label is `threshold` into the frontier and settles them; none
/// if the threshold is unreachable. Work O(n).
///
/// `block_minima` is the output of `minimum`: only blocks whose smallest label is the threshold are
/// scanned, or all if it is empty. The paper's figure compares the label only; with weights of 0
/// that would let settled vertices with the same label into the frontier again.
template <class D>
Updated update(std::span<const D> dist, std::span<std::uint8_t> unsettled,
               std::span<std::uint8_t> frontier, D threshold, std::span<const D> block_minima) {
  Updated updated;
  const std::size_t n = dist.size();
  for (std::size_t begin = 0; begin < n; begin += kMinimumBlock) {
    const std::size_t end = std::min(n, begin + kMinimumBlock);
    const bool cleared = clear_flags(frontier.subspan(begin, end - begin));
    const bool selectable =
        threshold != unreachable<D> &&
        (block_minima.empty() || block_minima[begin / kMinimumBlock] == threshold);
    if (cleared || selectable) updated.changed.add(begin, end);
    for (std::size_t v = begin; selectable && v < end; ++v) {
      const auto taken = static_cast<std::uint8_t>(unsettled[v] & (dist[v] == threshold));
      frontier[v] = taken;
      unsettled[v] = static_cast<std::uint8_t>(unsettled[v] ^ taken);
      updated.selected += taken;
    }
  }
  return updated;
}

}  // namespace warpath
