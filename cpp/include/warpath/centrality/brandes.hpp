// brandes.hpp - betweenness of vertices and edges by one search from each source.
//
// A search counts the shortest paths to each vertex as it settles it. In the reverse order, each
// vertex then gets the share of the paths to all targets that leads through it. With cutoffs, the
// search ends at the largest, and there is a share for each: of the targets within it. Radii are
// cutoffs of other lengths (route_lengths.hpp).
//
// Work    one search of Dijkstra's algorithm for each source, breadth-first without weights, and a
//         second pass over its edges; with cutoffs in proportion to the part that is searched.
// Memory  for each thread 36 bytes a vertex, 8 for each cutoff or once, and its sums.
// Needs   no self-loops or parallel edges; weights > 0.
// Source  Brandes, "A faster algorithm for betweenness centrality", 2001.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
        paths_(dist_.size()),
        share_(dist_.size() * std::max<std::size_t>(cutoffs.size(), 1)),
        lengths_(request.lengths, dist_.size(), request.radii.empty() ? 0 : request.radii.back()),
        targets_(request.is_target.begin(), request.is_target.end()) {
    if (!bounded_) cutoffs_.push_back(unreachable<D>);
    limit_ = cutoffs_.back();
    sums_.resize(2 * cutoffs_.size());
  }

  /// Adds the shares of the paths from one of the sources, of vertices and then of edges.
  void add(std::size_t item, std::span<double> sums) {
    const auto source = static_cast<std::size_t>(request_.sources[item]);
    each_trip(item, [&](std::size_t end, double trips) { targets_[end] += trips; });
    dist_[source] = D{};
    paths_[source] = 1;
    order_.clear();
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
  D length(std::size_t e) const {
    if constexpr (kEqual)
      return D{1};
    else
      return static_cast<D>(graph_.weights[e]);
  }

  template <class Visit>
  void each_trip(std::size_t item, const Visit& visit) const {
    if (request_.first.empty()) return;
    const auto end = static_cast<std::size_t>(request_.first[item + 1]);
    for (auto i = static_cast<std::size_t>(request_.first[item]); i < end; ++i)
      visit(static_cast<std::size_t>(request_.ends[i]), request_.trips[i]);
  }

  /// Calls visit(edge, head) for the edges out of a vertex.
  template <class Visit>
  void each_edge(std::size_t u, const Visit& visit) {
    const auto begin = static_cast<std::size_t>(graph_.indptr[u]);
    const auto end = static_cast<std::size_t>(graph_.indptr[u + 1]);
    poller_.step(static_cast<std::int64_t>(end - begin) + 1);
    for (std::size_t e = begin; e < end; ++e) visit(e, static_cast<std::size_t>(graph_.indices[e]));
  }

  void settle(std::size_t u) {
    if (paths_[u] > kMostPaths) refuse_counts();
    order_.push_back(static_cast<V>(u));
  }

  void search_by_levels(std::size_t source) {
    settle(source);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto u = static_cast<std::size_t>(order_[i]);
      if (paths_[u] > kMostPaths) refuse_counts();
      if (dist_[u] >= limit_) continue;
      each_edge(u, [&](std::size_t, std::size_t v) {
        if (dist_[v] == unreachable<D>) {
          dist_[v] = dist_[u] + D{1};
          paths_[v] = 0;
          order_.push_back(static_cast<V>(v));
        }
        if (dist_[v] == dist_[u] + D{1}) paths_[v] += paths_[u];
      });
    }
  }

  void search(std::size_t source) {
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
      settle(u);
      if (measured) lengths_.settle(u);
      each_edge(u, [&](std::size_t e, std::size_t v) {
        D sum;
        if (!add_checked<D, W, V>(top.key, graph_.weights[e], sum) || sum == unreachable<D>) {
          if (bounded_) return;
          throw std::overflow_error("a distance does not fit its type");
        }
        if (sum == top.key) throw LengthLost{static_cast<std::int64_t>(e)};
        if (sum > limit_) return;
        if (sum < dist_[v]) {
          if (measured) lengths_.label(u, e, v, dist_[v] != unreachable<D>);
          dist_[v] = sum;
          paths_[v] = paths_[u];
          queue_.push(sum, static_cast<V>(v));
        } else if (sum == dist_[v]) {
          if (measured) lengths_.label_equal(u, e, v);
          paths_[v] += paths_[u];
        }
      });
      if (measured && lengths_.is_finished())
        queue_.drain([&](const QueueEntry<D, V>& entry) {
          if (is_current(entry)) dist_[static_cast<std::size_t>(entry.vertex)] = unreachable<D>;
        });
    }
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
    for (std::size_t i = order_.size(); i-- > 0;) {
      const auto u = static_cast<std::size_t>(order_[i]);
      std::fill_n(through, std::size_t{count}, 0.0);
      each_edge(u, [&](std::size_t e, std::size_t v) {
        if (dist_[u] + length(e) != dist_[v]) return;
        for (std::size_t c = 0; c < count; ++c) {
          const double share = paths_[u] * share_[v * count + c];
          edges[c * m + e] += share;
          through[c] += share;
        }
      });
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
    for (const V u : order_) dist_[static_cast<std::size_t>(u)] = unreachable<D>;
  }

  const CsrView<V, W>& graph_;
  const BetweennessRequest& request_;
  Poller& poller_;
  std::vector<D> cutoffs_;  // at least one
  const bool bounded_;
  D limit_;  // the largest cutoff
  QuaternaryHeap<D, V> queue_;
  PageArray<D> dist_;
  PageArray<double> paths_;  // shortest paths from the source
  PageArray<double> share_;  // of the paths to all targets, that each path to a vertex is part of
  RouteLengths lengths_;
  std::vector<double> targets_;  // how often paths to each vertex count
  std::vector<V> order_;
  std::vector<double> sums_;  // two for each cutoff
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
