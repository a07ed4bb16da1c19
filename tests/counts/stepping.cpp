// Delta*-stepping and rho-stepping of one source, by one thread.
#include "warpath/sssp/stepping.hpp"

#include "counts.hpp"

using namespace counts;

template <class W>
void search(const Graph<W>& graph, DistanceOf<W> delta, std::int64_t rho) {
  Control control;
  auto dist = graph.labels();
  count([&] { warpath::stepping<V, W>(graph.view(), 0, dist, delta, rho, 1, control); });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { search(road<std::int32_t>(), 500, 0); }},
                       {"rmat.int32", [] { search(rmat<std::int32_t>(), 0, 64); }}});
}
