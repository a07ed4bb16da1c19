// brandes.hpp - betweenness of vertices and edges by one search from each source.
//
// A search counts the shortest paths to each vertex as it settles it. In the reverse order, each
// vertex then gets the share of the paths to all targets that leads through it. With cutoffs, the
// search ends at the largest, and there is a share for each: of the targets within it. Radii are
// cutoffs of other lengths (route_lengths.hpp).
//
// A search keeps the edges that may be on shortest paths: all others are read once. Those of an
// R-MAT graph are a twentieth, of a Delaunay graph a quarter of all edges. This and the radix heap
// save a third of the time on R-MAT graphs, a fifth on Delaunay graphs.
//
// Work    one search of Dijkstra's algorithm for each source, breadth-first without weights, and a
//         second pass over the edges that it kept; with cutoffs in proportion to the part that is
//         searched.
// Memory  for each thread 44 bytes a vertex, 8 for each cutoff or once, 8 for each edge that is
//         kept, and its sums.
// Needs   no self-loops or parallel edges; weights > 0.
// Source  Brandes, "A faster algorithm for betweenness centrality", 2001.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/centrality/request.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/many/route_lengths.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/ordered_sums.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/queues/radix_heap.hpp"

namespace warpath {

/// One thread's searches; `kEqual`: all edges have the same length, and there are no weights.
template <Index V, Weight W, bool kEqual>
class BrandesSearch {
 public:
  using D = DistanceOf<W>;

  /// `cutoffs` ascend; none for no limit. For radii each is the largest distance.
  BrandesSearch(const CsrView<V, W>& graph, const BetweennessRequest& request,
                std::span<const D> cutoffs, Poller& poller)
      : graph_(graph),
        request_(request),
        poller_(poller),
        cutoffs_(cutoffs.begin(), cutoffs.end()),
        bounded_(!cutoffs.empty()),
        dist_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        paths_(dist_.size(), 0.0),
        share_(dist_.size() * std::max<std::size_t>(cutoffs.size(), 1)),
        lengths_(request.lengths, dist_.size(), request.radii.empty() ? 0 : request.radii.back()),
        targets_(request.is_target.begin(), request.is_target.end()),
        order_(dist_.size()),
        begins_(dist_.size()),
        edges_(graph.indices.size()) {
    if (!bounded_) cutoffs_.push_back(unreachable<D>);
    limit_ = std::min(cutoffs_.back(), kLargest);
    sums_.resize(2 * cutoffs_.size());
    if constexpr (kEqual) settled_.resize(dist_.size());
  }

  /// Adds the shares of the paths from one of the sources, of vertices and then of edges.
  void add(std::size_t item, std::span<double> sums) {
    const auto source = static_cast<std::size_t>(request_.sources[item]);
    each_trip(item, [&](std::size_t end, double trips) { targets_[end] += trips; });
    paths_[source] = 1;
    reached_ = 0;
    kept_ = 0;
    if constexpr (kEqual)
      search_by_levels(source);
    else
      search(source);
    // Known when it is compiled, a single sum takes a tenth less time.
    if (cutoffs_.size() == 1)
      return_shares(source, sums, std::integral_constant<std::size_t, 1>{});
    else
      return_shares(source, sums, cutoffs_.size());
    each_trip(item, [&](std::size_t end, double) { targets_[end] = 0; });
    poller_.control().advance(1);
  }

 private:
  static constexpr D kLargest =
      std::is_floating_point_v<D> ? std::numeric_limits<D>::max() : unreachable<D> - D{1};

  /// An edge that may be the last of a shortest path to its head.
  struct Kept {
    V head;
    V place;  // among the edges out of its tail
  };

  template <class Visit>
  void each_trip(std::size_t item, const Visit& visit) const {
    if (request_.first.empty()) return;
    const auto end = static_cast<std::size_t>(request_.first[item + 1]);
    for (auto i = static_cast<std::size_t>(request_.first[item]); i < end; ++i)
      visit(static_cast<std::size_t>(request_.ends[i]), request_.trips[i]);
  }

  /// Settles vertex i of the order, and returns the edges out of it for which leads(edge, head) is
  /// true. There is no branch for each edge, as which ones are kept cannot be predicted.
  template <class Leads>
  std::span<const Kept> settle(std::size_t i, const Leads& leads) {
    const auto u = static_cast<std::size_t>(order_[i]);
    if (paths_[u] > kMostPaths) refuse_counts();
    const auto begin = static_cast<std::size_t>(graph_.indptr[u]);
    const std::size_t count = static_cast<std::size_t>(graph_.indptr[u + 1]) - begin;
    const std::size_t first = begins_[i] = kept_;
    if (count > edges_.size() - first) throw std::logic_error("a vertex is settled twice");
    poller_.step(static_cast<std::int64_t>(count) + 1);
    const V* const heads = graph_.indices.data() + begin;
    Kept* end = edges_.data() + first;
    for (std::size_t place = 0; place < count; ++place) {
      *end = {heads[place], static_cast<V>(place)};
      end += leads(begin + place, static_cast<std::size_t>(heads[place]));
    }
    kept_ = static_cast<std::size_t>(end - edges_.data());
    return {edges_.data() + first, end};
  }

  void search_by_levels(std::size_t source) {
    order_[reached_++] = static_cast<V>(source);
    D level{};
    for (std::size_t first = 0, end = 1; first < end; first = end, end = reached_, ++level) {
      for (std::size_t i = first; i < end; ++i) settled_[static_cast<std::size_t>(order_[i])] = 1;
      for (std::size_t i = first; i < end; ++i) {
        const auto u = static_cast<std::size_t>(order_[i]);
        dist_[u] = level;
        const auto leads = [settled = settled_.data(), last = level >= limit_](
                               std::size_t, std::size_t v) { return !settled[v] & !last; };
        for (const Kept& edge : settle(i, leads)) {
          const auto v = static_cast<std::size_t>(edge.head);
          if (paths_[v] == 0) order_[reached_++] = edge.head;
          paths_[v] += paths_[u];
        }
      }
    }
  }

  void search(std::size_t source) {
    dist_[source] = D{};
    queue_.push(D{}, static_cast<V>(source));
    const bool measured = lengths_.measured();
    if (measured) lengths_.start(source);
    const auto is_current = [&](const QueueEntry<D, V>& entry) {
      return entry.key == dist_[static_cast<std::size_t>(entry.vertex)];
    };
    for (QueueEntry<D, V> top; queue_.pop(top, is_current);) {
      if (!is_current(top)) {
        poller_.step();
        continue;
      }
      const auto u = static_cast<std::size_t>(top.vertex);
      const auto begin = static_cast<std::size_t>(graph_.indptr[u]);
      if (measured) lengths_.settle(u);
      bool is_lost = false, is_beyond = false;
      const auto leads = [&, key = top.key, limit = limit_, dist = dist_.data(),
                          weights = graph_.weights.data()](std::size_t e, std::size_t v) {
        const auto weight = static_cast<D>(weights[e]);
        if constexpr (std::is_floating_point_v<D>) {
          const D sum = key + weight;
          is_lost |= sum == key;
          is_beyond |= sum > limit;
          return (sum <= dist[v]) & (sum <= limit);
        } else {  // without sums, which could overflow
          is_lost |= weight == 0;
          is_beyond |= weight > limit - key;
          return (weight <= dist[v] - key) & (weight <= limit - key);
        }
      };
      if (reached_ == order_.size()) throw std::logic_error("a vertex is settled twice");
      order_[reached_] = top.vertex;
      const std::span<const Kept> edges = settle(reached_++, leads);
      if (is_lost) refuse_lost(u);
      if (is_beyond && !bounded_) throw std::overflow_error("a distance does not fit its type");
      for (const Kept& edge : edges) {
        const std::size_t e = begin + static_cast<std::size_t>(edge.place);
        const auto v = static_cast<std::size_t>(edge.head);
        const D sum = top.key + static_cast<D>(graph_.weights[e]);
        if (sum < dist_[v]) {
          if (measured) lengths_.label(u, e, v, dist_[v] != unreachable<D>);
          dist_[v] = sum;
          paths_[v] = paths_[u];
          queue_.push(sum, edge.head);
        } else if (sum == dist_[v]) {
          if (measured) lengths_.label_equal(u, e, v);
          paths_[v] += paths_[u];
        }
      }
      if (measured && lengths_.is_finished())
        queue_.drain([&](const QueueEntry<D, V>& entry) {
          if (is_current(entry)) dist_[static_cast<std::size_t>(entry.vertex)] = unreachable<D>;
        });
    }
  }

  [[noreturn, gnu::cold]] void refuse_lost(std::size_t u) const {
    std::int64_t e = graph_.indptr[u];
    while (dist_[u] + static_cast<D>(graph_.weights[static_cast<std::size_t>(e)]) != dist_[u]) ++e;
    throw LengthLost{e};
  }

  bool counts(std::size_t v, std::size_t c) const {
    return lengths_.measured() ? lengths_[v] <= request_.radii[c] : dist_[v] <= cutoffs_[c];
  }

  /// Visits the settled vertices from the farthest to the source, and empties the search.
  template <class Count>
  void return_shares(std::size_t source, std::span<double> sums, const Count count) {
    const std::size_t n = dist_.size(), m = graph_.indices.size();
    double* const vertices = sums.data();        // (count, n)
    double* const edges = vertices + count * n;  // (count, m)
    constexpr bool kSingle = !std::is_same_v<Count, std::size_t>;
    double of_one[2];  // in registers
    double* const ends = kSingle ? of_one : sums_.data();
    double* const through = ends + count;
    std::fill_n(ends, std::size_t{count}, 0.0);
    for (std::size_t i = reached_; i-- > 0;) {
      const auto u = static_cast<std::size_t>(order_[i]);
      std::fill_n(through, std::size_t{count}, 0.0);
      const auto begin = static_cast<std::size_t>(graph_.indptr[u]);
      const std::size_t first = begins_[i];
      poller_.step(static_cast<std::int64_t>(kept_ - first) + 1);
      for (const Kept& edge : std::span(edges_.data() + first, kept_ - first)) {
        const std::size_t e = begin + static_cast<std::size_t>(edge.place);
        const auto v = static_cast<std::size_t>(edge.head);
        if constexpr (!kEqual)
          if (dist_[u] + static_cast<D>(graph_.weights[e]) != dist_[v]) continue;
        for (std::size_t c = 0; c < count; ++c) {
          const double share = paths_[u] * share_[v * count + c];
          edges[c * m + e] += share;
          through[c] += share;
        }
      }
      kept_ = first;
      if (u == source) break;
      for (std::size_t c = 0; c < count; ++c) {
        const double own = counts(u, c) ? targets_[u] : 0;
        ends[c] += own;
        share_[u * count + c] = (own + through[c]) / paths_[u];
        vertices[c * n + u] += request_.endpoints ? through[c] + own : through[c];
      }
    }
    if (request_.endpoints)
      for (std::size_t c = 0; c < count; ++c) vertices[c * n + source] += ends[c];
    for (std::size_t i = 0; i < reached_; ++i) {
      const auto u = static_cast<std::size_t>(order_[i]);
      dist_[u] = unreachable<D>;
      paths_[u] = 0;
      if constexpr (kEqual) settled_[u] = 0;
    }
  }

  const CsrView<V, W>& graph_;
  const BetweennessRequest& request_;
  Poller& poller_;
  std::vector<D> cutoffs_;  // at least one
  const bool bounded_;
  D limit_;  // the largest cutoff, or distance of the type
  RadixHeap<D, V> queue_;
  PageArray<D> dist_;
  PageArray<double> paths_;  // shortest paths from the source
  PageArray<double> share_;  // of the paths to all targets, that each path to a vertex is part of
  RouteLengths lengths_;
  std::vector<double> targets_;  // how often paths to each vertex count
  PageArray<V> order_;
  PageArray<std::size_t> begins_;  // where the kept edges of each vertex in the order begin
  PageArray<Kept> edges_;
  std::size_t reached_ = 0, kept_ = 0;  // how many vertices and edges there are
  std::vector<char> settled_;           // breadth-first: each vertex up to the current level
  std::vector<double> sums_;            // two for each cutoff
};

/// Adds to the sums of the request. The same bits for any number of threads.
template <bool kEqual, Index V, Weight W>
void brandes(const CsrView<V, W>& graph, const BetweennessRequest& request,
             std::span<const DistanceOf<W>> cutoffs, int threads, Control& control) {
  const std::size_t vertices = request.vertices.size(), edges = request.edges.size();
  PageArray<double> total(vertices + edges, 0.0);
  control.expect(static_cast<std::int64_t>(request.sources.size()));
  const auto make = [&](Poller& poller) {
    return [&, search = BrandesSearch<V, W, kEqual>(graph, request, cutoffs, poller)](
               std::size_t item, std::span<double> sums) mutable { search.add(item, sums); };
  };
  // Searches within a cutoff may take less time than to add up the sums of all vertices.
  sum_in_order(request.sources.size(), std::span(total.data(), total.size()), threads, control,
               make, cutoffs.empty() ? 64 : request.sources.size());
  for (std::size_t v = 0; v < vertices; ++v) request.vertices[v] += total[v];
  for (std::size_t e = 0; e < edges; ++e) request.edges[e] += total[vertices + e];
}

}  // namespace warpath
