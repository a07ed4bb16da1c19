// Breadth-first search of one source: along the edges out alone, and in both directions.
#include "warpath/sssp/breadth_first.hpp"

#include "counts.hpp"

using namespace counts;

/// The graph is undirected: it is its own transpose.
template <class D>
void search(const Graph<std::int32_t>& graph, bool both_ways, D weight) {
  Control control;
  std::vector<D> dist(static_cast<std::size_t>(graph.n()));
  const warpath::Adjacency<V> out{graph.indptr, graph.indices};
  const warpath::Adjacency<V> into = both_ways ? out : warpath::Adjacency<V>{};
  count([&] {
    warpath::BreadthFirst<V, D>(out, into, dist, weight, unreachable<D>, 1, false, control).run(0);
  });
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"out.road.int64", [] { search<std::int64_t>(road<std::int32_t>(), false, 1); }},
       {"out.rmat.float32", [] { search<float>(rmat<std::int32_t>(), false, 0.1f); }},
       {"both_ways.road.int64", [] { search<std::int64_t>(road<std::int32_t>(), true, 1); }},
       {"both_ways.rmat.int64", [] { search<std::int64_t>(rmat<std::int32_t>(), true, 1); }}});
}
