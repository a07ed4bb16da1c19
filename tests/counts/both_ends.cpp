// Any shortest path between two vertices, by searches from both that are handed clean labels.
#include "warpath/both_ends.hpp"

#include "counts.hpp"

using namespace counts;

void route(const Graph<std::int32_t>& graph, bool by_levels) {
  Control control;
  const CsrView<V, std::int32_t> view = graph.view();
  const warpath::Heads<V> heads{view.indptr, view.indices};
  const warpath::PackedRows<V, std::int32_t> rows(view, {});
  const V from = static_cast<V>(graph.n() / 4);
  const V to = static_cast<V>(graph.n() / 2 + 20);
  warpath::LabelsPool<V> pool(graph.n());
  const auto search = [&](V source, V target) {
    pool.with([&](warpath::BothLabels<V>& labels) {
      const Pulse pulse(control, true);
      if (by_levels)
        return warpath::both_ends_by_levels<V>(heads, heads, source, target, labels, pulse);
      return warpath::BothEnds<V, std::int32_t>(rows, rows, labels, pulse).find(source, target);
    });
  };
  search(from, from);  // makes the labels
  count([&] { search(from, to); });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"road.int32", [] { route(road<std::int32_t>(), false); }},
                       {"rmat.int32", [] { route(rmat<std::int32_t>(255, 1), false); }},
                       {"levels.road", [] { route(road<std::int32_t>(), true); }}});
}
