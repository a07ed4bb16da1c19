// bidirectional.hpp - bidirectional search for any shortest path between two vertices.
//
// `BidirectionalSearch` (point_to_point.hpp) finds the canonical tree's path; these searches return
// the first path that they can prove to be shortest. A call costs what it touches: the labels are
// allocated once and reused.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph/packed_rows.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// The labels of one vertex in the searches from both ends, in half a cache line.
template <Index V>
struct alignas(32) BidirectionalLabel {
  std::array<std::int64_t, 2> dist{unreachable<std::int64_t>, unreachable<std::int64_t>};
  std::array<V, 2> from;  // the predecessor, or the vertex itself at an end; valid where dist is
};

/// The labels and queues of the searches from the source (side 0) and from the target (side 1).
template <Index V>
class BidirectionalLabels {
 public:
  using D = std::int64_t;

  explicit BidirectionalLabels(std::int64_t n)
      : labels_(static_cast<std::size_t>(n), BidirectionalLabel<V>{}) {}

  D dist(std::size_t side, V v) const { return at(v).dist[side]; }
  const BidirectionalLabel<V>& at(V v) const { return labels_[static_cast<std::size_t>(v)]; }

  void put(std::size_t side, V v, D dist, V from) {
    BidirectionalLabel<V>& label = labels_[static_cast<std::size_t>(v)];
    if (label.dist[side] == unreachable<D>) touched_.push_back(v);
    label.dist[side] = dist;
    label.from[side] = from;
  }

  /// Appends the vertices after v on its path to a side's end.
  void walk(std::size_t side, V v, std::vector<std::int64_t>& route) const {
    for (V u = at(v).from[side]; u != v;) {
      route.push_back(u);
      v = u;
      u = at(v).from[side];
    }
  }

  void clean() {
    for (const V v : touched_) labels_[static_cast<std::size_t>(v)].dist.fill(unreachable<D>);
    touched_.clear();
  }

 private:
  PageArray<BidirectionalLabel<V>> labels_;
  std::vector<V> touched_;
};

/// A path's vertices from source to target, empty if there is no path, and its length.
struct BidirectionalPath {
  std::vector<std::int64_t> vertices;
  std::int64_t length = unreachable<std::int64_t>;
  bool too_long = false;  // no path was found, but there may be one whose length does not fit
};

template <Index V>
BidirectionalPath path_through(const BidirectionalLabels<V>& labels, V meeting) {
  BidirectionalPath route;
  labels.walk(0, meeting, route.vertices);
  std::reverse(route.vertices.begin(), route.vertices.end());
  route.vertices.push_back(meeting);
  labels.walk(1, meeting, route.vertices);
  route.length = labels.dist(0, meeting) + labels.dist(1, meeting);
  return route;
}

/// The vertices settled from each end, in that order; a vertex's "place" is its index there.
template <Index V>
class SettledVertices {
 public:
  using D = std::int64_t;

  /// A settled vertex: its distance, the place of its predecessor, and the range of its edges that
  /// have not been followed yet.
  struct Known {
    D dist;
    V vertex;
    V above;
    std::uint32_t next;
    std::uint32_t end;
  };

  explicit SettledVertices(std::int64_t n) : sides_{Side(n), Side(n)} {}

  std::array<QuaternaryHeap<D, V>, 2>
      queues;  // of places, keyed by the label that their next edge gives

  bool has(std::size_t side, V v) const { return sides_[side].bits[word(v)] >> bit(v) & 1; }
  V place(std::size_t side, V v) const { return sides_[side].places[static_cast<std::size_t>(v)]; }
  Known& at(std::size_t side, V place) {
    return sides_[side].known[static_cast<std::size_t>(place)];
  }

  V add(std::size_t side, const Known& known) {
    Side& to = sides_[side];
    const V place = static_cast<V>(to.known.size());
    to.known.push_back(known);
    to.bits[word(known.vertex)] |= std::uint64_t{1} << bit(known.vertex);
    to.places[static_cast<std::size_t>(known.vertex)] = place;
    return place;
  }

  /// Appends the vertices from a place on, on the path to a side's end.
  void walk(std::size_t side, V place, std::vector<std::int64_t>& route) {
    for (; place >= 0; place = at(side, place).above) route.push_back(at(side, place).vertex);
  }

  void clean() {
    for (Side& side : sides_) {
      for (const Known& known : side.known) side.bits[word(known.vertex)] = 0;
      side.known.clear();
    }
    for (QuaternaryHeap<D, V>& queue : queues) queue.drain([](const QueueEntry<D, V>&) {});
  }

 private:
  struct Side {
    explicit Side(std::int64_t n)
        : bits(static_cast<std::size_t>(n) / 64 + 1), places(static_cast<std::size_t>(n)) {}

    std::vector<std::uint64_t> bits;  // one bit per vertex: settled; small enough for the cache
    PageArray<V> places;              // the place of a settled vertex; else undefined
    std::vector<Known> known;
  };

  static std::size_t word(V v) { return static_cast<std::size_t>(v) / 64; }
  static std::size_t bit(V v) { return static_cast<std::size_t>(v) % 64; }

  std::array<Side, 2> sides_;
};

/// Bidirectional Dijkstra's algorithm for integer weights >= 0. `into` has the edges into each
/// vertex, and rows are sorted by weight.
///
/// A settled vertex is queued with its lightest edge to an unsettled vertex, and again with the
/// next one when that edge is taken, so only vertices that the search reaches are labelled. The
/// sides alternate, except when one queue is over four times as long as the other. An edge is not
/// queued, nor those after it, if its label plus the last label settled on the other side is at
/// least the length of the best path found. The search stops when the smallest labels of both
/// queues add up to at least that length.
///
/// Every edge between the sides gives a path, which is checked when the second of its ends is
/// settled; the first of equally short ones is returned. It is simple: a vertex on both halves was
/// settled by the second side after its predecessor there, and via that one the sides had met at no
/// greater length. Work O(k log k) for k edges followed, and one bit read for every edge of the
/// vertices settled. Source: Nicholson 1966; sorted rows: Spira 1973.
template <Index V, std::integral W>
class BidirectionalDijkstra {
 public:
  using D = std::int64_t;
  using Rows = PackedRows<V, W>;

  BidirectionalDijkstra(const Rows& graph, const Rows& into, SettledVertices<V>& settled,
                        Poller poller)
      : graphs_{&graph, &into}, settled_(settled), queues_(settled.queues), poller_(poller) {}

  BidirectionalPath find(V source, V target) {
    if (source == target) return {{source}, 0};
    settle(0, source, 0, -1);
    settle(1, target, 0, -1);
    std::size_t side = 1;
    while (!queues_[0].empty() && !queues_[1].empty()) {
      D sum;
      if (!add_checked<D, D, V>(queues_[0].top().key, queues_[1].top().key, sum)) {
        too_long_ = true;
        break;
      }
      if (sum >= best_) break;
      side = 1 - side;
      if (queues_[side].size() > kMaxImbalance * queues_[1 - side].size()) side = 1 - side;
      follow(side);
    }
    BidirectionalPath route;
    if (best_ == unreachable<D>) {
      route.too_long = too_long_;
      return route;
    }
    route.length = best_;
    settled_.walk(0, meeting_[0], route.vertices);
    std::reverse(route.vertices.begin(), route.vertices.end());
    settled_.walk(1, meeting_[1], route.vertices);
    return route;
  }

 private:
  using Queue = QuaternaryHeap<D, V>;
  using Entry = QueueEntry<D, V>;
  using Known = typename SettledVertices<V>::Known;

  static constexpr std::size_t kMaxImbalance = 4;

  /// Follows the lightest edge in a side's queue.
  void follow(std::size_t side) {
    Queue& queue = queues_[side];
    const Entry top = queue.top();
    reach_[side] = top.key;
    Known& from = settled_.at(side, top.vertex);
    const V v = graphs_[side]->target(from.next++);
    poller_.step();
    if (D key; advance_to_next(side, from, key)) {
      queue.replace_top(key, top.vertex);
    } else {
      Entry gone;
      queue.pop(gone, [](const Entry&) { return true; });
    }
    if (!settled_.has(side, v)) settle(side, v, top.key, top.vertex);
  }

  void settle(std::size_t side, V v, D dist, V above) {
    const Rows& graph = *graphs_[side];
    const auto u = static_cast<std::size_t>(v);
    const std::size_t begin = graph.begin(u);
    const std::size_t end = graph.begin(u + 1);
    const V place = settled_.add(
        side, {dist, v, above, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    poller_.step(static_cast<std::int64_t>(end - begin) + 1);
    for (std::size_t e = begin; e < end; ++e) {
      const V next = graph.target(e);
      if (!settled_.has(1 - side, next)) continue;
      if (D sum; add_checked<D, W, V>(dist, graph.template weight<W>(e), sum))
        meet(side, place, sum, next);
      else
        too_long_ = true;
    }
    if (D key; advance_to_next(side, settled_.at(side, place), key)) queues_[side].push(key, place);
  }

  /// Advances a settled vertex to its next useful edge; `key` becomes the label at its end.
  bool advance_to_next(std::size_t side, Known& known, D& key) {
    const Rows& graph = *graphs_[side];
    for (; known.next < known.end; ++known.next) {
      const V v = graph.target(known.next);
      if (settled_.has(side, v)) continue;
      if (!add_checked<D, W, V>(known.dist, graph.template weight<W>(known.next), key) ||
          key >= best_ - reach_[1 - side]) {
        too_long_ = true;  // or, if a path is known, not shorter
        return false;
      }
      graph.fetch(graph.begin(static_cast<std::size_t>(v)));
      return true;
    }
    return false;
  }

  /// Compares the best path with a new one: `here` to the end of a side's edge, then along the
  /// other side's path.
  void meet(std::size_t side, V place, D here, V there) {
    const V other = settled_.place(1 - side, there);
    D sum;
    if (!add_checked<D, D, V>(here, settled_.at(1 - side, other).dist, sum)) {
      too_long_ = true;
    } else if (sum < best_) {
      best_ = sum;
      meeting_[side] = place;
      meeting_[1 - side] = other;
    }
  }

  std::array<const Rows*, 2> graphs_;
  SettledVertices<V>& settled_;
  std::array<Queue, 2>& queues_;
  Poller poller_;
  std::array<D, 2> reach_{0, 0};  // the last label settled on each side
  D best_ = unreachable<D>;
  std::array<V, 2> meeting_{-1, -1};  // the places of the two ends of the joining edge, by side
  bool too_long_ = false;
};

/// The same for edges of length 1, from their rows and the in-edges' rows: breadth-first by levels,
/// always on the side with the smaller frontier. The first edge between the sides completes a
/// shortest path. O(edges of vertices met).
template <Index V>
BidirectionalPath bidirectional_breadth_first(const Adjacency<V>& graph, const Adjacency<V>& into,
                                              V source, V target, BidirectionalLabels<V>& labels,
                                              Poller poller) {
  using D = std::int64_t;
  labels.put(0, source, 0, source);
  labels.put(1, target, 0, target);
  if (source == target) return path_through<V>(labels, source);
  std::array<std::vector<V>, 2> frontiers{std::vector<V>{source}, std::vector<V>{target}};
  std::vector<V> next;
  while (!frontiers[0].empty() && !frontiers[1].empty()) {
    const std::size_t side = frontiers[0].size() <= frontiers[1].size() ? 0 : 1;
    const Adjacency<V>& rows = side == 0 ? graph : into;
    const std::vector<V>& level = frontiers[side];
    next.clear();
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (i + 8 < level.size())
        __builtin_prefetch(&rows.indptr[static_cast<std::size_t>(level[i + 8])]);
      if (i + 4 < level.size())
        __builtin_prefetch(rows.indices.data() +
                           rows.indptr[static_cast<std::size_t>(level[i + 4])]);
      const V u = level[i];
      const D dist = labels.dist(side, u) + 1;
      const std::int64_t begin = rows.indptr[static_cast<std::size_t>(u)];
      const std::int64_t end = rows.indptr[static_cast<std::size_t>(u) + 1];
      poller.step(end - begin + 1);
      for (std::int64_t e = begin; e < end; ++e) {
        const V v = rows.indices[static_cast<std::size_t>(e)];
        if (labels.dist(side, v) != unreachable<D>) continue;
        labels.put(side, v, dist, u);
        if (labels.dist(1 - side, v) != unreachable<D>) return path_through<V>(labels, v);
        next.push_back(v);
      }
    }
    frontiers[side].swap(next);
  }
  return {};
}

}  // namespace warpath
