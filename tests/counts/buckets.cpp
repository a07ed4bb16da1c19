// Delta-stepping of one source in buckets that a team shares, by one thread.
#include "counts.hpp"
#include "warpath/sssp/bucket_team.hpp"

using namespace counts;

template <class W>
void search(const Graph<W>& graph, double delta, W max_weight) {
  Control control;
  auto dist = graph.labels();
  const CsrView<V, W> view = graph.view();
  warpath::BucketCounters counters;
  count([&] {
    if (!warpath::bucket_team<V, W>(view, 0, dist, {delta, max_weight, false}, control, counters))
      std::exit(4);
  });
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"road.int32", [] { search<std::int32_t>(road<std::int32_t>(), 2000, 1000); }},
       {"road.float32", [] { search<float>(road<float>(1000, 0.1f), 200, 100); }},
       {"rmat.int32", [] { search<std::int32_t>(rmat<std::int32_t>(), 6, 255); }},
       {"rmat.float32", [] { search<float>(rmat<float>(255, 0.1f), 0.6, 25.5f); }}});
}
