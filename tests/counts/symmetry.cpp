// Whether rows hold each edge in both directions, and are ascending.
#include "warpath/graph/symmetry.hpp"

#include "counts.hpp"

using namespace counts;

template <class W>
void row_order(const Graph<W>& graph, bool mirrored) {
  Control control;
  const CsrView<V, W> view = graph.view();
  count([&] {
    if (warpath::RowOrderOf<V, W>(view, kSeed).find(1, control).mirrored != mirrored) std::exit(4);
  });
}

/// The graph with its last edge alone led elsewhere.
template <class W>
Graph<W> unlike(Graph<W> graph) {
  graph.indices.back() = 1;
  return graph;
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"road.int32", [] { row_order(road<std::int32_t>(), true); }},
       {"rmat.float64", [] { row_order(rmat<double>(255, 0.1), true); }},
       {"unlike.rmat.int32", [] { row_order(unlike(rmat<std::int32_t>()), false); }}});
}
