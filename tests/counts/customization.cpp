// Customizable hierarchies: the order and the arcs of a network, and their weights.
#include "warpath/hierarchy/customization.hpp"

#include "counts.hpp"
#include "warpath/hierarchy/elimination.hpp"
#include "warpath/hierarchy/elimination_order.hpp"

using namespace counts;
using W = std::int32_t;

warpath::Elimination eliminated(const CsrView<V, W>& graph) {
  Control control;
  auto neighbours = warpath::neighbours_of<V>(graph.indptr, graph.indices);
  const auto order = warpath::EliminationOrder(neighbours, {}, control).run();
  return {graph.indptr, graph.indices, std::move(neighbours), order, Poller(control, true)};
}

void eliminate(const Graph<W>& graph) {
  count([&] { eliminated(graph.view()); });
}

/// `one_way`: each edge has a weight of its own.
void customize(const Graph<W>& graph, bool one_way) {
  const warpath::Elimination elimination = eliminated(graph.view());
  std::vector<W> weights(graph.view().weights.begin(), graph.view().weights.end());
  if (one_way)
    for (std::size_t e = 0; e < weights.size(); ++e) weights[e] += static_cast<W>(e % 7);
  Control control;
  count(
      [&] { warpath::Customization<W>(elimination, 1, control).run(std::span<const W>(weights)); });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"eliminate.road", [] { eliminate(road<W>()); }},
                       {"eliminate.star", [] { eliminate(star<W>()); }},
                       {"customize.road", [] { customize(road<W>(), false); }},
                       {"customize_one_way.road", [] { customize(road<W>(), true); }}});
}
