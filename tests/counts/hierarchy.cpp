// Contraction hierarchies: building one, pairs of vertices, and sweeps from several sources.
#include <array>

#include "counts.hpp"
#include "warpath/hierarchy/contraction.hpp"
#include "warpath/hierarchy/sweep.hpp"
#include "warpath/hierarchy/upward_search.hpp"

using namespace counts;
using W = std::int32_t;

warpath::Hierarchy<W> built(const Graph<W>& graph) {
  Control control;
  return warpath::Contraction<V, W>(graph.view(), {}, 1, control).run();
}

void contract(const Graph<W>& graph) {
  count([&] { built(graph); });
}

void pairs(const Graph<W>& graph) {
  const auto hierarchy = built(graph);
  warpath::PairSearch<W> search(hierarchy);
  count([&] {
    for (std::int64_t v = 0; v < 100; ++v) search.distance(v * 7, graph.n() - 1 - v * 11);
  });
}

void table(const Graph<W>& graph, bool restricted) {
  const auto hierarchy = built(graph);
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t v = 0; v < 32; ++v) sources.push_back(v * 97 % graph.n());
  if (restricted)
    for (std::int64_t v = 0; v < 50; ++v) targets.push_back(v * 89 % graph.n());
  const std::size_t width = restricted ? targets.size() : static_cast<std::size_t>(graph.n());
  std::vector<std::int64_t> out(sources.size() * width);
  Control control;
  const warpath::SweepTable<W, std::int64_t> asked{hierarchy, sources,    targets,
                                                   out,       restricted, kBytes * 8};
  warpath::SearchSpace<W> space(hierarchy);
  count([&] { warpath::sweep_table(asked, space, 1, control); });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"contract.road", [] { contract(road<W>()); }},
                       {"contract.star", [] { contract(star<W>()); }},
                       {"pairs.road", [] { pairs(road<W>()); }},
                       {"sweep.road", [] { table(road<W>(), false); }},
                       {"restricted_sweep.road", [] { table(road<W>(), true); }}});
}
