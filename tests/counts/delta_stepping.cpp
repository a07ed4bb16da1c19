// Delta-stepping of one source, by one thread.
#include "warpath/sssp/delta_stepping.hpp"

#include "counts.hpp"

using namespace counts;

template <class W>
void search(const Graph<W>& graph, DistanceOf<W> delta) {
  Control control;
  auto dist = graph.labels();
  count([&] { warpath::delta_stepping<V, W>(graph.view(), 0, dist, delta, 1, control); });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { search(road<std::int32_t>(), 2000); }},
                       {"road.float32", [] { search(road<float>(1000, 0.1f), 200.0f); }},
                       {"rmat.int32", [] { search(rmat<std::int32_t>(), 6); }}});
}
