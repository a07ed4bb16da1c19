// bucket_sharing.hpp - work stealing of 1 KiB blocks within one bucket.
//
// Each thread publishes its entries of the bucket in one queue per range of vertex numbers. Threads
// claim blocks from all queues by an atomic index. An idle thread also accepts a donated block. The
// round ends when all members are idle (termination detection), and they agree on the next bucket.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "warpath/parallel/open_team.hpp"
#include "warpath/sssp/bucket_bins.hpp"

namespace warpath {

/// A block of entries and their number in one word (the number in the low bits); empty if the word
/// is 0. Small enough to be handed over by one atomic exchange.
template <class V>
class WorkItem {
 public:
  WorkItem() = default;
  WorkItem(Block<V>* block, std::size_t entries)
      : bits_(reinterpret_cast<std::uintptr_t>(block) | entries) {}
  explicit WorkItem(std::uintptr_t bits) : bits_(bits) {}

  explicit operator bool() const { return bits_ != 0; }
  std::uintptr_t bits() const { return bits_; }
  V* begin() const { return reinterpret_cast<Block<V>*>(bits_ & ~kLow)->entries; }
  V* end() const { return begin() + (bits_ & kEntries); }

  /// The same item, marked with its round.
  WorkItem marked(unsigned round) const {
    return WorkItem((bits_ & ~(kLow & ~kEntries)) | mark(round));
  }
  bool is_of(unsigned round) const {
    return bits_ != 0 && (bits_ & (kLow & ~kEntries)) == mark(round);
  }

 private:
  static constexpr std::uintptr_t kLow = Block<V>::kBytes - 1;
  static constexpr std::uintptr_t kEntries = 255;
  static_assert(Block<V>::kEntries <= kEntries);
  static std::uintptr_t mark(unsigned round) { return round % 3 * 256; }

  std::uintptr_t bits_ = 0;
};

/// The current bucket, shared by the members of a team (the joined threads of a team).
///
/// A rank first claims the entries of its own range of vertex numbers, so that it mostly meets
/// labels that it wrote itself: labels that another thread wrote come from that core's cache, which
/// between distant cores takes as long as from memory. The borders of the ranges follow the
/// entries: every kHistogramRounds rounds a histogram of the entries' vertex numbers is taken, and
/// the borders are set so that each range has the same number of entries.
///
/// The state of a round is stored three times, indexed by the round modulo 3: a thread may still
/// read the last round's while another is in the next, and rank 0 clears the one after. Before rank
/// 0 becomes idle, it sets the number of members of the next round, including the threads that have
/// joined meanwhile.
template <class V>
class BucketSharing {
 public:
  /// For n vertices; `range_affinity` if most edges lead to close vertex numbers.
  BucketSharing(int threads, std::int64_t n, bool range_affinity, OpenTeam& team)
      : threads_(threads),
        ranges_(range_affinity ? std::min(threads, kMostRanges) : 1),
        bin_shift_(std::bit_width(static_cast<std::uint64_t>(n / kHistogramBins))),
        team_(team),
        states_(static_cast<std::size_t>(threads)) {
    for (Borders& borders : borders_) {
      borders.fill(std::numeric_limits<std::int64_t>::max());
      for (int range = 1; range < ranges_; ++range)
        borders[static_cast<std::size_t>(range - 1)] = n * range / ranges_;
    }
    for (ThreadState& each : states_)
      for (std::atomic<int>& next : each.next) next.store(kBuckets);
    members_[0].store(1);
  }

  /// Publishes a rank's entries of the bucket, each in the queue of its vertex's range; the blocks
  /// after the first kSorted go to the queue of the rank's own range unsorted.
  void publish(int rank, BlockBuckets<V>& buckets, int bucket, unsigned round) {
    ThreadState& own = state(rank);
    for (RangeQueue& range : own.queues) range.items.clear();
    std::array<V*, kMostRanges> tails{};
    std::size_t blocks = 0;
    const bool counts = ranges_ > 1 && round % kHistogramRounds == 0;
    if (counts) own.histogram.fill(0);
    if (rank == 0 && ranges_ > 1) move_borders(round);
    const Borders borders = borders_[round % 2];
    buckets.detach(bucket, [&](Block<V>* block, std::size_t entries) {
      if (ranges_ == 1 || ++blocks > kSorted) {
        own.queues[static_cast<std::size_t>(range_of(rank))].items.emplace_back(block, entries);
        return;
      }
      for (std::size_t i = 0; i < entries; ++i) {
        const V v = block->entries[i];
        std::size_t at = 0;
        for (const std::int64_t border : borders) at += v >= border;
        if (counts) ++own.histogram[static_cast<std::size_t>(v >> bin_shift_)];
        if (Block<V>::at_end(tails[at])) [[unlikely]] {
          push_block(own, at, tails[at]);
          tails[at] = buckets.pool().take()->entries;
        }
        *tails[at]++ = v;
      }
      buckets.pool().give(block);
    });
    for (std::size_t at = 0; at < tails.size(); ++at) push_block(own, at, tails[at]);
    for (RangeQueue& range : own.queues) range.cursor.store(0, std::memory_order_relaxed);
    own.ready.store(round, std::memory_order_release);
  }

  /// Claims an item: from the rank's range first, of its own entries and then of other ranks'; then
  /// from the other ranges. Empty if there is none.
  WorkItem<V> claim(int rank, unsigned round) {
    for (int range = 0; range < ranges_; ++range) {
      const auto at = static_cast<std::size_t>((range_of(rank) + range) % ranges_);
      for (int k = 0; k < threads_; ++k) {
        ThreadState& owner = state((rank + k) % threads_);
        if (owner.ready.load(std::memory_order_acquire) != round) continue;
        if (const WorkItem<V> item = claim_from(owner.queues[at])) return item;
      }
    }
    return {};
  }

  /// Whether a thread is idle, so that a donation would be accepted.
  bool has_idle(unsigned round) const {
    return idle_[round % 3].load(std::memory_order_relaxed) > 0;
  }

  /// Donates entries to idle threads, unless the rank's last donation is still open: an unclaimed
  /// item, or half of the rest of the item that the rank is reading, or half of the entries that
  /// fell back into the bucket.
  void donate(int rank, BlockBuckets<V>& buckets, int bucket, unsigned round, const V* taken,
              V*& taken_end) {
    ThreadState& own = state(rank);
    if (own.donated.load(std::memory_order_relaxed) != 0) return;
    WorkItem<V> item;
    for (int range = ranges_; range-- > 0 && !item;)
      item = claim_from(own.queues[static_cast<std::size_t>((range_of(rank) + range) % ranges_)]);
    if (!item) {
      const auto left = static_cast<std::size_t>(taken_end - taken);
      const std::size_t count = std::max(left, buckets.at_hand(bucket)) / 2;
      if (count < kFewestDonated) return;
      Block<V>* const block = buckets.pool().take();
      if (left / 2 == count) {
        taken_end -= count;
        std::copy_n(taken_end, count, block->entries);
      } else {
        for (std::size_t i = 0; i < count; ++i) buckets.pop(bucket, block->entries[i]);
      }
      item = WorkItem<V>(block, count);
    }
    own.donated.store(item.marked(round).bits(), std::memory_order_release);
    team_.notify_all();
  }

  /// Takes back the rank's donation if no thread accepted it. Required before the rank becomes
  /// idle.
  WorkItem<V> take_back(int rank) {
    std::atomic<std::uintptr_t>& donated = state(rank).donated;
    // A load suffices: only this rank makes its donations, and an exchange takes as long as a scan.
    if (donated.load(std::memory_order_relaxed) == 0) return {};
    return WorkItem<V>(donated.exchange(0, std::memory_order_acq_rel));
  }

  /// Makes the rank idle; `next` is its first nonempty bucket. Waits until all members are idle and
  /// returns an empty item, or returns an item that another rank donated: this rank is then busy.
  WorkItem<V> become_idle(int rank, unsigned round, int next) {
    if (rank == 0) {
      team_.accept_members(round);
      members_[(round + 1) % 3].store(team_.members(), std::memory_order_relaxed);
    }
    std::atomic<int>& idle = idle_[round % 3];
    state(rank).next[round % 3].store(next, std::memory_order_relaxed);
    const int before = idle.fetch_add(1, std::memory_order_acq_rel);
    if (before + 1 == members_[round % 3].load(std::memory_order_relaxed)) {
      team_.notify_all();
    } else if (const WorkItem<V> donated = donation_or_end(rank, round)) {
      return donated;
    }
    // All members have left the previous round, whose counter is used again after two more rounds.
    if (rank == 0) idle_[(round + 2) % 3].store(0, std::memory_order_relaxed);
    return {};
  }

  /// Waits for the end of a round in which the rank is not a member; it is one in the next round.
  void await_end(int rank, unsigned round) {
    team_.wait_until(rank, [&] { return ended(round); });
  }

  /// After a round: the first nonempty bucket of any rank.
  int first_bucket(unsigned round) const {
    int first = kBuckets;
    for (const ThreadState& each : states_)
      first = std::min(first, each.next[round % 3].load(std::memory_order_relaxed));
    return first;
  }

 private:
  static constexpr std::size_t kFewestDonated = 32;  // entries; fewer are not worth a donation
  static constexpr int kMostRanges = 4;
  static constexpr std::int64_t kHistogramBins = 128;  // between half as many and as many are used
  static constexpr unsigned kHistogramRounds = 8;  // a histogram is taken in one of so many rounds
  static constexpr std::int64_t kFewestCounted =
      64;                                     // entries; fewer do not predict the next rounds
  static constexpr std::size_t kSorted = 64;  // blocks sorted by range; the rest is not sorted

  using Borders =
      std::array<std::int64_t, kMostRanges - 1>;  // the first vertex of each range except the first

  struct alignas(64) RangeQueue {
    std::vector<WorkItem<V>> items;
    std::atomic<std::size_t> cursor{0};
  };
  struct alignas(64) ThreadState {
    std::array<RangeQueue, kMostRanges> queues;  // the rank's entries of the current bucket
    std::atomic<unsigned> ready{~0U};            // the round that `queues` belong to
    std::array<std::atomic<int>, 3> next{};
    alignas(64) std::array<std::uint32_t, kHistogramBins> histogram{};  // the last histogram
    alignas(64) std::atomic<std::uintptr_t> donated{0};
  };

  /// Rank 0, after a histogram: sets the borders for the next round and copies them for the
  /// rounds after it; a round that only moves the window may come between. During a round the other
  /// ranks read the borders of its parity.
  void move_borders(unsigned round) {
    Borders& borders = borders_[(round + 1) % 2];
    if (round % kHistogramRounds == 2) borders = borders_[round % 2];
    if (round % kHistogramRounds != 1) return;
    std::array<std::int64_t, kHistogramBins> entries{};
    for (const ThreadState& each : states_)
      for (std::size_t at = 0; at < entries.size(); ++at) entries[at] += each.histogram[at];
    const std::int64_t all = std::reduce(entries.begin(), entries.end());
    if (all < kFewestCounted) return;
    std::int64_t before = 0;
    std::size_t at = 0;
    for (int range = 1; range < ranges_; ++range) {
      const std::int64_t target = all * range / ranges_;
      while (before + entries[at] < target) before += entries[at++];
      // Assumes that the entries of a bin are spread evenly in it.
      const std::int64_t within =
          ((target - before) << bin_shift_) / std::max<std::int64_t>(entries[at], 1);
      borders[static_cast<std::size_t>(range - 1)] =
          (static_cast<std::int64_t>(at) << bin_shift_) + within;
    }
  }

  ThreadState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }

  int range_of(int rank) const { return rank % ranges_; }

  static void push_block(ThreadState& own, std::size_t range, V* tail) {
    if (tail == nullptr) return;
    Block<V>* const block = Block<V>::before(tail);
    own.queues[range].items.emplace_back(block, static_cast<std::size_t>(tail - block->entries));
  }

  static WorkItem<V> claim_from(RangeQueue& range) {
    if (range.cursor.load(std::memory_order_relaxed) >= range.items.size()) return {};
    const std::size_t at = range.cursor.fetch_add(1, std::memory_order_relaxed);
    return at < range.items.size() ? range.items[at] : WorkItem<V>();
  }

  bool ended(unsigned round) const {
    return idle_[round % 3].load(std::memory_order_acquire) ==
           members_[round % 3].load(std::memory_order_relaxed);
  }

  /// Waits for a donation or for the end of the round; an empty item means the end.
  WorkItem<V> donation_or_end(int rank, unsigned round) {
    std::atomic<int>& idle = idle_[round % 3];
    WorkItem<V> taken;
    team_.wait_until(rank, [&] {
      if (ended(round)) return true;
      for (ThreadState& owner : states_) {
        std::uintptr_t donated = owner.donated.load(std::memory_order_relaxed);
        if (!WorkItem<V>(donated).is_of(round)) continue;
        // The rank is counted as busy before it takes the donation: otherwise all ranks could seem
        // idle while the donation changes hands.
        idle.fetch_sub(1, std::memory_order_acq_rel);
        if (owner.donated.compare_exchange_strong(donated, 0, std::memory_order_acq_rel)) {
          taken = WorkItem<V>(donated);
          return true;
        }
        if (idle.fetch_add(1, std::memory_order_acq_rel) + 1 ==
            members_[round % 3].load(std::memory_order_relaxed))
          team_.notify_all();
      }
      return false;
    });
    return taken;
  }

  const int threads_;
  const int ranges_;
  const int bin_shift_;  // a bin has 2^bin_shift_ neighbouring vertices
  OpenTeam& team_;
  std::vector<ThreadState> states_;
  alignas(64) std::array<Borders, 2> borders_{};        // of even rounds and of odd ones
  alignas(64) std::array<std::atomic<int>, 3> idle_{};  // by round: idle members
  std::array<std::atomic<int>, 3> members_{};  // by round: all members; read together with idle_
};

}  // namespace warpath
