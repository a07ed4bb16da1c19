// edited_rows.hpp - the rows of a graph without some of its edges and with new ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// New edges: sources, targets and weights, each (k,).
template <Index V, Weight W>
struct NewEdges {
  std::span<const std::int64_t> sources, targets;
  std::span<const W> weights;
};

template <Index V, Weight W>
struct EditedRows {
  std::vector<std::int64_t> indptr;
  std::vector<V> indices;
  std::vector<W> weights;  // empty for a graph without weights
};

/// Leaves out the edges numbered in `removed`, ascending and each once, and appends new edges to
/// their rows in the order given. Work: O(n + m + k). A graph without weights has no new weights.
template <Index V, Weight W>
EditedRows<V, W> edited_rows(const CsrView<V, W>& graph, std::span<const std::int64_t> removed,
                             const NewEdges<V, W>& added, Poller poller) {
  const auto n = static_cast<std::size_t>(graph.n());
  const bool weighted = !graph.weights.empty() || !added.weights.empty();
  EditedRows<V, W> made;
  made.indptr.assign(n + 1, 0);
  for (const std::int64_t u : added.sources) ++made.indptr[static_cast<std::size_t>(u) + 1];
  std::size_t next = 0;
  for (std::size_t u = 0; u < n; ++u) {
    const std::size_t first = next;
    while (next < removed.size() && removed[next] < graph.indptr[u + 1]) ++next;
    made.indptr[u + 1] += made.indptr[u] + graph.indptr[u + 1] - graph.indptr[u] -
                          static_cast<std::int64_t>(next - first);
  }
  const auto edges = static_cast<std::size_t>(made.indptr[n]);
  made.indices.resize(edges);
  made.weights.resize(weighted ? edges : 0);
  std::vector<std::int64_t> ends(n);  // where the next edge of each row goes
  const auto put = [&](std::size_t u, V end, const W* weight) {
    const auto place = static_cast<std::size_t>(ends[u]++);
    made.indices[place] = end;
    if (weighted) made.weights[place] = *weight;
  };
  next = 0;
  for (std::size_t u = 0; u < n; ++u) {
    ends[u] = made.indptr[u];
    poller.step(graph.indptr[u + 1] - graph.indptr[u] + 1);
    for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
      if (next < removed.size() && removed[next] == e) {
        ++next;
        continue;
      }
      put(u, graph.indices[static_cast<std::size_t>(e)],
          weighted ? &graph.weights[static_cast<std::size_t>(e)] : nullptr);
    }
  }
  for (std::size_t k = 0; k < added.sources.size(); ++k)
    put(static_cast<std::size_t>(added.sources[k]), static_cast<V>(added.targets[k]),
        weighted ? &added.weights[k] : nullptr);
  return made;
}

}  // namespace warpath
