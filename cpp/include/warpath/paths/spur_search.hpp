// spur_search.hpp - shortest paths that avoid some vertices and edges: the searches of Yen's paths.
//
// Both searches go from both ends, in the order in which NetworkX takes vertices and edges, so that
// they return the same one of equally short paths. A call costs what it touches: the labels are
// allocated once and reused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// A path's vertices from source to target, empty if there is no path, and its length.
template <class D>
struct SpurPath {
  std::vector<std::int64_t> vertices;
  D length = 0;
};

/// Labels of the searches from the source (side 0) and from the target (side 1), and the vertices
/// and edges that they avoid.
template <Index V, class D>
class SpurLabels {
 public:
  explicit SpurLabels(std::int64_t n)
      : labels_(static_cast<std::size_t>(n)), avoided_(static_cast<std::size_t>(n)) {}

  struct Label {
    std::array<D, 2> dist{unreachable<D>, unreachable<D>};
    std::array<V, 2> from{-1, -1};  // the vertex before, -1 at an end
    std::array<bool, 2> settled{false, false};
  };

  Label& at(V v) { return labels_[static_cast<std::size_t>(v)]; }
  bool met(std::size_t side, V v) { return at(v).dist[side] != unreachable<D>; }

  void put(std::size_t side, V v, D dist, V from) {
    Label& label = at(v);
    if (label.dist[0] == unreachable<D> && label.dist[1] == unreachable<D>) touched_.push_back(v);
    label.dist[side] = dist;
    label.from[side] = from;
  }

  /// Avoids some vertices, and the edges from `source` to `heads`.
  void avoid(std::span<const std::int64_t> vertices, V source,
             std::span<const std::int64_t> heads) {
    source_ = source;
    for (const std::int64_t v : vertices) avoided_[static_cast<std::size_t>(v)] |= kVertex;
    for (const std::int64_t v : heads) avoided_[static_cast<std::size_t>(v)] |= kHead;
    marked_.assign(vertices.begin(), vertices.end());
    marked_.insert(marked_.end(), heads.begin(), heads.end());
  }

  /// Whether a side's search must not go from u to its neighbour v; side 1 goes against the edges.
  bool avoids(std::size_t side, V u, V v) const {
    if (avoided_[static_cast<std::size_t>(v)] & kVertex) return true;
    const V tail = side == 0 ? u : v, head = side == 0 ? v : u;
    return tail == source_ && (avoided_[static_cast<std::size_t>(head)] & kHead);
  }

  /// Appends the vertices from v on, on the path to a side's end; nothing for -1.
  void walk(std::size_t side, V v, std::vector<std::int64_t>& route) {
    for (; v >= 0; v = at(v).from[side]) route.push_back(v);
  }

  void clean() {
    for (const V v : touched_) at(v) = Label{};
    touched_.clear();
    for (const std::int64_t v : marked_) avoided_[static_cast<std::size_t>(v)] = 0;
    marked_.clear();
  }

 private:
  static constexpr std::uint8_t kVertex = 1;
  static constexpr std::uint8_t kHead = 2;

  std::vector<Label> labels_;
  std::vector<std::uint8_t> avoided_;
  std::vector<std::int64_t> marked_;  // the vertices of `avoided_` that are not 0
  std::vector<V> touched_;
  V source_ = -1;
};

/// Returns the shortest path for weights >= 0. `into` has the edges into each vertex. O(k log k)
/// for the k edges of vertices that are settled.
///
/// The sides take turns, whatever they find; the queues share a counter, by which equal labels are
/// taken as they came. The path is the first of the least length among those that were seen where
/// the sides meet. Source: Pohl 1971, as NetworkX has it.
template <Index V, Weight W>
SpurPath<DistanceOf<W>> spur_search(const CsrView<V, W>& graph, const CsrView<V, W>& into, V source,
                                    V target, SpurLabels<V, DistanceOf<W>>& labels, Poller poller) {
  using D = DistanceOf<W>;
  struct Entry {
    D dist;
    std::int64_t order;
    V vertex;
  };
  const auto later = [](const Entry& a, const Entry& b) {
    return a.dist > b.dist || (a.dist == b.dist && a.order > b.order);
  };
  SpurPath<D> best;
  if (source == target) return {{source}, 0};
  std::array<std::vector<Entry>, 2> queues{std::vector<Entry>{{0, 0, source}},
                                           std::vector<Entry>{{0, 1, target}}};
  std::int64_t order = 2;
  labels.put(0, source, 0, -1);
  labels.put(1, target, 0, -1);
  D least = unreachable<D>;
  V meeting = -1;
  std::array<V, 2> around{-1, -1};  // the vertices before and after `meeting` on the path
  for (std::size_t side = 0; !queues[0].empty() && !queues[1].empty(); side = 1 - side) {
    std::vector<Entry>& queue = queues[side];
    std::pop_heap(queue.begin(), queue.end(), later);
    const Entry top = queue.back();
    queue.pop_back();
    auto& settled = labels.at(top.vertex).settled;
    if (settled[side]) continue;
    settled[side] = true;
    if (settled[1 - side]) {
      labels.walk(0, around[0], best.vertices);
      std::reverse(best.vertices.begin(), best.vertices.end());
      best.vertices.push_back(meeting);
      labels.walk(1, around[1], best.vertices);
      best.length = least;
      return best;
    }
    const CsrView<V, W>& rows = side == 0 ? graph : into;
    const std::int64_t end = rows.indptr[static_cast<std::size_t>(top.vertex) + 1];
    std::int64_t e = rows.indptr[static_cast<std::size_t>(top.vertex)];
    poller.step(end - e + 1);
    for (; e < end; ++e) {
      const V v = rows.indices[static_cast<std::size_t>(e)];
      if (labels.avoids(side, top.vertex, v) || labels.at(v).settled[side]) continue;
      // The caller has checked that no path is too long for D.
      const D dist = top.dist + static_cast<D>(rows.weights[static_cast<std::size_t>(e)]);
      if (dist >= labels.at(v).dist[side]) continue;
      labels.put(side, v, dist, top.vertex);
      queue.push_back({dist, order++, v});
      std::push_heap(queue.begin(), queue.end(), later);
      if (!labels.met(1 - side, v)) continue;
      const D length = labels.at(v).dist[0] + labels.at(v).dist[1];
      if (meeting >= 0 && length >= least) continue;
      least = length;
      meeting = v;
      around = labels.at(v).from;
    }
  }
  return {};
}

/// The same for edges of length 1, by levels, always on the side with the smaller frontier. The
/// first vertex that both sides have met is on the path. O(edges of vertices met).
template <Index V>
SpurPath<std::int64_t> spur_search_by_levels(const Adjacency<V>& graph, const Adjacency<V>& into,
                                             V source, V target,
                                             SpurLabels<V, std::int64_t>& labels, Poller poller) {
  SpurPath<std::int64_t> path;
  labels.put(0, source, 0, -1);
  if (source == target) return {{source}, 0};
  labels.put(1, target, 0, -1);
  std::array<std::vector<V>, 2> frontiers{std::vector<V>{source}, std::vector<V>{target}};
  std::vector<V> level;
  while (!frontiers[0].empty() && !frontiers[1].empty()) {
    const std::size_t side = frontiers[0].size() <= frontiers[1].size() ? 0 : 1;
    const Adjacency<V>& rows = side == 0 ? graph : into;
    level.swap(frontiers[side]);
    frontiers[side].clear();
    for (const V u : level) {
      const std::int64_t end = rows.indptr[static_cast<std::size_t>(u) + 1];
      std::int64_t e = rows.indptr[static_cast<std::size_t>(u)];
      poller.step(end - e + 1);
      for (; e < end; ++e) {
        const V v = rows.indices[static_cast<std::size_t>(e)];
        if (labels.avoids(side, u, v)) continue;
        if (!labels.met(side, v)) {
          labels.put(side, v, labels.at(u).dist[side] + 1, u);
          frontiers[side].push_back(v);
        }
        if (!labels.met(1 - side, v)) continue;
        labels.walk(0, v, path.vertices);
        std::reverse(path.vertices.begin(), path.vertices.end());
        labels.walk(1, labels.at(v).from[1], path.vertices);
        path.length = labels.at(v).dist[0] + labels.at(v).dist[1];
        return path;
      }
    }
  }
  return path;
}

}  // namespace warpath
