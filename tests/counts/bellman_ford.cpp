// Bellman-Ford from a queue, without and with negative weights.
#include "warpath/sssp/bellman_ford.hpp"

#include "counts.hpp"

using namespace counts;

/// No sources: from all vertices, as for potentials.
template <class W>
void search(const Graph<W>& graph, const std::vector<std::int64_t>& sources = {0}) {
  Control control;
  auto dist = graph.labels();
  count([&] { warpath::bellman_ford<V, W>(graph.view(), sources, dist, control); });
}

/// Weights w + h(u) - h(v): some are negative, no cycle is.
Graph<std::int32_t> lowered(Graph<std::int32_t> graph) {
  const warpath::Draws draws(kSeed, warpath::Purpose::kVertex);
  const auto height = [&](std::size_t v) { return static_cast<std::int32_t>(draws.below(v, 500)); };
  for (std::size_t u = 0; u + 1 < graph.indptr.size(); ++u)
    for (auto e = static_cast<std::size_t>(graph.indptr[u]);
         e < static_cast<std::size_t>(graph.indptr[u + 1]); ++e)
      graph.weights[e] += height(u) - height(static_cast<std::size_t>(graph.indices[e]));
  return graph;
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { search(road<std::int32_t>()); }},
                       {"potentials.road.int32", [] { search(lowered(road<std::int32_t>()), {}); }},
                       {"rmat.float64", [] { search(rmat<double>(255, 0.1)); }}});
}
