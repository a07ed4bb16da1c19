// partition.hpp - one part of a graph whose other parts are elsewhere: relax, lower, check, tree.
//
// A part has its own vertices 0 .. k - 1 with all their out-edges, and behind them the ghosts
// k .. k + h - 1: vertices of other parts that these edges lead to, which have no edges here. The
// label of a ghost is the least sum that this part has found; its owner has the true label.
//
// The arrays come from messages between processes and are used many times, so they are not checked
// as a whole before each call. Every offset and index is read once and checked where it is used.
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
#include "warpath/queues/radix_heap.hpp"

namespace warpath {

/// The out-edges of a part's own vertices. Without weights every weight is 1.
template <Index V, Weight W>
class PartRows {
 public:
  using D = DistanceOf<W>;

  /// `total` is the number of own vertices and ghosts.
  PartRows(std::span<const std::int64_t> indptr, std::span<const V> indices,
           std::span<const W> weights, std::size_t total)
      : indptr_(indptr), indices_(indices), weights_(weights), total_(total) {
    if (indptr.empty() || indptr.size() - 1 > total)
      throw std::invalid_argument("a part has n + 1 offsets, and a label for each vertex");
    if (!weights.empty() && weights.size() != indices.size())
      throw std::invalid_argument("weights must have an entry for each edge, or none");
  }

  std::size_t own() const { return indptr_.size() - 1; }
  std::size_t total() const { return total_; }

  /// Calls visit(v, weight, e) for the edges of an own vertex, and counts them in `poller`.
  template <class Visit>
  std::int64_t each_edge(std::size_t u, Poller& poller, Visit&& visit) const {
    const std::int64_t begin = __atomic_load_n(&indptr_[u], __ATOMIC_RELAXED);
    const std::int64_t end = __atomic_load_n(&indptr_[u + 1], __ATOMIC_RELAXED);
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > indices_.size()) [[unlikely]]
      throw std::invalid_argument("indptr must ascend from 0 to the number of indices");
    poller.step(end - begin + 1);
    for (std::int64_t e = begin; e < end; ++e) {
      const V index = __atomic_load_n(&indices_[static_cast<std::size_t>(e)], __ATOMIC_RELAXED);
      const auto v = static_cast<std::size_t>(index);  // a negative index becomes a large one
      if (v >= total_) [[unlikely]]
        throw std::invalid_argument("an index is not a vertex of the part");
      const W weight = weights_.empty() ? W{1} : weights_[static_cast<std::size_t>(e)];
      if (!(weight >= 0)) [[unlikely]]
        throw std::invalid_argument("weights must not be negative or NaN");
      visit(v, weight, e);
    }
    return end - begin;
  }

 private:
  std::span<const std::int64_t> indptr_;  // own + 1
  std::span<const V> indices_;
  std::span<const W> weights_;
  std::size_t total_;
};

/// Copies some edges into the rows of their sources, in the order of the list.
///
/// `next` (own) has the position of the next edge of each row, and moves behind those copied. A
/// part is built from several lists in turn, after their edges were counted. Work O(edges).
template <Index V, Weight W>
void append_edges(std::span<std::int64_t> next, std::span<const V> src, std::span<const V> dst,
                  std::span<const W> weights, std::span<V> indices, std::span<W> out_weights) {
  for (std::size_t e = 0; e < src.size(); ++e) {
    const auto u = static_cast<std::size_t>(__atomic_load_n(&src[e], __ATOMIC_RELAXED));
    if (u >= next.size()) throw std::invalid_argument("src has a vertex of another part");
    const auto at = static_cast<std::size_t>(next[u]++);
    if (at >= indices.size()) throw std::invalid_argument("there are more edges than were counted");
    indices[at] = dst[e];
    if (!weights.empty()) out_weights[at] = weights[e];
  }
}

struct PartCounters {
  std::int64_t settled = 0;   // vertices whose edges were relaxed
  std::int64_t relaxed = 0;   // edges examined
  std::int64_t improved = 0;  // labels lowered
  bool overflow = false;      // a sum did not fit the label type and was not stored
};

/// Relaxes the edges of all pending vertices whose label is at most `threshold`, in ascending order
/// of labels as Dijkstra's algorithm does, until none is left.
///
/// `dist` (total) has labels that are lengths of paths from the source, or `unreachable`; `pending`
/// (own) is 1 for each vertex whose label fell since its edges were relaxed. The ghosts whose label
/// fell are appended to `lowered`, each once. Rounding is monotone and weights are >= 0: any order
/// of such calls in the parts of a graph ends in the same labels. Work O(own + edges of the
/// vertices that are relaxed), and a radix heap's. Source: Meyer, Sanders 2003 for the thresholds.
template <Index V, Weight W>
PartCounters relax_part(const PartRows<V, W>& rows, std::span<DistanceOf<W>> dist,
                        std::span<std::uint8_t> pending, DistanceOf<W> threshold,
                        std::vector<V>& lowered, Poller poller) {
  using D = DistanceOf<W>;
  using Entry = QueueEntry<D, V>;
  PartCounters counters;
  RadixHeap<D, V> queue;
  const std::size_t own = rows.own();
  std::vector<bool> listed(rows.total() - own);
  for (std::size_t v = 0; v < own; ++v) {
    if (!pending[v] || !(dist[v] <= threshold)) continue;
    if (!(dist[v] >= 0)) throw std::invalid_argument("a label must not be negative or NaN");
    queue.push(dist[v] + D{0}, static_cast<V>(v));  // no -0.0, whose bits are out of order
  }
  const auto is_current = [&](const Entry& entry) {
    const auto v = static_cast<std::size_t>(entry.vertex);
    return entry.key == dist[v] && pending[v];
  };
  Entry top;
  while (queue.pop(top, is_current)) {
    poller.step();
    if (!is_current(top)) continue;
    const auto u = static_cast<std::size_t>(top.vertex);
    pending[u] = 0;
    ++counters.settled;
    counters.relaxed += rows.each_edge(u, poller, [&](std::size_t v, W weight, std::int64_t) {
      D sum;
      // Indices of 64 bits, because a path through other parts may have more edges than V counts.
      if (!add_checked<D, W, std::int64_t>(top.key, weight, sum)) {
        counters.overflow = true;
        return;
      }
      if (!(sum < dist[v])) return;
      dist[v] = sum;
      ++counters.improved;
      if (v < own) {
        pending[v] = 1;
        if (sum <= threshold) queue.push(sum, static_cast<V>(v));
      } else if (!listed[v - own]) {
        listed[v - own] = true;
        lowered.push_back(static_cast<V>(v));
      }
    });
  }
  return counters;
}

/// Lowers the labels of own vertices to those that other parts sent. Returns how many fell.
template <Index V, class D>
std::int64_t lower_labels(std::span<D> dist, std::span<std::uint8_t> pending,
                          std::span<const V> vertices, std::span<const D> labels) {
  std::int64_t improved = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto v = static_cast<std::size_t>(__atomic_load_n(&vertices[i], __ATOMIC_RELAXED));
    const D label = labels[i];
    if (v >= pending.size() || !(label >= 0))
      throw std::invalid_argument("a message has a vertex or a label that the part cannot have");
    if (!(label < dist[v])) continue;
    dist[v] = label;
    pending[v] = 1;
    ++improved;
  }
  return improved;
}

/// The first edge u -> v with dist[u] + weight < dist[v]; e is -1 if there is none.
struct ShorterEdge {
  std::int64_t u = -1;
  std::int64_t v = -1;
  std::int64_t e = -1;
};

/// Checks that no edge shortens a label, and fills `above` (total): the smallest own u with a tight
/// edge u -> v (dist[u] + weight == dist[v]) and dist[u] < dist[v]; -1 if there is none.
///
/// `dist` (total) has the final labels, also those of ghosts. Integer sums are taken in 128 bits: a
/// vertex that can be reached but whose distance does not fit is found as a violation. Work
/// O(total + edges).
template <Index V, Weight W>
ShorterEdge check_part(const PartRows<V, W>& rows, std::span<const DistanceOf<W>> dist,
                       std::span<V> above, Poller poller) {
  using D = DistanceOf<W>;
  __extension__ using Int128 = __int128;
  using Wide = std::conditional_t<std::is_integral_v<D>, Int128, D>;
  ShorterEdge found;
  std::fill(above.begin(), above.end(), V{-1});
  for (std::size_t u = 0; u < rows.own(); ++u) {
    const D from = dist[u];
    if (from == unreachable<D>) continue;
    rows.each_edge(u, poller, [&](std::size_t v, W weight, std::int64_t e) {
      const Wide sum = static_cast<Wide>(static_cast<Wide>(from) + static_cast<Wide>(weight));
      const bool reached = dist[v] != unreachable<D>;
      bool lost = !reached;  // unless a sum of floats is infinite
      if constexpr (std::is_floating_point_v<D>) lost = lost && sum != unreachable<D>;
      const auto to = static_cast<Wide>(dist[v]);
      if ((lost || (reached && sum < to)) && found.e < 0)
        found = {static_cast<std::int64_t>(u), static_cast<std::int64_t>(v), e};
      if (reached && sum == to && from < dist[v] && above[v] < 0)
        above[v] = static_cast<V>(u);  // u ascends: the first is the smallest
    });
  }
  return found;
}

/// Appends an entry (v, u) for each tight edge u -> v from `frontier` (own, ascending) that has
/// length 0, to a ghost or to an own vertex that is `open`; of several edges to v, the first.
template <Index V, Weight W>
void tight_edges_without_length(const PartRows<V, W>& rows, std::span<const DistanceOf<W>> dist,
                                std::span<const std::uint8_t> open, std::span<const V> frontier,
                                std::vector<V>& targets, std::vector<V>& sources, Poller poller) {
  using D = DistanceOf<W>;
  std::vector<bool> listed(rows.total());
  for (const V vertex : frontier) {
    const auto u = static_cast<std::size_t>(vertex);
    if (u >= rows.own()) throw std::invalid_argument("the frontier has a vertex of another part");
    const D from = dist[u];
    if (from == unreachable<D>) continue;
    rows.each_edge(u, poller, [&](std::size_t v, W weight, std::int64_t) {
      D sum;
      if (!add_checked<D, W, std::int64_t>(from, weight, sum) || sum != from || dist[v] != sum ||
          listed[v] || (v < rows.own() && !open[v]))
        return;
      listed[v] = true;
      targets.push_back(static_cast<V>(v));
      sources.push_back(vertex);
    });
  }
}

}  // namespace warpath
