// owners.hpp - the nearest of several sources for each vertex, computed from the distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Fills `nearest` (n) with the first of `sources` from which tight edges (dist[u] + w == dist[v])
/// lead to a vertex, or -1 if there is none.
///
/// `dist` holds the distances from the nearest source. A source whose label is not 0 is nearer to
/// another source and is the nearest of no vertex. Every vertex is visited once, by the first
/// source that reaches it: O(n + m).
template <Index V, Weight W>
void nearest_sources(const CsrView<V, W>& graph, std::span<const std::int64_t> sources,
                     std::span<const DistanceOf<W>> dist, std::span<V> nearest, Poller poller) {
  using D = DistanceOf<W>;
  std::fill(nearest.begin(), nearest.end(), V{-1});
  // A branch on whether an edge is tight is mispredicted often: each head is pushed, and the next
  // one takes its place if the edge was not tight. Every vertex is pushed for good at most once.
  const auto stack = std::make_unique_for_overwrite<V[]>(nearest.size() + 1);
  for (const std::int64_t source : sources) {
    const auto own = static_cast<V>(source);
    poller.step();
    const auto first = static_cast<std::size_t>(source);
    if (nearest[first] >= 0 || dist[first] != 0) continue;
    nearest[first] = stack[0] = own;
    for (std::size_t height = 1; height > 0;) {
      const auto u = static_cast<std::size_t>(stack[--height]);
      poller.step(graph.indptr[u + 1] - graph.indptr[u] + 1);
      for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
        const V v = graph.indices[static_cast<std::size_t>(e)];
        const auto at = static_cast<std::size_t>(v);
        D sum;
        const bool fits =
            add_checked<D, W, V>(dist[u], graph.weights[static_cast<std::size_t>(e)], sum);
        const bool taken =
            fits & (sum == dist[at]) & (nearest[at] < 0) & (dist[at] != unreachable<D>);
        nearest[at] = taken ? own : nearest[at];
        stack[height] = v;
        height += taken;
      }
    }
  }
}

}  // namespace warpath
