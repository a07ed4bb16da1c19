// bidirectional.hpp - any shortest path between two vertices: searches from both, over kept labels.
//
// Where `BidirectionalSearch` finds the tree's own route, these take the first that they can prove
// to be shortest. A call costs what it touches: its labels are made once and handed on clean.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/packed_rows.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// What the searches from both ends know of a vertex, in half a cache line.
template <Index V>
struct alignas(32) BothLabel {
  std::array<std::int64_t, 2> dist{unreachable<std::int64_t>, unreachable<std::int64_t>};
  std::array<V, 2> from;  // the vertex before, at the end itself the same; meant where dist is
};

/// The labels and queues of the searches from the source, side 0, and from the target, side 1.
template <Index V>
class BothLabels {
 public:
  using D = std::int64_t;

  explicit BothLabels(std::int64_t n) : labels_(static_cast<std::size_t>(n), BothLabel<V>{}) {}

  D dist(std::size_t side, V v) const { return at(v).dist[side]; }
  const BothLabel<V>& at(V v) const { return labels_[static_cast<std::size_t>(v)]; }

  void put(std::size_t side, V v, D dist, V from) {
    BothLabel<V>& label = labels_[static_cast<std::size_t>(v)];
    if (label.dist[side] == unreachable<D>) touched_.push_back(v);
    label.dist[side] = dist;
    label.from[side] = from;
  }

  /// Appends the vertices after v on the way to a side's end.
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
  PageArray<BothLabel<V>> labels_;
  std::vector<V> touched_;
};

/// Labels for the searches of one graph, of as many as ever ran at once.
template <class Labels>
class LabelsPool {
 public:
  explicit LabelsPool(std::int64_t n) : n_(n) {}

  /// Calls use(labels) with clean ones that no other thread has. Where it throws they are dropped.
  template <class Use>
  auto with(Use&& use) {
    std::unique_ptr<Labels> labels = take();
    auto found = use(*labels);
    labels->clean();
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(labels));
    return found;
  }

 private:
  std::unique_ptr<Labels> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Labels> labels = std::move(free_.back());
        free_.pop_back();
        return labels;
      }
    }
    return std::make_unique<Labels>(n_);
  }

  const std::int64_t n_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Labels>> free_;
};

/// A path's vertices from end to end, none where there is none, and its length.
struct RouteMet {
  std::vector<std::int64_t> vertices;
  std::int64_t length = unreachable<std::int64_t>;
  bool too_long = false;  // none was found, and there may be one whose length does not fit
};

template <Index V>
RouteMet route_met(const BothLabels<V>& labels, V meeting) {
  RouteMet route;
  labels.walk(0, meeting, route.vertices);
  std::reverse(route.vertices.begin(), route.vertices.end());
  route.vertices.push_back(meeting);
  labels.walk(1, meeting, route.vertices);
  route.length = labels.dist(0, meeting) + labels.dist(1, meeting);
  return route;
}

/// What the searches from both ends have settled, in the order in which they did.
template <Index V>
class Settled {
 public:
  using D = std::int64_t;

  /// A settled vertex: its distance, where the vertex before it stands, and its edges that have not
  /// been followed yet.
  struct Known {
    D dist;
    V vertex;
    V above;
    std::uint32_t next;
    std::uint32_t end;
  };

  explicit Settled(std::int64_t n) : sides_{Side(n), Side(n)} {}

  std::array<FourHeap<D, V>, 2> queues;  // of places, by where their next edges lead

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

  /// Appends the vertices from a place on, on the way to a side's end.
  void walk(std::size_t side, V place, std::vector<std::int64_t>& route) {
    for (; place >= 0; place = at(side, place).above) route.push_back(at(side, place).vertex);
  }

  void clean() {
    for (Side& side : sides_) {
      for (const Known& known : side.known) side.bits[word(known.vertex)] = 0;
      side.known.clear();
    }
    for (FourHeap<D, V>& queue : queues) queue.drain([](const Labelled<D, V>&) {});
  }

 private:
  struct Side {
    explicit Side(std::int64_t n)
        : bits(static_cast<std::size_t>(n) / 64 + 1), places(static_cast<std::size_t>(n)) {}

    std::vector<std::uint64_t> bits;  // of each vertex; few enough to stay in the cache
    PageArray<V> places;              // where a settled vertex stands in `known`; else anything
    std::vector<Known> known;
  };

  static std::size_t word(V v) { return static_cast<std::size_t>(v) / 64; }
  static std::size_t bit(V v) { return static_cast<std::size_t>(v) % 64; }

  std::array<Side, 2> sides_;
};

/// Dijkstra's search from both ends, for integers >= 0; `into` has the edges into each vertex, and
/// rows are sorted by weight.
///
/// A settled vertex is queued by the least of its edges to vertices that are not settled, and again
/// by the next one when that is taken: neighbours that the search never comes to are never
/// labelled. The sides take turns, but for one whose queue is over four times as long as the
/// other's. An edge that with the last label settled on the other side is no less than the best
/// path found is not queued, nor those after it; they stop when the least labels of both queues
/// together are no less.
///
/// Every edge between both sides is a path, looked at when the second of its ends is settled; the
/// first of equally short ones is kept. So it is simple: a vertex on both its ways was settled by
/// the second side after the one before it on that way, and with that one they had met over no
/// more. Work O(k log k) for k edges followed, and reading a bit for every edge of the vertices
/// settled. Source: Nicholson 1966; sorted rows: Spira 1973.
template <Index V, std::integral W>
class BothEnds {
 public:
  using D = std::int64_t;
  using Rows = PackedRows<V, W>;

  BothEnds(const Rows& graph, const Rows& into, Settled<V>& settled, Pulse pulse)
      : graphs_{&graph, &into}, settled_(settled), queues_(settled.queues), pulse_(pulse) {}

  RouteMet find(V source, V target) {
    if (source == target) return {{source}, 0};
    settle(0, source, 0, -1);
    settle(1, target, 0, -1);
    std::size_t side = 1;
    while (!queues_[0].empty() && !queues_[1].empty()) {
      D sum;
      if (!extend<D, D, V>(queues_[0].top().key, queues_[1].top().key, sum)) {
        too_long_ = true;
        break;
      }
      if (sum >= best_) break;
      side = 1 - side;
      if (queues_[side].size() > kTooMany * queues_[1 - side].size()) side = 1 - side;
      follow(side);
    }
    RouteMet route;
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
  using Queue = FourHeap<D, V>;
  using Entry = Labelled<D, V>;
  using Known = typename Settled<V>::Known;

  static constexpr std::size_t kTooMany = 4;

  /// Takes the least edge of a side's queue.
  void follow(std::size_t side) {
    Queue& queue = queues_[side];
    const Entry top = queue.top();
    reach_[side] = top.key;
    Known& from = settled_.at(side, top.vertex);
    const V v = graphs_[side]->target(from.next++);
    pulse_.beat();
    if (D key; comes_to_next(side, from, key)) {
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
    pulse_.beat(static_cast<std::int64_t>(end - begin) + 1);
    for (std::size_t e = begin; e < end; ++e) {
      const V next = graph.target(e);
      if (!settled_.has(1 - side, next)) continue;
      if (D sum; extend<D, W, V>(dist, graph.template weight<W>(e), sum))
        meet(side, place, sum, next);
      else
        too_long_ = true;
    }
    if (D key; comes_to_next(side, settled_.at(side, place), key)) queues_[side].push(key, place);
  }

  /// Goes on to a settled vertex's next edge that may be of use, whose far end is `key` away.
  bool comes_to_next(std::size_t side, Known& known, D& key) {
    const Rows& graph = *graphs_[side];
    for (; known.next < known.end; ++known.next) {
      const V v = graph.target(known.next);
      if (settled_.has(side, v)) continue;
      if (!extend<D, W, V>(known.dist, graph.template weight<W>(known.next), key) ||
          key >= best_ - reach_[1 - side]) {
        too_long_ = true;  // or, where a path is known, no better
        return false;
      }
      graph.fetch(graph.begin(static_cast<std::size_t>(v)));
      return true;
    }
    return false;
  }

  /// Sees a path: `here` to the end of a side's edge, and on from there by the other side's way.
  void meet(std::size_t side, V place, D here, V there) {
    const V other = settled_.place(1 - side, there);
    D sum;
    if (!extend<D, D, V>(here, settled_.at(1 - side, other).dist, sum)) {
      too_long_ = true;
    } else if (sum < best_) {
      best_ = sum;
      meeting_[side] = place;
      meeting_[1 - side] = other;
    }
  }

  std::array<const Rows*, 2> graphs_;
  Settled<V>& settled_;
  std::array<Queue, 2>& queues_;
  Pulse pulse_;
  std::array<D, 2> reach_{0, 0};  // the label that each side settled last
  D best_ = unreachable<D>;
  std::array<V, 2> meeting_{-1, -1};  // the places of either side's end of the edge that joins them
  bool too_long_ = false;
};

/// The edges out of each vertex, or those into each, without weights.
template <Index V>
struct Heads {
  std::span<const std::int64_t> indptr;
  std::span<const V> indices;
};

/// The same where every edge counts 1: levels, of the side whose outermost one is smaller. The
/// first edge between both sides completes a shortest path. O(edges of the vertices met).
template <Index V>
RouteMet both_ends_by_levels(const Heads<V>& graph, const Heads<V>& into, V source, V target,
                             BothLabels<V>& labels, Pulse pulse) {
  using D = std::int64_t;
  labels.put(0, source, 0, source);
  labels.put(1, target, 0, target);
  if (source == target) return route_met<V>(labels, source);
  std::array<std::vector<V>, 2> outermost{std::vector<V>{source}, std::vector<V>{target}};
  std::vector<V> next;
  while (!outermost[0].empty() && !outermost[1].empty()) {
    const std::size_t side = outermost[0].size() <= outermost[1].size() ? 0 : 1;
    const Heads<V>& rows = side == 0 ? graph : into;
    const std::vector<V>& level = outermost[side];
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
      pulse.beat(end - begin + 1);
      for (std::int64_t e = begin; e < end; ++e) {
        const V v = rows.indices[static_cast<std::size_t>(e)];
        if (labels.dist(side, v) != unreachable<D>) continue;
        labels.put(side, v, dist, u);
        if (labels.dist(1 - side, v) != unreachable<D>) return route_met<V>(labels, v);
        next.push_back(v);
      }
    }
    outermost[side].swap(next);
  }
  return {};
}

}  // namespace warpath
