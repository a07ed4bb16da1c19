// bucket_team.hpp - delta-stepping from one source, on one thread or on a team.
//
// A label is the length of the best path known to a vertex; bucket i holds the vertices whose label
// lies in the i-th interval of width delta. Weights must be >= 0. The search has four phases:
// 1. Fill: the threads set all labels to infinity, the source's to 0, and put it into bucket 0.
// 2. Rounds, one per bucket, ascending: each thread scans its own entries of the bucket, then
//    steals blocks of other threads'. A vertex that falls back into the current bucket is finished
//    by the thread that lowered it (bucket fusion), which hands half over when a thread is idle: a
//    bucket costs one barrier. Rank 0 starts alone, without atomics; others join between buckets.
// 3. Window: when all 1024 buckets are empty, they move to the smallest label of the far pile. If
//    that frees less than 1/64 of the pile, the buckets become eight times as wide.
// 4. Spread: narrow labels are converted to distances in place, in the answer's memory.
// Invariants: the thread that lowers a label puts the vertex into its bucket for it, unless it is
// there already or has no out-edge. An entry is stale if its label lies before the current bucket.
// Any order ends in the same labels, because rounding is monotone and weights are >= 0: delta and
// the threads change the work and never a bit. A small delta needs O(m) relaxations, more rounds.
// The planner takes mean weight / mean degree times 32 / degree (1 to 16), halved on one thread, a
// quarter with scattered targets, half with hubs (decision 0018).
// Lost on a road network, ms: growing arrays and no gathering, 43 (blocks: 32); on two threads, two
// barriers per bucket, nothing handed over, 22 to 27 (17); delta = mean weight / mean degree, 30 %
// more. On R-MAT: storing smaller labels without a branch, which dirties all cache lines, 38 (30).
// Sources: Meyer, Sanders, "Delta-stepping", 2003; fusion and thread-local buckets: Beamer et al.,
// GAP suite, 2015; Zhang et al., "Optimizing ordered graph algorithms with GraphIt", 2020.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/sssp/bucket_bins.hpp"
#include "warpath/sssp/bucket_options.hpp"
#include "warpath/sssp/bucket_sharing.hpp"
#include "warpath/sssp/lower_sums.hpp"
#include "warpath/sssp/narrow_label.hpp"
#include "warpath/sssp/spread_labels.hpp"

namespace warpath {
/// One search with labels of type L, as wide as the distances or half as wide.
template <Index V, Weight W, class L>
class BucketTeam {
 public:
  using D = DistanceOf<W>;
  /// `labels` (n) need no initial values: the threads that will use them fill them.
  BucketTeam(const CsrView<V, W>& graph, L* labels, const BucketOptions<W>& options,
             Control& control)
      : graph_(graph),
        labels_(labels),
        first_(first_label<L, D>(options.cutoff)),
        manner_(graph, options),
        leaves_(options.leaves),
        max_weight_(options.max_weight),
        threads_(options.threads),
        control_(control),
        team_(threads_, options.assemble, control),
        sharing_(threads_, graph.n(), manner_.in_lanes, team_) {
    for (int rank = 0; rank < threads_; ++rank)
      workers_.push_back(std::make_unique<Worker>(options.delta, first_, control, rank == 0));
  }

  /// Solves into `out`, whose memory ends with the labels. False (`out` is void): L is too narrow.
  template <class Out>
  bool solve(V source, std::span<Out> out) {
    control_.expect(graph_.n());
    run_open_team(threads_, control_, [&](int rank) {
      Worker& self = *workers_[static_cast<std::size_t>(rank)];
      team_.parallel_for(filled_, ceil_div(graph_.n(), kFilled), rank, [&](std::int64_t part) {
        std::fill(labels_ + part * kFilled, labels_ + std::min(graph_.n(), (part + 1) * kFilled),
                  first_);
      });
      if (rank == 0) {
        labels_[source] = 0;
        self.bins.put(0, source);
      }
      work(rank);
      self.bins.pool().release();  // before the answer's pages are touched; no block is in use
      spreading_.write(labels_, out.data(), graph_.n(), first_, team_, rank, self.spread);
    });
    L largest = 0;
    for (const auto& worker : workers_) largest = std::max(largest, worker->spread.largest);
    return labels_exact<L, W>(largest, max_weight_, first_);
  }

  BucketTeamCounters counters() const {
    BucketTeamCounters total;
    for (const auto& worker : workers_) {
      total += worker->counters;
      total.reached += worker->spread.reached;
    }
    total.rounds = workers_[0]->counters.rounds;
    return total;
  }

 private:
  static constexpr int kFar = BucketScale<L>::kFar;
  static constexpr unsigned kAhead = 16;         // vertices between the first prefetch and the scan
  static constexpr std::int64_t kAheadRow = 16;  // targets of a row that are prefetched
  static constexpr std::int64_t kFilled = 1 << 14;  // labels in one unit of filling
  static constexpr std::size_t kThinPile = 64;  // a move should free 1 / kThinPile of the far pile

  struct Worker {
    Worker(double delta, L first, Control& control, bool owner)
        : scale(delta), poller(control, owner), least(first) {}
    void follow(const Worker& member) {  // copies the window's state on joining
      scale = member.scale;
      moved = member.moved;
      before = member.before;
    }
    BucketScale<L> scale;
    BucketBins<V> bins;
    Poller poller;
    V *taken = nullptr, *taken_end = nullptr;  // unread entries of the last parcel (block) taken
    bool may_take = false;                     // whether unclaimed parcels may remain
    bool moved = false;
    std::size_t before = 0;  // entries of the far pile at the last move
    BucketTeamCounters counters;
    std::int64_t met = 0;  // vertices reached since the last progress report
    SpreadSeen<L> spread;
    alignas(64) L least;  // smallest label of its far pile; this and the next are read by others
    std::size_t kept = 0, freed = 0;
  };
  using Lower = LowerSums<V, L>;

  template <bool kShared>
  L label(V v) const {
    if constexpr (kShared)
      return std::atomic_ref<L>(labels_[v]).load(std::memory_order_relaxed);
    else
      return labels_[v];
  }

  void work(int rank) {
    Worker& self = *workers_[static_cast<std::size_t>(rank)];
    unsigned round = 0;
    if (rank == 0) {
      team_.await_requests();
      if (work_alone(self)) work_together(self, agree(self, 0, round, rank), round, rank);
      team_.close();
    } else if (team_.request_membership(rank, round)) {
      self.follow(*workers_[0]);
      sharing_.await_end(rank, round);
      work_together(self, sharing_.first_bucket(round), round, rank);
    }
    control_.advance(std::exchange(self.met, 0));
  }
  bool work_alone(Worker& self) {  // rank 0, until a thread requests to join; false at the end
    for (int current = 0; !team_.has_requests();) {
      current = self.bins.next(current);
      control_.advance(std::exchange(self.met, 0));
      if (current == kFar) {
        if (!move_window(self, 0)) return false;
        current = 0;
        continue;
      }
      ++self.counters.rounds;
      drain<false>(self, current, 0, 0);
    }
    return true;
  }
  /// Starts at the end of a round; `current` is the first nonempty bucket.
  void work_together(Worker& self, int current, unsigned round, int rank) {
    for (;; current = agree(self, current, round, rank)) {
      ++round;
      control_.advance(std::exchange(self.met, 0));
      if (current == kFar) {
        if (!move_window(self, rank)) return;
        current = 0;
        continue;
      }
      ++self.counters.rounds;
      sharing_.publish(rank, self.bins, current, round);
      self.may_take = true;
      drain<true>(self, current, round, rank);
    }
  }
  /// Helps until all ranks have finished the current bucket; returns the first nonempty bucket.
  int agree(Worker& self, int current, unsigned round, int rank) {
    while (const Parcel<V> gift = sharing_.rest(rank, round, self.bins.next(current))) {
      accept(self, gift);
      drain<true>(self, current, round, rank);
    }
    return sharing_.first_bucket(round);
  }
  static void accept(Worker& self, Parcel<V> parcel) {
    self.taken = parcel.begin();
    self.taken_end = parcel.end();
  }
  /// Takes the next entry of the current bucket; false if this rank has none.
  template <bool kShared>
  bool next_entry(Worker& self, int current, unsigned round, int rank, V& v) {
    if constexpr (kShared) {
      if (self.taken != self.taken_end) {
        v = *self.taken++;
        return true;
      }
      if (self.taken != nullptr) {
        self.bins.pool().give(Block<V>::before(self.taken));
        self.taken = self.taken_end = nullptr;
      }
      if (self.may_take) {
        const Parcel<V> parcel = sharing_.take(rank, round);
        self.may_take = static_cast<bool>(parcel);
        if (parcel) {
          accept(self, parcel);
          v = *self.taken++;
          return true;
        }
      }
    }
    if (self.bins.pop(current, v)) return true;
    if constexpr (kShared) {
      if (const Parcel<V> back = sharing_.withdraw(rank)) {
        accept(self, back);
        v = *self.taken++;
        return true;
      }
    }
    return false;
  }
  /// Scans this rank's entries of the current bucket and those that fall back into it. Two
  /// functions: in one, the registers of one loop would be spilled in the other.
  template <bool kShared>
  void drain(Worker& self, int current, unsigned round, int rank) {
    if (manner_.near)
      drain_near<kShared>(self, current, round, rank);
    else
      drain_ahead<kShared>(self, current, round, rank);
    self.bins.close(current);
  }

  template <bool kShared>
  [[gnu::noinline]] void drain_near(Worker& self, int current, unsigned round, int rank) {
    const BucketScale<L> scale = self.scale;
    Lower low;
    do {
      for (V v; next_entry<kShared>(self, current, round, rank, v);) {
        scan<kShared>(v, current, scale, self, low);
        if constexpr (kShared) give_part(self, current, round, rank);
      }
    } while (apply<kShared>(low, current, scale, self));
  }
  template <bool kShared>
  [[gnu::noinline]] void drain_ahead(Worker& self, int current, unsigned round, int rank) {
    const BucketScale<L> scale = self.scale;
    std::array<V, 2 * kAhead> staged;
    Lower low;
    unsigned head = 0;
    unsigned tail = 0;
    const auto at = [&](unsigned place) -> V& { return staged[place % (2 * kAhead)]; };
    while (true) {
      for (V v; tail - head < kAhead && next_entry<kShared>(self, current, round, rank, v);) {
        at(tail++) = v;
        __builtin_prefetch(labels_ + v);
        __builtin_prefetch(graph_.indptr.data() + v);
      }
      if (head == tail) {
        if (!apply<kShared>(low, current, scale, self)) return;
        continue;
      }
      if (tail - head > kAhead / 2) fetch_row(at(head + kAhead / 2));
      if (manner_.far_targets && tail - head > kAhead / 4)
        fetch_targets<kShared>(at(head + kAhead / 4));
      scan<kShared>(at(head++), current, scale, self, low);
      if constexpr (kShared) give_part(self, current, round, rank);
    }
  }
  void give_part(Worker& self, int current, unsigned round, int rank) {
    if (sharing_.wanted(round))
      sharing_.offer(rank, self.bins, current, round, self.taken, self.taken_end);
  }
  // Forced inline: a compiler may drop a function that only prefetches, as free of effects.
  [[gnu::always_inline]] void fetch_row(V v) const {
    const std::int64_t row = graph_.indptr.data()[v];
    __builtin_prefetch(graph_.indices.data() + row);
    __builtin_prefetch(graph_.weights.data() + row);
  }
  /// Not for neighbours with close numbers: their labels mostly are in a cache already.
  template <bool kShared>
  [[gnu::always_inline]] void fetch_targets(V v) const {
    const std::int64_t* const bounds = graph_.indptr.data() + v;
    const std::int64_t end = std::min(bounds[1], bounds[0] + kAheadRow);
    for (std::int64_t e = bounds[0]; e < end; ++e) {
      if constexpr (kShared)
        prefetch_for_write(labels_ + graph_.indices.data()[e]);
      else
        __builtin_prefetch(labels_ + graph_.indices.data()[e]);
    }
  }

  template <bool kShared>
  void scan(V u, int current, const BucketScale<L>& scale, Worker& self, Lower& low) {
    const L from = label<kShared>(u);
    if (scale.passed(from, current)) return;  // stale: scanned already with its smaller label
    std::int64_t e = graph_.indptr.data()[u];
    const std::int64_t end = graph_.indptr.data()[u + 1];
    self.poller.step(end - e + 1);
    ++self.counters.settled;
    self.counters.relaxed += end - e;
    const V* const indices = graph_.indices.data();
    const W* const weights = graph_.weights.data();
    const auto sum = [&](std::int64_t at) {
      return static_cast<L>(from + static_cast<L>(weights[at]));
    };
    do {
      e = low.gather(e, end, indices, sum, [this](V v) { return label<kShared>(v); });
      if (low.enough()) apply<kShared>(low, current, scale, self);
    } while (e < end);
  }
  template <bool kShared>
  bool apply(Lower& low, int current, const BucketScale<L>& scale, Worker& self) {
    return low.apply([&](V v, L sum) { lower<kShared>(v, sum, current, scale, self); });
  }
  template <bool kShared>
  void lower(V v, L sum, int current, const BucketScale<L>& scale, Worker& self) {
    L old = label<kShared>(v);
    if constexpr (kShared) {
      std::atomic_ref<L> place(labels_[v]);
      do {
        if (!(sum < old)) return;
      } while (!place.compare_exchange_weak(old, sum, std::memory_order_relaxed));
    } else {
      if (!(sum < old)) return;
      labels_[v] = sum;
    }
    ++self.counters.improved;
    const bool first = old == first_;
    self.met += first;
    const bool leaf = leaves_ != nullptr && (leaves_[v >> 3] >> (v & 7) & 1) != 0;
    self.counters.settled += leaf & first;
    const int bucket = scale.bucket_of(sum);
    // The thread that stored the old label has put v there, or will before that bucket's turn.
    const bool there = !first & (bucket > current) & (scale.bucket_of(old) == bucket);
    self.bins.put_if(!leaf & !there, bucket, v);
  }
  bool move_window(Worker& self, int rank) {  // false if the far pile is empty: the end
    self.least = first_;
    self.kept = 0;
    each_far(self, [&](V v) {
      if (self.scale.passed(labels_[v], kFar)) return;
      self.least = std::min(self.least, labels_[v]);
      ++self.kept;
      self.bins.put(kFar, v);
    });
    team_.barrier(rank);
    L least = first_;
    std::size_t kept = 0, freed = 0;
    for (const auto& worker : workers_) {
      least = std::min(least, worker->least);
      kept += worker->kept;
      freed += worker->freed;
    }
    team_.barrier(rank);
    if (kept == 0) return false;
    if (self.moved && freed * kThinPile < self.before) self.scale.widen();
    self.moved = true;
    self.before = kept;
    self.scale.move_to(least);
    self.freed = 0;
    each_far(self, [&](V v) {
      const int bucket = self.scale.bucket_of(labels_[v]);
      self.freed += bucket < kFar;
      self.bins.put(bucket, v);
    });
    return true;
  }
  /// Empties the far pile; visit(v) may put v back, into blocks that are reused at once.
  template <class Visit>
  void each_far(Worker& self, Visit&& visit) {
    self.bins.detach(kFar, [&](Block<V>* block, std::size_t entries) {
      self.poller.step(static_cast<std::int64_t>(entries));
      for (std::size_t i = 0; i < entries; ++i) visit(block->entries[i]);
      self.bins.pool().give(block);
    });
  }

  const CsrView<V, W>& graph_;
  L* const labels_;
  const L first_;
  const BucketManner manner_;
  const std::uint8_t* const leaves_;
  const W max_weight_;
  const int threads_;
  Control& control_;
  OpenTeam team_;
  BucketSharing<V> sharing_;
  DynamicLoop filled_;
  Spread spreading_;
  std::vector<std::unique_ptr<Worker>> workers_;
};
}  // namespace warpath
