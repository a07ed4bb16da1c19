// Any shortest path between two vertices, by searches from both that are handed clean labels.
#include "warpath/paths/bidirectional.hpp"

#include "counts.hpp"

using namespace counts;

/// Counts eight searches after the one that makes the labels.
template <class Search>
void count_later(const Graph<std::int32_t>& graph, Search&& search) {
  const V from = static_cast<V>(graph.n() / 4);
  search(from, from);
  count([&] {
    for (V i = 0; i < 8; ++i) search(from + i, static_cast<V>(graph.n() / 2 + 20 + i));
  });
}

void route(const Graph<std::int32_t>& graph) {
  Control control;
  warpath::PackedRows<V, std::int32_t> rows(graph.view(), {});
  rows.sort_rows();
  warpath::SettledVertices<V> settled(graph.n());
  count_later(graph, [&](V source, V target) {
    warpath::BidirectionalDijkstra<V, std::int32_t>(rows, rows, settled, Poller(control, true))
        .find(source, target);
    settled.clean();
  });
}

void levels(const Graph<std::int32_t>& graph) {
  Control control;
  const warpath::Adjacency<V> adjacency{graph.indptr, graph.indices};
  warpath::BidirectionalLabels<V> labels(graph.n());
  count_later(graph, [&](V source, V target) {
    warpath::bidirectional_breadth_first<V>(adjacency, adjacency, source, target, labels,
                                            Poller(control, true));
    labels.clean();
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { route(road<std::int32_t>()); }},
                       {"rmat.int32", [] { route(rmat<std::int32_t>(255, 1)); }},
                       {"levels.road", [] { levels(road<std::int32_t>()); }}});
}
