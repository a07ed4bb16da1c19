// From edges and files to rows, and back.
#include "counts.hpp"
#include "warpath/graph/inspect.hpp"
#include "warpath/io/read_metis.hpp"
#include "warpath/io/read_rows.hpp"
#include "warpath/io/write_text.hpp"

using namespace counts;
using Int = std::int32_t;

/// The edges of a graph as lists.
struct Edges {
  std::vector<V> src;
  std::vector<V> dst;
  std::vector<Int> weights;
};

Edges edges_of(const Graph<Int>& graph) {
  Edges edges{{}, graph.indices, graph.weights};
  for (std::size_t u = 0; u + 1 < graph.indptr.size(); ++u)
    edges.src.insert(edges.src.end(),
                     static_cast<std::size_t>(graph.indptr[u + 1] - graph.indptr[u]),
                     static_cast<V>(u));
  return edges;
}

void rows_of_edges() {
  Control control;
  Graph<Int> graph = rmat<Int>();
  const Edges edges = edges_of(graph);
  count([&] {
    const Poller poller(control, true);
    warpath::inspect_edges<V, Int>(edges.src, edges.dst, edges.weights, -1, poller);
    warpath::build_csr<V, V, Int>(edges.src, edges.dst, edges.weights, false, graph.indptr,
                                  graph.indices, graph.weights, poller);
  });
}

void transposed() {
  Control control;
  const Graph<Int> graph = rmat<Int>();
  Graph<Int> other = graph;
  count([&] {
    warpath::transpose<V, Int>(graph.view(), other.indptr, other.indices, other.weights,
                               Poller(control, true));
  });
}

void facts() {
  Control control;
  const Graph<Int> graph = rmat<Int>();
  count([&] {
    warpath::inspect_rows<V, Int>(graph.view(), 1, control);
    if (warpath::row_facts<V, Int>(graph.view(), 1, control).negative > 0) std::exit(4);
  });
}

template <class W>
void arcs(const Graph<W>& graph, const char* roles) {
  Control control;
  std::string lines;
  for (std::size_t u = 0; u + 1 < graph.indptr.size(); ++u)
    for (auto e = static_cast<std::size_t>(graph.indptr[u]);
         e < static_cast<std::size_t>(graph.indptr[u + 1]); ++e)
      lines += "a " + std::to_string(u + 1) + ' ' + std::to_string(graph.indices[e] + 1) + ' ' +
               std::to_string(graph.weights[e]) + '\n';
  warpath::Text text(lines, 1);
  warpath::RowLayout layout;
  layout.roles = roles;
  layout.prefix = 'a';
  layout.low = 1;
  layout.high = graph.n();
  count([&] {
    const auto rows = warpath::RowReader(text, layout, control).read();
    if (rows.count != static_cast<std::int64_t>(graph.indices.size())) std::exit(4);
  });
}

void neighbours() {
  Control control;
  const Graph<Int> graph = rmat<Int>();
  std::string lines;
  for (std::size_t u = 0; u + 1 < graph.indptr.size(); ++u) {
    for (auto e = static_cast<std::size_t>(graph.indptr[u]);
         e < static_cast<std::size_t>(graph.indptr[u + 1]); ++e)
      lines += std::to_string(graph.indices[e] + 1) + ' ' + std::to_string(graph.weights[e]) + ' ';
    lines += '\n';
  }
  warpath::Text text(lines, 2);
  const auto entries = static_cast<std::int64_t>(graph.indices.size());
  count([&] {
    if (!warpath::read_metis(text, {graph.n(), entries, 0, true}, control).symmetric) std::exit(4);
  });
}

void written() {
  Control control;
  const Edges edges = edges_of(rmat<Int>());
  count([&] {
    warpath::format_edges<V, Int>(edges.src, edges.dst, edges.weights, 1, "a ",
                                  Poller(control, true));
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"rows_of_edges.rmat", rows_of_edges},
                       {"transpose.rmat", transposed},
                       {"facts.rmat", facts},
                       {"read_arcs.road.int32", [] { arcs(road<Int>(), "vvi"); }},
                       {"read_arcs.road.float64", [] { arcs(road<double>(1000, 0.1), "vvr"); }},
                       {"read_metis.rmat", neighbours},
                       {"write_edges.rmat", written}});
}
