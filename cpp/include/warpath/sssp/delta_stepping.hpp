// delta_stepping.hpp - delta-stepping on threads: the textbook version (classic.delta_stepping).
//
// Bucket i holds the vertices whose label lies in the i-th interval of width delta. Buckets are
// emptied in ascending order. An edge is light if its weight is at most delta, else heavy.
// 1. While the bucket is not empty, its vertices are removed and their light edges relaxed, which
//    may put vertices back into the bucket.
// 2. Then the heavy edges of the removed vertices are relaxed, once for each vertex, from its final
//    label. They lead to later buckets, unless the rounding of a float sum keeps a vertex in this
//    one, which then has another round.
//
// Threads share the labels and lower them by an atomic minimum. The thread that lowers a label puts
// the vertex into a bucket of its own. In a round the threads claim all entries of the first
// nonempty bucket, and each thread removes the vertices that it put back while they are few, which
// saves barriers. Any order of relaxations ends in the same labels, because rounding is monotone
// and weights are >= 0: delta and the threads change the work and never a bit of the result.
//
// Sources: Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003;
// buckets of each thread: Beamer et al., GAP benchmark suite, 2015; vertices removed without a
// barrier: Zhang et al., "Optimizing ordered graph algorithms with GraphIt", 2020.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

struct DeltaSteppingResult : SearchCounters {
  std::int64_t rounds = 0;
  std::int64_t read = 0;  // edges examined, of which only the light or the heavy ones are relaxed
};

template <Index V, Weight W>
class DeltaStepping {
 public:
  using D = DistanceOf<W>;

  DeltaStepping(const CsrView<V, W>& graph, std::span<D> dist, D delta, int threads,
                Control& control)
      : graph_(graph),
        dist_(dist),
        delta_(delta),
        per_delta_(std::min(1 / static_cast<double>(delta), std::numeric_limits<double>::max())),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        removed_(dist.size()),
        states_(static_cast<std::size_t>(threads)) {}

  DeltaSteppingResult run(V source, bool complete) {
    std::fill(dist_.begin(), dist_.end(), unreachable<D>);
    dist_[static_cast<std::size_t>(source)] = 0;
    states_[0].shared.assign(1, source);
    control_.expect(graph_.n());
    run_team(threads_, control_, [this](int rank) { work(rank); });
    DeltaSteppingResult total;
    bool overflow = false;
    for (const ThreadState& state : states_) {
      total += state.counters;
      total.read += state.counters.read;
      overflow |= state.overflow;
    }
    total.rounds = states_[0].counters.rounds;
    if (overflow && complete) {
      Poller poller(control_, true);
      refuse_overflow<V, W>(graph_, dist_, poller, [](std::size_t) { return true; });
    }
    return total;
  }

 private:
  enum Edges { kLight, kHeavy };
  using Bucket = std::int64_t;
  static constexpr Bucket kLast = Bucket{1} << 62;
  static constexpr Bucket kNone = std::numeric_limits<Bucket>::max();
  static constexpr std::size_t kFew = 1000;  // vertices put back that one thread removes alone
  static constexpr std::size_t kClaim = 64;  // entries claimed at once

  struct alignas(64) ThreadState {
    std::map<Bucket, std::vector<V>> buckets;  // after the current one
    std::vector<V> shared;                // entries of the current bucket that any thread claims
    std::atomic<std::size_t> claimed{0};  // how many of them
    std::vector<V> put_back, scanned;     // vertices that fell back into the current bucket
    std::vector<V> removed;               // vertices with heavy edges that left the current bucket
    Bucket first = kNone;                 // the first nonempty bucket
    std::int64_t reached = 0;             // vertices reached since the last progress report
    DeltaSteppingResult counters;
    bool overflow = false;
  };

  void work(int rank) {
    ThreadState& self = states_[static_cast<std::size_t>(rank)];
    Poller poller(control_, rank == 0);
    for (Bucket current = 0; current != kNone; current = next_bucket(current, rank, self)) {
      ++self.counters.rounds;
      for (int k = 0; k < threads_; ++k) {
        ThreadState& owner = states_[static_cast<std::size_t>((rank + k) % threads_)];
        const std::size_t size = owner.shared.size();
        for (std::size_t i;
             (i = owner.claimed.fetch_add(kClaim, std::memory_order_relaxed)) < size;)
          for (const std::size_t end = std::min(i + kClaim, size); i < end; ++i)
            remove(owner.shared[i], current, self, poller);
      }
      while (!self.put_back.empty() && (threads_ == 1 || self.put_back.size() < kFew)) {
        std::swap(self.scanned, self.put_back);
        for (const V u : self.scanned) remove(u, current, self, poller);
        self.scanned.clear();
      }
      if (self.put_back.empty()) {
        for (const V u : self.removed) {
          exchange_removed(u, false);
          relax<kHeavy>(u, label(u), current, self, poller);
        }
        self.removed.clear();
      }
      control_.advance(std::exchange(self.reached, 0));
    }
  }

  /// Removes a vertex from the current bucket: relaxes its light edges.
  void remove(V u, Bucket current, ThreadState& self, Poller& poller) {
    const D from = label(u);
    if (bucket_of(from) < current) return poller.step();  // stale: removed from an earlier bucket
    ++self.counters.settled;
    if (relax<kLight>(u, from, current, self, poller) && !exchange_removed(u, true))
      self.removed.push_back(u);
  }

  /// Records whether some thread's `removed` holds u; returns whether one did. The exchange is
  /// ordered: a thread that clears the record then reads a label that is at most as large as those
  /// from which u was removed before.
  bool exchange_removed(V u, bool held) {
    return atomic_ref(removed_[static_cast<std::size_t>(u)])
               .exchange(held, std::memory_order_acq_rel) != 0;
  }

  /// Relaxes the edges of u that are `kWanted`. Returns whether there are others.
  template <Edges kWanted>
  bool relax(V u, D from, Bucket current, ThreadState& self, Poller& poller) {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    poller.step(end - begin + 1);
    std::int64_t others = 0;
    for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
      const W weight = graph_.weights[e];
      D sum;
      if ((static_cast<D>(weight) > delta_) != (kWanted == kHeavy))
        ++others;
      else if (add_checked<D, W, V>(from, weight, sum))
        lower(graph_.indices[e], sum, current, self);
      else
        self.overflow = true;
    }
    self.counters.read += end - begin;
    self.counters.relaxed += end - begin - others;
    return others > 0;
  }

  /// Lowers the label of v to `sum` if that is less, and puts v into its bucket.
  void lower(V v, D sum, Bucket current, ThreadState& self) {
    const atomic_ref place(dist_[static_cast<std::size_t>(v)]);
    D old = place.load(std::memory_order_relaxed);
    do {
      if (!(sum < old)) return;
    } while (!place.compare_exchange_weak(old, sum, std::memory_order_relaxed));
    ++self.counters.improved;
    self.reached += old == unreachable<D>;
    const Bucket bucket = bucket_of(sum);
    if (bucket == current)
      self.put_back.push_back(v);
    else if (old == unreachable<D> || bucket_of(old) != bucket)  // else v is there already
      self.buckets[bucket].push_back(v);
  }

  /// Waits for all threads, and shares the first nonempty bucket; kNone if all are empty.
  Bucket next_bucket(Bucket current, int rank, ThreadState& self) {
    if (!self.put_back.empty()) self.buckets[current].swap(self.put_back);
    self.first = self.buckets.empty() ? kNone : self.buckets.begin()->first;
    barrier_.wait(rank);
    Bucket first = kNone;
    for (const ThreadState& state : states_) first = std::min(first, state.first);
    self.shared.clear();
    if (self.first == first && first != kNone)
      self.shared = std::move(self.buckets.extract(first).mapped());
    self.claimed.store(0, std::memory_order_relaxed);
    barrier_.wait(rank);
    return first;
  }

  Bucket bucket_of(D label) const {
    return static_cast<Bucket>(
        std::min(static_cast<double>(label) * per_delta_, static_cast<double>(kLast)));
  }

  D label(V v) const {
    return atomic_ref(dist_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed);
  }

  const CsrView<V, W>& graph_;
  const std::span<D> dist_;
  const D delta_;
  const double per_delta_;  // buckets per unit of length
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  std::vector<std::uint8_t> removed_;  // (n) whether some thread's `removed` holds the vertex
  std::vector<ThreadState> states_;
};

/// Distances from `source`; the same bits for every delta and every number of threads. Weights must
/// be >= 0. Relaxes O(m) edges for a well-chosen delta, more for a large one, in at least one round
/// per nonempty bucket. Throws std::overflow_error if a distance does not fit; unless `complete`,
/// such a vertex stays unreachable.
template <Index V, Weight W>
DeltaSteppingResult delta_stepping(const CsrView<V, W>& graph, V source,
                                   std::span<DistanceOf<W>> dist, DistanceOf<W> delta, int threads,
                                   Control& control, bool complete = true) {
  if (!(delta > 0)) throw std::invalid_argument("delta must be > 0");
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  return DeltaStepping<V, W>(graph, dist, delta, threads, control).run(source, complete);
}

}  // namespace warpath
