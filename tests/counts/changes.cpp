// Changes of a few weights in a customizable hierarchy.
#include "warpath/hierarchy/changes.hpp"

#include "counts.hpp"
#include "warpath/hierarchy/elimination_order.hpp"

using namespace counts;
using W = std::int32_t;

void change(const Graph<W>& graph) {
  const CsrView<V, W> view = graph.view();
  Control control;
  auto neighbours = warpath::neighbours_of<V>(view.indptr, view.indices);
  const auto order = warpath::EliminationOrder(neighbours, {}, control).run();
  const warpath::Elimination elimination(view.indptr, view.indices, std::move(neighbours), order,
                                         Poller(control, true));
  std::vector<W> weights(view.weights.begin(), view.weights.end());
  warpath::ChangeableWeights<W> kept(elimination, std::span<const W>(weights), 1, control);
  std::vector<std::int64_t> edges;
  for (std::size_t e = 5; e < weights.size() && edges.size() < 20; e += weights.size() / 20) {
    edges.push_back(static_cast<std::int64_t>(e));
    weights[e] = edges.size() % 2 == 0 ? weights[e] / 2 : weights[e] * 3;
  }
  count([&] {
    kept.changed(view.indptr, std::span<const W>(weights), edges, Poller(control, true));
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv, {{"road", [] { change(road<W>()); }}});
}
