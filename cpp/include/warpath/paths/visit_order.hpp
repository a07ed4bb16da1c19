// visit_order.hpp - the order in which a search visits vertices, computed from the distances.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The vertices that a search reached (r of them), in the order of their scans.
struct VisitOrder {
  std::vector<std::int64_t> order;  // (r) the vertices
  std::vector<std::int64_t> above;  // (r) the index of each one's predecessor in `order`, or -1
  std::vector<std::int64_t> via;    // (r) the edge from the predecessor; -1: a source; or empty
};

/// A vertex and its distance.
template <class D>
struct VertexDistance {
  D label;
  std::int64_t vertex;
};

/// Returns the vertices that have a label, by ascending distance, ties in any order.
///
/// A bucket sort into slots of equal width, eight vertices per slot on average, each of which is
/// then sorted: O(n) if distances are spread evenly, O(n log n) at worst. Labels must be >= 0.
template <class D>
std::vector<VertexDistance<D>> by_distance(std::span<const D> dist, Poller& poller) {
  constexpr std::size_t kPerSlot = 8;
  std::size_t reached = 0;
  D largest = 0;
  for (const D label : dist)
    if (label != unreachable<D>) {
      ++reached;
      largest = std::max(largest, label);
    }
  const std::size_t slots = reached / kPerSlot + 1;
  // A rounded product with a constant is monotone in the label, so the slots are in order.
  const double scale = static_cast<double>(slots) / static_cast<double>(largest);
  const bool flat = !std::isfinite(scale);  // all at the source, or within 1e-300 of it
  const auto slot = [&](D label) {
    if (flat) return std::size_t{0};
    return std::min(static_cast<std::size_t>(static_cast<double>(label) * scale), slots - 1);
  };
  std::vector<std::size_t> ends(slots + 1);
  for (const D label : dist)
    if (label != unreachable<D>) ++ends[slot(label) + 1];
  for (std::size_t s = 0; s < slots; ++s) ends[s + 1] += ends[s];
  std::vector<VertexDistance<D>> entries(reached);
  for (std::size_t v = 0; v < dist.size(); ++v)
    if (dist[v] != unreachable<D>)
      entries[ends[slot(dist[v])]++] = {dist[v], static_cast<std::int64_t>(v)};
  std::size_t begin = 0;
  for (std::size_t s = 0; s < slots; begin = ends[s++]) {
    poller.step(static_cast<std::int64_t>(kPerSlot));
    std::sort(
        entries.data() + begin, entries.data() + ends[s],
        [](const VertexDistance<D>& a, const VertexDistance<D>& b) { return a.label < b.label; });
  }
  return entries;
}

/// Returns the reached vertices in the order in which a search scans them, and the edge by which
/// each is first met: the first tight edge (dist[u] + w == dist[v]) in this order.
///
/// Ties are ordered as in Dijkstra's algorithm with a queue that is stable: a vertex comes after
/// those of its distance that were met before it. With `queue` the order is that of a first-in
/// first-out queue, breadth-first over the tight edges; only then may labels be negative.
///
/// `dist` must hold exact labels, so that tight edges reach every labelled vertex; vertices without
/// a label are not scanned. O(n + m) plus `by_distance`. Throws std::invalid_argument if tight
/// edges do not reach all labels.
template <Index V, Weight W>
VisitOrder visit_order(const CsrView<V, W>& graph, std::span<const DistanceOf<W>> dist,
                       std::span<const std::int64_t> sources, bool queue, Poller poller) {
  using D = DistanceOf<W>;
  constexpr std::int64_t kVisited = -1;
  struct Known {
    D label;
    // Until the vertex is met: where the vertices of its distance begin in `order`. The first
    // vertex of such a group stores the group's next free entry, as ~entry, which is negative.
    std::int64_t place;
  };
  VisitOrder scan;
  std::vector<Known> known(dist.size());
  std::size_t reached = 0;
  if (queue) {
    for (std::size_t v = 0; v < dist.size(); ++v) {
      known[v] = {dist[v], 0};
      reached += dist[v] != unreachable<D>;
    }
  } else {
    for (std::size_t v = 0; v < dist.size(); ++v) known[v].label = dist[v];
    const std::vector<VertexDistance<D>> entries = by_distance<D>(dist, poller);
    reached = entries.size();
    std::int64_t first = 0;
    D label = 0;
    for (std::size_t i = 0; i < reached; ++i) {
      if (entries[i].label != label) first = static_cast<std::int64_t>(i);
      label = entries[i].label;
      known[static_cast<std::size_t>(entries[i].vertex)].place = first;
    }
  }
  auto& [order, above, via] = scan;
  order.assign(reached, -1);
  above.resize(reached);
  via.resize(reached);
  const auto put = [&](std::size_t v, std::int64_t edge, std::int64_t from) {
    std::int64_t& place = known[v].place;
    auto at = static_cast<std::size_t>(place);
    if (const std::int64_t head = order[at]; head < 0) {
      place = ~(place + 1);
    } else {
      std::int64_t& next = known[static_cast<std::size_t>(head)].place;
      at = static_cast<std::size_t>(~next--);
      place = kVisited;
    }
    order[at] = static_cast<std::int64_t>(v);
    above[at] = from;
    via[at] = edge;
  };
  for (const std::int64_t source : sources) {
    const auto v = static_cast<std::size_t>(source);
    if (dist[v] == unreachable<D>) throw std::invalid_argument("a source has no label");
    if (known[v].place >= 0) put(v, -1, -1);
  }
  // Rows and their vertices are scattered in memory, so those needed soon are prefetched.
  constexpr std::int64_t kPrefetched = 8;
  const std::int64_t* const indptr = graph.indptr.data();
  const V* const indices = graph.indices.data();
  const auto upcoming = [&](std::size_t i) {
    return i < order.size() ? order[i] : std::int64_t{-1};
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0) throw std::invalid_argument("tight edges do not reach all labels");
    if (const std::int64_t v = upcoming(i + 16); v >= 0) __builtin_prefetch(&indptr[v]);
    if (const std::int64_t v = upcoming(i + 8); v >= 0) {
      __builtin_prefetch(indices + indptr[v]);
      __builtin_prefetch(graph.weights.data() + indptr[v]);
    }
    if (const std::int64_t v = upcoming(i + 4); v >= 0) {
      const std::int64_t end = std::min(indptr[v + 1], indptr[v] + kPrefetched);
      for (std::int64_t e = indptr[v]; e < end; ++e)
        __builtin_prefetch(&known[static_cast<std::size_t>(indices[e])], 1);
    }
    const std::int64_t u = order[i];
    const D from = known[static_cast<std::size_t>(u)].label;
    poller.step(indptr[u + 1] - indptr[u] + 1);
    for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(indices[e]);
      const Known& to = known[v];
      D sum;
      if (add_checked<D, W, V>(from, graph.weights[static_cast<std::size_t>(e)], sum) &&
          sum == to.label && to.place >= 0 && sum != unreachable<D>)
        put(v, e, static_cast<std::int64_t>(i));
    }
  }
  return scan;
}

/// Searches breadth-first over at most `limit` edges. Fills `scan`, which must be empty, without
/// `via`, and `dist`, unless it is empty, with the number of edges to each vertex. O(n + m). Calls
/// `on_progress(count)` from time to time, when the first `count` entries are final.
template <Index V, class OnProgress>
void breadth_first_scan(std::span<const std::int64_t> indptr, std::span<const V> indices,
                        std::int64_t source, std::int64_t limit, std::span<std::int64_t> dist,
                        Poller poller, VisitOrder& scan, OnProgress&& on_progress) {
  constexpr std::size_t kReportEvery = 1 << 11;
  const std::size_t n = indptr.size() - 1;
  for (std::vector<std::int64_t>* each : {&scan.order, &scan.above})
    each->reserve(n);  // untouched pages take no memory
  // One bit per vertex stays in the cache, where `dist` may not.
  std::vector<std::uint64_t> met(n / 64 + 1);
  const auto meet = [&](std::size_t v, std::int64_t label, std::int64_t from) {
    met[v / 64] |= std::uint64_t{1} << v % 64;
    if (!dist.empty()) dist[v] = label;
    scan.order.push_back(static_cast<std::int64_t>(v));
    scan.above.push_back(from);
  };
  std::fill(dist.begin(), dist.end(), unreachable<std::int64_t>);
  meet(static_cast<std::size_t>(source), 0, -1);
  std::int64_t label = 0;
  std::size_t level = 1;  // where the next level begins in the order
  for (std::size_t i = 0; i < scan.order.size(); ++i) {
    if (i == level) {
      ++label;
      level = scan.order.size();
    }
    if (label >= limit) break;  // so are all vertices after it
    if (i % kReportEvery == 0) on_progress(scan.order.size());
    if (i + 8 < scan.order.size())
      __builtin_prefetch(&indptr[static_cast<std::size_t>(scan.order[i + 8])]);
    if (i + 4 < scan.order.size())
      __builtin_prefetch(indices.data() + indptr[static_cast<std::size_t>(scan.order[i + 4])]);
    const auto u = static_cast<std::size_t>(scan.order[i]);
    poller.step(indptr[u + 1] - indptr[u] + 1);
    for (std::int64_t e = indptr[u]; e < indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(indices[static_cast<std::size_t>(e)]);
      if ((met[v / 64] >> v % 64 & 1) == 0) meet(v, label + 1, static_cast<std::int64_t>(i));
    }
  }
  on_progress(scan.order.size());
}

/// Searches breadth-first over at most `limit` edges. Returns the vertices by the number of edges
/// to them, ties ascending, and stores that number in `dist` (n). Expected O(m + n log n).
///
/// A level with many edges is a bit set: a bit is set for every edge without a test whether the
/// vertex was met, so no branch is mispredicted. When few vertices are left, each searches its
/// in-edges for a vertex that was met. Source of the latter: Beamer, Asanovic, Patterson, SC 2012.
template <Index V>
std::vector<std::int64_t> breadth_first_levels(std::span<const std::int64_t> indptr,
                                               std::span<const V> indices,
                                               std::span<const std::int64_t> into_indptr,
                                               std::span<const V> into_indices, std::int64_t source,
                                               std::int64_t limit, std::span<std::int64_t> dist,
                                               Poller poller) {
  const std::size_t n = dist.size();
  const std::size_t words = n / 64 + 1;
  std::vector<std::uint64_t> met(words);
  std::vector<std::uint64_t> ends(words);  // targets of the level's edges
  std::vector<std::int64_t> order;
  order.reserve(n);  // untouched pages take no memory
  const auto bit = [](std::size_t v) { return std::uint64_t{1} << v % 64; };
  const auto was_met = [&](std::size_t v) { return (met[v / 64] & bit(v)) != 0; };
  std::fill(dist.begin(), dist.end(), unreachable<std::int64_t>);
  order.push_back(source);
  met[static_cast<std::size_t>(source) / 64] |= bit(static_cast<std::size_t>(source));
  dist[static_cast<std::size_t>(source)] = 0;
  std::size_t begin = 0;
  for (std::int64_t label = 1; begin < order.size() && label <= limit; ++label) {
    const std::size_t end = order.size();
    std::size_t edges = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t* row = indptr.data() + order[i];
      edges += static_cast<std::size_t>(row[1] - row[0]);
    }
    const auto each_end = [&](auto&& visit) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::int64_t* row = indptr.data() + order[i];
        poller.step(row[1] - row[0] + 1);
        for (std::int64_t e = row[0]; e < row[1]; ++e)
          visit(static_cast<std::size_t>(indices[static_cast<std::size_t>(e)]));
      }
    };
    // In a random graph, an unvisited vertex finds a neighbour in the current level after checking
    // about m / edges of its own edges.
    const std::size_t left = n - end;
    const bool bottom_up = left + left * indices.size() / (edges + 1) < edges / 2;
    if (bottom_up || edges >= words) {
      if (bottom_up) {
        for (std::size_t w = 0; w < words; ++w)
          for (std::uint64_t rest = ~met[w]; rest != 0; rest &= rest - 1) {
            const std::size_t v = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
            if (v >= n) break;
            std::int64_t e = into_indptr[v];
            const std::int64_t last = into_indptr[v + 1];
            poller.step(last - e + 1);
            while (e < last &&
                   !was_met(static_cast<std::size_t>(into_indices[static_cast<std::size_t>(e)])))
              ++e;
            if (e < last) ends[w] |= bit(v);
          }
      } else {
        each_end([&](std::size_t v) { ends[v / 64] |= bit(v); });
      }
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t fresh = ends[w] & ~met[w];
        ends[w] = 0;
        met[w] |= fresh;
        for (; fresh != 0; fresh &= fresh - 1)
          order.push_back(static_cast<std::int64_t>(64 * w) + std::countr_zero(fresh));
      }
    } else {
      each_end([&](std::size_t v) {
        if (was_met(v)) return;
        met[v / 64] |= bit(v);
        order.push_back(static_cast<std::int64_t>(v));
      });
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(end), order.end());
    }
    for (std::size_t i = end; i < order.size(); ++i)
      dist[static_cast<std::size_t>(order[i])] = label;
    begin = end;
  }
  return order;
}

/// The tight edges (those that end a shortest path) of a search, grouped by target vertex.
struct TightRows {
  std::vector<std::int64_t> keys;   // (r) the vertices
  std::vector<std::int64_t> ends;   // (r) the end of each key's consecutive edges in `tails`
  std::vector<std::int64_t> tails;  // the sources of each key's tight edges, in scan order
};

/// Returns for each vertex of a scan its predecessors on all shortest paths.
///
/// With `first_met` the keys are in the order in which the scan first meets an edge to them,
/// sources first; otherwise in the order of the scan. Edges that lead beyond `limit` are skipped.
/// O(n + m).
template <Index V, Weight W>
TightRows tight_rows(const CsrView<V, W>& graph, std::span<const DistanceOf<W>> dist,
                     std::span<const std::int64_t> order, std::size_t sources, bool first_met,
                     DistanceOf<W> limit, Poller poller) {
  using D = DistanceOf<W>;
  TightRows rows;
  rows.keys.reserve(order.size());
  if (!first_met) sources = order.size();
  // The length of a vertex's row; later, the row's next free entry in `tails`; -1 while not met.
  std::vector<std::int64_t> next(dist.size(), -1);
  const auto meet = [&](std::size_t v) {
    next[v] = 0;
    rows.keys.push_back(static_cast<std::int64_t>(v));
  };
  for (const std::int64_t v : order.first(std::min(sources, order.size())))
    if (next[static_cast<std::size_t>(v)] < 0) meet(static_cast<std::size_t>(v));
  const auto each_shown = [&](auto&& visit) {
    for (const std::int64_t u : order) {
      const auto tail = static_cast<std::size_t>(u);
      poller.step(graph.indptr[tail + 1] - graph.indptr[tail] + 1);
      for (std::int64_t e = graph.indptr[tail]; e < graph.indptr[tail + 1]; ++e) {
        const auto v = static_cast<std::size_t>(graph.indices[static_cast<std::size_t>(e)]);
        D sum;
        const bool fits =
            add_checked<D, W, V>(dist[tail], graph.weights[static_cast<std::size_t>(e)], sum);
        // A sum that does not fit exceeds every limit: it is visited only if there is no limit.
        if ((fits ? sum <= limit : limit == unreachable<D>) && dist[v] != unreachable<D>)
          visit(u, v, fits && sum == dist[v]);
      }
    }
  };
  each_shown([&](std::int64_t, std::size_t v, bool tight) {
    if (next[v] < 0) meet(v);
    next[v] += tight;
  });
  std::int64_t end = 0;
  for (const std::int64_t v : rows.keys) {
    const std::int64_t begin = end;
    end += next[static_cast<std::size_t>(v)];
    rows.ends.push_back(end);
    next[static_cast<std::size_t>(v)] = begin;
  }
  rows.tails.resize(static_cast<std::size_t>(end));
  each_shown([&](std::int64_t u, std::size_t v, bool tight) {
    if (tight) rows.tails[static_cast<std::size_t>(next[v]++)] = u;
  });
  return rows;
}

}  // namespace warpath
