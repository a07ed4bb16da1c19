// Tables of several sources: one after another, side by side, and by Dijkstra's search.
#include "warpath/many_sources.hpp"

#include "counts.hpp"
#include "warpath/radix_heap.hpp"

using namespace counts;

/// `count` sources from `first` on.
std::vector<std::int64_t> from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> sources(count);
  for (std::size_t i = 0; i < count; ++i) sources[i] = first + static_cast<std::int64_t>(i);
  return sources;
}

template <class W>
void table(const Graph<W>& graph, std::size_t sources, double delta, bool together) {
  using D = DistanceOf<W>;
  Control control;
  const auto rows = from(graph.n() / 2, sources);
  std::vector<D> out(sources * static_cast<std::size_t>(graph.n()));
  const CsrView<V, W> view = graph.view();
  const warpath::Table<V, W, D> asked{view,           rows,  {},        out,
                                      unreachable<D>, delta, delta * 8, kBytes * 8};
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
  dijkstra_rows(graph, warpath::ReducedEdges<V, std::int32_t>{potentials});
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"alone.road.int32", [] { table(road<std::int32_t>(), 2, 200, false); }},
       {"alone.rmat.float32", [] { table(rmat<float>(255, 0.1f), 2, 0.6, false); }},
       {"together.road.int32", [] { table(road<std::int32_t>(), 32, 200, true); }},
       {"together.rmat.int32", [] { table(rmat<std::int32_t>(), 32, 6, true); }},
       {"together.rmat.float32", [] { table(rmat<float>(255, 0.1f), 16, 0.6, true); }},
       {"dijkstra.rmat.int32",
        [] { dijkstra_rows(rmat<std::int32_t>(), warpath::PlainEdges<V, std::int32_t>{}); }},
       {"johnson.rmat.int32", under_potentials}});
}
