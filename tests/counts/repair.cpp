// Repairs of the distances and the tree of one source after changes of weights.
#include "counts.hpp"
#include "warpath/dynamic/dynamic_paths.hpp"

using namespace counts;
using W = std::int32_t;

/// Each batch changes some edges to half or twice their weights.
void repair(const Graph<W>& graph, int batches, std::size_t edges, warpath::Region region) {
  Control control;
  const std::vector<std::int64_t> source{0};
  warpath::DynamicPaths<V, W> paths(graph.view(), true, 0, source);
  paths.solve(1, control);
  std::vector<warpath::EdgeChange<V, W>> changes;
  for (std::size_t e = 0, u = 0; changes.size() < static_cast<std::size_t>(batches) * edges;
       e += graph.indices.size() / (static_cast<std::size_t>(batches) * edges)) {
    while (graph.indptr[u + 1] <= static_cast<std::int64_t>(e)) ++u;
    const W weight = changes.size() % 2 == 0 ? graph.weights[e] * 2 : graph.weights[e] / 2 + 1;
    changes.push_back(
        {warpath::ChangeKind::kUpdate, static_cast<V>(u), graph.indices[e], 0, weight});
  }
  count([&] {
    for (auto batch = changes.begin(); batch != changes.end(); batch += static_cast<long>(edges)) {
      paths.apply({batch, edges}, region, {}, 1, control);
      paths.accept();
    }
  });
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"exact.road", [] { repair(road<W>(), 200, 1, warpath::Region::kExact); }},
       {"subtrees.road", [] { repair(road<W>(), 20, 10, warpath::Region::kSubtrees); }}});
}
