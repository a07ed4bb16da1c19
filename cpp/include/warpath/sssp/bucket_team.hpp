// bucket_team.hpp - one source, buckets shared by threads (warpath.buckets).
//
// The search of bucket_core.hpp with three more phases or rules:
// - Before it, the threads set all labels to their initial value, in parallel.
// - Rank 0 starts alone, without atomics; other threads join between two buckets. From then on a
//   round drains one bucket: each thread scans its own entries, then claims blocks of other
//   threads' (bucket_sharing.hpp). A vertex that falls back into the current bucket is scanned by
//   the thread that lowered it (bucket fusion), which donates half when a thread is idle. A bucket
//   costs one barrier.
// - After it, labels narrower than distances are widened in place, in the answer's memory.
//
// What lost on a road network, two threads: two barriers per bucket and no donations, 22 to 27 ms
// (17 without). Source of bucket fusion: Zhang et al., "Optimizing ordered graph algorithms with
// GraphIt", 2020.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/packed_rows.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/bucket_core.hpp"
#include "warpath/sssp/bucket_sharing.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// Statistics of the labels that one thread converted.
template <class L>
struct WideningStats {
  L largest = 0;
  std::int64_t reached = 0;  // labels below the initial one
};

/// Converts n labels, which lie at the end of the memory of n distances, to those distances. Every
/// thread of an open team that is present calls `write`.
class LabelWidening {
 public:
  /// Labels half as wide as distances fill the upper half of the memory. The distances of the first
  /// half of the remaining vertices overlap none of their labels, so threads convert that half in
  /// parallel and wait before the next one.
  template <class L, class Out>
  void write(const L* labels, Out* out, std::int64_t n, L initial, OpenTeam& team, int rank,
             WideningStats<L>& stats) {
    static_assert(sizeof(L) == sizeof(Out) || 2 * sizeof(L) == sizeof(Out));
    std::int64_t from = 0;
    for (DynamicLoop& step : steps_) {
      const bool apart = sizeof(L) == sizeof(Out) || n - from <= kPart;
      const std::int64_t to = apart ? n : from + (n - from) / 2;
      team.parallel_for(step, ceil_div(to - from, kPart), rank, [&](std::int64_t part) {
        const std::int64_t begin = from + part * kPart;
        write_part(labels, out, begin, std::min(begin + kPart, to), initial, stats);
      });
      from = to;
      if (from == n) return;
    }
  }

 private:
  static constexpr std::int64_t kPart = 1 << 11;  // labels converted at a time

  template <class L, class Out>
  static void write_part(const L* labels, Out* out, std::int64_t begin, std::int64_t end, L initial,
                         WideningStats<L>& stats) {
    L largest = stats.largest;
    std::int64_t reached = 0;
    for (std::int64_t v = begin; v < end; ++v) {
      const L label = labels[v];
      const bool is_reached = label != initial;
      reached += is_reached;
      largest = std::max(largest, is_reached ? label : L{0});
      const Out distance = is_reached ? static_cast<Out>(label) : unreachable<Out>;
      std::memcpy(out + v, &distance,
                  sizeof distance);  // may lie over labels, of another type
    }
    stats.largest = largest;
    stats.reached += reached;
  }

  std::array<DynamicLoop, 64> steps_;  // one for each halving
};

/// One search with labels of type L, as wide as the distances or half as wide. `Rows` is as in
/// BucketCore.
template <class Rows, Weight W, class L>
class BucketTeam {
 public:
  using V = typename Rows::Vertex;
  using D = DistanceOf<W>;
  /// `labels` (n) need no initial values: the threads that will use them fill them.
  BucketTeam(const Rows& rows, L* labels, const BucketOptions<W>& options, Control& control)
      : rows_(rows),
        labels_(labels),
        initial_(initial_label<L, D>(options.cutoff)),
        leaves_(options.leaves),
        max_weight_(options.max_weight),
        threads_(options.threads),
        control_(control),
        team_(threads_, options.assemble, control),
        sharing_(threads_, rows.n(), scan_policy(rows, options).range_affinity, team_) {
    for (int rank = 0; rank < threads_; ++rank)
      states_.push_back(std::make_unique<ThreadState>(rows_, labels, initial_, options.delta,
                                                      scan_policy(rows, options),
                                                      Poller(control, rank == 0)));
  }

  /// Solves into `out`, whose memory ends with the labels, from the nearest of several sources.
  /// False (`out` is void): L is too narrow.
  template <class Out>
  bool solve(std::span<const V> sources, std::span<Out> out) {
    const std::int64_t n = rows_.n();
    control_.expect(n);
    run_open_team(threads_, control_, [&](int rank) {
      ThreadState& self = *states_[static_cast<std::size_t>(rank)];
      team_.parallel_for(filled_, ceil_div(n, kFilled), rank, [&](std::int64_t part) {
        std::fill(labels_ + part * kFilled, labels_ + std::min(n, (part + 1) * kFilled), initial_);
      });
      if (rank == 0) {
        for (const V source : sources) {
          labels_[source] = 0;
          self.core.buckets.put(0, source);
        }
      }
      work(rank);
      // Before the answer's pages are touched; no block is in use.
      self.core.buckets.pool().release();
      widening_.write(labels_, out.data(), n, initial_, team_, rank, self.widened);
    });
    L largest = 0;
    for (const auto& state : states_) largest = std::max(largest, state->widened.largest);
    return no_overflow<L, W>(largest, max_weight_, initial_);
  }

  BucketCounters counters() const {
    BucketCounters total;
    for (const auto& state : states_) {
      total += state->core.counters;
      total.reached += state->widened.reached;
    }
    total.rounds = states_[0]->rounds;
    return total;
  }

 private:
  using Core = BucketCore<Rows, L>;
  static constexpr std::int64_t kFilled = 1 << 14;  // labels in one unit of filling

  struct ThreadState {
    ThreadState(const Rows& rows, L* labels, L initial, double delta, const ScanPolicy& how,
                Poller poller)
        : core(rows, labels, initial, delta, how, poller) {}

    void read(WorkItem<V> item) {
      taken = item.begin();
      taken_end = item.end();
    }

    Core core;
    V *taken = nullptr, *taken_end = nullptr;  // unread entries of the last item (block) taken
    bool may_claim = false;                    // whether unclaimed items may remain
    std::int64_t rounds = 0;
    std::int64_t reached = 0;  // vertices reached since the last progress report
    WideningStats<L> widened;
    alignas(64) typename Core::FarPile far_pile;  // read by others
  };

  /// BucketCore's hook while only rank 0 works.
  struct OneThread {
    static constexpr bool kShared = false;
    ThreadState& self;
    const std::uint8_t* const leaves;

    bool next(int current, V& v) { return self.core.buckets.pop(current, v); }
    void scanned(int) {}
    void lowered(V, bool first) { self.reached += first; }
    bool leaf(V v) const { return leaves != nullptr && (leaves[v >> 3] >> (v & 7) & 1) != 0; }
  };

  /// BucketCore's hook for a member of the team: its entries are unread ones of the item taken
  /// last, then unclaimed items, then its own that fell back, then its donation if it is still
  /// open.
  struct Shared : OneThread {
    static constexpr bool kShared = true;
    BucketSharing<V>& sharing;
    const unsigned round;
    const int rank;

    bool next(int current, V& v) {
      ThreadState& self = this->self;
      if (self.taken == self.taken_end) {
        if (self.taken != nullptr) {
          self.core.buckets.pool().give(Block<V>::before(self.taken));
          self.taken = self.taken_end = nullptr;
        }
        WorkItem<V> item;
        if (self.may_claim) {
          item = sharing.claim(rank, round);
          self.may_claim = static_cast<bool>(item);
        }
        if (!item) {
          if (self.core.buckets.pop(current, v)) return true;
          item = sharing.take_back(rank);
          if (!item) return false;
        }
        self.read(item);
      }
      v = *self.taken++;
      return true;
    }
    void scanned(int current) {
      if (sharing.has_idle(round))
        sharing.donate(rank, this->self.core.buckets, current, round, this->self.taken,
                       this->self.taken_end);
    }
  };

  static ScanPolicy scan_policy(const Rows& rows, const BucketOptions<W>& options) {
    const auto m = static_cast<std::int64_t>(rows.begin(static_cast<std::size_t>(rows.n())));
    return {rows.n(), m, options.scattered, options.threads};
  }

  void work(int rank) {
    ThreadState& self = *states_[static_cast<std::size_t>(rank)];
    unsigned round = 0;
    if (rank == 0) {
      team_.await_requests();
      if (work_alone(self)) work_together(self, agree(self, 0, round, rank), round, rank);
      team_.close();
    } else if (team_.request_membership(rank, round)) {
      self.core.follow(states_[0]->core);
      sharing_.await_end(rank, round);
      work_together(self, sharing_.first_bucket(round), round, rank);
    }
    control_.advance(std::exchange(self.reached, 0));
  }

  /// Rank 0, until a thread requests to join; false at the end of the search.
  bool work_alone(ThreadState& self) {
    return self.core.drain_all(OneThread{self, leaves_}, [&](int) {
      control_.advance(std::exchange(self.reached, 0));
      if (team_.has_requests()) return true;
      ++self.rounds;
      return false;
    });
  }

  /// Starts at the end of a round; `current` is the first nonempty bucket.
  void work_together(ThreadState& self, int current, unsigned round, int rank) {
    for (;; current = agree(self, current, round, rank)) {
      ++round;
      control_.advance(std::exchange(self.reached, 0));
      if (current == kBuckets) {
        if (!move_window(self, rank)) return;
        current = 0;
        continue;
      }
      ++self.rounds;
      sharing_.publish(rank, self.core.buckets, current, round);
      self.may_claim = true;
      drain(self, current, round, rank);
    }
  }

  /// Helps until all ranks have finished the current bucket; returns the first nonempty bucket.
  int agree(ThreadState& self, int current, unsigned round, int rank) {
    while (const WorkItem<V> donated =
               sharing_.become_idle(rank, round, self.core.buckets.next(current))) {
      self.read(donated);
      drain(self, current, round, rank);
    }
    return sharing_.first_bucket(round);
  }

  void drain(ThreadState& self, int current, unsigned round, int rank) {
    self.core.drain(current, Shared{{self, leaves_}, sharing_, round, rank});
  }

  /// False if all far piles are empty: the end.
  bool move_window(ThreadState& self, int rank) {
    self.far_pile = self.core.inspect_far_pile();
    team_.barrier(rank);
    typename Core::FarPile all{initial_};
    for (const auto& state : states_) {
      all.smallest = std::min(all.smallest, state->far_pile.smallest);
      all.entries += state->far_pile.entries;
      all.freed += state->far_pile.freed;
    }
    team_.barrier(rank);
    return self.core.move_window(all);
  }

  const Rows rows_;
  L* const labels_;
  const L initial_;
  const std::uint8_t* const leaves_;
  const W max_weight_;
  const int threads_;
  Control& control_;
  OpenTeam team_;
  BucketSharing<V> sharing_;
  DynamicLoop filled_;
  LabelWidening widening_;
  std::vector<std::unique_ptr<ThreadState>> states_;
};

/// Distances from one source into `out` by BucketTeam (bucket_core.hpp explains the algorithm): the
/// same bits as Dijkstra's algorithm for every delta and every number of threads. Weights must be
/// >= 0. False if distances may not fit 63 bits: `out` is then meaningless.
///
/// Integers are first tried in labels of 32 bits. Labels lie in the answer's memory; the only other
/// memory are the entries in buckets, which are freed before narrow labels are widened.
template <Index V, Weight W>
bool bucket_team(const CsrView<V, W>& graph, V source, std::span<DistanceOf<W>> out,
                 const BucketOptions<W>& options, Control& control, BucketCounters& counters) {
  if (!(options.delta > 0)) throw std::invalid_argument("delta must be > 0");
  if (options.threads < 1) throw std::invalid_argument("threads must be >= 1");
  const auto solved = [&]<class L>(L* labels) {
    BucketTeam<PlainRows<V, W>, W, L> team(PlainRows<V, W>(graph), labels, options, control);
    const bool exact = team.solve(std::span<const V>(&source, 1), out);
    counters = team.counters();
    return exact;
  };
  if constexpr (std::is_floating_point_v<W>) {
    return solved(out.data());
  } else {
    if (weights_fit<std::uint32_t>(options.max_weight)) {
      if (solved(reinterpret_cast<std::uint32_t*>(out.data()) + out.size())) return true;
    }
    if (!weights_fit<std::uint64_t>(options.max_weight)) return false;
    return solved(reinterpret_cast<std::uint64_t*>(out.data()));
  }
}

}  // namespace warpath
