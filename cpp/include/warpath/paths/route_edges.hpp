// route_edges.hpp - the edges of routes, and sums of other quantities along them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// edges[i] becomes the lightest edge from tails[i] to heads[i], the first of equal ones, as its
/// position in the rows of the graph; -1 if there is none. Work: the edges out of the tails.
template <Index V, Weight W>
void lightest_edges(const CsrView<V, W>& graph, std::span<const std::int64_t> tails,
                    std::span<const std::int64_t> heads, std::span<std::int64_t> edges, int threads,
                    Control& control) {
  constexpr std::int64_t kChunk = 1 << 14;  // pairs: well under a millisecond
  const auto count = static_cast<std::int64_t>(tails.size());
  const std::int64_t parts = ceil_div(count, kChunk);
  DynamicLoop chunks;
  run_open_team(static_cast<int>(std::clamp<std::int64_t>(parts, 1, threads)), control,
                [&](int rank) {
                  Poller poller(control, rank == 0);
                  chunks.run(parts, [&](std::int64_t part) {
                    const std::int64_t end = std::min(count, (part + 1) * kChunk);
                    for (std::int64_t i = part * kChunk; i < end; ++i) {
                      const auto at = static_cast<std::size_t>(i);
                      const auto row = static_cast<std::size_t>(tails[at]);
                      const auto head = static_cast<V>(heads[at]);
                      std::int64_t lightest = -1;
                      W least{};
                      poller.step(graph.indptr[row + 1] - graph.indptr[row] + 1);
                      for (std::int64_t e = graph.indptr[row]; e < graph.indptr[row + 1]; ++e) {
                        const auto edge = static_cast<std::size_t>(e);
                        if (graph.indices[edge] != head) continue;
                        if (lightest >= 0 && !(graph.weights[edge] < least)) continue;
                        lightest = e;
                        least = graph.weights[edge];
                      }
                      edges[at] = lightest;
                    }
                  });
                });
}

/// Adds a value to a sum; throws std::overflow_error if the sum of integers does not fit.
template <class T>
void add_to_sum(T& sum, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    sum += value;
  } else {
    if (__builtin_add_overflow(sum, value, &sum))
      throw std::overflow_error("a sum along a route does not fit 64 bits");
  }
}

/// sums[r] becomes the sum of the values of route r, counts[r] of them, in their order.
template <class T>
void route_sums(std::span<const std::int64_t> counts, std::span<const T> values, std::span<T> sums,
                Poller poller) {
  std::size_t at = 0;
  for (std::size_t route = 0; route < counts.size(); ++route) {
    const std::size_t end = at + static_cast<std::size_t>(counts[route]);
    T sum{};
    for (; at < end; ++at) add_to_sum(sum, values[at]);
    sums[route] = sum;
    poller.step(counts[route] + 1);
  }
}

/// The vertices of several routes.
struct Routes {
  std::vector<std::int64_t> vertices;  // of one route after another, each from source to target
  std::vector<std::int64_t> counts;    // of vertices of each route, 0 without a path
};

/// The routes of many pairs, found on threads. `order` has the pairs so that near ones share cached
/// data; their routes lie in ascending order. open(poller, run) calls run(find) with a function of
/// one thread: find(pair, vertices) appends the vertices of a pair's route, none without a path.
template <class Open>
Routes routes_of_pairs(std::span<const std::size_t> order, int threads, Control& control,
                       const Open& open) {
  constexpr std::size_t kRoutes = 256;   // of a chunk: some milliseconds on a city
  constexpr std::int64_t kSteps = 1024;  // of a route, for the poller
  const std::size_t count = order.size();
  const auto most = static_cast<std::size_t>(threads);
  const std::size_t chunk = std::clamp<std::size_t>(count / (4 * most), 1, kRoutes);
  const std::size_t parts = (count + chunk - 1) / chunk;
  Routes routes;
  routes.counts.resize(count);
  std::vector<std::vector<std::int64_t>> found(parts);  // the routes of a chunk, in its order
  DynamicLoop chunks;
  control.expect(static_cast<std::int64_t>(count));
  run_open_team(static_cast<int>(std::clamp<std::size_t>(parts, 1, most)), control, [&](int rank) {
    Poller poller(control, rank == 0);
    open(poller, [&](const auto& find) {
      chunks.run(static_cast<std::int64_t>(parts), [&](std::int64_t part) {
        const std::size_t begin = static_cast<std::size_t>(part) * chunk;
        const std::size_t end = std::min(count, begin + chunk);
        std::vector<std::int64_t>& vertices = found[static_cast<std::size_t>(part)];
        for (std::size_t at = begin; at < end; ++at) {
          poller.step(kSteps);
          const std::size_t before = vertices.size();
          find(order[at], vertices);
          routes.counts[order[at]] = static_cast<std::int64_t>(vertices.size() - before);
        }
        control.advance(static_cast<std::int64_t>(end - begin));
      });
    });
  });
  std::vector<std::size_t> begins(count);
  std::size_t total = 0;
  for (std::size_t pair = 0; pair < count; ++pair) {
    begins[pair] = total;
    total += static_cast<std::size_t>(routes.counts[pair]);
  }
  routes.vertices.resize(total);
  for (std::size_t part = 0; part < parts; ++part) {
    auto next = found[part].begin();
    for (std::size_t at = part * chunk; at < std::min(count, (part + 1) * chunk); ++at) {
      const auto stop = next + routes.counts[order[at]];
      std::copy(next, stop,
                routes.vertices.begin() + static_cast<std::ptrdiff_t>(begins[order[at]]));
      next = stop;
    }
  }
  return routes;
}

/// The routes from the root of a tree to some vertices. Vertices without a predecessor are roots.
/// Work: the vertices of the routes.
template <Index V>
Routes tree_routes(std::span<const V> pred, std::span<const std::int64_t> targets, Poller poller) {
  Routes routes;
  routes.counts.reserve(targets.size());
  for (const std::int64_t target : targets) {
    const std::size_t begin = routes.vertices.size();
    for (std::int64_t v = target; v >= 0; v = pred[static_cast<std::size_t>(v)]) {
      if (routes.vertices.size() - begin > pred.size())
        throw std::invalid_argument("the predecessors have a cycle");
      routes.vertices.push_back(v);
      poller.step();
    }
    std::reverse(routes.vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                 routes.vertices.end());
    routes.counts.push_back(static_cast<std::int64_t>(routes.vertices.size() - begin));
  }
  return routes;
}

/// sums[i] becomes the sum of the values of the vertices from the root of a tree, whose value is
/// added to 0, to targets[i]. The sum of a vertex is formed once. Work: the vertices of the routes.
template <Index V, class T>
void tree_sums(std::span<const V> pred, std::span<const T> values,
               std::span<const std::int64_t> targets, std::span<T> sums, Poller poller) {
  std::vector<T> sum_of(pred.size());
  std::vector<char> known(pred.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto target = static_cast<std::size_t>(targets[i]);
    open.clear();
    std::int64_t above = targets[i];
    for (; above >= 0 && known[static_cast<std::size_t>(above)] == 0;
         above = pred[static_cast<std::size_t>(above)]) {
      if (open.size() > pred.size()) throw std::invalid_argument("the predecessors have a cycle");
      open.push_back(static_cast<std::size_t>(above));
    }
    T sum = above < 0 ? T{} : sum_of[static_cast<std::size_t>(above)];
    poller.step(static_cast<std::int64_t>(open.size()) + 1);
    for (; !open.empty(); open.pop_back()) {
      const std::size_t v = open.back();
      add_to_sum(sum, values[v]);
      sum_of[v] = sum;
      known[v] = 1;
    }
    sums[i] = sum_of[target];
  }
}

/// Adds to `through` of each vertex the trips from the root of a tree to some targets that pass it
/// or end there. Work: the vertices of the routes, each once.
template <Index V>
void tree_loads(std::span<const V> pred, std::span<const std::int64_t> targets,
                std::span<const double> trips, std::span<double> through, Poller poller) {
  std::vector<std::int32_t> following(pred.size(), -1);  // on routes, of those that are on some
  std::vector<std::size_t> on_routes;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    through[static_cast<std::size_t>(targets[i])] += trips[i];
    std::int64_t v = targets[i];
    for (; v >= 0 && following[static_cast<std::size_t>(v)] < 0;
         v = pred[static_cast<std::size_t>(v)]) {
      const bool is_first = v == targets[i];
      following[static_cast<std::size_t>(v)] = is_first ? 0 : 1;
      on_routes.push_back(static_cast<std::size_t>(v));
      poller.step();
    }
    if (v >= 0 && v != targets[i]) ++following[static_cast<std::size_t>(v)];
  }
  std::size_t done = 0;
  const auto pass_on = [&](std::size_t v) {
    while (true) {
      ++done;
      following[v] = -1;
      if (pred[v] < 0) return;
      const auto u = static_cast<std::size_t>(pred[v]);
      through[u] += through[v];
      // A vertex of a tree waits for the one after it; one of a cycle may have passed on before.
      if (following[u] <= 0) throw std::invalid_argument("the predecessors have a cycle");
      if (--following[u] > 0) return;
      v = u;
    }
  };
  for (const std::size_t v : on_routes)
    if (following[v] == 0) pass_on(v);
  if (done != on_routes.size()) throw std::invalid_argument("the predecessors have a cycle");
}

}  // namespace warpath
