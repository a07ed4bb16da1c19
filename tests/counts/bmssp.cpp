// Bounded multi-source shortest paths by recursion.
#include "warpath/sssp/bmssp.hpp"

#include "counts.hpp"

using namespace counts;

template <class W>
void search(const Graph<W>& graph) {
  Control control;
  auto dist = graph.labels();
  count([&] {
    warpath::bmssp<false, V, W>(graph.view(), 0, dist, 0, 0, unreachable<DistanceOf<W>>,
                                Poller(control, true));
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { search(road<std::int32_t>()); }},
                       {"rmat.float64", [] { search(rmat<double>(255, 0.1)); }}});
}
