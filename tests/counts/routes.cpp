// What follows a search, or needs only a part of one: the tree, the certificate, one route.
#include "counts.hpp"
#include "warpath/paths/point_to_point.hpp"
#include "warpath/paths/tree.hpp"
#include "warpath/paths/verify.hpp"

using namespace counts;

template <class W>
std::vector<DistanceOf<W>> solved(const Graph<W>& graph) {
  Control control;
  auto dist = graph.labels();
  warpath::QuaternaryHeap<DistanceOf<W>, V> queue;
  warpath::dijkstra<V, W>(graph.view(), 0, dist, queue, {}, unreachable<DistanceOf<W>>,
                          Poller(control, true));
  return dist;
}

/// The graphs are undirected: they are their own transposes.
template <class W>
void tree(const Graph<W>& graph, bool by_edges_in) {
  Control control;
  const auto dist = solved(graph);
  const CsrView<V, W> view = graph.view();
  const auto into = by_edges_in ? warpath::InEdges<V, W>{view} : warpath::InEdges<V, W>{};
  std::vector<V> pred(dist.size());
  count([&] {
    warpath::TreeBuilder<V, W>(view, into, 0, dist, pred, 1, false, control).build(false);
  });
}

template <class W>
void certificate(const Graph<W>& graph) {
  Control control;
  const auto dist = solved(graph);
  const CsrView<V, W> view = graph.view();
  std::vector<V> pred(dist.size());
  const warpath::InEdges<V, W> no_in_edges;
  warpath::TreeBuilder<V, W>(view, no_in_edges, 0, dist, pred, 1, false, control).build(false);
  count([&] {
    using D = DistanceOf<W>;
    warpath::Certificate<V, W> proof(view, 0, dist, std::nullopt, D{0}, control);
    if (proof.check(pred).rule != nullptr) std::exit(4);
  });
}

void route(bool bidirectional) {
  Control control;
  const auto graph = road<std::int32_t>();
  const CsrView<V, std::int32_t> view = graph.view();
  const V from = static_cast<V>(graph.n() / 4);
  const V to = static_cast<V>(graph.n() / 2 + 20);
  count([&] {
    const Poller poller(control, true);
    if (bidirectional)
      warpath::BidirectionalSearch<V, std::int32_t>(view, view, from, to, poller).find();
    else
      warpath::early_stop_path<V, std::int32_t>(view, view, from, to, poller);
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"tree.road.int32", [] { tree(road<std::int32_t>(), false); }},
                       {"tree.rmat.float32", [] { tree(rmat<float>(255, 0.1f), false); }},
                       {"tree_in.road.int32", [] { tree(road<std::int32_t>(), true); }},
                       {"tree_in.rmat.float32", [] { tree(rmat<float>(255, 0.1f), true); }},
                       {"certificate.road.int32", [] { certificate(road<std::int32_t>()); }},
                       {"early_stop.road.int32", [] { route(false); }},
                       {"bidirectional.road.int32", [] { route(true); }}});
}
