// Pairs of vertices by searches side by side in a hierarchy.
#include <numeric>

#include "counts.hpp"
#include "warpath/hierarchy/contraction.hpp"
#include "warpath/hierarchy/lane_search.hpp"

using namespace counts;
using W = std::int32_t;

void pairs(const Graph<W>& graph) {
  Control control;
  const auto hierarchy = warpath::Contraction<V, W>(graph.view(), {}, 1, control).run();
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t v = 0; v < 200; ++v) {
    sources.push_back(v * 7);
    targets.push_back(graph.n() - 1 - v * 11 % graph.n());
  }
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  warpath::PairsInLanes<W> search(hierarchy);
  Poller poller(control, true);
  std::int64_t sum = 0;
  count([&] {
    search.distances(sources, targets, order, kBytes * 8, poller,
                     [&](std::size_t, auto label) { sum += label; });
  });
  if (sum == 0) throw std::logic_error("no pair has a distance");
}

int main(int argc, char** argv) {
  return counts::main(argc, argv, {{"pairs.road", [] { pairs(road<W>()); }}});
}
