// near_rows.hpp - the vertices within a cutoff of each of many sources, as rows of a sparse table.
//
// With lengths of edges, the vertices within a radius: those to which a shortest path has at most
// that length, as route_lengths.hpp says.
//
// Work    for each source O(r log r) for r vertices and edges within the cutoff.
// Memory  for each thread 8 bytes a vertex; the rows twice while they are joined.
// Needs   weights >= 0. Sums that do not fit the label type are beyond the cutoff, which fits it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/many/route_lengths.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Entries in ascending order of (row, column).
template <class D>
struct NearRows {
  std::vector<std::int64_t> starts;  // of each row, and the end of the last one
  std::vector<std::int32_t> columns;
  std::vector<D> dist;
  std::vector<double> lengths;  // if they are measured
  std::int64_t settled = 0;     // vertices that were met, of all rows
};

/// One thread's searches.
template <Index V, Weight W>
class NearRowSearch {
 public:
  using D = DistanceOf<W>;

  /// `column_of` has the column of each vertex, -1 for none; if it is empty, each vertex is one.
  NearRowSearch(const CsrView<V, W>& graph, std::span<const std::int32_t> column_of, D cutoff,
                std::span<const double> lengths, double radius, Poller& poller)
      : graph_(graph),
        column_of_(column_of),
        cutoff_(cutoff),
        poller_(poller),
        dist_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        lengths_(lengths, dist_.size(), radius) {}

  /// Appends the row of a source. Returns how many vertices were met.
  template <class Part>
  std::int64_t append(V source, Part& part) {
    const bool measured = lengths_.measured();
    label(source, D{});
    if (measured) lengths_.start(static_cast<std::size_t>(source));
    for (QueueEntry<D, V> top; queue_.pop(top, [](const auto&) { return true; });) {
      const auto u = static_cast<std::size_t>(top.vertex);
      if (dist_[u] != top.key) {
        poller_.step();
        continue;
      }
      if (measured) lengths_.settle(u);
      const auto end = static_cast<std::size_t>(graph_.indptr[u + 1]);
      auto e = static_cast<std::size_t>(graph_.indptr[u]);
      poller_.step(static_cast<std::int64_t>(end - e) + 1);
      for (; e < end; ++e) {
        D sum;
        const V v = graph_.indices[e];
        const auto head = static_cast<std::size_t>(v);
        if (!add_checked<D, W, V>(top.key, graph_.weights[e], sum) || sum > cutoff_) continue;
        if (measured && sum == top.key) throw LengthLost{static_cast<std::int64_t>(e)};
        if (sum < dist_[head]) {
          if (measured) lengths_.label(u, e, head, dist_[head] != unreachable<D>);
          label(v, sum);
        } else if (measured && sum == dist_[head]) {
          lengths_.label_equal(u, e, head);
        }
      }
      if (measured && lengths_.is_finished()) queue_.drain([](const auto&) {});
    }
    std::sort(met_.begin(), met_.end());
    for (const V v : met_) {
      const auto at = static_cast<std::size_t>(v);
      const std::int32_t column = column_of_.empty() ? v : column_of_[at];
      if (column >= 0 && (!measured || lengths_.is_within(at))) {
        part.columns.push_back(column);
        part.dist.push_back(dist_[at]);
        if (measured) part.lengths.push_back(lengths_[at]);
      }
      dist_[at] = unreachable<D>;
    }
    const auto settled = static_cast<std::int64_t>(met_.size());
    met_.clear();
    return settled;
  }

 private:
  void label(V v, D known) {
    D& old = dist_[static_cast<std::size_t>(v)];
    if (old == unreachable<D>) met_.push_back(v);
    old = known;
    queue_.push(known, v);
  }

  const CsrView<V, W>& graph_;
  std::span<const std::int32_t> column_of_;
  const D cutoff_;
  Poller& poller_;
  QuaternaryHeap<D, V> queue_;
  PageArray<D> dist_;
  RouteLengths lengths_;
  std::vector<V> met_;
};

/// Returns a row for each source. A column must not have two vertices; the columns of vertices must
/// ascend with them.
template <Weight W>
NearRows<DistanceOf<W>> near_rows(const CsrView<std::int32_t, W>& graph,
                                  std::span<const std::int64_t> sources,
                                  std::span<const std::int32_t> column_of, DistanceOf<W> cutoff,
                                  std::span<const double> lengths, double radius, int threads,
                                  Control& control) {
  using D = DistanceOf<W>;
  constexpr std::size_t kSources = 16;  // that a thread takes at a time
  struct Part {
    std::vector<std::size_t> counts;
    std::vector<std::int32_t> columns;
    std::vector<D> dist;
    std::vector<double> lengths;
    std::int64_t settled = 0;
  };
  std::vector<Part> parts((sources.size() + kSources - 1) / kSources);
  const auto team =
      static_cast<int>(std::min<std::size_t>(parts.size(), static_cast<std::size_t>(threads)));
  std::atomic<std::size_t> taken{0};
  run_open_team(team, control, [&](int rank) {
    std::size_t at = taken.fetch_add(1, std::memory_order_relaxed);
    if (at >= parts.size()) return;
    Poller poller(control, rank == 0);
    NearRowSearch<std::int32_t, W> search(graph, column_of, cutoff, lengths, radius, poller);
    for (; at < parts.size(); at = taken.fetch_add(1, std::memory_order_relaxed)) {
      Part& part = parts[at];
      const std::size_t first = at * kSources;
      for (const std::int64_t source :
           sources.subspan(first, std::min(kSources, sources.size() - first))) {
        part.settled += search.append(static_cast<std::int32_t>(source), part);
        part.counts.push_back(part.dist.size());
      }
    }
  });
  NearRows<D> rows;
  std::size_t entries = 0;
  for (const Part& part : parts) entries += part.dist.size();
  rows.starts.reserve(sources.size() + 1);
  rows.starts.push_back(0);
  rows.columns.reserve(entries);
  rows.dist.reserve(entries);
  for (Part& part : parts) {
    const auto before = static_cast<std::int64_t>(rows.dist.size());
    for (const std::size_t count : part.counts)
      rows.starts.push_back(before + static_cast<std::int64_t>(count));
    rows.columns.insert(rows.columns.end(), part.columns.begin(), part.columns.end());
    rows.dist.insert(rows.dist.end(), part.dist.begin(), part.dist.end());
    rows.lengths.insert(rows.lengths.end(), part.lengths.begin(), part.lengths.end());
    rows.settled += part.settled;
    part = Part{};
  }
  return rows;
}

}  // namespace warpath
