// stepping.hpp - rho-stepping and delta*-stepping on threads (dong2021.*).
//
// A step takes all vertices of a queue whose labels are at most a threshold, and relaxes their
// edges. The targets whose labels fall join the queue, also below the threshold: the next step
// takes them. The thresholds are
// - of delta*-stepping the multiples of delta, one after another; a step that would take nothing is
//   passed over;
// - of rho-stepping the label of rank rho in the queue, as a sample of it says.
//
// The queue is lazy: a flag says that a vertex is in it, and each thread has a list of those that
// it put there. A step reads all lists and moves the vertices that it takes to lists which the
// threads share. Labels are lowered by an atomic minimum. The vertex of the least label is taken
// and final, so there are at most n steps. The result has the same bits for all thresholds and
// threads, as delta_stepping.hpp explains.
//
// Work: O(m) relaxations for well-chosen thresholds, and a look at every vertex of the queue in
// every step. Space: a flag and at most two entries of lists for each vertex.
// Source: Dong, Gu, Sun, Zhang, "Efficient stepping algorithms and implementations for parallel
// shortest paths", 2021.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
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

struct SteppingResult : SearchCounters {
  std::int64_t rounds = 0;
};

template <Index V, Weight W>
class Stepping {
 public:
  using D = DistanceOf<W>;

  /// By delta, or by rho where delta is 0.
  Stepping(const CsrView<V, W>& graph, std::span<D> dist, D delta, std::int64_t rho, int threads,
           Control& control)
      : graph_(graph),
        dist_(dist),
        delta_(static_cast<double>(delta)),
        rho_(rho),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        queued_(dist.size()),
        states_(static_cast<std::size_t>(threads)) {}

  SteppingResult run(V source, bool complete) {
    std::fill(dist_.begin(), dist_.end(), unreachable<D>);
    dist_[static_cast<std::size_t>(source)] = 0;
    queued_[static_cast<std::size_t>(source)] = 1;
    states_[0].queue.assign(1, source);
    states_[0].least = 0;
    control_.expect(graph_.n());
    run_team(threads_, control_, [this](int rank) { work(rank); });
    SteppingResult total;
    bool overflow = false;
    for (const ThreadState& state : states_) {
      total += state.counters;
      overflow |= state.overflow;
    }
    total.rounds = steps_;
    if (overflow && complete) {
      Poller poller(control_, true);
      refuse_overflow<V, W>(graph_, dist_, poller, [](std::size_t) { return true; });
    }
    return total;
  }

 private:
  static constexpr std::size_t kClaim = 64;      // vertices claimed at once
  static constexpr std::int64_t kSample = 1024;  // labels from which a rank is estimated

  struct alignas(64) ThreadState {
    std::vector<V> queue;                 // vertices of the queue that this thread put there
    std::vector<V> taken;                 // of them, those of this step, which any thread claims
    std::atomic<std::size_t> claimed{0};  // how many of `taken`
    D least = unreachable<D>;             // the least label of `queue`
    std::int64_t reached = 0;             // vertices reached since the last progress report
    SearchCounters counters;
    bool overflow = false;
  };

  void work(int rank) {
    ThreadState& self = states_[static_cast<std::size_t>(rank)];
    Poller poller(control_, rank == 0);
    while (true) {
      barrier_.wait(rank);
      if (rank == 0) ended_ = !raise_threshold();
      barrier_.wait(rank);
      if (ended_) return;
      extract(self, poller);
      barrier_.wait(rank);
      for (int k = 0; k < threads_; ++k) {
        ThreadState& owner = states_[static_cast<std::size_t>((rank + k) % threads_)];
        const std::size_t size = owner.taken.size();
        for (std::size_t i;
             (i = owner.claimed.fetch_add(kClaim, std::memory_order_relaxed)) < size;)
          for (const std::size_t end = std::min(i + kClaim, size); i < end; ++i)
            relax(owner.taken[i], self, poller);
      }
      control_.advance(std::exchange(self.reached, 0));
    }
  }

  /// Sets the threshold of the next step; false if the queue is empty.
  bool raise_threshold() {
    D least = unreachable<D>;
    std::int64_t waiting = 0;
    for (const ThreadState& state : states_) {
      least = std::min(least, state.least);
      waiting += static_cast<std::int64_t>(state.queue.size());
    }
    if (waiting == 0) return false;
    ++steps_;
    if (delta_ > 0) {
      multiple_ = std::max(multiple_ + 1, std::ceil(static_cast<double>(least) / delta_));
      const double bound = multiple_ * delta_;
      // Below the least label only by rounding.
      threshold_ = bound < static_cast<double>(unreachable<D>)
                       ? std::max(static_cast<D>(bound), least)
                       : unreachable<D>;
    } else {
      threshold_ = waiting <= rho_ ? unreachable<D> : label_of_rank(waiting);
    }
    return true;
  }

  /// Estimates the label of rank rho from labels at equal distances in the queue.
  D label_of_rank(std::int64_t waiting) {
    const std::int64_t size = std::min(waiting, kSample);
    sample_.clear();
    std::int64_t before = 0;
    for (const ThreadState& state : states_) {
      const auto held = static_cast<std::int64_t>(state.queue.size());
      for (std::int64_t at; (at = scaled(sample_.size(), waiting, size) - before) < held &&
                            std::ssize(sample_) < size;)
        sample_.push_back(label(state.queue[static_cast<std::size_t>(at)]));
      before += held;
    }
    const auto rank = sample_.begin() + scaled(static_cast<std::size_t>(rho_ - 1), size, waiting);
    std::nth_element(sample_.begin(), rank, sample_.end());
    return *rank;
  }

  static std::int64_t scaled(std::size_t at, std::int64_t size, std::int64_t whole) {
    return static_cast<std::int64_t>(static_cast<double>(at) / static_cast<double>(whole) *
                                     static_cast<double>(size));
  }

  /// Moves this thread's vertices up to the threshold from the queue to `taken`.
  void extract(ThreadState& self, Poller& poller) {
    self.taken.clear();
    self.claimed.store(0, std::memory_order_relaxed);
    self.least = unreachable<D>;
    std::size_t stay = 0;
    for (const V v : self.queue) {
      poller.step();
      const D at = label(v);
      if (at > threshold_) {
        self.queue[stay++] = v;
        self.least = std::min(self.least, at);
        continue;
      }
      queued_[static_cast<std::size_t>(v)] = 0;
      self.taken.push_back(v);
    }
    self.queue.resize(stay);
  }

  void relax(V u, ThreadState& self, Poller& poller) {
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    const D from = label(u);
    poller.step(end - begin + 1);
    ++self.counters.settled;
    self.counters.relaxed += end - begin;
    for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
      D sum;
      if (add_checked<D, W, V>(from, graph_.weights[e], sum))
        lower(graph_.indices[e], sum, self);
      else
        self.overflow = true;
    }
  }

  /// Lowers the label of v to `sum` if that is less, and puts v into the queue.
  void lower(V v, D sum, ThreadState& self) {
    const atomic_ref place(dist_[static_cast<std::size_t>(v)]);
    D old = place.load(std::memory_order_relaxed);
    do {
      if (!(sum < old)) return;
    } while (!place.compare_exchange_weak(old, sum, std::memory_order_relaxed));
    ++self.counters.improved;
    self.reached += old == unreachable<D>;
    self.least = std::min(self.least, sum);
    const atomic_ref queued(queued_[static_cast<std::size_t>(v)]);
    if (queued.exchange(1, std::memory_order_relaxed) == 0) self.queue.push_back(v);
  }

  D label(V v) const {
    return atomic_ref(dist_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed);
  }

  const CsrView<V, W>& graph_;
  const std::span<D> dist_;
  const double delta_;
  const std::int64_t rho_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  std::vector<std::uint8_t> queued_;  // (n) whether the queue holds the vertex
  std::vector<ThreadState> states_;
  // Written by rank 0 while the others wait.
  std::vector<D> sample_;
  D threshold_ = 0;
  double multiple_ = 0;  // of delta: the threshold
  std::int64_t steps_ = 0;
  bool ended_ = false;
};

/// Distances from `source` by delta*-stepping, or by rho-stepping where delta is 0; the same bits
/// for every threshold and number of threads. Weights must be >= 0. Throws std::overflow_error if a
/// distance does not fit; unless `complete`, such a vertex stays unreachable.
template <Index V, Weight W>
SteppingResult stepping(const CsrView<V, W>& graph, V source, std::span<DistanceOf<W>> dist,
                        DistanceOf<W> delta, std::int64_t rho, int threads, Control& control,
                        bool complete = true) {
  if ((delta > 0) == (rho > 0) || delta < 0 || rho < 0)
    throw std::invalid_argument("one of delta and rho must be > 0, the other 0");
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  return Stepping<V, W>(graph, dist, delta, rho, threads, control).run(source, complete);
}

}  // namespace warpath
