// Tables by searches that meet in buckets, and the nearest of several sources, in a hierarchy.
#include "counts.hpp"
#include "warpath/hierarchy/buckets.hpp"
#include "warpath/hierarchy/contraction.hpp"
#include "warpath/hierarchy/nearest_sweep.hpp"

using namespace counts;
using W = std::int32_t;

warpath::Hierarchy<W> built(const Graph<W>& graph) {
  Control control;
  return warpath::Contraction<V, W>(graph.view(), {}, 1, control).run();
}

void buckets(const Graph<W>& graph) {
  const auto hierarchy = built(graph);
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t v = 0; v < 32; ++v) sources.push_back(v * 97 % graph.n());
  for (std::int64_t v = 0; v < 50; ++v) targets.push_back(v * 89 % graph.n());
  std::vector<std::int64_t> out(sources.size() * targets.size());
  Control control;
  warpath::SearchSpace<W> space(hierarchy);
  warpath::BucketTable<W, std::int64_t> table(hierarchy, space, sources, targets, out);
  count([&] { table.fill(1, control); });
}

void nearest(const Graph<W>& graph) {
  const auto hierarchy = built(graph);
  std::vector<std::int64_t> sources;
  for (std::int64_t v = 0; v < 32; ++v) sources.push_back(v * 97 % graph.n());
  auto dist = graph.labels();
  std::vector<V> owners(dist.size());
  Control control;
  count([&] {
    warpath::nearest_sweep<W, V>(hierarchy, sources, dist, owners, warpath::Poller(control, true));
  });
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"buckets.road", [] { buckets(road<W>()); }}, {"nearest.road", [] { nearest(road<W>()); }}});
}
