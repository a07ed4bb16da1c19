// dijkstra_many.hpp - many sources, each by Dijkstra's algorithm on one thread of a team.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/dijkstra.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// Edges under Johnson's reweighting: a potential h with w + h[u] - h[v] >= 0 for every edge that a
/// source reaches, namely the distances from the nearest source. So h <= 0 at a source, and no
/// length to v is below h[v], which fits.
///
/// A reduced length is the length plus h[source] - h[v]: it may overflow the label type although
/// the length fits. Such sums are not stored, and refuse_overflow throws if they are needed. Float
/// sums that rounding takes below 0 count as 0; the error due to h is the rounding of numbers as
/// large as h. Source: Johnson 1977.
template <Index V, Weight W>
struct ReducedWeights {
  using D = DistanceOf<W>;
  std::span<const D> h;

  bool operator()(D dist, V u, V v, W weight, D& sum) const {
    const D from = h[static_cast<std::size_t>(u)];
    const D to = h[static_cast<std::size_t>(v)];
    if constexpr (std::is_floating_point_v<D>) {
      const D reduced = static_cast<D>(weight) + from - to;
      sum = dist + (reduced > 0 ? reduced : 0);
      return sum < unreachable<D>;
    } else {
      const __int128 wide = static_cast<__int128>(dist) + weight + from - to;
      sum = static_cast<D>(wide);
      return wide < unreachable<D>;
    }
  }

  /// Converts a reduced length to the length. False if it does not fit.
  bool restore(D dist, V source, V target, D& length) const {
    const D from = h[static_cast<std::size_t>(source)];
    const D to = h[static_cast<std::size_t>(target)];
    if constexpr (std::is_floating_point_v<D>) {
      // from <= 0, and to - from is at most the length: only a length beyond D overflows here.
      length = source == target ? 0 : dist - (from - to);
      return true;
    } else {
      const __int128 wide = static_cast<__int128>(dist) - from + to;
      length = static_cast<D>(wide);
      return wide < unreachable<D>;
    }
  }
};

/// One thread's search, reused for every source that the thread takes.
///
/// A search that stops early touches only some of the labels, and only those are reset.
template <Index V, Weight W, class Queue, class Weighting>
class SourceWorker {
 public:
  using D = DistanceOf<W>;

  SourceWorker(const CsrView<V, W>& graph, const TargetSet& wanted, Queue queue, D cutoff,
               Weighting weighting, Poller poller)
      : graph_(graph),
        wanted_(wanted),
        queue_(std::move(queue)),
        // A reduced length does not bound the length itself: the cutoff is applied to the result.
        bound_(kReduced ? unreachable<D> : cutoff),
        cutoff_(cutoff),
        weighting_(weighting),
        poller_(poller),
        dist_(static_cast<std::size_t>(graph.n()), unreachable<D>) {}

  /// Solves one source and writes its row, with one column per target, or per vertex if `targets`
  /// is empty.
  template <class Out>
  void solve(V source, std::span<const std::int64_t> targets, std::span<Out> row) {
    search(source);
    for (std::size_t column = 0; column < row.size(); ++column) {
      const auto v =
          static_cast<V>(targets.empty() ? static_cast<std::int64_t>(column) : targets[column]);
      row[column] = narrow<Out, D>(length(source, v));
    }
    for (const V v : touched_) dist_[static_cast<std::size_t>(v)] = unreachable<D>;
    touched_.clear();
  }

  const SearchCounters& counters() const { return counters_; }

 private:
  static constexpr bool kReduced = !std::is_same_v<Weighting, OriginalWeights<V, W>>;

  void search(V source) {
    DijkstraSearch<V, W, Queue, Weighting> search(graph_, dist_, queue_, bound_, weighting_);
    search.start(source);
    std::int64_t left = wanted_.count();
    const bool stopped = search.run(poller_, [&](const QueueEntry<D, V>& top) {
      touched_.push_back(top.vertex);
      return !wanted_.empty() && wanted_.has(top.vertex) && --left == 0;
    });
    // Only labels still in the queue are not final, and no target is among them.
    search.discard_pending([&](V v) { touched_.push_back(v); });
    counters_ += search.counters;
    if (search.overflow && !stopped && bound_ == unreachable<D>)
      refuse_overflow<V, W>(graph_, dist_, poller_, [&](std::size_t v) {
        return wanted_.empty() || wanted_.has(static_cast<std::int64_t>(v));
      });
  }

  D length(V source, V target) const {
    const D label = dist_[static_cast<std::size_t>(target)];
    if constexpr (!kReduced) {
      return label;
    } else {
      D length;
      if (label == unreachable<D>) return label;
      if (!weighting_.restore(label, source, target, length))
        throw std::overflow_error("a distance does not fit its type");
      return length > cutoff_ ? unreachable<D> : length;
    }
  }

  const CsrView<V, W>& graph_;
  const TargetSet& wanted_;
  Queue queue_;
  const D bound_;
  const D cutoff_;
  const Weighting weighting_;
  Poller poller_;
  std::vector<D> dist_;
  std::vector<V> touched_;
  SearchCounters counters_;
};

/// Distances from each of `sources` to each of `targets` (empty: every vertex) into `out`
/// (row-major).
///
/// Threads claim sources one by one; each thread holds n labels. `make_queue()` returns an empty
/// queue. `cutoff` as in dijkstra. Work: one search per source, which ends when its last target is
/// settled.
template <class Out, Index V, Weight W, class MakeQueue, class Weighting>
SearchCounters dijkstra_many(const CsrView<V, W>& graph, std::span<const std::int64_t> sources,
                             std::span<const std::int64_t> targets, std::span<Out> out,
                             const MakeQueue& make_queue, Weighting weighting, DistanceOf<W> cutoff,
                             int threads, Control& control) {
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  using Queue = decltype(make_queue());
  const TargetSet wanted(targets, graph.n());
  const std::size_t width = targets.empty() ? static_cast<std::size_t>(graph.n()) : targets.size();
  const int team = static_cast<int>(
      std::clamp<std::size_t>(sources.size(), 1, static_cast<std::size_t>(threads)));
  std::atomic<std::size_t> taken{0};
  std::atomic<int> finished{0};
  std::mutex guard;
  SearchCounters total;
  control.expect(static_cast<std::int64_t>(sources.size()));
  run_team(team, control, [&](int rank) {
    SourceWorker<V, W, Queue, Weighting> worker(graph, wanted, make_queue(), cutoff, weighting,
                                                Poller(control, rank == 0));
    for (std::size_t i; (i = taken.fetch_add(1, std::memory_order_relaxed)) < sources.size();) {
      worker.solve(static_cast<V>(sources[i]), targets, out.subspan(i * width, width));
      control.advance(1);
    }
    {
      const std::scoped_lock lock(guard);
      total += worker.counters();
    }
    await_team(rank, team, finished, control);
  });
  return total;
}

}  // namespace warpath
