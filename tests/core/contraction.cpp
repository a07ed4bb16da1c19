// contraction.cpp - hierarchies of small graphs, compared with all pairs by Floyd and Warshall, and
// the number of arcs of a larger one. Exits with 1 and a sentence at the first difference.
#include "warpath/hierarchy/contraction.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "warpath/hierarchy/upward_search.hpp"

using V = std::int32_t;
using W = std::int32_t;

struct Edge {
  V u, v;
  W weight;
};

struct Rows {
  std::vector<std::int64_t> indptr;
  std::vector<V> indices;
  std::vector<W> weights;
};

Rows rows_of(V n, const std::vector<Edge>& edges) {
  Rows rows;
  rows.indptr.assign(1, 0);
  for (V u = 0; u < n; ++u) {
    for (const Edge& edge : edges)
      if (edge.u == u) rows.indices.push_back(edge.v), rows.weights.push_back(edge.weight);
    rows.indptr.push_back(static_cast<std::int64_t>(rows.indices.size()));
  }
  return rows;
}

/// `sparse`: whether each round begins by removing all arcs that are longer than the path between
/// their ends. `wide`: the arcs of a list beyond which its vertex is a hub.
warpath::Hierarchy<W> contracted(const Rows& rows, std::int64_t arcs, bool sparse, int threads,
                                 std::int64_t wide = 128) {
  warpath::ContractionLimits limits;
  limits.wide_degree = wide;
  limits.arcs_to_contract = limits.arcs_to_rank = arcs;
  if (sparse) limits.sparse_degree = limits.denser = 0;
  warpath::Control control;
  return warpath::Contraction<V, W>({rows.indptr, rows.indices, rows.weights}, limits, threads,
                                    control)
      .run();
}

void fail(const char* what, long long a, long long b, long long found, long long expected) {
  std::printf("%s %lld -> %lld: %lld, not %lld\n", what, a, b, found, expected);
  std::exit(1);
}

void check(const char* what, V n, const std::vector<Edge>& edges, std::int64_t arcs,
           std::int64_t wide = 128) {
  constexpr std::int64_t kFar = 1 << 29;
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<std::int64_t>> dist(size, std::vector<std::int64_t>(size, kFar));
  for (std::size_t v = 0; v < size; ++v) dist[v][v] = 0;
  for (const Edge& edge : edges) {
    auto& known = dist[static_cast<std::size_t>(edge.u)][static_cast<std::size_t>(edge.v)];
    known = std::min<std::int64_t>(known, edge.weight);
  }
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        dist[i][j] = std::min(dist[i][j], dist[i][k] + dist[k][j]);
  const auto hierarchy = contracted(rows_of(n, edges), arcs, true, 1, wide);
  for (warpath::Position x = 0; x < n; ++x) {
    const auto v = static_cast<std::size_t>(hierarchy.vertex(x));
    for (const bool up : {true, false}) {
      for (const auto& arc : (up ? hierarchy.up() : hierarchy.down()).row(x)) {
        const auto head = static_cast<std::size_t>(hierarchy.vertex(arc.head));
        const std::int64_t expected = up ? dist[v][head] : dist[head][v];
        if (arc.weight != expected) fail("an arc of", v, head, arc.weight, expected);
      }
    }
  }
  warpath::PairSearch<W> search(hierarchy);
  for (V u = 0; u < n; ++u) {
    for (V v = 0; v < n; ++v) {
      const auto label = search.distance(u, v);
      const std::int64_t found = label == warpath::kNoLabel<W> ? kFar : std::int64_t{label};
      const std::int64_t expected = dist[static_cast<std::size_t>(u)][static_cast<std::size_t>(v)];
      if (found != expected) fail(what, u, v, found, expected);
    }
  }
}

void check_arcs(const char* what, const warpath::Hierarchy<W>& hierarchy, std::int64_t most) {
  const auto arcs = static_cast<std::int64_t>(hierarchy.up().arcs());
  if (arcs > most) fail(what, hierarchy.n(), hierarchy.n(), arcs, most);
}

std::vector<Edge> grid(V side, unsigned weights, std::mt19937& random) {
  std::vector<Edge> edges;
  const auto both = [&](V a, V b) {
    const auto weight = static_cast<W>(1 + random() % weights);
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
  };
  for (V row = 0; row < side; ++row) {
    for (V column = 0; column < side; ++column) {
      if (column + 1 < side) both(row * side + column, row * side + column + 1);
      if (row + 1 < side) both(row * side + column, (row + 1) * side + column);
    }
  }
  return edges;
}

/// A lattice in which each vertex has edges to all of which both coordinates differ by at most 3.
std::vector<Edge> wide_lattice(V side, std::mt19937& random) {
  std::vector<Edge> edges;
  for (V v = 0; v < side * side; ++v) {
    for (V row = v / side; row <= std::min(v / side + 3, side - 1); ++row) {
      for (V column = std::max(v % side - 3, 0); column <= std::min(v % side + 3, side - 1);
           ++column) {
        const V other = row * side + column;
        const auto weight = static_cast<W>(1 + random() % 1000);
        if (other > v) edges.push_back({v, other, weight}), edges.push_back({other, v, weight});
      }
    }
  }
  return edges;
}

/// A cycle of vertices from `first` on, with an edge from each to a random other one.
std::vector<Edge> cubic(V first, V n, std::mt19937& random) {
  std::vector<V> order;
  for (V v = 0; v < n; ++v) order.push_back(first + v);
  std::vector<Edge> edges;
  const auto both = [&](V a, V b) {
    const auto weight = static_cast<W>(1 + random() % 1000);
    edges.push_back({a, b, weight});
    edges.push_back({b, a, weight});
  };
  for (V v = 0; v < n; ++v) both(first + v, first + (v + 1) % n);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) both(order[i], order[i + 1]);
  return edges;
}

/// The vertices that would add twice the arcs that they remove when a graph is refused because
/// more than `least` vertices grow dense; 0 if it is not refused.
std::int64_t growing(const Rows& rows, std::int64_t least) {
  warpath::ContractionLimits limits;
  limits.growing_vertices = least;
  limits.core_vertices = 1;
  limits.core_degree = 1 << 30;
  warpath::Control control;
  const warpath::CsrView<V, W> view{rows.indptr, rows.indices, rows.weights};
  try {
    warpath::Contraction<V, W>(view, limits, 1, control).run();
  } catch (const warpath::DenseCore& core) {
    return core.growing;
  }
  return 0;
}

void check_growth(std::mt19937& random) {
  const Rows expander = rows_of(600, cubic(0, 600, random));
  if (growing(expander, 150) == 0) fail("an expander", 600, 150, 0, 1);
  const auto accept = [](const char* what, const Rows& rows, std::int64_t least) {
    const std::int64_t found = growing(rows, least);
    if (found != 0) fail(what, std::ssize(rows.indptr) - 1, least, found, 0);
  };
  accept("an expander before it grows", expander, 300);
  accept("a mesh of many arcs", rows_of(1600, wide_lattice(40, random)), 600);
  auto edges = grid(50, 1000, random);
  const auto core = cubic(2500, 600, random);
  edges.insert(edges.end(), core.begin(), core.end());
  accept("a small part that grows", rows_of(3100, edges), 100);
}

int main() {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const V n = 3 + static_cast<V>(random() % 22);
    std::vector<Edge> edges;
    for (unsigned e = 0; e < 3U * static_cast<unsigned>(n); ++e) {
      const auto u = static_cast<V>(random() % static_cast<unsigned>(n));
      const auto v = static_cast<V>(random() % static_cast<unsigned>(n));
      const auto weight = static_cast<W>(random() % 6);
      edges.push_back({u, v, weight});
      if (trial % 2 == 0) edges.push_back({v, u, weight});
    }
    check("random", n, edges, trial % 3 == 0 ? 2 : 1000, trial % 5 == 0 ? 3 : 128);
  }
  for (V side = 2; side < 9; ++side) check("grid", side * side, grid(side, 1, random), 1000);
  // At most 5 % more arcs than there are.
  const Rows large = rows_of(2500, grid(50, 1000, random));
  check_arcs("arcs of a grid", contracted(large, 1000, false, 1), 9500);
  // Searches of 2 arcs miss most witnesses.
  const auto sparse = contracted(large, 2, true, 1);
  check_arcs("arcs of a grid after short searches", sparse, 11000);
  const auto by_team = contracted(large, 2, true, 3);
  for (warpath::Position x = 0; x < 2500; ++x)
    if (!std::ranges::equal(sparse.up().row(x), by_team.up().row(x)))
      fail("arcs by a team of 3", x, x, std::ssize(by_team.up().row(x)),
           std::ssize(sparse.up().row(x)));
  check_growth(random);
}
