// delta_stepping.hpp - delta-stepping on threads, in labels as wide as the distances.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

struct DeltaSteppingResult {
  std::int64_t settled = 0;   // vertices scanned with a label of the current bucket
  std::int64_t relaxed = 0;   // edges examined
  std::int64_t improved = 0;  // labels lowered
  std::int64_t rounds = 0;    // buckets shared by the team
};

/// Delta-stepping without a light/heavy split, with thread-local buckets and bucket fusion.
///
/// Labels are lowered by an atomic minimum. The thread that lowers one puts the vertex into its own
/// bucket for the new label. In a round, each thread scans its own entries of the current bucket,
/// then unclaimed entries of the others. Vertices that fall back into the current bucket are
/// scanned by their thread alone while they are few (bucket fusion), which saves a barrier for a
/// handful of vertices. Any order of relaxations ends in the same labels (rounding is monotone and
/// weights are >= 0), so delta, the number of threads and their timing change the work and never a
/// bit of the result.
///
/// Memory per thread: kWindow buckets from `base_` on, and a far pile behind them. A vertex that
/// moves within one bucket or within the far pile is not entered again, so a pile holds at most n
/// entries over all threads, and a small delta needs no more buckets than a large one. When the
/// window is empty it moves to the smallest label of the far pile. If that frees little of the
/// pile, delta was too small for these weights and grows eightfold, so that all visits of the pile
/// cost O(n log(largest / smallest label)).
///
/// Weights must be >= 0 and delta > 0: the caller checks. Source: Meyer, Sanders, "Delta-stepping",
/// 2003; bucket fusion: Zhang et al., "Optimizing ordered graph algorithms with GraphIt", 2020;
/// thread-local bins: Beamer et al., GAP benchmark suite, 2015.
template <Index V, Weight W>
class DeltaStepping {
 public:
  using D = DistanceOf<W>;

  DeltaStepping(const CsrView<V, W>& graph, std::span<D> dist, D delta, int threads,
                Control& control)
      : graph_(graph),
        dist_(dist),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        workers_(static_cast<std::size_t>(threads)),
        per_delta_(std::min(1.0 / static_cast<double>(delta), std::numeric_limits<double>::max())) {
  }

  /// Solves one source. Distances that do not fit throw if `complete`, else stay unreachable.
  DeltaSteppingResult run(V source, bool complete) {
    std::fill(dist_.begin(), dist_.end(), unreachable<D>);
    dist_[static_cast<std::size_t>(source)] = 0;
    workers_[0].frontier.assign(1, source);
    control_.expect(static_cast<std::int64_t>(dist_.size()));
    run_team(threads_, control_, [this](int rank) {
      if (threads_ > 1)
        work<true>(rank);
      else
        work<false>(rank);
    });
    DeltaSteppingResult total;
    bool overflow = false;
    for (const Worker& worker : workers_) {
      total.settled += worker.counts.settled;
      total.relaxed += worker.counts.relaxed;
      total.improved += worker.counts.improved;
      overflow |= worker.overflow;
    }
    total.rounds = workers_[0].counts.rounds;
    if (overflow && complete) {
      Poller poller(control_, true);
      refuse_overflow<V, W>(graph_, dist_, poller, [](std::size_t) { return true; });
    }
    return total;
  }

 private:
  static constexpr int kWindow = 128;           // buckets before the far pile
  static constexpr std::size_t kFusion = 1000;  // entries up to which a thread goes on alone
  static constexpr std::size_t kChunk = 64;     // frontier entries claimed at once
  static constexpr std::size_t kThinPile =
      64;  // a move of the window should free 1 / kThinPile of the far pile
  static constexpr double kWiden = 8;

  struct alignas(64) Worker {
    std::array<std::vector<V>, kWindow + 1> buckets;  // the last one is the far pile
    std::vector<V>
        frontier;  // this thread's entries of the current bucket; any thread may claim some
    std::vector<V> fused;
    std::atomic<std::size_t> cursor{0};
    std::int64_t reached = 0;
    DeltaSteppingResult counts;
    bool overflow = false;
  };

  template <bool kShared>
  D label(V v) const {
    D& place = dist_[static_cast<std::size_t>(v)];
    if constexpr (kShared) return std::atomic_ref<D>(place).load(std::memory_order_relaxed);
    return place;
  }

  /// Lowers v's label to `sum`. Returns whether this call did it; `old` is the label before.
  template <bool kShared>
  bool lower(V v, D sum, D& old) {
    D& place = dist_[static_cast<std::size_t>(v)];
    if constexpr (kShared) {
      std::atomic_ref<D> shared(place);
      old = shared.load(std::memory_order_relaxed);
      while (sum < old)
        if (shared.compare_exchange_weak(old, sum, std::memory_order_relaxed)) return true;
      return false;
    } else {
      old = place;
      if (!(sum < old)) return false;
      place = sum;
      return true;
    }
  }

  /// The bucket of a label; monotone. Labels beyond the window belong to the far pile, kWindow.
  int bucket_of(D label) const {
    const double quotient = static_cast<double>(label - base_) * per_delta_;
    return quotient < kWindow ? static_cast<int>(quotient) : kWindow;
  }

  template <bool kShared>
  void work(int rank) {
    Worker& self = workers_[static_cast<std::size_t>(rank)];
    Poller poller(control_, rank == 0);
    std::int64_t round = 1;
    for (int current = 0;; ++round) {
      for (int k = 0; k < threads_; ++k)
        share<kShared>(workers_[static_cast<std::size_t>((rank + k) % threads_)], current, self,
                       poller);
      finish<kShared>(current, self, poller);
      control_.advance(std::exchange(self.reached, 0));
      current = next_bucket(self, current, rank, round);
      if (current == kWindow) {
        if (!move_window<kShared>(self, rank, poller)) break;
        // The window's first bucket holds the pile's smallest label, in some thread.
        current = 0;
      }
      self.frontier.clear();
      std::swap(self.frontier, self.buckets[static_cast<std::size_t>(current)]);
      self.cursor.store(0, std::memory_order_relaxed);
      barrier_.wait(rank);
    }
    self.counts.rounds = round;
  }

  /// Scans the unclaimed entries of one thread's frontier.
  template <bool kShared>
  void share(Worker& owner, int current, Worker& self, Poller& poller) {
    const std::size_t size = owner.frontier.size();
    while (owner.cursor.load(std::memory_order_relaxed) < size) {
      const std::size_t begin = owner.cursor.fetch_add(kChunk, std::memory_order_relaxed);
      const std::size_t end = std::min(begin + kChunk, size);
      for (std::size_t i = begin; i < end; ++i)
        scan<kShared>(owner.frontier[i], current, self, poller);
    }
  }

  /// Scans vertices that fell back into the current bucket while they are too few for a barrier.
  template <bool kShared>
  void finish(int current, Worker& self, Poller& poller) {
    auto& fallen = self.buckets[static_cast<std::size_t>(current)];
    while (!fallen.empty() && (threads_ == 1 || fallen.size() < kFusion)) {
      std::swap(self.fused, fallen);
      for (const V u : self.fused) scan<kShared>(u, current, self, poller);
      self.fused.clear();
    }
  }

  template <bool kShared>
  void scan(V u, int current, Worker& self, Poller& poller) {
    const D from = label<kShared>(u);
    poller.step();
    if (bucket_of(from) < current) return;  // stale: scanned already with its smaller label
    const auto row = static_cast<std::size_t>(u);
    const std::int64_t begin = graph_.indptr[row];
    const std::int64_t end = graph_.indptr[row + 1];
    poller.step(end - begin);
    ++self.counts.settled;
    self.counts.relaxed += end - begin;
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      D sum;
      if (!add_checked<D, W, V>(from, graph_.weights[static_cast<std::size_t>(e)], sum)) {
        self.overflow = true;
        continue;
      }
      D old;
      if (!lower<kShared>(v, sum, old)) continue;
      ++self.counts.improved;
      self.reached += old == unreachable<D>;
      const int bucket = bucket_of(sum);
      // The thread that stored the old label has put v there, or will before that bucket's turn.
      if (bucket > current && old != unreachable<D> && bucket_of(old) == bucket) continue;
      self.buckets[static_cast<std::size_t>(bucket)].push_back(v);
    }
  }

  /// The first nonempty bucket of any thread, from `current` on; kWindow if there is none.
  int next_bucket(const Worker& self, int current, int rank, std::int64_t round) {
    int mine = current;
    while (mine < kWindow && self.buckets[static_cast<std::size_t>(mine)].empty()) ++mine;
    std::atomic<int>& next = next_[static_cast<std::size_t>(round & 1)];
    lower_to(next, mine);
    barrier_.wait(rank);
    // The other one was read before the last barrier and is used after the next.
    if (rank == 0)
      next_[static_cast<std::size_t>(~round & 1)].store(kWindow, std::memory_order_relaxed);
    return next.load(std::memory_order_relaxed);
  }

  /// Moves the empty window to the smallest label of the far pile. False if the pile is empty.
  template <bool kShared>
  bool move_window(Worker& self, int rank, Poller& poller) {
    auto& pile = self.buckets[kWindow];
    D least = unreachable<D>;
    std::size_t kept = 0;
    for (const V v : pile) {
      poller.step();
      const D from = label<kShared>(v);
      if (bucket_of(from) < kWindow) continue;  // fell into the window and was scanned there
      least = std::min(least, from);
      pile[kept++] = v;
    }
    pile.resize(kept);
    lower_to(least_, least);
    waiting_.fetch_add(kept, std::memory_order_relaxed);
    barrier_.wait(rank);
    if (rank == 0) {
      const std::size_t waiting = waiting_.load(std::memory_order_relaxed);
      const std::size_t freed = freed_.exchange(0, std::memory_order_relaxed);
      if (moved_ && freed * kThinPile < pile_before_) per_delta_ /= kWiden;
      moved_ = true;
      pile_before_ = waiting;
      base_ = least_.exchange(unreachable<D>, std::memory_order_relaxed);
      waiting_.store(0, std::memory_order_relaxed);
    }
    barrier_.wait(rank);
    if (base_ == unreachable<D>) return false;
    kept = 0;
    for (const V v : pile) {
      poller.step();
      const int bucket = bucket_of(label<kShared>(v));
      if (bucket == kWindow)
        pile[kept++] = v;
      else
        self.buckets[static_cast<std::size_t>(bucket)].push_back(v);
    }
    freed_.fetch_add(pile.size() - kept, std::memory_order_relaxed);
    pile.resize(kept);
    return true;
  }

  template <class T>
  static void lower_to(std::atomic<T>& shared, T value) {
    T seen = shared.load(std::memory_order_relaxed);
    while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

  const CsrView<V, W>& graph_;
  std::span<D> dist_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  std::vector<Worker> workers_;
  // Written by rank 0 between two barriers, read by all after the second.
  D base_ = 0;        // the label at which the window begins
  double per_delta_;  // buckets per unit of length
  std::size_t pile_before_ = 0;
  bool moved_ = false;
  // Accumulated by all threads before a barrier.
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::size_t> freed_{0};
  std::array<std::atomic<int>, 2> next_{kWindow, kWindow};  // by the round's parity
  std::atomic<D> least_{unreachable<D>};
};

/// Distances from `source`; the same bits for every delta and every number of threads. Work O(m)
/// relaxations for a well-chosen delta, more for a large one; about (largest distance) / delta
/// rounds. Throws std::overflow_error if a distance does not fit; unless `complete`, it stays
/// unreachable.
template <Index V, Weight W>
DeltaSteppingResult delta_stepping(const CsrView<V, W>& graph, V source,
                                   std::span<DistanceOf<W>> dist, DistanceOf<W> delta, int threads,
                                   Control& control, bool complete = true) {
  if (!(delta > 0)) throw std::invalid_argument("delta must be > 0");
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  return DeltaStepping<V, W>(graph, dist, delta, threads, control).run(source, complete);
}

}  // namespace warpath
