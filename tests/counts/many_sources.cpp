// Tables of several sources: one after another, side by side, and by Dijkstra's search.
#include "warpath/many/many_sources.hpp"

#include "counts.hpp"
#include "warpath/queues/radix_heap.hpp"

using namespace counts;

/// `count` sources from `first` on.
std::vector<std::int64_t> from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> sources(count);
  for (std::size_t i = 0; i < count; ++i) sources[i] = first + static_cast<std::int64_t>(i);
  return sources;
}

/// The graph under other numbers, which are far for neighbours.
template <class W>
Graph<W> scattered(const Graph<W>& graph) {
  const auto number = [n = graph.n()](std::int64_t v) { return static_cast<V>(v * 5003 % n); };
  Control control;
  Graph<W> other = graph;
  std::vector<V> tails, heads;
  for (std::int64_t u = 0; u < graph.n(); ++u)
    for (auto e = graph.indptr[static_cast<std::size_t>(u)];
         e < graph.indptr[static_cast<std::size_t>(u) + 1]; ++e) {
      tails.push_back(number(u));
      heads.push_back(number(graph.indices[static_cast<std::size_t>(e)]));
    }
  warpath::build_csr<V, V, W>(tails, heads, graph.weights, false, other.indptr, other.indices,
                              other.weights, Poller(control, true));
  return other;
}

/// `large`: vertices from which on near numbers are looked for.
template <class W>
void table(const Graph<W>& graph, std::size_t sources, double delta, bool together,
           std::int64_t large = std::int64_t{1} << 19) {
  using D = DistanceOf<W>;
  Control control;
  const auto rows = from(graph.n() / 2, sources);
  std::vector<D> out(sources * static_cast<std::size_t>(graph.n()));
  const CsrView<V, W> view = graph.view();
  const warpath::Table<V, W, D> asked{view,  rows,      {},         out,  unreachable<D>,
                                      delta, delta * 8, kBytes * 8, large};
  count([&] { warpath::many_sources(asked, together, 1, control); });
}

template <class Edges>
void dijkstra_rows(const Graph<std::int32_t>& graph, Edges edges) {
  Control control;
  const auto rows = from(0, 3);
  std::vector<std::int64_t> out(rows.size() * static_cast<std::size_t>(graph.n()));
  const CsrView<V, std::int32_t> view = graph.view();
  count([&] {
    warpath::dijkstra_many<std::int64_t, V, std::int32_t>(
        view, rows, {}, std::span<std::int64_t>(out),
        [] { return warpath::RadixHeap<std::int64_t, V>(); }, edges, unreachable<std::int64_t>, 1,
        control);
  });
}

void under_potentials() {
  const auto graph = rmat<std::int32_t>();
  const std::vector<std::int64_t> potentials(static_cast<std::size_t>(graph.n()));
  dijkstra_rows(graph, warpath::ReducedWeights<V, std::int32_t>{potentials});
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"alone.road.int32", [] { table(road<std::int32_t>(), 2, 200, false); }},
       {"alone.rmat.float32", [] { table(rmat<float>(255, 0.1f), 2, 0.6, false); }},
       {"packed.road.int32", [] { table(road<std::int32_t>(), 4, 200, false); }},
       {"packed.rmat.float32", [] { table(rmat<float>(255, 0.1f), 4, 0.6, false); }},
       {"near.road.int32", [] { table(scattered(road<std::int32_t>()), 8, 200, false, 1); }},
       {"together.road.int32", [] { table(road<std::int32_t>(), 32, 200, true); }},
       {"together.rmat.int32", [] { table(rmat<std::int32_t>(), 32, 6, true); }},
       {"together.rmat.float32", [] { table(rmat<float>(255, 0.1f), 16, 0.6, true); }},
       {"dijkstra.rmat.int32",
        [] { dijkstra_rows(rmat<std::int32_t>(), warpath::OriginalWeights<V, std::int32_t>{}); }},
       {"johnson.rmat.int32", under_potentials}});
}
