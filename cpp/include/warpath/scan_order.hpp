// scan_order.hpp - the order in which a search scans vertices, from the distances alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// Puts the reached vertices into the order in which a search scans them, and fills `via` (n) with
/// the edge by which each is first met: the first tight one, dist[u] + w == dist[v], in this order;
/// -1 at the sources and where nothing was reached.
///
/// `order` comes with the reached vertices by ascending distance, and leaves with those that are
/// equally far as Dijkstra's search takes them whose queue gives the entry first that came first: a
/// vertex waits behind those of its distance that were met before it. With `queue` it is what a
/// first-in first-out queue makes, breadth-first over the tight edges; only its size is read then.
///
/// `dist` holds exact labels, so tight edges reach what has one; vertices without a label are not
/// scanned. O(n + m). Throws std::invalid_argument where `order` is not filled by them.
template <Index V, Weight W>
void scan_order(const CsrView<V, W>& graph, std::span<const DistanceOf<W>> dist,
                std::span<const std::int64_t> sources, bool queue, std::span<std::int64_t> order,
                std::span<std::int64_t> via, Pulse pulse) {
  using D = DistanceOf<W>;
  constexpr std::int64_t kUnmet = -2;
  const auto n = static_cast<std::int64_t>(dist.size());
  const auto size = static_cast<std::int64_t>(order.size());
  // Where in `order` the vertices begin that are as far as this one. The next free entry of such a
  // group is kept in `place` of its first vertex, which needs its own no more.
  std::vector<std::int64_t> place(dist.size(), queue ? 0 : size);
  for (std::int64_t i = 0, first = 0; i < size && !queue; ++i) {
    const std::int64_t v = order[static_cast<std::size_t>(i)];
    if (v < 0 || v >= n) throw std::invalid_argument("the order holds what is no vertex");
    const std::int64_t before = i > 0 ? order[static_cast<std::size_t>(i - 1)] : v;
    if (dist[static_cast<std::size_t>(before)] != dist[static_cast<std::size_t>(v)]) first = i;
    place[static_cast<std::size_t>(v)] = first;
  }
  std::fill(via.begin(), via.end(), kUnmet);
  std::fill(order.begin(), order.end(), std::int64_t{-1});
  const auto put = [&](std::int64_t v, std::int64_t edge) {
    const auto at = static_cast<std::size_t>(v);
    const std::int64_t first = place[at];
    if (first >= size)
      throw std::invalid_argument("a vertex that is met has no place in the order");
    std::int64_t& head = order[static_cast<std::size_t>(first)];
    if (head < 0) {
      head = v;
      place[at] = first + 1;
    } else {
      std::int64_t& next = place[static_cast<std::size_t>(head)];
      if (next >= size)
        throw std::invalid_argument("more vertices are met than the order has entries");
      order[static_cast<std::size_t>(next++)] = v;
    }
    via[at] = edge;
  };
  for (const std::int64_t source : sources)
    if (via[static_cast<std::size_t>(source)] == kUnmet) put(source, -1);
  // Rows lie anywhere: those of vertices that are due soon are asked for ahead of time.
  const auto due = [&](std::size_t i) { return i < order.size() ? order[i] : std::int64_t{-1}; };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0) throw std::invalid_argument("tight edges do not reach all labels");
    if (const std::int64_t v = due(i + 16); v >= 0)
      __builtin_prefetch(&graph.indptr[static_cast<std::size_t>(v)]);
    if (const std::int64_t v = due(i + 8); v >= 0) {
      const auto row = static_cast<std::size_t>(graph.indptr[static_cast<std::size_t>(v)]);
      __builtin_prefetch(graph.indices.data() + row);
      __builtin_prefetch(graph.weights.data() + row);
    }
    const auto u = static_cast<std::size_t>(order[i]);
    pulse.beat(graph.indptr[u + 1] - graph.indptr[u] + 1);
    for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[static_cast<std::size_t>(e)]);
      D sum;
      if (extend<D, W, V>(dist[u], graph.weights[static_cast<std::size_t>(e)], sum) &&
          sum == dist[v] && via[v] == kUnmet && sum != unreachable<D>)
        put(static_cast<std::int64_t>(v), e);
    }
  }
  std::replace(via.begin(), via.end(), kUnmet, std::int64_t{-1});
}

}  // namespace warpath
