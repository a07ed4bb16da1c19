// tree.hpp - the canonical shortest-path tree of all engines, computed from the distances.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/symmetry.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// The edges into each vertex: row v holds the sources u of the edges u -> v. May be empty.
template <Index V, Weight W>
struct InEdges {
  CsrView<V, W> rows;
  bool ascending = false;  // each row's sources are in ascending order

  bool available() const { return !rows.indptr.empty(); }
};

/// Fills `pred` (n): the smallest u with a tight edge u -> v (dist[u] + w == dist[v]) and dist[u] <
/// dist[v].
///
/// Vertices whose tight edges all have length 0 (or all vertices, when `negative`) are assigned in
/// breadth-first order, smallest u first, so the tree has no cycle. The source and unreachable
/// vertices get -1. One pass over the edges if every weight lengthens its path, and another one for
/// all levels together: O(n + m). The first pass runs on threads, which claim ranges of vertices;
/// the result does not depend on their number.
///
/// If the in-edges are available, each vertex reads its predecessors' labels and takes the smallest
/// tight one (pull). Otherwise every vertex searches its out-edges for tight ones (push): a thread
/// stores the predecessors of its range's vertices in `pred` and those of other vertices in a
/// shared array, by an atomic minimum; 4 (8) bytes per vertex.
///
/// Whether an edge is tight is unpredictable for a processor, so short rows are scanned
/// branch-free, four edges at a time.
///
/// Labels are of type D, which may be wider than the graph's distances.
template <Index V, Weight W, class D = DistanceOf<W>>
class TreeBuilder {
 public:
  TreeBuilder(const CsrView<V, W>& graph, const InEdges<V, W>& into, V source,
              std::span<const D> dist, std::span<V> pred, int threads, bool assemble,
              Control& control)
      : graph_(graph),
        into_(into),
        source_(source),
        dist_(dist),
        pred_(pred),
        threads_(threads),
        control_(control),
        team_(threads, assemble, control) {}

  SearchCounters build(bool negative) {
    if (negative) {
      std::fill(pred_.begin(), pred_.end(), V{-1});
      assign_by_levels(std::vector<V>{source_}, true);
      return total_;
    }
    if (into_.available())
      pull_all();
    else
      push_all();
    if (total_.settled > total_.improved + 1) {
      std::vector<V> level;
      for (V v = 0; v < static_cast<V>(pred_.size()); ++v)
        if (v == source_ || pred_[at(v)] >= 0) level.push_back(v);
      assign_by_levels(std::move(level), false);
    }
    return total_;
  }

 private:
  using U = std::make_unsigned_t<V>;  // as unsigned, -1 (no predecessor) is the largest value
  static constexpr U kNone = static_cast<U>(-1);
  static constexpr std::int64_t kAtOnce = 4;    // edges tested together without a branch
  static constexpr std::int64_t kShortRow = 8;  // edges; for longer rows a branch is faster
  static constexpr std::int64_t kLongRow = 32;  // edges; few out-edges of longer rows are tight
  static constexpr V kBlock = 512;              // vertices between two checks of the control
  static constexpr std::int64_t kRanges = 8;    // ranges per thread: late threads take fewer

  struct TightEdge {
    V u, v;
  };

  static std::size_t at(V v) { return static_cast<std::size_t>(v); }

  /// dist + weight, integers modulo 2^64: for labels and weights >= 0 that is the sum, or less than
  /// `dist` on overflow.
  static D sum(D dist, W weight) {
    if constexpr (std::is_integral_v<D>)
      return static_cast<D>(static_cast<std::uint64_t>(dist) + static_cast<std::uint64_t>(weight));
    else
      return dist + weight;
  }

  /// One thread's counters.
  struct Seen {
    Poller poller;
    SearchCounters counters;
  };

  /// Calls body(rank, seen) on each thread that joins.
  template <class Body>
  void each_thread(Body&& body) {
    total_ = {};
    std::mutex adding;
    run_open_team(threads_, control_, [&](int rank) {
      team_.start_barrier(rank);
      Seen seen{Poller(control_, rank == 0), {}};
      body(rank, seen);
      const std::scoped_lock lock(adding);
      total_ += seen.counters;
    });
  }

  V bound(const CsrView<V, W>& rows, std::int64_t part, std::int64_t parts) const {
    return static_cast<V>(first_row(rows.indptr, static_cast<int>(part), static_cast<int>(parts)));
  }

  void pull_all() {
    const std::int64_t parts = threads_ > 1 ? threads_ * kRanges : 1;
    DynamicLoop ranges;
    each_thread([&](int rank, Seen& seen) {
      team_.parallel_for(ranges, parts, rank, [&](std::int64_t part) {
        pull(bound(into_.rows, part, parts), bound(into_.rows, part + 1, parts), seen.poller,
             seen.counters);
      });
    });
  }

  void push_all() {
    const auto others = std::make_unique_for_overwrite<V[]>(threads_ > 1 ? pred_.size() : 0);
    DynamicLoop filled;
    DynamicLoop pushed;
    DynamicLoop merged;
    each_thread([&](int rank, Seen& seen) {
      const auto share = [&](DynamicLoop& work, auto&& each) {
        team_.parallel_for(work, threads_, rank, [&](std::int64_t part) {
          each(bound(graph_, part, threads_), bound(graph_, part + 1, threads_));
        });
      };
      share(filled, [&](V begin, V end) {
        std::fill(pred_.begin() + begin, pred_.begin() + end, V{-1});
        if (threads_ > 1) std::fill(others.get() + begin, others.get() + end, V{-1});
      });
      share(pushed, [&](V begin, V end) { push(begin, end, others.get(), seen); });
      share(merged, [&](V begin, V end) {
        for (V v = begin; threads_ > 1 && v < end; ++v)
          pred_[at(v)] = smaller(pred_[at(v)], others[at(v)]);
        count(begin, end, seen.counters);
      });
    });
  }

  void pull(V begin, V end, Poller& poller, SearchCounters& counters) {
    const std::int64_t* const indptr = into_.rows.indptr.data();
    while (begin < end) {
      const V stop = std::min<V>(end, begin + kBlock);
      const std::int64_t edges = indptr[at(stop)] - indptr[at(begin)];
      pull_block(begin, stop);
      count(begin, stop, counters);
      counters.relaxed += edges;
      poller.step(edges + kBlock);
      begin = stop;
    }
  }

  /// A separate function, since its loop uses all registers.
  [[gnu::noinline]] void pull_block(V begin, V end) const {
    const CsrView<V, W> rows = into_.rows;
    const D* const dist = dist_.data();
    for (V v = begin; v < end; ++v) {
      const D to = dist[v];
      const std::int64_t first = rows.indptr[at(v)];
      const std::int64_t behind = rows.indptr[at(v) + 1];
      U smallest = kNone;
      if (to == unreachable<D>) {
      } else if (behind - first <= kShortRow) {
        smallest =
            min_of_short_row(rows.indices.data(), rows.weights.data(), dist, first, behind, to);
      } else {
        smallest = min_of_long_row(first, behind, to);
      }
      pred_[at(v)] = static_cast<V>(smallest);
    }
  }

  void count(V begin, V end, SearchCounters& counters) const {
    for (V v = begin; v < end; ++v) counters.settled += dist_[at(v)] != unreachable<D>;
    for (V v = begin; v < end; ++v) counters.improved += pred_[at(v)] >= 0;
  }

  static U min_of_short_row(const V* tails, const W* weights, const D* dist, std::int64_t first,
                            std::int64_t behind, D to) {
    U smallest = kNone;
    const std::int64_t last = behind - 1;
    for (std::int64_t e = first; e < behind; e += kAtOnce) {
      for (std::int64_t k = 0; k < kAtOnce; ++k) {
        const std::int64_t edge = std::min(e + k, last);  // the last one again: branch-free
        const V u = tails[edge];
        const D from = dist[u];
        const bool tight = (sum(from, weights[edge]) == to) & (from < to);
        const U found = static_cast<U>(u) | static_cast<U>(static_cast<U>(tight) - 1);
        smallest = found < smallest ? found : smallest;
      }
    }
    return smallest;
  }

  [[gnu::noinline]] U min_of_long_row(std::int64_t first, std::int64_t behind, D to) const {
    U smallest = kNone;
    for (std::int64_t e = first; e < behind; ++e) {
      const V u = into_.rows.indices[static_cast<std::size_t>(e)];
      const D from = dist_[at(u)];
      if (!(sum(from, into_.rows.weights[static_cast<std::size_t>(e)]) == to) || !(from < to))
        continue;
      smallest = std::min(smallest, static_cast<U>(u));
      if (into_.ascending) break;
    }
    return smallest;
  }

  /// The tight edges that a thread has collected and not yet applied.
  struct EdgeBuffer {
    std::array<TightEdge, 1024> edges;
    std::size_t size = 0;
  };

  /// `others` receives the predecessors of other ranges' vertices; null with one thread.
  void push(V begin, V end, V* others, Seen& seen) {
    EdgeBuffer buffer;
    const auto take = [&] {
      for (const TightEdge& edge : std::span(buffer.edges).first(buffer.size)) {
        if (edge.v >= begin && edge.v < end)
          pred_[at(edge.v)] = smaller(pred_[at(edge.v)], edge.u);
        else
          atomic_min(others[at(edge.v)], edge.u);
      }
      buffer.size = 0;
    };
    for (V u = begin; u < end;) {
      const V stop = std::min<V>(end, u + kBlock);
      const std::int64_t edges = graph_.indptr[at(stop)] - graph_.indptr[at(u)];
      gather(u, stop, buffer, take);
      seen.counters.relaxed += edges;
      seen.poller.step(edges + kBlock);
      u = stop;
    }
    take();
  }

  /// Collects the tight edges of some rows, branch-free.
  template <class Take>
  [[gnu::noinline]] void gather(V begin, V end, EdgeBuffer& buffer, Take&& take) const {
    const CsrView<V, W> rows = graph_;
    const D* const dist = dist_.data();
    TightEdge* const to = buffer.edges.data();
    std::size_t size = buffer.size;
    for (V u = begin; u < end; ++u) {
      const D from = dist[u];
      std::int64_t e = rows.indptr[at(u)];
      const std::int64_t behind = rows.indptr[at(u) + 1];
      if (from == unreachable<D>) continue;
      const auto append = [&](std::int64_t edge, bool counts) {
        const V v = rows.indices[static_cast<std::size_t>(edge)];
        const D label = sum(from, rows.weights[static_cast<std::size_t>(edge)]);
        to[size] = {u, v};
        size += counts & (label == dist[v]) & (from < label) & (label != unreachable<D>);
      };
      while (e < behind) {
        if (size > buffer.edges.size() - kPiece) {
          buffer.size = size;
          take();
          size = 0;
        }
        const std::int64_t stop = std::min(behind, e + kPiece);
        if (stop - e <= kAtOnce)
          for (std::int64_t k = 0; k < kAtOnce; ++k)
            append(std::min(e + k, stop - 1), e + k < stop);
        else if (stop - e <= kLongRow)
          for (std::int64_t edge = e; edge < stop; ++edge) append(edge, true);
        else
          for (std::int64_t edge = e; edge < stop; ++edge)
            if (sum(from, rows.weights[static_cast<std::size_t>(edge)]) ==
                dist[rows.indices[static_cast<std::size_t>(edge)]])
              append(edge, true);
        e = stop;
      }
    }
    buffer.size = size;
  }

  static constexpr std::int64_t kPiece = 128;  // edges collected between two checks of the space

  static V smaller(V a, V b) { return static_cast<U>(b) < static_cast<U>(a) ? b : a; }

  static void atomic_min(V& place, V u) {
    atomic_ref<V> shared(place);
    V old = shared.load(std::memory_order_relaxed);
    while (static_cast<U>(u) < static_cast<U>(old))
      if (shared.compare_exchange_weak(old, u, std::memory_order_relaxed)) return;
  }

  /// Assigns the remaining vertices, level by level on the calling thread: each gets the smallest
  /// predecessor in the previous level.
  void assign_by_levels(std::vector<V> level, bool negative) {
    Poller poller(control_, true);
    std::vector<bool> open(pred_.size());  // reached, and in no level yet
    for (std::size_t v = 0; v < open.size(); ++v)
      open[v] = pred_[v] < 0 && dist_[v] != unreachable<D>;
    open[at(source_)] = false;
    while (!level.empty()) {
      std::vector<V> found;
      for (const V u : level) {
        each_tight(u, !negative, open, poller, [&](V v) {
          if (pred_[at(v)] < 0) {
            ++total_.improved;
            found.push_back(v);
          }
          pred_[at(v)] = smaller(pred_[at(v)], u);
        });
      }
      for (const V v : found) open[at(v)] = false;
      level = std::move(found);
    }
  }

  /// Calls visit(v) for each tight edge u -> v to an open vertex; after the first pass only edges
  /// of length 0 remain in the levels.
  template <class Visit>
  void each_tight(V u, bool zero_length_only, const std::vector<bool>& open, Poller& poller,
                  Visit&& visit) {
    const D from = dist_[at(u)];
    const std::int64_t begin = graph_.indptr[at(u)];
    const std::int64_t end = graph_.indptr[at(u) + 1];
    poller.step(end - begin + 1);
    ++total_.settled;
    total_.relaxed += end - begin;
    for (std::int64_t e = begin; e < end; ++e) {
      D label;
      if (!add_checked<D, W, V>(from, graph_.weights[static_cast<std::size_t>(e)], label)) continue;
      if (zero_length_only && label != from) continue;
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      if (open[at(v)] && label == dist_[at(v)]) visit(v);
    }
  }

  const CsrView<V, W>& graph_;
  const InEdges<V, W>& into_;
  const V source_;
  const std::span<const D> dist_;
  const std::span<V> pred_;
  const int threads_;
  Control& control_;
  OpenTeam team_;
  SearchCounters total_;
};

}  // namespace warpath
