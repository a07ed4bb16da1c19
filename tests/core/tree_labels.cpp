// tree_labels.cpp - compares labels with Floyd and Warshall's algorithm on random graphs and grids.

#include "warpath/hierarchy/tree_labels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "warpath/hierarchy/customization.hpp"
#include "warpath/hierarchy/elimination_order.hpp"

using V = std::int32_t;
using W = std::int32_t;
using Table = std::vector<std::vector<std::int64_t>>;

struct Edge {
  V u, v;
  W weight;
};

constexpr std::int64_t kFar = warpath::unreachable<std::int64_t>;

void compare(const char* what, V u, V v, std::int64_t found, std::int64_t expected) {
  if (found == expected) return;
  std::printf("%s %d -> %d: %lld, not %lld\n", what, u, v, static_cast<long long>(found),
              static_cast<long long>(expected));
  std::exit(1);
}

/// Compares the entries of labels with the distances to and from ancestors.
void check_entries(const warpath::TreeLabels<W>& labels, const Table& dist) {
  const warpath::AncestorTree& tree = *labels.tree();
  std::vector<V> vertex(tree.n());
  for (std::size_t v = 0; v < tree.n(); ++v)
    vertex[tree.position(static_cast<std::int64_t>(v))] = static_cast<V>(v);
  const auto parent = tree.parents();
  const auto entry = [](std::uint32_t label) {
    return label == warpath::kNoLabel<W> ? kFar : std::int64_t{label};
  };
  for (std::size_t x = 0; x < tree.n(); ++x) {
    const V own = vertex[x];
    std::size_t above = x;
    for (std::size_t i = tree.depth(x) + 1; i-- > 0;) {
      const V to = vertex[above];
      const std::size_t at = tree.first(x) + i;
      compare("up", own, to, entry(labels.up()[at]), dist[std::size_t(own)][std::size_t(to)]);
      compare("down", to, own, entry(labels.down()[at]), dist[std::size_t(to)][std::size_t(own)]);
      above = static_cast<std::size_t>(parent[above]);
    }
  }
}

std::vector<std::int64_t> pair_distances(V n, const std::vector<Edge>& edges, int threads,
                                         const Table& dist, std::span<const std::int64_t> sources,
                                         std::span<const std::int64_t> targets) {
  std::vector<std::int64_t> indptr{0};
  std::vector<V> indices;
  std::vector<W> weights;
  for (V u = 0; u < n; ++u) {
    for (const Edge& edge : edges)
      if (edge.u == u) indices.push_back(edge.v), weights.push_back(edge.weight);
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  warpath::Control control;
  auto neighbours = warpath::neighbours_of<V>(indptr, indices);
  const auto order = warpath::EliminationOrder(neighbours, {}, control).run();
  const warpath::Elimination elimination(std::span<const std::int64_t>(indptr),
                                         std::span<const V>(indices), std::move(neighbours), order,
                                         warpath::Poller(control, true));
  const auto hierarchy =
      warpath::Customization<W>(elimination, threads, control).run(std::span<const W>(weights));
  const auto tree =
      std::make_shared<const warpath::AncestorTree>(warpath::ancestor_tree(elimination));
  const warpath::TreeLabels<W> labels(tree, elimination, hierarchy, threads, control);
  check_entries(labels, dist);
  std::vector<std::int64_t> found(sources.size());
  labels.pairs(sources, targets, found, threads, control);
  return found;
}

void check(const char* what, V n, const std::vector<Edge>& edges, int threads) {
  const auto size = static_cast<std::size_t>(n);
  Table dist(size, std::vector<std::int64_t>(size, kFar));
  for (std::size_t v = 0; v < size; ++v) dist[v][v] = 0;
  for (const Edge& edge : edges) {
    auto& known = dist[static_cast<std::size_t>(edge.u)][static_cast<std::size_t>(edge.v)];
    known = std::min<std::int64_t>(known, edge.weight);
  }
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size && dist[i][k] != kFar; ++j)
        if (dist[k][j] != kFar) dist[i][j] = std::min(dist[i][j], dist[i][k] + dist[k][j]);
  std::vector<std::int64_t> sources, targets;
  for (V u = 0; u < n; ++u)
    for (V v = 0; v < n; ++v) sources.push_back(u), targets.push_back(v);
  const auto found = pair_distances(n, edges, threads, dist, sources, targets);
  for (std::size_t i = 0; i < found.size(); ++i)
    compare(what, V(i / size), V(i % size), found[i], dist[i / size][i % size]);
}

int main() {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const V n = 2 + static_cast<V>(random() % 60);
    std::vector<Edge> edges;
    for (V e = 0; e < 2 * n; ++e) {
      const auto u = static_cast<V>(random() % static_cast<unsigned>(n));
      const auto v = static_cast<V>(random() % static_cast<unsigned>(n));
      const auto weight = static_cast<W>(random() % 6);
      edges.push_back({u, v, weight});
      if (trial % 2 == 0) edges.push_back({v, u, weight});
    }
    check("random", n, edges, 1 + trial % 3);
  }
  for (const V side : {9, 20}) {
    std::vector<Edge> edges;
    for (V v = 0; v < side * side; ++v) {
      for (const V step : {V{1}, side}) {
        const bool inside = step == 1 ? (v + 1) % side != 0 : v + side < side * side;
        if (!inside) continue;
        edges.push_back({v, v + step, static_cast<W>(1 + random() % 9)});
        edges.push_back({v + step, v, static_cast<W>(1 + random() % 9)});
      }
    }
    check("grid", side * side, edges, 2);
  }
  return 0;
}
